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
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType
from typing import Any

import jaxtyping
from beartype import beartype

PACKAGE = "articulata"
ARRAYS = "articulata.geometry.arrays"
NAMES = ("Bool", "Float64", "Int64")
FACTORY = type(dataclasses._HAS_DEFAULT_FACTORY)  # type: ignore[attr-defined] # not public
SHAPED = re.compile(rf"\b(?:(?:{'|'.join(NAMES)})\[|(?:Int|Bool)?Array\b)")


class _Names(dict[str, Any]):
    """A module's names; one that only a type checker imports stands for anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def checked(function: FunctionType) -> Callable[..., Any]:
    """Return the function with its array annotations checked, or itself where it has none."""
    names = _Names(function.__globals__)
    # A dataclass marks a field that a factory fills by a value of its own; mypy knows that field.
    made = {name for name, default in _defaults(function) if isinstance(default, FACTORY)}
    shaped = {
        name: eval(text, {}, names)
        for name, text in function.__annotations__.items()
        if isinstance(text, str) and SHAPED.search(text) and name not in made
    }
    if not shaped:
        return function
    bare = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    functools.update_wrapper(bare, function)
    del bare.__wrapped__  # type: ignore[attr-defined] # set by the line above
    bare.__kwdefaults__ = function.__kwdefaults__
    bare.__annotations__ = shaped
    wrapper = jaxtyping.jaxtyped(typechecker=beartype)(bare)
    wrapper.__annotations__ = function.__annotations__
    return wrapper  # type: ignore[no-any-return] # jaxtyped gives back a callable


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
