"""Which postures nothing else dominates, how much a front dominates, and its knee.

Values (n, k) are to be kept low.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, Float64, IntArray
from articulata.records.posture_fronts import scaled

SAME: Final = 1e-7
"""Share of the spread of all values: two that differ by less are alike in what anybody can feel."""

WORTH: Final = 1e-2
"""Share of the spread: what costs so much more has to gain more than ``SAME``."""


def undominated(values: Float64[Array, "n k"]) -> BoolArray:
    """Return which rows no other row dominates; of equal rows the first. NaN never is."""
    n, k = values.shape
    if n <= _FEW:
        return np.array(_alone(values.tolist()), np.bool_)
    kept = np.zeros(n, np.bool_)
    if k == 2:
        first, second = values.T
        rows = np.flatnonzero((first == first) & (second == second))
        rows = rows[np.lexsort((second[rows], first[rows]))]
        second = second[rows]
        # whatever dominates a row comes before it
        kept[rows[:1]] = True
        kept[rows[1:]] = second[1:] < np.minimum.accumulate(second)[:-1]
    elif n:
        from articulata.kernels.fronts import mark_front

        ready = np.ascontiguousarray(values)
        # inf + -inf in a sum would be NaN: order by the clipped values, which dominance keeps
        order = np.argsort(np.clip(ready, -1e300 / k, 1e300 / k).sum(axis=1), kind="stable")
        mark_front(ready, order, kept)
    return kept


_FEW: Final = 4
"""Rows that plain numbers compare sooner than arrays."""


def _alone(rows: list[list[float]]) -> list[bool]:
    """Return which rows no other dominates."""
    found = []
    for i, row in enumerate(rows):
        good = all(a == a for a in row)  # NaN is not
        for j, other in enumerate(rows):
            if good and j != i and all(b <= a for a, b in zip(row, other, strict=True)):
                good = j > i and other == row
        found.append(good)
    return found


def worthwhile(values: Float64[Array, "n k"], span: Float64[Array, "k"] | None = None) -> BoolArray:
    """Return which rows no other row dominates, but for a gain that nobody feels.

    Of rows that are alike the best of one aim those are left out that cost more elsewhere. ``span``
    is the ``spread`` of the values where that is known.
    """
    kept = undominated(values)
    columns = np.ascontiguousarray(values.T)
    span = spread(values) if span is None else span
    for aim, column in enumerate(columns):
        rows = np.flatnonzero(kept)
        if len(rows) < 2:
            break
        best = rows[column[rows] <= column[rows].min() + SAME * span[aim]]
        if len(columns) == 2:
            # the best are alike in the one aim, so that the other alone decides
            other = columns[1 - aim, best]
            kept[best[other > other.min() + WORTH * span[1 - aim]]] = False
            continue
        apart = values[best][:, None] - values[best][None]
        as_good = (apart >= -SAME * span).all(axis=2) & (apart > WORTH * span).any(axis=2)
        kept[best[as_good.any(axis=1)]] = False
    return kept


def spread(values: Float64[Array, "n k"]) -> Float64[Array, "k"]:
    """Return how far the finite rows spread in each aim, 0 where there is none."""
    # column by column: NumPy takes ten times as long along rows of two
    columns = np.ascontiguousarray(values.T)
    finite = columns[:, np.isfinite(columns).all(axis=0)]
    return np.asarray(np.ptp(finite, axis=1) if finite.size else np.zeros(len(columns)))


def hypervolume(values: Float64[Array, "n k"], reference: Float64[Array, "k"]) -> float:
    """Return the volume that points dominate up to ``reference``, for one, two or three values."""
    from articulata.kernels.fronts import volume, volume_2

    k = values.shape[1]
    ready = np.ascontiguousarray(values[np.isfinite(values).all(axis=1)])
    if not len(ready):
        return 0.0
    if k == 1:
        return float(max(reference[0] - ready.min(), 0.0))
    if k == 2:
        return float(volume_2(ready[np.lexsort((ready[:, 1], ready[:, 0]))], reference))
    if k == 3:
        low = ready[ready[:, 2] < reference[2]]
        return float(volume(low[np.argsort(low[:, 2], kind="stable")], reference))
    raise KinematicsError(f"the hypervolume is computed of up to 3 objectives, not of {k}")


def knee(values: Float64[Array, "n k"]) -> int:
    """Return the row farthest below the plane through the best of each objective.

    (Das 1999.) With one objective the best.
    """
    if values.shape[1] == 1 or len(values) == 1:
        return int(values[:, 0].argmin())
    if len(values) <= _FEW:
        rows = values.tolist()
        low, high = list(map(min, *rows)), list(map(max, *rows))
        span = [b - a or 1.0 for a, b in zip(low, high, strict=True)]
        sums = [sum((v - a) / d for v, a, d in zip(row, low, span, strict=True)) for row in rows]
        return sums.index(min(sums))
    unit = scaled(values)
    return int(unit.sum(axis=1).argmin())


def apart(values: Float64[Array, "n k"], least: float) -> IntArray:
    """Return rows of a front of which no two are nearer than ``least`` of the spread in all aims.

    The best of each aim stays.
    """
    unit = scaled(values)
    kept = list(dict.fromkeys(values.argmin(axis=0).tolist()))
    for row in np.argsort(values[:, 0], kind="stable").tolist():
        if (np.abs(unit[kept] - unit[row]).max(axis=1) >= least).all():
            kept.append(row)
    return np.sort(np.array(kept, np.int64))


def spread_out(values: Float64[Array, "n k"], most: int, first: Sequence[int] = ()) -> IntArray:
    """Return ``most`` rows that lie far apart: the best of each objective, the knee, ``first``."""
    n = len(values)
    if n <= most:
        return np.arange(n)
    from articulata.kernels.fronts import take_apart

    known = list(dict.fromkeys([*values.argmin(axis=0).tolist(), knee(values), *first]))[:most]
    chosen = np.zeros(most, np.int64)
    chosen[: len(known)] = known
    take_apart(np.ascontiguousarray(scaled(values)), chosen, len(known))
    return np.sort(chosen)


def thinned(values: Float64[Array, "n k"], most: int) -> IntArray:
    """Return ``most`` rows of a front: of two aims half are those without which it dominates less.

    These are where it bends or leaps. The others lie far apart.
    """
    n, k = values.shape
    if n <= most or k != 2:
        return spread_out(values, most)
    from articulata.kernels.fronts import leave_corners

    corners = np.zeros(n, np.bool_)
    unit = np.ascontiguousarray(scaled(values))
    leave_corners(unit, np.lexsort((unit[:, 1], unit[:, 0])), max(most // 2, 2), corners)
    return spread_out(values, most, corners.nonzero()[0].tolist())
