"""Motions made from what people want to see: a recording, or a world that stands still."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
from articulata.records.recording import Recording
from articulata.records.rows import BASE, JOINT, POSE
from articulata.report.accounts import account
from articulata.report.arrows import arrows_of
from articulata.report.bones import drawn_bodies
from articulata.report.colors import color_of
from articulata.report.default_quantities import ENERGIES, energies
from articulata.report.joint_marks import JointMark, joint_marks
from articulata.report.viewer.motion import Look, Motion, ShownMark
from articulata.world.model import Body, World
from articulata.world.values import Pose, Vector3

UP_WITHOUT_GRAVITY: Vector3 = (0.0, 1.0, 0.0)

BODY_QUANTITIES = ("center", "v", "w", "a", "alpha")
HINGE_QUANTITIES = ("force", "moment")


def motion_of(source: Recording | World, title: str = "") -> Motion:
    """Return the motion of a recording, or the still picture of an assembled world."""
    if isinstance(source, World):
        return _still(source, title)
    return _recorded(source, title)


def standing_at(motion: Motion, time: float) -> Motion:
    """Return the frame of a recorded motion nearest to ``time`` (s) as a world that stands still.

    Its figures have the joint values and the bases of that frame.
    """
    recording = motion.source
    if recording is None:
        return motion
    frame = first = motion.frame_at(time)
    for segment in recording.segments:
        if first < len(segment.times):
            break
        first -= len(segment.times)
    world = recording.worlds[segment.version]

    def row(channel: str) -> dict[str, Array]:
        known = segment.channels.get(channel)
        values = () if known is None else segment.array(channel)[first]
        return {} if known is None else dict(zip(known.labels, values, strict=True))

    values, bases, poses = row(JOINT), row(BASE), row(POSE)
    figures = {}
    for id, node in world.figures.items():
        own = {
            name.removeprefix(f"{id}."): float(value)
            for name, value in values.items()
            if name.startswith(f"{id}.")
        }
        stand = _pose(bases[id]) if id in bases else node.stand
        figures[id] = replace(node, values={**node.values, **own}, stand=stand)
    bodies = {
        id: replace(body, pose=_pose(poses[id])) if id in poses else body
        for id, body in world.bodies.items()
    }
    here = slice(frame, frame + 1)
    return replace(
        motion,
        times=motion.times[here],
        poses=motion.poses[here],
        world=replace(world, figures=figures, bodies=bodies),
    )


def _pose(row: Array) -> Pose:
    """Return a recorded pose (7,)."""
    x, y, z, *turn = (float(value) for value in row)
    w, i, j, k = turn
    return Pose((x, y, z), (w, i, j, k))


def up_of(world: World) -> Vector3:
    """Return the unit vector against gravity; y where there is none."""
    pulls = [world.gravity, *(body.gravity for body in world.bodies.values() if body.gravity)]
    for pull in pulls:
        length = float(np.linalg.norm(pull))
        if length > 0:
            x, y, z = (-part / length for part in pull)
            return x, y, z
    return UP_WITHOUT_GRAVITY


Drawn: TypeAlias = tuple[World, Mapping[str, Body]]
"""A world, and its bodies as they are drawn."""


def _looks(worlds: Sequence[Drawn]) -> tuple[Look, ...]:
    found: dict[str, Look] = {}
    for world, bodies in worlds:
        limbs = {id for node in world.figures.values() for id in node.carriers}
        for body in bodies.values():
            look = Look(body.id, body.shape, color_of(body), shaded=body.id not in limbs)
            found.setdefault(body.id, look)
    return tuple(found.values())


def _still(world: World, title: str) -> Motion:
    poses = np.array(
        [(*body.pose.position, *body.pose.orientation) for body in world.bodies.values()]
    ).reshape(1, -1, 7)
    bodies = drawn_bodies(world)
    marks = tuple(ShownMark(mark) for mark in joint_marks(world, bodies))
    return Motion(
        title or world.name, _looks([(world, bodies)]), np.zeros(1), poses, up_of(world),
        world=world, marks=marks,
    )  # fmt: skip


def _marks(recording: Recording, drawn: Mapping[int, Drawn]) -> tuple[ShownMark, ...]:
    """Return the marks of all joints of a run, each for the frames in which it was there."""
    found: dict[str, JointMark] = {}
    frames: dict[str, list[tuple[int, int | None]]] = {}
    start = 0
    last = len(recording.segments) - 1
    known: dict[int, tuple[JointMark, ...]] = {}
    for number, segment in enumerate(recording.segments):
        stop = start + len(segment.times)
        if segment.version not in known:
            known[segment.version] = joint_marks(*drawn[segment.version])
        for mark in known[segment.version]:
            key = f"{mark.hinge} {type(mark.shape).__name__} {mark.body}"
            found.setdefault(key, mark)
            spans = frames.setdefault(key, [])
            first = start
            if spans and spans[-1][1] == start - 1:
                first = spans.pop()[0]
            spans.append((first, None if number == last else stop - 1))
        start = stop
    return tuple(ShownMark(found[key], tuple(frames[key])) for key in found)


def _recorded(recording: Recording, title: str) -> Motion:
    if not len(recording.times):
        raise RecordingError("the recording holds no frame, so there is nothing to show")
    drawn = {key: (world, drawn_bodies(world)) for key, world in recording.worlds.items()}
    looks = _looks(tuple(drawn.values()))
    numbers = {look.id: number for number, look in enumerate(looks)}
    poses = np.full((len(recording.times), len(looks), 7), np.nan)
    start = 0
    for segment in recording.segments:
        stop = start + len(segment.times)
        if "geometric.pose" not in segment.channels:
            raise RecordingError(
                f"the recording holds no poses from {segment.times[0]:g} s on; nothing can be shown"
            )
        labels = segment.channels["geometric.pose"].labels
        strange = [label for label in labels if label not in numbers]
        if strange:
            raise RecordingError(
                f"the recording has poses of '{strange[0]}', which no world of it has"
            )
        poses[start:stop, [numbers[label] for label in labels]] = segment.array("geometric.pose")
        start = stop

    def series(path: str) -> tuple[Array, str]:
        return recording.series(path), recording.unit(path)

    world = recording.world
    return Motion(
        title or world.name,
        looks,
        recording.times,
        poses,
        up_of(world),
        recording.events,
        arrows_of(recording),
        _plottable(recording),
        series,
        energies(recording),
        functools.partial(account, recording),
        recording,
        marks=_marks(recording, drawn),
    )


def _interest(part: str) -> int:
    return ENERGIES.index(part) if part in ENERGIES else len(ENERGIES)


def _plottable(recording: Recording) -> dict[str, tuple[str, ...]]:
    world, channels = recording.world, recording.channels
    offered: dict[str, tuple[str, ...]] = {}
    if "dynamic.energy" in channels:
        known = channels["dynamic.energy"].labels
        offered["world"] = tuple(f"energy.{part}" for part in sorted(known, key=_interest))
    if "dynamic.hinge_force" in channels:
        for hinge in world.hinges.values():
            offered[hinge.id] = (*hinge.kind.coordinates, *HINGE_QUANTITIES)
    for body in world.bodies.values():
        quantities = BODY_QUANTITIES if "dynamic.acceleration" in channels else ("center",)
        points = tuple(name for name in body.features if name not in quantities)
        offered[body.id] = (*quantities, *points)
    return offered
