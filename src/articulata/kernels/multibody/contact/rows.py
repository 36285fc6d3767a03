"""Where two features touch: gap, normal, contact point, and how these move.

A contact is a pair of features, each fixed in its body: a point with a radius about it (corner,
ball, capsule's end), a straight line with a radius (edge, capsule, cylinder's wall), a plane, a
rim. Everything else follows from five quantities: the gap g, the unit normal n (from B to A), the
point x of the contact and the velocities of n and x. With u = (velocity of A at x) - (velocity of
B at x),

    dg  = n . u,
    ddg = n . (a_A - a_B at x) + dn . u + n . (w_A x (dx - v_A) - w_B x (dx - v_B)),

since the gap is stationary in x (the envelope of the feature pair); along a tangent t that does
not slide the same holds with dn . u = 0. World axes, metres, seconds, radians.
Reference: Hoffmann & Hopcroft 1986, section 3.4 (the hinge of a temporary contact).
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.rows import cross, motion, place, rotations, turned
from articulata.kernels.space_vectors import dot

POINT_PLANE, POINT_POINT, POINT_LINE, LINE_LINE, RIM_PLANE, PIECES = 0, 1, 2, 3, 4, 5
"""Kinds of contact: feature of A, feature of B. PIECES is a pair of curved features without a row
of their own here (a rim across an edge, a cone's wall): ``places`` follows their pieces."""

P_A, P_B, AXIS_A, AXIS_B, SIZE, RADIUS_A, SIGN = 0, 3, 6, 9, 12, 13, 14
CONTACT_WIDTH = 15
"""Columns of a contact's data: points from the mass centres, axis of A's line or rim, axis of B's
line or normal of its plane (body axes), distance at which they touch (of a rim: its radius), share
of A in that distance; side of the common normal of two lines, or -1 where B is a hollow wall."""

KIND, BODY_A, BODY_B, PIECE_A, FEATURE_A, INDEX_A, PIECE_B, FEATURE_B, INDEX_B, SPOT = range(10)
TABLE_WIDTH = 10
"""Columns of a contact's table: bodies, and the features as ``kernels.contacts.patches`` numbers
them; SPOT tells points of the same two features apart."""

GAP, NORMAL, TANGENT_1, TANGENT_2, POINT, ROW_N = 0, 1, 4, 7, 10, 13
ROW_T1, ROW_T2, GAMMA_N, GAMMA_T1, GAMMA_T2 = 25, 37, 49, 50, 51
SPEED_N, SPEED_T1, SPEED_T2 = 52, 53, 54
PLACE_WIDTH = 55
"""Columns of an evaluated contact: the three Jacobian rows are v_a, w_a, v_b, w_b."""


@kernel(counted=False)
def velocity_at(
    v: tuple[float, float, float],
    w: tuple[float, float, float],
    arm: tuple[float, float, float],
) -> tuple[float, float, float]:
    """Return v + w x arm."""
    x, y, z = cross(w[0], w[1], w[2], arm[0], arm[1], arm[2])
    return v[0] + x, v[1] + y, v[2] + z


@kernel(counted=False)
def fixed_vector(
    scratch: Array, body: int, data: Array, i: int, column: int
) -> tuple[float, float, float]:
    """Return a vector of the contact's data in world axes."""
    return turned(scratch, body, data[i, column], data[i, column + 1], data[i, column + 2])


@kernel(counted=False)
def tangents(
    n: tuple[float, float, float],
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return two unit vectors that make a right-handed frame with the unit vector n."""
    if abs(n[0]) < 0.7:
        x, y, z = 0.0, n[2], -n[1]  # n x (1, 0, 0)
    else:
        x, y, z = -n[2], 0.0, n[0]
    s = 1.0 / math.sqrt(x * x + y * y + z * z)
    t = (x * s, y * s, z * s)
    return t, cross(n[0], n[1], n[2], t[0], t[1], t[2])


@kernel(counted=False)
def fill_row(
    out: Array,
    i: int,
    column: int,
    e: tuple[float, float, float],
    ca: tuple[float, float, float],
    cb: tuple[float, float, float],
) -> None:
    """Fill the Jacobian row of the relative velocity along e of points at arms ca and cb."""
    a0, a1, a2 = cross(ca[0], ca[1], ca[2], e[0], e[1], e[2])
    b0, b1, b2 = cross(cb[0], cb[1], cb[2], e[0], e[1], e[2])
    for k in range(3):
        out[i, column + k] = e[k]
        out[i, column + 6 + k] = -e[k]
    out[i, column + 3], out[i, column + 4], out[i, column + 5] = a0, a1, a2
    out[i, column + 9], out[i, column + 10], out[i, column + 11] = -b0, -b1, -b2


@kernel(counted=False)
def evaluate_contacts(
    table: IntArray, data: Array, state: Array, scratch: Array, out: Array
) -> None:
    """Fill ``out`` (contacts, PLACE_WIDTH) at ``state``; fills the rotations of ``scratch``.

    Contacts of kind PIECES are left out.
    """
    rotations(state, scratch)
    for i in range(table.shape[0]):
        kind, a, b = table[i, KIND], table[i, BODY_A], table[i, BODY_B]
        if kind >= PIECES:
            continue
        ra, rb = place(state, a), place(state, b)
        va0, va1, va2, wa0, wa1, wa2 = motion(state, a)
        vb0, vb1, vb2, wb0, wb1, wb2 = motion(state, b)
        va, wa, vb, wb = (va0, va1, va2), (wa0, wa1, wa2), (vb0, vb1, vb2), (wb0, wb1, wb2)
        ca = fixed_vector(scratch, a, data, i, P_A)
        cb = fixed_vector(scratch, b, data, i, P_B)
        axis = fixed_vector(scratch, b, data, i, AXIS_B)
        size, radius = data[i, SIZE], data[i, RADIUS_A]
        p = (ra[0] + ca[0], ra[1] + ca[1], ra[2] + ca[2])
        q = (rb[0] + cb[0], rb[1] + cb[1], rb[2] + cb[2])
        d = (p[0] - q[0], p[1] - q[1], p[2] - q[2])
        vp = velocity_at(va, wa, ca)
        # velocity of p relative to B's material at the same place
        arm = (p[0] - rb[0], p[1] - rb[1], p[2] - rb[2])
        vq = velocity_at(vb, wb, arm)
        u = (vp[0] - vq[0], vp[1] - vq[1], vp[2] - vq[2])
        if kind == POINT_PLANE:
            n = axis
            gap = dot(n, d) - size
            turn = cross(wb0, wb1, wb2, n[0], n[1], n[2])
            dp = vp
        elif kind in (POINT_POINT, POINT_LINE):
            along = dot(axis, d) if kind == POINT_LINE else 0.0
            across = dot(axis, u) if kind == POINT_LINE else 0.0
            x, y, z = d[0] - along * axis[0], d[1] - along * axis[1], d[2] - along * axis[2]
            # of hollow walls the far side is met, and the normal points to the middle
            length = math.sqrt(x * x + y * y + z * z)
            distance = data[i, SIGN] * length
            n = (x / distance, y / distance, z / distance)
            gap = data[i, SIGN] * (length - size)
            radial = dot(n, u)
            t0, t1, t2 = cross(wb0, wb1, wb2, n[0], n[1], n[2])
            turn = (
                t0 + (u[0] - radial * n[0] - across * axis[0]) / distance,
                t1 + (u[1] - radial * n[1] - across * axis[1]) / distance,
                t2 + (u[2] - radial * n[2] - across * axis[2]) / distance,
            )
            dp = vp
        elif kind == LINE_LINE:
            e = fixed_vector(scratch, a, data, i, AXIS_A)
            m = cross(e[0], e[1], e[2], axis[0], axis[1], axis[2])
            length = math.sqrt(dot(m, m))
            s = data[i, SIGN] / length
            n = (m[0] * s, m[1] * s, m[2] * s)
            gap = dot(n, d) - size
            # nearest points p + f e and q + g axis: the difference is normal to both lines
            c = dot(e, axis)
            f = (c * dot(axis, d) - dot(e, d)) / (1.0 - c * c)
            g = f * c + dot(axis, d)
            ca = (ca[0] + f * e[0], ca[1] + f * e[1], ca[2] + f * e[2])
            cb = (cb[0] + g * axis[0], cb[1] + g * axis[1], cb[2] + g * axis[2])
            p = (p[0] + f * e[0], p[1] + f * e[1], p[2] + f * e[2])
            vp = velocity_at(va, wa, ca)
            vq = velocity_at(vb, wb, cb)
            de = cross(wa0, wa1, wa2, e[0], e[1], e[2])
            da = cross(wb0, wb1, wb2, axis[0], axis[1], axis[2])
            z1 = cross(de[0], de[1], de[2], axis[0], axis[1], axis[2])
            z2 = cross(e[0], e[1], e[2], da[0], da[1], da[2])
            dm = (z1[0] + z2[0], z1[1] + z2[1], z1[2] + z2[2])
            turn = (dm[0] * s, dm[1] * s, dm[2] * s)
            keep = dot(n, turn)
            turn = (turn[0] - keep * n[0], turn[1] - keep * n[1], turn[2] - keep * n[2])
            # how fast the nearest points move along their lines
            D = ((gap + size) * n[0], (gap + size) * n[1], (gap + size) * n[2])
            w0 = (vp[0] - vq[0], vp[1] - vq[1], vp[2] - vq[2])
            r1 = -dot(w0, e) - dot(D, de)
            r2 = -dot(w0, axis) - dot(D, da)
            df = (r1 - c * r2) / (1.0 - c * c)
            dp = (vp[0] + df * e[0], vp[1] + df * e[1], vp[2] + df * e[2])
        else:
            n = axis
            turn = cross(wb0, wb1, wb2, n[0], n[1], n[2])
            e = fixed_vector(scratch, a, data, i, AXIS_A)
            de = cross(wa0, wa1, wa2, e[0], e[1], e[2])
            c = dot(n, e)
            m = (n[0] - c * e[0], n[1] - c * e[1], n[2] - c * e[2])
            length = math.sqrt(dot(m, m))
            m = (m[0] / length, m[1] / length, m[2] / length)
            dc = dot(turn, e) + dot(n, de)
            dm = (
                turn[0] - dc * e[0] - c * de[0],
                turn[1] - dc * e[1] - c * de[1],
                turn[2] - dc * e[2] - c * de[2],
            )
            keep = dot(dm, m)
            # the rim's lowest point is its centre less size times m
            dp = (
                vp[0] - size * (dm[0] - keep * m[0]) / length,
                vp[1] - size * (dm[1] - keep * m[1]) / length,
                vp[2] - size * (dm[2] - keep * m[2]) / length,
            )
            p = (p[0] - size * m[0], p[1] - size * m[1], p[2] - size * m[2])
            gap = dot(n, (p[0] - q[0], p[1] - q[1], p[2] - q[2]))
            radius = 0.0
        at = (p[0] - radius * n[0], p[1] - radius * n[1], p[2] - radius * n[2])
        dx = (dp[0] - radius * turn[0], dp[1] - radius * turn[1], dp[2] - radius * turn[2])
        finish_contact(state, a, b, gap, n, turn, at, dx, out, i)


@kernel(counted=False)
def finish_contact(
    state: Array,
    a: int,
    b: int,
    gap: float,
    n: tuple[float, float, float],
    turn: tuple[float, float, float],
    at: tuple[float, float, float],
    dx: tuple[float, float, float],
    out: Array,
    i: int,
) -> None:
    """Fill row i of ``out`` from gap, normal, contact point and how the latter two move."""
    ra, rb = place(state, a), place(state, b)
    va0, va1, va2, wa0, wa1, wa2 = motion(state, a)
    vb0, vb1, vb2, wb0, wb1, wb2 = motion(state, b)
    va, wa, vb, wb = (va0, va1, va2), (wa0, wa1, wa2), (vb0, vb1, vb2), (wb0, wb1, wb2)
    ca = (at[0] - ra[0], at[1] - ra[1], at[2] - ra[2])
    cb = (at[0] - rb[0], at[1] - rb[1], at[2] - rb[2])
    ua, ub = velocity_at(va, wa, ca), velocity_at(vb, wb, cb)
    u = (ua[0] - ub[0], ua[1] - ub[1], ua[2] - ub[2])
    e1, e2 = tangents(n)
    x1 = cross(wa0, wa1, wa2, dx[0] - va0, dx[1] - va1, dx[2] - va2)
    x2 = cross(wb0, wb1, wb2, dx[0] - vb0, dx[1] - vb1, dx[2] - vb2)
    bend = (x1[0] - x2[0], x1[1] - x2[1], x1[2] - x2[2])
    out[i, GAP] = gap
    for k in range(3):
        out[i, NORMAL + k] = n[k]
        out[i, TANGENT_1 + k] = e1[k]
        out[i, TANGENT_2 + k] = e2[k]
        out[i, POINT + k] = at[k]
    fill_row(out, i, ROW_N, n, ca, cb)
    fill_row(out, i, ROW_T1, e1, ca, cb)
    fill_row(out, i, ROW_T2, e2, ca, cb)
    out[i, GAMMA_N] = -dot(turn, u) - dot(n, bend)
    out[i, GAMMA_T1] = -dot(e1, bend)
    out[i, GAMMA_T2] = -dot(e2, bend)
    out[i, SPEED_N] = dot(n, u)
    out[i, SPEED_T1] = dot(e1, u)
    out[i, SPEED_T2] = dot(e2, u)
