"""Kernel of ``meeting_axes_7r``: families of seven joints, three that meet, one the parameter.

A branch of ``meeting_axes_6r_lanes`` is a function of the joint that is given, the *driver*. It
exists where its margins are not below zero. The driver's range is parted where the margin of c is
zero, each part where that of b is, then that of the three that meet; what is left is cut where a
joint stands at a limit. A part on which a joint turns too fast for its samples is looked at in two.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms.meeting_axes_6r_lanes import SINES
from articulata.kernels.chains.self_motion.driver_zeros import (
    ANGLE,
    MARGINS_KEPT,
    NODES,
    SINGLE,
    Zeros,
    driver_at,
    evaluate,
    find_zeros,
    place_pose,
    refine_zeros,
    sample,
    slots_of,
    sorted_zeros,
    value_of,
    write_posture,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64

MOST = 16
"""Most intervals of one branch."""

_LIMITED = 6
_ZEROS, _PARTS = 512, 64
"""Room for zeros and for parts of one pose."""

_INSIDE, _MEET, _APART, _THIN, _SHORT = 1e-13, 1e-12, 1e-12, 1e-13, 1e-7
"""How far a joint may be beyond a limit, in cosines; a margin that touches zero; ends that are one;
a part, and a part that is looked at in two, are longer than the last, rad."""

_SLOW = 0.8
"""Cosine of the most that a joint turns from one sample to the next."""

_NEAR = 0.4
"""Beyond its limits by more, in cosines, at every sample, a joint never keeps them between."""


class Parts(NamedTuple):
    """Parts that wait: their ends (k, 2), and level and branches (k, 2) of each."""

    parts: Any
    masks: Any


class Room(NamedTuple):
    """Room for one pose; ``groups`` of cuts are parts of branches, their ``owners``."""

    samples: Any
    waits: Parts
    zeros: Zeros
    cuts: Zeros
    groups: Any
    owners: Any
    edges: Any
    f: Any


class RootFamilies(NamedTuple):
    """The families of m poses.

    ``q`` (m, 8, 7): a posture of each branch within limits, NaN where it has none; ``intervals``
    (m, 8, k, 2) of the driver, ``counts`` (m, 8) how many; ``state`` (m,) bits: 1 some branch
    exists, 2 branches meet, 4 not all was kept.
    """

    q: Array
    intervals: Array
    counts: IntArray
    state: IntArray


@kernel
def _part(arm: Any, rows: Any, number: int, part: Any, depth: int, room: Any) -> Any:
    """Write where a margin is zero on a part into ``edges[1]`` (k,), values of t with both ends.

    Returned are how many there are, whether the first piece has it, and the least touch. Pieces
    between edges have it and lack it in turn.
    """
    known, edges = room.zeros, room.edges[1]
    f = room.samples[number]
    of = (number, part[0], part[1], 0)
    count, touch = find_zeros(arm, rows, f, of, depth, known, 0)
    count = min(count, len(known.zeros))
    if count == 0:
        edges[0], edges[1] = 0.0, math.pi
        return 2, f[NODES // 2] >= 0.0, touch
    known.marks[:count, 2] = 0
    refine_zeros(arm, rows, known, 0, count, depth)
    n = sorted_zeros(known, 0, count, 0, edges)
    return n, f[0] >= 0.0, touch


@kernel(counted=False)
def _push(waiting: Parts, count: int, low: float, high: float, level: int, mask: int) -> int:
    parts, masks = waiting.parts, waiting.masks
    if count < len(parts) and high - low > _THIN:
        parts[count, 0], parts[count, 1] = low, high
        masks[count, 0], masks[count, 1] = level, mask
        return count + 1
    return count


@kernel(counted=False)
def _push_pieces(
    waiting: Parts, count: int, part: Any, edges: Any, n: int, has: bool, level: int, mask: int
) -> int:
    """Enter the pieces of a part between ``edges`` in which a margin is not below zero."""
    for k in range(n - 1):
        if has == (k % 2 == 0):
            low, high = (
                driver_at(part[0], part[1], edges[k]),
                driver_at(part[0], part[1], edges[k + 1]),
            )
            count = _push(waiting, count, low, high, level, mask)
    return count


@kernel(counted=False)
def _inside(samples: Any, limits: Any, i: int, slot: int, f: Any) -> Any:
    """Write how far a joint is within its limits at the samples, as a difference of cosines.

    Returned are the most of it and the least cosine of what the joint turns between two samples.
    """
    k = MARGINS_KEPT + 8 * i + slot
    cosines, sines = samples[k], samples[k + SINES]
    for n in range(NODES):
        f[n] = cosines[n] * limits[i, 0] + sines[n] * limits[i, 1] - limits[i, 2]
    most, least = -math.inf, 1.0
    for n in range(NODES):
        most = max(most, f[n])
    for n in range(NODES - 1):
        least = min(least, cosines[n] * cosines[n + 1] + sines[n] * sines[n + 1])
    return most, least


@kernel(counted=False)
def _turns_fast(samples: Any, i: int, slot: int) -> int:
    """Return behind which sample a joint turns the most."""
    k = MARGINS_KEPT + 8 * i + slot
    cosines, sines = samples[k], samples[k + SINES]
    least, place = 2.0, 0
    for n in range(NODES - 1):
        turn = cosines[n] * cosines[n + 1] + sines[n] * sines[n + 1]
        if turn < least:
            least, place = turn, n
    return place


@kernel(counted=False)
def _looked_at(samples: Any, limits: Any, slot: int, f: Any) -> int:
    """Return the joint of a branch that turns too fast for the samples, -1 where none does.

    -2 where some joint is beyond its limits all the way.
    """
    fast = -1
    for i in range(_LIMITED):
        if limits[i, 2] < -1.5:
            continue
        most, least = _inside(samples, limits, i, slot, f)
        if least < _SLOW:
            fast = i
        elif most < -_NEAR:
            return -2
    return fast


@kernel
def _cut_by_limits(
    arm: Any, rows: Any, part: Any, slot: int, room: Any, count: int, made: int
) -> int:
    """Enter the zeros of a branch's limits on a part; return how many there are now."""
    f, limits = room.f, arm.limits
    for i in range(_LIMITED):
        if limits[i, 2] > -1.5:
            _inside(room.samples, limits, i, slot, f)
            of = (MARGINS_KEPT + 8 * i + slot, part[0], part[1], made)
            count, _ = find_zeros(arm, rows, f, of, 3, room.cuts, count)
    return count


@kernel(counted=False)
def _enter(intervals: Any, counts: Any, slot: int, low: float, high: float) -> bool:
    """Enter an interval of a branch in order, joined to the one that it touches."""
    n = counts[slot]
    place = n
    for k in range(n):
        if abs(intervals[slot, k, 1] - low) < _APART:
            intervals[slot, k, 1] = high
            return True
        if abs(intervals[slot, k, 0] - high) < _APART:
            intervals[slot, k, 0] = low
            return True
    if n == intervals.shape[1]:
        return False
    while place > 0 and intervals[slot, place - 1, 0] > low:
        for e in range(2):
            intervals[slot, place, e] = intervals[slot, place - 1, e]
        place -= 1
    intervals[slot, place, 0], intervals[slot, place, 1] = low, high
    counts[slot] = n + 1
    return True


@kernel
def _within(rows: Any, limits: Any, slot: int, lane: int) -> bool:
    for i in range(_LIMITED):
        if value_of(rows, limits, MARGINS_KEPT + 8 * i + slot, lane) < -_INSIDE:
            return False
    return True


@kernel
def _keep_pieces(
    arm: Any, rows: Any, count: int, made: int, room: Any, intervals: Any, counts: Any
) -> bool:
    """Enter the intervals between zeros in which all joints keep their limits, told in between."""
    groups, owners, edges = room.groups, room.owners, room.edges[1]
    pieces = np.empty((LANES_FLOAT64, 2))
    slots = np.empty(LANES_FLOAT64, np.int64)
    filled = 0
    whole = True
    for group in range(made):
        low, high = groups[group, 0], groups[group, 1]
        n = sorted_zeros(room.cuts, 0, count, group, edges)
        for k in range(n - 1):
            begin, end = driver_at(low, high, edges[k]), driver_at(low, high, edges[k + 1])
            if end - begin > _THIN:
                pieces[filled, 0], pieces[filled, 1] = begin, end
                slots[filled] = owners[group]
                rows[ANGLE, filled] = driver_at(low, high, 0.5 * (edges[k] + edges[k + 1]))
                filled += 1
            if filled == LANES_FLOAT64 or (group == made - 1 and k == n - 2 and filled > 0):
                evaluate(arm, rows, 3, 255)
                for lane in range(filled):
                    if _within(rows, arm.limits, slots[lane], lane):
                        whole = whole and _enter(
                            intervals, counts, slots[lane], pieces[lane, 0], pieces[lane, 1]
                        )
                filled = 0
    return whole


@kernel(counted=False)
def _join_around(intervals: Any, counts: Any, low: float) -> None:
    """Join the intervals that meet where a whole turn begins and ends."""
    for slot in range(8):
        n = counts[slot]
        last = n - 1
        if n > 1 and intervals[slot, 0, 0] <= low and intervals[slot, last, 1] >= low + 2 * math.pi:
            intervals[slot, last, 1] = intervals[slot, 0, 1] + 2.0 * math.pi
            for k in range(last):
                for e in range(2):
                    intervals[slot, k, e] = intervals[slot, k + 1, e]
            counts[slot] = last


@kernel
def _of_pose(arm: Any, rows: Any, room: Any, intervals: Any, counts: Any) -> Any:
    """Write the intervals of one pose, whose links are placed; return if some branch exists.

    Also the least value of a margin that comes to zero and goes back, and whether all was kept.
    """
    samples, waits, groups, edges = room.samples, room.waits, room.groups, room.edges
    reach, cuts, part = arm.reach, room.cuts, edges[0]
    waiting = _push(waits, 0, reach[0], reach[1], 0, 255)
    count, made, some, touch = 0, 0, False, math.inf
    while waiting > 0:
        waiting -= 1
        part[0], part[1] = waits.parts[waiting, 0], waits.parts[waiting, 1]
        level, mask = waits.masks[waiting, 0], waits.masks[waiting, 1]
        depth = min(level + 1, 3)
        sample(arm, rows, part[0], part[1], depth, mask, samples.reshape(-1, LANES_FLOAT64))
        for number in range((1 << level) - 1, (2 << level) - 1 if level < 3 else 0):
            slots = slots_of(number) & mask
            if slots == 0:
                continue
            n, has, least = _part(arm, rows, number, part, depth, room)
            touch = min(touch, least)
            if n > 2:
                waiting = _push_pieces(waits, waiting, part, edges[1], n, has, level + 1, slots)
            if n > 2 or not has:
                mask &= ~slots
        if level < 2:
            if mask != 0:
                waiting = _push(waits, waiting, part[0], part[1], level + 1, mask)
            continue
        some = some or mask != 0
        for slot in range(8):
            if not (mask >> slot) & 1:
                continue
            fast = _looked_at(samples, arm.limits, slot, room.f)
            if fast >= 0 and part[1] - part[0] > _SHORT:
                t = (_turns_fast(samples, fast, slot) + 0.5) * math.pi / (NODES - 1)
                between = driver_at(part[0], part[1], t)
                waiting = _push(waits, waiting, part[0], between, 3, 1 << slot)
                waiting = _push(waits, waiting, between, part[1], 3, 1 << slot)
            elif fast != -2 and made < len(groups):
                count = _cut_by_limits(arm, rows, part, slot, room, count, made)
                groups[made, 0], groups[made, 1] = part[0], part[1]
                room.owners[made] = slot
                made += 1
    whole = count < len(cuts.zeros) and made < len(groups)
    count = min(count, len(cuts.zeros))
    for k in range(count):
        cuts.marks[k, 2] = 0
    refine_zeros(arm, rows, cuts, 0, count, 3)
    kept = _keep_pieces(arm, rows, count, made, room, intervals, counts)
    return some, touch, whole and kept


@kernel
def families(
    arm: Any, targets: Any, rows: Any, samples: Any, found: RootFamilies, begin: int, end: int
) -> None:
    """Write the families of poses ``targets`` (m, 4, 4): intervals of the driver, by branch.

    ``arm`` is a ``RootsArm``; the middle of each widest interval is the posture that is told.
    ``rows`` (SPACE) and ``samples`` (SAMPLED, NODES): workspace.
    """
    q, intervals, counts, state = found
    order, reach = arm.pieper.order, arm.reach
    room = Room(
        samples,
        Parts(np.empty((_PARTS, 2)), np.empty((_PARTS, 2), np.int64)),
        Zeros(np.empty((_ZEROS, SINGLE)), np.empty((_ZEROS, 3), np.int64)),
        Zeros(np.empty((_ZEROS, SINGLE)), np.empty((_ZEROS, 3), np.int64)),
        np.empty((_PARTS, 2)),
        np.empty(_PARTS, np.int64),
        np.empty((2, _ZEROS + 2)),
        np.empty(NODES),
    )
    for m in range(begin, end):
        state[m] = 0
        for slot in range(8):
            counts[m, slot] = 0
            for i in range(7):
                q[m, slot, i] = np.nan
        if not place_pose(arm, targets[m], rows):
            continue
        some, touch, whole = _of_pose(arm, rows, room, intervals[m], counts[m])
        state[m] = (1 if some else 0) | (2 if touch < _MEET else 0) | (0 if whole else 4)
        if reach[2] > 0.0:
            _join_around(intervals[m], counts[m], reach[0])
        for lane in range(LANES_FLOAT64):
            slot = lane % 8
            widest = -1.0
            for k in range(counts[m, slot]):
                width = intervals[m, slot, k, 1] - intervals[m, slot, k, 0]
                if width > widest:
                    widest = width
                    middle = 0.5 * (intervals[m, slot, k, 0] + intervals[m, slot, k, 1])
                    rows[ANGLE, lane] = middle
        evaluate(arm, rows, 3, 255)
        for slot in range(8):
            if counts[m, slot] > 0:
                lane = slot % LANES_FLOAT64
                write_posture(rows, order, slot, lane, q[m, slot])
