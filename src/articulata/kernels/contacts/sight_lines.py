"""Which piece stands between two points: straight lines against convex pieces."""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import HALF_SPACE, Pieces, Standing
from articulata.kernels.contacts.separation import separation


@kernel(counted=False)
def entering(pieces: Pieces, now: Standing, j: int, a: Array, b: Array) -> float:
    """Return at what share of the way from a to b piece j's cuboid begins; inf where nowhere."""
    low = 0.0
    high = 1.0
    for c in range(3):
        start = 0.0
        rate = 0.0
        for r in range(3):
            t = now.turn[j, 3 * c + r]
            start += t * (a[r] - now.box[j, r])
            rate += t * (b[r] - a[r])
        half = pieces.box[j, 3 + c]
        if rate == 0.0:
            if abs(start) > half:
                return math.inf
            continue
        first = (-half - start) / rate
        last = (half - start) / rate
        low = max(low, min(first, last))
        high = min(high, max(first, last))
    return low if low <= high else math.inf


@kernel
def hidden(
    pieces: Pieces,
    now: Standing,
    line: int,
    others: IntArray,
    ends: Array,
    depth: float,
    found: IntArray,
    begin: int,
    end: int,
) -> None:
    """Write which of ``others`` first hides line k, ``ends`` (batch, 2, 3), -1 where none does.

    ``line`` is the piece that stands for the lines: two corners and no radius. ``depth`` (m) is how
    deep a line must pass through a piece: one that lies on a face hides nothing.
    """
    first = pieces.vertex_start[line]
    for k in range(begin, end):
        for r in range(3):
            now.vertices[first, r] = ends[k, 0, r]
            now.vertices[first + 1, r] = ends[k, 1, r]
        found[k] = -1
        least = math.inf
        for m in range(others.shape[0]):
            j = others[m]
            share = 0.0
            if pieces.kind[j] != HALF_SPACE:
                share = entering(pieces, now, j, ends[k, 0], ends[k, 1])
            if share >= least:
                continue
            gap, _ = separation(pieces, now, line, j, 0.0)
            if gap < -depth:
                least = share
                found[k] = m
