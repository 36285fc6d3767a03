"""Conditions of ``on`` clauses as data in SI: ``("and", (">", "a.angle", 1.0), ...)``.

What a condition reads has the dimension of what it names, so that bare numbers beside it are in
the units of the file, as they are everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from articulata.errors import NameNotFound
from articulata.world.language.elaboration.arithmetic import is_condition
from articulata.world.language.elaboration.data import path_text
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.quantities import Quantity, changing
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import QUANTITIES
from articulata.world.language.vocabulary import EVENT_QUANTITIES, measured_kind
from articulata.world.model import World
from articulata.world.paths import resolve
from articulata.world.requests.request import OptionValue

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
