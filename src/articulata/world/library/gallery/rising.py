"""Muscles of the rising figure: torques at ankle, knee and hip from sensed angles and rates.

Each leg's share is the moment of the weight above the joint at the sensed posture, and a spring
and a damper towards a planned posture. The plan turns shank and thigh upright and leans the trunk
so that the mass centre of the whole stays above the feet. Torques build up in 50 ms; at first they
are a little more than the weight asks, so that the figure leaves its seat.
"""

import math
from typing import Any

GRAVITY = 9.81
LEG = 0.42
"""Length of a shank and of a thigh (m)."""
SHANK, THIGH, TRUNK = 2 * 3.5, 2 * 8.0, 40.0 + 2 * 4.0
"""Masses (kg) of both shanks, both thighs, and of the trunk with its arms."""
UP, AHEAD = 0.36, 0.09
"""From the hip to the mass centre of trunk and arms: how far (m), and by what angle (rad) ahead of
the trunk's axis."""
STIFFNESS, DAMPING = 1500.0, (120.0, 60.0, 120.0)
"""Of the muscles of both legs (N m/rad, N m s/rad)."""
RISE = 1.6
"""Duration of the plan (s)."""
OVER_FEET = 0.05
"""Where the plan keeps the mass centre, ahead of the ankles (m)."""


def smooth(x: float) -> float:
    """Return a step from 0 to 1 whose speed and acceleration vanish at both ends."""
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


def planned(t: float) -> tuple[float, float, float]:
    """Return the angles of ankle, knee and hip (rad) planned for ``t`` (s)."""
    share = smooth(t / RISE)
    shank = math.radians(-28.0 + 22.0 * share)
    thigh = math.radians(90.0 - 82.0 * share)
    knee = -LEG * math.sin(shank)
    hip = knee - LEG * math.sin(thigh)
    moment = OVER_FEET * (SHANK + THIGH + TRUNK) - SHANK * knee / 2 - THIGH * (knee + hip) / 2
    lean = math.asin(min(max((moment - TRUNK * hip) / (TRUNK * UP), -1.0), 1.0)) - AHEAD
    return shank, thigh - shank, -lean - thigh


def weights(ankle: float, knee: float, hip: float) -> tuple[float, float, float]:
    """Return the moments (N m) of the weight above ankle, knee and hip about each of them."""
    at_knee = -LEG * math.sin(ankle)
    at_hip = at_knee - LEG * math.sin(ankle + knee)
    at_trunk = at_hip - UP * math.sin(ankle + knee + hip - AHEAD)
    thigh = (at_knee + at_hip) / 2
    return (
        GRAVITY * (TRUNK * at_trunk + THIGH * thigh + SHANK * at_knee / 2),
        GRAVITY * (TRUNK * (at_trunk - at_knee) + THIGH * (thigh - at_knee)),
        GRAVITY * TRUNK * (at_trunk - at_hip),
    )


def torque(joint: int, t: float, sensed: Any) -> float:
    """Return the torque (N m) at a joint of one leg: 0 the ankle, 1 the knee, 2 the hip."""
    names = ("ankle", "knee", "hip")
    angles = [float(sensed.value(f"f.left_{name}.angle")) for name in names]
    rate = float(sensed.value(f"f.left_{names[joint]}.rate"))
    early, late = planned(t - 1e-4), planned(t + 1e-4)
    error = (early[joint] + late[joint]) / 2 - angles[joint]
    lag = (late[joint] - early[joint]) / 2e-4 - rate
    weight = weights(*angles)[joint] * (1.05 - 0.05 * smooth(2.0 * t))
    both = weight + STIFFNESS * error + DAMPING[joint] * lag
    return 0.5 * both * min(t / 0.05, 1.0)


def ankle(t: float, sensed: Any) -> float:
    """Return the torque at an ankle (N m)."""
    return torque(0, t, sensed)


def knee(t: float, sensed: Any) -> float:
    """Return the torque at a knee (N m)."""
    return torque(1, t, sensed)


def hip(t: float, sensed: Any) -> float:
    """Return the torque at a hip (N m)."""
    return torque(2, t, sensed)
