"""Walls of a scanned room: lines on its plan, from points above most furniture, with openings.

Lines are found by the Hough transform, one at a time, each the longest that is left (Duda and Hart,
"Use of the Hough transformation to detect lines and curves in pictures", 1972).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from shapely import Polygon

from articulata.formats.rooms.levelled_scan import Scan
from articulata.formats.rooms.raised_outlines import THICK
from articulata.geometry.arrays import Array, BoolArray

BAND: Final = 0.3
"""m below the ceiling in which walls are sought: most furniture is lower."""
LOWEST: Final = 1.2
"""m. What reaches no higher is no wall."""
CEILING: Final = 1.8
"""m above the floor from which a level area is a ceiling."""
SHORTEST: Final = 0.4
"""m, of a wall."""
MOST_WALLS: Final = 60
FEW: Final = 8_000
"""Points in which lines are sought."""
BIN: Final = 0.05
"""m along a wall."""
JOINED: Final = 2.0
"""m. A longer gap parts a wall in two; a shorter one does where the floor goes on through it."""
DOOR: Final = 0.6
"""m. A narrower gap is a hole of the scan."""


@dataclass(slots=True, eq=False)
class Wall:
    """A wall's face on the plan: from ``start`` (2,) m ``length`` m ``along``; ``out`` of the room.

    ``openings`` are (from, to) m along it and their height; it is ``height`` m high.
    """

    start: Array
    along: Array
    out: Array
    length: float
    height: float
    beyond: float
    openings: list[tuple[float, float, float]] = field(default_factory=list)

    def at(self, points: Array) -> tuple[Array, Array]:
        """Return how far points (n, 2+) are along the wall and out of the room, m."""
        off = points[:, :2] - self.start
        return off @ self.along, off @ self.out

    def outline(self) -> Polygon:
        """Return where it stands, over x and y."""
        a, b = self.start, self.start + self.length * self.along
        return Polygon([a, b, b + THICK * self.out, a + THICK * self.out])


def ceiling_of(scan: Scan) -> float | None:
    """Return how high (m) the ceiling is, None where little of it was seen."""
    z = scan.points[(scan.rising > 0.8) & (scan.points[:, 2] > CEILING), 2]
    counts, edges = np.histogram(z, np.arange(CEILING, z.max(initial=CEILING) + 0.1, 0.04))
    if not len(counts) or counts.max() < 0.25 * scan.floor.sum():
        return None
    at = edges[int(counts.argmax())] + 0.02
    return float(np.median(z[np.abs(z - at) < 0.06]))


def walls_of(scan: Scan, top: float) -> list[Wall]:
    """Return the walls of a room that is ``top`` m high, the longest first."""
    P = scan.points
    if top < LOWEST:
        return []
    upright = scan.rising < 0.6
    high = upright & (P[:, 2] > max(top - BAND, 0.5 * top)) & (P[:, 2] < top - scan.near)
    Q = P[high, :2]
    Q = Q[:: max(1, len(Q) // FEW)]
    floor = P[scan.floor, :2]
    low = P[upright & (P[:, 2] > 0.3) & (P[:, 2] < 1.8)]
    above = P[upright & (P[:, 2] > 1.8) & (P[:, 2] < top)]
    least = 0.5 * SHORTEST * len(Q) / max(_length(Q), SHORTEST)
    found: list[Wall] = []
    while len(Q) > 20 and len(found) < MOST_WALLS:
        direction, offset, inliers = _line(Q, scan.near)
        if inliers.sum() < least:
            break
        along = np.array([-direction[1], direction[0]])
        for start, end in _runs(Q[inliers] @ along, direction, offset, along, floor):
            wall = _wall(start, end, direction, offset, along, top, floor)
            _open(wall, low, above, floor, scan.near)
            found.append(wall)
        Q = Q[~inliers]
    return sorted(found, key=lambda each: -each.length)


def _length(Q: Array) -> float:
    """Return about how long (m) the lines are that points (n, 2) lie on."""
    return float(len(np.unique((Q / 0.1).astype(int), axis=0)) * 0.1)


def _line(Q: Array, near: float) -> tuple[Array, float, BoolArray]:
    """Return the line on which most points (n, 2) lie: normal, offset, and which these are."""
    most, n, offset = 0, np.array([1.0, 0.0]), 0.0
    for angle in np.radians(np.arange(180)):
        direction = np.array([np.cos(angle), np.sin(angle)])
        at = np.floor(Q @ direction / 0.03).astype(int)
        counts = np.bincount(at - (at.min() - 1), minlength=3)
        both = counts[:-1] + counts[1:]
        best = int(both.argmax())
        if both[best] > most:
            most, n, offset = int(both[best]), direction, 0.03 * float(best + at.min())
    for band in (0.05, near, near):
        inliers = np.abs(Q @ n - offset) < band
        if inliers.sum() < 3:
            break
        mean = Q[inliers].mean(axis=0)
        off = Q[inliers] - mean
        new = np.linalg.eigh(off.T @ off)[1][:, 0]
        n = new * np.sign(new @ n)
        offset = float(mean @ n)
    return n, offset, np.abs(Q @ n - offset) < near + 0.01


def _runs(
    s: Array, n: Array, offset: float, along: Array, floor: Array
) -> list[tuple[float, float]]:
    """Return from where to where (m) along a line points stand, over gaps without a floor."""
    bins = np.unique(np.floor(s / BIN).astype(int))
    if not len(bins):
        return []
    cuts = np.flatnonzero(np.diff(bins) > 0.5 / BIN)
    runs = [
        (BIN * float(part[0]), BIN * float(part[-1] + 1))
        for part in np.split(bins, cuts + 1)
        if len(part) * BIN >= 0.3 and len(part) > 0.4 * (part[-1] + 1 - part[0])
    ]
    across, on = floor @ n - offset, floor @ along
    joined: list[tuple[float, float]] = []
    for start, end in runs:
        if joined and start - joined[-1][1] < JOINED:
            gap = (joined[-1][1], start)
            through = [
                len(np.unique(np.floor(on[side & (on > gap[0]) & (on < gap[1])] / BIN)))
                for side in ((across > 0.02) & (across < 0.2), (across < -0.02) & (across > -0.2))
            ]
            if min(through) * BIN < 0.6 * (gap[1] - gap[0]):
                joined[-1] = (joined[-1][0], end)
                continue
        joined.append((start, end))
    exact = [(max(a, float(s.min())), min(b, float(s.max()))) for a, b in joined]
    return [each for each in exact if each[1] - each[0] >= SHORTEST]


def _wall(
    start: float, end: float, n: Array, offset: float, along: Array, top: float, floor: Array
) -> Wall:
    """Return a wall whose face looks to where the floor is."""
    on = floor @ along
    across = (floor @ n - offset)[(on > start) & (on < end)]
    sides = [
        [((sign * across > a) & (sign * across < b)).sum() for sign in (1.0, -1.0)]
        for a, b in ((0.03, 0.12), (0.03, 0.8), (0.03, np.inf))
    ]
    plus, minus = next((pair for pair in sides if max(pair) > 1.5 * min(pair) + 20), sides[-1])
    out = -n if plus > minus else n
    far = sides[1][0 if plus <= minus else 1]
    return Wall(offset * n + start * along, along, out, end - start, top, 0.15 if far > 50 else 0.6)


def _open(wall: Wall, low: Array, above: Array, floor: Array, near: float) -> None:
    """Note where a wall is open: nothing of it is seen there, and the floor goes on beyond it."""
    count = int(wall.length / BIN)
    closed, passed = np.zeros(count + 1, bool), np.zeros(count + 1, bool)
    for points, marks, least, most in ((low, closed, -near, near), (floor, passed, 0.02, 0.3)):
        s, d = wall.at(points)
        inside = (s >= 0.0) & (s < wall.length) & (d > least) & (d < most)
        marks[(s[inside] / BIN).astype(int)] = True
    ways = np.flatnonzero(~closed)
    for part in np.split(ways, np.flatnonzero(np.diff(ways) > 1) + 1):
        if len(part) * BIN < DOOR or passed[part].mean() < 0.6:
            continue
        a, b = BIN * float(part[0]), BIN * float(part[-1] + 1)
        s, d = wall.at(low[np.abs(wall.at(low)[1]) < near])
        a = float(s[s < a + 0.5 * BIN].max(initial=0.0)) if part[0] else 0.0
        b = min(float(s[s > b - 0.5 * BIN].min(initial=wall.length)), wall.length)
        s, d = wall.at(above)
        over = above[(s > a + 0.1) & (s < b - 0.1) & (np.abs(d) < near), 2]
        head = float(np.quantile(over, 0.02)) if len(over) > 20 else wall.height
        wall.openings.append((a, b, head))
