"""The front on curves of postures: dense samples, then refinement wherever the front may lie.

Between two samples a value is no lower than the lower of both less what the bend of the curve of
values there allows. Gaps whose lowest possible values nothing dominates are divided, ends of pieces
of the front are closed in to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from articulata.analyses.pose.dominance import may_count, worthwhile
from articulata.analyses.pose.families import Curve
from articulata.geometry.arrays import Array, BoolArray, IntArray

Judge = Callable[[Array], tuple[Array, BoolArray]]
"""Takes what moves (m, moving) to values to be kept low (m, k) and whether conditions are kept."""

FIRST: Final = 512
"""Samples before any refinement, over all curves."""

SHORTEST: Final = 1e-10
"""Share of a curve to which ends of pieces are closed in."""

FLAT: Final = 1e-7
"""Share of a curve within which the least of an aim is flat, to rounding."""

SECTIONS: Final = 5
"""Points put between two at the end of a piece."""

ROUNDS: Final = 24
"""Most rounds of refinement."""


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


def front_on(curves: Sequence[Curve], judge: Judge, points: int) -> Iterator[Samples]:
    """Yield ever denser samples; the last are those of which the front is to be taken."""
    each = max(9, FIRST // max(len(curves), 1))
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


def _sampled(curves: Sequence[Curve], judge: Judge, where: IntArray, shares: Array) -> Samples:
    parts = []
    for number, curve in enumerate(curves):
        mine = where == number
        if mine.any():
            parts.append(curve.at(curve.values(shares[mine])))
    q = np.concatenate(parts)
    order = np.argsort(where, kind="stable")
    values, kept = judge(q)
    return Samples(where[order], shares[order], q, values, kept)


def _wanted(found: Samples, points: int) -> tuple[IntArray, Array]:
    """Return the curves and shares of points to be looked at next."""
    judged = found.judged
    alive = worthwhile(judged) & found.kept
    pairs = np.flatnonzero(found.curve[1:] == found.curve[:-1])
    a, b = pairs, pairs + 1
    gap = found.share[b] - found.share[a]
    ends = alive[a] != alive[b]
    ends |= found.kept[a] != found.kept[b]
    # an end that matters: where conditions change, only next to the front
    ends &= (alive[a] | alive[b]) & (gap > SHORTEST)
    # the best of each aim may lie within a piece
    best = judged.argmin(axis=0)
    ends |= (np.isin(a, best) | np.isin(b, best)) & (gap > FLAT)
    both = alive[a] & alive[b]
    wide = np.zeros(len(pairs), bool)
    if alive.any():
        low = judged[alive].min(axis=0)
        span = judged[alive].max(axis=0) - low
        span = np.where(span > 0.0, span, 1.0)
        step = np.abs(np.diff(np.where(found.kept[:, None], found.values, 0.0), axis=0)[a] / span)
        wide = both & (step.max(axis=1) > 1.0 / points) & (gap > 1e-7)
    hidden = np.zeros(len(pairs), bool)
    dark = np.flatnonzero(~alive[a] & ~alive[b] & found.kept[a] & found.kept[b] & (gap > 1e-6))
    if len(dark) and alive.any():
        lowest = np.minimum(found.values[a[dark]], found.values[b[dark]]) - _bend(found)[a[dark]]
        hidden[dark] = may_count(lowest, judged[alive])
    where, shares = [], []
    for chosen, many in ((ends, SECTIONS), (wide | (hidden & ~ends), 1)):
        rows = np.flatnonzero(chosen)
        part = np.arange(1, many + 1) / (many + 1)
        where.append(np.repeat(found.curve[a[rows]], many))
        shares.append((found.share[a[rows], None] + gap[rows, None] * part).reshape(-1))
    return np.concatenate(where), np.concatenate(shares)


def _bend(found: Samples) -> Array:
    """Return how far below the line between samples i and i + 1 values may reach, (n - 1, k).

    By the change of the slope at either end, as of a parabola or a kink.
    """
    gap = np.diff(found.share)
    same = found.curve[1:] == found.curve[:-1]
    usable = same & (gap > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(usable[:, None], np.diff(found.values, axis=0) / gap[:, None], np.nan)
        turn = np.abs(np.diff(slope, axis=0))
    turn = np.nan_to_num(turn, nan=0.0, posinf=0.0)
    room = np.zeros_like(slope)
    room[1:] = turn
    room[:-1] = np.maximum(room[:-1], turn)
    return np.asarray(room * gap[:, None])
