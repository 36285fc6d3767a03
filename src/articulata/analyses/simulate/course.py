"""The course of one simulation: cycle after cycle, event after event, edit after edit.

One cycle is ``step`` seconds. Within it the motion goes from event to event; what is decided at
an event is done there, at the exact instant, and the motion goes on with the models that result.
Every frame, event, edit and control output is recorded as it comes.
Reference: Hoffmann & Hopcroft 1986, section 4.2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from articulata.analyses.simulate.editing import Gone, edit_event, edited
from articulata.analyses.simulate.reacting import Decision, Reactions
from articulata.analyses.simulate.remembering import RunMemory
from articulata.analyses.simulate.run_question import INSTANT, Question
from articulata.analyses.simulate.sensing import Snapshot, moment_of
from articulata.analyses.simulate.watching import Watcher
from articulata.domains.assemble import Models
from articulata.domains.control import ControlModel
from articulata.domains.dynamic.channels import LOSSES
from articulata.domains.protocols import Control, EvolvingModel, Motion
from articulata.errors import RecordingError, SimulationError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, Value
from articulata.records.recorder import Unrecorded
from articulata.records.state import RUN, Channel, Frame, Part, Remembered, State
from articulata.world.edits.force_edits import Ignore
from articulata.world.edits.structure_edits import BreakHinge
from articulata.world.edits.transaction import Transaction
from articulata.world.model import World

Progress = Callable[[int, int], None]

MOST_ROUNDS = 100
"""Edits that may follow from one another in one instant; more call each other without end."""

MOST_EDITS, WITHIN = 500, 0.1
"""Edits that may be made within a time (s): more bring themselves about; each is a new world."""


class Course:
    """One simulation on its way."""

    def __init__(
        self,
        question: Question,
        models: Models,
        mover: Motion,
        control: ControlModel | None,
        recorder: Unrecorded,
        reactions: Reactions,
    ) -> None:
        self.question = question
        self.models = models
        self.mover = mover
        self.recorder = recorder
        self.reactions = reactions
        self.inputs = control_or_none(control, models.world)
        self.watcher = Watcher(reactions.rules)
        self.stopped = False
        self._channels = channels_of(models, mover)
        self._evolving = evolving(models)
        self._gone = Gone()
        self._asked = 0
        self._events = 0
        self.news: list[Event] = []
        self._framed: tuple[float, int] = (-np.inf, -1)
        self._touching: dict[tuple[str, ...], None] = {}
        self._to_come: list[Event] = []
        self._fresh = False
        self._chain: tuple[float, int] = (-np.inf, 0)
        self._edited_at: deque[float] = deque(maxlen=MOST_EDITS)
        self._known: RunMemory | None = None
        recorder.layout(self._channels)

    # ---- the cycles

    def go(self, events: Sequence[Event], progress: Progress | None) -> None:
        """Run to the end; ``events`` are told first."""
        times = self.question.times.tolist()
        for number, _ in enumerate(self.frames(times[1:], events)):
            if progress is not None:
                progress(number, len(times) - 1)

    def frames(
        self, times: Iterable[float], events: Sequence[Event] = ()
    ) -> Iterator[tuple[State, Snapshot]]:
        """Yield the start, then each of ``times`` (s) when it has come, or where the run stops.

        ``events`` are told first; ``news`` holds what has happened since the frame before. The next
        time is asked for when the run is to go on: whoever drives it may say then how far.
        """
        state = self._start()
        begun = self._begun(self._start_events(state), state)
        for event in (*events, *self.mover.told(begun, state)):
            self._tell(event)
        first = self._sensed_first({**state.arrays, **self.mover.before(state)})
        snapshot = self._snapshot(Frame(state.time, first, state.version))
        self.watcher.begin(self.mover, state, self._channels)
        if self._known is not None:
            self._take_up(self._known, state)
        to_come, begins = iter(times), True
        while True:
            cycle = self.inputs.control(snapshot.sensed(), state, self.recorder.control)
            frame = self._frame(state, cycle)
            if begins:
                frame = replace(frame, arrays=self._sensed_first(frame.arrays))
            snapshot, begins = self._snapshot(frame), False
            yield state, snapshot
            self.news = []
            until = None if self.stopped else next(to_come, None)
            if until is None:
                for event in self._to_come:
                    self._tell(event)
                return
            state = self._cycle(state, until, snapshot)

    def _start_events(self, state: State) -> tuple[Event, ...]:
        """Return what is told of the start; where a run goes on no velocities are changed."""
        events = self.mover.start_events()
        if self.question.start is None:
            return events
        told = [replace(each, time=state.time) for each in events if each.kind != "start"]
        anew = state.memory is None and self.mover.touching
        return (*told, _anew(state.time)) if anew else tuple(told)

    def _sensed_first(self, arrays: Mapping[str, Array]) -> Mapping[str, Array]:
        """Return ``arrays`` of the first frame as sensed: where a run goes on, as recorded.

        The record has forces as they were with the controls of then, which nothing else tells.
        """
        begin = self.question.start
        if begin is None or begin.version != self.models.world.version:
            return arrays
        known = [(name, begin.arrays[name]) for name in arrays if name in begin.arrays]
        kept = {name: a for name, a in known if np.shape(a) == np.shape(arrays[name])}
        return {**arrays, **kept}

    def _start(self) -> State:
        arrays, memory = {**self.models.start(), **self.mover.start()}, None
        begin = self.question.start
        if begin is not None:
            lacking = [n for n in self.mover.start() if n not in begin.arrays and n != LOSSES]
            sizes = [
                name
                for name, array in arrays.items()
                if name in begin.arrays and np.shape(begin.arrays[name]) != np.shape(array)
            ]
            if lacking or sizes:
                raise SimulationError(
                    f"the state at t = {begin.time:.9g} s does not fit the world "
                    f"'{self.models.world.name}' ({', '.join([*lacking, *sizes])}); give the "
                    "world that the state belongs to: recording.worlds[state.version]"
                )
            arrays = {name: np.array(begin.arrays.get(name, arrays[name])) for name in arrays}
            memory = self._recalled(begin.memory)
        return State(self.question.begin, arrays, self.models.world.version, memory)

    def _recalled(self, memory: object) -> Any:
        """Return what a recorded run remembered where this one goes on as it did; else None."""
        question, world = self.question, self.models.world
        if not isinstance(memory, Remembered):
            return None
        then, known = memory.header, replace(memory.world(), placements=())
        alike = known == replace(world, placements=())  # by what they were placed is past
        if (then.method, dict(then.settings)) != question.laws or not alike:
            return None
        try:
            if RUN in memory.parts and then.rules == self.reactions.rules:
                self._known = RunMemory.recalled(memory.parts[RUN])
            return self.mover.recalled(memory.parts)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise RecordingError(
                f"what was recorded to go on from at t = {question.begin:.9g} s does not fit the "
                f"world '{world.name}' ({error}); the recording was changed or made up"
            ) from error

    def _take_up(self, known: RunMemory, state: State) -> None:
        """Go on from what another run has told and dealt with until ``state``."""
        begin = self.question.start
        assert begin is not None
        self._touching = dict.fromkeys(known.touching)
        self._fresh, self._chain = known.fresh, known.chain
        self._edited_at.extend(known.edits)
        self._to_come, self._gone.told = list(known.to_come), dict(known.gone)
        self.watcher.take_up(known, state, begin.arrays)
        self.reactions.take_up(known.spent, known.announced)

    def _remembered(self, state: State) -> Mapping[str, Part]:
        """Return what is remembered at ``state``, by parts."""
        spent, announced = self.reactions.spent
        run = RunMemory(
            tuple(self._touching),
            self._fresh,
            tuple(self._to_come),
            self._chain,
            tuple(self._edited_at),
            self._gone.told,
            *self.watcher.remembered(),
            spent,
            announced,
        )
        return {RUN: run, **self.mover.remembered(state)}

    def _snapshot(self, frame: Frame) -> Snapshot:
        return Snapshot(self.models.world, self._channels, frame)

    def _frame(self, state: State, cycle: Control) -> Frame:
        """Return the frame of ``state``, recorded unless it is there already."""
        derived = self.mover.solve(state, cycle)
        version = self.models.world.version
        outputs = self.inputs.outputs()
        frame = Frame(state.time, {**state.arrays, **derived, **outputs}, version)
        if self._framed != (state.time, version):
            self.recorder.memory(self._remembered(state))
            self.recorder.frame(frame)
            self._framed = (state.time, version)
        return frame

    def _cycle(self, state: State, until: float, snapshot: Snapshot) -> State:
        """Return the state one cycle later; what happens on the way is dealt with."""
        cycle = self.inputs.control(snapshot.sensed(), state, self.recorder.control)
        begin = state
        ordered = self.reactions.commanded(state.time, self.models.world)
        if ordered:
            begin, state, cycle = self._dealt_with(ordered, begin, state, snapshot, cycle)
        if not self._eventful and not self.stopped:
            after = self.mover.advance(state, until - state.time, cycle)
            return self._evolved(begin, replace(after, time=until))
        while state.time < until and not self.stopped:
            events = [*self._ended(state.time), *self.watcher.due(self.mover, state, cycle)]
            if not events:
                ends = self._to_come[0].time if self._to_come else np.inf
                goal = min(until, self.watcher.next_instant(state.time), ends)
                state, events = self._leg(state, goal, cycle)
            if events:
                begin, state, cycle = self._dealt_with(events, begin, state, snapshot, cycle)
        return state if self.stopped else self._evolved(begin, state)

    def _dealt_with(
        self,
        events: Sequence[Event],
        begin: State,
        state: State,
        snapshot: Snapshot,
        cycle: Control,
    ) -> tuple[State, State, Control]:
        """Do what is decided about ``events`` at ``state``, and about what follows from that.

        Return where domains that evolve have come to, the state, and the controls from there on.
        """
        decision, causes = self._happened(events, state, cycle)
        while decision is not None:
            state = self._evolved(begin, state)
            begin = state = self._changed(state, cycle, decision, causes)
            cycle = self.inputs.control(snapshot.sensed(), state, self.recorder.control)
            self._frame(state, cycle)
            if self.stopped:
                break
            self._count(decision, state.time)
            due = self.watcher.due(self.mover, state, cycle)
            decision, causes = self._after_edit(due, state, cycle)
        return begin, state, cycle

    def _count(self, decision: Decision, time: float) -> None:
        """Count the edits of one instant and of a short time; SimulationError for too many."""
        if all(isinstance(edit, BreakHinge | Ignore) for edit in decision.edits):
            return  # there are only so many hinges to end, and pairs to leave out
        before, rounds = self._chain
        rounds = 1 if time - before > INSTANT else rounds + 1
        self._chain = time, rounds
        first = self._edited_at[0] if len(self._edited_at) == MOST_EDITS else -np.inf
        self._edited_at.append(time)
        if rounds > MOST_ROUNDS:
            told = f"edits at t = {time:.9g} s follow from one another without end, the last"
        elif time - first < WITHIN:
            told = (
                f"{MOST_EDITS} edits between t = {first:.9g} s and {time:.9g} s: each soon brings "
                "about the next, the last"
            )
        else:
            return
        raise SimulationError(
            f"{told} asked for by {', '.join(decision.by)}; let a callback return "
            "None for kind 'edit', or a clause wait for something else"
        )

    @property
    def _eventful(self) -> bool:
        """Whether a cycle has to be gone through event by event."""
        return self.mover.touching or self.watcher.busy or bool(self._to_come)

    def _evolved(self, before: State, after: State) -> State:
        """Return ``after`` with the state of domains that change while bodies move."""
        if not self._evolving or not after.time > before.time:
            return after
        arrays = dict(after.arrays)
        for model in self._evolving:
            arrays.update(model.evolve(before, replace(after, arrays=arrays)))
        return replace(after, arrays=arrays)

    def _leg(self, state: State, goal: float, cycle: Control) -> tuple[State, list[Event]]:
        """Return the state at ``goal`` or at the first event on the way, and the events there."""
        state, events = self.watcher.leg(self.mover, state, goal, cycle)
        news = [event for event in events if self._is_news(event)]
        return state, self._begun(self.mover.told(news, state), state)

    def _is_news(self, event: Event) -> bool:
        """Tell whether an event is new: after an edit contacts that went on are found again."""
        if event.kind in ("contact", "settled"):
            known = event.who in self._touching
            self._touching[event.who] = None
            return event.kind == "settled" or not (self._fresh and known)
        if event.kind == "separation":
            self._touching.pop(event.who, None)
        return True

    # ---- events and edits

    def _begun(self, events: Sequence[Event], state: State) -> list[Event]:
        """Return the events of now; those of a later instant wait until it has come.

        A series of bounces is summed when it begins and told where it ends.
        """
        later = [event for event in events if event.time > state.time]
        self._to_come = sorted([*self._to_come, *later], key=lambda event: event.time)
        return [event for event in events if event.time <= state.time]

    def _ended(self, time: float) -> list[Event]:
        """Return the events that have waited for ``time``."""
        ended = [event for event in self._to_come if event.time <= time]
        self._to_come = self._to_come[len(ended) :]
        return ended

    def _tell(self, event: Event) -> int:
        """Record ``event``; return its place among the events."""
        self.recorder.event(event)
        self.news.append(event)
        self._events += 1
        return self._events - 1

    def _happened(
        self, events: Sequence[Event], state: State, cycle: Control
    ) -> tuple[Decision | None, list[int]]:
        """Record what has happened and return what is done about it, and the events' places."""
        self._fresh = False
        events = self.mover.told(events, state)
        causes = [self._tell(event) for event in events]
        return self._decided([each for each in events if self._is_open(each)], state, cycle), causes

    def _is_open(self, event: Event) -> bool:
        """Tell whether anything is still to be done about ``event``.

        Contacts that are found where a run goes on have been dealt with when they began.
        """
        begin = self.question.start
        return begin is None or event.kind != "contact" or event.time > begin.time

    def _decided(self, events: Sequence[Event], state: State, cycle: Control) -> Decision | None:
        seen: list[Snapshot] = []

        def look() -> Snapshot:
            if not seen:
                derived = self.mover.solve(state, cycle)
                frame = Frame(state.time, {**state.arrays, **derived}, state.version)
                seen.append(self._snapshot(frame))
            return seen[0]

        self._asked += 1
        return self.reactions.decide(events, moment_of(self.models.world, state, events, look))

    def _changed(
        self, state: State, cycle: Control, decision: Decision, causes: Sequence[int]
    ) -> State:
        """Return the state after a decision; the record holds the frame before it and the edit."""
        if self._framed != (state.time, self.models.world.version):
            self._frame(state, cycle)
        if decision.edits:
            left_out = self.mover.parted(Transaction(decision.edits), state)
            decision = replace(decision, edits=(*decision.edits, *left_out))
            made = edited(self.models, self.mover, state, decision, self._gone)
            for edit in decision.edits:
                self.recorder.edit(state.time, edit)
            self.models, self.mover, state = made.models, made.mover, made.state
            self.inputs = self.inputs.of(self.models)
            self._channels = channels_of(self.models, self.mover)
            self._evolving = evolving(self.models)
            self.recorder.layout(self._channels)
            self.watcher.edited(self.mover, self._channels)
            # Ranks are known after a solve.
            event = edit_event(state.time, decision, made, self._asked, causes)
            self._edit = event, self._tell(event)
            self._fresh = True
        if decision.stop is not None:
            values: dict[str, Value] = {
                "asked": float(self._asked),
                "by": decision.by,
                "reason": decision.stop,
            }
            story = f"The run ends here, asked for by {', '.join(decision.by)}."
            stop = Event(state.time, "stop", (), (), MappingProxyType(values), story, decision.span)
            self._tell(*self.mover.told((stop,), state))
            self.stopped = True
        return state

    def _after_edit(
        self, due: Sequence[Event], state: State, cycle: Control
    ) -> tuple[Decision | None, list[int]]:
        """Return what is done about an edit and about what it has made ``due``."""
        event, place = self._edit
        due = self._begun(self.mover.told(due, state), state)
        causes = [place, *(self._tell(each) for each in due)]
        return self._decided((event, *due), state, cycle), causes


def _anew(time: float) -> Event:
    """Return what is told of a start that remembers nothing, at ``time`` (s)."""
    story = (
        "The state to go on from tells nothing of contacts that are closed and of steps before it: "
        "they are looked at anew, so that what follows may differ in its last digits. Recordings "
        "made from now on hold it."
    )
    return Event(time, "start", story=story)


def channels_of(models: Models, mover: Motion) -> tuple[Channel, ...]:
    """Return the channels of all domains, the mover's own first."""
    found = {channel.name: channel for channel in mover.channels}
    for channel in models.channels:
        found.setdefault(channel.name, channel)
    return tuple(found.values())


def evolving(models: Models) -> tuple[EvolvingModel, ...]:
    """Return the models whose own state changes while bodies move."""
    # asked for its method: to compare with a protocol takes long
    found = [model for model in models.values() if hasattr(type(model), "evolve")]
    return tuple(cast("EvolvingModel", model) for model in found)


def control_or_none(control: ControlModel | None, world: World) -> Outputs:
    """Return the controls of a run and their latest outputs; none where the domain is left out."""
    if control is None:
        return Outputs(ControlModel(_without_drives(world)), left_out=True)
    return Outputs(control)


def _without_drives(world: World) -> World:
    return replace(world, drives=MappingProxyType({}))


class Outputs:
    """Asks the controls and keeps what each gave last."""

    def __init__(self, model: ControlModel, left_out: bool = False) -> None:
        self.model = model
        self._left_out = left_out
        self._last: dict[str, Sequence[float]] = {}

    def control(self, sensed: Any, state: State, log: Callable[..., None]) -> Any:
        """Return the inputs of the cycle that starts at ``state``."""

        def noted(name: str, time: float, values: Sequence[float]) -> None:
            self._last[name] = values
            log(name, time, values)

        return self.model.control(sensed, state, noted)

    def of(self, models: Models) -> Outputs:
        """Return the controls of the world after an edit; outputs of drives that stay are kept."""
        if self._left_out:
            control = ControlModel(_without_drives(models.world))
        else:
            control = replace(self.model, world=models.world)
            if control.logged is None:
                control = control.bind(control.functions)
        found = Outputs(control, self._left_out)
        drives = control.world.drives
        found._last = {name: last for name, last in self._last.items() if name in drives}
        return found

    def outputs(self) -> dict[str, Array]:
        """Return the channels of what the controls gave last."""
        return {f"control.{name}": np.array(values) for name, values in self._last.items()}
