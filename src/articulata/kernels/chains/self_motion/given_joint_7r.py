"""Seven turning joints of which one is given: all postures of the six that are left.

In closed form (``meeting_axes_6r``) where three axes meet in one point, polished where they only
all but meet, else by elimination (``general_6r``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms.general_6r import solve_links
from articulata.kernels.chains.closed_forms.general_6r_elimination import MET, SLOTS
from articulata.kernels.chains.closed_forms.general_6r_postures import mark_pairs
from articulata.kernels.chains.closed_forms.general_6r_postures_lanes import (
    LARGEST,
    newton_step,
    stand_on_lanes,
)
from articulata.kernels.chains.closed_forms.meeting_axes_6r import BRANCHES, PieperArm, solve_pieper
from articulata.kernels.chains.self_motion.general_7r import (
    KEPT,
    form_of,
    joints_behind,
    ranked_splits,
    six_behind,
)
from articulata.kernels.chains.self_motion.self_motion_curves import JOINTS
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
    arm: Any, targets: Any, rows: Any, places: Any, count: int, q: Any, kept: Any
) -> None:
    """Check the postures in ``count`` lanes: their poses and slots are ``places`` (2, lanes)."""
    links, unit, middle, lower, upper, met, slack, looks, held = arm
    within, state, doubts = kept
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
    arm: Any, targets: Any, rows: Any, places: Any, q: Any, kept: Any, begin: int, end: int
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
                _keep_block(arm, targets, rows, places, count, q, kept)
                count = 0


_TRIALS = 12
_LOOKS = 5
"""How often a posture is looked at, and moved between: axes that all but meet leave some 1e-5."""

_EDGE = 1e-4
"""Where axes all but meet, cosines that are as near to 1 leave doubt."""

_MET, _SLACK = 1e-9, 1e-10


@dataclass(frozen=True, slots=True)
class GivenArm:
    """Seven turning joints of which joint ``given`` is known, made ready.

    ``links`` (8, 3, 4) with lengths in ``unit`` m. ``pieper``: the closed form, ``exact`` or of
    axes that all but meet, else ``splits`` of the elimination. Postures take the whole turns
    nearest to ``middle`` (7,) that keep ``lower`` and ``upper`` (7,).
    """

    links: Array
    unit: float
    given: int
    pieper: PieperArm | None
    exact: bool
    splits: IntArray
    middle: Array
    lower: Array
    upper: Array


def prepare_given(
    links: Array, unit: float, given: int, middle: Array, lower: Array, upper: Array
) -> GivenArm:
    """Return the arm of links (8, 3, 4), lengths in ``unit`` m, with joint ``given`` known."""
    pieper, exact = form_of(links, unit, given)
    splits = np.arange(1)
    if not exact:
        trials = np.random.default_rng(0).uniform(-math.pi, math.pi, (_TRIALS, JOINTS))
        splits = ranked_splits(links, given, trials)
    return GivenArm(links, unit, given, pieper, exact, splits, middle, lower, upper)


def solve_given(arm: GivenArm, targets: Array, values: Array) -> tuple[Array, Kept]:
    """Return all postures (m, s, 7), NaN where none, of poses (m, 4, 4); ``values`` (m,) rad."""
    doubts = np.zeros(len(targets), np.bool_)
    if arm.pieper is None:
        q = _eliminated(arm, targets, values)
        return q, keep_postures(arm, targets, q, doubts, 1)
    if arm.exact:
        q = solve_pieper(arm.pieper, targets, values)
        return q, keep_postures(arm, targets, q, doubts, 1)
    q = solve_pieper(arm.pieper, targets, values, slack=-_EDGE)
    wide = solve_pieper(arm.pieper, targets, values, slack=_EDGE)
    np.any(np.isnan(q[:, :, 0]) != np.isnan(wide[:, :, 0]), axis=1, out=doubts)
    kept = keep_postures(arm, targets, q, doubts, _LOOKS)
    mark_pairs(q, doubts)
    rows = np.flatnonzero(doubts)
    if len(rows) == 0:
        return q, kept
    out = np.full((len(targets), SLOTS, JOINTS), np.nan)
    within = np.zeros(out.shape[:2], np.bool_)
    out[:, :BRANCHES], within[:, :BRANCHES] = q, kept.within
    some = _eliminated(arm, targets[rows], values[rows])
    again = keep_postures(arm, targets[rows], some, doubts[rows], 1)
    out[rows], within[rows], kept.state[rows] = some, again.within, again.state
    return out, Kept(within, kept.state)


def keep_postures(
    arm: GivenArm, targets: Array, q: Array, doubts: npt.NDArray[np.bool_], looks: int
) -> Kept:
    """Write NaN over postures ``q`` (m, s, 7), rad, that do not meet ``targets`` X_BT (m, 4, 4).

    A pose is met within some rad and as many m, or units where these are longer. Where ``looks``
    is more than 1, postures are polished by that many less 1 steps of Newton's method with the
    given joint held; ``doubts`` (m,) is set where one then does not meet its pose, or moved far.
    """
    targets = np.require(targets, np.float64, ["C", "W"])
    m, s, n = q.shape
    kept = Kept(np.zeros((m, s), np.bool_), np.zeros(m, np.int8))
    met = _MET if looks == 1 else MET
    limits = arm.middle, arm.lower, arm.upper

    def work(begin: int, end: int) -> None:
        rows = workspace(_REST + 12 * (n + 1) + 2 * n)
        places = np.empty((2, LANES_FLOAT64), np.int64)
        what = arm.links, arm.unit, *limits, met, _SLACK, looks, arm.given
        _keep_postures(what, targets, rows, places, q, (*kept, doubts), begin, end)

    spread(work, m, grain=GRAIN)
    return kept


def _eliminated(arm: GivenArm, targets: Array, values: Array) -> Array:
    """Return all postures (m, 16, 7) by elimination."""
    out = np.full((len(targets), SLOTS, JOINTS), np.nan)
    for begin, end in pairwise(_runs(targets, arm.given)):
        some, X = values[begin:end], targets[begin:end]
        six, poses = six_behind(arm.links, arm.given, X, arm.unit, some)
        q = solve_links(six, arm.splits, poses, looks=KEPT).q
        out[begin:end, :, joints_behind(arm.given)] = q
        out[begin:end, :, arm.given] = np.where(np.isnan(q[:, :, 0]), np.nan, some[:, None])
    return out


def _runs(targets: Array, given: int) -> list[int]:
    """Return where poses begin that are solved together, and how many there are.

    Without its first or last joint an arm is the same for all poses, else for one pose only.
    """
    if given in (0, JOINTS - 1):
        return [0, len(targets)]
    other = (targets[1:] != targets[:-1]).any(axis=(1, 2))
    return [0, *(np.flatnonzero(other) + 1).tolist(), len(targets)]
