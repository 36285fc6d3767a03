"""Bounces to come: how long infinitely many of them last together.

A bounce that begins at speed u under a steady pull a lasts 2 u / a. With a constant restitution e
the speeds are a geometric series, 2 u / (a (1 - e)) in all; with restitution as a function of the
speed of approach the bounces are added one by one until they are too slow to count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from articulata.domains.dynamic.contact.laws import APPROACH
from articulata.domains.dynamic.contact.pair_laws import Surface
from articulata.domains.dynamic.contact.touches import Touch
from articulata.geometry.arrays import Array

MOST = 10000
"""Bounces that are added one by one; a longer series is not summed."""


def settling(touches: Sequence[Touch], leaving: Array, pull: Array, limit: float) -> Array:
    """Return how long the bounces to come last (k,), 0 where that is not less than ``limit`` (s).

    ``leaving`` (k,) are the speeds after the impact (m/s), ``pull`` (k,) the accelerations that
    bring the bodies together again (m/s^2).
    """
    found = np.zeros(len(touches))
    for k, touch in enumerate(touches):
        if pull[k] > 0.0 and leaving[k] > 0.0:
            lasting = series(touch.surface, float(leaving[k]), float(pull[k]), limit)
            found[k] = lasting if lasting < limit else 0.0
    return found


def series(surface: Surface, leaving: float, pull: float, limit: float = math.inf) -> float:
    """Return how long all bounces last (s) that begin at ``leaving``; inf when beyond ``limit``."""
    law = surface.restitution
    if not isinstance(law, tuple):
        return 2.0 * leaving / (pull * (1.0 - law)) if law < 1.0 else math.inf
    total, speed = 0.0, leaving
    for _ in range(MOST):
        total += 2.0 * speed / pull
        if total >= limit:
            return math.inf
        speed *= surface.bounce(speed)
        if speed <= APPROACH:
            return total
    return math.inf
