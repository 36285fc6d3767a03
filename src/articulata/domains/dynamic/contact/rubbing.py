"""Which hinges stick at an instant, and when on a step one of them comes to rest or breaks away.

For few hinges at rest all combinations of modes are tried, those first in which most hinges stick.
Else modes are changed one at a time, the worst first: a hinge that needs more than its static
friction slides, one that would slide the wrong way sticks (the principal pivoting of R. W. Cottle
and G. B. Dantzig, Linear Algebra and its Applications 1 (1968) 103, on bounded multipliers).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np

from articulata.domains.dynamic.contact.arrivals import Arrival
from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.event_location import HALVINGS
from articulata.domains.dynamic.contact.intervals import Interval
from articulata.domains.dynamic.contact.laws import APPROACH
from articulata.domains.dynamic.contact.touches import NEAR
from articulata.domains.dynamic.hinge_friction import HOLDS, UNKNOWN, changes, immobile, rates_of
from articulata.domains.dynamic.methods import DOP853
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.multibody.integrators.dop853 import dense_state
from articulata.records.events import Event

REST = 1e-9
"""Rate (rad/s, m/s) below which a hinge is at rest."""

DECIDED = 1e-9
"""Share of static friction, or of the largest acceleration, within which nothing changes."""

LEAVING = 1e-3
"""Share of static friction within which a hinge that breaks away is at its end."""

LEAST = 1e-13
"""Static friction (N m, N) that is none: a hinge that bears nothing holds what rounding leaves."""

FEW = 3
"""Hinges at rest of which all modes are tried."""

ROUNDS = 8
"""Times that frictions and contacts are decided by turns."""

LOOKS = 4
"""Places on a long step at which frictions are looked at; a short one of given length has one."""


Instant = tuple[Closed, Array, float, Control]
"""The closed contacts, the state, the time (s) and who controls."""


class Rubbing:
    """Finds the modes of one mechanism's frictions."""

    def __init__(self, forces: Forces) -> None:
        self.forces = forces
        self.engine = forces.engine

    @property
    def static(self) -> Array:
        """What frictions hold (k,) by the reactions of the last solve, N m or N."""
        return np.maximum(self.engine.limits, LEAST)

    @property
    def modes(self) -> IntArray:
        """The modes (k,) at work."""
        return self.engine.elimination.rubs

    def excess(self, now: Closed, state: Array, time: float, control: Control) -> Array:
        """Return by which share of it static friction is passed (k,); -1 for what does not hold."""
        out = np.full(len(self.engine.rubs), -1.0)
        holds = self.modes == HOLDS
        if holds.any():
            self.forces.accelerations(now, state, time, control)
            out[holds] = (np.abs(self.engine.held) / self.static)[holds] - 1.0
        return out

    def decide(
        self,
        now: Closed,
        state: Array,
        time: float,
        control: Control,
        arrived: BoolArray | None = None,
    ) -> Array:
        """Set the modes at ``state``; return it with what holds at rest.

        ``arrived`` (k,) are those that have come to rest there, or to the end of their friction.
        """
        engine, count, old = self.engine, len(self.engine.rubs), self.modes
        rates = rates_of(engine, state)
        came = np.zeros(count, bool) if arrived is None else arrived
        rest = (np.abs(rates) <= REST) | (came & (old != HOLDS))
        leaving = came & (old == HOLDS)
        modes = np.where(rest | leaving, HOLDS, np.sign(rates)).astype(np.int64)
        pinned = np.zeros(count, bool)
        if np.any(modes == HOLDS):
            engine.rub(np.where(modes == HOLDS, UNKNOWN, modes), state)
            pinned = (modes == HOLDS) & immobile(engine, state)
            # what has come to its dead centre goes back from there
            modes[pinned] = np.where(np.abs(old) == 1, np.where(came, -old, old), 1)[pinned]
        still = np.flatnonzero((modes == HOLDS) | pinned)
        found, at = None, (now, state, time, control)
        if 0 < len(still) <= FEW:
            found = self._most_holding(at, modes, still, pinned, leaving)
        if found is None:
            found = self._pivoted(at, modes, pinned, leaving)
        if np.any(np.abs(rates[found == HOLDS]) > 0.0):
            return engine.consistent(state)
        return state

    def _most_holding(
        self, at: Instant, modes: IntArray, still: IntArray, pinned: BoolArray, leaving: BoolArray
    ) -> IntArray | None:
        """Set the modes that obey the laws and hold most; None where there are none.

        Where static friction is larger than dry there may be several: what can hold, holds.
        """
        ways = [(1, -1) if pinned[k] else (HOLDS, 1, -1) for k in still.tolist()]

        def given_up(some: tuple[int, ...]) -> int:
            moves = [10 * (way == HOLDS) if leaving[k] else int(way != HOLDS)
                     for k, way in zip(still.tolist(), some, strict=True)]  # fmt: skip
            return sum(moves)

        for some in sorted(product(*ways), key=given_up):
            modes = modes.copy()
            modes[still] = some
            over, starts, tolerance = self._tried(at, modes)
            if np.max(over) <= DECIDED and np.min(starts[still]) >= -tolerance:
                return modes
        return None

    def _tried(self, at: Instant, modes: IntArray) -> tuple[Array, Array, float]:
        """Set modes; return by which share what holds is over, how what slides starts, rounding."""
        engine, (now, state, time, control) = self.engine, at
        engine.rub(modes, state)
        out, _ = self.forces.accelerations(self.forces.current(now), state, time, control)
        over = np.where(modes == HOLDS, np.abs(engine.held) / self.static - 1.0, -1.0)
        starts = np.where(modes == HOLDS, 0.0, modes * engine.starting(out))
        return over, starts, DECIDED * max(1.0, float(np.max(np.abs(out), initial=0.0)))

    def _pivoted(
        self, at: Instant, modes: IntArray, pinned: BoolArray, leaving: BoolArray
    ) -> IntArray:
        """Set the modes that obey the laws, sought one after the other."""
        begun, leaving = pinned.copy(), leaving.copy()
        for _ in range(4 * len(modes) + 4):
            over, starts, tolerance = self._tried(at, modes)
            # one that came to the end of its friction is over it, but for rounding
            over[leaving & (over > -LEAVING)] += 2.0 * LEAVING
            worst = int(np.argmax(over))
            modes = modes.copy()
            if over[worst] > DECIDED:
                modes[worst] = -1 if self.engine.held[worst] > 0.0 else 1
                begun[worst], leaving[worst] = True, False
                continue
            starts = np.where(begun, starts, 0.0)
            worst = int(np.argmin(starts))
            if starts[worst] >= -tolerance:
                break
            modes[worst] = -modes[worst] if pinned[worst] else HOLDS
            begun[worst] &= not pinned[worst]
        return self.modes

    def settled(self, way: Interval, arrive: Callable[[Closed, Array], Arrival]) -> Arrival:
        """Return the arrival where ``way`` is, the modes set with the contacts that stay closed.

        A blow is longer in force than any friction: hinges that held do not while one strikes.
        """
        engine, old, events = self.engine, self.modes, list[Event]()
        before, state, arrived = way.active.closed, way.state, way.ended
        touches = self.forces.around.touches(state, NEAR)
        if touches and self.forces.approach(touches, state) < -APPROACH:
            engine.rub(np.where(old == HOLDS, UNKNOWN, old), state)
            struck = arrive(self.forces.current(before), state)
            before, state, events = struck.now, struck.state, [*struck.events]
        now = before
        for _ in range(ROUNDS):
            state = self.decide(now, state, way.time, way.control, arrived)
            modes = self.modes
            arrival = arrive(self.forces.current(before), state)
            before, now, state, arrived = arrival.now, arrival.now, arrival.state, None
            events += arrival.events
            if not now.touches:
                break
            self.decide(now, state, way.time, way.control)
            if np.array_equal(self.modes, modes):
                break
        if len(engine.arrays.load):
            # what hinges bear, not what has brought them to rest
            self.forces.accelerations(now, state, way.time, way.control)
        events += changes(engine, old, way.time)
        return replace(arrival, now=self.forces.current(now), state=state, events=tuple(events))

    def first(self, way: Interval, step: float, last: float) -> tuple[float, BoolArray | None]:
        """Return the share of a step, up to ``last``, at which a mode ends, and of which; or 2."""
        now, state = way.active.closed, way.state
        looks = LOOKS if isinstance(way.method, DOP853) else 1
        engine, modes = self.engine, self.modes
        slides, there = np.abs(modes) == 1, np.empty_like(state)
        level = np.where(modes * rates_of(engine, state) > REST, 0.0, -REST)
        kept = now.rows.slip.copy(), now.rows.force.copy()

        def ended(share: float) -> BoolArray:
            dense_state(way.dense, state, share, there)
            there[:, 3:7] /= np.linalg.norm(there[:, 3:7], axis=1, keepdims=True)
            rates = rates_of(engine, there)
            beyond = self.excess(now, there, way.time + share * step, way.control) > 0.0
            return np.asarray((slides & (modes * rates < level)) | beyond)

        found: BoolArray | None = None
        low, high = 0.0, 0.0
        for part in range(1, looks + 1):
            low, high = high, last * part / looks
            over = ended(high)
            if over.any():
                found = over
                break
        for _ in range(HALVINGS if found is not None else 0):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            over = ended(middle)
            if over.any():
                high, found = middle, over
            else:
                low = middle
        now.rows.slip[:], now.rows.force[:] = kept
        return (2.0, None) if found is None else (high, found)
