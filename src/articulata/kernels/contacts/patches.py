"""Where two convex pieces touch: the features that face each other, and their common part.

Along the normal n, from piece j to piece i, each piece ends in a corner, an edge or a face. What
they have in common is a point, a stretch or a polygon: one feature clipped by the sides of the
other (Sutherland & Hodgman 1974). World axes, metres.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.hollow import is_hollow, met
from articulata.kernels.contacts.pieces import CORNER as CORNER
from articulata.kernels.contacts.pieces import EDGE as EDGE
from articulata.kernels.contacts.pieces import FACE as FACE
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    LINE,
    ROUND,
    Pieces,
    Standing,
    across,
    entry,
)
from articulata.kernels.contacts.separation import nearest_on_lines, separation
from articulata.kernels.space_vectors import Vector, ahead, cross, dot, flipped, minus, unit

DISC = 12
"""Corners of the polygon that stands for a cap which lies flat."""

MOST = 32
"""Most corners of a feature or of a common part; more are left out."""

PARALLEL = 1e-6
"""Sine of the angle under which two edges count as parallel."""

PAIR, KIND_A, INDEX_A, KIND_B, INDEX_B, COUNT, FLAT = range(7)
"""Columns of a found patch's table."""


@kernel(counted=False)
def put(rows: Array, k: int, p: Vector) -> None:
    """Write a point into row k."""
    rows[k, 0], rows[k, 1], rows[k, 2] = p


@kernel(counted=False)
def facing(
    pieces: Pieces, now: Standing, i: int, d: Vector, slack: float, out: Array
) -> tuple[int, int, int]:
    """Fill ``out`` with the corners of the feature that piece i ends in along d.

    Returns its kind, its number within the piece, and how many corners there are. Corners within
    ``slack`` of the farthest count as equally far.
    """
    first = pieces.vertex_start[i]
    if pieces.kind[i] == ROUND:
        return facing_round(pieces, now, i, d, slack, out)
    top, corner = -math.inf, 0
    for k in range(first, pieces.vertex_start[i + 1]):
        reach = dot(d, entry(now.vertices, k))
        if reach > top:
            top, corner = reach, k - first
    r = pieces.radius[i]
    # the face that looks most along d, if all of it is that far out
    best, face = 0.5, -1
    for k in range(pieces.face_start[i], pieces.face_start[i + 1]):
        along = dot(d, entry(now.normals, k))
        if along > best:
            best, face = along, k
    if face >= 0:
        start, end = pieces.ring_start[face], pieces.ring_start[face + 1]
        lies = True
        for k in range(start, end):
            lies = lies and dot(d, entry(now.vertices, first + pieces.ring[k])) >= top - slack
        if lies:
            count = min(MOST, end - start)
            for k in range(count):
                put(out, k, ahead(entry(now.vertices, first + pieces.ring[start + k]), r, d))
            return FACE, face - pieces.face_start[i], count
    best, edge = -math.inf, -1
    for k in range(pieces.edge_start[i], pieces.edge_start[i + 1]):
        if pieces.edges[k, 0] == pieces.edges[k, 1]:
            continue
        low = min(
            dot(d, entry(now.vertices, first + pieces.edges[k, 0])),
            dot(d, entry(now.vertices, first + pieces.edges[k, 1])),
        )
        if low >= top - slack and low > best:
            best, edge = low, k
    if edge >= 0:
        for side in range(2):
            put(out, side, ahead(entry(now.vertices, first + pieces.edges[edge, side]), r, d))
        return EDGE, edge - pieces.edge_start[i], 2
    put(out, 0, ahead(entry(now.vertices, first + corner), r, d))
    return CORNER, corner, 1


@kernel(counted=False)
def facing_round(
    pieces: Pieces, now: Standing, i: int, d: Vector, slack: float, out: Array
) -> tuple[int, int, int]:
    """Do for a round piece what :func:`facing` does."""
    c, a = entry(now.vertices, pieces.vertex_start[i]), entry(now.axis, i)
    back, front, half = pieces.size[i, 0], pieces.size[i, 1], pieces.size[i, 2]
    u = dot(d, a)
    m, length = across(d, u, a)
    at_back, at_front = -half * u + back * length, half * u + front * length
    end = 1 if at_front > at_back else 0
    middle = ahead(c, half if end == 1 else -half, a)
    radius = front if end == 1 else back
    if abs(u) > 0.5 and radius > 0.0 and 2.0 * radius * length <= slack:
        x, _ = unit(cross(a, (0.0, 0.0, 1.0) if abs(a[2]) < 0.7 else (1.0, 0.0, 0.0)))
        y = cross(a, x)
        for k in range(DISC):
            turn = 2.0 * math.pi * k / DISC
            # counterclockwise as seen from outside
            side = math.sin(turn) if end == 1 else -math.sin(turn)
            put(out, k, ahead(ahead(middle, radius * math.cos(turn), x), radius * side, y))
        return FACE, end, DISC
    if abs(at_front - at_back) <= slack:
        put(out, 0, ahead(ahead(c, -half, a), back, m))
        put(out, 1, ahead(ahead(c, half, a), front, m))
        return EDGE, 0, 2
    put(out, 0, ahead(middle, radius, m))
    return CORNER, end, 1


@kernel(counted=False)
def clip(points: Array, count: int, p: Vector, inward: Vector, closed: bool, out: Array) -> int:
    """Fill ``out`` with the part of a polygon (or stretch) on the inner side of a plane."""
    found = 0
    for k in range(count):
        q = entry(points, k)
        height = dot(inward, minus(q, p))
        if height >= 0.0 and found < MOST:
            put(out, found, q)
            found += 1
        if k + 1 == count and not closed:
            break
        r = entry(points, (k + 1) % count)
        other = dot(inward, minus(r, p))
        if (height >= 0.0) != (other >= 0.0) and found < MOST:
            put(out, found, ahead(q, height / (height - other), minus(r, q)))
            found += 1
    return found


@kernel(counted=False)
def within(points: Array, count: int, ring: Array, corners: int, n: Vector, spare: Array) -> int:
    """Clip ``points`` in place by the sides of a convex ring, counterclockwise about n."""
    closed = count > 2
    for k in range(corners):
        p = entry(ring, k)
        inward = cross(n, minus(entry(ring, (k + 1) % corners), p))
        left = clip(points, count, p, inward, closed, spare)
        for m in range(left):
            put(points, m, entry(spare, m))
        count = left
        if count == 0:
            break
    return count


@kernel(counted=False)
def normal_of(ring: Array, corners: int) -> Vector:
    """Return the unit normal of a plane polygon."""
    x, y, z = 0.0, 0.0, 0.0
    p = entry(ring, 0)
    for k in range(1, corners - 1):
        a, b, c = cross(minus(entry(ring, k), p), minus(entry(ring, k + 1), p))
        x, y, z = x + a, y + b, z + c
    n, _ = unit((x, y, z))
    return n


class Room(NamedTuple):
    """What :func:`patches` writes to, for up to m contacts.

    ``table`` (m, 7), ``found`` (m, 4) gap and normal, ``points`` (m, MOST, 3), ``gaps`` (m, MOST);
    ``tally`` (3, 2) counts tests and hits of the spheres, the boxes and the pieces themselves.
    ``work`` (4, MOST, 3) is scratch.
    """

    work: Array
    table: IntArray
    found: Array
    points: Array
    gaps: Array
    tally: IntArray


@kernel(counted=False)
def patch(
    pieces: Pieces,
    now: Standing,
    i: int,
    j: int,
    gap: float,
    n: Vector,
    slack: float,
    work: Array,
    row: IntArray,
    points: Array,
    gaps: Array,
) -> None:
    """Find what pieces i and j have in common along n, ``gap`` apart.

    Fills the table's ``row``, ``points`` (MOST, 3), midway between the features, and ``gaps``.
    ``work`` is (4, MOST, 3).
    """
    if pieces.kind[i] > HALF_SPACE:
        patch_hollow(pieces, now, i, j, row, points, gaps)
        return
    A, B, spare = work[0], work[1], work[2]
    na = nb = 0
    row[KIND_A], row[INDEX_A], row[KIND_B], row[INDEX_B] = FACE, 0, FACE, 0
    if pieces.kind[i] != HALF_SPACE:
        row[KIND_A], row[INDEX_A], na = facing(pieces, now, i, flipped(n), slack, A)
    if pieces.kind[j] != HALF_SPACE:
        row[KIND_B], row[INDEX_B], nb = facing(pieces, now, j, n, slack, B)
    count, flat = 0, 0
    deepest = entry(A, 0) if na > 0 else ahead(entry(B, 0), gap, n)
    if na == 0 or nb == 0:
        # a half-space: all of the other's feature
        count = na + nb
        for k in range(count):
            if na > 0:
                p = entry(A, k)
                gaps[k] = dot(n, minus(p, entry(now.vertices, pieces.vertex_start[j])))
                put(points, k, ahead(p, -0.5 * gaps[k], n))
            else:
                p = entry(B, k)
                gaps[k] = dot(n, minus(entry(now.vertices, pieces.vertex_start[i]), p))
                put(points, k, ahead(p, 0.5 * gaps[k], n))
        flat = 1 if count > 2 else 0
    elif na == 1 or nb == 1:
        p = ahead(deepest, -0.5 * gap, n) if na == 1 else ahead(entry(B, 0), 0.5 * gap, n)
        put(points, 0, p)
        gaps[0], count = gap, 1
    elif na == 2 and nb == 2:
        count = of_edges(A, B, gap, n, spare, points, gaps)
    elif na == 2 or nb >= 3:
        m = normal_of(B, nb)
        count = within(A, na, B, nb, m, spare)
        b = entry(B, 0)
        for k in range(count):
            p = entry(A, k)
            gaps[k] = dot(m, minus(p, b)) / dot(m, n)
            put(points, k, ahead(p, -0.5 * gaps[k], n))
        flat = 1 if na > 2 and count > 2 else 0
    else:
        m = normal_of(A, na)
        count = within(B, nb, A, na, m, spare)
        a = entry(A, 0)
        for k in range(count):
            p = entry(B, k)
            gaps[k] = dot(m, minus(a, p)) / dot(m, n)
            put(points, k, ahead(p, 0.5 * gaps[k], n))
    if count == 0:
        put(points, 0, ahead(deepest, -0.5 * gap, n))
        gaps[0], count = gap, 1
    if flat == 1 and na > 0:
        # corners of i run clockwise about n
        for k in range(count // 2):
            p, q = entry(points, k), entry(points, count - 1 - k)
            put(points, k, q)
            put(points, count - 1 - k, p)
            gaps[k], gaps[count - 1 - k] = gaps[count - 1 - k], gaps[k]
    row[COUNT], row[FLAT] = count, flat


@kernel(counted=False)
def patch_hollow(
    pieces: Pieces, now: Standing, i: int, j: int, row: IntArray, points: Array, gaps: Array
) -> None:
    """Do what :func:`patch` does where one of the pieces is a hollow one or its rim."""
    first = is_hollow(pieces, i)
    one, two = (j, i) if first else (i, j)
    (gap, n, kind, index), p = met(pieces, now, one, two)
    own = EDGE if pieces.kind[one] == LINE else CORNER
    if first:
        row[KIND_A], row[INDEX_A], row[KIND_B], row[INDEX_B] = kind, index, own, 0
    else:
        row[KIND_A], row[INDEX_A], row[KIND_B], row[INDEX_B] = own, 0, kind, index
    put(points, 0, ahead(p, -0.5 * gap, n))
    gaps[0] = gap
    row[COUNT], row[FLAT] = 1, 0


@kernel(counted=False)
def of_edges(
    A: Array, B: Array, gap: float, n: Vector, spare: Array, points: Array, gaps: Array
) -> int:
    """Find where two edges cross, or the stretch along which parallel ones face each other."""
    p, q = entry(A, 0), entry(B, 0)
    e, g = minus(entry(A, 1), p), minus(entry(B, 1), q)
    x, _ = unit(e)
    y, _ = unit(g)
    z = cross(x, y)
    if dot(z, z) > PARALLEL * PARALLEL:
        s, t = nearest_on_lines(p, e, q, g)
        a, b = ahead(p, s, e), ahead(q, t, g)
        put(points, 0, ahead(a, 0.5, minus(b, a)))
        gaps[0] = gap
        return 1
    count = clip(A, 2, q, y, False, spare)
    count = clip(spare, count, entry(B, 1), flipped(y), False, A)
    for k in range(count):
        a = entry(A, k)
        b = ahead(q, dot(y, minus(a, q)), y)
        gaps[k] = dot(n, minus(a, b))
        put(points, k, ahead(a, 0.5, minus(b, a)))
    return count


@kernel(counted=False)
def too_far(pieces: Pieces, now: Standing, i: int, j: int, margin: float) -> bool:
    """Tell whether the spheres about two pieces are farther apart than ``margin``."""
    if pieces.kind[i] == HALF_SPACE:
        i, j = j, i
    c = entry(now.ball, i)
    if pieces.kind[j] == HALF_SPACE:
        n = entry(now.axis, j)
        height = dot(n, minus(c, entry(now.vertices, pieces.vertex_start[j])))
        return height - pieces.ball[i, 3] > margin
    d = minus(c, entry(now.ball, j))
    reach = pieces.ball[i, 3] + pieces.ball[j, 3] + margin
    return dot(d, d) > reach * reach and reach >= 0.0


@kernel(counted=False)
def boxes_apart(pieces: Pieces, now: Standing, i: int, j: int, margin: float) -> bool:
    """Tell whether an axis of one of the boxes about two pieces lies across a gap > ``margin``."""
    if pieces.kind[i] == HALF_SPACE or pieces.kind[j] == HALF_SPACE:
        return False
    d = minus(entry(now.box, i), entry(now.box, j))
    for side in range(2):
        one = i if side == 0 else j
        for k in range(3):
            e = (now.turn[one, 3 * k], now.turn[one, 3 * k + 1], now.turn[one, 3 * k + 2])
            reach = margin
            for each in (i, j):
                for m in range(3):
                    f = (
                        now.turn[each, 3 * m],
                        now.turn[each, 3 * m + 1],
                        now.turn[each, 3 * m + 2],
                    )
                    reach += pieces.box[each, 3 + m] * abs(dot(e, f))
            if abs(dot(d, e)) > reach:
                return True
    return False


@kernel(counted=False)
def separations(pieces: Pieces, now: Standing, pairs: IntArray, out: Array) -> None:
    """Fill ``out`` (k, 4) with the separations of pairs of pieces and their directions."""
    for k in range(pairs.shape[0]):
        gap, n = separation(pieces, now, pairs[k, 0], pairs[k, 1], math.inf)
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = gap, n[0], n[1], n[2]


def new_room(count: int) -> Room:
    """Return arrays for ``count`` contacts."""
    return Room(
        np.zeros((4, MOST, 3)),
        np.zeros((count, 7), np.int64),
        np.zeros((count, 4)),
        np.zeros((count, MOST, 3)),
        np.zeros((count, MOST)),
        np.zeros((3, 2), np.int64),
    )


@kernel(counted=False)
def patches(
    pieces: Pieces, now: Standing, pairs: IntArray, margin: float, slack: float, room: Room
) -> int:
    """Find where pairs of pieces are at most ``margin`` apart; return how many do.

    Returns -1 where there is too little room.
    """
    work, table, found, points, gaps, tally = room
    count = 0
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        tally[0, 0] += 1
        if too_far(pieces, now, i, j, margin):
            continue
        tally[0, 1] += 1
        tally[1, 0] += 1
        if boxes_apart(pieces, now, i, j, margin):
            continue
        tally[1, 1] += 1
        tally[2, 0] += 1
        gap, n = separation(pieces, now, i, j, margin)
        if gap > margin:
            continue
        tally[2, 1] += 1
        if count == table.shape[0]:
            return -1
        table[count, PAIR] = k
        found[count, 0], found[count, 1], found[count, 2], found[count, 3] = gap, n[0], n[1], n[2]
        patch(pieces, now, i, j, gap, n, slack, work, table[count], points[count], gaps[count])
        count += 1
    return count
