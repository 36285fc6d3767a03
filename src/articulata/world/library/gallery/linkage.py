"""The driver's motion in the linkage: x = sin(pi t), so x'' = -pi^2 sin(pi t)."""

import math


def swing(t: float, sensed: object) -> tuple[float, float, float]:
    """Return the driver's linear acceleration in m/s^2 at ``t`` seconds."""
    return (-(math.pi**2) * math.sin(math.pi * t), 0.0, 0.0)
