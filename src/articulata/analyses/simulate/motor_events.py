"""Where motors and servos come to their limits, leave them, or pass a corner of a curve.

Each is a condition with the event that is told where it becomes true: steps
end there, so that what a motor gives is smooth within each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import MappingProxyType

from articulata.records.events import Event, Value
from articulata.world.model import Coupling, Force, Program, World
from articulata.world.requests.request import OptionValue, Rule


def motor_events(world: World) -> Iterator[tuple[str, Rule, Event]]:
    """Yield names, conditions and events (at time 0) of motors that depend on their speed."""
    for force in world.forces.values():
        if force.integral and (limits := force.bounds) is not None:
            yield from _wound_up(force, limits)
    for each in world.couplings.values():
        if each.effort and each.limit and each.rate:
            yield from _saturations(each)
        for at, effort in each.curve[1:-1]:
            unit = "m/s" if _slides(each) else "rad/s"
            story = f"Motor {each.id} passes a corner of its curve at {at:.6g} {unit}."
            told = _event(each, "corner", effort, story)
            for sign in "><":
                yield f"{each.id} corner {at!r} {sign}", _rule(each, "corner", sign, at), told


def _saturations(each: Coupling) -> Iterator[tuple[str, Rule, Event]]:
    """Yield where a straight line is cut, and where it goes on."""
    assert each.effort is not None
    assert each.limit is not None
    assert each.rate is not None
    unit = "N" if _slides(each) else "N m"
    for way in (1.0, -1.0):
        at = each.rate * (1.0 - way * each.limit / abs(each.effort))
        signs = "<>" if way * each.rate > 0.0 else "><"
        for kind, sign in zip(("saturation", "regulation"), signs, strict=True):
            told = "gives all of its" if kind == "saturation" else "gives less again than its"
            story = f"Motor {each.id} {told} {each.limit:.6g} {unit}."
            effort = math.copysign(each.limit, way * each.effort)
            rule, event = _rule(each, kind, sign, at), _event(each, kind, effort, story)
            yield f"{each.id} {kind} {way}", rule, event


def _wound_up(force: Force, limits: tuple[float, float]) -> Iterator[tuple[str, Rule, Event]]:
    """Yield where a controller asks for more than its limit, so that its integral is held."""
    asked = _formula(force.program[:-4], force.id)
    who = (force.id,) if force.hinge is None else (force.hinge, force.id)
    word, unit = ("force", "N") if force.hinge is None else ("moment", "N m")
    for limit, signs in zip(limits, ("<>", "><"), strict=True):
        for kind, sign in zip(("saturation", "regulation"), signs, strict=True):
            told = "asks for more than its" if kind == "saturation" else "asks for less again than"
            story = f"Force {force.id} {told} {limit:.6g} {unit}."
            rule = Rule(kind, (sign, asked, limit), (), force.span)
            values = MappingProxyType[str, Value]({word: limit})
            event = Event(0.0, kind, who, (), values, story, force.span)
            yield f"{force.id} {kind} {limit!r}", rule, event


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}


def _formula(program: Program, force: str) -> OptionValue:
    """Return a program as the side of a condition."""
    stack: list[OptionValue] = []
    for name, value in program:
        if name == "push":
            stack.append(value)
        elif name == "time":
            stack.append(name)
        elif name in ("angle", "rate", "distance", "speed", "integral"):
            stack.append(f"{force}.{name}")
        elif name in _SIGNS or name in ("min", "max", "atan2"):
            second = stack.pop()
            stack.append((_SIGNS.get(name, name), stack.pop(), second))
        else:
            stack.append((name, stack.pop()))
    return stack[0]


def _rule(motor: Coupling, kind: str, sign: str, at: float) -> Rule:
    return Rule(kind, (sign, f"{motor.hinges[0]}.rate", at), (), motor.span)


def _event(motor: Coupling, kind: str, effort: float, story: str) -> Event:
    values: dict[str, Value] = {"force" if _slides(motor) else "torque": effort}
    return Event(0.0, kind, motor.hinges, (), MappingProxyType(values), story, motor.span)


def _slides(motor: Coupling) -> bool:
    return motor.terms[0][0].endswith(".travel")
