"""One tick of an arm that carries a camera: from the motion that is wanted to joint values.

Limits hold at every tick: each joint stays within its ends, its speed and its acceleration, and
keeps so far from its ends that it can come to rest before them by its own acceleration. Within
these the camera goes along the way that is wanted at the greatest share that the way ahead allows
(``outlook``). Where nothing of it can be met, each joint brakes as hard as it may, and what is
wanted begins anew where the camera then is.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.carried_frames import (
    ACCELERATION,
    JERK,
    KIND,
    LOWER,
    SPEED,
    UPPER,
    WRIST,
    frame_of,
    outlook,
    posture_near,
    turn_between,
)
from articulata.kernels.chains.eased_wishes import eased
from articulata.kernels.chains.jerk_bounds import greatest_change
from articulata.kernels.chains.poses import jacobian_one
from articulata.kernels.chains.rate_bounds import WITHIN, bounds
from articulata.kernels.chains.screw_steps import step_own
from articulata.kernels.compile import kernel

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FOLLOWS, SLOWED, PASSES, BRAKES, RESTS = 0, 1, 2, 3, 4
"""What became of a tick: the camera moves as wanted; on the same way, but slower, or by a part of
a blocked wish; its nodal point moves as wanted while the wrist, in line, turns after; it brakes off
the way; nothing is wanted."""

FIRST_LOOK: Final = 2e-3
"""s: the first instant at which the way ahead is looked at."""

_SOON: Final = 0.1
"""s that an arm whose jerks are limited looks ahead while a wrist turns after."""

_BLOCKED: Final = 1e-3
"""A wish of which the way ahead allows less is blocked: a part of it may go on."""

_SLACK: Final = 1e-9
"""Share of a limit by which rounding may pass it."""


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


@kernel
def _attempt(arm: Any, state: Any, twist: Any, dt: float, room: Any, q: Any) -> int:
    """Write where ``twist`` leads: ``room.after``, ``q`` and, into ``room.found``, the branch.

    Return 0, or the code of what is passed.
    """
    step_own(state.X, twist, dt, room.R, room.after)
    found = posture_near(arm, room.after, state.q, state.branch[0], room, q)
    if found < 0:
        return -found
    room.found[0] = found
    return _worst(state, q, dt, len(q), room)


@kernel
def _lag(arm: Any, state: Any, twist: Any, dt: float, room: Any, q: Any) -> int:
    """Like ``_attempt``, but joints 4 to 6 go as far as they may: the nodal point alone is met."""
    there = room.other[2]
    found = posture_near(arm, state.X, state.q, state.branch[0], room, there)
    if found < 0:
        return -found
    step_own(state.X, twist, dt, room.R, room.after)
    found = posture_near(arm, room.after, there, found, room, q)
    if found < 0:
        return -found
    room.found[0] = found
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
    # joints 1 to 3 hold the nodal point on the way
    point, A = np.empty(3), room.solve
    for _ in range(8):
        frame_of(arm, q, room, room.X)
        off = 0.0
        for r in range(3):
            point[r] = room.X[r, 3]
            A[r, 3] = room.after[r, 3] - point[r]
            off = max(off, abs(A[r, 3]))
        if off <= 1e-12 * arm.size:
            break
        jacobian_one(arm.kinds, arm.parents, room.links, 5, point, room.J)
        a, b, c = room.J[:3, 0], room.J[:3, 1], room.J[:3, 2]
        x0 = b[1] * c[2] - b[2] * c[1]
        x1 = b[2] * c[0] - b[0] * c[2]
        x2 = b[0] * c[1] - b[1] * c[0]
        det = a[0] * x0 + a[1] * x1 + a[2] * x2
        if not abs(det) > 1e-9 * arm.size**3:
            return KIND * WRIST
        e0, e1, e2 = A[0, 3], A[1, 3], A[2, 3]
        q[0] += (e0 * x0 + e1 * x1 + e2 * x2) / det
        y0, y1, y2 = e1 * c[2] - e2 * c[1], e2 * c[0] - e0 * c[2], e0 * c[1] - e1 * c[0]
        q[1] += (a[0] * y0 + a[1] * y1 + a[2] * y2) / det
        y0, y1, y2 = b[1] * e2 - b[2] * e1, b[2] * e0 - b[0] * e2, b[0] * e1 - b[1] * e0
        q[2] += (a[0] * y0 + a[1] * y1 + a[2] * y2) / det
    if not off <= 1e-9 * arm.size:
        return KIND * WRIST
    return _worst(state, q, dt, 3, room)


@kernel(counted=False)
def _least_sine(room: Any, count: int) -> float:
    """Return how near to in line the wrist comes on the way that ``outlook`` has looked at."""
    least = math.inf
    for k in range(count):
        ax = math.sin(room.q[k, 4]) * math.cos(room.q[k, 3])
        ay = math.sin(room.q[k, 4]) * math.sin(room.q[k, 3])
        bx = math.sin(room.q[k + 1, 4]) * math.cos(room.q[k + 1, 3])
        by = math.sin(room.q[k + 1, 4]) * math.sin(room.q[k + 1, 3])
        dx, dy = bx - ax, by - ay
        square = dx * dx + dy * dy
        part = min(max(-(ax * dx + ay * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
        least = min(least, math.hypot(ax + part * dx, ay + part * dy))
    return least


@kernel
def _take(state: Any, twist: Any, dt: float, room: Any, q: Any) -> None:
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
def _blend(
    arm: Any, state: Any, base: Any, to: Any, dt: float, room: Any, q: Any, twist: Any
) -> tuple[bool, int]:
    """Find the twist nearest to ``to`` between it and ``base`` that keeps all bounds.

    Writes ``twist`` and what ``_attempt`` writes; returns whether there is one, and what binds.
    """
    n = len(q)
    at_base, at_to = room.other[3], room.other[4]
    code = _attempt(arm, state, base, dt, room, at_base)
    if code != 0 and code // KIND > UPPER:
        return False, code
    code = _attempt(arm, state, to, dt, room, at_to)
    if code != 0 and code // KIND > UPPER:
        for j in range(6):
            twist[j] = base[j]
        return _attempt(arm, state, twist, dt, room, q) == 0, code
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
    for share in (1.0, 0.999, 0.9, 0.5):
        part = max(low, 0.0) + share * (max(high, 0.0) - max(low, 0.0))
        for j in range(6):
            twist[j] = base[j] + part * (to[j] - base[j])
        if _attempt(arm, state, twist, dt, room, q) == 0:
            return True, why
    return False, why


@kernel
def brake(arm: Any, state: Any, dt: float, room: Any) -> None:
    """Slow each joint as much as it may; what is wanted begins anew where the camera then is."""
    n = len(state.q)
    bounds(arm, state, dt, room)
    for r in range(6):
        state.before[r] = state.twist[r]
    for j in range(n):
        rate = state.rates[j]
        turn = arm.jerks[j] * dt * dt * WITHIN
        rate -= math.copysign(greatest_change(abs(rate), turn), rate)
        state.rates[j] = min(max(rate, room.box[0, j]), room.box[1, j])
        state.q[j] += state.rates[j] * dt
    begin_anew(arm, state, dt, room)


@kernel
def begin_anew(arm: Any, state: Any, dt: float, room: Any) -> None:
    """Want the pose where the camera is, moving as it moves."""
    n = len(state.q)
    frame_of(arm, state.q, room, state.X)
    point = np.empty(3)
    for r in range(3):
        point[r] = state.X[r, 3]
    jacobian_one(arm.kinds, arm.parents, room.links, n - 1, point, room.J)
    for c in range(3):
        v = w = 0.0
        for r in range(3):
            for j in range(n):
                v += state.X[r, c] * room.J[r, j] * state.rates[j]
                w += state.X[r, c] * room.J[3 + r, j] * state.rates[j]
        state.twist[c], state.twist[3 + c] = v, w
    found = posture_near(arm, state.X, state.q, -1, room, room.other[2])
    if found >= 0:
        state.branch[0] = found
    state.branch[1] = 0


@kernel
def _off_view(arm: Any, state: Any, room: Any) -> float:
    """Return the angle between where the camera looks and where it is wanted to look, rad."""
    frame_of(arm, state.q, room, room.X)
    e = np.empty(6)
    turn_between(state.X, room.X, e)
    return math.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5])


@kernel
def _bend(arm: Any, state: Any, to: Any, dt: float, room: Any, q: Any) -> int:
    """Go towards posture ``to`` (n,) as all bounds allow; want what then is. Return what binds.

    From the changes of the last tick on, so that jerks are kept, towards changes that let the rates
    come to those of ``to`` together.
    """
    n = len(q)
    part, even, why = 1.0, 1.0, 0
    for j in range(n):
        lacks = abs((to[j] - state.q[j]) / dt - state.rates[j])
        turn = arm.jerks[j] * dt * dt * WITHIN
        if lacks > 0.0:
            even = min(even, greatest_change(lacks, turn) / lacks)
    for j in range(n):
        low, high = room.box[0, j], room.box[1, j]
        rate = state.rates[j]
        base = min(max(rate + state.changes[j], low), high)
        aim = rate + even * ((to[j] - state.q[j]) / dt - rate)
        side = 1 if aim > base else 0
        gap, change = room.box[side, j] - base, aim - base
        if abs(change) > abs(gap) and abs(gap) < part * abs(change):
            part, why = abs(gap / change), KIND * room.kinds[side, j] + j
    for j in range(n):
        rate = state.rates[j]
        base = min(max(rate + state.changes[j], room.box[0, j]), room.box[1, j])
        aim = rate + even * ((to[j] - state.q[j]) / dt - rate)
        state.rates[j] = base + part * (aim - base)
        q[j] = state.q[j] + state.rates[j] * dt
        state.q[j] = 0.5 * (state.q[j] + q[j])
    # the twist is that half way
    begin_anew(arm, state, dt, room)
    twist = np.empty(6)
    for r in range(6):
        twist[r] = state.twist[r]
    for j in range(n):
        state.q[j] = q[j]
    begin_anew(arm, state, dt, room)
    for r in range(6):
        state.twist[r] = twist[r]
    return why


@kernel
def _part(arm: Any, state: Any, wanted: Any, room: Any, out: Any) -> float:
    """Write into ``out`` (6,) of a blocked wish its way alone or, where that is blocked, its turn.

    Returned is the share of it that the way ahead allows, 0 where both are blocked.
    """
    for first in (0, 3):
        some = False
        for j in range(6):
            out[j] = wanted[j] if first <= j < first + 3 else 0.0
            some = some or out[j] != 0.0
        if not some:
            continue
        share, _ = outlook(
            arm,
            state.X,
            state.q,
            state.rates,
            state.branch[0],
            out,
            FIRST_LOOK,
            len(state.q),
            room,
        )
        if share >= _BLOCKED:
            return min(share, 1.0)
    return 0.0


@kernel
def tick(
    arm: Any,
    state: Any,
    wanted: Any,
    dt: float,
    grace: float,
    room: Any,
    eases: bool,
    by: Any,
    parts: bool,
) -> tuple[int, int, float]:
    """Move ``state`` on by ``dt`` towards the twist ``wanted`` (6,).

    ``grace`` is the angle (rad) by which the view may be off while a wrist in line is passed: the
    wish waits where it is. Return what became of it, the code of what binds, and the share of
    ``wanted`` that the way ahead allows. Where jerks are limited it ``eases`` the wish ``by`` what
    ``eased`` takes. ``parts``: where it is blocked, its way or its turn may go on alone.
    """
    n = len(state.q)
    q, twist, aim = room.other[5], np.empty(6), np.empty(6)
    bounds(arm, state, dt, room)
    moving = False
    for j in range(6):
        moving = moving or wanted[j] != 0.0
    share, code = 1.0, 0
    passing = state.branch[1] > 0
    if moving:
        asked = 3 if passing else n
        share, code = outlook(
            arm, state.X, state.q, state.rates, state.branch[0], wanted, FIRST_LOOK, asked, room
        )
        kind, joint = code // KIND, code % KIND
        turned = joint >= 3 and kind in (SPEED, ACCELERATION)
        near = turned and share < 1.0 and arm.spherical and not passing
        if near and _least_sine(room, room.found[0]) < 0.5 * grace:
            passing = True
            share, code = outlook(
                arm, state.X, state.q, state.rates, state.branch[0], wanted, FIRST_LOOK, 3, room
            )
        share = min(share, 1.0)
    for j in range(6):
        aim[j] = share * wanted[j]
    whole = share >= _BLOCKED or not (parts and moving) or passing
    if not whole:
        share = _part(arm, state, wanted, room, twist)
        for j in range(6):
            aim[j] = share * twist[j]
    if eases:
        slow = by.slow
        if passing:
            # the wish waits for a wrist that is, or will be, off by a third of what it may be
            off = _off_view(arm, state, room)
            grows = max(off - state.off[0], 0.0) / dt if state.branch[1] > 0 else 0.0
            for j in range(6):
                aim[j] *= min(max(2.0 - 3.0 * (off + _SOON * grows) / grace, 0.0), 1.0)
            slow = by.loose
        for j in range(6):
            twist[j] = aim[j]
        eased(arm, state, twist, state.before, slow, room, by.work, aim)
        for j in range(6):
            moving = moving or aim[j] != 0.0
    why = _attempt(arm, state, aim, dt, room, q)
    if why == 0:
        _take(state, aim, dt, room, q)
        if not moving:
            return RESTS, 0, 1.0
        return (FOLLOWS, 0, 1.0) if share == 1.0 and whole else (SLOWED, code, share)
    bound = code if share < 1.0 or not whole else why
    if eases:
        if passing and _lag(arm, state, aim, dt, room, q) == 0:
            _take(state, aim, dt, room, q)
            state.branch[1] = 1
            state.off[0] = _off_view(arm, state, room)
            return PASSES, KIND * WRIST, share
        if why == 0 or why // KIND <= UPPER or why // KIND == JERK:
            _attempt(arm, state, aim, dt, room, q)
            for j in range(n):
                room.other[6, j] = q[j]
            binds = _bend(arm, state, room.other[6], dt, room, q)
            return SLOWED, (bound if bound == code else binds if binds else why), share
        brake(arm, state, dt, room)
        return BRAKES, bound, 0.0
    if passing:
        # the wish waits for a wrist that is off by more than half of what it may be
        off = _off_view(arm, state, room)
        part = min(max(2.0 - 2.0 * off / grace, 0.0), 1.0)
        for old, new in ((0.0, 1.0), (0.5, 0.5), (0.8, 0.2), (1.0, 0.0), (0.9, 0.0), (0.0, 0.5)):
            for j in range(6):
                twist[j] = old * state.twist[j] + new * part * aim[j]
            if _lag(arm, state, twist, dt, room, q) == 0:
                _take(state, twist, dt, room, q)
                state.branch[1] = 1
                state.off[0] = _off_view(arm, state, room)
                return PASSES, KIND * WRIST, part * share
    good, why = _blend(arm, state, state.twist, aim, dt, room, q, twist)
    if good:
        _take(state, twist, dt, room, q)
        return SLOWED, (bound if share < 1.0 else why), share
    for j in range(6):
        aim[j] = 0.0
    good, why = _blend(arm, state, aim, state.twist, dt, room, q, twist)
    if good:
        _take(state, twist, dt, room, q)
        return SLOWED, bound, 0.0
    brake(arm, state, dt, room)
    return BRAKES, bound, 0.0
