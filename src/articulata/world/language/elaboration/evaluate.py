"""Expressions to values: arithmetic with dimensions, vectors, rotations, materials.

A value is a ``Quantity``, a tuple of values (a vector, a pair), a ``Material``, a ``Turned``
rotation, a ``Word`` that means nothing but itself (a colour) or a text. Whatever cannot be
computed is noted once with its place and abandons the statement it stands in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeAlias

from articulata.world.language.elaboration.findings import Abandon, Notes
from articulata.world.language.elaboration.quantities import RADIANS, Quantity, Scales, origin
from articulata.world.language.source import Source
from articulata.world.language.source import Span as Offsets
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.operators import EQUALITIES, NEARNESS, NO_EQUALITY
from articulata.world.language.units import (
    NONE,
    QUANTITIES,
    Dimension,
    Unit,
    describe,
    typical_unit,
)
from articulata.world.language.units import parse_unit as _parse_unit
from articulata.world.values import Quaternion, Vector3

Value: TypeAlias = Any
"""A Quantity, tuple of values, Material, Turned, Word or str."""


@cache
def parse_unit(text: str) -> Unit:
    """Return the unit written as ``text``; each is read once."""
    return _parse_unit(text)


SAME = 1e-12
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
PI = Quantity(math.pi, None, RADIANS)


@dataclass(slots=True)
class Scope:
    """Names and their values, inside the scope of the file they were written in."""

    source: Source
    scales: Scales
    notes: Notes
    names: dict[str, Value] = field(default_factory=dict)
    outer: Mapping[str, Value] = field(default_factory=dict)
    used: dict[int, str] = field(default_factory=dict)
    """For each argument of the world, the kind of quantity it was used as."""
    look_up: Callable[[t.Path], Value] | None = None
    """What finds a dotted path, such as a value of an imported file."""

    def inner(self, names: dict[str, Value]) -> Scope:
        """Return a scope with other names within the same file."""
        return Scope(
            self.source, self.scales, self.notes, names, self.outer, self.used, self.look_up
        )

    # ---- findings

    def fail(self, item: Any, code: str, message: str, suggestion: str = "") -> Abandon:
        """Note an error at ``item``; raise what is returned, to abandon the statement."""
        span: Offsets = item if isinstance(item, tuple) else item.span
        self.notes.add(self.source, span, code, message, suggestion)
        return Abandon()

    def warn(self, item: Any, code: str, message: str, suggestion: str = "") -> None:
        """Note a warning at ``item``."""
        self.notes.add(self.source, item.span, code, message, suggestion, "warning")

    # ---- values

    def evaluate(self, item: t.Expression) -> Value:
        """Return the value of an expression."""
        return _EVALUATE[type(item)](self, item)

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

    def number(self, item: t.Expression, kind: str) -> float:
        """Return the SI value of an expression that must be a quantity of ``kind``."""
        return self.to_kind(self.evaluate(item), kind, item)

    def to_kind(self, value: Value, kind: str, item: Any) -> float:
        """Return a quantity in SI as ``kind``: a bare number in the file's units."""
        if not isinstance(value, Quantity):
            wanted = describe(QUANTITIES[kind]) if kind not in ("angle", "count") else f"a {kind}"
            raise self.fail(item, "wrong-kind", f"{wanted} is due here, not {show(value)}")
        number, dimension, argument = value
        if dimension is None:
            if argument >= 0:
                self.used.setdefault(argument, kind)
            if argument != RADIANS or kind != "angle":
                number *= self.scales.of_kind(kind)
        elif dimension != QUANTITIES[kind]:
            wanted = "an angle" if kind == "angle" else describe(QUANTITIES[kind])
            raise self.fail(
                item,
                "wrong-dimension",
                f"{wanted} is due here, not {describe(dimension)}",
                f"write a value in {typical_unit(kind)}" if typical_unit(kind) else "",
            )
        if not math.isfinite(number):
            raise self.fail(
                item, "not-finite", f"the value here is {number}", "give a finite number"
            )
        return number

    def whole(self, item: t.Expression, what: str) -> int:
        """Return the value of an expression that must be a whole number."""
        number = self.number(item, "count")
        if number != math.floor(number) or abs(number) > 2**53:
            raise self.fail(item, "wrong-count", f"{what} must be a whole number, not {number:g}")
        return int(number)

    def vector(self, item: t.Expression, kind: str) -> Vector3:
        """Return three SI numbers of ``kind``."""
        return self.to_vector(self.evaluate(item), kind, item)

    def to_vector(self, value: Value, kind: str, item: Any) -> Vector3:
        """Return a value as three SI numbers of ``kind``."""
        if isinstance(value, tuple) and not isinstance(value, Quantity) and len(value) == 3:
            items = (
                item.items if isinstance(item, t.Tuple) and len(item.items) == 3 else (item,) * 3
            )
            x, y, z = (self.to_kind(v, kind, i) for v, i in zip(value, items, strict=True))
            return (x, y, z)
        raise self.fail(
            item, "wrong-kind", f"three numbers (x, y, z) are due here, not {show(value)}"
        )

    def direction(self, item: t.Expression) -> Vector3:
        """Return a unit vector: x, y, z, -x ... or three numbers."""
        return self.to_direction(self.evaluate(item), item)

    def to_direction(self, value: Value, item: Any) -> Vector3:
        """Return a value as a unit vector."""
        if not isinstance(value, tuple) or isinstance(value, Quantity) or len(value) != 3:
            raise self.fail(
                item,
                "wrong-kind",
                f"a direction is due here, not {show(value)}",
                "write x, y, z, -x, -y, -z or three numbers",
            )
        numbers = [each.value if isinstance(each, Quantity) else math.nan for each in value]
        size = math.sqrt(sum(number * number for number in numbers))
        if not (math.isfinite(size) and size > 0):
            raise self.fail(item, "bad-direction", "a direction must have a length greater than 0")
        if abs(size - 1.0) <= SAME:
            return (numbers[0], numbers[1], numbers[2])
        return (numbers[0] / size, numbers[1] / size, numbers[2] / size)


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


def _number(scope: Scope, item: t.Number) -> Value:
    if not item.unit:
        return Quantity(item.value)
    try:
        unit = parse_unit(item.unit)
    except KeyError as error:
        raise scope.fail(item, "unknown-unit", f"the unit '{error.args[0]}' is not known") from None
    return Quantity(item.value * unit.factor, unit.dimension)


def _path(scope: Scope, item: t.Path) -> Value:
    first = item.parts[0]
    if len(item.parts) == 1 and first.index is None:
        value = scope.name(first.name)
        if value is not None:
            return value
        if scope.look_up is not None:
            value = scope.look_up(item)
            if value is not None:
                return value
        return Word(first.name)
    if scope.look_up is not None:
        value = scope.look_up(item)
        if value is not None:
            return value
    raise scope.fail(item, "unknown-name", f"'{item.text}' is no value", _meant(scope, first.name))


def _meant(scope: Scope, name: str) -> str:
    close = get_close_matches(name, [*scope.names, *scope.outer, "pi"], 1, 0.6)
    return f"did you mean '{close[0]}'?" if close else ""


def _tuple(scope: Scope, item: t.Tuple) -> Value:
    return tuple(scope.evaluate(each) for each in item.items)


def _unary(scope: Scope, item: t.Unary) -> Value:
    value = scope.evaluate(item.operand)
    if item.operator == "-":
        return _scaled(scope, value, -1.0, item)
    if item.operator == "not":
        return Quantity(0.0 if truth(scope, value, item) else 1.0)
    return _scaled(scope, value, 1.0, item)


def truth(scope: Scope, value: Value, item: Any) -> bool:
    """Return whether a value is true: a number other than zero."""
    if isinstance(value, Quantity):
        return value.value != 0.0
    raise scope.fail(item, "wrong-kind", f"a condition is due here, not {show(value)}")


def _scaled(scope: Scope, value: Value, factor: float, item: Any) -> Value:
    if isinstance(value, Quantity):
        # -0.0 would make two equal worlds differ in print
        return Quantity(value.value * factor + 0.0, value.dimension, value.argument)
    if isinstance(value, tuple):
        return tuple(_scaled(scope, each, factor, item) for each in value)
    raise _not_a_number(scope, value, item)


def _not_a_number(scope: Scope, value: Value, item: Any) -> Abandon:
    if isinstance(value, Word):
        return scope.fail(
            item, "unknown-name", f"'{value}' is not defined here", _meant(scope, value)
        )
    return scope.fail(item, "wrong-kind", f"a number is due here, not {show(value)}")


def _binary(scope: Scope, item: t.Binary) -> Value:
    left, right = scope.evaluate(item.left), scope.evaluate(item.right)
    return combined(scope, item.operator, left, right, item)


def combined(scope: Scope, operator: str, left: Value, right: Value, item: t.Binary) -> Value:
    """Return what an operator makes of two values."""
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        return _OPERATORS[operator](scope, operator, left, right, item)
    for side, expression in ((left, item.left), (right, item.right)):
        if not isinstance(side, tuple):
            raise _not_a_number(scope, side, expression)
    if operator in "+-" and not isinstance(left, Quantity) and not isinstance(right, Quantity):
        if len(left) != len(right):
            raise scope.fail(
                item, "wrong-count", f"{len(left)} values cannot be added to {len(right)}"
            )
        return tuple(
            combined(scope, operator, one, other, item)
            for one, other in zip(left, right, strict=True)
        )
    if operator == "*" and isinstance(left, Quantity):
        return tuple(combined(scope, operator, left, each, item) for each in right)
    if operator in "*/" and isinstance(right, Quantity):
        return tuple(combined(scope, operator, each, right, item) for each in left)
    raise scope.fail(item, "wrong-kind", f"'{operator}' cannot join {show(left)} and {show(right)}")


def _same(
    scope: Scope, operator: str, left: Quantity, right: Quantity, item: t.Binary
) -> tuple[float, float, Dimension | None, int]:
    """Return both values in one dimension; a bare number takes the other's."""
    a, b = left.value, right.value
    if left.dimension is None and right.dimension is None:
        return a, b, None, origin(left.argument, right.argument)
    if left.dimension is None:
        assert right.dimension is not None
        a = _read_as(scope, left, right.dimension)
        return a, b, right.dimension, -1
    if right.dimension is None:
        b = _read_as(scope, right, left.dimension)
        return a, b, left.dimension, -1
    if left.dimension != right.dimension:
        word = {"+": "added to", "-": "subtracted from"}.get(operator, "compared with")
        one, other = (right, left) if operator == "-" else (left, right)
        said = f"{describe(one.dimension or NONE)} cannot be {word}"
        raise scope.fail(item, "wrong-dimension", f"{said} {describe(other.dimension or NONE)}")
    return a, b, left.dimension, -1


def _read_as(scope: Scope, bare: Quantity, dimension: Dimension) -> float:
    kind = "angle" if dimension == NONE else ""
    if bare.argument >= 0:
        named = kind or next((k for k, d in QUANTITIES.items() if d == dimension), "number")
        scope.used.setdefault(bare.argument, named)
    if kind and bare.argument == RADIANS:
        return bare.value
    return bare.value * scope.scales.of(dimension, 1 if kind else 0)


def _add(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    a, b, dimension, argument = _same(scope, op, left, right, item)
    return Quantity(a + b if op == "+" else a - b, dimension, argument)


def _multiply(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    sign = 1
    if op == "/":
        sign = -1
        if right.value == 0.0:
            raise scope.fail(item.right, "division-by-zero", "this divisor is zero")
        value = left.value / right.value
    else:
        value = left.value * right.value
    if left.dimension is None:
        if right.dimension is None:
            return Quantity(value, None, origin(left.argument, right.argument))
        m, kg, s = right.dimension
        return Quantity(value, (-m, -kg, -s) if sign < 0 else right.dimension)
    if right.dimension is None:
        return Quantity(value, left.dimension)
    (l1, m1, s1), (l2, m2, s2) = left.dimension, right.dimension
    return Quantity(value, (l1 + sign * l2, m1 + sign * m2, s1 + sign * s2))


def _power(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    exponent = right.value
    if right.dimension not in (None, NONE):
        raise scope.fail(item.right, "wrong-dimension", "an exponent must be a plain number")
    try:
        value = left.value**exponent
    except ZeroDivisionError:
        raise scope.fail(item, "division-by-zero", f"0 ^ {exponent:g} divides by zero") from None
    except OverflowError:
        raise scope.fail(item, "too-large", "this power is too large to compute with") from None
    if isinstance(value, complex):
        raise scope.fail(item, "not-finite", f"({left.value:g}) ^ {exponent:g} is no real number")
    if left.dimension is None or left.dimension == NONE:
        return Quantity(value, left.dimension)
    powers = [each * exponent for each in left.dimension]
    if any(power != round(power) for power in powers):
        raise scope.fail(
            item, "wrong-dimension", f"{describe(left.dimension)} has no power {exponent:g}"
        )
    return Quantity(value, (round(powers[0]), round(powers[1]), round(powers[2])))


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _no_equality(
    scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary
) -> Quantity:
    raise scope.fail(item, "wrong-kind", NO_EQUALITY.format(op), NEARNESS)


def _compare(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    a, b, _, _ = _same(scope, op, left, right, item)
    return Quantity(1.0 if _COMPARE[op](a, b) else 0.0)


def _logic(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    a, b = left.value != 0.0, right.value != 0.0
    return Quantity(1.0 if (a and b if op == "and" else a or b) else 0.0)


_OPERATORS: dict[str, Callable[[Scope, str, Quantity, Quantity, t.Binary], Quantity]] = {
    "+": _add,
    "-": _add,
    "*": _multiply,
    "/": _multiply,
    "^": _power,
    "and": _logic,
    "or": _logic,
    **dict.fromkeys(_COMPARE, _compare),
    **dict.fromkeys(EQUALITIES, _no_equality),
}


def _text(scope: Scope, item: t.Text) -> Value:
    return item.value


def _call(scope: Scope, item: t.Call) -> Value:
    from articulata.world.language.elaboration.functions import call

    return call(scope, item)


def _placed(scope: Scope, item: t.Placed) -> Value:
    from articulata.world.language.elaboration.shapes import placed_value

    return placed_value(scope, item)


_EVALUATE: dict[type, Callable[[Scope, Any], Value]] = {
    t.Number: _number,
    t.Text: _text,
    t.Path: _path,
    t.Tuple: _tuple,
    t.Unary: _unary,
    t.Binary: _binary,
    t.Call: _call,
    t.Placed: _placed,
}
