"""Kernel of ``meeting_axes_6r``: six turning joints of which three neighbours meet in one point.

The arm and its pose close a loop. It is read from behind the three joints that meet, so that their
point S is carried by the other three alone: ``Rz(a) g0 Rz(b) g1 Rz(c) p = P`` with p and P known
(Pieper, The kinematics of manipulators under computer control, 1968). The height of P and its
distance are two equations that are linear in cos b and sin b, with coefficients linear in cos c
and sin c. Angle b is eliminated and c is a root of a quartic on the circle; where axes a and b meet
or are parallel there is a quicker way (``meeting_axes_6r_lanes``). The orientation then gives the
three that meet, in two ways.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.closed_forms.trigonometric_roots import circle_roots
from articulata.kernels.chains.rigid_motions import (
    inverted,
    product,
    rotated,
    rotated_back,
    same_motion,
    scaled_pose,
    turned_behind,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import FASTMATH, load, store


@kernel(counted=False)
def close_loop(
    parts: Any, where: Any, pose: Any, value: float, side: float, g: Any, room: Any
) -> None:
    """Write the links of a loop that depend on the pose and on the joint that is given.

    ``where`` (3,): the link that holds the pose, that of the given joint (-1: none) and the kind:
    0 apart, 1 the joint before the pose, 2 behind it. ``parts`` (4, 3, 4): what stands on both
    sides of the pose and of the joint. A ``side`` of -1: the loop is read backwards.
    """
    if side > 0.0:
        inverted(pose, room[0])
    else:
        same_motion(pose, room[0])
    product(parts[0], room[0], room[1])
    product(room[1], parts[1], room[0])
    if where[1] < 0:
        same_motion(room[0], g[where[0]])
    elif where[2] == 0:
        same_motion(room[0], g[where[0]])
        turned_behind(parts[2], side * value, parts[3], g[where[1]])
    elif where[2] == 1:
        turned_behind(parts[2], side * value, room[0], g[where[0]])
    else:
        turned_behind(room[0], side * value, parts[3], g[where[0]])


@kernel(fastmath=FASTMATH)
def _dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(fastmath=FASTMATH)
def _turned(t: Any, x: float, y: float) -> Any:
    """Return a point of the plane turned by an angle, given as (cosine, sine)."""
    return t[0] * x - t[1] * y, t[1] * x + t[0] * y


@kernel(fastmath=FASTMATH)
def _turned_back(t: Any, x: float, y: float) -> Any:
    return t[0] * x + t[1] * y, t[0] * y - t[1] * x


@kernel(fastmath=FASTMATH)
def _unit(x: float, y: float, least: float) -> Any:
    """Return the direction of a point of the plane, (1, 0) where it is within ``least``."""
    size = math.sqrt(x * x + y * y)
    if size > least:
        return x / size, y / size
    return 1.0, 0.0


@kernel(fastmath=FASTMATH)
def _two_angles(x: float, y: float, right: float, slack: float) -> Any:
    """Return whether there are angles t with ``x cos t + y sin t = right``, and both.

    As (cosine, sine); a cosine may pass 1 by ``slack`` and is taken for it.
    """
    size = math.sqrt(x * x + y * y)
    if abs(right) > size * (1.0 + slack) or not size > 0.0:
        return False, (1.0, 0.0), (1.0, 0.0)
    c = min(max(right / size, -1.0), 1.0)
    s = math.sqrt(max((size - right) * (size + right), 0.0)) / size
    toward = (x / size, y / size)
    return True, _turned(toward, c, s), _turned(toward, c, -s)


@kernel(fastmath=FASTMATH, counted=False)
def _equations(g: Any, height: float, front: Any) -> Any:
    """Return the equations that the common point S gives: f, k, l, u and v.

    f = g1 Rz(c) p is S behind joint b; each of its coordinates, and k and l, goes with 1, cos c and
    sin c. The height of S over joint a is ``u . Rz(b) f = k`` and its distance ``v . Rz(b) f = l``
    in the plane across joint b. ``height`` of S on its first axis, ``front``: S before joint a.
    """
    g0, g1, g2 = g[0], g[1], g[2]
    p = (
        g2[0, 2] * height + g2[0, 3],
        g2[1, 2] * height + g2[1, 3],
        g2[2, 2] * height + g2[2, 3],
    )
    shift = (g1[0, 3], g1[1, 3], g1[2, 3])
    base = (g0[0, 3], g0[1, 3], g0[2, 3])
    f0 = rotated(g1, (0.0, 0.0, p[2]))
    f0 = (f0[0] + shift[0], f0[1] + shift[1], f0[2] + shift[2])
    fc = rotated(g1, (p[0], p[1], 0.0))
    fs = rotated(g1, (-p[1], p[0], 0.0))
    v = rotated_back(g0, base)
    uz, vz = g0[2, 2], v[2]
    far = _dot(front, front) - _dot(base, base)
    near = _dot(p, p) - _dot(shift, shift) + 2.0 * _dot(shift, f0)
    k = (front[2] - base[2] - uz * f0[2], -uz * fc[2], -uz * fs[2])
    other = (
        0.5 * (far - near) - vz * f0[2],
        -_dot(shift, fc) - vz * fc[2],
        -_dot(shift, fs) - vz * fs[2],
    )
    f = ((f0[0], fc[0], fs[0]), (f0[1], fc[1], fs[1]), (f0[2], fc[2], fs[2]))
    return f, k, other, (g0[2, 0], g0[2, 1]), (v[0], v[1])


@kernel(counted=False)
def _quartic(
    f: Any, k: Any, other: Any, u: Any, v: Any, slack: float, series: Any, roots: Any
) -> int:
    """Write the angles c, as points of the circle, at which both equations hold for some b.

    Roots off the circle by less than ``slack`` count: double roots are torn apart by rounding.
    Returned is how many there are. ``series`` (2, 5) gets the coefficients of z = exp(i c).
    """
    det = u[0] * v[1] - u[1] * v[0]
    # Rz(b) f must be (x, y) in the plane: |x|^2 + |y|^2 is |f|^2 there
    x = (
        (v[1] * k[0] - u[1] * other[0]) / det,
        (v[1] * k[1] - u[1] * other[1]) / det,
        (v[1] * k[2] - u[1] * other[2]) / det,
    )
    y = (
        (u[0] * other[0] - v[0] * k[0]) / det,
        (u[0] * other[1] - v[0] * k[1]) / det,
        (u[0] * other[2] - v[0] * k[2]) / det,
    )
    squares = (x, y, f[0], f[1])
    a0, a1, b1, a2, b2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for part in range(4):
        sign = 1.0 if part < 2 else -1.0
        one, c, s = squares[part]
        a0 += sign * (one * one + 0.5 * (c * c + s * s))
        a1 += sign * one * c
        b1 += sign * one * s
        a2 += sign * 0.25 * (c * c - s * s)
        b2 += sign * 0.5 * c * s
    first, second = math.sqrt(a1 * a1 + b1 * b1), math.sqrt(a2 * a2 + b2 * b2)
    most = max(abs(a0), first, second)
    low, count = 0, 4
    if not second > 1e-14 * most:
        low, count = 1, 2
        if not first > 1e-14 * most:
            return 0
    series[0, 2], series[1, 2] = a0 / most, 0.0
    series[0, 3], series[1, 3] = a1 / most, -b1 / most
    series[0, 4], series[1, 4] = a2 / most, -b2 / most
    for i in range(2):
        series[0, i], series[1, i] = series[0, 4 - i], -series[1, 4 - i]
    circle_roots(series, low, count, roots)
    kept = 0
    for i in range(count):
        c, s = roots[0, i], roots[1, i]
        size = math.sqrt(c * c + s * s)
        if size > 0.0 and abs(math.log(size)) < slack:
            roots[0, kept], roots[1, kept] = c / size, s / size
            kept += 1
    return kept


@kernel(fastmath=FASTMATH, counted=False)
def _behind_c(g: Any, a: Any, b: Any, c: Any, row: int) -> Any:
    """Return a row of g5 seen from behind joint c: the three that meet turn between the two."""
    x, y = _turned_back(a, g[5, row, 0], g[5, row, 1])
    e = rotated_back(g[0], (x, y, g[5, row, 2]))
    x, y = _turned_back(b, e[0], e[1])
    e = rotated_back(g[1], (x, y, e[2]))
    x, y = _turned_back(c, e[0], e[1])
    return rotated_back(g[2], (x, y, e[2]))


@kernel(fastmath=FASTMATH, counted=False)
def _last_two(g: Any, y: Any, w: Any) -> Any:
    """Return angles x and z of the three that meet, and y once more as the others leave it.

    ``w``: columns of the rotation that the three make.
    """
    g3, g4 = g[3], g[4]
    across = (g4[0, 2], g4[1, 2])
    h = _turned(y, across[0], across[1])
    e = rotated(g3, (h[0], h[1], g4[2, 2]))
    third = w[2]
    x = _unit(third[0] * e[0] + third[1] * e[1], third[1] * e[0] - third[0] * e[1], 1e-24)
    h = _turned_back(x, third[0], third[1])
    e = rotated_back(g3, (h[0], h[1], third[2]))
    y = (e[0] * across[0] + e[1] * across[1], e[1] * across[0] - e[0] * across[1])
    turn = _unit(y[0], y[1], 0.0)
    zc, zs = 0.0, 0.0
    for k in range(2):
        h = _turned_back(x, w[k][0], w[k][1])
        e = rotated_back(g3, (h[0], h[1], w[k][2]))
        h = _turned_back(turn, e[0], e[1])
        e = rotated_back(g4, (h[0], h[1], e[2]))
        zc += e[k]
        zs += e[1] if k == 0 else -e[0]
    return x, y, (zc, zs)


@kernel(fastmath=FASTMATH, counted=False)
def _three_that_meet(
    g: Any, a: Any, b: Any, c: Any, slack: float, side: float, first: int, cosines: Any, sines: Any
) -> bool:
    """Write the six angles of both ways in which the three that meet make what is left.

    Return whether there are. ``cosines`` and ``sines`` (48,): joint by joint, branch by branch,
    from branch ``first`` on.
    """
    w = (_behind_c(g, a, b, c, 0), _behind_c(g, a, b, c, 1), _behind_c(g, a, b, c, 2))
    # the third axis seen from the first: row 2 of g3 times Rz(y) n
    m0, m1, n0, n1 = g[3, 2, 0], g[3, 2, 1], g[4, 0, 2], g[4, 1, 2]
    right = w[2][2] - g[3, 2, 2] * g[4, 2, 2]
    there, one, two = _two_angles(m0 * n0 + m1 * n1, m1 * n0 - m0 * n1, right, max(slack, 1e-10))
    if not there:
        return False
    for way in range(2):
        x, y, z = _last_two(g, one if way == 0 else two, w)
        turns = (a, b, c, x, y, z)
        for i in range(6):
            cosines[8 * i + first + way] = turns[i][0]
            sines[8 * i + first + way] = side * turns[i][1]
    return True


@kernel(fastmath=FASTMATH, counted=False)
def _all_turns(
    g: Any,
    heights: Any,
    side: float,
    slack: float,
    roots: Any,
    series: Any,
    cosines: Any,
    sines: Any,
    there: Any,
) -> None:
    """Write the angles of all branches of a loop ``g`` (6, 3, 4), and which are ``there`` (8,)."""
    front = rotated_back(g[5], (-g[5, 0, 3], -g[5, 1, 3], heights[1] - g[5, 2, 3]))
    f, k, other, u, v = _equations(g, heights[0], front)
    for slot in range(8):
        there[slot] = False
    for ci in range(_quartic(f, k, other, u, v, max(slack, 1e-3), series, roots)):
        c = (roots[0, ci], roots[1, ci])
        x = f[0][0] + c[0] * f[0][1] + c[1] * f[0][2]
        y = f[1][0] + c[0] * f[1][1] + c[1] * f[1][2]
        z = f[2][0] + c[0] * f[2][1] + c[1] * f[2][2]
        kk = k[0] + c[0] * k[1] + c[1] * k[2]
        ll = other[0] + c[0] * other[1] + c[1] * other[2]
        gx, gy = v[1] * kk - u[1] * ll, u[0] * ll - v[0] * kk
        if u[0] * v[1] < u[1] * v[0]:
            gx, gy = -gx, -gy
        b = _unit(gx * x + gy * y, gy * x - gx * y, 0.0)
        h = _turned(b, x, y)
        e = rotated(g[0], (h[0], h[1], z))
        h = (e[0] + g[0, 0, 3], e[1] + g[0, 1, 3])
        ac = front[0] * h[0] + front[1] * h[1]
        az = front[1] * h[0] - front[0] * h[1]
        a = _unit(ac, az, 0.0)
        if _three_that_meet(g, a, b, c, slack, side, 2 * ci, cosines, sines):
            there[2 * ci] = True
            there[2 * ci + 1] = True


@kernel
def pieper_branches(
    arm: Any, slack: float, targets: Any, values: Any, q: Any, begin: int, end: int
) -> None:
    """Write all branches ``q`` (m, 8, n), NaN where none, of poses, for a ``PieperArm``.

    ``slack``: share by which a cosine may pass 1 and be taken for it.
    """
    order, side = arm.order, arm.side
    g = arm.loop.copy()
    room = np.empty((4, 3, 4))
    pose = np.empty((3, 4))
    roots = np.empty((3, 4))
    series = np.empty((2, 5))
    there = np.empty(8, np.bool_)
    # angles of all branches are taken at once, on lanes; joint by joint, branch by branch
    lanes = np.ones((2, 48 // LANES_FLOAT64, LANES_FLOAT64))
    cosines = lanes[0].reshape(48)
    sines = lanes[1].reshape(48)
    for m in range(begin, end):
        for slot in range(8):
            there[slot] = False
            for i in range(q.shape[2]):
                q[m, slot, i] = np.nan
        if not scaled_pose(targets[m], arm.unit, pose):
            continue
        close_loop(arm.parts, arm.where, pose, values[m], side, g, room)
        _all_turns(g, arm.heights, side, slack, roots, series, cosines, sines, there)
        for row in range(48 // LANES_FLOAT64):
            store(lanes[1], row, arc_tangent2(load(lanes[1], row), load(lanes[0], row)))
        for slot in range(8):
            if not there[slot]:
                continue
            for i in range(6):
                q[m, slot, order[i]] = sines[8 * i + slot]
            if order[6] >= 0:
                q[m, slot, order[6]] = values[m]
