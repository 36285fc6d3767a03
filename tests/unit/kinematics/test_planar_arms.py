"""Planar arms of two and three joints: both sides of the elbow, by the cosine rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.errors import KinematicsError
from articulata.kinematics.inverse.reason import Reason

A, B, C = 0.4, 0.3, 0.1


def arm(*lengths: float) -> art.Chain:
    return art.Chain.standard_dh([art.DH(a=length) for length in lengths])


def by_hand(x: float, y: float) -> list[tuple[float, float]]:
    """Return both postures of two links by the cosine rule, as textbooks have them."""
    cosine = (x * x + y * y - A * A - B * B) / (2.0 * A * B)
    found = []
    for sign in (1.0, -1.0):
        q2 = sign * math.acos(cosine)
        q1 = math.atan2(y, x) - math.atan2(B * math.sin(q2), A + B * math.cos(q2))
        found.append((math.remainder(q1, math.tau), q2))
    return found


def test_a_place_has_the_two_postures_of_the_cosine_rule() -> None:
    two = arm(A, B)
    assert str(two.closed_form()) == "two parallel axes: 2 branches of a place, named"
    for x, y in ((0.5, 0.2), (-0.3, 0.1), (0.0, -0.45)):
        every = two.all_inverse([x, y, 0.0])
        assert every.labels == ("elbow +", "elbow -")
        assert every.q == pytest.approx(np.array(by_hand(x, y)), abs=1e-12)
        assert two.tip(every.q)[:, :3, 3] == pytest.approx(np.tile([x, y, 0.0], (2, 1)), abs=1e-12)
    many = two.all_inverse([[0.5, 0.2, 0.0], [0.9, 0.0, 0.0], [0.05, 0.0, 0.0], [0.5, 0.2, 0.1]])
    assert many.q.shape == (4, 2, 2)
    assert [Reason(int(r)) for r in many.reason] == [
        Reason.MET, Reason.TOO_FAR, Reason.TOO_NEAR, Reason.TOO_FAR,
    ]  # fmt: skip


def test_a_pose_has_the_one_posture_whose_turn_fits() -> None:
    two = arm(A, B)
    X_WT = two.tip([0.3, -0.8])
    every = two.all_inverse(X_WT)
    assert every.labels == ("elbow -",)
    assert every.q == pytest.approx(np.array([[0.3, -0.8]]), abs=1e-12)
    turned = X_WT.copy()
    turned[:3, :3] = two.tip([0.0, 0.0])[:3, :3]
    assert two.all_inverse(turned).reason == Reason.ORIENTATION


def test_three_joints_meet_a_pose_with_both_elbows() -> None:
    three = arm(A, B, C)
    q = np.array([0.4, 0.9, -0.5])
    every = three.all_inverse(three.tip(q))
    assert len(every) == 2
    assert every.q[0] == pytest.approx(q, abs=1e-12)
    assert every.q[1, 1] == pytest.approx(-0.9, abs=1e-12)
    assert three.tip(every.q) == pytest.approx(np.stack([three.tip(q)] * 2), abs=1e-12)
    assert str(three.closed_form()) == "three parallel axes in a plane: 2 branches, named"


def test_limits_and_stretched_arms_are_told() -> None:
    text = """figure two { chain arm: standard table {
      shoulder: revolute(a: 0.4 m); elbow: revolute(a: 0.3 m, limits: (0 deg, 170 deg))
    } }"""
    limited = art.figure(art.parse(text)).chain("arm")
    every = limited.all_inverse([0.5, 0.2, 0.0])
    assert every.within.tolist() == [True, False]
    stretched = arm(A, B).all_inverse([A + B, 0.0, 0.0])
    assert (stretched.degenerate == art.Degenerate.ELBOW).all()
    assert stretched.q == pytest.approx(np.zeros((2, 2)), abs=1e-6)


def test_other_chains_take_no_places() -> None:
    with pytest.raises(KinematicsError, match="all_inverse takes poses"):
        arm(A, B, C).all_inverse([0.5, 0.2, 0.0])
    with pytest.raises(KinematicsError, match="finite numbers"):
        arm(A, B).all_inverse([math.nan, 0.0, 0.0])
    with pytest.raises(KinematicsError, match="no closed form"):
        arm(A, B, C, C).all_inverse(np.eye(4))
