"""What functions of the public face say of a value that they do not take."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final

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
    kind = type(value).__name__
    if isinstance(value, str | Path):
        name = Path(value).as_posix()
        given = f"the name {name!r}"
        made = f'art.load("{name}")' if name.endswith(".artrun") else f'art.read("{name}").world()'
        made = f'art.read_urdf("{name}")' if is_urdf(name) else made
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
    if head in ("Sequence", "Iterable") and inner:
        of, fits = _kind(inner, numbers)

        def each_fits(value: Any) -> bool:
            if isinstance(value, str) or not isinstance(value, Iterable):
                return False
            # what is no list is used up by now
            return not isinstance(value, Sequence | np.ndarray) or all(map(fits, value))

        return f"a list of {of}", each_fits
    plain = PLAIN.get(annotation) or PLAIN.get(head)
    if plain is not None:
        return plain[0], lambda value: isinstance(value, plain[1])
    if annotation.isidentifier():
        return (
            f"art.{annotation}",
            lambda value: annotation in {each.__name__ for each in type(value).__mro__},
        )
    return annotation, lambda value: True


def _numbers(value: Any) -> bool:
    try:
        return value is not None and bool(np.isfinite(np.asarray(value, float)).all())
    except (TypeError, ValueError):
        return False


def _array(value: Any) -> bool:
    return _numbers(value) and np.ndim(value) > 0
