"""Which bodies are near each other: axis-aligned boxes, swept along the axis they spread along."""

from __future__ import annotations

import numpy as np

from articulata.geometry.convex_pieces.piece_table import PieceTable
from articulata.kernels.contacts.broad import sweep
from articulata.kernels.contacts.pieces import HALF_SPACE, Standing


def near_bodies(table: PieceTable, now: Standing, margin: float) -> set[tuple[int, int]]:
    """Return the pairs of bodies, smaller number first, with boxes at most ``margin`` m apart.

    ``now`` are the pieces where they stand. Endless bodies are near every other.
    """
    arrays = table.arrays
    bodies = arrays.body
    endless = set(bodies[arrays.kind == HALF_SPACE].tolist())
    mine = np.nonzero(~np.isin(bodies, list(endless)))[0]
    axes = now.turn[mine].reshape(-1, 3, 3)
    reach = np.einsum("pkx,pk->px", np.abs(axes), arrays.box[mine, 3:]) + 0.5 * margin
    low, high = now.box[mine] - reach, now.box[mine] + reach
    found: set[tuple[int, int]] = set()
    if len(mine):
        axis = int(np.argmax(np.ptp(now.box[mine], axis=0)))
        order = np.argsort(low[:, axis], kind="stable")
        pairs = np.zeros((4 * len(mine), 2), np.int64)
        count = sweep(low, high, order, axis, pairs)
        if count > len(pairs):
            pairs = np.zeros((count, 2), np.int64)
            sweep(low, high, order, axis, pairs)
        ends = np.sort(bodies[mine][pairs[:count]], axis=1)
        found = {(a, b) for a, b in ends.tolist() if a != b}
    others = set(bodies.tolist())
    for b in endless:
        found |= {(min(b, other), max(b, other)) for other in others if other != b}
    return found
