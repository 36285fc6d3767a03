"""Bodies that run into each other as they are told: neither gives way, and the record says so.

Where a control or the text prescribes how a body moves, nothing can hold it. Two such bodies, or
one and a body that stands still, pass through each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from articulata.analyses.simulate.clearance import model_of
from articulata.analyses.simulate.condition_margins import Read
from articulata.analyses.simulate.editing import Mover
from articulata.analyses.simulate.following import Following
from articulata.domains.dynamic.mechanism import FREE, PRESCRIBED
from articulata.domains.dynamic.model import DynamicModel
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, Value
from articulata.world.meeting import meeting_pairs
from articulata.world.model import World

DEPTH = 1e-9
"""Overlap (m) from which on two bodies have met."""

FAR = 0.05
"""Distance (m) beyond which it does not matter how far two bodies are apart."""

INSIDE = 1e-3
"""Overlap (m) from which on two figures are in each other at the start."""

Pair = tuple[str, str]


def driven_pairs(mover: Mover) -> tuple[Pair, ...]:
    """Return the pairs of bodies that may meet and of which none moves by forces."""
    if isinstance(mover, Following):
        return mover.pairs
    if not isinstance(mover, DynamicModel) or mover.contact is None or mover.interference is None:
        return ()
    kind = mover.parts.kind
    if not np.any(kind == PRESCRIBED):
        return ()
    pairs = meeting_pairs(mover.world, neighbours=False, within=mover.contact.within)
    driven = (kind[pairs] != FREE).all(axis=1) & (kind[pairs] == PRESCRIBED).any(axis=1)
    names = mover.parts.bodies
    # what stands still comes second
    order = [(a, b) if kind[a] == PRESCRIBED else (b, a) for a, b in pairs[driven].tolist()]
    return tuple((names[a], names[b]) for a, b in order)


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
