"""What a person reaches from one place to stand."""

from __future__ import annotations

import numpy as np
import shapely

from articulata.analyses.reach.one_person.bare_reach import FINE, ONE_START, seeds
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.points.aligning import held_from
from articulata.analyses.reach.points.search import Case
from articulata.geometry.arrays import Array
from articulata.world.requests.reach import Aligned


def stands_free(case: Case, base: Array) -> bool:
    """Return whether the device may stand at (x, y, turn) of the ground frame."""
    area = case.places.of_turn(float(base[2]))
    return bool(shapely.contains_xy(area, base[0], base[1]))


def reached_from(
    case: Case, base: Array, point: Array, asked: Aligned | None = None
) -> tuple[Array, str] | None:
    """Return the most comfortable posture (dof,) that reaches ``point`` (3,) of G, and its hand.

    The base stays at (x, y, turn); the hand is held as ``asked``. None where none is found.
    """
    c, s = np.cos(base[2]), np.sin(base[2])
    away = point - np.array([base[0], base[1], case.room.level])
    target = np.array([c * away[0] + s * away[1], c * away[1] - s * away[0], away[2]])
    several: list[Array] = []
    hands: list[int] = []
    for number, (hand, chain) in enumerate(case.body.arms.items()):
        starts = np.array(seeds(chain, 2 * FINE.starts))
        goals = np.repeat(target[None], len(starts), axis=0)
        found = chain.inverse(goals, start=starts, tolerance=TOLERANCE, method=ONE_START)
        q = found.q[found.found]
        several.append(case.body.postures(hand, np.repeat(base[None], len(q), axis=0), q))
        hands += [number] * len(q)
    whole, used = np.concatenate(several), np.array(hands, np.int64)
    if asked is not None:
        held = held_from(case, point, asked, whole, used)
        return None if held.q is None else (held.q, held.hand)
    free = case.envelope.free(whole, used)
    free[free] = case.free(whole[free], used[free])
    if not free.any():
        return None
    cost = np.where(free, case.envelope.discomfort.of(case.body.figure, whole), np.inf)
    best = int(np.argmin(cost))
    return whole[best], case.envelope.hands[used[best]]
