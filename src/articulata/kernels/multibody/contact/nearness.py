"""Gaps of pairs of pieces where they matter: those that are near, all others are let go early."""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.patches import boxes_apart, too_far
from articulata.kernels.contacts.pieces import Pieces, Standing, stand
from articulata.kernels.contacts.separation import separation


@kernel
def near_gaps(
    pieces: Pieces, now: Standing, state: Array, pairs: IntArray, margin: float, out: Array
) -> None:
    """Fill ``out`` (k,) with the separations (m) of pairs at ``state``, inf beyond ``margin``.

    ``now`` is scratch.
    """
    stand(pieces, state, now)
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        out[k] = math.inf
        if too_far(pieces, now, i, j, margin) or boxes_apart(pieces, now, i, j, margin):
            continue
        gap, _ = separation(pieces, now, i, j, margin)
        if gap <= margin:
            out[k] = gap
