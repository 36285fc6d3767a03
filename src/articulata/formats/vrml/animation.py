"""What moves in a file: TimeSensors run interpolators, ROUTEs lead their values into fields.

ISO/IEC 14772-1:1997: 4.6.8 (interpolators), 4.6.9 (time-dependent nodes), 4.10.2 (routes), 6.50
(TimeSensor); the same in ISO/IEC 19775-1, 8 and 19. Time 0 is when the world is opened: a
TimeSensor runs that loops, or that starts later than that. What waits for a person or a Script
stands still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, inf, isinf, lcm
from typing import Final

import numpy as np

from articulata.formats.scenes.foreign_scene import GROWS
from articulata.formats.scenes.scene_motion import (
    JUMP,
    WITHIN,
    SceneGrowth,
    SceneMotion,
    SceneZoom,
    rigid,
    traced,
)
from articulata.formats.vrml.graph import Node, Route
from articulata.formats.vrml.shape_nodes import rotation, transform
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import translation
from articulata.geometry.poses import inverse_pose, make_pose
from articulata.geometry.quaternion import q_from_matrix, q_slerp, q_to_matrix

INTERPOLATORS: Final = {
    "PositionInterpolator": 3, "OrientationInterpolator": 4, "ScalarInterpolator": 1,
}  # fmt: skip
"""Those that are run, and how many numbers a value has."""
RUN: Final = ("TimeSensor", *INTERPOLATORS)
MOVED: Final = {
    **dict.fromkeys(("CADPart", "Transform"), ("translation", "rotation")),
    "Viewpoint": ("position", "orientation"),
}
"""Fields by which a node moves: where it is, and how it is turned."""
UNMOVED: Final = {
    "scale": "scale that changes with what moves in it (it stays as at the start)",
    "scaleOrientation": "scale that changes (it stays as at the start)",
    "center": "centre of turns that moves (it stays as at the start)",
}
"""Fields of what moves that worlds hold still, and how that is called."""
ANGLES: Final = (0.02, 3.0)
"""rad. Angles of view that a lens can have."""
MOST_BREAKS: Final = 20_000
"""Corners of one motion."""
MOST_LINKS: Final = 20
"""ROUTEs after one another."""
MOST_ROUNDS: Final = 60
"""Rounds of the slowest clock after which those that move one thing have to begin anew together."""
HORIZON: Final = 60.0
"""s for which a thing is followed whose clocks do not fit together."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A TimeSensor that runs from ``start`` until ``stop`` (s), in cycles of ``period`` (s)."""

    start: float
    stop: float
    period: float

    def fraction(self, t: Array) -> Array:
        """Return ``fraction_changed`` (m,) at ``t`` (m,) s, NaN before the start."""
        since = np.minimum(t, self.stop) - self.start
        part = (since / self.period) % 1.0
        part[(part == 0.0) & (since > 0.0)] = 1.0
        part[since < 0.0] = np.nan
        return part

    def breaks(self, end: float) -> Array:
        """Return when a cycle begins or it stops, until ``end`` (s)."""
        last = min(end, self.stop)
        first = np.floor(-self.start / self.period) if self.start < 0.0 else 0.0
        rounds = np.arange(first, min((last - self.start) / self.period, first + MOST_BREAKS) + 1.0)
        found = self.start + rounds * self.period
        return np.append(found[(found >= 0.0) & (found <= last)], [] if isinf(last) else [last])


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """A value over time: a clock's fraction, through ``steps`` of keys (k,) and values (k, w).

    Four numbers are quaternions.
    """

    clock: Clock
    steps: tuple[tuple[Array, Array], ...] = ()

    def at(self, t: Array) -> Array:
        """Return values (m, w) at ``t`` (m,) s, NaN before the clock starts."""
        found = self.clock.fraction(t)[:, None]
        for keys, values in self.steps:
            found = _between(keys, values, found[:, 0])
        return found

    def breaks(self, end: float) -> Array:
        """Return the times until ``end`` (s) at which it bends or jumps."""
        found = self.clock.breaks(end)
        for number, (keys, _) in enumerate(self.steps):
            before = Signal(self.clock, self.steps[:number])
            edges = np.unique(np.concatenate([found, [0.0, end]]))
            if len(edges) * len(keys) > 50 * MOST_BREAKS:
                return np.full(MOST_BREAKS + 1, end)
            a, span = edges[:-1], np.diff(edges)
            low, high = (before.at(a + share * span)[:, :1] for share in (0.25, 0.75))
            with np.errstate(divide="ignore", invalid="ignore"):
                share = 0.25 + 0.5 * (keys - low) / (high - low)
            crossed = (share > 0.0) & (share < 1.0)
            found = np.concatenate([found, (a[:, None] + share * span[:, None])[crossed]])
        return found


def _between(keys: Array, values: Array, f: Array) -> Array:
    """Return an interpolator's values (m, w) at fractions (m,)."""
    after = np.searchsorted(keys, f, side="right")
    k = np.clip(after - 1, 0, max(len(keys) - 2, 0))
    m = np.minimum(k + 1, len(keys) - 1)
    span = np.where(keys[m] > keys[k], keys[m] - keys[k], 1.0)
    share = np.clip((f - keys[k]) / span, 0.0, 1.0)
    share[after >= len(keys)] = 1.0
    share[after == 0] = 0.0
    share[np.isnan(f)] = np.nan
    if values.shape[1] == 4:
        return np.asarray(q_slerp(values[k], values[m], share))
    return np.asarray((1.0 - share[:, None]) * values[k] + share[:, None] * values[m])


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """A Transform or Viewpoint that moves: ``place`` and ``turn`` are signals, else as it stands.

    ``scale`` tells its sizes and moves nothing: ``at`` has them as at the start.
    The point ``pivot`` (3,) of its own frame goes as ``place`` does, however it turns.
    """

    node: Node
    place: Signal | None
    turn: Signal | None
    pivot: Array
    scale: Signal | None = None

    @property
    def signals(self) -> list[Signal]:
        """What moves it."""
        return [each for each in (self.place, self.turn) if each is not None]

    def at(self, t: Array) -> Array:
        """Return its map (m, 4, 4) to what it is in at ``t`` (m,) s."""
        where, how = (self.node.get(each) for each in MOVED[self.node.type])
        p, q = np.tile(where, (len(t), 1)), np.tile(_quaternion(how), (len(t), 1))
        for signal, rows in ((self.place, p), (self.turn, q)):
            if signal is not None:
                said = signal.at(t)
                begun = np.isfinite(said).all(axis=1)
                rows[begun] = said[begun]
        turned = make_pose(q_to_matrix(q), p + self.pivot)
        if self.node.type == "Viewpoint":
            return turned
        still = make_pose(rotation(how), where + self.pivot)
        return np.asarray(turned @ (inverse_pose(still) @ transform(self.node)))


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Where a node is: ``M`` (4, 4) in W at the start; ``drives`` move it, each in a map (4, 4).

    ``tail`` (4, 4) is what comes after the last of them.
    """

    M: Array
    drives: tuple[tuple[Array, Drive], ...] = ()
    tail: Array = field(default_factory=lambda: np.eye(4))

    def __matmul__(self, M: Array) -> Way:
        return Way(self.M @ M, self.drives, self.tail @ M)

    def through(self, drive: Drive) -> Way:
        """Return the way on through what moves."""
        M = self.M @ drive.at(np.zeros(1))[0]
        return Way(M, (*self.drives, (self.tail, drive)), np.eye(4))

    def places(self, t: Array) -> Array:
        """Return where the last that moves is (m, 4, 4), its pivot the origin."""
        M = np.tile(np.eye(4), (len(t), 1, 1))
        for before, drive in self.drives:
            M = M @ before @ drive.at(t)
        return np.asarray(M @ translation(*self.drives[-1][1].pivot))

    def growth(self) -> SceneGrowth | None:
        """Return how what it leads to grows about the pivot of the last that moves.

        None where nothing does, or where it would be bent: it grows along axes of its own.
        """
        if not self.drives or any(drive.scale for _, drive in self.drives[:-1]):
            return None
        before, drive = self.drives[-1]
        signal, first = drive.scale, drive.node.get("scale")
        if signal is None or not np.all(first > 0.0):
            return None
        around = np.eye(4)
        for outer, each in self.drives[:-1]:
            around = around @ outer @ each.at(np.zeros(1))[0]
        S = rigid(around @ before)[1]
        even = np.allclose(S, S[0, 0] * np.eye(3), rtol=0.0, atol=1e-9 * abs(S[0, 0]))
        values = _values(signal)
        if values is None or not even:
            return None
        times, scales, again = values
        scales = np.where(np.isnan(scales), first, scales) / first
        turned = not np.allclose(rotation(drive.node.get("scaleOrientation")), np.eye(3))
        if turned and np.ptp(scales, axis=1).max() > 1e-9:
            return None
        return SceneGrowth(times, scales, again) if np.ptp(scales) > 0.0 else None

    def motion(self, lost: Counter[str]) -> SceneMotion | None:
        """Return the motion of the last that moves, its pivot the origin; what is lost counted."""
        signals = [each for _, drive in self.drives for each in drive.signals]
        if not signals:
            return None
        clocks = {each.clock for each in signals}
        begin, end, again = _span(clocks)
        breaks = np.concatenate([each.breaks(end) for each in signals])
        if len(breaks) > MOST_BREAKS:
            lost[f"motion with more than {MOST_BREAKS} corners"] += 1
            return None
        if not again and any(isinf(each.stop) for each in clocks):
            lost[f"motion after {end:g} s (its clocks have no common cycle)"] += 1
        bent = np.ptp([rigid(M)[1] for M in self.places(np.linspace(begin, end, 9))], axis=0)
        if np.max(bent) > 1e-6:
            lost["scale that turns (it stays as at the start)"] += 1

        def poses(t: Array) -> Array:
            return np.array([rigid(each)[0] for each in self.places(t)])

        made, within = traced(poses, breaks, begin, end, again=again)
        if within > WITHIN:
            lost[f"motion (it is kept within {within:.0e} m and rad)"] += 1
        return made


def _span(clocks: Iterable[Clock]) -> tuple[float, float, bool]:
    """Return from when until when (s) clocks tell all, and whether it begins anew then."""
    begins = {max(each.start, 0.0) for each in clocks}
    ends = [each.stop for each in clocks if not isinf(each.stop)]
    periods = [Fraction(str(each.period)) for each in clocks]
    common = Fraction(lcm(*(each.numerator for each in periods)),
                      gcd(*(each.denominator for each in periods)))  # fmt: skip
    if not ends and len(begins) == 1 and common <= MOST_ROUNDS * max(periods):
        (begin,) = begins
        return begin, begin + float(common), True
    return min(begins), max([*ends, *([] if len(ends) == len(periods) else [HORIZON])]), False


def _values(signal: Signal) -> tuple[Array, Array, bool] | None:
    """Return the times (n,) s and values (n, w) of a signal, and whether it begins anew.

    NaN before it starts; None where it has too many corners.
    """
    begin, end, again = _span([signal.clock])
    breaks = signal.breaks(end)
    if len(breaks) > MOST_BREAKS:
        return None
    inside = breaks[(breaks > begin + JUMP) & (breaks < end - 2.0 * JUMP)]
    times = np.unique(np.concatenate([[begin], inside, inside + JUMP, [end - JUMP, end]]))
    values = signal.at(times)
    if again:
        values[-1] = values[0]
    return times, values, again


def _quaternion(turn: Array) -> Array:
    return np.asarray(q_from_matrix(rotation(turn)))


class Animation:
    """What the routes of a world's files do; ``used`` holds the ids of routes and nodes.

    ``grown`` holds those of nodes whose changing scale is kept.
    """

    def __init__(self) -> None:
        self.used: set[int] = set()
        self.grown: set[int] = set()
        self.routes: list[Route] = []
        self._targets: dict[tuple[int, str], Node] = {}
        self._into: dict[tuple[int, str], list[tuple[Node, str, Route]]] = {}
        self._drives: dict[int, Drive | None] = {}

    def take(self, routes: Iterable[Route]) -> None:
        """Take the routes of a file."""
        for route in routes:
            self.routes.append(route)
            for source, out in _ends(route.source, route.out, "_changed"):
                for target, into in _ends(route.target, route.into, "set_"):
                    self._targets[id(target), into] = target
                    found = self._into.setdefault((id(target), into), [])
                    found.append((source, out, route))

    def drive(self, node: Node) -> Drive | None:
        """Return how a node moves, None where it stands still."""
        if node.type not in MOVED:
            return None
        if id(node) not in self._drives:
            place, turn = (self._signal(node, each, 0) for each in MOVED[node.type])
            pivot = np.zeros(3) if node.type == "Viewpoint" else node.get("center")
            size = self._signal(node, "scale", 0) if "scale" in node.spec else None
            moves = any(each is not None for each in (place, turn, size))
            self._drives[id(node)] = Drive(node, place, turn, pivot, size) if moves else None
        return self._drives[id(node)]

    def zoom(self, node: Node, lost: Counter[str]) -> SceneZoom | None:
        """Return how the angle of view of a Viewpoint changes, None where it does not."""
        signal = self._signal(node, "fieldOfView", 0)
        if signal is None:
            return None
        values = _values(signal)
        if values is None:
            lost[f"zoom with more than {MOST_BREAKS} corners"] += 1
            return None
        times, (angles,), again = values[0], values[1].T, values[2]
        angles = np.clip(np.where(np.isnan(angles), node.get("fieldOfView"), angles), *ANGLES)
        return SceneZoom(times, angles, again) if np.ptp(angles) > 0.0 else None

    def count_lost(self, lost: Counter[str]) -> None:
        """Count what runs and changes what worlds hold still."""
        for (_, name), node in self._targets.items():
            if node.type in MOVED and name in UNMOVED and self._signal(node, name, 0) is not None:
                kept = name == "scale" and id(node) in self.grown
                lost[GROWS if kept else UNMOVED[name]] += 1

    def _signal(self, node: Node, name: str, depth: int) -> Signal | None:
        """Return what comes into a field, None where nothing runs that leads there."""
        if depth > MOST_LINKS:
            return None
        for source, out, route in self._into.get((id(node), name), ()):
            found = self._out(source, out, depth)
            if found is not None:
                self.used |= {id(route), id(source)}
                return found
        return None

    def _out(self, node: Node, name: str, depth: int) -> Signal | None:
        if node.type == "TimeSensor":
            clock = _clock(node) if name == "fraction_changed" else None
            return None if clock is None else Signal(clock)
        if node.type not in INTERPOLATORS:
            return self._signal(node, name, depth + 1)
        before = self._signal(node, "set_fraction", depth + 1)
        if before is None or name != "value_changed":
            return None
        keys, values = node.get("key").reshape(-1), node.get("keyValue")
        if not len(keys) or not len(values):
            return None
        if len(keys) != len(values) or np.any(np.diff(keys) < 0.0):
            raise node.error(
                f"{node} has {len(keys)} keys and {len(values)} values; give a value for each key, "
                "keys in rising order"
            )
        if node.type == "OrientationInterpolator":
            values = np.array([_quaternion(each) for each in values])
        return Signal(before.clock, (*before.steps, (keys, values)))


def _clock(node: Node) -> Clock | None:
    """Return what a TimeSensor tells; None where it waits for an event."""
    period, start, stop = (
        float(node.get(each)[0]) for each in ("cycleInterval", "startTime", "stopTime")
    )
    if not period > 0.0:
        raise node.error(f"{node} has a cycleInterval of {period:g} s; give more than 0")
    end = inf if node.get("loop") else start + period
    if stop > start:
        end = min(end, stop)
    runs = node.get("enabled") and end > 0.0 and (node.get("loop") or start > 0.0)
    return Clock(start, end, period) if runs else None


def _ends(node: Node, name: str, affix: str) -> list[tuple[Node, str]]:
    """Return the nodes and fields that an event of a node goes to, those in a prototype's body."""
    plain = name.removeprefix(affix).removesuffix(affix)
    if node.body is None:
        return [(node, name if name in node.spec else plain)]
    links = node.links.get(name) or node.links.get(plain) or []
    return [end for inner, field in links for end in _ends(inner, field, affix)]
