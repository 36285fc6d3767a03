"""The moving base of Otmani & Pruski 2009, Table 2: a room, places, and three bases.

The paper prints neither the room nor the sizes of walker and chair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.unit.kinematics.arms import drawn

from articulata.kinematics.inverse.areas import RectangleArea, StandingArea
from articulata.kinematics.library import figure

FLOOR, CHAIR, WALKER = (4.0, 3.0), (1.2, 0.7), 0.4
"""m: sides of the room, length and width of a chair, radius of a walker: proposals."""


def moving_base(count: int) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Return chains of 21 and 22 joints, places and the areas that three bases make of them.

    Every place is within reach of all three: the tip of a drawn posture of a drawn chair.
    """
    body, rng = figure("otmani_2009"), np.random.default_rng(2009)
    fixed, turning = body.chain("torso to hand"), body.chain("seat to hand")
    q = drawn(turning, rng, count)
    c, s = np.abs(np.cos(q[:, 0])), np.abs(np.sin(q[:, 0]))
    half = 0.5 * np.column_stack(
        [
            FLOOR[0] - CHAIR[0] * c - CHAIR[1] * s,
            FLOOR[1] - CHAIR[0] * s - CHAIR[1] * c,
        ]
    )
    base = half * rng.uniform(-1.0, 1.0, (count, 2))
    places = turning.tip(q)[:, :3, 3] + np.column_stack([base[:, 1], np.zeros(count), base[:, 0]])
    up, ahead = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    corners = 0.5 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * FLOOR
    areas = {
        "point": RectangleArea(places, *FLOOR, ahead, up),
        "circle": RectangleArea(places, *(side - 2.0 * WALKER for side in FLOOR), ahead, up),
        "rectangle": StandingArea(places, corners, *CHAIR, ahead, up),
    }
    return fixed, turning, places, areas
