"""All postures of six joints of any geometry, of which one may slide: up to 16, by elimination.

What is computed stands in ``general_6r_elimination``. Which of the loop's twelve splits are
well-conditioned depends on the arm: with parallel or meeting axes most determinants vanish for
every angle, not all. ``prepare_general`` tries each on poses of the arm itself and keeps those
that find the most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms.general_6r_elimination import SLOTS
from articulata.kernels.chains.closed_forms.general_6r_postures import (
    polish_branches,
    solve_general,
)
from articulata.kernels.lanes.host import spread

GRAIN = 64
"""Poses in one piece of a batch."""

SPLITS = 12
_TRIALS = 24
_KEPT = 5
_LOOKS = 3
_SEEN = 64
_ASKED = 8
_NEVER = 64
_BESIDE = 1e-8


@dataclass(frozen=True, slots=True)
class GeneralArm:
    """Six joints made ready.

    ``links`` (7, 3, 4): fixed transforms before joint 1, between joints and behind joint 6,
    lengths in ``unit`` m. ``slide``: number of the joint that slides, -1 where all turn; it stands
    ``middle`` m from where the links begin to count. ``splits`` in the order in which they are
    tried; the number of postures is a multiple of ``step``, as trial poses show.
    """

    links: Array
    unit: float
    splits: IntArray
    step: int = 2
    slide: int = -1
    middle: float = 0.0


@dataclass(frozen=True, slots=True)
class Solved:
    """All postures of m poses.

    ``q`` (m, 16, 6) rad in [-pi, pi) or m, the first ``count`` (m,) of them, in order; then NaN.
    ``pivot`` (m, 16): the least pivot of the Jacobian, small where branches meet. ``doubt`` (m,):
    the number is not one of those that the arm has, as where branches meet.
    """

    q: Array
    pivot: Array
    count: IntArray
    doubt: npt.NDArray[np.bool_]


def moving_links(fixed: Array, kinds: IntArray, tip: Array) -> tuple[Array, float]:
    """Return the links (n + 1, 3, 4) of a serial chain of n joints that move, and their unit in m.

    Fixed transforms before joint 1, between joints and behind the last, fixed joints merged.
    """
    links = []
    behind = np.eye(4)
    for pose, kind in zip(fixed, kinds, strict=True):
        behind = behind @ _square(pose)
        if kind in (0, 1):
            links.append(behind)
            behind = np.eye(4)
    links.append(behind @ _square(tip))
    stack = np.array(links)[:, :3].copy()
    spans = np.linalg.norm(stack[1:-1, :, 3], axis=1).sum()
    unit = float(spans) or float(np.linalg.norm(stack[[0, -1], :, 3])) or 1.0
    stack[:, :, 3] /= unit
    return stack, unit


def prepare_general(
    fixed: Array, kinds: IntArray, tip: Array, travel: tuple[float, float] = (-np.inf, np.inf)
) -> GeneralArm | None:
    """Return the arm of a serial chain, None where it is not of six joints.

    Chains as in ``forward_kinematics``. One of the joints may slide, its limits are ``travel``, m.
    None too where no elimination is regular.
    """
    moving = kinds[kinds <= 1]
    if len(moving) != 6 or int(moving.sum()) > 1:
        return None
    stack, unit = moving_links(fixed, kinds, tip)
    slide = int(np.argmax(moving)) if moving.any() else -1
    low, high = (
        end if np.isfinite(end) else side * unit
        for end, side in zip(travel, (-1.0, 1.0), strict=True)
    )
    middle = 0.5 * (low + high) if slide >= 0 else 0.0
    if slide >= 0:
        stack[slide, :, 3] += middle / unit * stack[slide, :, 2]
    rng = np.random.default_rng(0)
    more = rng.uniform(-np.pi, np.pi, (_SEEN, 6))
    if slide >= 0:
        more[:, slide] *= 0.5 * (high - low) / np.pi
        more[:, slide] += middle
    q = more[:_TRIALS]
    arm = GeneralArm(stack, unit, np.arange(1), slide=slide, middle=middle)
    X = _tips(arm, q)
    spent = {split: np.zeros(_TRIALS, np.int64) for split in _splits(slide)}
    counts = {
        # asked twice, the second time where the first left doubt
        split: _solve(arm, np.array([split, split]), 2, X, 0, spent=asked).count
        for split, asked in spent.items()
    }
    most = np.max(list(counts.values()), axis=0)
    kept = sorted(
        (split for split in counts if counts[split].any()),
        key=lambda split: _rank(counts[split], most, spent[split] == 1),
    )
    if not kept:
        return None
    splits = np.array(kept[:_KEPT])
    return GeneralArm(stack, unit, splits, _step_of(arm, splits, _tips(arm, more)), slide, middle)


def _rank(count: IntArray, most: IntArray, sure: npt.NDArray[np.bool_]) -> tuple[int, int, int]:
    """Return less for better splits: what they lose of ``most`` (m,) unsaid, doubt, what they lose.

    ``count`` (m,) postures of trial poses, ``sure`` (m,): no doubt was left.
    """
    return int((sure & (count < most)).sum()), int((~sure).sum()), -int(count.sum())


def _step_of(arm: GeneralArm, splits: IntArray, X: Array) -> int:
    """Return 4 where symmetry gives each pose (m, 4, 4) a multiple of 4 postures, else 2."""
    odd = np.flatnonzero(_solve(arm, splits, 2, X, _LOOKS).count % 4)[:_ASKED]
    # as no number is whole here, all is asked of all splits
    return 2 if (_solve(arm, splits, _NEVER, X[odd], _LOOKS).count % 4).any() else 4


def _splits(slide: int) -> tuple[int, ...]:
    """Return the splits of an arm: joint ``slide`` can be the third only, read either way."""
    return tuple(range(SPLITS)) if slide < 0 else ((slide - 2) % 6, 6 + (3 - slide) % 6)


def solve_all(arm: GeneralArm, targets: Array, *, threads: int | None = None) -> Solved:
    """Return every posture for each tip pose X_BT (m, 4, 4); NaN poses have none."""
    targets = np.ascontiguousarray(targets, np.float64)
    found = _solve(arm, arm.splits, arm.step, targets, _LOOKS, threads)
    none = np.flatnonzero(found.count == 0)
    if arm.slide < 0 and len(none):
        _look_beside(arm, targets[none], found, none)
    return found


def _look_beside(arm: GeneralArm, X: Array, found: Solved, places: IntArray) -> None:
    """Enter the postures of poses (m, 4, 4) that are found from poses a little beside them.

    Where curves of postures meet a pose exactly, every determinant is zero.
    """
    angle = np.array([0.6, -0.5, 0.7]) * _BESIDE
    turn = np.eye(4)
    turn[:3, :3] += np.cross(np.eye(3), angle)
    near = _solve(arm, arm.splits, arm.step, np.ascontiguousarray(X @ turn), 0)
    some = np.flatnonzero(near.count)
    q, pivot = np.empty((len(some), SLOTS, 6)), np.empty((len(some), SLOTS))
    count = np.zeros(len(some), np.int64)
    polish_branches(arm.links, X[some], arm.unit, near.q[some], (q, pivot, count), 0, len(some))
    found.q[places[some]], found.pivot[places[some]] = q, pivot
    found.count[places[some]] = count


def solve_links(
    links: Array, splits: IntArray, targets: Array, *, looks: int = _LOOKS, rough: bool = False
) -> Solved:
    """Return every posture of six turning joints with ``links`` (7, 3, 4), lengths in m.

    ``rough``: nothing is polished, and what all but meets its pose is there too.
    """
    arm = GeneralArm(links, 1.0, splits)
    return _solve(arm, splits, 2, targets, looks, 1, rough=rough)


def _solve(
    arm: GeneralArm,
    splits: IntArray,
    step: int,
    X: Array,
    looks: int,
    threads: int | None = None,
    *,
    rough: bool = False,
    spent: IntArray | None = None,
) -> Solved:
    """Return every posture of poses (m, 4, 4); ``spent`` (m,) receives how many splits it took."""
    m = len(X)
    q, pivot = np.empty((m, SLOTS, 6)), np.empty((m, SLOTS))
    count, doubt = np.zeros(m, np.int64), np.zeros(m, np.bool_)
    asked = np.zeros(m, np.int64) if spent is None else spent
    ways, found = (splits, step, looks, rough), (q, pivot, count, doubt, asked)

    def work(begin: int, end: int) -> None:
        solve_general((arm.links, arm.slide), ways, X, arm.unit, found, begin, end)

    spread(work, m, grain=GRAIN, threads=threads)
    if arm.slide >= 0:
        q[:, :, arm.slide] *= arm.unit
        q[:, :, arm.slide] += arm.middle
    return Solved(q, pivot, count, doubt)


def _tips(arm: GeneralArm, q: Array) -> Array:
    X = np.broadcast_to(_square(arm.links[0]), (len(q), 4, 4))
    for i in range(6):
        move = np.tile(np.eye(4), (len(q), 1, 1))
        if i == arm.slide:
            move[:, 2, 3] = (q[:, i] - arm.middle) / arm.unit
        else:
            move[:, 0, 0] = move[:, 1, 1] = np.cos(q[:, i])
            move[:, 1, 0] = np.sin(q[:, i])
            move[:, 0, 1] = -move[:, 1, 0]
        X = X @ move @ _square(arm.links[i + 1])
    X = X.copy()
    X[:, :3, 3] *= arm.unit
    return np.ascontiguousarray(X)


def _square(pose: Array) -> Array:
    out: Array = np.eye(4)
    out[:3] = pose[:3]
    return out
