"""Areas as targets: the tip may meet them anywhere.

A base that may stand anywhere in an area of the floor turns a point into that area: with a walker
a circle, in a wheelchair a rectangle or polygon turned as the chair is (Otmani & Pruski 2009,
5.3.5 and 5.3.6, equations 9 and 10). Where the footprint turns with the base, the area follows the
first joint. ``centers`` are (*batch, 3), m, in W; directions are in W too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64

UP = (0.0, 0.0, 1.0)
AHEAD = (1.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Area(ABC):
    """An area around each of the places ``centers`` (*batch, 3), m."""

    centers: npt.ArrayLike

    @property
    @abstractmethod
    def normal(self) -> Sequence[float]:
        """The direction across the area, in W."""

    @abstractmethod
    def table(self, axis: Array | None = None) -> Array:
        """Return the area as the kernels read it.

        ``axis`` (3,) is the axis in W of the joint that turns the base, None where none does.
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

    def table(self, axis: Array | None = None) -> Array:
        """Return the disc as the kernels read it."""
        from articulata.kernels.chains.positions import disc

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

    def table(self, axis: Array | None = None) -> Array:
        """Return the rectangle as the kernels read it."""
        from articulata.kernels.chains.positions import rectangle

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

    def table(self, axis: Array | None = None) -> Array:
        """Return the polygon as the kernels read it."""
        from articulata.kernels.chains.positions import polygon

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
    reach from a base at the floor's origin, and an answer's base stands there less ``away``.
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
        corners = self._mirrored()
        sides = np.roll(corners, -1, axis=0) - corners
        after = np.roll(sides, -1, axis=0)
        if not (sides[:, 0] * after[:, 1] > sides[:, 1] * after[:, 0]).all():
            raise KinematicsError(
                "the floor that a footprint stands on is convex, without corners in a straight "
                "side; cut it into convex parts and ask for each"
            )
        # extents across the sides are largest and smallest at a side's or a diagonal's direction
        for turn in np.linspace(0.0, np.pi, 721):
            left = self._left(np.array([turn]))[0]
            if (np.einsum("ij,ij->i", np.roll(left, -1, axis=0) - left, sides) <= 0.0).any():
                raise KinematicsError(
                    f"a footprint of {self.length:g} m by {self.width:g} m does not turn in this "
                    f"floor: at {np.degrees(turn):.0f} deg a side of what is left has no length"
                )

    def _mirrored(self) -> Array:
        """Return the floor's corners counterclockwise, seen from the place to reach."""
        corners = -_corners(self.corners)
        u, v = corners.T
        ccw = np.sum(u * np.roll(v, -1) - v * np.roll(u, -1)) > 0.0
        return corners if ccw else np.ascontiguousarray(corners[::-1])

    def _left(self, turn: Array) -> Array:
        """Return the corners (m, k, 2) of what is left for the base at each ``turn`` (m,)."""
        corners = self._mirrored()
        sides = np.roll(corners, -1, axis=0) - corners
        sides = sides / np.linalg.norm(sides, axis=1, keepdims=True)
        normals = np.column_stack([sides[:, 1], -sides[:, 0]])
        heading = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        across = np.stack([-np.sin(turn), np.cos(turn)], axis=-1)
        extent = 0.5 * (
            self.length * np.abs(heading @ normals.T) + self.width * np.abs(across @ normals.T)
        )
        offset = np.einsum("ij,ij->i", normals, corners) - extent
        both = np.stack([np.roll(normals, 1, axis=0), normals], axis=1)
        return np.asarray(
            np.linalg.solve(
                both, np.stack([np.roll(offset, 1, axis=1), offset], axis=-1)[..., None]
            )
        )[..., 0]

    def table(self, axis: Array | None = None) -> Array:
        """Return the floor and the footprint as the kernels read them."""
        from articulata.kernels.chains.positions import standing

        u, v = _axes(self.ahead, self.normal)
        along = 0.0 if axis is None else float(axis @ np.cross(u, v))
        if abs(along) < 1.0 - 1e-9:
            raise KinematicsError(
                "the footprint turns with the base: the chain begins with a joint that turns "
                "about the area's normal, as the chain 'seat to hand' of otmani_2009 does"
            )
        half = (0.5 * self.length, 0.5 * self.width)
        return standing(self._mirrored(), half, u, v, np.sign(along))

    def nearest(
        self, away: Float64[Array, "*batch 3"], turn: npt.ArrayLike = 0.0
    ) -> Float64[Array, "*batch 3"]:
        """Return the nearest points of what is left for the base at its turn."""
        u, v = _axes(self.ahead, self.normal)
        flat = np.stack([away @ u, away @ v], axis=-1)
        left = self._left(np.broadcast_to(turn, flat.shape[:-1]).reshape(-1))
        left = left.reshape(*flat.shape[:-1], -1, 2)
        sides = np.roll(left, -1, axis=-2) - left
        off = flat[..., None, :] - left
        share = np.sum(off * sides, axis=-1) / np.sum(sides * sides, axis=-1)
        on = left + np.clip(share, 0.0, 1.0)[..., None] * sides
        nearest = np.argmin(np.linalg.norm(flat[..., None, :] - on, axis=-1), axis=-1)
        found = np.take_along_axis(on, nearest[..., None, None], axis=-2)[..., 0, :]
        left_of = sides[..., 0] * off[..., 1] - sides[..., 1] * off[..., 0]
        inside = np.min(left_of, axis=-1, keepdims=True) >= 0.0
        found = np.where(inside, flat, found)
        return np.asarray(found[..., :1] * u + found[..., 1:] * v)


def _corners(given: npt.ArrayLike) -> Array:
    corners = np.asarray(given, float)
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


def _positive(value: float, what: str) -> None:
    if not (np.isfinite(value) and value > 0.0):
        raise KinematicsError(f"{what} is a positive length, m, not {value}")


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
