"""Where motors come to their limits, leave them, or pass a corner of their curves.

Each is a condition on the rate of a hinge with the event that is told where it becomes true: steps
end there, so that what a motor gives is smooth within each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import MappingProxyType

from articulata.records.events import Event, Value
from articulata.world.model import Coupling, World
from articulata.world.requests.request import Rule


def motor_events(world: World) -> Iterator[tuple[str, Rule, Event]]:
    """Yield names, conditions and events (at time 0) of motors that depend on their speed."""
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


def _rule(motor: Coupling, kind: str, sign: str, at: float) -> Rule:
    return Rule(kind, (sign, f"{motor.hinges[0]}.rate", at), (), motor.span)


def _event(motor: Coupling, kind: str, effort: float, story: str) -> Event:
    values: dict[str, Value] = {"force" if _slides(motor) else "torque": effort}
    return Event(0.0, kind, motor.hinges, (), MappingProxyType(values), story, motor.span)


def _slides(motor: Coupling) -> bool:
    return motor.terms[0][0].endswith(".travel")
