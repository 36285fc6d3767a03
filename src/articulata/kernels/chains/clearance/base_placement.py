"""From which base places a point can be reached: offsets about a base laid against free floor.

A base at b turned by t meets the offset o of its own frame at b + R(t) o. Points and offsets of one
height; the free floor as a raster of cells (0 beyond, 1 on the edge, 2 within), by turn, and the
sides of its polygons that pass through each row of cells. Metres.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel

ByteArray = npt.NDArray[np.int8]

STRIDE = 5
"""Turns between the first ones that two neighbouring offsets try."""


class FreeFloor(NamedTuple):
    """Where a base may stand: ``raster`` (k, ny, nx) by turn, in cells of ``cell`` from ``corner``.

    ``sides`` (s, 4) of the polygons, those of row r of turn k from ``rows[k ny + r]`` on. Bases are
    tried in ``turns`` orientations, 62 at most, the first at ``turned`` rad.
    """

    raster: ByteArray
    corner: Array
    cell: float
    sides: Array
    rows: IntArray
    turns: int
    turned: float


class Offsets(NamedTuple):
    """Offsets level by level in order of liking: ``offsets`` (m, 2), level l from ``first[l]`` on.

    ``same`` (m,) is a number below ``distinct`` that those at one place share, at whatever level.
    """

    first: IntArray
    offsets: Array
    same: IntArray
    distinct: int


@kernel
def within(edges: Array, first: int, last: int, x: float, y: float) -> bool:
    """Return whether (x, y) is within polygons, by the sides that a ray along +x crosses."""
    inside = False
    for k in range(first, last):
        ay = edges[k, 1]
        by = edges[k, 3]
        if (ay > y) != (by > y):
            ax = edges[k, 0]
            if x < ax + (y - ay) / (by - ay) * (edges[k, 2] - ax):
                inside = not inside
    return inside


@kernel
def free_at(floor: FreeFloor, turn: int, x: float, y: float) -> bool:
    """Return whether a base may stand at (x, y) in orientation number ``turn``."""
    raster, corner, cell, sides, rows, _, _ = floor
    column = math.floor((x - corner[0]) / cell)
    row = math.floor((y - corner[1]) / cell)
    if row < 0 or column < 0 or row >= raster.shape[1] or column >= raster.shape[2]:
        return False
    k = turn % raster.shape[0]
    what = raster[k, row, column]
    if what == 1:
        n = k * raster.shape[1] + row
        return within(sides, rows[n], rows[n + 1], x, y)
    return what == 2


@kernel
def _orientations(turns: int, begin: float, share: int) -> tuple[Array, Array, IntArray]:
    """Return cosines and sines of orientations from ``begin`` rad on, bits of ``share`` each."""
    cosines = np.empty(turns)
    sines = np.empty(turns)
    windows = np.zeros(turns, np.int64)
    step = 2.0 * math.pi / turns
    for t in range(turns):
        cosines[t] = math.cos(begin + t * step)
        sines[t] = math.sin(begin + t * step)
        for j in range(share):
            windows[t] |= 1 << ((t + j) % turns)
    return cosines, sines, windows


@kernel
def base_places(
    points: Array,
    least: Array,
    level: IntArray,
    liked: Offsets,
    floor: FreeFloor,
    passes: int,
    cursor: IntArray,
    chosen: IntArray,
    begin: int,
    end: int,
) -> None:
    """Write the next base places of points ``begin`` to ``end``, most comfortable offsets first.

    ``points`` (n, 2); ``least`` (n,) how far the nearest free floor is; those of point p are the
    offsets of ``level[p]``. Each of ``passes`` rounds tries a share of the turns at every offset.
    ``cursor`` (n,) is where to go on, from 0, and at the end ``passes`` times the point's offsets.
    ``chosen`` (n, k, 2) receives numbers of offset, counted from the level's first, and
    orientation, -1 where no more are found. Points that stand above each other are told quicker one
    after the other.
    """
    first, offsets, same, distinct = liked
    turns = floor.turns
    wanted = chosen.shape[1]
    share = turns // passes
    # what is known of the orientations of each offset about a point: a bit for each
    tried = np.zeros(distinct, np.int64)
    free = np.zeros(distinct, np.int64)
    cosines, sines, windows = _orientations(turns, floor.turned, share)
    for p in range(begin, end):
        found = 0
        px = points[p, 0]
        py = points[p, 1]
        if p > begin and (px != points[p - 1, 0] or py != points[p - 1, 1]):
            tried[:] = 0
            free[:] = 0
        far2 = least[p] * least[p]
        start = first[level[p]]
        count = first[level[p] + 1] - start
        at = cursor[p]
        k = at % max(count, 1)
        turn = (at // max(count, 1) * share + STRIDE * k) % turns
        while at < count * passes and found < wanted:
            ox = offsets[start + k, 0]
            oy = offsets[start + k, 1]
            i = same[start + k]
            window = windows[turn]
            # all tried and none free: the most frequent case near walls
            hopeless = tried[i] & window == window and free[i] & window == 0
            if ox * ox + oy * oy >= far2 and not hopeless:
                for j in range(share):
                    t = (turn + j) % turns
                    bit = 1 << t
                    if tried[i] & bit == 0:
                        tried[i] |= bit
                        x = px - cosines[t] * ox + sines[t] * oy
                        y = py - sines[t] * ox - cosines[t] * oy
                        if free_at(floor, t, x, y):
                            free[i] |= bit
                    if free[i] & bit != 0:
                        chosen[p, found, 0] = k
                        chosen[p, found, 1] = t
                        found += 1
                        break
            at += 1
            k += 1
            turn += STRIDE
            if k == count:
                k = 0
                turn = at // count * share
            turn %= turns
        cursor[p] = at
        for rest in range(found, wanted):
            chosen[p, rest, 0] = -1
