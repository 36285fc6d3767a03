"""Shape checks while the tests run: every array annotation of the package, on every call.

The package writes shapes as ``Float64[Array, "*batch dof"]`` and looks at none of them. This hook
runs each module of the package as usual and then wraps its functions and methods whose annotations
name an array (``Array`` alone says its element type), so that jaxtyping and beartype check
arguments and result: type, element type, number of axes, and that an axis name stands for one
length within a call. Annotations that are not arrays are left to mypy. Compiled kernels are not
Python functions and stay as they are.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import itertools
import re
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType
from typing import Any

import jaxtyping
import numpy as np
from beartype import beartype

PACKAGE = "articulata"
ARRAYS = "articulata.geometry.arrays"
NAMES = ("Bool", "Float64", "Int64")
OFTEN = 50
FACTORY = type(dataclasses._HAS_DEFAULT_FACTORY)  # type: ignore[attr-defined] # not public
SHAPED = re.compile(rf"\b(?:(?:{'|'.join(NAMES)})\[|(?:Int|Bool)?Array\b)")


class _Names(dict[str, Any]):
    """A module's names; one that only a type checker imports stands for anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def checked(function: FunctionType) -> Callable[..., Any]:
    """Return the function with its array annotations checked, or itself where it has none.

    The verdict depends on types, element types and shapes alone: what has passed is not looked at
    again, and most calls of a run are like one before. Of calls with lists or tables, which do not
    tell what is in them, the first ``OFTEN`` are looked at and then one of ten.
    """
    names = _Names(function.__globals__)
    # A dataclass marks a field that a factory fills by a value of its own; mypy knows that field.
    made = {name for name, default in _defaults(function) if isinstance(default, FACTORY)}
    texts = {
        name: text
        for name, text in function.__annotations__.items()
        if isinstance(text, str) and SHAPED.search(text) and name not in made
    }
    if not texts:
        return function
    shaped = {name: eval(text, {}, names) for name, text in texts.items()}
    # of a row of any length beartype looks at one item, another each time
    alike = _alike_but_rows if any("...]" in text for text in texts.values()) else _alike
    passed: dict[Any, set[Any]] = {}

    @functools.cache
    def check() -> Callable[..., Any]:
        return _checking(function, shaped)

    @functools.cache
    def check_result() -> Callable[..., Any]:
        return _checking(_given_back(function), shaped)

    code = function.__code__
    places = [k for k, name in enumerate(code.co_varnames[: code.co_argcount]) if name in texts]
    looked_at = "return" in texts
    unlike = itertools.count()

    def passes() -> bool:
        number = next(unlike)
        return number >= OFTEN and number % 10 > 0

    @functools.wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        count = len(arguments)
        try:
            given = count, alike([arguments[k] for k in places if k < count])
            if named:
                kept = {name: value for name, value in named.items() if name in texts}
                given = *given, *kept, alike(kept.values())
        except _Unlike:
            return (function if passes() else check())(*arguments, **named)
        seen = passed.get(given)
        result = (function if seen is not None else check())(*arguments, **named)
        if not looked_at:
            if seen is None:
                passed[given] = set()
            return result
        try:
            came = alike((result,))
        except _Unlike:
            came = None
        if seen is None:
            passed[given] = {came}
        elif came not in seen or (came is None and not passes()):
            _result.given = result
            check_result()(*arguments, **named)
            seen.add(came)
        return result

    del wrapper.__wrapped__
    return wrapper


class _Unlike(Exception):
    """A value that its type and its shape do not tell."""


def _alike(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return what is equal for values on which the checks say the same; raises _Unlike."""
    told: list[Any] = []
    for value in values:
        kind = type(value)
        if kind in _plain:
            told.append(kind)
        elif kind is np.ndarray:
            told.append((value.dtype, value.shape))
        elif kind is tuple:
            told.append((kind, _alike(value)))
        elif isinstance(value, np.ndarray):
            told.append((kind, value.dtype, value.shape))
        elif isinstance(value, (list, set, frozenset, Mapping)):
            raise _Unlike
        else:
            _plain.add(kind)
            told.append(kind)
    return tuple(told)


_plain: set[type] = set()
"""Types that tell all that a check looks at in their values."""


def _alike_but_rows(values: Collection[Any]) -> tuple[Any, ...]:
    if any(type(value) is tuple for value in values):
        raise _Unlike
    return _alike(values)


_result = threading.local()
"""``given``: the result that is looked at."""


def _given_back(function: FunctionType) -> FunctionType:
    """Return a function of the same name and arguments that gives the result at hand."""

    def given_back(*_: Any, **__: Any) -> Any:
        return _result.given

    made = functools.update_wrapper(given_back, function)
    del made.__wrapped__
    made.__signature__ = inspect.signature(function)  # type: ignore[attr-defined] # looked up first
    return made  # type: ignore[return-value] # a function with a name of its own


def _checking(function: FunctionType, shaped: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the function with ``shaped``, its annotations, checked on each call."""
    bare = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    functools.update_wrapper(bare, function)
    bare.__dict__.pop("__wrapped__", None)
    bare.__kwdefaults__ = function.__kwdefaults__
    bare.__annotations__ = dict(shaped)
    signature: inspect.Signature | None = getattr(function, "__signature__", None)
    if signature is not None:
        parameters = [
            each.replace(annotation=shaped.get(name, each.empty))
            for name, each in signature.parameters.items()
        ]
        bare.__signature__ = signature.replace(  # type: ignore[attr-defined] # looked up first
            parameters=parameters, return_annotation=shaped.get("return", signature.empty)
        )
    return jaxtyping.jaxtyped(typechecker=beartype)(bare)


def _defaults(function: FunctionType) -> list[tuple[str, Any]]:
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    given = function.__defaults__ or ()
    pairs = zip(positional[len(positional) - len(given) :], given, strict=True)
    return [*pairs, *(function.__kwdefaults__ or {}).items()]


def check_class(cls: type) -> None:
    """Wrap the methods that a class defines itself."""
    for name, value in list(vars(cls).items()):
        new: Any = value
        if isinstance(value, FunctionType):
            new = checked(value)
        elif isinstance(value, (classmethod, staticmethod)):
            inner = value.__func__
            if isinstance(inner, FunctionType) and checked(inner) is not inner:
                new = type(value)(checked(inner))
        elif isinstance(value, property) and isinstance(value.fget, FunctionType):
            new = property(checked(value.fget), value.fset, value.fdel, value.__doc__)
        if new is not value:
            setattr(cls, name, new)


def check_module(module: ModuleType) -> None:
    """Wrap the functions and classes that a module defines itself."""
    if module.__name__ == ARRAYS:
        for name in NAMES:
            setattr(module, name, getattr(jaxtyping, name))
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if isinstance(value, FunctionType):
            setattr(module, name, checked(value))
        elif isinstance(value, type):
            check_class(value)


class _CheckingLoader(Loader):
    def __init__(self, inner: Loader) -> None:
        self.inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.inner.exec_module(module)
        check_module(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)  # get_source, get_data: for tracebacks and resources


class _CheckingFinder(MetaPathFinder):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE:
            return None
        spec = next(
            (
                found
                for finder in sys.meta_path
                if finder is not self and hasattr(finder, "find_spec")
                if (found := finder.find_spec(fullname, path, target)) is not None
            ),
            None,
        )
        if spec is not None and spec.loader is not None:
            spec.loader = _CheckingLoader(spec.loader)
        return spec


def install() -> None:
    """Check every module of the package that is imported from here on."""
    loaded: Mapping[str, ModuleType] = sys.modules
    early = [name for name in loaded if name.partition(".")[0] == PACKAGE]
    assert not early, f"imported before the shape checks were in place: {early}"
    sys.meta_path.insert(0, _CheckingFinder())
