"""Families over a shrug, cut by limits into intervals.

A branch's margin, how far inside their limits its joints are, is a continuous function of the
shrug. It is sampled over the shrug's range; where it changes its sign the end of an interval is
found by halving, where it has a maximum below or a minimum above zero between samples the extreme
is looked for, so that narrow intervals and gaps are seen as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.inverse.shrug_arm import ShrugArm, solve, solve_slots

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_SAMPLES = 65
_HALVINGS = 40
_SHRINKS = 24
_GOLDEN = 0.6180339887498949
_EDGE = 1e-12
"""Share of an interval kept from its ends, where a joint stands exactly at a limit."""


class Cut(Protocol):
    """What is cut: the arm of a chain, and how far inside its limits a posture is."""

    @property
    def chain(self) -> Serial:
        """The chain."""

    @property
    def arm(self) -> ShrugArm:
        """The arm."""

    def margins(self, q: Array, lack: Array) -> Array:
        """Return the margin of each branch: positive within the limits."""


class Families(NamedTuple):
    """``intervals`` (m, 8, most, 2) of the shrug and their ``counts`` (m, 8).

    ``best`` (m, 8) is the shrug where the branch's margin is greatest, NaN where the branch does
    not exist; ``side`` (m,) is that of ``Solved`` where it is the same for every shrug, else 0.
    """

    intervals: Array
    counts: IntArray
    best: Array
    side: IntArray


def intervals_of(form: Cut, X_WT: Array) -> Families:
    """Return the families of poses (m, 4, 4)."""
    m = len(X_WT)
    low, high = _range(form, X_WT)
    grid = low[:, None] + np.linspace(0.0, 1.0, _SAMPLES) * (high - low)[:, None]
    poses = np.repeat(X_WT, _SAMPLES, axis=0)
    solved = solve(form.arm, poses, grid.reshape(-1))
    margin = form.margins(solved.q, solved.lack).reshape(m, _SAMPLES, 8).transpose(0, 2, 1)
    exists = (solved.lack >= 0.0).reshape(m, _SAMPLES, 8).transpose(0, 2, 1)
    sides = solved.side.reshape(m, _SAMPLES)
    side = np.where((sides == sides[:, :1]).all(axis=1), sides[:, 0], 0)

    def at(pose: IntArray, slot: IntArray, s: Array) -> Array:
        return form.margins(*solve_slots(form.arm, X_WT[pose], s, slot))

    s = np.broadcast_to(grid[:, None, :], margin.shape).copy()
    s, margin = _with_extremes(s, margin, at)
    # Of postures outside the limits, one that exists; how far others are from existing is no angle.
    known = np.where(exists, margin, -np.inf)
    best = np.take_along_axis(s, known.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    best = np.where(exists.any(axis=-1), best, np.nan)
    intervals, counts = _cut(s, margin, at)
    return Families(intervals, counts, best, side)


def middle_of_widest(found: Families) -> Array:
    """Return (m, 8) the middle of the widest interval; without one, where it is least outside."""
    width = np.nan_to_num(found.intervals[..., 1] - found.intervals[..., 0], nan=-1.0)
    widest = np.take_along_axis(
        found.intervals.mean(axis=-1), width.argmax(axis=-1)[..., None], axis=-1
    )
    return np.asarray(np.where(found.counts > 0, widest[..., 0], found.best))


def nearest_in(found: Families, s: Array) -> Array:
    """Return (m, 8) the shrug within an interval nearest to ``s`` (m,), NaN where there is none."""
    low, high = found.intervals[..., 0], found.intervals[..., 1]
    inset = _EDGE * (high - low)
    kept = np.minimum(np.maximum(s[:, None, None], low + inset), high - inset)
    gap = np.nan_to_num(np.abs(kept - s[:, None, None]), nan=np.inf)
    return np.asarray(np.take_along_axis(kept, gap.argmin(axis=-1)[..., None], axis=-1)[..., 0])


def _range(form: Cut, X_WT: Array) -> tuple[Array, Array]:
    """Return the range of shrugs to look at: the joint's, or as far as the arm spans."""
    arm, chain = form.arm, form.chain
    links = (arm.E - arm.S, arm.p7 - arm.E, arm.M[:3, 3] - arm.p7)
    span = sum(float(np.linalg.norm(link)) for link in links)
    toward = (X_WT[:, :3, 3] - arm.S) @ arm.w[0]
    low = np.minimum(np.maximum(chain.lower[0], toward - span), chain.upper[0])
    return low, np.maximum(np.minimum(chain.upper[0], toward + span), low)


def _with_extremes(
    s: Array, margin: Array, at: Callable[[IntArray, IntArray, Array], Array]
) -> tuple[Array, Array]:
    """Return the samples with those moved to an extreme that change the sign of the margin."""
    left, here, right = margin[..., :-2], margin[..., 1:-1], margin[..., 2:]
    crest = (here < 0.0) & (here >= left) & (here >= right) & ((here > left) | (here > right))
    dip = (here > 0.0) & (here <= left) & (here <= right) & ((here < left) | (here < right))
    # An extreme is off its sample by less than the neighbours are, with room to spare.
    step = np.maximum(np.abs(here - left), np.abs(here - right))
    pose, slot, place = np.nonzero((crest | dip) & (np.abs(here) <= 2.0 * step))
    if not len(pose):
        return s, margin
    sign = np.where(crest[pose, slot, place], 1.0, -1.0)
    a, b = s[pose, slot, place], s[pose, slot, place + 2]
    for _ in range(_SHRINKS):
        one, two = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
        up = sign * at(pose, slot, one) > sign * at(pose, slot, two)
        a, b = np.where(up, a, one), np.where(up, two, b)
    found = 0.5 * (a + b)
    value = at(pose, slot, found)
    better = sign * value > 0.0
    chosen = (pose[better], slot[better], place[better] + 1)
    s, margin = s.copy(), margin.copy()
    s[chosen], margin[chosen] = found[better], value[better]
    return s, margin


def _cut(
    s: Array, margin: Array, at: Callable[[IntArray, IntArray, Array], Array]
) -> tuple[Array, IntArray]:
    """Return where the margin is positive: intervals (m, 8, most, 2) and counts (m, 8)."""
    inside = margin >= 0.0
    pose, slot, place = np.nonzero(inside[..., 1:] != inside[..., :-1])
    a, b = s[pose, slot, place], s[pose, slot, place + 1]
    rising = inside[pose, slot, place + 1]
    for _ in range(_HALVINGS):
        middle = 0.5 * (a + b)
        here = at(pose, slot, middle) >= 0.0
        first = here == rising
        b, a = np.where(first, middle, b), np.where(first, a, middle)
    ends = np.where(rising, b, a)  # the side that keeps the limits
    m, slots = margin.shape[:2]
    begins: list[list[list[float]]] = [[[] for _ in range(slots)] for _ in range(m)]
    stops: list[list[list[float]]] = [[[] for _ in range(slots)] for _ in range(m)]
    for i, k in zip(*np.nonzero(inside[..., 0]), strict=True):
        begins[i][k].append(float(s[i, k, 0]))
    for i, k, end, up in zip(pose, slot, ends, rising, strict=True):
        (begins if up else stops)[i][k].append(float(end))
    for i, k in zip(*np.nonzero(inside[..., -1]), strict=True):
        stops[i][k].append(float(s[i, k, -1]))
    counts = np.array([[len(each) for each in row] for row in begins], np.int64).reshape(m, slots)
    intervals = np.full((m, slots, max(1, int(counts.max(initial=0))), 2), np.nan)
    for i in range(m):
        for k in range(slots):
            for number, pair in enumerate(zip(begins[i][k], stops[i][k], strict=True)):
                intervals[i, k, number] = pair
    return intervals, counts
