"""Filters for streams of rotations.

``OneEuro`` is a low pass whose cut-off rises with the rate of turning: steady at rest, without
lag in motion. Casiez, Roussel and Vogel, 1 euro filter, CHI 2012, carried over to the rotation
group: what is filtered is the way from the last filtered rotation to the new one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.rotation import Rotation


@dataclass(frozen=True, slots=True)
class OneEuro:
    """The filter's numbers.

    ``cutoff`` (Hz) holds at rest: lower is steadier. ``beta`` (Hz per rad/s) opens it in motion:
    higher lags less. ``rate_cutoff`` (Hz at 100 samples a second, proportionally more
    at fewer) filters the rate itself. After ``silence`` (s) without
    a sample it begins anew.
    """

    cutoff: float = 0.5
    beta: float = 25.0
    rate_cutoff: float = 1.0
    silence: float = 0.5

    def __post_init__(self) -> None:
        for name in ("cutoff", "rate_cutoff", "silence"):
            value = getattr(self, name)
            if not value > 0.0:
                raise GeometryError(f"a filter's {name} is above 0, not {value}")
        if not (self.beta >= 0.0 and math.isfinite(self.beta)):
            raise GeometryError(f"a filter's beta is a number from 0 on, not {self.beta}")

    @property
    def numbers(self) -> Array:
        """The filter as kernels take it, (4,)."""
        return np.array([self.cutoff, self.beta, self.rate_cutoff, self.silence])


AS_MEASURED = OneEuro(cutoff=math.inf)
"""No filter: samples as they come."""


def smooth(times: Float64[Array, "n"], rotations: Rotation, by: OneEuro = OneEuro()) -> Rotation:
    """Return ``rotations`` (n,), measured at rising ``times`` (s), filtered one after another."""
    # Imported here: kernels are compiled where they are used.
    from articulata.kernels.rotations import filter_all

    t = np.asarray(times, float)
    if rotations.shape != t.shape or t.ndim != 1:
        raise GeometryError(f"{t.shape} times do not belong to {rotations.shape} rotations")
    if np.any(np.diff(t) <= 0.0):
        raise GeometryError("times of a stream rise; leave out or sort what comes too late")
    q = rotations.to_quaternion()
    out = np.empty_like(q)
    filter_all(t, q, by.numbers, out)
    return Rotation(out)
