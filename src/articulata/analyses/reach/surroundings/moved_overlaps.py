"""Whether bodies that are moved in a room come into others: their convex pieces, exactly.

How deep points lie within what stands in a room.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from articulata.analyses.reach.surroundings.room import Room
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.kernels.contacts.patches import separations
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
    out = np.empty((len(pairs), 4))
    separations(pieces, now, np.ascontiguousarray(pairs), out)
    return -out[:, 0]


def depth(room: Room, points: Array) -> Array:
    """Return how deep points (n, 3) in G lie within a body of the room, m; negative outside."""
    found = np.full(len(points), -np.inf)
    if not len(points):
        return found
    numbers, lows, highs = _boxes(room)
    about = (lows <= points.max(axis=0)) & (highs >= points.min(axis=0))
    order = np.argsort(points[:, 0], kind="stable")
    first = points[order, 0]
    for k in np.flatnonzero(about.all(axis=1)):
        inner, low, high = room.solids[numbers[k]].inner, lows[k], highs[k]
        near = order[np.searchsorted(first, low[0]) : np.searchsorted(first, high[0], "right")]
        for axis in (1, 2):  # one at a time: each leaves fewer for the next
            near = near[(points[near, axis] >= low[axis]) & (points[near, axis] <= high[axis])]
        if not len(near):
            continue
        try:
            sides = ConvexHull(inner).equations
        except QhullError:
            continue
        found[near] = np.maximum(
            found[near], -(points[near] @ sides[:, :3].T + sides[:, 3]).max(axis=1)
        )
    return found


@lru_cache(maxsize=8)
def _boxes(room: Room) -> tuple[IntArray, Array, Array]:
    """Return the numbers (n,) of the solids that hold points, and the boxes (n, 3) about them."""
    solid = [k for k, each in enumerate(room.solids) if len(each.inner) >= 4]
    low = [room.solids[k].inner.min(axis=0) for k in solid]
    high = [room.solids[k].inner.max(axis=0) for k in solid]
    return np.array(solid, np.int64), np.reshape(low, (-1, 3)), np.reshape(high, (-1, 3))
