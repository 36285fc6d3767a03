"""Hollows that no hand gets into from where people are: proved for all postures at once.

A person who touches something is connected from the fingertip to the hips: a thread of balls of
radius ``THREAD`` lies within the links. Each centre is less than a cell from the next, and farther
than ``THREAD`` from every obstacle. A cell of the grid that lies wholly nearer than that to one
obstacle is blocked; it holds no centre. The free cells with the centres are neighbours by faces,
edges or corners. So no hand gets where free cells are not connected to cells of possible hips.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from threading import Lock

import numpy as np
import numpy.typing as npt
import shapely
from scipy.ndimage import label, maximum_filter
from scipy.spatial import ConvexHull, QhullError

from articulata.analyses.reach.one_person.body import Body
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.standing_places import Places
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.shapes import Capsule, Cuboid
from articulata.kinematics.figure import Figure
from articulata.kinematics.link import Part

THREAD = 0.015
"""m. The hand is no thinner than this, from its middle."""

CELL = 0.0105
"""m. Edge of the cells: balls of the thread lie nearer than this, and where two things meet at an
edge no cell lies between them."""

BESIDE = 0.06
"""m beyond a body that is looked at, so that what stands close to it is seen."""

MOST = 4_000_000
"""Cells; about a larger body no hollows are looked for."""

THINGS = 600
"""Pieces; where there are more, as in scans, no hollows are looked for."""

_SEARCHING = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Hollows:
    """The cells about one body, from ``corner`` on, above the floor at ``level`` m.

    ``part`` is 0 where no ball's middle is, or a number; cells of one number are joined. Those of
    ``outside`` are joined to what is beyond, but for the floor: below it nobody is.
    """

    corner: Array
    level: float
    part: npt.NDArray[np.int32]
    outside: IntArray

    def closed(self, points: Array, places: Places, hips: float, last: float) -> BoolArray:
        """Return which points (n, 3) in G no hand touches.

        Hips are ``hips`` m above the floor, over a possible base. The thread ends ``last`` m
        before the fingertip at most.
        """
        size = self.part.shape
        first = np.floor((points - self.corner) / CELL).astype(np.int64)
        closed: BoolArray = _within(first, size)
        if not closed.any():
            return closed
        open_ = np.zeros(int(self.part.max()) + 1, bool)
        open_[self.outside] = True
        self._stand(open_, places, hips)
        far = last + TOLERANCE
        reach = int(np.ceil(far / CELL))
        steps = np.indices([2 * reach + 1] * 3).reshape(3, -1).T - reach
        between = CELL * np.linalg.norm(np.maximum(np.abs(steps) - 1, 0), axis=1)
        steps = steps[between <= far]
        # cell by cell where none is open all around, which is the most of a hollow
        open_around = maximum_filter(open_[self.part], 2 * reach + 1, mode="constant", cval=True)
        asked = np.flatnonzero(closed)
        asked = asked[open_around[tuple(first[asked].T)]]
        for step in steps[np.abs(steps).sum(axis=1).argsort(kind="stable")]:
            if not len(asked):
                break
            there = first[asked] + step
            # how far the cell is from the point
            low = self.corner + there * CELL
            away = np.maximum(np.maximum(low - points[asked], points[asked] - low - CELL), 0.0)
            near = np.square(away).sum(axis=1) <= far * far
            near &= low[:, 2] > self.level - 0.5 * CELL
            inside = _within(there, size)
            there[~inside] = 0
            met = near & (~inside | open_[self.part[tuple(there.T)]])
            closed[asked[met]] = False
            asked = asked[~met]
        return closed

    def _stand(self, open_: BoolArray, places: Places, hips: float) -> None:
        """Mark the parts in which hips may be."""
        level = int((self.level + hips - self.corner[2]) // CELL)
        for z in range(max(level - 1, 0), min(level + 2, self.part.shape[2])):
            layer = self.part[:, :, z]
            some = np.argwhere((layer > 0) & ~open_[layer])
            middle = shapely.points(self.corner[:2] + CELL * (some + 0.5))
            over = shapely.dwithin(places.anywhere, middle, 2.0 * CELL)
            open_[layer[tuple(some[over].T)]] = True


def hollows_of(room: Room) -> tuple[Hollows, ...]:
    """Return what is hollow about the bodies of a room that have several pieces."""
    with _SEARCHING:  # people are answered on threads of their own: one looks for all
        return _found(room)


@lru_cache(maxsize=2)
def _found(room: Room) -> tuple[Hollows, ...]:
    if len(room.solids) > THINGS:
        return ()
    pieces = Counter(solid.body for solid in room.solids)
    found = []
    for body, count in pieces.items():
        corners = np.concatenate([each.outer for each in room.solids if each.body == body])
        low, high = corners.min(axis=0) - BESIDE, corners.max(axis=0) + BESIDE
        low[2] = max(low[2], room.level)
        size = np.maximum(np.ceil((high - low) / CELL), 1.0).astype(np.int64)
        if count > 1 and np.prod(size) <= MOST:
            found.append(_hollows(room, low, size))
    return tuple(each for each in found if len(each.outside) < int(each.part.max()))


def _hollows(room: Room, corner: Array, size: IntArray) -> Hollows:
    free = np.ones(size, bool)
    for solid in room.solids:
        _fill(free, corner, solid.inner)
    part, _ = label(free, np.ones((3, 3, 3), bool))
    rim = [part[0], part[-1], part[:, 0], part[:, -1], part[:, :, -1]]
    if corner[2] > room.level:
        rim.append(part[:, :, 0])
    outside = np.unique(np.concatenate([each.ravel() for each in rim])).astype(np.int64)
    return Hollows(corner, room.level, part, outside[outside > 0])


def _fill(free: BoolArray, corner: Array, inner: Array) -> None:
    """Take from ``free`` the cells all of which are nearer than ``THREAD`` to a convex piece.

    The piece holds the corners ``inner`` (k, 3). About a cuboid what is near is convex: a cell is
    near where its corners are. Of other pieces that counts which lies within them.
    """
    if len(inner) < 4:
        return
    first = np.maximum(np.floor((inner.min(axis=0) - THREAD - corner) / CELL).astype(int), 0)
    last = np.minimum(np.ceil((inner.max(axis=0) + THREAD - corner) / CELL).astype(int), free.shape)
    if (last <= first).any():
        return
    try:
        sides = ConvexHull(inner).equations
    except QhullError:
        return
    axes = [corner[k] + CELL * np.arange(first[k], last[k] + 1) for k in range(3)]
    x, y, z = np.ix_(*axes)
    normals = np.unique(np.round(sides[:, :3], 9) + 0.0, axis=0)
    along = np.abs(normals @ normals.T)
    if len(normals) == 6 and np.minimum(along, np.abs(along - 1.0)).max() < 1e-6:
        square = np.zeros([len(each) for each in axes])
        for u, v, w in normals:
            last_there = (inner @ (u, v, w)).max()
            square += np.square(np.maximum(u * x + v * y + (w * z - last_there), 0.0))
        near = square < THREAD * THREAD
    else:
        near = np.ones([len(each) for each in axes], bool)
        for u, v, w, away in sides:
            near &= u * x + v * y + (w * z + away) < 0.0
    for k in range(3):
        near = np.moveaxis(near, k, 0)
        near = np.moveaxis(near[1:] & near[:-1], 0, k)
    block = tuple(slice(a, b) for a, b in zip(first, last, strict=True))
    free[block] &= ~near


def _within(cell: IntArray, size: tuple[int, ...]) -> BoolArray:
    """Return which cells (n, 3) are within a block: axis by axis, which is quicker than by row."""
    x, y, z = ((cell[:, k] >= 0) & (cell[:, k] < size[k]) for k in range(3))
    return np.asarray(x & y & z)


def thread_end(body: Body, hand: str) -> float | None:
    """Return how far from the fingertip the thread within a hand ends, m.

    None where the links from hips to hand do not hold a thread in every posture: each with one
    capsule or cuboid that comes near to the joint, or the joints about one point, at both its ends.
    """
    figure = body.figure
    path = list(figure.path(hand))
    shaped = [k for k, number in enumerate(path) if _shape(figure, number) is not None]
    if not shaped or shaped[-1] != len(path) - 1:
        return None
    joints = [figure.joints[number] for number in path]
    for before, after in pairwise([-1, *shaped]):
        # the joints between turn about one point
        turning = [each.X_PJ for each in joints[before + 2 : after + 1]]
        turning += [each.X_JL for each in joints[before + 1 : after + 1]]
        if any(X[:3, 3].any() for X in turning):
            return None
        gap = _away(_shape(figure, path[after]), np.zeros(3))
        if before >= 0:
            gap += _away(_shape(figure, path[before]), joints[before + 1].X_PJ[:3, 3])
        if gap >= CELL:
            return None
    return _away(_shape(figure, path[-1]), figure.chains[hand].end[:3, 3])


def _shape(figure: Figure, number: int) -> Part | None:
    """Return what a joint's link strikes with, where that is one part."""
    parts: Sequence[Part] = figure.links[figure.joints[number].name].collisions
    return parts[0] if len(parts) == 1 else None


def _away(part: Part | None, point: Array) -> float:
    """Return how far a point (3,) of the link is from the thread within a part; inf for none."""
    assert part is not None
    p = (point - part.X_LS[:3, 3]) @ part.X_LS[:3, :3]
    shape = part.shape
    if isinstance(shape, Capsule) and shape.radius >= THREAD:
        p[2] = max(abs(p[2]) - 0.5 * shape.length, 0.0)
        return max(float(np.linalg.norm(p)) - (shape.radius - THREAD), 0.0)
    if isinstance(shape, Cuboid):
        half = 0.5 * np.array([shape.x, shape.y, shape.z]) - THREAD
        if (half >= 0.0).all():
            return float(np.linalg.norm(np.maximum(np.abs(p) - half, 0.0)))
    return float("inf")
