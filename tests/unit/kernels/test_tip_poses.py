"""The pose engine: what it calls found is met, and postures within limits are found again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.kernels.chains import (
    from_standard_dh,
    random_chain,
    random_postures,
    tip_poses,
    torso_to_hand,
)

from articulata.kernels.chains.iterative_solvers.reach_bounds import POSSIBLE, TOO_FAR
from articulata.kernels.chains.iterative_solvers.tip_targets import POSE_STARTS, prepare, solve

TOLERANCE = 1e-6
P = 0.5 * math.pi


def _round_arm() -> Any:
    """A 7-joint arm without offsets, lengths and limits of the KUKA LBR iiwa 7 data sheet."""
    alpha = [-P, P, P, -P, -P, P, 0]
    d = [0.34, 0, 0.4, 0, 0.4, 0, 0.126]
    fixed, tip = from_standard_dh([(0, d[i], alpha[i], 0) for i in range(7)])
    limit = np.radians([170, 120, 170, 120, 170, 120, 175])
    return fixed, np.zeros(7, np.int64), tip, -limit, limit


def _offset_arm() -> Any:
    """A 7-joint arm with elbow and wrist offsets, from Franka Emika's published (Craig) table."""
    a = [0, 0, 0, 0.0825, -0.0825, 0, 0.088]
    d = [0.333, 0, 0.316, 0, 0.384, 0, 0]
    alpha = [0, -P, P, P, -P, P, P]
    fixed = []
    for i in range(7):
        c, s = math.cos(alpha[i]), math.sin(alpha[i])
        turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        fixed.append(np.hstack([turn, (np.array([a[i], 0, 0]) + turn[:, 2] * d[i])[:, None]]))
    tip = np.hstack([np.eye(3), [[0], [0], [0.107]]])
    low = np.array([-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973])
    high = np.array([2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973])
    return np.array(fixed), np.zeros(7, np.int64), tip, low, high


def _errors(chain: Any, q: Any, targets: Any) -> Any:
    poses = tip_poses(chain, q)
    distance = np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1)
    chord = np.linalg.norm(poses[:, :3, :3] - targets[:, :3, :3], axis=(1, 2))
    return distance, 2 * np.arcsin(np.minimum(chord / math.sqrt(8), 1))


@pytest.mark.parametrize("arm", [_round_arm, _offset_arm])
def test_seven_joints_within_limits_are_all_found(arm: Any) -> None:
    chain = arm()
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(0), 5000))
    answer = solve(prepare(*chain, POSE_STARTS), targets, TOLERANCE, TOLERANCE)
    distance, angle = _errors(chain, answer.q, targets)
    assert np.all(distance <= TOLERANCE)
    assert np.all(angle <= TOLERANCE)
    np.testing.assert_allclose(answer.distance, distance, rtol=0, atol=1e-13)
    np.testing.assert_allclose(answer.angle, angle, rtol=0, atol=1e-13)
    assert np.all(answer.q >= chain[3])
    assert np.all(answer.q <= chain[4])
    assert np.all(answer.proof == POSSIBLE)


def test_errors_are_true_for_unreachable_and_turned_poses() -> None:
    chain = _round_arm()
    rng = np.random.default_rng(1)
    targets = tip_poses(chain, random_postures(chain, rng, 300))
    targets[:150, :3, 3] *= 1.6
    targets[150:, :3, :3] = targets[150:, :3, :3] @ np.diag([-1.0, -1.0, 1.0])
    answer = solve(prepare(*chain, (4, 80)), targets, TOLERANCE, TOLERANCE)
    distance, angle = _errors(chain, answer.q, targets)
    np.testing.assert_allclose(answer.distance, distance, rtol=0, atol=1e-12)
    np.testing.assert_allclose(answer.angle, angle, rtol=0, atol=1e-7)
    assert np.any(answer.proof == TOO_FAR)
    assert np.all((answer.proof == POSSIBLE) | (distance > TOLERANCE))
    assert np.all(answer.q >= chain[3])
    assert np.all(answer.q <= chain[4])


@pytest.mark.parametrize("seed", range(4))
def test_random_chains_with_slides_are_solved(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, 10)
    targets = tip_poses(chain, random_postures(chain, rng, 300))
    answer = solve(prepare(*chain, POSE_STARTS), targets, TOLERANCE, TOLERANCE)
    found = (answer.distance <= TOLERANCE) & (answer.angle <= TOLERANCE)
    assert np.mean(found) >= 0.99


def test_the_torso_chain_takes_poses() -> None:
    chain = torso_to_hand()
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(2), 500))
    answer = solve(prepare(*chain, POSE_STARTS), targets, TOLERANCE, TOLERANCE)
    assert np.mean((answer.distance <= TOLERANCE) & (answer.angle <= TOLERANCE)) >= 0.99


def test_one_pose_gets_what_a_batch_gets() -> None:
    chain = _offset_arm()
    solver = prepare(*chain, POSE_STARTS)
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(3), 200))
    for target in targets:
        answer = solve(solver, target[None], TOLERANCE, TOLERANCE)
        distance, angle = _errors(chain, answer.q, target[None])
        assert distance[0] <= TOLERANCE
        assert angle[0] <= TOLERANCE


def test_the_callers_start_is_tried_first_and_nan_harms_no_other() -> None:
    chain = _round_arm()
    solver = prepare(*chain, POSE_STARTS)
    q = random_postures(chain, np.random.default_rng(4), 64)
    targets = tip_poses(chain, q)
    answer = solve(solver, targets, TOLERANCE, TOLERANCE, start=q)
    np.testing.assert_allclose(answer.q, q, atol=1e-9)
    np.testing.assert_array_equal(answer.starts, 1)
    targets[5] = np.nan
    answer = solve(solver, targets, TOLERANCE, TOLERANCE)
    found = (answer.distance <= TOLERANCE) & (answer.angle <= TOLERANCE)
    np.testing.assert_array_equal(found, np.arange(64) != 5)


def test_results_do_not_depend_on_the_threads() -> None:
    chain = _round_arm()
    solver = prepare(*chain, POSE_STARTS)
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(5), 5000))
    one = solve(solver, targets, TOLERANCE, TOLERANCE, threads=1)
    two = solve(solver, targets, TOLERANCE, TOLERANCE, threads=2)
    np.testing.assert_array_equal(one.q, two.q)
