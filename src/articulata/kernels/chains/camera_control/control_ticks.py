"""One tick of an arm that carries a camera: from the motion that is wanted to joint values.

Limits hold at every tick: each joint stays within its ends, its speed and its acceleration, and
keeps so far from its ends that it can come to rest before them by its own acceleration. Within
these the camera goes along the way that is wanted at the greatest share that the way ahead allows
(``outlook``). Where nothing of it can be met, each joint brakes as hard as it may, and what is
wanted begins anew where the camera then is.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from articulata.kernels.chains.camera_control.attempted_ticks import (
    attempt,
    blend,
    lag,
    off_view,
    take,
)
from articulata.kernels.chains.camera_control.carried_frames import (
    ACCELERATION,
    JERK,
    KIND,
    SPEED,
    UPPER,
    WRIST,
    frame_of,
    outlook,
    posture_near,
)
from articulata.kernels.chains.camera_control.rate_limits import WITHIN, bounds, greatest_change
from articulata.kernels.chains.forward_kinematics import jacobian_one
from articulata.kernels.compile import kernel

_FIRM: Final = 1e-3
"""Share of the greatest entry of the Jacobian below which a direction is damped."""

_END: Final = 1e-9


@kernel
def _prepare(arm: Any, state: Any, room: Any, L: Any) -> None:
    """Write the camera's Jacobian in its own axes, ``room.J``, and L of ``L L' = J J' + f f I``."""
    n = len(state.q)
    frame_of(arm, state.q, room, room.X)
    point = np.empty(3)
    for r in range(3):
        point[r] = room.X[r, 3]
    jacobian_one(arm.tree, room.links, n - 1, point, room.J)
    J, most = room.J, 0.0
    for j in range(n):
        for part in (0, 3):
            a, b, c = J[part, j], J[part + 1, j], J[part + 2, j]
            for r in range(3):
                J[part + r, j] = state.X[0, r] * a + state.X[1, r] * b + state.X[2, r] * c
                most = max(most, abs(J[part + r, j]))
    for r in range(6):
        for c in range(r + 1):
            total = (_FIRM * most) ** 2 if r == c else 0.0
            for j in range(n):
                total += J[r, j] * J[c, j]
            for k in range(c):
                total -= L[r, k] * L[c, k]
            L[r, c] = math.sqrt(total) if r == c else total / L[c, c]


@kernel(counted=False)
def _share(twist: Any, most: Any, room: Any, L: Any, x: Any) -> float:
    """Return how often the joints' rates for ``twist`` (6,) fit into ``most`` (n,)."""
    for r in range(6):
        total = twist[r]
        for k in range(r):
            total -= L[r, k] * x[k]
        x[r] = total / L[r, r]
    for r in range(5, -1, -1):
        total = x[r]
        for k in range(r + 1, 6):
            total -= L[k, r] * x[k]
        x[r] = total / L[r, r]
    share = math.inf
    for j in range(len(most)):
        rate = 0.0
        for r in range(6):
            rate += room.J[r, j] * x[r]
        share = min(share, most[j] / max(abs(rate), 1e-12))
    return share


@kernel
def eased(
    arm: Any, state: Any, wish: Any, before: Any, most: Any, room: Any, work: Any, out: Any
) -> None:
    """Write into ``out`` (6,) what is to be wanted of this tick, so that ``wish`` (6,) comes soon.

    The change of the twist grows and shrinks evenly, and ends when the twist is the wish.
    ``before`` (6,) is the twist of the tick before, which is replaced by the present one; ``most``
    (n,) by how much the change of each rate may differ from the last tick's; ``work`` (9, 6) room.
    """
    L, x, along, change = work[:6], work[6], work[7], work[8]
    size = moved = 0.0
    for r in range(6):
        along[r] = wish[r] - state.twist[r]
        change[r] = state.twist[r] - before[r]
        before[r] = state.twist[r]
        size += along[r] * along[r]
        moved += change[r] * change[r]
    size = math.sqrt(size)
    if size < _END and moved < _END * _END:
        for r in range(6):
            out[r] = wish[r]
        return
    _prepare(arm, state, room, L)
    reach = 0.0
    if size >= _END:
        for r in range(6):
            along[r] /= size
        slow = _share(along, most, room, L, x)
        reach = min(max(math.sqrt(2.0 * slow * size) - 0.5 * slow, min(size, slow)), size)
    for r in range(6):
        along[r] = reach * along[r] - change[r]
    part = min(_share(along, most, room, L, x), 1.0)
    for r in range(6):
        out[r] = state.twist[r] + change[r] + part * along[r]


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

_MIXES: Final = ((0.0, 1.0), (0.5, 0.5), (0.8, 0.2), (1.0, 0.0), (0.9, 0.0), (0.0, 0.5))
"""Shares of the present twist and of the wish that are tried while a wrist in line is passed."""


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
    jacobian_one(arm.tree, room.links, n - 1, point, room.J)
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


@kernel(counted=False)
def _outlook(arm: Any, state: Any, twist: Any, joints: int, room: Any) -> tuple[float, int]:
    """Return the share of ``twist`` that the way ahead allows, and the code of what binds."""
    return outlook(
        arm, state.X, state.q, state.rates, state.branch[0], twist, FIRST_LOOK, joints, room
    )


@kernel(counted=False)
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
        share, _ = _outlook(arm, state, out, len(state.q), room)
        if share >= _BLOCKED:
            return min(share, 1.0)
    return 0.0


@kernel(counted=False)
def _ahead(
    arm: Any, state: Any, wanted: Any, grace: float, room: Any, passing: bool
) -> tuple[float, int, bool]:
    """Return the share of ``wanted`` that the way ahead allows, what binds, and what is passed.

    ``passing`` says, before and after, whether joints 4 to 6 turn after a wish that goes through a
    wrist in line: they are not asked for their speeds then.
    """
    share, code = _outlook(arm, state, wanted, 3 if passing else len(state.q), room)
    turned = code % KIND >= 3 and code // KIND in (SPEED, ACCELERATION)
    near = turned and share < 1.0 and arm.spherical and not passing
    if near and _least_sine(room, room.found[0]) < 0.5 * grace:
        passing = True
        share, code = _outlook(arm, state, wanted, 3, room)
    return min(share, 1.0), code, passing


@kernel(counted=False)
def _ease(
    arm: Any, state: Any, dt: float, grace: float, room: Any, by: Any, passing: bool, aim: Any,
    wish: Any,
) -> None:  # fmt: skip
    """Make of ``aim`` (6,) what is wanted of this tick, so that jerks are kept.

    ``wish`` (6,) is written.
    """
    slow = by.slow
    if passing:
        # the wish waits for a wrist that is, or will be, off by a third of what it may be
        off = off_view(arm, state, room)
        grows = max(off - state.off[0], 0.0) / dt if state.branch[1] > 0 else 0.0
        for j in range(6):
            aim[j] *= min(max(2.0 - 3.0 * (off + _SOON * grows) / grace, 0.0), 1.0)
        slow = by.loose
    for j in range(6):
        wish[j] = aim[j]
    eased(arm, state, wish, state.before, slow, room, by.work, aim)


@kernel(counted=False)
def _lagged(arm: Any, state: Any, twist: Any, dt: float, room: Any) -> bool:
    """Take a tick in which joints 4 to 6 turn after ``twist`` (6,); return whether there is one."""
    q = room.other[5]
    if lag(arm, state, twist, dt, room, q) != 0:
        return False
    take(state, twist, dt, room, q)
    state.branch[1] = 1
    state.off[0] = off_view(arm, state, room)
    return True


@kernel(counted=False)
def _bent(
    arm: Any, state: Any, aim: Any, dt: float, room: Any, why: int, bound: int, code: int,
    share: float,
) -> tuple[int, int, float]:  # fmt: skip
    """Take a tick off a way on which jerks are not kept: ``why`` is what ``aim`` passes.

    ``bound`` is what binds the tick, which the way ahead does where it is ``code``.
    """
    if why // KIND > UPPER and why // KIND != JERK:
        brake(arm, state, dt, room)
        return BRAKES, bound, 0.0
    there = room.other[6]
    attempt(arm, state, aim, dt, room, there)
    binds = _bend(arm, state, there, dt, room, room.other[5])
    return SLOWED, (bound if bound == code else binds if binds else why), share


@kernel(counted=False)
def _passed(
    arm: Any, state: Any, aim: Any, dt: float, grace: float, room: Any, twist: Any
) -> float:
    """Take a tick through a wrist in line; return the part of ``aim`` (6,), less than 0 for none.

    The wish waits for a wrist that is off by more than half of what it may be.
    """
    part = min(max(2.0 - 2.0 * off_view(arm, state, room) / grace, 0.0), 1.0)
    for old, new in _MIXES:
        for j in range(6):
            twist[j] = old * state.twist[j] + new * part * aim[j]
        if _lagged(arm, state, twist, dt, room):
            return part
    return -1.0


@kernel(counted=False)
def _slowed(
    arm: Any, state: Any, aim: Any, dt: float, room: Any, bound: int, share: float, twist: Any
) -> tuple[int, int, float]:
    """Take the tick between the present twist and ``aim``, else rest, that bounds allow, or brake.

    ``bound`` is what binds where ``aim`` is less than the whole wish; ``aim`` and ``twist`` (6,)
    are written.
    """
    q = room.other[5]
    good, why = blend(arm, state, state.twist, aim, dt, room, q, twist)
    if good:
        take(state, twist, dt, room, q)
        return SLOWED, (bound if share < 1.0 else why), share
    for j in range(6):
        aim[j] = 0.0
    good, why = blend(arm, state, aim, state.twist, dt, room, q, twist)
    if good:
        take(state, twist, dt, room, q)
        return SLOWED, bound, 0.0
    brake(arm, state, dt, room)
    return BRAKES, bound, 0.0


@kernel(counted=False)
def _some(twist: Any) -> bool:
    """Return whether a twist (6,) moves anything."""
    some = False
    for j in range(6):
        some = some or twist[j] != 0.0
    return some


@kernel(counted=False)
def tick(
    arm: Any, state: Any, wanted: Any, dt: float, grace: float, room: Any, eases: bool, by: Any,
    parts: bool,
) -> tuple[int, int, float]:  # fmt: skip
    """Move ``state`` on by ``dt`` towards the twist ``wanted`` (6,).

    ``grace`` is the angle (rad) by which the view may be off while a wrist in line is passed: the
    wish waits where it is. Return what became of it, the code of what binds, and the share of
    ``wanted`` that the way ahead allows. Where jerks are limited it ``eases`` the wish ``by`` what
    ``eased`` takes. ``parts``: where it is blocked, its way or its turn may go on alone.
    """
    q, aim, twist = room.other[5], room.other[7], room.other[8]
    bounds(arm, state, dt, room)
    moving, passing = _some(wanted), state.branch[1] > 0
    share, code = 1.0, 0
    if moving:
        share, code, passing = _ahead(arm, state, wanted, grace, room, passing)
    whole = share >= _BLOCKED or not (parts and moving) or passing
    for j in range(6):
        aim[j] = wanted[j]
    if not whole:
        share = _part(arm, state, wanted, room, aim)
    for j in range(6):
        aim[j] *= share
    if eases:
        _ease(arm, state, dt, grace, room, by, passing, aim, twist)
        moving = moving or _some(aim)
    why = attempt(arm, state, aim, dt, room, q)
    if why == 0:
        take(state, aim, dt, room, q)
        if not moving:
            return RESTS, 0, 1.0
        return (FOLLOWS, 0, 1.0) if share == 1.0 and whole else (SLOWED, code, share)
    bound = code if share < 1.0 or not whole else why
    if eases:
        if passing and _lagged(arm, state, aim, dt, room):
            return PASSES, KIND * WRIST, share
        return _bent(arm, state, aim, dt, room, why, bound, code, share)
    if passing:
        part = _passed(arm, state, aim, dt, grace, room, twist)
        if part >= 0.0:
            return PASSES, KIND * WRIST, part * share
    return _slowed(arm, state, aim, dt, room, bound, share, twist)
