"""Kinematic motion, without forces: controls move prescribed bodies, joined bodies follow.

A body without control and hinge keeps its velocity. A joined body follows by the smallest motion
that keeps all hinges closed. Bodies have no mass here. World axes, SI units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

import numpy as np

from articulata.domains.geometric import VELOCITY, GeometricModel
from articulata.domains.kinematic.kinematic_domain import KinematicModel, poses_as_rows
from articulata.domains.protocols import POSE, Control, InterferenceModel, Model, Motion, Moved
from articulata.errors import AssemblyError, SimulationError
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.kinematics.assembly.demands import Problem, pose_problem, solve
from articulata.kinematics.assembly.gap_closing import turned
from articulata.kinematics.coordinates import Coordinates, coordinates_of, values_at_start
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import Body, World

NODES = (0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15))
"""Gauss-Legendre nodes of a cycle: accelerations as polynomials of t up to degree 5 are exact."""

WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)
COORDINATE = "dynamic.coordinate"


@dataclass(frozen=True, slots=True)
class PrescribedMotion(Motion):
    """Moves the bodies of a geometric model through prescribed motion.

    ``figures`` say where their links are; ``pairs`` are the bodies of which it is told when they
    meet.
    """

    geometry: GeometricModel
    figures: KinematicModel | None = None
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def bears(self) -> bool:
        """Nothing has forces."""
        return False

    @property
    def driven_pairs(self) -> tuple[tuple[str, str], ...]:
        """Bodies that may meet: none gives way."""
        return self.pairs

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Poses, velocities and hinge coordinates."""
        labels = self._coordinates().labels
        own = self.figures.channels if self.figures is not None else ()
        return (*self.geometry.channels, Channel(COORDINATE, "rad, m", labels), *own)

    def start(self) -> dict[str, Array]:
        """Return poses, velocities and coordinates at the start."""
        arrays = dict(self.geometry.start())
        still = [n for n, body in enumerate(self.world.bodies.values()) if body.motion == "fixed"]
        arrays[VELOCITY][still] = 0.0
        self._pose_figures(arrays, 0.0)
        positions, R = _placed(arrays[POSE])
        arrays[COORDINATE] = values_at_start(self._coordinates(), positions, R, self.world)
        return arrays

    @property
    def world(self) -> World:
        """The world that moves."""
        return self.geometry.world

    def observe(self, state: State) -> Mapping[str, Array]:
        """Return where bodies are."""
        return {POSE: state.arrays[POSE]}

    def after(self, models: Mapping[str, Model], before: State, state: State, edit: Edit) -> Moved:
        """Return how the world goes on after ``edit``, hinges as the bodies stand."""
        mover = prescribed_motion(models)
        arrays = mover.consistent({**mover.start(), **state.arrays})
        return Moved(mover, replace(state, arrays=arrays), {})

    def consistent(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """Return the state's ``arrays`` with the hinges' coordinates as the bodies stand."""
        return {**arrays, COORDINATE: self._values(arrays[POSE], None)}

    def _pose_figures(self, arrays: dict[str, Array], time: float) -> None:
        """Put joint values, bases, poses and velocities of figures at ``time`` into ``arrays``."""
        if self.figures is None or not self.figures.performers:
            return
        values, poses = self.figures.stands(time)
        arrays.update(values)
        velocities = self.figures.velocities(time)
        numbers = {name: number for number, name in enumerate(self.world.bodies)}
        there = [name for name in poses if name in numbers]
        rows = [numbers[name] for name in there]
        arrays[POSE] = arrays[POSE].copy()
        arrays[VELOCITY] = arrays[VELOCITY].copy()
        arrays[POSE][rows] = poses_as_rows([poses[name] for name in there])
        arrays[VELOCITY][rows] = [velocities[name] for name in there]

    def solve(self, state: State, control: Control) -> dict[str, Array]:
        """Return derived channels; the controls are asked so that their outputs are recorded."""
        control(state.time)
        return {}

    def advance(self, state: State, dt: float, control: Control) -> State:
        """Return the state ``dt`` seconds later."""
        pose, velocity = state.arrays[POSE], state.arrays[VELOCITY]
        given = np.array([control(state.time + c * dt).acceleration for c in NODES])
        fraction = np.array(NODES)[:, None, None]
        weight = np.array(WEIGHTS)[:, None, None]
        moved = velocity + dt * np.sum(weight * given, axis=0)
        # The double integral of the acceleration: its moment about the cycle's end.
        way = dt * velocity + dt * dt * np.sum(weight * (1.0 - fraction) * given, axis=0)
        free = self._following()
        way[free] = 0.0
        R = q_to_matrix(pose[:, 3:]).reshape(-1, 3, 3)
        told: dict[str, Array] = {POSE: pose, VELOCITY: moved}
        self._pose_figures(told, state.time + dt)
        positions, axes = pose[:, :3] + way[:, :3], turned(R, way[:, 3:])
        figured = self._figured
        positions[figured] = told[POSE][figured, :3]
        axes[figured] = q_to_matrix(told[POSE][figured, 3:]).reshape(-1, 3, 3)
        moved[figured] = told[VELOCITY][figured]
        placed = self._closed(positions, axes, state.time + dt)
        followed = np.concatenate([placed[0], quaternions_of(placed[1])], axis=1)
        moved[free, :3] = (followed[free, :3] - pose[free, :3]) / dt
        turn = quaternions_of(placed[1] @ np.swapaxes(R, 1, 2))
        sine = np.linalg.norm(turn[:, 1:], axis=1, keepdims=True)
        angle = 2.0 * np.arctan2(sine, turn[:, :1])
        rate = np.where(sine > 0, turn[:, 1:] / np.maximum(sine, 1e-300) * angle, 0.0) / dt
        moved[free, 3:] = rate[free]
        followed[figured] = told[POSE][figured]
        arrays = {**state.arrays, **told, POSE: followed, VELOCITY: moved}
        arrays[COORDINATE] = self._values(followed, state.arrays[COORDINATE])
        return State(state.time + dt, arrays, state.version)

    def _following(self) -> BoolArray:
        """Return which bodies follow others (n,)."""
        joined = {b for h in self.world.hinges.values() for b in (h.body_a, h.body_b)}
        free = [b.id in joined and b.motion == "free" for b in self.world.bodies.values()]
        return np.array(free, dtype=bool) & ~self._figured

    @property
    def _figured(self) -> BoolArray:
        """Tell which bodies are links of figures (n,)."""
        own = self.figures.bodies if self.figures is not None else frozenset()
        return np.array([name in own for name in self.world.bodies], dtype=bool)

    def _closed(self, positions: Array, R: Array, time: float) -> tuple[Array, Array]:
        """Return poses near these with all hinges met, only free bodies moved."""
        own = self.figures.bodies if self.figures is not None else frozenset()
        hinges = {
            name: hinge
            for name, hinge in self.world.hinges.items()
            if hinge.body_a not in own or hinge.body_b not in own
        }
        if not hinges:
            return positions, R
        quaternions = quaternions_of(R)
        bodies: dict[str, Body] = {}
        for number, (name, body) in enumerate(self.world.bodies.items()):
            held = body.motion != "free" or name in own
            x, y, z = positions[number].tolist()
            qw, qx, qy, qz = quaternions[number].tolist()
            pose = replace(body.pose, position=(x, y, z), orientation=(qw, qx, qy, qz))
            bodies[name] = replace(body, pose=pose, placed=held)
        world = replace(
            self.world,
            bodies=MappingProxyType(bodies),
            hinges=MappingProxyType(hinges),
            placements=(),
        )
        problem: Problem = pose_problem(world)
        solution = solve(problem)
        if not solution.met:
            raise _stuck(problem, solution.gap, time)
        return solution.positions[:-1], solution.R[:-1]

    def _coordinates(self) -> Coordinates:
        index = {name: number for number, name in enumerate(self.world.bodies)}
        return coordinates_of(tuple(self.world.hinges.values()), index)

    def _values(self, pose: Array, before: Array | None) -> Array:
        return self._coordinates().values(*_placed(pose), before)


def _placed(pose: Array) -> tuple[Array, Array]:
    """Return positions (n + 1, 3) and axes (n + 1, 3, 3) of all bodies and the world."""
    R = np.concatenate([q_to_matrix(pose[:, 3:]).reshape(-1, 3, 3), np.eye(3)[None]])
    return np.concatenate([pose[:, :3], np.zeros((1, 3))]), R


def prescribed_motion(models: Mapping[str, Model]) -> PrescribedMotion:
    """Return what moves the bodies of ``models`` without forces, figures as they perform."""
    geometry = cast("GeometricModel", models["geometric"])
    figures = cast("KinematicModel | None", models.get("kinematic"))
    touch = cast("InterferenceModel | None", models.get("interference"))
    if figures is None or touch is None:
        return PrescribedMotion(geometry, figures)
    moving = figures.bodies
    pairs = [(a, b) if a in moving else (b, a) for a, b in touch.pairs if moving & {a, b}]
    return PrescribedMotion(geometry, figures, tuple(pairs))


def _stuck(problem: Problem, gap: Array, time: float) -> SimulationError:
    joins = [d.name for d, g in zip(problem.demands, gap, strict=True) if g > 1e-9]
    error = SimulationError(
        f"prescribed motion cannot go on at t = {time:.9g} s: these joins cannot be met any more, "
        f"by up to {float(np.max(gap)):.3g} m: {', '.join(joins)}; change a control or free a hinge"
    )
    error.__cause__ = AssemblyError("joins left open", tuple(joins))
    return error
