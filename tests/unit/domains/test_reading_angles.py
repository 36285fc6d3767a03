"""Angles for observational scales, read from postures whose angles are known."""

import numpy as np
import pytest

import articulata as art
from articulata.domains.comfort.figure_angles import Side, body_angles
from articulata.errors import KinematicsError


@pytest.mark.parametrize("side", ["left", "right"])
def test_angles_of_single_joints_are_read_as_they_are(side: Side) -> None:
    person = art.figure("person")
    s = side[0]
    turn = 0.6
    for joint, name in (
        ("shoulder_flexion", "shoulder_flexion"), ("shoulder_abduction", "shoulder_abduction"),
        ("elbow_flexion", "elbow_flexion"), ("radiocarpal_flexion", "wrist_flexion"),
    ):  # fmt: skip
        found = body_angles(person, person.vector({f"{s}_{joint}": turn}), side)
        assert float(getattr(found, name)) == pytest.approx(turn, abs=1e-9)
    bent = body_angles(person, person.vector({"vl3_flexion": 0.3, "vt6_flexion": 0.2}), side)
    assert float(bent.trunk_flexion) == pytest.approx(0.5, abs=1e-9)
    assert float(bent.shoulder_flexion) == pytest.approx(0.0, abs=1e-9)
    standing = body_angles(person, person.neutral, side)
    assert float(standing.trunk_flexion) == pytest.approx(0.0, abs=1e-9)


def test_scores_are_objectives_and_prefer_a_straight_back() -> None:
    person = art.figure("person")
    X = person.landmark(person.vector({"r_shoulder_flexion": 0.6, "r_elbow_flexion": 1.2}),
                        "right arm")  # fmt: skip
    aims = [art.Objective("rula"), art.Objective("discomfort")]
    front = art.pose(person, {"right arm": X}, moving="right arm", objectives=aims).final()
    assert front.found
    assert set(front.values[:, 0]) <= set(range(1, 8))
    bent = person.vector({"vl3_flexion": 0.6, "vt6_flexion": 0.5})
    scores = [int(art.reba(body_angles(person, q)).score) for q in (person.neutral, bent)]
    assert scores[0] < scores[1]
    with pytest.raises(KinematicsError, match="H-Anim"):
        body_angles(art.figure("planar_4_2_1"), np.zeros(3))
