"""Expressions of ``distance``, ``speed``, ``angle`` and ``time`` to postfix programs.

What does not depend on them is computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from articulata.world.language.elaboration.arithmetic import quantity
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.quantities import Term, changing
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES, Dimension
from articulata.world.model import Force, Program

VARIABLES: dict[str, Dimension] = {
    "distance": QUANTITIES["length"],
    "speed": QUANTITIES["speed"],
    "time": QUANTITIES["time"],
    "angle": QUANTITIES["angle"],
    "rate": QUANTITIES["rate"],
}
"""What forces and material pairs may depend on; angle and rate only about a hinge."""

_KNOWN = {
    "force": ("distance", "speed", "time"),
    "torque": ("angle", "rate", "time"),
    "number": ("speed",),
}
_STEPS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}


def program_of(scope: Scope, item: t.Expression, kind: str = "force") -> Program:
    """Return the program of a tension ("force"), a moment ("torque") or a pair's law ("number")."""
    names = {
        name: changing(name, VARIABLES[name]) for name in _KNOWN[kind] if name not in scope.outer
    }
    inner = scope.inner({**names, **scope.names}, kind)
    value = quantity(inner, inner.evaluate(item), item)
    if value.term is None:
        return (("push", inner.to_kind(value, kind, item)),)
    return _steps(inner.to_quantity(value, kind, item).operand)


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

    It keeps the limit that it has; else the motor's ``effort`` is its limit. Beyond the motor's
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
        core = (
            *core,
            *_fading(speed, "sub", limit), ("min", 0.0),
            *_fading(speed, "add", limit), ("neg", 0.0), ("max", 0.0),
        )  # fmt: skip
    return (*core, ("push", limit), ("min", 0.0), ("push", -limit), ("max", 0.0))


def _fading(speed: float, sign: str, limit: float) -> Program:
    """Return ``limit * clamp((speed -+ rate) / (FADING * speed), 0, 1)``."""
    return (
        ("push", speed), ("rate", 0.0), (sign, 0.0), ("push", limit / (FADING * speed)),
        ("mul", 0.0), ("push", limit), ("min", 0.0), ("push", 0.0), ("max", 0.0),
    )  # fmt: skip
