"""Pairs of pieces of the pairs of bodies that are tested."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from articulata.domains.interference.pieces import PieceTable
from articulata.geometry.arrays import IntArray
from articulata.kernels.contacts.pieces import HALF_SPACE


def piece_pairs(table: PieceTable, pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Return the pairs of pieces (k, 2) of pairs of bodies."""
    kind = table.arrays.kind
    found = [
        (i, j)
        for a, b in pairs
        for i in table.of_body[a]
        for j in table.of_body[b]
        # two endless bodies have no first touch that could be looked for
        if not kind[i] == kind[j] == HALF_SPACE
    ]
    return np.array(found, np.int64).reshape(-1, 2)
