"""Watching a motion for the instants that clauses and breakable hinges wait for.

Every condition is a margin that is positive where it holds. A watch goes off at the exact instant
at which its margin rises through zero, and is armed again as soon as the margin has been below zero
by more than rounding: within a step, between two samples, or at the very instant, by an edit. What
jumps, at an impact or an edit, goes off at that very instant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

import numpy as np

from articulata.analyses.simulate.clearance import Pair, check_figures_apart, meeting
from articulata.analyses.simulate.crossings import (
    NEVER,
    SAMPLES,
    Read,
    closely,
    margin,
    next_rise,
    paths,
    periodic,
    sampled,
    show,
    terms,
)
from articulata.analyses.simulate.looking import Look, View
from articulata.analyses.simulate.matching import title
from articulata.analyses.simulate.motor_events import motor_events
from articulata.analyses.simulate.reacting import OVERLOAD
from articulata.analyses.simulate.remembering import RunMemory
from articulata.domains.protocols import At, Control, Motion
from articulata.errors import NameNotFound, RecordingError, SimulationError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, Value
from articulata.records.state import Channel, State
from articulata.world.edits.structure_edits import AddBody, AddComponent, MakeHinge
from articulata.world.model import Hinge
from articulata.world.paths import resolve, resolve_hinge
from articulata.world.requests.request import Rule

SOLVED = frozenset({"force", "moment", "a", "alpha"})
"""Quantities that a state alone does not tell: the equations have to be solved for them."""

ROUNDING = 1e-9
"""Margins (SI units) above this below zero count as held already where a run goes on."""

NOISE = 1e-12
"""What a margin must fall below zero by, beside the size of its terms, before it may rise again."""

NOISE_SOLVED = 1e-9
"""The same of margins for which the equations are solved."""

Ends = tuple[float, dict[str, tuple[float, bool]]]
"""A time (s), and the margin of every watch then and whether it was armed."""


@dataclass(slots=True)
class Watch:
    """A condition, a hinge's strength or bodies that meet; ``armed`` while it may still go off."""

    key: str
    rule: Rule | None
    hinge: Hinge | None
    number: int
    solved: bool
    armed: bool | None = True
    """None at a start where it is not known yet what holds: forces have not been solved for."""
    base: float = 0.0
    """Its margin at the instant it went off last, at most zero: what rounding has left there."""
    noise: float = 0.0
    """How far below that it counts as false."""
    pair: Pair | None = None
    told: Event | None = None
    """What it tells, where that is known beforehand, with another time."""

    @property
    def strength(self) -> bool:
        """Whether it watches what a hinge bears."""
        return self.hinge is not None and self.rule is None


class Watcher:
    """All that one simulation waits for besides what bodies do to each other."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._ordered = sorted(
            (float(rule.operands[0]), number, rule)  # type: ignore[arg-type] # a time, in s
            for number, rule in enumerate(rules)
            if rule.event == "time"
        )
        self._instants = list(self._ordered)
        self._conditions = [rule for rule in rules if rule.event == "condition"]
        self._limits = [rule for rule in rules if rule.event == "limit"]
        self._entering = frozenset(name for rule in rules for name in _entering(rule))
        self._watches: list[Watch] = []
        self._pairs: tuple[Pair, ...] = ()
        self._booked = False
        self._view: View | None = None
        self._seen: Look | None = None
        self._ends: list[Ends] = []
        self._resumed = False
        self._fresh = False
        self._edited = -np.inf
        self._hit: tuple[float, tuple[Watch, ...]] | None = None

    @property
    def busy(self) -> bool:
        """Whether there is anything to wait for."""
        return bool(self._watches or self._instants)

    def begin(self, mover: Motion, state: State, channels: tuple[Channel, ...]) -> None:
        """Take up the start: instants before it are over, and what holds already is no news.

        So is the very instant that a run goes on from: what was due then has been dealt with.
        """
        self._instants = [
            each for each in self._instants if each[0] > state.time or state.time == 0.0 == each[0]
        ]
        self.edited(mover, channels)
        self._resumed = state.time > 0.0
        look = self._look(state, None)
        if self._pairs and not self._resumed:
            check_figures_apart(look.world, look.overlaps(self._pairs))
        for watch in self._watches:
            if watch.strength:
                continue  # what bears too much at the start breaks there
            watch.armed = None
            if not watch.solved:
                self._settle(watch, self._margin(watch, look))

    def _settle(self, watch: Watch, value: float) -> None:
        """Decide whether a watch with this margin may go off, or holds at the start already."""
        held = value > -ROUNDING if self._resumed and watch.rule is not None else value > 0.0
        watch.armed, watch.base = not held, min(0.0, value) if held else 0.0

    def edited(self, mover: Motion, channels: tuple[Channel, ...]) -> None:
        """Take up the world after an edit; watches that go on keep whether they are armed."""
        self._view, self._seen, self._hit = View(mover, channels), None, None
        self._fresh = True
        before = {watch.key: watch for watch in self._watches}
        self._watches, self._booked = [], False
        world = mover.world
        for number, rule in enumerate(self._conditions):
            solved = False
            try:
                for path in paths(rule.operands):
                    it = resolve(world, path)
                    solved |= it.quantity in SOLVED
                    self._booked |= it.kind == "world" and it.quantity == "energy"
            except NameNotFound as error:
                missing = {path.partition(".")[0] for path in paths(rule.operands)}
                if not (before or world.version or missing & self._entering):
                    raise SimulationError(f"{rule.span}: {title(rule)}: {error}") from error
                continue  # what it is about has left the world, or is still to enter it
            self._watches.append(Watch(f"clause {number}", rule, None, number, solved))
        for key, rule, told in motor_events(world):
            self._watches.append(Watch(key, rule, None, 0, False, told=told))
        # what moves by forces and follows contact stops at limits, and tells so itself
        for rule in () if mover.stops else self._limits:
            with suppress(NameNotFound):
                hinge = world.hinges[resolve_hinge(world, str(rule.operands[0]))]
                key = f"limit {hinge.id}"
                if hinge.limits and all(watch.key != key for watch in self._watches):
                    self._watches.append(Watch(key, rule, hinge, 0, False))
        if mover.bears:
            for number, hinge in enumerate(world.hinges.values()):
                if hinge.strength != (None, None):
                    self._watches.append(Watch(hinge.id, None, hinge, number, True))
        self._pairs = mover.driven_pairs
        for pair in self._pairs:
            self._watches.append(Watch(f"meeting {pair}", None, None, 0, False, pair=pair))
        for watch in self._watches:
            if (was := before.get(watch.key)) is not None:
                watch.armed, watch.base, watch.noise = was.armed, was.base, was.noise

    def remembered(self) -> tuple[int, dict[str, tuple[bool | None, float, float]], float, bool]:
        """Return what another watcher takes up: see ``RunMemory``, ``instants`` to ``unseen``."""
        watches = {each.key: (each.armed, each.base, each.noise) for each in self._watches}
        return len(self._instants), watches, self._edited, self._fresh

    def take_up(self, known: RunMemory, state: State, arrays: Mapping[str, Array]) -> None:
        """Go on from what another watcher has remembered at ``state``, where it saw ``arrays``."""
        left = len(self._ordered) - known.instants
        self._instants = self._ordered[left:] if left >= 0 else self._instants
        for watch in self._watches:
            if watch.key in known.watches:
                watch.armed, watch.base, watch.noise = known.watches[watch.key]
        self._edited, self._fresh = known.edited, known.unseen
        assert self._view is not None
        self._view.seen = state, arrays

    def next_instant(self, time: float) -> float:
        """Return the next instant (s) after ``time`` that a clause names, or infinity."""
        return next((at for at, _, _ in self._instants if at > time), np.inf)

    # ---- what is due at a state

    def due(self, mover: Motion, state: State, cycle: Control) -> list[Event]:
        """Return the events of all that goes off at ``state`` itself."""
        events: list[Event] = []
        while self._instants and self._instants[0][0] <= state.time:
            _, _, rule = self._instants.pop(0)
            story = f"The clock shows {state.time:.9g} s."
            events.append(_clause_event(state.time, "time", rule, story, ()))
        if self._watches:
            look = self._look(state, cycle)
            if self._fresh:
                self._edited, self._fresh = state.time, False
            unsolved = self._edited == state.time and mover.in_steps(state)
            for watch in self._watches:
                value = self._margin(watch, look)
                watch.noise = self._noise(watch, look)
                if watch.armed is None:
                    self._settle(watch, value)
                elif watch.armed and value > watch.noise:
                    watch.armed, watch.base = False, 0.0
                    events.append(self._event(watch, state, cycle))
                elif value < watch.base - watch.noise and not (unsolved and watch.solved):
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
        if watch.told is not None:
            return replace(watch.told, time=state.time)
        who = tuple(dict.fromkeys(paths(watch.rule.operands)))
        story = f"From now on {show(watch.rule.operands)} (SI units)."
        return _clause_event(state.time, "condition", watch.rule, story, who)

    # ---- the way to the next instant

    def leg(
        self, mover: Motion, state: State, goal: float, cycle: Control
    ) -> tuple[State, list[Event]]:
        """Return the state at ``goal`` (s), or at the first event on the way with the events."""
        watched = bool(self._watches)
        self._hit = None
        if watched:
            self._ends = [(state.time, self._standing(self._look(state, cycle)))]
        if mover.touching:
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
        known = self._ends_at(after.time) or {}
        for each in self._watches:
            each.armed = known[each.key][1] if each.key in known else each.armed
        for each in self._struck(after.time, goal):
            value = self._margin(each, self._look(after, cycle))
            each.armed, each.base = False, min(0.0, value)
            events.append(self._event(each, after, cycle))
        return after, events

    def _standing(self, look: Look) -> dict[str, tuple[float, bool]]:
        """Return all margins where a leg begins, and which watches are armed."""
        found = {}
        for watch in self._watches:
            value = self._margin(watch, look)
            # a value that is rounding is none
            found[watch.key] = 0.0 if abs(value) <= watch.noise else value, watch.armed is True
        return found

    def _ends_at(self, time: float) -> dict[str, tuple[float, bool]] | None:
        """Return what is known of the watches at ``time`` (s)."""
        return next((known for at, known in self._ends if at == time), None)

    def _struck(self, time: float, goal: float) -> tuple[Watch, ...]:
        """Return what goes off at ``time``, where the leg to ``goal`` has ended."""
        if self._hit is None or time != min(self._hit[0], goal):
            return ()
        return self._hit[1]

    def _advanced(self, mover: Motion, state: State, goal: float, cycle: Control) -> State:
        """Return the state a step later, or at the instant at which something goes off.

        For movers that stop at nothing on their way. Where something goes off is found by a shorter
        step of its own, as exact as the whole one.
        """
        rest = goal - state.time
        h = min(mover.stride(state), rest)
        h = rest if h >= rest * (1.0 - 1e-12) else h
        end = goal if h == rest else state.time + h
        kind = Motion if self._booked else type(mover)
        within = kind.within(mover, state, h, cycle)

        @cache
        def at(share: float) -> State:
            return _at(within(share), end if share == 1.0 else state.time + share * h)

        whole = at(1.0)
        share = self._first(at, 1.0, cycle)
        if share >= 1.0:
            return whole
        return _at(mover.advance(state, share * h, cycle), at(share).time)

    def _first(self, at: At, last: float, cycle: Control) -> float:
        """Return the first share up to ``last`` at which a watch goes off; above 1 for none."""
        looks: dict[float, Look] = {}

        def look(share: float) -> Look:
            if share not in looks:
                looks[share] = self._look(at(share), cycle)
            return looks[share]

        begin = at(0.0).time
        known = self._ends_at(begin) or self._standing(look(0.0))
        shares = [last * share for share in SAMPLES]
        inner = at(shares[2]) is not at(shares[4])  # steps are looked at from their ends first
        first, hit, since = NEVER, list[Watch](), dict[str, float]()
        values: dict[str, list[float]] = {}
        for watch in self._watches:

            def of(share: float, watch: Watch = watch) -> float:
                return self._margin(watch, look(share))

            start, armed = known[watch.key]
            seen = values[watch.key] = sampled(of, shares, start, watch.strength)
            found, since[watch.key] = NEVER, 0.0 if armed else last
            if len(seen) == len(shares):
                low, places = watch.base - watch.noise, shares
                if watch.rule is not None and watch.hinge is None and inner:
                    places, seen = closely(of, shares, seen, periodic(watch.rule.operands))
                found, since[watch.key] = next_rise(of, places, seen, low, armed)
            if found < first * (1.0 - 1e-12):
                first, hit = found, []
            if found <= first * (1.0 + 1e-12) and found <= 1.0:
                hit.append(watch)
        end = min(first, last)
        ends = {key: (values[key][-1], since[key] <= end) for key in values}
        self._ends = [(begin, known), (at(end).time, ends)]
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
            return look.overlaps(self._pairs)[watch.pair]
        if watch.solved and look.cycle is None:
            return -1.0
        if watch.rule is None:
            assert watch.hinge is not None
            return _excess(watch.hinge, look.arrays.forces[watch.number])
        if watch.hinge is not None:
            return max(_beyond(watch.hinge, look.value))
        try:
            return margin(watch.rule.operands, look.worth)
        except (NameNotFound, RecordingError) as error:
            told = f"{watch.rule.span}: {title(watch.rule)}: {error}"
            raise SimulationError(told) from error

    def _noise(self, watch: Watch, look: Look) -> float:
        """Return how much of a margin may be rounding."""
        size = 1.0
        if watch.rule is not None and watch.hinge is None:
            size += terms(watch.rule.operands, look.worth)
        return (NOISE_SOLVED if watch.solved else NOISE) * size


def _entering(rule: Rule) -> Iterator[str]:
    """Yield the names of bodies, components and hinges that a clause brings into the world."""
    for action in rule.actions:
        if action.verb == "weld":
            yield str(action.operands[0])
        for edit in action.edits:
            if isinstance(edit, MakeHinge):
                yield edit.hinge.id
            elif isinstance(edit, AddBody):
                yield edit.body.id.partition(".")[0]
            elif isinstance(edit, AddComponent):
                yield edit.component.id.partition(".")[0]


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
    return state if state.time == time else replace(state, time=time)


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
