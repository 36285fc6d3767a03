"""The control domain: named controllers bound to functions, called once for each stage time.

A controller is ``f(t, sensed) -> value``: ``t`` (s) is the exact time at which the integrator
asks, ``sensed`` an immutable snapshot of the last completed cycle. Worlds hold names only; an
unbound name is an error that lists the names there are. SI units, world axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import PurePath
from traceback import walk_tb
from types import MappingProxyType

import numpy as np

from articulata.domains.protocols import Control, Controller, Inputs, Model, Sensed
from articulata.errors import ControllerError, RecordingError
from articulata.geometry.arrays import Array
from articulata.records.state import Channel, State
from articulata.world.edits.force_edits import AddDrive
from articulata.world.edits.transaction import Edit, leaves
from articulata.world.model import Drive, World
from articulata.world.requests.request import Rule

Logged = tuple[float, tuple[float, ...]]
"""Time (s) and numbers of one output."""

Log = Callable[[str, float, Sequence[float]], None]

WANTED = {
    "acceleration": "((ax, ay, az), (alx, aly, alz)) or (ax, ay, az)",
    "force": "(fx, fy, fz)",
    "torque": "(mx, my, mz)",
    "hinge": "one number",
}
"""What a controller of each kind of drive returns, in m/s^2, rad/s^2, N or N m."""


@dataclass(frozen=True)
class ControlModel(Model):
    """The drives of a world and the functions bound to their names."""

    world: World
    functions: Mapping[str, Controller] = field(default_factory=lambda: MappingProxyType({}))
    logged: Mapping[str, Iterator[Logged]] | None = None

    @property
    def channels(self) -> tuple[Channel, ...]:
        """One channel of outputs for each drive."""
        return tuple(
            Channel(f"control.{drive.id}", unit, (), columns)
            for drive in self.world.drives.values()
            for unit, columns in (_OUTPUTS[drive.kind],)
        )

    @cached_property
    def _drives(self) -> tuple[Drive, ...]:
        return tuple(self.world.drives.values())

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return _slots(self.world)

    @cached_property
    def _nothing(self) -> Inputs:
        """The inputs where no control acts."""
        bodies, coordinates = len(self.world.bodies), len(_coordinates(self.world))
        pushes = sum(drive.kind == "force" for drive in self._drives)
        widths = ((bodies, 6), (bodies, 3), (pushes, 3), (coordinates,))
        nothing = Inputs(*(np.zeros(width) for width in widths))
        for array in (nothing.acceleration, nothing.torque, nothing.push, nothing.hinge):
            array.flags.writeable = False
        return nothing

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[ControlModel, Mapping[str, Array]]:
        """Return the model of ``world`` with the same functions; there is no state."""
        return replace(self, world=world), {}

    def bind(self, functions: Mapping[str, Controller]) -> ControlModel:
        """Return the model with ``functions``; ControllerError for a name without a function."""
        for drive in self.world.drives.values():
            if drive.controller not in functions:
                raise _unbound(drive, functions)
            if not callable(functions[drive.controller]):
                raise ControllerError(
                    f"{drive.span}: controller '{drive.controller}' is "
                    f"{functions[drive.controller]!r}; give a function f(t, sensed)"
                )
        return replace(self, functions=MappingProxyType(dict(functions)))

    def repeating(self, logged: Mapping[str, Iterator[Logged]]) -> ControlModel:
        """Return the model whose drives give again what was ``logged``, by drive."""
        return replace(self, logged=logged)

    def control(self, sensed: Sensed, state: State, log: Log) -> Control:
        """Return the inputs of the cycle that starts at ``state``; ``log`` receives outputs."""
        drives, slots, nothing = self._drives, self._places, self._nothing

        def inputs(time: float) -> Inputs:
            if not drives:
                return nothing
            given = Inputs(
                np.zeros(nothing.acceleration.shape),
                np.zeros(nothing.torque.shape),
                np.zeros(nothing.push.shape),
                np.zeros(nothing.hinge.shape),
            )
            for drive, slot in zip(drives, slots, strict=True):
                value = self._ask(drive, time, sensed)
                log(drive.id, time, value.tolist())
                _book(given, drive, slot, value)
            return given

        return inputs

    def _ask(self, drive: Drive, time: float, sensed: Sensed) -> Array:
        """Return a controller's value as numbers; ControllerError says what was wrong with it."""
        if self.logged is not None:
            return self._repeat(drive, time)
        try:
            answer = self.functions[drive.controller](time, sensed)
        except KeyError as error:
            if drive.controller not in self.functions:
                raise _unbound(drive, self.functions) from None
            raise _raised(drive, time, error) from error
        except ControllerError as error:
            raise ControllerError(
                f"{drive.span}: controller '{drive.controller}' of '{drive.id}': {error}; "
                f"t = {time:.9g} s"
            ) from error
        except (Exception, SystemExit) as error:
            raise _raised(drive, time, error) from error
        try:
            value = _numbers(answer)
        except (TypeError, ValueError):
            raise _unusable(drive, time, answer) from None
        flat = value.ravel()
        width = {"acceleration": 6, "hinge": 1}.get(drive.kind, 3)
        if drive.kind == "acceleration" and flat.size == 3:
            flat = np.concatenate([flat, np.zeros(3)])
        if flat.size != width or (value.ndim == 2 and value.shape != (2, 3) and width != 1):
            raise _unusable(drive, time, answer)
        if not np.all(np.isfinite(flat)):
            raise _unusable(drive, time, answer)
        return flat

    def _repeat(self, drive: Drive, time: float) -> Array:
        """Return what ``drive`` gave at this point of the recorded run."""
        assert self.logged is not None
        then, values = next(self.logged.get(drive.id, iter(())), (math.nan, ()))
        if then != time:
            raise RecordingError(
                f"this run asks control '{drive.id}' at t = {time!r} s where the recorded one "
                f"asked at {then!r} s; replay with the versions that made the recording"
            )
        return np.array(values)


def controllers_of(world: World, rules: Iterable[Rule] = ()) -> tuple[str, ...]:
    """Return the controllers that ``world`` asks, and controls that clauses may add to it."""
    drives = list(world.drives.values())
    for rule in rules:
        for action in rule.actions:
            for edit in action.edits:
                drives += [each.drive for each in leaves(edit) if isinstance(each, AddDrive)]
    return tuple(dict.fromkeys(drive.controller for drive in drives))


@dataclass(frozen=True, slots=True)
class ControlDomain:
    """Builds control models; needs no other domain."""

    name: str = "control"
    requires: tuple[str, ...] = ()

    def build(self, world: World, reads: Mapping[str, Model]) -> ControlModel:
        """Return the control model of ``world`` with no functions bound yet."""
        return ControlModel(world)


_OUTPUTS = {
    "acceleration": ("m/s^2, rad/s^2", ("ax", "ay", "az", "alx", "aly", "alz")),
    "force": ("N", ("x", "y", "z")),
    "torque": ("N m", ("x", "y", "z")),
    "hinge": ("N, N m", ("value",)),
}


def _coordinates(world: World) -> tuple[str, ...]:
    return tuple(
        f"{hinge.id}.{name}" for hinge in world.hinges.values() for name in hinge.kind.coordinates
    )


def _slots(world: World) -> tuple[int, ...]:
    """Return where each drive's value goes in the inputs."""
    bodies = {name: number for number, name in enumerate(world.bodies)}
    coordinates = _coordinates(world)
    slots, pushes = [], 0
    for drive in world.drives.values():
        if drive.kind == "force":
            slots.append(pushes)
            pushes += 1
        elif drive.kind == "hinge":
            slots.append(_coordinate(drive, world, coordinates))
        elif drive.target in bodies:
            slots.append(bodies[drive.target])
        else:
            raise ControllerError(
                f"{drive.span}: control '{drive.id}' acts on '{drive.target}', which is not a body"
            )
    return tuple(slots)


def _coordinate(drive: Drive, world: World, coordinates: tuple[str, ...]) -> int:
    if drive.target in coordinates:
        return coordinates.index(drive.target)
    hinge = world.hinges.get(drive.target)
    if hinge is not None and hinge.kind.coordinates:
        return coordinates.index(f"{hinge.id}.{hinge.kind.coordinates[0]}")
    known = ", ".join(coordinates) or "none"
    raise ControllerError(
        f"{drive.span}: control '{drive.id}' drives '{drive.target}', which is not a hinge with "
        f"a coordinate; the world's hinge coordinates are: {known}"
    )


def _book(given: Inputs, drive: Drive, slot: int, value: Array) -> None:
    if drive.kind == "acceleration":
        given.acceleration[slot] += value
    elif drive.kind == "torque":
        given.torque[slot] += value
    elif drive.kind == "force":
        given.push[slot] += value
    else:
        given.hinge[slot] += value[0]


def _numbers(answer: object) -> Array:
    """Return an answer as numbers; TypeError for text and truth values, which numpy would turn."""
    given = np.asarray(answer)
    if given.dtype.kind == "O":
        wrong = any(isinstance(each, str | bytes | bool) for each in given.ravel())
    else:
        wrong = given.dtype.kind not in "iuf"
    if wrong:
        raise TypeError("not numbers")
    return np.array(given, dtype=float)


def _unbound(drive: Drive, functions: Mapping[str, Controller]) -> ControllerError:
    known = ", ".join(sorted(functions)) or "none"
    near = get_close_matches(drive.controller, functions, 1)
    meant = f"; did you mean '{near[0]}'?" if near else ""
    return ControllerError(
        f"{drive.span}: control '{drive.id}' names the controller '{drive.controller}', which was "
        f"not given; given: {known}{meant}"
    )


def _raised(drive: Drive, time: float, error: BaseException) -> ControllerError:
    return ControllerError(
        f"{drive.span}: controller '{drive.controller}' of '{drive.id}' raised "
        f"{type(error).__name__}: {error} at t = {time:.9g} s{_line_of(error)}"
    )


def _line_of(error: BaseException) -> str:
    """Return the file and line of the user's that raised ``error``, " (motor.py, line 7)"."""
    frames = list(walk_tb(error.__traceback__))[1:]  # the first frame is our own call
    if not frames:
        return ""
    own = frames[0][0].f_code.co_filename
    line = [number for frame, number in frames if frame.f_code.co_filename == own][-1]
    return f" ({PurePath(own).name}, line {line})"


def _unusable(drive: Drive, time: float, answer: object) -> ControllerError:
    return ControllerError(
        f"{drive.span}: controller '{drive.controller}' of '{drive.id}' returned {answer!r} at "
        f"t = {time:.9g} s; a control of kind {drive.kind} returns {WANTED[drive.kind]}, all finite"
    )
