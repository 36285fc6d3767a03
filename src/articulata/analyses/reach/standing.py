"""What a person reaches from one place to stand."""

from __future__ import annotations

import numpy as np
import shapely

from articulata.analyses.reach.bare_reach import FINE, seeds
from articulata.analyses.reach.bounds import TOLERANCE
from articulata.analyses.reach.search import Case
from articulata.geometry.arrays import Array
from articulata.kinematics.inverse.descent import Descent


def stands_free(case: Case, base: Array) -> bool:
    """Return whether the device may stand at (x, y, turn) of the ground frame."""
    area = case.places.of_turn(float(base[2]))
    return bool(shapely.contains_xy(area, base[0], base[1]))


def reached_from(case: Case, base: Array, point: Array) -> tuple[Array, str] | None:
    """Return the most comfortable posture (dof,) that reaches ``point`` (3,) of G, and its hand.

    The base stays at (x, y, turn). None where none is found.
    """
    c, s = np.cos(base[2]), np.sin(base[2])
    away = point - np.array([base[0], base[1], case.room.level])
    target = np.array([c * away[0] + s * away[1], c * away[1] - s * away[0], away[2]])
    best: tuple[float, Array, str] | None = None
    for number, (hand, chain) in enumerate(case.body.arms.items()):
        starts = np.array(seeds(chain, 2 * FINE.starts))
        goals = np.repeat(target[None], len(starts), axis=0)
        found = chain.inverse(goals, start=starts, tolerance=TOLERANCE, method=Descent(starts=1))
        q = found.q[found.found]
        if not len(q):
            continue
        whole = case.body.postures(hand, np.repeat(base[None], len(q), axis=0), q)
        free = case.body.bearable(hand, whole) & case.clash[hand].free(whole)
        free &= case.envelope.free(whole, np.full(len(whole), number))
        cost = case.envelope.discomfort.of(case.body.figure, whole)
        for k in np.flatnonzero(free):
            if best is None or cost[k] < best[0]:
                best = float(cost[k]), whole[k], hand
    return None if best is None else best[1:]
