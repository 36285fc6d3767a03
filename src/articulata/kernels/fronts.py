"""Fronts: which of many points nothing else dominates, and the volume that they dominate.

Values are to be kept low. A point dominates another where it is nowhere worse and somewhere better.
Besides, which gaps between samples of curves are to be looked at more closely, and how closely.
"""

from __future__ import annotations

import numpy as np

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.compile import kernel


@kernel
def mark_front(values: Array, order: IntArray, kept: BoolArray) -> None:
    """Mark in ``kept`` (n,) the rows of ``values`` (n, k) that no other row dominates.

    ``order`` sorts the rows by their sums, so that whatever dominates a row comes before it. Of
    equal rows the first is kept.
    """
    n, k = values.shape
    front = np.empty(n, np.int64)
    count = 0
    for place in range(n):
        i = order[place]
        good = True
        for a in range(k):
            if values[i, a] != values[i, a]:
                good = False
        for f in range(count):
            if not good:
                break
            j = front[f]
            worse = False
            for a in range(k):
                if values[j, a] > values[i, a]:
                    worse = True
                    break
            if not worse:
                good = False
        kept[i] = good
        if good:
            front[count] = i
            count += 1


@kernel(counted=False)
def volume_2(values: Array, reference: Array) -> float:
    """Return the area that ``values`` (n, 2), sorted by the first, dominate up to ``reference``."""
    total = 0.0
    ceiling = reference[1]
    for i in range(values.shape[0]):
        if values[i, 0] < reference[0] and values[i, 1] < ceiling:
            total += (reference[0] - values[i, 0]) * (ceiling - values[i, 1])
            ceiling = values[i, 1]
    return total


@kernel
def volume(values: Array, reference: Array) -> float:
    """Return the volume that ``values`` (n, 3), sorted by the last, dominate up to ``reference``.

    Slices across the last value: between two of them the area of all that lie below.
    """
    n = values.shape[0]
    total = 0.0
    x = np.empty(n)
    y = np.empty(n)
    stairs = 0
    for i in range(n):
        top = values[i + 1, 2] if i + 1 < n else reference[2]
        top = min(top, reference[2])
        # put the point into the staircase, sorted by x, y falling
        place = 0
        while place < stairs and x[place] < values[i, 0]:
            place += 1
        hidden = place > 0 and y[place - 1] <= values[i, 1]
        if not hidden and place < stairs and x[place] == values[i, 0] and y[place] <= values[i, 1]:
            hidden = True
        if not hidden and values[i, 0] < reference[0] and values[i, 1] < reference[1]:
            last = place
            while last < stairs and y[last] >= values[i, 1]:
                last += 1
            gone = last - place
            if gone == 0:
                for s in range(stairs, place, -1):
                    x[s] = x[s - 1]
                    y[s] = y[s - 1]
                stairs += 1
            elif gone > 1:
                for s in range(last, stairs):
                    x[s - gone + 1] = x[s]
                    y[s - gone + 1] = y[s]
                stairs -= gone - 1
            x[place] = values[i, 0]
            y[place] = values[i, 1]
        if top > values[i, 2]:
            area = 0.0
            ceiling = reference[1]
            for s in range(stairs):
                area += (reference[0] - x[s]) * (ceiling - y[s])
                ceiling = y[s]
            total += area * (top - values[i, 2])
    return total


@kernel
def leave_corners(values: Array, order: IntArray, most: int, kept: BoolArray) -> None:
    """Mark in ``kept`` (n,) the ``most`` rows of a front (n, 2) without which it dominates less.

    One row after the other is left out, always that which dominates the least area alone.
    ``order`` sorts the rows by their first values; both ends stay.
    """
    n = order.shape[0]
    before, after = np.arange(-1, n - 1), np.arange(1, n + 1)
    area = np.full(n, np.inf)
    kept[:] = True
    for i in range(1, n - 1):
        here, left, right = order[i], order[i - 1], order[i + 1]
        area[i] = (values[right, 0] - values[here, 0]) * (values[left, 1] - values[here, 1])
    for _ in range(n - most):
        least = 0
        for i in range(n):
            if area[i] < area[least]:
                least = i
        if not area[least] < np.inf:
            break
        kept[order[least]] = False
        area[least] = np.inf
        a, b = before[least], after[least]
        after[a], before[b] = b, a
        for i in (a, b):
            if 0 < i < n - 1:
                here, left, right = order[i], order[before[i]], order[after[i]]
                area[i] = (values[right, 0] - values[here, 0]) * (values[left, 1] - values[here, 1])


@kernel
def take_apart(unit: Array, chosen: IntArray, given: int) -> None:
    """Fill ``chosen``: the first ``given`` stand there, then always the row farthest from them."""
    n, k = unit.shape
    away = np.full(n, np.inf)
    for place in range(chosen.shape[0]):
        if place >= given:
            best = 0
            for i in range(n):
                if away[i] > away[best]:
                    best = i
            chosen[place] = best
        row = chosen[place]
        for i in range(n):
            total = 0.0
            for a in range(k):
                total += (unit[i, a] - unit[row, a]) ** 2
            away[i] = min(away[i], total)


SHORTEST = 1e-10
"""Share of a curve to which ends of pieces are closed in."""

FLAT = 1e-7
"""Share of a curve within which the least of an aim is flat, to rounding."""

DARK = 1e-6
"""Share of a curve within which no piece of the front is looked for."""

SECTIONS = 11
"""Points put between two at the end of a piece."""

HIDDEN = 3
"""Points put between two where the front may come between them."""

MORE = 7
"""Points put between two of a piece at most, where their values are too far apart."""

DIP = 1e-6
"""Share of the spread: where a piece may dip by more between two samples, its end is not known."""


@kernel(counted=False)
def _slope(curve: IntArray, share: Array, values: Array, i: int, a: int) -> float:
    """Return the slope of value ``a`` between samples i and i + 1, NaN where there is none."""
    if i < 0 or i + 1 >= share.shape[0] or curve[i] != curve[i + 1]:
        return np.nan
    gap = share[i + 1] - share[i]
    return (values[i + 1, a] - values[i, a]) / gap if gap > 0.0 else np.nan


@kernel(counted=False)
def _turn(curve: IntArray, share: Array, values: Array, i: int, a: int) -> float:
    """Return how much the slope of value ``a`` changes to either side of samples i and i + 1."""
    here = _slope(curve, share, values, i, a)
    turn = 0.0
    for side in (-1, 1):
        change = abs(here - _slope(curve, share, values, i + side, a))
        if turn < change < np.inf:
            turn = change
    return turn


@kernel(counted=False)
def _lowest(curve: IntArray, share: Array, values: Array, i: int, a: int) -> float:
    """Return how low value ``a`` may be between samples i and i + 1.

    Below the lower of both by the change of the slope at either end, as of a parabola or a kink.
    """
    turn = _turn(curve, share, values, i, a)
    return min(values[i, a], values[i + 1, a]) - turn * (share[i + 1] - share[i])


@kernel(counted=False)
def _dips(curve: IntArray, share: Array, values: Array, span: Array, i: int) -> bool:
    """Return whether a value may be lower between samples i and i + 1 by ``DIP``."""
    for a in range(values.shape[1]):
        turn = _turn(curve, share, values, i, a)
        deep = turn * (share[i + 1] - share[i]) > DIP * span[a]
        if deep and abs(_slope(curve, share, values, i, a)) < turn:
            return True
    return False


@kernel(counted=False)
def _open(
    curve: IntArray, share: Array, values: Array, front: Array, slack: Array, i: int, low: Array
) -> bool:
    """Return whether something may lie between samples i and i + 1 that gains more than slack."""
    k = values.shape[1]
    for a in range(k):
        low[a] = _lowest(curve, share, values, i, a) + slack[a]
    for j in range(front.shape[0]):
        under = True
        for a in range(k):
            if front[j, a] > low[a]:
                under = False
                break
        if under:
            return False
    return True


@kernel
def points_between(
    curve: IntArray,
    share: Array,
    values: Array,
    kept: BoolArray,
    alive: BoolArray,
    front: Array,
    best: IntArray,
    span: Array,
    slack: Array,
    steps: float,
    many: IntArray,
) -> None:
    """Write into ``many`` (n - 1,) how many points are put between samples i and i + 1 of n.

    Samples are sorted by ``curve`` and ``share``; ``values`` (n, k) count where they are ``kept``.
    ``alive`` are on the front, whose values are ``front`` and spread over ``span`` (k,); ``best``
    are the best of each aim. Gains below ``slack`` (k,) do not count. The front is shown in
    ``steps`` of its spread, and more closely where it may dip between two.
    """
    low = np.empty(values.shape[1])
    for i in range(share.shape[0] - 1):
        many[i] = 0
        gap = share[i + 1] - share[i]
        if curve[i] != curve[i + 1] or not gap > SHORTEST:
            continue
        one, two = alive[i], alive[i + 1]
        # ends of pieces; where conditions change, only next to the front
        end = (one or two) and (one != two or kept[i] != kept[i + 1])
        if gap > FLAT and not end:
            # the best of each aim may lie within a piece
            for row in best:
                end = end or row == i or row == i + 1
        alike = True
        step = 0.0
        for a in range(values.shape[1]):
            away = abs(values[i + 1, a] - values[i, a])
            alike = alike and away <= slack[a]
            step = max(step, away / span[a])
        if end:
            many[i] = 0 if alike else SECTIONS
        elif one and two:
            if gap > FLAT:
                many[i] = int(min(step * steps, MORE))
                if many[i] < HIDDEN and _dips(curve, share, values, span, i):
                    many[i] = HIDDEN
        elif kept[i] and kept[i + 1] and gap > DARK:
            hidden = _open(curve, share, values, front, slack, i, low)
            many[i] = HIDDEN if hidden else 0
