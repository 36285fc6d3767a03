"""An actuator with gain and viscous damping, as a controller of a hinge.

Example 3.3 of the 1986 report: ``w' = K1 u - K2 w``, with ``u`` the input signal and ``w`` the
joint's rate. Here the torque (N m) or force (N) is ``gain * u(t, sensed) - damping * rate``; gain
and damping are numbers or functions of what is sensed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from articulata.domains.protocols import Sensed

Coefficient = float | Callable[[Sensed], float]


@dataclass(frozen=True, slots=True)
class Actuator:
    """A controller ``f(t, sensed)`` for a drive of kind "hinge".

    ``signal`` is the input ``u(t, sensed)``, ``rate`` the path of the joint's rate
    ("links.h23.rate"), ``gain`` (N m or N per unit of u), ``damping`` (N m s/rad or N s/m).
    """

    signal: Callable[[float, Sensed], float]
    rate: str
    gain: Coefficient = 1.0
    damping: Coefficient = 0.0

    def __call__(self, time: float, sensed: Sensed) -> float:
        """Return the torque or force at ``time``."""
        gain = self.gain(sensed) if callable(self.gain) else self.gain
        damping = self.damping(sensed) if callable(self.damping) else self.damping
        return gain * self.signal(time, sensed) - damping * float(sensed.value(self.rate))
