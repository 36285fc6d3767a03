"""How worlds, edits and other frozen values become msgpack, and come back.

A value is written as a table of nodes, each once: a node is a dataclass, mapping, set or array,
and refers to earlier nodes by number. Equal parts of a world (the features of a thousand equal
rods) are stored and restored as one object. A dataclass is named by module and class; only
dataclasses of the rooms below this one are ever made, and nothing is executed. A field that this
version does not know is dropped, one that is missing takes its default, and a class that is not
known comes back as an ``Unknown`` that can be shown and passed on.

A recording may have been made up: what is decoded is compared with the types of its fields before
anybody relies on it. Types that cannot be told at run time are taken as they are.
"""

from __future__ import annotations

import importlib
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, Union

import msgspec
import numpy as np

from articulata.errors import RecordingError
from articulata.world.values import Span

Test = Callable[[Any], bool]


def misfits(kind: type[Any], values: Mapping[str, Any], others: type[Any]) -> list[str]:
    """Return the fields of dataclass ``kind`` whose ``values`` are of another type.

    Values of the class ``others`` fit everywhere: they stand for classes of another version.
    """
    tests = _tests(kind, others)  # type: ignore[arg-type] # classes are hashable
    return [name for name, value in values.items() if name in tests and not tests[name](value)]


@cache
def _tests(kind: type[Any], others: type[Any]) -> dict[str, Test]:
    module, found = vars(sys.modules[kind.__module__]), {}
    for field in fields(kind):
        written = types.SimpleNamespace(__annotations__={field.name: field.type})
        try:
            hints = typing.get_type_hints(written, globalns=module)
        except (NameError, TypeError):  # a name that only type checkers see
            continue
        found[field.name] = _test(hints[field.name], others)
    return found


def _test(hint: Any, others: type[Any]) -> Test:
    """Return what tells whether a value is a ``hint``."""
    inside = [_test(each, others) for each in typing.get_args(hint) if each is not Ellipsis]
    origin = typing.get_origin(hint)
    if hint is None or hint is type(None):
        return lambda value: value is None
    if origin in (Union, types.UnionType):
        return lambda value: any(test(value) for test in inside)
    if origin is Literal:
        words = typing.get_args(hint)
        return lambda value: isinstance(value, str | int) and value in words
    if origin is tuple:
        return _tuple_test(inside, many=Ellipsis in typing.get_args(hint))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return lambda value: (
            isinstance(value, Mapping)
            and all(inside[0](key) and inside[1](item) for key, item in value.items())
        )
    if isinstance(origin, type) and issubclass(origin, AbstractSet):
        return lambda value: isinstance(value, AbstractSet) and all(map(inside[0], value))
    if origin is not None:
        return (lambda value: isinstance(value, origin)) if origin is np.ndarray else _anything
    return _plain_test(hint, others)


def _tuple_test(inside: list[Test], *, many: bool) -> Test:
    if many:
        return lambda value: isinstance(value, tuple) and all(map(inside[0], value))
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(inside)
        and all(test(item) for test, item in zip(inside, value, strict=True))
    )


def _plain_test(hint: Any, others: type[Any]) -> Test:
    if hint is float:
        return lambda value: isinstance(value, float | int) and not isinstance(value, bool)
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(hint, type) or hint is object:
        return _anything
    try:
        isinstance(None, hint)
    except TypeError:  # a protocol that is for type checkers alone
        return _anything
    return lambda value: isinstance(value, hint | others)


def _anything(_: Any) -> bool:
    return True


REFERENCE = 1
"""Extension type of a reference to an earlier node: four bytes, little-endian."""

ROOMS = ("articulata.world.", "articulata.geometry.")
"""Rooms whose dataclasses may stand in a recording."""

RENAMED: dict[str, str] = {
    f"articulata.world.figures:{name}": f"articulata.world.figures.nodes:{name}"
    for name in ("FigureNode", "Following", "JointRow", "LinkData", "RouteNode", "TableNode")
} | {
    f"articulata.world.requests:{name}": f"articulata.world.requests.request:{name}"
    for name in ("Action", "Report", "Request", "Rule")
}
"""Names of classes in older recordings, and what they are called today."""

MOVED = {
    f"articulata.{old}": f"articulata.{new}"
    for old, new in (
        ("world.edits.figures", "world.edits.figure_edits"),
        ("world.edits.forces", "world.edits.force_edits"),
        ("world.edits.motions", "world.edits.motion_edits"),
        ("world.edits.pairs", "world.edits.pair_edits"),
        ("world.edits.structure", "world.edits.structure_edits"),
        ("world.edits.values", "world.edits.value_edits"),
        ("world.pairs", "world.contact_pairs"),
    )
}
"""Modules in older recordings, and what they are called today."""

_MAPPING, _SET, _ARRAY = "{}", "#", "[]"


SHAPES = "articulata.geometry."
"""The room of the classes that a recording can be read without."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of a class this version does not know: its ``name`` and ``fields``."""

    name: str
    fields: Mapping[str, object]


class _Table:
    """Nodes in the order they are first met, equal ones once."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self._number: dict[bytes, int] = {}
        # Kept alive beside their numbers, so that an id is never given to another object.
        self._seen: dict[int, tuple[object, msgspec.msgpack.Ext]] = {}

    def flat(self, value: object) -> object:
        """Return what stands for ``value`` in a node: a plain value or a reference."""
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, float):
            return float(value)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, bytes):
            return value
        if isinstance(value, np.generic):
            return self.flat(value.item())
        if isinstance(value, tuple | list):
            return [self.flat(item) for item in value]
        known = self._seen.get(id(value))
        if known is None:
            known = value, self._refer(self._node(value))
            self._seen[id(value)] = known
        return known[1]

    def _node(self, value: object) -> list[object]:
        if isinstance(value, Mapping):
            return [_MAPPING, [[self.flat(key), self.flat(item)] for key, item in value.items()]]
        if isinstance(value, frozenset | set):
            members = [self.flat(item) for item in value]
            return [_SET, sorted(members, key=msgspec.msgpack.encode)]
        if isinstance(value, np.ndarray):
            data = little_endian(value)
            return [_ARRAY, data.dtype.str, list(data.shape), data.tobytes()]
        if isinstance(value, Unknown):
            return [value.name, {key: self.flat(item) for key, item in value.fields.items()}]
        if isinstance(value, Span):
            # A folder's name would make the same run differ from machine to machine.
            value = value.without_folder()
        kind: type[object] = type(value)
        if is_dataclass(kind):
            name, parts = _described(kind)
            if not name.startswith(ROOMS):
                raise RecordingError(
                    f"a value of {name.replace(':', '.')} cannot be recorded; dataclasses"
                    f" of {' and '.join(room.rstrip('.') for room in ROOMS)} can"
                )
            return [name, {part: self.flat(getattr(value, part)) for part in parts}]
        raise RecordingError(
            f"a value of type {type(value).__name__} cannot be recorded; numbers, strings, tuples,"
            " mappings, sets, arrays and frozen dataclasses can"
        )

    def _refer(self, node: list[object]) -> msgspec.msgpack.Ext:
        packed = msgspec.msgpack.encode(node)
        number = self._number.setdefault(packed, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(packed)
        return msgspec.msgpack.Ext(REFERENCE, number.to_bytes(4, "little"))


def little_endian(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return ``value`` contiguous and little-endian, bit for bit the same numbers."""
    if value.dtype.kind not in "fiub":
        raise RecordingError(
            f"an array of {value.dtype} cannot be recorded; floats, integers and booleans can"
        )
    data = np.ascontiguousarray(value).reshape(value.shape)
    return data.astype(data.dtype.newbyteorder("<"), copy=False)


def encode(value: object) -> list[object]:
    """Return ``value`` as a list that msgpack can hold: its nodes, then its root."""
    table = _Table()
    root = table.flat(value)
    return [table.nodes, root]


def decode(packed: list[Any]) -> Any:
    """Return the value that ``encode`` was given, tuples for lists, mappings read-only.

    Raises RecordingError where that is not what ``encode`` makes of any value.
    """
    try:
        return _decoded(packed)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _senseless(f"{type(error).__name__}: {error}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise _senseless(str(error)) from error


def _senseless(why: str) -> RecordingError:
    return RecordingError(
        f"the recording holds a value that no version of Articulata writes ({why}); it was changed"
        " or made up"
    )


def _decoded(packed: list[Any]) -> Any:
    nodes, root = packed
    made: list[Any] = []

    def thing(value: Any) -> Any:
        if isinstance(value, list):
            return tuple(thing(item) for item in value)
        if isinstance(value, msgspec.msgpack.Ext):
            return made[int.from_bytes(bytes(value.data), "little")]
        return value

    for packed_node in nodes:
        node = msgspec.msgpack.decode(packed_node)
        tag = node[0]
        if tag == _MAPPING:
            made.append(MappingProxyType({thing(key): thing(item) for key, item in node[1]}))
        elif tag == _SET:
            made.append(frozenset(thing(item) for item in node[1]))
        elif tag == _ARRAY:
            array = np.frombuffer(node[3], np.dtype(node[1])).reshape(node[2])
            made.append(array.astype(array.dtype.newbyteorder("="), copy=False))
        else:
            made.append(_make(tag, {name: thing(item) for name, item in node[1].items()}))
    return thing(root)


def _make(name: str, values: dict[str, Any]) -> Any:
    module, _, short = RENAMED.get(name, name).rpartition(":")
    kind = _kind(f"{MOVED.get(module, module)}:{short}")
    if kind is None:
        return Unknown(name, MappingProxyType(values))
    wrong = misfits(kind, values, Unknown)
    found = (each for each in _held(values) if isinstance(each, Unknown))
    strange = next((each for each in found if not each.name.startswith(SHAPES)), None)
    if strange is not None:
        # What holds it could neither be read nor moved; a shape is needed to be drawn alone.
        raise RecordingError(
            f"a {kind.__name__} of this recording holds a '{strange.name.rpartition(':')[2]}', "
            "which this version of articulata does not know; open it with the one that wrote it"
        )
    if wrong:
        raise _senseless(f"a {kind.__name__} with another '{wrong[0]}'")
    # Fields are set one by one: a constructor might round or reorder what was valid when written.
    made = object.__new__(kind)
    for item in fields(kind):
        if item.name in values:
            value = values[item.name]
        elif item.default is not MISSING:
            value = item.default
        elif item.default_factory is not MISSING:
            value = item.default_factory()
        else:
            return Unknown(name, MappingProxyType(values))
        object.__setattr__(made, item.name, value)
    return made


def _held(values: Mapping[str, Any]) -> Iterator[object]:
    """Yield what stands in fields, and in mappings and tuples that stand there."""
    for value in values.values():
        yield value
        if isinstance(value, Mapping):
            yield from value.values()
        elif isinstance(value, tuple):
            yield from value


@cache
def _kind(name: str) -> type[Any] | None:
    module, _, kind = name.rpartition(":")
    if not module.startswith(ROOMS):
        return None
    try:
        found = getattr(importlib.import_module(module), kind, None)
    except ImportError:
        return None
    return found if isinstance(found, type) and is_dataclass(found) else None


@cache
def _described(kind: type[object]) -> tuple[str, tuple[str, ...]]:
    assert is_dataclass(kind)
    return f"{kind.__module__}:{kind.__qualname__}", tuple(item.name for item in fields(kind))
