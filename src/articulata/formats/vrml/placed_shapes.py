"""Shapes where Transform nodes put them, and their colours."""

from __future__ import annotations

import numpy as np

from articulata.formats.scenes.scene import Scene, stretched, triangles_of
from articulata.formats.vrml.graph import Node
from articulata.formats.vrml.surfaces import drawn, rotation
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import SHAPES, Placed, Shape
from articulata.world.values import Vector3


def placed_shape(known: object, S: Array, name: str, scene: Scene) -> Shape | None:
    """Return a shape, or triangles, stretched by S (3, 3); None where nothing is left of it."""
    if isinstance(known, tuple):
        vertices, faces = known
    elif isinstance(known, SHAPES):
        shape = _primitive(known, S)
        if shape is not None:
            return shape
        vertices, faces = triangles_of(known)
    else:
        return None
    if np.linalg.det(S) == 0.0:
        scene.lost["a thing without thickness (scaled by 0)"] += 1
        return None
    if np.linalg.det(S) < 0.0:
        faces = faces[:, ::-1]
    return scene.surface(name, vertices @ S.T, faces)


def _primitive(shape: Shape, S: Array) -> Shape | None:
    if not isinstance(shape, Placed):
        return stretched(shape, S)
    R = shape.X_PS[:3, :3]
    inside = stretched(shape.shape, R.T @ S @ R)
    return None if inside is None else Placed(inside, shape.X_PS)


def transform(node: Node) -> Array:
    """Return the map (4, 4) of a Transform: T C R SR S -SR -C (ISO/IEC 14772-1, 6.52)."""

    def moved(p: Array) -> Array:
        X = np.eye(4)
        X[:3, 3] = p
        return X

    def turned(value: Array) -> Array:
        X = np.eye(4)
        X[:3, :3] = rotation(value)
        return X

    center = node.get("center") if "center" in node.spec else np.zeros(3)
    M = moved(node.get("translation")) @ moved(center) @ turned(node.get("rotation"))
    if "scale" in node.spec:
        axes = np.eye(4)
        if "scaleOrientation" in node.spec:
            axes = turned(node.get("scaleOrientation"))
        M = M @ axes @ np.diag([*node.get("scale"), 1.0]) @ axes.T
    return M @ moved(-center)


def color_of(node: Node, scene: Scene) -> Vector3 | None:
    """Return the colour of a Shape, what is lost of its looks counted."""
    appearance = node.get("appearance")
    if appearance is None:
        return None
    appearance = drawn(appearance)
    if appearance.get("texture") is not None:
        scene.lost["pictures on surfaces (textures)"] += 1
    material = appearance.get("material")
    if material is None:
        return None
    material = drawn(material)
    if material.get("transparency") is not None and material.get("transparency")[0] > 0.0:
        scene.lost["transparency"] += 1
    for name in ("diffuseColor", "baseColor", "emissiveColor"):
        if name in material.spec:
            value = np.clip(material.get(name), 0.0, 1.0)
            if value.any() or name == "emissiveColor":
                r, g, b = (float(each) for each in value)
                return (r, g, b)
    return None
