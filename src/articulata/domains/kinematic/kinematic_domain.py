"""The kinematic model of a world: its figures' joint values and bases, and poses from them.

``kinematic.coordinate`` holds a value (rad, m) for each free joint of each figure,
``kinematic.base`` the pose of each figure's own frame F in W. They are the same channels whether
a figure follows a motion or runs by forces.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from articulata.domains.kinematic.performed_motions import Performer
from articulata.domains.protocols import POSE_COLUMNS, GeometricModel, Model
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.kinematics.world_figure import figure_of
from articulata.records.observed import BASE, JOINT, ORIENTATION, POSITION
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.figures.nodes import FigureNode, upright_turn
from articulata.world.model import OneWorld, World
from articulata.world.single_frames import moved, unit
from articulata.world.values import Pose, Vector3

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
        led = {id: each.at(time) for id, each in self.performers.items() if each.node.guided}
        found = self._channels_of(list(led.values()))
        if len(led) == len(self.performers):
            return found
        bases = dict(zip(led, found.get(BASE, ()), strict=True))
        values, rows = [], []
        for id in self.performers:
            q, row = (led[id][0], bases[id]) if id in led else self._stood(id, arrays)
            values.append(q)
            rows.append(row)
        return {JOINT: np.concatenate([np.zeros(0), *values]), BASE: np.array(rows)}

    def _stood(self, id: str, arrays: Mapping[str, Array]) -> tuple[Array, list[float]]:
        """Return joint values and the base of a figure that moves by forces."""
        columns, numbers, root, origin = self._places[id]
        q = self.performers[id].figure.neutral.copy()
        q[columns] = arrays[COORDINATE][numbers]
        w, x, y, z = unit(arrays[ORIENTATION][root].tolist())
        turn = (w, x, y, z) if (w or max(x, y, z, key=abs)) > 0.0 else (-w, -x, -y, -z)
        return q, [*moved(Pose(arrays[POSITION][root].tolist(), turn), origin), *turn]

    @cached_property
    def _places(self) -> dict[str, tuple[list[int], list[int], int, Vector3]]:
        """For each figure the columns of joints that forces turn, their coordinates, the root.

        And where the root's own frame is from its mass centre, in that frame (m).
        """
        numbers = {label: k for k, label in enumerate(self._turning)}
        bodies = {id: k for k, id in enumerate(self.world.bodies)}
        found = {}
        for id, each in self.performers.items():
            labels = [f"{each.node.id}.{name}" for name in each.figure.names]
            columns = [k for k, label in enumerate(labels) if label in numbers]
            root = next(iter(each.node.carriers))
            center = (0.0, 0.0, 0.0) if self.geometry is None else self.geometry.center(root)
            x, y, z = (-float(p) for p in center)
            turning = [numbers[labels[k]] for k in columns]
            found[id] = columns, turning, bodies[root], (x, y, z)
        return found

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
        return replace(_model_of(OneWorld(world)), geometry=_geometry(reads))


@lru_cache(maxsize=1)
def _model_of(one: OneWorld) -> KinematicModel:
    """Return the kinematic model of a world, once where it runs again and again."""
    return kinematic_model(one.world)


def _geometry(reads: Mapping[str, Model]) -> GeometricModel | None:
    found = reads.get("geometric")
    return found if isinstance(found, GeometricModel) else None
