"""Geoms of a model that MuJoCo has compiled: their shapes and colours, and which of them meet."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations_with_replacement, product
from typing import Any, Final, NamedTuple

import numpy as np

from articulata.formats.scenes.foreign_scene import Scene, placed, united
from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, HalfSpace, Mesh, Shape, Sphere
from articulata.world.values import Vector3

DISABLED: Final = 1 << 4
"""The flag of a model whose geoms do not touch (mjDSBL_CONTACT)."""
MOST_IGNORED: Final = 2000
"""Pairs that a text tells one by one."""
SHOWN: Final = 2
"""The last group of geoms that MuJoCo's viewers show unasked (mjvOption)."""


class Form(NamedTuple):
    """What touches of a part, what is seen where that is not the same, and its colour."""

    shape: Shape | None
    look: Shape | None
    color: Vector3 | None
    touching: list[int]


def touches(model: Any, geom: int) -> bool:
    """Return whether a geom meets any other."""
    on = not model.opt.disableflags & DISABLED
    return bool(on and (model.geom_contype[geom] or model.geom_conaffinity[geom]))


def excluded(
    model: Any, names: dict[int, str], still: dict[int, list[str]]
) -> list[tuple[str, str]]:
    """Return the pairs of parts that ``exclude`` names; ``names`` are of bodies that move."""
    found = list[tuple[str, str]]()
    for signature in model.exclude_signature.tolist():
        ends = [
            (each, int(model.body_weldid[each])) for each in (signature >> 16, signature & 65535)
        ]
        one, other = ([names[weld]] if weld else still[each] for each, weld in ends)
        found += [(p, q) for p, q in product(one, other) if p != q]
    return found


def never_meeting(model: Any, solids: dict[str, list[int]], scene: Scene) -> list[tuple[str, str]]:
    """Return pairs of parts that pass through each other by ``contype`` and ``conaffinity``.

    ``solids`` are geoms by their parts. Too many pairs, and those of which some shapes meet, are
    counted as lost.
    """
    moving = {each.name: each.joint for each in scene.parts if each.mass is not None}
    kinds = defaultdict[frozenset[tuple[int, int]], list[str]](list)
    for name, geoms in solids.items():
        those = [each for each in geoms if touches(model, each)]
        bits = frozenset(
            (int(model.geom_contype[e]), int(model.geom_conaffinity[e])) for e in those
        )
        if bits:
            kinds[bits].append(name)
    found = list[tuple[str, str]]()
    for one, other in combinations_with_replacement(kinds, 2):
        meet = {bool(a & d or c & b) for a, b in one for c, d in other}
        if meet == {True}:
            continue
        pairs = {
            (min(p, q), max(p, q)) for p in kinds[one] for q in kinds[other]
            if p != q and {p, q} & moving.keys()
        }  # fmt: skip
        if len(meet) > 1 or len(found) + len(pairs) > MOST_IGNORED:
            scene.lost["contype or conaffinity (those meet that would not)"] += len(pairs)
        else:
            found += sorted(pairs)
    on = {(name, joint.parent) for name, joint in moving.items() if joint is not None}
    return [(p, q) for p, q in found if not {(p, q), (q, p)} & on]


def color_of(model: Any, geom: int) -> Vector3:
    """Return the colour of a geom, its material's where it has none."""
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom]
    if material >= 0 and np.allclose(rgba, (0.5, 0.5, 0.5, 1.0)):
        rgba = model.mat_rgba[material]
    r, g, b = (round(min(max(float(each), 0.0), 1.0), 6) for each in rgba[:3])
    return (r, g, b)


def are_one(model: Any, geoms: range) -> bool:
    """Return whether one part can hold the geoms of a body: no names, no plane, one colour."""
    import mujoco

    apart = any(
        model.geom(e).name or model.geom_type[e] == mujoco.mjtGeom.mjGEOM_PLANE for e in geoms
    )
    return not apart and len({color_of(model, each) for each in geoms}) == 1


def form_of(model: Any, data: Any, geoms: list[int], name: str, X_WP: Array, scene: Scene) -> Form:
    """Return the form of the part ``name``, whose frame is at ``X_WP``, of its geoms."""
    back = np.array(np.linalg.inv(X_WP), np.float64)
    found = Form(None, None, None, [])
    solid: list[Shape] = []
    seen: list[Shape] = []
    hidden: list[Shape] = []
    color = None
    for geom in geoms:
        X = make_pose(data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom])
        shape = shape_of(model, geom, f"{name}_{geom}", scene)
        if shape is None or isinstance(shape, HalfSpace):
            continue
        form = placed(shape, back @ X)
        if touches(model, geom):
            found.touching.append(geom)
            solid += scene.hull(shape, back @ X) if isinstance(shape, Mesh) else [form]
        (seen if int(model.geom_group[geom]) <= SHOWN else hidden).append(form)
        color = color or color_of(model, geom)
    seen = seen or hidden
    look = None if seen == solid else united(seen)
    return found._replace(shape=united(solid), look=look, color=color)


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
