"""Rows of lanes and rows of points: squares transposed in registers, and where they are written."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import intrinsic

TILE = min(8, LANES_FLOAT64 // 2)
"""Side of the squares in which ``turn_tile`` transposes: a register's worth of float64."""


@intrinsic
def turn_tile(
    typing: Any, source: Any, start: Any, step: Any, target: Any, place: Any, stride: Any
) -> Any:
    """Transpose a square of ``TILE`` x ``TILE`` float64 numbers from one array into another.

    Row r of the square begins at number ``start + r step`` of the C-contiguous ``source``; it
    becomes column r of the square in ``target``, whose rows begin at ``place + r stride``.
    Written number by number this costs as much as solving what the lanes hold.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def address(kind: Any, array: Any, begin: Any, step: Any, r: int, extra: int) -> Any:
            data = context.make_array(kind)(context, builder, array).data
            number = builder.add(begin, builder.mul(step, ir.Constant(step.type, r)))
            number = builder.add(number, ir.Constant(step.type, extra))
            return builder.gep(data, [number], inbounds=True)

        def shuffle(x: Any, y: Any, picks: list[int]) -> Any:
            kind = ir.VectorType(ir.IntType(32), len(picks))
            return builder.shuffle_vector(x, y, ir.Constant(kind, picks))

        def part(r: int, extra: int) -> Any:
            place = address(sig.args[0], args[0], args[1], args[2], r, extra)
            kind = ir.VectorType(ir.DoubleType(), min(TILE, 4)).as_pointer()
            value = builder.load(builder.bitcast(place, kind))
            value.align = 8
            return value

        def write(r: int, value: Any) -> None:
            place = address(sig.args[3], args[3], args[4], args[5], r, 0)
            stored = builder.store(value, builder.bitcast(place, value.type.as_pointer()))
            stored.align = 8

        if TILE == 2:
            x, y = part(0, 0), part(1, 0)
            write(0, shuffle(x, y, [0, 2]))
            write(1, shuffle(x, y, [1, 3]))
            return context.get_dummy_value()
        # four rows at a time; in a square of eight, rows r and r + 4 side by side
        wide = TILE // 4
        for half in range(wide):
            rows = [part(r, 4 * half) for r in range(4)]
            if wide == 2:
                under = [part(r + 4, 4 * half) for r in range(4)]
                rows = [shuffle(x, y, list(range(8))) for x, y in zip(rows, under, strict=True)]
            even = [4 * g + k for g in range(wide) for k in (0, 4 * wide, 2, 4 * wide + 2)]
            odd = [k + 1 for k in even]
            low = [4 * g + k for g in range(wide) for k in (0, 1, 4 * wide, 4 * wide + 1)]
            high = [k + 2 for k in low]
            pairs = [(shuffle(rows[r], rows[r + 1], p)) for p in (even, odd) for r in (0, 2)]
            for r, (x, y, picks) in enumerate(
                [(*pairs[:2], low), (*pairs[2:], low), (*pairs[:2], high), (*pairs[2:], high)]
            ):
                write(4 * half + r, shuffle(x, y, picks))
        return context.get_dummy_value()

    whole = types.intp
    return types.void(source, whole, whole, target, whole, whole), codegen


@intrinsic
def expect_writing(typing: Any, target: Any, place: Any) -> Any:
    """Fetch the cache line that holds number ``place`` of a float64 array, soon to be written.

    A place behind the array's end is allowed. Where a batch leaves the caches and its arithmetic
    has the time to hide it, this saves the wait for each line.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        whole = ir.IntType(32)
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        name = "llvm.prefetch.p0i8"
        prefetch = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        line = builder.bitcast(builder.gep(data, [args[1]], inbounds=True), byte)
        builder.call(prefetch, [line, *(ir.Constant(whole, each) for each in (1, 3, 1))])
        return context.get_dummy_value()

    return types.void(target, types.intp), codegen
