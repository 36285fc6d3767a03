"""Wishes of a camera that come through so slowly that joints keep their limits of jerk."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.geometry.arrays import Array

_FIRM: Final = 1e-3
"""Share of the greatest singular value below which a direction is damped."""

_WITHIN: Final = 0.9
"""Share of the limits that wishes are eased by: the way bends too."""

_END: Final = 1e-9


class JerkEasing:
    """Eases the wishes of ``carrier``'s camera, tick by tick of ``step`` s."""

    def __init__(self, carrier: Carrier, step: float) -> None:
        self._carrier, self._step = carrier, step
        self._most = np.asarray(carrier.jerks) * step * step
        self._twist = np.zeros(6)
        self._changes = np.zeros(carrier.chain.dof)

    def eased(self, wish: Array, state: Any) -> Array:
        """Return what is to be wanted of this tick (6,), so that ``wish`` comes soon, and smoothly.

        The change of the twist grows and shrinks evenly, and ends when the twist is the wish.
        """
        twist = state.twist
        change, self._twist = twist - self._twist, twist.copy()
        lacks = wish - twist
        size = math.sqrt(float(lacks @ lacks))
        if size < _END and float(change @ change) < _END**2:
            return wish
        rates = self._rates(state)
        aim = np.zeros(6)
        if size >= _END:
            along = lacks / size
            slow = self._share(rates @ along)
            reach = max(math.sqrt(2.0 * slow * size) - 0.5 * slow, min(size, slow))
            aim = along * min(reach, size)
        part = min(self._share(rates @ (aim - change)), 1.0)
        return np.asarray(twist + change + part * (aim - change))

    def passed(self, state: Any, rates_before: Array) -> int:
        """Return the joint whose jerk of this tick is beyond its limit, -1 for none."""
        changes = state.rates - rates_before
        over = np.abs(changes - self._changes) / (self._most * (1.0 + 1e-6))
        self._changes = changes
        joint = int(over.argmax())
        return joint if over[joint] > 1.0 else -1

    def _share(self, rates: Array) -> float:
        """Return how often changes of the joints' rates fit into the limits of a tick."""
        with np.errstate(divide="ignore"):
            return float((_WITHIN * self._most / np.maximum(np.abs(rates), 1e-12)).min())

    def _rates(self, state: Any) -> Array:
        """Return the rates of the joints (n, 6) for twists of the camera in its own axes."""
        J = np.asarray(self._carrier.chain.jacobian(state.q))
        R = state.X[:, :3]
        mine = np.vstack([R.T @ J[:3], R.T @ J[3:]])
        firm = _FIRM * float(np.abs(mine).max())
        return np.asarray(mine.T @ np.linalg.inv(mine @ mine.T + firm * firm * np.eye(6)))
