"""What the rows of figures' tables say of their joints beside limits: viscous damping.

A damper about the axis of a joint that turns, along that of one that slides; so is the viscous
friction that a text says of a hinge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from articulata.world.figures.nodes import FigureNode, JointRow
from articulata.world.model import Force, World


def moved_joints(world: World) -> Iterator[tuple[FigureNode, str, JointRow]]:
    """Yield figure, hinge and row of each joint that forces move."""
    for node in world.figures.values():
        for hinge, row in node.moved(world.hinges):
            yield node, hinge, row


def dampers(world: World) -> tuple[Force, ...]:
    """Return the dampers that tables ask for: moments (N m) about joints, tensions (N) along them.

    A tension is positive where it pulls together, so that it grows with the speed of parting.
    """
    asked = [
        (
            f"damping of {hinge}",
            hinge,
            row.kind == "revolute",
            row.motor.get("damping", 0.0),
            row.span,
        )
        for _, hinge, row in moved_joints(world)
    ]
    for each in world.couplings.values():
        if each.friction:
            label, viscous = each.terms[0][0], each.friction.viscous
            asked.append((each.id, each.hinges[0], label.endswith(".angle"), viscous, each.span))
    found = []
    for name, hinge, turns, damping, span in asked:
        if not damping:
            continue
        rate, factor = ("rate", -damping) if turns else ("speed", damping)
        program = ((rate, 0.0), ("push", factor), ("mul", 0.0))
        kind: Literal["torsion", "between"] = "torsion" if turns else "between"
        found.append(Force(name, kind, None, hinge, program, span))
    return tuple(found)
