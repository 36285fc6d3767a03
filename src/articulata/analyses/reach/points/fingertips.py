"""Whether the end of a finger, which may press on what it touches, went through something thin.

Thin are glass, sheets and open scans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from articulata.analyses.reach.one_person.body import Body
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.one_person.hands import PULP
from articulata.analyses.reach.surroundings.room import Room, Solid
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.chains.clearance.segment_crossings import crossing

THIN: Final = PULP + TOLERANCE
"""m. What is thicker the end of a finger does not go through."""

NEAR: Final = PULP + 2.0 * TOLERANCE
"""m. Of what is farther from a point a fingertip that touches it knows nothing."""

FLAT: Final = 1e-5
"""m. A piece that is thinner is a sheet."""

TOUCHED: Final = 1.5 * TOLERANCE
"""m. What a fingertip comes into no farther than this it touches."""


@dataclass(frozen=True, slots=True, eq=False)
class ThinPieces:
    """Convex pieces in G: piece k lies between ``low[k]`` and ``high[k]`` (3,), m.

    It is where ``sides[j, :3] @ p + sides[j, 3] <= 0`` for all j in ``first[k] : first[k + 1]``.
    """

    low: Array
    high: Array
    first: IntArray
    sides: Array

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.low)


@lru_cache(maxsize=8)
def thin_pieces(room: Room) -> ThinPieces:
    """Return the pieces of a room that the end of a finger could go through."""
    found = [
        (solid.inner, sides)
        for solid in _perhaps(room.solids)
        if (sides := _sides(solid)) is not None and _thickness(solid, sides) < THIN
    ]
    corners = [each for each, _ in found]
    return ThinPieces(
        np.reshape([each.min(axis=0) for each in corners], (-1, 3)),
        np.reshape([each.max(axis=0) for each in corners], (-1, 3)),
        np.cumsum([0, *(len(sides) for _, sides in found)], dtype=np.int64),
        np.concatenate([np.zeros((0, 4)), *(sides for _, sides in found)]),
    )


def through(
    thin: ThinPieces, body: Body, hands: Sequence[str], q: Array, hand: IntArray
) -> BoolArray:
    """Return in which postures (n, dof) the end of a finger goes through something thin.

    ``hand`` (n,) numbers ``hands``. The end is the last centimetre, with which nothing is struck.
    It went through what it comes out of, at ``TOLERANCE`` beyond the tip at the latest. What it
    enters nearer than ``TOUCHED`` to the tip it touches.
    """
    found = np.zeros(len(q), bool)
    for number, name in enumerate(hands):
        mine = np.flatnonzero(hand == number)
        if not len(mine):
            continue
        joint, X_LP = body.figure.place(name)
        X = body.figure.link_pose(q[mine], body.figure.joints[joint].name)
        along = X[:, :3, :3] @ X_LP[:3, 3]
        tip = X[:, :3, 3] + along
        along = along / np.linalg.norm(along, axis=1, keepdims=True)
        crossed = np.zeros(len(mine), np.int8)
        begin, end = tip - PULP * along, tip + TOLERANCE * along
        late = (TOUCHED + TOLERANCE) / (PULP + TOLERANCE)
        crossing(begin, end, thin.low, thin.high, thin.first, thin.sides, late, crossed)
        found[mine] = crossed > 0
    return found


def near_thin(thin: ThinPieces, points: Array) -> BoolArray:
    """Return which points (n, 3) of G are so near something thin that fingers might go through."""
    found = np.zeros(len(points), bool)
    order = np.argsort(points[:, 0], kind="stable")
    first = points[order, 0]
    for low, high in zip(thin.low - NEAR, thin.high + NEAR, strict=True):
        some = order[np.searchsorted(first, low[0]) : np.searchsorted(first, high[0], "right")]
        for axis in (1, 2):  # one at a time: each leaves fewer for the next
            some = some[(points[some, axis] >= low[axis]) & (points[some, axis] <= high[axis])]
        found[some] = True
    return found


def _perhaps(solids: Sequence[Solid]) -> list[Solid]:
    """Return those that may be thin: a piece is twice as thick as its corners scatter, or more."""
    some = [each for each in solids if len(each.inner) > 2]
    scatter = [np.cov(each.inner, rowvar=False, bias=True) for each in some]
    least = np.linalg.eigvalsh(np.reshape(scatter, (-1, 3, 3)))[:, 0]
    return [each for each, square in zip(some, least, strict=True) if square < 0.25 * THIN**2]


def _thickness(solid: Solid, sides: Array) -> float:
    return float(np.ptp(solid.inner @ sides[:, :3].T, axis=0).min())


def _sides(solid: Solid) -> Array | None:
    """Return the planes (k, 4) about a piece; None where it is a line or a point."""
    inner = solid.inner
    middle = inner.mean(axis=0)
    axes = np.linalg.svd(inner - middle, full_matrices=False)[2]
    try:
        if np.ptp((inner - middle) @ axes[2]) > FLAT:
            return np.asarray(ConvexHull(inner).equations)
        around = np.asarray(ConvexHull((inner - middle) @ axes[:2].T).equations)
    except QhullError:
        return None
    normals = np.concatenate([around[:, :2] @ axes[:2], [axes[2], -axes[2]]])
    return np.column_stack([normals, np.append(around[:, 2], (0.0, 0.0)) - normals @ middle])
