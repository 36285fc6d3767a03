"""One world while it is unfolded, and parameters of a definition bound to arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import pi
from typing import Any

from articulata.world.language.diagnostics import Abandon, Notes
from articulata.world.language.elaboration.arguments import bound, default, matched
from articulata.world.language.elaboration.evaluate import POISON, Quantity, Scope, Value, rebased
from articulata.world.language.elaboration.instances import (
    BodyInstance,
    BodyType,
    CompositeInstance,
    RigidMotion,
)
from articulata.world.language.elaboration.modules import Definition, Module
from articulata.world.language.elaboration.primitive_parts import converted
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import NONE, QUANTITIES, Dimension, symbol
from articulata.world.model import Coupling, Drive, Force, Hinge
from articulata.world.values import Vector3

MOST_STEPS = 1_000_000
"""Turns of all ``for`` loops of one world together."""


@dataclass(slots=True, eq=False)
class Elaboration:
    """What grows while one world is unfolded."""

    notes: Notes
    prelude: Mapping[str, Definition]
    prelude_module: Module
    bodies: list[BodyInstance] = field(default_factory=list)
    composites: list[CompositeInstance] = field(default_factory=list)
    hinges: dict[str, Hinge] = field(default_factory=dict)
    ends: dict[str, tuple[BodyInstance, BodyInstance]] = field(default_factory=dict)
    forces: dict[str, Force] = field(default_factory=dict)
    drives: dict[str, Drive] = field(default_factory=dict)
    couplings: dict[str, Coupling] = field(default_factory=dict)
    ignored: set[frozenset[str]] = field(default_factory=set)
    coordinates: dict[str, float] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    motions: list[RigidMotion] = field(default_factory=list)
    stack: list[Definition] = field(default_factory=list)
    types: dict[object, BodyType | None] = field(default_factory=dict)
    used: dict[int, set[Dimension]] = field(default_factory=dict)
    python: list[str] = field(default_factory=list)
    steps: int = 0
    up: Vector3 | None = None

    modules: dict[int, Module] = field(default_factory=dict)

    def module_of(self, scope: Scope) -> Module:
        """Return the file that a scope of this elaboration was made for."""
        return self.modules[id(scope.source)]

    def scope(self, module: Module, names: dict[str, Value]) -> Scope:
        """Return a scope within a file, sharing what is noted about arguments."""
        scope = module.scope(self.notes, names)
        scope.used = self.used
        self.modules[id(module.source)] = module
        return scope


# ---- parameters


def bind(
    elaboration: Elaboration,
    item: t.Primitive | t.Composite | t.Figure | t.HingeType | t.World,
    module: Module,
    arguments: Sequence[t.Argument],
    caller: Scope,
    place: Any,
) -> Scope:
    """Return the scope of a definition's body: parameters with arguments or defaults."""
    given: dict[str, tuple[Value, t.Argument]] = {}
    failed = False
    scope = elaboration.scope(module, {})
    for parameter, argument, said in matched(caller, item, arguments):
        try:
            value = (
                caller.evaluate(argument.value) if said is None else bound(scope, parameter, said)
            )
            given[parameter.name] = (value, argument)
        except Abandon:
            given[parameter.name] = (POISON, argument)
            failed = True
    scope.given, scope.asked = frozenset(given), (caller, place)
    scope.typed = frozenset(each.name for each in item.parameters if each.quantity in QUANTITIES)
    for parameter in item.parameters:
        value, source = given.get(parameter.name, (None, None))
        try:
            if source is None:
                scope.names[parameter.name] = default(scope, caller, item, parameter, place)
                scope.givers[parameter.name] = _by_default(scope, parameter)
            elif value is POISON:
                scope.names[parameter.name] = POISON
            else:
                made = _adapted(scope, caller, parameter, value, source.value)
                _within(scope, caller, item, parameter, made, source.value)
                scope.names[parameter.name] = made
                scope.givers[parameter.name] = (source,)
        except Abandon:
            scope.names[parameter.name] = POISON
            failed = True
    if failed:
        raise Abandon
    return scope


def _by_default(scope: Scope, parameter: t.Parameter) -> tuple[t.Argument, ...]:
    """Return the arguments on which what a parameter is by default depends."""
    used = (each.simple for each in t.walk(parameter.default) if isinstance(each, t.Path))
    return tuple(dict.fromkeys(giver for name in used for giver in scope.givers.get(name, ())))


def _within(
    scope: Scope, caller: Scope, item: Any, parameter: t.Parameter, value: Value, place: Any
) -> None:
    """Refuse an argument beyond what its parameter lies within."""
    if parameter.within is None or not isinstance(value, Quantity):
        return
    bounds = scope.evaluate(parameter.within)
    if isinstance(bounds, Quantity) or not isinstance(bounds, tuple) or len(bounds) != 2:
        raise scope.unmeant(parameter.within)
    quantity = parameter.quantity or "number"
    low, high = (scope.to_kind(each, quantity, parameter.within) for each in bounds)
    number = scope.to_kind(value, quantity, place)
    # An argument and a bound may come from two units of the same quantity.
    slack = 1e-12 * (1.0 + abs(number))
    if not low - slack <= number <= high + slack:
        unit = symbol(QUANTITIES.get(quantity, NONE))
        shown = f"{low:g} to {high:g} {unit}".rstrip()
        given = f"{number:g} {unit}".rstrip()
        slips = {"m": (("cm", 1e-2), ("mm", 1e-3)), "rad": (("deg", pi / 180),)}.get(unit, ())
        meant = [f"{number:g} {slip}" for slip, size in slips if low <= number * size <= high]
        raise caller.fail(
            place,
            "out-of-range",
            f"'{parameter.name}' of '{item.name}' lies from {shown}; {given} is beyond",
            f"write {meant[0]}" if meant else f"give '{parameter.name}' from {shown}",
        )


def _adapted(
    scope: Scope, caller: Scope, parameter: t.Parameter, value: Value, item: t.Expression
) -> Value:
    """Return an argument as its parameter: a bare number becomes what is declared or defaulted.

    Where neither says what it is, it stays a number in the units of the caller's file.
    """
    kept = rebased(value, caller.scales, scope.scales)
    if parameter.quantity in QUANTITIES or parameter.quantity in ("point", "polygon"):
        return converted(caller, value, parameter.quantity, item)
    if not isinstance(value, Quantity) or value.dimension is not None:
        return kept
    if parameter.quantity is not None or parameter.default is None:
        return kept
    try:
        default = scope.evaluate(parameter.default)
    except Abandon:
        return kept
    if not isinstance(default, Quantity) or default.dimension is None:
        return kept
    return caller.to_dimension(value, default.dimension, item)


def bounds(scope: Scope, item: t.Range) -> tuple[int, int]:
    """Return the first and last number of a range; one that runs backwards is empty."""
    return scope.whole(item.first, "a range's start"), scope.whole(item.last, "a range's end")
