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
        from articulata.kernels.chains.clearance.nearest_pairs import (
            Pairs,
            Probed,
            bounds_for,
            probed,
        )
        from articulata.kernels.compile import bind
        from articulata.kernels.held import Held

        figure = clash.figure
        M, offset = figure.mapping
        tested = clash.tested
        M, offset = M[tested.kept], offset[tested.kept]
        still = np.array(rest, float)
        still[moving] = 0.0
        joints = len(tested.kept)
        self._clash, self._pair = clash, -1
        now = Standing(*(part.copy() for part in tested.still))
        self._asked = Held(
            Probed(
                Pairs(tested.tree, tested.pieces, now, tested.numbers),
                np.array(M[:, moving], float, order="C"),
                np.array(M @ still + offset),
                bounds_for(*tested.numbers.shape),
                np.full(1, -1.0),
                np.empty(joints),
                np.empty((joints, 3, 4)),
            )
        )
        self._ask: Callable[..., tuple[float, int]] = bind(
            probed, self._asked, np.zeros(len(np.atleast_1d(moving))), 1.0
        )

    def distance(self, q: Array, enough: float) -> float:
        """Return how far posture ``q`` (n,) is from touching anything, at most ``enough`` m."""
        found, self._pair = self._ask(self._asked, q, enough)
        return found

    @property
    def links(self) -> Array:
        """X_BL (joints, 3, 4) of the joints that move what is tested, in the latest posture."""
        return self._asked.value.links

    @property
    def names(self) -> tuple[str, str] | None:
        """The nearest pair of the latest posture, None where nothing was near enough."""
        return self._clash.names_of(self._pair)
