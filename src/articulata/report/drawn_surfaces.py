"""Surfaces to be drawn: triangles with a normal at every corner, smooth where the solid is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, IntArray

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape

SEGMENTS = 32
"""Sides of a full circle: round to the eye at the size of a body in a picture."""

FEWER = {2: 24, 5: 20}
"""The same in a solid of so many parts and more: parts are smaller, as a hand has fingers, and
fewer sides look as round."""

CREASE = np.cos(np.radians(35.0))
"""Faces that meet at more than 35 degrees keep their edge."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """``vertices`` (n, 3) m, unit ``normals`` (n, 3), ``triangles`` (m, 3) counterclockwise."""

    vertices: Array
    normals: Array
    triangles: IntArray


def surface_of(shape: Shape) -> Surface:
    """Return the surface of ``shape`` for drawing; a mesh may be open."""
    # Imported here: constructed solids bring in libraries that only drawing needs.
    from articulata.geometry.parts import parts_of
    from articulata.geometry.shapes import Mesh
    from articulata.geometry.solids import kernel_for

    if isinstance(shape, Mesh):
        return shaded(shape.vertices, shape.faces)
    count = len(parts_of(shape))
    sides = min([SEGMENTS, *(n for parts, n in FEWER.items() if count >= parts)])
    found = kernel_for(shape).tessellate(shape, sides)
    return shaded(found.vertices, found.triangles)


def shaded(vertices: Array, triangles: IntArray) -> Surface:
    """Return the triangles with normals averaged across every edge that is not a crease."""
    firsts, at = _distinct(vertices)
    corners = at[triangles]
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    lengths = np.linalg.norm(areas, axis=1, keepdims=True)
    flat = areas / np.where(lengths > 0, lengths, 1.0)
    # A large triangle weighs more by its area, and at each corner by the angle it spans there.
    order = np.argsort(corners.ravel(), kind="stable")
    starts = np.searchsorted(corners.ravel()[order], np.arange(len(firsts) + 1))
    weights = _angles(np.stack([a, b, c], axis=1)).ravel()[:, None] * flat.repeat(3, axis=0)
    normals = np.zeros((3 * len(triangles), 3))
    one, other = _meeting(order, starts)
    alike = np.einsum("ij,ij->i", flat[one // 3], flat[other // 3]) >= CREASE
    for axis in range(3):
        normals[:, axis] = np.bincount(
            one[alike], weights[other[alike], axis], minlength=len(normals)
        )
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(sizes > 1e-12, normals / np.where(sizes > 0, sizes, 1.0), flat.repeat(3, 0))
    # Corners that are equal in place and normal are one vertex again.
    whole = np.hstack([vertices[triangles.ravel()], np.round(normals, 6) + 0.0])
    first, back = _distinct(whole)
    return Surface(
        vertices[triangles.ravel()[first]], normals[first], back.reshape(-1, 3).astype(np.int64)
    )


def _distinct(rows: Array) -> tuple[IntArray, IntArray]:
    """Return where each row that differs (by 1e-9) first stands, and for every row its number.

    The rows are numbered in lexical order. ``np.unique`` does the same ten times slower.
    """
    rounded = np.round(rows, 9)
    order = np.lexsort(rounded.T[::-1])
    new = np.ones(len(order), bool)
    new[1:] = np.any(rounded[order[1:]] != rounded[order[:-1]], axis=1)
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new], number


def _meeting(order: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
    """Return all pairs of corners that meet in a point, each with itself and both ways round.

    ``order`` lists the corners point by point, those of point p from ``starts[p]`` on.
    """
    counts = np.diff(starts)
    each = counts.repeat(counts)  # for every corner, how many meet in its point
    one = order.repeat(each)
    before = np.concatenate(([0], np.cumsum(each)[:-1])).repeat(each)
    within = np.arange(len(one)) - before
    return one, order[starts[:-1].repeat(counts).repeat(each) + within]


def _angles(triangles: Array) -> Array:
    """Return the angle at each corner, (m, 3) rad, of ``triangles`` (m, 3, 3)."""
    angles = np.empty(triangles.shape[:2])
    for k in range(3):
        u = triangles[:, (k + 1) % 3] - triangles[:, k]
        v = triangles[:, (k + 2) % 3] - triangles[:, k]
        angles[:, k] = np.arctan2(
            np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ij,ij->i", u, v)
        )
    return angles


def ball(radius: float, segments: int = 12) -> Surface:
    """Return a sphere of ``radius`` m for marks: joints, and bodies without a shape."""
    rings = segments // 2
    polar = np.linspace(0.0, np.pi, rings + 1)[1:-1, None]
    around = np.linspace(0.0, 2 * np.pi, segments, endpoint=False)[None, :]
    belt = np.stack(
        [
            np.sin(polar) * np.cos(around),
            np.cos(polar) * np.ones_like(around),
            np.sin(polar) * np.sin(around),
        ],
        axis=-1,
    ).reshape(-1, 3)
    unit = np.vstack([[0.0, 1.0, 0.0], belt, [0.0, -1.0, 0.0]])
    triangles = []
    for k in range(segments):
        after = (k + 1) % segments
        triangles.append((0, 1 + after, 1 + k))
        for ring in range(rings - 2):
            upper, lower = 1 + ring * segments, 1 + (ring + 1) * segments
            triangles.append((upper + k, upper + after, lower + k))
            triangles.append((upper + after, lower + after, lower + k))
        foot = 1 + (rings - 2) * segments
        triangles.append((foot + k, foot + after, len(unit) - 1))
    return Surface(radius * unit, unit, np.array(triangles, np.int64))
