"""What functions of the public face say of a value that they do not take."""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import SimpleNamespace, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from articulata.errors import ArticulataError, WorldError
from articulata.world.foreign_files import is_urdf

PLAIN: Final[Mapping[str, tuple[str, type | tuple[type, ...]]]] = {
    "str": ("a text", str),
    "bytes": ("bytes", bytes),
    "bool": ("True or False", (bool, np.bool_)),
    "int": ("a whole number", Integral),
    "float": ("a number", Real),
    "Fraction": ("a fraction", Real),
    "None": ("None", type(None)),
    "Path": ("a path", Path),
    "os.PathLike[str]": ("a path", os.PathLike),
    "Mapping": ("a mapping", Mapping),
}
"""Words and classes of what annotations name besides the classes of the public face."""

_READ: Final = re.compile("world|recording|request|figure", re.IGNORECASE)
"""What files are read as."""

NUMBERS: Final = re.compile(r"npt\.ArrayLike|Float64\[|Array\b")
"""Annotations of arrays of numbers."""


def not_taken(call: str, due: str, value: object) -> ArticulataError:
    """Return the error of a ``call`` that takes ``due`` and was given ``value``.

    A file's name, a text's document and a request are told how to be made what is due.
    """
    kind = str(value)[:60] if isinstance(value, tuple) else type(value).__name__
    if isinstance(value, str | Path):
        name = Path(value).as_posix()
        given = f"the {'text' if 'number' in due else 'name'} {name!r}"
        made = f'art.load("{name}")' if name.endswith(".artrun") else f'art.read("{name}").world()'
        if is_urdf(name) and "world" not in due:
            made = f'art.read_urdf("{name}")'
        read = f"; read the file first: {made}" if _READ.search(due) else ""
        return ArticulataError(f"{call} takes {due}, not {given}{read}")
    how = {
        "Document": "; give document.world(NAME) or one of document.requests",
        "Request": "; give request.elaborate()",
        "World": "; simulate it first: art.simulate(world, until=1.0)",
    }.get(kind, "")
    return ArticulataError(f"{call} takes {due}, not {kind}{how}")


def not_a_text(value: object) -> WorldError:
    """Return the error of ``art.parse`` where it was given no text, most often a file's name."""
    if isinstance(value, str | Path):
        name = Path(value).as_posix()
        return WorldError(f"{name}: this is the name of a file; read it: art.read({name!r})")
    return WorldError(f"art.parse takes a text, not {type(value).__name__}")


def explained(call: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` with words for arguments that it stumbles over.

    Where it fails with an error of Python's, the first argument that does not fit its annotation
    is told; then a number where an array is due, then shapes. Where all fit and no array was given
    the error is as it was: that is our own mistake.
    """

    @functools.wraps(function)
    def asked(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except ArticulataError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            given = _given(function, args, named)
            for numbers in (_numbers, _array):
                for name, (annotation, value) in given.items():
                    kinds = [_kind(each.strip(), numbers) for each in annotation.split("|")]
                    if not any(fits(value) for _, fits in kinds):
                        due = " or ".join(dict.fromkeys(words for words, _ in kinds))
                        raise not_taken(call, f"{due} as '{name}'", value) from error
            shapes = [
                f"'{name}' of shape {np.shape(value)}"
                for name, (annotation, value) in given.items()
                if NUMBERS.search(annotation)
            ]
            if shapes and not isinstance(error, AttributeError):
                raise ArticulataError(
                    f"{call} cannot take {' with '.join(shapes)}: {error}; help(art.{call}) tells "
                    "the shapes that are due"
                ) from error
            raise

    return asked


_SHARE: Final = ("a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
_FROM_0: Final = ("a finite number of 0 or more", lambda x: 0.0 <= x < np.inf)
_ABOVE_0: Final = ("a finite number above 0", lambda x: 0.0 < x < np.inf)
RANGES: Final[Mapping[str, tuple[str, Callable[[float], bool] | None]]] = {
    **dict.fromkeys(("restitution", "mutation", "share"), _SHARE),
    **dict.fromkeys(("stiffness", "shear_stiffness", "damping", "friction", "static_friction",
                     "mass", "load", "goal"), _FROM_0),
    **dict.fromkeys(("density", "iterations", "archive", "exchange"), _ABOVE_0),
}  # fmt: skip
"""Arguments that mean the same in every public class, by name: what they take, in words too."""

_OWN: Final = ("articulata", "dataclasses", "copy", "pickle")
"""Whose makings of public classes are not looked at."""


def guarded(call: str, kind: type) -> None:
    """Have a public class say what it does not take: where it stumbles, or would keep it unasked.

    Only what somebody outside makes is looked at.
    """
    made: Callable[..., None] = kind.__init__  # type: ignore[misc] # of this class, no subclass
    if hasattr(vars(kind).get("__init__"), "guarded") or made is object.__init__:
        return
    asked = explained(call, made)
    hints: dict[str, Any] = {}

    @functools.wraps(made)
    def init(self: Any, *args: Any, **named: Any) -> None:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.partition(".")[0] in _OWN or type(self) is not kind:
            made(self, *args, **named)
            return
        asked(self, *args, **named)
        for name, (annotation, value) in _given(made, (self, *args), named).items():
            if name not in hints:
                hints[name] = _hint(annotation, kind.__module__)
            if not _could_be(hints[name], value):
                hint = hints[name]
                shown = hint.__name__ if type(hint) is type else str(hint).replace("typing.", "")
                kinds = [_kind(each.strip(), _numbers) for each in shown.split("|")]
                due = " or ".join(dict.fromkeys(words for words, _ in kinds))
                raise not_taken(call, f"{due} as '{name}'", value)
            due, holds = RANGES.get(name, ("", None))
            if holds is not None and isinstance(value, Real) and not holds(float(value)):
                raise ArticulataError(f"{call} takes {due} as '{name}', not {value}")

    init.guarded = True  # type: ignore[attr-defined] # a mark of ours
    kind.__init__ = init  # type: ignore[misc] # the one place where it is changed


def _hint(annotation: str, module: str) -> Any:
    """Return the type that an annotation of a module names; Any where type checkers alone know."""
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(holder, vars(sys.modules[module]))["it"]
    except (NameError, SyntaxError, TypeError, AttributeError):
        return Any


def _could_be(hint: Any, value: Any) -> bool:
    """Say whether a value may stand for a type: texts and numbers are no objects of ours."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_could_be(each, value) for each in inner)
    if origin is Literal:
        return any(isinstance(value, type(each)) and value == each for each in inner)
    if hint in (int, float):
        return isinstance(value, Integral if hint is int else Real)
    if hint in (str, bool):
        return isinstance(value, (hint, np.bool_) if hint is bool else hint)
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin is not Mapping:
        if isinstance(value, str) or not isinstance(value, Iterable):
            return False
        if origin is tuple and inner[1:2] != (...,) and isinstance(value, list | tuple):
            return len(inner) == len(value) and all(map(_could_be, inner, value))
        one = inner[0] if inner and (len(inner) == 1 or inner[-1] is ...) else Any
        return not isinstance(value, list | tuple) or all(_could_be(one, each) for each in value)
    if hint is type(None):
        return value is None
    if not isinstance(hint, type) or issubclass(hint, Enum | PathLike | np.ndarray):
        return True
    ours = hint.__module__.startswith("articulata.") and not getattr(hint, "_is_protocol", False)
    plain = isinstance(value, str | Real | list | tuple | dict | np.ndarray | None)
    return not ours or not plain or isinstance(value, hint)


def _given(
    function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]
) -> Mapping[str, tuple[str, Any]]:
    """Return the annotation and the value of each argument that was given by its name."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **named).arguments
    except TypeError:
        return {}  # too many or too few: Python says which
    kinds = {name: signature.parameters[name] for name in given}
    return {
        name: (str(parameter.annotation), given[name])
        for name, parameter in kinds.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def _kind(annotation: str, numbers: Callable[[Any], bool]) -> tuple[str, Callable[[Any], bool]]:
    """Return the words of one annotation, and what says whether a value fits it."""
    head, _, inner = annotation.removesuffix("]").partition("[")
    if NUMBERS.match(annotation):
        return "finite numbers", numbers
    if head == "Literal":
        return f"one of {inner}", lambda value: isinstance(value, str) and f"'{value}'" in inner
    if head in ("Sequence", "Iterable", "tuple") and inner:
        count = 0 if "..." in inner or head != "tuple" or "[" in inner else inner.count(",") + 1
        of, fits = _kind(inner if "[" in inner else inner.split(",")[0], numbers)
        many = f"{of.removeprefix('a ')}s" if of.startswith("a ") else of

        def each_fits(value: Any) -> bool:
            if isinstance(value, str) or not isinstance(value, Iterable):
                return False
            # what is no list is used up by now
            return not isinstance(value, Sequence | np.ndarray) or all(map(fits, value))

        return f"{count or 'a list of'} {many}", each_fits
    plain = PLAIN.get(annotation) or PLAIN.get(head)
    if plain is not None:
        return plain[0], lambda value: isinstance(value, plain[1])
    word = annotation.rpartition(".")[2]
    if word.isidentifier():
        return f"art.{word}", lambda value: word in {each.__name__ for each in type(value).__mro__}
    return annotation, lambda value: True


def _numbers(value: Any) -> bool:
    try:
        return value is not None and bool(np.isfinite(np.asarray(value, float)).all())
    except (TypeError, ValueError):
        return False


def _array(value: Any) -> bool:
    return _numbers(value) and np.ndim(value) > 0
