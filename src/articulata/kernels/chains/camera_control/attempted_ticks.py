"""Where an arm that carries a camera would be after a tick, and whether its limits allow that.

A tick that is attempted changes no state; one that is taken does. ``room`` (``carried_frames``) is
what these kernels write into; ``bounds`` has written the rates that limits allow there before.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.camera_control.carried_frames import (
    KIND,
    LOWER,
    UPPER,
    WRIST,
    frame_of,
    posture_near,
    turn_between,
)
from articulata.kernels.chains.camera_control.rate_limits import WITHIN, greatest_change
from articulata.kernels.chains.forward_kinematics import jacobian_one
from articulata.kernels.chains.screw_steps import step_own
from articulata.kernels.compile import kernel

_SLACK: Final = 1e-9
"""Share of a limit by which rounding may pass it."""

_SHARES: Final = (1.0, 0.999, 0.9, 0.5, 0.1, 1e-2, 1e-3, 1e-4)
"""Shares of what bounds allow that are tried in turn: beside a stretched elbow a joint goes by the
root of the way, so that a hundredth of a way can ask for a tenth of the rate."""


class ArmState(NamedTuple):
    """Where an arm and its camera are: changed by each tick.

    ``q`` and ``rates`` (n,), ``changes`` (n,) of the rates at the latest tick, ``X`` (3, 4) the
    camera's pose in B that is wanted, ``twist`` (6,) its motion in its own axes, ``before`` (6,)
    that of the tick before, where wishes are eased, ``branch`` (2,) the branch of the closed form,
    and 1 while the wrist turns after what is wanted; ``off`` (1,) by how much (rad) the view was
    off then.
    """

    q: Array
    rates: Array
    changes: Array
    X: Array
    twist: Array
    before: Array
    branch: IntArray
    off: Array


@kernel(counted=False)
def _worst(state: Any, q: Any, dt: float, joints: int, room: Any) -> int:
    """Return the code of the bound that going to ``q`` passes most, 0 for none."""
    worst, code = 0.0, 0
    for j in range(joints):
        rate = (q[j] - state.q[j]) / dt
        low, high = room.box[0, j], room.box[1, j]
        slack = _SLACK * (1.0 + abs(rate))
        over = max(low - rate, rate - high) - slack
        if over > worst:
            worst = over
            code = KIND * room.kinds[0 if rate < low else 1, j] + j
    return code


@kernel(counted=False)
def attempt(arm: Any, state: Any, twist: Any, dt: float, room: Any, q: Any) -> int:
    """Write where ``twist`` leads: ``room.after``, ``q`` and, into ``room.found``, the branch.

    Return 0, or the code of what is passed.
    """
    step_own(state.X, twist, dt, room.R, room.after)
    found = posture_near(arm, room.after, state.q, state.branch[0], room, q)
    if found < 0:
        return -found
    room.found[0] = found
    return _worst(state, q, dt, len(q), room)


@kernel(counted=False)
def _turn_after(arm: Any, state: Any, there: Any, dt: float, room: Any, q: Any) -> int:
    """Turn joints 4 to 6 of ``q`` as far as they may towards what is wanted, 0 or a code.

    ``there`` (n,) meets what is wanted now, ``q`` (n,) what is wanted next.
    """
    for j in range(3, 6):
        if not arm.lower[j] <= q[j] <= arm.upper[j]:
            return KIND * (LOWER if q[j] < arm.lower[j] else UPPER) + j
        off = there[j] - state.q[j]
        slow = 0.5 * arm.accelerations[j] * dt
        close = abs(off) / dt
        if slow < math.inf:
            most = math.sqrt(slow / dt * abs(off) * 2.0 + 0.25 * slow * slow) - 0.5 * slow
            close = min(close, max(most, min(close, slow)))
        if arm.jerks[j] < math.inf:
            close = min(close, 0.5 * (off * off * arm.jerks[j]) ** (1.0 / 3.0))
        rate = (q[j] - there[j]) / dt + math.copysign(close, off)
        if arm.jerks[j] < math.inf:
            lacks = rate - state.rates[j]
            change = greatest_change(abs(lacks), arm.jerks[j] * dt * dt * WITHIN)
            rate = state.rates[j] + math.copysign(change, lacks)
        rate = min(max(rate, room.box[0, j]), room.box[1, j])
        q[j] = state.q[j] + rate * dt
    return 0


@kernel
def _hold_point(arm: Any, room: Any, q: Any) -> bool:
    """Bring the nodal point to that of ``room.after`` by joints 1 to 3, by Newton's method."""
    point, A = np.empty(3), room.solve
    off = math.inf
    for _ in range(8):
        frame_of(arm, q, room, room.X)
        off = 0.0
        for r in range(3):
            point[r] = room.X[r, 3]
            A[r, 3] = room.after[r, 3] - point[r]
            off = max(off, abs(A[r, 3]))
        if off <= 1e-12 * arm.size:
            break
        jacobian_one(arm.tree, room.links, 5, point, room.J)
        a, b, c = room.J[:3, 0], room.J[:3, 1], room.J[:3, 2]
        x0 = b[1] * c[2] - b[2] * c[1]
        x1 = b[2] * c[0] - b[0] * c[2]
        x2 = b[0] * c[1] - b[1] * c[0]
        det = a[0] * x0 + a[1] * x1 + a[2] * x2
        if not abs(det) > 1e-9 * arm.size**3:
            return False
        e0, e1, e2 = A[0, 3], A[1, 3], A[2, 3]
        q[0] += (e0 * x0 + e1 * x1 + e2 * x2) / det
        y0, y1, y2 = e1 * c[2] - e2 * c[1], e2 * c[0] - e0 * c[2], e0 * c[1] - e1 * c[0]
        q[1] += (a[0] * y0 + a[1] * y1 + a[2] * y2) / det
        y0, y1, y2 = b[1] * e2 - b[2] * e1, b[2] * e0 - b[0] * e2, b[0] * e1 - b[1] * e0
        q[2] += (a[0] * y0 + a[1] * y1 + a[2] * y2) / det
    return off <= 1e-9 * arm.size


@kernel(counted=False)
def lag(arm: Any, state: Any, twist: Any, dt: float, room: Any, q: Any) -> int:
    """Like ``attempt``, but joints 4 to 6 go as far as they may: the nodal point alone is met."""
    there = room.other[2]
    found = posture_near(arm, state.X, state.q, state.branch[0], room, there)
    if found < 0:
        return -found
    step_own(state.X, twist, dt, room.R, room.after)
    found = posture_near(arm, room.after, there, found, room, q)
    if found < 0:
        return -found
    room.found[0] = found
    code = _turn_after(arm, state, there, dt, room, q)
    if code != 0:
        return code
    if not _hold_point(arm, room, q):
        return KIND * WRIST
    return _worst(state, q, dt, 3, room)


@kernel(counted=False)
def blend(
    arm: Any, state: Any, base: Any, to: Any, dt: float, room: Any, q: Any, twist: Any
) -> tuple[bool, int]:
    """Find the twist nearest to ``to`` between it and ``base`` that keeps all bounds.

    Writes ``twist`` and what ``attempt`` writes; returns whether there is one, and what binds.
    """
    n = len(q)
    at_base, at_to = room.other[3], room.other[4]
    code = attempt(arm, state, base, dt, room, at_base)
    if code != 0 and code // KIND > UPPER:
        return False, code
    code = attempt(arm, state, to, dt, room, at_to)
    if code != 0 and code // KIND > UPPER:
        for j in range(6):
            twist[j] = base[j]
        return attempt(arm, state, twist, dt, room, q) == 0, code
    low, high, why = 0.0, 1.0, code
    for j in range(n):
        start = (at_base[j] - state.q[j]) / dt
        change = (at_to[j] - at_base[j]) / dt
        for side in range(2):
            gap = room.box[side, j] - start
            if (change > 0.0) == (side == 1) and change != 0.0:
                part = gap / change
                if part < high:
                    high, why = part, KIND * room.kinds[side, j] + j
            elif change != 0.0:
                low = max(low, gap / change)
    if not high >= low - 1e-9:
        return False, why
    for share in _SHARES:
        part = max(low, 0.0) + share * (max(high, 0.0) - max(low, 0.0))
        for j in range(6):
            twist[j] = base[j] + part * (to[j] - base[j])
        if attempt(arm, state, twist, dt, room, q) == 0:
            return True, why
    return False, why


@kernel(counted=False)
def take(state: Any, twist: Any, dt: float, room: Any, q: Any) -> None:
    """Go where an attempt has led."""
    for j in range(len(q)):
        state.rates[j] = (q[j] - state.q[j]) / dt
        state.q[j] = q[j]
    for r in range(3):
        for c in range(4):
            state.X[r, c] = room.after[r, c]
    for r in range(6):
        state.twist[r] = twist[r]
    state.branch[0] = room.found[0]
    state.branch[1] = 0


@kernel
def off_view(arm: Any, state: Any, room: Any) -> float:
    """Return the angle between where the camera looks and where it is wanted to look, rad."""
    frame_of(arm, state.q, room, room.X)
    e = np.empty(6)
    turn_between(state.X, room.X, e)
    return math.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5])
