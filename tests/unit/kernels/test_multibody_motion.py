"""Accelerations, reactions and ranks against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.kernels.multibody import (
    GRAVITY,
    KINDS,
    chain,
    four_bar,
    largest_gap,
    meet,
    no_inputs,
    random_body,
    random_inputs,
    random_mechanism,
    random_rows,
    random_state,
    solve_dense,
    triple,
)

import hinge_rows as hinges
from articulata.kernels.multibody import motion, project
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.build import Body, Hinge, Row, build_system
from articulata.kernels.multibody.rows import fill_rows
from articulata.kernels.multibody.tree.order import plan


@pytest.mark.parametrize("kind", [*KINDS, "all"])
@pytest.mark.parametrize("floating", [False, True])
def test_tree_agrees_with_dense_solution(kind: str, floating: bool) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        kinds = KINDS if kind == "all" else (kind,)
        system, state = random_mechanism(rng, 9, kinds=kinds, floating=floating)
        work, inputs, out = s.make_workspace(system), random_inputs(rng, system), np.zeros((9, 6))
        # off its hinges on purpose: the equations hold at any state
        state[:, :3] += 1e-3 * rng.normal(size=(9, 3))
        assert motion.accelerations(system, work, inputs, 0, 0.0, state, out) == s.OK
        expected, multiplier, rank, _ = solve_dense(system, work, state, inputs)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-10 * scale)
        np.testing.assert_allclose(
            work.multiplier, multiplier, rtol=0, atol=1e-9 * (1 + np.abs(multiplier).max())
        )
        assert rank == len(system.tree_row) == len(system.row)


@pytest.mark.parametrize("kind", [*KINDS, "all"])
def test_loops_agree_with_dense_solution(kind: str) -> None:
    compared = 0
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        kinds = KINDS if kind == "all" else (kind,)
        loops = 1 + seed % 3
        system, state = random_mechanism(rng, 8, kinds=kinds, loops=loops, floating=seed % 2 == 0)
        work, inputs, out = meet(system, state), random_inputs(rng, system), np.zeros((8, 6))
        status = motion.accelerations(system, work, inputs, 0, 0.0, state, out)
        expected, multiplier, rank, residual = solve_dense(system, work, state, inputs)
        assert status == s.OK
        scale = 1.0 + np.abs(expected).max()
        assert residual < 1e-7 * scale
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-7 * scale)
        dependent = motion.minimum_norm(system, work, null_space(system))
        assert len(system.row) - dependent == rank
        np.testing.assert_allclose(
            work.multiplier, multiplier, rtol=0, atol=1e-6 * np.abs(multiplier).max()
        )
        compared += 1
    assert compared == 6


def null_space(system: s.System) -> np.ndarray:
    return np.empty((len(system.closure_row) + 1, len(system.row)))


def test_bodies_that_do_not_move_freely() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        held = ((2, s.PRESCRIBED), (5, s.FIXED))
        system, state = random_mechanism(
            rng, 8, kinds=("rod", "ball", "planar"), floating=True, immovable=held
        )
        work, inputs, out = meet(system, state), random_inputs(rng, system), np.zeros((8, 6))
        inputs.prescribed[0, 5] = 0.0
        status = motion.accelerations(system, work, inputs, 0, 0.0, state, out)
        expected, *_, residual = solve_dense(system, work, state, inputs)
        if residual > 1e-6:  # the prescribed motion contradicts a hinge to the fixed body
            assert status == s.INCONSISTENT
            continue
        assert status == s.OK
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
        np.testing.assert_array_equal(out[2], inputs.prescribed[0, 2])
        np.testing.assert_array_equal(out[5], 0.0)


def test_every_row_kind_has_the_derivatives_of_its_gap() -> None:
    """Jacobian and gamma against central differences along a motion with acceleration."""
    rng = np.random.default_rng(3)
    for kind in KINDS:
        state = random_state(rng, 2)
        rows = random_rows(rng, kind, state, 0, 1)
        bodies = [random_body(rng), random_body(rng)]
        system = build_system(bodies, [Hinge(0, 1, rows)], [], state)
        work, a = s.make_workspace(system), rng.normal(size=(2, 6))

        def gap_at(t: float, state=state, system=system, work=work, a=a) -> np.ndarray:
            moved = state.copy()
            moved[:, :3] += t * state[:, 7:10] + 0.5 * t * t * a[:, :3]
            for i in range(2):
                # third order in t is cancelled by the symmetric differences
                x, y, z = t * state[i, 10:] + 0.5 * t * t * a[i, 3:]
                project.turn(moved, i, x, y, z)
            fill_rows(system, work, moved)
            return work.gap.copy()

        def differences(h: float, gap_at=gap_at) -> tuple[np.ndarray, np.ndarray]:
            below, here, above = gap_at(-h), gap_at(0.0), gap_at(h)
            return (above - below) / (2 * h), (above - 2 * here + below) / h**2

        fine, coarse = differences(1e-3), differences(2e-3)
        first, second = ((4 * x - y) / 3 for x, y in zip(fine, coarse, strict=True))
        fill_rows(system, work, state)
        rate = work.jacobian @ state[:, 7:].ravel()
        scale = 1.0 + np.abs(second).max()
        np.testing.assert_allclose(first, rate, atol=1e-6 * scale, err_msg=kind)
        expected = work.jacobian @ a.ravel() - work.gamma
        np.testing.assert_allclose(second, expected, atol=1e-6 * scale, err_msg=kind)


def test_ranks_of_the_four_bar() -> None:
    upright, state = four_bar(np.pi / 2, 1.0)
    work = s.make_workspace(upright)
    assert motion.factorise(upright, work, state) == s.OK
    assert (6 * len(state), len(upright.row)) == (18, 20)
    assert len(upright.tree_row) + work.schur_rank.sum() == 17
    flat, state = four_bar(0.0, 0.0)
    work = s.make_workspace(flat)
    assert motion.factorise(flat, work, state) == s.OK
    assert len(flat.tree_row) + work.schur_rank.sum() == 16


def test_conflicting_prescribed_motions_are_reported() -> None:
    bodies = [Body(0.0, np.zeros((3, 3)), kind=s.PRESCRIBED) for _ in range(2)]
    bodies.append(Body(1.0, np.eye(3)))
    state = np.zeros((3, 13))
    state[:, 3] = 1.0
    origin = (0.0, 0.0, 0.0)
    joints = [Hinge(0, 2, hinges.ball(origin, origin)), Hinge(2, 1, hinges.ball(origin, origin))]
    system = build_system(bodies, joints, [], state)
    work, inputs, out = s.make_workspace(system), no_inputs(system), np.zeros((3, 6))
    assert motion.accelerations(system, work, inputs, 0, 0.0, state, out) == s.OK
    inputs.prescribed[0, 0, 1] = 0.5
    assert motion.accelerations(system, work, inputs, 0, 0.0, state, out) == s.INCONSISTENT
    row = int(work.info[s.INFO_ROW])
    assert system.row[row, s.KIND] == s.POINT_Y
    assert work.info[s.INFO_VALUE] == pytest.approx(0.5)


def test_rows_that_repeat_within_a_hinge_become_closures() -> None:
    state = random_state(np.random.default_rng(0), 1)
    rows = random_rows(np.random.default_rng(1), "revolute", state, 0, s.WORLD)
    body = random_body(np.random.default_rng(2))
    once = build_system([body], [Hinge(0, s.WORLD, rows)], [], state)
    twice = build_system([body], [Hinge(0, s.WORLD, rows + rows)], [], state)
    assert len(twice.tree_row) == 5
    assert len(twice.closure_row) == 5
    results = []
    for system in (once, twice):
        work, out = meet(system, state), np.zeros((1, 6))
        inputs = no_inputs(system)
        assert motion.accelerations(system, work, inputs, 0, 0.0, state, out) == s.OK
        motion.minimum_norm(system, work, null_space(system))
        results.append((out, work.multiplier.copy()))
    np.testing.assert_allclose(results[1][0], results[0][0], atol=1e-10)
    # the shortest multipliers share each force equally between the two copies
    np.testing.assert_allclose(results[1][1][:5], results[0][1] / 2, atol=1e-9)
    np.testing.assert_allclose(results[1][1][5:], results[0][1] / 2, atol=1e-9)


def test_a_row_that_vanishes_asks_for_a_new_plan() -> None:
    """A direction row n . d = 0 whose body is turned until n and d are parallel."""
    z = (0.0, 0.0, 1.0)
    state = np.array([[0.0, 0.0, 0.0, 1.0, *[0.0] * 9]])
    row = Row(s.DIRECTION, n_B=z, d=(1.0, 0.0, 0.0))
    system = build_system([Body(1.0, np.eye(3))], [Hinge(0, s.WORLD, (row,))], [], state)
    work = s.make_workspace(system)
    project.turn(state, 0, 0.0, np.pi / 2, 0.0)
    assert motion.factorise(system, work, state) == s.LOST_PIVOT
    assert work.info[s.INFO_ROW] == 0
    again = plan(system, state)
    assert len(again.tree_row) == 0
    assert motion.factorise(again, s.make_workspace(again), state) == s.OK


def test_work_grows_with_bodies_not_with_their_square() -> None:
    """Every body and every row of a star of 200 arms stands once in the plan, with no closures."""
    for arms in (40, 200):
        bodies = [Body(1.0, np.eye(3), GRAVITY) for _ in range(arms + 1)]
        state = np.zeros((arms + 1, 13))
        state[:, 3] = 1.0
        angles = 2 * np.pi * np.arange(arms) / arms
        state[1:, 0], state[1:, 1] = 2 * np.cos(angles), 2 * np.sin(angles)
        middle = state[:, :3] / 2
        joints = [
            Hinge(0, i, hinges.ball(triple(middle[i]), triple(-middle[i])))
            for i in range(1, arms + 1)
        ]
        system = build_system(bodies, joints, [], state)
        assert len(system.tree) == arms + 1
        assert len(system.tree_row) == 3 * arms
        assert len(system.closure_row) == 0
        work, out, inputs = s.make_workspace(system), np.zeros((arms + 1, 6)), no_inputs(system)
        inputs.applied[0, 0, 2] = arms * 9.81
        inputs.applied[0, 1, 5] = 1.0
        assert motion.accelerations(system, work, inputs, 0, 0.0, state, out) == s.OK
        if arms == 40:
            expected, *_ = solve_dense(system, work, state, inputs)
            np.testing.assert_allclose(out, expected, atol=1e-10)
        # every hinge force acts on its arm and back on the hub
        total = out[:, :3].sum(axis=0) - [0.0, 0.0, arms * 9.81 - (arms + 1) * 9.81]
        np.testing.assert_allclose(total, 0.0, atol=1e-9)


def test_heavy_and_light_bodies_side_by_side() -> None:
    """A chain whose masses alternate by 1e6 still meets its rows and Newton's law."""
    rng = np.random.default_rng(5)
    system, state = chain(40, length=0.1)
    body = system.body.copy()
    body[::2, 0] *= 1e6
    body[::2, 1] *= 1e-6
    body[::2, s.INERTIA :] *= 1e6
    system = system._replace(body=body)
    state[:, 7:] = rng.normal(size=(40, 6))
    work, out = meet(system, state), np.zeros((40, 6))
    assert motion.accelerations(system, work, no_inputs(system), 0, 0.0, state, out) == s.OK
    for row in range(len(system.row)):
        a, b = system.row[row, s.BODY_A : s.BODY_B + 1]
        left = out[a] @ work.jacobian[row, :6] if a >= 0 else 0.0
        left += out[b] @ work.jacobian[row, 6:]
        assert left == pytest.approx(work.gamma[row], abs=1e-8 * np.abs(out).max())


def test_states_are_projected_onto_their_hinges() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        system, state = random_mechanism(rng, 8, loops=seed % 3, floating=True)
        moved = state.copy()
        moved[:, :3] += 1e-2 * rng.normal(size=(8, 3))
        moved[:, 3:7] += 1e-2 * rng.normal(size=(8, 4))
        work = s.make_workspace(system)
        if seed % 3:  # the loop may be rigid: from its own state only
            moved = state
        assert project.project(system, work, moved) == s.OK
        assert largest_gap(system, moved) <= 1e-11
        fill_rows(system, work, moved)
        assert motion.velocity_rhs(system.row, system.row_data, moved, work.row) < 1e-9
        np.testing.assert_allclose(np.linalg.norm(moved[:, 3:7], axis=1), 1.0, atol=1e-15)


def test_what_cannot_be_built_is_refused() -> None:
    state = np.array([[0.0, 0.0, 0.0, 1.0, *[0.0] * 9]])
    with pytest.raises(ValueError, match="mass > 0"):
        build_system([Body(0.0, np.eye(3))], [], [], state)
    with pytest.raises(ValueError, match="positive definite"):
        build_system([Body(1.0, np.diag([1.0, 1.0, -1.0]))], [], [], state)
    with pytest.raises(ValueError, match="two different bodies"):
        build_system([Body(1.0, np.eye(3))], [Hinge(0, 0, ())], [], state)
    with pytest.raises(ValueError, match="radius > 0"):
        build_system([Body(1.0, np.eye(3))], [Hinge(0, -1, (Row(s.SPHERE),))], [], state)
    with pytest.raises(ValueError, match="needs a direction"):
        build_system([Body(1.0, np.eye(3))], [Hinge(0, -1, (Row(s.PLANE),))], [], state)
