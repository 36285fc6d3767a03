"""From which base places a point can be reached: offsets about a base laid against free floor.

A base at b turned by t meets the offset o of its own frame at b + R(t) o. Points and offsets of one
height; the free floor as a raster of cells (0 beyond, 1 on the edge, 2 within) and the sides of its
polygons, by turn. Metres.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from articulata.kernels.compile import kernel

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
ByteArray = npt.NDArray[np.int8]

STRIDE = 5
"""Turns between the first ones that two neighbouring offsets try."""


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
def free_at(
    raster: ByteArray,
    corner: Array,
    cell: float,
    edges: Array,
    starts: IntArray,
    turn: int,
    x: float,
    y: float,
) -> bool:
    """Return whether a base may stand at (x, y) in orientation number ``turn``."""
    column = math.floor((x - corner[0]) / cell)
    row = math.floor((y - corner[1]) / cell)
    if row < 0 or column < 0 or row >= raster.shape[1] or column >= raster.shape[2]:
        return False
    k = turn % raster.shape[0]
    what = raster[k, row, column]
    if what == 1:
        return within(edges, starts[k], starts[k + 1], x, y)
    return what == 2


@kernel
def base_places(
    points: Array,
    least: Array,
    offsets: Array,
    same: IntArray,
    raster: ByteArray,
    corner: Array,
    cell: float,
    edges: Array,
    starts: IntArray,
    turns: int,
    passes: int,
    cursor: IntArray,
    chosen: IntArray,
    begin: int,
    end: int,
) -> None:
    """Write the next base places of points ``begin`` to ``end``, most comfortable offsets first.

    ``points`` (n, 2); ``least`` (n,) how far the nearest free floor is; ``offsets`` (m, 2) in order
    of liking, ``same`` (m,) a number that those at one place share; ``turns`` are 62 at most. Each
    of ``passes`` rounds tries a share of the orientations of every offset. ``cursor`` (n,) is where
    to go on, from 0, and m ``passes`` at the end. ``chosen`` (n, k, 2) receives numbers of offset
    and orientation, -1 where no more are found.
    """
    count = offsets.shape[0]
    wanted = chosen.shape[1]
    step = 2.0 * math.pi / turns
    share = turns // passes
    # what is known of the orientations of each offset about a point: a bit for each
    tried = np.zeros(count, np.int64)
    free = np.zeros(count, np.int64)
    cosines = np.empty(turns)
    sines = np.empty(turns)
    for t in range(turns):
        cosines[t] = math.cos(t * step)
        sines[t] = math.sin(t * step)
    for p in range(begin, end):
        found = 0
        px = points[p, 0]
        py = points[p, 1]
        far2 = least[p] * least[p]
        at = cursor[p]
        tried[:] = 0
        free[:] = 0
        while at < count * passes and found < wanted:
            k = at % count
            ox = offsets[k, 0]
            oy = offsets[k, 1]
            if ox * ox + oy * oy >= far2:
                first = (at // count) * share + STRIDE * k
                for j in range(share):
                    t = (first + j) % turns
                    bit = 1 << t
                    if tried[same[k]] & bit == 0:
                        tried[same[k]] |= bit
                        x = px - cosines[t] * ox + sines[t] * oy
                        y = py - sines[t] * ox - cosines[t] * oy
                        if free_at(raster, corner, cell, edges, starts, t, x, y):
                            free[same[k]] |= bit
                    if free[same[k]] & bit != 0:
                        chosen[p, found, 0] = k
                        chosen[p, found, 1] = t
                        found += 1
                        break
            at += 1
        cursor[p] = at
        for rest in range(found, wanted):
            chosen[p, rest, 0] = -1
