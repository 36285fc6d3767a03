"""Bodies as they are drawn: links of figures that say few shapes are bones; joints have marks.

A mark is a pin through both bodies, a guide along a slide, a ball in its socket. Marks are drawn
only, so that two bars that lie in line are seen as two. Limbs of figures have none: where a figure
bends is seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.quaternion import q_multiply, q_rotate
from articulata.geometry.shapes import (
    Cylinder,
    HalfSpace,
    Mesh,
    Named,
    Placed,
    Shape,
    Sphere,
    Union,
)
from articulata.kinematics.joint import FIXED
from articulata.records.codec import Unknown
from articulata.report.drawn_surfaces import SEGMENTS, surface_of
from articulata.world.model import Body, Hinge, World
from articulata.world.values import Pose

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


THICKNESS = 0.3
"""Radius of a pin beside the thinner of the two bodies that it joins."""
PROUD = 0.5
"""How far a pin stands out of both bodies together, beside the thinner one."""
WALL = 4.0
"""A body this many times as thick as the other is a wall or a floor: a pin ends in it."""
BALL = 0.62
"""Radius of a ball beside the thinner body, from which it stands out."""
FAR = 0.12
"""The same of one that lies off both bodies."""
GUIDE = 0.12
"""Radius of a guide beside what slides on it."""

_TURNS = ("revolute", "cylindrical", "screw")
_SLIDES = ("prismatic", "cylindrical", "screw")
_BALLS = ("ball.and.socket", "universal", "constant.velocity", "point-on-surface")


@dataclass(frozen=True, slots=True)
class JointMark:
    """A shape that moves with ``body``: ``X_BM`` its pose in it, the shape's axis along z."""

    hinge: str
    body: str
    X_BM: Pose
    shape: Shape


def joint_marks(world: World, bodies: Mapping[str, Body]) -> tuple[JointMark, ...]:
    """Return the marks of the hinges of a world, whose ``bodies`` are as they are drawn."""
    limbs = {id for node in world.figures.values() for id in node.carriers}
    found: list[JointMark] = []
    for hinge in world.hinges.values():
        a, b = bodies.get(hinge.body_a), bodies.get(hinge.body_b)
        if a is None or b is None or a.id in limbs or b.id in limbs:
            continue
        found += _marks(hinge, a, b)
    return tuple(found)


def _marks(hinge: Hinge, a: Body, b: Body) -> list[JointMark]:
    """Return the marks of one hinge on its body A, a guide on its body B."""
    kind = hinge.kind.name
    boxes = [
        box
        for body, frame in ((a, hinge.frame_a), (b, hinge.frame_b))
        if (box := _box(body, frame)) is not None
    ]
    if not boxes:
        return []
    # the thinner body says how thick a mark is (of a wheel or a plate its thickness), and the other
    # is gone through where it is no wall
    sizes = np.concatenate([high - low for low, high in boxes])
    across = min(sizes[sizes > 1e-9].tolist(), default=0.0)
    low, high = min(boxes, key=lambda box: float(box[1][2] - box[0][2]))
    for bottom, top in boxes:
        if top[2] - bottom[2] <= WALL * (high[2] - low[2]):
            low, high = np.minimum(low, bottom), np.maximum(high, top)
    span = high - low
    made: list[JointMark] = []
    if kind in _TURNS and across > 0.0:
        pin = Cylinder(THICKNESS * across, float(span[2]) + PROUD * across)
        middle = 0.5 * float(low[2] + high[2])
        made.append(JointMark(hinge.id, a.id, _moved(hinge.frame_a, middle), pin))
    if kind in _SLIDES and across > 0.0:
        begin, end = _slide(hinge, a, b, 0.6 * float(min(box[1][2] - box[0][2] for box in boxes)))
        guide = Cylinder(GUIDE * across, end - begin)
        made.append(JointMark(hinge.id, b.id, _moved(hinge.frame_b, 0.5 * (begin + end)), guide))
    if kind in _BALLS and across > 0.0:
        near = any(np.all((b <= 0.1 * across) & (t >= -0.1 * across)) for b, t in boxes)
        radius = (BALL if near else FAR) * across
        made.append(JointMark(hinge.id, a.id, hinge.frame_a, Sphere(radius)))
    return made


def _slide(hinge: Hinge, a: Body, b: Body, margin: float) -> tuple[float, float]:
    """Return from where to where along its axis a guide goes, m in the hinge's frame on B."""
    X_WA, X_WB = a.pose, b.pose
    p_W = np.asarray(X_WA.position) + q_rotate(
        np.asarray(X_WA.orientation), np.asarray(hinge.frame_a.position)
    )
    origin = np.asarray(X_WB.position) + q_rotate(
        np.asarray(X_WB.orientation), np.asarray(hinge.frame_b.position)
    )
    turn = q_multiply(np.asarray(X_WB.orientation), np.asarray(hinge.frame_b.orientation))
    travel = float(q_rotate(turn, np.array([0.0, 0.0, 1.0])) @ (p_W - origin))
    places = [0.0, travel]
    index = hinge.kind.coordinates.index("travel") if "travel" in hinge.kind.coordinates else None
    if index is not None and index < len(hinge.limits):
        places += [each for each in hinge.limits[index] if np.isfinite(each)]
    return min(places) - margin, max(places) + margin


def _box(body: Body, frame: Pose) -> tuple[Array, Array] | None:
    """Return the corners of a body about a hinge's frame; None for one without a surface."""
    if body.shape is None or isinstance(body.shape, HalfSpace):
        return None
    vertices = np.asarray(surface_of(body.shape).vertices, float)
    w, x, y, z = frame.orientation
    p_H = q_rotate(np.array([w, -x, -y, -z]), vertices - np.asarray(frame.position))
    return np.min(p_H, axis=0), np.max(p_H, axis=0)


def _moved(frame: Pose, along: float) -> Pose:
    """Return a frame moved along its own z axis, m."""
    p = np.asarray(frame.position) + q_rotate(
        np.asarray(frame.orientation), np.array([0.0, 0.0, along])
    )
    x, y, z = (float(each) for each in p)
    return Pose((x, y, z), frame.orientation)
