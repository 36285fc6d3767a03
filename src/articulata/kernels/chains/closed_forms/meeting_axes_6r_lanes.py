"""Six joints of which three meet, angles from square roots alone: many poses at once, on lanes.

The loop is read as in ``meeting_axes_6r_scalar``, ``Rz(a) g0 Rz(b) g1 Rz(c) p = P``, where axes a
and b meet or are parallel: a mixture of the two equations of the common point holds c alone. Each
angle has two values that meet where a *margin*, 1 less the square of a cosine, is zero. Where a
margin is below zero there is no posture; what is written there follows on from where it was zero.

Rows: ``g`` (36) hold links 1, 2 and 5 of the loop, ``ends`` (24) what stands before and behind the
joint that is given, ``turns`` (96) cosines and then sines of a, b, c and the three that meet, joint
by joint, branch by branch; behind them the margins: of c, of b (2) and of the three that meet (4).
Branch number: ``4 c + 2 b + way``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.kernels.chains.closed_forms.pose_blocks import load_block
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2, sine_cosine
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.tiles import TILE, turn_tile
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    fill,
    load,
    maximum,
    minimum,
    sqrt,
    store,
    where,
)

SINES, MARGINS, ROWS = 48, 96, 112
"""Where sines and margins begin in the rows of ``turns``, and how many rows there are."""

ROOM = ROWS + 36 + 24 + 16 + 1 + 56
"""Rows of the workspace of ``root_postures``."""

_SEEN = 103

_LEAST = 1e-60


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _turned(t: Any, x: Any, y: Any) -> Any:
    """Return a point of the plane turned by an angle, given as (cosine, sine)."""
    return t[0] * x - t[1] * y, t[1] * x + t[0] * y


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _turned_back(t: Any, x: Any, y: Any) -> Any:
    return t[0] * x + t[1] * y, t[0] * y - t[1] * x


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _ahead(m: Any, v: Any) -> Any:
    """Return a direction as a link (3, 4) of numbers turns it."""
    a, b, c = v
    return (
        m[0, 0] * a + m[0, 1] * b + m[0, 2] * c,
        m[1, 0] * a + m[1, 1] * b + m[1, 2] * c,
        m[2, 0] * a + m[2, 1] * b + m[2, 2] * c,
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _back(m: Any, v: Any) -> Any:
    a, b, c = v
    return (
        m[0, 0] * a + m[1, 0] * b + m[2, 0] * c,
        m[0, 1] * a + m[1, 1] * b + m[2, 1] * c,
        m[0, 2] * a + m[1, 2] * b + m[2, 2] * c,
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _row_ahead(g: Any, at: int, v: Any) -> Any:
    """Return a direction as the link in rows ``at`` and on turns it."""
    a, b, c = v
    return (
        load(g, at) * a + load(g, at + 1) * b + load(g, at + 2) * c,
        load(g, at + 4) * a + load(g, at + 5) * b + load(g, at + 6) * c,
        load(g, at + 8) * a + load(g, at + 9) * b + load(g, at + 10) * c,
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _row_back(g: Any, at: int, v: Any) -> Any:
    a, b, c = v
    return (
        load(g, at) * a + load(g, at + 4) * b + load(g, at + 8) * c,
        load(g, at + 1) * a + load(g, at + 5) * b + load(g, at + 9) * c,
        load(g, at + 2) * a + load(g, at + 6) * b + load(g, at + 10) * c,
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _unit(x: Any, y: Any) -> Any:
    """Return the direction of a point of the plane, (1, 0) where it is at the middle."""
    size2 = x * x + y * y
    some = size2 > _LEAST
    inverse = 1.0 / sqrt(where(some, size2, 1.0))
    return where(some, x * inverse, 1.0), where(some, y * inverse, 0.0)


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _angle_pair(x: Any, y: Any, right: Any) -> Any:
    """Return the angles t with ``x cos t + y sin t = right``, and their margin.

    As the direction between them and the cosine and sine of how far each is from it.
    """
    size2 = maximum(x * x + y * y, _LEAST)
    inverse = 1.0 / sqrt(size2)
    cosine = right * inverse
    margin = (1.0 - cosine) * (1.0 + cosine)
    sine = sqrt(maximum(margin, 0.0))
    return margin, x * inverse, y * inverse, minimum(maximum(cosine, -1.0), 1.0), sine


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _put(turns: Any, row: int, angle: Any, side: float) -> None:
    store(turns, row, angle[0])
    store(turns, SINES + row, side * angle[1])


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def turn_given(ends: Any, angle: Any, g: Any, at: int) -> None:
    """Write the link that holds a joint at ``angle``: what is before it, its turn, the rest."""
    s, c = sine_cosine(angle)
    for r in range(3):
        x = c * load(ends, 4 * r) + s * load(ends, 4 * r + 1)
        y = c * load(ends, 4 * r + 1) - s * load(ends, 4 * r)
        z = load(ends, 4 * r + 2)
        for k in range(4):
            total = x * load(ends, 12 + k) + y * load(ends, 16 + k) + z * load(ends, 20 + k)
            if k == 3:
                total = total + load(ends, 4 * r + 3)
            store(g, at + 4 * r + k, total)


@kernel(fastmath=FASTMATH, counted=False)
def all_turns(arm: Any, depth: Any, slots: Any, g: Any, turns: Any) -> None:
    """Write the angles and margins of all branches of a ``PieperArm``, see the module's head.

    Of its loop links 0, 3 and 4 are read. ``depth`` 1 ends with the margin of c, 2 with those of b.
    ``slots``: which branches are wanted, one bit each.
    """
    loop, heights, side = arm.loop, arm.heights, arm.side
    g0, g3, g4 = loop[0], loop[3], loop[4]
    base = (g0[0, 3], g0[1, 3], g0[2, 3])
    v0, v1, vz = _back(g0, base)
    u0, u1, uz = g0[2, 0], g0[2, 1], g0[2, 2]
    uu, vv = u0 * u0 + u1 * u1, v0 * v0 + v1 * v1
    steep = vv > uu
    mix = (u0 * v0 + u1 * v1) / max(uu, vv)
    w0, w1 = (v0, v1) if steep else (u0, u1)
    height = heights[0]
    px = load(g, 14) * height + load(g, 15)
    py = load(g, 18) * height + load(g, 19)
    pz = load(g, 22) * height + load(g, 23)
    zero = fill(turns, 0.0)
    front = _row_back(g, 24, (-load(g, 27), -load(g, 31), heights[1] - load(g, 35)))
    shift = (load(g, 3), load(g, 7), load(g, 11))
    fx, fy, fz = _row_ahead(g, 0, (zero, zero, pz))
    f0 = (fx + shift[0], fy + shift[1], fz + shift[2])
    fc = _row_ahead(g, 0, (px, py, zero))
    fs = _row_ahead(g, 0, (-py, px, zero))
    far = _dot(front, front) - _dot(base, base)
    near = px * px + py * py + pz * pz - _dot(shift, shift) + 2.0 * _dot(shift, f0)
    k0, k1, k2 = front[2] - base[2] - uz * f0[2], -uz * fc[2], -uz * fs[2]
    l0 = 0.5 * (far - near) - vz * f0[2]
    l1, l2 = -_dot(shift, fc) - vz * fc[2], -_dot(shift, fs) - vz * fs[2]
    if steep:
        e0, e1, e2 = k0 - mix * l0, k1 - mix * l1, k2 - mix * l2
        r0, r1, r2 = l0, l1, l2
    else:
        e0, e1, e2 = l0 - mix * k0, l1 - mix * k1, l2 - mix * k2
        r0, r1, r2 = k0, k1, k2
    margin, toward_x, toward_y, cc, sc = _angle_pair(e1, e2, -e0)
    store(turns, MARGINS, margin)
    if depth == 1:
        return
    # the third of the axes that meet, seen from the first: row 2 of g3 times Rz(y) n
    m0, m1, n0, n1 = g3[2, 0], g3[2, 1], g4[0, 2], g4[1, 2]
    yx, yy = m0 * n0 + m1 * n1, m1 * n0 - m0 * n1
    for ci in range(2):
        c = _turned((toward_x, toward_y), cc, sc if ci == 0 else -sc)
        x = f0[0] + c[0] * fc[0] + c[1] * fs[0]
        y = f0[1] + c[0] * fc[1] + c[1] * fs[1]
        z = f0[2] + c[0] * fc[2] + c[1] * fs[2]
        margin, along, across, cb, sb = _angle_pair(
            w0 * x + w1 * y, w1 * x - w0 * y, r0 + c[0] * r1 + c[1] * r2
        )
        store(turns, MARGINS + 1 + ci, margin)
        for bi in range(2 if depth > 2 else 0):
            if not (slots >> (4 * ci + 2 * bi)) & 3:
                continue
            b = _turned((along, across), cb, sb if bi == 0 else -sb)
            hx, hy = _turned(b, x, y)
            e = _ahead(g0, (hx, hy, z))
            hx, hy = e[0] + base[0], e[1] + base[1]
            a = _unit(front[0] * hx + front[1] * hy, front[1] * hx - front[0] * hy)
            slot = 4 * ci + 2 * bi
            # rows of g5 seen from behind joint c: what the three that meet must turn
            for r in range(3):
                hx, hy = _turned_back(a, load(g, 24 + 4 * r), load(g, 25 + 4 * r))
                e = _back(g0, (hx, hy, load(g, 26 + 4 * r)))
                hx, hy = _turned_back(b, e[0], e[1])
                e = _row_back(g, 0, (hx, hy, e[2]))
                hx, hy = _turned_back(c, e[0], e[1])
                e = _row_back(g, 12, (hx, hy, e[2]))
                store(turns, _SEEN + 3 * r, e[0])
                store(turns, _SEEN + 3 * r + 1, e[1])
                store(turns, _SEEN + 3 * r + 2, e[2])
            third = (load(turns, _SEEN + 6), load(turns, _SEEN + 7), load(turns, _SEEN + 8))
            margin, along_y, across_y, cy, sy = _angle_pair(yx, yy, third[2] - g3[2, 2] * g4[2, 2])
            store(turns, MARGINS + 3 + 2 * ci + bi, margin)
            for way in range(2):
                turn = _turned((along_y, across_y), cy, sy if way == 0 else -sy)
                h = _turned(turn, n0, n1)
                e = _ahead(g3, (h[0], h[1], g4[2, 2]))
                xx = _unit(third[0] * e[0] + third[1] * e[1], third[1] * e[0] - third[0] * e[1])
                h = _turned_back(xx, third[0], third[1])
                e = _back(g3, (h[0], h[1], third[2]))
                # as the others leave it
                turn = _unit(e[0] * n0 + e[1] * n1, e[1] * n0 - e[0] * n1)
                cosine, sine = zero, zero
                for k in range(2):
                    at = _SEEN + 3 * k
                    h = _turned_back(xx, load(turns, at), load(turns, at + 1))
                    e = _back(g3, (h[0], h[1], load(turns, at + 2)))
                    h = _turned_back(turn, e[0], e[1])
                    e = _back(g4, (h[0], h[1], e[2]))
                    cosine = cosine + (e[0] if k == 0 else e[1])
                    sine = sine + (e[1] if k == 0 else -e[0])
                row = slot + way
                _put(turns, row, a, side)
                _put(turns, 8 + row, b, side)
                _put(turns, 16 + row, c, side)
                _put(turns, 24 + row, xx, side)
                _put(turns, 32 + row, turn, side)
                _put(turns, 40 + row, _unit(cosine, sine), side)


@kernel(fastmath=FASTMATH, counted=False)
def _angles(turns: Any, slack: float, order: Any, n: int, q: Any) -> None:
    """Write the joints' angles (8 n rows) of all branches, NaN where there is none."""
    for slot in range(8):
        least = minimum(
            minimum(load(turns, MARGINS), load(turns, MARGINS + 1 + slot // 4)),
            load(turns, MARGINS + 3 + slot // 2),
        )
        exists = least >= -slack
        for i in range(6):
            angle = arc_tangent2(load(turns, SINES + 8 * i + slot), load(turns, 8 * i + slot))
            store(q, n * slot + order[i], where(exists, angle, np.nan))


@kernel(fastmath=FASTMATH, counted=False)
def _close(parts: Any, side: float, unit: float, pose: Any, out: Any) -> None:
    """Write the link that holds the pose (12 rows): it stands between the first two of ``parts``.

    ``pose``: its rows, lengths in m; read backwards where ``side`` is -1, else inverted.
    """
    inverse = 1.0 / unit
    for r in range(3):
        for k in range(4):
            total = fill(pose, parts[0, r, 3] if k == 3 else 0.0)
            for j in range(3):
                for i in range(3):
                    entry = load(pose, 4 * j + i if side < 0.0 else 4 * i + j)
                    total = total + parts[0, r, j] * entry * parts[1, i, k]
                if k == 3:
                    if side < 0.0:
                        place = load(pose, 4 * j + 3)
                    else:
                        place = -(
                            load(pose, j) * load(pose, 3)
                            + load(pose, 4 + j) * load(pose, 7)
                            + load(pose, 8 + j) * load(pose, 11)
                        )
                    total = total + parts[0, r, j] * inverse * place
            store(out, 4 * r + k, total)


@kernel(counted=False)
def place_links(arm: Any, g: Any, ends: Any) -> None:
    """Bring what does not depend on poses into rows ``g`` and ``ends``."""
    loop, parts = arm.loop, arm.parts
    for link in range(3):
        number = link + 1 if link < 2 else 5
        for r in range(3):
            for k in range(4):
                store(g, 12 * link + 4 * r + k, loop[number, r, k])
    for r in range(3):
        for k in range(4):
            store(ends, 4 * r + k, parts[2, r, k])
            store(ends, 12 + 4 * r + k, parts[3, r, k])


@kernel
def row_of(link: int) -> int:
    """Return where link 1, 2 or 5 begins in the rows of ``g``."""
    return 12 * (link - 1) if link < 3 else 24


@kernel(counted=False)
def close_pose(arm: Any, pose: Any, g: Any, ends: Any) -> None:
    """Bring poses (12 rows, lengths in m) into the link that holds them."""
    parts, where_, side, unit = arm.parts, arm.where, arm.side, arm.unit
    if where_[1] < 0 or where_[2] == 0:
        _close(parts, side, unit, pose, g[row_of(where_[0]) :])
    else:
        _close(parts, side, unit, pose, ends[12:] if where_[2] == 1 else ends)


@kernel(counted=False)
def root_postures(
    arm: Any, slack: float, targets: Any, values: Any, rows: Any, q: Any, begin: int, end: int
) -> None:
    """Write all branches ``q`` (m, 8 n) of poses, NaN where none; else as ``pieper_branches``.

    ``rows``: a workspace of ROOM rows: ``turns``, ``g``, ``ends``, a pose, the joint that is given
    and the branches.
    """
    order = arm.order
    n = q.shape[1] // 8
    turns, g, ends = rows[:ROWS], rows[ROWS : ROWS + 36], rows[ROWS + 36 : ROWS + 60]
    target, angle, out = rows[ROWS + 60 : ROWS + 76], rows[ROWS + 76 : ROWS + 77], rows[ROWS + 77 :]
    place_links(arm, g, ends)
    for first in range(begin, end, LANES_FLOAT64):
        load_block(targets, first, end, target)
        count = min(LANES_FLOAT64, end - first)
        for lane in range(LANES_FLOAT64):
            angle[0, lane] = values[min(first + lane, end - 1)]
        close_pose(arm, target, g, ends)
        if arm.where[1] >= 0:
            turn_given(ends, arm.side * load(angle, 0), g, row_of(arm.where[1]))
        all_turns(arm, np.int64(3), np.int64(255), g, turns)
        _angles(turns, slack, order, n, out)
        if order[6] >= 0:
            for slot in range(8):
                given, other = load(angle, 0), load(out, n * slot + order[0])
                # NaN where there is none
                store(out, n * slot + order[6], given + 0.0 * other)
        if count == LANES_FLOAT64:
            for lane in range(0, LANES_FLOAT64, TILE):
                for row in range(0, 8 * n, TILE):
                    at = LANES_FLOAT64 * row + lane
                    turn_tile(out, at, LANES_FLOAT64, q, 8 * n * (first + lane) + row, 8 * n)
        else:
            for lane in range(count):
                for row in range(8 * n):
                    q[first + lane, row] = out[row, lane]
