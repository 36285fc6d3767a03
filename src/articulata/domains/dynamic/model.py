"""The dynamic model: a world's equations of motion, solved and carried through time.

Bodies' mass centres are in ``dynamic.position``, orientations (w first) in ``dynamic.orientation``,
their velocities beside them, in W and SI. A prescribed body is held by its origin instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from articulata.domains.dynamic.asked_rates import rates_left, with_asked_rates
from articulata.domains.dynamic.balances import Balance, balance_of, told_at
from articulata.domains.dynamic.channels import (
    PRESSED,
    STEP,
    booked,
    books_of,
    contact_channels,
    empty_books,
    motion_channels,
    named_alike,
    room_for,
    unsolved,
)
from articulata.domains.dynamic.contact.event_walk import EventWalk
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.leg import Unfollowed
from articulata.domains.dynamic.contact.overlaps import Stood
from articulata.domains.dynamic.contact.passage import Passage
from articulata.domains.dynamic.contact.pressing import at_limits, channels
from articulata.domains.dynamic.contact.stops import in_limits
from articulata.domains.dynamic.contact.touches import (
    Before,
    Neighbours,
    interference_of,
    neighbours,
)
from articulata.domains.dynamic.couplings import efforts
from articulata.domains.dynamic.elements import Element, elements_kept, elements_of
from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.equations import Equations, equations_of
from articulata.domains.dynamic.guided import Guide, check_guided, figures_of, guide_of
from articulata.domains.dynamic.mechanism import (
    COORDINATE,
    Mechanism,
    mechanism,
    motion_of,
    start_arrays,
)
from articulata.domains.dynamic.memory import Memory, chosen_by, memory_of, recalled
from articulata.domains.dynamic.methods import DOP853, RK4, Method, Stepping
from articulata.domains.dynamic.observer import Observer
from articulata.domains.dynamic.packing import pack, unpack
from articulata.domains.dynamic.redundancy import jams, redundancies
from articulata.domains.dynamic.start_notes import passing_through, velocities_changed, without_line
from articulata.domains.dynamic.state_transfer import carried, joined, led, turned_on
from articulata.domains.dynamic.stepping.choice import Choice
from articulata.domains.dynamic.stepping.pieces import PieceMaker
from articulata.domains.dynamic.stepping.stepper import Stepper
from articulata.domains.dynamic.stepping.walking import Walk, Watch
from articulata.domains.protocols import (
    Control,
    FigureModel,
    GeometricModel,
    Inputs,
    InterferenceModel,
    Model,
)
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.coordinates import values_at_start
from articulata.records.events import Event
from articulata.records.memory import Part
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import World


@dataclass(frozen=True)
class DynamicModel:
    """The equations of motion of ``world`` and the method that integrates them."""

    world: World
    geometry: GeometricModel
    method: Method = DOP853()  # noqa: RUF009 - an immutable value
    contact: Contact | None = None
    pieces: PieceMaker | None = field(default=None, repr=False)
    interference: InterferenceModel | None = None
    figures: FigureModel | None = None

    @cached_property
    def parts(self) -> Mechanism:
        """Bodies, hinges and rows as arrays."""
        return mechanism(self.world, self.geometry, vars(self).pop("_before", None))

    @cached_property
    def guide(self) -> Guide:
        """What moves the links of figures that follow their motions."""
        return guide_of(self.world, self.figures)

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Springs, dampers and other forces."""
        kept = elements_kept(vars(self).pop("_elements_before", None), self.parts)
        return elements_of(self.parts) if kept is None else kept

    @cached_property
    def _engine(self) -> Engine:
        # A model made by an edit plans its elimination where the bodies are then.
        standing = vars(self).get("_standing")
        state = pack(start_arrays(self.parts)) if standing is None else standing
        return Engine(self.parts, self.elements, state, vars(self).pop("_engine_before", None))

    @cached_property
    def _observer(self) -> Observer:
        return Observer(self.parts, self.elements, self._engine.arrays)

    @cached_property
    def around(self) -> Neighbours | None:
        """Which parts may touch, and limits of hinges; None where there is nothing of either."""
        before = vars(self).pop("_around_before", None)
        return neighbours(self.parts, self.contact, self.interference, before)

    @cached_property
    def _passage(self) -> Passage | None:
        around = self.around
        if not around or not isinstance(self.method, DOP853 | RK4):
            return None
        laws = self.contact or Contact()
        return Passage(self._engine, laws, around, self.pieces is not None and laws.crowd > 0.0)

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
        return Stepper(self._engine, self.contact, pieces, method, vars(self).get("_stood"))

    def _walk(self, stepper: Stepper) -> Walk:
        return Walk(stepper, self.followed, self._balance)

    def _choice(self, memory: Memory) -> Choice | None:
        """Return who goes on, None where nobody else could."""
        laws = self.contact
        if self._passage is None or self.pieces is None or laws is None or not laws.crowd:
            return None
        return memory.choice or Choice(laws.crowd, laws.quiet, laws.quiet)

    def in_steps(self, state: State) -> bool:
        """Tell whether steps go on from a state, or have to: only they lead to what overlaps."""
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
            self._engine.take_up(memory.elimination)
        self._engine.follow(state.arrays[COORDINATE])
        return memory

    @property
    def touching(self) -> bool:
        """Whether bodies or limits of hinges may touch: ``leg`` is to be asked, not ``advance``."""
        return self._passage is not None or self._stepper is not None

    @property
    def _pressed(self) -> bool:
        """Whether frames hold forces of contact."""
        return self._stepper is not None or (self._passage is not None and len(self._pairs) > 0)

    def using(
        self, method: Method, contact: Contact | None = None, pieces: PieceMaker | None = None
    ) -> DynamicModel:
        """Return the model that ``method`` integrates; with ``contact`` bodies may touch.

        ``pieces`` makes the convex pieces of bodies that ``Stepping`` needs.
        """
        other = replace(self, method=method, contact=contact, pieces=pieces)
        vars(other).update(parts=self.parts, elements=self.elements)
        return other

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The state's arrays and what ``solve`` derives from them."""
        before: tuple[Mechanism, IntArray, tuple[Channel, ...]] | None
        before = vars(self).pop("_told_before", None)
        alike = before is not None and named_alike(before[0], self.parts)
        if before is not None and alike and np.array_equal(before[1], self._pairs):
            return before[2]
        found = motion_channels(self.parts)
        if self._pressed:
            found += contact_channels(self.parts.bodies, self._pairs)
        return found

    @cached_property
    def _pairs(self) -> IntArray:
        if self._stepper is not None:
            return np.array(self._stepper.pairs, np.int64).reshape(-1, 2)
        return np.zeros((0, 2), np.int64) if self.around is None else self.around.body_pairs

    def start(self) -> Mapping[str, Array]:
        """Return the state at the start, velocities made consistent with the hinges."""
        return {name: array.copy() for name, array in self._start.items()}

    @cached_property
    def _start(self) -> Mapping[str, Array]:
        begun = start_arrays(self.parts)
        self.guide.set_places(begun, 0.0)
        met = self._engine.consistent(pack(begun))
        arrays = unpack(with_asked_rates(self._engine, met))
        motion = motion_of(arrays)
        turned = values_at_start(self.parts.coordinates, motion.positions, motion.R, self.world)
        arrays[COORDINATE] = in_limits(self.parts, turned)
        return {**arrays, STEP: np.zeros(1), **empty_books()}

    def start_events(self) -> tuple[Event, ...]:
        """Return what was changed at the start so that the hinges are met, and what cannot act."""
        motion, stepper = motion_of(after := self.start()), self._stepper
        who = None if stepper is None else stepper.untested
        return (
            *velocities_changed(self.parts, after),
            *rates_left(self.parts, pack(after)),
            *self.guide.events(),
            *redundancies(self.parts, motion, 0.0),
            *jams(self.parts, motion),
            *without_line(self.elements, motion),
            *passing_through(self.world, self.method, self.around, who, self.touching),
        )

    def observe(self, state: State) -> dict[str, Array]:
        """Return what ``state`` alone tells, without solving: poses, rates, energy, momentum."""
        found = self._observer.motion(pack(state.arrays), state.time, state.arrays[COORDINATE])
        booked = books_of(state.arrays)
        energy = np.concatenate([found["dynamic.energy"], *booked.values()])
        return {**found, "dynamic.energy": energy}

    def before(self, state: State) -> dict[str, Array]:
        """Return what can be sensed before anything was solved: no accelerations, no forces."""
        pairs = len(self._pairs) if self._pressed else None
        return {**self.observe(state), **unsolved(self.parts, pairs)}

    def solve(self, state: State, control: Control) -> dict[str, Array]:
        """Return accelerations and hinge forces at ``state``, and all that it tells alone."""
        control = self.guide.guided(control)
        packed, turned, memory = pack(state.arrays), state.arrays[COORDINATE], self._taken_up(state)
        pressed, stopped = tuple[Array, ...](), np.zeros((len(self.parts.hinges), 6))
        stepper = self._aside if self.in_steps(state) else self._stepper
        if stepper is not None:
            acceleration, multipliers, found = stepper.solve(
                memory.steps, packed, state.time, control, turned
            )
            pressed = found.channels(self._pairs, room_for(len(self._pairs)))
            stopped = found.at_limits(self.parts, packed)
        elif self._passage is not None:
            now, acceleration, multipliers = self._passage.solve(
                memory.active, packed, state.time, control
            )
            stopped = at_limits(now, self.parts, packed)
            if self._pressed:
                pressed = channels(now, packed, self._pairs, room_for(len(self._pairs)))
        else:
            acceleration, multipliers = self._engine.accelerations(
                packed, control(state.time), state.time
            )
        seen = self.observe(state)
        return {
            **seen,
            "dynamic.acceleration": acceleration[:, :3].copy(),
            "dynamic.angular_acceleration": acceleration[:, 3:].copy(),
            "dynamic.hinge_force": self._observer.hinge_forces(self._engine.rows) + stopped,
            "dynamic.multipliers": multipliers,
            **efforts(self.parts, multipliers, seen["dynamic.coordinate_rate"]),
            **dict(zip(PRESSED, pressed, strict=False)),
        }

    def borne(self, state: State, control: Control) -> Array:
        """Return what the hinges bear at ``state``, (hinges, 6) as ``solve`` gives it, alone."""
        control = self.guide.guided(control)
        packed, passage = pack(state.arrays), self._passage
        if passage is None or self._stepper is not None or self.in_steps(state):
            return self.solve(state, control)["dynamic.hinge_force"]
        active = self._taken_up(state).active
        now = passage.borne(active, packed, state.time, control)
        limited = any(touch.stop is not None for touch in now.touches)
        if limited:  # how loads are shared decides what limits do
            now, _, _ = passage.solve(active, packed, state.time, control)
        self._observer.stand(packed)
        found = self._observer.hinge_forces(self._engine.rows)
        return found + at_limits(now, self.parts, packed) if limited else found

    def equations(self, state: State, inputs: Inputs) -> Equations:
        """Return ``A x = b`` at ``state``."""
        return equations_of(self.parts, self.elements, motion_of(state.arrays), inputs, state.time)

    def advance(self, state: State, dt: float, control: Control) -> State:
        """Return the state ``dt`` seconds later."""
        if self.touching:
            end = state.time + dt
            while state.time < end:
                state, _ = self.leg(state, end, control)
            return state
        end = state.time + dt
        while (stop := self.guide.next_break(state.time)) < end:
            state = self._advanced(state, stop - state.time, control)
        return self._advanced(state, end - state.time, control)

    def _advanced(self, state: State, dt: float, control: Control) -> State:
        packed, turned, memory = pack(state.arrays), state.arrays[COORDINATE], self._taken_up(state)
        h = float(state.arrays[STEP][0]) if STEP in state.arrays else 0.0
        guided = self.guide.guided(control)
        after, h = self._engine.advance(self.method, packed, state.time, dt, guided, h)
        work, damped = self._engine.books.tolist()
        books = booked(state.arrays, work, np.array([0.0, 0.0, damped, 0.0]))
        arrays = {**state.arrays, **unpack(after), STEP: np.array([h]), **books}
        arrays[COORDINATE] = self._observer.coordinates(packed, after, dt, turned)
        memory = memory.by(self._engine.elimination)
        return led(self.guide, State(state.time + dt, arrays, state.version, memory), self._engine)

    def leg(
        self, state: State, until: float, control: Control, watch: Watch | None = None
    ) -> tuple[State, tuple[Event, ...]]:
        """Return the state at ``until`` (s), or at the first event on the way with the events.

        ``watch`` is shown the motion within each step, ``at(share)``, and says at which share up
        to ``last`` the way is to end; above 1 for none.
        """
        stop, given = min(until, self.guide.next_break(state.time)), self.guide.guided(control)
        after, events = self._leg(state, stop, given, watch)
        return led(self.guide, after, self._engine), events

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
        if choice is not None and self.in_steps(state):
            crowded = passage.crowded(memory.active, pack(state.arrays))
            why = choice.many if crowded else choice.overlapping
            return chosen_by(state, why(state.time))
        assert isinstance(self.method, DOP853 | RK4)
        walk = EventWalk(passage, self.method, self.followed, self._balance, choice is None)
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
        clear = not np.any(self._aside.overlaps(packed) > 1e-7)
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
        here = self._balance(state)
        memory, packed = self._taken_up(state), pack(state.arrays)
        passage, choice = self._passage, self._choice(memory)
        if passage is None or (choice is not None and choice.stepping):
            size = self._engine.count(packed).values
        else:
            size = passage.count(memory.active, packed).values
        return told_at(events, here, size)

    def _balance(self, state: State) -> Balance:
        return balance_of(self.observe(state))

    def followed(self, before: State, arrays: Mapping[str, Array], dt: float) -> Array:
        """Return the coordinates after a cycle, angles followed through whole turns."""
        then, now = pack(before.arrays), pack(arrays)
        return self._observer.coordinates(then, now, dt, before.arrays[COORDINATE])

    def apply(self, edit: Edit, world: World, reads: Mapping[str, Model]) -> DynamicModel:
        """Return the model of ``world``; this one stays valid."""
        geometry = cast("GeometricModel", reads["geometric"])
        touch, figures = interference_of(reads), figures_of(reads)
        after = replace(self, world=world, geometry=geometry, interference=touch, figures=figures)
        vars(self)["_after"] = edit, after  # to carry a state over the edit
        check_guided(self.world, world)
        self._hand_on(after)
        return after

    def _hand_on(self, after: DynamicModel) -> None:
        """Give the model of the next world what need not be made again."""
        vars(after).update(_before=self.parts, _engine_before=vars(self).get("_engine"))
        if "elements" in vars(self):
            vars(after)["_elements_before"] = self.parts, self.elements
        if "around" in vars(self):
            vars(after)["_around_before"] = Before(self.parts, self.around)
        if "channels" in vars(self):
            vars(after)["_told_before"] = self.parts, self._pairs, self.channels

    def carry(self, state: State, edit: Edit) -> Mapping[str, Array]:
        """Return the state right after ``edit``: bodies that stay keep place and velocity."""
        after = vars(self).pop("_after")[1]
        fresh = carried(self.parts, after.parts, state, edit)
        jumped = after.guide.set_places(fresh, state.time)
        vars(after).update(_standing=pack(fresh), _stood=Stood(self.parts, state.arrays))
        if jumped:  # what is joined to a link has to follow its jump
            fresh |= unpack(after._engine.consistent(pack(fresh)))
        fresh |= {STEP: np.zeros(1), **books_of(state.arrays)}
        fresh[COORDINATE] = turned_on(self.parts, after.parts, fresh, state)
        return fresh

    def join(self, state: State, edit: Edit) -> tuple[State, Mapping[str, tuple[float, ...]]]:
        """Return ``state``, right after ``edit``, with all hinges met, and the impulses of that.

        SimulationError where a hinge's features are apart and the edit does not close the gap.
        """
        found = joined(self.parts, self._engine, state.arrays, edit)
        if found.arrays is state.arrays:
            return state, found.impulses
        arrays = dict(found.arrays)
        motion = motion_of(arrays)
        arrays[COORDINATE] = self.parts.coordinates.values(
            motion.positions, motion.R, state.arrays[COORDINATE]
        )
        return replace(state, arrays=arrays), found.impulses

    def remembered(self, state: State) -> Mapping[str, Part]:
        """Return what is remembered beside ``state``, to be recorded by parts."""
        return memory_of(state).parts

    def recalled(self, parts: Mapping[str, Any]) -> Memory:
        """Return what a recording remembers by ``Memory.parts``; ValueError for another's."""
        stepper = self._stepper or (self._aside if "dynamic.steps" in parts else None)
        return recalled(parts, self._engine, self._passage, stepper)

    def after_edit(self, before: State, state: State) -> State:
        """Return ``state``, right after an edit, with what is remembered of that ``before``."""
        return replace(state, memory=Memory(self._engine.elimination, memory_of(before).choice))

    @property
    def working(self) -> bool:
        """Whether controls, dampers or prescribed bodies do work, which is to be booked."""
        return self._engine.working

    def rank(self, state: State) -> int:
        """Return how many rows of the hinges count at ``state``; the others depend on them."""
        return self._engine.rank(pack(state.arrays))


@dataclass(frozen=True, slots=True)
class DynamicDomain:
    """Builds dynamic models from a world and its geometric model."""

    name: str = "dynamic"
    requires: tuple[str, ...] = ("geometric",)
    wants: tuple[str, ...] = ("interference", "kinematic")

    def build(self, world: World, reads: Mapping[str, Model]) -> DynamicModel:
        """Return the dynamic model of ``world``; ModelError where it cannot be made."""
        geometry = reads["geometric"]
        assert isinstance(geometry, GeometricModel)
        touch, figures = interference_of(reads), figures_of(reads)
        model = DynamicModel(world, geometry, interference=touch, figures=figures)
        assert model.parts.bodies == tuple(world.bodies)
        return model
