"""Relations between bodies, as values that can be asked for.

"Hinged how", "rigidly connected", "pulled by which force": the answers of the definitional
system, read from the world alone. Touching is a matter of time and belongs to the interference
domain.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

from articulata.world.model import World
from articulata.world.paths import resolve_body

RelationKind: TypeAlias = Literal[
    "same", "hinged", "rigid", "force", "ignored", "placed_together", "linked", "part_of"
]


@dataclass(frozen=True, slots=True)
class Relation:
    """How ``first`` and ``second`` (body ids) are related.

    ``by`` names what relates them: for "hinged" the hinge, for "force" the force, for "rigid" and
    "linked" the hinges along the way, for "part_of" the innermost composite that holds both, for
    "placed_together" the component that one statement places. ``story`` says it in a sentence.
    """

    kind: RelationKind
    first: str
    second: str
    by: tuple[str, ...] = ()
    story: str = ""


def relations(world: World, first: str, second: str) -> tuple[Relation, ...]:
    """Return every relation between the bodies that two paths name, the closest kind first."""
    a, b = resolve_body(world, first), resolve_body(world, second)
    if a == b:
        return (Relation("same", a, b, (), f"{a} is one body"),)
    found: list[Relation] = []
    pair = {a, b}
    for hinge in world.hinges.values():
        if {hinge.body_a, hinge.body_b} == pair:
            told = f"{hinge.body_a} moves on {hinge.body_b} by {hinge.kind.name} '{hinge.id}'"
            found.append(Relation("hinged", hinge.body_a, hinge.body_b, (hinge.id,), told))
    way = _way(world, a, b, welds_only=True)
    if way is not None:
        told = f"{a} and {b} are rigidly connected by {', '.join(way)}"
        found.append(Relation("rigid", a, b, way, told))
    for force in world.forces.values():
        if force.features and pair <= {ref.body for ref in force.features}:
            told = f"force '{force.id}' acts between {' and '.join(map(str, force.features))}"
            found.append(Relation("force", a, b, (force.id,), told))
    if frozenset(pair) in world.ignored:
        told = f"{a} and {b} are never tested for interference"
        found.append(Relation("ignored", a, b, (), told))
    for placement in world.placements:
        bodies = {ref.body for ref, _ in (*placement.points, *placement.frames)}
        if pair <= bodies:
            told = f"{a} and {b} are placed by one statement on {placement.component}"
            found.append(Relation("placed_together", a, b, (placement.component,), told))
    way = _way(world, a, b, welds_only=False)
    if way is not None and len(way) > 1:
        told = f"{a} and {b} are linked through {', '.join(way)}"
        found.append(Relation("linked", a, b, way, told))
    owner = _common_owner(a, b)
    if owner:
        found.append(Relation("part_of", a, b, (owner,), f"{a} and {b} are parts of {owner}"))
    return tuple(found)


def _way(world: World, start: str, end: str, *, welds_only: bool) -> tuple[str, ...] | None:
    """Return the hinges along a shortest way between two bodies, None when there is none."""
    ways: dict[str, list[tuple[str, str]]] = {}
    for hinge in world.hinges.values():
        if welds_only and hinge.kind.name != "weld":
            continue
        ways.setdefault(hinge.body_a, []).append((hinge.body_b, hinge.id))
        ways.setdefault(hinge.body_b, []).append((hinge.body_a, hinge.id))
    came: dict[str, tuple[str, str]] = {start: ("", "")}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        if here == end:
            back: list[str] = []
            while here != start:
                here, hinge_id = came[here]
                back.append(hinge_id)
            return tuple(reversed(back))
        for there, hinge_id in ways.get(here, ()):
            if there not in came:
                came[there] = (here, hinge_id)
                queue.append(there)
    return None


def _common_owner(a: str, b: str) -> str:
    shared: list[str] = []
    for left, right in zip(a.split(".")[:-1], b.split(".")[:-1], strict=False):
        if left != right:
            break
        shared.append(left)
    return ".".join(shared)


def describe(world: World) -> str:
    """Return a few lines for a reader: what is in the world and what holds it together."""
    lines = [f"world {world.name}: {_count(len(world.bodies), 'body', 'bodies')}"]
    gx, gy, gz = world.gravity
    lines.append(f"  gravity ({gx:g}, {gy:g}, {gz:g}) m/s^2")
    for body in world.bodies.values():
        shape = type(body.shape).__name__.lower() if body.shape is not None else "no shape"
        lines.append(f"  {body.id}: {body.type}, {shape}, {body.motion}")
    for hinge in world.hinges.values():
        matched = ", ".join(f"{a} to {b}" for a, b in hinge.matching)
        lines.append(f"  {hinge.id}: {hinge.kind.name}, {matched}")
    for force in world.forces.values():
        between = " and ".join(map(str, force.features)) if force.features else force.hinge
        lines.append(f"  {force.id}: force at {between}")
    lines += [f"  {d.id}: {d.kind} of {d.target} by {d.controller}" for d in world.drives.values()]
    return "\n".join(lines)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
