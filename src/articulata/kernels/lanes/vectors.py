"""Lanes: a value that stands for many points at once, so that scalar-looking code runs on SIMD.

Numba leaves vectorisation to LLVM's loop passes, which reach a few per cent of what the machine
can do on inverse kinematics (one long dependent computation per point). Here a value of the
type ``Lanes`` is one LLVM vector holding the same quantity of many independent points; the
arithmetic operators, comparisons, ``where``, ``sqrt`` ... act on all points together.

A kernel is written once. It reads its points from *rows*: given rows of shape
``(count, lane_count)`` it runs that many points at once; given rows of shape ``(count,)`` every
value is an ordinary scalar and the same source is the scalar twin: the oracle in tests and the
low-overhead path for one point.

Branches cannot differ between lanes: compute both sides and choose with ``where``. Loops end
when ``any_lane(live)`` is false.

Rounding follows the written order (multiply-add may fuse, nothing is reassociated) and a NaN in
one lane stays in that lane.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic as _untyped_intrinsic
from numba.extending import lower_builtin, models, register_model

from articulata.kernels.lanes.host import LANES_FLOAT32, LANES_FLOAT64

FLAGS = ("contract", "nsz")
"""LLVM flags on every lane operation: fuse multiply-adds, ignore the sign of zero sums."""

FASTMATH = {"contract", "nsz"}
"""The same for ``kernel(fastmath=...)``, so that the scalar twin rounds alike."""

_COUNTS = {types.float32: LANES_FLOAT32, types.float64: LANES_FLOAT64}


class Lanes(types.Type):
    """Numba type of one quantity of ``count`` independent points."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype = dtype
        self.count = count
        super().__init__(name=f"Lanes({dtype}, {count})")


class Mask(types.Type):
    """Numba type of one truth value for each of ``count`` points, whose values are ``dtype``."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype = dtype
        self.count = count
        super().__init__(name=f"Mask({dtype}, {count})")


def _llvm_type(lanes: Any) -> Any:
    element = ir.FloatType() if lanes.dtype == types.float32 else ir.DoubleType()
    return ir.VectorType(element, lanes.count)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, _llvm_type(fe_type))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, ir.VectorType(ir.IntType(1), fe_type.count))


def workspace(rows: int, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """Return zeroed rows of shape ``(rows, lane_count)``, aligned to a cache line."""
    kind = np.dtype(dtype)
    count = LANES_FLOAT32 if kind == np.float32 else LANES_FLOAT64
    space = aligned((rows, count), kind)
    space[:] = 0
    return space


def aligned(shape: tuple[int, int], dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """Return an array of undefined content that begins with a cache line.

    Registers as wide as a cache line that straddle two are written at half the speed.
    """
    kind = np.dtype(dtype)
    spare = 64 // kind.itemsize
    flat = np.empty(shape[0] * shape[1] + spare, kind)
    offset = -flat.ctypes.data % 64 // kind.itemsize
    return flat[offset : offset + shape[0] * shape[1]].reshape(shape)


# Conversions between scalars and lanes


def _splat(builder: Any, value: Any, count: int) -> Any:
    vector = ir.VectorType(value.type, count)
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(first, nothing, zeros)


def _convert(context: Any, builder: Any, value: Any, given: Any, wanted: Any) -> Any:
    """Bring a scalar or lane value to the type ``wanted`` (lanes or scalar)."""
    if isinstance(given, Lanes):
        return value
    if isinstance(wanted, Lanes):
        return _splat(builder, context.cast(builder, value, given, wanted.dtype), wanted.count)
    return context.cast(builder, value, given, wanted)


def _is_scalar(kind: Any) -> bool:
    return isinstance(kind, types.Float | types.Integer)


def _common(*kinds: Any) -> Any:
    """Return the type that an operation on these operands has, or None where there is none."""
    lanes = {kind for kind in kinds if isinstance(kind, Lanes)}
    if len(lanes) > 1:
        return None
    if lanes:
        return lanes.pop() if all(isinstance(k, Lanes) or _is_scalar(k) for k in kinds) else None
    floats = [kind for kind in kinds if isinstance(kind, types.Float)]
    if not floats or not all(_is_scalar(kind) for kind in kinds):
        return None
    return max(floats, key=lambda kind: kind.bitwidth)


# Operators


def _declare(op: Any, arity: int, result: Any) -> None:
    """Teach Numba's typing that ``op`` takes lanes and scalars."""

    def generic(self: Any, args: Any, kws: Any) -> Any:
        given = [types.unliteral(kind) for kind in args]
        if kws or len(given) != arity or not any(isinstance(k, Lanes | Mask) for k in given):
            return None
        outcome = result(*given)
        return None if outcome is None else signature(outcome, *given)

    infer_global(op)(type(f"_Lanes_{op.__name__}", (AbstractTemplate,), {"generic": generic}))


def _lower(op: Any, emit: Any) -> None:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = _common(*sig.args)
        both = zip(args, sig.args, strict=True)
        return emit(builder, *(_convert(context, builder, a, k, lanes) for a, k in both))

    lower_builtin(op, Lanes, Lanes)(lower)
    for scalar in (types.Float, types.Integer):
        lower_builtin(op, Lanes, scalar)(lower)
        lower_builtin(op, scalar, Lanes)(lower)


for _op, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _declare(_op, 2, _common)
    _lower(_op, lambda b, x, y, name=_name: getattr(b, name)(x, y, flags=FLAGS))


def _mask_of(x: Any, y: Any) -> Any:
    lanes = _common(x, y)
    return Mask(lanes.dtype, lanes.count) if isinstance(lanes, Lanes) else None


for _op, _sign in (
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.lt, "<"),
    (operator.le, "<="),
):
    _declare(_op, 2, _mask_of)
    _lower(_op, lambda b, x, y, sign=_sign: b.fcmp_ordered(sign, x, y))


def _negate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


_declare(operator.neg, 1, lambda kind: kind if isinstance(kind, Lanes) else None)
lower_builtin(operator.neg, Lanes)(_negate)


def _both_masks(x: Any, y: Any) -> Any:
    return x if isinstance(x, Mask) and x == y else None


for _op, _name in ((operator.and_, "and_"), (operator.or_, "or_"), (operator.xor, "xor")):
    _declare(_op, 2, _both_masks)
    lower_builtin(_op, Mask, Mask)(
        lambda context, builder, sig, args, name=_name: getattr(builder, name)(*args)
    )


def intrinsic(build: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of kernels from its type rule and code generator (Numba's decorator)."""
    made: Callable[..., Any] = _untyped_intrinsic(build)
    return made


# Functions. Each takes lanes or scalars; a scalar alone gives the scalar result.


_GRAPHICS_NAMES = {"fabs", "rint", "floor", "copysign"}
"""Functions that NVIDIA's compiler takes from its own library, not as LLVM intrinsics."""


def _call(builder: Any, name: str, *values: Any) -> Any:
    """Call an LLVM intrinsic such as llvm.sqrt on lanes or scalars."""
    kind = values[0].type
    element = kind.element if isinstance(kind, ir.VectorType) else kind
    single = isinstance(element, ir.FloatType)
    if builder.module.triple.startswith("nvptx") and name in _GRAPHICS_NAMES:
        full_name = f"__nv_{name}{'f' if single else ''}"
    else:
        width = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
        full_name = f"llvm.{name}.{width}f{32 if single else 64}"
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [kind] * len(values)), full_name
    )
    return builder.call(function, values, fastmath=FLAGS)


def _elementwise(kind: Any, name: str) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        both = zip(args, sig.args, strict=True)
        return _call(builder, name, *(_convert(context, builder, a, k, kind) for a, k in both))

    return codegen


@intrinsic
def sqrt(typing: Any, x: Any) -> Any:
    """Square root; NaN below zero."""
    kind = _common(x)
    return kind(x), _elementwise(kind, "sqrt")


@intrinsic
def absolute(typing: Any, x: Any) -> Any:
    """Absolute value."""
    kind = _common(x)
    return kind(x), _elementwise(kind, "fabs")


@intrinsic
def nearest(typing: Any, x: Any) -> Any:
    """Nearest whole number (halves to even), as a floating-point value."""
    kind = _common(x)
    return kind(x), _elementwise(kind, "rint")


@intrinsic
def floor(typing: Any, x: Any) -> Any:
    """Largest whole number not above x, as a floating-point value."""
    kind = _common(x)
    return kind(x), _elementwise(kind, "floor")


@intrinsic
def copysign(typing: Any, x: Any, sign: Any) -> Any:
    """Magnitude of x with the sign of ``sign``."""
    kind = _common(x, sign)
    return kind(x, sign), _elementwise(kind, "copysign")


@intrinsic
def fma(typing: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x * y + z, rounded once."""
    kind = _common(x, y, z)
    return kind(x, y, z), _elementwise(kind, "fma")


def _smaller(sign: str) -> Any:
    def build(x: Any, y: Any) -> Any:
        kind = _common(x, y)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a, b = (
                _convert(context, builder, v, k, kind) for v, k in zip(args, sig.args, strict=True)
            )
            return builder.select(builder.fcmp_ordered(sign, a, b), a, b)

        return kind(x, y), codegen

    return build


@intrinsic
def minimum(typing: Any, x: Any, y: Any) -> Any:
    """Return the smaller value; y where either is NaN."""
    return _smaller("<")(x, y)


@intrinsic
def maximum(typing: Any, x: Any, y: Any) -> Any:
    """Return the larger value; y where either is NaN."""
    return _smaller(">")(x, y)


@intrinsic
def where(typing: Any, mask: Any, x: Any, y: Any) -> Any:
    """Return x in the lanes where ``mask`` holds, y in the others; both are computed."""
    kind = _common(x, y)
    if isinstance(mask, Mask) and not isinstance(kind, Lanes):
        # two scalars become what was compared
        kind = Lanes(mask.dtype, mask.count)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        yes = _convert(context, builder, args[1], sig.args[1], kind)
        no = _convert(context, builder, args[2], sig.args[2], kind)
        return builder.select(args[0], yes, no)

    return kind(mask, x, y), codegen


@intrinsic
def any_lane(typing: Any, mask: Any) -> Any:
    """Return True where the mask holds in any lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not isinstance(sig.args[0], Mask):
            return args[0]
        bits = ir.IntType(sig.args[0].count)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], bits), ir.Constant(bits, 0))

    return types.boolean(mask), codegen


# Rows


def _row_value(rows: Any) -> Any:
    """Return the type of one row: lanes for a 2-d workspace, a scalar for a 1-d one."""
    if not isinstance(rows, types.Array) or rows.dtype not in _COUNTS:
        return None
    return rows.dtype if rows.ndim == 1 else Lanes(rows.dtype, _COUNTS[rows.dtype])


def _row_pointer(context: Any, builder: Any, rows: Any, array: Any, row: Any) -> Any:
    kind = _row_value(rows)
    data = context.make_array(rows)(context, builder, array).data
    if not isinstance(kind, Lanes):
        return builder.gep(data, [row], inbounds=True)
    offset = builder.mul(row, ir.Constant(row.type, kind.count))
    place = builder.gep(data, [offset], inbounds=True)
    return builder.bitcast(place, _llvm_type(kind).as_pointer())


@intrinsic
def load(typing: Any, rows: Any, row: Any) -> Any:
    """Return row ``row`` of a C-contiguous workspace."""
    kind = _row_value(rows)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = builder.load(_row_pointer(context, builder, sig.args[0], args[0], args[1]))
        value.align = sig.args[0].dtype.bitwidth // 8
        return value

    return kind(rows, types.intp), codegen


@intrinsic
def store(typing: Any, rows: Any, row: Any, value: Any) -> Any:
    """Write a value (a scalar goes to every lane) to row ``row`` of a workspace."""
    kind = _row_value(rows)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        ready = _convert(context, builder, args[2], sig.args[2], kind)
        place = _row_pointer(context, builder, sig.args[0], args[0], args[1])
        builder.store(ready, place).align = sig.args[0].dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(rows, types.intp, value), codegen


@intrinsic
def fill(typing: Any, rows: Any, value: Any) -> Any:
    """Return a scalar as a value like those of the workspace ``rows``."""
    kind = _row_value(rows)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _convert(context, builder, args[1], sig.args[1], kind)

    return kind(rows, value), codegen


@intrinsic
def max_lanes(typing: Any, value: Any) -> Any:
    """Return the largest value over the lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = sig.args[0]
        if not isinstance(kind, Lanes):
            return args[0]
        most = builder.extract_element(args[0], ir.Constant(ir.IntType(32), 0))
        for lane in range(1, kind.count):
            x = builder.extract_element(args[0], ir.Constant(ir.IntType(32), lane))
            most = builder.select(builder.fcmp_ordered(">", x, most), x, most)
        return most

    scalar = value.dtype if isinstance(value, Lanes) else value
    return scalar(value), codegen
