"""Postures of turning joints: which meet their poses, and which whole turns keep their limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import sine_cosine
from articulata.kernels.lanes.host import LANES_FLOAT64, spread
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    fill,
    floor,
    load,
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

_ROOM = 26


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
    threads: int | None = None,
) -> npt.NDArray[np.bool_]:
    """Write NaN over postures ``q`` (m, s, n), rad, that do not meet ``targets`` X_BT (m, 4, 4).

    All others take the whole turns nearest to ``middle`` (n,) that keep ``lower`` and ``upper``
    (n,). Returned is which (m, s) keep them, to ``slack``. ``links`` (n + 1, 3, 4) have lengths
    in ``unit`` m; a pose is met within ``met`` rad and as many m, or units where these are longer.
    """
    targets = np.require(targets, np.float64, ["C", "W"])
    within = np.zeros(q.shape[:2], np.bool_)

    def work(begin: int, end: int) -> None:
        rows = workspace(_ROOM + q.shape[2])
        arm = links, unit, middle, lower, upper, met, slack
        _keep_postures(*arm, targets, rows, q, within, begin, end)

    spread(work, len(targets), grain=GRAIN, threads=threads)
    return within


@kernel(fastmath=FASTMATH, counted=False)
def _off(links: Any, pose: Any, q: Any, frame: Any) -> Any:
    """Return the squares of how far tips of postures (n rows) are off: in length, and in turn.

    ``pose`` and ``frame``: 12 rows each, lengths in units of the arm; ``frame`` is scratch.
    """
    for r in range(3):
        for k in range(4):
            store(frame, 4 * r + k, links[0, r, k])
    for i in range(len(links) - 1):
        s, c = sine_cosine(load(q, i))
        behind = links[i + 1]
        for r in range(3):
            x, y, z = load(frame, 4 * r), load(frame, 4 * r + 1), load(frame, 4 * r + 2)
            place = load(frame, 4 * r + 3)
            x, y = c * x + s * y, c * y - s * x
            for k in range(4):
                total = x * behind[0, k] + y * behind[1, k] + z * behind[2, k]
                store(frame, 4 * r + k, total + place if k == 3 else total)
    away = fill(frame, 0.0)
    turned = fill(frame, 0.0)
    for r in range(3):
        for k in range(3):
            gap = load(frame, 4 * r + k) - load(pose, 4 * r + k)
            turned = turned + gap * gap
        gap = load(frame, 4 * r + 3) - load(pose, 4 * r + 3)
        away = away + gap * gap
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


@kernel(fastmath=FASTMATH)
def _keep_postures(
    links: Any,
    unit: float,
    middle: Any,
    lower: Any,
    upper: Any,
    met: float,
    slack: float,
    targets: Any,
    rows: Any,
    q: Any,
    within: Any,
    begin: int,
    end: int,
) -> None:
    """Check postures of poses ``begin`` to ``end``; see ``keep_postures``.

    ``rows``: a workspace of ``_ROOM`` + n rows: a pose, a tip, what is kept and a posture.
    """
    n = q.shape[2]
    pose, frame, marks = rows[:12], rows[12:24], rows[24:26]
    angles = rows[26 : 26 + n]
    # a turn by an angle moves the nine entries by so much, squared and added up
    most = 8.0 * math.sin(0.5 * met) ** 2
    longest = met * max(1.0, 1.0 / unit)
    for first in range(begin, end, LANES_FLOAT64):
        count = min(LANES_FLOAT64, end - first)
        for lane in range(LANES_FLOAT64):
            # spare lanes repeat the last pose
            at = min(first + lane, end - 1)
            for r in range(3):
                for k in range(4):
                    scale = 1.0 / unit if k == 3 else 1.0
                    pose[4 * r + k, lane] = scale * targets[at, r, k]
        for slot in range(q.shape[1]):
            some = False
            for lane in range(LANES_FLOAT64):
                at = min(first + lane, end - 1)
                some |= math.isfinite(q[at, slot, 0])
                for i in range(n):
                    angles[i, lane] = q[at, slot, i]
            if not some:
                continue
            away, turned = _off(links, pose, angles, frame)
            meets = (away < longest * longest) & (turned < most)
            keeps = meets
            for i in range(n):
                keeps = keeps & _turned(angles, i, middle[i], lower[i], upper[i], slack)
            store(marks, 0, where(meets, 1.0, 0.0))
            store(marks, 1, where(keeps, 1.0, 0.0))
            for lane in range(count):
                within[first + lane, slot] = marks[1, lane] > 0.0
                for i in range(n):
                    kept = marks[0, lane] > 0.0
                    q[first + lane, slot, i] = angles[i, lane] if kept else np.nan
