"""What a file's expressions are worth: quantities, a scope of names, values read as what is due.

A value is a ``Quantity``, a tuple of values (a vector, a pair), a ``Material``, a ``Turned``
rotation, a ``Word`` that means nothing but itself (a colour) or a text. A quantity holds its value
in SI. A bare number has no dimension yet: where a length, an angle or another quantity is due, and
where it is added to one or compared with one, it is read in the units of the file it was written
in; everywhere else it is a number. Functions such as sine give bare numbers, so that
``(sin(a), cos(a), 0)`` is a point.

One evaluator reads definitions, forces and conditions alike (``modules.EVALUATORS``). What changes
while a world moves has no value yet but a term: a name (``"angle"``), or an operator with its
operands, numbers or terms, as in ``("+", "angle", 0.5)``. Whatever cannot be computed is noted once
with its place and abandons the statement it stands in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from articulata.world.language.diagnostics import Abandon, Notes
from articulata.world.language.meant_words import did_you_mean, listed
from articulata.world.language.source import Source
from articulata.world.language.source import Span as Offsets
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import (
    ANGLE,
    NONE,
    QUANTITIES,
    UNIT_NAMES,
    UNITS,
    Dimension,
    Unit,
    alike,
    describe,
    gives_up,
    mended_unit,
    symbol,
    typical_unit,
    without_angle,
)
from articulata.world.values import Quaternion, Vector3

_VARIANT = re.compile(r"__\d+$")


def type_name(name: str) -> str:
    """Return the name of the type that a definition makes: ``rod__2`` is a variant of ``rod``."""
    return _VARIANT.sub("", name) if "__" in name else name


@dataclass(frozen=True, slots=True)
class Scales:
    """What one of a file's units is worth in SI: metres, kilograms, seconds, radians.

    NaN stands for a unit that is not settled: numbers of files with other units were added.
    """

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    angle: float = 1.0

    def of(self, dimension: Dimension) -> float:
        """Return what one unit of ``dimension`` is worth in SI; an angle given up counts as 1.

        What has an ampere is in SI in every file: V, A, ohm, N m/A.
        """
        m, kg, s, rad, ampere = dimension
        if self is SI or ampere:
            return 1.0
        if gives_up(dimension):
            rad = 0
        return float(
            self.length**m * self.mass**kg * self.time**s * self.angle**rad  # exact at 1
        )

    def added(self, other: Scales) -> Scales:
        """Return the units of a sum of two bare numbers: settled where both agree."""
        if self is other or self == other:
            return self
        return Scales(
            self.length if self.length == other.length else math.nan,
            self.mass if self.mass == other.mass else math.nan,
            self.time if self.time == other.time else math.nan,
            self.angle if self.angle == other.angle else math.nan,
        )


SI = Scales()

Term: TypeAlias = "float | str | tuple[Term, ...]"
"""A number, a name of what changes, or an operator with its operands."""


class Quantity(NamedTuple):
    """A number: ``value`` in SI and its ``dimension``, or a bare number (dimension None).

    ``unit`` says in which units a bare number is, where it comes from another file; None stands
    for those of the file that reads it. Of a number with a dimension it says that pi is a factor:
    where an angle is due it is in radians. ``argument`` is the place of the world's argument that
    a bare number came from, or -1. ``term`` is there where the value changes with time, and
    ``value`` is NaN.
    """

    value: float
    dimension: Dimension | None = None
    unit: Scales | None = None
    argument: int = -1
    term: Term | None = None

    @property
    def operand(self) -> Term:
        """What an operator works on: the term, or the value."""
        return self.value if self.term is None else self.term


def _made_of_pi(value: float) -> bool:
    """Return whether digits are those of a twelfth or more of pi, three places at least."""
    places = len(repr(value).partition(".")[2])
    twelfths = round(12.0 * value / math.pi)
    near = abs(value - twelfths * math.pi / 12.0) <= 0.5 * 10.0**-places
    return places > 2 and 0 < abs(twelfths) <= 48 and near


def changing(term: Term, dimension: Dimension | None = None) -> Quantity:
    """Return what has a value only while a world moves."""
    return Quantity(math.nan, dimension, None, -1, term)


def scales_of(names: tuple[str, ...]) -> Scales:
    """Return the scales that a ``units:`` line with these unit names sets; unknown ones do nothing.

    >>> scales_of(("millimetre", "degree")).length
    0.001
    """
    length = mass = time = angle = 1.0
    for name in names:
        symbol = UNIT_NAMES.get(name, name)
        unit = UNITS.get(symbol)
        if unit is None:
            continue
        if unit.dimension == QUANTITIES["length"]:
            length = unit.factor
        elif unit.dimension == QUANTITIES["mass"]:
            mass = unit.factor
        elif unit.dimension == QUANTITIES["time"]:
            time = unit.factor
        elif unit.dimension == ANGLE:
            angle = unit.factor
    scales = Scales(length, mass, time, angle)
    return SI if scales == SI else scales


Value: TypeAlias = Any
"""A Quantity, tuple of values, Material, Turned, Word or str."""

DEGREES = 30.0
"""rad: a whole number from here on was rather meant in degrees."""

OF_VALUES = frozenset((
    "not-positive", "negative", "out-of-range", "not-finite", "too-large", "bad-shape",
    "wrong-kind", "division-by-zero", "bad-direction", "wrong-order", "wrong-dimension",
))  # fmt: skip
"""Codes of what is wrong with a value, wherever it was written."""

SAME = 1e-15
"""Within this of length one, a direction or quaternion is one already and stays as written."""


class Word(str):
    """A bare word that is no name in scope: a colour, a flag."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Turned:
    """A rotation value: a unit quaternion, w first."""

    quaternion: Quaternion


POISON: Any = object()
"""Stands for a value that could not be computed; what uses it is passed over in silence."""

ONE, ZERO_Q = Quantity(1.0), Quantity(0.0)
DIRECTIONS: dict[str, Value] = {
    "x": (ONE, ZERO_Q, ZERO_Q),
    "y": (ZERO_Q, ONE, ZERO_Q),
    "z": (ZERO_Q, ZERO_Q, ONE),
}
PI = Quantity(math.pi, NONE, SI)
"""A number that is in radians where an angle is due."""

Evaluator: TypeAlias = "Callable[[Scope, Any], Value]"
"""What gives the value of one kind of node."""


@dataclass(slots=True)
class Scope:
    """Names and their values, inside the scope of the file they were written in."""

    source: Source
    scales: Scales
    notes: Notes
    evaluators: Mapping[type, Evaluator]
    names: dict[str, Value] = field(default_factory=dict)
    outer: Mapping[str, Value] = field(default_factory=dict)
    used: dict[int, set[Dimension]] = field(default_factory=dict)
    """For each bare argument of the world, the quantities it was used as."""
    look_up: Callable[[t.Path], Value] | None = None
    """What finds a dotted path, such as a value of an imported file."""
    measured: Callable[[t.Path], Quantity] | None = None
    """In a condition, what gives a quantity of the world; any path may be one."""
    law: str = ""
    """What an expression with changing names is for: "force", "torque", "number" or nothing."""
    find: Callable[[str], Path | tuple[str, str, str]] | None = None
    """What finds a file that is named here; else code, words and advice of why there is none."""
    given: Collection[str] = ()
    """Parameters that have an argument, while those of a definition are bound."""
    asked: tuple[Scope, Any] | None = None
    """Who asks for the definition whose parameters are bound, and where."""
    givers: dict[str, tuple[t.Argument, ...]] = field(default_factory=dict)
    """Arguments that gave a parameter its value, itself or by way of its default."""
    typed: Collection[str] = ()
    """Parameters that say what they are: an argument that is not is refused itself."""

    def inner(self, names: dict[str, Value], law: str = "") -> Scope:
        """Return a scope with other names within the same file."""
        givers = {name: by for name, by in self.givers.items() if name not in names}
        return replace(self, names=names, law=law or self.law, givers=givers)

    # ---- findings

    def fail(self, item: Any, code: str, message: str, suggestion: str = "") -> Abandon:
        """Note an error at ``item``; raise what is returned, to abandon the statement.

        What a value spoils is told of the argument that gave it, where one did.
        """
        if self.asked is not None and (names := self._spoilt_by(item, code)):
            asking, place = self.asked
            (at, *more) = (each for name in names for each in self.givers[name])
            told = listed([f"'{name}'" for name in names])
            if not isinstance(item, t.Path):
                suggestion = f"change {told}: it is {self.source.text[slice(*item.span)]}"
            if ", which '" not in message:
                message += f", which {told} gives"
            return asking.fail(place if more else at.value, code, message, suggestion)
        span: Offsets = item if isinstance(item, tuple) else item.span
        self.notes.add(self.source, span, code, message, suggestion)
        return Abandon()

    def _spoilt_by(self, item: Any, code: str) -> list[str]:
        """Return parameters with arguments from which an expression has its value."""
        if code not in OF_VALUES or not self.givers or not isinstance(item, t.Expression):
            return []
        nodes = [*t.walk(item)]
        if code.startswith("wrong-") and any(
            isinstance(each, t.Call) or getattr(each, "operator", "*") not in "*/-"
            for each in nodes
        ):
            return []  # of what is computed, nobody knows which part is wrong
        found = {each.simple for each in nodes if isinstance(each, t.Path)}
        found -= {*self.typed} if code.startswith("wrong-") else set()
        return [name for name, by in self.givers.items() if by and name in found]

    def unmeant(self, item: Any) -> Abandon:
        """Fail for what the check of the text tells in words of its own."""
        return self.fail(item, "unknown-word", "this cannot be meant here")

    def unknown(
        self, item: Any, code: str, message: str, name: str, known: Iterable[str]
    ) -> Abandon:
        """Fail for a ``name`` that is none of ``known``; say which was meant or there are."""
        names = list(known)
        listed = ", ".join(names[:12])
        there = f"there are {listed}" if listed else ""
        return self.fail(item, code, message, did_you_mean(name, names, there))

    def unlike(self, item: Any, due: str, value: Value, suggestion: str = "") -> Abandon:
        """Fail for a value of another kind; ``due`` tells what "is" or "are" due."""
        return self.fail(item, "wrong-kind", f"{due} due here, not {show(value)}", suggestion)

    def warn(self, item: Any, code: str, message: str, suggestion: str = "") -> None:
        """Note a warning at ``item``."""
        self.notes.add(self.source, item.span, code, message, suggestion, "warning")

    # ---- values

    def evaluate(self, item: t.Expression) -> Value:
        """Return the value of an expression."""
        return self.evaluators[type(item)](self, item)

    def name(self, name: str) -> Value | None:
        """Return the value of a name in scope, or None."""
        found = self.names.get(name)
        if found is None:
            found = self.outer.get(name)
        if found is None:
            found = PI if name == "pi" else DIRECTIONS.get(name)
        if found is POISON:
            raise Abandon
        return found

    # ---- bare numbers and dimensions

    def noted(self, number: Quantity, dimension: Dimension) -> None:
        """Record as what the argument of the world is used that a bare number came from."""
        if number.argument >= 0:
            self.used.setdefault(number.argument, set()).add(dimension)

    def read(self, bare: Quantity, dimension: Dimension, item: Any) -> Quantity:
        """Return a bare number as a quantity, in the units of the file it came from."""
        self.noted(bare, dimension)
        scale = 1.0
        if dimension != NONE and bare.value != 0.0:
            scale = (bare.unit or self.scales).of(dimension)
        if scale == 1.0:
            size = abs(bare.value)
            if (
                dimension == ANGLE
                and size >= DEGREES
                and size % 1.0 == 0.0
                and isinstance(item, t.Number)
            ):
                told = f"{bare.value:g} is in radians here: {size / math.tau:.0f} turns"
                self.warn(item, "out-of-scale", told, f"write {bare.value:g} deg")
            return bare._replace(dimension=dimension, unit=None, argument=-1)
        if math.isnan(scale):
            raise self.fail(
                item,
                "ambiguous-unit",
                f"numbers of files with other units stand for {describe(dimension)} together: "
                "each could be meant in either",
                f"give them units, such as {symbol(dimension)}",
            )
        if dimension == ANGLE and isinstance(item, t.Number) and _made_of_pi(bare.value):
            turn = 180.0 * bare.value / math.pi
            told = f"{bare.value:g} is in degrees here, and {turn:.0f} degrees in radians"
            self.warn(item, "out-of-scale", told, f"write {turn:.0f}, or {bare.value:g} rad")
        term = bare.term if bare.term is None else ("*", bare.term, scale)
        return Quantity(bare.value * scale, dimension, term=term)

    def turned(self, number: Quantity, dimension: Dimension, item: Any) -> Quantity:
        """Return a number, or one over a time, as the angle or rate of ``dimension``.

        What is made of pi is in radians; a ratio could be in radians or in the file's unit.
        """
        if number.unit is not None or self.scales.angle == 1.0 or number.value == 0.0:
            return number._replace(dimension=dimension, unit=None)
        unit = next(n for n, u in UNITS.items() if u == Unit(self.scales.angle, ANGLE))
        shown = f"{number.value:g}" if number.term is None else "this number"
        per = "/s" * -dimension[2] if dimension[2] < 0 else ""
        turns = isinstance(item, t.Number) and dimension == QUANTITIES["rate"]
        raise self.fail(
            item,
            "ambiguous-unit",
            f"{shown} could be meant in rad{per} or in {unit}{per}",
            f"write {number.value * 60:g} rpm for turns, or multiply it by 1 rad or by 1 {unit}"
            if turns else f"multiply it by 1 rad or by 1 {unit}",
        )  # fmt: skip

    def number(self, item: t.Expression, kind: str) -> float:
        """Return the SI value of an expression that must be a quantity of ``kind``."""
        return self.to_kind(self.evaluate(item), kind, item)

    def to_kind(self, value: Value, kind: str, item: Any) -> float:
        """Return a quantity in SI as ``kind``: a bare number in the units of its file."""
        due = self.to_quantity(value, kind, item)
        if due.term is not None:
            raise self.fail(
                item,
                "wrong-kind",
                "this changes with time and cannot stand here",
                "write what is known before the start",
            )
        if not math.isfinite(due.value):
            raise self.fail(
                item, "not-finite", f"the value here is {due.value}", "give a finite number"
            )
        return due.value

    def to_quantity(self, value: Value, kind: str, item: Any) -> Quantity:
        """Return a value as a quantity of ``kind``, of its dimension."""
        if not isinstance(value, Quantity):
            wanted = _due(QUANTITIES[kind]) if kind != "count" else "a count"
            raise self.unlike(item, f"{wanted} is", value)
        return self.to_dimension(value, QUANTITIES[kind], item, kind)

    def to_dimension(self, value: Quantity, due: Dimension, item: Any, kind: str = "") -> Quantity:
        """Return a quantity as one of the dimension that is due."""
        found = value.dimension
        if found is None:
            return self.read(value, due, item)
        if found == due:
            return value
        if alike(found, due):
            return value._replace(dimension=due)
        if not gives_up(due) and found == without_angle(due):
            return self.turned(value, due, item)
        unit = typical_unit(kind) or symbol(due)
        hint = f"write a value in {unit}" if unit else ""
        if isinstance(item, t.Number) and item.unit and (meant := mended_unit(item.unit, due)):
            hint = f"write {item.value:g} {meant}"
        if due == without_angle(found) and not gives_up(found):
            hint = "divide it by 1 rad or by 1 deg"
        message = f"{_due(due)} is due here, not {describe(found)}"
        raise self.fail(item, "wrong-dimension", message, hint)

    def whole(self, item: t.Expression, what: str) -> int:
        """Return the value of an expression that must be a whole number."""
        number = self.number(item, "count")
        if number != math.floor(number) or abs(number) > 2**53:
            told = f"{what} must be a whole number, not {number:g}"
            meant = f"write a whole number, such as {round(min(number, 2.0**53))}"
            raise self.fail(item, "wrong-count", told, meant)
        return int(number)

    def vector(self, item: t.Expression, kind: str) -> Vector3:
        """Return three SI numbers of ``kind``."""
        return self.to_vector(self.evaluate(item), kind, item)

    def to_vector(self, value: Value, kind: str, item: Any) -> Vector3:
        """Return a value as three SI numbers of ``kind``."""
        if is_group(value, 3):
            items = (
                item.items if isinstance(item, t.Tuple) and len(item.items) == 3 else (item,) * 3
            )
            x, y, z = (self.to_kind(v, kind, i) for v, i in zip(value, items, strict=True))
            return (x, y, z)
        raise self.unlike(item, "three numbers (x, y, z) are", value)

    def direction(self, item: t.Expression) -> Vector3:
        """Return a unit vector: x, y, z, -x ... or three numbers."""
        return self.to_direction(self.evaluate(item), item)

    def to_direction(self, value: Value, item: Any) -> Vector3:
        """Return a value as a unit vector."""
        if not is_group(value, 3):
            advice = "write x, y, z, -x, -y, -z or three numbers"
            raise self.unlike(item, "a direction is", value, advice)
        numbers = [each.value if isinstance(each, Quantity) else math.nan for each in value]
        size = math.sqrt(sum(number * number for number in numbers))
        if not (math.isfinite(size) and size > 0):
            raise self.fail(item, "bad-direction", "a direction must have a length greater than 0")
        if abs(size - 1.0) <= SAME:
            return (numbers[0], numbers[1], numbers[2])
        return (numbers[0] / size, numbers[1] / size, numbers[2] / size)


def is_group(value: Value, *counts: int) -> bool:
    """Return whether a value is a group, of one of ``counts`` where there are any."""
    group = isinstance(value, tuple) and not isinstance(value, Quantity)
    return group and (not counts or len(value) in counts)


def show(value: Value) -> str:
    """Return a value in a user's words."""
    if isinstance(value, Quantity):
        if value.dimension is None or value.dimension == NONE:
            return f"the number {value.value:g}"
        return describe(value.dimension)
    if isinstance(value, Word):
        return f"the word '{value}'"
    if isinstance(value, str):
        return f'the text "{value}"'
    if isinstance(value, tuple):
        return f"{len(value)} values in parentheses"
    if isinstance(value, Turned):
        return "a rotation"
    return f"a {type(value).__name__.lower()}"


def _due(dimension: Dimension) -> str:
    return "an angle" if dimension == ANGLE else describe(dimension)


def rebased(value: Value, at: Scales, to: Scales) -> Value:
    """Return a value of a file with the units ``at`` for one with ``to``: it keeps its unit."""
    if at is to:
        return value
    if isinstance(value, Quantity):
        if value.dimension is not None:
            return value
        unit = value.unit or at
        return value._replace(unit=None if unit == to else unit)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(rebased(each, at, to) for each in value)
    return value
