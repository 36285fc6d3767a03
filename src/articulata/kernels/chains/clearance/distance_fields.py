"""How far every place of a room is from what stands in it, and postures judged by that alone.

A field is a grid of cells (nx, ny, nz, 2) about ``corner``, ``cell`` m wide: at each cell's middle
the distance to the nearest cuboid that holds a piece, which is a bound from below of the distance
to the pieces, and the distance to the nearest piece that is a cuboid itself, negative within it.
Distances change no faster than places: from a middle they bound those of every point. Beyond
``FAR`` they are not told from each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.forward_kinematics import TreeArrays, poses_one
from articulata.kernels.compile import kernel

Float32 = npt.NDArray[np.float32]
ByteArray = npt.NDArray[np.int8]

FAR = 0.4
"""m."""

ROUNDING = 1e-6
"""m. More than float32 rounds away."""

STRUCK, FREE, OPEN = 0, 1, 2
"""What a field says of a posture: it strikes something, nothing, or it is not decided."""


class Balls(NamedTuple):
    """Balls of moving pieces: ``whole`` (pieces, 4) is one about each of them.

    ``samples`` (m, 5) are balls that hold a piece together, each with the radius of a ball about
    the same middle that is part of it, negative for none; those of piece p are
    ``starts[p] : starts[p + 1]``.
    """

    whole: Array
    starts: IntArray
    samples: Array


class Fields(NamedTuple):
    """Fields ``field`` (k, nx, ny, nz, 2); that of piece p is number ``of[p]``."""

    field: Float32
    of: IntArray
    corner: Array
    cell: float


@kernel
def near_cuboid(
    middle: Array, turn: Array, half: Array, solid: bool, corner: Array, cell: float, field: Float32
) -> None:
    """Lower a field where a cuboid is near: ``middle``, ``half`` (3,), axes ``turn`` (9,).

    ``solid`` says that the cuboid is itself the piece.
    """
    first = np.empty(3, np.int64)
    last = np.empty(3, np.int64)
    for c in range(3):
        reach = FAR
        for k in range(3):
            reach += abs(turn[3 * k + c]) * half[k]
        first[c] = max(0, math.floor((middle[c] - reach - corner[c]) / cell))
        last[c] = min(field.shape[c], math.ceil((middle[c] + reach - corner[c]) / cell))
    for i in range(first[0], last[0]):
        dx = corner[0] + (i + 0.5) * cell - middle[0]
        for j in range(first[1], last[1]):
            dy = corner[1] + (j + 0.5) * cell - middle[1]
            for k in range(first[2], last[2]):
                dz = corner[2] + (k + 0.5) * cell - middle[2]
                u = abs(turn[0] * dx + turn[1] * dy + turn[2] * dz) - half[0]
                v = abs(turn[3] * dx + turn[4] * dy + turn[5] * dz) - half[1]
                w = abs(turn[6] * dx + turn[7] * dy + turn[8] * dz) - half[2]
                a, b, d = max(u, 0.0), max(v, 0.0), max(w, 0.0)
                away = math.sqrt(a * a + b * b + d * d)
                if away < field[i, j, k, 0]:
                    field[i, j, k, 0] = away
                if solid:
                    away += min(max(u, max(v, w)), 0.0)
                    if away < field[i, j, k, 1]:
                        field[i, j, k, 1] = away


@kernel
def link_frames(
    tree: TreeArrays, q: Array, links: IntArray, out: Array, begin: int, end: int
) -> None:
    """Write the poses of ``links`` for postures ``begin`` to ``end``: out (batch, links, 12)."""
    work = np.empty((tree.kinds.shape[0], 3, 4))
    for b in range(begin, end):
        poses_one(tree, q[b], work)
        for n in range(links.shape[0]):
            x = work[links[n]]
            for r in range(3):
                for c in range(4):
                    out[b, n, 4 * r + c] = x[r, c]


@kernel(counted=False)
def judge(
    frames: Array,
    row: IntArray,
    base: Array,
    balls: Balls,
    room: Fields,
    verdicts: ByteArray,
    begin: int,
    end: int,
) -> None:
    """Write what fields say of postures ``begin`` to ``end``.

    ``frames`` (rows, pieces, 12) are poses of the pieces' links, of posture b those of ``row[b]``,
    moved to ``base`` (n, 3): x, y and turn.
    """
    fields, of, corner, cell = room
    whole, starts, samples = balls
    count = starts.shape[0] - 1
    nx, ny, nz = fields.shape[1], fields.shape[2], fields.shape[3]
    for b in range(begin, end):
        cosine = math.cos(base[b, 2])
        sine = math.sin(base[b, 2])
        verdict = FREE
        for p in range(count - 1, -1, -1):
            x = frames[row[b], p]
            field = fields[of[p]]
            for s in range(starts[p] - 1, starts[p + 1]):
                # first the ball about all of the piece
                if s < starts[p]:
                    lx, ly, lz, r, core = whole[p, 0], whole[p, 1], whole[p, 2], whole[p, 3], -1.0
                else:
                    lx, ly, lz = samples[s, 0], samples[s, 1], samples[s, 2]
                    r, core = samples[s, 3], samples[s, 4]
                hx = x[0] * lx + x[1] * ly + x[2] * lz + x[3]
                hy = x[4] * lx + x[5] * ly + x[6] * lz + x[7]
                gx = (base[b, 0] + cosine * hx - sine * hy - corner[0]) / cell
                gy = (base[b, 1] + sine * hx + cosine * hy - corner[1]) / cell
                gz = (x[8] * lx + x[9] * ly + x[10] * lz + x[11] - corner[2]) / cell
                i = min(max(math.floor(gx), 0), nx - 1)
                j = min(max(math.floor(gy), 0), ny - 1)
                k = min(max(math.floor(gz), 0), nz - 1)
                dx, dy, dz = gx - i - 0.5, gy - j - 0.5, gz - k - 0.5
                off = cell * math.sqrt(dx * dx + dy * dy + dz * dz) + ROUNDING
                clear = field[i, j, k, 0] - off > r
                if s < starts[p]:
                    if clear:
                        break
                    continue
                if not clear:
                    verdict = OPEN
                    if field[i, j, k, 1] + off < core:
                        verdict = STRUCK
                        break
            if verdict == STRUCK:
                break
        verdicts[b] = verdict
