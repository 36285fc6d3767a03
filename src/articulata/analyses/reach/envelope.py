"""What a person reaches from one base: places about it, level by level, each with postures.

An offset o (x ahead, y to the left, m) at height z of the base frame is met by a posture; a target
p is then met from every base b with p = b + R(turn) o: a room needs no inverse kinematics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from articulata.analyses.reach.body import LEAN, Body
from articulata.analyses.reach.bounds import TOLERANCE, ReachBound, reach_bound_of
from articulata.domains.comfort.displacement import Discomfort
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.chain import Chain
from articulata.kinematics.clash import Clash
from articulata.kinematics.inverse.descent import Descent
from articulata.world.requests.reach import POSTURES


@dataclass(frozen=True, slots=True)
class Density:
    """How closely offsets lie: ``spokes`` directions about the base, ``spacing`` m along each.

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

FINE = Density(30, 0.06, 10, 6, 4)
"""For objects, and for points that the coarse one misses."""

UNLIKE = 0.4
"""rad. Postures of which a joint differs by more are unlike."""

FACING = 0.25
"""What it costs to reach aside, and twice that backward: people turn to what they reach."""

SECOND_HAND = 0.05
"""What the hand that is liked less costs."""

EDGE_STEPS = 4
"""Halvings between the last offset that is reached and the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Offsets at one height, most comfortable first.

    ``offset`` (n, 2) m, ``same`` (n,) a number that equal ones share, ``hand`` (n,) a number into
    the person's hands, ``cost`` (n,), ``row`` (n,) into the envelope's postures. ``farthest`` is
    the greatest distance of an offset, m.
    """

    height: float
    offset: Array
    same: IntArray
    hand: IntArray
    cost: Array
    row: IntArray
    farthest: float


class Envelope:
    """The reach of a person with a way to move; levels are computed when first asked for.

    The most comfortable of ``starts`` postures is taken at each offset; ``seed`` spreads where
    they start from.
    """

    def __init__(self, body: Body, starts: int = POSTURES, seed: int = 0) -> None:
        self.body = body
        self.starts, self.seed = starts, seed
        self.hands = tuple(body.arms)
        self.discomfort = Discomfort("range", _weights(body))
        self._levels: dict[tuple[int, Density], Level] = {}
        self._rows: list[Array] = []
        self._costs: list[Array] = []
        self._hands: list[IntArray] = []
        self._count = 0
        self._bounds: list[ReachBound] | None = None
        self._farthest: dict[float, float] = {}
        self._clash = {
            hand: Clash(
                body.figure,
                shapes=dict.fromkeys(body.idle[hand], ()),
                exempt=body.touching(hand),
            )
            for hand in self.hands
        }

    @property
    def postures(self) -> Array:
        """The figure's postures (rows, dof) at base 0, to which levels refer."""
        if len(self._rows) > 1:
            self._rows = [np.concatenate(self._rows)]
        return self._rows[0] if self._rows else np.empty((0, self.body.figure.dof))

    def farthest(self, heights: Array) -> Array:
        """Return how far from the base any hand can be at ``heights`` (n,) at most, -1 never."""
        if self._bounds is None:
            self._bounds = [reach_bound_of(chain) for chain in self.body.arms.values()]
        asked = heights.tolist()
        new = np.array(sorted({*asked} - self._farthest.keys()))
        if len(new):
            found = np.max([each.farthest(new) for each in self._bounds], axis=0)
            self._farthest.update(zip(new.tolist(), found.tolist(), strict=True))
        return np.array([self._farthest[height] for height in asked])

    @property
    def costs(self) -> Array:
        """What each posture costs in comfort."""
        return np.concatenate([np.empty(0), *self._costs])

    @property
    def hand_of(self) -> IntArray:
        """The number of the hand that each posture reaches with."""
        return np.concatenate([np.empty(0, np.int64), *self._hands])

    def level(self, height: float, density: Density = FINE) -> Level:
        """Return the offsets at ``height`` m above the floor."""
        return self.levels([height], density)[0]

    def levels(self, heights: Iterable[float], density: Density = FINE) -> list[Level]:
        """Return the offsets at several heights; those not asked for before are made at once."""
        keys = [(round(height * 1e4), density) for height in heights]
        missing = sorted({key[0] for key in keys if key not in self._levels})
        if missing:
            self._make(np.array(missing) * 1e-4, density)
        return [self._levels[key] for key in keys]

    # ---- inside

    def _make(self, heights: Array, density: Density) -> None:
        spokes, spacing = density.spokes, density.spacing
        rings = np.arange(0.0, self._longest() + spacing, spacing)
        turns = (np.arange(spokes) + 0.5) * (2.0 * np.pi / spokes)
        spoke = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        flat = (rings[:, None, None] * spoke).reshape(-1, 2)
        flat = np.concatenate([np.zeros((1, 2)), flat[spokes:]])
        targets = np.concatenate(
            [
                np.repeat(flat[None], len(heights), axis=0),
                np.repeat(heights[:, None, None], len(flat), axis=1),
            ],
            axis=2,
        ).reshape(-1, 3)
        found: list[tuple[Array, Array, IntArray]] = []
        for number, hand in enumerate(self.hands):
            chain = self.body.arms[hand]
            starts = seeds(chain, max(self.starts, density.starts), self.seed)
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
            found.append((whole, place, np.full(len(place), number)))
        whole, place, hands = (np.concatenate([each[k] for each in found]) for k in range(3))
        self._file(heights, whole, place, hands, density)

    def free(self, whole: Array, hands: IntArray) -> BoolArray:
        """Return which postures strike nothing of the person and are bearable."""
        free = np.zeros(len(whole), bool)
        for number, hand in enumerate(self.hands):
            mine = np.flatnonzero(hands == number)
            mine = mine[self.body.bearable(hand, whole[mine])] if len(mine) else mine
            if len(mine):
                free[mine] = self._clash[hand].free(whole[mine])
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

    def _file(
        self, heights: Array, whole: Array, place: Array, hands: IntArray, density: Density
    ) -> None:
        """Sort postures by level and cost; of each offset and hand keep a few unlike ones."""
        cost = self.discomfort.of(self.body.figure, whole) + SECOND_HAND * hands
        far = np.maximum(np.linalg.norm(place[:, :2], axis=1), 0.2)
        cost += FACING * (1.0 - place[:, 0] / far)
        level = np.clip(np.searchsorted(heights, place[:, 2] - 1e-9), 0, len(heights) - 1)
        key = np.round(place[:, :2] * 1e5).astype(np.int64)
        order = np.lexsort((cost, hands, key[:, 1], key[:, 0], level))
        columns = (level[order], key[order, 0], key[order, 1], hands[order])
        same = np.zeros(len(order), bool)
        same[1:] = np.all([c[1:] == c[:-1] for c in columns], axis=0)
        order = order[_unlike(whole[order], same, density.tested)]
        order = order[self.free(whole[order], hands[order])]
        columns = (level[order], key[order, 0], key[order, 1], hands[order])
        same = np.zeros(len(order), bool)
        same[1:] = np.all([c[1:] == c[:-1] for c in columns], axis=0)
        keep = _unlike(whole[order], same, density.kept)
        chosen = order[keep]
        chosen = chosen[np.lexsort((cost[chosen], level[chosen]))]
        start = self._count
        self._rows.append(whole[chosen])
        self._costs.append(cost[chosen])
        self._hands.append(hands[chosen].astype(np.int64))
        self._count += len(chosen)
        ends = np.searchsorted(level[chosen], np.arange(len(heights) + 1))
        for k, height in enumerate(heights.tolist()):
            rows = slice(ends[k], ends[k + 1])
            picked = chosen[rows]
            offset = place[picked, :2]
            self._levels[round(height * 1e4), density] = Level(
                height,
                np.ascontiguousarray(offset),
                np.unique(key[picked] @ (1 << 24, 1), return_inverse=True)[1],
                hands[picked].astype(np.int64),
                cost[picked],
                np.arange(ends[k], ends[k + 1]) + start,
                float(np.linalg.norm(offset, axis=1).max(initial=0.0)),
            )


def _unlike(whole: Array, same: BoolArray, most: int) -> BoolArray:
    """Return which rows to keep: of each run of ``same`` ones the first ``most`` unlike it."""
    start = np.maximum.accumulate(np.where(same, 0, np.arange(len(same))))
    away = np.abs(whole[:, 3:] - whole[start, 3:]).max(axis=1) > UNLIKE if len(same) else same
    wanted = ~same | away
    count = np.cumsum(wanted)
    return np.asarray(wanted & (count - count[start] < most))


def _weights(body: Body) -> dict[str, float]:
    """Return what joints count: the trunk twice an arm's, the base nothing."""
    figure = body.figure
    arms = {name for name in figure.names if name.startswith(("r_", "l_"))}
    weights = {name: (1.0 if name in arms else 2.0) for name in figure.names}
    weights.update(dict.fromkeys(figure.names[:3], 0.0))
    weights[LEAN] = 3.0
    if LEAN not in figure.names:
        del weights[LEAN]
    return weights


def seeds(chain: Chain, count: int, seed: int = 0) -> list[Array]:
    """Return postures (dof,) to start from: near neutral, half bent, and spread ones by ``seed``.

    Two in three of the spread ones keep the trunk near neutral: people bend it little.
    """
    from articulata.kernels.chains.positions import spread_shares

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
    answer = chain.inverse(targets, start=seed, tolerance=TOLERANCE, method=Descent(starts=1))
    return answer.q, answer.found
