"""How far two bodies are apart, by their shapes, and bodies that meet and of which none gives way.

Distances in m; negative is the depth of an overlap. Where a control or the text prescribes how a
body moves, nothing can hold it. Two such bodies, or one and a body that stands still, pass through
each other, and the record says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from articulata.analyses.simulate.crossings import Read
from articulata.domains.dynamic.contact.arrivals import OVERLAP
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.overlaps import overlapping
from articulata.domains.dynamic.contact.touches import moving_pairs
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.mechanism import poses_of, start_arrays
from articulata.domains.interference.interference_domain import (
    InterferenceModel,
    interference_model,
)
from articulata.domains.protocols import POSE
from articulata.errors import NameNotFound, RecordingError, SimulationError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, Value
from articulata.records.recording import Recording
from articulata.world.model import OneWorld, World
from articulata.world.paths import resolve_body


def clearance(recording: Recording, one: str, other: str) -> Array:
    """Return the distance (n,) in m of two bodies in every frame; NaN where one is not there.

    For controllers ``sensed.value("hand to cup")`` is the same.
    """
    if not recording.segments:
        raise RecordingError("the recording has no frames, so nothing can be measured")
    parts: list[Array] = []
    missing: NameNotFound | None = None
    for segment in recording.segments:
        world = recording.worlds[segment.version]
        try:
            pair = resolve_body(world, one), resolve_body(world, other)
        except NameNotFound as error:
            parts.append(np.full(len(segment.times), np.nan))
            missing = error
            continue
        model = model_of(world)
        poses = np.asarray(segment.array(POSE), np.float64)
        parts.append(np.array([model.separation(each, *pair) for each in poses]))
    found = np.concatenate(parts)
    if missing is not None and np.all(np.isnan(found)):
        raise missing
    return found


def between(world: World, poses: Array, one: str, other: str) -> float | None:
    """Return the distance (m) of two bodies where ``poses`` (n, 7) are; None where one is none."""
    try:
        pair = resolve_body(world, one), resolve_body(world, other)
    except NameNotFound:
        return None
    return model_of(world).separation(poses, *pair)


def model_of(world: World) -> InterferenceModel:
    """Return the interference model of a world, kept for the next question."""
    return _model_of(OneWorld(world))


@lru_cache(maxsize=4)
def _model_of(same: OneWorld) -> InterferenceModel:
    return interference_model(same.world)


DEPTH = 1e-9
"""Overlap (m) from which on two bodies have met."""

FAR = 0.05
"""Distance (m) beyond which it does not matter how far two bodies are apart."""

INSIDE = 1e-3
"""Overlap (m) from which on two figures are in each other at the start."""

Pair = tuple[str, str]


def overlaps(world: World, poses: Array, pairs: tuple[Pair, ...]) -> list[float]:
    """Return by how much pairs overlap at ``poses`` (n, 7) beyond touching, m; else negative.

    Of what is farther apart than ``FAR`` it is only known that it is.
    """
    found: list[float] = (-model_of(world).separations(poses, pairs, FAR) - DEPTH).tolist()
    return found


def check_figures_apart(world: World, overlaps: Mapping[Pair, float]) -> None:
    """Raise SimulationError where two figures that follow their motions begin in each other."""
    owners = {id: node for node in world.figures.values() for id in node.carriers}
    for (one, other), depth in overlaps.items():
        a, b = owners.get(one), owners.get(other)
        if a is None or b is None or a is b or depth <= INSIDE:
            continue
        raise SimulationError(
            f"{a.span}: figures '{a.id}' and '{b.id}' ({b.span}) begin in each other: '{one}' and "
            f"'{other}' overlap by {depth:.3g} m; place them apart, or say ignore {a.id} with "
            f"{b.id}"
        )


def check_bodies_apart(dynamic: DynamicModel, contact: Contact | None) -> None:
    """Raise SimulationError where bodies that forces move begin in others, as a run does."""
    parts, interference = dynamic.parts, dynamic.interference
    if contact is None or interference is None:
        return
    pairs = moving_pairs(dynamic.world, parts, contact.within)
    arrays = start_arrays(parts)
    dynamic.guide.set_places(arrays, 0.0)
    poses = poses_of(parts, arrays)
    lying = pairs[overlapping(interference.pieces, poses, pairs, OVERLAP)] if len(pairs) else pairs
    for one, other in ((parts.bodies[a], parts.bodies[b]) for a, b in lying[:1].tolist()):
        bodies = dynamic.world.bodies
        deep = -interference.separation(poses, one, other)
        raise SimulationError(
            f"{bodies[one].span}: '{one}' and '{other}' ({bodies[other].span}) overlap by "
            f"{deep:.3g} m at t = 0 s; move them apart, or say ignore {one} with {other}"
        )


def meeting(world: World, pair: Pair, time: float, read: Read) -> Event:
    """Return the event of two bodies that have met at ``time`` (s); ``read`` gives velocities."""
    one, other = pair
    speed = float(np.linalg.norm(np.subtract(read(f"{one}.v"), read(f"{other}.v"))))
    values: dict[str, Value] = {"speed": speed}
    story = (
        f"{one} runs into {other}: both move as they are told, so neither gives way and they pass "
        "through each other. Let forces move one of them, or ignore the pair."
    )
    span = world.bodies[one].span
    return Event(time, "contact", pair, pair, MappingProxyType(values), story, span)
