"""Postfix programs of forces as expressions, each constant with the unit that is due there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from articulata.errors import WorldError
from articulata.world import wording
from articulata.world.language.syntax.grammar import LAW_VARIABLES
from articulata.world.language.units import (
    ANGLE,
    NONE,
    QUANTITIES,
    Dimension,
    multiply,
    raised,
    symbol,
)
from articulata.world.model import Coupling, Drive, Force, Program

FORCE = QUANTITIES["force"]
VARIABLES = {name: QUANTITIES[kind] for law in LAW_VARIABLES.values() for name, kind in law.items()}
INTEGRALS = {"force": "integral of force", "torque": "integral of torque"}
VARIABLES |= {name: QUANTITIES[kind] for kind, name in INTEGRALS.items()}
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}
_PAIRS = ("min", "max", "atan2")
_OF_ANGLES = ("sin", "cos", "tan")
_ARCS = ("asin", "acos", "atan", "atan2")
_KEEPS = ("neg", "abs", "min", "max", "add", "sub")

Node: TypeAlias = "tuple[str, float, tuple[Node, ...]]"


def expression(program: Program, wanted: Dimension = FORCE) -> str:
    """Return the expression that compiles to ``program``; ``wanted`` is what it gives."""
    stack: list[Node] = []
    for name, value in program:
        if name == "push" or name in VARIABLES:
            stack.append((name, value, ()))
            continue
        count = 2 if name in _SIGNS or name in _PAIRS else 1
        if len(stack) < count:
            raise WorldError(f"the program of a force lacks an operand for '{name}'")
        operands = tuple(stack[-count:])
        del stack[-count:]
        stack.append((name, 0.0, operands))
    if len(stack) != 1:
        raise WorldError("the program of a force leaves more than one value")
    return _shown(stack[0], wanted)


def _dimension(node: Node) -> Dimension | None:
    """Return the dimension that variables alone give, None where a constant leaves it open."""
    name, _, operands = node
    if name in VARIABLES:
        return VARIABLES[name]
    if name == "push":
        return None
    found = [_dimension(each) for each in operands]
    if name in _KEEPS:
        return next((each for each in found if each is not None), None)
    if name in ("mul", "div"):
        if found[0] is None or found[1] is None:
            return None
        return multiply(found[0], found[1], -1 if name == "div" else 1)
    if name == "pow":
        base, power = found[0], operands[1]
        if base is None or power[0] != "push" or power[1] != round(power[1]):
            return None
        return multiply(NONE, base, int(power[1]))
    if name == "sqrt":
        return None if found[0] is None else raised(found[0], 0.5)
    return ANGLE if name in _ARCS else NONE


def _shown(node: Node, wanted: Dimension) -> str:
    name, value, operands = node
    if name == "push":
        unit = symbol(wanted)
        return f"{wording.number(value)} {unit}" if unit else wording.number(value)
    if name in VARIABLES:
        return name.partition(" ")[0]
    if name in ("mul", "div"):
        return _product(name, operands, wanted)
    if name == "pow":
        base, power = operands
        return f"({_shown(base, _dimension(base) or NONE)})^({_shown(power, NONE)})"
    if name in _SIGNS:
        left, right = (_shown(each, wanted) for each in operands)
        return f"({left} {_SIGNS[name]} {right})"
    if name == "neg":
        return f"(-{_shown(operands[0], wanted)})"
    inner = wanted if name in _KEEPS else ANGLE if name in _OF_ANGLES else NONE
    if name == "sqrt":
        inner = multiply(NONE, wanted, 2)
    if name == "atan2":
        inner = _dimension(node[2][0]) or _dimension(node[2][1]) or NONE
    return f"{name}({', '.join(_shown(each, inner) for each in operands)})"


def _product(name: str, operands: tuple[Node, ...], wanted: Dimension) -> str:
    left, right = operands
    sign = 1 if name == "mul" else -1
    known = _dimension(left)
    if known is not None:
        first, second = known, multiply(wanted, known, -1)
        if sign < 0:
            second = multiply(known, wanted, -1)
    else:
        second = _dimension(right) or NONE
        first = multiply(wanted, second, -sign)
    return f"({_shown(left, first)} {_SIGNS[name]} {_shown(right, second)})"


# ---- motors and gears as a text has them


def motor_words(motor: Coupling) -> str:
    """Return what stands after ``driven by``: "motor(speed: 2.0 rad/s)"."""
    slides = motor.terms[0][0].endswith(".travel")
    if motor.curve:
        units = ("m/s", "N") if slides else ("rad/s", "N*m")
        points = (f"({at!r} {units[0]}, {effort!r} {units[1]})" for at, effort in motor.curve)
        return f"motor(curve: ({', '.join(points)}))"
    said = [] if motor.rate is None else [f"speed: {motor.rate!r} {'m' if slides else 'rad'}/s"]
    if motor.effort is not None:
        said.append(f"force: {motor.effort!r} N" if slides else f"torque: {motor.effort!r} N*m")
    if motor.limit is not None:
        said.append(f"limit: {motor.limit!r} {'N' if slides else 'N*m'}")
    return f"motor({', '.join(said)})"


def driven_words(drives: Iterable[Drive], motor: Coupling | None) -> str:
    """Return all that stands behind a hinge of what drives it."""
    by = [each.controller for each in drives] + ([] if motor is None else [motor_words(motor)])
    return "".join(f" driven by {each}" for each in by)


def friction_words(friction: Coupling) -> str:
    """Return what says it in a join: "friction(dry: 0.3 N*m, static: 0.4 N*m)"."""
    law, slides = friction.friction, friction.terms[0][0].endswith(".travel")
    assert law is not None
    effort = "N" if slides else "N*m"
    said = [f"dry: {law.dry!r} {effort}"] if law.dry or not law.coefficient else []
    if law.static != law.dry:
        said.append(f"static: {law.static!r} {effort}")
    if law.speed:
        said.append(f"speed: {law.speed!r} {'m' if slides else 'rad'}/s")
    if law.viscous:
        said.append(f"viscous: {law.viscous!r} {'N*s/m' if slides else 'N*m*s'}")
    if law.coefficient:
        said.append(f"coefficient: {law.coefficient!r}")
        said += [] if slides else [f"radius: {law.radius!r} m"]
    return f"friction({', '.join(said)})"


def law_words(force: Force) -> str:
    """Return the value of a force or moment, and what it integrates."""
    kind = "torque" if force.features is None else "force"
    value, rate = (
        tuple((INTEGRALS[kind] if name == "integral" else name, x) for name, x in program)
        for program in (force.program, force.integral)
    )
    said = expression(value, QUANTITIES[kind])
    if not rate:
        return said
    return f"{said} integrating {expression(rate, multiply(QUANTITIES[kind], _SECOND, -1))}"


_SECOND = QUANTITIES["time"]


def bushing_words(force: Force) -> str:
    """Return the value of a bushing: "bushing((1.0, 1.0, 2.0) N/m, ...)"."""
    said = []
    for k, unit in enumerate(("N/m", "N*m", "N*s/m", "N*m*s")):
        three = (value for _, value in force.program[3 * k : 3 * k + 3])
        said.append(f"({', '.join(f'{wording.number(each)} {unit}' for each in three)})")
    return f"bushing({', '.join(said)})"


def gear_words(gear: Coupling, names: Mapping[str, str]) -> str:
    """Return the statement of a gear; ``names`` are those of its coordinates in the text."""
    name = gear.id.rpartition(".")[2]
    if gear.law is not None:
        one, other = (label for label, _ in gear.terms)
        due = QUANTITIES["length"] if other.endswith(".travel") else ANGLE
        return f"cam {name} between {names[one]} and {names[other]} = {expression(gear.law, due)}"
    ratio, count, last = gear.terms[0][1], 1, len(gear.terms) - 1
    while count < last and abs(gear.terms[count][1]) == abs(ratio):
        count += 1
    sides = []
    for terms, unit in ((gear.terms[:count], ratio), (gear.terms[count:], -1.0)):
        text = ""
        for label, factor in terms:
            if abs(factor) != abs(unit):
                raise WorldError(
                    f"gear '{gear.id}' cannot be written as text: it has more than one ratio"
                )
            text += f" {'+' if factor / unit > 0.0 else '-'} {names[label]}"
        sides.append(text[3:] if text.startswith(" + ") else f"-{text[3:]}")
    one, other = (gear.terms[k][0].rpartition(".")[2] for k in (0, -1))
    unit_of = "" if one == other else " m/rad" if other == "travel" else " rad/m"
    return f"gear {name} between {' and '.join(sides)} = {ratio!r}{unit_of}"
