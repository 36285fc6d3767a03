"""Clearances of one posture at a time, for those who ask at every tick.

The answers are those of ``Clash.clearances``; nothing is made anew for a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kernels.contacts.pieces import Standing
from articulata.kinematics.clash import Clash


class ClashProbe:
    """Asks ``clash`` about postures of which only the coordinates ``moving`` (n,) change.

    The others are those of ``rest`` (figure dof,).
    """

    def __init__(self, clash: Clash, moving: Any, rest: Array) -> None:
        from articulata.kernels.chains.nearest_pairs import clearances
        from articulata.kernels.compile import bind

        figure = clash.figure
        M, offset = figure.mapping
        tested = clash.tested
        M, offset = M[tested.kept], offset[tested.kept]
        self._M = np.ascontiguousarray(M[:, moving])
        still = np.array(rest, float)
        still[moving] = 0.0
        self._offset = M @ still + offset
        self._clash = clash
        self._values = np.empty((1, len(tested.kept)))
        self._distance, self._pair = np.empty(1), np.zeros(1, np.int64)
        scratch = Standing(*(part.copy() for part in tested.still))
        before = (*tested.tree, self._values, tested.pieces, scratch, tested.numbers)
        after = (self._distance, self._pair, np.empty((1, 3)), np.empty((1, 2, 3)), 0, 1)
        ask = bind(clearances, *before, 1.0, False, *after)
        self._ask: Callable[[float], None] = lambda enough: ask(*before, enough, False, *after)

    def distance(self, q: Array, enough: float) -> float:
        """Return how far posture ``q`` (n,) is from touching anything, at most ``enough`` m."""
        np.dot(self._M, q, out=self._values[0])
        self._values[0] += self._offset
        self._ask(enough)
        return float(self._distance[0])

    @property
    def names(self) -> tuple[str, str] | None:
        """The nearest pair of the latest posture, None where nothing was near enough."""
        return self._clash.names_of(int(self._pair[0]))
