"""What the rows of figures' tables say of their joints beside limits: viscous damping.

A damper about the axis of a joint that turns, along that of one that slides. What else rows say
and forces do not know of, dry friction, is told at the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from articulata.records.events import Event
from articulata.world.figures.nodes import FigureNode, JointRow
from articulata.world.model import Force, World

SHOWN = 6
"""Joints named in a story before it says how many more there are."""


def moved_joints(world: World) -> Iterator[tuple[FigureNode, str, JointRow]]:
    """Yield figure, hinge and row of each joint that forces move."""
    for node in world.figures.values():
        if node.guided:
            continue
        rows = node.rows
        for hinge, joints in node.joined.items():
            if hinge in world.hinges and len(joints) == 1:
                yield node, hinge, rows[joints[0]]


def dampers(world: World) -> tuple[Force, ...]:
    """Return the dampers that tables ask for: moments (N m) about joints, tensions (N) along them.

    A tension is positive where it pulls together, so that it grows with the speed of parting.
    """
    found = []
    for _, hinge, row in moved_joints(world):
        if not (damping := row.motor.get("damping", 0.0)):
            continue
        name, turns = f"damping of {hinge}", row.kind == "revolute"
        rate, factor = ("rate", -damping) if turns else ("speed", damping)
        program = ((rate, 0.0), ("push", factor), ("mul", 0.0))
        kind: Literal["torsion", "between"] = "torsion" if turns else "between"
        found.append(Force(name, kind, None, hinge, program, row.span))
    return tuple(found)


def disregarded(world: World) -> tuple[Event, ...]:
    """Return an event for each figure whose rows say what forces do not know of."""
    found: dict[str, list[str]] = {}
    for node, _, row in moved_joints(world):
        if row.motor.get("friction"):
            found.setdefault(node.id, []).append(row.name)
    events = []
    for id, joints in found.items():
        story = (
            f"Dry friction of {_some(joints)} does not act; write a force about the joint, "
            "such as -2 N*m * tanh(rate/(0.1 rad/s))."
        )
        told = {"friction_joints": tuple(joints)}
        span = world.figures[id].span
        events.append(Event(0.0, "disregarded", (id,), values=told, story=story, span=span))
    return tuple(events)


def _some(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
