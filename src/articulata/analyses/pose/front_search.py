"""From a question to its front: by curves where they are known, else by many starts and descent.

A front made dense: postures between neighbours of it, where these lie near to each other.

Where a norm of the aims is least it is flat, so that a posture halfway between two best ones costs
more than the best by the square of what it is off: as the fourth power of the gap. It is brought
back to the targets and the conditions, and counts where nothing dominates it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import comb
from typing import Final, TypeAlias

import numpy as np

from articulata.analyses.pose.along_curves import Samples, front_on
from articulata.analyses.pose.constraints import restored
from articulata.analyses.pose.descending import ALONE, BACK, BELOW, INSIDE, POWER, Norm, descend
from articulata.analyses.pose.dominance import apart, thinned, undominated, worthwhile
from articulata.analyses.pose.families import Curves, Family, arm_of
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.starting import brought, loosened, made_clear, spread_starts
from articulata.geometry.arrays import Array, IntArray
from articulata.records.posture_fronts import scaled

STARTS: Final = 80
"""Postures that a search begins with, spread over the limits."""

SOON: Final = 4
"""Rounds after which starts that break a condition are left out, where enough others keep all."""

LEVELS: Final = ((0.01, 12), (0.04, 6), (0.15, 3))
"""Share of the front's postures, and most steps: each level begins from the one before."""

DENSE: Final = 30
"""Postures of the last level at least: what lies between is not descended to."""

FILLS: Final = 8
"""Most rounds in which a front is made dense: each about doubles it."""

GAPS: Final = (8, 6)
"""Most steps into gaps between valleys, in rounds."""

GAP: Final = 0.02
"""Share of the spread: wider gaps between valleys are descended into from both sides."""

SCOUTING: Final = (2, 2)
"""Steps from every start to each end of a front, then from the better half of them."""

ENDS: Final = 4
"""Descents to each end of a front in the first level, where there are many valleys."""

FIRST: Final = 12
"""Descents of the first level at least."""

UNHINDERED: Final = 15
"""Descents, and their steps, as if nothing were in the way, where something is."""

UNHINDERED_STEPS: Final = 15

IMAGE: Final = 2000
"""Values of other postures that are kept, to show what is attainable."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What is known so far: postures x (n, moving), values (n, k), labels; ``image`` (s, k).

    ``isolated``: these are all postures there are, dominated ones too. ``known`` says whether
    every posture was looked at, so that none found means that there is none.
    """

    x: Array
    values: Array
    labels: tuple[str, ...]
    image: Array
    method: str
    isolated: bool = False
    known: bool = False


Told: TypeAlias = Callable[[], Found]


def stages(judging: Judging, points: int) -> Iterator[Told]:
    """Yield, ever better, what tells what is known; the last tells the answer.

    Where targets cannot be met exactly, but within their tolerances, they are met so.
    """
    last: Told | None = None
    for last in _exactly(judging, points):
        yield last
    wanted = judging.scene.targets.values()
    if last is None or not any(each.within or each.angle for each in wanted) or len(last().x):
        return
    near = loosened(judging.scene)
    if near is not None:
        yield from _exactly(replace(judging, scene=near), points)


def _exactly(judging: Judging, points: int) -> Iterator[Told]:
    scene = judging.scene
    arm = arm_of(scene)
    family = None if arm is None else arm.family(scene)
    if family is not None and family.points is not None:
        points_found = _points(judging, family)
        yield lambda: points_found
        return
    if family is not None:
        if family.curves is not None:
            yield from _on_curves(judging, family.structure, family.curves, points)
        else:
            nothing = _nothing(judging, f"closed form ({family.structure})", known=True)
            yield lambda: nothing
        return
    sampled = None if arm is None else arm.sampled(scene, 48, 12)
    yield from _by_descent(judging, sampled, points)


def _nothing(judging: Judging, method: str, known: bool = False) -> Found:
    n, k = len(judging.scene.columns), len(judging.aims)
    return Found(np.empty((0, n)), np.empty((0, k)), (), np.empty((0, k)), method, known=known)


def _points(judging: Judging, family: Family) -> Found:
    assert family.points is not None
    method = f"closed form ({family.structure}), every posture"
    if not len(family.points):
        return _nothing(judging, method, known=True)
    x, labels = family.points, family.labels
    values, kept = judging.judge(x)
    if not kept.all():
        x, values = x[kept], values[kept]
        labels = tuple(label for label, good in zip(labels, kept, strict=True) if good)
    return Found(x, values, labels, values, method, True, True)


def _on_curves(judging: Judging, structure: str, curves: Curves, points: int) -> Iterator[Told]:
    method = f"closed form ({structure}), the whole family"
    for samples in front_on(curves, judging.judge, points):

        def told(samples: Samples = samples) -> Found:
            alive = np.flatnonzero(worthwhile(samples.judged) & samples.kept)
            if len(alive):
                alive = alive[thinned(samples.values[alive], points)]
            image = samples.values[samples.kept]
            return Found(
                samples.q[alive],
                samples.values[alive],
                tuple(curves.labels[number] for number in samples.curve[alive]),
                image[:: max(1, len(image) // IMAGE)],
                method,
                known=True,
            )

        yield told


def _by_descent(judging: Judging, sampled: Array | None, points: int) -> Iterator[Told]:
    scene = judging.scene
    method = "constrained Newton from many starts, along the front"
    x, there = brought(scene, spread_starts(scene, STARTS), enough=0.5)
    x = x[there]
    if sampled is not None:
        front = undominated(judging.values(sampled))
        x = np.concatenate([x, sampled[front], sampled[:: max(1, len(sampled) // STARTS)]])
    if len(x) and scene.margin is not None:
        x = np.concatenate([x, _unhindered(judging, x)])
    if len(x):
        x, clear = made_clear(judging, x, rounds=SOON)
        if clear.sum() < FIRST:
            x, clear = made_clear(judging, x)
        x = x[clear]
    if not len(x):
        nothing = _nothing(judging, method)
        yield lambda: nothing
        return
    values = judging.values(x)
    finite = np.isfinite(values).all(axis=1)
    if not finite.any():
        nothing = _nothing(judging, method)
        yield lambda: nothing
        return
    pool = Pool(x[finite], values[finite])
    yield partial(pool.found, points, method)
    # postures under way to an end are begun from, but do not count themselves
    seen = Pool(pool.x, pool.values)
    for number, (share, steps) in enumerate(LEVELS):
        some = max(3 * len(judging.aims), min(points, DENSE if number == len(LEVELS) - 1 else 0))
        weights = simplex(len(judging.aims), max(int(share * points), some))
        begin = seen.x[seen.best_for(weights)]
        if number == 0:
            alone = weights[weights.max(axis=1) > ALONE]
            most = max(ENDS, FIRST // len(weights))
            scouts, ends = _scouted(judging, seen, x[finite], alone, most)
            inner = weights[weights.max(axis=1) <= ALONE]
            begin = np.concatenate([begin, seen.x[seen.best_for(inner)], scouts])
            weights = np.concatenate([weights, inner, ends])
        norm = Norm(*pool.range(), weights)
        reached = deque(descend(judging, begin, norm, steps), maxlen=1)
        for last in reached:
            pool.add(last.x, last.values)
            seen.add(last.x, last.values)
        yield partial(pool.found, points, method)
    yield from _filled(judging, pool, points, method)


def _unhindered(judging: Judging, x: Array) -> Array:
    """Return postures that would be good if nothing were in the way, (r, moving), to begin with.

    Where a body is folded tightly, as near the floor, few random starts come clear of themselves.
    """
    free = replace(judging, scene=replace(judging.scene, margin=None))
    x, kept = made_clear(free, x)
    values = judging.values(x[kept])
    fine = np.isfinite(values).all(axis=1)
    if not fine.any():
        return x[:0]
    pool = Pool(x[kept][fine], values[fine])
    weights = simplex(len(judging.aims), UNHINDERED)
    norm = Norm(*pool.range(), weights)
    found = deque(descend(free, pool.x[pool.best_for(weights)], norm, UNHINDERED_STEPS), maxlen=1)
    return np.concatenate([each.x for each in found]) if found else x[:0]


def _scouted(
    judging: Judging, seen: Pool, x: Array, weights: Array, most: int
) -> tuple[Array, Array]:
    """Return the ``most`` postures that a few steps bring lowest, for each row of weights.

    With the row of each. Where there are many valleys, what starts low seldom ends lowest.
    """
    rows, goals = np.tile(x, (len(weights), 1)), np.repeat(weights, len(x), axis=0)
    norm = Norm(*seen.range(), goals)
    for steps, count in zip(SCOUTING, (max(most, len(x) // 2), most), strict=True):
        for last in deque(descend(judging, rows, norm, steps), maxlen=1):
            seen.add(last.x, last.values)
            heights = norm.of(last.values).reshape(len(weights), -1)
            best = np.argsort(heights, axis=1, kind="stable")[:, :count]
            kept = (best + heights.shape[1] * np.arange(len(weights))[:, None]).reshape(-1)
            rows, goals = last.x[kept], goals[kept]
            norm = norm._replace(weights=goals)
    return rows, goals


def _filled(judging: Judging, pool: Pool, points: int, method: str) -> Iterator[Told]:
    """Make the front dense, between neighbours and into the gaps between valleys."""
    for steps in GAPS:
        ends, weights = across(pool.x, pool.values, GAP)
        if not len(ends):
            break
        norm = Norm(*pool.range(), weights)
        for last in deque(descend(judging, pool.x[ends], norm, steps), maxlen=1):
            pool.add(last.x, last.values)
    pool.thin(0.25 / points)
    for _ in range(FILLS):
        room = points - len(pool.x)
        if room <= 0:
            break
        before = len(pool.x)
        pool.add(*halfway(judging, pool.x, pool.values, room))
        yield partial(pool.found, points, method)
        if len(pool.x) < before + max(1, before // 20):
            break


class Pool:
    """Postures that meet the targets, of which the front is taken."""

    def __init__(self, x: Array, values: Array) -> None:
        kept = undominated(values)
        self.x, self.values = x[kept], values[kept]
        self.image = values

    def add(self, x: Array, values: Array) -> None:
        """Take in postures; those that are dominated are dropped."""
        self.image = np.concatenate([self.image, values])[-IMAGE:]
        both, all_values = np.concatenate([self.x, x]), np.concatenate([self.values, values])
        kept = undominated(all_values)
        self.x, self.values = both[kept], all_values[kept]

    def thin(self, least: float) -> None:
        """Leave out postures whose values are nearer to others than ``least`` of the spread."""
        kept = apart(self.values, least)
        self.x, self.values = self.x[kept], self.values[kept]

    def range(self) -> tuple[Array, Array]:
        """Return the best of each aim and how far the front's values spread."""
        low, span = self.values.min(axis=0), np.ptp(self.values, axis=0)
        rough = np.ptp(self.image, axis=0)
        span = np.where(span > 1e-9 * np.maximum(rough, 1e-300), span, np.maximum(rough, 1e-12))
        return low, span

    def best_for(self, weights: Array) -> IntArray:
        """Return for each row of weights (m, k) the number of the posture of least norm, (m,)."""
        best, span = self.range()
        parts = np.maximum((self.values - best) / span + BELOW, 1e-9) ** POWER
        return np.asarray((weights**POWER @ parts.T).argmin(axis=1), np.int64)

    def found(self, points: int, method: str) -> Found:
        """Return the front so far."""
        alive = thinned(self.values, points)
        return Found(
            self.x[alive], self.values[alive], ("",) * len(alive), self.image[:IMAGE], method
        )


def simplex(k: int, count: int) -> Array:
    """Return about ``count`` weights (n, k) spread evenly, each alone among them, sums of 1."""
    if k == 1:
        return np.ones((1, 1))
    parts = 1
    while _lattice(k, parts + 1) <= count:
        parts += 1
    rows = []
    for bars in combinations(range(parts + k - 1), k - 1):
        ends = (-1, *bars, parts + k - 1)
        rows.append([ends[i + 1] - ends[i] - 1 for i in range(k)])
    found = np.array(rows, float) / parts
    return np.asarray(np.maximum(found, 1e-3) / np.maximum(found, 1e-3).sum(axis=1, keepdims=True))


def _lattice(k: int, parts: int) -> int:
    return comb(parts + k - 1, k - 1)


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
