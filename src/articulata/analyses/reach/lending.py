"""Points that the envelope's postures miss: tried from drawn places, and from their neighbours'.

A point that is reached lends its place to stand and its posture to those beside it: a step of the
grid away, the same posture bends to them most times. Where nobody lends, places to stand are drawn
within an arm's reach of points here and there, and what they find is lent on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely
from scipy.spatial import cKDTree

from articulata.analyses.reach.bare_reach import seeds
from articulata.analyses.reach.bounds import TOLERANCE
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.inverse.descent import Descent
from articulata.records.labels import ACCESSIBLE, NOT_FOUND
from articulata.records.reach import ReachReason

if TYPE_CHECKING:
    from articulata.analyses.reach.search import Case, Labels

NEAR = 0.09
"""m. Points no farther apart lend to each other: a grid of 5 cm, across its cells."""

LENDERS = 5
"""How many neighbours are asked."""

PASSES = 12
"""How many times what is found is lent on."""

SPARSE = 0.08
"""m. One point in each cube of this edge has places drawn for it."""

DRAWN = 40
"""Places that are drawn for a point; of those on which the device stands, each is tried."""


def lend(case: Case, points: Array, found: Labels, asked: BoolArray | None = None) -> None:
    """Mend the labels of points (n, 3) in G that were not found, from those that are reached.

    Of these not from those that were ``asked`` (n,) before: they have nothing more to lend.
    """
    lenders = np.flatnonzero(
        (found.label == ACCESSIBLE) if asked is None else (found.label == ACCESSIBLE) & ~asked
    )
    for _ in range(PASSES):
        missed = np.flatnonzero(found.label == NOT_FOUND)
        if not len(missed) or not len(lenders):
            return
        count = min(LENDERS, len(lenders))
        away, which = cKDTree(points[lenders]).query(
            points[missed], k=count, distance_upper_bound=NEAR
        )
        who, nth = np.nonzero(np.isfinite(away.reshape(len(missed), -1)))
        lender = lenders[which.reshape(len(missed), -1)[who, nth]]
        lenders = _tried(
            case,
            points,
            found,
            missed[who],
            found.base[lender],
            found.hand[lender],
            case.whole(found, lender),
            0,
        )


def sparse(points: Array, found: Labels) -> IntArray:
    """Return one point (of (n, 3) in G) that was not found of each cube of edge ``SPARSE``."""
    missed = np.flatnonzero(found.label == NOT_FOUND)
    cells = np.floor(points[missed] / SPARSE).astype(np.int64)
    return missed[np.sort(np.unique(cells, axis=0, return_index=True)[1])]


def draw(case: Case, points: Array, found: Labels, *, every: bool, starts: int = 2) -> None:
    """Mend labels from places to stand that are drawn about points that were not found.

    About ``every`` one of them, or about a few here and there.
    """
    missed = np.flatnonzero(found.label == NOT_FOUND) if every else sparse(points, found)
    if not len(missed):
        return
    rng = np.random.default_rng(case.envelope.seed)
    who = np.repeat(missed, DRAWN)
    areas = case.places.free
    turn = rng.integers(len(case.places.turns), size=len(who))
    far = np.maximum(case.envelope.farthest(points[missed, 2] - case.room.level), 0.0)
    away = np.repeat(far, DRAWN) * np.sqrt(rng.random(len(who)))
    about = rng.uniform(-np.pi, np.pi, len(who))
    place = points[who, :2] + away[:, None] * np.column_stack([np.cos(about), np.sin(about)])
    free = np.zeros(len(who), bool)
    for number, area in enumerate(areas):
        mine = np.flatnonzero(turn % len(areas) == number)
        free[mine] = shapely.contains_xy(area, place[mine, 0], place[mine, 1])
    who, base = who[free], np.column_stack([place, case.places.turns[turn]])[free]
    for number, (hand, chain) in enumerate(case.body.arms.items()):
        for start in seeds(chain, 2 * starts + 2, case.envelope.seed)[2 : 2 + starts]:
            left = found.label[who] == NOT_FOUND
            count = int(left.sum())
            begin = case.body.postures(hand, base[left], np.repeat(start[None], count, axis=0))
            _tried(case, points, found, who[left], base[left], np.full(count, number), begin, 1)


def bend(
    case: Case, points: Array, base: Array, hand: IntArray, begin: Array, *, sweeps: int = 1
) -> tuple[IntArray, Array]:
    """Return the postures (k, dof) that reach points (m, 3) in G, and of which points (k,).

    From bases (m, 3), each with one hand, beginning at postures (m, dof): those near to a point
    already stay nearest without ``sweeps`` of coordinate descent.
    """
    flat = points[:, :2] - base[:, :2]
    c, s = np.cos(base[:, 2]), np.sin(base[:, 2])
    level = case.room.level
    goal = np.column_stack(
        [c * flat[:, 0] + s * flat[:, 1], c * flat[:, 1] - s * flat[:, 0], points[:, 2] - level]
    )
    rows, wholes = [], []
    for number, (name, chain) in enumerate(case.body.arms.items()):
        mine = np.flatnonzero(hand == number)
        if not len(mine):
            continue
        start = begin[mine][:, case.body.columns[name]]
        answer = chain.inverse(
            goal[mine],
            start=start,
            tolerance=TOLERANCE,
            method=Descent(starts=1, sweeps=sweeps),
        )
        some = mine[answer.found]
        rows.append(some)
        wholes.append(case.body.postures(name, base[some], answer.q[answer.found]))
    row = np.concatenate([np.empty(0, np.int64), *rows])
    return row, np.concatenate([np.empty((0, case.body.figure.dof)), *wholes])


def _tried(
    case: Case,
    points: Array,
    found: Labels,
    who: IntArray,
    base: Array,
    hand: IntArray,
    begin: Array,
    sweeps: int,
) -> IntArray:
    """Try to reach points ``who`` (m,) from bases (m, 3), beginning at postures; return the new.

    Of what is found the most comfortable posture is kept.
    """
    row, whole = bend(case, points[who], base, hand, begin, sweeps=sweeps)
    # the room first: it rules out most, at less cost where its distances are known
    for free in (case.free, case.envelope.free):
        kept = free(whole, hand[row]) if len(row) else np.empty(0, bool)
        row, whole = row[kept], whole[kept]
    cost = case.envelope.discomfort.of(case.body.figure, whole)
    order = np.lexsort((cost, who[row]))
    first = np.unique(who[row][order], return_index=True)[1]
    best = order[first]
    there: IntArray = who[row[best]]
    found.label[there] = ACCESSIBLE
    found.reason[there] = int(ReachReason.REACHED)
    found.base[there] = base[row[best]]
    found.hand[there] = hand[row[best]]
    found.cost[there] = cost[best]
    found.row[there] = found.keep(whole[best])
    return there
