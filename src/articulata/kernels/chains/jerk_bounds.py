"""How much a joint's rate may change in a tick where its jerk is limited too.

A change is that of the rate in one tick; by ``turn`` two changes in turn may differ. What is
allowed leaves a way on: the change can come to nothing before the greatest rate, and the joint to
rest before its end.
"""

from __future__ import annotations

import math
from typing import Final

from articulata.kernels.compile import kernel

_FIRM: Final = 0.9
"""Share of accelerations and jerks by which a joint surely comes to rest before its end."""

_HALVINGS: Final = 10


@kernel(counted=False)
def greatest_change(left: float, turn: float) -> float:
    """Return the greatest change of a rate that may still grow by ``left``.

    With it, and less by ``turn`` at each tick after, down to none, the rate grows by ``left``.
    Where a rate has no limit, ``left`` is inf, and so is the change.
    """
    if not 0.0 < left < math.inf or not turn < math.inf:
        return left
    m = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * left / turn) - 1.0))
    return (left + 0.5 * turn * m * (m + 1.0)) / (m + 1.0)


@kernel(counted=False)
def way_to_rest(rate: float, acceleration: float, most: float, jerk: float) -> float:
    """Return how far a joint still goes on that comes to rest by ``most`` and ``jerk``."""
    grown = rate + 0.5 * acceleration * acceleration / jerk
    if acceleration < 0.0 and rate < grown - rate:
        # it slows more than it need
        if rate <= 0.0:
            return 0.0
        slow = -acceleration
        t = (slow - math.sqrt(slow * slow - 2.0 * jerk * rate)) / jerk
        return t * (rate - t * (0.5 * slow - jerk * t / 6.0))
    if grown <= 0.0:
        return 0.0
    t = acceleration / jerk
    before = t * (rate + t * (0.5 * acceleration - jerk * t / 6.0))
    if grown * jerk <= most * most:
        return before + grown * math.sqrt(grown / jerk)
    return before + 0.5 * grown * (grown / most + most / jerk)


@kernel(counted=False)
def highest_change(
    rate: float, change: float, turn: float, slow: float, fastest: float, left: float, dt: float
) -> tuple[float, int]:
    """Return the greatest change of a tick after ``change``, and what binds.

    ``slow`` is the greatest change, ``fastest`` the greatest rate, ``left`` how far the joint may
    still go. What binds: 0 the jerk, 1 the acceleration, 2 the rate, 3 the end.
    """
    least, most, why = max(change - turn, -slow), change + turn, 0
    if slow < most:
        most, why = slow, 1
    room = greatest_change(fastest - rate, turn)
    if room < most:
        most, why = max(room, least), 2
    a, j = _FIRM * slow / dt, _FIRM * turn / (dt * dt)
    if left < math.inf and not _fits(rate, most, left, a, j, dt):
        why, high, most = 3, most, least
        for _ in range(_HALVINGS):
            part = 0.5 * (most + high)
            if _fits(rate, part, left, a, j, dt):
                most = part
            else:
                high = part
    return most, why


@kernel(counted=False)
def _fits(rate: float, change: float, left: float, most: float, jerk: float, dt: float) -> bool:
    """Return whether a joint that changes its rate so can come to rest before its end."""
    after = rate + change
    return after * dt + way_to_rest(after, change / dt, most, jerk) <= left
