"""Which faces of a floor people stand on: those that are level, and at one height.

Lengths in m, in the room's ground frame G, whose z is up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.surroundings.outlines import SIDES
from articulata.errors import WorldError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.contacts.pieces import POLYTOPE, ROUND, Pieces

SLOPE: Final = 1.0 / 48.0
"""Steepest slope of floor to stand and to turn on (2010 ADA Standards, 304.2 and 305.2)."""

CHANGE: Final = 0.013
"""m. Greatest change in level without a ramp (303.3 and 303.4)."""

UPWARD: Final = 0.5
"""Least upward part of the normal of a face that may be floor: what is steeper is a side."""

HEADROOM: Final = 1.8
"""m. Floor with other floor lower than this over it is none to stand on."""

LARGE: Final = 0.25
"""Of heights one over the other that with this share of the other's area is the floor's: above it
is a ceiling."""

WIDE: Final = 0.3
"""m2. Less at one height is a step, or the top of something."""

BESIDE: Final = 0.1
"""m. Floors that differ by no more in how far they are from the door are both at it."""

STOREY: Final = 2.2
"""m. A door is no higher above the floor that it leads to."""

GAP: Final = 1e-4
"""m. Narrower gaps between the pieces of a floor are none."""

FLAT: Final = 1e-6
"""m, or share of an area. What is less is rounding."""


@dataclass(frozen=True, eq=False)
class Face:
    """An upper face of convex piece number ``piece`` of the floor.

    ``corners`` (k, 3) are in G; ``slope`` is its rise by its run.
    """

    piece: int
    corners: Array
    slope: float

    @cached_property
    def outline(self) -> Any:
        """What it covers, seen from above."""
        return shapely.multipoints(self.corners[:, :2]).convex_hull

    @cached_property
    def low(self) -> float:
        """Its least height."""
        return float(self.corners[:, 2].min())

    @cached_property
    def high(self) -> float:
        """Its greatest height."""
        return float(self.corners[:, 2].max())

    @property
    def level(self) -> bool:
        """Whether people stand on it as on a level face."""
        return self.slope <= SLOPE + FLAT or self.high - self.low <= 2.0 * CHANGE


@dataclass(frozen=True, eq=False)
class StandingFloor:
    """The faces people stand on, at height ``level``.

    ``outlines`` are theirs by the number of their piece; ``rise`` is between the lowest and the
    highest of them. Of what else is level ``apart`` holds how much higher it is, and its area, m2.
    """

    level: float
    rise: float
    outlines: dict[int, Any]
    apart: tuple[tuple[float, float], ...]

    @cached_property
    def outline(self) -> Any:
        """All that they cover, seen from above."""
        whole = shapely.union_all(list(self.outlines.values()))
        if len(self.outlines) == 1 and self.rise <= FLAT:
            return whole
        # pieces miss each other by rounding: a seam is no edge of the floor
        return whole.buffer(GAP, join_style="mitre").buffer(-GAP, join_style="mitre")


def standing_floor(
    name: str, faces: Sequence[Face], hulls: dict[int, Any], door: Array | None
) -> StandingFloor:
    """Return where people stand on the ``faces`` of the floor called ``name``.

    ``hulls`` are the outlines of pieces by their numbers: where a piece's level faces are all of
    its outline, this is taken. ``door`` (3,) is where people come in, None where it is not known.
    The floor's height is that at the door, or else that of the largest level area. Raise WorldError
    where no face is level.
    """
    level = [face for face in faces if face.level]
    if not level:
        raise WorldError(_uneven(name, faces))
    heights = np.array([face.high for face in level])
    areas = np.array([float(face.outline.area) for face in level])
    groups = _groups(heights, areas)
    outlines = [shapely.union_all([level[k].outline for k in group]) for group in groups]
    tops = [float(heights[group].max()) for group in groups]
    seen = [
        _seen(k, outlines, tops) if each.area >= WIDE else each for k, each in enumerate(outlines)
    ]
    chosen = _chosen(outlines, tops, [float(each.area) for each in seen], door)
    mine = np.zeros(len(level), bool)
    mine[groups[chosen]] = True
    mine |= _on(level, mine, outlines[chosen])
    standing = [face for face, on in zip(level, mine, strict=True) if on]
    height, rise = _height(standing, areas[mine])
    apart = [
        (top - height, float(each.area))
        for top, each, group in zip(tops, seen, groups, strict=True)
        if not mine[group].any() and each.area >= WIDE
    ]
    return StandingFloor(
        height, rise, _by_piece(standing, hulls), tuple(sorted(apart, key=lambda each: -each[1]))
    )


def faces_of(arrays: Pieces, i: int, X: Array, inner: Array) -> list[Face]:
    """Return the upper faces of piece number ``i`` at ``X`` (4, 4) in G.

    ``inner`` (k, 3) are corners within it, in G, as ``corners_of`` gives them.
    """
    if arrays.kind[i] == ROUND:
        axis = X[:3, :3] @ arrays.axis[i]
        back, front, _ = arrays.size[i]
        ends = ((-axis[2], back, inner[:SIDES]), (axis[2], front, inner[SIDES:]))
        return [Face(i, end, _slope(up)) for up, r, end in ends if r > 0.0 and up >= UPWARD]
    if arrays.kind[i] != POLYTOPE:
        return []
    found = []
    radius = float(arrays.radius[i])
    own = arrays.vertices[arrays.vertex_start[i] : arrays.vertex_start[i + 1]]
    # a piece without a radius has its corners in ``inner``
    corners = own @ X[:3, :3].T + X[:3, 3] if radius else inner
    for k in range(arrays.face_start[i], arrays.face_start[i + 1]):
        normal = X[:3, :3] @ arrays.normals[k]
        if normal[2] >= UPWARD:
            ring = arrays.ring[arrays.ring_start[k] : arrays.ring_start[k + 1]]
            face = corners[ring] + radius * normal if radius else corners[ring]
            found.append(Face(i, face, _slope(float(normal[2]))))
    return found


def _slope(up: float) -> float:
    return float(np.sqrt(max(1.0 - up * up, 0.0)) / up)


def _uneven(name: str, faces: Sequence[Face]) -> str:
    if not faces:
        return (
            f"the floor '{name}' has no flat upper face to stand on; a room's floor is a body with "
            "one, such as cuboid(4 m, 10 cm, 3 m)"
        )
    least = min(face.slope for face in faces)
    return (
        f"the floor '{name}' has no level face to stand on: the flattest slopes by "
        f"1:{1.0 / least:.2g}, and 1:{1.0 / SLOPE:.0f} is the most (2010 ADA Standards, 305.2); "
        "turn it until it is level, or let gravity point along its normal"
    )


def _groups(heights: Array, areas: Array) -> list[IntArray]:
    """Return the numbers of faces by height, no more than ``CHANGE`` apart; the largest first."""
    order = np.argsort(heights, kind="stable")
    found = []
    while len(order):
        z = heights[order]
        sums = np.concatenate([[0.0], np.cumsum(areas[order])])
        first = np.searchsorted(z, z - CHANGE - FLAT)
        last = int(np.argmax(sums[1:] - sums[first]))
        found.append(order[first[last] : last + 1])
        order = np.delete(order, np.s_[first[last] : last + 1])
    return found


def _seen(k: int, outlines: Sequence[Any], tops: Sequence[float]) -> Any:
    """Return where one height has no other so low over it that nobody stands there."""
    over = [
        each for each, top in zip(outlines, tops, strict=True) if CHANGE < top - tops[k] < HEADROOM
    ]
    return outlines[k].difference(shapely.union_all(over)) if over else outlines[k]


def _chosen(
    outlines: Sequence[Any], tops: Sequence[float], areas: Sequence[float], door: Array | None
) -> int:
    """Return which height is the floor's."""
    numbers = range(len(tops))
    most = max(areas)
    if door is None:
        largest = max(numbers, key=lambda k: areas[k])
        under = (
            k
            for k in numbers
            if areas[k] >= LARGE * most
            and outlines[k].intersection(outlines[largest]).area >= 0.5 * areas[k]
        )
        return min(under, key=lambda k: tops[k])
    wide = [k for k in numbers if areas[k] >= min(WIDE, LARGE * most)]
    away = {k: float(outlines[k].distance(shapely.Point(*door[:2]))) for k in wide}
    near = [k for k in wide if away[k] <= min(away.values()) + BESIDE]
    below = [k for k in near if -CHANGE <= door[2] - tops[k] <= STOREY]
    if below:
        # what is higher is a top of furniture
        return min(below, key=lambda k: tops[k])
    return min(near, key=lambda k: abs(float(door[2]) - tops[k]))


def _on(level: Sequence[Face], core: BoolArray, area: Any) -> BoolArray:
    """Return which other faces go on from the core of a floor that falls evenly, as to a drain."""
    heights = np.array([0.5 * (face.low + face.high) for face in level])
    beyond = np.maximum(heights[core].min() - heights, heights - heights[core].max())
    outlines = np.array([face.outline for face in level])
    on: BoolArray = ~core & (beyond <= CHANGE + SLOPE * shapely.distance(outlines, area))
    if on.any():
        whole = shapely.union_all([area, *outlines[on]]).buffer(GAP, join_style="mitre")
        parts = shapely.get_parts(whole)
        on &= shapely.covers(shapely.union_all(parts[shapely.intersects(parts, area)]), outlines)
    return on


def _height(standing: Sequence[Face], areas: Array) -> tuple[float, float]:
    """Return the height of faces, half of their area being higher, and how far it rises."""
    highest = max(face.high for face in standing)
    rise = highest - min(face.low for face in standing)
    if rise <= FLAT:
        return highest, rise
    heights = np.array([0.5 * (face.low + face.high) for face in standing])
    order = np.argsort(heights, kind="stable")
    sums = np.cumsum(areas[order])
    return float(heights[order][np.searchsorted(sums, 0.5 * sums[-1])]), rise


def _by_piece(standing: Sequence[Face], hulls: dict[int, Any]) -> dict[int, Any]:
    found: dict[int, list[Any]] = {}
    for face in standing:
        found.setdefault(face.piece, []).append(face.outline)
    made = {}
    for piece, several in found.items():
        own, whole = shapely.union_all(several), hulls[piece]
        made[piece] = whole if own.area >= (1.0 - FLAT) * whole.area else own
    return made
