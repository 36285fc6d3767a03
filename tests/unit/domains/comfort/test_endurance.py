"""For how long a share of the strength is held, against Frey Law and Avin (2010) and Rohmert."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.comfort.measured_strength import (
    ENDURANCE,
    holding_time,
    published_endurance,
)
from articulata.errors import NameNotFound


@pytest.mark.parametrize(
    ("region", "times"),
    [
        ("general", (530.6, 175.2, 86.5, 51.4, 34.1)),
        ("ankle", (955.7, 301.8, 144.7, 84.3, 55.0)),
        ("knee", (399.4, 139.5, 71.3, 43.6, 29.5)),
    ],
)
def test_the_times_of_the_laws(region: str, times: tuple[float, ...]) -> None:
    """Seconds at 20, 35, 50, 65 and 80 % of the strength, as others print them of table 2."""
    share = np.array([0.2, 0.35, 0.5, 0.65, 0.8])
    np.testing.assert_allclose(holding_time(share, region), times, atol=0.06)


def test_ankles_last_longest_and_shoulders_least() -> None:
    """The order of the paper's abstract where most of its data is, above a quarter."""
    share = np.linspace(0.4, 0.7, 7)
    order = ("ankle", "trunk", "grip", "elbow", "knee", "shoulder")
    mean = [float(np.log(holding_time(share, region)).mean()) for region in order]
    assert mean[0] == max(mean)
    assert mean[-1] == min(mean)


def test_rohmert_s_curve_is_a_quarter_to_a_third_shorter() -> None:
    """-1.5 + 2.1/f - 0.6/f^2 + 0.1/f^3 min, by Mueller; 1236.5/(100 f - 15)^.618 - 72.5 s."""
    f = np.array([0.2, 0.3, 0.4, 0.5])
    rohmert = 60.0 * (-1.5 + 2.1 / f - 0.6 / f**2 + 0.1 / f**3)
    np.testing.assert_allclose(rohmert, 1236.5 / (100.0 * f - 15.0) ** 0.618 - 72.5, rtol=0.05)
    less = 1.0 - rohmert / holding_time(f)
    assert ((less > 0.2) & (less < 0.4)).all()


def test_more_than_all_is_not_held_and_words_are_told() -> None:
    assert holding_time(1.01, "elbow") == 0.0
    assert holding_time(1.0, "elbow") == 17.98
    assert np.isinf(holding_time(0.0, "elbow"))
    with pytest.raises(NameNotFound, match="no endurance of 'neck'; there is shoulder, elbow"):
        holding_time(0.5, "neck")


def test_the_joints_of_a_person_take_the_law_of_their_region() -> None:
    person = art.figure("person")
    first, power = published_endurance(person)
    for joint, region in (
        ("l_shoulder_abduction", "shoulder"), ("r_elbow_flexion", "elbow"),
        ("vl3_flexion", "trunk"), ("r_hip_flexion", "general"), ("l_knee_flexion", "knee"),
        ("l_talocrural_flexion", "ankle"),
    ):  # fmt: skip
        k = person.coordinate(joint)
        assert (first[k], power[k]) == ENDURANCE[region]
    assert np.isinf(first[person.coordinate("vc7_flexion")])
