"""Postures of turning joints: polished, which meet their poses, which whole turns keep limits.

All postures of all poses stand side by side on lanes, so that places where there is none cost
nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.sixteen_postures import LARGEST, newton_step, stand_on_lanes
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64, spread
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    any_lane,
    fill,
    floor,
    load,
    maximum,
    minimum,
    store,
    where,
    workspace,
)

Array = npt.NDArray[np.float64]

GRAIN = 512
"""Poses in one piece of a batch."""

AT_LIMIT = 1e-9
"""A joint this far beyond its limit, rad, stands at it but for rounding."""

_MOVED = 0.05
"""A posture that is moved by more, rad, may be another one's."""

_STILL = 1e-24
"""Square of how far off a tip may be that is not polished."""

_MARKS, _POSE, _SYSTEM, _STEP, _REST = 0, 3, 15, 57, 63
"""Where in the workspace marks, a pose, equations, a step and the rest begin: frames, postures."""


BEYOND, WITHIN = 1, 2
"""States of a pose: some posture meets it, some posture keeps the limits too; 0: none is there."""


class Kept(NamedTuple):
    """Which postures ``within`` (m, s) keep the limits, and the ``state`` (m,) of each pose."""

    within: npt.NDArray[np.bool_]
    state: npt.NDArray[np.int8]


def keep_postures(
    links: Array,
    unit: float,
    targets: Array,
    q: Array,
    middle: Array,
    lower: Array,
    upper: Array,
    *,
    met: float,
    slack: float,
    looks: int = 1,
    held: int = -1,
    doubts: npt.NDArray[np.bool_] | None = None,
    threads: int | None = None,
) -> Kept:
    """Write NaN over postures ``q`` (m, s, n), rad, that do not meet ``targets`` X_BT (m, 4, 4).

    All others take the whole turns nearest to ``middle`` (n,) that keep ``lower`` and ``upper``
    (n,), to ``slack``. ``links`` (n + 1, 3, 4) have lengths
    in ``unit`` m; a pose is met within ``met`` rad and as many m, or units where these are longer.
    Six joints may be polished by ``looks`` - 1 steps of Newton's method, of seven those that are
    not ``held``; ``doubts`` (m,) is set where one then does not meet its pose, or moved far.
    """
    targets = np.require(targets, np.float64, ["C", "W"])
    m, s, n = q.shape
    kept = Kept(np.zeros((m, s), np.bool_), np.zeros(m, np.int8))
    left = np.zeros(m, np.bool_) if doubts is None else doubts

    def work(begin: int, end: int) -> None:
        rows = workspace(_REST + 12 * (n + 1) + 2 * n)
        places = np.empty((2, LANES_FLOAT64), np.int64)
        arm = links, unit, middle, lower, upper, met, slack, looks, held
        _keep_postures(*arm, targets, rows, places, q, *kept, left, begin, end)

    spread(work, m, grain=GRAIN, threads=threads)
    return kept


@kernel(fastmath=FASTMATH, counted=False)
def _off(pose: Any, tip: Any) -> Any:
    """Return the squares of how far tips (12 rows) are off: in length, and in turn."""
    away = fill(tip, 0.0)
    turned = fill(tip, 0.0)
    for r in range(3):
        for k in range(4):
            gap = load(tip, 4 * r + k) - load(pose, 4 * r + k)
            if k == 3:
                away = away + gap * gap
            else:
                turned = turned + gap * gap
    return away, turned


@kernel(fastmath=FASTMATH, counted=False)
def _polished(links: Any, looks: int, held: int, rows: Any, angles: Any, frames: Any) -> Any:
    """Bring postures (n rows) to their poses by Newton's method; return how far off, squared."""
    pose, tip = rows[_POSE:_SYSTEM], frames[len(frames) - 12 :]
    stand_on_lanes(links, -1, angles, frames)
    away, turned = _off(pose, tip)
    for _ in range(looks - 1):
        moves = maximum(away, turned) > _STILL
        if not any_lane(moves):
            break
        newton_step(-1, held, pose, frames, rows[_SYSTEM:_STEP], rows[_STEP:_REST])
        for i in range(6):
            joint = i + 1 if 0 <= held <= i else i
            change = minimum(maximum(load(rows, _STEP + i), -LARGEST), LARGEST)
            store(angles, joint, load(angles, joint) + where(moves, change, 0.0))
        stand_on_lanes(links, -1, angles, frames)
        away, turned = _off(pose, tip)
    return away, turned


@kernel(fastmath=FASTMATH, counted=False)
def _turned(q: Any, i: int, middle: float, low: float, high: float, slack: float) -> Any:
    """Give row ``i`` of ``q`` the whole turns that keep its limits; return where it does."""
    turn = 2.0 * math.pi
    value = load(q, i)
    value = value - turn * floor((value - middle) * (1.0 / turn) + 0.5)
    if low > -np.inf or high < np.inf:
        over, under = value - high, low - value
        value = where((over > 0.0) & (over < AT_LIMIT), high, value)
        value = where((under > 0.0) & (under < AT_LIMIT), low, value)
        # back by as many turns as bring it below the upper limit, then on above the lower
        laps = floor((high - value) * (1.0 / turn) + 1e-13)
        value = value + turn * minimum(laps, 0.0)
        laps = floor((value - low) * (1.0 / turn) + 1e-13)
        value = value - turn * minimum(laps, 0.0)
    store(q, i, value)
    return (value >= low - slack) & (value <= high + slack)


@kernel(fastmath=FASTMATH, counted=False)
def _keep_block(
    links: Any,
    unit: float,
    middle: Any,
    lower: Any,
    upper: Any,
    met: float,
    slack: float,
    looks: int,
    held: int,
    targets: Any,
    rows: Any,
    places: Any,
    count: int,
    q: Any,
    within: Any,
    state: Any,
    doubts: Any,
) -> None:
    """Check the postures in ``count`` lanes: their poses and slots are ``places`` (2, lanes)."""
    n = len(middle)
    frames = rows[_REST : _REST + 12 * (n + 1)]
    angles = rows[_REST + 12 * (n + 1) : _REST + 12 * (n + 1) + n]
    before = rows[_REST + 12 * (n + 1) + n :]
    inverse = 1.0 / unit
    for lane in range(LANES_FLOAT64):
        # spare lanes repeat the last posture
        item = min(lane, count - 1)
        p, slot = places[0, item], places[1, item]
        for r in range(3):
            for k in range(4):
                rows[_POSE + 4 * r + k, lane] = (inverse if k == 3 else 1.0) * targets[p, r, k]
        for i in range(n):
            angles[i, lane] = q[p, slot, i]
            before[i, lane] = q[p, slot, i]
    # a turn by an angle moves the nine entries by so much, squared and added up
    most = 8.0 * math.sin(0.5 * met) ** 2
    longest = met * max(1.0, inverse)
    away, turned = _polished(links, looks, held, rows, angles, frames)
    meets = (away < longest * longest) & (turned < most)
    moved = fill(rows, 0.0)
    for i in range(n):
        moved = maximum(absolute(load(angles, i) - load(before, i)), moved)
    keeps = meets
    for i in range(n):
        keeps = keeps & _turned(angles, i, middle[i], lower[i], upper[i], slack)
    store(rows, _MARKS, where(meets, 1.0, 0.0))
    store(rows, _MARKS + 1, where(keeps, 1.0, 0.0))
    store(rows, _MARKS + 2, where(meets & (moved <= _MOVED), 1.0, 0.0))
    for lane in range(count):
        p, slot = places[0, lane], places[1, lane]
        within[p, slot] = rows[_MARKS + 1, lane] > 0.0
        state[p] = max(state[p], np.int8(rows[_MARKS, lane] + rows[_MARKS + 1, lane]))
        if rows[_MARKS + 2, lane] == 0.0:
            doubts[p] = True
        for i in range(n):
            q[p, slot, i] = angles[i, lane] if rows[_MARKS, lane] > 0.0 else np.nan


@kernel(counted=False)
def _keep_postures(
    links: Any,
    unit: float,
    middle: Any,
    lower: Any,
    upper: Any,
    met: float,
    slack: float,
    looks: int,
    held: int,
    targets: Any,
    rows: Any,
    places: Any,
    q: Any,
    within: Any,
    state: Any,
    doubts: Any,
    begin: int,
    end: int,
) -> None:
    """Check postures of poses ``begin`` to ``end``; see ``keep_postures``."""
    count = 0
    last = end - 1
    for p in range(begin, end):
        for slot in range(q.shape[1]):
            # NaN is not equal to itself
            if q[p, slot, 0] == q[p, slot, 0]:
                places[0, count], places[1, count] = p, slot
                count += 1
            if count == LANES_FLOAT64 or (count > 0 and p == last and slot == q.shape[1] - 1):
                _keep_block(
                    links,
                    unit,
                    middle,
                    lower,
                    upper,
                    met,
                    slack,
                    looks,
                    held,
                    targets,
                    rows,
                    places,
                    count,
                    q,
                    within,
                    state,
                    doubts,
                )
                count = 0
