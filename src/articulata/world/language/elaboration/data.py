"""Expressions as plain data: SI numbers, words and paths as text, tuples of these."""

from __future__ import annotations

from typing import Any

from articulata.world.language.elaboration.evaluate import Scope, Turned, Value
from articulata.world.language.elaboration.quantities import Quantity
from articulata.world.language.elaboration.shape_calls import PutValue
from articulata.world.language.syntax import tree as t
from articulata.world.requests.request import OptionValue


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
