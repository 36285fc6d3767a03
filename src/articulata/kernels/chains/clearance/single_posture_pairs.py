"""The nearest pair of one posture at a time, for those who ask at every tick of a motion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.clearance.nearest_pairs import (
    FAR,
    LANES,
    Bounds,
    bring,
    nearest_of,
    prepare,
)
from articulata.kernels.chains.forward_kinematics import poses_one
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import Pieces, Standing
from articulata.kernels.held import opened


class Probed(NamedTuple):
    """What is asked: joints are ``M`` (joints, n) times the coordinates, and ``offset`` (joints,).

    ``tree``, ``pieces``, ``now`` and ``numbers`` are those of ``nearest_pairs.clearances``.
    ``size`` (1,) is the largest coordinate that stands still, less than 0 before anything is asked.
    ``values`` (joints,) and ``links`` (joints, 3, 4) are written.
    """

    tree: tuple[Array, IntArray, IntArray]
    M: Array
    offset: Array
    pieces: Pieces
    now: Standing
    numbers: IntArray
    bounds: Bounds
    size: Array
    values: Array
    links: Array


def bounds_for(count: int, moving: int) -> Bounds:
    """Return room for the bounds of ``count`` pieces, of which some are ``moving``."""
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
def probed(held: Any, q: Array, enough: float) -> tuple[float, int]:
    """Return the least separation of a posture ``q`` (n,), and the number of its pair.

    Both are those that ``nearest_pairs.clearances`` writes.
    """
    it = opened(held)
    if it.size[0] < 0.0:
        it.size[0] = prepare(it.pieces, it.now, it.numbers, False, it.bounds)
    for i in range(len(it.values)):
        total = 0.0
        for j in range(len(q)):
            total += it.M[i, j] * q[j]
        it.values[i] = total + it.offset[i]
    fixed, kinds, parents = it.tree
    poses_one(fixed, kinds, parents, it.values, it.links)
    slack = bring(it.pieces, it.now, it.links, enough, it.size[0], it.bounds)
    best, which, _, _, _ = nearest_of(
        it.pieces, it.now, it.numbers, enough, False, it.bounds, slack
    )
    return best, which
