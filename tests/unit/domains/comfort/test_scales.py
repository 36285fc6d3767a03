"""RULA and REBA beside their public sheets: every cell of the tables, and assessments by hand."""

from __future__ import annotations

import numpy as np
import pytest

import sheets
from articulata.domains.comfort import reba as reba_tables
from articulata.domains.comfort import rula as rula_tables
from articulata.domains.comfort.body_angles import BodyAngles, WorkConditions, scored
from articulata.domains.comfort.reba import reba
from articulata.domains.comfort.rula import rula
from articulata.errors import KinematicsError


def test_the_tables_are_those_of_the_sheets() -> None:
    np.testing.assert_array_equal(rula_tables.ARM, sheets.RULA_A)
    np.testing.assert_array_equal(rula_tables.BODY, sheets.RULA_B)
    np.testing.assert_array_equal(rula_tables.GRAND, sheets.RULA_C)
    np.testing.assert_array_equal(reba_tables.BODY, sheets.REBA_A.transpose(1, 0, 2))
    np.testing.assert_array_equal(reba_tables.ARM, sheets.REBA_B)
    np.testing.assert_array_equal(reba_tables.GRAND, sheets.REBA_C)


def deg(**angles: float) -> BodyAngles:
    return BodyAngles(**{name: np.radians(value) for name, value in angles.items()})


def test_upright_at_rest_scores_least() -> None:
    at_rest = deg(elbow_flexion=80)
    assert rula(at_rest).score == 1
    assert rula(at_rest).level == 1
    assert reba(at_rest).score == 1
    assert reba(at_rest).level == 0


def test_assessments_worked_by_hand() -> None:
    # A clerk at a desk: arm 30 deg forward and lifted outwards, forearm level, wrist bent back by
    # 20 deg to the side, neck 15 deg bent, trunk leaning 10 deg, all day.
    clerk = deg(
        shoulder_flexion=30, shoulder_abduction=25, elbow_flexion=90, wrist_flexion=-20,
        wrist_deviation=12, neck_flexion=15, trunk_flexion=10,
    )  # fmt: skip
    found = rula(clerk, WorkConditions(static=True, seated=True))
    # upper arm 2 + 1, lower arm 1, wrist 3 + 1, twist 1: table A 5, muscle use 1: 6
    assert found.parts["wrist and arm"] == 6
    # neck 2, trunk 2, legs 1: table B 2, muscle use 1: 3
    assert found.parts["neck, trunk and legs"] == 3
    assert (found.score, found.level) == (5, 3)
    # A nurse lifts 12 kg off the floor: trunk 70 deg and twisted, neck bent back, knees 40 deg,
    # arm 60 deg, elbow 30 deg, wrist bent 20 deg, hand hold poor, more than four times a minute.
    nurse = deg(
        trunk_flexion=70, trunk_twist=25, neck_flexion=-15, knee_flexion=40, shoulder_flexion=60,
        elbow_flexion=30, wrist_flexion=20,
    )  # fmt: skip
    found = reba(nurse, WorkConditions(load=12.0, grip=2, repeated=True))
    # trunk 4 + 1, neck 2, legs 1 + 1: table A 7, load 2: 9; arm 3, 2, 2: table B 5, grip 2: 7
    assert found.parts["neck, trunk and legs"] == 9
    assert found.parts["arm and wrist"] == 7
    # table C 11, activity 1
    assert (found.score, found.level) == (12, 4)


def test_an_angle_on_a_bound_takes_the_lower_score() -> None:
    bounds, scores = (-20, 20, 45, 90), (2, 1, 2, 3, 4)
    angles = np.radians([-20.001, -20.0, 0.0, 20.0, 20.001, 45.0, 45.001, 90.0, 90.001])
    np.testing.assert_array_equal(scored(angles, bounds, scores), [2, 1, 1, 1, 2, 2, 3, 3, 4])


def test_batches_and_what_adds() -> None:
    many = BodyAngles(
        trunk_flexion=np.radians([[0.0], [30.0], [80.0]]),
        shoulder_flexion=np.radians([0.0, 50.0]),
        elbow_flexion=np.radians(80.0),
    )
    for scale in (rula, reba):
        found = scale(many)
        assert found.score.shape == (3, 2)
        assert (np.diff(found.score, axis=0) >= 0).all()
        assert (np.diff(found.score, axis=1) >= 0).all()
        assert all(part.shape == (3, 2) for part in found.parts.values())
        heavy = scale(many, WorkConditions(load=15.0, shock=True, repeated=True))
        assert (heavy.score > found.score).all()
    supported = rula(deg(shoulder_flexion=50), WorkConditions(supported=True)).parts["upper arm"]
    assert supported == 2
    assert reba(deg(knee_flexion=80), WorkConditions(seated=True)).parts["legs"] == 1
    assert reba(deg(knee_flexion=80), WorkConditions(balanced=False)).parts["legs"] == 4


def test_scores_stay_within_the_tables_at_the_worst() -> None:
    worst = BodyAngles(*np.full(16, 2.0)[:15], across=True)
    worst_work = WorkConditions(load=50.0, static=True, repeated=True, shock=True, unstable=True,
                      balanced=False, grip=3)  # fmt: skip
    assert rula(worst, worst_work).score == 7
    assert reba(worst, worst_work).score == 15


def test_bad_postures_and_work_are_refused() -> None:
    with pytest.raises(KinematicsError, match="trunk_flexion of a posture to be scored holds NaN"):
        BodyAngles(trunk_flexion=float("nan"))
    with pytest.raises(KinematicsError, match="load of work is -1"):
        WorkConditions(load=-1.0)
    with pytest.raises(KinematicsError, match="a grip is 0"):
        WorkConditions(grip=4)
