"""What a body reaches from one base, whatever it moves with: postures that strike nothing of it.

They are found by inverse kinematics from several starts at places about the base, level by level.
Of a body with two like sides the second hand's are the picture of the first's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articulata.analyses.reach.one_person.at_rest import kept_off, slimmed
from articulata.analyses.reach.one_person.body import TURN, Body
from articulata.analyses.reach.one_person.bounds import TOLERANCE, ReachBound, reach_bound_of
from articulata.analyses.reach.one_person.mirror import ASIDE, mirror_of
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.chain import Chain
from articulata.kinematics.clash import Clash
from articulata.kinematics.inverse.descent import Descent


@dataclass(frozen=True, slots=True)
class Density:
    """How closely offsets lie: ``spokes`` (even) about the base, ``spacing`` m along each.

    ``starts`` for each offset and hand at least; of what they find ``tested`` unlike postures are
    tested for what they strike, and ``kept`` at most.
    """

    spokes: int
    spacing: float
    starts: int
    tested: int
    kept: int


COARSE = Density(24, 0.08, 1, 3, 2)
"""For maps of many points."""

FINE = Density(30, 0.06, 10, 12, 6)
"""For objects, and for points that the coarse one misses."""

ONE_START = Descent(starts=1, device=False)
"""How arms are solved. Not on a graphics card: bytes of a study do not depend on one."""

UNLIKE = 0.4
"""rad. Postures of which a joint differs by more are unlike."""

FACING = 0.25
"""What it costs to reach aside, and twice that backward: people turn to what they reach."""

SECOND_HAND = 0.05
"""What the hand that is liked less costs."""

EDGE_STEPS = 4
"""Halvings between the last offset that is reached and the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Reaches:
    """Postures ``whole`` (n, dof) at base 0 and the places (n, 3) m that they reach.

    ``hand`` (n,) numbers the hands, ``cost`` (n,) is what each costs in comfort.
    """

    whole: Array
    place: Array
    hand: IntArray
    cost: Array

    def some(self, which: IntArray | BoolArray | slice) -> Reaches:
        """Return those of ``which``."""
        return Reaches(self.whole[which], self.place[which], self.hand[which], self.cost[which])

    def unlike(self, most: int) -> BoolArray:
        """Return which to keep: of each run at one place the first ``most`` that are unlike it."""
        same = np.zeros(len(self.hand), bool)
        same[1:] = (self.place[1:] == self.place[:-1]).all(axis=1)
        same[1:] &= self.hand[1:] == self.hand[:-1]
        start = np.maximum.accumulate(np.where(same, 0, np.arange(len(same))))
        wanted = ~same
        rest = np.flatnonzero(same)
        away = np.abs(self.whole[rest, 3:] - self.whole[start[rest], 3:])
        wanted[rest] = away.max(axis=1, initial=0.0) > UNLIKE
        count = np.cumsum(wanted)
        return np.asarray(wanted & (count - count[start] < most))


def together(several: Sequence[Reaches]) -> Reaches:
    """Return postures of several, one after the other."""
    return Reaches(
        np.concatenate([each.whole for each in several]),
        np.concatenate([each.place for each in several]),
        np.concatenate([each.hand for each in several]),
        np.concatenate([each.cost for each in several]),
    )


class BareReach:
    """What a body reaches from one base; levels are computed when first asked for.

    The device that it moves with is left out: bodies that differ in nothing else share this. Of
    ``starts`` postures at each place, which ``seed`` spreads, those that are unlike are kept.
    """

    def __init__(self, body: Body, starts: int, seed: int) -> None:
        self.body, self.starts, self.seed = body, starts, seed
        self.discomfort = body.comfort
        self.slim = slimmed(body)
        """By joint: shapes of the body that forearm and hand do not press into at rest."""
        self._clash = {
            hand: Clash(
                body.figure,
                shapes={**self.slim, **dict.fromkeys(body.idle[hand], ()), TURN: ()},
                exempt=body.touching(hand),
                kept=kept_off(body, hand),
            )
            for hand in body.arms
        }
        self.mirror = mirror_of(body, self._clash)
        """How the second hand's postures follow from the first's; None where they do not."""
        self._levels: dict[tuple[int, Density], Reaches] = {}
        self._bounds: list[ReachBound] | None = None
        self._farthest: dict[float, float] = {}

    def like(self, body: Body) -> bool:
        """Return whether a body of the same person differs in nothing but what it moves with."""
        mine, its = self.body.figure, body.figure
        return (
            mine.names == its.names
            and tuple(self.body.arms) == tuple(body.arms)
            and all(np.array_equal(a, b) for a, b in zip(mine.arrays, its.arrays, strict=True))
            and np.array_equal(mine.lower, its.lower)
            and np.array_equal(mine.upper, its.upper)
            and np.array_equal(self.body.resting, body.resting)
        )

    def farthest(self, heights: Array) -> Array:
        """Return how far from the base any hand can be at ``heights`` (n,) at most, -1 never."""
        if self._bounds is None:
            # of like sides one will do
            arms = list(self.body.arms.values())[: 1 if self.mirror is not None else None]
            self._bounds = [reach_bound_of(chain) for chain in arms]
        asked = heights.tolist()
        new = np.array(sorted({*asked} - self._farthest.keys()))
        if len(new):
            found = np.max([each.farthest(new) for each in self._bounds], axis=0)
            self._farthest.update(zip(new.tolist(), found.tolist(), strict=True))
        return np.array([self._farthest[height] for height in asked])

    def levels(self, keys: Sequence[int], density: Density) -> list[Reaches]:
        """Return what is reached at heights of ``keys`` tenths of a mm, place by place.

        At each place the most comfortable postures come first. With ``mirror`` they are those of
        the first hand alone.
        """
        missing = sorted({key for key in keys if (key, density) not in self._levels})
        if missing:
            self._make(missing, density)
        return [self._levels[key, density] for key in keys]

    # ---- inside

    def _make(self, keys: Sequence[int], density: Density) -> None:
        heights = np.array(keys) * 1e-4
        spokes, spacing = density.spokes, density.spacing
        rings = np.arange(0.0, self._longest() + spacing, spacing)
        turns = (np.arange(spokes // 2) + 0.5) * (2.0 * np.pi / spokes)
        left = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        spoke = np.concatenate([left, left[::-1] * ASIDE[:2]])
        flat = (rings[:, None, None] * spoke).reshape(-1, 2)
        flat = np.concatenate([np.zeros((1, 2)), flat[spokes:]])
        targets = np.concatenate(
            [
                np.repeat(flat[None], len(heights), axis=0),
                np.repeat(heights[:, None, None], len(flat), axis=1),
            ],
            axis=2,
        ).reshape(-1, 3)
        by_hand = []
        hands = list(self.body.arms.items())[: 1 if self.mirror is not None else None]
        for number, (hand, chain) in enumerate(hands):
            starts = self._seeds(chain, max(self.starts, density.starts))
            met = np.zeros(len(targets), bool)
            rows = []
            for seed in starts:
                q, ok = _met(chain, targets, seed)
                met |= ok
                rows.append((targets[ok], q[ok]))
            edge = self._edge(chain, met.reshape(len(heights), -1), heights, rings, spoke)
            for seed in starts[:3]:
                q, ok = _met(chain, edge, seed)
                rows.append((edge[ok], q[ok]))
            place = np.concatenate([each for each, _ in rows])
            values = np.concatenate([each for _, each in rows])
            whole = self.body.postures(hand, np.zeros((len(values), 3)), values)
            by_hand.append(self._told_apart(hand, number, whole, place, density))
        found = together(by_hand)
        level = np.clip(np.searchsorted(heights, found.place[:, 2] - 1e-9), 0, len(heights) - 1)
        found = found.some(np.argsort(level, kind="stable"))
        ends = np.searchsorted(np.sort(level), np.arange(len(heights) + 1))
        for k, key in enumerate(keys):
            self._levels[key, density] = found.some(slice(ends[k], ends[k + 1]))

    def _seeds(self, chain: Chain, count: int) -> list[Array]:
        """Return postures (dof,) of an arm to start from; of like sides also the other arm's."""
        found = seeds(chain, count, self.seed)
        if self.mirror is None:
            return found
        (hand, _), (other, its) = self.body.arms.items()
        values = np.array(seeds(its, count, self.seed))
        whole = self.body.postures(other, np.zeros((count, 3)), values)
        pictures = self.mirror.of(whole)[:, self.body.columns[hand]]
        return found + [each for each in pictures if not np.isclose(each, found).all(axis=1).any()]

    def _told_apart(
        self, hand: str, number: int, whole: Array, place: Array, density: Density
    ) -> Reaches:
        """Return by place the most comfortable postures of a hand that are unlike and free."""
        cost = self.costs(whole, place, np.full(len(whole), number))
        order = np.lexsort((cost, place[:, 1], place[:, 0], place[:, 2]))
        every = Reaches(whole[order], place[order], np.full(len(order), number), cost[order])
        few = every.some(every.unlike(density.tested))
        return few.some(self.free(hand, few.whole))

    def costs(self, whole: Array, place: Array, hand: IntArray) -> Array:
        """Return what postures (n, dof) cost that reach places (n, 3) of the base frame."""
        far = np.maximum(np.linalg.norm(place[:, :2], axis=1), 0.2)
        cost = self.discomfort.of(self.body.figure, whole) + SECOND_HAND * hand
        return np.asarray(cost + FACING * (1.0 - place[:, 0] / far))

    def free(self, hand: str, whole: Array) -> BoolArray:
        """Return which postures strike nothing of the body and are bearable."""
        free = self.body.bearable(hand, whole)
        free[free] = self._clash[hand].free(whole[free])
        return free

    def _edge(
        self,
        chain: Chain,
        met: BoolArray,
        heights: Array,
        rings: Array,
        spoke: Array,
    ) -> Array:
        """Return targets where each spoke's reach ends, found by halving."""
        inner = met[:, 1:].reshape(len(heights), len(rings) - 1, len(spoke))
        last = np.where(
            inner.any(1), len(rings) - 1 - inner[:, ::-1].argmax(1), 0
        )  # number of the ring
        some = last > 0
        z, s = np.nonzero(some)
        low = rings[last[some]]
        high = low + rings[1]
        seed = seeds(chain, 2)[0]
        for _ in range(EDGE_STEPS):
            middle = 0.5 * (low + high)
            targets = np.column_stack([middle[:, None] * spoke[s], heights[z]])
            ok = _met(chain, targets, seed)[1]
            low, high = np.where(ok, middle, low), np.where(ok, high, middle)
        return np.column_stack([low[:, None] * spoke[s], heights[z]])

    def _longest(self) -> float:
        far = 0.0
        for chain in self.body.arms.values():
            ready = chain.prepared
            first = chain.base @ chain.joints[0].X_PJ
            far = max(far, ready.reach + float(np.linalg.norm(first[:2, 3])))
        return far


def seeds(chain: Chain, count: int, seed: int = 0) -> list[Array]:
    """Return postures (dof,) to start from: near neutral, half bent, and spread ones by ``seed``.

    Two in three of the spread ones keep the trunk near neutral: people bend it little.
    """
    from articulata.kernels.chains.iterative_solvers.tip_targets import spread_shares

    low, high = chain.lower, chain.upper
    neutral = np.clip(chain.neutral, low, high)
    shares = spread_shares(max(count - 2, 0), chain.dof, seed)
    middle = 0.5 * (neutral + 0.5 * (low + high))
    arm = np.array([chain.joints[k].name.startswith(("r_", "l_")) for k in chain.free])
    found = [neutral + 0.15 * (0.5 * (low + high) - neutral), middle]
    for number, share in enumerate(shares):
        spread = low + (0.15 + 0.7 * share) * (high - low)
        upright = np.where(arm, spread, neutral + 0.1 * (spread - neutral))
        found.append(spread if number % 3 == 2 else upright)
    return found


def _met(chain: Chain, targets: Array, seed: Array) -> tuple[Array, BoolArray]:
    answer = chain.inverse(targets, start=seed, tolerance=TOLERANCE, method=ONE_START)
    return answer.q, answer.found
