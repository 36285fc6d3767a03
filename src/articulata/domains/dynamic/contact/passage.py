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

from articulata.domains.dynamic.balances import Count
from articulata.domains.dynamic.contact.arrivals import Arrivals
from articulata.domains.dynamic.contact.books import Books
from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.contact_events import with_contacts
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.leg import Leg, Patience, Watch
from articulata.domains.dynamic.contact.loads import shortest
from articulata.domains.dynamic.contact.outlook import Outlook
from articulata.domains.dynamic.contact.paradox import Jam
from articulata.domains.dynamic.contact.searching import between
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
from articulata.records.events import Event

STALL = 1e-13
"""Steps shorter than this (s) get nowhere."""

MOST_STALLS = 4
"""Changes of contacts without getting anywhere after which a step is taken in spite of them."""

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
        self.now = self.forces.none_closed()
        self._books = Books(engine)
        self._arrivals = Arrivals(self.forces, contact, self._books, yielding)
        self._outlook = Outlook(self.forces)
        self._strides = Strides(self.forces, self._outlook)
        self._anchor: Array | None = None
        self._stalls = self._escapes = 0
        self._open = self.now
        self._solved: tuple[Array, Closed, Array] | None = None
        self._way: Closed | None = None
        """The contacts of the step that is being looked at."""

    @property
    def books(self) -> tuple[float, Array]:
        """Work done in the last leg and what it dissipated, by ``readings.CAUSES`` (4,), J."""
        return self._books.sums(self.now)

    def count(self, state: Array) -> Count:
        """Return the size of ``A x = b`` at ``state``, with contacts where the way led there."""
        size = self.engine.count(state)
        known = self._anchor is not None and np.array_equal(self._anchor, state)
        return with_contacts(size, self.now) if known else size

    # ---- entering a state

    def enter(
        self, state: Array, time: float, control: Control, start: bool = False
    ) -> tuple[Array, tuple[Event, ...]]:
        """Return ``state`` with its contacts closed, and what happened for that.

        A state that this passage has just left is known; any other is looked at anew.
        """
        if self._anchor is not None and np.array_equal(self._anchor, state):
            return state, ()
        self._arrivals.check_apart(state, time)
        self.engine.establish(state)
        return self._arrive(state, time, control)

    def overlapping(self, state: Array) -> bool:
        """Tell whether bodies overlap at a state that this passage has not just left.

        Or whether hinges stand beyond their limits, at the coordinates that the engine follows.
        """
        known = self._anchor is not None and np.array_equal(self._anchor, state)
        return self._way is None and not known and self._arrivals.overlapping(state)

    def crowded(self, state: Array) -> bool:
        """Tell whether two bodies touch at too many points at a state not just left."""
        known = self._anchor is not None and np.array_equal(self._anchor, state)
        if self._way is not None or known:
            return False
        return self._arrivals.crowded(self.around.touches(state, NEAR))

    def _arrive(
        self, state: Array, time: float, control: Control, jam: Jam | None = None
    ) -> tuple[Array, tuple[Event, ...]]:
        arrival = self._arrivals.at(self.now, state, time, control, jam)
        self.now, self._open = arrival.now, arrival.others
        self._anchor = arrival.state.copy()
        return arrival.state, arrival.events

    def borne(self, state: Array, time: float, control: Control) -> Closed:
        """Leave what the hinges bear in the engine's rows; return the closed contacts.

        Their forces are some that have this motion, not those of least norm.
        """
        now = self._closed_at(state, time, control)
        slip = now.rows.slip.copy()
        self.forces.accelerations(now, state, time, control)
        now.rows.slip[:] = slip
        return now

    def _closed_at(self, state: Array, time: float, control: Control) -> Closed:
        """Return the contacts that are closed at ``state``."""
        self.around.limits.follow(self.engine.turned)
        if self._way is not None:
            return self.forces.current(self._way)
        if self._anchor is not None and np.array_equal(self._anchor, state):
            return self.now
        self._arrivals.check_apart(state, time)
        touches = self.around.touches(state, NEAR)
        made = self._arrivals.decisions.at(touches, state, time, control)
        # what is about to jam has no force; the impulse is an event of the way from here
        return self.forces.none_closed() if isinstance(made, Jam) else made

    def solve(self, state: Array, time: float, control: Control) -> tuple[Closed, Array, Array]:
        """Return the closed contacts with their forces, accelerations and hinge multipliers."""
        now = self._closed_at(state, time, control)
        slip = now.rows.slip.copy()
        out, multipliers = self.forces.accelerations(now, state, time, control)
        known = self._solved
        same = known is not None and known[1] is now and np.array_equal(known[0], state)
        if known is None or not same or self.engine.parts.drives:
            searched = shortest(self.forces, now, state, time, control)
            self._solved = known = state.copy(), now, now.rows.force.copy()
            if searched:
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
        self._books.begin(self.now)
        self.around.limits.follow(self.engine.turned)
        state, events = self._set_out(state, time, control)
        if events:
            return Leg(state, time, events, h)
        rule = self.forces.friction
        end = end if rule is None else rule.end(end)
        if isinstance(method, RK4):
            # even steps to the end
            h = (end - time) / max(1, int(np.ceil((end - time) / method.step - SHARE)))
        limit = h if isinstance(method, RK4) else np.inf
        h, plans = h if h > 0 else 1e-3, 0
        new, dense = np.empty_like(state), np.zeros((7, len(state), 13))
        patience = None if insist or isinstance(method, RK4) else Patience(time)
        while True:
            if patience is not None and patience.ends(time, len(self.now.touches)):
                return Leg(state, time, (), 0.0, nowhere=True)
            self.now = self.forces.current(self.now)
            quiet = watch is None and not self._open.touches and not self._stalls
            if isinstance(method, RK4) and quiet:
                time = self._strides.run(self.now, state, new, dense, time, end, h, control)
                self._anchor = state.copy()
                if time >= end:
                    return Leg(state, end, (), h)
            rest = end - time
            step, stuck = self._length(method, h, rest), self._stalls >= MOST_STALLS
            slip = self.now.rows.slip.copy()
            status, accepted, following = self._strides.attempt(
                self.now, method, state, new, dense, time, step, control
            )
            if status == TOO_LONG:
                # steps that get shorter with the time that is left lead on to the end of sliding
                method = DOP853()
                patience = None if insist else Patience(time)
                continue
            if status == system.LOST_PIVOT and plans < PLANS:
                plans += 1
                self._plan_again(state)
                continue
            if status in LEFT_TO_STEPS and patience and not self.forces.prescribed:
                return Leg(state, time, (), 0.0, nowhere=True)
            if status != system.OK:
                raise self.engine.failure(status, state, control(time), time)
            if not accepted:
                self.now.rows.slip[:] = slip
                h = following
                if h < 1e-14 * max(1.0, abs(time)):
                    return self._stopped(state, time, control, patience)
                continue
            share, watched = self._first_event(state, new, dense, time, step, control, watch)
            if share > 1.0:
                self._stalls, self._escapes = 0, self._escapes + 1 if stuck else 0
                grown = max(following, h) if step < h and following >= step else following
                h = min(limit, grown)
                self._strides.keep(self.now)
                self.around.limits.went(state, new, step)
                state, time = new.copy(), end if step == rest else time + step
                self._anchor = state.copy()
                if step == rest:
                    return Leg(state, time, (), h)
                self._drop_parted(state)
                continue
            self.now.rows.slip[:] = slip
            state = self._cut(method, state, dense, time, share, step, control)
            time = min(time + share * step, end)
            state, events = self._arrive(state, time, control)
            if events or time >= end or watched:
                return Leg(state, time, events, h)

    def _set_out(
        self, state: Array, time: float, control: Control
    ) -> tuple[Array, tuple[Event, ...]]:
        """Return ``state`` with its contacts closed and friction up to date, and what happened."""
        state, events = self.enter(state, time, control)
        rule = self.forces.friction
        if rule is not None and rule.due(time) and not events:
            self.forces.begin_step(self.now, state, time, control)
            state, events = self._arrive(state, time, control)
        return state, events

    def _length(self, method: DOP853 | RK4, h: float, rest: float) -> float:
        """Return how long the next step is: ``h``, less near the end or after stalls."""
        step = min(h, rest)
        if step >= rest * (1.0 - 1e-9):
            step = rest
        elif step > 0.5 * rest and isinstance(method, DOP853):
            step = 0.5 * rest
        if self._stalls >= MOST_STALLS:
            step = min(step, ESCAPE * 2.0 ** min(self._escapes, DOUBLINGS))
        return step

    def _stopped(
        self, state: Array, time: float, control: Control, patience: Patience | None
    ) -> Leg:
        """Return the leg that ends where no step is short enough: at a jam, or left to steps."""
        jam = jammed(self.forces, self.now, state, time, control)
        if jam is not None:
            state, events = self._arrive(state, time, control, jam)
            return Leg(state, time, events, 0.0)
        if patience is not None:
            return Leg(state, time, (), 0.0, nowhere=True)
        raise self.engine.failure(system.STEP_TOO_SMALL, state, control(time), time)

    def _first_event(
        self,
        state: Array,
        new: Array,
        dense: Array,
        time: float,
        step: float,
        control: Control,
        watch: Watch | None,
    ) -> tuple[float, bool]:
        """Return the share of the step at which it is to end, and whether ``watch`` wants that.

        Above 1 for none. A step taken in spite of its contacts ends only where others close.
        """
        if self._stalls >= MOST_STALLS:
            return self._outlook.far_touch(state, dense, step), False
        share = self._outlook.first_event(
            self.now, self._open, state, new, dense, time, step, control
        )
        if watch is None:
            return share, False
        self._way = self.now.copied()
        try:
            seen = watch(partial(between, state, dense, time, step), min(1.0, share))
        finally:
            self._way = None
        return min(share, seen), seen <= share

    def _cut(
        self,
        method: DOP853 | RK4,
        state: Array,
        dense: Array,
        time: float,
        share: float,
        step: float,
        control: Control,
    ) -> Array:
        """Return the state at a share of the step, where something happens."""
        self._stalls = self._stalls + 1 if share * step <= STALL else 0
        self._escapes = self._escapes if share * step <= FREED else 0
        new = self._strides.at(self.now, method, state, dense, time, share, step, control)
        self.around.limits.went(state, new, share * step)
        return new

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
