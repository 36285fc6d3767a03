"""Whether bodies that are moved in a room come into others: their convex pieces, exactly."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final

import numpy as np

from articulata.analyses.reach.surroundings.room import Room
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.kernels.contacts.pieces import HALF_SPACE, MEETS, Pieces, Standing, standing
from articulata.kinematics.clash import stand_at

ROUNDING: Final = 1e-6
"""m. What is less is rounding."""


def sinks(room: Room, bodies: Collection[str], others: Collection[str], by: Array) -> bool:
    """Return whether ``bodies``, moved ``by`` (3,) of G, m, come into any of ``others``.

    Where pieces of the two lie in each other already, they must not come deeper: the depth is the
    least way that parts them.
    """
    pieces, now, names = pieces_of(room)
    mine = np.flatnonzero(np.isin(names, list(bodies)))
    rest = np.flatnonzero(np.isin(names, list(others)))
    after = Standing(*(part.copy() for part in now))
    poses = {each.name: each.X_WS for each in room.obstacles}
    for i in mine:
        X = poses[names[i]].copy()
        X[:3, 3] += by
        stand_at(pieces, int(i), X, after)
    pairs = _near(pieces, after, mine, rest)
    there = depths(pieces, after, pairs)
    deep = there > ROUNDING
    here = depths(pieces, now, pairs[deep])
    return bool((there[deep] > np.maximum(here, 0.0) + ROUNDING).any())


@lru_cache(maxsize=8)
def pieces_of(room: Room) -> tuple[Pieces, Standing, Array]:
    """Return the pieces of a room's things, where they stand, and their bodies' names (n,)."""
    arrays = piece_table([each.shape for each in room.obstacles], surfaces=True).arrays
    now = standing(arrays)
    for i, number in enumerate(arrays.body):
        stand_at(arrays, i, room.obstacles[number].X_WS, now)
    names = np.array([each.name for each in room.obstacles])
    return arrays, now, names[arrays.body]


def _near(pieces: Pieces, now: Standing, mine: IntArray, rest: IntArray) -> IntArray:
    """Return the pairs (n, 2) of pieces that may meet: the balls about them do."""
    i, j = (each.ravel() for each in np.meshgrid(mine, rest, indexing="ij"))
    away = np.linalg.norm(now.ball[i] - now.ball[j], axis=1)
    near = away <= pieces.ball[i, 3] + pieces.ball[j, 3]
    near |= (pieces.kind[i] == HALF_SPACE) | (pieces.kind[j] == HALF_SPACE)
    near &= MEETS[pieces.kind[i], pieces.kind[j]]
    return np.column_stack([i[near], j[near]])


def depths(pieces: Pieces, now: Standing, pairs: IntArray) -> Array:
    """Return how deep pairs (n, 2) of pieces lie in each other, m; negative where apart."""
    from articulata.kernels.contacts.patches import separations

    out = np.empty((len(pairs), 4))
    separations(pieces, now, np.ascontiguousarray(pairs), out)
    return -out[:, 0]
