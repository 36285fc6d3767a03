"""Figures that stand in a world, as text: where, in which posture, and what was overridden.

Their links' bodies and hinges follow from the figure and are not written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from articulata.errors import WorldError
from articulata.world import wording
from articulata.world.figures.derivation import derive
from articulata.world.figures.nodes import FigureNode
from articulata.world.model import Body, World
from articulata.world.writing.figures import label


def derived_ids(world: World) -> frozenset[str]:
    """Return the ids of all bodies and hinges that follow from figures."""
    return frozenset(id for node in world.figures.values() for id in (*node.carriers, *node.joined))


def standing(node: FigureNode) -> str:
    """Return the statement that puts a figure where it stands, in its posture."""
    p, q = node.stand.position, node.stand.orientation
    clauses = [f"pose = ({wording.numbers(p)}, {wording.rotation(q)})"]
    clauses += [f"{label(name)} = {wording.number(value)}" for name, value in node.values.items()]
    return f"place {node.id} by {', '.join(clauses)}"


def overridden(world: World) -> Iterable[tuple[Body, Body]]:
    """Yield the bodies of figures that are not as they follow, each after the one that does.

    Raise WorldError where a figure has lost a part of itself, which no text can say.
    """
    for node in world.figures.values():
        if not node.carriers:
            continue
        derived = derive(node)
        for id, hinge in derived.hinges.items():
            if world.hinges.get(id) != hinge:
                raise WorldError(
                    f"figure '{node.id}' cannot be written as text: its joint '{id}' was changed; "
                    "undo this edit, or remove the figure"
                )
        for id, plain in derived.bodies.items():
            body = world.bodies.get(id)
            if body is None or replace(
                body, pose=plain.pose, velocity=plain.velocity, rate=plain.rate,
                motion=plain.motion, gravity=plain.gravity, placed=plain.placed,
                properties=plain.properties, material=plain.material,
            ) != plain:  # fmt: skip
                raise WorldError(
                    f"figure '{node.id}' cannot be written as text: its part '{id}' was changed; "
                    "undo this edit, or remove the figure"
                )
            if body != plain:
                yield plain, body
