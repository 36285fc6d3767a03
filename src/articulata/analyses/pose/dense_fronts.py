"""A front made dense: postures between neighbours of it, where these lie near to each other.

Where a norm of the aims is least it is flat, so that a posture halfway between two best ones costs
more than the best by the square of what it is off: as the fourth power of the gap. It is brought
back to the targets and the conditions, and counts where nothing dominates it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from articulata.analyses.pose.constraints import restored
from articulata.analyses.pose.descending import BACK, BELOW, INSIDE
from articulata.analyses.pose.dominance import scaled
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.starting import made_clear
from articulata.geometry.arrays import Array, IntArray

NEAR: Final = 0.3
"""rad, m: joints of neighbours in one valley differ by less."""

FAR: Final = 0.1
"""rad, m: between neighbours that differ by more another descent is worth its time."""

NEIGHBOURS: Final = 6
"""Of a posture among more than two aims."""


def halfway(judging: Judging, x: Array, values: Array, most: int) -> tuple[Array, Array]:
    """Return at most ``most`` postures between neighbours on a front (n, moving), and values.

    The widest gaps first.
    """
    none = x[:0], values[:0]
    pairs = neighbours(values)
    a, b = x[pairs[:, 0]], x[pairs[:, 1]]
    pairs = pairs[np.abs(a - b).max(axis=1, initial=0.0) <= NEAR]
    if not len(pairs):
        return none
    unit = scaled(values)
    gaps = np.linalg.norm(unit[pairs[:, 0]] - unit[pairs[:, 1]], axis=1)
    pairs = pairs[np.argsort(-gaps, kind="stable")[:most]]
    middle, there = restored(judging.scene, 0.5 * (x[pairs[:, 0]] + x[pairs[:, 1]]))
    middle = middle[there]
    if judging.conditioned and len(middle):
        middle, kept = made_clear(judging, middle, BACK, INSIDE)
        middle = middle[kept]
    if not len(middle):
        return none
    found = judging.values(middle)
    finite = np.isfinite(found).all(axis=1)
    return middle[finite], found[finite]


def across(x: Array, values: Array, least: float) -> tuple[IntArray, Array]:
    """Return where a front (n, moving) has gaps, as between valleys: numbers of both their ends.

    With each goes a row of weights (m, k), whose norm is least about the middle of the gap, and at
    its other end: a valley may go on below where another one takes over. Gaps shorter than
    ``least`` of the spread do not count.
    """
    pairs, unit = neighbours(values), scaled(values)
    far = np.abs(x[pairs[:, 0]] - x[pairs[:, 1]]).max(axis=1, initial=0.0) > FAR
    wide = np.abs(unit[pairs[:, 0]] - unit[pairs[:, 1]]).max(axis=1, initial=0.0) > least
    a, b = pairs[far & wide].T
    middle = 0.5 * (unit[a] + unit[b])
    weights = 1.0 / (np.concatenate([middle, middle, unit[b], unit[a]]) + BELOW)
    return np.concatenate([a, b, a, b]), weights / weights.sum(axis=1, keepdims=True)


def neighbours(values: Array) -> IntArray:
    """Return pairs (p, 2) of rows of a front that have no third between them.

    None lies within the ball whose ends the two are (Gabriel and Sokal 1969).
    """
    n, k = values.shape
    if n < 2 or k < 2:
        return np.empty((0, 2), np.int64)
    if k == 2:
        order = np.argsort(values[:, 0], kind="stable")
        return np.stack([order[:-1], order[1:]], axis=1)
    unit = scaled(values)
    square = ((unit[:, None] - unit[None]) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    close = np.argsort(square, axis=1, kind="stable")[:, : min(NEIGHBOURS, n - 1)]
    a, b = np.repeat(np.arange(n), close.shape[1]), close.reshape(-1)
    pairs = np.unique(np.sort(np.stack([a, b], axis=1), axis=1), axis=0)
    # |a - c|^2 + |b - c|^2 < |a - b|^2 where c is in the ball
    between = square[pairs[:, 0]] + square[pairs[:, 1]] < square[pairs[:, 0], pairs[:, 1]][:, None]
    return np.asarray(pairs[~between.any(axis=1)])
