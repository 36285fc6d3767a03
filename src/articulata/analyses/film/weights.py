"""Torques of an arm that carries a camera, tick by tick: whether they suffice, and for what."""

from __future__ import annotations

from typing import Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.geometry.arrays import Array
from articulata.kinematics.torque_probe import TorqueProbe

HELD: Final = 0.7
"""Share of a torque that may go into holding a posture: the rest has to suffice for coming there
to rest."""

WITHIN: Final = 1.0 - 1e-9
"""Share of a torque that counts: rounding must not pass it."""


class Weights:
    """Asks the inverse dynamics of ``carrier``, whose ``statics`` are known, for one posture."""

    def __init__(self, carrier: Carrier) -> None:
        assert carrier.statics is not None
        self.probe = TorqueProbe(carrier.statics, carrier.coordinates, carrier.figure.neutral)
        self.efforts = np.array(carrier.efforts) * WITHIN

    def strength(self, q: Array, rates: Array, accelerations: Array) -> float:
        """Return the share of ``accelerations`` (n,) of all joints that the torques suffice for.

        For a posture (n,) and its rates (n,), whatever the signs of the accelerations.
        """
        return self.probe.strength(q, rates, accelerations, self.efforts)
