"""Figures that others send: what was heard of each, and where each is at an instant.

All figures are held in one table, a row each, so that many packets are taken in and many figures
carried on together. Joints are shown a little late, between two postures that have come, so that
lost and late packets do not show; places go on by dead reckoning, and where a packet corrects one
it glides there. E is the geocentric frame, B a figure's own axes (x ahead, y right, z down).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, BoolArray, Float64, IntArray
from articulata.geometry.quaternion import q_exp, q_from_matrix, q_log, q_to_matrix
from articulata.network.dis.dead_reckoning import carried_on

WIDTH = 64
"""Joints of a figure at most."""

KEPT = 4
"""Postures of a figure that are kept: what a cubic passes through."""

MOST_FIGURES = 4096
"""Figures that are held at most; more are counted and left out."""

SILENT = 12.0
"""Seconds without a packet after which a figure is gone: 2.4 heartbeats, as DIS has it."""

_STILL = 1
"""The model of dead reckoning by which places stay where they are."""

GLIDE = 0.15
"""Seconds in which a figure glides to where a packet says it is."""

CARRIED = 0.1
"""Seconds that joints go on by themselves where no newer posture has come."""

LATEST = 0.25
"""Seconds that joints are shown late at most."""

STEADY = 0.1
"""By how much one packet changes a mean over many."""

_DRIFT = 2e-4
"""How fast a sender's clock may run away from ours."""

LEAP = 10.0
"""Seconds by which a sender's clock may leap before it is taken anew."""

_ROW = np.dtype(
    [
        *((name, "f8") for name in ("sent", "offset", "arrival", "interval", "bytes", "count")),
        *((name, "f8") for name in ("missed", "glided", "whole")),
        ("algorithm", "i8"),
        ("p", "f8", (3,)), ("R", "f8", (3, 3)),
        *((name, "f8", (3,)) for name in ("v", "a", "w", "p_off", "R_off")),
        ("jump", "f8", (2,)), ("times", "f8", (KEPT,)), ("postures", "f8", (KEPT, WIDTH)),
    ]
)  # fmt: skip
"""What is held of a figure. ``offset`` is the least time (s) from sent to arrival by two clocks,
``p_off`` and ``R_off`` what a packet corrected at ``glided`` (s)."""


Table = npt.NDArray[Any]
"""Rows of the table of figures, structured as ``_ROW``."""


class Postures(NamedTuple):
    """New postures of n figures, in the order in which they came.

    ``rows`` are their rows in the table, ``sent`` (s) when by the senders' clocks, ``p`` (n, 3)
    m, ``R`` (n, 3, 3), ``velocity`` and further ones as dead reckoning takes them; ``q`` (n,
    WIDTH) rad has NaN for joints that are not told, ``size`` bytes. ``whole`` says of which the
    model, acceleration and turning rate are told too; of others they stay.
    """

    rows: IntArray
    sent: Array
    p: Array
    R: Array
    velocity: Array
    q: Array
    size: Array
    algorithm: IntArray
    acceleration: Array
    rate: Array
    whole: BoolArray

    def part(self, chosen: BoolArray) -> Postures:
        """Return some of them."""
        columns: Any = [column[chosen] for column in self]
        return Postures(*columns)


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
        self._silent, self._wanted = silent, delay
        self._free: list[int] = []
        self._table = np.zeros(0, _ROW)
        self._grow(16)

    def _grow(self, size: int) -> None:
        table = np.zeros(size, _ROW)
        before = len(self._table)
        table[:before] = self._table
        self._free += range(size - 1, before - 1, -1)
        self._table = table

    def row(self, key: Any, now: float) -> int | None:
        """Return the row of a figure, a new one from ``now`` (s) on; None: there are too many.

        A new figure is not shown before its first posture.
        """
        row = self.keys.get(key)
        if row is None:
            if len(self.keys) >= MOST_FIGURES:
                self.refused += 1
                return None
            if not self._free:
                self._grow(2 * len(self._table))
            row = self._free.pop()
            self.keys[key] = row
            self._forget(row, now)
        return row

    def known(self, key: Any) -> bool:
        """Return whether a figure has been heard, with all that it takes to carry it on."""
        row = self.keys.get(key)
        return row is not None and bool(self._table["whole"][row])

    def drop(self, key: Any) -> None:
        """Forget a figure."""
        row = self.keys.pop(key, None)
        if row is not None:
            self._free.append(row)

    def gone(self, now: float) -> list[Any]:
        """Return the keys of figures that have been silent for too long."""
        arrival = self._table["arrival"]
        return [key for key, row in self.keys.items() if now - arrival[row] > self._silent]

    def _forget(self, row: int, now: float) -> None:
        fresh = self._table[row : row + 1]
        fresh[...] = np.zeros((), _ROW)
        fresh["sent"], fresh["offset"], fresh["arrival"] = -np.inf, np.inf, now
        fresh["times"], fresh["postures"] = -np.inf, np.nan
        fresh["R"] = np.eye(3)

    # ---- what comes

    def take(self, given: Postures, arrival: float) -> None:
        """Take postures in that arrived together (s, by our clock)."""
        # several of one figure are taken in one after the other
        order = np.argsort(given.rows, kind="stable")
        again = np.zeros(len(order), np.int64)
        for k in (np.flatnonzero(np.diff(given.rows[order]) == 0) + 1).tolist():
            again[order[k]] = again[order[k - 1]] + 1
        for number in range(int(again.max(initial=-1)) + 1):
            with np.errstate(invalid="ignore"):  # what is not known yet is NaN or infinite
                self._take(given.part(again == number), arrival)

    def _take(self, given: Postures, arrival: float) -> None:
        """Take one posture in of each of several figures."""
        known = self._table[given.rows]
        lag = arrival - given.sent
        leapt = np.abs(lag - known["offset"]) > LEAP
        late = (given.sent <= known["sent"]) & ~leapt
        self._table["bytes"][given.rows] += given.size
        self._table["count"][given.rows] += 1.0
        if late.any():  # an older packet corrects nothing
            given, lag, leapt = given.part(~late), lag[~late], leapt[~late]
        t = self._table[given.rows]
        shown = *self._carried(t, arrival), t["postures"][:, -1].copy()
        anew = (t["whole"] == 0.0) | leapt
        _clocked(t, given.sent, lag, leapt, np.where(anew, 0.0, arrival - t["arrival"]))
        t["sent"], t["arrival"] = given.sent, arrival
        t["p"], t["R"], t["v"] = given.p, given.R, given.velocity
        whole = given.whole
        t["whole"][whole] = 1.0
        t["algorithm"][whole] = given.algorithm[whole]
        t["a"][whole], t["w"][whole] = given.acceleration[whole], given.rate[whole]
        told = np.isfinite(given.q)
        t["postures"][:, :-1] = t["postures"][:, 1:]
        t["postures"][:, -1] = np.where(told, given.q, shown[2])
        self._glide(t, shown, anew, arrival)
        moved = np.where(told & np.isfinite(shown[2]), np.abs(given.q - shown[2]), 0.0)
        t["jump"][:, 1] = np.where(anew, 0.0, moved.max(axis=1, initial=0.0))
        self._table[given.rows] = t

    def _glide(
        self, t: Table, shown: tuple[Array, Array, Array], anew: BoolArray, arrival: float
    ) -> None:
        """Let figures glide from where they were ``shown`` to where they are; new ones do not."""
        now_p, now_R = self._reckoned(t, arrival)
        kept = ~anew[:, None]
        t["p_off"] = np.where(kept, shown[0] - now_p, 0.0)
        turned = q_log(q_from_matrix(np.swapaxes(now_R, 1, 2) @ shown[1])) if len(t) else 0.0
        t["R_off"] = np.where(kept, turned, 0.0)
        t["glided"] = arrival
        t["jump"][:, 0] = np.linalg.norm(t["p_off"], axis=1)

    def lost(self, row: int, packets: int) -> None:
        """Count packets of a figure that did not come, where they are numbered."""
        self._table["missed"][row] = max(0.0, self._table["missed"][row] + packets)

    # ---- where figures are

    def at(self, now: float) -> Shown:
        """Return where all figures are that can be shown, at ``now`` (s, by our clock)."""
        known = self._table["whole"]
        rows = np.array([row for row in self.keys.values() if known[row]], np.int64)
        t = self._table[rows]
        with np.errstate(invalid="ignore"):  # joints that nobody told of are NaN
            p, R = self._carried(t, now)
            return Shown(rows, p, R, self._joints(t, now))

    def _reckoned(self, t: Table, now: float) -> tuple[Array, Array]:
        # from when it was sent, as far as clocks are known: what took long is carried on for long
        seconds = np.nan_to_num(now - t["sent"] - t["offset"], posinf=0.0, neginf=0.0)
        return carried_on(
            t["algorithm"], t["p"], t["R"], t["v"], t["a"], t["w"],
            np.clip(seconds, 0.0, self._silent),
        )  # fmt: skip

    def _carried(self, t: Table, now: float) -> tuple[Array, Array]:
        p, R = self._reckoned(t, now)
        # who is not carried on is where packets say: it glides from one to the next
        long = np.where(t["algorithm"] == _STILL, np.clip(t["interval"], 1e-3, GLIDE), GLIDE)
        left = np.clip(1.0 - (now - t["glided"]) / long, 0.0, 1.0)
        left = (left * left * (3.0 - 2.0 * left))[:, None]
        return p + left * t["p_off"], R @ q_to_matrix(q_exp(left * t["R_off"]))

    def _delay(self, t: Table) -> Array:
        """Return by how much (s) joints are shown late on purpose."""
        if self._wanted is not None:
            return np.full(len(t), self._wanted)
        return np.asarray(np.minimum(1.5 * t["interval"], LATEST))

    def _joints(self, t: Table, now: float) -> Float64[Array, "n width"]:
        """Return joint values: on a cubic through what has come, NaN where nothing was told."""
        times, q, n = t["times"], t["postures"], np.arange(len(t))
        due = now - t["offset"] - self._delay(t)
        # the posture before that, of those that have come; the newest where none is after it
        index = np.clip((times <= due[:, None]).sum(axis=1) - 1, 0, KEPT - 1)
        index = np.where(np.isfinite(times[n, index]), index, KEPT - 1)
        after, before = np.minimum(index + 1, KEPT - 1), np.maximum(index - 1, 0)
        far = np.minimum(after + 1, KEPT - 1)
        t1, q1, t2, q2 = times[n, index], q[n, index], times[n, after], q[n, after]
        span = np.where(t2 > t1, t2 - t1, 1.0)
        s = np.clip((due - t1) / span, 0.0, 1.0)[:, None]
        slope1 = _slope(times[n, before], t1, t2, q[n, before], q1, q2)
        slope2 = _slope(t1, t2, times[n, far], q1, q2, q[n, far])
        s2, s3, h = s * s, s * s * s, span[:, None]
        between = (
            (2 * s3 - 3 * s2 + 1) * q1
            + (s3 - 2 * s2 + s) * h * slope1
            + (3 * s2 - 2 * s3) * q2
            + (s3 - s2) * h * slope2
        )
        ahead = np.clip(due - t1, 0.0, np.minimum(CARRIED, 2.0 * t["interval"]))
        onward = q1 + slope1 * ahead[:, None]
        return np.asarray(np.where((after > index)[:, None], between, onward))

    # ---- how they are heard

    def reception(self, key: Any, now: float) -> tuple[float, float, float, float]:
        """Return rate (1/s, 0 for none), share lost, age (s) and delay on purpose (s)."""
        t = self._table[[self.keys[key]]]
        age = now - float(t["arrival"][0])
        interval = float(t["interval"][0])
        heard = interval > 0.0 and age < max(4.0 * interval, 1.0)
        came, missed = float(t["count"][0]), float(t["missed"][0])
        share = missed / max(came + missed, 1.0)
        return (1.0 / interval if heard else 0.0), share, age, float(self._delay(t)[0])

    def jump(self, key: Any) -> tuple[float, float]:
        """Return by how much the newest packet corrected a figure: m, rad at the worst joint."""
        place, joint = self._table["jump"][self.keys[key]].tolist()
        return place, joint

    def bytes_of(self, key: Any) -> float:
        """Return how many bytes have come of a figure."""
        return float(self._table["bytes"][self.keys[key]])


def _clocked(t: Table, sent: Array, lag: Array, leapt: BoolArray, waited: Array) -> None:
    """Bring clocks, instants and mean intervals up to packets ``sent`` (n,) s.

    ``lag`` is from sent to arrival by two clocks, ``waited`` since the packet before. Where a clock
    ``leapt`` it is taken anew.
    """
    t["offset"] = np.where(leapt, lag, np.minimum(lag, t["offset"] + _DRIFT * waited))
    t["times"][leapt] = -np.inf
    step = sent - t["times"][:, -1]
    mean = t["interval"]
    paced = np.where(mean > 0.0, mean + STEADY * (step - mean), step)
    t["interval"] = np.where((step > 0.0) & (step < 1.0), paced, mean)
    t["times"][:, :-1] = t["times"][:, 1:]
    t["times"][:, -1] = sent


def _slope(t0: Array, t1: Array, t2: Array, q0: Array, q1: Array, q2: Array) -> Array:
    """Return the slope at the middle of three postures: by the outer two, or those there are."""
    first = np.isfinite(t0) & (t1 > t0)
    low, q_low = np.where(first, t0, t1), np.where(first[:, None], q0, q1)
    second = np.isfinite(t2) & (t2 > t1)
    high, q_high = np.where(second, t2, t1), np.where(second[:, None], q2, q1)
    span = high - low
    slope = (q_high - q_low) / np.where(span > 0.0, span, 1.0)[:, None]
    return np.asarray(np.where((span > 0.0)[:, None] & np.isfinite(slope), slope, 0.0))
