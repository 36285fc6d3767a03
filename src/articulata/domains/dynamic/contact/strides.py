"""Integration steps of a mechanism with its closed contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.event_location import EventLocator
from articulata.domains.dynamic.contact.intervals import Interval
from articulata.domains.dynamic.engine import SHARE
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import system
from articulata.kernels.multibody.booking import MARK, STEP
from articulata.kernels.multibody.contact.contact_steps import (
    close_books,
    contact_dop853,
    contact_run,
)
from articulata.kernels.multibody.contact.memory import ContactSystem
from articulata.kernels.multibody.integrators.dop853 import (
    dense_coefficients,
    dense_state,
    dop853_step,
)
from articulata.kernels.multibody.integrators.tableau import DOP853_NODES

AHEAD = 16
"""Steps whose controls are asked at once; beyond an event they are asked again."""

SHORTEST = 1e-13
"""Ways through time (s) shorter than this are not integrated."""


class Strides:
    """Takes the steps of one mechanism."""

    def __init__(self, forces: Forces, locator: EventLocator) -> None:
        self.forces = forces
        self.engine = forces.engine
        self.around = forces.around
        self.locator = locator

    def run(self, way: Interval) -> float:
        """Take classical steps of ``h`` until something happens; return the time reached."""
        engine, time, end, h = self.engine, way.time, way.end, way.h
        while time < end:
            count = max(1, round((end - time) / h))
            if abs(count * h - (end - time)) > SHARE * h:
                count = int((end - time) / h)  # the step that is cut is taken alone
            if engine.parts.drives:
                count = min(count, AHEAD)
            if not count:
                return time
            times = [time + 0.5 * k * h for k in range(2 * count + 1)]
            status, done = self._steps(way, times, h, count, False)
            time += done * h
            if end - time < SHARE * h:
                time = end
            if status != system.OK or done < count:
                return time
        return time

    def attempt(self, way: Interval, step: float) -> tuple[int, bool, float]:
        """Take one step into ``new`` and fill its dense output."""
        engine, time, method, now = self.engine, way.time, way.method, way.active.closed
        if isinstance(method, RK4):
            status, _ = self._steps(way, [time, time + 0.5 * step, time + step], step, 1, True)
            return status, status == system.OK, step
        nodes = DOP853_NODES.tolist()
        inputs = engine.inputs_at([time + node * step for node in nodes], way.control)
        turns = engine.work.turns.copy()
        if not now.touches and len(engine.arrays.closure_row):
            found = self._untouched(way, method, inputs, step)
        else:
            made, motion = self._made(way, inputs), self.locator.approach(way, step).step
            accuracy = method.relative, method.absolute
            found = contact_dop853(made, motion, time, way.new, *accuracy)
        if not found[1]:
            # stages of a step too long may have gone round: angles go on from where they were
            engine.work.turns[:] = turns
        return found

    def _untouched(
        self, way: Interval, method: DOP853, inputs: system.Inputs, step: float
    ) -> tuple[int, bool, float]:
        """Take the step of closed loops that nothing touches: also over singular positions."""
        engine = self.engine
        engine.establish(way.state)
        work, accuracy = engine.work, (method.relative, method.absolute)
        given = engine.integrated(inputs), way.time, step, way.state, way.new
        booked = work.books[:STEP].copy()
        status, accepted, following = dop853_step(*given, *accuracy)
        if status == system.OK and accepted:
            # what has just been booked of the step waits until it is kept
            work.books[STEP:MARK] = work.books[:STEP] - booked
            work.books[:STEP] = booked
            status = dense_coefficients(*given, way.dense)
        return status, accepted, following

    def at(self, way: Interval, step: float, share: float) -> Array:
        """Return the state at a share of the step: by steps of its own, as exact as any other."""
        now, inner = way.active.closed, replace(way)
        slip, done = now.rows.slip.copy(), 0.0
        whole, least = share * step, SHORTEST * max(1.0, abs(way.time))
        h = whole
        # a shorter step may be refused where a longer one was not: what it takes has to be booked
        while whole - done > least and h > SHORTEST:
            part, inner.time = min(h, whole - done), way.time + done
            status, accepted, h = self.attempt(inner, part)
            if status != system.OK:
                break
            if accepted:
                self.keep(now)
                inner.state, done = inner.new.copy(), done + part
        now.rows.slip[:] = slip
        if done > 0.0 and whole - done <= least:
            return inner.state
        new = inner.new
        dense_state(way.dense, way.state, share, new)
        new[:, 3:7] /= np.linalg.norm(new[:, 3:7], axis=1, keepdims=True)
        return new

    def keep(self, now: Closed) -> None:
        """Book the step that is kept, and let later forces be the nearest to those at its end."""
        close_books(self.engine.work, now.rows)
        now.rows.base[:] = now.rows.force

    def _made(self, way: Interval, inputs: system.Inputs) -> ContactSystem:
        """Return the mechanism with what touches, and its ``inputs``."""
        return ContactSystem(self.engine.integrated(inputs), way.active.closed.rows)

    def _steps(
        self, way: Interval, times: list[float], h: float, count: int, alone: bool
    ) -> tuple[int, int]:
        """Take classical steps from the first of ``times`` on; see ``contact_run``."""
        made = self._made(way, self.engine.inputs_at(times, way.control))
        held, near = self.locator.held(way.active.closed, way.state), self.locator.approach(way, h)
        stops, pairs = self.around.limits.arrays, self.around.pairs
        return contact_run(made, near, pairs, held, stops, times[0], count, alone, way.new)
