"""Forces at rest in trees: torques that hold a posture, their gradient, centres of mass.

The canonical form of ``articulata.kernels.chains.forward_kinematics``; all vectors in the base
frame B. Forces keep their direction in B while the figure moves: weights, and pushes given in B.
Each acts at a point (3,) of the moved frame of a joint. ``tau`` are what the joints exert against
them, rad and m: N m about a turning joint, N along a sliding one.

Moments are taken about the origin of each joint's frame and carried to its parent, so that a
figure far from the origin of B loses no digits.

Besides, how far a point lies within the polygon that supports it, in the plane of the floor: the
convex hull of up to some dozen points, which may coincide or lie on a line.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.forward_kinematics import TreeArrays, poses_one
from articulata.kernels.chains.rigid_motions import rotated
from articulata.kernels.compile import kernel

Loads = tuple[IntArray, Array, Array]
"""The joints that carry forces (n,), the points (n, 3) where these act, and the forces (n, 3)."""


@kernel(counted=False)
def resist(links: Array, carriers: IntArray, points: Array, forces: Array, work: Array) -> None:
    """Add to ``work`` (joints, 6) what holds ``forces`` (n, 3) at ``points`` of ``carriers``.

    Of each joint the force and the moment about the origin of its frame; ``links`` (joints, 3, 4)
    are X_BL.
    """
    for k in range(carriers.shape[0]):
        x = links[carriers[k]]
        w = work[carriers[k]]
        p = points[k]
        rx, ry, rz = rotated(x, (p[0], p[1], p[2]))
        fx = forces[k, 0]
        fy = forces[k, 1]
        fz = forces[k, 2]
        w[0] -= fx
        w[1] -= fy
        w[2] -= fz
        w[3] -= ry * fz - rz * fy
        w[4] -= rz * fx - rx * fz
        w[5] -= rx * fy - ry * fx


@kernel(counted=False)
def gather(tree: TreeArrays, links: Array, work: Array, out: Array) -> None:
    """Write the torques (joints,) of joints that bear ``work`` (joints, 6) and all they carry."""
    kinds, parents = tree.kinds, tree.parents
    for j in range(kinds.shape[0] - 1, -1, -1):
        x = links[j]
        w = work[j]
        if kinds[j] == 0:
            out[j] = x[0, 2] * w[3] + x[1, 2] * w[4] + x[2, 2] * w[5]
        elif kinds[j] == 1:
            out[j] = x[0, 2] * w[0] + x[1, 2] * w[1] + x[2, 2] * w[2]
        else:
            out[j] = 0.0
        i = parents[j]
        if i >= 0:
            u = work[i]
            dx = x[0, 3] - links[i, 0, 3]
            dy = x[1, 3] - links[i, 1, 3]
            dz = x[2, 3] - links[i, 2, 3]
            u[0] += w[0]
            u[1] += w[1]
            u[2] += w[2]
            u[3] += w[3] + dy * w[2] - dz * w[1]
            u[4] += w[4] + dz * w[0] - dx * w[2]
            u[5] += w[5] + dx * w[1] - dy * w[0]


@kernel
def holding(tree: TreeArrays, q: Array, loads: Loads, out: Array, begin: int, end: int) -> None:
    """Write the holding torques of postures ``begin`` to ``end``: q, out (batch, joints)."""
    carriers, points, forces = loads
    joints = tree.kinds.shape[0]
    links = np.empty((joints, 3, 4))
    work = np.empty((joints, 6))
    for b in range(begin, end):
        poses_one(tree, q[b], links)
        work[:] = 0.0
        resist(links, carriers, points, forces, work)
        gather(tree, links, work, out[b])


Scratch = tuple[Array, Array, Array]
"""Memory of a kernel."""


@kernel(counted=False)
def gradient_one(tree: TreeArrays, q: Array, loads: Loads, scratch: Scratch, out: Array) -> None:
    """Write d tau_i / d q_j (joints, joints) of a posture (joints,).

    With r from the origin of joint j, the deeper one, to a point that carries a force f, two
    turning joints about a_i and a_j have f . (a_i x (a_j x r)), summed as
    a_i^T T a_j - tr(T) a_i . a_j over T = sum r f^T. The forces have a potential: the matrix is
    symmetric.
    """
    _, kinds, parents = tree
    carriers, points, forces = loads
    links, total, first = scratch
    joints = kinds.shape[0]
    poses_one(tree, q, links)
    for j in range(kinds.shape[0]):
        for r in range(3):
            total[j, r] = 0.0
            for c in range(3):
                first[j, r, c] = 0.0
    for k in range(carriers.shape[0]):
        j = carriers[k]
        arm = rotated(links[j], (points[k, 0], points[k, 1], points[k, 2]))
        for r in range(3):
            total[j, r] += forces[k, r]
            for c in range(3):
                first[j, r, c] += arm[r] * forces[k, c]
    for j in range(joints - 1, -1, -1):
        i = parents[j]
        if i >= 0:
            for r in range(3):
                away = links[j, r, 3] - links[i, r, 3]
                for c in range(3):
                    first[i, r, c] += first[j, r, c] + away * total[j, c]
                total[i, r] += total[j, r]
    for i in range(joints):
        for j in range(joints):
            out[i, j] = 0.0
    for j in range(joints):
        if kinds[j] == 2:
            continue
        ax = links[j, 0, 2]
        ay = links[j, 1, 2]
        az = links[j, 2, 2]
        T = first[j]
        if kinds[j] == 0:
            trace = T[0, 0] + T[1, 1] + T[2, 2]
            hx = T[0, 0] * ax + T[0, 1] * ay + T[0, 2] * az - trace * ax
            hy = T[1, 0] * ax + T[1, 1] * ay + T[1, 2] * az - trace * ay
            hz = T[2, 0] * ax + T[2, 1] * ay + T[2, 2] * az - trace * az
        else:
            f = total[j]
            hx = ay * f[2] - az * f[1]
            hy = az * f[0] - ax * f[2]
            hz = ax * f[1] - ay * f[0]
        i = j
        while i >= 0:
            if kinds[i] == 0 and not (i == j and kinds[j] == 1):
                value = -(links[i, 0, 2] * hx + links[i, 1, 2] * hy + links[i, 2, 2] * hz)
                out[i, j] = value
                out[j, i] = value
            i = parents[i]


@kernel
def holding_gradient(
    tree: TreeArrays, q: Array, loads: Loads, out: Array, begin: int, end: int
) -> None:
    """Write ``gradient_one`` of postures ``begin`` to ``end``: out (batch, joints, joints)."""
    joints = len(tree.kinds)
    scratch = np.empty((joints, 3, 4)), np.empty((joints, 3)), np.empty((joints, 3, 3))
    for b in range(begin, end):
        gradient_one(tree, q[b], loads, scratch, out[b])


@kernel(counted=False)
def center_one(
    tree: TreeArrays, q: Array, masses: Array, points: Array, scratch: Scratch, out: Array, J: Array
) -> None:
    """Write sum(m p) (3,) of a posture (joints,) and its Jacobian J (3, joints)."""
    _, kinds, parents = tree
    links, mass, moment = scratch
    joints = kinds.shape[0]
    poses_one(tree, q, links)
    for r in range(3):
        out[r] = 0.0
    for j in range(joints):
        mass[j] = masses[j]
        arm = rotated(links[j], (points[j, 0], points[j, 1], points[j, 2]))
        for r in range(3):
            moment[j, r] = masses[j] * arm[r]
            out[r] += masses[j] * (links[j, r, 3] + arm[r])
    for j in range(joints - 1, -1, -1):
        ax = links[j, 0, 2]
        ay = links[j, 1, 2]
        az = links[j, 2, 2]
        s = moment[j]
        J[0, j] = 0.0
        J[1, j] = 0.0
        J[2, j] = 0.0
        if kinds[j] == 0:
            J[0, j] = ay * s[2] - az * s[1]
            J[1, j] = az * s[0] - ax * s[2]
            J[2, j] = ax * s[1] - ay * s[0]
        elif kinds[j] == 1:
            J[0, j] = mass[j] * ax
            J[1, j] = mass[j] * ay
            J[2, j] = mass[j] * az
        i = parents[j]
        if i >= 0:
            for r in range(3):
                moment[i, r] += s[r] + mass[j] * (links[j, r, 3] - links[i, r, 3])
            mass[i] += mass[j]


@kernel
def centers(
    tree: TreeArrays,
    q: Array,
    bodies: tuple[Array, Array],
    found: tuple[Array, Array],
    first: int,
    end: int,
) -> None:
    """Write sum(m p) (batch, 3) and its Jacobian (batch, 3, joints), ``found``, of postures.

    ``bodies``: masses (joints,) and centres of mass (joints, 3) in the moved frames of the joints.
    """
    joints = len(tree.kinds)
    scratch = np.empty((joints, 3, 4)), np.empty(joints), np.empty((joints, 3))
    for b in range(first, end):
        center_one(tree, q[b], bodies[0], bodies[1], scratch, found[0][b], found[1][b])


@kernel(counted=False)
def margins(centers: Array, points: Array, out: Array, weights: Array, normals: Array) -> None:
    """Write the signed distance (batch,) of ``centers`` (batch, 2) to the hull of ``points``.

    ``points`` are (batch, n, 2). Positive inside, negative outside. ``weights`` (batch, n) write
    the nearest place of the hull's edge as a mean of the points, ``normals`` (batch, 2) the unit
    direction in which the distance grows: its change is ``normals . (d center - sum weights d p)``.
    """
    count = points.shape[1]
    for b in range(centers.shape[0]):
        cx = centers[b, 0]
        cy = centers[b, 1]
        inside = True
        wide = False
        depth = math.inf
        within_i = 0
        within_j = 0
        near = math.inf
        near_i = 0
        near_j = 0
        near_t = 0.0
        for k in range(count):
            weights[b, k] = 0.0
        for i in range(count):
            for j in range(count):
                px = points[b, i, 0]
                py = points[b, i, 1]
                ex = points[b, j, 0] - px
                ey = points[b, j, 1] - py
                length = math.hypot(ex, ey)
                t = 0.0
                if length > 0.0:
                    t = ((cx - px) * ex + (cy - py) * ey) / (length * length)
                    t = min(max(t, 0.0), 1.0)
                away = math.hypot(cx - px - t * ex, cy - py - t * ey)
                if away < near:
                    near = away
                    near_i = i
                    near_j = j
                    near_t = t
                if length == 0.0:
                    continue
                edge = True
                side = 0.0
                for k in range(count):
                    left = ex * (points[b, k, 1] - py) - ey * (points[b, k, 0] - px)
                    # what rounding leaves of a point on the line itself
                    if left < -1e-14 * length * (length + abs(px) + abs(py)):
                        edge = False
                        break
                    side = max(side, left / length)
                if not edge:
                    continue
                wide = wide or side > 1e-12 * length
                height = (ex * (cy - py) - ey * (cx - px)) / length
                if height < 0.0:
                    inside = False
                elif height < depth:
                    depth = height
                    within_i = i
                    within_j = j
        if inside and wide:
            px = points[b, within_i, 0]
            py = points[b, within_i, 1]
            ex = points[b, within_j, 0] - px
            ey = points[b, within_j, 1] - py
            length = math.hypot(ex, ey)
            t = ((cx - px) * ex + (cy - py) * ey) / (length * length)
            out[b] = depth
            normals[b, 0] = -ey / length
            normals[b, 1] = ex / length
            weights[b, within_i] += 1.0 - t
            weights[b, within_j] += t
            continue
        out[b] = -near
        weights[b, near_i] += 1.0 - near_t
        weights[b, near_j] += near_t
        px = points[b, near_i, 0]
        py = points[b, near_i, 1]
        nx = px + near_t * (points[b, near_j, 0] - px) - cx
        ny = py + near_t * (points[b, near_j, 1] - py) - cy
        if near > 0.0:
            normals[b, 0] = nx / near
            normals[b, 1] = ny / near
        else:
            normals[b, 0] = 0.0
            normals[b, 1] = 0.0
