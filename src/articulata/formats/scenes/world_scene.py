"""A world as a scene, for writers of other formats: bodies, the tree of their hinges, views.

Every hinge hangs its body on one that is nearer to what is fixed; controls and laws of contact are
counted as lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

import numpy as np

from articulata.errors import KinematicsError, RecordingError
from articulata.formats.scenes.foreign_scene import (
    TURNED,
    Scene,
    SceneFigure,
    SceneJoint,
    ScenePart,
    SceneView,
    SeenLink,
    hang,
    written_name,
)
from articulata.formats.scenes.scene_motion import SceneMotion, SceneZoom, thinned
from articulata.formats.scenes.world_laws import CONTROL, take_laws, take_loops
from articulata.formats.vrml.humanoid_writer import is_person
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.mass import six_moments
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.described_figure import identifier
from articulata.kinematics.figure import Figure
from articulata.kinematics.world_figure import figure_of
from articulata.records.observed import POSE, VIEW, VIEW_ANGLES
from articulata.records.recording import Recording
from articulata.records.segment import Segment
from articulata.world.collision_pairs import meeting_pairs
from articulata.world.masses import body_mass
from articulata.world.model import Body, Hinge, World
from articulata.world.values import Vector3

MOST_PAIRS: Final = 2000
"""Pairs that are told one by one."""
NEAR: Final = 1e-12
"""m or rad, what assembly leaves of 0."""
KINDS: Final[Mapping[str, str]] = {
    "revolute": "pin", "prismatic": "slider", "ball.and.socket": "ball", "weld": "weld",
    "cylindrical": "cylindrical", "universal": "universal", "planar": "planar",
}  # fmt: skip
"""What a scene calls the hinges of a world."""


def scene_of_recording(recording: Recording, color_of: Callable[[Body], Vector3]) -> Scene:
    """Return the scene of a recording's world, its bodies moving as recorded.

    RecordingError where it has no two frames.
    """
    times = recording.times
    if len(times) < 2 or not times[-1] > times[0]:
        raise RecordingError("the recording has no two frames: nothing moves in it")
    segments = [each for each in recording.segments if len(each.times)]
    last = np.append(np.diff(times) > 0.0, True)  # of two frames at one instant the later holds
    motions: dict[str, SceneMotion] = {}
    gone = 0
    for id in recording.world.bodies:
        columns = [each.channels[POSE].labels for each in segments if POSE in each.channels]
        if len(columns) < len(segments) or any(id not in labels for labels in columns):
            gone += 1
            continue
        found = [each.array(POSE)[:, each.channels[POSE].labels.index(id)] for each in segments]
        rows = np.concatenate(found)[last]
        poses = make_pose(q_to_matrix(rows[:, 3:]), rows[:, :3])
        made = thinned(times[last] - times[0], poses)
        if made is not None:
            motions[id] = made
    scene = scene_of_world(recording.world, color_of, motions=motions)
    if all(VIEW in each.channels and VIEW_ANGLES in each.channels for each in segments):
        scene.views.append(_filmed(segments, times[last] - times[0], last, scene))
    if gone:
        scene.lost["motion of a body that comes or goes"] += gone
    return scene


def _filmed(segments: list[Segment], times: Array, last: BoolArray, scene: Scene) -> SceneView:
    """Return the camera that a recording was filmed by: how it moves, and zooms."""
    rows = np.concatenate([each.array(VIEW) for each in segments])[last]
    upwards = np.concatenate([each.array(VIEW_ANGLES)[:, 0, 1] for each in segments])[last]
    poses = make_pose(q_to_matrix(rows[:, 3:]), rows[:, :3])
    zoom = SceneZoom(times, upwards, again=False) if np.ptp(upwards) > 0.0 else None
    name = scene.unique("camera_view")
    return SceneView(name, poses[0], float(upwards[0]), thinned(times, poses), zoom)


def scene_of_world(
    world: World,
    color_of: Callable[[Body], Vector3],
    views: tuple[SceneView, ...] = (),
    motions: Mapping[str, SceneMotion] | None = None,
    *,
    humanoids: bool = False,
) -> Scene:
    """Return the scene of a world that stands as its bodies' poses say, or moves by ``motions``.

    With ``humanoids`` persons are whole figures, without they are their bodies.
    """
    scene = Scene(identifier(world.name), f"{world.name}.art", gravity=world.gravity, names={})
    alone = [id for id in world.figures if world.name == f"{id}_alone"]
    if alone and all(id.startswith(f"{alone[0]}.") for id in world.bodies):
        scene.prefix = f"{alone[0]}."  # a robot by itself keeps its names
    own = _figures(world, scene, color_of) if humanoids else frozenset()
    names = {id: scene.called(id) for id in world.bodies if id not in own}
    renamed = sum(name != id.removeprefix(scene.prefix) for id, name in names.items())
    if renamed:
        scene.lost["name with . or [ ] (written with _)"] += renamed
    scene.people = _people(world, names)
    hung, left = _tree(world)
    left = [each for each in left if not {each.body_a, each.body_b} <= own]
    empty = {id for id in names if _empty(world.bodies[id])}
    ends = {id: "" if id in empty else name for id, name in names.items()}
    tree = {hinge.id: hinge for hinge, *_ in hung.values() if hinge.body_a in names}
    now = {id: place for id, hinge in tree.items() if (place := _now(world, hinge)) is not None}
    joints = {id: scene.called(id) for id in tree}
    acting = take_laws(world, scene, ends, joints, now)
    take_loops(world, scene, ends, left)
    for each in world.drives.values():
        if each.kind == "hinge" and each.target in now:
            scene.commanded[scene.called(each.controller)] = joints[each.target]
    for id in names:
        body = world.bodies[id]
        mass = None if body.motion == "fixed" else body_mass(body)
        if id in empty:
            continue  # a place, no thing
        joint = None
        if id in hung:
            hinge, parent, outward = hung[id]
            joint = _joint(world, hinge, names.get(parent, ""), outward, joints[hinge.id])
            laws = tuple(acting.laws.get(hinge.id, ()))
            dry, effort = (e.get(hinge.id, 0.0) for e in (acting.friction, acting.efforts))
            joint = replace(joint, laws=laws, friction=dry, effort=effort)
        weight = () if mass is None else _weight(mass.mass, mass.center, mass.inertia)
        motion = (motions or {}).get(id)
        X_WP = body.pose.matrix() if motion is None else motion.poses[0]
        part = ScenePart(names[id], X_WP, body.shape, body.look, color_of(body), joint, *weight)
        rub, bounce = (_coefficient(body, each) for each in ("friction", "restitution"))
        pull = body.gravity
        part = replace(part, motion=motion, friction=rub, restitution=bounce, gravity=pull)
        if any((*body.velocity, *body.rate)):
            at, v, w = (np.array(each) for each in (X_WP[:3, 3], body.velocity, body.rate))
            part = replace(part, twist=np.concatenate([w, v + np.cross(at, w)]))
        scene.parts.append(part)
    scene.views += views
    bodies = [world.bodies[id] for id in names]
    hinges = [each for each in world.hinges.values() if not {each.body_a, each.body_b} <= own]
    for what, count in (
        (CONTROL, len(world.drives)),
        ("law of contact", len(world.pairs)),
        ("figure (its bodies and hinges stay)", len(world.figures) - len(scene.figures)),
        ("coarser level for contact", sum(bool(b.levels) for b in bodies)),
        ("strength of a hinge", sum(h.strength != (None, None) for h in hinges)),
    ):
        if count:
            scene.lost[what] += count
    for pair in world.ignored:
        if pair & own:
            continue
        a, b = sorted(names[each] for each in pair)
        scene.ignored.append((a, b))
    for id, (hinge, parent, _) in hung.items():  # neighbours never touch
        other = hinge.body_a if hinge.body_b == id else hinge.body_b
        if not parent and {id, other} <= names.keys() and world.bodies[other].shape is not None:
            scene.ignored.append((min(names[id], names[other]), max(names[id], names[other])))
    scene.ignored += _never_met(world, names, hung, scene)
    scene.ignored = sorted(set(scene.ignored))
    return scene


def _never_met(
    world: World, names: dict[str, str], hung: Mapping[str, tuple[Hinge, str, bool]], scene: Scene
) -> list[tuple[str, str]]:
    """Return the pairs of one mechanism or figure that pass through each other, neighbours aside.

    Elsewhere all meet that no joint joins; too many pairs are counted as lost.
    """
    ids = list(world.bodies)
    solid = [b.shape is not None and b.levels is not None for b in world.bodies.values()]
    moves = np.array([b.motion != "fixed" for b in world.bodies.values()])
    apart = np.triu(np.outer(solid, solid) & (moves[:, None] | moves), 1)
    met = meeting_pairs(world, within=False)
    apart[met[:, 0], met[:, 1]] = False
    pairs = [(ids[a], ids[b]) for a, b in np.argwhere(apart).tolist()]
    beside = {frozenset((id, parent)) for id, (_, parent, _) in hung.items()}
    pairs = [each for each in pairs if names.keys() >= {*each} and frozenset(each) not in beside]
    if len(pairs) > MOST_PAIRS:
        scene.lost["pairs of one mechanism that do not touch (too many)"] += len(pairs)
        return []
    return [(min(names[a], names[b]), max(names[a], names[b])) for a, b in pairs]


def _coefficient(body: Body, name: str) -> float | None:
    own = body.properties.get(name)
    value = getattr(body.material, name, None) if own is None else own
    return float(value) if isinstance(value, int | float) else None


def _persons(world: World) -> Iterator[tuple[str, Figure]]:
    for id in world.figures:
        with suppress(KinematicsError):
            figure = figure_of(world, id)
            if is_person(figure):
                yield id, figure


def _people(world: World, names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return for each person which of its bodies hangs on which, by what they are called."""
    found: dict[str, dict[str, str]] = {}
    for id, figure in _persons(world):
        on = [names.get(f"{id}.{figure.root.name}", "")]
        limbs = {on[0]: ""} if on[0] else {}
        for joint, parent in zip(figure.joints, figure.parents, strict=True):
            above = on[parent + 1]
            part = names.get(f"{id}.{figure.links[joint.name].name}", "")
            if part:
                limbs[part] = above
            on.append(part or above)
        if limbs:
            found[written_name(id)] = limbs
    return found


def _figures(world: World, scene: Scene, color_of: Callable[[Body], Vector3]) -> frozenset[str]:
    """Take the persons, and return the bodies that are theirs."""
    own: set[str] = set()
    for id, figure in _persons(world):
        inside = {
            joint.name: body for joint in figure.joints
            if (body := world.bodies.get(f"{id}.{figure.links[joint.name].name}")) is not None
        }  # fmt: skip
        seen = {
            name: SeenLink(body.pose.matrix(), body.look or body.shape, color_of(body))
            for name, body in inside.items()
        }
        scene.figures.append(SceneFigure(scene.called(id), figure, np.eye(4), seen))
        own |= {body.id for body in inside.values()}
    return frozenset(own)


def _weight(mass: float, center: Array, J: Array) -> tuple[float, Vector3, tuple[float, ...]]:
    x, y, z = (float(each) for each in center)
    return mass, (x, y, z), six_moments(J)


def _tree(world: World) -> tuple[dict[str, tuple[Hinge, str, bool]], list[Hinge]]:
    """Return for each body the hinge it hangs on, on which body ("": fixed), whether it is A.

    Second come the hinges that are left over.
    """
    fixed = {id for id, body in world.bodies.items() if body.motion == "fixed"}
    known = [each for each in world.hinges.values() if each.kind.name in KINDS]
    hung, left = hang([(each, each.body_a, each.body_b) for each in known], world.bodies, fixed)
    left += [each for each in world.hinges.values() if each.kind.name not in KINDS]
    return hung, left


def _empty(body: Body) -> bool:
    """Return whether a body is a place and no thing."""
    return body.motion == "fixed" and body.shape is None and body.look is None


def _frames(world: World, hinge: Hinge) -> tuple[Array, Array]:
    """Return where a hinge's frames on A and on B are in W."""
    X_WA = world.bodies[hinge.body_a].pose.matrix() @ hinge.frame_a.matrix()
    return X_WA, world.bodies[hinge.body_b].pose.matrix() @ hinge.frame_b.matrix()


def _now(world: World, hinge: Hinge) -> float | None:
    """Return the coordinate (rad or m) of a pin or a slider; None for others."""
    X_WA, X_WB = _frames(world, hinge)
    X = np.linalg.inv(X_WB) @ X_WA
    match KINDS[hinge.kind.name]:
        case "pin":
            return math.atan2(X[1, 0], X[0, 0])
        case "slider":
            return float(X[2, 3])
    return None


def _joint(world: World, hinge: Hinge, parent: str, outward: bool, name: str) -> SceneJoint:
    """Return a hinge as the joint of its child; ``outward`` says that body A is that."""
    X_WA, X_WB = _frames(world, hinge)
    kind = KINDS[hinge.kind.name]
    X_WJ = X_WB.copy()
    if kind == "universal":
        z, x = X_WA[:3, 2], X_WB[:3, 0]
        z, x = (z, x) if outward else (x, z)
        X_WJ[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    elif not outward:
        X_WJ = X_WA @ TURNED
    limits, now = None, _now(world, hinge)
    if now is not None and hinge.limits:
        low, high = hinge.limits[0]
        limits = (low - now, high - now)
    return SceneJoint(name, kind, X_WJ, parent, limits, ref=now if now and abs(now) > NEAR else 0.0)
