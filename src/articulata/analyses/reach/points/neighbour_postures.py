"""Points that the envelope's postures miss: tried from drawn places, and from their neighbours'.

A point that is reached lends its place to stand and its posture to those beside it: a step of the
grid away, the same posture bends to them most times. Where it does not, the lender's place is moved
and turned a little. Where nobody lends, places to stand are drawn within an arm's reach of points
here and there, and what they find is lent on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely
from scipy.spatial import cKDTree

from articulata.analyses.reach.one_person.bare_reach import COARSE, ONE_START, seeds
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.points.search import Case, Labels
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND

NEAR = 0.09
"""m. Points no farther apart lend to each other: a grid of 5 cm, across its cells."""

LENDERS = 5
"""How many neighbours are asked."""

PASSES = 12
"""How many times what is found is lent on."""

SPARSE = 0.12
"""m. One point in each cube of this edge has places drawn for it."""

DRAWN = 40
"""Places that are drawn for a point; of those on which the device stands, each is tried."""

MORE_DRAWN = 6000
"""Places that are drawn for a point that stands alone, as an object does."""

ENOUGH = 150
"""So many of them are tried on which the device stands."""

AT_EDGES = 3000
"""Places that are drawn for it along the edges of what is free, as close to furniture as can be."""

NEAREST = 320
"""So many of them are tried, those nearest to the point: at the end of reach no other will do."""

INWARD = 1e-4
"""m. So far within the edge they lie."""

NEIGHBOURLY = 0.1
"""m. Drawn places are tried that bring a point so near to an offset of the envelope."""

MOVED = 0.1
"""m. So far a lender's place is moved along each axis at most."""

TURNED = 1
"""Orientations of the base by which it is turned either way at most."""

BENT = 0.9
"""rad. So far each joint of a lender's posture is bent before the search at most."""

NUDGES = ((3, 3), (3, 3), (3, 3))
"""How many neighbours lend their place moved, and how many times each, pass by pass."""


def lend(case: Case, points: Array, found: Labels, asked: BoolArray | None = None) -> None:
    """Mend the labels of points (n, 3) in G that were not found, from those that are reached.

    Of these not from those that were ``asked`` (n,) before: they have nothing more to lend.
    """
    lenders = np.flatnonzero(
        (found.label == ACCESSIBLE) if asked is None else (found.label == ACCESSIBLE) & ~asked
    )
    for _ in range(PASSES):
        missed = np.flatnonzero(found.label == NOT_FOUND)
        who, lender = _lenders(points, missed, lenders, LENDERS)
        if not len(who):
            return
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


def nudge(case: Case, points: Array, found: Labels) -> None:
    """Mend the labels of points beside those that are reached, from places near to theirs."""
    rng = np.random.default_rng([case.envelope.seed, 1])
    turns = len(case.places.turns)
    for lent, times in NUDGES:
        missed = np.flatnonzero(found.label == NOT_FOUND)
        reached = np.flatnonzero(found.label == ACCESSIBLE)
        who, lender = (np.repeat(each, times) for each in _lenders(points, missed, reached, lent))
        if not len(who):
            return
        who = missed[who]
        base = found.base[lender]
        # half of them keep what is between base and point, but for the height
        along = (rng.random(len(who)) < 0.5)[:, None]
        base[:, :2] += along * (points[who, :2] - points[lender, :2])
        base[:, :2] += rng.uniform(-MOVED, MOVED, (len(who), 2))
        turn = (turns_of(case, base[:, 2]) + rng.integers(-TURNED, TURNED + 1, len(who))) % turns
        base[:, 2] = case.places.turns[turn]
        free = free_places(case, base[:, :2], turn)
        asked = found.label == ACCESSIBLE
        begin = case.whole(found, lender[free])
        begin[:, 3:] += rng.uniform(-BENT, BENT, begin[:, 3:].shape)
        _tried(case, points, found, who[free], base[free], found.hand[lender][free], begin, 0)
        lend(case, points, found, asked)


def _lenders(
    points: Array, missed: IntArray, lenders: IntArray, most: int
) -> tuple[IntArray, IntArray]:
    """Return who (m,) of ``missed`` may borrow of which points (m,): the nearest, ``most`` each."""
    some, near = np.arange(len(missed)), lenders
    for _ in range(2):  # of the more those beside the fewer
        if len(near) < len(some):
            some = some[_about(points, missed[some], near)]
        else:
            near = near[_about(points, near, missed[some])]
    if not len(near) or not len(some):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    away, which = cKDTree(points[near]).query(
        points[missed[some]], k=min(most, len(near)), distance_upper_bound=NEAR
    )
    who, nth = np.nonzero(np.isfinite(away.reshape(len(some), -1)))
    return some[who], near[which.reshape(len(some), -1)[who, nth]]


def _about(points: Array, these: IntArray, others: IntArray) -> BoolArray:
    """Return which of ``these`` lie in a cell of edge ``NEAR`` of ``others``, or beside one."""
    near = np.zeros(len(these), bool)
    if not len(these) or not len(others):
        return near
    its = points[others]
    corner = its.min(axis=0) - 2.0 * NEAR
    cell = np.floor((its - corner) / NEAR).astype(np.int64)
    known = np.zeros(cell.max(axis=0) + 2, bool)
    known[cell[:, 0], cell[:, 1], cell[:, 2]] = True
    for axis in range(3):  # the cells beside them, axis by axis
        along = known.swapaxes(0, axis)
        before = along.copy("K")
        along[1:] |= before[:-1]
        along[:-1] |= before[1:]
    mine = np.floor((points[these] - corner) / NEAR).astype(np.int64)
    inside = np.flatnonzero(
        np.logical_and.reduce([(mine[:, k] >= 0) & (mine[:, k] < known.shape[k]) for k in range(3)])
    )
    x, y, z = mine[inside].T
    near[inside] = known[x, y, z]
    return near


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
    who, base = _drawn(case, points, missed, DRAWN, np.random.default_rng(case.envelope.seed))
    if not every:
        near = _hopeful(case, points[who], base)
        who, base = who[near], base[near]
    for number, (hand, chain) in enumerate(case.body.arms.items()):
        for start in seeds(chain, 2 * starts + 2, case.envelope.seed)[2 : 2 + starts]:
            left = found.label[who] == NOT_FOUND
            count = int(left.sum())
            begin = case.body.postures(hand, base[left], np.repeat(start[None], count, axis=0))
            _tried(case, points, found, who[left], base[left], np.full(count, number), begin, 1)


def _drawn(
    case: Case, points: Array, missed: IntArray, count: int, rng: np.random.Generator
) -> tuple[IntArray, Array]:
    """Return bases (m, 3) on which the device stands, and about which points (m,) of ``missed``.

    ``count`` are drawn within an arm's reach of each.
    """
    who = np.repeat(missed, count)
    turn = rng.integers(len(case.places.turns), size=len(who))
    far = np.maximum(case.envelope.farthest(points[missed, 2] - case.room.level), 0.0)
    away = np.repeat(far, count) * np.sqrt(rng.random(len(who)))
    about = rng.uniform(-np.pi, np.pi, len(who))
    place = points[who, :2] + away[:, None] * np.column_stack([np.cos(about), np.sin(about)])
    free = free_places(case, place, turn)
    who, place, turn = who[free], place[free], turn[free]
    return who, np.column_stack([place, case.places.turns[turn]])


def drawn_about(case: Case, p: Array, rng: np.random.Generator) -> Array:
    """Return bases (n, 3) about a point (3,) of G: here and there, and as close as can be.

    Of each orientation that has room there are as many: what has most is not what reaches.
    """
    areas, turns = case.places.free, case.places.turns
    reach = max(float(case.envelope.farthest(p[2:] - case.room.level)[0]), 0.0)
    within = shapely.intersection(
        shapely.buffer(areas, -INWARD), shapely.Point(*p[:2]).buffer(reach)
    )
    some = [number for number, area in enumerate(within) if area.area > 0.0]
    found = [np.empty((0, 3))]
    for number in some:
        area = within[number]
        shapely.prepare(area)
        drawn = rng.uniform(area.bounds[:2], area.bounds[2:], (MORE_DRAWN // len(some), 2))
        drawn = drawn[shapely.contains_xy(area, *drawn.T)][: -(-ENOUGH // len(some))]
        rim = shapely.boundary(area)
        along = shapely.get_coordinates(
            shapely.line_interpolate_point(rim, rng.random(AT_EDGES // len(some)), normalized=True)
        )
        away = np.linalg.norm(along - p[:2], axis=1)
        near = along[np.argsort(away, kind="stable")[: -(-NEAREST // len(some))]]
        place = np.concatenate([drawn, near])
        which = rng.integers(len(turns), size=len(place)) if len(areas) == 1 else number
        found.append(np.column_stack([place, np.broadcast_to(turns[which], len(place))]))
    return np.concatenate(found)


def turns_of(case: Case, turn: Array) -> IntArray:
    """Return the numbers of the orientations that are ``turn`` (n,) rad."""
    turns = case.places.turns
    number = np.rint((turn - turns[0]) / (2.0 * np.pi / len(turns))).astype(np.int64)
    return np.asarray(number % len(turns))


def free_places(case: Case, place: Array, turn: IntArray) -> BoolArray:
    """Return at which places (n, 2) the base may stand, in orientations of these numbers."""
    areas = np.asarray(case.places.free)
    shapely.prepare(areas)
    its = areas[turn % len(areas)]
    return np.asarray(shapely.contains_xy(its, place[:, 0], place[:, 1]), bool)


def _hopeful(case: Case, points: Array, base: Array) -> BoolArray:
    """Return which points (n, 3) in G, seen from bases (n, 3), are near to what is reached so."""
    flat = points[:, :2] - base[:, :2]
    c, s = np.cos(base[:, 2]), np.sin(base[:, 2])
    offset = np.column_stack([c * flat[:, 0] + s * flat[:, 1], c * flat[:, 1] - s * flat[:, 0]])
    heights, level = np.unique(points[:, 2], return_inverse=True)
    near = np.zeros(len(points), bool)
    for k, each in enumerate(case.envelope.levels(heights - case.room.level, COARSE)):
        mine = np.flatnonzero(level == k)
        if len(each.offset):
            away = cKDTree(each.offset).query(offset[mine], distance_upper_bound=NEIGHBOURLY)[0]
            near[mine] = np.isfinite(away)
    return near


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
            method=replace(ONE_START, sweeps=sweeps),
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
    found.tried[:] += np.bincount(who, minlength=len(points))
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
    kept = found.keep(whole[best])
    found.reach(there, base[row[best]], hand[row[best]], cost[best], kept)
    return there
