"""Self motions cut where a joint turns back and where limits are met; ``self_motion_curves``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.rigid_motions import copied
from articulata.kernels.chains.self_motion.self_motion_curves import (
    JOINTS,
    Task,
    between,
    corrected,
    distance,
    smooth,
    task_of,
    wrapped,
)
from articulata.kernels.compile import kernel

TURNS, AT_LIMIT = 1, 2
"""What a knot is: the driving joint turns back there; a joint stands at a limit."""

_MOST = 24
_CLOSE = 2e-3
_AT_LIMIT = 1e-12


@kernel(counted=False)
def inside(value: float, joint: int, middle: Any, half: Any) -> float:
    """Return how far inside its limits an angle is; whole turns do not matter."""
    if half[joint] >= math.pi:
        return math.pi
    return half[joint] - abs(wrapped(value - middle[joint]))


@kernel(counted=False)
def at_share(at: Task, piece: Any, share: float, out: Any, t: Any) -> float:
    """Write the posture ``out`` and its tangent ``t`` on the curve between two samples.

    It lies in the plane across the first tangent at a share of the way. Returned is how far off its
    pose it is.
    """
    a, ta, b, _ = piece
    smooth(piece, distance(a, b), share, out, at.slope)
    span = 0.0
    target = 0.0
    for i in range(JOINTS):
        span += ta[i] * (b[i] - a[i])
        target += ta[i] * a[i]
    off, _ = corrected(at, out, ta, target + share * span, t)
    return off


@kernel(counted=False)
def where_turns(at: Task, piece: Any, joint: int, out: Any, t: Any) -> float:
    """Write the posture between two samples at which a joint turns back; return its share."""
    _, ta, _, tb = piece
    low, high = 0.0, 1.0
    f_low, f_high = ta[joint], tb[joint]
    share = f_low / (f_low - f_high)
    side = 0
    for _ in range(40):
        at_share(at, piece, share, out, t)
        value = t[joint]
        if abs(value) < 1e-9 or high - low < 1e-14:
            break
        # an end that stays twice counts half, so that it comes near too (Illinois method)
        if (value > 0.0) == (f_low > 0.0):
            low, f_low = share, value
            f_high *= 0.5 if side > 0 else 1.0
            side = 1
        else:
            high, f_high = share, value
            f_low *= 0.5 if side < 0 else 1.0
            side = -1
        share = (low * f_high - high * f_low) / (f_high - f_low)
    return share


@kernel
def where_stands(at: Task, piece: Any, joint: int, value: float, out: Any, t: Any) -> float:
    """Write the posture between two samples at which a joint has a value; return its share.

    The joint does not turn back between the samples.
    """
    a, ta, b, tb = piece
    length = distance(a, b)
    low, high = 0.0, 1.0
    rising = b[joint] > a[joint]
    for _ in range(50):
        share = 0.5 * (low + high)
        now = between(a[joint], ta[joint], b[joint], tb[joint], length, share)
        if (now < value) == rising:
            low = share
        else:
            high = share
    smooth(piece, length, share, out, at.slope)
    guess = out.copy()
    row = at.slope
    for i in range(JOINTS):
        row[i] = 0.0
    row[joint] = 1.0
    off, _ = corrected(at, out, row, value, t)
    side = 0.0
    for i in range(JOINTS):
        side += t[i] * ta[i]
    if side < 0.0:
        for i in range(JOINTS):
            t[i] = -t[i]
    if off <= 1e-11 and distance(out, guess) < 0.05 * length + 1e-9:
        return share
    # beside a turning point: by halving along the curve
    low, high = 0.0, 1.0
    f_low, f_high = a[joint] - value, b[joint] - value
    for step in range(60):
        share = (low * f_high - high * f_low) / (f_high - f_low)
        if step % 3 == 2:
            share = 0.5 * (low + high)
        at_share(at, piece, share, out, t)
        now = out[joint] - value
        if abs(now) < 1e-14 or high - low < 1e-15:
            break
        if (now > 0.0) == (f_low > 0.0):
            low, f_low = share, now
        else:
            high, f_high = share, now
    return share


@kernel(counted=False)
def _sorted_in(share: float, flag: Any, q: Any, t: Any, found: Any, count: int) -> int:
    """Enter a knot (share, flag, q, t) among those found in order of their shares."""
    shares, flags, Q, T = found
    if count == len(shares):
        return count
    for k in range(count):
        if abs(shares[k] - share) < 1e-13:
            flags[k] |= flag
            return count
    place = count
    while place > 0 and shares[place - 1] > share:
        shares[place] = shares[place - 1]
        flags[place] = flags[place - 1]
        copied(Q[place - 1], Q[place])
        copied(T[place - 1], T[place])
        place -= 1
    shares[place], flags[place] = share, flag
    copied(q, Q[place])
    copied(t, T[place])
    return count + 1


@kernel(counted=False)
def _extreme(ta: float, tb: float, a: float, b: float, length: float) -> float:
    """Return the share at which the slope of the cubic between samples is extreme, -1 outside."""
    # slope(u) = d00 (a - b) / length + d10 ta + d11 tb, of second degree in u
    m = (a - b) / length
    second = 6.0 * m + 3.0 * ta + 3.0 * tb
    first = -6.0 * m - 4.0 * ta - 2.0 * tb
    if second == 0.0:
        return -1.0
    u = -0.5 * first / second
    return u if 0.02 < u < 0.98 else -1.0


@kernel
def cut_motion(
    links: Any, pose: Any, samples: Any, driver: int, limits: Any, stage: int, out: Any
) -> int:
    """Copy the samples of a curve with knots put between; return how many.

    ``stage`` 0 adds samples where a joint may turn back twice between two, 1 the places where the
    ``driver`` turns back, and those joints that come near a limit, 2 the places where a joint
    stands at a limit. Limits are given by middle and half (7,) of the ranges, half >= pi: none.
    ``samples`` and ``out``: postures and tangents (k, 7), and what each is (k,).
    """
    (Q, T, flags), (middle, half), (out_Q, out_T, out_flags) = samples, limits, out
    # numbers that stand in a call would be compiled for on their own
    plain, turns, limited = np.int64(0), np.int64(TURNS), np.int64(AT_LIMIT)
    at = task_of(links, pose)
    end = len(Q)
    found = (np.empty(_MOST), np.empty(_MOST, np.int64), np.empty((_MOST, 7)), np.empty((_MOST, 7)))
    q, t, slope = np.empty(7), np.empty(7), np.empty(7)
    n = 0
    for i in range(end):
        if n >= len(out_Q):
            return n
        copied(Q[i], out_Q[n])
        copied(T[i], out_T[n])
        out_flags[n] = flags[i]
        n += 1
        if i == end - 1:
            break
        a, ta, b, tb = piece = Q[i], T[i], Q[i + 1], T[i + 1]
        length = distance(a, b)
        if not length > 1e-12:
            continue
        count = 0
        for j in range(JOINTS):
            bounded = half[j] < math.pi
            if stage == 2:
                if not bounded:
                    continue
                low, high = min(a[j], b[j]), max(a[j], b[j])
                for sign in (-1.0, 1.0):
                    limit = middle[j] + sign * (half[j] + _AT_LIMIT)
                    limit += 2.0 * math.pi * math.ceil((low - limit) / (2.0 * math.pi))
                    if low < limit < high:
                        share = where_stands(at, piece, j, limit, q, t)
                        count = _sorted_in(share, limited, q, t, found, count)
                continue
            if j != driver and not bounded:
                continue
            if stage == 0:
                u = _extreme(ta[j], tb[j], a[j], b[j], length)
                if u < 0.0 or ta[j] * tb[j] <= 0.0:
                    continue
                smooth(piece, length, u, q, slope)
                # a slope that comes near zero between the samples
                if slope[j] * ta[j] < 0.1 * min(abs(ta[j]), abs(tb[j])) * abs(ta[j]):
                    at_share(at, piece, u, q, t)
                    count = _sorted_in(u, plain, q, t, found, count)
                continue
            if ta[j] * tb[j] < 0.0:
                if j != driver:
                    # only where it might touch a limit
                    u = ta[j] / (ta[j] - tb[j])
                    smooth(piece, length, u, q, slope)
                    if abs(inside(q[j], j, middle, half)) > _CLOSE:
                        near = inside(q[j], j, middle, half) > 0.0
                        if near == (inside(a[j], j, middle, half) > 0.0):
                            continue
                share = where_turns(at, piece, j, q, t)
                flag = turns if j == driver else plain
                count = _sorted_in(share, flag, q, t, found, count)
        _, marks, some_Q, some_T = found
        for k in range(count):
            if n >= len(out_Q):
                return n
            copied(some_Q[k], out_Q[n])
            copied(some_T[k], out_T[n])
            out_flags[n] = marks[k]
            n += 1
    return n


@kernel
def kept_between(Q: Any, T: Any, count: int, middle: Any, half: Any, kept: Any) -> None:
    """Write for each piece between two of ``count`` knots whether it keeps the limits."""
    q, slope = np.empty(7), np.empty(7)
    for i in range(count - 1):
        length = distance(Q[i], Q[i + 1])
        if length > 1e-12:
            smooth((Q[i], T[i], Q[i + 1], T[i + 1]), length, 0.5, q, slope)
        else:
            copied(Q[i], q)
        kept[i] = True
        for j in range(JOINTS):
            if inside(q[j], j, middle, half) < -_AT_LIMIT:
                kept[i] = False


@kernel
def postures_at(links: Any, pose: Any, Q: Any, T: Any, driver: int, values: Any, out: Any) -> None:
    """Write the postures ``out`` (m, 7) of an arc at values of the driver, NaN beyond its ends.

    ``Q`` and ``T`` (k, 7): knots of the arc, in which the driver rises. Whole turns do not matter.
    """
    at = task_of(links, pose)
    t = np.empty(7)
    last = len(Q) - 1
    low, high = Q[0, driver], Q[last, driver]
    for m in range(len(values)):
        value = values[m]
        if not low - 1e-9 <= value <= high + 1e-9:
            value += 2.0 * math.pi * math.ceil((low - value - 1e-9) / (2.0 * math.pi))
        out[m] = np.nan
        if not value <= high + 1e-9:
            continue
        value = min(max(value, low), high)
        begin, end = 0, last
        while end - begin > 1:
            middle = (begin + end) // 2
            if Q[middle, driver] <= value:
                begin = middle
            else:
                end = middle
        if value == Q[begin, driver]:
            copied(Q[begin], out[m])
        elif value == Q[end, driver]:
            copied(Q[end], out[m])
        else:
            piece = Q[begin], T[begin], Q[end], T[end]
            where_stands(at, piece, driver, value, out[m], t)


@kernel
def nearest_on(links: Any, pose: Any, Q: Any, T: Any, kept: Any, wanted: Any, out: Any) -> bool:
    """Write the posture ``out`` (7,) of an arc within the limits that is nearest to ``wanted``.

    Where ``wanted`` is on the arc it is found again. Returned is whether there is one.
    """
    at = task_of(links, pose)
    t = np.empty(7)
    best = np.inf
    piece = -1
    share = 0.0
    for i in range(len(kept)):
        if not kept[i]:
            continue
        along = 0.0
        span = 0.0
        for j in range(JOINTS):
            along += T[i, j] * wrapped(wanted[j] - Q[i, j])
            span += T[i, j] * (Q[i + 1, j] - Q[i, j])
        u = min(max(along / span, 0.0), 1.0) if span > 1e-14 else 0.0
        apart = 0.0
        for j in range(JOINTS):
            apart += wrapped(wanted[j] - Q[i, j] - u * (Q[i + 1, j] - Q[i, j])) ** 2
        if apart < best:
            best = apart
            piece = i
            share = u
    if piece < 0:
        return False
    if share == 0.0:
        copied(Q[piece], out)
    elif share == 1.0:
        copied(Q[piece + 1], out)
    else:
        i = piece
        at_share(at, (Q[i], T[i], Q[i + 1], T[i + 1]), share, out, t)
    return True
