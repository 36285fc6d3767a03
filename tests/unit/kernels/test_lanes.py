"""Lanes agree with scalar arithmetic, lane by lane, and with extended precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from articulata.kernels.compile import kernel
from articulata.kernels.lanes import vectors as lanes
from articulata.kernels.lanes.functions import arc_tangent2, sine_cosine
from articulata.kernels.lanes.host import vector_bits
from articulata.kernels.lanes.tiles import TILE, turn_tile
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    any_lane,
    copysign,
    fill,
    floor,
    fma,
    load,
    max_lanes,
    maximum,
    minimum,
    nearest,
    sqrt,
    store,
    where,
    workspace,
)

FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@kernel(fastmath=FASTMATH)
def _arithmetic(rows: Any) -> Any:
    x = load(rows, 0)
    y = load(rows, 1)
    total = fill(rows, 0)
    for i in range(3):
        total = total + x * 0.5 - y / 2 + i
    mask = (x > y) & (total < 4) | (x <= -2.5)
    store(rows, 2, where(mask, sqrt(absolute(total)), -total))
    store(rows, 3, copysign(nearest(x), -1.0))
    store(rows, 4, minimum(x, 0.25))
    store(rows, 5, fma(x, y, 1.0))
    store(rows, 6, maximum(1, x))
    store(rows, 7, floor(x))
    store(rows, 8, where(x >= y, 1.0, 0.0) + where(mask ^ (x > 0), 2.0, 0.0))
    return any_lane(mask)


def _arithmetic_numpy(x: Any, y: Any) -> Any:
    total = 3 * (x * 0.5 - y / 2) + 3
    mask = ((x > y) & (total < 4)) | (x <= -2.5)
    chosen = np.where(mask, np.sqrt(np.abs(total)), -total)
    flags = np.where(x >= y, 1.0, 0.0) + np.where(mask ^ (x > 0), 2.0, 0.0)
    nearest_whole = -np.abs(np.rint(x))
    return np.stack(
        [
            chosen,
            nearest_whole,
            np.minimum(x, 0.25),
            x * y + 1,
            np.maximum(x, 1),
            np.floor(x),
            flags,
        ]
    )


@FLOATS
def test_operators_agree_with_numpy_and_with_the_scalar_twin(dtype: Any) -> None:
    rows = workspace(9, dtype)
    rows[0] = np.linspace(-3.1, 3.3, rows.shape[1])
    rows[1] = np.linspace(0.7, -0.4, rows.shape[1])
    assert rows.ctypes.data % 64 == 0
    assert _arithmetic(rows)
    expected = _arithmetic_numpy(rows[0].astype(float), rows[1].astype(float))
    tolerance = 2e-6 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(rows[2:], expected, rtol=0, atol=tolerance)
    for lane in range(rows.shape[1]):
        single = np.zeros(9, dtype)
        single[:2] = rows[:2, lane]
        _arithmetic(single)
        np.testing.assert_allclose(single[2:], rows[2:, lane], rtol=0, atol=tolerance)


@kernel
def _nothing_holds(rows: Any) -> Any:
    return any_lane(load(rows, 0) > load(rows, 1))


@FLOATS
def test_a_nan_stays_in_its_lane_and_compares_false(dtype: Any) -> None:
    rows = workspace(9, dtype)
    rows[0] = 1.0
    rows[1] = 0.5
    _arithmetic(rows)
    clean = rows.copy()
    rows[0, 3] = np.nan
    _arithmetic(rows)
    others = np.arange(rows.shape[1]) != 3
    np.testing.assert_array_equal(rows[2:, others], clean[2:, others])
    assert np.isnan(rows[2, 3])
    rows[0] = np.nan
    assert not _nothing_holds(rows)


@kernel
def _reduce(rows: Any) -> Any:
    x = load(rows, 0)
    return max_lanes(x)


@FLOATS
def test_reductions(dtype: Any) -> None:
    rows = workspace(1, dtype)
    rows[0] = np.random.default_rng(1).integers(-50, 50, rows.shape[1])
    assert _reduce(rows) == rows[0].max()


@kernel(fastmath=FASTMATH)
def _functions(rows: Any) -> None:
    sine, cosine = sine_cosine(load(rows, 0))
    store(rows, 2, sine)
    store(rows, 3, cosine)
    store(rows, 4, arc_tangent2(load(rows, 0), load(rows, 1)))


def _evaluate(x: Any, y: Any, dtype: Any) -> Any:
    rows = workspace(5, dtype)
    width = rows.shape[1]
    out = []
    for start in range(0, len(x), width):
        rows[0] = np.resize(x[start : start + width], width)
        rows[1] = np.resize(y[start : start + width], width)
        _functions(rows)
        out.append(rows[2:].copy())
    return np.concatenate(out, axis=1)[:, : len(x)]


@pytest.mark.parametrize(
    ("dtype", "ulp", "floor_error"), [(np.float64, 2.0, 2e-16), (np.float32, 2.0, 2e-7)]
)
def test_functions_have_the_stated_accuracy(dtype: Any, ulp: float, floor_error: float) -> None:
    rng = np.random.default_rng(3)
    special = np.arange(-64, 65) * (math.pi / 8)
    x = np.concatenate([special, rng.uniform(-10, 10, 20000), rng.uniform(-1e5, 1e5, 20000)])
    if dtype == np.float32:
        x = x[np.abs(x) < 1e3]
    x = x.astype(dtype)
    y = rng.uniform(-1, 1, len(x)).astype(dtype)
    y[:7] = [1, -1, 0, 0.9999999, -0.9999999, 1e-20, -1e-20]
    got = _evaluate(x, y, dtype)
    exact_x = x.astype(np.longdouble)
    exact_y = y.astype(np.longdouble)
    expected = [
        np.sin(exact_x),
        np.cos(exact_x),
        np.arctan2(exact_x, exact_y),
    ]
    for values, exact in zip(got, expected, strict=True):
        error = np.abs(values - exact)
        spacing = np.spacing(np.abs(exact).astype(dtype))
        assert np.all(error <= np.maximum(ulp * spacing, floor_error))


def test_arc_tangent_on_the_axes() -> None:
    y = np.array([0.0, 0.0, 1.0, -1.0, 0.0, 1e-300])
    x = np.array([1.0, -1.0, 0.0, 0.0, 0.0, -1.0])
    got = _evaluate(y, x, np.float64)[2]
    np.testing.assert_array_equal(got, np.arctan2(y, x))


@kernel
def _turn(source: Any, start: int, step: int, target: Any, place: int, stride: int) -> None:
    turn_tile(source, start, step, target, place, stride)


def test_lane_counts_fill_whole_registers() -> None:
    register = vector_bits()
    assert lanes.LANES_FLOAT64 * 64 % register == 0
    assert lanes.LANES_FLOAT32 * 32 % register == 0
    assert workspace(2).shape == (2, lanes.LANES_FLOAT64)


def test_tiles_are_transposed() -> None:
    side = TILE
    source = np.arange(3.0 * side * side).reshape(-1, 3)
    target = np.full((side, side + 5), np.nan)
    _turn(source, 7, side + 1, target, 2, side + 5)
    flat = source.ravel()
    for row in range(side):
        for column in range(side):
            assert target[row, column + 2] == flat[7 + column * (side + 1) + row]
    assert np.isnan(target[:, :2]).all()
    assert np.isnan(target[:, side + 2 :]).all()
