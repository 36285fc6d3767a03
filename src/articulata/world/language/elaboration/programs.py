"""Expressions of ``distance``, ``speed`` and ``time`` to postfix programs.

What does not depend on them is computed at once. Dimensions are followed as far as they are
known: a bare factor leaves them open, which is accepted where the file's units are SI.
"""

from __future__ import annotations

from articulata.world.language.diagnostics import listed
from articulata.world.language.elaboration.actuation import BOUNDS, DRIVES, written_out
from articulata.world.language.elaboration.evaluate import Scope, show
from articulata.world.language.elaboration.quantities import SI, Quantity
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import NONE, Dimension, describe, multiply
from articulata.world.model import Program

VARIABLES: dict[str, Dimension] = {
    "distance": (1, 0, 0),
    "speed": (1, 0, -1),
    "time": (0, 0, 1),
    "angle": NONE,
    "rate": (0, 0, -1),
}
"""What forces and material pairs may depend on; angle and rate only about a hinge."""

BETWEEN = ("distance", "speed", "time")
ABOUT = ("angle", "rate", "time")
ALONE = ("speed",)
_KNOWN = {"force": BETWEEN, "torque": ABOUT, "number": ALONE}
_WHOSE = {
    "force": "a force between two features",
    "torque": "a force about a hinge",
    "number": "a contact",
}
_WANTED: dict[str, Dimension] = {"force": (1, 1, -2), "torque": (2, 1, -2), "number": NONE}
_FORMS = {
    "force": "100 N/m * (distance - 1 m)",
    "torque": "-20 N*m/rad * (angle - 30 deg) - 2 N*m*s/rad * rate",
    "number": "0.3 + 0.1 s/m * speed",
}
_TWO = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}
_FUNCTIONS = {
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "sqrt": 1, "exp": 1, "log": 1,
    "abs": 1, "floor": 1, "min": 2, "max": 2, "atan2": 2,
}  # fmt: skip

_Open = tuple[list[tuple[str, float]], Dimension | None]


def program_of(scope: Scope, item: t.Expression, kind: str = "force") -> Program:
    """Return the program of a tension ("force"), a moment ("torque") or a pair's law ("number")."""
    steps, dimension = _compile(scope, item, kind)
    if len(steps) == 1 and steps[0][0] == "push":
        return (("push", scope.number(item, kind)),)
    wanted = _WANTED[kind]
    if dimension is None and scope.scales is not SI:
        raise scope.fail(
            item,
            "wrong-dimension",
            f"a bare factor leaves open in which units this {_called(kind)} is",
            f"give each factor its unit: {_FORMS[kind]}",
        )
    if dimension is not None and dimension != wanted:
        raise scope.fail(
            item,
            "wrong-dimension",
            f"a {'plain number' if kind == 'number' else kind} is due here, "
            f"not {describe(dimension)}",
            f"give each factor its unit: {_FORMS[kind]}",
        )
    return tuple(steps)


def _called(kind: str) -> str:
    return "number" if kind == "number" else "force"


def varies(item: t.Expression, scope: Scope) -> bool:
    """Return whether an expression holds a variable of forces that no name in scope hides."""
    return any(
        (isinstance(each, t.Call) and each.function.text in DRIVES)
        or (
            isinstance(each, t.Path)
            and each.simple in VARIABLES
            and each.simple not in scope.names
            and each.simple not in scope.outer
        )
        for each in t.walk(item)
    )


def _compile(scope: Scope, item: t.Expression, kind: str) -> _Open:
    if isinstance(item, t.Call) and item.function.text in (*BOUNDS, *DRIVES):
        return _compile(scope, written_out(scope, item, kind), kind)
    if not varies(item, scope):
        value = scope.evaluate(item)
        if not isinstance(value, Quantity):
            raise scope.fail(item, "wrong-kind", f"a number is due here, not {show(value)}")
        return [("push", value.value)], value.dimension
    if isinstance(item, t.Path):
        name = item.simple
        known = _KNOWN[kind]
        if name not in known:
            raise scope.fail(
                item,
                "unknown-name",
                f"{_WHOSE[kind]} does not know '{name}'",
                f"it may use {listed(known)}",
            )
        return [(name, 0.0)], VARIABLES[name]
    if isinstance(item, t.Unary) and item.operator in "+-":
        steps, dimension = _compile(scope, item.operand, kind)
        return (steps, dimension) if item.operator == "+" else ([*steps, ("neg", 0.0)], dimension)
    if isinstance(item, t.Binary) and item.operator in _TWO:
        return _two(scope, item, kind)
    if isinstance(item, t.Call) and item.function.text in _FUNCTIONS:
        return _function(scope, item, kind)
    raise scope.fail(
        item,
        "wrong-kind",
        f"this cannot stand in {_WHOSE[kind]}",
        "use + - * / ^ and functions",
    )


def _two(scope: Scope, item: t.Binary, kind: str) -> _Open:
    left, one = _compile(scope, item.left, kind)
    right, other = _compile(scope, item.right, kind)
    operator = item.operator
    step = (_TWO[operator], 0.0)
    if operator in "+-":
        if one is not None and other is not None and one != other:
            raise scope.fail(
                item,
                "wrong-dimension",
                f"{describe(one)} and {describe(other)} cannot be added or subtracted",
            )
        if kind != "number":
            left = _in_units(scope, left, one, other)
            right = _in_units(scope, right, other, one)
        return [*left, *right, step], one if one is not None else other
    if operator == "^":
        power = right[0][1] if len(right) == 1 and right[0][0] == "push" else None
        dimension: Dimension | None = None
        if one is not None and power is not None and power == round(power) and abs(power) < 10:
            n = int(power)
            dimension = (one[0] * n, one[1] * n, one[2] * n)
        return [*left, *right, step], dimension
    dimension = None
    if one is not None and other is not None:
        dimension = multiply(one, other, -1 if operator == "/" else 1)
    return [*left, *right, step], dimension


def _in_units(
    scope: Scope,
    steps: list[tuple[str, float]],
    mine: Dimension | None,
    other: Dimension | None,
) -> list[tuple[str, float]]:
    """Read a bare constant in the file's units when what it is added to has a dimension."""
    if mine is None and other is not None and len(steps) == 1 and steps[0][0] == "push":
        return [("push", steps[0][1] * scope.scales.of(other, 1 if other == NONE else 0))]
    return steps


def _function(scope: Scope, item: t.Call, kind: str) -> _Open:
    name = item.function.text
    count = _FUNCTIONS[name]
    if len(item.arguments) != count:
        raise scope.fail(item, "wrong-count", f"here {name} takes {count} values")
    parts = [_compile(scope, argument.value, kind) for argument in item.arguments]
    steps = [step for part, _ in parts for step in part]
    kept: Dimension | None = NONE
    if name in ("abs", "min", "max", "sqrt"):
        kept = None if name == "sqrt" else parts[0][1]
    return [*steps, (name, 0.0)], kept
