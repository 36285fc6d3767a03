"""The exact surfaces of primitives: planes, cylinders, cones and spheres with their names.

A ``Surface`` has a frame F in the shape's frame S: for a plane z is the outward normal, for a
cylinder or cone z is the axis, for a sphere the origin is the centre. Metres.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    HalfSpace,
    Mesh,
    Primitive,
    Prism,
    Sphere,
)

Form: TypeAlias = Literal["plane", "cylinder", "cone", "sphere"]


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """One named face's surface.

    ``radius`` is a sphere's or cylinder's, or a cone's at the origin of its frame; a cone's
    radius at height z is ``radius + slope z``; ``tip`` is the z of its apex where that belongs
    to the face.
    """

    name: str
    form: Form
    X_SF: Float64[Array, "4 4"]
    radius: float = 0.0
    slope: float = 0.0
    tip: float | None = None

    def placed(self, name: str, X_BS: Array) -> Surface:
        """Return the surface in frame B under another name."""
        return replace(self, name=name, X_SF=X_BS @ self.X_SF)


def outward_frame(normal: Array, origin: Array) -> Array:
    """Return a frame ``(4, 4)`` with its z along ``normal`` (any length) at ``origin``."""
    nx, ny, nz = normal.tolist()
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / length, ny / length, nz / length
    # the coordinate axis that is farthest from the normal gives x, so that axis-aligned faces
    # get axis-aligned frames
    sizes = (abs(nx), abs(ny), abs(nz))
    axis = sizes.index(min(sizes))
    part = (nx, ny, nz)[axis]
    x = [(axis == i) - part * n for i, n in enumerate((nx, ny, nz))]
    length = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    x0, x1, x2 = x[0] / length, x[1] / length, x[2] / length
    return np.array(
        [
            [x0, ny * x2 - nz * x1, nx, origin[0]],
            [x1, nz * x0 - nx * x2, ny, origin[1]],
            [x2, nx * x1 - ny * x0, nz, origin[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def _plane(name: str, normal: tuple[float, ...], origin: tuple[float, ...]) -> Surface:
    return Surface(
        name, "plane", outward_frame(np.array(normal, dtype=float), np.array(origin, dtype=float))
    )


def _raised(z: float) -> Array:
    X = np.eye(4)
    X[2, 3] = z
    return X


@functools.lru_cache(maxsize=1024)
def surfaces_of(shape: Primitive | Mesh) -> tuple[Surface, ...]:
    """Return the faces of a primitive, in a fixed order that tessellations refer to."""
    match shape:
        case Cuboid(x, y, z):
            return (
                _plane("right", (1, 0, 0), (x / 2, 0, 0)),
                _plane("left", (-1, 0, 0), (-x / 2, 0, 0)),
                _plane("top", (0, 1, 0), (0, y / 2, 0)),
                _plane("bottom", (0, -1, 0), (0, -y / 2, 0)),
                _plane("front", (0, 0, 1), (0, 0, z / 2)),
                _plane("back", (0, 0, -1), (0, 0, -z / 2)),
            )
        case Sphere(radius):
            return (Surface("surface", "sphere", np.eye(4), radius),)
        case Cylinder(radius, h):
            return (Surface("wall", "cylinder", np.eye(4), radius), *_caps(h))
        case Capsule(radius, h):
            return (
                Surface("wall", "cylinder", np.eye(4), radius),
                Surface("front", "sphere", _raised(h / 2), radius),
                Surface("back", "sphere", _raised(-h / 2), radius),
            )
        case Cone(a, h, b):
            front, back = _caps(h)
            wall = Surface(
                "wall",
                "cylinder" if a == b else "cone",
                np.eye(4),
                (a + b) / 2,
                (b - a) / h,
                h / 2 if b == 0 else None,
            )
            return (wall, back) if b == 0 else (wall, front, back)
        case Prism() | ExtrudedPolygon():
            P = outline(shape)
            Q = np.roll(P, -1, axis=0)
            sides = (
                _plane(f"side{i + 1}", (v[1], -v[0], 0.0), (*m, 0.0))
                for i, (v, m) in enumerate(zip(Q - P, (P + Q) / 2, strict=True))
            )
            return (*sides, *_caps(shape.length))
        case HalfSpace():
            return (_plane("top", (0, 1, 0), (0, 0, 0)),)
        case Mesh():
            return ()


def face_names(shape: Primitive | Mesh) -> tuple[str, ...]:
    """Return the names of the faces that ``surfaces_of`` gives, in its order."""
    match shape:
        case Cuboid():
            return ("right", "left", "top", "bottom", "front", "back")
        case Prism() | ExtrudedPolygon():
            count = shape.sides if isinstance(shape, Prism) else len(shape.points)
            return (*(f"side{i + 1}" for i in range(count)), "front", "back")
        case _:
            return tuple(surface.name for surface in surfaces_of(shape))


def outline(shape: Prism | ExtrudedPolygon) -> Array:
    """Return the polygon ``(n, 2)``, counterclockwise, that a prism or extrusion stands on."""
    if isinstance(shape, ExtrudedPolygon):
        return shape.corners()
    turn = 2 * np.pi * np.arange(shape.sides) / shape.sides
    return shape.radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1)


def _caps(h: float) -> tuple[Surface, Surface]:
    return _plane("front", (0, 0, 1), (0, 0, h / 2)), _plane("back", (0, 0, -1), (0, 0, -h / 2))
