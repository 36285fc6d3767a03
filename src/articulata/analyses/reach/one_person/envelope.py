"""What a person reaches from one base: places about it, level by level, each with postures.

An offset o (x ahead, y to the left, m) at height z of the base frame is met by a posture; a target
p is then met from every base b with p = b + R(turn) o: a room needs no inverse kinematics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from articulata.analyses.reach.one_person.at_rest import kept_off
from articulata.analyses.reach.one_person.bare_reach import (
    FINE,
    SECOND_HAND,
    BareReach,
    Density,
    Reaches,
    together,
)
from articulata.analyses.reach.one_person.body import TURN, Body
from articulata.analyses.reach.one_person.mirror import ASIDE, mirror_of
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.clash import Clash
from articulata.world.requests.reach import POSTURES


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Offsets at one height, most comfortable first.

    ``offset`` (n, 2) m, ``hand`` (n,) a number into the person's hands, ``cost`` (n,), ``row`` (n,)
    into the envelope's postures. ``farthest`` is the greatest distance of an offset, m.
    """

    height: float
    offset: Array
    hand: IntArray
    cost: Array
    row: IntArray
    farthest: float


class Envelope:
    """The reach of a person with a way to move; levels are computed when first asked for.

    The most comfortable of ``starts`` postures is taken at each offset; ``seed`` spreads where
    they start from. What ``like`` found, an envelope of the same person who moves in another way,
    is taken over where the body is held alike.
    """

    def __init__(
        self, body: Body, starts: int = POSTURES, seed: int = 0, like: Envelope | None = None
    ) -> None:
        self.body = body
        self.starts, self.seed = starts, seed
        self.hands = tuple(body.arms)
        shared = like is not None and like.bare.like(body)
        self.bare: BareReach = (
            like.bare if like is not None and shared else BareReach(body, starts, seed)
        )
        self.discomfort = self.bare.discomfort
        self._levels: dict[tuple[int, Density], Level] = {}
        self._rows: list[Array] = []
        self._costs: list[Array] = []
        self._hands: list[IntArray] = []
        self._count = 0
        self.clash = {
            hand: Clash(
                body.figure,
                shapes={**self.bare.slim, **dict.fromkeys(body.idle[hand], ())},
                exempt=body.touching(hand),
                kept=[*kept_off(body, hand), *_with_device(body, hand)],
            )
            for hand in self.hands
        }
        """By hand: what forearm and hand may strike of the person and the device."""
        self._mirror = None if self.bare.mirror is None else mirror_of(body, self.clash)
        device = body.figure.links[TURN]
        self._device = {
            hand: Clash(
                body.figure,
                shapes=dict.fromkeys(body.idle[hand], ()),
                exempt=[*body.touching(hand), *_without(body, hand, TURN)],
                kept=_with_device(body, hand),
            )
            for hand in self.hands
            if device.collisions or device.visuals
        }

    @property
    def postures(self) -> Array:
        """The figure's postures (rows, dof) at base 0, to which levels refer."""
        if len(self._rows) > 1:
            self._rows = [np.concatenate(self._rows)]
        return self._rows[0] if self._rows else np.empty((0, self.body.figure.dof))

    @property
    def costs(self) -> Array:
        """What each posture costs in comfort."""
        return np.concatenate([np.empty(0), *self._costs])

    @property
    def hand_of(self) -> IntArray:
        """The number of the hand that each posture reaches with."""
        return np.concatenate([np.empty(0, np.int64), *self._hands])

    def farthest(self, heights: Array) -> Array:
        """Return how far from the base any hand can be at ``heights`` (n,) at most, -1 never."""
        return self.bare.farthest(heights)

    def level(self, height: float, density: Density = FINE) -> Level:
        """Return the offsets at ``height`` m above the floor."""
        return self.levels([height], density)[0]

    def levels(self, heights: Iterable[float], density: Density = FINE) -> list[Level]:
        """Return the offsets at several heights; those not asked for before are made at once."""
        keys = [(round(height * 1e4), density) for height in heights]
        missing = sorted({key[0] for key in keys if key not in self._levels})
        if missing:
            self._make(missing, density)
        return [self._levels[key] for key in keys]

    def free(self, whole: Array, hands: IntArray) -> BoolArray:
        """Return which postures strike nothing of the person and are bearable."""
        free = np.zeros(len(whole), bool)
        for number, hand in enumerate(self.hands):
            mine = np.flatnonzero(hands == number)
            mine = mine[self.body.bearable(hand, whole[mine])] if len(mine) else mine
            if len(mine):
                free[mine] = self.clash[hand].free(whole[mine])
        return free

    # ---- inside

    def _make(self, keys: list[int], density: Density) -> None:
        bare = self.bare.levels(keys, density)
        level = np.repeat(np.arange(len(keys)), [len(each.hand) for each in bare])
        found = together(bare)
        mirror = self._mirror
        if self.bare.mirror is not None and mirror is None:
            # the device is not the same on both sides
            found, level = _pictured(found, level, self.bare.mirror.of(found.whole))
        if self._device:
            free = np.zeros(len(level), bool)
            for number, hand in enumerate(self.hands):
                mine = np.flatnonzero(found.hand == number)
                if len(mine):
                    free[mine] = self._device[hand].free(found.whole[mine])
            found, level = found.some(free), level[free]
        few = found.unlike(density.kept)
        found, level = found.some(few), level[few]
        if mirror is not None:
            found, level = _pictured(found, level, mirror.of(found.whole))
        order = np.lexsort((found.cost, level))
        found, level = found.some(order), level[order]
        start = self._count
        self._rows.append(found.whole)
        self._costs.append(found.cost)
        self._hands.append(found.hand)
        self._count += len(level)
        ends = np.searchsorted(level, np.arange(len(keys) + 1))
        for k, key in enumerate(keys):
            rows = slice(ends[k], ends[k + 1])
            offset = np.ascontiguousarray(found.place[rows, :2])
            self._levels[key, density] = Level(
                key * 1e-4,
                offset,
                found.hand[rows],
                found.cost[rows],
                np.arange(ends[k], ends[k + 1]) + start,
                float(np.linalg.norm(offset, axis=1).max(initial=0.0)),
            )


def _with_device(body: Body, hand: str) -> Iterable[tuple[str, str]]:
    """Return the pairs of the device with forearm and hand: at rest arms may hang into it."""
    return ((each, TURN) for each in body.striking(hand))


def _without(body: Body, hand: str, joint: str) -> Iterable[tuple[str, str]]:
    """Return the pairs of joints, one of forearm or hand, in which ``joint`` is not."""
    mine = body.striking(hand)
    return ((a, each.name) for a in mine for each in body.figure.joints if each.name != joint)


def _pictured(found: Reaches, level: IntArray, whole: Array) -> tuple[Reaches, IntArray]:
    """Return what the first hand reaches and, by its picture ``whole``, the second."""
    cost = found.cost + SECOND_HAND
    other = Reaches(whole, found.place * ASIDE, np.ones_like(found.hand), cost)
    return together([found, other]), np.concatenate([level, level])
