"""Rates of joints that limits allow in one tick of an arm that carries a camera."""

from __future__ import annotations

import math
from typing import Any, Final

from articulata.kernels.chains.camera_control.carried_frames import (
    ACCELERATION,
    JERK,
    LOWER,
    SPEED,
    UPPER,
)
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
