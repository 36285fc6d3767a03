"""Postures at a point that strike something, led out of it: place to stand and joints together.

The last search before an object is "not found". It begins at postures from places drawn about the
point: of people who do not lean from the hips, and who lean by a third of what they are able to,
two thirds, all; of each those that strike least, and as many by chance. Each is changed by chance,
bent to the point again, and kept if it strikes less (stochastic hill climbing). Groups compete
within themselves alone: an arm through a thin board strikes little, and nothing small leads it out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import shapely

from articulata.analyses.reach.one_person.bare_reach import ONE_START, seeds
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.one_person.hands import PULP
from articulata.analyses.reach.points.neighbour_postures import (
    INWARD,
    drawn_about,
    free_places,
    turns_of,
)
from articulata.analyses.reach.points.search import Case, Labels
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.records.reach_shares import NOT_FOUND

BEGUN: Final = 12
"""So many postures of each hand and group are led on, each from a place of its own."""

SEARCHES: Final = (1, 3, *(4,) * 9)
"""Searches by other chances before a verdict is that nothing was found: so many of them together,
which costs less than one by one."""

DEEP: Final = ((1, 0.05), (3, 0.01))
"""A hand that strikes deeper (m) at best after so many of these is given up."""

AGAIN, ALIKE, NEAR = 3, 1.2, 1e-3
"""Where so many of these end within this factor of the one that strikes least, that is the bottom,
and the hand is given up; not where it strikes less than so much, m, which chance decides."""

HALVED: Final = 8
"""After so many rounds those that strike less are left: half of each group."""

STALLED: Final = 0.9
"""What strikes by more than this share of what it did then is given up: it is in a trap, and there
is another that is not."""

CHANGES, TOGETHER = 6, 64
"""Changes of each that are tried in a round, and of all: of few postures more are."""

NEARLY: Final = 2e-3
"""m. What strikes less is not given up: at the end of reach tenths of a millimetre decide."""

ROUNDS: Final = 96
"""How many rounds there are at most."""

MISSED: Final = 0.15
"""m. What misses the point by more is not begun with."""

UNBEARABLE: Final = 0.2
"""m. What a posture that no shoulder bears, or that does not hold the load, counts as striking."""

MOVED: Final = 0.06
"""m. How far a place is moved at first, along each axis (standard deviation)."""

BENT: Final = 0.8
"""rad. How far joints are bent at first (standard deviation)."""

LARGER, SMALLER, LEAST, MOST = 1.3, 0.75, 0.005, 1.5
"""By what changes grow after one that is better, and shrink after none; between what they stay."""

EASED, EASIER = 12, 16
"""Rounds in which a posture that was found is made more comfortable, and changes in each."""

LEANS: Final = (0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0)
"""Shares of the hips' lean: postures begin at each, and stay within it."""

GROUPS: Final = 2 * len(LEANS)
"""Of each lean, in this order, those that strike least, then those by chance."""

SEEDS: Final = 24
"""Postures over all that joints are able to, of which one is begun from at each place."""


class _Some(NamedTuple):
    """Postures ``q`` (n, dof) of one hand that ``strike`` (n,) so deep, m: 0 where all is well.

    ``group`` (n,) numbers the ``GROUPS``.
    """

    q: Array
    strike: Array
    group: IntArray

    def at(self, which: IntArray | BoolArray) -> _Some:
        return _Some(self.q[which], self.strike[which], self.group[which])

    def rank(self) -> IntArray:
        """Return the rank (n,) of each posture among those of its group: 0 strikes least."""
        order = np.lexsort((self.strike, self.group))
        found = np.empty(len(order), np.int64)
        found[order] = np.arange(len(order)) - np.searchsorted(self.group[order], self.group[order])
        return found


def climb(case: Case, points: Array, found: Labels, *, again: bool = False) -> None:
    """Mend labels of a few points (n, 3) in G, each of its own; ``again`` by other chances too."""
    for number in np.flatnonzero(found.label == NOT_FOUND):
        ends: list[list[float]] = [[] for _ in case.envelope.hands]
        for (turn, times), hand in itertools.product(
            enumerate(SEARCHES if again else SEARCHES[:1]), range(len(ends))
        ):
            if _given_up(ends[hand]):
                continue
            rng = np.random.default_rng([case.envelope.seed, 3, turn, hand])
            arm = _Climb(case, points[number], hand, rng, times)
            q = arm.top()
            found.tried[number] += arm.tried
            if q is not None:
                there, one = np.array([number]), q[None]
                found.reach(there, one[:, :3], np.array([hand]), arm.costs(one), found.keep(one))
                break
            ends[hand].append(arm.left)


def _given_up(ends: Sequence[float]) -> bool:
    """Return whether further searches are in vain after some that ended so deep, m."""
    least = min(ends, default=0.0)
    if any(len(ends) >= count and least > depth for count, depth in DEEP):
        return True
    return sum(each <= ALIKE * least for each in ends) >= AGAIN and least > NEAR


class _Climb:
    """One hand that is to come to a point ``p`` (3,) of G, in ``times`` searches together."""

    def __init__(
        self, case: Case, p: Array, number: int, rng: np.random.Generator, times: int = 1
    ) -> None:
        self._case, self._p, self._number, self._rng = case, p, number, rng
        self._times = times
        self._hand = case.envelope.hands[number]
        self._chains = [case.body.leaning(self._hand, share) for share in LEANS]
        self._columns = case.body.columns[self._hand]
        self._areas = shapely.buffer(case.places.free, -INWARD)
        shapely.prepare(self._areas)
        self.tried, self.left = 0, np.inf

    def top(self) -> Array | None:
        """Return a posture (dof,) that comes to the point and strikes nothing, if one is found."""
        now = self._begun()
        size, before = np.ones(len(now.q)), np.full(len(now.q), np.inf)
        for number in range(ROUNDS):
            well = now.strike <= 0.0
            good = self._free(now.q[well])
            if len(good):
                return self._eased(good[int(np.argmin(self.costs(good)))])
            now.strike[well] = PULP  # the fingertip goes through something thin
            before[well] = np.inf
            if number % HALVED == 0:
                share = (np.bincount(now.group)[now.group] + 1) // (2 if number else 1)
                going = np.flatnonzero(now.strike < np.maximum(STALLED * before, NEARLY))
                few = going[now.at(going).rank() < share[going]]
                now, size, before = now.at(few), size[few], now.strike[few]
            if not len(now.q):
                break
            changes = max(CHANGES, self._times * TOGETHER // len(now.q))
            parent = np.repeat(np.arange(len(now.q)), changes)
            some = self._changed(now.at(parent), size[parent])
            best = np.lexsort((some.strike, parent))[::changes]
            better = some.strike[best] < now.strike
            now.q[better], now.strike[better] = some.q[best[better]], some.strike[best[better]]
            size = np.clip(size * np.where(better, LARGER, SMALLER), LEAST, MOST)
            self.left = min(self.left, float(now.strike.min()))
        return None

    def _eased(self, q: Array) -> Array:
        """Return a posture (dof,) that reaches as ``q`` (dof,) does, and is more comfortable."""
        cost, size = float(self.costs(q[None])[0]), 1.0
        for _ in range(EASED):
            whole = np.full(EASIER, GROUPS - 1)
            begun = _Some(np.repeat(q[None], EASIER, axis=0), np.zeros(EASIER), whole)
            some = self._changed(begun, np.full(EASIER, size))
            good = self._free(some.q[some.strike <= 0.0])
            costs = self.costs(good)
            better = len(good) > 0 and float(costs.min()) < cost
            if better:
                q, cost = good[int(np.argmin(costs))], float(costs.min())
            size = min(max(size * (LARGER if better else SMALLER), LEAST), MOST)
        return q

    def _free(self, q: Array) -> Array:
        """Return those of postures (n, dof) that strike nothing, by the tests of all searches."""
        for free in (self._case.envelope.free, self._case.free):
            q = q[free(q, np.full(len(q), self._number))] if len(q) else q
        return q

    def costs(self, q: Array) -> Array:
        """Return what postures (n, dof) cost in comfort, as those of the envelope do."""
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        away = self._p[:2] - q[:, :2]
        place = np.column_stack([c * away[:, 0] + s * away[:, 1], c * away[:, 1] - s * away[:, 0]])
        return self._case.envelope.bare.costs(q, place, np.full(len(q), self._number))

    def _begun(self) -> _Some:
        """Return the postures that are led on."""
        found = [self._drawn() for _ in range(self._times)]
        for k, each in enumerate(found):
            each.group[:] += k * GROUPS
        return _Some(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _drawn(self) -> _Some:
        """Return the postures that one search begins with."""
        case, rng = self._case, self._rng
        base = drawn_about(case, self._p, rng)
        spread = np.array(seeds(case.body.arms[self._hand], 2 + SEEDS, case.envelope.seed)[2:])
        lean = np.repeat(np.arange(len(LEANS)), len(base))
        start = spread[rng.integers(len(spread), size=len(lean))]
        start[:, 0] = np.array(LEANS)[lean] * case.body.lean
        whole = case.body.postures(self._hand, np.tile(base, (len(LEANS), 1)), start)
        every = self._bent(whole, lean, sweeps=1)
        every = every.at(np.isfinite(every.strike))
        drawn = every._replace(group=every.group + len(LEANS))
        by_chance = drawn._replace(strike=rng.random(len(drawn.q))).rank()
        few = every.at(every.rank() < BEGUN), drawn.at(by_chance < BEGUN)
        return _Some(*(np.concatenate(each) for each in zip(*few, strict=True)))

    def _changed(self, some: _Some, size: Array) -> _Some:
        """Return postures changed by chance, each by its ``size``, and bent to the point again."""
        rng, n = self._rng, len(some.q)
        q = some.q.copy()
        moved = (rng.random(n) < 0.7) * MOVED * size
        q[:, :2] += moved[:, None] * rng.standard_normal((n, 2))
        turn = turns_of(self._case, q[:, 2]) + rng.integers(-1, 2, n) * (rng.random(n) < 0.3)
        q[:, 2] = self._case.places.turns[turn % len(self._case.places.turns)]
        bent = (rng.random((n, len(self._columns))) < 0.5) * (BENT * size)[:, None]
        q[:, self._columns] += bent * rng.standard_normal(bent.shape)
        found = _Some(q, np.full(n, np.inf), some.group)
        stands = np.flatnonzero(self._set_within(q, turn))
        if len(stands):
            there = self._bent(q[stands], some.group[stands], sweeps=0, beaten=some.strike[stands])
            found.q[stands], found.strike[stands] = there.q, there.strike
        return found

    def _set_within(self, q: Array, turn: IntArray) -> BoolArray:
        """Set bases (n, 3) without room in orientations (n,) to the nearest; return who has room.

        There is none where an orientation has no room anywhere.
        """
        free = free_places(self._case, q[:, :2], turn)
        out = np.flatnonzero(~free)
        areas = self._areas[turn[out] % len(self._areas)]
        some = ~shapely.is_empty(areas)
        ways = shapely.shortest_line(areas[some], shapely.points(q[out[some], :2]))
        q[out[some], :2] = shapely.get_coordinates(shapely.get_point(ways, 0))
        free[out] = free_places(self._case, q[out, :2], turn[out])
        return free

    def _bent(
        self, q: Array, group: IntArray, *, sweeps: int, beaten: Array | None = None
    ) -> _Some:
        """Return postures (n, dof) bent to the point, and how deep they strike: inf where far.

        Of those that strike deeper than what is to be ``beaten`` (n,) it may be told too little.
        """
        case, hand = self._case, self._hand
        self.tried += len(q)
        away = self._p - np.column_stack([q[:, :2], np.full(len(q), case.room.level)])
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        goal = [c * away[:, 0] + s * away[:, 1], c * away[:, 1] - s * away[:, 0], away[:, 2]]
        goals, values = np.column_stack(goal), q[:, self._columns]
        error, reached = np.empty(len(q)), np.empty(len(q), bool)
        for number, chain in enumerate(self._chains):
            mine = np.flatnonzero(group % len(LEANS) == number)
            if not len(mine):
                continue
            answer = chain.inverse(
                goals[mine],
                start=np.clip(values[mine], chain.lower, chain.upper),
                tolerance=TOLERANCE,
                method=replace(ONE_START, sweeps=sweeps),
            )
            values[mine], error[mine], reached[mine] = answer.q, answer.error, answer.found
        whole = case.body.postures(hand, q[:, :3], values)
        near = np.flatnonzero(error <= MISSED)
        strike = np.full(len(q), np.inf)
        deep = np.where(reached, 0.0, error)[near]
        deep += np.where(case.body.bearable(hand, whole[near]), 0.0, UNBEARABLE)
        for clash in (case.clash[hand], case.envelope.clash[hand]):
            some = np.flatnonzero(deep <= (np.inf if beaten is None else beaten[near]))
            apart = clash.clearances(whole[near[some]], enough=1e-9).distance
            deep[some] += np.maximum(-apart, 0.0)
        strike[near] = deep
        return _Some(whole, strike, group)
