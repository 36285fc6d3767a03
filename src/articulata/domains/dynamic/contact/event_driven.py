"""The event-driven integrator: step, locate the first event on the way, deal with it, go on.

A step is taken with the contacts that are closed. Its dense output is searched for the first
instant at which two parts touch (conservative advancement, then a bracketed root) or at which a
closed contact can no longer be as it is: its force would pull, its friction would leave the cone,
its sliding has come to rest, a corner leaves the face it lies on. The step ends there; impact and
complementarity say how the motion goes on.
Reference: Hoffmann & Hopcroft 1986, section 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from articulata.domains.dynamic.balances import Count
from articulata.domains.dynamic.contact.arrivals import Arrivals
from articulata.domains.dynamic.contact.closed import Closed, Forces, Held
from articulata.domains.dynamic.contact.contact_energy import Books
from articulata.domains.dynamic.contact.contact_events import with_contacts
from articulata.domains.dynamic.contact.event_location import EventLocator, between
from articulata.domains.dynamic.contact.intervals import Active, Interval, Patience
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.loads import shortest
from articulata.domains.dynamic.contact.paradox import Jam
from articulata.domains.dynamic.contact.recorded_contacts import (
    recalled_contacts,
    recalled_touches,
)
from articulata.domains.dynamic.contact.rubbing import Rubbing
from articulata.domains.dynamic.contact.states import jammed
from articulata.domains.dynamic.contact.strides import Strides
from articulata.domains.dynamic.contact.touches import NEAR, Neighbours
from articulata.domains.dynamic.engine import PLANS, SHARE, Engine
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact.approach import APART
from articulata.kernels.multibody.contact.ending import TOO_LONG

STALL = 1e-13
"""Steps shorter than this (s) get nowhere."""

ESCAPE, DOUBLINGS = 1e-9, 12
"""Length of that step (s), doubled as long as it does not help, and how often at most."""

FREED = 1e-6
"""Ways through time (s) after which such steps begin with the shortest again."""


LEFT_TO_STEPS = (system.INCONSISTENT, system.NOT_CONVERGED)
"""What stops a step near a singular position of a loop, or among contacts that hinges jam."""


class Passage:
    """Carries one mechanism with contact through time.

    ``yielding``: what had better not be followed exactly is raised, for steps to lead on.
    """

    def __init__(
        self, engine: Engine, contact: Contact, around: Neighbours, yielding: bool = False
    ) -> None:
        self.engine = engine
        self.around = around
        self.forces = Forces(engine, contact, around)
        self._books = Books(engine)
        self._arrivals = Arrivals(self.forces, contact, self._books, yielding)
        self._rubbing = Rubbing(self.forces) if engine.rubs else None
        self._locator = EventLocator(self.forces)
        self._strides = Strides(self.forces, self._locator)

    def books(self, way: Interval) -> tuple[float, Array]:
        """Work done in the interval and what it dissipated, by ``readings.CAUSES`` (4,), J."""
        return self._books.sums(way.active.closed)

    def count(self, active: Active | None, state: Array) -> Count:
        """Return the size of ``A x = b`` at ``state``, with contacts where these are known."""
        size = self.engine.count(state)
        return size if active is None or not active.here else with_contacts(size, active.closed)

    def take_up(self, active: Active | None) -> Active:
        """Return a copy of what an interval has handed on, for the plan of elimination at hand."""
        if active is None:
            none = self.forces.none_closed()
            active = Active(none, none)
        if self.forces.friction is not None:
            self.forces.friction.held = active.held
        self._arrivals.strikes = active.strikes
        closed = self.forces.current(active.closed)
        closed = closed.copied() if closed.touches else closed
        return replace(active, closed=closed, others=self.forces.current(active.others))

    def recalled(self, plain: Mapping[str, Any]) -> Active:
        """Return the contacts that ``Active.plain`` has written; ValueError for others."""
        stalls, escapes = map(int, plain["counts"])
        return Active(
            recalled_contacts(self.forces, plain["closed"]),
            self.forces.only_looked_at(recalled_touches(self.forces, plain["others"])),
            {int(pair): tuple(map(float, times)) for pair, times in plain["strikes"]},
            Held.recalled(plain["held"]),
            stalls,
            escapes,
            bool(plain["here"]),
        )

    # ---- a state by itself

    def overlapping(self, active: Active | None, state: Array) -> bool:
        """Tell whether bodies overlap at a state that no interval has led to.

        Or whether hinges stand beyond their limits, at the coordinates that the engine follows.
        """
        return not (active is not None and active.here) and self._arrivals.overlapping(state)

    def crowded(self, active: Active | None, state: Array) -> bool:
        """Tell whether two bodies touch at too many points at a state no interval has led to."""
        if active is not None and active.here:
            return False
        return self._arrivals.crowded(self.around.touches(state, NEAR))

    def borne(self, active: Active | None, state: Array, time: float, control: Control) -> Closed:
        """Leave what the hinges bear in the engine's rows; return the closed contacts.

        Their forces are some that have this motion, not those of least norm.
        """
        now = self._closed_at(active, state, time, control)
        self.forces.accelerations(now, state, time, control)
        return now

    def solve(
        self, active: Active | None, state: Array, time: float, control: Control
    ) -> tuple[Closed, Array, Array]:
        """Return the closed contacts with their forces, accelerations and hinge multipliers."""
        now = self._closed_at(active, state, time, control)
        out, multipliers = self.forces.accelerations(now, state, time, control)
        if shortest(self.forces, now, state, time, control):
            force = now.rows.force.copy()
            # once more for the hinges' rows, which the search has overwritten
            out, multipliers = self.forces.accelerations(now, state, time, control)
            now.rows.force[:] = force
        return now, out, multipliers

    def _closed_at(
        self, active: Active | None, state: Array, time: float, control: Control
    ) -> Closed:
        """Return the contacts that are closed at ``state``."""
        self.around.limits.follow(self.engine.turned)
        active = self.take_up(active)
        if active.here:
            return active.closed
        self._arrivals.check_apart(state, time)
        if self._rubbing is not None:
            self._rubbing.decide(self.forces.none_closed(), state, time, control)
        touches = self.around.touches(state, NEAR)
        made = self._arrivals.decisions.at(touches, state, time, control)
        # what is about to jam has no force; the impulse is an event of the way from here
        return self.forces.none_closed() if isinstance(made, Jam) else made

    # ---- through time

    def advance(self, way: Interval) -> None:
        """Carry ``way`` to its end, or to the first event on it."""
        self._set_out(way)
        while not way.over:
            step = self._next_step(way)
            if way.over or not self._taken(way, step):
                continue
            share, watched = self._first_event(way, step)
            if share > 1.0:
                self._keep(way, step)
            else:
                self._arrive(way, step, share)
                if way.events or way.time >= way.end or watched:
                    way.stop()
        way.active = self._reached(way, way.active.closed)

    def _set_out(self, way: Interval) -> None:
        """Close the contacts at the start, bring friction up to date, and choose the step."""
        self._books.begin(way.active.closed)
        self.around.limits.follow(self.engine.turned)
        if not way.active.here:
            self._arrivals.check_apart(way.state, way.time)
            self.engine.establish(way.state)
            self._deal_with(way)
        rule = self.forces.friction
        if rule is not None and rule.due(way.time) and not way.events:
            self.forces.begin_step(way.active.closed, way.state, way.time, way.control)
            self._deal_with(way)
        if way.events:
            way.stop()
            return
        way.end = way.end if rule is None else rule.end(way.end)
        if isinstance(way.method, RK4):
            # even steps to the end
            rest = way.end - way.time
            way.h = way.limit = rest / max(1, int(np.ceil(rest / way.method.step - SHARE)))
        elif not way.insist:
            way.patience = Patience(way.time)
        way.h = way.h if way.h > 0 else 1e-3

    def _next_step(self, way: Interval) -> float:
        """Return how long the next step is: ``h``, less near the end or after stalls.

        Classical steps in which nothing happens are taken at once; there may be none left.
        """
        active = way.active
        if way.patience is not None and way.patience.ends(way.time, len(active.closed.touches)):
            way.stop(0.0, nowhere=True)
            return 0.0
        active.closed = self.forces.current(active.closed)
        quiet = way.watch is None and not active.others.touches and not active.stalls
        if isinstance(way.method, RK4) and quiet and self._rubbing is None:
            way.time = self._strides.run(way)
            if way.time >= way.end:
                way.stop()
                return 0.0
        rest = way.end - way.time
        step = min(way.h, rest)
        if step >= rest * (1.0 - 1e-9):
            step = rest
        elif step > 0.5 * rest and isinstance(way.method, DOP853):
            step = 0.5 * rest
        if active.stuck:
            step = min(step, ESCAPE * 2.0 ** min(active.escapes, DOUBLINGS))
        return step

    def _taken(self, way: Interval, step: float) -> bool:
        """Take a step into ``way.new`` and ``way.dense``; tell whether it is good enough."""
        active = way.active
        slip = active.closed.rows.slip.copy()
        status, accepted, following = self._strides.attempt(way, step)
        if status == TOO_LONG:
            # steps that get shorter with the time that is left lead on to the end of sliding
            way.method = DOP853()
            way.patience = None if way.insist else Patience(way.time)
            return False
        if status == system.LOST_PIVOT and way.plans < PLANS:
            way.plans += 1
            self._plan_again(way)
            return False
        if status in LEFT_TO_STEPS and way.patience and not self.forces.prescribed:
            way.stop(0.0, nowhere=True)
            return False
        if status != system.OK:
            raise self.engine.failure(status, way.state, way.control(way.time), way.time)
        way.following, way.slip = following, slip
        if accepted:
            return True
        active.closed.rows.slip[:] = slip
        way.h = following
        if way.h < 1e-14 * max(1.0, abs(way.time)):
            self._stopped(way)
        return False

    def _first_event(self, way: Interval, step: float) -> tuple[float, bool]:
        """Return the share of the step at which it is to end, and whether ``watch`` wants that.

        Above 1 for none. A step taken in spite of its contacts ends only where others close.
        """
        if way.active.stuck:
            return self._locator.far_touch(way, step), False
        share = self._locator.first_event(way, step)
        way.ended = None
        if self._rubbing is not None:
            found, ended = self._rubbing.first(way, step, min(1.0, share))
            share, way.ended = (found, ended) if found <= share else (share, None)
        if way.watch is None:
            return share, False
        seen = way.watch(
            partial(between, way.state, way.dense, way.time, step),
            min(1.0, share),
            self._reached(way, way.active.closed.copied()),
        )
        return min(share, seen), seen <= share

    def _reached(self, way: Interval, closed: Closed) -> Active:
        """Return what is handed on from where the interval has come to."""
        rule = self.forces.friction
        held = way.active.held if rule is None else rule.held
        strikes = self._arrivals.strikes
        return replace(way.active, closed=closed, held=held, strikes=strikes, here=True)

    def _keep(self, way: Interval, step: float) -> None:
        """Keep the step taken: nothing happens on it."""
        active, rest = way.active, way.end - way.time
        active.escapes = active.escapes + 1 if active.stuck else 0
        active.stalls = 0
        good = step < way.h and way.following >= step
        way.h = min(way.limit, max(way.following, way.h) if good else way.following)
        self._strides.keep(active.closed)
        self.around.limits.went(way.state, way.new, step)
        way.state, way.time = way.new.copy(), way.end if step == rest else way.time + step
        if step == rest:
            way.stop()
            return
        if active.others.touches:
            # features that were in touch and are clearly apart by now are forgotten
            near = {touch.key for touch in self.around.touches(way.state, APART)}
            if not any(touch.key in near for touch in active.others.touches):
                active.others = self.forces.none_closed()

    def _arrive(self, way: Interval, step: float, share: float) -> None:
        """Go to a share of the step, where something happens, and deal with it."""
        active, part = way.active, share * step
        active.closed.rows.slip[:] = way.slip
        active.stalls = active.stalls + 1 if part <= STALL else 0
        active.escapes = active.escapes if part <= FREED else 0
        new = self._strides.at(way, step, share)
        self.around.limits.went(way.state, new, part)
        way.state, way.time = new, min(way.time + part, way.end)
        self._deal_with(way)

    def _deal_with(self, way: Interval, jam: Jam | None = None) -> None:
        """Let what touches collide, and decide which contacts are closed from here on."""
        arrive = partial(self._arrivals.at, time=way.time, control=way.control)
        if self._rubbing is None:
            arrival = arrive(way.active.closed, way.state, jam=jam)
        else:
            arrival = self._rubbing.settled(way, partial(arrive, jam=jam))
            way.ended = None
        way.state, way.events = arrival.state, arrival.events
        way.active.closed, way.active.others = arrival.now, arrival.others

    def _stopped(self, way: Interval) -> None:
        """End where no step is short enough: at a jam, or left to steps."""
        jam = jammed(self.forces, way.active.closed, way.state, way.time, way.control)
        if jam is not None:
            self._deal_with(way, jam)
            way.stop(0.0)
        elif way.patience is not None:
            way.stop(0.0, nowhere=True)
        else:
            inputs = way.control(way.time)
            raise self.engine.failure(system.STEP_TOO_SMALL, way.state, inputs, way.time)

    def _plan_again(self, way: Interval) -> None:
        books = self.engine.work.books[:2].copy()
        self.engine.plan_again(way.state)
        self.engine.work.books[:2] = books
        way.active.closed = self.forces.current(way.active.closed)
        way.active.others = self.forces.current(way.active.others)
