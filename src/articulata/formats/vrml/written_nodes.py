"""Nodes to be written: shapes, and the fields that place them."""

from __future__ import annotations

import math

import numpy as np

from articulata.formats.scenes.foreign_scene import triangles_of
from articulata.formats.vrml.graph import Node, Value
from articulata.formats.vrml.node_table import nodes
from articulata.formats.vrml.shape_nodes import Z_TO_Y
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.geometry.shapes import Cone, Cuboid, Cylinder, Named, Placed, Shape, Sphere, Union
from articulata.world.values import Vector3


def made(kind: str, name: str = "", /, **fields: Value) -> Node:
    """Return a node of a type with some of its fields; ``name`` is its DEF."""
    return Node(kind, nodes()[kind], "", fields, name)


def shapes(shape: Shape, color: Vector3 | None) -> list[Node]:
    """Return the nodes that are drawn as a shape, in its frame."""
    if isinstance(shape, Named):
        return shapes(shape.shape, color)
    if isinstance(shape, Union):
        return [node for part in shape.parts for node in shapes(part, color)]
    if isinstance(shape, Placed):
        inside = shapes(shape.shape, color)
        return [made("Transform", **place(shape.X_PS), children=inside)]
    looks: dict[str, Value] = {} if color is None else {"diffuseColor": np.array(color)}
    appearance = made("Appearance", material=made("Material", **looks))
    match shape:
        case Cuboid(x, y, z):
            geometry = made("Box", size=np.array([x, y, z]))
        case Sphere(radius):
            geometry = made("Sphere", radius=np.array([radius]))
        case Cylinder(radius, length):
            geometry = made("Cylinder", radius=np.array([radius]), height=np.array([length]))
        case Cone(radius, length, 0.0):
            geometry = made("Cone", bottomRadius=np.array([radius]), height=np.array([length]))
        case _:
            vertices, faces = triangles_of(shape)
            ends = np.column_stack([faces, np.full(len(faces), -1)])
            geometry = made(
                "IndexedFaceSet", coord=made("Coordinate", point=vertices),
                coordIndex=ends.reshape(-1, 1), solid=False,
            )  # fmt: skip
    node = made("Shape", appearance=appearance, geometry=geometry)
    if geometry.type in ("Cylinder", "Cone"):
        return [made("Transform", **place(Z_TO_Y.T), children=[node])]
    return [node]


def place(X: Array) -> dict[str, Value]:
    """Return the fields of a Transform that say a pose (4, 4)."""
    found: dict[str, Value] = {}
    if X[:3, 3].any():
        found["translation"] = X[:3, 3]
    if not np.array_equal(X[:3, :3], np.eye(3)):
        found["rotation"] = turn(X)
    return found


def turn(X: Array) -> Array:
    """Return a rotation as axis and angle (4,)."""
    w, *v = (float(each) for each in q_from_matrix(X[:3, :3]))
    size = math.hypot(*v)
    if size == 0.0:
        return np.array([0.0, 0.0, 1.0, 0.0])
    return np.array([*(each / size for each in v), 2.0 * math.atan2(size, w)])
