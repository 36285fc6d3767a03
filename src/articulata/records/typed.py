"""Whether a decoded value is what the type of a field says.

A recording may have been made up: what is decoded from it is looked at before anybody relies on it.
Types that cannot be told at run time are taken as they are.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields
from functools import cache
from typing import Any, Literal, Union

import numpy as np

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
