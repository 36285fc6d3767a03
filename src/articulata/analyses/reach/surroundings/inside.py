"""How deep points lie within what stands in a room."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from articulata.analyses.reach.surroundings.room import Room
from articulata.geometry.arrays import Array, IntArray


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
