"""Numbers, names and operators in expressions: arithmetic with dimensions, vectors, conditions.

A bare number takes the unit of its file where it is added to a quantity or compared with one; in
a product it is a factor. Where an operand changes with time, so does the result: it is a term.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from articulata.world.language.diagnostics import Abandon
from articulata.world.language.elaboration.evaluate import (
    SI,
    Quantity,
    Scales,
    Scope,
    Term,
    Value,
    Word,
    changing,
    is_group,
    show,
)
from articulata.world.language.meant_words import did_you_mean
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.expressions import EQUALITIES, NEARNESS, NO_EQUALITY
from articulata.world.language.units import (
    NONE,
    Dimension,
    Unit,
    alike,
    describe,
    gives_up,
    multiply,
    raised,
    without_angle,
)
from articulata.world.language.units import parse_unit as _parse_unit

JOINED = ("and", "or")
COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@cache
def parse_unit(text: str) -> Unit:
    """Return the unit written as ``text``; each is read once."""
    return _parse_unit(text)


def number(scope: Scope, item: t.Number) -> Value:
    """Return the value of a number, bare or with its unit."""
    if not item.unit:
        return Quantity(item.value)
    try:
        unit = parse_unit(item.unit)
    except KeyError as error:
        raise scope.fail(item, "unknown-unit", f"the unit '{error.args[0]}' is not known") from None
    return Quantity(item.value * unit.factor, unit.dimension)


def named(scope: Scope, item: t.Path) -> Value:
    """Return the value of a name or of a dotted path."""
    first = item.parts[0]
    alone = len(item.parts) == 1 and first.index is None
    if alone:
        value = scope.name(first.name)
        if value is not None:
            return value
    if scope.look_up is not None:
        value = scope.look_up(item)
        if value is not None:
            return value
    if scope.measured is not None:
        return scope.measured(item)
    if alone:
        return Word(first.name)
    raise scope.fail(item, "unknown-name", f"'{item.text}' is no value", _meant(scope, first.name))


def _meant(scope: Scope, name: str) -> str:
    return did_you_mean(name, [*scope.names, *scope.outer, "pi"])


def text(scope: Scope, item: t.Text) -> Value:
    """Return the value of a quoted text: itself."""
    return item.value


def group(scope: Scope, item: t.Tuple) -> Value:
    """Return the values of a vector, a pair or another group."""
    return tuple(scope.evaluate(each) for each in item.items)


def quantity(scope: Scope, value: Value, item: Any) -> Quantity:
    """Return a value that must be a number."""
    if isinstance(value, Quantity) and not is_condition(value):
        return value
    raise _not_a_number(scope, value, item)


def _not_a_number(scope: Scope, value: Value, item: Any) -> Abandon:
    if isinstance(value, Word):
        return scope.fail(
            item, "unknown-name", f"'{value}' is not defined here", _meant(scope, value)
        )
    what = "a condition" if isinstance(value, Quantity) else show(value)
    return scope.fail(item, "wrong-kind", f"a number is due here, not {what}")


# ---- operators with one operand


def unary(scope: Scope, item: t.Unary) -> Value:
    """Return the value of ``-a``, ``+a`` or ``not a``."""
    value = scope.evaluate(item.operand)
    if item.operator == "-":
        return _signed(scope, value, -1.0, item)
    if item.operator == "not":
        holds = _condition(scope, value, item)
        return Quantity(1.0 - holds) if isinstance(holds, float) else changing(("not", holds))
    return _signed(scope, value, 1.0, item)


def _signed(scope: Scope, value: Value, sign: float, item: Any) -> Value:
    if is_group(value):
        return tuple(_signed(scope, each, sign, item) for each in value)
    known = quantity(scope, value, item)
    if known.term is not None:
        return known if sign > 0 else known._replace(term=("neg", known.term))
    # -0.0 would make two equal worlds differ in print
    return known._replace(value=known.value * sign + 0.0)


# ---- operators with two operands


def binary(scope: Scope, item: t.Binary) -> Value:
    """Return what an operator makes of two expressions."""
    left, right = scope.evaluate(item.left), scope.evaluate(item.right)
    return combined(scope, item.operator, left, right, item)


def combined(scope: Scope, operator: str, left: Value, right: Value, item: t.Binary) -> Value:
    """Return what an operator makes of two values."""
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        if operator not in JOINED:
            left, right = quantity(scope, left, item.left), quantity(scope, right, item.right)
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


def together(
    scope: Scope, operator: str, left: Quantity, right: Quantity, item: t.Binary
) -> tuple[Quantity, Quantity]:
    """Return both in one dimension, as they are added or compared; a bare one takes the other's."""
    one, other = left.dimension, right.dimension
    if one == other:
        if one is None and left.unit is not right.unit:
            unit = _sum_unit(scope, left, right)
            return left._replace(unit=unit), right._replace(unit=unit)
        return left, right
    if one is None:
        assert other is not None
        return scope.read(left, other, item.left), right
    if other is None:
        return left, scope.read(right, one, item.right)
    if alike(one, other):
        plain = without_angle(one) if 0 in (one[3], other[3]) else one
        return left._replace(dimension=plain), right._replace(dimension=plain)
    if not gives_up(one) and without_angle(one) == without_angle(other):
        if one[3] == 0:
            return scope.turned(left, other, item.left), right
        if other[3] == 0:
            return left, scope.turned(right, one, item.right)
    word = {"+": "added to", "-": "subtracted from"}.get(operator, "compared with")
    first, second = (other, one) if operator == "-" else (one, other)
    advice = f"write {describe(one)} behind '{operator}'" if word == "compared with" else ""
    raise scope.fail(
        item, "wrong-dimension", f"{describe(first)} cannot be {word} {describe(second)}", advice
    )


def _sum_unit(scope: Scope, left: Quantity, right: Quantity) -> Scales | None:
    """Return the units of a sum of bare numbers; zero is the same in all."""
    if left.value == 0.0 or right.value == 0.0:
        return right.unit if left.value == 0.0 else left.unit
    unit = (left.unit or scope.scales).added(right.unit or scope.scales)
    return None if unit is scope.scales else unit


def _add(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    a, b = together(scope, op, left, right, item)
    argument = max(a.argument, b.argument)
    unit = a.unit
    if a.dimension is not None and b.unit is not a.unit:
        # a sum is in radians where both its parts are; zero is so in any unit
        unit = b.unit if left.value == 0.0 else a.unit if right.value == 0.0 else None
    value = a.value + b.value if op == "+" else a.value - b.value
    return Quantity(value, a.dimension, unit, argument, _term(op, a, b))


def _term(op: str, *operands: Quantity) -> Term | None:
    if all(each.term is None for each in operands):
        return None
    return (op, *(each.operand for each in operands))


def _multiply(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    sign = 1
    if op == "/":
        sign = -1
        if right.value == 0.0:
            raise scope.fail(item.right, "division-by-zero", "this divisor is zero")
        value = left.value / right.value
    else:
        value = left.value * right.value
    term = _term(op, left, right)
    if left.dimension is None and right.dimension is None:
        unit, argument = _product(scope, op, left, right)
        return Quantity(value, None, unit, argument, term)
    for each in (left, right):
        if each.dimension is None:
            scope.noted(each, NONE)
    in_radians = (left.dimension is not None and left.unit is not None) or (
        op == "*" and right.dimension is not None and right.unit is not None
    )
    dimension = multiply(left.dimension or NONE, right.dimension or NONE, sign)
    return Quantity(value, dimension, SI if in_radians else None, -1, term)


def _product(scope: Scope, op: str, left: Quantity, right: Quantity) -> tuple[Scales | None, int]:
    """Return the units of a product of bare numbers, and whose argument it stands for.

    A number that came from another file keeps its unit; this file's numbers are its factors.
    What a number is divided by is a number.
    """
    if op == "/":
        scope.noted(right, NONE)
        return left.unit, left.argument
    argument = left.argument
    if right.argument >= 0:
        scope.noted(left, NONE)
        argument = right.argument
    if left.unit is None or right.unit is None:
        return left.unit or right.unit, argument
    return left.unit.added(right.unit), argument


def _power(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    if right.dimension not in (None, NONE):
        raise scope.fail(item.right, "wrong-dimension", "an exponent must be a plain number")
    scope.noted(right, NONE)
    dimension: Dimension | None = left.dimension
    exponent = right.value
    if dimension is not None and dimension != NONE:
        if right.term is not None:
            raise scope.fail(
                item.right,
                "wrong-dimension",
                f"{describe(dimension)} has no power that changes with time",
                "divide it by 1 of its unit",
            )
        dimension = raised(dimension, exponent)
        if dimension is None:
            raise scope.fail(
                item,
                "wrong-dimension",
                f"{describe(left.dimension or NONE)} has no power {exponent:g}",
            )
    value = math.nan
    if left.term is None and right.term is None:
        try:
            value = left.value**exponent
        except ZeroDivisionError:
            message = f"0 ^ {exponent:g} divides by zero"
            raise scope.fail(item, "division-by-zero", message) from None
        except OverflowError:
            message = "this power is too large to compute with"
            raise scope.fail(item, "too-large", message) from None
        if isinstance(value, complex):
            message = f"({left.value:g}) ^ {exponent:g} is no real number"
            raise scope.fail(item, "not-finite", message)
    return Quantity(value, dimension, left.unit, left.argument, _term(op, left, right))


# ---- conditions


def is_condition(value: Quantity) -> bool:
    """Return whether a value that changes is a comparison, or comparisons joined."""
    return isinstance(value.term, tuple) and value.term[0] in (*COMPARED, *JOINED, "not")


def _condition(scope: Scope, value: Value, item: Any) -> Term:
    """Return a condition: 1 or 0 where it is known, or a term."""
    if isinstance(value, Quantity):
        if is_condition(value):
            assert value.term is not None
            return value.term
        if value.term is None:
            return 1.0 if value.value != 0.0 else 0.0
        what = "a quantity"
    else:
        what = show(value)
    raise scope.fail(
        item, "wrong-kind", f"a condition is due here, not {what}", "compare it: a > 1 m"
    )


def _no_equality(
    scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary
) -> Quantity:
    raise scope.fail(item, "wrong-kind", NO_EQUALITY.format(op), NEARNESS)


def _compare(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    a, b = together(scope, op, left, right, item)
    term = _term(op, a, b)
    if term is not None:
        return changing(term)
    return Quantity(1.0 if COMPARED[op](a.value, b.value) else 0.0)


def _logic(scope: Scope, op: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    a, b = _condition(scope, left, item.left), _condition(scope, right, item.right)
    if isinstance(a, float) and isinstance(b, float):
        return Quantity(min(a, b) if op == "and" else max(a, b))
    whole = 0.0 if op == "and" else 1.0
    for one, other in ((a, b), (b, a)):
        if isinstance(one, float):
            return Quantity(whole) if one == whole else changing(other)
    return changing((op, a, b))


_OPERATORS: dict[str, Callable[[Scope, str, Quantity, Quantity, t.Binary], Quantity]] = {
    "+": _add,
    "-": _add,
    "*": _multiply,
    "/": _multiply,
    "^": _power,
    **dict.fromkeys(JOINED, _logic),
    **dict.fromkeys(COMPARED, _compare),
    **dict.fromkeys(EQUALITIES, _no_equality),
}
