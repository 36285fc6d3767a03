"""The front on curves of postures: dense samples, then refinement wherever the front may lie.

Between two samples a value is no lower than the lower of both less what the bend of the curve of
values there allows. Gaps whose lowest possible values nothing dominates, but for a gain that nobody
feels, are divided; ends of pieces of the front are closed in until nobody feels the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from articulata.analyses.pose.dominance import SAME, spread, worthwhile
from articulata.analyses.pose.families import Curves
from articulata.geometry.arrays import Array, BoolArray, IntArray

Judge = Callable[[Array], tuple[Array, BoolArray]]
"""Takes what moves (m, moving) to values to be kept low (m, k) and whether conditions are kept."""

FIRST: Final = 512
"""Samples before any refinement, over all curves."""

ROUNDS: Final = 24
"""Most rounds of refinement."""


SHORT: Final = 1e-6
"""Share of the spread: shorter fronts are shown as if they had this length."""


class Samples(NamedTuple):
    """Postures ``q`` (n, moving) on curves: number of the curve, share along it, values, kept."""

    curve: IntArray
    share: Array
    q: Array
    values: Array
    kept: BoolArray

    @property
    def judged(self) -> Array:
        """Values, inf where a condition is not kept."""
        return np.where(self.kept[:, None], self.values, np.inf)


def front_on(curves: Curves, judge: Judge, points: int) -> Iterator[Samples]:
    """Yield ever denser samples; the last are those of which the front is to be taken."""
    each = max(9, FIRST // len(curves))
    where = np.repeat(np.arange(len(curves)), each)
    shares = np.tile(np.linspace(0.0, 1.0, each), len(curves))
    found = _sampled(curves, judge, where, shares)
    yield found
    for _ in range(ROUNDS):
        where, shares = _wanted(found, points)
        if not len(where):
            return
        more = _sampled(curves, judge, where, shares)
        joined = [np.concatenate(pair) for pair in zip(found, more, strict=True)]
        order = np.lexsort((joined[1], joined[0]))
        found = Samples(*(each[order] for each in joined))
        yield found


def _sampled(curves: Curves, judge: Judge, where: IntArray, shares: Array) -> Samples:
    q = curves.postures(where, shares)
    return Samples(where, shares, q, *judge(q))


def _length(found: Samples, alive: BoolArray, span: Array) -> float:
    """Return how long the pieces of the front are together, without the leaps between them."""
    joined = alive[1:] & alive[:-1] & (found.curve[1:] == found.curve[:-1])
    steps = np.abs(np.diff(found.values.T, axis=1)[:, joined]) / span[:, None]
    return float(steps.max(axis=0, initial=0.0).sum())


def _wanted(found: Samples, points: int) -> tuple[IntArray, Array]:
    """Return the curves and shares of points to be looked at next."""
    from articulata.kernels.fronts import points_between

    judged = found.judged
    whole = spread(judged)
    alive = worthwhile(judged, whole) & found.kept
    front = found.values[alive]
    span = np.ptp(front, axis=0) if len(front) else np.ones(judged.shape[1])
    span = np.where(span > 0.0, span, 1.0)
    many = np.empty(len(alive) - 1, np.int64)
    points_between(
        found.curve,
        found.share,
        found.values,
        found.kept,
        alive,
        front,
        np.ascontiguousarray(judged.T).argmin(axis=1),
        span,
        SAME * whole,
        points / min(max(_length(found, alive, span), SHORT), 1.0),
        many,
    )
    left = np.repeat(np.arange(len(many)), many)
    number = np.arange(len(left)) - np.repeat(np.cumsum(many) - many, many) + 1
    gap = found.share[left + 1] - found.share[left]
    return found.curve[left], found.share[left] + gap * number / (many[left] + 1)
