"""A simulation that goes on as far as it is told, its controls held by whoever drives it.

A cycle is as long as each ``advance`` says. What a control is given holds for the whole cycle; it
is what a controller would have answered at every stage, so that numbers are those of ``simulate``.
``Observations`` are the numbers that are read meanwhile, as one vector.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from articulata.analyses.simulate.course import Course
from articulata.analyses.simulate.reacting import Live
from articulata.analyses.simulate.run import Run, bound, moving
from articulata.analyses.simulate.run_question import Question, ready
from articulata.analyses.simulate.sensing import Moment, Snapshot, moment_of
from articulata.domains.control import controllers_of
from articulata.domains.protocols import Controller
from articulata.errors import ControllerError, SimulationError
from articulata.geometry.arrays import Array
from articulata.records.quantities import quantity
from articulata.records.recorder import Recorder, Unrecorded
from articulata.records.recording import Recording
from articulata.world.model import World

NUMBERS = {
    "acceleration": ("ax", "ay", "az", "alx", "aly", "alz"),
    "force": ("x", "y", "z"),
    "torque": ("x", "y", "z"),
    "hinge": (),
}
"""The numbers that a control of each kind takes, in m/s^2, rad/s^2, N or N m; one if none named."""

Held: TypeAlias = "Sequence[float] | Array | float"


class SteppedRun:
    """A run of ``question`` that stands at its start and goes on by ``advance``.

    ``moment`` is the instant that it has come to, with the events since the one before, and
    ``snapshot`` the frame there. ``inputs`` are the controllers that are asked, each with the names
    of its numbers; they give what ``holding`` says, else zeros, until ``hold`` says otherwise. With
    ``record`` what happens is kept for ``recording``.
    """

    def __init__(
        self, question: Question, *, holding: Mapping[str, Held] | None = None, record: bool = False
    ) -> None:
        world, models = ready(question)
        self.inputs = inputs_of(world, question)
        self._held = {name: np.zeros(max(1, len(each))) for name, each in self.inputs.items()}
        self.hold(holding or {})
        control = bound(models, {name: self._controller(name) for name in self._held})
        run, mover = moving(Run(question, models, 0))
        self._recorder = Recorder(run.header) if record else Unrecorded()
        self._course = Course(
            run.question, run.models, mover, control, self._recorder, Live(question.rules)
        )
        self._goal = 0.0
        self._frames = self._course.frames(self._goals())
        self.moment = self._next()

    def _goals(self) -> Iterator[float]:
        while True:
            yield self._goal

    def _next(self) -> Moment:
        try:
            state, snapshot = next(self._frames)
        except StopIteration:
            raise SimulationError("this run has ended and cannot go on; begin another") from None
        self.snapshot = snapshot
        return moment_of(snapshot.world, state, self._course.news, lambda: snapshot)

    @property
    def stopped(self) -> bool:
        """Whether a clause of the text has ended the run ("on ...: stop")."""
        return self._course.stopped

    def hold(self, values: Mapping[str, Held]) -> None:
        """Say what controllers, by name, give from now on; ControllerError for another shape."""
        for name, value in values.items():
            if name not in self._held:
                known = ", ".join(self._held) or "none"
                raise ControllerError(f"no control asks '{name}'; controls ask: {known}")
            flat = np.array(value, dtype=float).ravel()
            if flat.shape != self._held[name].shape or not np.isfinite(flat).all():
                raise ControllerError(
                    f"'{name}' was given {value!r}; it takes {len(self._held[name])} finite numbers"
                )
            self._held[name] = flat

    def advance(self, until: float) -> Moment:
        """Go on to ``until`` (s), later than now, in one cycle; return the moment there.

        A clause that stops the run ends it before. SimulationError where it has ended.
        """
        if not (math.isfinite(until) and until > self.moment.time):
            raise SimulationError(
                f"the run stands at t = {self.moment.time:.9g} s and cannot go to {until!r} s; "
                "give a later time"
            )
        self._goal = until
        self.moment = self._next()
        return self.moment

    def recording(self) -> Recording:
        """Return what was recorded until now; SimulationError where nothing is."""
        if not isinstance(self._recorder, Recorder):
            raise SimulationError("this run is not recorded; begin it with record=True")
        return self._recorder.recording()

    def _controller(self, name: str) -> Controller:
        def held(time: float, sensed: Any) -> Array | float:
            value = self._held[name]
            return value if len(value) > 1 else float(value[0])

        return held


def inputs_of(world: World, question: Question) -> dict[str, tuple[str, ...]]:
    """Return what each controller that ``question`` asks gives: names of its numbers.

    ControllerError where controls of two kinds ask one controller, which a vector cannot answer.
    """
    found: dict[str, tuple[str, ...]] = {}
    kinds: dict[str, str] = {}
    for drive in world.drives.values():
        name, kind = drive.controller, drive.kind
        if kinds.setdefault(name, kind) != kind:
            raise ControllerError(
                f"{drive.span}: controller '{name}' is asked for a {kinds[name]} and a {kind}; "
                "give the two controls different names"
            )
        found[name] = NUMBERS[kind]
    for name in controllers_of(world, question.rules):
        if name not in found:
            raise ControllerError(
                f"a clause adds a control that asks '{name}'; let the world have it from the start"
            )
    return found


@dataclass(frozen=True, slots=True)
class Observations:
    """What ``paths`` name: in the vector stand the numbers ``names``, in the ``units``.

    A path is one of ``Recording.series``. A vector's numbers are named by its parts:
    "ball.center" is "ball.center.x", "ball.center.y" and "ball.center.z".
    """

    paths: tuple[str, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]

    def vector(self, moment: Moment) -> Array:
        """Return the numbers (n,) at ``moment``; NaN where something is not there any more."""
        parts = [np.ravel(moment.value(path)) for path in self.paths]
        return np.concatenate(parts) if parts else np.zeros(0)


def observations_of(start: Snapshot, paths: Sequence[str] | None = None) -> Observations:
    """Return the observations that ``paths`` name; NameNotFound for a path that names nothing.

    Where nothing is named: all coordinates of hinges and their rates; and place, orientation (a
    quaternion, w first), velocity and angular velocity of a body of each mechanism that no hinge
    with coordinates, nor a weld, holds to what stands still.
    """
    chosen = usual_paths(start.world) if paths is None else tuple(paths)
    names: list[str] = []
    units: list[str] = []
    for path in chosen:
        found, value = quantity(start, path), np.asarray(start.value(path))
        parts = found.parts if len(found.parts) == value.size else range(value.size)
        names += [f"{path}.{part}" for part in parts] if value.ndim else [path]
        each = [unit.strip() for unit in found.unit.split(",")]
        units += each if len(each) == value.size else [found.unit] * value.size
    return Observations(chosen, tuple(names), tuple(units))


def usual_paths(world: World) -> tuple[str, ...]:
    """Return what is observed of ``world`` where nothing is named."""
    paths: list[str] = []
    mechanism = {name: name for name in world.bodies}
    for hinge in world.hinges.values():
        for number, name in enumerate(hinge.kind.coordinates):
            rate = f"dynamic.coordinate_rate.{hinge.id}.{name}" if number else f"{hinge.id}.rate"
            paths += [f"{hinge.id}.{name}", rate]
        if hinge.kind.coordinates or hinge.kind.name == "weld":
            one, other = mechanism[hinge.body_a], mechanism[hinge.body_b]
            mechanism = {k: one if each == other else each for k, each in mechanism.items()}
    told = {mechanism[body.id] for body in world.bodies.values() if body.motion == "fixed"}
    for body in world.bodies.values():
        if mechanism[body.id] not in told:
            told.add(mechanism[body.id])
            paths += [f"{body.id}.{what}" for what in ("center", "orientation", "v", "w")]
    return tuple(paths)
