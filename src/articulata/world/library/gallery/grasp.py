"""The robot's program: approach, descend, close the gripper, lift, carry away.

The left jaw is held in its place, the right one closes with a force; when both touch, the plate
lies where the gripper is, whatever its place was before.
"""

from collections.abc import Callable
from typing import Any

import articulata as art

OPEN, CLOSED = 0.06, 0.034
"""Places of the jaws (m) when open, and when they hold a plate of 40 mm."""
APPROACH, GRIP = 5.0, 25.0
"""Force of the closing jaw (N) on its way, and when it holds."""
WEIGHT = 3.0 * 9.81
"""Of hand and jaws (N)."""
CLOSES, LIFTS, CARRIES = 1.3, 2.1, 2.8
"""When the gripper closes, lifts, carries (s)."""


def way(*legs: tuple[float, float, float]) -> Callable[[float], float]:
    """Return a course through legs (start in s, end in s, place at its end in m), at rest between.

    The first leg's place is where it stands before.
    """

    def place(t: float) -> float:
        here = legs[0][2]
        for start, end, there in legs[1:]:
            share = min(max((t - start) / (end - start), 0.0), 1.0)
            here += (there - here) * share**3 * (10.0 - 15.0 * share + 6.0 * share * share)
        return here

    return place


cross = art.Servo(
    "robot.cross.travel",
    way((0.0, 0.0, -0.15), (0.1, 0.7, 0.0), (CARRIES, CARRIES + 0.6, 0.2)),
    stiffness=20000.0,
    damping=600.0,
)

lift = art.Servo(
    "robot.lift.travel",
    way((0.0, 0.0, -0.2), (0.7, CLOSES - 0.1, -0.295), (LIFTS, LIFTS + 0.6, -0.195)),
    stiffness=20000.0,
    damping=400.0,
    feed=lambda t, sensed: WEIGHT,
)

left = art.Servo(
    "robot.left_jaw.travel",
    way((0.0, 0.0, -OPEN), (CLOSES, CLOSES + 0.2, -CLOSED)),
    stiffness=8000.0,
    damping=60.0,
)

_waiting = art.Servo("robot.right_jaw.travel", OPEN, stiffness=2000.0, damping=40.0)


def right(t: float, sensed: Any) -> float:
    """Return the force on the right jaw (N)."""
    if t < CLOSES + 0.2:
        return _waiting(t, sensed)
    held = min(max((t - CLOSES - 0.5) / 0.1, 0.0), 1.0)
    rate = float(sensed.value("robot.right_jaw.rate"))
    return -APPROACH - (GRIP - APPROACH) * held - 50.0 * rate
