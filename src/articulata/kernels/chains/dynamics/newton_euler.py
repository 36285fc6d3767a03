"""Inverse dynamics of trees by the recursive Newton-Euler algorithm, on lanes of postures.

The canonical form of ``articulata.kernels.chains.forward_kinematics``. All of a link is in its own
moved frame: its angular velocity and acceleration, the acceleration of its origin less that of
gravity, the force and the moment about its origin. ``masses`` (joints,), ``centers`` (joints, 3)
and ``inertias`` (joints, 3, 3) about the centre of mass are written in those frames.

Rows of the workspace, ``ROWS`` for each joint: 0 cosine or travel, 1 sine, 2 rate, 3 acceleration,
4-6 angular velocity, 7-9 angular acceleration, 10-12 acceleration, 13-15 force, 16-18 moment.

Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), table 5.1; Craig, Introduction to
Robotics, section 6.5 (in the links' frames).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from articulata.kernels.array_types import Array
from articulata.kernels.chains.forward_kinematics import TreeArrays
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import sine_cosine
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import FASTMATH, fill, load, store

ROWS = 19
"""Workspace rows for each joint."""


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _crossed(a: Any, b: Any) -> Any:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _loaded(work: Any, row: int) -> Any:
    """Return three rows as a vector."""
    return load(work, row), load(work, row + 1), load(work, row + 2)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _stored(work: Any, row: int, v: Any) -> None:
    """Write a vector to three rows."""
    store(work, row, v[0])
    store(work, row + 1, v[1])
    store(work, row + 2, v[2])


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _inward(f: Any, v: Any) -> Any:
    """Return a direction of the parent's frame in the joint's frame before it moves."""
    x, y, z = v
    return (
        f[0, 0] * x + f[1, 0] * y + f[2, 0] * z,
        f[0, 1] * x + f[1, 1] * y + f[2, 1] * z,
        f[0, 2] * x + f[1, 2] * y + f[2, 2] * z,
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _multiplied(m: Any, v: Any) -> Any:
    """Return the product of the first three columns of a matrix and a vector."""
    x, y, z = v
    return (
        m[0, 0] * x + m[0, 1] * y + m[0, 2] * z,
        m[1, 0] * x + m[1, 1] * y + m[1, 2] * z,
        m[2, 0] * x + m[2, 1] * y + m[2, 2] * z,
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _accelerated(w: Any, alpha: Any, r: Any) -> Any:
    """Return how much a point at ``r`` is accelerated more than the origin."""
    a = _crossed(alpha, r)
    b = _crossed(w, _crossed(w, r))
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _origin(work: Any, f: Any, kind: int, k: int) -> Any:
    """Return where the joint's moved frame has its origin, in the parent's frame."""
    if kind == 1:
        q = load(work, k)
        return f[0, 3] + f[0, 2] * q, f[1, 3] + f[1, 2] * q, f[2, 3] + f[2, 2] * q
    return fill(work, f[0, 3]), fill(work, f[1, 3]), fill(work, f[2, 3])


class Motion(NamedTuple):
    """Joint values, rates and accelerations (batch, joints) of postures."""

    q: Array
    rates: Array
    accelerations: Array


class Inertial(NamedTuple):
    """``gravity`` (3,), and what the links of joints weigh."""

    gravity: Array
    masses: Array
    centers: Array
    inertias: Array


@kernel(fastmath=FASTMATH, counted=False)
def _outward_pass(tree: TreeArrays, inertial: Inertial, work: Any) -> None:
    """Write how each link moves, and the force and moment that this takes."""
    gravity, masses, centers, inertias = inertial
    fixed, kinds, parents = tree.fixed, tree.kinds, tree.parents
    for j in range(kinds.shape[0]):
        k = ROWS * j
        f = fixed[j]
        zero = fill(work, 0.0)
        w = (zero, zero, zero)
        alpha = (zero, zero, zero)
        a = (fill(work, -gravity[0]), fill(work, -gravity[1]), fill(work, -gravity[2]))
        if parents[j] >= 0:
            i = ROWS * parents[j]
            w = _loaded(work, i + 4)
            alpha = _loaded(work, i + 7)
            a = _loaded(work, i + 10)
            more = _accelerated(w, alpha, _origin(work, f, kinds[j], k))
            a = (a[0] + more[0], a[1] + more[1], a[2] + more[2])
        w = _inward(f, w)
        alpha = _inward(f, alpha)
        a = _inward(f, a)
        rate = load(work, k + 2)
        push = load(work, k + 3)
        if kinds[j] == 0:
            s, c = sine_cosine(load(work, k))
            store(work, k, c)
            store(work, k + 1, s)
            w = (c * w[0] + s * w[1], c * w[1] - s * w[0], w[2] + rate)
            alpha = (
                c * alpha[0] + s * alpha[1] + w[1] * rate,
                c * alpha[1] - s * alpha[0] - w[0] * rate,
                alpha[2] + push,
            )
            a = (c * a[0] + s * a[1], c * a[1] - s * a[0], a[2])
        elif kinds[j] == 1:
            twice = 2.0 * rate
            a = (a[0] + twice * w[1], a[1] - twice * w[0], a[2] + push)
        _stored(work, k + 4, w)
        _stored(work, k + 7, alpha)
        _stored(work, k + 10, a)
        r = (fill(work, centers[j, 0]), fill(work, centers[j, 1]), fill(work, centers[j, 2]))
        more = _accelerated(w, alpha, r)
        m = masses[j]
        F = (m * (a[0] + more[0]), m * (a[1] + more[1]), m * (a[2] + more[2]))
        N = _multiplied(inertias[j], alpha)
        turned = _crossed(w, _multiplied(inertias[j], w))
        about = _crossed(r, F)
        _stored(work, k + 13, F)
        N = (N[0] + turned[0] + about[0], N[1] + turned[1] + about[1], N[2] + turned[2] + about[2])
        _stored(work, k + 16, N)


@kernel(fastmath=FASTMATH, counted=False)
def _inward_pass(tree: TreeArrays, work: Any) -> None:
    """Hand forces and moments to the parents; leave the torque of each joint in its row 3."""
    fixed, kinds, parents = tree.fixed, tree.kinds, tree.parents
    for j in range(kinds.shape[0] - 1, -1, -1):
        k = ROWS * j
        F = _loaded(work, k + 13)
        N = _loaded(work, k + 16)
        torque = fill(work, 0.0)
        if kinds[j] == 0:
            torque = N[2]
        elif kinds[j] == 1:
            torque = F[2]
        store(work, k + 3, torque)
        if parents[j] < 0:
            continue
        i = ROWS * parents[j]
        f = fixed[j]
        if kinds[j] == 0:
            c = load(work, k)
            s = load(work, k + 1)
            F = (c * F[0] - s * F[1], s * F[0] + c * F[1], F[2])
            N = (c * N[0] - s * N[1], s * N[0] + c * N[1], N[2])
        F = _multiplied(f, F)
        N = _multiplied(f, N)
        about = _crossed(_origin(work, f, kinds[j], k), F)
        G = _loaded(work, i + 13)
        M = _loaded(work, i + 16)
        _stored(work, i + 13, (G[0] + F[0], G[1] + F[1], G[2] + F[2]))
        M = (M[0] + N[0] + about[0], M[1] + N[1] + about[1], M[2] + N[2] + about[2])
        _stored(work, i + 16, M)


@kernel(fastmath=FASTMATH, counted=False)
def torques(
    tree: TreeArrays,
    motion: Motion,
    inertial: Inertial,
    work: Any,
    out: Array,
    begin: int,
    end: int,
) -> None:
    """Write the torques (batch, joints) of a motion, for postures begin to end.

    ``work`` is a workspace of ``ROWS`` for each joint. Lanes beyond ``end`` repeat the
    last posture.
    """
    joints = tree.kinds.shape[0]
    for first in range(begin, end, LANES_FLOAT64):
        for lane in range(LANES_FLOAT64):
            b = min(first + lane, end - 1)
            for j in range(joints):
                k = ROWS * j
                work[k, lane] = motion.q[b, j]
                work[k + 2, lane] = motion.rates[b, j]
                work[k + 3, lane] = motion.accelerations[b, j]
        _outward_pass(tree, inertial, work)
        _inward_pass(tree, work)
        for lane in range(min(LANES_FLOAT64, end - first)):
            for j in range(joints):
                out[first + lane, j] = work[ROWS * j + 3, lane]
