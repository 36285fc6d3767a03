"""Figures that stand in a world: where their bodies are, and what they hold, in any posture.

W is the world, B a body's frame, L that of a link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.kinematics.figure import Figure
from articulata.kinematics.world_figure import figure_of
from articulata.world.model import World


@dataclass(frozen=True, slots=True, eq=False)
class StandingFigure:
    """A figure in a world: its links' bodies, and the bodies that are welded to them.

    ``start`` (dof,) are the joint values it is placed in. ``carried`` maps the id of a body to the
    joint that carries it ("" for what no joint moves) and to ``X_LB`` (4, 4). ``held``
    says why it cannot stand elsewhere, "" where it can.
    """

    id: str
    figure: Figure
    start: Array
    carried: Mapping[str, tuple[str, Array]]
    held: str = ""

    def bodies(self, q: Array) -> Mapping[str, Array]:
        """Return ``X_WB`` (4, 4) of every body that moves with the figure, at values ``q``."""
        poses = self.figure.poses(q)
        return {
            body: (self.figure.base if not joint else poses[self.figure.index(joint)]) @ X_LB
            for body, (joint, X_LB) in self.carried.items()
        }

    def at(self, X_WB: Array) -> StandingFigure:
        """Return the figure with its base at a pose (4, 4), and what it holds with it."""
        return replace(self, figure=self.figure.with_base(X_WB))


def standing(world: World) -> tuple[StandingFigure, ...]:
    """Return the figures of a world that can be moved, as they stand; a loop cannot."""
    found = []
    for id in world.figures:
        try:
            found.append(_standing(world, id))
        except KinematicsError:
            continue
    return tuple(found)


def _standing(world: World, id: str) -> StandingFigure:
    node = world.figures[id]
    figure = figure_of(world, id)
    start = figure.vector(node.values)
    carried = {body: (joint, np.eye(4)) for body, joint in node.carriers.items()}
    for joint, link in figure.links.items():
        carried.setdefault(f"{id}.{link.name}", (joint, np.eye(4)))
    carried = {body: each for body, each in carried.items() if body in world.bodies}
    poses = figure.poses(start)
    for body, holder in _welded(world, frozenset(carried)).items():
        joint, _ = carried[holder]
        X_WL = figure.base if not joint else poses[figure.index(joint)]
        carried[body] = joint, inverse_pose(X_WL) @ world.bodies[body].pose.matrix()
    return StandingFigure(id, figure, start, carried, _held(world, id, carried))


def _held(world: World, id: str, carried: Mapping[str, object]) -> str:
    """Return why a figure cannot stand elsewhere, "" where it can."""
    if not world.figures[id].carriers:
        return "its bodies are placed one by one"
    if "." in id:
        return f"it is a part of '{id.rpartition('.')[0]}'"
    for hinge in world.hinges.values():
        for here, other in ((hinge.body_a, hinge.body_b), (hinge.body_b, hinge.body_a)):
            if here in carried and other not in carried:
                return f"it is joined to '{other}'"
    return ""


def _welded(world: World, links: frozenset[str]) -> dict[str, str]:
    """Return the bodies that welds hold to some links, each with its link; not what is fixed."""
    found: dict[str, str] = {}
    welds = [each for each in world.hinges.values() if each.kind.name == "weld"]
    waiting = [(link, link) for link in links]
    while waiting:
        here, link = waiting.pop()
        for weld in welds:
            if here not in (weld.body_a, weld.body_b):
                continue
            other = weld.body_b if weld.body_a == here else weld.body_a
            body = world.bodies.get(other)
            if body is None or other in links or other in found or body.motion == "fixed":
                continue
            found[other] = link
            waiting.append((other, link))
    return found
