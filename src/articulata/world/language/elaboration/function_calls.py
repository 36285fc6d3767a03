"""Calls in expressions: functions, materials and rotations."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from articulata.world.language.elaboration.actuation import (
    actuator,
    bound,
    clamp,
    extreme,
    ramp,
    servo,
)
from articulata.world.language.elaboration.arithmetic import combined, quantity, together
from articulata.world.language.elaboration.evaluate import (
    DEGREES,
    SAME,
    Quantity,
    Scope,
    Term,
    Turned,
    Value,
    changing,
    is_group,
)
from articulata.world.language.elaboration.splines import spline_pieces
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import ANGLE, NONE, describe, raised, symbol
from articulata.world.language.vocabulary import EULER_ORDERS, FUNCTIONS
from articulata.world.single_frames import about, multiply, unit
from articulata.world.values import NO_TURN, Material, Quaternion, Vector3

AXES: dict[str, Vector3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def call(scope: Scope, item: t.Call) -> Value:
    """Return the value of a call."""
    name = item.function.text
    made = _CALLS.get(name)
    if made is None:
        raise scope.fail(item.function, "unknown-function", f"there is no function '{name}'")
    try:
        return made(scope, item)
    except (ValueError, OverflowError):
        raise scope.fail(item, "not-finite", f"'{name}' has no value here") from None


def _values(scope: Scope, item: t.Call, fewest: int, most: int) -> list[Value]:
    count = len(item.arguments)
    if not fewest <= count <= most:
        raise scope.fail(
            item, "wrong-count", f"{item.function.text} takes {fewest} values, not {count}"
        )
    return [scope.evaluate(argument.value) for argument in item.arguments]


def _one(name: str, kind: str, function: Callable[[float], float]) -> Callable[..., Value]:
    """Return what calls a function of a quantity of ``kind`` that gives a bare number."""

    def made(scope: Scope, item: t.Call) -> Value:
        (value,) = _values(scope, item, 1, 1)
        at = item.arguments[0].value
        known = scope.to_quantity(quantity(scope, value, at), kind, at)
        bare = kind == "angle" and isinstance(at, t.Number) and not at.unit
        if bare and 7.0 <= known.value < DEGREES and known.value % 1.0 == 0.0:
            told = f"{known.value:g} is in radians here, more than a turn"
            scope.warn(at, "out-of-scale", told, f"write {known.value:g} deg")
        if known.term is not None:
            return changing((name, known.term))
        return Quantity(float(function(known.value)))

    return made


def _arc(name: str, function: Callable[[float], float]) -> Callable[..., Value]:
    plain = _one(name, "number", function)

    def made(scope: Scope, item: t.Call) -> Value:
        found: Quantity = plain(scope, item)
        return found._replace(dimension=ANGLE)

    return made


def _sqrt(scope: Scope, item: t.Call) -> Value:
    (value,) = _values(scope, item, 1, 1)
    return _root(scope, quantity(scope, value, item.arguments[0].value), item)


def _root(scope: Scope, square: Quantity, item: t.Call) -> Quantity:
    dimension = square.dimension
    if dimension is not None:
        dimension = raised(dimension, 0.5)
        if dimension is None:
            what = describe(square.dimension or NONE)
            raise scope.fail(item, "wrong-dimension", f"{what} has no square root")
    if square.term is not None:
        return square._replace(dimension=dimension, term=("sqrt", square.term))
    if square.value < 0:
        raise scope.fail(
            item, "not-finite", f"the square root of {square.value:g} is no real number"
        )
    return square._replace(value=math.sqrt(square.value), dimension=dimension)


def _abs(scope: Scope, item: t.Call) -> Value:
    (value,) = _values(scope, item, 1, 1)
    known = quantity(scope, value, item.arguments[0].value)
    if known.term is not None:
        return known._replace(term=("abs", known.term))
    return known._replace(value=abs(known.value))


def _extreme(name: str) -> Callable[[Scope, t.Call], Value]:
    def made(scope: Scope, item: t.Call) -> Value:
        values = _values(scope, item, 1, 1000)
        best = quantity(scope, values[0], item.arguments[0].value)
        for value, argument in zip(values[1:], item.arguments[1:], strict=True):
            other = quantity(scope, value, argument.value)
            best = extreme(scope, name, best, other, _as_binary(item))
        return best

    return made


def _as_binary(item: t.Call) -> t.Binary:
    first = item.arguments[0].value
    return t.Binary("-", first, item.arguments[-1].value, span=item.span)


def _atan2(scope: Scope, item: t.Call) -> Value:
    y, x = (quantity(scope, each, item) for each in _values(scope, item, 2, 2))
    y, x = together(scope, "<", y, x, _as_binary(item))
    if y.term is not None or x.term is not None:
        return changing(("atan2", y.operand, x.operand), ANGLE)
    return Quantity(math.atan2(y.value, x.value), ANGLE)


def _components(scope: Scope, value: Value, item: Any) -> list[Quantity]:
    if is_group(value):
        return [quantity(scope, each, item) for each in value]
    raise scope.unlike(item, "a vector (x, y, z) is", value)


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
    # bare components of a vector with a dimension are read as that
    known = next((each for each in parts if each.dimension is not None), None)
    if known is not None:
        parts = [together(scope, "+", each, known, _as_binary(item))[0] for each in parts]
    return _root(scope, _dot_of(scope, parts, parts, item), item)


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


# ---- functions of parameters


def _given(scope: Scope, item: t.Call) -> Value:
    (argument,) = item.arguments
    name = argument.value.simple if isinstance(argument.value, t.Path) else ""
    if scope.asked is None or name not in scope.names:
        raise scope.fail(
            argument.value, "unknown-name", f"'{name}' is no parameter before this one",
            "write given(NAME) in a parameter's default, of a parameter before it",
        )  # fmt: skip
    return Quantity(float(name in scope.given))


def _holds(scope: Scope, item: t.Expression) -> bool:
    """Return whether a condition that is known before the start holds."""
    value = scope.evaluate(item)
    if not isinstance(value, Quantity) or value.term is not None:
        raise scope.unlike(item, "a condition that is known before the start is", value)
    return value.value != 0.0


def _choose(scope: Scope, item: t.Call) -> Value:
    if len(item.arguments) != 3:
        raise scope.fail(item, "wrong-count", "choose takes a condition and two values")
    condition, yes, no = (each.value for each in item.arguments)
    return scope.evaluate(yes if _holds(scope, condition) else no)


def _interpolate(scope: Scope, item: t.Call) -> Value:
    x, *points = _values(scope, item, 2, 1000)
    at = scope.to_kind(x, "number", item.arguments[0].value)
    known = _points(scope, item, points, lambda x, of: scope.to_kind(x, "number", of))
    after = next((k for k, (place, _) in enumerate(known) if place >= at), len(known) - 1)
    (x0, y0), (x1, y1) = known[max(after - 1, 0)], known[after]
    share = 1.0 if after == 0 else min((at - x0) / (x1 - x0), 1.0)
    y0, y1 = together(scope, "+", y0, y1, _as_binary(item))
    return y1._replace(value=y0.value + share * (y1.value - y0.value))


def _points(
    scope: Scope, item: t.Call, points: list[Value], of: Callable[[Value, t.Expression], float]
) -> list[tuple[float, Quantity]]:
    """Return points (x, y) of a table; ``of`` reads x."""
    known: list[tuple[float, Quantity]] = []
    for k, (point, argument) in enumerate(zip(points, item.arguments[1:], strict=True)):
        if not is_group(point, 2) or not isinstance(point, tuple):
            spans = (each.value.span for each in item.arguments[k + 1 : k + 3])
            shown = ", ".join(scope.source.text[slice(*span)] for span in spans)
            rows = [e.value.items for e in item.arguments[1:] if isinstance(e.value, t.Tuple)]
            if len(rows) == len(points) == 2:  # a list of x and a list of y
                pairs = zip(*rows, strict=False)
                said = (", ".join(scope.source.text[slice(*e.span)] for e in two) for two in pairs)
                shown = "), (".join(said)
            raise scope.unlike(argument.value, "a point (x, y) is", point, f"write ({shown})")
        place = of(point[0], argument.value)
        if known and place <= known[-1][0]:
            raise scope.fail(
                argument.value, "out-of-range", f"{place:g} comes after {known[-1][0]:g}",
                "write the points from the least x to the greatest",
            )  # fmt: skip
        known.append((place, quantity(scope, point[1], argument.value)))
    return known


def _spline(scope: Scope, item: t.Call) -> Value:
    """Return the cubic spline through points.

    Over a whole turn from a value to the same value it is periodic; else it starts and ends level
    and stays so beyond. It is a sum of polynomials, each of the way that x has gone in its part.
    """
    given = scope.source.text[item.arguments[0].span[0] : item.arguments[-1].span[1]]
    if isinstance(item.arguments[0].value, t.Tuple):
        told = "a spline begins with the value that it depends on, then come its points"
        own = next((each for each in ("angle", "distance") if each in scope.names), "time")
        raise scope.fail(item, "wrong-count", told, f"write spline({own}, {given})")
    x, *points = _values(scope, item, 4, 400)
    asked = quantity(scope, x, item.arguments[0].value)
    due = asked.dimension or NONE
    known = _points(
        scope, item, points,
        lambda x, of: float(scope.to_dimension(quantity(scope, x, of), due, of).value),
    )  # fmt: skip
    first = known[0][1]
    y = [first.value]
    for _, value in known[1:]:
        first, other = together(scope, "+", first, value, _as_binary(item))
        y.append(other.value)
    y[0] = first.value
    places = [place for place, _ in known]
    span = places[-1] - places[0]
    turns = due == ANGLE and abs(span - 2.0 * math.pi) < 1e-9 and abs(y[-1] - y[0]) < 1e-12
    at: Term = asked.operand
    if turns:
        share: Term = ("/", ("-", at, places[0]), span)
        at = ("-", at, ("*", span, ("floor", share)))
    total: Term = y[0]
    for k, (one, two, three) in enumerate(spline_pieces(places, y, periodic=turns)):
        gone: Term = ("min", ("max", ("-", at, places[k]), 0.0), places[k + 1] - places[k])
        cubic: Term = ("+", two, ("*", gone, three))
        total = ("+", total, ("*", gone, ("+", one, ("*", gone, cubic))))
    if asked.term is None:
        return first._replace(value=_known(total))
    return first._replace(value=math.nan, term=total)


def _known(term: Term) -> float:
    """Return the value of a term of numbers alone."""
    if not isinstance(term, tuple):
        assert isinstance(term, float)
        return term
    name, *operands = term
    return float(_ARITHMETIC[str(name)](*map(_known, operands)))


_ARITHMETIC: dict[str, Callable[..., float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "min": min,
    "max": max,
    "floor": math.floor,
}


def _bushing(scope: Scope, item: t.Call) -> Value:
    told = "a bushing stands alone as the value of a force between two features"
    raise scope.fail(item, "wrong-kind", told, "write force f between a and b = bushing(...)")


def _expect(scope: Scope, item: t.Call) -> Value:
    if len(item.arguments) < 3 or not isinstance(item.arguments[2].value, t.Text):
        raise scope.fail(
            item, "wrong-count", "expect takes a value, a condition and a message in quotes"
        )
    value, condition, told, *shown = (each.value for each in item.arguments)
    if _holds(scope, condition):
        return scope.evaluate(value)
    words = told.value if isinstance(told, t.Text) else ""
    for each in shown:
        number = quantity(scope, scope.evaluate(each), each)
        unit = symbol(number.dimension or NONE)
        words = words.replace("{}", f"{number.value:.4g} {unit}".rstrip(), 1)
    message, _, advice = words.rpartition("; ")
    asking, place = scope.asked or (scope, item)
    raise asking.fail(place, "contradiction", message or advice, advice if message else "")


# ---- materials and rotations


def color_of(scope: Scope, item: t.Expression) -> str | tuple[float, ...]:
    """Return a colour: its name, or three numbers from 0 to 1."""
    value = scope.evaluate(item)
    if isinstance(value, str):
        return str(value)
    if is_group(value, 3, 4):
        numbers = tuple(scope.to_kind(each, "number", item) for each in value)
        if all(0.0 <= number <= 1.0 for number in numbers):
            return numbers
        parts = ", ".join(f"{min(1.0, max(0.0, number / 255)):.3g}" for number in numbers)
        raise scope.fail(
            item, "out-of-range", "the parts of a colour lie between 0 and 1",
            f"write ({parts})" if max(numbers) > 1.0 else "write values from 0 to 1",
        )  # fmt: skip
    raise scope.unlike(item, "a colour is", value, "write red, blue ...")


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
            "write a value from 0 to 1",
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
    if abs(square - 1.0) <= 10.0 * SAME:  # a product of turns is off by some roundings
        return Turned((w, x, y, z))
    if square == 0.0:
        raise scope.fail(item, "bad-rotation", "a quaternion of zeros is no rotation")
    return Turned(unit((w, x, y, z)))


_CALLS: dict[str, Callable[[Scope, t.Call], Value]] = {
    "sin": _one("sin", "angle", math.sin),
    "cos": _one("cos", "angle", math.cos),
    "tan": _one("tan", "angle", math.tan),
    "asin": _arc("asin", math.asin),
    "acos": _arc("acos", math.acos),
    "atan": _arc("atan", math.atan),
    "atan2": _atan2,
    "sqrt": _sqrt,
    "abs": _abs,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "clamp": clamp,
    "ramp": ramp,
    "servo": servo,
    "actuator": actuator,
    "floor": _one("floor", "number", math.floor),
    "exp": _one("exp", "number", math.exp),
    "log": _one("log", "number", math.log),
    "given": _given,
    "choose": _choose,
    "interpolate": _interpolate,
    "spline": _spline,
    "expect": _expect,
    "bushing": _bushing,
    "norm": _norm,
    "dot": _dot,
    "cross": _cross,
    "material": _material,
    "rotation": _rotation,
    "euler": _euler,
    "quaternion": _quaternion,
}
