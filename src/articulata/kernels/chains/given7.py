"""Seven turning joints of which one is given: all postures of the six that are left.

In closed form (``pieper6``) where three axes meet in one point, polished where they only all but
meet, else by elimination (``general6``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.general6 import solve_links
from articulata.kernels.chains.general6_kernels import MET, SLOTS
from articulata.kernels.chains.kept_postures import Kept, keep_postures
from articulata.kernels.chains.pieper6 import BRANCHES, PieperArm, solve_pieper
from articulata.kernels.chains.pieper6_polish import mark_pairs
from articulata.kernels.chains.selfmotion7 import (
    KEPT,
    form_of,
    joints_behind,
    ranked_splits,
    six_behind,
)
from articulata.kernels.chains.selfmotion7_kernels import JOINTS

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

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
        return q, _kept(arm, targets, q, doubts, 1)
    if arm.exact:
        q = solve_pieper(arm.pieper, targets, values)
        return q, _kept(arm, targets, q, doubts, 1)
    q = solve_pieper(arm.pieper, targets, values, slack=-_EDGE)
    wide = solve_pieper(arm.pieper, targets, values, slack=_EDGE)
    np.any(np.isnan(q[:, :, 0]) != np.isnan(wide[:, :, 0]), axis=1, out=doubts)
    kept = _kept(arm, targets, q, doubts, _LOOKS)
    mark_pairs(q, doubts)
    rows = np.flatnonzero(doubts)
    if len(rows) == 0:
        return q, kept
    out = np.full((len(targets), SLOTS, JOINTS), np.nan)
    within = np.zeros(out.shape[:2], np.bool_)
    out[:, :BRANCHES], within[:, :BRANCHES] = q, kept.within
    some = _eliminated(arm, targets[rows], values[rows])
    again = _kept(arm, targets[rows], some, doubts[rows], 1)
    out[rows], within[rows], kept.state[rows] = some, again.within, again.state
    return out, Kept(within, kept.state)


def _kept(
    arm: GivenArm, targets: Array, q: Array, doubts: npt.NDArray[np.bool_], looks: int
) -> Kept:
    """Check postures and polish them where ``looks`` is more than 1; see ``keep_postures``."""
    return keep_postures(
        arm.links,
        arm.unit,
        targets,
        q,
        arm.middle,
        arm.lower,
        arm.upper,
        met=_MET if looks == 1 else MET,
        slack=_SLACK,
        looks=looks,
        held=arm.given,
        doubts=doubts,
    )


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
