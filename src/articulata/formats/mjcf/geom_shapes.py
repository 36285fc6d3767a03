"""What is seen and touched of a model of MuJoCo: its geoms as shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.formats.scenes.foreign_scene import Scene
from articulata.geometry.shapes import (
    Capsule,
    Cuboid,
    Cylinder,
    HalfSpace,
    Shape,
    Sphere,
)
from articulata.world.values import Vector3


def color_of(model: Any, geom: int) -> Vector3:
    """Return the colour of a geom, its material's where it has none."""
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom]
    if material >= 0 and np.allclose(rgba, (0.5, 0.5, 0.5, 1.0)):
        rgba = model.mat_rgba[material]
    r, g, b = (round(min(max(float(each), 0.0), 1.0), 6) for each in rgba[:3])
    return (r, g, b)


def shape_of(model: Any, geom: int, name: str, scene: Scene) -> Shape | None:
    """Return a geom's shape in its own frame."""
    import mujoco

    types = mujoco.mjtGeom
    kind = int(model.geom_type[geom])
    a, b, c = (float(each) for each in model.geom_size[geom])
    if kind == types.mjGEOM_PLANE:
        return HalfSpace()
    if kind == types.mjGEOM_SPHERE:
        return Sphere(a)
    if kind == types.mjGEOM_CAPSULE:
        return Capsule(a, 2.0 * b)
    if kind == types.mjGEOM_CYLINDER:
        return Cylinder(a, 2.0 * b)
    if kind == types.mjGEOM_BOX:
        return Cuboid(2.0 * a, 2.0 * b, 2.0 * c)
    if kind == types.mjGEOM_ELLIPSOID:
        return scene.ellipsoid(name, (a, b, c))
    if kind == types.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        begin, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        first, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        vertices = np.array(model.mesh_vert[begin : begin + count], float)
        return scene.surface(
            name, vertices, np.array(model.mesh_face[first : first + faces], np.int64)
        )
    scene.lost[f"shape of the kind {types(kind).name[7:].lower()}"] += 1
    return None
