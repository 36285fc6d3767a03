"""Arguments of kernels that are taken apart once, for those who call at every tick.

Numba takes each array of a call apart, 0.2 us for each one: more than the work of a small kernel
that is given thirty of them. ``Held`` keeps where they lie, and ``opened`` reads that in a kernel.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, models, register_model
from numba.extending import intrinsic as _untyped_intrinsic
from numba.extending import typeof_impl as _untyped_typeof
from numba.extending import unbox as _untyped_unbox

Value = TypeVar("Value")

_WORD = ir.IntType(64)


class Held(Generic[Value]):
    """A ``value``: an array, a number or a tuple of these, named or not, one in another.

    Kernels see what is written into its arrays later; the arrays themselves stay. ``held.value`` is
    what it was made of.
    """

    def __init__(self, value: Value) -> None:
        self.value = value
        self._kind = HeldType(numba.typeof(value))
        self._words = np.array(list(_words(value)), np.int64)
        self.address = int(self._words.ctypes.data)


def _words(value: Any) -> Iterator[int]:
    """Yield what ``_read`` reads."""
    if isinstance(value, tuple):
        for each in value:
            yield from _words(each)
    elif isinstance(value, np.ndarray):
        yield from (value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    elif isinstance(value, float):
        yield from struct.unpack("q", struct.pack("d", value))
    else:
        yield int(value)


class HeldType(types.Type):
    """Numba type of a held value of the type ``inner``."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        super().__init__(name=f"Held({inner})")


@register_model(HeldType)
class _HeldModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, _WORD.as_pointer())


def _typeof(value: Held[Any], _context: Any) -> Any:
    return value._kind


def _unboxed(_kind: Any, value: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(value, "address")
    number = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.inttoptr(number, _WORD.as_pointer()))


_declared: tuple[Callable[..., Any], ...] = (
    _untyped_typeof.register(Held)(_typeof),
    _untyped_unbox(HeldType)(_unboxed),
)


def _read(context: Any, builder: Any, kind: Any, word: Callable[[], Any]) -> Any:
    """Return a value of a type from the words that come next."""
    if isinstance(kind, types.BaseTuple):
        inside: Any = kind
        parts = [_read(context, builder, each, word) for each in inside.types]
        return context.make_tuple(builder, kind, parts)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        array.nitems, array.itemsize = word(), word()
        array.data = builder.inttoptr(word(), array.data.type)
        array.shape = cgutils.pack_array(builder, [word() for _ in range(kind.ndim)])
        array.strides = cgutils.pack_array(builder, [word() for _ in range(kind.ndim)])
        # nobody counts who refers to it: the held value does
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.Float):
        return builder.bitcast(word(), ir.DoubleType())
    return builder.trunc(word(), context.get_value_type(kind))


def _opened(_typing: Any, held: Any) -> Any:
    """Return in a kernel the value that is ``held``."""
    if not isinstance(held, HeldType):
        return None

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        places = iter(range(1 << 16))

        def word() -> Any:
            place = ir.Constant(ir.IntType(32), next(places))
            return builder.load(builder.gep(arguments[0], [place]))

        return _read(context, builder, held.inner, word)

    return held.inner(held), generate


opened: Callable[..., Any] = _untyped_intrinsic(_opened)
