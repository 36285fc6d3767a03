"""Steps of a mechanism with the contacts that are closed while they last."""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.outlook import FLOOR, Outlook
from articulata.domains.dynamic.engine import SHARE
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import system
from articulata.kernels.multibody.booking import MARK, STEP
from articulata.kernels.multibody.contact import contact_steps as contact_steps
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

    def __init__(self, forces: Forces, outlook: Outlook) -> None:
        self.forces = forces
        self.engine = forces.engine
        self.around = forces.around
        self.outlook = outlook

    def run(
        self,
        now: Closed,
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
            status, done = self._steps(now, inputs, time, h, count, False, state, new, dense)
            time += done * h
            if end - time < SHARE * h:
                time = end
            if status != system.OK or done < count:
                return time
        return time

    def attempt(
        self,
        now: Closed,
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
            status, _ = self._steps(now, inputs, time, step, 1, True, state, new, dense)
            return status, status == system.OK, step
        nodes = DOP853_NODES.tolist()
        inputs = engine.inputs_at([time + node * step for node in nodes], control)
        turns = engine.work.turns.copy()
        if not now.touches and len(engine.arrays.closure_row):
            found = self._untouched(method, inputs, state, new, dense, time, step)
        else:
            found = contact_steps.contact_dop853(
                engine.arrays,
                engine.work,
                now.rows,
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
        if not found[1]:
            # stages of a step too long may have gone round: angles go on from where they were
            engine.work.turns[:] = turns
        return found

    def _untouched(
        self,
        method: DOP853,
        inputs: system.Inputs,
        state: Array,
        new: Array,
        dense: Array,
        time: float,
        step: float,
    ) -> tuple[int, bool, float]:
        """Take the step of closed loops that nothing touches: also over singular positions."""
        engine = self.engine
        engine.establish(state)
        arrays, work, stages = engine.arrays, engine.work, engine.stages
        booked = work.books[:STEP].copy()
        status, accepted, following = dop853_step(
            arrays,
            work,
            stages,
            inputs,
            time,
            step,
            state,
            new,
            method.relative,
            method.absolute,
        )
        if status == system.OK and accepted:
            # what has just been booked of the step waits until it is kept
            work.books[STEP:MARK] = work.books[:STEP] - booked
            work.books[:STEP] = booked
            status = dense_coefficients(arrays, work, stages, inputs, time, step, state, new, dense)
        return status, accepted, following

    def at(
        self,
        now: Closed,
        method: DOP853 | RK4,
        state: Array,
        dense: Array,
        time: float,
        share: float,
        step: float,
        control: Control,
    ) -> Array:
        """Return the state at a share of the step: by steps of its own, as exact as any other."""
        new, unused = np.empty_like(state), np.empty_like(dense)
        slip, start, done = now.rows.slip.copy(), state, 0.0
        whole, least = share * step, SHORTEST * max(1.0, abs(time))
        h = whole
        # a shorter step may be refused where a longer one was not: what it takes has to be booked
        while whole - done > least and h > SHORTEST:
            part = min(h, whole - done)
            status, accepted, h = self.attempt(
                now, method, state, new, unused, time + done, part, control
            )
            if status != system.OK:
                break
            if accepted:
                self.keep(now)
                state, done = new.copy(), done + part
        now.rows.slip[:] = slip
        if done > 0.0 and whole - done <= least:
            return state
        dense_state(dense, start, share, new)
        new[:, 3:7] /= np.linalg.norm(new[:, 3:7], axis=1, keepdims=True)
        return new

    def keep(self, now: Closed) -> None:
        """Book the step that is kept, and let later forces be the nearest to those at its end."""
        contact_steps.close_books(self.engine.work, now.rows)
        now.rows.base[:] = now.rows.force

    def _steps(
        self,
        now: Closed,
        inputs: system.Inputs,
        time: float,
        h: float,
        count: int,
        alone: bool,
        state: Array,
        new: Array,
        dense: Array,
    ) -> tuple[int, int]:
        """Take classical steps; see ``kernels.multibody.contact.contact_steps.contact_run``."""
        engine, around = self.engine, self.around
        status, done = contact_steps.contact_run(
            engine.arrays,
            engine.work,
            now.rows,
            around.pieces,
            around.now,
            around.reach,
            around.pairs,
            self.outlook.held(now, state),
            around.limits.arrays,
            engine.stages,
            inputs,
            time,
            h,
            count,
            alone,
            FLOOR,
            self.outlook.bounds,
            self.forces.shared.moved,
            state,
            new,
            dense,
        )
        return status, done
