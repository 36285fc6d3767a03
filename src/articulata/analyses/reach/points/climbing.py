"""Postures at a point that strike something, led out of it: place to stand and joints together.

The last search before an object is "not found". It begins at the postures that strike least, from
places drawn about the point, with trunks upright, half bent and bent. Each is changed by chance,
bent to the point again, and kept if it strikes less (stochastic hill climbing).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from articulata.analyses.reach.one_person.bare_reach import ONE_START, seeds
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.one_person.hands import PULP
from articulata.analyses.reach.points.lending import drawn_about, free_places, turns_of
from articulata.analyses.reach.points.search import Case, Labels
from articulata.geometry.arrays import Array, IntArray
from articulata.records.labels import ACCESSIBLE, NOT_FOUND
from articulata.records.reach_verdicts import ReachReason

BEGUN: Final = 96
"""So many postures of each hand are led on, each from a place of its own."""

HALVED: Final = 8
"""After so many rounds those that strike less are left: half of them."""

CHANGES: Final = 6
"""Changes of each that are tried in a round."""

ROUNDS: Final = 30
"""How many rounds there are at most."""

MISSED: Final = 0.15
"""m. What misses the point by more is not begun with."""

UNBEARABLE: Final = 0.2
"""m. What a posture that no shoulder bears, or that does not hold the load, counts as striking."""

MOVED: Final = 0.06
"""m. How far a place is moved at first, along each axis (standard deviation)."""

BENT: Final = 0.8
"""rad. How far joints are bent at first (standard deviation)."""

LARGER, SMALLER, LEAST, MOST = 1.3, 0.75, 0.02, 1.5
"""By what changes grow after one that is better, and shrink after none; between what they stay."""

EASED, EASIER = 12, 16
"""Rounds in which a posture that was found is made more comfortable, and changes in each."""

LEANS: Final = (0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0)
"""Shares of the hips' lean from which postures are begun."""

SEEDS: Final = 24
"""Postures over all that joints are able to, of which one is begun from at each place."""


class _Some(NamedTuple):
    """Postures ``q`` (n, dof) of one hand that ``strike`` (n,) so deep, m: 0 where all is well."""

    q: Array
    strike: Array

    def at(self, which: IntArray) -> _Some:
        return _Some(self.q[which], self.strike[which])


def climb(case: Case, points: Array, found: Labels) -> None:
    """Mend labels of a few points (n, 3) in G, each of its own."""
    for number in np.flatnonzero(found.label == NOT_FOUND):
        rng = np.random.default_rng([case.envelope.seed, 3])
        for hand in range(len(case.envelope.hands)):
            arm = _Climb(case, points[number], hand, rng)
            q = arm.top()
            found.tried[number] += arm.tried
            if q is not None:
                found.label[number] = ACCESSIBLE
                found.reason[number] = int(ReachReason.REACHED)
                found.base[number] = q[:3]
                found.hand[number] = hand
                found.cost[number] = float(arm.costs(q[None])[0])
                found.row[number] = int(found.keep(q[None])[0])
                break


class _Climb:
    """One hand that is to come to a point ``p`` (3,) of G."""

    def __init__(self, case: Case, p: Array, number: int, rng: np.random.Generator) -> None:
        self._case, self._p, self._number, self._rng = case, p, number, rng
        self._hand = case.envelope.hands[number]
        self._chain = case.body.arms[self._hand]
        self._columns = case.body.columns[self._hand]
        self.tried = 0

    def top(self) -> Array | None:
        """Return a posture (dof,) that comes to the point and strikes nothing, if one is found."""
        now = self._begun()
        size = np.ones(len(now.q))
        for number in range(ROUNDS if len(now.q) else 0):
            well = now.strike <= 0.0
            good = self._free(now.q[well])
            if len(good):
                return self._eased(good[int(np.argmin(self.costs(good)))])
            now.strike[well] = PULP  # the fingertip goes through something thin
            if number % HALVED == HALVED - 1:
                few = np.argsort(now.strike, kind="stable")[: (len(now.q) + 1) // 2]
                now, size = now.at(few), size[few]
            parent = np.repeat(np.arange(len(now.q)), CHANGES)
            some = self._changed(now.at(parent), size[parent])
            best = np.lexsort((some.strike, parent))[::CHANGES]
            better = some.strike[best] < now.strike
            now.q[better], now.strike[better] = some.q[best[better]], some.strike[best[better]]
            size = np.clip(size * np.where(better, LARGER, SMALLER), LEAST, MOST)
        return None

    def _eased(self, q: Array) -> Array:
        """Return a posture (dof,) that reaches as ``q`` (dof,) does, and is more comfortable."""
        cost, size = float(self.costs(q[None])[0]), 1.0
        for _ in range(EASED):
            begun = _Some(np.repeat(q[None], EASIER, axis=0), np.zeros(EASIER))
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
        """Return the postures that strike least, each from a place of its own."""
        case, rng = self._case, self._rng
        base = drawn_about(case, self._p, rng)
        spread = np.array(seeds(self._chain, 2 + SEEDS, case.envelope.seed)[2:])
        several = []
        for share in LEANS if len(base) else ():
            start = spread[rng.integers(len(spread), size=len(base))]
            start[:, 0] = share * self._chain.upper[0]
            several.append(self._bent(case.body.postures(self._hand, base, start), sweeps=1))
        if not several:
            return _Some(np.empty((0, case.body.figure.dof)), np.empty(0))
        every = _Some(*(np.concatenate(each) for each in zip(*several, strict=True)))
        order = np.argsort(every.strike, kind="stable")
        order = order[np.isfinite(every.strike[order])]
        place = np.unique(every.q[order, :3], axis=0, return_index=True)[1]
        return every.at(order[np.sort(place)[:BEGUN]])

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
        found = _Some(q, np.full(n, np.inf))
        stands = np.flatnonzero(free_places(self._case, q[:, :2], turn))
        if len(stands):
            found.q[stands], found.strike[stands] = self._bent(
                q[stands], sweeps=0, beaten=some.strike[stands]
            )
        return found

    def _bent(self, q: Array, *, sweeps: int, beaten: Array | None = None) -> _Some:
        """Return postures (n, dof) bent to the point, and how deep they strike: inf where far.

        Of those that strike deeper than what is to be ``beaten`` (n,) it may be told too little.
        """
        case, hand = self._case, self._hand
        self.tried += len(q)
        away = self._p - np.column_stack([q[:, :2], np.full(len(q), case.room.level)])
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        goal = [c * away[:, 0] + s * away[:, 1], c * away[:, 1] - s * away[:, 0], away[:, 2]]
        answer = self._chain.inverse(
            np.column_stack(goal),
            start=np.clip(q[:, self._columns], self._chain.lower, self._chain.upper),
            tolerance=TOLERANCE,
            method=replace(ONE_START, sweeps=sweeps),
        )
        whole = case.body.postures(hand, q[:, :3], answer.q)
        near = np.flatnonzero(answer.error <= MISSED)
        strike = np.full(len(q), np.inf)
        deep = np.where(answer.found, 0.0, answer.error)[near]
        deep += np.where(case.body.bearable(hand, whole[near]), 0.0, UNBEARABLE)
        for clash in (case.clash[hand], case.envelope.clash[hand]):
            some = np.flatnonzero(deep <= (np.inf if beaten is None else beaten[near]))
            apart = clash.clearances(whole[near[some]], enough=1e-9).distance
            deep[some] += np.maximum(-apart, 0.0)
        strike[near] = deep
        return _Some(whole, strike)
