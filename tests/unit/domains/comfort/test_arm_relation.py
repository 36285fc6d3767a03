"""The relation of the arm that Soechting and Flanders found, by hand and in the mirror."""

import math

import numpy as np
import pytest

import articulata as art
from articulata.domains.comfort.arm_relation import arm_relation
from articulata.errors import KinematicsError


def test_an_arm_that_hangs_is_off_by_what_two_triangles_tell() -> None:
    person = art.figure("person")
    q = person.neutral.copy()
    names = ("r_shoulder_flexion", "r_elbow_flexion", "r_radiocarpal_flexion")
    shoulder, elbow, wrist = (person.link_pose(q, name)[:3, 3] for name in names)
    # hanging straight down: elevation -90 degrees, azimuth 0
    assert np.abs((wrist - shoulder)[[0, 2]]).max() < 1e-9
    R = 100.0 * np.linalg.norm(wrist - shoulder)
    upper = -4.0 + 1.10 * R - 90.0 * 0.90
    fore = 39.4 + 0.54 * R + 90.0 * 1.06
    # from straight down to a direction of that elevation it is that angle, whatever the yaw
    off = [abs(upper), 180.0 - fore]
    assert elbow[1] < shoulder[1]
    found = arm_relation(person, q)
    assert found == pytest.approx(math.radians(math.hypot(*off) / math.sqrt(2.0)), abs=1e-9)


def test_left_and_right_are_alike_and_the_best_arm_keeps_to_the_relation() -> None:
    person = art.figure("person")
    arm = {"shoulder_flexion": 0.7, "shoulder_abduction": 0.3, "elbow_flexion": 1.1,
           "shoulder_rotation": 0.2}  # fmt: skip
    right = person.vector({f"r_{name}": value for name, value in arm.items()})
    left = person.vector({f"l_{name}": value for name, value in arm.items()})
    assert arm_relation(person, right) == pytest.approx(arm_relation(person, left, "left"))
    hand = person.landmark(right, "right hand")[:3, 3]
    front = art.pose(
        person, {"right hand": hand}, moving="right arm", points=1,
        objectives=[art.Objective("arm relation")],
    ).final()  # fmt: skip
    assert front.values[0, 0] < 0.99 * arm_relation(person, right)
    with pytest.raises(KinematicsError, match="H-Anim"):
        arm_relation(art.figure("jack_1995"), art.figure("jack_1995").neutral)
