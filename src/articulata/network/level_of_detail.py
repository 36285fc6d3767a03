"""Level of detail: a figure that nobody is near to, or looks at, is told coarser and less often."""

from __future__ import annotations

import math

import numpy as np

from articulata.network.heard_figures import HeardFigures, Shown
from articulata.records.networked import NetworkedPosture

MOST = 3
"""Levels beyond the full one: each twice as coarse, and half as often, as the one before."""

SEEN = math.cos(math.radians(75.0))
"""Who is farther than that from straight ahead is not looked at."""

BEHIND = 4.0
"""So many times as far counts who looks elsewhere: he may turn round."""

STEADY = 1.1
"""A level is left for a coarser one only so far beyond its end, so that none flickers."""


class LevelOfDetail:
    """How coarsely each figure of ours may be told, by those of others who see it.

    One within ``near`` m of somebody who looks its way is told in full, one twice as far at level
    1, and so on. Where nobody is heard all is told in full: who only watches is not known.
    """

    def __init__(self, near: float = math.inf) -> None:
        self.near = near
        self._time = math.nan
        self._others: Shown | None = None
        self._levels: dict[int, int] = {}

    def coarseness(self, number: int, posture: NetworkedPosture, figures: HeardFigures) -> float:
        """Return by how much bounds and periods of figure ``number`` grow: 1, 2, 4 or 8."""
        if math.isinf(self.near):
            return 1.0
        if self._others is None or posture.time != self._time:
            self._others, self._time = figures.at(posture.time), posture.time
        others, level = self._others, 0
        if len(others.rows):
            away = posture.p_EB - others.p_EB
            far = np.linalg.norm(away, axis=1)
            ahead = (away * others.R_EB[:, :, 0]).sum(axis=1)
            share = float(np.where(ahead >= SEEN * far, far, BEHIND * far).min()) / self.near
            level = min(int(math.log2(max(share, 1.0))), MOST)
            before = self._levels.get(number, 0)
            if level == before + 1 and share < STEADY * 2.0**level:
                level = before
        self._levels[number] = level
        return 2.0**level
