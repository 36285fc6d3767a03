"""The published methods do what their papers say, and their work is counted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from benchmarks.published.increment_method import (
    EXHAUSTED,
    MET,
    UNCHANGED,
    Limbs,
    Variant,
    increments_batch,
)
from benchmarks.published.joint_sweeps import (
    coordinate_descent,
    triangulation,
)
from tests.unit.kernels.chains import from_standard_dh, random_postures, tip_poses, torso_to_hand

from articulata.kernels.chains.forward_kinematics import TreeArrays
from articulata.kernels.chains.iterative_solvers.jacobian_methods import (
    DAMPED,
    EXTENDED,
    PSEUDOINVERSE,
    TRANSPOSE,
    End,
    Law,
    Links,
    follow,
    iterate,
)
from articulata.kernels.chains.iterative_solvers.target_areas import NO_AREA

JOINTS = 21
VARIANTS = {"A": (False, False), "B": (False, True), "C": (True, False), "D": (True, True)}


def _gap(chain: Any, q: Any, target: Any) -> float:
    return float(np.linalg.norm(tip_poses(chain, q[None])[0, :3, 3] - target))


def _increments(chain: Any, variant: str, target: Any, start: Any, most: int = 400) -> Any:
    fixed, kinds, tip, low, high = chain
    q = start[None].copy()
    distance, counts = np.empty(1), np.empty((1, 3), np.int64)
    incremental, memory = VARIANTS.get(variant, (True, True))
    rate, divisor, change = (0.5, 3.0, 1e-3) if variant == "E" else (0.015, 1.0, 0.0)
    # a batch of one: the kernel that the product calls, for arrays as the product gives them
    limbs = Limbs(fixed, kinds, tip, low, high, NO_AREA, 0)
    how = Variant(incremental, memory, rate, divisor, change, 1e-8, 0.005, most)
    increments_batch(limbs, target[None].copy(), q, how, distance, counts)
    return q[0], float(distance[0]), *(int(each) for each in counts[0])


def _problems(count: int, seed: int) -> Any:
    chain = torso_to_hand()
    rng = np.random.default_rng(seed)
    targets = tip_poses(chain, random_postures(chain, rng, count))[:, :3, 3].copy()
    return chain, targets, random_postures(chain, rng, count)


@pytest.mark.slow
@pytest.mark.parametrize("variant", "ABCDE")
def test_increments_come_near_within_limits_and_say_why_they_stop(variant: str) -> None:
    chain, targets, starts = _problems(60, 0)
    met = 0
    for target, start in zip(targets, starts, strict=True):
        q, distance, iterations, _, stop = _increments(chain, variant, target, start)
        assert distance == pytest.approx(_gap(chain, q, target), abs=1e-12)
        assert distance <= _gap(chain, start, target)
        assert np.all((q >= chain[3]) & (q <= chain[4]))
        assert stop == (MET if distance <= 0.005 else stop)
        assert stop != MET or distance <= 0.005
        assert stop != EXHAUSTED or iterations == 400
        met += stop == MET
    assert met >= 30
    assert {MET, UNCHANGED, EXHAUSTED} == {0, 1, 2}


@pytest.mark.slow
def test_eq_7_gives_the_same_search_as_the_product_of_all_matrices() -> None:
    chain, targets, starts = _problems(20, 1)
    for target, start in zip(targets, starts, strict=True):
        for plain, quick in (("A", "C"), ("B", "D")):
            one = _increments(chain, plain, target, start, most=15)
            other = _increments(chain, quick, target, start, most=15)
            np.testing.assert_array_equal(one[0], other[0])
            assert one[2] == other[2]
            assert one[3] > 3 * other[3]


@pytest.mark.slow
def test_products_are_counted() -> None:
    # one iteration: n products to measure the start, then the variant's own
    chain, targets, starts = _problems(40, 2)
    for target, start in zip(targets, starts, strict=True):
        for variant in "ABCD":
            _, _, iterations, products, _ = _increments(chain, variant, target, start, most=1)
            if iterations == 0:
                continue
            work = products - JOINTS
            if variant in "AB":
                # each joint one or two trials of n products, fewer at limits
                assert work % JOINTS == 0
                assert work <= 2 * JOINTS * JOINTS
            else:
                # 3 for a first trial kept, 5 for a second, 6 when put back; one to close
                assert work - 1 <= 6 * JOINTS
    means = {}
    for variant in "ACD":
        done = [_increments(chain, variant, t, s) for t, s in zip(targets, starts, strict=True)]
        means[variant] = sum(d[3] for d in done) / max(sum(d[2] for d in done), 1)
    assert means["D"] < means["C"] < 6 * JOINTS + 2
    assert means["A"] > JOINTS**2


@pytest.mark.slow
def test_a_batch_of_increments_is_the_single_searches() -> None:
    chain, targets, starts = _problems(10, 3)
    fixed, kinds, tip, low, high = chain
    q = starts.copy()
    distance, counts = np.empty(10), np.zeros((10, 3), np.int64)
    limbs = Limbs(fixed, kinds, tip, low, high, NO_AREA, 0)
    how = Variant(True, True, 0.015, 1.0, 0.0, 1e-8, 0.005, 400)
    increments_batch(limbs, targets, q, how, distance, counts)
    for t in range(10):
        single = _increments(chain, "D", targets[t], starts[t])
        np.testing.assert_array_equal(q[t], single[0])
        assert (distance[t], *counts[t]) == single[1:]


@pytest.mark.slow
@pytest.mark.parametrize("cap", [math.inf, 0.1])
def test_descent_never_moves_away_and_keeps_limits(cap: float) -> None:
    chain, targets, starts = _problems(40, 4)
    fixed, kinds, tip, low, high = chain
    met = 0
    for target, start in zip(targets, starts, strict=True):
        last = _gap(chain, start, target)
        for most in (1, 5, 60):
            q = start.copy()
            distance, sweeps = coordinate_descent(
                fixed, kinds, tip, low, high, target, q, cap, 1e-3, most
            )
            assert distance == pytest.approx(_gap(chain, q, target), abs=1e-12)
            assert distance <= last + 1e-12
            assert sweeps <= most
            if most == 1:
                assert np.max(np.abs(q - start)) <= cap + 1e-12
            last = distance
        assert np.all((q >= low) & (q <= high))
        met += distance <= 1e-3
    assert met >= 20


def _planar(joints: int) -> Any:
    fixed, tip = from_standard_dh([(0, 0, 0, 1.0 / joints)] * joints)
    limit = np.full(joints, 3.1)
    return fixed, np.zeros(joints, np.int64), tip, -limit, limit


def _links(chain: Any) -> Links:
    fixed, kinds, tip = chain[:3]
    return Links(TreeArrays(fixed, kinds, np.arange(-1, len(kinds) - 1)), tip)


@pytest.mark.slow
def test_triangulation_meets_planar_targets() -> None:
    chain = _planar(4)
    rng = np.random.default_rng(5)
    met = 0
    for _ in range(50):
        target = tip_poses(chain, rng.uniform(-1, 1, (1, 4)))[0, :3, 3].copy()
        q = np.full(4, 0.1)
        distance, _ = triangulation(*chain[:3], chain[3], chain[4], target, q, 1e-6, 20)
        assert distance == pytest.approx(_gap(chain, q, target), abs=1e-12)
        met += distance <= 1e-6
    assert met >= 45


@pytest.mark.parametrize(
    ("method", "share"), [(TRANSPOSE, 0.5), (PSEUDOINVERSE, 0.8), (DAMPED, 0.8), (EXTENDED, 0.8)]
)
def test_jacobian_methods_reach_near_targets(method: int, share: float) -> None:
    fixed, kinds, tip, _, _ = torso_to_hand()
    wide = np.full(JOINTS, 3.0)
    chain = fixed, kinds, tip, -wide, wide
    rng = np.random.default_rng(6)
    met = 0
    count = 4 if method == EXTENDED else 25
    for _ in range(count):
        goal = rng.uniform(-0.5, 0.5, (1, JOINTS))
        target = tip_poses(chain, goal)[0, :3]
        q = goal[0] + rng.uniform(-0.1, 0.1, JOINTS)
        law, most = Law(method, 0.05, 0.3, np.zeros(JOINTS)), 3000 if method == TRANSPOSE else 60
        end = End(0.1, 1e-4, 1e-4, most)
        distance, _, _ = iterate(law, _links(chain), tuple(chain[3:]), target, 3, q, end)
        assert distance == pytest.approx(_gap(chain, q, target[:, 3]), abs=1e-12)
        met += distance <= 1e-4
    assert met >= share * count


def test_the_null_space_task_pulls_without_moving_the_tip() -> None:
    fixed, kinds, tip, _, _ = torso_to_hand()
    wide = np.full(JOINTS, 3.0)
    rng = np.random.default_rng(7)
    q = rng.uniform(-0.3, 0.3, JOINTS)
    chain = fixed, kinds, tip, -wide, wide
    target = tip_poses(chain, q[None])[0, :3]
    before = np.linalg.norm(q)
    law, end = Law(PSEUDOINVERSE, 0.0, 0.2, np.zeros(JOINTS)), End(0.1, -1.0, -1.0, 60)
    iterate(law, _links(chain), tuple(chain[3:]), target, 6, q, end)
    after = tip_poses(chain, q[None])[0, :3]
    np.testing.assert_allclose(after, target, atol=1e-4)
    assert np.linalg.norm(q) < 0.9 * before


def _circle(chain: Any, q: Any, steps: int) -> Any:
    start = tip_poses(chain, q[None])[0, :3]
    turn = np.linspace(0, 2 * math.pi, steps + 1)
    path = np.tile(start, (steps + 1, 1, 1))
    path[:, 0, 3] += 0.15 * (np.cos(turn) - 1)
    path[:, 1, 3] += 0.15 * np.sin(turn)
    return path


def test_a_closed_path_drifts_with_the_pseudoinverse_and_not_with_the_extended_jacobian() -> None:
    chain = _planar(3)
    neutral = np.array([0.3, 0.5, 0.7])
    q = neutral.copy()
    # begin where the task has no pull left in the null space
    drift = {}
    for method, pull in ((PSEUDOINVERSE, 0.0), (EXTENDED, 1.0)):
        path = _circle(chain, q, 400)[:, :, :]
        flat = np.empty((401, 3))
        # a planar arm has no motion along z: its row is zero and the pseudoinverse ignores it
        follow(Law(method, 0.0, pull, neutral), _links(chain), path, 3, q, 0.5, flat)
        off = np.linalg.norm(tip_poses(chain, flat)[:, :3, 3] - path[:, :, 3], axis=1)
        assert off.max() <= 2e-3
        drift[method] = np.linalg.norm(flat[-1] - flat[0])
    assert drift[PSEUDOINVERSE] > 10 * drift[EXTENDED]
