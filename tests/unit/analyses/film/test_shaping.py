"""What a device reports becomes rates."""

from __future__ import annotations

import math

import pytest

from articulata.analyses.film.shaping import STILL, Shaper, Shaping
from articulata.errors import KinematicsError


def test_dead_band_curve_and_gains() -> None:
    shaper = Shaper(Shaping(speed=2.0, turn=3.0, gains=(1, -1, 1, 1, 1, 0.5)))
    found = shaper.shaped((0.04, 1.0, 0.52, -1.0, 5.0, 1.0))
    assert found[0] == 0.0
    assert found[1] == -2.0
    assert math.isclose(found[2], 2.0 * 0.5**1.6)
    assert found[3:] == [-3.0, 3.0, 1.5]


def test_locks_and_the_dominant_axis() -> None:
    report = (0.2, 0.9, 0.1, -1.0, 0.0, 0.3)
    moves = Shaper(Shaping(lock="rotation")).shaped(report)
    assert moves[3:] == [0.0, 0.0, 0.0]
    turns = Shaper(Shaping(lock="translation", dominant=True)).shaped(report)
    assert [k for k in range(6) if turns[k]] == [3]
    assert [
        k for k in range(6) if Shaper(Shaping(lock="rotation", dominant=True)).shaped(report)[k]
    ] == [1]


def test_rates_come_through_in_the_smoothing_time_and_end_in_silence() -> None:
    shaper = Shaper(Shaping(smoothing=0.04, silence=0.1, speed=1.0, dead_band=0.0))
    full = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for _ in range(10):
        rates = shaper.rates_of(full, 0.004)
    assert math.isclose(rates[0], 1.0 - math.exp(-1.0), rel_tol=1e-9)
    for _ in range(24):
        rates = shaper.rates_of(None, 0.004)
    assert rates[0] > 0.9
    for _ in range(200):
        rates = shaper.rates_of(None, 0.004)
    assert list(rates) == list(STILL)


def test_a_broken_report_counts_as_silence() -> None:
    shaper = Shaper(Shaping(smoothing=0.0, silence=0.0))
    assert shaper.rates_of((1.0,) * 6, 0.01)[0] > 0.0
    assert not any(shaper.rates_of((math.nan,) * 6, 0.01))
    assert not any(shaper.rates_of((1.0, 1.0), 0.01))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"gains": (1.0,)}, "six"),
        ({"dead_band": 1.0}, "dead band"),
        ({"speed": 0.0}, "speed"),
        ({"silence": -1.0}, "silence"),
        ({"lock": "all"}, "lock"),
    ],
)
def test_wrong_values_are_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(KinematicsError, match=says):
        Shaping(**wrong)  # type: ignore[arg-type]
