"""Expressions of ``distance``, ``speed``, ``angle`` and ``time`` to postfix programs.

What does not depend on them is computed at once.
"""

from __future__ import annotations

from articulata.world.language.elaboration.arithmetic import quantity
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.quantities import Term, changing
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES, Dimension
from articulata.world.model import Program

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
