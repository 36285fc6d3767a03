"""Bodies as they are drawn: the links of a figure that says few shapes are bones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.shapes import Mesh, Named, Placed, Shape, Union
from articulata.kinematics.joint import FIXED
from articulata.records.codec import Unknown
from articulata.report.drawn_surfaces import SEGMENTS
from articulata.world.model import Body, World

if TYPE_CHECKING:
    from articulata.kinematics.figure import Figure
    from articulata.kinematics.link import Part

# ---- looks as one surface: meshes, which may be open and overlap, beside what is solid


@lru_cache(maxsize=256)
def drawn(look: Shape) -> Shape:
    """Return a look as one surface where meshes are part of it."""
    from articulata.geometry.solids import kernel_for

    leaves = list(_leaves(look, np.eye(4)))
    if not any(isinstance(leaf, Mesh) for leaf, _ in leaves) or isinstance(look, Mesh):
        return look
    vertices, faces, start = [], [], 0
    for leaf, X in leaves:
        if isinstance(leaf, Mesh):
            corners, triangles = leaf.vertices, leaf.faces
        else:
            made = kernel_for(leaf).tessellate(leaf, SEGMENTS)
            corners, triangles = made.vertices, made.triangles
        vertices.append(corners @ X[:3, :3].T + X[:3, 3])
        faces.append(triangles + start)
        start += len(corners)
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def _leaves(shape: Shape, X: Array) -> Iterator[tuple[Shape, Array]]:
    """Yield the parts of a look, what is cut or shared as a whole, and their poses (4, 4)."""
    if isinstance(shape, Placed):
        yield from _leaves(shape.shape, X @ shape.X_PS)
    elif isinstance(shape, Named):
        yield from _leaves(shape.shape, X)
    elif isinstance(shape, Union):
        for part in shape.parts:
            yield from _leaves(part, X)
    else:
        yield shape, X


def drawn_bodies(world: World) -> Mapping[str, Body]:
    """Return the bodies of a world by their ids; most links without a shape: they get bones.

    They are drawn only: nothing touches them. RecordingError for shapes of another version.
    """
    for each in world.bodies.values():
        held: object = each.shape  # what a file holds may be of no class that types know
        if isinstance(held, Unknown):
            kind = held.name.rpartition(":")[2]
            raise RecordingError(
                f"'{each.id}' has a shape, '{kind}', which this version of articulata does not "
                "know; open the recording with the one that wrote it"
            )
    bare = [
        node.id
        for node in world.figures.values()
        if 2 * sum(_shapeless(world, body) for body in node.carriers) > len(node.carriers)
    ]
    seen = {body.id: drawn(body.look) for body in world.bodies.values() if body.look is not None}
    found = {**world.bodies, **{id: replace(world.bodies[id], shape=seen[id]) for id in seen}}
    if not bare:
        return found
    # Imported here: most worlds have no figure that is drawn by its bones.
    from articulata.kinematics.link import MeshFile
    from articulata.kinematics.skeleton import bones
    from articulata.kinematics.standing_figures import standing

    for figure in standing(world):
        if figure.id not in bare:
            continue
        carriers = world.figures[figure.id].carriers
        made = dict(bones(figure.figure, figure.start))
        _hand_on(figure.figure, figure.start, made, set(carriers.values()))
        for body, joint in carriers.items():
            parts: list[Shape] = [
                Placed(part.shape, part.X_LS)
                for part in made.get(joint, ())
                if not isinstance(part.shape, MeshFile)
            ]
            if parts and body in found and found[body].shape is None:
                shape = parts[0] if len(parts) == 1 else Union(parts)
                found[body] = replace(found[body], shape=shape)
    return found


def _hand_on(
    figure: Figure, q: Array, made: dict[str, tuple[Part, ...]], carried: set[str]
) -> None:
    """Give the bones of links that have no body of their own to the link that carries them.

    Joints whose axes meet make one hinge: a bone along the first one's axis stands still where the
    hinge is held. So does what fixed joints carry.
    """
    X_WL = figure.poses(q)
    for number, joint in enumerate(figure.joints):
        owner = figure.parents[number]
        while owner >= 0 and figure.joints[owner].kind == FIXED:
            owner = figure.parents[owner]
        name = figure.joints[owner].name if owner >= 0 else ""
        parts = made.get(joint.name, ())
        if joint.name in carried or name not in carried:
            continue
        if joint.kind != FIXED:
            axis = inverse_pose(joint.X_JL)
            parts = tuple(each for each in parts if _is_along(each, axis))
        X_OL = inverse_pose(X_WL[owner] if owner >= 0 else figure.base) @ X_WL[number]
        made[name] = (
            *made.get(name, ()),
            *(replace(each, X_LS=X_OL @ each.X_LS) for each in parts),
        )


def _is_along(part: Part, axis: Array) -> bool:
    """Return whether a bone lies on the z axis of a frame."""
    a, p = axis[:3, 2], part.X_LS[:3, 3] - axis[:3, 3]
    across = np.cross(part.X_LS[:3, 2], a), np.cross(p, a)
    return bool(np.abs(across).max() < 1e-9)


def _shapeless(world: World, body: str) -> bool:
    found = world.bodies.get(body)
    return found is None or (found.shape is None and found.look is None)
