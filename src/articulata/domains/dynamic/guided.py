"""Guided figures: figures with prescribed motion in a dynamic run.

A figure is guided when it follows a motion, or when several of its joint axes meet in a point. It
pushes what it meets, and nothing pushes it. In a window of time each link's place and quaternion
are polynomials through samples of the motion. Windows are shorter than any detail of a motion and
end at its corners, where the velocity may jump; a leg of the run ends there, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from articulata.domains.protocols import Control, FigureModel, Inputs, Model
from articulata.errors import ModelError, SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.records.events import Event
from articulata.world.hinges import HingeKind
from articulata.world.model import Drive, Hinge, World

WINDOW = 0.01
"""s that a polynomial stands for."""
DEGREE = 7
STILL = 1e-9
"""Velocities (m/s, rad/s) that differ by less are the same."""
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
_NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_FIT = np.linalg.inv(np.vander(2.0 * _NODES - 1.0, increasing=True))
"""From values at Chebyshev's points to coefficients in x from -1 to 1."""


def guided_bodies(world: World) -> frozenset[str]:
    """Return the bodies that move as their figures' motions say."""
    nodes = (node for node in world.figures.values() if node.guided)
    return frozenset(id for node in nodes for id in node.carriers if id in world.bodies)


def guiding_drives(world: World) -> tuple[Drive, ...]:
    """Return what gives these bodies their accelerations, as if a control did."""
    return tuple(
        Drive(f"{node.id} (its motion)", "acceleration", id, node.id, node.span)
        for node in world.figures.values()
        if node.guided
        for id in node.carriers
        if id in world.bodies
    )


def loosened(world: World) -> tuple[Hinge, ...]:
    """Return the world's hinges; those within guided figures hold nothing and have no limits."""
    bodies = guided_bodies(world)
    if not bodies:
        return tuple(world.hinges.values())
    within = {id for node in world.figures.values() if node.guided for id in node.joined}
    return tuple(
        _loose(hinge) if hinge.id in within and {hinge.body_a, hinge.body_b} <= bodies else hinge
        for hinge in world.hinges.values()
    )


def _loose(hinge: Hinge) -> Hinge:
    kind = HingeKind(hinge.kind.name, (), hinge.kind.coordinates, hinge.kind.parameters)
    return replace(hinge, kind=kind, limits=())


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """Places (b, 7) from ``begin`` to ``end`` (s): ``coefficients`` (8, b, 7) in x from -1 to 1."""

    begin: float
    end: float
    coefficients: Array

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Return places (b, 7), their rates and their curvature at ``time`` (s)."""
        span = self.end - self.begin
        x = 2.0 * (time - self.begin) / span - 1.0
        c, scale = self.coefficients, 2.0 / span
        value, rate, curve = c[-1], np.zeros_like(c[-1]), np.zeros_like(c[-1])
        for each in c[-2::-1]:
            curve = curve * x + 2.0 * rate
            rate = rate * x + value
            value = value * x + each
        return value, rate * scale, curve * scale * scale


@dataclass(frozen=True, eq=False)
class Guide:
    """What moves the guided bodies of a world; ``rows`` are their numbers among its bodies."""

    world: World
    figures: FigureModel | None
    names: tuple[str, ...]
    rows: IntArray
    _windows: list[_Window] = field(default_factory=list)

    def places(self, time: float) -> Array:
        """Return places (b, 7) of the guided bodies at ``time`` (s)."""
        return np.asarray(self._places(np.array([time]))[0])

    def _places(self, times: Array) -> Array:
        """Return places (t, b, 7) at ``times`` (s)."""
        assert self.figures is not None
        poses = self.figures.guided_poses(times)
        X = np.stack([poses[name] for name in self.names], axis=1).reshape(-1, 4, 4)
        rows = np.concatenate([X[:, :3, 3], quaternions_of(X[:, :3, :3])], axis=1)
        return rows.reshape(len(times), len(self.names), 7)

    def next_break(self, time: float) -> float:
        """Return the next instant (s) after ``time`` at which a motion may have a corner."""
        return math.inf if self.figures is None else self.figures.next_break(time)

    def _window(self, time: float) -> _Window:
        """Return the window that holds ``time`` (s): wherever a run began, it is the same one."""
        for window in self._windows:
            if window.begin <= time < window.end:
                return window
        number = math.floor(time / WINDOW)
        number += int((number + 1) * WINDOW <= time) - int(number * WINDOW > time)
        begin = number * WINDOW
        corner = self.next_break(begin)
        while corner <= time:
            begin, corner = corner, self.next_break(corner)
        made = self._made(begin, min((number + 1) * WINDOW, corner))
        self._windows[:] = [*self._windows[-3:], made]
        return made

    def _made(self, begin: float, end: float) -> _Window:
        seen = self._places(begin + (end - begin) * _NODES)
        flipped = np.sum(seen[:, :, 3:] * seen[0, :, 3:], axis=2) < 0.0
        seen[:, :, 3:][flipped] *= -1.0
        coefficients = np.tensordot(_FIT, seen, 1)
        still = np.all(seen == seen[0], axis=0)
        coefficients[0][still] = seen[0][still]
        coefficients[1:, still] = 0.0
        return _Window(begin, end, coefficients)

    def accelerations(self, time: float) -> Array:
        """Return accelerations (b, 6) of the bodies' origins, linear and angular, in W."""
        value, rate, curve = self._window(time).at(time)
        q, dq, ddq = value[:, 3:], rate[:, 3:], curve[:, 3:]
        size = np.sum(q * q, axis=1, keepdims=True)
        omega = 2.0 * _vector_part(dq, q) / size
        grown = 2.0 * np.sum(q * dq, axis=1, keepdims=True) / size
        alpha = 2.0 * _vector_part(ddq, q) / size - omega * grown
        return np.concatenate([curve[:, :3], alpha], axis=1)

    def set_places(self, arrays: dict[str, Array], time: float) -> bool:
        """Put the guided bodies where they are at ``time`` (s), into copies of the arrays.

        These are ``dynamic.position``, ``orientation``, ``velocity`` and ``rate``. Tell whether
        velocities have jumped.
        """
        if not self.names:
            return False
        value = self.places(time)
        about, rate, _ = self._window(time).at(time)
        omega = 2.0 * _vector_part(rate[:, 3:], about[:, 3:])
        made = {
            "dynamic.position": value[:, :3],
            "dynamic.orientation": value[:, 3:],
            "dynamic.velocity": rate[:, :3],
            "dynamic.rate": omega,
        }
        jumped = False
        for name, rows in made.items():
            before = arrays[name][self.rows]
            if name == "dynamic.orientation":
                # a quaternion goes on with the sign it has
                turned = np.sum(rows * before, axis=1) < 0.0
                rows = np.where(turned[:, None], -rows, rows)
            if name in ("dynamic.velocity", "dynamic.rate"):
                jumped |= bool(np.max(np.abs(rows - before), initial=0.0) > STILL)
            arrays[name] = arrays[name].copy()
            arrays[name][self.rows] = rows
        return jumped

    def guided(self, control: Control) -> Control:
        """Return ``control`` with the accelerations of the guided bodies."""
        if not self.names:
            return control

        def inputs(time: float) -> Inputs:
            given = control(time)
            acceleration = given.acceleration.copy()
            acceleration[self.rows] = self.accelerations(time)
            return replace(given, acceleration=acceleration)

        return inputs

    def events(self) -> tuple[Event, ...]:
        """Return what is said about figures at the start."""
        return tuple(
            Event(
                0.0,
                "guided",
                (id,),
                story=f"{id} moves as "
                + ("its motion says" if node.follows else "it is placed")
                + ": it pushes what it meets, and nothing moves it.",
                span=node.span,
            )
            for id, node in self.world.figures.items()
            if node.guided
        )


def guide_of(world: World, figures: FigureModel | None) -> Guide:
    """Return what guides the figures of a world; ModelError where nothing tells what they do."""
    guided = guided_bodies(world)
    if not guided:
        return Guide(world, None, (), np.zeros(0, np.int64))
    if figures is None:
        node = next(node for node in world.figures.values() if node.guided)
        raise ModelError(
            f"{node.span}: figure '{node.id}' moves as its motion says, which the domain kinematic "
            "tells; write domains: (geometric, interference, control, kinematic, dynamic)"
        )
    names = tuple(name for name in world.bodies if name in guided)
    places = {name: number for number, name in enumerate(world.bodies)}
    return Guide(world, figures, names, np.array([places[name] for name in names], np.int64))


def figures_of(reads: Mapping[str, Model]) -> FigureModel | None:
    """Return what tells what figures do among the models that are read."""
    found = reads.get("kinematic")
    return found if isinstance(found, FigureModel) else None


def check_guided(before: World, after: World) -> None:
    """Raise SimulationError where a figure that moved by forces is to follow a motion."""
    for id, node in after.figures.items():
        then = before.figures.get(id)
        if then is not None and node.guided and not then.guided:
            raise SimulationError(
                f"{node.span}: figure '{id}' moves by forces and cannot begin a motion on the "
                f"way; let it follow one from the start ('{id} follows ...'), or hold its joints "
                "with servos"
            )


def _vector_part(a: Array, b: Array) -> Array:
    """Return the vector part (n, 3) of the quaternions ``a`` times the conjugates of ``b``."""
    u, v = a[:, 1:], b[:, 1:]
    # the cross product of u and v: written out, it takes a fifth of the time
    across = u[:, _NEXT] * v[:, _LAST] - u[:, _LAST] * v[:, _NEXT]
    return np.asarray(u * b[:, :1] - v * a[:, :1] - across)
