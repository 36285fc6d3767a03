"""The kinematic model of a world: its figures' joint values and bases, and poses from them.

``kinematic.coordinate`` holds a value (rad, m) for each free joint of each figure,
``kinematic.base`` the pose of each figure's own frame F in W. They are the same channels whether
a figure follows a motion or runs by forces.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from articulata.domains.kinematic.performed_motions import Performer
from articulata.domains.protocols import POSE_COLUMNS, GeometricModel, Model
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.kinematics.world_figure import figure_of
from articulata.records.observed import BASE, JOINT, ORIENTATION, POSITION
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.figures.nodes import FigureNode, upright_turn
from articulata.world.model import World

COORDINATE = "dynamic.coordinate"
BEAT = 1e-6
"""Half of the time (s) over which a velocity is taken as a difference of places."""


@dataclass(frozen=True, eq=False)
class KinematicModel:
    """The figures of ``world`` that stand in it, by their ids."""

    world: World
    performers: Mapping[str, Performer] = field(default_factory=dict)
    geometry: GeometricModel | None = None

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

    def evolve(self, before: State, after: State) -> Mapping[str, Array]:
        """Return joint values and bases in a run by forces, read off the bodies where they move."""
        if POSITION not in after.arrays or not self.performers:
            return {}
        return self.read(after.arrays, after.time)

    def read(self, arrays: Mapping[str, Array], time: float) -> dict[str, Array]:
        """Return joint values and bases: as motions say, else as bodies and hinges stand."""
        found = []
        for each in self.performers.values():
            if not each.node.guided:
                found.append(self._stood(each, arrays))
            else:
                found.append(each.at(time))
        return self._channels_of(found)

    def _stood(self, performer: Performer, arrays: Mapping[str, Array]) -> tuple[Array, Array]:
        """Return joint values and ``X_WF`` (4, 4) of a figure that moves by forces."""
        numbers = {label: k for k, label in enumerate(self._turning)}
        values = arrays[COORDINATE]
        node = performer.node
        q = performer.figure.vector(
            {
                name: float(values[numbers[f"{node.id}.{name}"]])
                for name in performer.figure.names
                if f"{node.id}.{name}" in numbers
            }
        )
        root = next(iter(node.carriers))
        number = list(self.world.bodies).index(root)
        X_WF = np.eye(4)
        X_WF[:3, :3] = Rotation.from_quaternion(arrays[ORIENTATION][number]).to_matrix()
        center = np.zeros(3) if self.geometry is None else self.geometry.center(root)
        X_WF[:3, 3] = arrays[POSITION][number] - X_WF[:3, :3] @ center
        return q, X_WF

    @cached_property
    def _turning(self) -> tuple[str, ...]:
        """The hinge of each coordinate of the world's hinges."""
        hinges = self.world.hinges.values()
        return tuple(hinge.id for hinge in hinges for _ in hinge.kind.coordinates)

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

    def guided_poses(self, times: Array) -> dict[str, Array]:
        """Return ``X_WB`` (t, 4, 4) of the bodies of figures that move as their motions say."""
        poses: dict[str, Array] = {}
        for each in self.performers.values():
            if each.node.guided:
                q, X_WF = zip(*map(each.at, times.tolist()), strict=True)
                poses.update(each.links(np.array(q), np.array(X_WF)))
        return poses

    def next_break(self, time: float) -> float:
        """Return the next instant (s) after ``time`` at which a motion may have a corner."""
        return min((each.next_break(time) for each in self.performers.values()), default=math.inf)

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

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[KinematicModel, Mapping[str, Array]]:
        """Return the model of ``world``, joint values and bases: those that forces led to stay.

        Figures that stay as they are are shared.
        """
        after = replace(kinematic_model(world, self), geometry=_geometry(reads))
        found = after.at(state.time)
        if POSITION not in state.arrays:
            return after, found
        known = dict(zip(self.labels, state.arrays.get(JOINT, ()), strict=False))
        bases = dict(zip(self.performers, state.arrays.get(BASE, ()), strict=False))
        for number, (id, each) in enumerate(after.performers.items()):
            if not each.node.guided and id in bases:
                found[BASE][number] = bases[id]
        for number, label in enumerate(after.labels):
            figure = label.partition(".")[0]
            node = after.world.figures.get(figure)
            if label in known and node is not None and not node.guided:
                found[JOINT][number] = known[label]
        return after, found


def poses_as_rows(poses: list[Array] | Array) -> Array:
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
        return replace(kinematic_model(world), geometry=_geometry(reads))


def _geometry(reads: Mapping[str, Model]) -> GeometricModel | None:
    found = reads.get("geometric")
    return found if isinstance(found, GeometricModel) else None
