"""Triangles that approximate a shape, every one knowing the face it came from.

Corners lie on the exact surface (curved faces are inscribed); triangles run counterclockwise as
seen from outside. ``segments`` is the number of sides of a full circle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.geometry.exact_surfaces import outline
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

LEAST_SEGMENTS = 8
"""Fewer sides than this and a circle cannot be told from a polygon."""

SAME_CORNER = 1e-9
"""Corners of a unit circle nearer than this are one corner."""


@dataclass(frozen=True, slots=True, eq=False)
class Tessellation:
    """``vertices`` ``(n, 3)`` m, ``triangles`` ``(m, 3)``, and the face of every triangle.

    ``faces[face[i]]`` names the face that triangle ``i`` lies on: ``block.top``.
    """

    vertices: Float64[Array, "n 3"]
    triangles: Int64[IntArray, "m 3"]
    face: Int64[IntArray, "m"]
    faces: tuple[str, ...]

    @property
    def face_names(self) -> list[str]:
        """The face name of every triangle."""
        return [self.faces[i] for i in self.face]

    def triangles_of(self, name: str) -> IntArray:
        """Return the triangles ``(k, 3)`` of a face; none where the name is not known."""
        wanted = [i for i, face in enumerate(self.faces) if face == name]
        return self.triangles[np.isin(self.face, wanted)]


def check_segments(segments: int) -> int:
    """Return a number of sides that is a multiple of 4, or say what is allowed."""
    if not LEAST_SEGMENTS <= segments <= 4096:
        raise GeometryError(
            f"segments = {segments!r} is not allowed; a circle takes {LEAST_SEGMENTS} to 4096 sides"
        )
    # multiples of four put corners on the axes, so extents along them are exact
    return -(-int(segments) // 4) * 4


def primitive_triangles(
    shape: Primitive | Mesh, segments: int, angles: tuple[float, ...] = ()
) -> tuple[Array, IntArray, IntArray]:
    """Return vertices, triangles and the index of each triangle's face in ``surfaces_of``.

    ``angles`` (rad, about z) get corners of their own in circles of cylinders and cones.
    """
    circle = _circle(segments, angles)
    match shape:
        case Cuboid(x, y, z):
            return _cuboid(x, y, z)
        case Sphere(r):
            latitudes = np.linspace(-np.pi / 2, np.pi / 2, segments // 2 + 1)[1:-1]
            rings = [(r * np.cos(t), r * np.sin(t)) for t in latitudes]
            return _turned(rings, [0] * (len(rings) - 1), (-r, 0), (r, 0), circle)
        case Cylinder(r, h):
            return _turned([(r, -h / 2), (r, h / 2)], [0], (None, 2), (None, 1), circle)
        case Capsule(r, h):
            up = np.linspace(0, np.pi / 2, segments // 4 + 1)[:-1]
            front = [(r * np.cos(t), h / 2 + r * np.sin(t)) for t in up]
            back = [(rho, -z) for rho, z in reversed(front)]
            bands = [2] * (len(back) - 1) + [0] + [1] * (len(front) - 1)
            return _turned(back + front, bands, (-h / 2 - r, 2), (h / 2 + r, 1), circle)
        case Cone(a, h, 0.0):
            return _turned([(a, -h / 2)], [], (None, 1), (h / 2, 0), circle)
        case Cone(a, h, b):
            return _turned([(a, -h / 2), (b, h / 2)], [0], (None, 2), (None, 1), circle)
        case Prism() | ExtrudedPolygon():
            return _extruded(outline(shape), shape.length)
        case HalfSpace():
            raise GeometryError("a half space is endless and cannot be cut into triangles")
        case Mesh():
            return shape.vertices, shape.faces, np.arange(len(shape.faces))


def _circle(n: int, angles: tuple[float, ...] = ()) -> Array:
    """Return corners of a unit circle, ``(n or more, 2)``, with corners at ``angles`` too."""
    turn = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    # the four corners on the axes are exact, not cos(pi/2)
    circle[:: n // 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    for angle in angles:
        extra = np.array([np.cos(angle), np.sin(angle)])
        if np.min(np.max(np.abs(circle - extra), axis=1)) > SAME_CORNER:
            circle = np.vstack([circle, extra])
    if len(circle) > n:
        circle = circle[np.argsort(np.arctan2(circle[:, 1], circle[:, 0]))]
    return circle


def _cuboid(x: float, y: float, z: float) -> tuple[Array, IntArray, IntArray]:
    signs = np.array([(i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8)]) - 0.5
    quads = [(1, 3, 7, 5), (0, 4, 6, 2), (2, 6, 7, 3), (0, 1, 5, 4), (4, 5, 7, 6), (0, 2, 3, 1)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return signs * np.array([x, y, z]), np.array(triangles), np.repeat(np.arange(6), 2)


def _turned(
    rings: list[tuple[float, float]],
    bands: list[int],
    low: tuple[float | None, int],
    high: tuple[float | None, int],
    circle: Array,
) -> tuple[Array, IntArray, IntArray]:
    """Return a surface of revolution about z from ``(radius, z)`` rings, bottom to top.

    ``circle`` ``(n, 2)`` holds the corners of a unit circle.
    ``bands`` gives the face between neighbouring rings; ``low`` and ``high`` give a pole's z
    (None: a flat cap) and its face.
    """
    n = len(circle)
    levels = [np.column_stack([rho * circle, np.full(n, z)]) for rho, z in rings]
    i = np.arange(n)
    j = (i + 1) % n
    triangles: list[IntArray] = []
    faces: list[IntArray] = []
    for k, face in enumerate(bands):
        a, b = k * n, (k + 1) * n
        triangles += [np.stack([a + i, a + j, b + j], 1), np.stack([a + i, b + j, b + i], 1)]
        faces.append(np.full(2 * n, face))
    count = len(rings) * n
    for z, face, base, up in ((low[0], low[1], 0, False), (high[0], high[1], count - n, True)):
        if z is None:
            fan = np.stack([np.full(n - 2, base), base + i[1:-1], base + i[2:]], 1)
        else:
            levels.append(np.array([[0.0, 0.0, z]]))
            fan = np.stack([np.full(n, count), base + i, base + j], 1)
            count += 1
        triangles.append(fan if up else fan[:, ::-1])
        faces.append(np.full(len(fan), face))
    return np.concatenate(levels), np.concatenate(triangles), np.concatenate(faces)


def polygon_triangles(P: Array) -> IntArray:
    """Return triangles ``(n - 2, 3)``, counterclockwise, that fill a simple polygon ``(n, 2)``."""
    from manifold3d import triangulate

    return np.asarray(triangulate([np.ascontiguousarray(P)]), dtype=np.int64)


def _extruded(P: Array, h: float) -> tuple[Array, IntArray, IntArray]:
    """Return a prism over a counterclockwise polygon; faces are the sides, front, back."""
    n = len(P)
    cap = polygon_triangles(P)
    i = np.arange(n)
    j = (i + 1) % n
    vertices = np.concatenate(
        [np.column_stack([P, np.full(n, -h / 2)]), np.column_stack([P, np.full(n, h / 2)])]
    )
    triangles = np.concatenate(
        [
            np.stack([i, j, n + j], 1),
            np.stack([i, n + j, n + i], 1),
            cap + n,
            cap[:, ::-1],
        ]
    )
    faces = np.concatenate([i, i, np.full(len(cap), n), np.full(len(cap), n + 1)])
    return vertices, triangles, faces
