"""The robot's program: descend, close, lift; while the wrist turns, hold; set down, open, rise."""

from collections.abc import Callable
from typing import Any

import articulata as art

OPEN, CLOSED = 0.06, 0.04
"""Places of the jaws (m) when open, and of the held one when closed: 1 mm off a block of 50 mm."""
APPROACH, GRIP = 5.0, 30.0
"""Force of the closing jaw (N) on its way, and when it holds."""
WEIGHT = 4.0 * 9.81
"""Of the parts that the lift carries (N)."""
CLOSES, OPENS = 0.4, 3.0
"""When the gripper closes and opens (s)."""
UP, DOWN = 0.0, -0.06
"""Places of the lift (m): its pads 8.5 cm and 2.5 cm above the table."""


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


lift = art.Servo(
    "robot.lift.travel",
    way(
        (0.0, 0.0, UP),
        (0.0, CLOSES, DOWN),
        (1.2, 1.6, DOWN + 0.05),
        (2.6, 2.95, DOWN + 0.0003),
        (3.2, 3.5, UP),
    ),
    stiffness=20000.0,
    damping=500.0,
    feed=lambda t, sensed: WEIGHT,
)

left = art.Servo(
    "robot.left_jaw.travel",
    way((0.0, 0.0, -OPEN), (CLOSES, CLOSES + 0.2, -CLOSED), (OPENS, OPENS + 0.1, -OPEN)),
    stiffness=8000.0,
    damping=60.0,
)

_open = art.Servo("robot.right_jaw.travel", OPEN, stiffness=2000.0, damping=60.0, limit=20.0)


def right(t: float, sensed: Any) -> float:
    """Return the force on the right jaw (N): a servo while it is open, a force while it holds."""
    if not CLOSES + 0.2 < t < OPENS:
        return _open(t, sensed)
    held = min(max((t - CLOSES - 0.6) / 0.1, 0.0), 1.0)
    rate = float(sensed.value("robot.right_jaw.rate"))
    return -APPROACH - (GRIP - APPROACH) * held - 50.0 * rate
