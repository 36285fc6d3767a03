"""What is done about events: ``on`` clauses, callbacks, hinges that give way, or a record of it.

All edits that one instant asks for are one decision, made whole or not at all. Decisions that
contradict each other stop the run by an error that names both, what they edit and their lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from articulata.analyses.simulate.matching import Said, edits_of, title, waits_for
from articulata.analyses.simulate.remembering import RunMemory
from articulata.analyses.simulate.sensing import Moment
from articulata.errors import ArticulataError, NameNotFound, SimulationError, WorldError
from articulata.records.events import KINDS, Event, Value
from articulata.records.recording import Recording
from articulata.records.state import RUN, Remembered
from articulata.world.edits.figure_edits import AddFigure, RemoveFigure
from articulata.world.edits.force_edits import RemoveForce
from articulata.world.edits.structure_edits import AddBody, BreakHinge, MakeHinge, RemoveBody
from articulata.world.edits.transaction import Edit, overlap, show
from articulata.world.edits.value_edits import Place
from articulata.world.model import World
from articulata.world.requests.request import Action, Rule
from articulata.world.values import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Stop:
    """What a callback returns to end the run at this instant; ``reason`` goes into the record."""

    reason: str = ""


Answer: TypeAlias = "Edit | Stop | Iterable[Edit | Stop] | None"

Callback: TypeAlias = Callable[[Event, Moment], Answer]
"""``f(event, moment) -> edits``: what is to be changed because of an event, None for nothing."""

OnEvent: TypeAlias = "Callback | Mapping[str, Callback]"
"""One callback for every event, or one for each kind of event that matters."""


def check_callbacks(on_event: OnEvent | None) -> None:
    """Raise SimulationError where ``on_event`` is for a kind of event that does not exist."""
    if on_event is None or (callable(on_event) and not isinstance(on_event, Mapping)):
        return
    if not isinstance(on_event, Mapping):
        raise SimulationError(
            f"on_event is {on_event!r}; give a function f(event, moment), or a mapping of kinds of "
            'event to such functions, as {"impact": f}'
        )
    for kind, callback in on_event.items():
        if kind not in KINDS:
            near = get_close_matches(str(kind), KINDS, 1)
            meant = f"; did you mean '{near[0]}'?" if near else "."
            raise SimulationError(
                f"on_event has a callback for {kind!r}, and no event is of that kind{meant} "
                f"Kinds are: {', '.join(KINDS)}"
            )
        if not callable(callback):
            raise SimulationError(
                f"on_event has {callback!r} for '{kind}'; give a function f(event, moment)"
            )


OVERLOAD = "overload"
"""The value of a "break" event by which a hinge gave way itself."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done at one instant: ``edits`` as one transaction, asked for ``by`` whom.

    ``causes`` are the places in the record of the events it answers; ``stop`` is not None where
    the run ends, and says why.
    """

    edits: tuple[Edit, ...]
    by: tuple[str, ...]
    span: Span = NOWHERE
    stop: str | None = None


Spent: TypeAlias = tuple[Mapping[int, frozenset[str]], frozenset[str]]


class Reactions(Protocol):
    """Who decides what is done about events."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The clauses whose instants and conditions are to be watched."""
        ...

    @property
    def spent(self) -> Spent:
        """What each clause has done, by number, and the hinges that gave way."""
        ...

    def take_up(self, spent: Mapping[int, frozenset[str]], announced: frozenset[str]) -> None:
        """Go on from what another run has done: see ``spent``."""
        ...

    def commanded(self, time: float, world: World) -> Sequence[Event]:
        """Return the commands given at ``time`` (s), the start of a cycle, as events."""
        ...

    def decide(self, events: Sequence[Event], moment: Moment) -> Decision | None:
        """Return what is done about ``events`` of one instant, None for nothing."""
        ...


@dataclass(slots=True)
class _Proposal:
    """What one source asks for."""

    by: str
    span: Span
    edits: tuple[Edit, ...]
    stop: str | None = None


@dataclass(slots=True)
class Live:
    """Clauses and callbacks as they are asked in a running simulation."""

    rules: tuple[Rule, ...] = ()
    on_event: OnEvent | None = None
    _spent: dict[int, set[str]] = field(default_factory=dict)
    """What each clause has already broken or removed: asked again, it has nothing to do."""
    _announced: set[str] = field(default_factory=set)
    """Hinges that gave way by themselves."""
    commands: Commands | None = None
    _given: list[Command] = field(default_factory=list)

    @property
    def spent(self) -> Spent:
        """What each clause has done, by number, and the hinges that gave way."""
        done = {number: frozenset(each) for number, each in self._spent.items() if each}
        return done, frozenset(self._announced)

    def take_up(self, spent: Mapping[int, frozenset[str]], announced: frozenset[str]) -> None:
        """Go on from what another run has done: see ``spent``."""
        self._spent = {number: set(done) for number, done in spent.items()}
        self._announced = set(announced)

    def commanded(self, time: float, world: World) -> Sequence[Event]:
        """Return what was ordered for ``time`` (s)."""
        if self.commands is None:
            return ()
        first = len(self._given)
        self._given += self.commands(time, world)
        return [each.event(time, k) for k, each in enumerate(self._given[first:], first)]

    def decide(self, events: Sequence[Event], moment: Moment) -> Decision | None:
        """Return what clauses and callbacks want done about ``events``."""
        proposals = [
            *self._ordered(events),
            *self._given_way(events),
            *self._ruled(events, moment),
        ]
        for event in events:
            proposals += self._called(event, moment)
        return _merged([each for each in proposals if each.edits or each.stop is not None], moment)

    def _ordered(self, events: Sequence[Event]) -> Iterator[_Proposal]:
        for event in events:
            if event.kind == "command":
                command = self._given[int(float(event.values["number"]))]  # type: ignore[arg-type] # a number
                stop = command.by if command.stop else None
                yield _Proposal(command.by, NOWHERE, command.edits, stop)

    def _given_way(self, events: Sequence[Event]) -> Iterator[_Proposal]:
        for event in events:
            if event.kind == "break" and OVERLOAD in event.values:
                self._announced |= set(event.who)
                broken = tuple(BreakHinge(hinge) for hinge in event.who)
                yield _Proposal(f"the strength of {', '.join(event.who)}", event.span, broken)

    def _ruled(self, events: Sequence[Event], moment: Moment) -> Iterator[_Proposal]:
        for number, rule in enumerate(self.rules):
            if not any(self._is_due(rule, event, moment) for event in events):
                continue
            edits: list[Edit] = []
            stop: str | None = None
            said: Said = {}
            for action in rule.actions:
                if action.verb == "stop":
                    stop = title(rule)
                    continue
                edits += self._fresh(
                    number, self._asked_for(number, action, moment, said), moment.world
                )
            yield _Proposal(title(rule), rule.span, _together(edits), stop)

    def _asked_for(self, number: int, action: Action, moment: Moment, said: Said) -> list[Edit]:
        """Return the edits of an action; what it has removed before is not looked for again."""
        key = f"{action.verb} {action.operands}"
        spent = self._spent.setdefault(number, set())
        try:
            found = list(edits_of(action, moment, said))
        except SimulationError:
            if action.verb == "remove" and key in spent:
                return []
            raise
        spent.add(key)
        return found

    def _is_due(self, rule: Rule, event: Event, moment: Moment) -> bool:
        if event.kind in ("condition", "time"):
            return event.span == rule.span and event.values.get("clause") == title(rule)
        if event.kind == "edit":
            broken = set(event.values.get("hinges_broken", ()))  # type: ignore[arg-type] # names of hinges
            if broken and broken <= self._announced:
                return False  # the hinge's own event has set off what waits for its breaking
        return waits_for(rule, event, moment)

    def _fresh(self, number: int, edits: list[Edit], world: World) -> list[Edit]:
        """Return what a clause has not done: what it took away is gone, what it made is there."""
        spent = self._spent.setdefault(number, set())
        kept: list[Edit] = []
        for edit in edits:
            if isinstance(edit, BreakHinge | RemoveForce | RemoveBody | RemoveFigure):
                broken = isinstance(edit, BreakHinge | RemoveForce)
                key = f"{'break' if broken else type(edit).__name__} {edit.path}"
                try:
                    edit.subject(world)
                except (NameNotFound, WorldError):
                    if key in spent:
                        continue
                spent.add(key)
            elif isinstance(edit, AddBody | AddFigure | MakeHinge):
                key = f"{type(edit).__name__} {edit.subject(world)}"
                there = edit.subject(world) in {**world.bodies, **world.hinges, **world.figures}
                if there and key in spent:
                    continue
                spent.add(key)
            kept.append(edit)
        return kept

    def _called(self, event: Event, moment: Moment) -> Iterator[_Proposal]:
        callback = self.on_event
        if isinstance(callback, Mapping):
            callback = callback.get(event.kind)
        if callback is None:
            return
        by = f"the callback for '{event.kind}'"
        at = f"at t = {moment.time:.9g} s"
        try:
            answer = callback(event, moment)
        except ArticulataError as error:
            raise SimulationError(f"{by} failed {at}: {error}") from error
        except (Exception, SystemExit) as error:
            raise SimulationError(f"{by} raised {type(error).__name__}: {error} {at}") from error
        edits: list[Edit] = []
        stop: str | None = None
        for each in _listed(answer, by, at):
            if isinstance(each, Stop):
                stop = each.reason or by
            else:
                edits.append(each)
        yield _Proposal(by, event.span, tuple(edits), stop)


def _together(edits: list[Edit]) -> tuple[Edit, ...]:
    """Return a clause's edits with what it says of one body's place and velocity in one."""
    found: list[Edit] = []
    for edit in edits:
        if isinstance(edit, Place):
            earlier = next(
                (k for k, e in enumerate(found) if isinstance(e, Place) and e.path == edit.path),
                None,
            )
            if earlier is not None:
                said = {
                    name: value
                    for name in ("pose", "velocity", "rate", "placed")
                    if (value := getattr(edit, name)) is not None
                }
                found[earlier] = replace(found[earlier], **said)  # type: ignore[type-var] # a Place, as tested
                continue
        found.append(edit)
    return tuple(found)


def _listed(answer: Any, by: str, at: str) -> tuple[Edit | Stop, ...]:
    if answer is None:
        return ()
    if isinstance(answer, Edit | Stop):
        return (answer,)
    listed = tuple(answer) if isinstance(answer, Iterable) and not isinstance(answer, str) else None
    if listed is None or not all(isinstance(each, Edit | Stop) for each in listed):
        raise SimulationError(
            f"{by} returned {answer!r} {at}; return an edit such as BreakHinge('links.h23'), "
            "several of them, Stop() to end the run, or None"
        )
    return listed


def _merged(proposals: list[_Proposal], moment: Moment) -> Decision | None:
    """Return one decision of all proposals; what two agree on is done once."""
    if not proposals:
        return None
    edits: list[Edit] = []
    asked: list[_Proposal] = []
    for proposal in proposals:
        own: list[Edit] = []
        for edit in proposal.edits:
            agreed = any(edit == other for other in edits)
            for other, source in zip(edits, asked, strict=True):
                if not agreed and _opposed(edit, other, moment.world):
                    raise SimulationError(
                        f"{_source(proposal)} asks that {show(edit)}, and {_source(source)} that "
                        f"{show(other)}, both at t = {moment.time:.9g} s: they contradict each "
                        "other; keep one of them"
                    )
            if not agreed:
                own.append(edit)
        edits += own
        asked += [proposal] * len(own)
    # What one clause breaks another may remove with all that hangs on it: break first.
    edits.sort(key=lambda edit: not isinstance(edit, BreakHinge | RemoveForce))
    by = tuple(dict.fromkeys(each.by for each in proposals))
    stops = [each.stop for each in proposals if each.stop is not None]
    span = next((each.span for each in proposals if each.span.line), proposals[0].span)
    return Decision(tuple(edits), by, span, stops[0] if stops else None)


def _source(proposal: _Proposal) -> str:
    return f"{proposal.by} ({proposal.span})" if proposal.span.line else proposal.by


def _opposed(edit: Edit, other: Edit, world: World) -> bool:
    """Tell whether two different edits cannot both be meant."""
    try:
        one, two = edit.subject(world), other.subject(world)
    except (NameNotFound, WorldError):
        return False
    if type(edit) is type(other):
        return one == two
    gone = (BreakHinge, RemoveForce, RemoveBody, RemoveFigure)
    return (isinstance(edit, gone) or isinstance(other, gone)) and overlap(one, two)


class Logged:
    """What a recorded run has decided, decided again in the same order."""

    def __init__(self, recording: Recording) -> None:
        self.rules = recording.header.rules
        self._made = _decisions(recording)
        self._commands = [event for event in recording.events if event.kind == "command"]
        self._asked = self._frame = 0
        self._recording = recording

    @property
    def spent(self) -> Spent:
        """What clauses had done at the frame to come, asked once a frame."""
        number, self._frame = self._frame, self._frame + 1
        seen = number < len(self._recording.times)
        memory = self._recording.state_of(number).memory if seen else None
        plain = memory.parts.get(RUN) if isinstance(memory, Remembered) else None
        known = None if plain is None else RunMemory.recalled(plain)
        return ({}, frozenset()) if known is None else (known.spent, known.announced)

    def take_up(self, spent: Mapping[int, frozenset[str]], announced: frozenset[str]) -> None:
        """Go on from what another run has done, as the recording says."""

    def commanded(self, time: float, world: World) -> Sequence[Event]:
        """Return what was ordered at ``time`` (s) then."""
        return [event for event in self._commands if event.time == time]

    def decide(self, events: Sequence[Event], moment: Moment) -> Decision | None:
        """Return the decision that was made when it was asked as often as now."""
        self._asked += 1
        return self._made.get(self._asked)


def _decisions(recording: Recording) -> dict[int, Decision]:
    """Return the decisions of a recording by how often was asked until then."""
    edits = iter([edit for _, edit in recording.edits])
    found: dict[int, Decision] = {}
    for event in recording.events:
        if event.kind not in ("edit", "stop"):
            continue
        values: Mapping[str, Any] = event.values
        asked = int(values["asked"])
        made = tuple(next(edits) for _ in range(int(values.get("edits", 0.0))))
        old = found.get(asked)
        if event.kind == "stop":
            stop = str(values["reason"])
            base = Decision((), tuple(values["by"]), event.span) if old is None else old
            found[asked] = Decision(base.edits, base.by, base.span, stop)
        else:
            assert all(isinstance(each, Edit) for each in made)
            found[asked] = Decision(made, tuple(values["by"]), event.span)  # type: ignore[arg-type] # edits, as tested
    return found


@dataclass(frozen=True, slots=True)
class Command:
    """An order in the words it was given in, what it changes, and whether it ends the run.

    An order without edits changes nothing of the world: the controllers that obey it do.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    stop: bool = False

    def event(self, time: float, number: int) -> Event:
        """Return the event of the command number ``number`` of a run, given at ``time`` (s)."""
        values: dict[str, Value] = {"command": self.text, "number": float(number)}
        story = f"Command: {self.text}."
        return Event(time, "command", (), (), MappingProxyType(values), story)

    @property
    def by(self) -> str:
        """What messages call it."""
        return f"the command '{self.text}'"


Commands: TypeAlias = Callable[[float, World], Sequence[Command]]
"""``f(t, world)``: the commands that take effect at ``t`` (s), the start of a cycle."""
