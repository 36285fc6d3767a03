"""Torques of an arm that carries a camera, tick by tick: whether they suffice, and for what."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.geometry.arrays import Array
from articulata.kinematics.torque_probe import TorqueProbe

_LEAST: Final = 0.02
"""Share of the accelerations that is left at least: an arm that cannot move cannot brake either."""

_USUAL: Final = 10.0
"""rad/s^2: what stands for an acceleration that has no limit."""

HELD: Final = 0.7
"""Share of a torque that may go into holding a posture: the rest has to suffice for coming there
to rest."""

_WITHIN: Final = 1.0 - 1e-9
_NOTHING: Final = 1e-30


class Weights:
    """Asks the inverse dynamics of ``carrier``, whose ``statics`` are known, for one posture."""

    def __init__(self, carrier: Carrier) -> None:
        assert carrier.statics is not None
        self._probe = TorqueProbe(carrier.statics, carrier.coordinates, carrier.figure.neutral)
        self._efforts = np.asarray(carrier.efforts) * _WITHIN

    def strained(
        self, state: Any, rates_before: Array, step: float, brakes: Array
    ) -> tuple[int, int]:
        """Return the joint whose torque lacks most after a tick of ``step`` s, -1 for none.

        And one that could hardly be held on the way to rest, and less than now; ``brakes`` (n,) is
        half the inverse of what each joint surely slows by.
        """
        return self._probe.strained(
            state.q, state.rates, rates_before, step, brakes, self._efforts, HELD
        )

    def strength(self, q: Array, rates: Array, accelerations: Array) -> float:
        """Return the share of ``accelerations`` (n,) of all joints that the torques suffice for.

        For a posture (n,) and its rates (n,), whatever the signs of the accelerations: by the sum
        of what each joint's asks of each torque.
        """
        most = np.where(np.isinf(accelerations), _USUAL, accelerations)
        found = self._probe.columns(q, rates, most)
        asked = np.abs(found[1:] - found[0]).sum(axis=0)
        left = self._efforts - np.abs(found[0])
        # what asks for nothing suffices where it is held
        share = float((left / np.maximum(asked, _NOTHING)).min())
        return min(max(share, _LEAST), 1.0)
