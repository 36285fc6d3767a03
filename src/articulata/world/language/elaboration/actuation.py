"""Actuators and bounds in plain arithmetic: clamp, ramp, servo and actuator.

A servo is a spring and a damper towards a target that may move with time; an actuator turns a
signal by its gain and loses by viscous damping (Example 3.3 of the 1986 report: w' = K1 u - K2 w).
Either may have a limit, its strength: there it saturates. About a hinge they give a moment that
drives it, between two features the tension that draws them together or apart.
"""

from __future__ import annotations

import math

from articulata.world.language.elaboration.arithmetic import combined, quantity, together
from articulata.world.language.elaboration.evaluate import Quantity, Scope, Value, is_group
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import NONE, QUANTITIES, multiply, typical_unit
from articulata.world.language.vocabulary import FUNCTIONS, Signature
from articulata.world.model import Program

_COORDINATES = {"torque": ("angle", "rate"), "force": ("distance", "speed")}
_STIFFNESS = {"torque": ("torque", "angular_impulse"), "force": ("stiffness", "damping")}
"""What a bare stiffness or damping is: about a hinge a moment for each radian, or rad/s."""


_BUSHING = {"along": "stiffness", "about": "torque",
            "damping": "damping", "twist_damping": "angular_impulse"}  # fmt: skip


def bushing_program(scope: Scope, item: t.Call) -> Program:
    """Return the twelve numbers of a bushing: stiffness and damping along and about three axes.

    One number stands for all three; about an axis it is a moment, with or without a radian.
    """
    given, numbers = bound(scope, item, FUNCTIONS["bushing"]), []
    for name, kind in _BUSHING.items():
        value: Value = Quantity(0.0) if name not in given else scope.evaluate(given[name])
        each = value if is_group(value, 3) and isinstance(value, tuple) else (value,) * 3
        for one in each:
            known, due = quantity(scope, one, given.get(name, item)), QUANTITIES[kind]
            per_turn = multiply(due, QUANTITIES["angle"], -1)
            if name in ("about", "twist_damping") and known.dimension == per_turn:
                due = per_turn
            number = float(scope.to_dimension(known, due, given.get(name, item)).value)
            if known.term is not None or not number >= 0.0:
                told = f"{name} of a bushing takes three numbers that are not negative"
                raise scope.fail(given[name], "not-positive", told, "or one number for all three")
            numbers.append(("push", number))
    return tuple(numbers)


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


class _Call:
    """The arguments of one call, computed with as they are needed."""

    def __init__(self, scope: Scope, item: t.Call) -> None:
        self.scope = scope
        self.item = item
        self.given = bound(scope, item, FUNCTIONS[item.function.text])

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def value(self, name: str) -> Quantity:
        """Return the value of an argument."""
        at = self.given[name]
        return quantity(self.scope, self.scope.evaluate(at), at)

    def two(self, operator: str, left: Quantity, right: Quantity, name: str) -> Quantity:
        """Return what an operator makes of two values; ``name`` is the argument to blame."""
        at = self.given[name]
        binary = t.Binary(operator, at, at, span=self.item.span)
        made: Quantity = combined(self.scope, operator, left, right, binary)
        return made

    def held(self, value: Quantity, low: Quantity, high: Quantity, name: str) -> Quantity:
        """Return a value held between two bounds."""
        at = self.given[name]
        binary = t.Binary("<", at, at, span=self.item.span)
        least = extreme(self.scope, "min", value, high, binary)
        return extreme(self.scope, "max", least, low, binary)


def extreme(scope: Scope, name: str, left: Quantity, right: Quantity, item: t.Binary) -> Quantity:
    """Return the smaller ("min") or larger ("max") of two values of one dimension."""
    one, other = together(scope, "<", left, right, item)
    unit = one.unit if one.unit is other.unit else None
    argument = max(one.argument, other.argument)
    if one.term is not None or other.term is not None:
        same = isinstance(one.term, tuple) and one.term[0] == name
        before = one.term[1:] if same and isinstance(one.term, tuple) else (one.operand,)
        return Quantity(math.nan, one.dimension, unit, argument, (name, *before, other.operand))
    first = one.value <= other.value if name == "min" else one.value >= other.value
    return Quantity((one if first else other).value, one.dimension, unit, argument)


def clamp(scope: Scope, item: t.Call) -> Value:
    """Return a value held between a low and a high bound."""
    call = _Call(scope, item)
    return call.held(call.value("value"), call.value("low"), call.value("high"), "value")


def ramp(scope: Scope, item: t.Call) -> Value:
    """Return the polynomial of degree 5 from 0 to 1 whose slope and curvature vanish at the ends.

    The share of the way is held between 0 and 1: x^3 (10 - 15 x + 6 x^2).
    """
    call = _Call(scope, item)
    start = call.value("start")
    way = call.two("-", call.value("value"), start, "value")
    whole = call.two("-", call.value("end"), start, "end")
    share = call.two("/", way, whole, "end")
    if share.dimension not in (None, NONE):
        scope.to_quantity(share, "number", item)
    x = call.held(share._replace(dimension=None, unit=None), _bare(0.0), _bare(1.0), "value")

    def two(operator: str, left: Quantity, right: Quantity) -> Quantity:
        return call.two(operator, left, right, "value")

    inner = two("-", two("*", _bare(6.0), x), _bare(15.0))
    outer = two("+", _bare(10.0), two("*", x, inner))
    # What a ramp multiplies keeps its own unit, so 60 * ramp(...) may be an angle.
    return two("*", two("^", x, _bare(3.0)), outer)


def servo(scope: Scope, item: t.Call) -> Value:
    """Return a spring and a damper towards a target with what is fed forward, up to a limit."""
    call, place, speed = _drive(scope, item)
    turned = scope.law == "torque"
    lack = call.two("-", call.value("target"), place, "target")
    drive = call.two("*", _coefficient(call, "stiffness", 0), lack, "stiffness")
    if not turned:
        # what it drives changes with time, so this is a term
        drive = drive._replace(term=("neg", drive.operand))
    drive = _damped(call, drive, speed)
    if "feed" in call:  # the way in which it drives: a tension draws together
        feed = scope.to_quantity(call.value("feed"), scope.law, call.given["feed"])
        drive = call.two("+" if turned else "-", drive, feed, "feed")
    if "integral" in call:
        known = scope.name("integral")
        if not isinstance(known, Quantity) or known.term != "integral":
            raise scope.fail(
                call.given["integral"], "wrong-kind", "integral action stands in a servo alone",
                "write force hold about hinge = servo(30 deg, 200 N*m, integral: 50 N*m/s)",
            )  # fmt: skip
        drive = call.two("+", drive, known, "integral")
    return _limited(call, drive)


def integral_action(scope: Scope, item: t.Call) -> tuple[Quantity, float]:
    """Return the rate of a servo's integral below its limit (N m/s, N/s), and how fast it follows.

    At the limit what the servo gives less than it asks for is fed back: divided by the time T it
    is added to the rate, so that the integral stops growing (back-calculation: K. J. Astrom and
    T. Hagglund, *PID Controllers*, 2nd ed. 1995, section 3.5). Of a servo with damping T is the
    geometric mean of the times of its integral and derivative action, as they propose; else that
    of its integral action. Returned is 1/T in 1/s.
    """
    call, place, _ = _drive(scope, item)
    at, known = call.given["integral"], call.value("integral")
    lack = call.two("-", call.value("target"), place, "target")
    due = multiply(QUANTITIES[scope.law], QUANTITIES["time"], -1)
    rate = scope.to_dimension(call.two("*", known, lack, "integral"), due, at)
    damping = _coefficient(call, "damping", 1) if "damping" in call else _bare(0.0)
    stiffness = _coefficient(call, "stiffness", 0)
    fixed = all(each.term is None for each in (known, damping, stiffness))
    if not fixed or not known.value > 0.0 or not max(damping.value, stiffness.value) > 0.0:
        raise scope.fail(
            at, "not-positive",
            "integral, stiffness and damping of a servo with an integral are numbers above 0",
            "give integral: 50 N*m/s, and a stiffness or a damping",
        )  # fmt: skip
    time = math.sqrt(damping.value / known.value) or stiffness.value / known.value
    if scope.law == "force":
        rate = rate._replace(term=("neg", rate.operand))
    return rate, 1.0 / time


def actuator(scope: Scope, item: t.Call) -> Value:
    """Return a gain times a signal less a loss by damping, up to a limit."""
    call, _, speed = _drive(scope, item)
    gain, signal = call.value("gain"), call.value("signal")
    if gain.dimension is None and signal.dimension in (None, NONE):
        gain = scope.to_quantity(gain, scope.law, call.given["gain"])
    return _limited(call, _damped(call, call.two("*", gain, signal, "gain"), speed))


def _drive(scope: Scope, item: t.Call) -> tuple[_Call, Quantity, Quantity]:
    """Return a call that drives, and the coordinate and speed of what it drives."""
    name = item.function.text
    call = _Call(scope, item)
    if scope.law not in _COORDINATES:
        raise scope.fail(
            item,
            "wrong-kind",
            f"{name} stands where a force is due",
            f"write force name about hinge = {FUNCTIONS[name].example}",
        )
    found: list[Quantity] = []
    for each in _COORDINATES[scope.law]:
        value = scope.name(each)
        if not isinstance(value, Quantity) or value.term != each:
            raise scope.fail(
                item,
                "ambiguous-name",
                f"{name} reads '{each}', which is a value of yours here",
                "give that value another name",
            )
        found.append(value)
    return call, found[0], found[1]


def _coefficient(call: _Call, name: str, order: int) -> Quantity:
    """Return a stiffness or a damping; a bare one in the units of its file."""
    scope = call.scope
    value = call.value(name)
    if value.dimension is not None:
        return value
    kind = _STIFFNESS[scope.law][order]
    units = value.unit or scope.scales
    if scope.law == "torque" and units.angle != 1.0 and value.value != 0.0:
        unit = typical_unit(kind)
        raise scope.fail(
            call.given[name],
            "ambiguous-unit",
            f"this {name} could be meant for each radian or for each degree",
            f"write it in {unit}/rad or in {unit}/deg",
        )
    return scope.to_quantity(value, kind, call.given[name])


def _damped(call: _Call, drive: Quantity, speed: Quantity) -> Quantity:
    if "damping" not in call:
        return drive
    lag = speed
    if "speed" in call:
        lag = call.two("-", speed, call.value("speed"), "speed")
    loss = call.two("*", _coefficient(call, "damping", 1), lag, "damping")
    return call.two("-" if call.scope.law == "torque" else "+", drive, loss, "damping")


def _limited(call: _Call, drive: Quantity) -> Quantity:
    if "limit" not in call:
        return drive
    limit = call.value("limit")
    low = limit._replace(value=-limit.value + 0.0)
    if limit.term is not None:
        low = limit._replace(term=("neg", limit.term))
    return call.held(drive, low, limit, "limit")


def _bare(value: float) -> Quantity:
    return Quantity(value)
