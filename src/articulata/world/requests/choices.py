"""Values that several questions share: a figure, a tolerance, a device, what it is joined to."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from math import degrees, pi
from typing import TypeAlias

from articulata.world.requests.clauses import Clause, Said, Unfit
from articulata.world.single_frames import about, multiply
from articulata.world.values import NO_TURN, NOWHERE, ZERO, Pose, Quaternion, Span, Vector3

Target: TypeAlias = str | Vector3
"""A place: a path of the world, or a point of it (m)."""


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """Who a question is about.

    ``name`` is a component of the world where ``component``, else a figure of the text, of what
    it imports, or of the library; ``arguments`` are what the text gives it, in SI, each with the
    parameter's name or "".
    """

    name: str
    arguments: tuple[tuple[str, float | str], ...] = ()
    component: bool = False

    @property
    def text(self) -> str:
        """What says it in a text whose numbers are in SI: "person(height: 1.9)"."""
        given = []
        for name, value in self.arguments:
            said = f'"{value}"' if isinstance(value, str) else repr(value)
            given.append(f"{name}: {said}" if name else said)
        return f"{self.name}({', '.join(given)})" if given else self.name

    @property
    def positional(self) -> tuple[float | str, ...]:
        """The arguments without names, in order."""
        return tuple(value for name, value in self.arguments if not name)

    @property
    def named(self) -> dict[str, float | str]:
        """The arguments with names."""
        return {name: value for name, value in self.arguments if name}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How near is near enough: ``position`` in m, ``angle`` in rad; None where nothing is said."""

    position: float | None = None
    angle: float | None = None


@dataclass(frozen=True, slots=True)
class JointWeight:
    """How much a ``joint`` counts in discomfort."""

    joint: str
    weight: float
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class JointLimits:
    """What a person's ``joint`` is able to: from ``low`` to ``high``, rad."""

    joint: str
    low: float
    high: float
    span: Span = field(default=NOWHERE, compare=False, repr=False)


DISCOMFORTS: tuple[str, ...] = ("sum", "square", "barrier")
"""Forms of discomfort beside the usual one: "range" in reach, "motion" in pose."""


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """What samples come from: a device at a ``port`` (a name, or a number), or a recorded file.

    ``name`` is the device's word, or "file"; ``span`` where a text names it.
    """

    name: str
    port: str | int | None = None
    span: Span = field(default=NOWHERE, compare=False)


DEVICES: dict[str, tuple[str, ...]] = {
    "track": ("emulator", "fastrak", "udp", "slimevr", "vmc", "vrchat", "phone", "recording"),
    "film": ("spacemouse", "gamepad", "keyboard", "recording"),
}
"""Devices by the names used in a text: what people are tracked with, and what steers a camera."""

SEGMENTS: tuple[str, ...] = (
    "skull", "neck", "sternum", "pelvis",
    *(f"{side}_{part}" for side in "lr" for part in (
        "clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot")),
)  # fmt: skip
"""Parts of a body that sensors sit on, whatever a figure calls its own."""

_PORT = re.compile(r"/dev/|COM\d+$", re.IGNORECASE)
"""How a port is called that no file is."""

DEVICE_PATTERNS = ("<device> [<port>]", "<text>")


def device(said: Said) -> DeviceChoice:
    """Return the device, or the file, that an item names."""
    found = said.all()
    if isinstance(found[0], DeviceChoice):
        at = port(found[1] if len(found) > 1 else None)
        return DeviceChoice(found[0].name, at, said.span)
    if _PORT.match(found[0]):
        raise Unfit("", f"'{found[0]}' is a port, and a text alone is a recorded file",
                    f'name the device before it: fastrak "{found[0]}"')  # fmt: skip
    return DeviceChoice("file", found[0], said.span)


def port(value: str | int | None, word: str = "") -> str | int | None:
    """Return a device's port, which follows ``word``; a number is that of a network's port."""
    if isinstance(value, int | float) and not 1 <= value <= 65535:
        told = f"a port is a number from 1 to 65535, not {value:g}"
        raise Unfit(word, told, "write a number from 1024 to 65535, or none for the usual port")
    if value == "":
        raise Unfit(word, "a port has a name", 'write "/dev/ttyUSB0", or nothing for the usual one')
    return value


def pose_of(said: Said) -> Pose:
    """Return the pose of an item with ``[at point] [turned angle about axis]...``."""
    at = said.get("at", ZERO)
    return Pose(at, orientation_of(said) or NO_TURN)


def orientation_of(said: Said) -> Quaternion | None:
    """Return the orientation that the turns of an item give, one after the other; None: none."""
    found: Quaternion | None = None
    for angle, axis in zip(said.all("turned"), said.all("about"), strict=True):
        turn = about(axis, angle)
        found = turn if found is None else multiply(turn, found)
    return found


def weigh(meaning: str) -> Clause:
    """Return the clause that weighs joints; ``meaning`` says what they count in."""
    return _of_joints("<joint> by <number>", meaning, "weights", _weight)


def _of_joints(
    pattern: str, meaning: str, field: str, read: Callable[[Said], JointWeight | JointLimits]
) -> Clause:
    """Return a clause that says something of each of several joints, once of each."""
    return Clause(
        (pattern,), meaning, several=True, field=field, read=read, key=lambda each: each.joint
    )


def _weight(said: Said) -> JointWeight:
    weight = said.get("by")
    if weight < 0.0:
        raise Unfit("by", f"a weight is 0 or more, not {weight:g}", "remove '-'")
    return JointWeight(said.get(), weight, said.span)


def limits(meaning: str) -> Clause:
    """Return the clause that narrows what joints are able to."""
    return _of_joints("<joint> from <angle> to <angle>", meaning, "limits", _limits)


def _limits(said: Said) -> JointLimits:
    name, low, high = said.get(), said.get("from"), said.get("to")
    if not low <= high:
        raise Unfit(
            "to", f"'{name}' moves from {degrees(low):g} to {degrees(high):g} deg, greater first",
            "write the lesser angle first",
        )  # fmt: skip
    return JointLimits(name, low, high, said.span)


def lean(said: Said) -> float:
    """Return how far a trunk leans, rad."""
    angle: float = said.get()
    if not 0.0 <= angle <= pi / 2:
        bare = 1.0 <= angle <= 90.0 and angle == round(angle, 1)  # degrees, without the unit
        raise Unfit(
            "", f"a trunk leans by 0 to 90 deg, not {degrees(angle):g} deg",
            f"write {angle:g} deg" if bare else "write an angle between these",
        )  # fmt: skip
    return angle


def tolerance(position: float, angle: float | None) -> Tolerance:
    """Return a tolerance of lengths greater than 0."""
    for value, what in ((position, "position"), (angle, "angle")):
        if value is not None and not value > 0.0:
            raise Unfit(
                "within", f"a tolerance of {what} is greater than 0, not {value:g}",
                "write within (1 mm, 2 deg)",
            )  # fmt: skip
    return Tolerance(position, angle)
