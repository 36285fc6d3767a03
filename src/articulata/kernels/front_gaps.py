"""Which gaps between samples of curves are to be looked at more closely, and how closely."""

from __future__ import annotations

import numpy as np

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.compile import kernel

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
