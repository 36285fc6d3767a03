"""Expressions as data: programs of forces and laws, conditions of ``on`` clauses, plain values.

A force or a law of contact becomes a postfix program of ``distance``, ``speed``, ``angle``,
``rate`` and ``time``; what does not depend on them is computed at once. A condition becomes
``("and", (">", "a.angle", 1.0), ...)`` in SI. What it reads has the dimension of what it names, so
that bare numbers beside it are in the units of the file, as they are everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from articulata.errors import NameNotFound
from articulata.world.language.elaboration.actuation import bound, integral_action
from articulata.world.language.elaboration.arithmetic import is_condition, quantity
from articulata.world.language.elaboration.evaluate import (
    Quantity,
    Scope,
    Term,
    Turned,
    Value,
    changing,
)
from articulata.world.language.elaboration.shape_calls import PutValue
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import LAW_VARIABLES
from articulata.world.language.units import QUANTITIES, Dimension, multiply
from articulata.world.language.vocabulary import EVENT_QUANTITIES, FUNCTIONS, measured_kind
from articulata.world.model import Force, Program, World
from articulata.world.paths import resolve
from articulata.world.requests.request import OptionValue

_STEPS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}


def program_of(scope: Scope, item: t.Expression, kind: str = "force") -> Program:
    """Return the program of a tension ("force"), a moment ("torque") or a pair's law ("number")."""
    inner = _lawful(scope, kind, integral=False)
    return _program(inner, item, QUANTITIES[kind], kind)


def _lawful(scope: Scope, kind: str, *, integral: bool) -> Scope:
    """Return a scope with what a law may read, its own integral too where it has one."""
    kinds = {**LAW_VARIABLES[kind], **({"integral": kind} if integral else {})}
    names = {
        name: changing(name, QUANTITIES[each])
        for name, each in kinds.items()
        if name not in scope.outer
    }
    return scope.inner({**names, **scope.names}, kind)


def _program(inner: Scope, item: t.Expression, due: Dimension, kind: str = "") -> Program:
    value = quantity(inner, inner.evaluate(item), item)
    if value.term is None and kind:
        return (("push", inner.to_kind(value, kind, item)),)
    return _steps(inner.to_dimension(value, due, item, kind).operand)


def force_programs(
    scope: Scope, item: t.Force | t.Moment, kind: str, motor: Mapping[str, float] | None = None
) -> tuple[Program, Program]:
    """Return the programs of a force and of the rate of its integral, empty where it has none.

    ``motor`` is what drives the hinge of a servo or an actuator, where a table says so.
    """
    call = item.value if isinstance(item.value, t.Call) else None
    name = "" if call is None else call.function.text
    servo = call if name == "servo" and call and "integral" in _given(scope, call) else None
    inner = _lawful(scope, kind, integral=item.integrating is not None or servo is not None)
    asked = program = _program(inner, item.value, QUANTITIES[kind], kind)
    if motor and name in ("servo", "actuator"):
        program = strengthened(asked, motor)
        if motor.get("effort") == 0.0 and Force("", "torsion", None, None, asked).bounds is None:
            warn_of_no_effort(scope, item.value)
    if item.integrating is not None and servo is not None:
        told = "a servo with an integral says itself what it integrates"
        raise scope.fail(item.integrating, "duplicate", told, "write one of both")
    if item.integrating is not None:
        due = multiply(QUANTITIES[kind], QUANTITIES["time"], -1)
        return program, _program(inner, item.integrating, due)
    if servo is None:
        return program, ()
    rate, follow = integral_action(inner, servo)
    asked = asked[:-4] if Force("", "torsion", None, None, asked).bounds else asked
    integral = _steps(rate.operand)
    if asked != program:
        lacks = (*program, *asked, ("sub", 0.0), ("push", follow), ("mul", 0.0))
        integral = (*integral, *lacks, ("add", 0.0))
    return program, integral


def _given(scope: Scope, call: t.Call) -> Mapping[str, t.Expression]:
    return bound(scope, call, FUNCTIONS[call.function.text])


def _steps(term: Term) -> Program:
    """Return a term in postfix order."""
    if isinstance(term, str):
        return ((term, 0.0),)
    if not isinstance(term, tuple):
        return (("push", term),)
    name, *operands = term
    step = (_STEPS.get(str(name), str(name)), 0.0)
    steps: list[tuple[str, float]] = []
    for place, operand in enumerate(operands):
        steps += _steps(operand)
        if place and place + 1 < len(operands):
            # the smallest of several is found two by two
            steps.append(step)
    return (*steps, step)


# ---- how strong and how fast a joint's motor is, in the program of the servo that it is driven by


FADING = 0.1
"""The share of a motor's greatest speed over which its strength falls to none."""


def strengthened(program: Program, motor: Mapping[str, float]) -> Program:
    """Return the program of a moment (N m) that a motor can give.

    It keeps the limit that it has; else the motor's ``effort`` is its limit, and none where that is
    0, which files say of what their writer does not know. Beyond the motor's
    ``speed`` (rad/s) nothing drives the joint on; in the last tenth below it the strength falls to
    none, as a motor's does. What slows the joint down keeps its strength. Without any limit the
    program stays as it is.
    """
    bounds = Force("", "torsion", None, None, program).bounds
    limit = motor.get("effort", math.inf) if bounds is None else bounds[1]
    if not 0.0 < limit < math.inf:
        return program
    core = program if bounds is None else program[:-4]
    speed = motor.get("speed", math.inf)
    if 0.0 < speed < math.inf:
        core = (*core, *_weakened(speed, limit))
    return (*core, ("push", limit), ("min", 0.0), ("push", -limit), ("max", 0.0))


def unweakened(program: Program) -> Program:
    """Return a program of ``strengthened`` as of a motor that is as strong at any speed."""
    tail, limit = program[-25:-4], program[-4:]
    if len(tail) < 21 or not tail[0][1] or tail != _weakened(tail[0][1], limit[0][1]):
        return program
    return (*program[:-25], *limit)


def _weakened(speed: float, limit: float) -> Program:
    return (
        *_fading(speed, "sub", limit), ("min", 0.0),
        *_fading(speed, "add", limit), ("neg", 0.0), ("max", 0.0),
    )  # fmt: skip


def warn_of_no_effort(scope: Scope, item: t.Expression) -> None:
    """Note that no limit holds what drives a joint at ``item``: its effort is 0."""
    told = "the effort of this joint is 0, which files write of what is not known: no limit holds"
    scope.warn(item, "out-of-scale", told, "give a limit here, or the joint its effort")


def _fading(speed: float, sign: str, limit: float) -> Program:
    """Return ``limit * clamp((speed -+ rate) / (FADING * speed), 0, 1)``."""
    return (
        ("push", speed), ("rate", 0.0), (sign, 0.0), ("push", limit / (FADING * speed)),
        ("mul", 0.0), ("push", limit), ("min", 0.0), ("push", 0.0), ("max", 0.0),
    )  # fmt: skip


# ---- conditions as data in SI

Made = Callable[[], "World | None"]
"""Gives the world that a clause is about, made when it is first asked for."""


def condition_of(
    scope: Scope, item: t.Expression, made: Made, *, event: bool = False
) -> OptionValue:
    """Return a condition as nested tuples; after an event, of what is known of the event too."""

    def measured(path: t.Path) -> Quantity:
        text = path_text(scope, path)
        words = EVENT_QUANTITIES if event else {}
        kind = measured_kind(path.names, words)
        if kind == "rate" and path.simple not in words and _slides(made(), text):
            kind = "speed"
        return changing(text, QUANTITIES[kind])

    value = replace(scope, measured=measured).evaluate(item)
    if isinstance(value, Quantity) and (is_condition(value) or _known(item, value)):
        if value.term is None:
            return (">", value.value, 0.5)
        return value.term
    raise scope.fail(
        item,
        "wrong-kind",
        "a condition compares two values by <, <=, > or >=",
        "write p.rod[1].angle > 90 deg",
    )


def _known(item: t.Expression, value: Quantity) -> bool:
    """Return whether a value without a term is that of a comparison: 1 < 2."""
    comparing = isinstance(item, t.Unary | t.Binary) and item.operator not in "+-*/^"
    return value.term is None and comparing


def _slides(world: World | None, text: str) -> bool:
    """Return whether the rate that a path names is that of a travel."""
    if world is None:
        return False
    try:
        found = resolve(world, text)
    except NameNotFound:
        return False
    hinge = world.hinges.get(found.id)
    return hinge is not None and hinge.kind.coordinates[:1] == ("travel",)


# ---- values of requests as plain data


def path_text(scope: Scope, path: t.Path) -> str:
    """Return a path with its indices computed: ``p.rod[3].top``."""
    names: list[str] = []
    for part in path.parts:
        if part.index is None:
            names.append(part.name)
        elif isinstance(part.index, t.Range):
            low = scope.whole(part.index.first, "an index")
            high = scope.whole(part.index.last, "an index")
            names.append(f"{part.name}[{low}..{high}]")
        else:
            names.append(f"{part.name}[{scope.whole(part.index, 'an index')}]")
    return ".".join(names)


def option_value(scope: Scope, item: t.Expression) -> OptionValue:
    """Return an expression as data: SI numbers, words and paths as text, tuples."""
    if isinstance(item, t.Path):
        value = scope.name(item.simple) if item.simple else None
        return path_text(scope, item) if value is None else data_of(scope, value, item)
    if isinstance(item, t.Tuple):
        return tuple(option_value(scope, each) for each in item.items)
    if isinstance(item, t.Call):
        arguments = tuple(option_value(scope, each.value) for each in item.arguments)
        return (item.function.text, *arguments)
    return data_of(scope, scope.evaluate(item), item)


def data_of(scope: Scope, value: Value, item: Any) -> OptionValue:
    """Return a value as data; what cannot stand in a text is a finding."""
    if isinstance(value, Quantity):
        if value.term is not None:
            raise scope.fail(item, "wrong-kind", "this changes with time and cannot stand here")
        return value.value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Turned):
        return value.quaternion
    if isinstance(value, PutValue):
        return (data_of(scope, value.value, item), value.turn)
    if isinstance(value, tuple):
        return tuple(data_of(scope, each, item) for each in value)
    raise scope.fail(item, "wrong-kind", "this value cannot stand here")
