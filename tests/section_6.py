"""The linkage of section 6 of the 1986 report (Purdue CSD-TR-635), built by hand.

Numbers of Figure 4.2 are those printed, corrected where the scan is known to be wrong: x4, fx1
and one inertia; see docs/1986.md.
"""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.mechanism import Motion
from articulata.world.hinges import BALL
from articulata.world.model import World
from mechanisms import DOWN, Mechanism

INSTANT = 1.51
"""Time of the figure's state, s."""

THETA = (0.3772273, 0.8301401, 1.3185591)
"""Angles of rods 2, 3, 4 from the vertical at the instant, rad."""

OMEGA = (-1.339404, 0.817555, 1.680491)
"""Their rates, rad/s."""

PRINTED = {
    "x1": 9.8647375,
    "y1": 0.0,
    "x2": 5.545115,
    "y2": 1.1830807,
    "w2": -2.3867476,
    "x3": -1.1095759,
    "y3": 1.2980194,
    "w3": -1.5759716,
    "x4": -9.412906,
    "y4": -5.9540305,
    "w4": -4.985152,
    "fx1": 29.864182,
    "fy1": -155.74242,
    "fx2": 63.13489,
    "fy2": -89.783936,
    "fx3": 56.477436,
    "fy3": -23.135818,
}


def section_6(
    inertia: tuple[float, float, float] = (5.0, 1.0, 5.0),
    arm: float = 1.6,
    start: tuple[float, float, float] = (2.0, 1.0, 0.0),
    speed: float = 3.14,
) -> World:
    """Driver and three rods of 1 x 3 x 1 m and 6 kg in a chain of balls, hanging straight down."""
    made = Mechanism("example", (0.0, 0.0, 0.0))
    x, y, z = start
    moving = (speed, 0.0, 0.0)
    made.body(
        "links.rod1", start, size=None, mass=None, motion="prescribed", placed=True, velocity=moving
    )
    above, at = "links.rod1", (0.0, 0.0, 0.0)
    for n in (2, 3, 4):
        name = f"links.rod{n}"
        made.body(
            name,
            (x, y - arm - (n - 2) * 2 * arm, z),
            size=(1.0, 3.0, 1.0),
            mass=6.0,
            inertia=inertia,
            velocity=moving,
        )
        made.join(f"links.h{n - 1}{n}", name, above, (0.0, arm, 0.0), at, BALL)
        above, at = name, (0.0, -arm, 0.0)
    made.gravity = DOWN
    made.drive("links.rod1.acceleration", "acceleration", "links.rod1", "driver")
    return made.world()


def instant_motion() -> Motion:
    """The state of Figure 4.2."""
    R = [np.eye(3)]
    positions, w = [np.zeros(3)], [np.zeros(3)]
    at = np.zeros(3)
    for theta, rate in zip(THETA, OMEGA, strict=True):
        c, s = np.cos(theta), np.sin(theta)
        axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        middle = at - axes @ [0.0, 1.5, 0.0]
        at = middle - axes @ [0.0, 1.5, 0.0]
        R.append(axes)
        positions.append(middle)
        w.append(np.array([0.0, 0.0, rate]))
    return Motion(
        np.array([*positions, np.zeros(3)]),
        np.array([*R, np.eye(3)]),
        np.zeros((5, 3)),
        np.array([*w, np.zeros(3)]),
    )
