"""The kinematic model of a world: its figures' joint values and bases, and poses from them.

``kinematic.coordinate`` holds a value (rad, m) for each free joint of each figure,
``kinematic.base`` the pose of each figure's own frame F in W. They are the same channels whether
a figure follows a motion or runs by forces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from articulata.domains.kinematic.performing import Performer
from articulata.domains.protocols import POSE_COLUMNS, Model
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.kinematics.world_figure import figure_of
from articulata.records.rows import BASE, JOINT
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.figures.nodes import FigureNode
from articulata.world.figures.upright import upright_turn
from articulata.world.model import World

BEAT = 1e-6
"""Half of the time (s) over which a velocity is taken as a difference of places."""


@dataclass(frozen=True, eq=False)
class KinematicModel:
    """The figures of ``world`` that stand in it, by their ids."""

    world: World
    performers: Mapping[str, Performer] = field(default_factory=dict)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The free joints of all figures, by the paths that texts name them by."""
        return tuple(
            f"{id}.{name}" for id, each in self.performers.items() for name in each.figure.names
        )

    @cached_property
    def bodies(self) -> frozenset[str]:
        """The bodies that follow from figures."""
        return frozenset(id for each in self.performers.values() for id in each.node.carriers)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Joint values and bases; none in a world without figures."""
        if not self.performers:
            return ()
        return (
            Channel(JOINT, "rad, m", self.labels),
            Channel(BASE, "m, 1", tuple(self.performers), POSE_COLUMNS),
        )

    def start(self) -> Mapping[str, Array]:
        """Return joint values and bases at 0 s."""
        return self.at(0.0)

    def at(self, time: float) -> dict[str, Array]:
        """Return joint values and bases at ``time`` (s)."""
        return self._channels_of([each.at(time) for each in self.performers.values()])

    def _channels_of(self, found: list[tuple[Array, Array]]) -> dict[str, Array]:
        if not found:
            return {}
        return {
            JOINT: np.concatenate([np.zeros(0), *(q for q, _ in found)]),
            BASE: poses_as_rows([X_WF for _, X_WF in found]),
        }

    def poses(self, time: float) -> dict[str, Array]:
        """Return ``X_WB`` (4, 4) of every body of a figure at ``time`` (s)."""
        return self.stands(time)[1]

    def stands(self, time: float) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return what ``at`` and what ``poses`` return, computed once."""
        found = [each.at(time) for each in self.performers.values()]
        poses: dict[str, Array] = {}
        for each, (q, X_WF) in zip(self.performers.values(), found, strict=True):
            poses.update(each.links(q, X_WF))
        return self._channels_of(found), poses

    def velocities(self, time: float) -> dict[str, Array]:
        """Return velocity of the origin and rate (6,) in W of every body of a figure."""
        before, after = self.poses(time - BEAT), self.poses(time + BEAT)
        found = {}
        for id, X0 in before.items():
            X1 = after[id]
            turn = X1[:3, :3] @ X0[:3, :3].T
            rate = np.array([turn[2, 1], turn[0, 2], turn[1, 0]]) - np.array(
                [turn[1, 2], turn[2, 0], turn[0, 1]]
            )
            found[id] = np.concatenate([X1[:3, 3] - X0[:3, 3], 0.5 * rate]) / (2.0 * BEAT)
        return found

    def apply(self, edit: Edit, world: World, reads: Mapping[str, Model]) -> KinematicModel:
        """Return the model of ``world``; figures that stay as they are are shared."""
        return kinematic_model(world, self)

    def carry(self, state: State, edit: Edit) -> Mapping[str, Array]:
        """Return joint values and bases after ``edit``, which are those of its time."""
        return kinematic_model(edit.apply(self.world), self).at(state.time)


def poses_as_rows(poses: list[Array]) -> Array:
    """Return poses (n, 4, 4) as rows x, y, z, qw, qx, qy, qz."""
    X = np.array(poses).reshape(-1, 4, 4)
    return np.concatenate([X[:, :3, 3], quaternions_of(X[:, :3, :3])], axis=1)


def kinematic_model(world: World, before: KinematicModel | None = None) -> KinematicModel:
    """Return the kinematic model of a world; ``before`` is that of an earlier version."""
    found: dict[str, Performer] = {}
    for id, node in world.figures.items():
        if not node.carriers:
            continue
        known = None if before is None else before.performers.get(id)
        turn = upright_turn(node, world.gravity)
        fixed = _is_fixed(world, node)
        if known is not None and known.node.chains is node.chains:
            same = known.node.stand == node.stand
            figure = known.figure if same else figure_of(world, id)
        else:
            figure = figure_of(world, id)
        found[id] = Performer(node, figure, turn, fixed)
    return KinematicModel(world, found)


def _is_fixed(world: World, node: FigureNode) -> bool:
    root = world.bodies.get(next(iter(node.carriers)))
    return root is not None and root.motion == "fixed"


@dataclass(frozen=True, slots=True)
class KinematicDomain:
    """Builds kinematic models; reads where bodies are."""

    name: str = "kinematic"
    requires: tuple[str, ...] = ("geometric",)

    def build(self, world: World, reads: Mapping[str, Model]) -> KinematicModel:
        """Return the kinematic model of ``world``."""
        return kinematic_model(world)
