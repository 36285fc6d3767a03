"""Of families of seven joints (``pieper7_kernels``) the postures nearest to a given one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.pieper6_lanes import SINES
from articulata.kernels.chains.pieper7_zeros import (
    ANGLE,
    driver_at,
    evaluate,
    place_pose,
    write_posture,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64

_ROUNDS = 5
_SAME = 1e-20


@kernel
def _wrapped(angle: float) -> float:
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel
def _kept_in(value: float, low: float, high: float) -> float:
    """Return the angle of an interval nearest to a value, whole turns aside."""
    value += 2.0 * math.pi * math.ceil((low - value) / (2.0 * math.pi))
    if value <= high:
        return value
    return high if value - high < low + 2.0 * math.pi - value else low


@kernel(counted=False)
def _apart(rows: Any, order: Any, slot: int, lane: int, wanted: Any) -> float:
    """Return the square of how far a posture is from the wanted one, all joints together."""
    total = _wrapped(rows[ANGLE, lane] - wanted[order[6]]) ** 2
    for i in range(6):
        k = 8 * i + slot
        angle = math.atan2(rows[SINES + k, lane], rows[k, lane])
        total += _wrapped(angle - wanted[order[i]]) ** 2
    return total


@kernel
def _on_interval(
    arm: Any, rows: Any, slot: int, low: float, high: float, wanted: Any, best: float, out: Any
) -> float:
    """Write the nearest posture of an interval where it is nearer than ``best``; return which is.

    First stands the one at the wanted value of the driver, then samples that close in on the least.
    """
    order = arm[3]
    begin, end = 0.0, math.pi
    least, place = math.inf, 0.0
    for round in range(_ROUNDS):
        step = (end - begin) / (LANES_FLOAT64 - 2)
        for lane in range(LANES_FLOAT64):
            value = driver_at(low, high, begin + step * (lane - 1))
            if lane == 0:
                value = (
                    _kept_in(wanted[order[6]], low, high)
                    if round == 0
                    else driver_at(low, high, place)
                )
            rows[ANGLE, lane] = value
        evaluate(arm, rows, 3, 1 << slot)
        chosen = -1
        for lane in range(LANES_FLOAT64):
            apart = _apart(rows, order, slot, lane, wanted)
            if apart < least or (lane == 0 and round > 0 and apart <= least):
                least, chosen = apart, lane
        if chosen < 0:
            break
        if chosen > 0 or round == 0:
            middle = 0.5 * (high + low)
            half = max(0.5 * (high - low), 1e-300)
            share = (middle - rows[ANGLE, chosen]) / half
            place = math.acos(min(max(share, -1.0), 1.0))
        if least < best:
            write_posture(rows, order, slot, chosen, out)
            best = least
        if least < _SAME:
            break
        if round == _ROUNDS - 2:
            # the vertex of the parabola through the last three
            a = _apart(rows, order, slot, max(chosen - 1, 1), wanted)
            b = _apart(rows, order, slot, min(chosen + 1, LANES_FLOAT64 - 1), wanted)
            bend = a - 2.0 * least + b
            if 1 < chosen < LANES_FLOAT64 - 1 and bend > 0.0:
                place += 0.5 * step * (a - b) / bend
        begin, end = max(place - step, 0.0), min(place + step, math.pi)
    return best


@kernel
def nearest_postures(
    arm: Any, pose: Any, intervals: Any, counts: Any, wanted: Any, rows: Any, out: Any
) -> None:
    """Write for each branch the posture ``out`` (8, 7) within limits that is nearest to ``wanted``.

    NaN where it has none. ``intervals`` (8, k, 2) and ``counts`` (8,) as ``families`` gives them.
    """
    placed = place_pose(arm, pose, rows)
    for slot in range(8):
        for i in range(7):
            out[slot, i] = np.nan
        best = math.inf
        for k in range(counts[slot] if placed else 0):
            low, high = intervals[slot, k, 0], intervals[slot, k, 1]
            best = _on_interval(arm, rows, slot, low, high, wanted, best, out[slot])
