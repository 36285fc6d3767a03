"""Rates of joints that limits allow in one tick of an arm that carries a camera."""

from __future__ import annotations

import math
from typing import Any, Final

from articulata.kernels.chains.carried_frames import ACCELERATION, JERK, LOWER, SPEED, UPPER
from articulata.kernels.chains.jerk_bounds import highest_change
from articulata.kernels.compile import kernel

WITHIN: Final = 1.0 - 1e-6
"""Share of a limit that is commanded: rounding stays within it."""


@kernel
def _room_to_brake(distance: float, acceleration: float, dt: float) -> float:
    """Return the greatest rate towards an end that is ``distance`` away.

    With it, and slower by ``acceleration dt`` at each tick after, the joint rests before its end.
    """
    distance = max(distance, 0.0)
    if acceleration == math.inf:
        return distance / dt
    slow = acceleration * dt
    return max(math.sqrt(2.0 * acceleration * distance) - 0.5 * slow, min(distance / dt, slow))


@kernel(counted=False)
def _kind(why: int, end: int) -> int:
    """Return the kind of what binds a change, as ``highest_change`` numbers it; ``end`` for 3."""
    return JERK if why == 0 else ACCELERATION if why == 1 else SPEED if why == 2 else end


@kernel
def bounds(arm: Any, state: Any, dt: float, room: Any) -> None:
    """Write the least and the greatest rates (2, n) of this tick, and what limit each is."""
    for j in range(len(state.q)):
        q, rate, slow = state.q[j], state.rates[j], arm.accelerations[j] * dt * WITHIN
        low, high = -arm.speeds[j] * WITHIN, arm.speeds[j] * WITHIN
        down = up = SPEED
        if rate - slow > low:
            low, down = rate - slow, ACCELERATION
        if rate + slow < high:
            high, up = rate + slow, ACCELERATION
        brake = -_room_to_brake(q - arm.lower[j], arm.accelerations[j] * WITHIN, dt)
        if brake > low:
            low, down = brake, LOWER
        brake = _room_to_brake(arm.upper[j] - q, arm.accelerations[j] * WITHIN, dt)
        if brake < high:
            high, up = brake, UPPER
        if arm.jerks[j] < math.inf:
            turn, change = arm.jerks[j] * dt * dt * WITHIN, state.changes[j]
            fast = arm.speeds[j] * WITHIN
            most, why = highest_change(rate, change, turn, slow, fast, arm.upper[j] - q, dt)
            least, how = highest_change(-rate, -change, turn, slow, fast, q - arm.lower[j], dt)
            most, least = rate + most, rate - least
            if least > most:  # between two ends that are near: as evenly as may be
                even = min(max(0.5 * (least + most), rate + change - turn), rate + change + turn)
                most = least = even
            # an end, a speed or an acceleration comes before a jerk
            if most < high:
                high = max(most, low)
                up = _kind(why, UPPER)
            if least > low:
                low = min(least, high)
                down = _kind(how, LOWER)
        # rounding: what was met at the last tick can be met again
        if low > high:
            low = high = min(max(0.5 * (low + high), rate - slow), rate + slow)
        room.box[0, j], room.box[1, j] = low, high
        room.kinds[0, j], room.kinds[1, j] = down, up
