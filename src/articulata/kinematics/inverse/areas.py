"""Areas as targets: the tip may meet them anywhere.

A base that may stand anywhere in an area of the floor turns a point into that area: with a walker
a circle, in a wheelchair a rectangle or polygon turned as the chair is (Otmani & Pruski 2009,
5.3.5 and 5.3.6, equations 9 and 10). Where the footprint turns with the base, the area follows the
first joint. ``centers`` are (*batch, 3), m, in W; directions are in W too.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64

if TYPE_CHECKING:
    from articulata.kinematics.prepared import BaseTurn

UP = (0.0, 0.0, 1.0)
AHEAD = (1.0, 0.0, 0.0)

_STRAIGHT = 1e-6
"""Sine of the angle between two sides of a floor below which they count as parallel."""

_LEAST_SIDE = 1e-3
"""m: what is left of a floor has a longer side than this, or a footprint does not fit."""


@dataclass(frozen=True, eq=False)
class Area(ABC):
    """An area around each of the places ``centers`` (*batch, 3), m."""

    centers: npt.ArrayLike

    @property
    @abstractmethod
    def normal(self) -> Sequence[float]:
        """The direction across the area, in W."""

    @abstractmethod
    def table(self, base: BaseTurn | None = None) -> Array:
        """Return the area as the kernels read it.

        ``base`` is the joint that turns the base, None where none does.
        """

    @abstractmethod
    def nearest(
        self, away: Float64[Array, "*batch 3"], turn: npt.ArrayLike = 0.0
    ) -> Float64[Array, "*batch 3"]:
        """Return the area's points nearest to ``away``, both relative to the center, m.

        ``turn`` (*batch,) rad is how far the base is turned about the area's normal.
        """


@dataclass(frozen=True, eq=False)
class CircleArea(Area):
    """Discs of ``radius`` m across ``normal``."""

    radius: float
    normal: Sequence[float] = UP

    def __post_init__(self) -> None:
        _positive(self.radius, "the radius of a circle")
        _unit(self.normal, "normal")

    def table(self, base: BaseTurn | None = None) -> Array:
        """Return the disc as the kernels read it."""
        from articulata.kernels.chains.iterative_solvers.target_areas import disc

        return disc(self.radius, _unit(self.normal, "normal"))

    def nearest(
        self, away: Float64[Array, "*batch 3"], turn: npt.ArrayLike = 0.0
    ) -> Float64[Array, "*batch 3"]:
        """Return the disc's nearest points."""
        n = _unit(self.normal, "normal")
        flat = away - n * (away @ n)[..., None]
        size = np.linalg.norm(flat, axis=-1, keepdims=True)
        return np.asarray(flat * np.minimum(1.0, self.radius / np.maximum(size, 1e-300)))


@dataclass(frozen=True, eq=False)
class RectangleArea(Area):
    """Rectangles of ``length`` along ``ahead`` and ``width`` across it, m, in the plane of both.

    The plane's normal is ``normal``; ``ahead`` is taken across it.
    """

    length: float
    width: float
    ahead: Sequence[float] = AHEAD
    normal: Sequence[float] = UP

    def __post_init__(self) -> None:
        _positive(self.length, "the length of a rectangle")
        _positive(self.width, "the width of a rectangle")
        _axes(self.ahead, self.normal)

    def table(self, base: BaseTurn | None = None) -> Array:
        """Return the rectangle as the kernels read it."""
        from articulata.kernels.chains.iterative_solvers.target_areas import rectangle

        u, v = _axes(self.ahead, self.normal)
        return rectangle(0.5 * self.length, 0.5 * self.width, u, v)

    def nearest(
        self, away: Float64[Array, "*batch 3"], turn: npt.ArrayLike = 0.0
    ) -> Float64[Array, "*batch 3"]:
        """Return the rectangle's nearest points."""
        u, v = _axes(self.ahead, self.normal)
        along = np.clip(away @ u, -0.5 * self.length, 0.5 * self.length)
        aside = np.clip(away @ v, -0.5 * self.width, 0.5 * self.width)
        return np.asarray(along[..., None] * u + aside[..., None] * v)


@dataclass(frozen=True, eq=False)
class PolygonArea(Area):
    """Simple polygons, convex or not.

    ``corners`` (k, 2), m, in order: along ``ahead`` and to its left, from the center.
    """

    corners: npt.ArrayLike
    ahead: Sequence[float] = AHEAD
    normal: Sequence[float] = UP

    def __post_init__(self) -> None:
        _corners(self.corners)
        _axes(self.ahead, self.normal)

    def table(self, base: BaseTurn | None = None) -> Array:
        """Return the polygon as the kernels read it."""
        from articulata.kernels.chains.iterative_solvers.target_areas import polygon

        return polygon(np.asarray(self.corners, float), *_axes(self.ahead, self.normal))

    def nearest(
        self, away: Float64[Array, "*batch 3"], turn: npt.ArrayLike = 0.0
    ) -> Float64[Array, "*batch 3"]:
        """Return the polygon's nearest points."""
        from shapely import Point, Polygon
        from shapely.ops import nearest_points

        u, v = _axes(self.ahead, self.normal)
        shape = Polygon(np.asarray(self.corners, float))
        flat = np.stack([away @ u, away @ v], axis=-1).reshape(-1, 2)
        places = [nearest_points(shape, Point(*p))[0] for p in flat]
        found = np.array([[p.x, p.y] for p in places]).reshape(*away.shape[:-1], 2)
        return np.asarray(found[..., :1] * u + found[..., 1:] * v)


@dataclass(frozen=True, eq=False)
class StandingArea(Area):
    """What a base that moves on a convex floor, and turns there, makes of a place to reach.

    The floor has ``corners`` (k, 2), m, in order: along ``ahead`` and to its left. A footprint of
    ``length`` and ``width``, m, about the base, its length along ``ahead`` while the chain's
    first joint is at 0, lies in the floor as that joint turns it, about ``normal`` or against
    it. The chain stays where it is and the floor moves in its place: ``centers`` are the places to
    reach from a base at the floor's origin, and an answer's base stands there less ``away``. The
    footprint fits in the floor wherever the limits of that joint let it turn.
    """

    corners: npt.ArrayLike
    length: float
    width: float
    ahead: Sequence[float] = AHEAD
    normal: Sequence[float] = UP

    def __post_init__(self) -> None:
        _positive(self.length, "the length of a footprint")
        _positive(self.width, "the width of a footprint")
        _axes(self.ahead, self.normal)
        normals = _outward(self._mirrored())
        after = np.roll(normals, -1, axis=0)
        sine = normals[:, 0] * after[:, 1] - normals[:, 1] * after[:, 0]
        bends = np.arctan2(sine, np.sum(normals * after, axis=1))
        # a star turns left at every corner too, but winds round more than once
        if (sine < _STRAIGHT).any() or bends.sum() > 3.0 * np.pi:
            raise KinematicsError(
                "the floor that a footprint stands on is convex, without corners in a straight "
                "side; cut it into convex parts and ask for each"
            )

    def _mirrored(self) -> Array:
        """Return the floor's corners counterclockwise, seen from the place to reach."""
        corners = -_corners(self.corners)
        u, v = corners.T
        ccw = np.sum(u * np.roll(v, -1) - v * np.roll(u, -1)) > 0.0
        return corners if ccw else np.ascontiguousarray(corners[::-1])

    def table(self, base: BaseTurn | None = None) -> Array:
        """Return the floor and the footprint as the kernels read them.

        Raises ``KinematicsError`` where ``base`` does not turn about the normal, and where the
        footprint does not fit at a turn within its limits, looked at every quarter of a degree.
        """
        from articulata.kernels.chains.iterative_solvers.target_areas import standing

        u, v = _axes(self.ahead, self.normal)
        sense = 0.0 if base is None else float(base.axis @ np.cross(u, v))
        if base is None or abs(sense) < 1.0 - 1e-9:
            raise KinematicsError(
                "the footprint turns with the base: the chain begins with a joint that turns "
                "about the area's normal, as the chain 'seat to hand' of otmani_2009 does"
            )
        self._fits(base, np.sign(sense))
        half = (0.5 * self.length, 0.5 * self.width)
        return standing(self._mirrored(), half, u, v, np.sign(sense))

    def _fits(self, base: BaseTurn, sense: float) -> None:
        low, high = base.lower, base.upper
        if not high - low < np.pi:
            # half a turn, and a footprint lies as before
            low, high = 0.0, np.pi
        ends = sorted((sense * low, sense * high))
        corners = tuple((u, v) for u, v in self._mirrored().tolist())
        turn, longest = _tightest(corners, (self.length, self.width), *ends)
        if longest < _LEAST_SIDE:
            raise KinematicsError(
                f"a footprint of {self.length:g} m by {self.width:g} m does not fit in this floor "
                f"while the chain's first joint is at {np.degrees(sense * turn):.0f} deg; "
                "give that joint limits within which it fits, or a larger floor"
            )

    def nearest(
        self, away: Float64[Array, "*batch 3"], turn: npt.ArrayLike = 0.0
    ) -> Float64[Array, "*batch 3"]:
        """Return the nearest points of what is left for the base at its turn, NaN if nothing is."""
        u, v = _axes(self.ahead, self.normal)
        flat = np.stack([away @ u, away @ v], axis=-1)
        turns = np.broadcast_to(turn, flat.shape[:-1]).reshape(-1)
        size = (self.length, self.width)
        normals, offset, ends = _left(self._mirrored(), size, turns)
        places = flat.reshape(-1, 2)
        begin, sides = ends[:, :, 0], ends[:, :, 1] - ends[:, :, 0]
        square = np.sum(sides * sides, axis=-1)
        share = np.sum((places[:, None] - begin) * sides, axis=-1) / np.where(square > 0, square, 1)
        on = begin + np.clip(share, 0.0, 1.0)[..., None] * sides
        gap = np.linalg.norm(places[:, None] - on, axis=-1)
        nearest = np.argmin(np.where(np.isnan(gap), np.inf, gap), axis=-1)
        found = on[np.arange(len(places)), nearest]
        inside = np.all(places @ normals.T <= offset, axis=-1)
        found = np.where(inside[:, None], places, found).reshape(flat.shape)
        return np.asarray(found[..., :1] * u + found[..., 1:] * v)


def _outward(corners: Array) -> Array:
    """Return the unit normals (k, 2) outward of the sides that begin at ``corners``."""
    sides = np.roll(corners, -1, axis=0) - corners
    sides = sides / np.linalg.norm(sides, axis=1, keepdims=True)
    return np.column_stack([sides[:, 1], -sides[:, 0]])


def _left(corners: Array, size: tuple[float, float], turn: Array) -> tuple[Array, Array, Array]:
    """Return what a footprint leaves of a floor at each ``turn`` (m,), side by side.

    The half planes ``normals`` (k, 2) and ``offset`` (m, k); the ends (m, k, 2, 2) of the
    sides, NaN for a side that has vanished.
    """
    normals = _outward(corners)
    heading = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    across = np.stack([-np.sin(turn), np.cos(turn)], axis=-1)
    extent = 0.5 * size[0] * np.abs(heading @ normals.T)
    extent += 0.5 * size[1] * np.abs(across @ normals.T)
    offset = np.sum(normals * corners, axis=1) - extent
    along = np.column_stack([-normals[:, 1], normals[:, 0]])
    # each side is what the other half planes leave of its line
    sine, cosine = along @ normals.T, normals @ normals.T
    parallel = np.abs(sine) < _STRAIGHT
    room = offset[:, None, :] - cosine * offset[:, :, None]
    cut = room / np.where(parallel, 1.0, sine)
    begin = np.max(np.where(parallel | (sine > 0.0), -np.inf, cut), axis=2)
    end = np.min(np.where(parallel | (sine < 0.0), np.inf, cut), axis=2)
    gone = (begin > end) | (parallel & (cosine < 0.0) & (room < 0.0)).any(axis=2)
    both = np.where(gone[..., None], np.nan, np.stack([begin, end], axis=-1))
    ends = (offset[..., None] * normals)[:, :, None] + both[..., None] * along[:, None]
    return normals, offset, ends


@lru_cache(maxsize=64)
def _tightest(
    corners: tuple[tuple[float, float], ...], size: tuple[float, float], low: float, high: float
) -> tuple[float, float]:
    """Return the turn from ``low`` to ``high`` that leaves least, and the longest side left, m."""
    turn = np.linspace(low, high, 2 + int(np.degrees(high - low) / 0.25))
    ends = _left(np.array(corners), size, turn)[2]
    lengths = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=-1)
    longest = np.max(np.nan_to_num(lengths), axis=1)
    tight = int(np.argmin(longest))
    return float(turn[tight]), float(longest[tight])


def _corners(given: npt.ArrayLike) -> Array:
    try:
        corners = np.asarray(given, float)
    except (TypeError, ValueError):
        raise KinematicsError(
            f"the corners of a polygon are rows of two numbers, m, not {given!r}"
        ) from None
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
        raise KinematicsError(
            "the corners of a polygon are at least three rows of two numbers, m; the array "
            f"given has shape {corners.shape}"
        )
    if not np.isfinite(corners).all():
        raise KinematicsError("the corners of a polygon are finite numbers, m")
    sides = np.roll(corners, -1, axis=0) - corners
    if (np.linalg.norm(sides, axis=1) == 0.0).any():
        raise KinematicsError("two corners of the polygon in a row are the same; leave one out")
    return corners


def _positive(value: object, what: str) -> None:
    length = isinstance(value, Real) and math.isfinite(value) and float(value) > 0.0
    if isinstance(value, bool) or not length:
        raise KinematicsError(f"{what} is a positive length, m, not {value!r}")


def _unit(direction: Sequence[float], what: str) -> Array:
    v = np.asarray(direction, float)
    size = float(np.linalg.norm(v)) if v.shape == (3,) else 0.0
    if not (np.isfinite(size) and size > 0.0):
        raise KinematicsError(f"'{what}' of an area is three numbers, not all zero: {direction}")
    return np.asarray(v / size)


def _axes(ahead: Sequence[float], normal: Sequence[float]) -> tuple[Array, Array]:
    n, a = _unit(normal, "normal"), _unit(ahead, "ahead")
    u = a - n * (a @ n)
    size = float(np.linalg.norm(u))
    if size < 1e-9:
        raise KinematicsError("'ahead' of an area lies in its plane: it cannot be along 'normal'")
    u = u / size
    return u, np.cross(n, u)
