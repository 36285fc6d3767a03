"""Watching a motion for the instants that clauses and breakable hinges wait for.

Every condition is a margin that is positive where it holds. A watch is armed while its margin is
not, and goes off at the exact instant at which the margin rises through zero: it is bracketed on
the motion within a step, between samples and at the peaks between them, then found by Brent's
method. What jumps, at an impact or an edit, goes off at that very instant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from articulata.analyses.simulate.colliding import Pair, driven_pairs, meeting, overlap
from articulata.analyses.simulate.conditions import Read, margin, paths, show
from articulata.analyses.simulate.editing import Mover
from articulata.analyses.simulate.following import Following
from articulata.analyses.simulate.looking import Look, View
from articulata.analyses.simulate.matching import title
from articulata.analyses.simulate.reacting import OVERLOAD
from articulata.domains.dynamic.channels import STEP
from articulata.domains.dynamic.methods import DOP853
from articulata.domains.dynamic.model import DynamicModel
from articulata.domains.protocols import Control
from articulata.errors import NameNotFound, RecordingError, SimulationError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, Value
from articulata.records.state import Channel, State
from articulata.world.model import Hinge
from articulata.world.paths import resolve, resolve_hinge
from articulata.world.requests import Rule

SOLVED = frozenset({"force", "moment", "a", "alpha"})
"""Quantities that a state alone does not tell: the equations have to be solved for them."""

SAMPLES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of a step at which margins are looked at; peaks between them are searched."""

ROUNDING = 1e-9
"""Margins (SI units) above this below zero count as held already where a run goes on."""

PEAKS = 12
"""Parabolas laid through a peak before it is taken as known."""

NEARLY = 0.2
"""Share of what a margin varies by within a step below zero at which a peak is still searched."""

At = Callable[[float], State]
"""The state at a share (0 to 1) of the step under way."""


@dataclass(slots=True)
class Watch:
    """A condition, a hinge's strength or bodies that meet; ``armed`` while it may still go off."""

    key: str
    rule: Rule | None
    hinge: Hinge | None
    number: int
    solved: bool
    armed: bool = True
    off: float = -np.inf
    """When (s) it went off last: what rounding says at that very instant is no news."""
    pair: Pair | None = None

    @property
    def strength(self) -> bool:
        """Whether it watches what a hinge bears."""
        return self.hinge is not None and self.rule is None


class Watcher:
    """All that one simulation waits for besides what bodies do to each other."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._instants = sorted(
            (float(rule.operands[0]), number, rule)  # type: ignore[arg-type] # a time, in s
            for number, rule in enumerate(rules)
            if rule.event == "time"
        )
        self._conditions = [rule for rule in rules if rule.event == "condition"]
        self._limits = [rule for rule in rules if rule.event == "limit"]
        self._watches: list[Watch] = []
        self._view: View | None = None
        self._seen: Look | None = None
        self._ends: tuple[float, dict[str, float]] = -np.inf, {}
        self._hit: tuple[float, tuple[Watch, ...]] | None = None

    @property
    def busy(self) -> bool:
        """Whether there is anything to wait for."""
        return bool(self._watches or self._instants)

    def begin(self, mover: Mover, state: State, channels: tuple[Channel, ...]) -> None:
        """Take up the start: instants before it are over, and what holds already is no news.

        So is the very instant that a run goes on from: what was due then has been dealt with.
        """
        self._instants = [
            each for each in self._instants if each[0] > state.time or state.time == 0.0 == each[0]
        ]
        self.edited(mover, channels)
        if any(watch.rule is not None or watch.pair is not None for watch in self._watches):
            look = self._look(state, None)
            for watch in self._watches:
                value = self._margin(watch, look)
                if state.time > 0.0 and watch.rule is not None and value > -ROUNDING:
                    watch.armed, watch.off = False, state.time
                elif watch.hinge is None and value > 0.0:
                    watch.armed = False

    def edited(self, mover: Mover, channels: tuple[Channel, ...]) -> None:
        """Take up the world after an edit; watches that go on keep whether they are armed."""
        self._view, self._seen, self._hit = View(mover, channels), None, None
        armed = {watch.key: (watch.armed, watch.off) for watch in self._watches}
        self._watches = []
        world = mover.world
        for number, rule in enumerate(self._conditions):
            solved = False
            try:
                for path in paths(rule.operands):
                    solved |= resolve(world, path).quantity in SOLVED
            except NameNotFound as error:
                if not armed and not world.version:
                    raise SimulationError(f"{rule.span}: {title(rule)}: {error}") from error
                continue  # an edit took away what it is about
            self._watches.append(Watch(f"clause {number}", rule, None, number, solved))
        # what moves by forces and follows contact stops at limits, and tells so itself
        stops = isinstance(mover, DynamicModel) and mover.touching
        for rule in () if stops else self._limits:
            with suppress(NameNotFound):
                hinge = world.hinges[resolve_hinge(world, str(rule.operands[0]))]
                key = f"limit {hinge.id}"
                if hinge.limits and all(watch.key != key for watch in self._watches):
                    self._watches.append(Watch(key, rule, hinge, 0, False))
        if not isinstance(mover, Following):
            for number, hinge in enumerate(world.hinges.values()):
                if hinge.strength != (None, None):
                    self._watches.append(Watch(hinge.id, None, hinge, number, True))
        for pair in driven_pairs(mover):
            self._watches.append(Watch(f"meeting {pair}", None, None, 0, False, pair=pair))
        for watch in self._watches:
            watch.armed, watch.off = armed.get(watch.key, (True, -np.inf))

    def next_instant(self, time: float) -> float:
        """Return the next instant (s) after ``time`` that a clause names, or infinity."""
        return next((at for at, _, _ in self._instants if at > time), np.inf)

    # ---- what is due at a state

    def due(self, mover: Mover, state: State, cycle: Control) -> list[Event]:
        """Return the events of all that goes off at ``state`` itself."""
        events: list[Event] = []
        while self._instants and self._instants[0][0] <= state.time:
            _, _, rule = self._instants.pop(0)
            story = f"The clock shows {state.time:.9g} s."
            events.append(_clause_event(state.time, "time", rule, story, ()))
        if self._watches:
            look = self._look(state, cycle)
            for watch in self._watches:
                value = self._margin(watch, look)
                if watch.armed and value > 0.0:
                    watch.armed, watch.off = False, state.time
                    events.append(self._event(watch, state, cycle))
                elif value < 0.0 and state.time > watch.off:
                    watch.armed = True
        return events

    def _event(self, watch: Watch, state: State, cycle: Control) -> Event:
        look = self._look(state, cycle)
        if watch.hinge is not None and watch.rule is None:
            return _overload(watch.hinge, look.arrays.forces[watch.number], state.time)
        if watch.pair is not None:
            return meeting(look.world, watch.pair, state.time, look.value)
        assert watch.rule is not None
        if watch.hinge is not None:
            return _at_limit(watch.hinge, state.time, look.value)
        who = tuple(dict.fromkeys(paths(watch.rule.operands)))
        story = f"From now on {show(watch.rule.operands)} (SI units)."
        return _clause_event(state.time, "condition", watch.rule, story, who)

    # ---- the way to the next instant

    def leg(
        self, mover: Mover, state: State, goal: float, cycle: Control
    ) -> tuple[State, list[Event]]:
        """Return the state at ``goal`` (s), or at the first event on the way with the events."""
        watched = any(watch.armed for watch in self._watches)
        self._hit = None
        if watched:
            look = self._look(state, cycle)
            starts = {each.key: self._margin(each, look) for each in self._watches if each.armed}
            self._ends = state.time, starts
        if not isinstance(mover, Following) and mover.touching:
            watch = None
            if watched:

                def watch(at: At, last: float) -> float:
                    return self._first(at, last, cycle)

            after, found = mover.leg(state, goal, cycle, watch)
            events = list(found)
        elif watched:
            after, events = self._advanced(mover, state, goal, cycle), []
        else:
            return _at(mover.advance(state, goal - state.time, cycle), goal), []
        for each in self._struck(after.time, goal):
            each.armed, each.off = False, after.time
            events.append(self._event(each, after, cycle))
        return after, events

    def _struck(self, time: float, goal: float) -> tuple[Watch, ...]:
        """Return what goes off at ``time``, where the leg to ``goal`` has ended."""
        if self._hit is None or time != min(self._hit[0], goal):
            return ()
        return self._hit[1]

    def _advanced(self, mover: Mover, state: State, goal: float, cycle: Control) -> State:
        """Return the state a step later, or at the instant at which something goes off.

        For movers that stop at nothing on their way: any state within the step is found by a
        shorter step of its own, as exact as the whole one.
        """
        rest = goal - state.time
        h = min(_step(mover, state), rest)
        h = rest if h >= rest * (1.0 - 1e-12) else h
        end = goal if h == rest else state.time + h
        known: dict[float, State] = {0.0: state}

        def at(share: float) -> State:
            if share not in known:
                made = mover.advance(state, share * h, cycle)
                known[share] = _at(made, end if share == 1.0 else state.time + share * h)
            return known[share]

        whole = at(1.0)
        share = self._first(at, 1.0, cycle)
        return whole if share > 1.0 else at(share)

    def _first(self, at: At, last: float, cycle: Control) -> float:
        """Return the first share up to ``last`` at which a watch goes off; above 1 for none."""
        looks: dict[float, Look] = {}

        def look(share: float) -> Look:
            if share not in looks:
                looks[share] = self._look(at(share), cycle)
            return looks[share]

        begin, known = self._ends
        known = known if begin == at(0.0).time else {}
        shares = [last * share for share in SAMPLES]
        first, hit, ends = 2.0, list[Watch](), dict[str, float]()
        for watch in self._watches:
            if not watch.armed:
                continue

            def of(share: float, watch: Watch = watch) -> float:
                return self._margin(watch, look(share))

            start = known.get(watch.key)
            values = _sampled(of, shares, of(0.0) if start is None else start, watch.strength)
            ends[watch.key] = values[-1]
            found = _rise(of, shares, values) if len(values) == len(shares) else 2.0
            if found < first * (1.0 - 1e-12):
                first, hit = found, []
            if found <= first * (1.0 + 1e-12) and found <= 1.0:
                hit.append(watch)
        self._ends = (at(1.0).time if last == 1.0 else -np.inf), ends
        if first <= 1.0:
            self._hit = at(first).time, tuple(hit)
        return first

    # ---- margins

    def _look(self, state: State, cycle: Control | None) -> Look:
        """Return a look at ``state``; one that was taken just before is taken again."""
        if self._seen is None or self._seen.state is not state or self._seen.cycle is not cycle:
            assert self._view is not None
            self._seen = self._view.at(state, cycle)
        return self._seen

    def _margin(self, watch: Watch, look: Look) -> float:
        """Return the margin of a watch; without a cycle, of what needs none."""
        if watch.pair is not None:
            return overlap(look.world, look.arrays, watch.pair)
        if watch.solved and look.cycle is None:
            return -1.0
        if watch.rule is None:
            assert watch.hinge is not None
            return _excess(watch.hinge, look.arrays.forces[watch.number])
        if watch.hinge is not None:
            return max(_beyond(watch.hinge, look.value))
        try:
            return margin(watch.rule.operands, look.value)
        except (NameNotFound, RecordingError) as error:
            told = f"{watch.rule.span}: {title(watch.rule)}: {error}"
            raise SimulationError(told) from error


def _beyond(hinge: Hinge, read: Read) -> list[float]:
    """Return by how much each coordinate of a hinge is beyond its limits; negative within them."""
    found = []
    for name, (low, high) in zip(hinge.kind.coordinates, hinge.limits, strict=True):
        value = float(read(f"{hinge.id}.{name}"))
        found.append(max(value - high, low - value))
    return found


def _at_limit(hinge: Hinge, time: float, read: Read) -> Event:
    """Return the event of a hinge that reaches one of its limits."""
    place = int(np.argmax(_beyond(hinge, read)))
    name, (low, high) = hinge.kind.coordinates[place], hinge.limits[place]
    value = float(read(f"{hinge.id}.{name}"))
    limit = high if value - high > low - value else low
    unit = "m" if name == "travel" else "rad"
    story = f"Hinge {hinge.id} reaches a limit: its {name} is {limit:.9g} {unit}."
    values: dict[str, Value] = {"coordinate": name, "limit": limit, "value": value}
    return Event(time, "limit", (hinge.id,), (), MappingProxyType(values), story, hinge.span)


def _at(state: State, time: float) -> State:
    return State(time, state.arrays, state.version)


def _step(mover: Mover, state: State) -> float:
    """Return how far (s) a mover goes at once."""
    if not isinstance(mover, DynamicModel):
        return np.inf
    if isinstance(mover.method, DOP853):
        h = float(state.arrays[STEP][0]) if STEP in state.arrays else 0.0
        return h if h > 0.0 else 1e-3
    return float(getattr(mover.method, "step", np.inf))


def _sampled(
    of: Callable[[float], float], shares: list[float], start: float, sparsely: bool
) -> list[float]:
    """Return margins at ``shares``, the first of which has ``start``.

    Where they may be taken ``sparsely`` only every other one is, if these are below zero by more
    than they differ: a parabola through them rises above them by an eighth of that at most.
    """
    if sparsely:
        few = [start, *(of(share) for share in shares[2::2])]
        if 2.0 * max(few) < min(few):
            return few
        return [start, of(shares[1]), few[1], of(shares[3]), few[2]]
    return [start, *(of(share) for share in shares[1:])]


def _rise(of: Callable[[float], float], shares: list[float], values: list[float]) -> float:
    """Return the first share at which a margin rises through zero; above 1 for none."""
    positive = next((k for k, value in enumerate(values) if value > 0.0), None)
    if positive == 0:
        return shares[0]
    last = len(values) - 1 if positive is None else positive
    for k in range(1, last):
        top = _peak(of, shares[k - 1 : k + 2], values[k - 1 : k + 2], max(values) - min(values))
        if top is not None:
            return _root(of, max(share for share in shares if share < top), top)
    return 2.0 if positive is None else _root(of, shares[positive - 1], shares[positive])


def _peak(
    of: Callable[[float], float], shares: list[float], values: list[float], spread: float
) -> float | None:
    """Return a share at which a peak near three samples is above zero, if there is one."""
    x, y = list(shares), list(values)
    for _ in range(PEAKS):
        top = _vertex(x, y)
        if top is None or not x[0] < top < x[2] or min(abs(top - each) for each in x) < 1e-9:
            return None
        if _parabola(x, y, top) < -NEARLY * spread:
            return None
        value = of(top)
        if value > 0.0:
            return top
        place = 1 if top < x[1] else 2
        x.insert(place, top)
        y.insert(place, value)
        best = min(max(int(np.argmax(y)), 1), 2)
        x, y = x[best - 1 : best + 2], y[best - 1 : best + 2]
    return None


def _vertex(x: list[float], y: list[float]) -> float | None:
    """Return where the parabola through three points is highest; None where it has no peak."""
    a, b = x[1] - x[0], x[1] - x[2]
    p, q = a * (y[1] - y[2]), b * (y[1] - y[0])
    if not p - q > 0.0:
        return None
    return x[1] - 0.5 * (a * p - b * q) / (p - q)


def _parabola(x: list[float], y: list[float], at: float) -> float:
    """Return the value at ``at`` of the parabola through three points."""
    total = 0.0
    for k in range(3):
        share = y[k]
        for n in range(3):
            if n != k:
                share *= (at - x[n]) / (x[k] - x[n])
        total += share
    return total


def _root(of: Callable[[float], float], low: float, high: float) -> float:
    """Return where a margin rises through zero, on the side where it is positive."""
    from scipy.optimize import brentq

    if of(low) > 0.0:
        return low
    found = float(brentq(of, low, high, xtol=1e-16, rtol=4.0 * np.finfo(float).eps))
    step = 1e-15 * max(abs(found), 1e-3)
    while of(found) <= 0.0 and found + step < high:
        found, step = found + step, 2.0 * step
    return min(found, high)


# ---- strength


def _excess(hinge: Hinge, wrench: Array) -> float:
    """Return by which share a hinge bears more than it can; negative where it holds."""
    force, moment = hinge.strength
    found = -np.inf
    if force is not None:
        found = float(np.linalg.norm(wrench[:3])) / max(force, 1e-300) - 1.0
    if moment is not None:
        found = max(found, float(np.linalg.norm(wrench[3:])) / max(moment, 1e-300) - 1.0)
    return found


def _overload(hinge: Hinge, wrench: Array, time: float) -> Event:
    """Return the event of a hinge that bears more than it can."""
    force, moment = (float(np.linalg.norm(part)) for part in (wrench[:3], wrench[3:]))
    limits = hinge.strength
    values: dict[str, Value] = {
        "force": force,
        "moment": moment,
        "force_vector": tuple(wrench[:3].tolist()),
        "moment_vector": tuple(wrench[3:].tolist()),
    }
    shares = [0.0, 0.0]
    for k, (name, borne) in enumerate((("force", force), ("moment", moment))):
        limit = limits[k]
        if limit is not None:
            values[f"strength_{name}"] = float(limit)
            shares[k] = borne / max(limit, 1e-300)
    worst = int(np.argmax(shares))
    unit = ("N", "N m")[worst]
    what = ("force", "moment")[worst]
    borne, limit = (force, moment)[worst], limits[worst]
    values[OVERLOAD] = what
    where = tuple(str(ref) for pair in hinge.matching for ref in pair)
    story = (
        f"Hinge {hinge.id} gives way: it bears a {what} of {borne:.9g} {unit} and holds "
        f"{limit:.9g} {unit}."
    )
    return Event(time, "break", (hinge.id,), where, MappingProxyType(values), story, hinge.span)


def _clause_event(time: float, kind: str, rule: Rule, story: str, who: tuple[str, ...]) -> Event:
    values: dict[str, Value] = {"clause": title(rule)}
    return Event(time, kind, who, (), MappingProxyType(values), story, rule.span)
