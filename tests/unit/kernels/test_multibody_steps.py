"""Integrators: order, closed gaps, energy, prescribed and driven motion, force elements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from tests.unit.kernels.multibody import (
    GRAVITY,
    chain,
    dense_dop853,
    four_bar,
    largest_gap,
    meet,
    no_inputs,
    random_mechanism,
    run_dop853,
    total_energy,
)

import hinge_rows as hinges
from articulata.kernels.array_types import Array
from articulata.kernels.multibody import measures
from articulata.kernels.multibody import programs as p
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.build import Body, Force, Hinge, Row, build_system
from articulata.kernels.multibody.integrators import steps
from articulata.kernels.multibody.integrators.dop853 import (
    dense_coefficients,
    dense_state,
    dop853_step,
)
from articulata.kernels.multibody.integrators.symplectic import symplectic
from articulata.kernels.multibody.integrators.tableau import DOP853_A, DOP853_NODES
from articulata.kernels.multibody.system import Inputs, System

Stepper = Callable[..., int]
ORIGIN = (0.0, 0.0, 0.0)


def march(
    stepper: Stepper,
    system: System,
    state: Array,
    h: float,
    count: int,
    inputs: Inputs | None = None,
) -> Array:
    """The state after ``count`` steps."""
    state = state.copy()
    stages, work = steps.make_stages(system), s.make_workspace(system)
    inputs = inputs or no_inputs(system)
    driven = s.Integrated(system, work, stages, inputs)
    assert stepper(driven, 0.0, h, count, state) == s.OK
    assert work.info[s.INFO_STEPS] == count
    assert work.info[s.INFO_TIME] == pytest.approx(count * h)
    return state


def free_bodies(*bodies: Body, states: Array, forces: tuple[Force, ...] = ()) -> System:
    return build_system(list(bodies), [], list(forces), states)


def at_rest(n: int) -> Array:
    state = np.zeros((n, 13))
    state[:, 3] = 1.0
    return state


@pytest.mark.parametrize(("stepper", "order"), [(steps.rk4, 4), (symplectic, 2)])
def test_order_of_accuracy(stepper: Stepper, order: int) -> None:
    system, state = chain(2, pin=False)
    state[:, 10:] = [[1.0, 2.0, 3.0], [1.5, -2.0, 1.0]]
    meet(system, state)
    exact = run_dop853(system, state, [0.4], tolerance=1e-13)[0]
    errors = [
        np.abs(march(stepper, system, state, 0.4 / count, count) - exact).max()
        for count in (40, 80, 160)
    ]
    assert errors[0] < 0.05
    for coarse, fine in itertools.pairwise(errors):
        assert math.log2(coarse / fine) == pytest.approx(order, abs=0.35)


def test_real_time_steps_are_of_first_order_and_hold_together() -> None:
    system, state = chain(2, pin=True)
    exact = run_dop853(system, state, [0.5])[0]
    errors = [
        np.abs(march(steps.realtime, system, state, 0.5 / count, count) - exact).max()
        for count in (500, 1000)
    ]
    assert 1.6 < errors[0] / errors[1] < 2.4
    assert largest_gap(system, march(steps.realtime, system, state, 1e-3, 10000)) < 1e-3


@pytest.mark.parametrize("pin", [False, True])
def test_energy_of_three_links_and_gaps(pin: bool) -> None:
    """Ten seconds from horizontal: 1e-9 of the largest kinetic energy at h = 0.25 ms."""
    system, state = chain(3, pin=pin)
    before = total_energy(system, state)
    worst = gap = kinetic = 0.0
    parts, work = np.zeros(3), s.make_workspace(system)
    for _ in range(20):
        state = march(steps.rk4, system, state, 2.5e-4, 2000)
        gap = max(gap, largest_gap(system, state))
        worst = max(worst, abs(total_energy(system, state) - before))
        measures.energy(system, work, state, parts)
        kinetic = max(kinetic, parts[0])
        assert parts.sum() == pytest.approx(total_energy(system, state), abs=1e-10)
    assert gap <= 1e-10
    assert worst <= 1e-9 * kinetic


def test_energy_of_a_hundred_links() -> None:
    slope = 9.81 * math.cos(math.pi / 6), 0.0, -9.81 * math.sin(math.pi / 6)
    system, state = chain(100, length=0.1, mass=0.1, radius=0.03, gravity=slope)
    before, worst = total_energy(system, state), 0.0
    outputs = run_dop853(system, state, [0.5, 1.0], tolerance=1e-10)
    for state in outputs:
        worst = max(worst, abs(total_energy(system, state) - before))
        assert largest_gap(system, state) <= 1e-10
    fallen = total_energy(system, state * np.repeat([1.0, 0.0], [7, 6]))
    assert worst <= 1e-9 * abs(before - fallen)


def test_symplectic_energy_stays_bounded() -> None:
    """A double pendulum swinging in space: no drift over 40 s, error of second order."""
    system, state = chain(2, gravity=(9.81, 0.0, 0.0))
    state[:, 10:] = [[0.3, 1.0, 0.5], [0.0, -0.5, 0.7]]
    meet(system, state)
    before, largest = total_energy(system, state), []
    for h in (4e-3, 2e-3):
        at, errors = state, []
        for _ in range(40):
            at = march(symplectic, system, at, h, round(1 / h))
            errors.append(total_energy(system, at) - before)
        early, late = np.array(errors[:20]), np.array(errors[20:])
        assert np.abs(late).max() < 1.5 * np.abs(early).max()
        assert abs(late.mean() - early.mean()) < 0.5 * np.abs(early).max()
        assert largest_gap(system, at) < 1e-10
        largest.append(np.abs(errors).max())
    assert largest[1] < 0.4 * largest[0]


def test_free_body_keeps_its_momenta() -> None:
    """A tumbling asymmetric body without gravity, all methods but the 1986 one."""
    inertia = np.diag([1.0, 2.0, 2.9])
    state = at_rest(1)
    state[0, 7:] = [0.3, -0.2, 0.1, 0.1, 2.0, 0.05]
    system = free_bodies(Body(2.0, inertia), states=state)
    work, before, after = s.make_workspace(system), np.zeros(6), np.zeros(6)
    measures.momentum(system, work, state, before)
    np.testing.assert_allclose(before[:3], 2.0 * state[0, 7:10])
    np.testing.assert_allclose(before[3:], inertia @ state[0, 10:])
    for stepper, h, tolerance in ((steps.rk4, 1e-3, 1e-10), (symplectic, 1e-2, 1e-12)):
        end = march(stepper, system, state, h, int(10 / h))
        measures.momentum(system, work, end, after)
        np.testing.assert_allclose(after, before, atol=tolerance, err_msg=str(stepper))
    end = run_dop853(system, state, [10.0])[0]
    measures.momentum(system, work, end, after)
    np.testing.assert_allclose(after, before, atol=1e-10)


def test_dense_output_meets_hinges_and_accuracy() -> None:
    system, state = chain(2)
    times = [0.037 * k for k in range(1, 20)]
    dense = dense_dop853(system, state, times, tolerance=1e-9)
    for time, found in zip(times[::6], dense[::6], strict=True):
        exact = run_dop853(system, state, [time], tolerance=1e-13)[0]
        np.testing.assert_allclose(found, exact, atol=2e-7)
    assert max(largest_gap(system, found) for found in dense) <= 1e-10


def test_single_steps_take_inputs_at_their_stage_times() -> None:
    """A body driven by a = cos(w t): the step's table of inputs gives the exact motion."""
    state = at_rest(1)
    system = free_bodies(Body(0.0, np.zeros((3, 3)), kind=s.PRESCRIBED), states=state)
    h, omega = 0.1, 3.0
    inputs = no_inputs(system)
    table = np.zeros((16, 1, 6))
    table[:, 0, 0] = np.cos(omega * h * DOP853_NODES)
    inputs = inputs._replace(prescribed=table)
    stages, work, new = steps.make_stages(system), s.make_workspace(system), np.zeros((1, 13))
    driven = s.Integrated(system, work, stages, inputs)
    status, accepted, following = dop853_step(driven, 0.0, h, state, new, 1e-10, 1e-10)
    assert (status, accepted) == (s.OK, True)
    assert following > h
    assert new[0, 0] == pytest.approx((1 - math.cos(omega * h)) / omega**2, abs=1e-14)
    assert new[0, 7] == pytest.approx(math.sin(omega * h) / omega, abs=1e-14)
    dense, middle = np.zeros((7, 1, 13)), np.zeros((1, 13))
    assert dense_coefficients(driven, 0.0, h, state, new, dense) == s.OK
    dense_state(dense, state, 0.3, middle)
    assert middle[0, 0] == pytest.approx((1 - math.cos(0.3 * omega * h)) / omega**2, abs=1e-11)


def test_tableau_is_consistent() -> None:
    np.testing.assert_allclose(DOP853_A.sum(axis=1), DOP853_NODES, atol=1e-14)
    for power in range(1, 8):
        moment = DOP853_A[12] @ DOP853_NODES ** (power - 1)
        assert moment == pytest.approx(1 / power, abs=1e-14)


@pytest.mark.parametrize("stepper", [steps.rk4, steps.euler1986, steps.realtime, symplectic])
def test_fixed_steps_take_inputs_at_their_times(stepper: Stepper) -> None:
    state = at_rest(1)
    system = free_bodies(Body(0.0, np.zeros((3, 3)), kind=s.PRESCRIBED), states=state)
    count, h = 100, 1e-2
    entries, spacing = (2 * count + 1, h / 2) if stepper is steps.rk4 else (count + 1, h)
    table = np.zeros((entries, 1, 6))
    table[:, 0, 1] = np.cos(spacing * np.arange(entries))
    inputs = no_inputs(system)._replace(prescribed=table)
    end = march(stepper, system, state, h, count, inputs)
    tolerance = 1e-9 if stepper is steps.rk4 else (2e-5 if stepper is symplectic else 6e-3)
    assert end[0, 1] == pytest.approx(1 - math.cos(1.0), abs=tolerance)


def test_driven_rows_move_and_the_others_hold() -> None:
    """A slider whose travel along x is driven: projection must not pull it back."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    rows = (
        Row(s.PLANE, n_B=x, driven=True),
        Row(s.PLANE, n_B=y),
        *hinges.aligned(x, y, z, (x, y, z)),
    )
    state = at_rest(1)
    system = build_system([Body(1.0, np.eye(3), GRAVITY)], [Hinge(0, -1, rows)], [], state)
    inputs = no_inputs(system)
    inputs.drive[0, 0] = 2.0
    end = march(steps.rk4, system, state, 1e-2, 100, inputs)
    np.testing.assert_allclose(end[0, :3], [1.0, 0.0, -9.81 / 2], atol=1e-12)


def test_spring_and_damper_between_points() -> None:
    """Damped oscillation of two masses about their centre, in closed form."""
    m, k, c, rest = 2.0, 50.0, 1.5, 1.0
    state = at_rest(2)
    state[1, 0] = 1.3
    spring = Force(s.SPRING, 0, 1, constants=(k, c, rest, 0.0))
    bodies = [Body(m, np.eye(3)), Body(m, np.eye(3))]
    system = build_system(bodies, [], [spring], state)
    end = march(steps.rk4, system, state, 1e-3, 1000)
    reduced, decay = m / 2, c / m
    omega = math.sqrt(k / reduced - decay**2)
    wave = math.cos(omega) + decay / omega * math.sin(omega)
    length = rest + 0.3 * math.exp(-decay) * wave
    assert end[1, 0] - end[0, 0] == pytest.approx(length, abs=1e-9)
    assert end[0, 0] + end[1, 0] == pytest.approx(1.3, abs=1e-12)


def test_torsional_spring_winds_beyond_a_turn() -> None:
    """A torque carries the angle through several turns; the spring's energy grows with it."""
    z, x = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    state = at_rest(1)
    twist = Force(s.TWIST, 0, s.WORLD, p_A=x, p_B=x, axis_B=z, constants=(0.1, 0.0, 0.0, 1.0))
    system = build_system([Body(1.0, np.eye(3))], [], [twist], state)
    stages, work = steps.make_stages(system), s.make_workspace(system)
    driven = s.Integrated(system, work, stages, no_inputs(system))
    assert steps.rk4(driven, 0.0, 1e-2, 600, state) == s.OK
    omega = math.sqrt(0.1)
    angle = 10.0 * (1 - math.cos(6.0 * omega))
    assert angle > 2 * math.pi
    assert work.turns[0] == pytest.approx(angle, abs=1e-5)
    parts = np.zeros(3)
    measures.energy(system, work, state, parts)
    assert parts.sum() == pytest.approx(0.0, abs=1e-6)


def test_programs_compute_what_they_say() -> None:
    """Opposite forces proportional to 1 / length^2 (gravitation): a circular orbit closes."""
    program = (
        (p.CONSTANT, 1.0),
        (p.LENGTH, 0.0),
        (p.LENGTH, 0.0),
        (p.MULTIPLY, 0.0),
        (p.DIVIDE, 0.0),
    )
    state = at_rest(1)
    state[0, 0], state[0, 8] = 1.0, 1.0
    pull = Force(s.LINE, 0, s.WORLD, program=program)
    system = free_bodies(Body(1.0, np.eye(3)), states=state, forces=(pull,))
    end = run_dop853(system, state, [2 * math.pi])[0]
    np.testing.assert_allclose(end, state, atol=1e-9)


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ([(p.SIGNAL, 1), (p.TIME, 0), (p.ADD, 0)], 5.5),
        ([(p.CONSTANT, 2), (p.CONSTANT, 3), (p.POWER, 0)], 8.0),
        ([(p.CONSTANT, 7), (p.CONSTANT, 2), (p.SUBTRACT, 0)], 5.0),
        ([(p.CONSTANT, -2), (p.ABS, 0), (p.SQRT, 0)], math.sqrt(2)),
        ([(p.CONSTANT, 1), (p.CONSTANT, -1), (p.ATAN2, 0)], math.atan2(1, -1)),
        ([(p.CONSTANT, 0), (p.CONSTANT, 4), (p.CONSTANT, 9), (p.SELECT, 0)], 9.0),
        ([(p.CONSTANT, 1), (p.CONSTANT, 4), (p.CONSTANT, 9), (p.SELECT, 0)], 4.0),
        ([(p.SPEED, 0), (p.CONSTANT, 0), (p.LESS, 0)], 1.0),
        ([(p.CONSTANT, 3), (p.CONSTANT, 8), (p.MINIMUM, 0), (p.NEGATE, 0)], -3.0),
        ([(p.CONSTANT, -3.5), (p.SIGN, 0)], -1.0),
        ([(p.CONSTANT, -3.5), (p.FLOOR, 0)], -4.0),
        ([(p.CONSTANT, 0.5), (p.SIN, 0)], math.sin(0.5)),
        ([(p.CONSTANT, 1), (p.CONSTANT, 0), (p.AND, 0)], 0.0),
        ([(p.CONSTANT, 1), (p.CONSTANT, 0), (p.OR, 0)], 1.0),
    ],
)
def test_operations(program: list[tuple[int, float]], value: float) -> None:
    code = np.array([(op, k) for k, (op, _) in enumerate(program)])
    constants = np.array([x for _, x in program], float)
    found = p.run_program(
        code, 0, len(code), constants, np.zeros(p.STACK), 0.5, 2.0, -1.0, np.array([1.0, 5.0])
    )
    assert found == pytest.approx(value)


def test_every_method_returns_the_same_bytes_twice() -> None:
    rng = np.random.default_rng(8)
    system, state = random_mechanism(rng, 6, loops=1, kinds=("ball", "universal"), floating=True)
    meet(system, state)
    for stepper in (steps.rk4, steps.euler1986, steps.realtime, symplectic):
        first = march(stepper, system, state, 1e-3, 50)
        assert first.tobytes() == march(stepper, system, state, 1e-3, 50).tobytes()
        # one call of fifty steps or fifty calls of one
        piecewise = state
        for _ in range(50):
            piecewise = march(stepper, system, piecewise, 1e-3, 1)
        np.testing.assert_allclose(piecewise, first, atol=1e-9)
    first = run_dop853(system, state, [0.1, 0.2])
    assert first.tobytes() == run_dop853(system, state, [0.1, 0.2]).tobytes()


@pytest.mark.parametrize("stepper", [steps.rk4, steps.euler1986, steps.realtime, symplectic])
@pytest.mark.parametrize("column", [0, 4, 8, 11])
def test_a_nan_is_reported(stepper: Stepper, column: int) -> None:
    for system, state in (chain(3), four_bar(1.0, 0.5)):
        state[1, column] = math.nan
        stages, work = steps.make_stages(system), s.make_workspace(system)
        driven = s.Integrated(system, work, stages, no_inputs(system))
        status = stepper(driven, 0.0, 1e-3, 10, state)
        assert status & s.NOT_FINITE


def test_a_nan_stops_adaptive_steps() -> None:
    system, state = chain(2)
    state[0, 7] = math.nan
    work, stages, new = s.make_workspace(system), steps.make_stages(system), state.copy()
    driven = s.Integrated(system, work, stages, no_inputs(system))
    status, accepted, _ = dop853_step(driven, 0.0, 1e-3, state, new, 1e-8, 1e-8)
    assert status & s.NOT_FINITE
    assert not accepted
