"""The numbers that all contestants share."""

from __future__ import annotations

import math

STEP = 1e-3
GRAVITY = 9.81

TILT = math.radians(25.0)
FRICTION = 0.5
BLOCK = 0.2
BLOCK_MASS = 1.0

BALL = 0.1
BALL_MASS = 1.0
DROP = 1.0

CRADLE = 5

BAR = 1.0
BAR_MASS = 1.0
THICKNESS = 1e-2
TURN_SECONDS = 10.0


def tilted() -> tuple[float, float, float]:
    """Return the gravity of a plane tilted by TILT, in its own axes with z normal to it."""
    return (GRAVITY * math.sin(TILT), 0.0, -GRAVITY * math.cos(TILT))


def fifth_apex(heights: list[float]) -> float:
    """Return the height of the fifth apex in a list of heights at every step, 0 if none.

    Three heights about an apex lie on a parabola; its top is taken.
    """
    found = []
    for before, middle, after in zip(heights, heights[1:], heights[2:], strict=False):
        if before < middle >= after:
            bend, slope = before - 2 * middle + after, 0.5 * (after - before)
            found.append(middle - 0.5 * slope * slope / bend)
    return found[4] if len(found) > 4 else 0.0
