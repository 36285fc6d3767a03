"""How far the pieces of a figure are from those of a room and from each other, posture by posture.

Pieces are those of ``articulata.kernels.contacts``: the first ``moving`` ones belong to links
(``body`` is the joint that moves the link), the others stand still. All in the base frame B.

Of each pair a bound from below comes first: the first piece's ball against the other's cuboid, in
single precision. The separation itself is asked for where the bound does not rule the pair out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.chains.forward_kinematics import TreeArrays, poses_one
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    POLYTOPE,
    Pieces,
    Standing,
    entry,
    stand_turned,
)
from articulata.kernels.contacts.separation import separation
from articulata.kernels.contacts.witnesses import witnesses
from articulata.kernels.held import opened
from articulata.kernels.space_vectors import Vector

Single = npt.NDArray[np.float32]
Bits = npt.NDArray[np.int32]

LANES = 16
"""Distances that are found side by side: bounds of the pieces of a figure, a multiple of this."""

FAR = np.int32(0x7F800000)
"""The bits of inf in single precision."""

GRAIN = 4e-6
"""How far distances in single precision are off at most, as a share of the largest coordinate."""

ROUNDED = 1.0 + 1e-6
"""The like for the square of a distance."""

FLAT = 1e-9
"""m. How far a corner may lie off one of the cuboid's, and how deep a corner that strikes is."""


class Pairs(NamedTuple):
    """Which pieces are tested against which, and the ``tree`` of the joints that move them.

    ``numbers`` (pieces, moving) is -1 where the pieces of its row and column are not tested.
    ``now`` is scratch of one call alone in which what stands still stands already.
    """

    tree: TreeArrays
    pieces: Pieces
    now: Standing
    numbers: IntArray


class Nearest(NamedTuple):
    """The nearest pairs of n postures.

    ``distances`` (n,); ``numbers`` (n,) those of the pairs, -1 where all are farther than is
    enough, which is the distance then; ``normals`` (n, 3) from the piece of the row to that of the
    column; ``points`` (n, 2, 3) on the column's and on the row's.
    """

    distances: Array
    numbers: IntArray
    normals: Array
    points: Array


class Bounds(NamedTuple):
    """What rules pairs out, of p pieces of which m move, in lanes (l,), l >= m.

    ``balls`` (3, l) are the middles of the moving pieces, ``cuboids`` (p, 15) what ``beside`` asks
    of a piece. ``masks`` (p, l) is 0 where a pair is tested, ``FAR`` elsewhere; ``squares`` (p, l)
    those of the distances, ``least`` (p,) those of a row; both by their bits too, whose order is
    that of numbers from 0 on. ``widest`` (p,) is the greatest radius of the balls that are tested
    with a piece, ``about`` (p, 6) its least and greatest coordinates, -inf and inf where it moves.
    ``tested`` (p,) and ``mine`` (m,) tell which rows and columns hold a pair that is tested;
    ``quick`` (p,) which are cuboids that a corner may be shown to be in; ``passed`` (p,) which are
    out of the way of this posture.
    """

    balls: Single
    cuboids: Single
    masks: Bits
    squares: Single
    square_bits: Bits
    least: Single
    least_bits: Bits
    widest: Array
    about: Array
    tested: BoolArray
    mine: BoolArray
    quick: BoolArray
    passed: BoolArray


@kernel(counted=False, fastmath={"contract"})
def beside(bounds: Bounds, j: int, endless: bool) -> Any:
    """Write the squares of the distances of all balls' middles to piece j; return the least's bits.

    To its cuboid: a middle, the axes one after the other, half the edges; 0 inside. An ``endless``
    piece has a point of its plane and the normal there. Loops without branches, for the compiler to
    put into lanes.
    """
    balls, out, bits, masks = bounds.balls, bounds.squares, bounds.square_bits, bounds.masks
    box = bounds.cuboids
    count = balls.shape[1]
    x, y, z = box[j, 0], box[j, 1], box[j, 2]
    t0, t1, t2 = box[j, 3], box[j, 4], box[j, 5]
    none = np.float32(0.0)
    if endless:
        for i in range(count):
            height = t0 * (balls[0, i] - x) + t1 * (balls[1, i] - y) + t2 * (balls[2, i] - z)
            height = max(height, none)
            out[j, i] = height * height
    else:
        t3, t4, t5 = box[j, 6], box[j, 7], box[j, 8]
        t6, t7, t8 = box[j, 9], box[j, 10], box[j, 11]
        hx, hy, hz = box[j, 12], box[j, 13], box[j, 14]
        for i in range(count):
            dx = balls[0, i] - x
            dy = balls[1, i] - y
            dz = balls[2, i] - z
            u = max(abs(t0 * dx + t1 * dy + t2 * dz) - hx, none)
            v = max(abs(t3 * dx + t4 * dy + t5 * dz) - hy, none)
            w = max(abs(t6 * dx + t7 * dy + t8 * dz) - hz, none)
            out[j, i] = u * u + v * v + w * w
    least = FAR
    for i in range(count):
        bits[j, i] = max(bits[j, i], masks[j, i])
        least = min(least, bits[j, i])
    return least


@kernel(inline=True)
def ruled_out(square: float, radius: float, best: float) -> bool:
    """Return whether a ball cannot be nearer than ``best``, by the square of ``beside``."""
    far = best + radius
    return square > 0.0 and (far <= 0.0 or square >= ROUNDED * far * far)


@kernel(counted=False)
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


@kernel(counted=False)
def enter_cuboid(pieces: Pieces, now: Standing, j: int, bounds: Bounds) -> float:
    """Write what ``beside`` asks of piece j, as it stands now; return its largest coordinate."""
    row = bounds.cuboids
    endless = pieces.kind[j] == HALF_SPACE
    largest = 0.0
    for c in range(3):
        at = now.vertices[pieces.vertex_start[j], c] if endless else now.box[j, c]
        half = 0.0 if endless else pieces.box[j, 3 + c]
        row[j, c] = at
        row[j, 3 + c] = now.axis[j, c] if endless else now.turn[j, c]
        row[j, 6 + c] = now.turn[j, 3 + c]
        row[j, 9 + c] = now.turn[j, 6 + c]
        row[j, 12 + c] = half
        largest = max(largest, max(abs(at), half))
    return largest


@kernel(counted=False)
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


@kernel(counted=False)
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


@kernel(counted=False)
def prepare(pieces: Pieces, now: Standing, numbers: IntArray, quick: bool, bounds: Bounds) -> float:
    """Write what does not change with the posture; return the largest coordinate that stands still.

    Rows are ``quick`` where it is enough to know that two pieces overlap.
    """
    count, moving = numbers.shape
    size = 0.0
    for j in range(count):
        bounds.quick[j] = quick and cuboid(pieces, j)
        bounds.tested[j] = False
        bounds.widest[j] = -math.inf
        for i in range(moving):
            if numbers[j, i] >= 0:
                bounds.tested[j] = True
                bounds.mine[i] = True
                bounds.masks[j, i] = 0
                bounds.widest[j] = max(bounds.widest[j], pieces.ball[i, 3])
        for c in range(3):
            half = math.inf
            if j >= moving and pieces.kind[j] != HALF_SPACE:
                half = 0.0
                for k in range(3):
                    half += abs(now.turn[j, 3 * k + c]) * pieces.box[j, 3 + k]
            bounds.about[j, c] = now.box[j, c] - half
            bounds.about[j, c + 3] = now.box[j, c] + half
        if j >= moving:
            size = max(size, enter_cuboid(pieces, now, j, bounds))
    return size


@kernel(counted=False)
def bring(
    pieces: Pieces, now: Standing, links: Array, enough: float, size: float, bounds: Bounds
) -> float:
    """Let the moving pieces stand where ``links`` (joints, 3, 4) put them.

    Return by how much the distances that ``beside`` writes may be off, m.
    """
    moving = bounds.mine.shape[0]
    # a cuboid along the axes about all balls that are tested
    low = (math.inf, math.inf, math.inf)
    high = (-math.inf, -math.inf, -math.inf)
    for i in range(moving):
        k = pieces.body[i]
        origin = (links[k, 0, 3], links[k, 1, 3], links[k, 2, 3])
        turn = (
            links[k, 0, 0], links[k, 1, 0], links[k, 2, 0],
            links[k, 0, 1], links[k, 1, 1], links[k, 2, 1],
            links[k, 0, 2], links[k, 1, 2], links[k, 2, 2],
        )  # fmt: skip
        stand_turned(pieces, i, origin, turn, now)
        x, y, z = entry(now.ball, i)
        bounds.balls[0, i], bounds.balls[1, i], bounds.balls[2, i] = x, y, z
        if bounds.mine[i]:
            r = pieces.ball[i, 3]
            low = (min(low[0], x - r), min(low[1], y - r), min(low[2], z - r))
            high = (max(high[0], x + r), max(high[1], y + r), max(high[2], z + r))
        if bounds.tested[i]:
            size = max(size, enter_cuboid(pieces, now, i, bounds))
    about = bounds.about
    for j in range(about.shape[0]):
        passed = not bounds.tested[j]
        for c in range(3):
            passed |= low[c] - about[j, c + 3] >= enough or about[j, c] - high[c] >= enough
        bounds.passed[j] = passed
    for c in range(3):
        size = max(size, max(abs(low[c]), abs(high[c])))
    return GRAIN * size


@kernel(counted=False)
def likeliest(pieces: Pieces, bounds: Bounds) -> tuple[int, int]:
    """Write all squares; return the row and column of the least, row -1 where there is none."""
    row, column = -1, 0
    least = FAR
    for j in range(bounds.passed.shape[0]):
        if bounds.passed[j]:
            continue
        found = beside(bounds, j, pieces.kind[j] == HALF_SPACE)
        bounds.least_bits[j] = found
        if found < least:
            least, row = found, j
    if row >= 0:
        while bounds.square_bits[row, column] != least:
            column += 1
    return row, column


@kernel(counted=False)
def nearest_of(
    pairs: Pairs, enough: float, stop: bool, bounds: Bounds, slack: float
) -> tuple[float, int, int, int, Vector]:
    """Return the least separation, the number of its pair, column and row, and the normal."""
    _, pieces, now, numbers = pairs
    count, moving = numbers.shape
    squares, quick, passed, ball = bounds.squares, bounds.quick, bounds.passed, pieces.ball
    best, which, at, to = enough, -1, 0, 0
    normal = (0.0, 0.0, 0.0)
    # the pair that seems nearest first: what it gives rules most others out
    row, column = likeliest(pieces, bounds)
    if row >= 0 and not ruled_out(squares[row, column], ball[column, 3] + slack, best):
        gap, n = 0.0, normal
        if not (quick[row] and strikes(pieces, now, column, row)):
            gap, n = separation(pieces, now, column, row, best)
        if gap < best:
            best, which, at, to, normal = gap, numbers[row, column], column, row, n
    if stop and which < 0:
        for j in range(count):
            if passed[j] or not quick[j]:
                continue
            for i in range(moving):
                if ruled_out(squares[j, i], ball[i, 3] + slack, best):
                    continue
                if strikes(pieces, now, i, j):
                    return 0.0, numbers[j, i], i, j, normal
    for j in range(count):
        if passed[j] or ruled_out(bounds.least[j], bounds.widest[j] + slack, best):
            continue
        if stop and which >= 0:
            break
        for i in range(moving):
            if (j == row and i == column) or ruled_out(squares[j, i], ball[i, 3] + slack, best):
                continue
            if along_faces(pieces, now, i, j) >= best:
                continue
            gap, n = separation(pieces, now, i, j, best)
            if gap < best:
                best, which, at, to, normal = gap, numbers[j, i], i, j, n
    return best, which, at, to, normal


@kernel
def bounds_for(count: int, moving: int) -> Bounds:
    """Return room for the bounds of ``count`` pieces, of which some are ``moving``."""
    # whole lanes: what is beyond the moving pieces is masked
    lanes = (moving + LANES - 1) // LANES * LANES
    squares, least = np.empty((count, lanes), np.float32), np.empty(count, np.float32)
    return Bounds(
        np.zeros((3, lanes), np.float32), np.zeros((count, 15), np.float32),
        np.full((count, lanes), FAR, np.int32), squares, squares.view(np.int32),
        least, least.view(np.int32), np.empty(count), np.empty((count, 6)),
        np.zeros(count, np.bool_), np.zeros(moving, np.bool_), np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
    )  # fmt: skip


@kernel
def clearances(
    pairs: Pairs, q: Array, enough: float, stop: bool, found: Nearest, begin: int, end: int
) -> None:
    """Write the least separation of postures ``begin`` to ``end``, and where it is.

    With ``stop`` the first pair nearer than ``enough`` is told, whatever else is nearer still,
    without normals and points; its distance is 0 where it is only known to overlap.
    """
    tree, pieces, now, numbers = pairs
    links = np.empty((tree.kinds.shape[0], 3, 4))
    bounds = bounds_for(numbers.shape[0], numbers.shape[1])
    size = prepare(pieces, now, numbers, stop and enough > 0.0, bounds)
    for b in range(begin, end):
        poses_one(tree, q[b], links)
        slack = bring(pieces, now, links, enough, size, bounds)
        best, which, i, j, n = nearest_of(pairs, enough, stop, bounds, slack)
        found.distances[b] = best
        found.numbers[b] = which
        p = (0.0, 0.0, 0.0)
        r = (0.0, 0.0, 0.0)
        if which >= 0 and not stop:
            p, r = witnesses(pieces, now, i, j, n, best)
        for c in range(3):
            found.normals[b, c] = n[c]
            found.points[b, 0, c] = p[c]
            found.points[b, 1, c] = r[c]


# ---- one posture at a time, for those who ask at every tick of a motion


class Probed(NamedTuple):
    """What is asked: joints are ``M`` (joints, n) times the coordinates, and ``offset`` (joints,).

    ``size`` (1,) is the largest coordinate that stands still, less than 0 before anything is asked.
    ``values`` (joints,) and ``links`` (joints, 3, 4) are written.
    """

    pairs: Pairs
    M: Array
    offset: Array
    bounds: Bounds
    size: Array
    values: Array
    links: Array


@kernel
def probed(held: Any, q: Array, enough: float) -> tuple[float, int]:
    """Return the least separation of a posture ``q`` (n,), and the number of its pair.

    Both are those that ``clearances`` writes.
    """
    it = opened(held)
    tree, pieces, now, numbers = it.pairs
    if it.size[0] < 0.0:
        it.size[0] = prepare(pieces, now, numbers, False, it.bounds)
    for i in range(len(it.values)):
        total = 0.0
        for j in range(len(q)):
            total += it.M[i, j] * q[j]
        it.values[i] = total + it.offset[i]
    poses_one(tree, it.values, it.links)
    slack = bring(pieces, now, it.links, enough, it.size[0], it.bounds)
    best, which, _, _, _ = nearest_of(it.pairs, enough, False, it.bounds, slack)
    return best, which
