"""The way through time with contact: step, locate the first event on the way, stop there.

A step is taken with the contacts that are closed. Its dense output is searched for the first
instant at which two parts touch (conservative advancement, then a bracketed root) or at which a
closed contact can no longer be as it is: its force would pull, its friction would leave the cone,
its sliding has come to rest, a corner leaves the face it lies on. The step ends there; impact and
complementarity say how the motion goes on.
Reference: Hoffmann & Hopcroft 1986, section 4.2.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces, Impact
from articulata.domains.dynamic.contact.laws import APPROACH, Contact
from articulata.domains.dynamic.contact.leg import Leg, Patience, Watch
from articulata.domains.dynamic.contact.searching import between, last_true
from articulata.domains.dynamic.contact.squeezing import check_way_out
from articulata.domains.dynamic.contact.telling import Teller
from articulata.domains.dynamic.contact.touches import NEAR, Neighbours
from articulata.domains.dynamic.engine import PLANS, SHARE, Engine
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.domains.protocols import Control
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact import approach, holding
from articulata.kernels.multibody.contact import steps as contact_steps
from articulata.kernels.multibody.contact.approach import APART, BOUND_WIDTH
from articulata.kernels.multibody.contact.closing import project_contacts
from articulata.kernels.multibody.integrators.dop853 import dense_state
from articulata.kernels.multibody.integrators.tableau import DOP853_NODES
from articulata.records.events import Event

FLOOR = 1e-10
"""Depth (m) to which features beside closed contacts may overlap before they count as touching."""

OVERLAP = 1e-6
"""Parts that overlap by more than this (m) at the start cannot be simulated."""

STRIKES = 24
"""Strikes of a pair within the time that counts as one series after which it stops bouncing."""

STALL = 1e-13
"""Steps shorter than this (s) get nowhere."""

MOST_STALLS = 4
"""Changes of contacts without getting anywhere after which a step is taken in spite of them."""

ESCAPE = 1e-9
"""Length of that step (s), doubled as long as it does not help."""

AHEAD = 16
"""Steps whose controls are asked at once; beyond an event they are asked again."""

ROUNDS = 50
"""Impacts in one instant before the state is taken as it is."""


class Passage:
    """Carries one mechanism with contact through time."""

    def __init__(self, engine: Engine, contact: Contact, around: Neighbours) -> None:
        self.engine = engine
        self.around = around
        self.forces = Forces(engine, contact, around)
        self.now = self.forces.none_closed()
        self._teller = Teller(engine, contact, around)
        self._anchor: Array | None = None
        self._stalls = self._escapes = 0
        self._open = self.now
        self._bounds = np.zeros((len(engine.arrays.body), BOUND_WIDTH))
        self._solved: tuple[Array, Closed, Array] | None = None
        self._strikes: dict[int, list[float]] = {}
        self._settle = contact.settle

    # ---- entering a state

    def enter(
        self, state: Array, time: float, control: Control, start: bool = False
    ) -> tuple[Array, tuple[Event, ...]]:
        """Return ``state`` with its contacts closed, and what happened for that.

        A state that this passage has just left is known; any other is looked at anew.
        """
        if self._anchor is not None and np.array_equal(self._anchor, state):
            return state, ()
        self._check_apart(state, time)
        return self._arrive(state, time, control)

    def _check_apart(self, state: Array, time: float) -> None:
        gaps = self.around.separations(state)
        for pair in np.flatnonzero(gaps < -OVERLAP).tolist():
            one, other = (self.engine.parts.bodies[k] for k in self.around.bodies(pair))
            bodies = self.engine.parts.world.bodies
            raise SimulationError(
                f"{bodies[one].span}: '{one}' and '{other}' ({bodies[other].span}) overlap by "
                f"{-gaps[pair]:.3g} m at t = {time:.9g} s; move them apart, or say "
                f"ignore {one} with {other}"
            )

    def _arrive(
        self, state: Array, time: float, control: Control
    ) -> tuple[Array, tuple[Event, ...]]:
        """Let what touches at ``state`` collide, then decide which contacts stay closed."""
        state, events = state.copy(), []
        before = self.now
        touches = self.around.touches(state, NEAR)
        for rounds in range(ROUNDS):
            energy = self._teller.energy(state)
            weary = self._weary(time)
            hit = self.forces.collide(touches, before, weary, state, time, control)
            if hit is None:
                break
            check_way_out(self.engine, hit, rounds, time)
            self._book_impact(hit, energy[0], state)
            for touch, speed in zip(hit.touches, hit.before, strict=True):
                if speed < -APPROACH:
                    self._strikes.setdefault(touch.pair, []).append(time)
            events += self._teller.impact(hit, state, time, energy)
        self.now = self.forces.decide(touches, state, time, control)
        self._close(state)
        keys = self.now.keys
        held = {touch.pair for touch in self.now.touches}
        self._open = self.forces.only_looked_at(
            [t for t in touches if t.pair in held and t.key not in keys]
        )
        settled = {event.who for event in events if event.kind == "settled"}
        changes = self._teller.changes(before, self.now, state, time)
        events += [each for each in changes if each.kind != "contact" or each.who not in settled]
        self._anchor = state.copy()
        return state, tuple(events)

    def _book_impact(self, hit: Impact, before: float, state: Array) -> None:
        after, _ = self._teller.energy(state)
        books = self.engine.work.books
        books[0] += hit.work
        books[1] += before - after + hit.work

    def _weary(self, time: float) -> set[int]:
        """Return the pairs that have struck so often of late that they do not bounce any more.

        Where bodies hammer on each other between others, no single bounce tells that its series
        ends; the number of strikes in a short time does.
        """
        since = time - self._settle
        for pair, times in list(self._strikes.items()):
            self._strikes[pair] = [t for t in times if t >= since]
        return {pair for pair, times in self._strikes.items() if len(times) >= STRIKES}

    def _close(self, state: Array) -> None:
        """Close the gaps of the contacts in ``state`` within rounding, and stop what is left."""
        if self.now.touches:
            self.now = self.forces.current(self.now)
            project_contacts(self.engine.arrays, self.engine.work, self.now.rows, state)

    def solve(self, state: Array, time: float, control: Control) -> tuple[Closed, Array, Array]:
        """Return the closed contacts with their forces, accelerations and hinge multipliers."""
        if self._anchor is None or not np.array_equal(self._anchor, state):
            self._check_apart(state, time)
            now = self.forces.decide(self.around.touches(state, NEAR), state, time, control)
        else:
            now = self.now
        slip = now.rows.slip.copy()
        out, multipliers = self.forces.accelerations(now, state, time, control)
        known = self._solved
        same = known is not None and known[1] is now and np.array_equal(known[0], state)
        if known is None or not same or self.engine.parts.drives:
            self.forces.shortest(now, state, time, control)
            self._solved = known = state.copy(), now, now.rows.force.copy()
            # once more for the hinges' rows, which the search has overwritten
            out, multipliers = self.forces.accelerations(now, state, time, control)
        now.rows.force[:] = known[2]
        now.rows.slip[:] = slip
        return now, out, multipliers

    # ---- going on

    def go(
        self,
        method: DOP853 | RK4,
        state: Array,
        time: float,
        end: float,
        control: Control,
        h: float,
        watch: Watch | None = None,
        insist: bool = True,
    ) -> Leg:
        """Return the state at ``end``, or at the first event on the way.

        ``watch`` may end it earlier, at a share of a step that it names; so do steps that hardly
        get on, unless it is to ``insist``.
        """
        self.engine.work.books[:] = 0.0
        state, events = self.enter(state, time, control)
        rule = self.forces.friction
        if rule is not None and rule.due(time) and not events:
            self.forces.begin_step(self.now, state, time, control)
            state, events = self._arrive(state, time, control)
        if events:
            return Leg(state, time, events, h)
        end = end if rule is None else rule.end(end)
        if isinstance(method, RK4):
            # even steps to the end
            h = (end - time) / max(1, int(np.ceil((end - time) / method.step - SHARE)))
        limit = h if isinstance(method, RK4) else np.inf
        h, plans = h if h > 0 else 1e-3, 0
        new, dense = np.empty_like(state), np.zeros((7, len(state), 13))
        patience = None if insist or isinstance(method, RK4) else Patience(time)
        while True:
            if patience is not None and patience.ends(time):
                return Leg(state, time, (), 0.0, nowhere=True)
            self.now = self.forces.current(self.now)
            quiet = watch is None and not self._open.touches and not self._stalls
            if isinstance(method, RK4) and quiet:
                time = self._run(state, new, dense, time, end, h, control)
                if time >= end:
                    return Leg(state, end, (), h)
            rest = end - time
            step = min(h, rest)
            if step >= rest * (1.0 - 1e-9):
                step = rest
            elif step > 0.5 * rest and isinstance(method, DOP853):
                step = 0.5 * rest
            stuck = self._stalls >= MOST_STALLS
            if stuck:
                step = min(step, ESCAPE * 2.0**self._escapes)
            slip = self.now.rows.slip.copy()
            status, accepted, following = self._try(method, state, new, dense, time, step, control)
            if status == system.LOST_PIVOT and plans < PLANS:
                plans += 1
                self._plan_again(state)
                continue
            if status != system.OK:
                raise self.engine.failure(status, state, control(time), time)
            if not accepted:
                self.now.rows.slip[:] = slip
                h = following
                if h < 1e-14 * max(1.0, abs(time)):
                    if patience is not None:
                        return Leg(state, time, (), 0.0, nowhere=True)
                    raise self.forces.jammed(self.now, state, time, control) or self.engine.failure(
                        system.STEP_TOO_SMALL, state, control(time), time
                    )
                continue
            share, watched = 2.0, False
            if not stuck:
                share = self._first_event(state, new, dense, time, step, control)
                if watch is not None:
                    inside = partial(between, state, dense, time, step)
                    seen = watch(inside, min(1.0, share))
                    watched, share = seen <= share, min(share, seen)
            if share > 1.0:
                self._stalls, self._escapes = 0, self._escapes + 1 if stuck else 0
                grown = max(following, h) if step < h and following >= step else following
                h = min(limit, grown)
                self._kept()
                state, time = new.copy(), end if step == rest else time + step
                self._anchor = state.copy()
                if step == rest:
                    return Leg(state, time, (), h)
                self._drop_parted(state)
                continue
            self.now.rows.slip[:] = slip
            at = time + share * step
            self._stalls = self._stalls + 1 if share * step <= STALL else 0
            state = self._at(method, state, dense, time, share, step, control)
            time = min(at, end)
            state, events = self._arrive(state, time, control)
            if events or time >= end or watched:
                return Leg(state, time, events, h)

    def _run(
        self,
        state: Array,
        new: Array,
        dense: Array,
        time: float,
        end: float,
        h: float,
        control: Control,
    ) -> float:
        """Take classical steps in ``state`` until something happens; return the time reached."""
        engine = self.engine
        while time < end:
            count = max(1, round((end - time) / h))
            if abs(count * h - (end - time)) > SHARE * h:
                count = int((end - time) / h)  # the step that is cut is taken alone
            if engine.parts.drives:
                count = min(count, AHEAD)
            if not count:
                return time
            inputs = engine.inputs_at([time + 0.5 * k * h for k in range(2 * count + 1)], control)
            status, done = self._steps(inputs, time, h, count, False, state, new, dense)
            time += done * h
            if end - time < SHARE * h:
                time = end
            self._anchor = state.copy()
            if status != system.OK or done < count:
                return time
        return time

    def _kept(self) -> None:
        """Book the step that is kept, and let later forces be the nearest to those at its end."""
        books, friction = self.engine.work.books, self.now.rows.books
        books[:2] += books[2:]
        friction[1] += friction[0]
        books[2:] = friction[0] = 0.0
        self.now.rows.base[:] = self.now.rows.force

    def _drop_parted(self, state: Array) -> None:
        """Forget features that were in touch and are clearly apart by now."""
        if not self._open.touches:
            return
        near = {touch.key for touch in self.around.touches(state, APART)}
        if not any(touch.key in near for touch in self._open.touches):
            self._open = self.forces.none_closed()

    def _plan_again(self, state: Array) -> None:
        books = self.engine.work.books[:2].copy()
        self.engine.plan_again(state)
        self.engine.work.books[:2] = books
        self.now = self.forces.current(self.now)
        self._open = self.forces.current(self._open)

    def _try(
        self,
        method: DOP853 | RK4,
        state: Array,
        new: Array,
        dense: Array,
        time: float,
        step: float,
        control: Control,
    ) -> tuple[int, bool, float]:
        """Take one step into ``new`` and fill its dense output."""
        engine = self.engine
        if isinstance(method, RK4):
            times = [time, time + 0.5 * step, time + step]
            inputs = engine.inputs_at(times, control)
            status, _ = self._steps(inputs, time, step, 1, True, state, new, dense)
            return status, status == system.OK, step
        nodes = DOP853_NODES.tolist()
        inputs = engine.inputs_at([time + node * step for node in nodes], control)
        status, accepted, following = contact_steps.contact_dop853(
            engine.arrays,
            engine.work,
            self.now.rows,
            engine.stages,
            inputs,
            time,
            step,
            state,
            new,
            dense,
            method.relative,
            method.absolute,
        )
        return status, accepted, following

    def _steps(
        self,
        inputs: system.Inputs,
        time: float,
        h: float,
        count: int,
        alone: bool,
        state: Array,
        new: Array,
        dense: Array,
    ) -> tuple[int, int]:
        """Take classical steps; see ``kernels.multibody.contact.steps.contact_run``."""
        engine, around = self.engine, self.around
        status, done = contact_steps.contact_run(
            engine.arrays,
            engine.work,
            self.now.rows,
            around.pieces,
            around.now,
            around.reach,
            around.pairs,
            self._held(state),
            engine.stages,
            inputs,
            time,
            h,
            count,
            alone,
            FLOOR,
            self._bounds,
            self.forces.shared.moved,
            state,
            new,
            dense,
        )
        return status, done

    def _at(
        self,
        method: DOP853 | RK4,
        state: Array,
        dense: Array,
        time: float,
        share: float,
        step: float,
        control: Control,
    ) -> Array:
        """Return the state at a share of the step: by a step of its own, as exact as any other."""
        new, unused = np.empty_like(state), np.empty_like(dense)
        if share * step > 1e-13 * max(1.0, abs(time)):
            slip = self.now.rows.slip.copy()
            status, accepted, _ = self._try(method, state, new, unused, time, share * step, control)
            self.now.rows.slip[:] = slip
            if status == system.OK and accepted:
                self._kept()
                return new
        dense_state(dense, state, share, new)
        new[:, 3:7] /= np.linalg.norm(new[:, 3:7], axis=1, keepdims=True)
        return new

    # ---- finding events

    def _first_event(
        self, state: Array, new: Array, dense: Array, time: float, step: float, control: Control
    ) -> float:
        """Return the share of the step at which the first event lies; above 1 for none."""
        engine, around = self.engine, self.around
        now, moved = np.empty_like(state), self.forces.shared.moved
        _, share = approach.first_touch(
            around.pieces,
            around.now,
            around.reach,
            around.pairs,
            self._held(state),
            dense,
            state,
            step,
            FLOOR,
            self._bounds,
            moved,
        )
        if self._open.touches:
            last = min(1.0, share)
            share = min(
                share, holding.reopened(self._open.rows, dense, state, last, now, engine.work.body)
            )
        if self.now.touches and not self._stays(new, time + step, control):

            def stays(part: float) -> bool:
                dense_state(dense, state, part, now)
                return self._stays(now, time + part * step, control)

            share = min(share, last_true(stays, min(1.0, share)))
        return share

    def _held(self, state: Array) -> IntArray:
        """Return 1 for the pairs that closed contacts or hinges hold together."""
        held = np.zeros(len(self.around.pairs), np.int64)
        held[[touch.pair for touch in self.now.touches]] = 1
        hinged = self.around.hinged
        if hinged.any():
            held[hinged & (self.around.separations(state) <= APART)] = 1
        return held

    def _stays(self, state: Array, time: float, control: Control) -> bool:
        """Tell whether the closed contacts can be as they are at ``state``."""
        engine, rows = self.engine, self.now.rows
        slip, out = rows.slip.copy(), np.zeros((len(state), 6))
        inputs = engine.table([control(time)])
        status, good, within = holding.stays(
            engine.arrays, engine.work, rows, inputs, 0, time, state, out
        )
        if status == system.LOST_PIVOT:
            return True
        if status & ~system.INCONSISTENT:
            raise engine.failure(status, state, control(time), time)
        if not good and within:
            good = self.forces.other_forces(self.now, state, time, control)
        rows.slip[:] = slip
        return bool(good and within)
