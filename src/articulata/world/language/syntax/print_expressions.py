"""Printing expressions: the canonical text of a value, with no more parentheses than it needs."""

from __future__ import annotations

import math

from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.expressions import BINDING, NOT_BINDING, SIGN_BINDING

_TIGHTEST = 99
_LARGEST_WHOLE = 1e15


def number(value: float) -> str:
    """Return the shortest text that reads back as ``value``; whole numbers without a point."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written in a text")
    if value == math.floor(value) and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    return repr(float(value))


def expression(value: t.Expression) -> str:
    """Return the text of an expression."""
    match value:
        case t.Number():
            shown = number(value.value)
            return f"{shown} {value.unit}" if value.unit else shown
        case t.Path():
            return path(value)
        case t.Text():
            return f'"{value.value}"'
        case t.Call():
            return f"{path(value.function)}{arguments(value.arguments)}"
        case t.Tuple():
            return f"({', '.join(map(expression, value.items))})"
        case t.Unary():
            return _unary(value)
        case t.Binary():
            return _binary(value)
        case t.Placed():
            at = f" at {expression(value.at)}" if value.at is not None else ""
            return f"{expression(value.value)}{at}{turns(value.turns)}"


def _binding(value: t.Expression) -> int:
    if isinstance(value, t.Binary):
        return BINDING[value.operator]
    if isinstance(value, t.Unary):
        return NOT_BINDING if value.operator == "not" else SIGN_BINDING
    return _TIGHTEST


def _unary(value: t.Unary) -> str:
    shown = expression(value.operand)
    # two signs in a row would begin a comment
    if isinstance(value.operand, t.Unary) or _binding(value.operand) <= _binding(value):
        shown = f"({shown})"
    return f"not {shown}" if value.operator == "not" else f"{value.operator}{shown}"


def _binary(value: t.Binary) -> str:
    own = BINDING[value.operator]
    left, right = expression(value.left), expression(value.right)
    to_the_right = value.operator == "^"
    if _binding(value.left) < own or (to_the_right and _binding(value.left) == own):
        left = f"({left})"
    tight = _binding(value.right)
    signed = isinstance(value.right, t.Unary) and value.right.operator != "not"
    if (tight < own and not signed) or (tight == own and not to_the_right):
        right = f"({right})"
    if value.operator == "^":
        # 2 m^2 are two square metres, (2 m)^2 four
        if isinstance(value.left, t.Number) and value.left.unit:
            left = f"({left})"
        return f"{left}^{right}"
    return f"{left} {value.operator} {right}"


def path(value: t.Path) -> str:
    """Return the text of a path with its indices."""
    return ".".join(map(_part, value.parts))


def _part(value: t.Part) -> str:
    if value.index is None:
        return value.name if value.name.isidentifier() else f'"{value.name}"'
    if isinstance(value.index, t.Range):
        return f"{value.name}[{range_(value.index)}]"
    return f"{value.name}[{expression(value.index)}]"


def range_(value: t.Range) -> str:
    """Return ``first..last``."""
    return f"{expression(value.first)}..{expression(value.last)}"


def arguments(values: tuple[t.Argument, ...]) -> str:
    """Return arguments in parentheses."""
    shown = (
        f"{each.name}: {expression(each.value)}" if each.name else expression(each.value)
        for each in values
    )
    return f"({', '.join(shown)})"


def turns(values: tuple[t.Turn, ...]) -> str:
    """Return ``turned angle about axis`` for each turn, with a blank before it."""
    return "".join(
        f" turned {expression(each.angle)}"
        + (f" about {expression(each.axis)}" if each.axis is not None else "")
        for each in values
    )


def item(value: t.Item) -> str:
    """Return the values and words of a request's item."""
    return " ".join(map(expression, value.parts))
