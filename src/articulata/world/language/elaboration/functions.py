"""Calls in expressions: functions, materials and rotations; shapes are handed on."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from articulata.world.language.elaboration.evaluate import (
    SAME,
    Scope,
    Turned,
    Value,
    Word,
    combined,
    show,
)
from articulata.world.language.elaboration.quantities import Quantity
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import NONE, describe
from articulata.world.language.vocabulary import EULER_ORDERS, FUNCTIONS, SHAPES, Signature
from articulata.world.turning import about, multiply, unit
from articulata.world.values import NO_TURN, Material, Quaternion, Vector3

AXES: dict[str, Vector3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def call(scope: Scope, item: t.Call) -> Value:
    """Return the value of a call."""
    name = item.function.text
    if name in SHAPES:
        from articulata.world.language.elaboration.shapes import shape_of_call

        return shape_of_call(scope, item)
    made = _CALLS.get(name)
    if made is None:
        raise scope.fail(item.function, "unknown-function", f"there is no function '{name}'")
    try:
        return made(scope, item)
    except (ValueError, OverflowError):
        raise scope.fail(item, "not-finite", f"'{name}' has no value here") from None


def bound(scope: Scope, item: t.Call, signature: Signature) -> dict[str, t.Expression]:
    """Return the arguments of a call by the names of its parameters."""
    slots = [slot.name for slot in signature.slots]
    given: dict[str, t.Expression] = {}
    place = 0
    for argument in item.arguments:
        name = argument.name
        if name is None:
            while place < len(slots) and slots[place] in given:
                place += 1
            if place >= len(slots):
                raise scope.fail(
                    argument, "wrong-count", f"this is one value too many for {signature}"
                )
            name = slots[place]
        elif name not in slots:
            raise scope.fail(
                argument, "unknown-option", f"{signature.name} takes no '{name}'", f"{signature}"
            )
        if name in given:
            raise scope.fail(argument, "duplicate", f"'{name}' is given twice")
        given[name] = argument.value
    for slot in signature.slots:
        if not slot.optional and slot.name not in given:
            raise scope.fail(item, "wrong-count", f"{signature} lacks its {slot.name}")
    return given


def _values(scope: Scope, item: t.Call, fewest: int, most: int) -> list[Value]:
    count = len(item.arguments)
    if not fewest <= count <= most:
        raise scope.fail(
            item, "wrong-count", f"{item.function.text} takes {fewest} values, not {count}"
        )
    return [scope.evaluate(argument.value) for argument in item.arguments]


def _trigonometry(function: Callable[[float], float]) -> Callable[[Scope, t.Call], Value]:
    def made(scope: Scope, item: t.Call) -> Value:
        (value,) = _values(scope, item, 1, 1)
        return Quantity(function(scope.to_kind(value, "angle", item.arguments[0].value)))

    return made


def _arc(function: Callable[[float], float]) -> Callable[[Scope, t.Call], Value]:
    def made(scope: Scope, item: t.Call) -> Value:
        (value,) = _values(scope, item, 1, 1)
        return Quantity(function(scope.to_kind(value, "number", item.arguments[0].value)), NONE)

    return made


def _plain(function: Callable[[float], float]) -> Callable[[Scope, t.Call], Value]:
    def made(scope: Scope, item: t.Call) -> Value:
        (value,) = _values(scope, item, 1, 1)
        result = function(scope.to_kind(value, "number", item.arguments[0].value))
        return Quantity(float(result), None, value.argument if isinstance(value, Quantity) else -1)

    return made


def _quantity(scope: Scope, value: Value, item: Any) -> Quantity:
    if isinstance(value, Quantity):
        return value
    raise scope.fail(item, "wrong-kind", f"a number is due here, not {show(value)}")


def _sqrt(scope: Scope, item: t.Call) -> Value:
    (value,) = _values(scope, item, 1, 1)
    number = _quantity(scope, value, item)
    if number.value < 0:
        raise scope.fail(
            item, "not-finite", f"the square root of {number.value:g} is no real number"
        )
    root = math.sqrt(number.value)
    if number.dimension is None:
        return Quantity(root, None, number.argument)
    m, kg, s = number.dimension
    if m % 2 or kg % 2 or s % 2:
        raise scope.fail(
            item, "wrong-dimension", f"{describe(number.dimension)} has no square root"
        )
    return Quantity(root, (m // 2, kg // 2, s // 2))


def _abs(scope: Scope, item: t.Call) -> Value:
    (value,) = _values(scope, item, 1, 1)
    number = _quantity(scope, value, item)
    return number._replace(value=abs(number.value))


def _extreme(choose: Callable[[float, float], float]) -> Callable[[Scope, t.Call], Value]:
    def made(scope: Scope, item: t.Call) -> Value:
        values = _values(scope, item, 1, 1000)
        best = _quantity(scope, values[0], item)
        for value in values[1:]:
            other = _quantity(scope, value, item)
            # Subtraction checks the dimensions and reads a bare number as the other's.
            gap = combined(scope, "-", other, best, _as_binary(item))
            if choose(gap.value, 0.0) == gap.value and gap.value != 0.0:
                best = other
        return best

    return made


def _as_binary(item: t.Call) -> t.Binary:
    first = item.arguments[0].value
    return t.Binary("-", first, item.arguments[-1].value, item.span)


def _atan2(scope: Scope, item: t.Call) -> Value:
    y, x = _values(scope, item, 2, 2)
    combined(scope, "-", y, x, _as_binary(item))
    return Quantity(math.atan2(_quantity(scope, y, item).value, x.value), NONE)


def _components(scope: Scope, value: Value, item: Any) -> list[Quantity]:
    if isinstance(value, tuple) and not isinstance(value, Quantity):
        return [_quantity(scope, each, item) for each in value]
    raise scope.fail(item, "wrong-kind", f"a vector (x, y, z) is due here, not {show(value)}")


def _dot_of(scope: Scope, a: list[Quantity], b: list[Quantity], item: t.Call) -> Quantity:
    if len(a) != len(b) or not a:
        raise scope.fail(item, "wrong-count", "the two vectors must be of one length")
    binary = _as_binary(item)
    total: Value = combined(scope, "*", a[0], b[0], binary)
    for one, other in zip(a[1:], b[1:], strict=True):
        total = combined(scope, "+", total, combined(scope, "*", one, other, binary), binary)
    assert isinstance(total, Quantity)
    return total


def _norm(scope: Scope, item: t.Call) -> Value:
    (value,) = _values(scope, item, 1, 1)
    parts = _components(scope, value, item)
    square = _dot_of(scope, parts, parts, item)
    dimension = square.dimension
    half = None if dimension is None else tuple(each // 2 for each in dimension)
    return Quantity(math.sqrt(square.value), half)  # type: ignore[arg-type] # three integers


def _dot(scope: Scope, item: t.Call) -> Value:
    a, b = _values(scope, item, 2, 2)
    return _dot_of(scope, _components(scope, a, item), _components(scope, b, item), item)


def _cross(scope: Scope, item: t.Call) -> Value:
    first, second = _values(scope, item, 2, 2)
    a, b = _components(scope, first, item), _components(scope, second, item)
    if len(a) != 3 or len(b) != 3:
        raise scope.fail(item, "wrong-count", "a vector product takes two vectors of three numbers")
    binary = _as_binary(item)

    def part(i: int, j: int) -> Value:
        return combined(
            scope,
            "-",
            combined(scope, "*", a[i], b[j], binary),
            combined(scope, "*", a[j], b[i], binary),
            binary,
        )

    return (part(1, 2), part(2, 0), part(0, 1))


# ---- materials and rotations


def color_of(scope: Scope, item: t.Expression) -> str | tuple[float, ...]:
    """Return a colour: its name, or three numbers from 0 to 1."""
    value = scope.evaluate(item)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple) and not isinstance(value, Quantity) and len(value) in (3, 4):
        numbers = tuple(scope.to_kind(each, "number", item) for each in value)
        if all(0.0 <= number <= 1.0 for number in numbers):
            return numbers
        raise scope.fail(item, "out-of-range", "the parts of a colour lie between 0 and 1")
    raise scope.fail(
        item, "wrong-kind", f"a colour is due here, not {show(value)}", "write red, blue ..."
    )


def positive(scope: Scope, item: t.Expression, kind: str, what: str) -> float:
    """Return a quantity that must be greater than zero."""
    number = scope.number(item, kind)
    if number <= 0:
        raise scope.fail(item, "not-positive", f"{what} must be greater than 0, not {number:g}")
    return number


def not_negative(scope: Scope, item: t.Expression, kind: str, what: str) -> float:
    """Return a quantity that must not be less than zero."""
    number = scope.number(item, kind)
    if number < 0:
        raise scope.fail(item, "negative", f"{what} must not be negative, as {number:g} is")
    return number


def _material(scope: Scope, item: t.Call) -> Value:
    given = bound(scope, item, FUNCTIONS["material"])
    density = friction = restitution = None
    color: str | tuple[float, ...] | None = None
    if "density" in given:
        density = positive(scope, given["density"], "density", "a density")
    if "friction" in given:
        friction = not_negative(scope, given["friction"], "number", "a coefficient of friction")
    if "restitution" in given:
        restitution = restitution_of(scope, given["restitution"])
    if "color" in given:
        color = color_of(scope, given["color"])
    return Material("", density, friction, restitution, color)


def restitution_of(scope: Scope, item: t.Expression) -> float:
    """Return Newton's coefficient of restitution, between 0 and 1."""
    number = scope.number(item, "number")
    if not 0.0 <= number <= 1.0:
        raise scope.fail(
            item,
            "out-of-range",
            f"a coefficient of restitution lies from 0 to 1, not at {number:g}",
        )
    return number


def _rotation(scope: Scope, item: t.Call) -> Value:
    given = bound(scope, item, FUNCTIONS["rotation"])
    axis = scope.direction(given["axis"])
    return Turned(about(axis, scope.number(given["angle"], "angle")))


def _euler(scope: Scope, item: t.Call) -> Value:
    given = bound(scope, item, FUNCTIONS["euler"])
    order = given["order"]
    word = order.simple if isinstance(order, t.Path) else ""
    if isinstance(order, t.Text):
        word = order.value
    if word.lower() not in EULER_ORDERS or (word != word.lower() and word != word.upper()):
        raise scope.fail(
            order, "unknown-word", f"'{word}' is no order of three turns", "write xyz, zyx, zxz ..."
        )
    q: Quaternion = NO_TURN
    for letter, slot in zip(word.lower(), ("first", "second", "third"), strict=True):
        turn = about(AXES[letter], scope.number(given[slot], "angle"))
        # Capitals turn about the moving axes, small letters about the fixed ones.
        q = multiply(q, turn) if word.isupper() else multiply(turn, q)
    return Turned(q)


def _quaternion(scope: Scope, item: t.Call) -> Value:
    given = bound(scope, item, FUNCTIONS["quaternion"])
    w, x, y, z = (scope.number(given[name], "number") for name in "wxyz")
    square = w * w + x * x + y * y + z * z
    if abs(square - 1.0) <= SAME:
        return Turned((w, x, y, z))
    if square == 0.0:
        raise scope.fail(item, "bad-rotation", "a quaternion of zeros is no rotation")
    return Turned(unit((w, x, y, z)))


def _written_out(scope: Scope, item: t.Call) -> Value:
    # Imported here: what it writes out is calls of the functions below.
    from articulata.world.language.elaboration.actuation import written_out

    return scope.evaluate(written_out(scope, item, "number"))


_CALLS: dict[str, Callable[[Scope, t.Call], Value]] = {
    "sin": _trigonometry(math.sin),
    "cos": _trigonometry(math.cos),
    "tan": _trigonometry(math.tan),
    "asin": _arc(math.asin),
    "acos": _arc(math.acos),
    "atan": _arc(math.atan),
    "atan2": _atan2,
    "sqrt": _sqrt,
    "abs": _abs,
    "min": _extreme(min),
    "max": _extreme(max),
    "clamp": _written_out,
    "ramp": _written_out,
    "servo": _written_out,
    "actuator": _written_out,
    "floor": _plain(math.floor),
    "exp": _plain(math.exp),
    "log": _plain(math.log),
    "norm": _norm,
    "dot": _dot,
    "cross": _cross,
    "material": _material,
    "rotation": _rotation,
    "euler": _euler,
    "quaternion": _quaternion,
}

__all__ = [
    "Word",
    "bound",
    "call",
    "color_of",
    "not_negative",
    "positive",
    "restitution_of",
]
