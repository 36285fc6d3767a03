"""Looking along a step for the first instant at which something happens."""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.loads import other_forces
from articulata.domains.dynamic.contact.searching import last_true
from articulata.domains.dynamic.contact.touches import NEAR
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact import approach, holding
from articulata.kernels.multibody.contact.approach import APART, BOUND_WIDTH
from articulata.kernels.multibody.integrators.dop853 import dense_state

FLOOR = 1e-10
"""Depth (m) to which features beside closed contacts may overlap before they count as touching."""


class Outlook:
    """Finds the first event of a step of one mechanism."""

    def __init__(self, forces: Forces) -> None:
        self.forces = forces
        self.engine = forces.engine
        self.around = forces.around
        self.bounds = np.zeros((len(forces.engine.arrays.body), BOUND_WIDTH))

    def first_event(
        self,
        now: Closed,
        others: Closed,
        state: Array,
        new: Array,
        dense: Array,
        time: float,
        step: float,
        control: Control,
    ) -> float:
        """Return the share of the step at which the first event lies; above 1 for none."""
        engine, around = self.engine, self.around
        there, moved = np.empty_like(state), self.forces.shared.moved
        _, share = approach.first_touch(
            around.pieces,
            around.now,
            around.reach,
            around.pairs,
            self.held(now, state),
            dense,
            state,
            step,
            FLOOR,
            self.bounds,
            moved,
        )
        last = min(1.0, share)
        share = min(share, around.limits.first(dense, state, step, last, self.bounds, moved))
        if others.touches:
            last = min(1.0, share)
            share = min(
                share, holding.reopened(others.rows, dense, state, last, there, engine.work.body)
            )
        if now.touches and not self.stays(now, new, time + step, control):

            def stays(part: float) -> bool:
                dense_state(dense, state, part, there)
                return self.stays(now, there, time + part * step, control)

            share = min(share, last_true(stays, min(1.0, share)))
        return share

    def far_touch(self, state: Array, dense: Array, step: float) -> float:
        """Return the share of a step at which what does not now touches; above 1 for none."""
        around = self.around
        pairs = np.ascontiguousarray(around.pairs[np.isinf(around.near_gaps(state))])
        _, share = approach.first_touch(
            around.pieces,
            around.now,
            around.reach,
            pairs,
            np.zeros(len(pairs), np.int64),
            dense,
            state,
            step,
            FLOOR,
            self.bounds,
            self.forces.shared.moved,
        )
        around.limits.hold(around.limits.within(NEAR))
        moved, last = self.forces.shared.moved, min(1.0, float(share))
        return min(float(share), around.limits.first(dense, state, step, last, self.bounds, moved))

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
        status, good, within = holding.stays(
            engine.arrays, engine.work, rows, inputs, 0, time, state, out
        )
        if status == system.LOST_PIVOT:
            return True
        if status & ~system.INCONSISTENT:
            raise engine.failure(status, state, control(time), time)
        if not good and within:
            good = other_forces(self.forces, now, state, time, control)
        rows.slip[:] = slip
        return bool(good and within)
