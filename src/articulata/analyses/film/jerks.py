"""Wishes of a camera that come through so slowly that joints keep their limits of jerk."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.geometry.arrays import Array
from articulata.kernels.chains.carried_frames import room
from articulata.kernels.chains.eased_wishes import eased

_WITHIN: Final = 0.9
"""Share of the limits that wishes are eased by: the way bends too."""


class JerkEasing:
    """Eases the wishes of ``carrier``'s camera, tick by tick of ``step`` s."""

    def __init__(self, carrier: Carrier, step: float) -> None:
        self._arm = carrier.arm
        self._most = np.asarray(carrier.jerks) * step * step
        self._slow = _WITHIN * self._most
        self._twist = np.zeros(6)
        self._changes = np.zeros(carrier.chain.dof)
        self._room, self._work = room(carrier.chain.dof), np.empty((9, 6))
        self._eased: Any = None

    def eased(self, wish: Array, state: Any) -> Array:
        """Return what is to be wanted of this tick (6,), so that ``wish`` comes soon, and smoothly.

        The change of the twist grows and shrinks evenly, and ends when the twist is the wish.
        """
        found = np.empty(6)
        given = (self._arm, state, wish, self._twist, self._slow, self._room, self._work, found)
        if self._eased is None:
            from articulata.kernels.compile import bind

            self._eased = bind(eased, *given)
        self._eased(*given)
        return found

    def passed(self, state: Any, rates_before: Array) -> int:
        """Return the joint whose jerk of this tick is beyond its limit, -1 for none."""
        changes = state.rates - rates_before
        over = np.abs(changes - self._changes) / (self._most * (1.0 + 1e-6))
        self._changes = changes
        joint = int(over.argmax())
        return joint if over[joint] > 1.0 else -1
