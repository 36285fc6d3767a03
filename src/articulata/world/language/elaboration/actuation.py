"""Actuators and bounds written out in plain arithmetic: clamp, ramp, servo and actuator.

A servo is a spring and a damper towards a target that may move with time; an actuator turns a
signal by its gain and loses by viscous damping (Example 3.3 of the 1986 report: w' = K1 u - K2 w).
Either may have a limit, its strength: there it saturates. About a hinge they give a moment that
drives it, between two features the tension that draws them together or apart.
"""

from __future__ import annotations

from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.functions import bound
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import FUNCTIONS

BOUNDS = ("clamp", "ramp")
DRIVES = ("servo", "actuator")
_COORDINATES = {"torque": ("angle", "rate"), "force": ("distance", "speed")}


def written_out(scope: Scope, item: t.Call, kind: str) -> t.Expression:
    """Return what one of these calls means in a program of ``kind``."""
    name = item.function.text
    given = bound(scope, item, FUNCTIONS[name])
    if name == "clamp":
        return _clamped(item, given["value"], given["low"], given["high"])
    if name == "ramp":
        return _ramp(item, given)
    if kind not in _COORDINATES:
        raise scope.fail(
            item,
            "wrong-kind",
            f"{name} stands where a force is due",
            f"write force name about hinge = {FUNCTIONS[name].example}",
        )
    place, speed = (_name(scope, item, each) for each in _COORDINATES[kind])
    if name == "servo":
        lack = _two(item, "-", given["target"], place)
        drive: t.Expression = _two(item, "*", given["stiffness"], lack)
    else:
        drive = _two(item, "*", given["gain"], given["signal"])
    turned = kind == "torque"
    if name == "servo" and not turned:
        drive = t.Unary("-", drive, item.span)
    if "damping" in given:
        lag: t.Expression = speed
        if "speed" in given:
            lag = _two(item, "-", speed, given["speed"])
        loss = _two(item, "*", given["damping"], lag)
        drive = _two(item, "-" if turned else "+", drive, loss)
    if "limit" not in given:
        return drive
    return _clamped(item, drive, t.Unary("-", given["limit"], item.span), given["limit"])


def _ramp(item: t.Call, given: dict[str, t.Expression]) -> t.Expression:
    """Return the polynomial of degree 5 from 0 to 1 whose slope and curvature vanish at the ends.

    The share of the way is held between 0 and 1: x^3 (10 - 15 x + 6 x^2).
    """
    way = _two(item, "-", given["value"], given["start"])
    whole = _two(item, "-", given["end"], given["start"])
    x = _clamped(item, _two(item, "/", way, whole), _number(item, 0.0), _number(item, 1.0))
    inner = _two(item, "-", _two(item, "*", _number(item, 6.0), x), _number(item, 15.0))
    outer = _two(item, "+", _number(item, 10.0), _two(item, "*", x, inner))
    return _two(item, "*", _two(item, "^", x, _number(item, 3.0)), outer)


def _clamped(
    item: t.Call, value: t.Expression, low: t.Expression, high: t.Expression
) -> t.Expression:
    return _call(item, "max", _call(item, "min", value, high), low)


def _name(scope: Scope, item: t.Call, name: str) -> t.Path:
    if name in scope.names or name in scope.outer:
        raise scope.fail(
            item,
            "ambiguous-name",
            f"{item.function.text} reads '{name}', which is a value of yours here",
            "give that value another name",
        )
    return t.Path((t.Part(name, None, item.span),), item.span)


def _number(item: t.Call, value: float) -> t.Number:
    return t.Number(value, "", item.span)


def _two(item: t.Call, operator: str, left: t.Expression, right: t.Expression) -> t.Binary:
    return t.Binary(operator, left, right, item.span)


def _call(item: t.Call, name: str, *values: t.Expression) -> t.Call:
    function = t.Path((t.Part(name, None, item.span),), item.span)
    arguments = tuple(t.Argument(None, value, item.span) for value in values)
    return t.Call(function, arguments, item.span)
