"""Derivatives of the inverse dynamics of trees.

The canonical form of ``articulata.kernels.chains.forward_kinematics``; vectors in the base frame B,
which stands still. The links' ``masses`` (joints,), ``centers`` (joints, 3) and ``inertias``
(joints, 3, 3) about the centre of mass are written in the moved frames of the joints.

Reference: Singh, Russell, Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics Using
Spatial Vector Algebra (2022), (23) to (26), with their symbols S, psi, B and I.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.chains.dynamics.newton_euler import Inertial, Motion
from articulata.kernels.chains.forward_kinematics import TreeArrays, poses_one
from articulata.kernels.chains.rigid_motions import rotated
from articulata.kernels.compile import kernel


@kernel(counted=False)
def _cross_motion(v: Array, u: Array, out: Array) -> None:
    """Write v x u of two motions (angular, linear), (6,) each."""
    out[0] = v[1] * u[2] - v[2] * u[1]
    out[1] = v[2] * u[0] - v[0] * u[2]
    out[2] = v[0] * u[1] - v[1] * u[0]
    out[3] = v[1] * u[5] - v[2] * u[4] + v[4] * u[2] - v[5] * u[1]
    out[4] = v[2] * u[3] - v[0] * u[5] + v[5] * u[0] - v[3] * u[2]
    out[5] = v[0] * u[4] - v[1] * u[3] + v[3] * u[1] - v[4] * u[0]


@kernel(counted=False)
def _cross_force(v: Array, f: Array, out: Array) -> None:
    """Write v x* f of a motion and a force (moment, force), (6,) each."""
    out[0] = v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4]
    out[1] = v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5]
    out[2] = v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3]
    out[3] = v[1] * f[5] - v[2] * f[4]
    out[4] = v[2] * f[3] - v[0] * f[5]
    out[5] = v[0] * f[4] - v[1] * f[3]


@kernel(counted=False)
def _multiplied(A: Array, u: Array, out: Array) -> None:
    for r in range(6):
        out[r] = (
            A[r, 0] * u[0]
            + A[r, 1] * u[1]
            + A[r, 2] * u[2]
            + A[r, 3] * u[3]
            + A[r, 4] * u[4]
            + A[r, 5] * u[5]
        )


@kernel(counted=False)
def _spatial_inertia(
    x: Array, origin: Array, mass: float, center: Array, inertia: Array, I_c: Array
) -> None:
    """Write the inertia (6, 6) in B of a link with frame ``x`` about another frame's origin."""
    rx, ry, rz = rotated(x, (center[0], center[1], center[2]))
    arm = (rx + x[0, 3] - origin[0, 3], ry + x[1, 3] - origin[1, 3], rz + x[2, 3] - origin[2, 3])
    square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    for r in range(3):
        for c in range(3):
            total = -mass * arm[r] * arm[c]
            for k in range(3):
                for n in range(3):
                    total += x[r, k] * inertia[k, n] * x[c, n]
            I_c[r, c] = total + mass * square if r == c else total
            I_c[3 + r, 3 + c] = mass if r == c else 0.0
        I_c[r, 3 + r] = I_c[3 + r, r] = 0.0
        a = (r + 1) % 3
        b = (r + 2) % 3
        I_c[a, 3 + b] = I_c[3 + b, a] = -mass * arm[r]
        I_c[b, 3 + a] = I_c[3 + a, b] = mass * arm[r]


class Slopes(NamedTuple):
    """Derivatives of torques (batch, joints, joints) by values, rates and accelerations."""

    by_q: Array
    by_rates: Array
    mass_matrix: Array


class Twists(NamedTuple):
    """Motions of joints (joints, 6): S, S dot, and psi dot and psi dot dot.

    psi dot is S as it turns with the parent.
    """

    S: Array
    S_1: Array
    psi_1: Array
    psi_2: Array


@kernel
def derivatives(
    tree: TreeArrays,
    motion: Motion,
    inertial: Inertial,
    out: Slopes,
    begin: int,
    end: int,
) -> None:
    """Write d tau / d q, d tau / d rates and d tau / d accelerations, (batch, joints, joints) each.

    Without pushes: their part is ``holding_gradient``. Motions are taken about the origin of the
    first joint's frame.
    """
    _, kinds, parents = tree
    gravity, masses, centers, inertias = inertial
    q, rates, accelerations = motion
    joints = kinds.shape[0]
    links = np.empty((joints, 3, 4))
    S, S_1 = np.zeros((joints, 6)), np.zeros((joints, 6))
    psi_1, psi_2 = np.zeros((joints, 6)), np.zeros((joints, 6))
    twists = Twists(S, S_1, psi_1, psi_2)
    v = np.zeros((joints, 6))
    a = np.zeros((joints, 6))
    I_c = np.empty((joints, 6, 6))
    B = np.empty((joints, 6, 6))
    f = np.zeros((joints, 6))
    room = np.zeros((4, 6))
    for b in range(begin, end):
        poses_one(tree, q[b], links)
        slopes = Slopes(out.by_q[b], out.by_rates[b], out.mass_matrix[b])
        slopes.by_q[:] = 0.0
        slopes.by_rates[:] = 0.0
        slopes.mass_matrix[:] = 0.0
        for j in range(joints):
            _axis(kinds[j], links[j], links[0], S[j])
            i = parents[j]
            for r in range(6):
                v[j, r] = v[i, r] if i >= 0 else 0.0
                a[j, r] = a[i, r] if i >= 0 else (-gravity[r - 3] if r >= 3 else 0.0)
            _cross_motion(v[j], S[j], psi_1[j])
            _cross_motion(a[j], S[j], psi_2[j])
            _cross_motion(v[j], psi_1[j], room[0])
            for r in range(6):
                psi_2[j, r] += room[0, r]
                a[j, r] += psi_1[j, r] * rates[b, j] + S[j, r] * accelerations[b, j]
                v[j, r] += S[j, r] * rates[b, j]
            _cross_motion(v[j], S[j], S_1[j])
            _spatial_inertia(links[j], links[0], masses[j], centers[j], inertias[j], I_c[j])
            _momentum(I_c[j], v[j], a[j], f[j], B[j], room)
        for i in range(joints - 1, -1, -1):
            _derivatives_below(i, tree, twists, (I_c[i], B[i], f[i]), room, slopes)
            k = parents[i]
            if k >= 0:
                for r in range(6):
                    f[k, r] += f[i, r]
                    for c in range(6):
                        I_c[k, r, c] += I_c[i, r, c]
                        B[k, r, c] += B[i, r, c]


@kernel(counted=False)
def _axis(kind: int, x: Array, origin: Array, S: Array) -> None:
    """Write the motion (6,) of a joint with frame ``x`` about the origin of another frame."""
    for r in range(3):
        a = (r + 1) % 3
        b = (r + 2) % 3
        S[r] = x[r, 2] if kind == 0 else 0.0
        S[3 + r] = x[r, 2] if kind == 1 else 0.0
        if kind == 0:
            S[3 + r] = (x[a, 3] - origin[a, 3]) * x[b, 2] - (x[b, 3] - origin[b, 3]) * x[a, 2]


@kernel(counted=False)
def _momentum(I_c: Array, v: Array, a: Array, f: Array, B: Array, room: Array) -> None:
    """Write the force f = I a + v x* I v and B = v x* I - I v x + (I v) x-bar* of one link."""
    carried, forced, moved, unit = room[0], room[1], room[2], room[3]
    _multiplied(I_c, v, carried)
    _cross_force(v, carried, forced)
    _multiplied(I_c, a, f)
    for r in range(6):
        f[r] += forced[r]
        unit[r] = 0.0
    for c in range(6):
        unit[c] = 1.0
        _cross_force(v, I_c[c], forced)  # I is symmetric: its row is its column
        for r in range(6):
            B[r, c] = forced[r]
        _cross_motion(v, unit, moved)
        _multiplied(I_c, moved, forced)
        for r in range(6):
            B[r, c] -= forced[r]
        _cross_force(unit, carried, forced)
        for r in range(6):
            B[r, c] += forced[r]
        unit[c] = 0.0


@kernel
def _derivatives_below(
    i: int,
    tree: TreeArrays,
    twists: Twists,
    carried: tuple[Array, Array, Array],
    room: Array,
    out: Slopes,
) -> None:
    """Write what joint ``i`` and each joint j that carries it have in common.

    ``carried`` are ``I``, ``B`` (6, 6) and ``f`` (6,), sums over all links that joint i carries.
    """
    _, kinds, parents = tree
    S, S_1, psi_1, psi_2 = twists
    I_c, B, f = carried
    by_q, by_rates, mass_matrix = out
    t1, t2 = room[0], room[1]
    if kinds[i] == 2:
        return
    up_q = np.empty(6)
    up_v = np.empty(6)
    up_a = np.empty(6)
    left_I = np.empty(6)
    left_B = np.empty(6)
    _multiplied(I_c, S[i], up_a)
    _multiplied(B, psi_1[i], up_q)
    _multiplied(I_c, psi_2[i], t1)
    _cross_force(S[i], f, t2)
    for r in range(6):
        up_q[r] += t1[r] + t2[r]
    _multiplied(B, S[i], up_v)
    for r in range(6):
        t1[r] = psi_1[i, r] + S_1[i, r]
    _multiplied(I_c, t1, t2)
    for r in range(6):
        up_v[r] += t2[r]
        left_I[r] = up_a[r]
        left_B[r] = 0.0
    for r in range(6):
        for c in range(6):
            left_B[c] += S[i, r] * B[r, c]
    j = i
    while j >= 0:
        if kinds[j] != 2:
            mine = 0.0
            its = 0.0
            mine_v = 0.0
            its_v = 0.0
            shared = 0.0
            for r in range(6):
                mine += left_B[r] * psi_1[j, r] + left_I[r] * psi_2[j, r]
                mine_v += left_B[r] * S[j, r] + left_I[r] * (psi_1[j, r] + S_1[j, r])
                its += S[j, r] * up_q[r]
                its_v += S[j, r] * up_v[r]
                shared += S[j, r] * up_a[r]
            by_q[i, j] = mine
            by_rates[i, j] = mine_v
            mass_matrix[i, j] = shared
            mass_matrix[j, i] = shared
            if j != i:
                by_q[j, i] = its
                by_rates[j, i] = its_v
        j = parents[j]
