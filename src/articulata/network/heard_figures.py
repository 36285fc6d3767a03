"""Figures that others send: what was heard of each, and where each is at an instant.

All figures are held in one table, a row each, so that many packets are taken in and many figures
carried on together. Each is shown a little late, joints and place as of one instant between two
packets that have come, so that lost and late packets do not show; where none has come in time
places go on by dead reckoning, and where a packet corrects one it glides there. E is the geocentric
frame, B a figure's own axes (x ahead, y right, z down).
Ours are told by ``LevelOfDetail``: coarser and less often where nobody is near, or looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.heard_figures import WIDTH, Figures, Postures, delay_of, show, take
from articulata.records.networked import NetworkedPosture

MOST_FIGURES = 4096
"""Figures that are held at most; more are counted and left out."""

SILENT = 12.0
"""Seconds without a packet after which a figure is gone: 2.4 heartbeats, as DIS has it."""


@dataclass(slots=True, eq=False)
class Shown:
    """Figures at an instant: rows, ``p_EB`` (n, 3) m, ``R_EB`` (n, 3, 3), ``q`` (n, WIDTH) rad."""

    rows: IntArray
    p_EB: Array
    R_EB: Array
    q: Array


class HeardFigures:
    """The table. ``key`` tells figures apart: whatever a protocol names them by."""

    def __init__(self, *, silent: float = SILENT, delay: float | None = None) -> None:
        self.refused = 0
        self.keys: dict[Any, int] = {}
        self._silent = silent
        self._wanted = math.nan if delay is None else delay
        # no packet makes it grow; the system gives memory when it is used
        self._table = Figures.of(MOST_FIGURES)
        self._free = list(range(MOST_FIGURES - 1, -1, -1))

    def row(self, key: Any, now: float) -> int | None:
        """Return the row of a figure, a new one from ``now`` (s) on; None: there are too many.

        A new figure is not shown before its first posture.
        """
        row = self.keys.get(key)
        if row is None:
            if not self._free:
                self.refused += 1
                return None
            row = self._free.pop()
            self.keys[key] = row
            self._table.forget(row, now)
        return row

    def known(self, key: Any) -> bool:
        """Return whether a figure has been heard, with all that it takes to carry it on."""
        row = self.keys.get(key)
        return row is not None and bool(self._table.whole[row])

    def drop(self, key: Any) -> None:
        """Forget a figure."""
        row = self.keys.pop(key, None)
        if row is not None:
            self._free.append(row)

    def gone(self, now: float) -> list[Any]:
        """Return the keys of figures that have been silent for too long."""
        if not self.keys:
            return []
        rows = np.fromiter(self.keys.values(), np.int64, len(self.keys))
        silent = now - self._table.arrival[rows] > self._silent
        if not silent.any():
            return []
        return [key for key, each in zip(self.keys, silent.tolist(), strict=True) if each]

    # ---- what comes

    def take(self, given: Postures, arrival: float) -> None:
        """Take postures in that arrived together (s, by our clock)."""
        columns: Any = map(np.ascontiguousarray, given)
        take(self._table, Postures(*columns), arrival, self._wanted, self._silent)

    def untell(self, rows: Sequence[int], sent: Sequence[float]) -> None:
        """Forget the joints of the postures of ``rows`` that were sent at such times (s).

        They are shown as NaN, and so are those on the way to them and from them.
        """
        chosen = np.array(rows, np.int64)
        which, kept = np.nonzero(self._table.times[chosen] == np.array(sent)[:, None])
        self._table.postures[chosen[which], kept, :WIDTH] = np.nan

    @property
    def missed(self) -> Array:
        """Packets of each row's figure that did not come, where they are numbered."""
        return self._table.missed

    # ---- where figures are

    def at(self, now: float) -> Shown:
        """Return where all figures are that can be shown, at ``now`` (s, by our clock)."""
        rows = np.fromiter(self.keys.values(), np.int64, len(self.keys))
        rows = rows[self._table.whole[rows]]
        n = len(rows)
        shown = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, WIDTH))
        show(self._table, rows, now, self._wanted, self._silent, shown)
        return Shown(rows, *shown)

    # ---- how they are heard

    def reception(self, key: Any, now: float) -> tuple[float, float, float, float]:
        """Return rate (1/s, 0 for none), share lost, age (s) and delay on purpose (s)."""
        t, row = self._table, self.keys[key]
        age = now - float(t.arrival[row])
        interval = float(t.interval[row])
        heard = interval > 0.0 and age < max(4.0 * interval, 1.0)
        came, missed = float(t.came[row]), float(t.missed[row])
        share = missed / max(came + missed, 1.0)
        return (1.0 / interval if heard else 0.0), share, age, delay_of(t, row, self._wanted)

    def jump(self, key: Any) -> tuple[float, float]:
        """Return by how much the newest packet corrected a figure: m, rad at the worst joint."""
        place, joint = self._table.jump[self.keys[key]].tolist()
        return place, joint

    def newest(self, key: Any) -> float:
        """Return when the newest posture of a figure was sent, by its sender's clock (s)."""
        return float(self._table.sent[self.keys[key]])

    def clock(self, key: Any, now: float) -> float:
        """Return what a sender's clock showed when what is shown at ``now`` (s) was sent."""
        row = self.keys[key]
        delay = delay_of(self._table, row, self._wanted)
        return now - float(self._table.offset[row]) - delay

    def bytes_of(self, key: Any) -> float:
        """Return how many bytes have come of a figure."""
        return float(self._table.size[self.keys[key]])


MOST = 3
"""Levels beyond the full one: each twice as coarse, and half as often, as the one before."""

SEEN = math.cos(math.radians(75.0))
"""Who is farther than that from straight ahead is not looked at."""

BEHIND = 4.0
"""So many times as far counts who looks elsewhere: he may turn round."""

STEADY = 1.1
"""A level is left for a coarser one only so far beyond its end, so that none flickers."""


class LevelOfDetail:
    """How coarsely each figure of ours may be told, by those of others who see it.

    One within ``near`` m of somebody who looks its way is told in full, one twice as far at level
    1, and so on. Where nobody is heard all is told in full: who only watches is not known.
    """

    def __init__(self, near: float = math.inf) -> None:
        self.near = near
        self._time = math.nan
        self._others: Shown | None = None
        self._levels: dict[int, int] = {}

    def coarseness(self, number: int, posture: NetworkedPosture, figures: HeardFigures) -> float:
        """Return by how much bounds and periods of figure ``number`` grow: 1, 2, 4 or 8."""
        if math.isinf(self.near):
            return 1.0
        if self._others is None or posture.time != self._time:
            self._others, self._time = figures.at(posture.time), posture.time
        others, level = self._others, 0
        if len(others.rows):
            away = posture.p_EB - others.p_EB
            far = np.linalg.norm(away, axis=1)
            ahead = (away * others.R_EB[:, :, 0]).sum(axis=1)
            share = float(np.where(ahead >= SEEN * far, far, BEHIND * far).min()) / self.near
            level = min(int(math.log2(max(share, 1.0))), MOST)
            before = self._levels.get(number, 0)
            if level == before + 1 and share < STEADY * 2.0**level:
                level = before
        self._levels[number] = level
        return 2.0**level
