"""Figures that follow a motion by servos: a moment about each joint, driven to the motion's value.

The motion becomes a term of time, in the same arithmetic in which a servo is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from articulata.geometry.easing import FLOWING
from articulata.world.figures.nodes import MotionNode
from articulata.world.figures.trees import free_joints
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.instances import CompositeInstance
from articulata.world.language.elaboration.motions import performed
from articulata.world.language.elaboration.programs import program_of
from articulata.world.language.elaboration.quantities import Quantity, Term, changing
from articulata.world.language.elaboration.strength import strengthened
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES
from articulata.world.model import Program

_TARGET, _SPEED = "target of the motion", "speed of the motion"
"""Names that no text can write."""


def servos(
    scope: Scope, owner: CompositeInstance, item: t.Follows
) -> Iterator[tuple[str, str, Program]]:
    """Yield a name, the hinge and the program of a moment for each joint of a figure."""
    call = item.drive
    assert call is not None
    if not isinstance(call, t.Call) or call.function.text != "servo":
        raise scope.fail(
            call, "wrong-kind", "a servo is due after 'by'",
            "write by servo(2000 N*m/rad, 200 N*m*s/rad)",
        )  # fmt: skip
    target, motion = performed(scope, owner, item)
    node = target.figure
    assert node is not None
    if any(len(joints) > 1 for joints in node.joined.values()):
        raise scope.fail(
            call, "wrong-kind",
            f"joints of figure '{node.type}' meet in a point, where no servo acts",
            "leave out 'by': it follows its motion itself",
        )  # fmt: skip
    if item.at is not None or item.turns or any(frame.mark for frame in motion.frames):
        raise scope.fail(
            item, "wrong-kind", "servos turn joints, they do not put a figure somewhere",
            "leave out places, or leave out 'by'",
        )  # fmt: skip
    if motion.ease == FLOWING:
        raise scope.fail(
            call, "wrong-kind", "servos follow motions that are smooth or linear",
            "write ease: smooth in the motion",
        )  # fmt: skip
    start = 0.0 if item.start is None else scope.number(item.start, "time")
    found = {joint: node.rows[joint].neutral for joint in free_joints(node)} | target.values
    for hinge, (joint,) in node.joined.items():
        row = node.rows[joint]
        if row.follows is not None:
            continue
        if row.kind == "prismatic":
            raise scope.fail(
                call, "wrong-kind", f"joint '{joint}' slides; a servo about a joint turns it",
                "move it by a force between two features, or leave out 'by'",
            )  # fmt: skip
        angle, rate = _course(motion, joint, found[joint], start)
        names = {
            **scope.names,
            _TARGET: _quantity(angle, "angle"),
            _SPEED: _quantity(rate, "rate"),
        }
        given = (
            t.Argument("target", t.Path((t.Part(_TARGET),)), call.span),
            *call.arguments,
            t.Argument("speed", t.Path((t.Part(_SPEED),)), call.span),
        )
        whole = t.Call(call.function, given, call.span)
        program = program_of(scope.inner(names), whole, "torque")
        name = re.sub(r"\W+", "_", f"{target.name}_{joint}_servo")
        yield name, hinge, strengthened(program, row.motor)


def _quantity(term: Term, kind: str) -> Quantity:
    if isinstance(term, float):
        return Quantity(term, QUANTITIES[kind])
    return changing(term, QUANTITIES[kind])


def _course(motion: MotionNode, joint: str, found: float, start: float) -> tuple[Term, Term]:
    """Return a joint's value (rad) and its rate (rad/s) over time, which begin at ``found``."""
    times, values = [], []
    last = found
    for frame in motion.frames:
        last = frame.values.get(joint, last)
        times.append(frame.time)
        values.append(last)
    if times[0] > 0.0:
        times, values = [0.0, *times], [found, *values]
    since: Term = ("sub", "time", start) if start else "time"
    at, length = since, times[-1] - times[0]
    if motion.repeat > 1.0 and length > 0.0:
        rounds: Term = ("max", ("floor", ("div", since, length)), 0.0)
        if motion.repeat < float("inf"):
            rounds = ("min", rounds, motion.repeat - 1.0)
        at = ("sub", since, ("mul", length, rounds))
    angles: list[Term] = [values[0]]
    rates: list[Term] = []
    spans = [
        (at, begin, end - begin, after - before)
        for (begin, before), (end, after) in pairwise(zip(times, values, strict=True))
    ]
    blended = found - values[0]
    if blended and motion.blend:
        angles.append(blended)
        spans.append((since, 0.0, motion.blend, -blended))
    for time, begin, span, change in spans:
        if not change:
            continue
        share = _held(("div", ("sub", time, begin) if begin else time, span))
        rest: Term = ("sub", 1.0, share)
        if motion.ease == "linear" and time is at:
            angles.append(("mul", change, share))
            within: Term = ("min", 1.0, ("mul", 1e9, ("mul", share, rest)))
            rates.append(("mul", change / span, within))
            continue
        inner: Term = ("sub", ("mul", 6.0, share), 15.0)
        way: Term = ("mul", ("pow", share, 3.0), ("add", 10.0, ("mul", share, inner)))
        angles.append(("mul", change, way))
        bell: Term = ("mul", ("pow", share, 2.0), ("pow", rest, 2.0))
        rates.append(("mul", 30.0 * change / span, bell))
    return _sum(angles), _sum(rates)


def _held(share: Term) -> Term:
    return ("max", ("min", share, 1.0), 0.0)


def _sum(terms: list[Term]) -> Term:
    total: Term = sum((each for each in terms if isinstance(each, float)), 0.0)
    for each in terms:
        if not isinstance(each, float):
            total = ("add", total, each)
    return total
