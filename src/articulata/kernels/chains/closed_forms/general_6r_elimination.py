"""Six turning joints of any geometry: the elimination behind ``general_6r``.

The arm and its pose close a loop of six turns ``Rz(t_i)`` with fixed transforms ``g_i`` between
them: ``Rz(t1) g1 ... Rz(t6) g6 = 1``. Any of the six may be called the first, and the loop may be
read backwards: twelve *splits*. With l the direction and p the place of axis 6, seen from behind
joint 2, the fourteen quantities l, p, p.p, p.l, p x l and (p.p) l - 2 (p.l) p are sums of products
of cosines and sines of t3, t4, t5 on one side and of t1, t2 on the other (Raghavan & Roth, Inverse
kinematics of the general 6R manipulator and related linkages, J. Mech. Design 115, 1993). The
eight products of t1 and t2 are eliminated; six equations are left, doubled by cos(t4/2) and
sin(t4/2) to twelve in twelve products of t4 and t5. Their determinant is a sum of cosines and
sines up to 8 t3: values of it around the circle give it exactly, without the loss at half a turn
that half-angle tangents have, and its roots on the circle are angle 3.

One joint may slide: as joint 3 it brings its travel s and the square of it; s = tan(t3/2) makes
sums of cosines and sines of these, and the determinant has eight roots at half a turn that are
none.

A rigid motion takes the fourteen quantities and 1 to linear combinations of themselves: vectors
of 15 numbers here, l, p, p x l, (p.p) l - 2 (p.l) p, p.p, p.l and 1 in this order.
"""

from __future__ import annotations

import math
from typing import Any

from articulata.kernels.chains.rigid_motions import copied, inverted, product, same_motion
from articulata.kernels.compile import kernel

DEGREE = 8
"""Of the determinant in cosines and sines of angle 3."""

SAMPLES = 2 * DEGREE + 4
"""Values of it that are computed: three more than determine it, which tell how exact they are."""

SLOTS = 16
"""Most postures of one pose."""

MET = 1e-11
"""Most that a polished posture is off, in units of the arm and rad."""

SAME = 1e-7
"""Postures no farther apart than this, rad, are one."""


@kernel
def carried(v: Any, R: Any, c: Any, out: Any) -> None:
    """Write the 15 quantities ``v`` as a turn ``R`` (3, 3) and then a shift ``c`` move them."""
    for k in range(4):
        for r in range(3):
            out[3 * k + r] = R[r, 0] * v[3 * k] + R[r, 1] * v[3 * k + 1] + R[r, 2] * v[3 * k + 2]
    a, b, w = v[12], v[13], v[14]
    cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
    cl = c[0] * out[0] + c[1] * out[1] + c[2] * out[2]
    cp = c[0] * out[3] + c[1] * out[4] + c[2] * out[5]
    for r in range(3):
        i = (r + 1) % 3
        j = (r + 2) % 3
        across = c[i] * out[6 + j] - c[j] * out[6 + i]
        out[9 + r] += -2.0 * across + cc * out[r] - 2.0 * (b + cl) * c[r]
    for r in range(3):
        i = (r + 1) % 3
        j = (r + 2) % 3
        out[6 + r] += c[i] * out[j] - c[j] * out[i]
        out[3 + r] += c[r] * w
    out[12] = a + 2.0 * cp + cc * w
    out[13] = b + cl
    out[14] = w


@kernel
def turned(v: Any, side: float, out: Any) -> None:
    """Write what a turn about z makes of ``v``: ``out`` (3, 15) goes with 1, cos and sin."""
    out[:] = 0.0
    for k in range(4):
        out[1, 3 * k] = v[3 * k]
        out[1, 3 * k + 1] = v[3 * k + 1]
        out[2, 3 * k] = -side * v[3 * k + 1]
        out[2, 3 * k + 1] = side * v[3 * k]
        out[0, 3 * k + 2] = v[3 * k + 2]
    for k in range(12, 15):
        out[0, k] = v[k]


@kernel(counted=False)
def slid(v: Any, out: Any) -> None:
    """Write what a slide by s along z makes of ``v``: ``out`` (3, 15) goes with 1, s and s s."""
    out[:] = 0.0
    copied(v, out[0])
    out[1, 5] = v[14]
    out[1, 6] = -v[1]
    out[1, 7] = v[0]
    # of (p.p) l - 2 (p.l) p
    out[1, 9] = 2.0 * v[7]
    out[1, 10] = -2.0 * v[6]
    out[1, 11] = -2.0 * v[13]
    out[2, 9] = v[0]
    out[2, 10] = v[1]
    out[2, 11] = -v[2]
    out[1, 12] = 2.0 * v[5]
    out[2, 12] = v[14]
    out[1, 13] = v[2]


@kernel(counted=False)
def loop_of(links: Any, pose: Any, split: int, g: Any, scratch: Any) -> None:
    """Write the six fixed transforms ``g`` (6, 3, 4) of the loop in the order of a split.

    ``links`` (7, 3, 4): before joint 1, between joints, behind joint 6, lengths in the arm's unit;
    ``pose`` (3, 4) likewise. Split: the number of the first joint, plus 6 read backwards.
    """
    inverted(pose, scratch[0])
    product(links[6], scratch[0], scratch[1])
    product(scratch[1], links[0], scratch[2])
    shift = split % 6
    for i in range(6):
        k = (i + shift) % 6
        if split < 6:
            same_motion(links[k + 1] if k < 5 else scratch[2], g[i])
        elif k < 5:
            inverted(links[5 - k], g[i])
        else:
            inverted(scratch[2], g[i])


@kernel(counted=False)
def coefficients(g: Any, slides: bool, left: Any, right: Any, room: Any) -> None:
    """Write both sides of the fourteen equations.

    ``left`` (3, 3, 3, 15) goes with 1, cos and sin of t3, t4 and t5, ``right`` (9, 15) with those
    of t1 and t2; where joint 3 ``slides``, with 1, its travel and the square instead.
    """
    v, w, a3, b3 = room[0], room[1], room[2:5], room[5:8]
    g4 = g[4]
    v[:] = 0.0
    v[2] = 1.0
    v[14] = 1.0
    carried(v, g4[:, :3], g4[:, 3], w)
    turned(w, 1.0, a3)
    for k5 in range(3):
        carried(a3[k5], g[3][:, :3], g[3][:, 3], v)
        turned(v, 1.0, b3)
        for k4 in range(3):
            carried(b3[k4], g[2][:, :3], g[2][:, 3], w)
            if slides:
                slid(w, left[:, k4, k5])
            else:
                turned(w, 1.0, left[:, k4, k5])
    back = room[8:11, :4]
    inverted(g[5], back)
    v[:] = 0.0
    v[2] = 1.0
    v[14] = 1.0
    carried(v, back[:, :3], back[:, 3], w)
    turned(w, -1.0, a3)
    for k1 in range(3):
        inverted(g[0], back)
        carried(a3[k1], back[:, :3], back[:, 3], v)
        turned(v, -1.0, b3)
        inverted(g[1], back)
        for k2 in range(3):
            carried(b3[k2], back[:, :3], back[:, 3], right[3 * k1 + k2])


@kernel
def eliminate(left: Any, right: Any, rest: Any, factor: Any) -> None:
    """Eliminate t1 and t2: ``rest`` (6, 3, 3, 3) of t3, t4 and t5 is what is left to be zero.

    ``factor`` (15, 36) is scratch; its first eight rows then give the products of t1 and t2.
    """
    for e in range(14):
        for k in range(8):
            factor[e, k] = right[k + 1, e]
        column = 8
        for k3 in range(3):
            for k4 in range(3):
                for k5 in range(3):
                    factor[e, column] = left[k3, k4, k5, e]
                    column += 1
        factor[e, 8] -= right[0, e]
    for k in range(8):
        size = 0.0
        for e in range(k, 14):
            size += factor[e, k] * factor[e, k]
        size = math.sqrt(size)
        if size == 0.0:
            continue
        head = factor[k, k]
        pivot = -size if head > 0.0 else size
        head -= pivot
        scale = 1.0 / (pivot * head)
        factor[k, k] = head
        along = factor[14]
        for column in range(k + 1, 35):
            along[column] = 0.0
        # row after row, as they lie in memory
        for e in range(k, 14):
            share = scale * factor[e, k]
            for column in range(k + 1, 35):
                along[column] += share * factor[e, column]
        for e in range(k, 14):
            share = factor[e, k]
            for column in range(k + 1, 35):
                factor[e, column] += along[column] * share
        factor[k, k] = pivot
    for e in range(6):
        column = 8
        for k3 in range(3):
            for k4 in range(3):
                for k5 in range(3):
                    rest[e, k3, k4, k5] = factor[8 + e, column]
                    column += 1


@kernel(counted=False)
def half_angles(rest: Any) -> None:
    """Turn equations (6, 3, 3, 3) in 1, s, s s into such in 1, cos t, sin t with s = tan(t/2)."""
    for e in range(6):
        for k4 in range(3):
            for k5 in range(3):
                one, two = rest[e, 0, k4, k5], rest[e, 2, k4, k5]
                rest[e, 2, k4, k5] = 0.5 * rest[e, 1, k4, k5]
                rest[e, 0, k4, k5] = 0.5 * (one + two)
                rest[e, 1, k4, k5] = 0.5 * (one - two)
