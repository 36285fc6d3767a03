"""Values of a branch of ``meeting_axes_6r_lanes`` along its driver, and where they are zero.

On a part of its range the driver is ``middle - half cos t``: near an end at which branches meet an
angle goes with the root of the distance to it, and is smooth in t. Zeros are those between samples
of unlike signs, and both sides of an extreme value that crosses zero between samples of one sign.
They are found together, one on each lane.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.chains.closed_forms.meeting_axes_6r_lanes import (
    MARGINS,
    ROWS,
    SINES,
    all_turns,
    close_pose,
    place_links,
    row_of,
    turn_given,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import FASTMATH, load, store

NODES = 32
"""Samples of a part."""

ANGLE, SPACE = ROWS + 76, ROWS + 77
"""Row of the driver's values, and rows of a workspace, see ``root_postures``."""

MARGINS_KEPT = 7
SAMPLED = MARGINS_KEPT + 2 * 8 * 6
"""Values that are sampled: margins, then cosines and sines of all branches."""

SINGLE = 8
"""Numbers of one zero: the ends of where it is, the values there, the part's ends, the zero."""

_BLOCKS = NODES // LANES_FLOAT64
_LOW, _HIGH, _AT_LOW, _AT_HIGH, _FROM, _TO, ROOT, _LAST = range(SINGLE)
_STEPS, _STILL = 60, 1e-9
"""Most steps to a zero; after one so small the next would be within rounding."""


@kernel
def driver_at(low: float, high: float, t: float) -> float:
    """Return the driver's value on a part at t, 0 to pi."""
    return min(max(0.5 * (low + high) - 0.5 * (high - low) * math.cos(t), low), high)


@kernel(counted=False)
def place_pose(arm: Any, pose: Any, rows: Any) -> bool:
    """Bring a pose (4, 4) into the links of all lanes; return whether it holds numbers only."""
    g, ends, target = rows[ROWS : ROWS + 36], rows[ROWS + 36 : ROWS + 60], rows[ROWS + 60 :]
    total = 0.0
    for r in range(3):
        for k in range(4):
            total += pose[r, k]
            store(target, 4 * r + k, pose[r, k])
    place_links(arm.pieper, g, ends)
    close_pose(arm.pieper, target, g, ends)
    return math.isfinite(total)


@kernel
def evaluate(arm: Any, rows: Any, depth: int, slots: int) -> None:
    """Write ``turns`` of the driver's values, see ``all_turns``."""
    pieper = arm.pieper
    g, ends, angle = rows[ROWS : ROWS + 36], rows[ROWS + 36 : ROWS + 60], rows[ANGLE:]
    turn_given(ends, pieper.side * load(angle, 0), g, row_of(pieper.where[1]))
    # numbers that stand in a call would be compiled for on their own
    all_turns(pieper, np.int64(depth), np.int64(slots), g, rows)


@kernel(counted=False)
def write_posture(rows: Any, order: Any, slot: int, lane: int, q: Any) -> None:
    """Write the posture ``q`` (7,) of a branch in one lane."""
    for i in range(6):
        k = 8 * i + slot
        q[order[i]] = math.atan2(rows[SINES + k, lane], rows[k, lane])
    q[order[6]] = rows[ANGLE, lane]


@kernel
def value_of(rows: Any, limits: Any, number: int, lane: int) -> float:
    """Return a margin, or how far a joint of a branch is within its limits, in one lane."""
    if number < MARGINS_KEPT:
        return float(rows[MARGINS + number, lane])
    k = number - MARGINS_KEPT
    i = k // 8
    along = rows[k, lane] * limits[i, 0] + rows[SINES + k, lane] * limits[i, 1]
    return float(along - limits[i, 2])


@kernel(fastmath=FASTMATH, counted=False)
def _keep_block(rows: Any, block: int, depth: int, samples: Any) -> None:
    for k in range(MARGINS_KEPT):
        store(samples, k * _BLOCKS + block, load(rows, MARGINS + k))
    for k in range(SAMPLED - MARGINS_KEPT if depth > 2 else 0):
        store(samples, (MARGINS_KEPT + k) * _BLOCKS + block, load(rows, k))


@kernel
def sample(
    arm: Any, rows: Any, low: float, high: float, depth: int, slots: int, samples: Any
) -> None:
    """Write margins, and with depth 3 cosines and sines, at NODES values of t."""
    for block in range(_BLOCKS):
        for lane in range(LANES_FLOAT64):
            t = math.pi * (block * LANES_FLOAT64 + lane) / (NODES - 1)
            rows[ANGLE, lane] = driver_at(low, high, t)
        evaluate(arm, rows, depth, slots)
        _keep_block(rows, block, depth, samples)


@kernel
def _crossing_between(
    arm: Any, rows: Any, of: Any, depth: int, begin: float, end: float, sign: float
) -> Any:
    """Return t where a value has the other sign between two samples of one sign, and that value.

    Where there is none, the value nearest to zero, of the same sign.
    """
    number, low, high, _ = of
    best, place = math.inf, 0.5 * (begin + end)
    for _ in range(5):
        step = (end - begin) / (LANES_FLOAT64 - 1)
        for lane in range(LANES_FLOAT64):
            rows[ANGLE, lane] = driver_at(low, high, begin + step * lane)
        evaluate(arm, rows, depth, slots_of(number))
        before = best
        for lane in range(LANES_FLOAT64):
            value = sign * value_of(rows, arm.limits, number, lane)
            if value < best:
                best, place = value, begin + step * lane
        if best < 0.0 or (before < math.inf and best > 2.0 * (before - best)):
            break
        begin, end = max(place - step, begin), min(place + step, end)
    return place, sign * best


class Zeros(NamedTuple):
    """Zeros (n, SINGLE), and what they are of (n, 3): number, group, end that stays."""

    zeros: Any
    marks: Any


@kernel(counted=False)
def _note(known: Zeros, count: int, t0: float, t1: float, f0: float, f1: float, of: Any) -> int:
    """Enter the place of a zero between t0 and t1; ``of``: number, part's ends, group."""
    zeros, marks = known.zeros, known.marks
    if count < len(zeros):
        zeros[count, _LOW], zeros[count, _HIGH] = t0, t1
        zeros[count, _AT_LOW], zeros[count, _AT_HIGH] = f0, f1
        zeros[count, _FROM], zeros[count, _TO] = of[1], of[2]
        zeros[count, ROOT], zeros[count, _LAST] = 0.5 * (t0 + t1), math.inf
        marks[count, 0], marks[count, 1] = of[0], of[3]
    return count + 1


@kernel
def find_zeros(arm: Any, rows: Any, f: Any, of: Any, depth: int, known: Zeros, count: int) -> Any:
    """Enter the zeros of a sampled value ``f`` (NODES,); return how many, and the least touch.

    That is how near zero an extreme value comes that does not cross it, infinite where none.
    """
    step = math.pi / (NODES - 1)
    touch, told = math.inf, 0
    for i in range(NODES - 1):
        a, b = f[i], f[i + 1]
        if (a >= 0.0) != (b >= 0.0):
            count = _note(known, count, step * i, step * (i + 1), a, b, of)
        elif i > 0:
            before = f[i - 1]
            sign = 1.0 if a >= 0.0 else -1.0
            bend = sign * (before - 2.0 * a + b)
            if (before >= 0.0) != (a >= 0.0) or bend <= 0.0:
                continue
            slope = 0.5 * sign * (b - before)
            if abs(slope) > bend or sign * a - 0.5 * slope * slope / bend > 0.3 * bend:
                continue
            # what lies before sample ``told`` was found from the sample before
            first = max(i - 1, told)
            begin, end, before = step * first, step * (i + 1), f[first]
            t, value = _crossing_between(arm, rows, of, depth, begin, end, sign)
            if (value >= 0.0) != (a >= 0.0):
                count = _note(known, count, begin, t, before, value, of)
                count = _note(known, count, t, end, value, b, of)
                told = i + 1
            else:
                touch = min(touch, abs(value))
    return count, touch


@kernel
def _less(value: float, before: float) -> float:
    """Return by what to lessen the value at the end of an interval that stays where it is."""
    share = 1.0 - value / before if before != 0.0 else 0.5
    return share if share > 0.0 else 0.5


@kernel
def refine_zeros(arm: Any, rows: Any, known: Zeros, begin: int, end: int, depth: int) -> None:
    """Find the zeros from ``begin`` to ``end``, one on each lane, by regula falsi.

    The end that stays is lessened as Anderson and Björck do (BIT 13, 1973).
    """
    zeros, marks = known.zeros, known.marks
    for first in range(begin, end, LANES_FLOAT64):
        count = min(LANES_FLOAT64, end - first)
        slots = 0
        for lane in range(count):
            slots |= slots_of(marks[first + lane, 0])
        for step in range(_STEPS):
            moving = False
            for lane in range(count):
                z = zeros[first + lane]
                if z[_LAST] > 0.0:
                    gap = z[_AT_HIGH] - z[_AT_LOW]
                    t = (z[_LOW] * z[_AT_HIGH] - z[_HIGH] * z[_AT_LOW]) / gap
                    if step % 8 == 7 or not z[_LOW] <= t <= z[_HIGH]:
                        t = 0.5 * (z[_LOW] + z[_HIGH])
                    z[_LAST] = abs(t - z[ROOT])
                    z[ROOT] = t
                rows[ANGLE, lane] = driver_at(z[_FROM], z[_TO], z[ROOT])
            evaluate(arm, rows, depth, slots)
            for lane in range(count):
                z = zeros[first + lane]
                if not z[_LAST] > 0.0:
                    continue
                value = value_of(rows, arm.limits, marks[first + lane, 0], lane)
                if abs(value) < 1e-16 or z[_LAST] < _STILL or z[_HIGH] - z[_LOW] < 1e-15:
                    z[_LAST] = 0.0
                    continue
                moving = True
                if (value >= 0.0) == (z[_AT_LOW] >= 0.0):
                    if marks[first + lane, 2] == 1:
                        z[_AT_HIGH] *= _less(value, z[_AT_LOW])
                    z[_LOW], z[_AT_LOW] = z[ROOT], value
                    marks[first + lane, 2] = 1
                else:
                    if marks[first + lane, 2] == 2:
                        z[_AT_LOW] *= _less(value, z[_AT_HIGH])
                    z[_HIGH], z[_AT_HIGH] = z[ROOT], value
                    marks[first + lane, 2] = 2
            if not moving:
                break


@kernel(counted=False)
def sorted_zeros(known: Zeros, begin: int, end: int, group: int, out: Any) -> int:
    """Write 0, the zeros of a group in order and pi; return how many there are."""
    out[0] = 0.0
    n = 1
    for k in range(begin, end):
        if known.marks[k, 1] == group and n < len(out) - 1:
            place = n
            while place > 1 and out[place - 1] > known.zeros[k, ROOT]:
                out[place] = out[place - 1]
                place -= 1
            out[place] = known.zeros[k, ROOT]
            n += 1
    out[n] = math.pi
    return n + 1


@kernel
def slots_of(number: int) -> int:
    """Return the branches that a sampled value belongs to, one bit each."""
    if number == 0:
        return 255
    if number < 3:
        return 15 << (4 * (number - 1))
    if number < MARGINS_KEPT:
        return 3 << (2 * (number - 3))
    return 1 << ((number - MARGINS_KEPT) % 8)
