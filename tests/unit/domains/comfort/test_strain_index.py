"""The strain index against published examples, and each of its tables at its bounds."""

from __future__ import annotations

import math
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


def exertion(**given: Any) -> art.Exertion:
    return art.Exertion(**{"effort": 3.0, "per_minute": 10.0, "seconds": 2.0, **given})


@pytest.mark.parametrize(
    ("given", "name", "multiplier"),
    [
        # Garg, Moore and Kapellusch (2017), each formula at a round place
        ({"effort": 1.0}, "effort", 0.030 - 0.156 + 1.3 + 0.4),
        ({"effort": 10.0}, "effort", 36.0 - 33.3 + 24.77 - 1.86),
        ({"per_minute": 4.0}, "per_minute", 1.1),
        ({"per_minute": 100.0, "seconds": 0.5}, "per_minute", 0.00334 * 10.0**3.92),
        ({"per_minute": 1.0, "seconds": 10.0}, "seconds", 3.55),
        ({"extended": 0.0}, "extended", 1.0),
        ({"extended": math.radians(30.0)}, "extended", 1.0),
        ({"extended": math.radians(60.0)}, "extended", 1.252),
        ({"extended": math.radians(-50.0)}, "extended", 1.2 * math.exp(0.45) - 0.2),
        ({"hours": 0.05}, "hours", 0.2),
        ({"hours": 1.0}, "hours", 0.519),
    ],
)
def test_multipliers_of_the_revision(given: dict[str, Any], name: str, multiplier: float) -> None:
    found = art.revised_strain_index(exertion(**given))
    assert found.multipliers[name] == pytest.approx(multiplier, rel=1e-12)
    assert found.index == pytest.approx(math.prod(found.multipliers.values()), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "seam", "apart"),
    [("effort", 4.0, 1e-9), ("per_minute", 90.0, 1.5e-4), ("seconds", 60.0, 1e-4)],
)
def test_both_formulas_meet_where_one_follows_the_other(
    name: str, seam: float, apart: float
) -> None:
    """The multipliers of the revision are continuous: a wrong digit would show at the seam."""
    rest = {"per_minute": 0.5, "seconds": 0.5}
    below, above = (
        art.revised_strain_index(exertion(**{**rest, name: seam + by})) for by in (-1e-10, 1e-10)
    )
    assert above.multipliers[name] == pytest.approx(below.multipliers[name], rel=apart)


def test_eight_hours_are_the_usual_day_and_harder_work_has_a_higher_index() -> None:
    assert art.revised_strain_index(exertion()).multipliers["hours"] == pytest.approx(1.0, abs=2e-4)
    usual = art.revised_strain_index(exertion()).index
    changes: list[dict[str, float]] = [
        {"effort": 4.0}, {"per_minute": 12.0}, {"seconds": 3.0}, {"extended": 0.8},
        {"extended": -0.2}, {"hours": 10.0},
    ]  # fmt: skip
    for harder in changes:
        assert art.revised_strain_index(exertion(**harder)).index > usual, harder


def test_several_exertions_and_tasks_add_what_frequency_and_hours_add() -> None:
    """RSI of the hardest, then RSI/EM (EM of all so far - EM of those before); days with HM."""
    kinds = [exertion(effort=2.0), exertion(effort=6.0, per_minute=3.0, seconds=4.0)]
    easy, hard = (art.revised_strain_index(each).index for each in kinds)
    assert hard > easy
    composite = hard + easy / 2.6 * ((0.1 + 0.25 * 13.0) - (0.1 + 0.25 * 3.0))
    assert art.composite_strain(kinds) == pytest.approx(composite, rel=1e-12)
    assert art.composite_strain(kinds[::-1]) == pytest.approx(composite, rel=1e-12)
    assert art.composite_strain(kinds[:1]) == pytest.approx(easy, rel=1e-12)

    def hm(hours: float) -> float:
        return 0.042 * hours + 0.09 * math.log(hours) + 0.477

    tasks = [[exertion(effort=2.0, hours=5.0)], [exertion(effort=6.0, hours=3.0)]]
    short, long = (art.composite_strain(tasks[k]) for k in (1, 0))
    assert short > long
    day = short + long / hm(5.0) * (hm(8.0) - hm(3.0))
    assert art.cumulative_strain(tasks) == pytest.approx(day, rel=1e-12)
    # one task of eight hours, told in two parts, is one task of eight hours
    whole, parts = [exertion()], [[exertion(hours=5.0)], [exertion(hours=3.0)]]
    assert art.cumulative_strain(parts) == pytest.approx(art.composite_strain(whole), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"effort": 0.0}, "effort of an exertion is 0.0; give more than 0, up to 10"),
        ({"seconds": math.inf}, "seconds of an exertion is inf; give more than 0"),
        ({"seconds": 7.0}, "10 exertions of 7 s take more than a minute; give up to 6 s"),
        ({"extended": 45.0}, "extended by 45.0 rad; give -pi/2 to pi/2"),
    ],
)
def test_wrong_exertions_are_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(art.KinematicsError, match=said):
        exertion(**change)


def test_a_day_is_no_longer_than_a_day() -> None:
    with pytest.raises(art.KinematicsError, match="take 26 hours; give up to 24"):
        art.cumulative_strain([[exertion(hours=13.0)]] * 2)
    with pytest.raises(art.KinematicsError, match="go on for the same hours"):
        art.composite_strain([exertion(hours=1.0), exertion(hours=2.0)])
    for ask in (art.composite_strain, art.cumulative_strain):
        with pytest.raises(art.KinematicsError, match="give one"):
            ask([])
