"""How far the pieces of a figure are from those of a room and from each other, posture by posture.

Pieces are those of ``articulata.kernels.contacts``: the first ``moving`` ones belong to links
(``body`` is the joint that moves the link), the others stand still. All in the base frame B.

Of each pair a bound from below comes first: the first piece's ball against the other's cuboid. The
separation itself is asked for where the bound does not rule the pair out.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.poses import poses_one
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    POLYTOPE,
    ROUND,
    Pieces,
    Standing,
    Vector,
    ahead,
    cross,
    dot,
    entry,
    minus,
    stand_turned,
    unit,
)
from articulata.kernels.contacts.separation import separation

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LANES = 16
"""Distances that are found side by side: bounds of the pieces of a figure, a multiple of this."""

FLAT = 1e-9
"""m. Corners that reach equally far along a normal to within this bear a contact together."""


@kernel
def beside(pieces: Pieces, now: Standing, balls: Array, j: int, out: Array) -> None:
    """Write the square of the distance (moving,) of the middles ``balls`` (3, moving) to piece j.

    To its cuboid; 0 inside. One loop without branches, for the compiler to put into lanes.
    """
    count = balls.shape[1]
    if pieces.kind[j] == HALF_SPACE:
        n = entry(now.axis, j)
        at = dot(n, entry(now.vertices, pieces.vertex_start[j]))
        for i in range(count):
            height = max(n[0] * balls[0, i] + n[1] * balls[1, i] + n[2] * balls[2, i] - at, 0.0)
            out[i] = height * height
        return
    x, y, z = entry(now.box, j)
    t = now.turn[j]
    t0, t1, t2, t3, t4, t5, t6, t7, t8 = t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8]
    hx, hy, hz = pieces.box[j, 3], pieces.box[j, 4], pieces.box[j, 5]
    for i in range(count):
        dx = balls[0, i] - x
        dy = balls[1, i] - y
        dz = balls[2, i] - z
        u = max(abs(t0 * dx + t1 * dy + t2 * dz) - hx, 0.0)
        v = max(abs(t3 * dx + t4 * dy + t5 * dz) - hy, 0.0)
        w = max(abs(t6 * dx + t7 * dy + t8 * dz) - hz, 0.0)
        out[i] = u * u + v * v + w * w


@kernel(inline=True)
def ruled_out(square: float, radius: float, best: float) -> bool:
    """Return whether a ball cannot be nearer than ``best``, by the square of ``beside``."""
    far = best + radius
    return square > 0.0 and (far <= 0.0 or square >= far * far)


@kernel
def along_faces(pieces: Pieces, now: Standing, i: int, j: int) -> float:
    """Return a bound from below of the separation of pieces i and j, -inf where none is cheap.

    It is the widest gap along the axes of j's cuboid. A separation is the widest gap along any
    direction, of pieces that overlap too, so that none of them is wider.
    """
    if pieces.kind[i] != POLYTOPE or pieces.kind[j] == HALF_SPACE:
        return -math.inf
    x, y, z = entry(now.box, j)
    t = now.turn[j]
    widest = -math.inf
    for c in range(3):
        low, high = math.inf, -math.inf
        for k in range(pieces.vertex_start[i], pieces.vertex_start[i + 1]):
            at = (
                t[3 * c] * (now.vertices[k, 0] - x)
                + t[3 * c + 1] * (now.vertices[k, 1] - y)
                + t[3 * c + 2] * (now.vertices[k, 2] - z)
            )
            low, high = min(low, at), max(high, at)
        widest = max(widest, max(low, -high) - pieces.box[j, 3 + c] - pieces.radius[i])
    return widest


@kernel
def cuboid(pieces: Pieces, j: int) -> bool:
    """Return whether piece j is the cuboid that holds it: eight corners, all in its corners."""
    first, last = pieces.vertex_start[j], pieces.vertex_start[j + 1]
    if pieces.kind[j] != POLYTOPE or pieces.radius[j] != 0.0 or last - first != 8:
        return False
    for k in range(first, last):
        for c in range(3):
            away = abs(pieces.vertices[k, c] - pieces.box[j, c])
            if abs(away - pieces.box[j, 3 + c]) > FLAT:
                return False
    return True


@kernel
def strikes(pieces: Pieces, now: Standing, i: int, j: int) -> bool:
    """Return whether a corner of piece i, with its radius, is within the cuboid j by ``FLAT``.

    A cheap proof that the two overlap; two that overlap may do without it.
    """
    if pieces.kind[i] != POLYTOPE:
        return False
    x, y, z = entry(now.box, j)
    t = now.turn[j]
    r = pieces.radius[i] - FLAT
    for k in range(pieces.vertex_start[i], pieces.vertex_start[i + 1]):
        dx, dy, dz = now.vertices[k, 0] - x, now.vertices[k, 1] - y, now.vertices[k, 2] - z
        u = max(abs(t[0] * dx + t[1] * dy + t[2] * dz) - pieces.box[j, 3], 0.0)
        v = max(abs(t[3] * dx + t[4] * dy + t[5] * dz) - pieces.box[j, 4], 0.0)
        w = max(abs(t[6] * dx + t[7] * dy + t[8] * dz) - pieces.box[j, 5], 0.0)
        if r > 0.0 and u * u + v * v + w * w < r * r:
            return True
    return False


@kernel
def clearances(
    fixed: Array,
    kinds: IntArray,
    parents: IntArray,
    q: Array,
    pieces: Pieces,
    now: Standing,
    numbers: IntArray,
    enough: float,
    stop: bool,
    distances: Array,
    nearest: IntArray,
    normals: Array,
    points: Array,
    begin: int,
    end: int,
) -> None:
    """Write the least separation of postures ``begin`` to ``end``, and where it is.

    ``numbers`` (pieces, moving) is -1 where the pieces of its row and column are not tested.
    With ``stop`` the first pair nearer than ``enough`` is told, whatever else is nearer still,
    without normals and points; its distance is 0 where it is only known to overlap.
    ``distances`` (batch,); ``nearest`` (batch,) the number of the nearest pair, -1 where all are
    farther than ``enough``, which is the distance then; ``normals`` (batch, 3) from the piece of
    the row to that of the column; ``points`` (batch, 2, 3) on the column's and on the row's.
    ``now`` is scratch of this call alone in which what stands still stands already.
    """
    joints = kinds.shape[0]
    count, moving = numbers.shape
    links = np.empty((joints, 3, 4))
    # whole lanes: what is beyond the moving pieces is not read
    lanes = (moving + LANES - 1) // LANES * LANES
    balls = np.zeros((3, lanes))
    squares = np.empty((count, lanes))
    # of each row: the least square of its pairs, the greatest radius
    closest = np.empty(count)
    widest = np.full(count, -math.inf)
    tested = np.zeros(count, np.bool_)
    passed = np.zeros(count, np.bool_)
    mine = np.zeros(moving, np.bool_)
    # cuboids along the axes: least and greatest coordinates of what stands still
    about = np.empty((count, 6))
    quick = np.zeros(count, np.bool_)
    for j in range(count):
        quick[j] = stop and enough > 0.0 and cuboid(pieces, j)
        for i in range(moving):
            if numbers[j, i] >= 0:
                tested[j] = True
                mine[i] = True
                widest[j] = max(widest[j], pieces.ball[i, 3])
        for c in range(3):
            half = math.inf
            if j >= moving and pieces.kind[j] != HALF_SPACE:
                half = 0.0
                for k in range(3):
                    half += abs(now.turn[j, 3 * k + c]) * pieces.box[j, 3 + k]
            about[j, c] = now.box[j, c] - half
            about[j, c + 3] = now.box[j, c] + half
    for b in range(begin, end):
        poses_one(fixed, kinds, parents, q[b], links)
        for i in range(moving):
            x = links[pieces.body[i]]
            origin = (x[0, 3], x[1, 3], x[2, 3])
            turn = (
                x[0, 0], x[1, 0], x[2, 0], x[0, 1], x[1, 1], x[2, 1], x[0, 2], x[1, 2], x[2, 2]
            )  # fmt: skip
            stand_turned(pieces, i, origin, turn, now)
            for c in range(3):
                balls[c, i] = now.ball[i, c]
        # a cuboid along the axes about all balls that are tested
        low = (math.inf, math.inf, math.inf)
        high = (-math.inf, -math.inf, -math.inf)
        for i in range(moving):
            if mine[i]:
                r = pieces.ball[i, 3]
                x, y, z = balls[0, i], balls[1, i], balls[2, i]
                low = (min(low[0], x - r), min(low[1], y - r), min(low[2], z - r))
                high = (max(high[0], x + r), max(high[1], y + r), max(high[2], z + r))
        row = -1
        column = -1
        least = math.inf
        for j in range(count):
            passed[j] = not tested[j]
            for c in range(3):
                if low[c] - about[j, c + 3] >= enough or about[j, c] - high[c] >= enough:
                    passed[j] = True
            if passed[j]:
                continue
            beside(pieces, now, balls, j, squares[j])
            closest[j] = math.inf
            for i in range(moving):
                if squares[j, i] < closest[j] and numbers[j, i] >= 0:
                    closest[j] = squares[j, i]
                    if closest[j] < least:
                        least, row, column = closest[j], j, i
        best = enough
        which = -1
        at = (0, 0)
        normal = (0.0, 0.0, 0.0)
        # the pair that seems nearest first: what it gives rules most others out
        if row >= 0 and not ruled_out(least, pieces.ball[column, 3], best):
            gap, n = 0.0, normal
            if not (quick[row] and strikes(pieces, now, column, row)):
                gap, n = separation(pieces, now, column, row, best)
            if gap < best:
                best, which, at, normal = gap, numbers[row, column], (column, row), n
        if stop and which < 0:
            for j in range(count):
                if passed[j] or not quick[j] or which >= 0:
                    continue
                for i in range(moving):
                    if numbers[j, i] < 0 or ruled_out(squares[j, i], pieces.ball[i, 3], best):
                        continue
                    if strikes(pieces, now, i, j):
                        best, which, at = 0.0, numbers[j, i], (i, j)
                        break
        for j in range(count):
            if passed[j] or ruled_out(closest[j], widest[j], best):
                continue
            if stop and which >= 0:
                break
            for i in range(moving):
                if numbers[j, i] < 0 or ruled_out(squares[j, i], pieces.ball[i, 3], best):
                    continue
                if j == row and i == column:
                    continue
                if along_faces(pieces, now, i, j) >= best:
                    continue
                gap, n = separation(pieces, now, i, j, best)
                if gap < best:
                    best, which, at, normal = gap, numbers[j, i], (i, j), n
        distances[b] = best
        nearest[b] = which
        p = (0.0, 0.0, 0.0)
        r = (0.0, 0.0, 0.0)
        if which >= 0 and not stop:
            p, r = witnesses(pieces, now, at[0], at[1], normal, best)
        for c in range(3):
            normals[b, c] = normal[c]
            points[b, 0, c] = p[c]
            points[b, 1, c] = r[c]


@kernel(counted=False)
def bearing(pieces: Pieces, now: Standing, i: int, n: Vector) -> tuple[int, Vector, Vector]:
    """Return what of piece i's core lies farthest along n: 1 a point, 2 a line, 3 more.

    With it two points: the ends of a line, or a point twice; of more the middle of its corners.
    """
    first = pieces.vertex_start[i]
    p = entry(now.vertices, first)
    if pieces.kind[i] == ROUND:
        a = entry(now.axis, i)
        u = dot(n, a)
        m, length = unit(ahead(n, -u, a))
        back, front, half = pieces.size[i, 0], pieces.size[i, 1], pieces.size[i, 2]
        if length < FLAT:
            middle = ahead(p, half if u > 0.0 else -half, a)
            return (1 if (front if u > 0.0 else back) == 0.0 else 3), middle, middle
        low = ahead(ahead(p, -half, a), back, m)
        high = ahead(ahead(p, half, a), front, m)
        rise = dot(n, minus(high, low))
        if abs(rise) <= FLAT:
            return 2, low, high
        return (1, high, high) if rise > 0.0 else (1, low, low)
    best = dot(n, p)
    last = p
    count = 1
    total = p
    for k in range(first + 1, pieces.vertex_start[i + 1]):
        v = entry(now.vertices, k)
        reach = dot(n, v)
        if reach > best + FLAT:
            best, p, last, count, total = reach, v, v, 1, v
        elif reach >= best - FLAT:
            count += 1
            last = v
            total = ahead(total, 1.0, v)
    if count > 2:
        middle = (total[0] / count, total[1] / count, total[2] / count)
        return 3, middle, middle
    return count, p, last


@kernel(counted=False)
def witnesses(
    pieces: Pieces, now: Standing, i: int, j: int, n: Vector, gap: float
) -> tuple[Vector, Vector]:
    """Return the points of pieces i and j that are ``gap`` apart along n, from j to i.

    Where faces bear each other every point of both does; one of them is returned.
    """
    m = (-n[0], -n[1], -n[2])
    count, p, p_end = bearing(pieces, now, i, m)
    r = pieces.radius[i]
    if count == 1 or pieces.kind[j] == HALF_SPACE:
        if count == 2:
            p = ahead(p, 0.5, minus(p_end, p))
        p = ahead(p, -r, n)
        return p, ahead(p, -gap, n)
    other, s, s_end = bearing(pieces, now, j, n)
    if other == 1 or (count == 3 and other == 3):
        s = ahead(s, pieces.radius[j], n)
        return ahead(s, gap, n), s
    if count == 2 and other == 2:
        # the places where the two lines cross, seen along n
        d, e = minus(p_end, p), minus(s_end, s)
        w = minus(s, p)
        across = dot(n, cross(d, e))
        if abs(across) > 1e-12 * math.sqrt(dot(d, d) * dot(e, e)):
            t = min(max(dot(n, cross(w, e)) / across, 0.0), 1.0)
            p = ahead(ahead(p, t, d), -r, n)
            return p, ahead(p, -gap, n)
        # beside each other: the middle of what they share
        length = dot(d, d)
        if length == 0.0:
            p = ahead(p, -r, n)
            return p, ahead(p, -gap, n)
        t = dot(w, d) / length
        v = dot(minus(s_end, p), d) / length
        low = max(0.0, min(t, v))
        high = min(1.0, max(t, v))
        p = ahead(ahead(p, 0.5 * (low + high), d), -r, n)
        return p, ahead(p, -gap, n)
    if count == 2:
        p = ahead(ahead(p, 0.5, minus(p_end, p)), -r, n)
        return p, ahead(p, -gap, n)
    s = ahead(ahead(s, 0.5, minus(s_end, s)), pieces.radius[j], n)
    return ahead(s, gap, n), s
