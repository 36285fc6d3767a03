"""What the viewer plays: looks and poses of bodies over time, with events and forces.

Made from a recording or from a world that stands still. Poses between two frames are
interpolated for the eye only; stepping and plots show stored frames.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.shapes import Cuboid, HalfSpace, Shape
from articulata.records.events import Event, shown_in
from articulata.records.observed import BASE, JOINT, POSE
from articulata.records.recording import Recording
from articulata.report.accounts import Account, account
from articulata.report.arrows import Arrows, arrows_of
from articulata.report.bones import JointMark, drawn_bodies, joint_marks
from articulata.report.colors import color_of
from articulata.report.drawn_scene import whole
from articulata.report.plots import ENERGIES, energies
from articulata.report.springs import Spring, springs_of
from articulata.world.document import call_of
from articulata.world.model import Body, World
from articulata.world.values import Pose, Vector3


@dataclass(frozen=True, slots=True)
class Look:
    """How a body looks: its id, shape (None where it has none) and colour, 0 to 255 each.

    ``shaded``: shadows fall on it. The round parts of a figure, which lie in each other, would be
    striped by their own. ``hidden``: without a shape it is not drawn, since nothing hangs from it.
    ``casts``: it throws a shadow.
    """

    id: str
    shape: Shape | None
    color: tuple[int, int, int]
    shaded: bool = True
    hidden: bool = False
    casts: bool = True


Mark = TypeVar("Mark", JointMark, Spring)


@dataclass(frozen=True, slots=True)
class Shown(Generic[Mark]):
    """A mark and the frames (first, last) in which its joint is there; None: to the end."""

    mark: Mark
    frames: tuple[tuple[int, int | None], ...] = ((0, None),)

    def stands(self, frame: int) -> bool:
        """Return whether it is there in a frame."""
        return any(a <= frame and (b is None or frame <= b) for a, b in self.frames)


@dataclass(frozen=True, slots=True)
class Motion:
    """Bodies over time.

    ``times`` (n,) s; ``poses`` (n, bodies, 7) origin and quaternion (w first) of each body's frame
    in W, NaN while a body does not exist; ``arrows`` are forces over the same frames. ``plottable``
    maps an object to the quantities that ``series`` knows of it; ``series`` returns values (n,) or
    (n, k) and a unit; ``shown_first`` names what is plotted unasked; ``explain`` gives the account
    of an event by its number; ``source`` is the recording it was made of, ``world`` the world
    that stands still here, whose figures can be posed. ``up`` is a unit vector in W. ``marks`` show
    where joints are, ``springs`` what pulls between points.
    """

    title: str
    looks: tuple[Look, ...]
    times: Array
    poses: Array
    up: Vector3
    events: tuple[Event, ...] = ()
    arrows: tuple[Arrows, ...] = ()
    plottable: Mapping[str, tuple[str, ...]] | None = None
    series: Callable[[str], tuple[Array, str]] | None = None
    shown_first: tuple[str, ...] = ()
    explain: Callable[[int], Account] | None = None
    source: Recording | None = None
    world: World | None = None
    marks: tuple[Shown[JointMark], ...] = ()
    springs: tuple[Shown[Spring], ...] = ()

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the units in which people are shown it."""
        world = self.world if self.source is None else self.source.world
        return () if world is None else world.units

    def at(self, time: float) -> Array:
        """Return the poses (bodies, 7) at ``time`` s, interpolated between frames."""
        before, after, part = self._between(time)
        if part == 0.0:
            return np.asarray(self.poses[before])
        return interpolate(self.poses[before], self.poses[after], part)

    def frame_before(self, time: float) -> int:
        """Return the index of the frame at or before ``time`` s."""
        return self._between(time)[0]

    def frame_at(self, time: float) -> int:
        """Return the index of the frame nearest to ``time`` s."""
        before, after, part = self._between(time)
        return before if part < 0.5 else after

    def event_near(self, time: float, reach: float) -> int | None:
        """Return the number of the event nearest to ``time``, at most ``reach`` away (both s)."""
        away = {k: abs(each.time - time) for k, each in enumerate(self.events)}
        return min((k for k in away if away[k] <= reach), key=away.__getitem__, default=None)

    def _between(self, time: float) -> tuple[int, int, float]:
        before = int(np.searchsorted(self.times, time, side="right")) - 1
        if before < 0:
            return 0, 0, 0.0
        if before >= len(self.times) - 1:
            return len(self.times) - 1, len(self.times) - 1, 0.0
        span = self.times[before + 1] - self.times[before]
        # Two frames at one instant are the two sides of an event: show the later one.
        part = float((time - self.times[before]) / span) if span > 0 else 0.0
        return before, before + 1, part


def interpolate(before: Array, after: Array, part: float) -> Array:
    """Return poses (bodies, 7) ``part`` of the way; quaternions along the shorter arc.

    A normalised linear blend: between frames a few degrees apart its error is far below a pixel.
    """
    sign = np.where(np.sum(before[:, 3:] * after[:, 3:], axis=1, keepdims=True) < 0, -1.0, 1.0)
    blend = np.empty_like(before)
    blend[:, :3] = (1 - part) * before[:, :3] + part * after[:, :3]
    q = (1 - part) * before[:, 3:] + part * sign * after[:, 3:]
    blend[:, 3:] = q / np.linalg.norm(q, axis=1, keepdims=True)
    return np.where(np.isnan(after), before, blend)


def bounds(motion: Motion, boxes: Array, samples: int = 200) -> tuple[Array, Array]:
    """Return the corners (3,), (3,) of a box in W about bodies over all frames, as ``whole`` does.

    ``boxes`` (bodies, 2, 3) m are the lowest and highest corner of each body in its own axes.
    """
    chosen: IntArray = np.unique(np.linspace(0, len(motion.times) - 1, samples).astype(np.int64))
    poses = motion.poses[chosen]
    seen = ~np.isnan(poses[:, :, :3]).any(axis=2)
    if not seen.any():
        return np.full(3, -1.0), np.full(3, 1.0)
    R = q_to_matrix(poses[seen][:, 3:])
    which = np.nonzero(seen)[1]
    middle, half = boxes.mean(axis=1)[which], np.ptp(boxes, axis=1)[which] / 2
    center = poses[seen][:, :3] + np.einsum("nij,nj->ni", R, middle)
    spread = np.einsum("nij,nj->ni", np.abs(R), half)
    order = np.argsort(which, kind="stable")
    box = np.stack([center - spread, center + spread], axis=1)[order]
    _, first = np.unique(which[order], return_index=True)
    swept = (np.minimum.reduceat(box[:, 0], first), np.maximum.reduceat(box[:, 1], first))
    endless = any(isinstance(look.shape, HalfSpace) for look in motion.looks)
    return whole(box[first], np.stack(swept, axis=1), endless)


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
        held = {id for hinge in world.hinges.values() for id in (hinge.body_a, hinge.body_b)}
        floors = _floors(world)
        for body in bodies.values():
            lonely = body.motion == "fixed" and body.id not in held
            shaded, casts = body.id not in limbs, body.id not in floors
            look = Look(body.id, body.shape, color_of(body), shaded, lonely, casts)
            found.setdefault(body.id, look)
    return tuple(found.values())


FLAT = 0.1
"""Height of a floor, at most, as a share of its sides."""


def _floors(world: World) -> set[str]:
    """Return the flat fixed cuboids at the bottom: their shadow is a toothed line along them."""
    up = np.array(up_of(world))
    heights = {body.id: float(up @ body.pose.position) for body in world.bodies.values()}
    lowest = min((heights[b.id] for b in world.bodies.values() if b.shape), default=0.0)
    found = set()
    for body in world.bodies.values():
        if body.motion == "fixed" and isinstance(body.shape, Cuboid):
            size = np.array([body.shape.x, body.shape.y, body.shape.z])
            upright = int(np.argmax(np.abs(up @ body.pose.matrix()[:3, :3])))
            height = size[upright]
            if (
                height < FLAT * np.delete(size, upright).min()
                and heights[body.id] < lowest + height
            ):
                found.add(body.id)
    return found


def _still(world: World, title: str) -> Motion:
    poses = np.array(
        [(*body.pose.position, *body.pose.orientation) for body in world.bodies.values()]
    ).reshape(1, -1, 7)
    bodies = drawn_bodies(world)
    marks = tuple(Shown(mark) for mark in joint_marks(world, bodies))
    springs = tuple(Shown(spring) for spring in springs_of(world))
    return Motion(
        title or call_of(world), _looks([(world, bodies)]), np.zeros(1), poses, up_of(world),
        world=world, marks=marks, springs=springs,
    )  # fmt: skip


def _shown(
    recording: Recording, marks: Callable[[int], tuple[Mark, ...]], key: Callable[[Mark], str]
) -> tuple[Shown[Mark], ...]:
    """Return the marks of a run, by versions of its world, each for the frames in which it is."""
    found: dict[str, Mark] = {}
    frames: dict[str, list[tuple[int, int | None]]] = {}
    start = 0
    last = len(recording.segments) - 1
    known: dict[int, tuple[Mark, ...]] = {}
    for number, segment in enumerate(recording.segments):
        stop = start + len(segment.times)
        if segment.version not in known:
            known[segment.version] = marks(segment.version)
        for mark in known[segment.version]:
            name = key(mark)
            found.setdefault(name, mark)
            spans = frames.setdefault(name, [])
            first = start
            if spans and spans[-1][1] == start - 1:
                first = spans.pop()[0]
            spans.append((first, None if number == last else stop - 1))
        start = stop
    return tuple(Shown(found[name], tuple(frames[name])) for name in found)


def _name(mark: JointMark) -> str:
    return f"{mark.hinge} {type(mark.shape).__name__} {mark.body}"


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
        found = recording.quantity(path).shown_in(recording.world.units)
        return found.values, found.unit

    world = recording.world
    return Motion(
        title or call_of(world),
        looks,
        recording.times,
        poses,
        up_of(world),
        tuple(shown_in(world.units, event)[0] for event in recording.events),
        arrows_of(recording),
        _plottable(recording),
        series,
        energies(recording),
        functools.partial(account, recording),
        recording,
        marks=_shown(recording, lambda version: joint_marks(*drawn[version]), _name),
        springs=_shown(
            recording, lambda version: springs_of(drawn[version][0]), lambda each: each.force
        ),
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
