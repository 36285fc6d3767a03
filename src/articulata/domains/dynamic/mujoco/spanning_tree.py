"""Which hinges make the tree that MuJoCo's joints need, and which close its loops.

MuJoCo moves bodies in joint coordinates along a tree and holds loops by soft constraints. The
tree takes the hinges that only joints can express; loops are closed by welds, pins or balls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from articulata.errors import ModelError
from articulata.world.model import Hinge

GROUND = -1
"""Number of the world, on which every fixed body stands."""

SLIDE, TURN, BALL = "slide", "turn", "ball"

JOINTS: dict[str, tuple[tuple[str, int], ...]] = {
    "revolute": ((TURN, 2),),
    "prismatic": ((SLIDE, 2),),
    "cylindrical": ((SLIDE, 2), (TURN, 2)),
    "screw": ((SLIDE, 2), (TURN, 2)),
    "ball.and.socket": ((BALL, 2),),
    "planar": ((SLIDE, 0), (SLIDE, 1), (TURN, 2)),
    "weld": (),
}
"""Joints of a hinge from body B outwards to A: kind and axis (x, y, z) of B's hinge frame.

A universal hinge is two turns, about x of B's frame and z of A's; see ``tree_joints``.
"""

CLOSING = {"ball.and.socket": 3, "revolute": 2, "weld": 1}
"""Hinges that can close a loop, the ones best left for it first."""


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint of a body on its parent: ``frame`` "a" or "b" says on which side ``axis`` lies."""

    kind: str
    frame: str
    axis: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A body and how it hangs: ``hinge`` None where it floats or stands on the ground."""

    body: int
    parent: int
    hinge: Hinge | None
    floating: bool


def tree_joints(hinge: Hinge, child_is_a: bool) -> tuple[Joint, ...]:
    """Return the joints of a hinge from the parent to the child."""
    name = hinge.kind.name
    if name == "universal":
        outward: tuple[Joint, ...] = (Joint(TURN, "b", 0), Joint(TURN, "a", 2))
    else:
        outward = tuple(Joint(kind, "b", axis) for kind, axis in JOINTS[name])
    return outward if child_is_a else outward[::-1]


def spanning_tree(
    hinges: Iterable[Hinge],
    index: Mapping[str, int],
    fixed: frozenset[int],
    mass: Mapping[int, float],
) -> tuple[tuple[Branch, ...], tuple[Hinge, ...]]:
    """Return the branches, parents first, and the hinges left over to close loops.

    Every fixed body stands on the ground; a group without one floats with its heaviest body.
    ModelError where MuJoCo has no joint for a hinge, or none to close a loop with.
    """
    known = list(hinges)
    for hinge in known:
        if hinge.kind.name not in JOINTS and hinge.kind.name != "universal":
            raise ModelError(
                f"{hinge.span}: MuJoCo has no joint for the hinge '{hinge.id}' "
                f"({hinge.kind.name}); simulate this world by another method"
            )
    group = {number: number for number in index.values()}
    group[GROUND] = GROUND

    def root(number: int) -> int:
        while group[number] != number:
            number = group[number]
        return number

    for number in fixed:
        group[root(number)] = root(GROUND)
    chosen: dict[int, list[Hinge]] = {number: [] for number in group}
    left = []
    for hinge in sorted(known, key=lambda h: CLOSING.get(h.kind.name, 0)):
        a, b = root(index[hinge.body_a]), root(index[hinge.body_b])
        if a != b:
            group[a] = b
            chosen[index[hinge.body_a]].append(hinge)
            chosen[index[hinge.body_b]].append(hinge)
        elif hinge.kind.name in CLOSING:
            left.append(hinge)
        elif not {index[hinge.body_a], index[hinge.body_b]} <= fixed:
            raise ModelError(
                f"{hinge.span}: the hinge '{hinge.id}' ({hinge.kind.name}) closes a loop, which "
                "MuJoCo does with balls, pins and welds only; simulate this world by another method"
            )
    return _branches(index, fixed, mass, chosen), tuple(left)


def _branches(
    index: Mapping[str, int],
    fixed: frozenset[int],
    mass: Mapping[int, float],
    chosen: Mapping[int, list[Hinge]],
) -> tuple[Branch, ...]:
    branches: list[Branch] = []
    placed: set[int] = set()
    heaviest = sorted(
        index.values(), key=lambda number: (number not in fixed, -mass.get(number, 0))
    )
    for first in heaviest:
        if first in placed:
            continue
        branches.append(Branch(first, GROUND, None, floating=first not in fixed))
        placed.add(first)
        waiting = [first]
        while waiting:
            parent = waiting.pop(0)
            for hinge in chosen[parent]:
                a, b = index[hinge.body_a], index[hinge.body_b]
                child = b if a == parent else a
                if child not in placed and child not in fixed:
                    placed.add(child)
                    branches.append(Branch(child, parent, hinge, floating=False))
                    waiting.append(child)
    return tuple(branches)
