"""Inverse dynamics of trees by the recursive Newton-Euler algorithm, and its derivatives.

The canonical form of ``articulata.kernels.chains.poses``; vectors in the base frame B, which
stands still. The links' ``masses`` (joints,), ``centers`` (joints, 3) and ``inertias``
(joints, 3, 3) about the centre of mass are written in the moved frames of the joints. What a
load pushes with is given as forces at points of links, as in ``kernels.chains.holding``.

References: Featherstone, Rigid Body Dynamics Algorithms (2008), table 5.1; Singh, Russell,
Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics Using Spatial Vector Algebra
(2022), (23) to (26), with their symbols S, psi, B and I for the derivatives.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.holding import gather, resist
from articulata.kernels.chains.poses import poses_one
from articulata.kernels.compile import kernel

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@kernel
def torques(
    fixed: Array,
    kinds: IntArray,
    parents: IntArray,
    q: Array,
    rates: Array,
    accelerations: Array,
    gravity: Array,
    masses: Array,
    centers: Array,
    inertias: Array,
    carriers: IntArray,
    points: Array,
    forces: Array,
    out: Array,
    begin: int,
    end: int,
) -> None:
    """Write the torques (batch, joints) that give ``accelerations``, for postures begin to end."""
    joints = kinds.shape[0]
    links = np.empty((joints, 3, 4))
    motion = np.empty((joints, 9))
    work = np.empty((joints, 6))
    scratch = np.empty((2, 3))
    for b in range(begin, end):
        poses_one(fixed, kinds, parents, q[b], links)
        for j in range(joints):
            _move(kinds, parents, links, j, rates[b, j], accelerations[b, j], gravity, motion)
            _drive(links[j], motion[j], masses[j], centers[j], inertias[j], scratch, work[j])
        resist(links, carriers, points, forces, work)
        gather(kinds, parents, links, work, out[b])


@kernel
def _move(
    kinds: IntArray,
    parents: IntArray,
    links: Array,
    j: int,
    rate: float,
    acceleration: float,
    gravity: Array,
    motion: Array,
) -> None:
    """Write how link j moves, from how its parent does.

    ``motion`` (joints, 9): angular velocity, angular acceleration, acceleration of its origin less
    that of gravity.
    """
    x = links[j]
    m = motion[j]
    i = parents[j]
    if i < 0:
        for r in range(6):
            m[r] = 0.0
        for r in range(3):
            m[6 + r] = -gravity[r]
    else:
        u = motion[i]
        dx = x[0, 3] - links[i, 0, 3]
        dy = x[1, 3] - links[i, 1, 3]
        dz = x[2, 3] - links[i, 2, 3]
        vx = u[1] * dz - u[2] * dy
        vy = u[2] * dx - u[0] * dz
        vz = u[0] * dy - u[1] * dx
        for r in range(6):
            m[r] = u[r]
        m[6] = u[6] + u[4] * dz - u[5] * dy + u[1] * vz - u[2] * vy
        m[7] = u[7] + u[5] * dx - u[3] * dz + u[2] * vx - u[0] * vz
        m[8] = u[8] + u[3] * dy - u[4] * dx + u[0] * vy - u[1] * vx
    ax = x[0, 2]
    ay = x[1, 2]
    az = x[2, 2]
    # w x a, with the angular velocity of the parent
    cx = m[1] * az - m[2] * ay
    cy = m[2] * ax - m[0] * az
    cz = m[0] * ay - m[1] * ax
    if kinds[j] == 0:
        m[3] += cx * rate + ax * acceleration
        m[4] += cy * rate + ay * acceleration
        m[5] += cz * rate + az * acceleration
        m[0] += ax * rate
        m[1] += ay * rate
        m[2] += az * rate
    elif kinds[j] == 1:
        m[6] += 2.0 * cx * rate + ax * acceleration
        m[7] += 2.0 * cy * rate + ay * acceleration
        m[8] += 2.0 * cz * rate + az * acceleration


@kernel
def _drive(
    x: Array, m: Array, mass: float, c: Array, inertia: Array, scratch: Array, w: Array
) -> None:
    """Write the force and the moment (6,) about its origin that move a link as ``m`` (9,) says."""
    local, turned = scratch[0], scratch[1]
    rx = x[0, 0] * c[0] + x[0, 1] * c[1] + x[0, 2] * c[2]
    ry = x[1, 0] * c[0] + x[1, 1] * c[1] + x[1, 2] * c[2]
    rz = x[2, 0] * c[0] + x[2, 1] * c[1] + x[2, 2] * c[2]
    vx = m[1] * rz - m[2] * ry
    vy = m[2] * rx - m[0] * rz
    vz = m[0] * ry - m[1] * rx
    w[0] = mass * (m[6] + m[4] * rz - m[5] * ry + m[1] * vz - m[2] * vy)
    w[1] = mass * (m[7] + m[5] * rx - m[3] * rz + m[2] * vx - m[0] * vz)
    w[2] = mass * (m[8] + m[3] * ry - m[4] * rx + m[0] * vy - m[1] * vx)
    # I alpha + w x I w, in the link's axes: R (I (R^T alpha) + (R^T w) x I (R^T w))
    wx = x[0, 0] * m[0] + x[1, 0] * m[1] + x[2, 0] * m[2]
    wy = x[0, 1] * m[0] + x[1, 1] * m[1] + x[2, 1] * m[2]
    wz = x[0, 2] * m[0] + x[1, 2] * m[1] + x[2, 2] * m[2]
    for r in range(3):
        local[r] = x[0, r] * m[3] + x[1, r] * m[4] + x[2, r] * m[5]
        turned[r] = inertia[r, 0] * wx + inertia[r, 1] * wy + inertia[r, 2] * wz
    nx = (inertia[0, 0] * local[0] + inertia[0, 1] * local[1] + inertia[0, 2] * local[2]) + (
        wy * turned[2] - wz * turned[1]
    )
    ny = (inertia[1, 0] * local[0] + inertia[1, 1] * local[1] + inertia[1, 2] * local[2]) + (
        wz * turned[0] - wx * turned[2]
    )
    nz = (inertia[2, 0] * local[0] + inertia[2, 1] * local[1] + inertia[2, 2] * local[2]) + (
        wx * turned[1] - wy * turned[0]
    )
    w[3] = x[0, 0] * nx + x[0, 1] * ny + x[0, 2] * nz + ry * w[2] - rz * w[1]
    w[4] = x[1, 0] * nx + x[1, 1] * ny + x[1, 2] * nz + rz * w[0] - rx * w[2]
    w[5] = x[2, 0] * nx + x[2, 1] * ny + x[2, 2] * nz + rx * w[1] - ry * w[0]


@kernel
def _cross_motion(v: Array, u: Array, out: Array) -> None:
    """Write v x u of two motions (angular, linear), (6,) each."""
    out[0] = v[1] * u[2] - v[2] * u[1]
    out[1] = v[2] * u[0] - v[0] * u[2]
    out[2] = v[0] * u[1] - v[1] * u[0]
    out[3] = v[1] * u[5] - v[2] * u[4] + v[4] * u[2] - v[5] * u[1]
    out[4] = v[2] * u[3] - v[0] * u[5] + v[5] * u[0] - v[3] * u[2]
    out[5] = v[0] * u[4] - v[1] * u[3] + v[3] * u[1] - v[4] * u[0]


@kernel
def _cross_force(v: Array, f: Array, out: Array) -> None:
    """Write v x* f of a motion and a force (moment, force), (6,) each."""
    out[0] = v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4]
    out[1] = v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5]
    out[2] = v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3]
    out[3] = v[1] * f[5] - v[2] * f[4]
    out[4] = v[2] * f[3] - v[0] * f[5]
    out[5] = v[0] * f[4] - v[1] * f[3]


@kernel
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


@kernel
def _spatial_inertia(
    x: Array,
    p0: float,
    p1: float,
    p2: float,
    mass: float,
    center: Array,
    inertia: Array,
    I_c: Array,
) -> None:
    """Write the inertia (6, 6) in B about (p0, p1, p2) of a link with frame ``x`` (3, 4)."""
    rx = x[0, 0] * center[0] + x[0, 1] * center[1] + x[0, 2] * center[2] + x[0, 3] - p0
    ry = x[1, 0] * center[0] + x[1, 1] * center[1] + x[1, 2] * center[2] + x[1, 3] - p1
    rz = x[2, 0] * center[0] + x[2, 1] * center[1] + x[2, 2] * center[2] + x[2, 3] - p2
    for r in range(3):
        for c in range(3):
            total = 0.0
            for k in range(3):
                for n in range(3):
                    total += x[r, k] * inertia[k, n] * x[c, n]
            I_c[r, c] = total
            I_c[3 + r, 3 + c] = mass if r == c else 0.0
    square = rx * rx + ry * ry + rz * rz
    I_c[0, 0] += mass * (square - rx * rx)
    I_c[1, 1] += mass * (square - ry * ry)
    I_c[2, 2] += mass * (square - rz * rz)
    I_c[0, 1] -= mass * rx * ry
    I_c[1, 0] -= mass * rx * ry
    I_c[0, 2] -= mass * rx * rz
    I_c[2, 0] -= mass * rx * rz
    I_c[1, 2] -= mass * ry * rz
    I_c[2, 1] -= mass * ry * rz
    for r in range(3):
        for c in range(3):
            I_c[r, 3 + c] = 0.0
    I_c[0, 4] = -mass * rz
    I_c[0, 5] = mass * ry
    I_c[1, 3] = mass * rz
    I_c[1, 5] = -mass * rx
    I_c[2, 3] = -mass * ry
    I_c[2, 4] = mass * rx
    for r in range(3):
        for c in range(3):
            I_c[3 + c, r] = I_c[r, 3 + c]


@kernel
def derivatives(
    fixed: Array,
    kinds: IntArray,
    parents: IntArray,
    q: Array,
    rates: Array,
    accelerations: Array,
    gravity: Array,
    masses: Array,
    centers: Array,
    inertias: Array,
    by_q: Array,
    by_rates: Array,
    mass_matrix: Array,
    begin: int,
    end: int,
) -> None:
    """Write d tau / d q, d tau / d rates and d tau / d accelerations, (batch, joints, joints) each.

    Without pushes: their part is ``holding_gradient``. Motions are taken about the origin of the
    first joint's frame.
    """
    joints = kinds.shape[0]
    links = np.empty((joints, 3, 4))
    S = np.zeros((joints, 6))
    v = np.zeros((joints, 6))
    a = np.zeros((joints, 6))
    psi_1 = np.zeros((joints, 6))  # psi dot: S as it turns with the parent
    psi_2 = np.zeros((joints, 6))  # psi dot dot
    S_1 = np.zeros((joints, 6))  # S dot
    I_c = np.empty((joints, 6, 6))
    B = np.empty((joints, 6, 6))
    f = np.zeros((joints, 6))
    still = np.zeros(6)
    t1 = np.empty(6)
    t2 = np.empty(6)
    unit = np.zeros(6)
    for b in range(begin, end):
        poses_one(fixed, kinds, parents, q[b], links)
        p0 = links[0, 0, 3]
        p1 = links[0, 1, 3]
        p2 = links[0, 2, 3]
        for j in range(joints):
            x = links[j]
            for r in range(6):
                S[j, r] = 0.0
            if kinds[j] == 0:
                ox = x[0, 3] - p0
                oy = x[1, 3] - p1
                oz = x[2, 3] - p2
                S[j, 0] = x[0, 2]
                S[j, 1] = x[1, 2]
                S[j, 2] = x[2, 2]
                S[j, 3] = oy * x[2, 2] - oz * x[1, 2]
                S[j, 4] = oz * x[0, 2] - ox * x[2, 2]
                S[j, 5] = ox * x[1, 2] - oy * x[0, 2]
            elif kinds[j] == 1:
                S[j, 3] = x[0, 2]
                S[j, 4] = x[1, 2]
                S[j, 5] = x[2, 2]
            i = parents[j]
            if i < 0:
                for r in range(6):
                    v[j, r] = 0.0
                    a[j, r] = 0.0
                for r in range(3):
                    a[j, 3 + r] = -gravity[r]
            else:
                for r in range(6):
                    v[j, r] = v[i, r]
                    a[j, r] = a[i, r]
            _cross_motion(v[j], S[j], psi_1[j])
            _cross_motion(a[j], S[j], psi_2[j])
            _cross_motion(v[j], psi_1[j], t1)
            for r in range(6):
                psi_2[j, r] += t1[r]
                a[j, r] += psi_1[j, r] * rates[b, j] + S[j, r] * accelerations[b, j]
                v[j, r] += S[j, r] * rates[b, j]
            _cross_motion(v[j], S[j], S_1[j])
            _spatial_inertia(x, p0, p1, p2, masses[j], centers[j], inertias[j], I_c[j])
            # f = I a + v x* I v;  B = v x* I - I v x + (I v) x-bar*
            _multiplied(I_c[j], v[j], t1)
            _cross_force(v[j], t1, t2)
            _multiplied(I_c[j], a[j], f[j])
            for r in range(6):
                f[j, r] += t2[r]
            for c in range(6):
                unit[c] = 1.0
                _cross_force(v[j], I_c[j, c], t2)  # I is symmetric: its row is its column
                for r in range(6):
                    B[j, r, c] = t2[r]
                _cross_motion(v[j], unit, still)
                _multiplied(I_c[j], still, t2)
                for r in range(6):
                    B[j, r, c] -= t2[r]
                _cross_force(unit, t1, t2)
                for r in range(6):
                    B[j, r, c] += t2[r]
                unit[c] = 0.0
        for j in range(joints):
            for i in range(joints):
                by_q[b, j, i] = 0.0
                by_rates[b, j, i] = 0.0
                mass_matrix[b, j, i] = 0.0
        for i in range(joints - 1, -1, -1):
            _derivatives_below(
                i, kinds, parents, S, S_1, psi_1, psi_2, I_c[i], B[i], f[i], t1, t2,
                by_q[b], by_rates[b], mass_matrix[b],
            )  # fmt: skip
            k = parents[i]
            if k >= 0:
                for r in range(6):
                    f[k, r] += f[i, r]
                    for c in range(6):
                        I_c[k, r, c] += I_c[i, r, c]
                        B[k, r, c] += B[i, r, c]


@kernel
def _derivatives_below(
    i: int,
    kinds: IntArray,
    parents: IntArray,
    S: Array,
    S_1: Array,
    psi_1: Array,
    psi_2: Array,
    I_c: Array,
    B: Array,
    f: Array,
    t1: Array,
    t2: Array,
    by_q: Array,
    by_rates: Array,
    mass_matrix: Array,
) -> None:
    """Write what joint ``i`` and each joint j that carries it have in common.

    ``I``, ``B`` (6, 6) and ``f`` (6,) are sums over all links that joint i carries.
    """
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
