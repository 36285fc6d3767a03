"""The strain index against published examples, and each of its tables at its bounds."""

from __future__ import annotations

from typing import Any

import pytest

import articulata as art

USUAL: dict[str, Any] = {
    "effort": 1.0, "share": 0.2, "per_minute": 5.0, "wrist": "good", "speed": "fair", "hours": 6.0,
}  # fmt: skip
"""Work all of whose multipliers are 1."""


@pytest.mark.parametrize(
    ("given", "index"),
    [
        # Garg, Moore and Kapellusch on the revised index: three sub-tasks, 33 efforts a minute in
        # 54 % of the cycle, told by the hardest, the least hard and the mean effort
        ({"effort": 6, "share": 0.54, "per_minute": 33}, 54.0),
        ({"effort": 1, "share": 0.54, "per_minute": 33}, 6.0),
        ({"effort": 3, "share": 0.54, "per_minute": 33}, 18.0),
        # the sheet's hard effort, 30 to 49 %, marked deviation, rushed, 2 to 4 hours: 6 * 1.5 * 2
        # * 1.5 * 0.75
        ({"effort": 5, "share": 0.4, "wrist": "bad", "speed": "fast", "hours": 3}, 20.25),
    ],
)
def test_published_examples(given: dict[str, Any], index: float) -> None:
    assert art.strain_index(art.HandWork(**{**USUAL, **given})).index == pytest.approx(index)


@pytest.mark.parametrize(
    ("name", "bounds", "multipliers"),
    [
        # the sheet: light to 2, somewhat hard 3, hard 4 to 5, very hard 6 to 7, near maximal
        ("effort", [2, 3, 5, 7, 10], [1, 3, 6, 9, 13]),
        ("effort", [2.1, 3.1, 5.1, 7.1], [3, 6, 9, 13]),
        ("share", [0.0, 0.1, 0.3, 0.5, 0.8, 1.0], [0.5, 1, 1.5, 2, 3, 3]),
        ("share", [0.099, 0.299, 0.499, 0.799], [0.5, 1, 1.5, 2]),
        ("per_minute", [3.9, 4, 8.9, 9, 14.9, 15, 19.9, 20], [0.5, 1, 1, 1.5, 1.5, 2, 2, 3]),
        ("hours", [1, 1.1, 2, 2.1, 4, 4.1, 8, 8.1], [0.25, 0.5, 0.5, 0.75, 0.75, 1, 1, 1.5]),
        ("wrist", ["very good", "good", "fair", "bad", "very bad"], [1, 1, 1.5, 2, 3]),
        ("speed", ["very slow", "slow", "fair", "fast", "very fast"], [1, 1, 1, 1.5, 2]),
    ],
)
def test_multipliers_at_their_bounds(
    name: str, bounds: list[Any], multipliers: list[float]
) -> None:
    for value, multiplier in zip(bounds, multipliers, strict=True):
        found = art.strain_index(art.HandWork(**{**USUAL, name: value}))
        assert found.multipliers[name] == multiplier, value
        assert found.index == multiplier, value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"effort": 11.0}, "effort of a hand's work is 11.0; give 0 to 10"),
        ({"share": 54.0}, "share of a hand's work is 54.0; give 0 to 1"),
        ({"per_minute": float("inf")}, "per_minute of a hand's work is inf; give 0 or more"),
        ({"hours": -1.0}, "hours of a hand's work is -1.0; give 0 to 24"),
        ({"wrist": "poor"}, "wrist of a hand's work is 'poor'; give one of very good, good"),
    ],
)
def test_wrong_work_is_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(art.KinematicsError, match=said):
        art.HandWork(**{**USUAL, **change})
