"""Motion by forces, integrated by our own methods: from event to event, or in steps.

Event by event is exact. Where more happens than is worth locating one by one, steps take over
until it is quiet again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from articulata.domains.dynamic.balances import told_at
from articulata.domains.dynamic.channels import (
    PRESSED,
    STEP,
    booked,
    contact_channels,
    named_alike,
    room_for,
    unsolved,
)
from articulata.domains.dynamic.contact.event_driven import Passage
from articulata.domains.dynamic.contact.event_location import between
from articulata.domains.dynamic.contact.event_walk import EventWalk
from articulata.domains.dynamic.contact.intervals import Unfollowed
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.overlaps import Stood
from articulata.domains.dynamic.contact.parting import parted
from articulata.domains.dynamic.contact.pressing import at_limits, channels
from articulata.domains.dynamic.contact.touches import Before, Neighbours, neighbours
from articulata.domains.dynamic.couplings import efforts
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.hinge_friction import check_rubbing
from articulata.domains.dynamic.interval_memory import Memory, chosen_by, memory_of, recalled
from articulata.domains.dynamic.mechanism import COORDINATE, FREE, PRESCRIBED
from articulata.domains.dynamic.methods import DOP853, RK4, Method, Stepping
from articulata.domains.dynamic.packing import pack, unpack
from articulata.domains.dynamic.start_notes import passing_through
from articulata.domains.dynamic.state_transfer import joined_after, led
from articulata.domains.dynamic.stepping.body_pieces import PieceMaker
from articulata.domains.dynamic.stepping.choice import Choice
from articulata.domains.dynamic.stepping.stepper import Begin, Stepper
from articulata.domains.dynamic.stepping.walking import Walk
from articulata.domains.protocols import LONGEST, At, Control, Model, Motion, Moved, Watch
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.records.events import Event
from articulata.records.state import Channel, Part, State
from articulata.world.collision_pairs import meeting_pairs
from articulata.world.edits.transaction import Edit
from articulata.world.model import World


@dataclass(frozen=True, slots=True, eq=False)
class BeforeEdit:
    """What a motion after an edit takes from the one before, where it is as it was.

    Bodies ``stood`` so right before the edit.
    """

    met: Before
    pairs: IntArray
    channels: tuple[Channel, ...]
    stood: Stood


@dataclass(frozen=True)
class IntegratedMotion(Motion):
    """A dynamic ``model`` carried through time by ``method``; with ``contact`` bodies may touch.

    ``pieces`` makes the convex pieces of bodies that ``Stepping`` needs.
    """

    model: DynamicModel
    method: Method
    contact: Contact | None = None
    pieces: PieceMaker | None = field(default=None, repr=False)
    edited: BeforeEdit | None = field(default=None, repr=False, compare=False)

    @property
    def world(self) -> World:
        """The world that moves."""
        return self.model.world

    @cached_property
    def around(self) -> Neighbours | None:
        """Which parts may touch, and limits of hinges; None where there is nothing of either."""
        met = None if self.edited is None else self.edited.met
        return neighbours(self.model.parts, self.contact, self.model.interference, met)

    @cached_property
    def _passage(self) -> Passage | None:
        around = self.around
        if not around or not isinstance(self.method, DOP853 | RK4):
            return None
        laws = self.contact or Contact()
        return Passage(self.model.engine, laws, around, self._steps_may_help)

    @property
    def _steps_may_help(self) -> bool:
        """Tell whether steps may take over: they do not know what hinges bear."""
        laws = self.contact or Contact()
        loaded = len(self.model.engine.arrays.load) > 0
        return self.pieces is not None and laws.crowd > 0.0 and not loaded

    @cached_property
    def _stepper(self) -> Stepper | None:
        return self._steps_by(self.method) if isinstance(self.method, Stepping) else None

    @cached_property
    def _aside(self) -> Stepper:  # takes over where too much happens
        return self._steps_by(Stepping() if self.contact is None else Stepping(self.contact.steps))

    def _steps_by(self, method: Stepping) -> Stepper:
        if self.pieces is None:
            raise SimulationError("stepping needs the pieces of bodies; run it by simulate()")
        pieces = self.pieces([body.shape for body in self.world.bodies.values()])
        stood = None if self.edited is None else self.edited.stood
        return Stepper(self.model.engine, self.contact, pieces, method, stood)

    def _walk(self, stepper: Stepper) -> Walk:
        return Walk(stepper, self.model.observer)

    def _choice(self, memory: Memory) -> Choice | None:
        """Return who goes on, None where nobody else could."""
        laws = self.contact
        if self._passage is None or laws is None or not self._steps_may_help:
            return None
        return memory.choice or Choice(laws.crowd, laws.quiet, laws.quiet)

    def in_steps(self, state: State) -> bool:
        """Tell whether steps go on from ``state``."""
        return self._stepper is not None or self._left_to_steps(state)

    def _left_to_steps(self, state: State) -> bool:
        """Tell whether steps have taken over, or have to: only they lead to what overlaps."""
        memory, passage = self._taken_up(state), self._passage
        choice = self._choice(memory)
        if choice is None or passage is None:
            return False
        packed = pack(state.arrays)
        behind = state.time > 0.0 and passage.overlapping(memory.active, packed)
        return choice.stepping or behind or passage.crowded(memory.active, packed)

    def _taken_up(self, state: State) -> Memory:
        """Return what is remembered at a state, hinges and elimination as they are there."""
        memory = memory_of(state)
        if memory.elimination is not None:
            self.model.engine.take_up(memory.elimination)
        self.model.engine.follow(state.arrays[COORDINATE])
        return memory

    @property
    def touching(self) -> bool:
        """Whether bodies or limits of hinges may touch: ``leg`` is to be asked, not ``advance``."""
        return self._passage is not None or self._stepper is not None

    @property
    def stops(self) -> bool:
        """Whether limits of hinges stop the motion."""
        return self.touching

    @property
    def driven_pairs(self) -> tuple[tuple[str, str], ...]:
        """Bodies that may meet and of which none moves by forces."""
        kind, contact = self.model.parts.kind, self.contact
        if contact is None or self.model.interference is None or not np.any(kind == PRESCRIBED):
            return ()
        pairs = meeting_pairs(self.world, neighbours=False, within=contact.within)
        driven = (kind[pairs] != FREE).all(axis=1) & (kind[pairs] == PRESCRIBED).any(axis=1)
        names = self.model.parts.bodies
        # what stands still comes second
        order = [(a, b) if kind[a] == PRESCRIBED else (b, a) for a, b in pairs[driven].tolist()]
        return tuple((names[a], names[b]) for a, b in order)

    def stride(self, state: State) -> float:
        """Return how far (s) it goes at once from ``state``."""
        if isinstance(self.method, DOP853):
            h = float(state.arrays[STEP][0]) if STEP in state.arrays else 0.0
            return h if h > 0.0 else 1e-3
        return float(getattr(self.method, "step", LONGEST))

    @property
    def _pressed(self) -> bool:
        """Whether frames hold forces of contact."""
        return self._stepper is not None or (self._passage is not None and len(self._pairs) > 0)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The state's arrays and what ``solve`` derives from them."""
        edited = self.edited
        alike = edited is not None and named_alike(edited.met.mechanism, self.model.parts)
        if edited is not None and alike and np.array_equal(edited.pairs, self._pairs):
            return edited.channels
        found = self.model.channels
        if self._pressed:
            found += contact_channels(self.model.parts.bodies, self._pairs)
        return found

    @cached_property
    def _pairs(self) -> IntArray:
        if self._stepper is not None:
            return self._stepper.pairs
        return np.zeros((0, 2), np.int64) if self.around is None else self.around.body_pairs

    def start(self) -> Mapping[str, Array]:
        """Return the state at the start, velocities made consistent with the hinges."""
        check_rubbing(self.model.engine.rubs, self.method)
        return self.model.start()

    def start_events(self) -> tuple[Event, ...]:
        """Return what is told of the start, and which contacts will not be seen."""
        who = None if self._stepper is None else self._stepper.untested
        unseen = passing_through(self.world, self.method, self.around, who, self.touching)
        return (*self.model.start_events(), *unseen)

    def observe(self, state: State) -> dict[str, Array]:
        """Return what ``state`` alone tells, without solving: poses, rates, energy, momentum."""
        return self.model.observer.observe(state)

    def placed(self, state: State) -> dict[str, Array]:
        """Return poses and the rates of hinges' coordinates, as ``observe`` does."""
        return self.model.observer.placed(pack(state.arrays))

    def before(self, state: State) -> dict[str, Array]:
        """Return what can be sensed before anything was solved: no accelerations, no forces."""
        pairs = len(self._pairs) if self._pressed else None
        return {**self.observe(state), **unsolved(self.model.parts, pairs)}

    def solve(self, state: State, control: Control) -> dict[str, Array]:
        """Return accelerations and hinge forces at ``state``, and all that it tells alone."""
        control = self.model.guide.guided(control)
        packed, turned, memory = pack(state.arrays), state.arrays[COORDINATE], self._taken_up(state)
        pressed, stopped = tuple[Array, ...](), np.zeros((len(self.model.parts.hinges), 6))
        stepper = self._aside if self._left_to_steps(state) else self._stepper
        if stepper is not None:
            acceleration, multipliers, found = stepper.solve(
                Begin(memory.steps, packed, state.time, control, turned)
            )
            pressed = found.channels(self._pairs, room_for(len(self._pairs)))
            stopped = found.at_limits(self.model.parts, packed)
        elif self._passage is not None:
            now, acceleration, multipliers = self._passage.solve(
                memory.active, packed, state.time, control
            )
            stopped = at_limits(now, self.model.parts, packed)
            if self._pressed:
                pressed = channels(now, packed, self._pairs, room_for(len(self._pairs)))
        else:
            acceleration, multipliers = self.model.engine.accelerations(
                packed, control(state.time), state.time
            )
        seen = self.observe(state)
        rates = seen["dynamic.coordinate_rate"]
        return {
            **seen,
            "dynamic.acceleration": acceleration[:, :3].copy(),
            "dynamic.angular_acceleration": acceleration[:, 3:].copy(),
            "dynamic.hinge_force": self.model.observer.hinge_forces(self.model.engine.rows)
            + stopped,
            "dynamic.multipliers": multipliers,
            **efforts(self.model.parts, multipliers, rates, self.model.engine.dry(rates)),
            **dict(zip(PRESSED, pressed, strict=False)),
        }

    def borne(self, state: State, control: Control) -> Array:
        """Return what the hinges bear at ``state``, (hinges, 6) as ``solve`` gives it, alone."""
        control = self.model.guide.guided(control)
        packed, passage = pack(state.arrays), self._passage
        if passage is None or self.in_steps(state):
            return self.solve(state, control)["dynamic.hinge_force"]
        active = self._taken_up(state).active
        now = passage.borne(active, packed, state.time, control)
        limited = any(touch.stop is not None for touch in now.touches)
        if limited:  # how loads are shared decides what limits do
            now, _, _ = passage.solve(active, packed, state.time, control)
        self.model.observer.stand(packed)
        found = self.model.observer.hinge_forces(self.model.engine.rows)
        return found + at_limits(now, self.model.parts, packed) if limited else found

    def parted(self, edit: Edit, state: State) -> tuple[Edit, ...]:
        """Return what keeps bodies from contact that hinges which ``edit`` ends leave in others."""
        return parted(self.model.parts, self.contact, self.model.interference, edit, state)

    def after(self, models: Mapping[str, Model], before: State, state: State, edit: Edit) -> Moved:
        """Return how the world goes on after ``edit``: joined bodies are struck."""
        model, fresh = self.model, cast("DynamicModel", models["dynamic"])
        joined, values = joined_after(model, before, fresh, state, edit)
        edited = BeforeEdit(
            Before(model.parts, self.around),
            self._pairs,
            self.channels,
            Stood(model.parts, before.arrays),
        )
        memory = Memory(fresh.engine.elimination, memory_of(before).choice)
        moved = replace(self, model=fresh, edited=edited)
        return Moved(moved, replace(joined, memory=memory), values)

    def advance(self, state: State, dt: float, control: Control) -> State:
        """Return the state ``dt`` seconds later."""
        if self.touching:
            end = state.time + dt
            while state.time < end:
                state, _ = self.leg(state, end, control)
            return state
        end = state.time + dt
        while (stop := self.model.guide.next_break(state.time)) < end:
            state = self._advanced(state, stop - state.time, control)
        return self._advanced(state, end - state.time, control)

    def _advanced(self, state: State, dt: float, control: Control) -> State:
        packed, turned, memory = pack(state.arrays), state.arrays[COORDINATE], self._taken_up(state)
        h = float(state.arrays[STEP][0]) if STEP in state.arrays else 0.0
        guided = self.model.guide.guided(control)
        after, h = self.model.engine.advance(self.method, packed, state.time, dt, guided, h)
        work, damped = self.model.engine.books.tolist()
        books = booked(state.arrays, work, np.array([0.0, 0.0, damped, 0.0]))
        arrays = {**state.arrays, **unpack(after), STEP: np.array([h]), **books}
        arrays[COORDINATE] = self.model.observer.coordinates(packed, after, dt, turned)
        memory = memory.by(self.model.engine.elimination)
        return led(
            self.model.guide,
            State(state.time + dt, arrays, state.version, memory),
            self.model.engine,
        )

    def within(self, state: State, dt: float, control: Control) -> At:
        """Return the states within the next ``dt`` seconds, by the steps' dense output.

        Their books of energy are those of ``state``.
        """
        if self.model.parts.drives or not isinstance(self.method, DOP853):
            return super().within(state, dt, control)
        start, known, engine = pack(state.arrays), state.arrays[COORDINATE], self.model.engine
        engine.way = []
        after, way, engine.way = self._advanced(state, dt, control), engine.way, None
        if not way or way[0][0] != state.time:  # a stage of dense output could not be evaluated
            return super().within(state, dt, control)

        def at(share: float) -> State:
            if share in (0.0, 1.0):
                return after if share else state
            time = state.time + share * dt
            begin, step, packed, dense = next(each for each in way[::-1] if each[0] <= time)
            now, _ = between(packed, dense, begin, step, (time - begin) / step)
            turned = self.model.observer.coordinates(start, now, share * dt, known)
            arrays = {**state.arrays, **unpack(now), COORDINATE: turned}
            return State(time, arrays, state.version, after.memory)

        return at

    def leg(
        self, state: State, until: float, control: Control, watch: Watch | None = None
    ) -> tuple[State, tuple[Event, ...]]:
        """Return the state at ``until`` (s), or at the first event on the way with the events.

        ``watch`` is shown the motion within each step, ``at(share)``, and says at which share up
        to ``last`` the way is to end; above 1 for none.
        """
        stop, given = (
            min(until, self.model.guide.next_break(state.time)),
            self.model.guide.guided(control),
        )
        after, events = self._leg(state, stop, given, watch)
        return led(self.model.guide, after, self.model.engine), events

    def _leg(
        self, state: State, until: float, control: Control, watch: Watch | None
    ) -> tuple[State, tuple[Event, ...]]:
        memory = self._taken_up(state)
        if self._stepper is not None:
            return self._walk(self._stepper).leg(state, until, control, watch)
        choice = self._choice(memory)
        if choice is not None and choice.stepping:
            return self._in_steps_for_now(choice, state, until, control, watch)
        passage = self._passage
        assert passage is not None
        if choice is not None and self._left_to_steps(state):
            crowded = passage.crowded(memory.active, pack(state.arrays))
            why = choice.many if crowded else choice.overlapping
            return chosen_by(state, why(state.time))
        assert isinstance(self.method, DOP853 | RK4)
        walk = EventWalk(passage, self.method, self.model.observer, choice is None)
        try:
            way, after, found = walk.leg(state, until, control, watch)
        except Unfollowed:
            if choice is None:
                raise
            return chosen_by(state, choice.nowhere(state.time))
        if choice is None:
            return after, found
        count = len(way.active.closed.touches)
        seen = choice.seen(found, way.time, count)
        after, told = chosen_by(after, choice.nowhere(way.time) if way.nowhere else seen)
        return after, (*found, *told)

    def _in_steps_for_now(
        self, choice: Choice, state: State, until: float, control: Control, watch: Watch | None
    ) -> tuple[State, tuple[Event, ...]]:
        """Take steps in place of following events, until it is quiet."""
        packed, active = pack(state.arrays), memory_of(state).active
        clear = not np.any(self._aside.overlaps(packed)[1] > 1e-7)
        clear &= self.around is None or self.around.limits.kept(state.arrays[COORDINATE])
        clear &= self._passage is None or not self._passage.crowded(active, packed)
        if clear:
            back, told = choice.handed_back(state.time)
            if told:
                return chosen_by(state, (back, told))
        state, events = self._walk(self._aside).leg(state, until, control, watch)
        return chosen_by(state, choice.seen(events, state.time))[0], events

    def told(self, events: Sequence[Event], state: State) -> tuple[Event, ...]:
        """Return ``events`` that change nothing by themselves with what is so at ``state``."""
        if all("energy_before" in event.values for event in events):
            return tuple(events)
        here = self.model.observer.balance(state)
        memory, packed = self._taken_up(state), pack(state.arrays)
        passage, choice = self._passage, self._choice(memory)
        if passage is None or (choice is not None and choice.stepping):
            size = self.model.engine.count(packed).values
        else:
            size = passage.count(memory.active, packed).values
        return told_at(events, here, size)

    def remembered(self, state: State) -> Mapping[str, Part]:
        """Return what is remembered beside ``state``, to be recorded by parts."""
        return memory_of(state).parts

    def recalled(self, parts: Mapping[str, Any]) -> Memory:
        """Return what a recording remembers by ``Memory.parts``; ValueError for another's."""
        stepper = self._stepper or (self._aside if "dynamic.steps" in parts else None)
        return recalled(parts, self.model.engine, self._passage, stepper)
