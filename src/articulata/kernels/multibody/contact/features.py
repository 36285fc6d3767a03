"""Where pieces touch, as pairs of features that rows can follow.

``kernels.contacts.patches`` says which features of two pieces face each other and which points they
have in common. Here every such point becomes a contact of its own: a corner on a face, two edges
that cross, a ball on an edge, a rim on a plane. World axes where nothing is said, metres.
"""

from __future__ import annotations

from typing import NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.hollow import ELSEWHERE, LIP, SPHERE, is_hollow
from articulata.kernels.contacts.patches import (
    CORNER,
    COUNT,
    EDGE,
    FACE,
    INDEX_A,
    INDEX_B,
    KIND_A,
    KIND_B,
    PARALLEL,
    Room,
    boxes_apart,
    patch,
    too_far,
)
from articulata.kernels.contacts.pieces import HALF_SPACE, HOLLOW, ROUND, Pieces, Standing, entry
from articulata.kernels.contacts.separation import separation
from articulata.kernels.multibody.contact import rows
from articulata.kernels.multibody.contact.primitives import (
    Feature,
    corner_at,
    edge_at,
    in_body,
    in_world,
    is_line,
    is_point,
    line_of,
    plane_of,
    point_of,
    turned_back,
)
from articulata.kernels.multibody.contact.rows import (
    AXIS_A,
    AXIS_B,
    CONTACT_WIDTH,
    LINE_LINE,
    P_A,
    P_B,
    POINT_LINE,
    POINT_PLANE,
    POINT_POINT,
    RADIUS_A,
    RIM_PLANE,
    SIGN,
    SIZE,
)
from articulata.kernels.space_vectors import Vector, ahead, cross, dot, flipped, minus

SAME = 1e-6
"""Points nearer than this share of the smaller piece's size are one."""

LEVEL = 1e-9
"""Corners that lie this share of the smaller piece's size lower than others still face as these."""


class Found(NamedTuple):
    """Contacts of ``pieces`` that stand as ``now`` at ``state``: a row of each in both tables."""

    pieces: Pieces
    now: Standing
    state: Array
    table: IntArray
    data: Array


Spot = tuple[Vector, float, Vector, int, float]
"""Where two features meet: the normal, from the second to the first, their gap, the point midway,
its number among those of the pair, and how near points are that are one."""


@kernel(counted=False)
def touching(found: Found, pairs: IntArray, margin: float, room: Room, owner: IntArray) -> int:
    """Fill the tables with all contacts of pairs at most ``margin`` apart.

    ``owner`` takes the number of each contact's pair. Returns how many there are, -1 where the
    arrays are too small.
    """
    pieces, now, _, table, data = found
    count = 0
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        if too_far(pieces, now, i, j, margin) or boxes_apart(pieces, now, i, j, margin):
            continue
        gap, n = separation(pieces, now, i, j, margin)
        if gap > margin:
            continue
        size = min(pieces.ball[i, 3], pieces.ball[j, 3])
        slack = max(margin, LEVEL * size)
        row, points, gaps = room.table[0], room.points[0], room.gaps[0]
        patch(pieces, now, i, j, gap, n, slack, room.work, row, points, gaps)
        one = (i, row[KIND_A], row[INDEX_A])
        two = (j, row[KIND_B], row[INDEX_B])
        for spot in range(row[COUNT]):
            if gaps[spot] > margin + slack:
                continue
            if count == table.shape[0]:
                return -1
            for c in range(CONTACT_WIDTH):
                data[count, c] = 0.0
            data[count, SIGN] = 1.0
            owner[count] = k
            met = (n, gaps[spot], entry(points, spot), spot, SAME * size)
            meet(found, count, one, two, met)
            count += 1
    return count


@kernel(counted=False)
def meet(found: Found, c: int, one: Feature, two: Feature, met: Spot) -> None:
    """Write contact c of features ``one`` and ``two``."""
    pieces = found.pieces
    if pieces.kind[one[0]] > HALF_SPACE:
        if is_hollow(pieces, two[0]):
            in_wall(found, c, one, two, met)
        else:
            in_wall(found, c, two, one, turned(met))
        return
    # the points under a disc's cap travel with the disc, not with what it slides on
    cap = one[1] == FACE and pieces.kind[two[0]] == ROUND and pieces.kind[one[0]] != ROUND
    if two[1] == FACE and not cap:
        on_plane(found, c, one, two, met)
    elif one[1] == FACE:
        on_plane(found, c, two, one, turned(met))
    else:
        beside(found, c, one, two, met)


@kernel(counted=False)
def turned(met: Spot) -> Spot:
    """Return where the same features meet, the second one named first."""
    n, gap, p, spot, same = met
    return flipped(n), gap, p, spot, same


@kernel(counted=False)
def named(found: Found, c: int, kind: int, one: Feature, two: Feature, spot: int) -> None:
    """Write which features meet; those of body A are ``one``."""
    table, body = found.table, found.pieces.body
    table[c, rows.KIND], table[c, rows.SPOT] = kind, spot
    table[c, rows.BODY_A], table[c, rows.BODY_B] = body[one[0]], body[two[0]]
    table[c, rows.PIECE_A], table[c, rows.FEATURE_A], table[c, rows.INDEX_A] = one
    table[c, rows.PIECE_B], table[c, rows.FEATURE_B], table[c, rows.INDEX_B] = two


@kernel(counted=False)
def put(data: Array, c: int, column: int, v: Vector) -> None:
    """Write a vector into a contact's data."""
    data[c, column], data[c, column + 1], data[c, column + 2] = v


@kernel(counted=False)
def crossing(found: Found, c: int, one: Feature, two: Feature, n: Vector) -> bool:
    """Write two straight lines that cross, n from two to one; False where they are parallel."""
    pieces, now, _, _, data = found
    p, e, r = line_of(pieces, one)
    q, d, s = line_of(pieces, two)
    m = cross(in_world(now, one[0], e), in_world(now, two[0], d))
    if dot(m, m) <= PARALLEL * PARALLEL:
        return False
    named(found, c, LINE_LINE, one, two, 0)
    put(data, c, P_A, p)
    put(data, c, P_B, q)
    put(data, c, AXIS_A, e)
    put(data, c, AXIS_B, d)
    data[c, SIZE], data[c, RADIUS_A] = r + s, r
    data[c, SIGN] = 1.0 if dot(m, n) > 0.0 else -1.0
    return True


@kernel(counted=False)
def on_plane(found: Found, c: int, one: Feature, face: Feature, met: Spot) -> None:
    """Write what of feature ``one`` lies at p on a flat face, n out of the face."""
    pieces, now, state, _, data = found
    n, gap, p, spot, same = met
    i = one[0]
    origin, normal = plane_of(pieces, face)
    put(data, c, P_B, origin)
    put(data, c, AXIS_B, normal)
    if pieces.kind[i] == ROUND and one[1] != FACE:
        middle, a, half = entry(pieces.vertices, pieces.vertex_start[i]), entry(pieces.axis, i), 0.0
        half = pieces.size[i, 2]
        if one[1] == CORNER:
            z = half if one[2] == 1 else -half
        else:
            z = dot(minus(in_body(pieces, now, state, i, p), middle), a)
            z = max(-half, min(half, z))
        share = 0.5 * (z + half) / half
        radius = (1.0 - share) * pieces.size[i, 0] + share * pieces.size[i, 1]
        put(data, c, P_A, ahead(middle, z, a))
        if radius > same:
            named(found, c, RIM_PLANE, one, face, spot if one[1] == EDGE else 0)
            put(data, c, AXIS_A, a)
            data[c, SIZE] = radius
        else:
            named(found, c, POINT_PLANE, one, face, spot if one[1] == EDGE else 0)
        return
    radius = pieces.radius[i]
    corner = corner_at(pieces, now, one, n, p, same)
    if corner >= 0:
        named(found, c, POINT_PLANE, (i, CORNER, corner), face, 0)
        put(data, c, P_A, entry(pieces.vertices, pieces.vertex_start[i] + corner))
        data[c, SIZE] = data[c, RADIUS_A] = radius
        return
    if one[1] == FACE:
        corner = corner_at(pieces, now, face, n, p, same)
        if corner >= 0:
            origin, normal = plane_of(pieces, one)
            named(found, c, POINT_PLANE, (face[0], CORNER, corner), one, 0)
            put(data, c, P_A, entry(pieces.vertices, pieces.vertex_start[face[0]] + corner))
            put(data, c, P_B, origin)
            put(data, c, AXIS_B, normal)
            return
    mine, other = edge_at(pieces, now, one, n, p, same), edge_at(pieces, now, face, n, p, same)
    across = mine >= 0 and other >= 0
    if across and crossing(found, c, (i, EDGE, mine), (face[0], EDGE, other), n):
        return
    # a point of the body where the two meet now
    named(found, c, POINT_PLANE, one, face, spot)
    put(data, c, P_A, in_body(pieces, now, state, i, ahead(p, 0.5 * gap + radius, n)))
    put(data, c, P_B, origin)
    put(data, c, AXIS_B, normal)
    data[c, SIZE] = data[c, RADIUS_A] = radius


@kernel(counted=False)
def beside(found: Found, c: int, one: Feature, two: Feature, met: Spot) -> None:
    """Write how two features meet of which none is a face, n from two to one."""
    pieces, now, state, _, data = found
    n, gap, p, spot, _ = met
    lines = is_line(pieces, one), is_line(pieces, two)
    points = is_point(pieces, one), is_point(pieces, two)
    if not ((lines[0] or points[0]) and (lines[1] or points[1])):
        named(found, c, rows.PIECES, one, two, 0)
        put(data, c, AXIS_B, turned_back(now, two[0], n))
        return
    if lines[0] and lines[1] and crossing(found, c, one, two, n):
        return
    if lines[0] and points[1]:
        one, two, n = two, one, flipped(n)
    if one[1] == EDGE:
        # parallel lines: a point of the first one
        _, _, radius = line_of(pieces, one)
        at = in_body(pieces, now, state, one[0], ahead(p, 0.5 * gap + radius, n))
    else:
        at, radius = point_of(pieces, one)
        spot = 0
    put(data, c, P_A, at)
    data[c, RADIUS_A] = radius
    if two[1] == EDGE:
        q, d, other = line_of(pieces, two)
        put(data, c, AXIS_B, d)
        kind = POINT_LINE
    else:
        q, other = point_of(pieces, two)
        kind = POINT_POINT
    data[c, SIZE] = radius + other
    put(data, c, P_B, q)
    if data[c, SIZE] == 0.0:
        # sharp features: their common normal is that of the instant at which they met
        kind = POINT_PLANE
        put(data, c, P_B, in_body(pieces, now, state, two[0], ahead(p, -0.5 * gap, n)))
        put(data, c, AXIS_B, turned_back(now, two[0], n))
    named(found, c, kind, one, two, spot)


@kernel(counted=False)
def in_wall(found: Found, c: int, one: Feature, wall: Feature, met: Spot) -> None:
    """Write what a probe does to a hollow piece, or a line to its rim, n from the latter to it."""
    pieces, now, state, _, data = found
    n, gap, p, _, same = met
    i, j, start = one[0], wall[0], pieces.vertex_start[wall[0]]
    point = one[1] == CORNER and pieces.size[i, 0] == 0.0
    if wall[1] == FACE and point:
        on_plane(found, c, one, wall, (n, gap, p, 0, same))
        return
    radius = pieces.radius[i]
    center, a = entry(pieces.vertices, start), entry(pieces.axis, j)
    hollow = pieces.kind[j] == HOLLOW
    ball = hollow and pieces.edges[pieces.edge_start[j], SPHERE] == 1
    straight = hollow and not ball and wall[2] == LIP
    if point and wall[1] == EDGE:
        named(found, c, POINT_POINT if ball else POINT_LINE, one, wall, 0)
        put(data, c, P_A, entry(pieces.vertices, pieces.vertex_start[i]))
        put(data, c, P_B, center)
        put(data, c, AXIS_B, a)
        data[c, SIZE], data[c, RADIUS_A], data[c, SIGN] = pieces.size[j, 0] - radius, radius, -1.0
        return
    put(data, c, AXIS_B, turned_back(now, j, n))
    smooth = wall[1] == EDGE or (wall[1] == CORNER and wall[2] != ELSEWHERE and not straight)
    if smooth and (radius > 0.0 or not point):
        named(found, c, rows.PIECES, one, wall, 0)
        return
    # where the two are now: a point of B, or of its straight lip
    at = in_body(pieces, now, state, j, ahead(p, -0.5 * gap, n))
    mine = in_body(pieces, now, state, i, ahead(p, 0.5 * gap + radius, n))
    put(data, c, P_A, mine)
    put(data, c, P_B, at)
    data[c, SIZE] = data[c, RADIUS_A] = radius
    kind = POINT_PLANE
    if radius > 0.0 and wall[1] == CORNER:
        kind = POINT_LINE if straight else POINT_POINT
    if kind == POINT_LINE:
        put(data, c, AXIS_B, a)
    named(found, c, kind, one, wall, 0)
