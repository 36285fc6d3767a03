"""Edits and nodes of a world as plain data: dictionaries, lists, strings and numbers.

For tables, JSON and other programs. Recordings have a denser form of their own. Spans are left
out; ``from_data`` gives an equal value back. Only classes of the world and of shapes are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from articulata.errors import WorldError

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


def to_data(value: object) -> Plain:
    """Return a value as plain data; a dataclass is a dictionary with its class under "is"."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [to_data(item) for item in value]
    if isinstance(value, frozenset | set):
        return {"is": "set", "items": sorted((to_data(item) for item in value), key=repr)}
    if isinstance(value, Mapping):
        return {"is": "mapping", "items": [[str(k), to_data(v)] for k, v in value.items()]}
    if isinstance(value, np.ndarray):
        return {"is": "array", "items": value.tolist(), "dtype": str(value.dtype)}
    name = type(value).__name__
    if is_dataclass(value) and name in _classes():
        data: dict[str, Plain] = {"is": name}
        for each in fields(value):
            if each.name != "span" and each.init:
                data[each.name] = to_data(getattr(value, each.name))
        return data
    raise WorldError(f"a {name} is no part of a world and has no plain form")


def from_data(data: Any) -> Any:
    """Return the value that ``to_data`` turned into ``data``; raise WorldError on anything else."""
    if isinstance(data, list | tuple):
        return tuple(from_data(item) for item in data)
    if not isinstance(data, dict):
        return data
    name = data.get("is")
    try:
        if name == "set":
            return frozenset(from_data(item) for item in data["items"])
        if name == "mapping":
            return MappingProxyType({key: from_data(item) for key, item in data["items"]})
        if name == "array":
            return np.array(data["items"], dtype=data["dtype"])
        kind = _classes().get(str(name))
        if kind is None:
            raise WorldError(f"there is no {name!r} in a world; the data is of another kind")
        values = {key: from_data(item) for key, item in data.items() if key != "is"}
        return kind(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise WorldError(f"the data of a {name!r} cannot be read: {error}") from error


@cache
def _classes() -> Mapping[str, type]:
    """Return the dataclasses that may stand in plain data, by name."""
    from articulata.geometry import shapes
    from articulata.world import contact_pairs, hinges, model, values
    from articulata.world.edits import (
        figure_edits,
        force_edits,
        motion_edits,
        pair_edits,
        structure_edits,
        value_edits,
    )
    from articulata.world.figures import nodes as figures

    found: dict[str, type] = {}
    edits = (
        structure_edits,
        force_edits,
        value_edits,
        pair_edits,
        figure_edits,
        motion_edits,
    )
    for module in (shapes, hinges, values, contact_pairs, model, figures, *edits):
        for name, item in vars(module).items():
            if isinstance(item, type) and is_dataclass(item) and item.__module__ == module.__name__:
                assert name not in found, name
                found[name] = item
    return found
