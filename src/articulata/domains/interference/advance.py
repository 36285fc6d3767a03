"""The first touch of moving bodies, by conservative advancement: nothing is missed.

Two pieces g apart whose points approach each other at no more than s cannot touch before g / s has
passed; each pair is looked at again only then. Nearer than ``FLOOR`` the pair is followed in steps
that let no overlap deeper than a few times that pass, until it parts or the instant of touch is
bracketed; that is then found to rounding.
Mirtich & Canny, Impulse-based simulation of rigid bodies, 1995 (conservative advancement).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.piece_table import PieceTable
from articulata.kernels.contacts.patches import separations
from articulata.kernels.contacts.pieces import HALF_SPACE, stand, standing

FLOOR = 1e-9
"""Distance (m) under which a pair is followed in small steps."""

LINGERING = 1000
"""Small steps after which pieces that stay that near count as touching."""

STEPS = 1_000_000
"""Looks at a motion before it is given up: the bounds are far above its real speeds."""

Motion = Callable[[float], Array]


class Advance:
    """Looks for the first touch of pairs of pieces along one motion."""

    def __init__(self, table: PieceTable, pairs: IntArray, motion: Motion) -> None:
        self.table = table
        self.pairs = pairs
        self.motion = motion
        self._now = standing(table.arrays)

    def gaps(self, time: float, which: IntArray) -> Array:
        """Return the separations (k,) of pairs ``which`` at a time."""
        poses = np.ascontiguousarray(self.motion(time), dtype=np.float64)
        if not np.all(np.isfinite(poses)):
            raise SimulationError(f"the motion gives a pose that is no number at t = {time:.9g} s")
        out = np.zeros((len(which), 4))
        stand(self.table.arrays, poses, self._now)
        separations(self.table.arrays, self._now, self.pairs[which], out)
        return out[:, 0]

    def speeds(self, start: Array, bounds: Array, length: float) -> Array:
        """Return bounds (k,) on the speed at which points of the pairs approach (m/s).

        Of an endless body only the points count that the other may come to within ``length`` s.
        """
        arrays, reach = self.table.arrays, self.table.reach
        out = np.zeros(len(self.pairs))
        for k, (i, j) in enumerate(self.pairs):
            a, b = arrays.body[i], arrays.body[j]
            v = bounds[a, 0] + bounds[b, 0]
            far = [reach[a], reach[b]]
            for side, (one, other) in enumerate(((a, b), (b, a))):
                if arrays.kind[(i, j)[side]] == HALF_SPACE:
                    between = float(np.linalg.norm(start[a, :3] - start[b, :3]))
                    far[side] = between + v * length + reach[other]
                    assert reach[one] > 0
            out[k] = v + bounds[a, 1] * far[0] + bounds[b, 1] * far[1]
        return out

    def first(self, span: tuple[float, float], bounds: Array) -> tuple[float, int, float] | None:
        """Return time, number of the pair and gap at the first touch, or None."""
        t, end = span
        if not len(self.pairs) or not end >= t:
            return None
        start = np.asarray(self.motion(t), dtype=np.float64)
        speed = self.speeds(start, bounds, end - t)
        everything = np.arange(len(self.pairs))
        gaps = self.gaps(t, everything)
        if np.min(gaps) <= 0.0:
            k = int(np.argmin(gaps))
            return t, k, float(gaps[k])
        with np.errstate(divide="ignore"):
            safe = t + gaps / speed
        last = float(end)
        found: tuple[float, int, float] | None = None
        for _ in range(STEPS):
            t = float(np.min(safe))
            if not t < last:
                return found if found is not None else self._at_end(last, everything)
            # looking at pairs that are nearly due as well saves calls of the motion
            due = np.nonzero(safe <= t + 1e-9 * (last - span[0]))[0]
            gaps = self.gaps(t, due)
            safe[due] = t + np.maximum(gaps, 0.0) / speed[due]
            for k, gap in zip(due.tolist(), gaps.tolist(), strict=True):
                if gap > FLOOR:
                    continue
                touch, clear = self._close(k, t, gap, float(speed[k]), last)
                safe[k] = clear
                if touch is not None and touch <= last:
                    found = (touch, k, float(self.gaps(touch, np.array([k]))[0]))
                    last = touch
        raise SimulationError(
            f"the first touch was not found in {STEPS} looks from t = {span[0]:.9g} s; the bounds "
            "on the speeds may be far above the real ones"
        )

    def _at_end(self, end: float, which: IntArray) -> tuple[float, int, float] | None:
        gaps = self.gaps(end, which)
        k = int(np.argmin(gaps))
        return (end, k, float(gaps[k])) if gaps[k] <= 0.0 else None

    def _close(
        self, k: int, t: float, gap: float, speed: float, last: float
    ) -> tuple[float | None, float]:
        """Follow a pair that is nearly in touch; return when it touches, and when it is clear."""
        which = np.array([k])
        if gap <= 0.0:
            return t, np.inf
        step = max(FLOOR / speed, 4 * np.spacing(t))
        for _ in range(LINGERING):
            ahead = min(last, t + step)
            other = float(self.gaps(ahead, which)[0])
            if 0.0 < other < gap:
                # twice as far as the touch would be at this pace
                guess = min(last, ahead + 2 * other * (ahead - t) / (gap - other))
                beyond = float(self.gaps(guess, which)[0])
                if beyond <= 0.0:
                    return self._root(which, ahead, other, guess, beyond), np.inf
            if other <= 0.0:
                return self._root(which, t, gap, ahead, other), np.inf
            if ahead >= last or other > FLOOR:
                return None, ahead + other / speed
            t, gap = ahead, other
        return t, np.inf

    def _root(self, which: IntArray, low: float, g: float, high: float, h: float) -> float:
        """Return the first instant, within rounding, at which the gap is not positive."""
        for step in range(120):
            middle = 0.5 * (low + high)
            if step % 3 != 2 and g > h:
                middle = low + (high - low) * g / (g - h)
            if not low < middle < high:
                middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            value = float(self.gaps(middle, which)[0])
            if value > 0.0:
                low, g = middle, value
            else:
                high, h = middle, value
        return high
