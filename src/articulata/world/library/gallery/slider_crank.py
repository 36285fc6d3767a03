"""The motor of the slider-crank: a constant torque that a brake balances at speed."""

from typing import Any


def torque(t: float, sensed: Any) -> float:
    """Return the torque on the crank in N m from its rate in rad/s."""
    return 0.5 - 0.05 * float(sensed.value("e.crank.w.z"))
