"""Event location: the first instant of a step at which something happens, on its dense output.

New touches and limits are found by conservative advancement (time of impact). Changes of closed
contacts are found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.intervals import Interval
from articulata.domains.dynamic.contact.loads import other_forces
from articulata.domains.dynamic.contact.touches import NEAR
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact import holding
from articulata.kernels.multibody.contact.approach import (
    APART,
    BOUND_WIDTH,
    Approach,
    Step,
    first_touch,
)
from articulata.kernels.multibody.contact.memory import ContactSystem
from articulata.kernels.multibody.integrators.dop853 import dense_state

FLOOR = 1e-10
"""Depth (m) to which features beside closed contacts may overlap before they count as touching."""

HALVINGS = 52
"""Halvings of a step in search of the instant at which a contact changes."""


class EventLocator:
    """Finds the first event of a step of one mechanism."""

    def __init__(self, forces: Forces) -> None:
        self.forces = forces
        self.engine = forces.engine
        self.around = forces.around
        self.bounds = np.zeros((len(forces.engine.arrays.body), BOUND_WIDTH))

    def first_event(self, way: Interval, step: float) -> float:
        """Return the share of the step at which the first event lies; above 1 for none."""
        now, others = way.active.closed, way.active.others
        share = self._touch(way, step, self.around.pairs, self.held(now, way.state))
        there, last = np.empty_like(way.state), min(1.0, share)
        if others.touches:
            work = self.engine.work.body
            again = holding.reopened(others.rows, way.dense, way.state, last, there, work)
            share = min(share, again)
        if now.touches and not self.stays(now, way.new, way.time + step, way.control):

            def stays(part: float) -> bool:
                dense_state(way.dense, way.state, part, there)
                return self.stays(now, there, way.time + part * step, way.control)

            share = min(share, last_true(stays, min(1.0, share)))
        return share

    def far_touch(self, way: Interval, step: float) -> float:
        """Return the share of a step at which what does not now touches; above 1 for none."""
        around = self.around
        pairs = np.ascontiguousarray(around.pairs[np.isinf(around.near_gaps(way.state))])
        around.limits.hold(around.limits.within(NEAR))
        return self._touch(way, step, pairs, np.zeros(len(pairs), np.int64))

    def approach(self, way: Interval, h: float) -> Approach:
        """Return the pieces during a step of ``h`` s."""
        around = self.around
        step = Step(way.dense, way.state, h, self.bounds, self.forces.shared.moved)
        return Approach(around.pieces, around.now, around.reach, FLOOR, step)

    def _touch(self, way: Interval, h: float, pairs: IntArray, held: IntArray) -> float:
        """Return the share of a step at which pairs touch, or a limit is reached."""
        near = self.approach(way, h)
        share = float(first_touch(near, pairs, held)[1])
        return min(share, self.around.limits.first(near.step, min(1.0, share)))

    def held(self, now: Closed, state: Array) -> IntArray:
        """Return 1 for the pairs that closed contacts or hinges hold together.

        The limits of hinges that are held so are noted with the limits.
        """
        count = len(self.around.pairs)
        held = np.zeros(count, np.int64)
        held[[touch.pair for touch in now.touches if touch.stop is None]] = 1
        self.around.limits.hold([t.pair - count for t in now.touches if t.stop is not None])
        hinged = self.around.hinged
        if hinged.any():
            held[hinged & (self.around.near_gaps(state) <= APART)] = 1
        return held

    def stays(self, now: Closed, state: Array, time: float, control: Control) -> bool:
        """Tell whether the closed contacts can be as they are at ``state``."""
        engine, rows = self.engine, now.rows
        slip, out = rows.slip.copy(), np.zeros((len(state), 6))
        inputs = engine.table([control(time)])
        made = ContactSystem(engine.integrated(inputs), rows)
        status, good, within = holding.stays(made, 0, time, state, out)
        if status == system.LOST_PIVOT:
            return True
        if status & ~system.INCONSISTENT:
            raise engine.failure(status, state, control(time), time)
        if not good and within:
            good = other_forces(self.forces, now, state, time, control)
        rows.slip[:] = slip
        return bool(good and within)


def between(
    state: Array, dense: Array, time: float, step: float, share: float
) -> tuple[Array, float]:
    """Return the state at a share of a step, by its dense output, and its time."""
    now = np.empty_like(state)
    dense_state(dense, state, share, now)
    now[:, 3:7] /= np.linalg.norm(now[:, 3:7], axis=1, keepdims=True)
    return now, time + share * step


def last_true(holds: Callable[[float], bool], end: float) -> float:
    """Return the share up to ``end`` at which ``holds`` first fails, within rounding."""
    low, high = 0.0, end
    if holds(end):
        return 2.0 if end < 1.0 else end
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if holds(middle):
            low = middle
        else:
            high = middle
    return high
