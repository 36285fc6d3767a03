"""Which thing of a room a line of sight meets first, and where on it."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.constructed import tessellate
from articulata.geometry.shapes import Mesh, Shape
from articulata.world.model import World

_FLAT = 1e-12
"""Of a triangle that is seen edge on, or has no size, nothing is met."""


def pointed_at(world: World, ray: Array, without: Container[str] = ()) -> tuple[str, Array] | None:
    """Return the body that a ray (2, 3) in W meets first, and where (3,), in the body's frame.

    A ray is an origin and a direction. Bodies ``without`` are looked through. None where nothing is
    met. Triangles are met as in Moller and Trumbore (1997).
    """
    nearest: tuple[float, str, Array] | None = None
    for body in world.bodies.values():
        if body.shape is None or body.id in without:
            continue
        X = body.pose.matrix()
        origin = (ray[0] - X[:3, 3]) @ X[:3, :3]
        direction = ray[1] @ X[:3, :3]
        a, b, c = np.moveaxis(triangles_of(body.shape), 1, 0)
        along, across = b - a, c - a
        normal = np.cross(direction, across)
        size = np.einsum("ij,ij->i", along, normal)
        seen = np.abs(size) > _FLAT
        size = size[seen]
        away = origin - a[seen]
        u = np.einsum("ij,ij->i", away, normal[seen]) / size
        turned = np.cross(away, along[seen])
        v = turned @ direction / size
        far = np.einsum("ij,ij->i", across[seen], turned) / size
        met = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (far > 0.0)
        if met.any():
            least = float(far[met].min())
            if nearest is None or least < nearest[0]:
                nearest = least, body.id, origin + least * direction
    return None if nearest is None else nearest[1:]


def triangles_of(shape: Shape) -> Array:
    """Return the triangles (n, 3, 3) of a shape; a mesh may be open."""
    if isinstance(shape, Mesh):
        return np.asarray(shape.vertices[shape.faces])
    mesh = tessellate(shape)
    return np.asarray(mesh.vertices[mesh.triangles])
