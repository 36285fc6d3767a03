"""The fastest way along a line from rest to rest within limits of speed, acceleration and jerk.

Acceleration rises and falls at the greatest jerk and is held between: the double S of Biagiotti and
Melchiorri, Trajectory Planning for Automatic Machines and Robots (2008), section 3.4.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.geometry.arrays import Array


def s_curve(
    length: float, v: float, a: float, j: float
) -> tuple[Array, Array, Array, Array, Array]:
    """Return times, places, speeds, accelerations and jerks (n,), each from its time on.

    ``length`` of the way; ``v``, ``a``, ``j`` greatest speed, acceleration and jerk, above 0, of
    which ``v`` may be inf. The last time is the end, at rest.
    """
    rise, up = _rise_and_up(length, v, a, j)
    reached = j * rise * (up - rise)
    cruise = max(length / reached - up, 0.0)
    spans = np.array([rise, up - 2.0 * rise, rise, cruise, rise, up - 2.0 * rise, rise])
    jerks = np.array([j, 0.0, -j, 0.0, -j, 0.0, j])
    kept = spans > 0.0
    spans, jerks = spans[kept], jerks[kept]
    state = np.zeros((len(spans) + 1, 3))
    for k, (span, jerk) in enumerate(zip(spans, jerks, strict=True)):
        s, speed, push = state[k]
        state[k + 1] = (
            s + span * (speed + span * (0.5 * push + span * jerk / 6.0)),
            speed + span * (push + 0.5 * span * jerk),
            push + span * jerk,
        )
    state[-1] = length, 0.0, 0.0
    times = np.append(0.0, np.cumsum(spans))
    return times, state[:, 0], state[:, 1], state[:, 2], np.append(jerks, 0.0)


def _rise_and_up(length: float, v: float, a: float, j: float) -> tuple[float, float]:
    """Return how long acceleration rises, and how long speed does."""
    rise, up = (
        (a / j, a / j + v / a) if v * j >= a * a else (math.sqrt(v / j), 2 * math.sqrt(v / j))
    )
    if length >= v * up:
        return rise, up
    # the greatest speed is not reached
    if length >= 2.0 * a**3 / j**2:
        rise = a / j
        return rise, 0.5 * rise + math.sqrt(0.25 * rise * rise + length / a)
    rise = math.cbrt(0.5 * length / j)
    return rise, 2.0 * rise
