"""The first instant within a step at which two parts touch.

The motion within a step is a polynomial (``dop853.dense_state``). Pairs that begin apart are
followed by conservative advancement, so that nothing can be missed; pairs that begin in touch are
looked at on a grid that is fine towards the beginning. Shares of a step, metres, seconds.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.contact.separation import (
    BODY,
    HALF_SPACE,
    KIND,
    V0,
    Parts,
    part_separation,
)
from articulata.kernels.multibody.integrators.dop853 import dense_state
from articulata.kernels.multibody.rows import place, rotations, turned
from articulata.kernels.multibody.system import Array, IntArray

SAMPLES = 8
"""Points of a step at which speeds are looked at for their bound."""

FINE = 40
"""Halvings of a step with which a pair that has just parted is looked at."""

ROUNDS = 20000
"""Advances of one pair within one step before it is followed in even pieces."""


@kernel(counted=False)
def at_share(
    parts: Parts,
    pairs: IntArray,
    k: int,
    dense: Array,
    old: Array,
    share: float,
    now: Array,
    R: Array,
) -> float:
    """Return a pair's separation at a share of the step."""
    dense_state(dense, old, share, now)
    rotations(now, R)
    return part_separation(parts, pairs[k, 0], pairs[k, 1], now, R)


@kernel(counted=False)
def speed_bound(
    parts: Parts, i: int, j: int, dense: Array, old: Array, now: Array, R: Array
) -> float:
    """Return a bound on how fast two parts approach each other anywhere in the step."""
    if parts.table[i, KIND] == HALF_SPACE:
        i, j = j, i
    a, b = parts.table[i, BODY], parts.table[j, BODY]
    flat = parts.table[j, KIND] == HALF_SPACE
    largest = jump = 0.0
    p0 = p1 = p2 = p3 = p4 = 0.0
    for s in range(SAMPLES + 1):
        dense_state(dense, old, s / SAMPLES, now)
        v0, v1, v2 = 0.0, 0.0, 0.0
        wa = wb = 0.0
        if a >= 0:
            v0, v1, v2 = now[a, 7], now[a, 8], now[a, 9]
            wa = math.sqrt(now[a, 10] ** 2 + now[a, 11] ** 2 + now[a, 12] ** 2)
        if b >= 0:
            v0, v1, v2 = v0 - now[b, 7], v1 - now[b, 8], v2 - now[b, 9]
            wb = math.sqrt(now[b, 10] ** 2 + now[b, 11] ** 2 + now[b, 12] ** 2)
        if flat and wb == 0.0:
            rotations(now, R)
            first = parts.table[j, V0]
            n = turned(
                R,
                b,
                parts.corner[first + 1, 0],
                parts.corner[first + 1, 1],
                parts.corner[first + 1, 2],
            )
            v0, v1, v2 = n[0] * v0 + n[1] * v1 + n[2] * v2, 0.0, 0.0
        speed = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
        reach_b = 0.0
        if wb > 0.0:
            reach_b = parts.reach[j]
            if flat:
                x = place(now, a)
                y = place(now, b)
                reach_b = parts.reach[i] + math.sqrt(
                    (x[0] - y[0]) ** 2 + (x[1] - y[1]) ** 2 + (x[2] - y[2]) ** 2
                )
        largest = max(largest, speed + wa * parts.reach[i] + wb * reach_b)
        if s > 0:
            step = math.sqrt((v0 - p0) ** 2 + (v1 - p1) ** 2 + (v2 - p2) ** 2)
            turn = abs(wa - p3) * parts.reach[i] + abs(wb - p4) * reach_b
            jump = max(jump, step + turn)
        p0, p1, p2, p3, p4 = v0, v1, v2, wa, wb
    return largest + jump


@kernel(counted=False)
def bisect(
    parts: Parts,
    pairs: IntArray,
    k: int,
    dense: Array,
    old: Array,
    low: float,
    high: float,
    level: float,
    now: Array,
    R: Array,
) -> float:
    """Return the share at which a pair's separation falls to ``level``, within rounding."""
    f_low = at_share(parts, pairs, k, dense, old, low, now, R) - level
    f_high = at_share(parts, pairs, k, dense, old, high, now, R) - level
    for step in range(200):
        if high - low <= 1e-16 * high:
            break
        middle = 0.5 * (low + high)
        if step % 3 != 2 and f_low != f_high:  # regula falsi on the bracket, bisection between
            middle = low + (high - low) * f_low / (f_low - f_high)
            if not low < middle < high:
                middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        f = at_share(parts, pairs, k, dense, old, middle, now, R) - level
        if f > 0.0:
            low, f_low = middle, f
        else:
            high, f_high = middle, f
    return high


@kernel
def first_touch(
    parts: Parts,
    pairs: IntArray,
    near: IntArray,
    dense: Array,
    old: Array,
    h: float,
    floor: float,
    now: Array,
    R: Array,
) -> tuple[int, float]:
    """Return which pair touches first within the step, and at what share of it; (-1, 2) for none.

    ``near`` (pairs,) says how a pair begins: 0 apart, 1 parted just now (it may come back), 2 held
    together by closed contacts (only another feature can touch: separation below -floor).
    """
    found, earliest = -1, 2.0
    for k in range(pairs.shape[0]):
        last = min(1.0, earliest)
        if near[k] == 0:
            share = advance(parts, pairs, k, dense, old, h, last, floor, now, R)
        else:
            share = look(parts, pairs, k, near[k] == 2, dense, old, last, floor, now, R)
        if share < earliest:
            found, earliest = k, share
    return found, earliest


@kernel(counted=False)
def advance(
    parts: Parts,
    pairs: IntArray,
    k: int,
    dense: Array,
    old: Array,
    h: float,
    last: float,
    floor: float,
    now: Array,
    R: Array,
) -> float:
    """Return the share at which a pair that begins apart touches, 2 where it does not."""
    bound = speed_bound(parts, pairs[k, 0], pairs[k, 1], dense, old, now, R) * h
    if bound == 0.0:
        return 2.0
    share = 0.0
    for _ in range(ROUNDS):
        s = at_share(parts, pairs, k, dense, old, share, now, R)
        if s <= floor:
            # nearly there: look ahead in growing steps until it touches or turns back
            step, low = floor / bound, share
            if s <= 0.0:
                return share
            while True:
                high = min(last, low + step)
                s = at_share(parts, pairs, k, dense, old, high, now, R)
                if s <= 0.0:
                    return bisect(parts, pairs, k, dense, old, low, high, 0.0, now, R)
                if s > floor or high >= last:
                    share = high
                    break
                low, step = high, 1.5 * step
            if share >= last:
                return 2.0
            continue
        share += s / bound
        if share >= last:
            return 2.0
    return look(parts, pairs, k, False, dense, old, last, floor, now, R)


@kernel(counted=False)
def look(
    parts: Parts,
    pairs: IntArray,
    k: int,
    closed: bool,
    dense: Array,
    old: Array,
    last: float,
    floor: float,
    now: Array,
    R: Array,
) -> float:
    """Return the share at which a pair that begins in touch touches anew, 2 where it does not."""
    # what begins a little too deep (rounding, closed gaps beside it) may come out, not go deeper
    start = at_share(parts, pairs, k, dense, old, 0.0, now, R)
    deep = min(start, 0.0) - floor
    level = deep if closed else 0.0
    low, apart = 0.0, closed
    for step in range(FINE + SAMPLES * 4):
        if step < FINE:
            share = last / (4.0 * SAMPLES) * 0.5 ** (FINE - 1 - step)
        else:
            share = last * (step - FINE + 1) / (4.0 * SAMPLES)
        s = at_share(parts, pairs, k, dense, old, share, now, R)
        if apart and s <= level:
            return bisect(parts, pairs, k, dense, old, low, share, level, now, R)
        if s <= deep:
            return bisect(parts, pairs, k, dense, old, low, share, deep, now, R)
        if s > 0.0 or closed:
            low, apart = share, True
    return 2.0
