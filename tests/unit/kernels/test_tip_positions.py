"""The position engine: found postures are true, proofs are sound, nothing reachable is missed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.kernels.chains import random_chain, random_postures, tip_poses, torso_to_hand

from articulata.kernels.chains.dh_table import reduce_chain
from articulata.kernels.chains.iterative_solvers.reach_bounds import (
    BEYOND_LIMITS,
    POSSIBLE,
    TOO_FAR,
    TOO_NEAR,
)
from articulata.kernels.chains.iterative_solvers.target_areas import disc, polygon, rectangle
from articulata.kernels.chains.iterative_solvers.tip_targets import prepare, solve
from articulata.kinematics.inverse.areas import (
    Area,
    CircleArea,
    PolygonArea,
    RectangleArea,
    StandingArea,
)
from articulata.kinematics.prepared import BaseTurn

TOLERANCE = 0.5e-3


def _distance(chain: Any, q: Any, targets: Any) -> Any:
    return np.linalg.norm(tip_poses(chain, q)[:, :3, 3] - targets, axis=1)


def _table_tips(table: Any, q: Any) -> Any:
    """Forward kinematics by the table alone, in plain NumPy."""
    out = []
    for values in q:
        pose = table.base.copy()
        for row, joint, offset in zip(table.rows, table.joints, table.offset, strict=True):
            value = values[joint] if joint >= 0 else 0.0
            a, cosine, sine, d = row[:4]
            angle, travel = (offset, value) if row[8] else (value + offset, 0.0)
            if row[8]:
                angle = np.arctan2(row[5], row[4])
            c, s = np.cos(angle), np.sin(angle)
            link = np.array(
                [
                    [c, -s * cosine, s * sine, a * c * table.unit],
                    [s, c * cosine, -c * sine, a * s * table.unit],
                    [0, sine, cosine, d * table.unit + travel],
                    [0, 0, 0, 1],
                ]
            )
            pose = pose @ link
        tip = np.vstack([table.tip, [0, 0, 0, 1]])
        tip[:3, 3] *= table.unit
        out.append(pose @ tip)
    return np.array(out)


@pytest.mark.parametrize("seed", range(30))
def test_a_reduced_chain_moves_as_the_chain_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, int(rng.integers(1, 10)))
    if seed % 3 == 0:  # almost parallel axes
        angle = 10.0 ** rng.uniform(-9, -2)
        c, s = np.cos(angle), np.sin(angle)
        chain[0][-1, :, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]]
    q = random_postures(chain, rng, 5)
    table = reduce_chain(*chain)
    np.testing.assert_allclose(_table_tips(table, q), tip_poses(chain, q), rtol=0, atol=1e-11)


def test_every_point_made_by_forward_kinematics_is_found() -> None:
    chain = torso_to_hand()
    solver = prepare(*chain)
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(0), 5000))[:, :3, 3]
    answer = solve(solver, targets, TOLERANCE)
    assert np.all(answer.distance <= TOLERANCE)
    assert np.all(answer.proof == POSSIBLE)
    np.testing.assert_allclose(_distance(chain, answer.q, targets), answer.distance, atol=1e-13)
    assert np.all(answer.q >= chain[3])
    assert np.all(answer.q <= chain[4])


def test_the_reported_error_is_the_distance_of_the_posture_returned() -> None:
    chain = torso_to_hand()
    targets = np.random.default_rng(1).uniform(-1.5, 1.5, (3000, 3))
    answer = solve(prepare(*chain, starts=(3, 0)), targets, TOLERANCE)
    np.testing.assert_allclose(_distance(chain, answer.q, targets), answer.distance, atol=1e-13)
    assert np.all(answer.q >= chain[3])
    assert np.all(answer.q <= chain[4])


def test_default_restarts_lose_at_most_one_point_in_a_thousand() -> None:
    chain = torso_to_hand()
    targets = np.random.default_rng(2).uniform([-1.2, -1, -1.2], [1.2, 1.4, 1.2], (8000, 3))
    few = solve(prepare(*chain), targets, TOLERANCE)
    many = solve(prepare(*chain, starts=(41, 0)), targets, TOLERANCE, steps=120)
    found, reference = few.distance <= TOLERANCE, many.distance <= TOLERANCE
    assert np.mean(reference & ~found) <= 1e-3
    assert not np.any(reference & (few.proof != POSSIBLE))


@pytest.mark.parametrize("seed", range(6))
def test_random_chains_with_slides_meet_tight_tolerances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, 8)
    targets = tip_poses(chain, random_postures(chain, rng, 400))[:, :3, 3]
    answer = solve(prepare(*chain), targets, 1e-9)
    assert np.mean(answer.distance <= 1e-9) >= 0.995
    assert np.all(answer.proof == POSSIBLE)
    np.testing.assert_allclose(_distance(chain, answer.q, targets), answer.distance, atol=1e-12)


def test_one_target_gets_what_a_batch_gets() -> None:
    chain = torso_to_hand()
    solver = prepare(*chain)
    targets = np.random.default_rng(3).uniform(-0.9, 0.9, (150, 3))
    batch = solve(solver, targets, TOLERANCE)
    single = [solve(solver, target[None], TOLERANCE) for target in targets]
    found = np.array([answer.distance[0] <= TOLERANCE for answer in single])
    assert np.mean(found == (batch.distance <= TOLERANCE)) >= 0.99
    for answer, target in zip(single, targets, strict=True):
        np.testing.assert_allclose(
            _distance(chain, answer.q, target[None]), answer.distance, atol=1e-13
        )


def test_results_do_not_depend_on_the_threads() -> None:
    chain = torso_to_hand()
    solver = prepare(*chain)
    targets = np.random.default_rng(4).uniform(-1, 1, (9000, 3))
    one = solve(solver, targets, TOLERANCE, threads=1)
    three = solve(solver, targets, TOLERANCE, threads=3)
    np.testing.assert_array_equal(one.q, three.q)
    np.testing.assert_array_equal(one.distance, three.distance)


def test_the_callers_start_is_tried_first() -> None:
    chain = torso_to_hand()
    solver = prepare(*chain)
    rng = np.random.default_rng(5)
    q = random_postures(chain, rng, 200)
    targets = tip_poses(chain, q)[:, :3, 3]
    answer = solve(solver, targets, TOLERANCE, start=q, sweeps=0)
    np.testing.assert_allclose(answer.q, q, atol=2e-6)
    np.testing.assert_array_equal(answer.starts, 1)
    one = solve(solver, targets[:1], TOLERANCE, start=q[0], sweeps=0)
    np.testing.assert_allclose(one.q[0], q[0], atol=1e-12)


def test_a_nan_target_is_not_found_and_harms_no_other() -> None:
    chain = torso_to_hand()
    solver = prepare(*chain)
    rng = np.random.default_rng(6)
    targets = tip_poses(chain, random_postures(chain, rng, 100))[:, :3, 3]
    clean = solve(solver, targets, TOLERANCE)
    targets[17] = np.nan
    answer = solve(solver, targets, TOLERANCE)
    assert not answer.distance[17] <= TOLERANCE
    others = np.arange(100) != 17
    assert np.all(answer.distance[others] <= TOLERANCE)
    assert np.all(clean.distance <= TOLERANCE)
    assert not solve(solver, targets[17:18], TOLERANCE).distance[0] <= TOLERANCE


@pytest.mark.parametrize("seed", range(12))
def test_no_reachable_point_is_called_unreachable(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, int(rng.integers(2, 7))) if seed else torso_to_hand()
    solver = prepare(*chain, starts=(1, 0))
    q = random_postures(chain, rng, 4000)
    low, high = chain[3], chain[4]
    extreme = np.where(rng.random(q.shape) < 0.5, low, high)
    q = np.where((rng.random(q.shape) < 0.5) & (chain[1] != 2), extreme, q)
    answer = solve(solver, tip_poses(chain, q)[:, :3, 3], 1e-9, sweeps=0, steps=0)
    assert np.all(answer.proof == POSSIBLE)


def _area(kind: str, size: float, ahead: Any, normal: Any) -> Area:
    corners = size * np.array([[-1.0, -0.7], [1.2, -0.6], [0.3, 0.0], [0.9, 0.9], [-0.8, 0.5]])
    centers, axes = np.zeros(3), (tuple(ahead), tuple(normal))
    return {
        "circle": CircleArea(centers, size, axes[1]),
        "rectangle": RectangleArea(centers, 2.0 * size, size, *axes),
        "polygon": PolygonArea(centers, corners, *axes),
        "standing": StandingArea(centers, corners[[0, 1, 3, 4]], 0.4 * size, 0.2 * size, *axes),
    }[kind]


@pytest.mark.parametrize("kind", ["circle", "rectangle", "polygon", "standing"])
@pytest.mark.parametrize("seed", range(6))
def test_no_area_that_a_tip_lies_in_is_called_unreachable(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, int(rng.integers(2, 7))) if seed else torso_to_hand()
    chain[1][0] = 0
    solver = prepare(*chain, starts=(1, 0))
    q = random_postures(chain, rng, 2000)
    extreme = np.where(rng.random(q.shape) < 0.5, chain[3], chain[4])
    q = np.where((rng.random(q.shape) < 0.7) & (chain[1] != 2), extreme, q)
    tips = tip_poses(chain, q)[:, :3, 3]
    # a footprint turns with the first joint; the other areas lie anyhow
    axis = chain[0][0, :, 2]
    normal = axis if kind == "standing" else rng.normal(size=3)
    ahead = np.cross(normal, rng.normal(size=3))
    size = float(rng.choice([0.05, 0.5, 3.0]))
    area = _area(kind, size, ahead, normal)
    # anywhere in the area, its rim above all
    away = area.nearest(rng.normal(scale=size, size=(2000, 3)), q[:, 0])
    shape = area.table(BaseTurn(0, axis, float(chain[3][0]), float(chain[4][0])))
    answer = solve(solver, tips - away, 1e-9, area=shape, steps=0)
    assert np.all(answer.proof == POSSIBLE)


def test_an_area_is_proved_out_of_reach_by_its_height() -> None:
    chain = torso_to_hand()
    solver = prepare(*chain)
    floor = rectangle(2.0, 1.5, np.array([1.0, 0, 0]), np.array([0, 0, 1.0]))
    # shoulder and arm reach 1.4 m above the base, wherever on the floor it stands
    targets = np.array([[0.3, 1.5, -0.2], [0.3, -1.5, 0.0], [0.3, 0.9, -0.2], [9.0, 0.0, 0.0]])
    answer = solve(solver, targets, TOLERANCE, area=floor)
    np.testing.assert_array_equal(answer.proof, [TOO_FAR, TOO_FAR, POSSIBLE, TOO_FAR])
    one = [solve(solver, target[None], TOLERANCE, area=floor).proof[0] for target in targets]
    np.testing.assert_array_equal(one, answer.proof)


def test_what_cannot_be_reached_is_proved_with_its_reason() -> None:
    # a planar arm of links 1 and 0.4 whose shoulder turns a quarter, in the plane z = 0
    fixed = np.zeros((2, 3, 4))
    fixed[:, :, :3] = np.eye(3)
    fixed[1, 0, 3] = 1.0
    tip = np.hstack([np.eye(3), [[0.4], [0], [0]]])
    low, high = np.array([0.0, -3.2]), np.array([0.5, 3.2])
    solver = prepare(fixed, np.zeros(2, np.int64), tip, low, high)
    targets = np.array([[1.1, 0.4, 0], [1.5, 0, 0], [0.3, 0.1, 0], [-1.0, 0, 0], [1.0, 0.2, 0.1]])
    for answer in (
        solve(solver, targets, 1e-6),
        [solve(solver, target[None], 1e-6) for target in targets],
    ):
        if isinstance(answer, list):
            proof = [int(single.proof[0]) for single in answer]
            error = [float(single.distance[0]) for single in answer]
        else:
            proof, error = list(answer.proof), list(answer.distance)
        assert proof == [POSSIBLE, TOO_FAR, TOO_NEAR, BEYOND_LIMITS, TOO_FAR]
        assert error[0] <= 1e-6
        # the nearest postures: stretched, folded
        assert error[1] == pytest.approx(0.1, abs=1e-6)
        assert error[2] == pytest.approx(0.6 - np.hypot(0.3, 0.1), abs=1e-6)


@pytest.mark.parametrize("kind", ["disc", "rectangle", "polygon"])
def test_an_area_is_met_anywhere_in_it(kind: str) -> None:
    chain = torso_to_hand()
    solver = prepare(*chain)
    rng = np.random.default_rng(7)
    targets = rng.uniform([-1.6, -0.6, -1.2], [1.2, 0.9, 1.4], (600, 3))
    u, v = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    corners = np.array([[-0.3, -0.2], [0.4, -0.2], [0.4, 0.5], [0.1, 0.0], [-0.3, 0.3]])
    area = {
        "disc": disc(0.35, np.array([0, 1.0, 0])),
        "rectangle": rectangle(0.3, 0.2, u, v),
        "polygon": polygon(corners, u, v),
    }[kind]
    answer = solve(solver, targets, TOLERANCE, area=area)
    assert np.mean(answer.distance <= TOLERANCE) > np.mean(
        solve(solver, targets, TOLERANCE).distance <= TOLERANCE
    )
    away = tip_poses(chain, answer.q)[:, :3, 3] - targets
    expected = np.array([_away_from_area(kind, corners, place) for place in away])
    np.testing.assert_allclose(answer.distance, expected, atol=1e-9)
    one = solve(solver, targets[:1], TOLERANCE, area=area)
    assert (one.distance[0] <= TOLERANCE) == (answer.distance[0] <= TOLERANCE)


def _away_from_area(kind: str, corners: Any, place: Any) -> float:
    from shapely.geometry import Point, Polygon

    flat = Point(place[0], place[2])
    if kind == "disc":
        off = max(0.0, float(np.hypot(place[0], place[2])) - 0.35)
    elif kind == "rectangle":
        off = flat.distance(Polygon([(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)]))
    else:
        off = flat.distance(Polygon(corners))
    return float(np.hypot(off, place[1]))
