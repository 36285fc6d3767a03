"""Seven joints by swivel angle: every posture true, intervals exact, limits kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.kernels.chains import (
    camera_robot,
    from_standard_dh,
    link_poses,
    random_chain,
    random_postures,
    tip_poses,
)

from articulata.kernels.chains.self_motion.swivel_srs import (
    prepare_swivel,
    solve_families,
    swivel_postures,
)
from articulata.kernels.chains.self_motion.swivel_srs_kernels import (
    BEYOND_LIMITS,
    MOST_INTERVALS,
    REACHED,
    TOO_FAR,
)

P = 0.5 * math.pi


def _chain(rows: Any, low: Any, high: Any, tip_x: float = 0.0) -> Any:
    fixed, tip = from_standard_dh(rows, tip_x)
    return fixed, np.zeros(7, np.int64), tip, np.radians(low), np.radians(high)


def _robot() -> Any:
    """Lengths and limits of the KUKA LBR iiwa 7 data sheet."""
    alpha = [-P, P, P, -P, -P, P, 0]
    d = [0.34, 0, 0.4, 0, 0.4, 0, 0.126]
    limit = np.array([170.0, 120, 170, 120, 170, 120, 175])
    return _chain([(0, d[i], alpha[i], 0) for i in range(7)], -limit, limit)


def _human() -> Any:
    """A human arm: shoulder, elbow and wrist with ranges of motion."""
    rows = [(0, 0, P, 0), (P, 0, P, 0), (0, 0.3, -P, 0), (0, 0, P, 0), (P, 0.27, P, 0)]
    low = np.array([-100.0, -135, -90, -145, -80, -30, -70])
    high = np.array([40.0, 45, 70, 0, 85, 20, 70])
    return _chain([*rows, (P, 0, P, 0), (0, 0, 0, 0)], low, high, 0.1)


def _skew() -> Any:
    """No right angles, an elbow off the line, odd zero positions."""
    rows = [(0, 0.3, 1.2, 0), (0.2, 0, -1.1, 0), (0, 0.3, 0.8, 0.05), (0.3, 0.02, -1.0, 0.04)]
    rows += [(0, 0.35, 1.3, 0), (0.1, 0, -0.9, 0), (0, 0.1, 0.4, 0.03)]
    return _chain(rows, np.full(7, -115.0), np.full(7, 140.0), 0.05)


ARMS = pytest.mark.parametrize("make", [_robot, _human, _skew])


@ARMS
def test_postures_inside_the_intervals_are_true_and_within_limits(make: Any) -> None:
    chain = make()
    arm = prepare_swivel(*chain)
    assert arm is not None
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(0), 1500))
    answer = solve_families(arm, targets)
    assert np.all(answer.reason == REACHED)
    assert np.all(answer.count.sum(axis=1) >= 1)
    assert answer.count.max() < MOST_INTERVALS
    pose, branch, place = np.nonzero(np.arange(MOST_INTERVALS) < answer.count[:, :, None])
    interval = answer.intervals[pose, branch, place]
    assert np.all(interval[:, 1] > interval[:, 0])
    for share in (1e-9, 0.3, 0.7, 1 - 1e-9):
        psi = interval[:, 0] + share * (interval[:, 1] - interval[:, 0])
        q = swivel_postures(arm, targets[pose], branch, psi)
        error = np.abs(tip_poses(chain, q) - targets[pose])
        assert error.max() <= 1e-11
        assert np.all(q >= chain[3] - 1e-9)
        assert np.all(q <= chain[4] + 1e-9)


@ARMS
def test_the_intervals_are_what_a_dense_scan_finds(make: Any) -> None:
    chain = make()
    arm = prepare_swivel(*chain)
    assert arm is not None
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(1), 40))
    answer = solve_families(arm, targets)
    psi = np.linspace(-math.pi, math.pi, 1440, endpoint=False) + 1e-3
    for pose, target in enumerate(targets):
        for branch in range(8):
            many = np.tile(target, (len(psi), 1, 1))
            q = swivel_postures(arm, many, np.full(len(psi), branch), psi)
            allowed = np.all((q >= chain[3]) & (q <= chain[4]), axis=1)
            inside = np.zeros(len(psi), bool)
            for low, high in answer.intervals[pose, branch, : answer.count[pose, branch]]:
                inside |= (psi >= low) & (psi <= high)
                inside |= (psi + 2 * math.pi >= low) & (psi + 2 * math.pi <= high)
            np.testing.assert_array_equal(inside, allowed)


def test_the_generating_posture_is_in_its_family() -> None:
    chain = _robot()
    arm = prepare_swivel(*chain)
    assert arm is not None
    q = random_postures(chain, np.random.default_rng(2), 5000)
    targets = tip_poses(chain, q)
    # the swivel angle by its definition: elbow against the plane of the base's z axis
    links = link_poses(chain, q)
    shoulder, elbow, wrist = (links[:, j, :3, 3] for j in (1, 3, 5))
    line = wrist - shoulder
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    across = np.array([0, 0, 1.0]) - line * line[:, 2:]
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    out = elbow - shoulder
    side = np.cross(line, across)
    psi = np.arctan2(np.sum(side * out, axis=1), np.sum(across * out, axis=1))
    answer = solve_families(arm, targets)
    nearest = np.full(len(q), np.inf)
    listed = np.zeros(len(q), bool)
    for branch in range(8):
        found = swivel_postures(arm, targets, np.full(len(q), branch), psi)
        off = np.nan_to_num(np.abs(found - q).max(axis=1), nan=np.inf)
        nearest = np.minimum(nearest, off)
        low, high = answer.intervals[:, branch, :, 0], answer.intervals[:, branch, :, 1]
        turned = psi[:, None] + 2 * math.pi * (psi[:, None] < low - 1e-7)
        with np.errstate(invalid="ignore"):
            within = ((turned >= low - 1e-7) & (turned <= high + 1e-7)).any(axis=1)
        listed |= (off <= 1e-5) & within
    assert np.all(nearest <= 1e-5)
    assert np.all(listed)


def test_unreachable_poses_say_why() -> None:
    chain = _robot()
    arm = prepare_swivel(*chain)
    assert arm is not None
    targets = np.tile(np.eye(4), (3, 1, 1))
    # wrist = tip - 0.126 along z: 1.0 from the shoulder, on the shoulder (joint 4, which folds to
    # 120 degrees, would have to fold to 180), in front of it
    targets[:, 2, 3] = [0.34 + 1.0 + 0.126, 0.34 + 0.126, 0.34 + 0.5 + 0.126]
    answer = solve_families(arm, targets)
    assert list(answer.reason) == [TOO_FAR, BEYOND_LIMITS, REACHED]
    fixed, kinds, tip, low, high = chain
    low = low.copy()
    low[3] = np.radians(119.9)  # nearly folded only
    tight = prepare_swivel(fixed, kinds, tip, low, high)
    assert tight is not None
    assert solve_families(tight, targets[2:]).reason[0] == BEYOND_LIMITS


def test_nan_poses_have_no_family() -> None:
    arm = prepare_swivel(*_robot())
    assert arm is not None
    answer = solve_families(arm, np.full((1, 4, 4), np.nan))
    assert answer.reason[0] != REACHED
    assert not np.any(answer.count)


def test_other_structures_are_not_taken() -> None:
    rng = np.random.default_rng(3)
    assert prepare_swivel(*random_chain(rng, 7, prismatic=False)) is None
    assert prepare_swivel(*camera_robot()) is None
