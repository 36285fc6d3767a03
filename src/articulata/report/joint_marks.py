"""Marks of joints: a pin through both bodies, a guide along a slide, a ball in its socket.

They are drawn only, so that two bars that lie in line are seen as two. Limbs of figures have none:
where a figure bends is seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply, q_rotate
from articulata.geometry.shapes import Cylinder, HalfSpace, Shape, Sphere
from articulata.report.drawn_surfaces import surface_of
from articulata.world.model import Body, Hinge, World
from articulata.world.values import Pose

THICKNESS = 0.3
"""Radius of a pin beside the thinner of the two bodies that it joins."""
PROUD = 0.5
"""How far a pin stands out of both bodies together, beside the thinner one."""
WALL = 4.0
"""A body this many times as thick as the other is a wall or a floor: a pin ends in it."""
BALL = 0.62
"""Radius of a ball beside the thinner body, from which it stands out."""
GUIDE = 0.12
"""Radius of a guide beside what slides on it."""

_TURNS = ("revolute", "cylindrical", "screw")
_SLIDES = ("prismatic", "cylindrical", "screw")
_BALLS = ("ball.and.socket", "universal", "point-on-surface")


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
    # the thinner body says how thick a mark is, and the other is gone through where it is no wall
    across = min(float(min(high[0] - low[0], high[1] - low[1])) for low, high in boxes)
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
        made.append(JointMark(hinge.id, a.id, hinge.frame_a, Sphere(BALL * across)))
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
