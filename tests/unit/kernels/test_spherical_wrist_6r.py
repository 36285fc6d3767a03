"""Six joints with a spherical wrist: every branch, every flag, no pseudo-solutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.kernels.chains import camera_robot, from_standard_dh, random_chain, tip_poses

from articulata.kernels.chains.closed_forms.spherical_wrist_6r import (
    BEYOND_LIMITS,
    ELBOW_SINGULAR,
    ORIENTATION,
    OUTSIDE_LIMITS,
    REACHED,
    SHOULDER_SINGULAR,
    TOO_FAR,
    TOO_NEAR,
    VALID,
    WRIST_SINGULAR,
    prepare_wrist,
    solve_wrist,
)

P = 0.5 * math.pi
FREE = np.full(6, np.inf)


def _arm(rows: Any) -> Any:
    fixed, tip = from_standard_dh(rows, tip_x=0.05)
    return fixed, np.zeros(6, np.int64), tip, -FREE, FREE


def _industrial() -> Any:
    """An arm with both shoulder offsets, an elbow offset and turned zero positions."""
    rows = [(0, 0.4, P, 0.05), (0.3, 0.1, 0, 0.5), (0, 0.02, -P, 0.06)]
    return _arm([*rows, (0.1, 0.45, P, 0), (0, 0, -P, 0), (0, 0.1, 0, 0)])


def _skew() -> Any:
    """Parallel axes 2 and 3 pointing opposite ways; no other right angle anywhere."""
    rows = [(0, 0.4, 1.1, 0.05), (0.3, 0.1, 2 * P, 0.5), (0, 0.02, -0.7, 0.06)]
    return _arm([*rows, (0.1, 0.45, 1.2, 0), (0, 0, -0.9, 0), (0, 0.1, 0.3, 0.2)])


def _rounded() -> Any:
    """Angles as URDF files round them: 1.5708 instead of a quarter turn."""
    rows = [(0, 0.4, 1.5708, 0.05), (0.3, 0.1, 0, 0.5), (0, 0, -1.5708, 0.06)]
    return _arm([*rows, (0, 0.45, 1.5708, 0), (0, 0, -1.5708, 0), (0, 0.1, 0, 0)])


def _check(chain: Any, answer: Any, targets: Any, tolerance: float = 1e-11) -> None:
    """Every valid branch meets its pose; the others hold NaN."""
    valid = (answer.flags & VALID) > 0
    assert np.all(np.isnan(answer.q[~valid]))
    assert np.all(answer.flags[~valid] == 0)
    pose, branch = np.nonzero(valid)
    if len(pose):
        error = np.abs(tip_poses(chain, answer.q[pose, branch]) - targets[pose])
        assert error.max() <= tolerance


@pytest.mark.parametrize("make", [camera_robot, _industrial, _skew, _rounded])
def test_no_generating_posture_is_missed_and_every_answer_is_true(make: Any) -> None:
    chain = make()
    arm = prepare_wrist(*chain)
    assert arm is not None
    q = np.random.default_rng(0).uniform(-math.pi, math.pi, (20000, 6))
    targets = tip_poses(chain, q)
    answer = solve_wrist(arm, targets)
    _check(chain, answer, targets)
    off = np.abs((answer.q - q[:, None] + math.pi) % (2 * math.pi) - math.pi).max(axis=2)
    assert np.all(np.nanmin(off, axis=1) <= 1e-6)
    assert np.all(answer.reason == REACHED)


def test_the_home_pose_of_the_camera_robot() -> None:
    # Li 2011: home position (4249, -156, 498.5) mm, rotation diag(-1, -1, 1)
    chain = camera_robot()
    home = tip_poses(chain, np.zeros((1, 6)))
    expected = np.diag([-1.0, -1, 1, 1])
    expected[:3, 3] = 4.249, -0.156, 0.4985
    np.testing.assert_allclose(home[0], expected, rtol=0, atol=1e-15)
    answer = solve_wrist(prepare_wrist(*chain), home)
    # the home pose is singular: joints 4 and 6 share an axis, the others are determined
    off = np.abs(answer.q[0][:, [0, 1, 2, 4]]).max(axis=1)
    assert np.nanmin(off) <= 1e-12
    assert answer.flags[0, np.nanargmin(off)] & WRIST_SINGULAR
    _check(chain, answer, home)


def test_branches_are_labelled() -> None:
    chain = camera_robot()
    rng = np.random.default_rng(1)
    targets = tip_poses(chain, rng.uniform(-3, 3, (4000, 6)))
    q = solve_wrist(prepare_wrist(*chain), targets).q.reshape(-1, 2, 2, 2, 6)
    # mirrored wrists share the arm, turn joint 4 by half a turn and negate joint 5
    np.testing.assert_array_equal(q[:, :, :, 0, :3], q[:, :, :, 1, :3])
    # joint 5 of this robot is straight at a quarter turn from the table's zero
    turn = np.abs(q[:, :, :, 0, 3] - q[:, :, :, 1, 3])
    np.testing.assert_allclose(turn[~np.isnan(turn)], math.pi, atol=1e-12)
    # both elbows share joint 1, which differs between the shoulders
    both = ~np.isnan(q[:, :, :, 0, 0]).any(axis=2)
    np.testing.assert_array_equal(q[:, :, 0, 0, 0][both], q[:, :, 1, 0, 0][both])
    # the shoulder branch says on which side of axis 1 (along x here) the arm's plane begins:
    # (4.27) of the source, P = a1 - a2 sin u2 - a3 cos(u2 + u3) - d4 sin(u2 + u3)
    u2, u23 = q[..., 0, 1], q[..., 0, 1] + q[..., 0, 2]
    side = 0.8048 - 1.781 * np.sin(u2) - 0.3063 * np.cos(u23) - 1.456 * np.sin(u23)
    assert np.all((side[:, 0] > 0) | np.isnan(side[:, 0]))
    assert np.all((side[:, 1] < 0) | np.isnan(side[:, 1]))


def test_singular_postures_are_flagged_and_still_met() -> None:
    chain = _industrial()
    arm = prepare_wrist(*chain)
    assert arm is not None
    rng = np.random.default_rng(2)
    q = rng.uniform(-1, 1, (300, 6))
    q[:100, 4] = 0.0  # joints 4 and 6 in line
    targets = tip_poses(chain, q)
    answer = solve_wrist(arm, targets)
    _check(chain, answer, targets, 1e-9)
    assert np.all((answer.flags[:100] & WRIST_SINGULAR).any(axis=1))
    assert not np.any(answer.flags[100:] & (WRIST_SINGULAR | ELBOW_SINGULAR))


def test_a_stretched_elbow_is_flagged() -> None:
    chain = _industrial()
    arm = prepare_wrist(*chain)
    assert arm is not None
    q = np.random.default_rng(3).uniform(-1, 1, (200, 6))
    q[:, 2] = -math.atan2(0.45, 0.06)
    targets = tip_poses(chain, q)
    answer = solve_wrist(arm, targets)
    # at the edge of reach the elbow's angle is only known to the root of rounding
    _check(chain, answer, targets, 1e-9)
    assert np.all((answer.flags & ELBOW_SINGULAR).any(axis=1))
    assert np.all(answer.reason == REACHED)


def test_a_wrist_over_axis_one_is_flagged() -> None:
    rows = [(0, 0.4, P, 0), (0, 0, 0, 0.5), (0, 0, -P, 0.0)]
    chain = _arm([*rows, (0, 0.45, P, 0), (0, 0, -P, 0), (0, 0.1, 0, 0)])
    arm = prepare_wrist(*chain)
    assert arm is not None
    targets = np.tile(np.eye(4), (3, 1, 1))
    # the wrist centre on axis 1: the tip is 0.1 along and 0.05 across from it
    targets[:, :3, 3] = [[0.05, 0, 0.9], [0.05, 0, 1.0], [0.05 + 1e-9, 0, 1.1]]
    answer = solve_wrist(arm, targets)
    _check(chain, answer, targets)
    assert np.all((answer.flags[:2] & SHOULDER_SINGULAR).any(axis=1))
    assert np.all(answer.reason == REACHED)


def test_poses_out_of_reach_are_refused_with_the_reason() -> None:
    chain = camera_robot()
    arm = prepare_wrist(*chain)
    assert arm is not None
    targets = np.tile(np.eye(4), (3, 1, 1))
    # wrist centre: too far; nearer to axis 1 (along x) than 156 mm
    targets[:, :3, 3] = [[6, 0, 0], [2, 0.1, 0.05], [np.nan, 0, 0]]
    answer = solve_wrist(arm, targets)
    assert list(answer.reason[:2]) == [TOO_FAR, TOO_NEAR]
    assert answer.reason[2] != REACHED
    assert not np.any(answer.flags)
    assert np.all(np.isnan(answer.q))


def test_the_true_workspace_of_the_camera_robot() -> None:
    # reach from axis 2 between 293.1 and 3268.9 mm, in either shoulder branch
    arm = prepare_wrist(*camera_robot())
    assert arm is not None
    places = np.random.default_rng(4).uniform(-4.5, 4.5, (20000, 3))
    targets = np.tile(np.eye(4), (len(places), 1, 1))
    targets[:, :3, 3] = places
    found = solve_wrist(arm, targets).reason == REACHED
    square = places[:, 1] ** 2 + places[:, 2] ** 2 - 0.156**2
    depth = np.sqrt(np.maximum(square, 0))
    size = math.hypot(0.3063, 1.456)
    expected = np.zeros(len(places), bool)
    for side in (depth, -depth):
        reach = np.hypot(side - 0.8048, places[:, 0] - 1.012)
        expected |= (reach <= 1.781 + size) & (reach >= 1.781 - size)
    np.testing.assert_array_equal(found, expected & (square >= 0))


def test_a_wrist_that_cannot_turn_far_enough_says_orientation() -> None:
    chain = _skew()
    arm = prepare_wrist(*chain)
    assert arm is not None
    rng = np.random.default_rng(5)
    targets = tip_poses(chain, rng.uniform(-3, 3, (2000, 6)))
    spin, _ = np.linalg.qr(rng.normal(size=(2000, 3, 3)))
    spin *= np.sign(np.linalg.det(spin))[:, None, None]
    tip = np.vstack([chain[2], [0, 0, 0, 1]])
    # joint 6's frame sits in the wrist centre: turning it keeps the position part reachable
    turned = targets @ np.linalg.inv(tip)
    turned[:, :3, :3] = spin
    targets = turned @ tip
    answer = solve_wrist(arm, targets)
    _check(chain, answer, targets)
    assert set(np.unique(answer.reason)) <= {REACHED, ORIENTATION}
    assert np.any(answer.reason == ORIENTATION)


def test_limits_are_flagged_and_wrapped_into() -> None:
    fixed, kinds, tip, _, _ = _industrial()
    low, high = np.full(6, -0.5), np.full(6, 2.6)
    low[0], high[0] = 2.0, 5.0
    chain = fixed, kinds, tip, low, high
    arm = prepare_wrist(*chain)
    assert arm is not None
    q = np.random.default_rng(6).uniform(low, high, (3000, 6))
    targets = tip_poses(chain, q)
    answer = solve_wrist(arm, targets)
    _check(chain, answer, targets)
    valid = (answer.flags & VALID) > 0
    inside = np.all((answer.q >= low - 1e-9) & (answer.q <= high + 1e-9), axis=2)
    np.testing.assert_array_equal((answer.flags & OUTSIDE_LIMITS) > 0, valid & ~inside)
    off = np.abs(answer.q - q[:, None]).max(axis=2)
    assert np.all(np.nanmin(off, axis=1) <= 1e-6)
    assert np.all(answer.reason == REACHED)
    elsewhere = tip_poses(chain, q - [0.0, 3.0, 0, 0, 0, 0])
    refused = solve_wrist(arm, elsewhere)
    none = ~((refused.flags & VALID) > 0) | ((refused.flags & OUTSIDE_LIMITS) > 0)
    np.testing.assert_array_equal(refused.reason == BEYOND_LIMITS, none.all(axis=1))


def test_one_pose_gets_what_a_batch_gets() -> None:
    chain = _skew()
    arm = prepare_wrist(*chain)
    assert arm is not None
    targets = tip_poses(chain, np.random.default_rng(7).uniform(-3, 3, (200, 6)))
    batch = solve_wrist(arm, targets)
    for i, target in enumerate(targets):
        single = solve_wrist(arm, target[None])
        np.testing.assert_array_equal(single.flags[0], batch.flags[i])
        np.testing.assert_allclose(single.q[0], batch.q[i], rtol=0, atol=1e-9)


def test_other_structures_are_not_taken() -> None:
    rng = np.random.default_rng(8)
    assert prepare_wrist(*random_chain(rng, 6, prismatic=False)) is None
    assert prepare_wrist(*random_chain(rng, 7, prismatic=False)) is None
