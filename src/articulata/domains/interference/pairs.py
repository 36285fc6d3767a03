"""Which bodies of a world are tested against each other.

Not tested: pairs the world ignores, neighbours in a hinge, pairs of bodies that are both fixed,
bodies without a shape and bodies that say ``interference: none``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from articulata.domains.interference.pieces import PieceTable
from articulata.geometry.arrays import IntArray
from articulata.kernels.contacts.pieces import HALF_SPACE
from articulata.world.model import World


def body_pairs(world: World, without: Iterable[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return the pairs of bodies that are tested, in the world's order."""
    left_out = set(without)
    shaped = [
        b
        for b in world.bodies.values()
        if b.shape is not None and b.levels is not None and b.id not in left_out
    ]
    joined = {frozenset((h.body_a, h.body_b)) for h in world.hinges.values()}
    return tuple(
        (a.id, b.id)
        for a, b in combinations(shaped, 2)
        if not (a.motion == b.motion == "fixed")
        and frozenset((a.id, b.id)) not in world.ignored
        and frozenset((a.id, b.id)) not in joined
    )


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
