"""Mechanisms for the tests of the multibody kernels, and a dense twin of their solver."""

from __future__ import annotations

from typing import Any

import numpy as np

import hinge_rows as hinges
from articulata.kernels.array_types import Array
from articulata.kernels.multibody import motion, project
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.build import Body, Hinge, Row, Triple, build_system
from articulata.kernels.multibody.integrators import steps
from articulata.kernels.multibody.system import Inputs, System, Workspace

GRAVITY = (0.0, 0.0, -9.81)
KINDS = (
    "ball",
    "revolute",
    "universal",
    "prismatic",
    "cylindrical",
    "planar",
    "screw",
    "weld",
    "rod",
)


def no_inputs(system: System, signals: int = 0) -> Inputs:
    """Inputs that are zero throughout; set entries for constant ones."""
    n, rows = len(system.body), len(system.row)
    return Inputs(
        applied=np.zeros((1, n, 6)),
        prescribed=np.zeros((1, n, 6)),
        drive=np.zeros((1, rows)),
        signal=np.zeros((1, signals)),
    )


def matrix(q: Array) -> Array:
    """Rotation matrix of a unit quaternion, w first."""
    a, b, c, d = q
    return np.array(
        [
            [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
        ]
    )


def triple(v: Any) -> Triple:
    return (float(v[0]), float(v[1]), float(v[2]))


def rod_inertia(mass: float, length: float, radius: float) -> Array:
    """Inertia of a cylinder along x."""
    across = mass * (length**2 / 12 + radius**2 / 4)
    return np.diag([mass * radius**2 / 2, across, across])


def chain(
    n: int,
    *,
    length: float = 1.0,
    mass: float = 1.0,
    radius: float = 0.05,
    pin: bool = False,
    gravity: Triple = GRAVITY,
) -> tuple[System, Array]:
    """n rods in a row along x from the origin, with balls or pins (axis y) between them."""
    bodies = [Body(mass, rod_inertia(mass, length, radius), gravity) for _ in range(n)]
    right, left, axis = (length / 2, 0.0, 0.0), (-length / 2, 0.0, 0.0), (0.0, 1.0, 0.0)

    def rows(p_A: Triple, p_B: Triple) -> tuple[Row, ...]:
        return hinges.revolute(p_A, p_B, axis, axis) if pin else hinges.ball(p_A, p_B)

    joints = [Hinge(s.WORLD, 0, rows((0.0, 0.0, 0.0), left))]
    joints += [Hinge(i, i + 1, rows(right, left)) for i in range(n - 1)]
    state = np.zeros((n, 13))
    state[:, 0] = length * (np.arange(n) + 0.5)
    state[:, 3] = 1.0
    return build_system(bodies, joints, [], state), state


def four_bar(angle: float, speed: float) -> tuple[System, Array]:
    """Three uniform thin bars of 1 m and 1 kg on a ground of 1 m; pins along y."""
    bar = np.array([np.cos(angle), 0.0, np.sin(angle)])
    rate = np.array([0.0, -speed, 0.0])
    state = np.zeros((3, 13))
    turned = [np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0]
    state[:, 3:7] = turned, [1.0, 0.0, 0.0, 0.0], turned
    state[0, :3], state[2, :3] = bar / 2, bar / 2 + np.array([1.0, 0.0, 0.0])
    state[1, :3] = bar + np.array([0.5, 0.0, 0.0])
    state[0, 10:] = state[2, 10:] = rate
    state[0, 7:10] = state[2, 7:10] = np.cross(rate, bar / 2)
    state[1, 7:10] = np.cross(rate, bar)
    y = (0.0, 1.0, 0.0)
    bodies = [Body(1.0, np.diag([1e-3, 1 / 12, 1 / 12]), GRAVITY) for _ in range(3)]
    joints = [
        Hinge(s.WORLD, 0, hinges.revolute((0.0, 0.0, 0.0), (-0.5, 0.0, 0.0), y, y)),
        Hinge(0, 1, hinges.revolute((0.5, 0.0, 0.0), (-0.5, 0.0, 0.0), y, y)),
        Hinge(1, 2, hinges.revolute((0.5, 0.0, 0.0), (0.5, 0.0, 0.0), y, y)),
        Hinge(s.WORLD, 2, hinges.revolute((1.0, 0.0, 0.0), (-0.5, 0.0, 0.0), y, y)),
    ]
    return build_system(bodies, joints, [], state), state


def random_body(rng: np.random.Generator, kind: int = s.FREE) -> Body:
    A = rng.normal(size=(3, 3))
    inertia = (A @ A.T + 0.5 * np.eye(3)) * rng.uniform(0.05, 1.0)
    return Body(float(rng.uniform(0.5, 3.0)), inertia, GRAVITY, kind)


def random_state(rng: np.random.Generator, n: int) -> Array:
    state = rng.normal(size=(n, 13))
    state[:, 3:7] /= np.linalg.norm(state[:, 3:7], axis=1)[:, None]
    return state


def random_rows(
    rng: np.random.Generator, kind: str, state: Array, a: int, b: int
) -> tuple[Row, ...]:
    """Rows of a hinge at a random point, met exactly by the state."""
    P = rng.normal(size=3)
    F = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    F[:, 0] *= np.sign(np.linalg.det(F))

    def local(body: int, p: Array) -> Triple:
        if body < 0:
            return triple(p)
        return triple(matrix(state[body, 3:7]).T @ (p - state[body, :3]))

    def frame(body: int) -> hinges.Frame:
        R = np.eye(3) if body < 0 else matrix(state[body, 3:7])
        x, y, z = (R.T @ F).T
        return triple(x), triple(y), triple(z)

    p_A, p_B, f_A, f_B = local(a, P), local(b, P), frame(a), frame(b)
    match kind:
        case "ball":
            return hinges.ball(p_A, p_B)
        case "revolute":
            return hinges.revolute(p_A, p_B, f_A[2], f_B[2])
        case "universal":
            return hinges.universal(p_A, p_B, f_A[1], f_B[2])
        case "prismatic":
            return hinges.prismatic(p_A, p_B, f_A, f_B)
        case "cylindrical":
            return hinges.cylindrical(p_A, p_B, f_A[2], f_B[2])
        case "planar":
            return hinges.planar(p_A, p_B, f_A[2], f_B[2])
        case "screw":
            return hinges.screw(p_A, p_B, f_A, f_B, 0.3)
        case "weld":
            return hinges.weld(p_A, p_B, f_A, f_B)
        case "rod":
            return (
                Row(s.SPHERE, local(a, P + 0.5 * F[:, 0]), p_B, size=0.5),
                Row(s.CYLINDER, local(a, P + 0.7 * F[:, 1]), p_B, n_B=f_B[2], size=0.7),
            )
    raise ValueError(kind)


def random_mechanism(
    rng: np.random.Generator,
    n: int,
    *,
    kinds: tuple[str, ...] = KINDS,
    loops: int = 0,
    floating: bool = False,
    immovable: tuple[tuple[int, int], ...] = (),
) -> tuple[System, Array]:
    """A random tree of hinges plus ``loops`` more, at a state that meets all of them."""
    special = dict(immovable)
    bodies = [random_body(rng, special.get(i, s.FREE)) for i in range(n)]
    state = random_state(rng, n)
    for i, kind in special.items():
        state[i, 7:] = 0.0 if kind == s.FIXED else state[i, 7:]
    pairs = []
    for i in range(n):
        above = int(rng.integers(-1, i)) if i else -1
        if floating and above < 0:
            if i == 0:
                continue
            above = 0
        pairs.append((i, above) if rng.random() < 0.5 else (above, i))
    pairs += [tuple(int(x) for x in rng.choice(n, 2, replace=False)) for _ in range(loops)]
    joints = [
        Hinge(a, b, random_rows(rng, kinds[int(rng.integers(len(kinds)))], state, a, b))
        for a, b in pairs
    ]
    return build_system(bodies, joints, [], state), state


def random_inputs(rng: np.random.Generator, system: System) -> Inputs:
    inputs = no_inputs(system)
    inputs.applied[:] = rng.normal(size=inputs.applied.shape)
    inputs.prescribed[:] = rng.normal(size=inputs.prescribed.shape)
    return inputs


def meet(system: System, state: Array) -> Workspace:
    """Project a state onto its hinges; returns the workspace used."""
    work = s.make_workspace(system)
    assert project.project(system, work, state) == s.OK
    return work


def solve_dense(
    system: System, work: Workspace, state: Array, inputs: Inputs
) -> tuple[Array, Array, int, float]:
    """Accelerations, minimum-norm multipliers, rank and residual by dense linear algebra.

    Uses only Jacobian and gamma of the workspace; masses, gyroscopic terms and weights are
    formed here.
    """
    n, free = len(state), np.flatnonzero(system.body_kind == s.FREE)
    columns = {int(b): 6 * k for k, b in enumerate(free)}
    M, f = np.zeros((6 * len(free),) * 2), np.zeros(6 * len(free))
    for b, k in columns.items():
        R, m, w = matrix(state[b, 3:7]), system.body[b, 0], state[b, 10:]
        J = R @ system.body[b, s.INERTIA :].reshape(3, 3) @ R.T
        M[k : k + 3, k : k + 3], M[k + 3 : k + 6, k + 3 : k + 6] = m * np.eye(3), J
        f[k : k + 3] = m * system.body[b, 2:5] + inputs.applied[0, b, :3]
        f[k + 3 : k + 6] = inputs.applied[0, b, 3:] - np.cross(w, J @ w)
    J = np.zeros((len(system.row), len(f)))
    rhs = work.gamma + inputs.drive[0]
    for row in range(len(system.row)):
        for side in range(2):
            b = int(system.row[row, s.BODY_A + side])
            block = work.jacobian[row, 6 * side : 6 * side + 6]
            if b in columns:
                J[row, columns[b] : columns[b] + 6] += block
            elif b >= 0 and system.body_kind[b] == s.PRESCRIBED:
                rhs[row] -= block @ inputs.prescribed[0, b]
    W = np.linalg.inv(M)
    half = np.linalg.cholesky(W)
    multiplier = np.linalg.pinv(J @ half, rcond=1e-9).T @ (
        np.linalg.pinv(J @ half, rcond=1e-9) @ (rhs - J @ W @ f)
    )
    a = W @ (f + J.T @ multiplier)
    out = np.zeros((n, 6))
    for b in range(n):
        if b in columns:
            out[b] = a[columns[b] : columns[b] + 6]
        elif system.body_kind[b] == s.PRESCRIBED:
            out[b] = inputs.prescribed[0, b]
    rank = int(np.linalg.matrix_rank(J @ half, tol=1e-7)) if len(J) else 0
    return out, multiplier, rank, float(np.abs(J @ a - rhs).max(initial=0.0))


def total_energy(system: System, state: Array) -> float:
    """Kinetic plus potential energy by NumPy."""
    total = 0.0
    for i in np.flatnonzero(system.body_kind == s.FREE):
        R, m, w = matrix(state[i, 3:7]), system.body[i, 0], state[i, 10:]
        J = R @ system.body[i, s.INERTIA :].reshape(3, 3) @ R.T
        total += 0.5 * m * state[i, 7:10] @ state[i, 7:10] + 0.5 * w @ J @ w
        total -= m * system.body[i, 2:5] @ state[i, :3]
    return float(total)


def largest_gap(system: System, state: Array) -> float:
    work = s.make_workspace(system)
    assert motion.factorise(system, work, state) == s.OK
    return float(np.abs(work.gap).max())


def run_dop853(
    system: System, state: Array, times: list[float], *, tolerance: float = 1e-12
) -> Array:
    """States (k, n, 13) at the given times, each the end of a step."""
    from articulata.kernels.multibody.integrators.dop853 import dop853_step

    work, stages = s.make_workspace(system), steps.make_stages(system)
    driven, accuracy = s.Integrated(system, work, stages, no_inputs(system)), (tolerance,) * 2
    now, new, t, h = state.copy(), np.empty_like(state), 0.0, 1e-3
    outputs = np.zeros((len(times), *state.shape))
    for output, end in zip(outputs, times, strict=True):
        while t < end:
            step = min(h, end - t)
            status, accepted, following = dop853_step(driven, t, step, now, new, *accuracy)
            assert status == s.OK
            if not accepted:
                h = following
                continue
            # a step cut short at an output is no measure of the next
            h = max(following, h) if step < h else following
            t = end if step == end - t else t + step
            now[:] = new
        output[:] = now
    return outputs


def dense_dop853(system: System, state: Array, times: list[float], *, tolerance: float) -> Array:
    """States (k, n, 13) at the given times, read from the polynomials of the steps."""
    from articulata.kernels.multibody.integrators import dop853

    work, stages = s.make_workspace(system), steps.make_stages(system)
    driven, accuracy = s.Integrated(system, work, stages, no_inputs(system)), (tolerance,) * 2
    now, new, t, h = state.copy(), np.empty_like(state), 0.0, 1e-3
    dense, outputs, filled = np.zeros((7, *state.shape)), np.zeros((len(times), *state.shape)), 0
    while filled < len(times):
        status, accepted, following = dop853.dop853_step(driven, t, h, now, new, *accuracy)
        assert status == s.OK
        if accepted:
            status = dop853.dense_coefficients(driven, t, h, now, new, dense)
            assert status == s.OK
            while filled < len(times) and times[filled] < t + h:
                dop853.dense_state(dense, now, (times[filled] - t) / h, outputs[filled])
                assert project.project(system, work, outputs[filled]) == s.OK
                filled += 1
            now[:], t = new, t + h
        h = following
    return outputs
