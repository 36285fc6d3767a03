"""Fronts: which of many points nothing else dominates, and the volume that they dominate.

Values are to be kept low. A point dominates another where it is nowhere worse and somewhere better.
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
