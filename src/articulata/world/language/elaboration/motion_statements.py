"""Motions of a text's figures, and which figure follows which from when on."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

from articulata.errors import ArticulataError
from articulata.geometry.easing import EASINGS, FLOWING
from articulata.world.figures.nodes import (
    BALANCE,
    EntryValue,
    FigureNode,
    KeyFrame,
    MotionNode,
    Performance,
    balancing,
)
from articulata.world.figures.trees import check_value, free_joints, value_advice
from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.evaluate import Quantity, Scope, Term, changing
from articulata.world.language.elaboration.expression_data import program_of, strengthened
from articulata.world.language.elaboration.instances import CompositeInstance, locate
from articulata.world.language.elaboration.joint_tables import place_of
from articulata.world.language.elaboration.shape_calls import turn_of
from articulata.world.language.elaboration.standing import joint_named, posture_named
from articulata.world.language.meant_words import did_you_mean
from articulata.world.language.source import Span
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES
from articulata.world.model import BALANCE_HIGH, BALANCE_LOW, Program
from articulata.world.values import NO_TURN


def motion_nodes(
    item: t.Figure, scope: Scope, node: FigureNode, factor: float
) -> Mapping[str, MotionNode]:
    """Return the motions of a figure; what is wrong in one does not hide the next.

    One that is wrong is there with nothing in it, so that who follows it is not blamed.
    """
    found: dict[str, MotionNode] = {}
    for motion in item.motions:
        try:
            found[motion.name] = _motion(motion, scope, node, factor)
        except Abandon:
            found[motion.name] = MotionNode(motion.name, (KeyFrame(0.0, {}),))
    return MappingProxyType(found)


def _motion(item: t.Motion, scope: Scope, node: FigureNode, factor: float) -> MotionNode:
    frames: list[KeyFrame] = []
    for key in item.keys:
        made = _key(key, scope, node, factor)
        if frames and not made.time > frames[-1].time:
            raise scope.fail(
                key.time,
                "wrong-order",
                f"the times of motion '{item.name}' run back: {made.time:g} s after "
                f"{frames[-1].time:g} s",
                "put its key frames in the order of their times",
            )
        if made.time < 0.0:
            raise scope.fail(key.time, "out-of-range", "a motion begins at 0 s or later")
        frames.append(made)
    if not frames:
        raise scope.fail(item, "empty", f"motion '{item.name}' has no key frame")
    ease = item.ease or "smooth"
    if ease not in EASINGS and ease != FLOWING:
        known = ", ".join((*EASINGS, FLOWING))
        raise scope.fail(item.ease_span, "unknown-word", f"a motion does not go on '{ease}'", known)
    repeat = 1.0
    if item.repeat is not None:
        always = getattr(item.repeat, "simple", "") == "always"
        repeat = math.inf if always else float(scope.whole(item.repeat, "how often"))
        if repeat < 1.0:
            raise scope.fail(item.repeat, "out-of-range", "a motion is done once or more")
        if repeat > 1.0 and len(frames) < 2:
            raise scope.fail(item.repeat, "out-of-range", "one key frame alone cannot be repeated")
    blend = 0.3
    if item.blend is not None:
        blend = scope.number(item.blend, "time")
        if blend < 0.0:
            raise scope.fail(item.blend, "out-of-range", "a motion begins in 0 s or more")
    span = span_of(scope.source, item.span)
    return MotionNode(item.name, tuple(frames), ease, repeat, blend, span)


def _key(item: t.Key, scope: Scope, node: FigureNode, factor: float) -> KeyFrame:
    time = scope.number(item.time, "time")
    values: dict[str, float] = {}
    said: dict[str, Span] = {}
    if item.posture is not None:
        found = posture_named(scope, node, item.posture, item.posture_span)
        values = {joint: node.rows[joint].neutral for joint in free_joints(node)}
        values |= {joint: float(value) for joint, value in found.items()}  # type: ignore[arg-type] # numbers, as postures hold them
    for entry in item.joints:
        name = entry.path.text
        row = joint_named(scope, node, name, entry.path, free_joints(node))
        sliding = row.kind == "prismatic"
        value = scope.number(entry.value, "length" if sliding else "angle")
        values[name] = factor * value if sliding else value
        said[name] = entry.value.span
    for name, value in values.items():
        try:
            check_value(node, name, value)
        except ArticulataError as error:
            # what the key frame does not say itself comes from its posture
            place = said.get(name, item.posture_span)
            raise scope.fail(place, "out-of-range", str(error), value_advice(node, name)) from None
    span = span_of(scope.source, item.span)
    if item.place is None:
        return KeyFrame(time, MappingProxyType(values), span=span)
    mark = item.place.path.text
    known = marks(node)
    if mark not in known:
        raise scope.fail(
            item.place.path,
            "unknown-name",
            f"figure '{node.type}' has no landmark, link or joint '{mark}'",
            did_you_mean(mark, known),
        )
    x, y, z = scope.vector(item.place.at, "length")
    turn = turn_of(scope, item.place.turns) if item.place.turns else NO_TURN
    return KeyFrame(time, MappingProxyType(values), mark, (x, y, z), turn, span)


def marks(node: FigureNode) -> tuple[str, ...]:
    """Return what of a figure a key frame can put at a point; "base" is the figure's own frame."""
    links: list[EntryValue] = [row.link.name for row in node.rows.values() if row.link.name]
    names = (*node.landmarks, *node.sensors, *map(str, links), *node.rows, "base")
    return tuple(dict.fromkeys(names))


def performance(scope: Scope, owner: CompositeInstance, item: t.Follows) -> None:
    """Note that a figure follows a motion."""
    target, _ = performed(scope, owner, item)
    start = 0.0 if item.start is None else scope.number(item.start, "time")
    frame = place_of(scope, item.at, item.turns, 1.0)
    target.performances.append((Performance(item.motion, start, frame), owner))


def performed(
    scope: Scope, owner: CompositeInstance, item: t.Follows
) -> tuple[CompositeInstance, MotionNode]:
    """Return the figure that follows a motion, and the motion."""
    target, used = locate(scope, owner, item.target)
    if used < len(item.target.parts) or not isinstance(target, CompositeInstance):
        raise scope.fail(item.target, "wrong-kind", f"'{item.target.text}' is no figure")
    node = target.figure
    if target.derived is None and (scope.notes.errors or target.broken):
        raise Abandon  # its table could not be made, which has been told
    if node is None or target.derived is None:
        raise scope.fail(
            item.target, "wrong-kind", f"'{item.target.text}' is no figure with a table of joints"
        )
    if item.drive is not None and item.motion in node.postures:
        values = {joint: node.rows[joint].neutral for joint in free_joints(node)}
        values |= node.postures[item.motion]  # type: ignore[arg-type] # numbers, as postures hold them
        return target, MotionNode(item.motion, (KeyFrame(0.0, MappingProxyType(values)),))
    if item.motion not in node.motions:
        raise scope.fail(
            item.motion_span,
            "unknown-name",
            f"figure '{node.type}' has no motion '{item.motion}'",
            did_you_mean(item.motion, tuple(node.motions)),
        )
    return target, node.motions[item.motion]


# ---- figures that follow a motion by servos: a moment about each joint, driven to its value
#
# The motion becomes a term of time, in the same arithmetic in which a servo is written out.


_TARGET, _SPEED = "target of the motion", "speed of the motion"
"""Names that no text can write."""
_EFFORT = "effort"
"""In the servo: what the joint's motor can give, N m."""
_BOUNDS = {"min": BALANCE_HIGH, "max": BALANCE_LOW}
"""What holds a moment within those by which a figure keeps its balance."""


def servos(
    scope: Scope, owner: CompositeInstance, item: t.Follows
) -> Iterator[tuple[str, str, Program]]:
    """Yield a name, the hinge and the program of a moment for each joint of a figure."""
    call = item.drive
    assert call is not None
    if not isinstance(call, t.Call) or call.function.text != "servo":
        raise scope.unmeant(call)
    target, motion = performed(scope, owner, item)
    node = target.figure
    assert node is not None
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
    balanced = _balanced(scope, item, node)
    found = {joint: node.rows[joint].neutral for joint in free_joints(node)} | target.values
    for hinge, (joint,) in node.joined.items():
        row = node.rows[joint]
        if row.follows is not None:
            continue
        angle, rate = _course(motion, joint, found[joint], start)
        if row.kind == "prismatic":
            if angle == found[joint]:
                continue  # what the motion does not move, such as a gripper, other forces may
            raise scope.fail(
                call, "wrong-kind", f"joint '{joint}' slides; a servo about a joint turns it",
                "move it by a force between two features, or leave out 'by'",
            )  # fmt: skip
        known = (
            {_EFFORT: Quantity(e, QUANTITIES["torque"])} if (e := row.motor.get("effort")) else {}
        )
        names = {
            **known,
            **scope.names,
            _TARGET: _quantity(angle, "angle"),
            _SPEED: _quantity(rate, "rate"),
        }
        given = (
            t.Argument("target", t.Path((t.Part(_TARGET),)), span=call.span),
            *call.arguments,
            t.Argument("speed", t.Path((t.Part(_SPEED),)), span=call.span),
        )
        whole = t.Call(call.function, given, span=call.span)
        for function, bound in _BOUNDS.items() if joint in balanced else ():
            two = (t.Argument(None, whole, span=call.span),
                   t.Argument(None, t.Path((t.Part(bound),)), span=call.span))  # fmt: skip
            whole = t.Call(t.Path((t.Part(function),)), two, span=call.span)
        program = program_of(scope.inner(names), whole, "torque")
        name = re.sub(r"\W+", "_", f"{target.name}_{joint}_servo")
        yield name, hinge, strengthened(program, row.motor)


def _balanced(scope: Scope, item: t.Follows, node: FigureNode) -> set[str]:
    """Return the joints by which a figure keeps its balance."""
    call = item.balance
    if call is None:
        return set()
    joints = [joint for (joint,) in node.joined.values()]
    said = call.arguments if isinstance(call, t.Call) else ()
    found: set[str] = set()
    for each in said:
        strategy = each.value.simple if isinstance(each.value, t.Path) else ""
        if strategy not in BALANCE:
            raise scope.unmeant(call)
        own = {joint for joint in joints if balancing(strategy, joint)}
        feet = [joint for joint in joints if balancing("ankle", joint)]
        if not (own and feet):
            word = strategy if feet else "ankle"
            raise scope.fail(
                each, "unknown-name", f"'{node.type}' has no joint with '{word}' in its name",
                f"leave out {strategy}, or name its joints so",
            )  # fmt: skip
        found |= own
    return found


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
