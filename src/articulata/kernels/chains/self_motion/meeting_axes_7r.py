"""Families of seven turning joints of which three meet, in closed form: branches over one joint.

With one joint given, the *driver*, angles follow from square roots (``meeting_axes_6r_lanes``; He &
Liu, IEEE RA-L 6, 2021, show it for the Franka). What is found of each branch is where over the
driver's range it exists and keeps the limits: see ``meeting_axes_7r_kernels``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms.meeting_axes_6r import BRANCHES, PieperArm, solve_pieper
from articulata.kernels.chains.closed_forms.meeting_axes_6r_lanes import SINES
from articulata.kernels.chains.self_motion.driver_zeros import (
    ANGLE,
    NODES,
    SAMPLED,
    SPACE,
    driver_at,
    evaluate,
    place_pose,
    write_posture,
)
from articulata.kernels.chains.self_motion.meeting_axes_7r_kernels import (
    MOST,
    RootFamilies,
    families,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64, spread
from articulata.kernels.lanes.vectors import workspace

_FIRST, _AROUND, _CLOSEST = 24, 4, 0.01
"""Samples of the first look, pairs of them around the wanted value, how far the nearest pair is."""

_ROUNDS, _FINE = 7, 4e-3
_SAME = 1e-20


@kernel
def _wrapped(angle: float) -> float:
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel
def _kept_in(value: float, low: float, high: float) -> float:
    """Return the angle of an interval nearest to a value, whole turns aside."""
    value += 2.0 * math.pi * math.ceil((low - value) / (2.0 * math.pi))
    if value <= high:
        return value
    return high if value - high < low + 2.0 * math.pi - value else low


@kernel(counted=False)
def _apart(rows: Any, order: Any, slot: int, lane: int, wanted: Any) -> float:
    """Return the square of how far a posture is from the wanted one, all joints together."""
    total = _wrapped(rows[ANGLE, lane] - wanted[order[6]]) ** 2
    for i in range(6):
        k = 8 * i + slot
        angle = math.atan2(rows[SINES + k, lane], rows[k, lane])
        total += _wrapped(angle - wanted[order[i]]) ** 2
    return total


@kernel(counted=False)
def _place_of(value: float, low: float, high: float) -> float:
    """Return the t of ``driver_at`` at which the driver has a value."""
    half = max(0.5 * (high - low), 1e-300)
    return math.acos(min(max((0.5 * (low + high) - value) / half, -1.0), 1.0))


@kernel(counted=False)
def _first_look(k: int, near: float) -> Any:
    """Return t of sample k of the first look, and how far from it the least may be.

    First stands ``near``, then what lies around it, at last the whole interval.
    """
    if k <= 2 * _AROUND:
        away = _CLOSEST * 3.0 ** ((k - 1) // 2)
        return near + (away if k % 2 else -away) * (k > 0), max(2.0 * away * (k > 0), _CLOSEST)
    step = math.pi / (_FIRST - 2 * _AROUND - 2)
    return step * (k - 2 * _AROUND - 1), step


@kernel
def _on_interval(
    arm: Any, rows: Any, slot: int, low: float, high: float, wanted: Any, best: float, out: Any
) -> float:
    """Write the nearest posture of an interval where it is nearer than ``best``; return which is.

    Where axes all but align a joint turns fast with the driver: the first look is closer around
    the wanted value. Then samples close in on the least, the first of them where a parabola has it.
    """
    order, lanes = arm.pieper.order, LANES_FLOAT64
    near = _place_of(_kept_in(wanted[order[6]], low, high), low, high)
    looks = (_FIRST + lanes - 1) // lanes
    least, place, step, vertex = math.inf, near, 0.0, near
    for round in range(looks + _ROUNDS):
        for lane in range(lanes):
            t = vertex if lane == 0 else place + step * (2.0 * lane / lanes - 1.0)
            if round < looks:
                t, _ = _first_look(round * lanes + lane, near)
            rows[ANGLE, lane] = driver_at(low, high, min(max(t, 0.0), math.pi))
        evaluate(arm, rows, 3, 1 << slot)
        chosen = -1
        for lane in range(lanes):
            apart = _apart(rows, order, slot, lane, wanted)
            if apart < least:
                least, chosen = apart, lane
        if chosen >= 0 and least < best:
            write_posture(rows, order, slot, chosen, out)
            best = least
        if least < _SAME:
            break
        if round < looks:
            if chosen >= 0:
                place, step = _first_look(round * lanes + chosen, near)
                place = vertex = min(max(place, 0.0), math.pi)
            continue
        if chosen == 0:
            place = vertex
        elif chosen > 0:
            place = vertex = min(max(place + step * (2.0 * chosen / lanes - 1.0), 0.0), math.pi)
        step *= 2.0 / lanes
        if 1 < chosen < lanes - 1:
            a = _apart(rows, order, slot, chosen - 1, wanted)
            b = _apart(rows, order, slot, chosen + 1, wanted)
            bend = a - 2.0 * least + b
            if bend > 0.0:
                vertex += 0.5 * step * (a - b) / bend
        elif chosen == 0 and step < _FINE:
            break
    return best


@kernel
def nearest_postures(
    arm: Any, pose: Any, intervals: Any, counts: Any, wanted: Any, rows: Any, out: Any
) -> None:
    """Write for each branch the posture ``out`` (8, 7) within limits that is nearest to ``wanted``.

    NaN where it has none. ``intervals`` (8, k, 2) and ``counts`` (8,) as ``families`` gives them.
    """
    placed = place_pose(arm, pose, rows)
    for slot in range(8):
        for i in range(7):
            out[slot, i] = np.nan
        best = math.inf
        for k in range(counts[slot] if placed else 0):
            low, high = intervals[slot, k, 0], intervals[slot, k, 1]
            best = _on_interval(arm, rows, slot, low, high, wanted, best, out[slot])


EXISTS, MEET, CUT_SHORT = 1, 2, 4
"""Bits of a pose's state: some branch exists; branches meet; more intervals than there is room."""

GRAIN = 16
"""Poses in one piece of a batch."""

_AT_LIMIT = 1e-12
_ON_EDGE = 1e-10


class RootsArm(NamedTuple):
    """An arm made ready: with its driver given it takes square roots alone.

    ``limits`` (6, 3) of the joints in the order of the loop: cosine and sine of the middle of the
    range, cosine of half of it (-2: no limits). ``reach`` (3,): ends of the driver's range, and 1
    where it turns all the way around.
    """

    pieper: PieperArm
    limits: Array
    reach: Array


def prepare_roots(pieper: PieperArm, middle: Array, half: Array) -> RootsArm:
    """Return the arm with ranges of its seven joints; half a range of pi or more is no limit."""
    joints, driver = pieper.order[:6], pieper.given
    bounded = half < math.pi
    edge = np.cos(np.minimum(half + _AT_LIMIT, math.pi))
    limits = np.stack([np.cos(middle), np.sin(middle), np.where(bounded, edge, -2.0)], axis=1)
    around = [-math.pi, math.pi, 1.0]
    ends = [middle[driver] - half[driver], middle[driver] + half[driver], 0.0]
    reach = np.array(ends if bounded[driver] else around)
    return RootsArm(pieper, np.ascontiguousarray(limits[joints]), reach)


def solve_roots(arm: RootsArm, targets: Array, *, threads: int | None = None) -> RootFamilies:
    """Return the families of poses X_BT (m, 4, 4)."""
    targets = np.require(targets, np.float64, ["C", "W"])
    m = len(targets)
    found = RootFamilies(
        np.empty((m, BRANCHES, 7)),
        np.full((m, BRANCHES, MOST, 2), np.nan),
        np.zeros((m, BRANCHES), np.int64),
        np.zeros(m, np.int64),
    )

    def work(begin: int, end: int) -> None:
        samples = workspace(SAMPLED * NODES // LANES_FLOAT64).reshape(SAMPLED, NODES)
        families(arm, targets, workspace(SPACE), samples, found, begin, end)

    spread(work, m, grain=GRAIN, threads=threads)
    return found


def postures_of(arm: RootsArm, targets: Array, slots: IntArray, values: Array) -> Array:
    """Return the postures (m, 7) of poses in branches (m,) at values (m,) of the driver.

    NaN where there is none; limits do not matter.
    """
    q = solve_pieper(arm.pieper, targets, values, slack=_ON_EDGE)
    return np.asarray(q[np.arange(len(q)), slots])


def nearest_of_roots(arm: RootsArm, targets: Array, found: RootFamilies, q: Array) -> Array:
    """Return the postures (m, 8, 7) within limits nearest to ``q`` (m, 7), NaN where none."""
    targets = np.require(targets, np.float64, ["C", "W"])
    wanted = np.require(q, np.float64, ["C", "W"])
    out, rows = np.empty((len(targets), BRANCHES, 7)), workspace(SPACE)
    for p in range(len(targets)):
        nearest_postures(
            arm, targets[p], found.intervals[p], found.counts[p], wanted[p], rows, out[p]
        )
    return out
