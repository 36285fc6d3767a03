"""Pairs of pieces of the pairs of bodies that are tested."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from articulata.geometry.arrays import IntArray
from articulata.geometry.convex_pieces.piece_table import PieceTable
from articulata.kernels.contacts.pieces import MEETS


def piece_pairs(table: PieceTable, pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Return the pairs of pieces (k, 2) of pairs of bodies."""
    kind = table.arrays.kind
    found = [(i, j) for a, b in pairs for i in table.of_body[a] for j in table.of_body[b]]
    rows = np.array(found, np.int64).reshape(-1, 2)
    return rows[MEETS[kind[rows[:, 0]], kind[rows[:, 1]]]]
