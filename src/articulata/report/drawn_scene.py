"""What there is to be seen in a recording: surfaces, where they are, and where to look from.

Pictures, strips and the replay page draw the same scene. Lengths in metres in the world frame W;
poses are position and quaternion (w first), ``X_WB`` of body frame B. "Up" is against gravity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.quaternion import q_rotate
from articulata.records.observed import POSE
from articulata.report.bones import drawn_bodies
from articulata.report.colors import Color, color_of
from articulata.report.drawn_surfaces import Surface, ball, surface_of
from articulata.report.springs import COLOR, PIECES, Spring, bent, is_half, pieces, springs_of
from articulata.world.model import Body, World
from articulata.world.values import Vector3

if TYPE_CHECKING:
    from articulata.records.recording import Recording

GROUND_SHAPE = "HalfSpace"
PART = "~"


@dataclass(frozen=True, slots=True)
class Item:
    """A body to be drawn: ``surface`` is a number in the scene's surfaces.

    Pieces of a spring are drawn as bodies called by its name, ``PART`` and a number.
    """

    body: str
    surface: int
    color: Color


@dataclass(frozen=True, slots=True)
class Joint:
    """A mark where a hinge sits: ``point`` is ``p_BH`` in m on body ``body``."""

    hinge: str
    body: str
    point: Vector3


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything that is drawn, and the ball it stays in.

    ``poses`` (frames, bodies, 7) and ``present`` (frames, bodies) follow ``order``, ``joined``
    (frames, joints) says where a hinge holds; ``ground`` is the height of the ground along ``up``;
    ``ahead`` is the direction from which a motion that stays in a plane is seen whole.
    """

    order: tuple[str, ...]
    items: tuple[Item, ...]
    joints: tuple[Joint, ...]
    surfaces: tuple[Surface, ...]
    joint_surface: int
    times: Array
    poses: Array
    present: BoolArray
    joined: BoolArray
    up: Array
    ahead: Array
    center: Array
    radius: float
    ground: float

    def number(self, body: str) -> int:
        """Return the place of ``body`` in ``order``."""
        return self.order.index(body)


def scene_of(recording: Recording, frames: Sequence[int] | None = None) -> Scene:
    """Return what there is to be seen in ``recording``, or in some of its ``frames``."""
    if not len(recording.times):
        raise RecordingError("the recording has no frames, so there is nothing to draw")
    bodies, hinges = _everything(recording)
    order = tuple(bodies)
    poses, present = _poses(recording, bodies)
    times, joined = recording.times, _held(recording, [each.hinge for each in hinges], "hinges")
    springs, sprung = _springs(recording)
    if frames is not None:
        chosen = list(frames)
        times, poses = times[chosen], poses[chosen]
        present, joined, sprung = present[chosen], joined[chosen], sprung[chosen]
    surfaces: list[Surface] = []
    numbers: dict[object, int] = {}
    items, sizes = [], []
    for body in bodies.values():
        if body.shape is None or type(body.shape).__name__ == GROUND_SHAPE:
            continue
        if body.shape not in numbers:
            numbers[body.shape] = len(surfaces)
            surfaces.append(surface_of(body.shape))
        sizes.append(float(np.ptp(surfaces[numbers[body.shape]].vertices, axis=0).min()))
        items.append(Item(body.id, numbers[body.shape], color_of(body)))
    up = _up(recording.world)
    endless = any(type(body.shape).__name__ == GROUND_SHAPE for body in bodies.values())
    low, high = extent(items, surfaces, order, poses, present, endless)
    wires = _wires(springs, sprung, order, poses, present)
    ends = np.concatenate([[low, high], *(each.ends for each in wires)])
    low, high = ends.min(axis=0), ends.max(axis=0)
    spread = float(np.linalg.norm(high - low)) or 1.0
    # A joint's mark is a little thicker than the thinnest body, never a dot, never a boulder.
    thin = float(np.median(sizes)) if sizes else 0.0
    mark = float(np.clip(0.56 * thin, 0.006 * spread, 0.018 * spread))
    joint_surface = len(surfaces)
    surfaces.append(ball(mark))
    for body in bodies.values():
        if body.shape is None and body.motion == "prescribed":
            numbers.setdefault(None, len(surfaces))
            if numbers[None] == len(surfaces):
                surfaces.append(ball(1.6 * mark, 24))
            items.append(Item(body.id, numbers[None], color_of(body)))
    center, radius = (low + high) / 2, max(spread / 2, 1e-6)
    bare = Scene(
        order,
        tuple(items),
        hinges,
        tuple(surfaces),
        joint_surface,
        times,
        poses,
        present,
        joined,
        up,
        _ahead(up, poses, present, spread),
        center,
        radius,
        _ground(bodies, poses, order, up, low, high),
    )
    return _with_springs(bare, wires)


class _Wire(NamedTuple):
    """The ends of a spring over the frames, (frames, 3) m, and where it is there (frames,)."""

    spring: Spring
    p: Array
    q: Array
    present: BoolArray
    reach: float

    @property
    def ends(self) -> Array:
        """Both ends in the frames in which it is there, (n, 3) m."""
        return np.concatenate([self.p[self.present], self.q[self.present]])


def _springs(recording: Recording) -> tuple[tuple[Spring, ...], BoolArray]:
    """Return the springs of all versions of the world, and when each acts (frames, springs)."""
    found = {each: each for world in _worlds(recording) for each in springs_of(world)}
    return tuple(found), _held(recording, [each.force for each in found], "forces")


def _wires(
    springs: Sequence[Spring], acts: BoolArray, order: tuple[str, ...], poses: Array,
    present: BoolArray,
) -> list[_Wire]:  # fmt: skip
    """Return the springs that are ever seen."""
    numbers = {body: number for number, body in enumerate(order)}
    wires = []
    for k, spring in enumerate(springs):
        p, q = spring.ends(poses, numbers)
        length = np.linalg.norm(q - p, axis=1)
        held = present[:, [numbers[spring.body_a], numbers[spring.body_b]]].all(axis=1)
        there = acts[:, k] & np.isfinite(length) & held
        reach = float(np.max(length[there], initial=0.0))
        if reach > 0.0:
            wires.append(_Wire(spring, p, q, there, reach))
    return wires


def _with_springs(scene: Scene, wires: Sequence[_Wire]) -> Scene:
    """Return a scene with its springs, whose pieces are bodies too."""
    order, items, surfaces = list(scene.order), list(scene.items), list(scene.surfaces)
    poses, present = [scene.poses], [scene.present]
    for spring, p, q, there, reach in wires:
        names = [f"{spring.force}{PART}{piece + 1}" for piece in range(PIECES)]
        order += names
        items += [Item(name, len(surfaces) + is_half(k), COLOR) for k, name in enumerate(names)]
        surfaces += [surface_of(piece) for piece in pieces(reach)]
        poses.append(bent(p, q, np.full(len(p), reach), scene.ahead, scene.up))
        present.append(np.tile(there[:, None], PIECES))
    return replace(
        scene, order=tuple(order), items=tuple(items), surfaces=tuple(surfaces),
        poses=np.concatenate(poses, axis=1), present=np.concatenate(present, axis=1),
    )  # fmt: skip


def _worlds(recording: Recording) -> list[World]:
    return list(recording.worlds.values()) if recording.edits else [recording.world]


def _everything(recording: Recording) -> tuple[Mapping[str, Body], tuple[Joint, ...]]:
    """Return all bodies and hinges of all versions of the world."""
    bodies: dict[str, Body] = {}
    joints: dict[str, Joint] = {}
    for world in _worlds(recording):
        for body in drawn_bodies(world).values():
            bodies.setdefault(body.id, body)
        limbs = {id for figure in world.figures.values() for id in figure.joined}
        for hinge in world.hinges.values():
            ends = (world.bodies.get(hinge.body_a), world.bodies.get(hinge.body_b))
            if hinge.id in limbs and all(end is None or end.shape is not None for end in ends):
                continue  # a figure's limbs hide its joints
            joints.setdefault(hinge.id, Joint(hinge.id, hinge.body_a, hinge.frame_a.position))
    return bodies, tuple(joints.values())


def _held(recording: Recording, ids: Sequence[str], kind: str) -> BoolArray:
    """Return in which frames the world has each of its ``kind``, (frames, ids)."""
    if not recording.edits:
        return np.ones((len(recording.times), len(ids)), np.bool_)
    rows = []
    for segment in recording.segments:
        here = getattr(recording.worlds[segment.version], kind)
        row = np.array([id in here for id in ids], np.bool_)
        rows.append(np.tile(row, (len(segment.times), 1)))
    return np.concatenate(rows)


def _poses(recording: Recording, bodies: Mapping[str, Body]) -> tuple[Array, BoolArray]:
    """Return poses (frames, bodies, 7), and where a body was there."""
    poses = np.empty((len(recording.times), len(bodies), 7))
    present = np.ones(poses.shape[:2], np.bool_)
    for number, body in enumerate(bodies.values()):
        # A body that no frame moves stays where the world has it.
        poses[:, number] = (*body.pose.position, *body.pose.orientation)
    start = 0
    recorded = {
        label
        for segment in recording.segments
        if POSE in segment.channels
        for label in segment.channels[POSE].labels
    }
    numbers = {body: number for number, body in enumerate(bodies)}
    for segment in recording.segments:
        end = start + len(segment.times)
        here = segment.channels[POSE].labels if POSE in segment.channels else ()
        known = [number for number, label in enumerate(here) if label in numbers]
        if known:
            poses[start:end, [numbers[here[number]] for number in known]] = segment.array(POSE)[
                :, known
            ]
        for absent in recorded.difference(here) & set(numbers):
            present[start:end, numbers[absent]] = False
        start = end
    if not recorded and bodies:
        raise RecordingError(
            f"the recording has no channel {POSE}, so its bodies cannot be drawn;"
            f" it has {', '.join(recording.channels) or 'no channels'}"
        )
    return poses, present


def _up(world: World) -> Array:
    """Return the axis of W that points most against gravity; y where there is none."""
    pull = np.array(world.gravity, np.float64)
    if not pull.any():
        own = [body.gravity for body in world.bodies.values() if body.gravity is not None]
        pull = np.array(own[0], np.float64) if own else pull
    up = np.zeros(3)
    if not pull.any():
        up[1] = 1.0
    else:
        axis = int(np.argmax(np.abs(pull)))
        up[axis] = -np.sign(pull[axis])
    return up


def extent(
    items: Sequence[Item],
    surfaces: Sequence[Surface],
    order: tuple[str, ...],
    poses: Array,
    present: BoolArray,
    endless: bool = False,
) -> tuple[Array, Array]:
    """Return the corners of a box around what is seen, as ``whole`` does."""
    lows, highs, firsts = [], [], []
    numbers = {body: number for number, body in enumerate(order)}
    for item in items:
        number = numbers[item.body]
        # Half a thousand instants say where a body goes.
        chosen = np.flatnonzero(present[:, number])
        chosen = chosen[:: max(1, len(chosen) // 500)]
        pose = poses[chosen, number]
        corners = _box(surfaces[item.surface])
        places = pose[:, None, :3] + q_rotate(pose[:, None, 3:], corners[None])
        good = np.isfinite(places).all(axis=(1, 2))
        if good.any():
            lows.append(places[good].min(axis=(0, 1)))
            highs.append(places[good].max(axis=(0, 1)))
            start = places[good][0]
            firsts.append((start.min(axis=0), start.max(axis=0)))
    if not lows:
        places = poses[..., :3].reshape(-1, 3)
        places = places[np.isfinite(places).all(axis=1)]
        if not len(places):
            return -np.ones(3), np.ones(3)
        return places.min(axis=0), places.max(axis=0)
    return whole(np.array(firsts), np.stack([lows, highs], axis=1), endless)


FAR, ROLLED = 2.5, 40.0
"""How many times the size of what stays a body leaves it behind that flies away; over a ground."""


def whole(first: Array, swept: Array, endless: bool) -> tuple[Array, Array]:
    """Return the corners of a box about what bodies sweep: ``swept`` (n, 2, 3) m, low and high.

    Of bodies that fly far away, at most half of all, only what is near the others counts.
    ``first`` (n, 2, 3) m are the bodies at their start; ``endless``: there is a ground to roll on.
    """
    far = ROLLED if endless else FAR
    size = np.linalg.norm(first[:, 1].max(axis=0) - first[:, 0].min(axis=0))
    away = np.linalg.norm(np.ptp(swept, axis=1), axis=1) > far * size
    if not 0 < 2 * away.sum() <= len(away):
        return swept[:, 0].min(axis=0), swept[:, 1].max(axis=0)
    low, high = swept[~away, 0].min(axis=0), swept[~away, 1].max(axis=0)
    size = max(size, np.linalg.norm(high - low))
    beyond = np.maximum(low - swept[:, 0], swept[:, 1] - high).max(axis=1)
    rim = np.where(beyond > far * size, 0.5 * size, np.inf)[:, None, None]
    near = np.clip(swept, low - rim, high + rim)
    return near.min(axis=(0, 1)), near.max(axis=(0, 1))


def _box(surface: Surface) -> Array:
    """Return the eight corners of the box around a surface, (8, 3) m."""
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    return np.array([[(low, high)[i >> k & 1][k] for k in range(3)] for i in range(8)])


def _ahead(up: Array, poses: Array, present: BoolArray, spread: float) -> Array:
    """Return a horizontal direction across which there is most to see."""
    axes = [axis for axis in range(3) if not up[axis]]
    places = poses[present][:, :3]
    places = places[np.isfinite(places).all(axis=1)]
    wide = [float(np.ptp(places[:, axis])) if len(places) else 0.0 for axis in axes]
    # A motion along x is seen as a drawing on paper: from +z with y up, from -y with z up.
    chosen = 0 if wide[1] > 1.2 * wide[0] + 1e-9 * spread else 1
    ahead = np.zeros(3)
    ahead[axes[chosen]] = -1.0 if up[2] and chosen == 1 else 1.0
    return ahead


def _ground(
    bodies: Mapping[str, Body],
    poses: Array,
    order: tuple[str, ...],
    up: Array,
    low: Array,
    high: Array,
) -> float:
    """Return the height of the ground: that of the world's own, or just below everything."""
    for number, name in enumerate(order):
        if type(bodies[name].shape).__name__ == GROUND_SHAPE:
            return float(poses[0, number, :3] @ up)
    foot = min(float(low @ up), float(high @ up))
    return foot - 0.04 * float(np.linalg.norm(high - low))
