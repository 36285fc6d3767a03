"""All postures of six turning joints of any geometry: up to 16, by elimination.

What is computed stands in ``general6_kernels``. Which of the loop's twelve splits are
well-conditioned depends on the arm: with parallel or meeting axes most determinants vanish for
every angle, not all. ``prepare_general`` tries each on poses of the arm itself and keeps those
that find the most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.general6_kernels import SAMPLES, SLOTS
from articulata.kernels.chains.general6_postures import solve_general
from articulata.kernels.lanes.host import spread

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

GRAIN = 64
"""Poses in one piece of a batch."""

SPLITS = 12
_TRIALS = 24
_KEPT = 5
_LOOKS = 3

CIRCLE = np.exp(2j * np.pi * np.arange(SAMPLES) / SAMPLES)
"""Points of the circle at which determinants are computed."""


@dataclass(frozen=True, slots=True)
class GeneralArm:
    """Six turning joints made ready.

    ``links`` (7, 3, 4): fixed transforms before joint 1, between joints and behind joint 6,
    lengths in ``unit`` m; ``splits`` in the order in which they are tried; ``share`` of the
    postures of trial poses that the first of them found again.
    """

    links: Array
    unit: float
    splits: IntArray
    share: float


@dataclass(frozen=True, slots=True)
class Solved:
    """All postures of m poses.

    ``q`` (m, 16, 6) rad in [-pi, pi), the first ``count`` (m,) of them, in order; then NaN.
    ``pivot`` (m, 16): the least pivot of the Jacobian, small where branches meet. ``doubt`` (m,):
    the number
    is odd, as where branches meet.
    """

    q: Array
    pivot: Array
    count: IntArray
    doubt: npt.NDArray[np.bool_]


def turning_links(fixed: Array, kinds: IntArray, tip: Array) -> tuple[Array, float]:
    """Return the links (n + 1, 3, 4) of a serial chain of n turning joints, and their unit in m.

    Fixed transforms before joint 1, between joints and behind the last, fixed joints merged.
    """
    links = []
    behind = np.eye(4)
    for pose, kind in zip(fixed, kinds, strict=True):
        behind = behind @ _square(pose)
        if kind == 0:
            links.append(behind)
            behind = np.eye(4)
    links.append(behind @ _square(tip))
    stack = np.array(links)[:, :3].copy()
    spans = np.linalg.norm(stack[1:-1, :, 3], axis=1).sum()
    unit = float(spans) or float(np.linalg.norm(stack[[0, -1], :, 3])) or 1.0
    stack[:, :, 3] /= unit
    return stack, unit


def prepare_general(fixed: Array, kinds: IntArray, tip: Array) -> GeneralArm | None:
    """Return the arm of a serial chain (see ``poses``) with six turning joints, None for others."""
    if int((kinds == 0).sum()) != 6 or bool((kinds == 1).any()):
        return None
    stack, unit = turning_links(fixed, kinds, tip)
    arm = GeneralArm(stack, unit, np.arange(1), 0.0)
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (_TRIALS, 6))
    X = _tips(arm, q)
    again, several = np.zeros(SPLITS), np.zeros(SPLITS)
    for split in range(SPLITS):
        found = _solve(arm, np.array([split]), X, 0)
        away = np.abs(np.remainder(found.q - q[:, None] + np.pi, 2.0 * np.pi) - np.pi).max(axis=2)
        again[split] = (np.nan_to_num(away, nan=np.inf).min(axis=1) < 1e-6).mean()
        several[split] = found.count.sum()
    order = np.argsort(-several, kind="stable")[:_KEPT]
    kept = order[several[order] > 0]
    if not len(kept):
        return None
    return GeneralArm(stack, unit, kept.astype(np.int64), float(again[kept[0]]))


def solve_all(arm: GeneralArm, targets: Array, *, threads: int | None = None) -> Solved:
    """Return every posture for each tip pose X_BT (m, 4, 4); NaN poses have none."""
    return _solve(arm, arm.splits, np.ascontiguousarray(targets, np.float64), _LOOKS, threads)


def _solve(
    arm: GeneralArm, splits: IntArray, X: Array, looks: int, threads: int | None = None
) -> Solved:
    m = len(X)
    q, pivot = np.empty((m, SLOTS, 6)), np.empty((m, SLOTS))
    count, doubt = np.zeros(m, np.int64), np.zeros(m, np.bool_)

    def work(begin: int, end: int) -> None:
        solve_general(
            arm.links, splits, CIRCLE, X, arm.unit, q, pivot, count, doubt, looks, begin, end
        )

    if m == 1:
        work(0, 1)
    else:
        spread(work, m, grain=GRAIN, threads=threads)
    return Solved(q, pivot, count, doubt)


def _tips(arm: GeneralArm, q: Array) -> Array:
    X = np.broadcast_to(_square(arm.links[0]), (len(q), 4, 4))
    for i in range(6):
        turn = np.tile(np.eye(4), (len(q), 1, 1))
        turn[:, 0, 0] = turn[:, 1, 1] = np.cos(q[:, i])
        turn[:, 1, 0] = np.sin(q[:, i])
        turn[:, 0, 1] = -turn[:, 1, 0]
        X = X @ turn @ _square(arm.links[i + 1])
    X = X.copy()
    X[:, :3, 3] *= arm.unit
    return np.ascontiguousarray(X)


def _square(pose: Array) -> Array:
    out: Array = np.eye(4)
    out[:3] = pose[:3]
    return out
