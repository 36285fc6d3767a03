"""Areas as targets: the tip may meet them anywhere.

A base that may stand anywhere in an area of the floor turns a point into that area: with a walker
a circle, in a wheelchair a rectangle or polygon turned as the chair is (Otmani & Pruski 2009,
5.3.5 and 5.3.6, equations 9 and 10). ``centers`` are (*batch, 3), m, in W; directions are in W too.
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

    @abstractmethod
    def table(self) -> Array:
        """Return the area as the kernels read it."""

    @abstractmethod
    def nearest(self, away: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 3"]:
        """Return the area's points nearest to ``away``, both relative to the center, m."""


@dataclass(frozen=True, eq=False)
class CircleArea(Area):
    """Discs of ``radius`` m across ``normal``."""

    radius: float
    normal: Sequence[float] = UP

    def __post_init__(self) -> None:
        _positive(self.radius, "the radius of a circle")
        _unit(self.normal, "normal")

    def table(self) -> Array:
        """Return the disc as the kernels read it."""
        from articulata.kernels.chains.positions import disc

        return disc(self.radius, _unit(self.normal, "normal"))

    def nearest(self, away: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 3"]:
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

    def table(self) -> Array:
        """Return the rectangle as the kernels read it."""
        from articulata.kernels.chains.positions import rectangle

        u, v = _axes(self.ahead, self.normal)
        return rectangle(0.5 * self.length, 0.5 * self.width, u, v)

    def nearest(self, away: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 3"]:
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
        corners = np.asarray(self.corners, float)
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
        _axes(self.ahead, self.normal)

    def table(self) -> Array:
        """Return the polygon as the kernels read it."""
        from articulata.kernels.chains.positions import polygon

        return polygon(np.asarray(self.corners, float), *_axes(self.ahead, self.normal))

    def nearest(self, away: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 3"]:
        """Return the polygon's nearest points."""
        from shapely import Point, Polygon
        from shapely.ops import nearest_points

        u, v = _axes(self.ahead, self.normal)
        shape = Polygon(np.asarray(self.corners, float))
        flat = np.stack([away @ u, away @ v], axis=-1).reshape(-1, 2)
        places = [nearest_points(shape, Point(*p))[0] for p in flat]
        found = np.array([[p.x, p.y] for p in places]).reshape(*away.shape[:-1], 2)
        return np.asarray(found[..., :1] * u + found[..., 1:] * v)


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
