"""A leg in stepping mode: to the end of a cycle, to the first event, or to a watched condition.

Where bodies are within a step, between the states at its ends.

Places and orientations follow cubics through both ends with the rates there (Hermite), velocities
straight lines: what moves smoothly is met to the fourth order of the step. A step in which
something struck is not looked into.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from articulata.domains.dynamic.balances import balanced
from articulata.domains.dynamic.channels import STEP, booked
from articulata.domains.dynamic.interval_memory import memory_of
from articulata.domains.dynamic.mechanism import COORDINATE
from articulata.domains.dynamic.observer import Observer
from articulata.domains.dynamic.packing import pack, unpack
from articulata.domains.dynamic.stepping.stepper import Begin, StepLeg, Stepper
from articulata.domains.protocols import At, Control, Watch
from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.records.state import State


@dataclass(frozen=True, slots=True)
class Walk:
    """Takes a state through steps; ``observer`` reads them."""

    stepper: Stepper
    observer: Observer

    def leg(
        self, state: State, until: float, control: Control, watch: Watch | None
    ) -> tuple[State, tuple[Event, ...]]:
        """Return the state at ``until`` (s), or at the first event on the way with the events.

        Where something watched for has come by a step's end it is looked for within the step, which
        is taken anew, up to there.
        """
        while True:
            leg, after = self._stepped(state, until, control, watch is not None)
            if leg.events or watch is None:
                return after, self._told(leg, state, after)
            if watch(_ends(state, after), 1.0) <= 1.0:
                if leg.struck:
                    return after, ()
                inside = self._within(state, after)
                share = watch(inside, 1.0)
                if share >= 1.0 - WHOLE:
                    return after, ()
                if share <= WHOLE:  # too short a way for forces: impulses over its length
                    return inside(share), ()
                until = state.time + share * (after.time - state.time)
                leg, ended = self._stepped(state, until, control, True)
                return ended, self._told(leg, state, ended)
            if leg.time >= until:
                return after, ()
            state = after

    def _within(self, before: State, after: State) -> At:
        """Return the state at a share of the step between two."""
        h, ends = after.time - before.time, (pack(before.arrays), pack(after.arrays))
        memory = memory_of(before).by(self.stepper.engine.elimination)

        def at(share: float) -> State:
            if share <= 0.0 or share >= 1.0:
                return before if share <= 0.0 else after
            packed = self.stepper.on_hinges(within(*ends, h, share))
            arrays = {**before.arrays, **unpack(packed)}
            arrays[COORDINATE] = self.observer.followed(before, arrays, share * h)
            return State(before.time + share * h, arrays, before.version, memory)

        return at

    def _stepped(
        self, state: State, until: float, control: Control, once: bool
    ) -> tuple[StepLeg, State]:
        """Return a leg of steps, a single one where ``once``, and the state that it leads to."""
        turned = state.arrays[COORDINATE]
        steps = 1 if once else None
        packed, memory = pack(state.arrays), memory_of(state)
        begin = Begin(memory.steps, packed, state.time, control, turned)
        leg = self.stepper.go(begin, until, steps)
        memory = memory.by(self.stepper.engine.elimination, steps=leg.memory)
        books = booked(state.arrays, leg.work, leg.losses)
        arrays = {**state.arrays, **unpack(leg.state), STEP: np.zeros(1), **books}
        arrays[COORDINATE] = self.observer.followed(state, arrays, leg.time - state.time)
        return leg, State(leg.time, arrays, state.version, memory)

    def _told(self, leg: StepLeg, before: State, after: State) -> tuple[Event, ...]:
        """Return the events of a leg from ``before`` with what they changed."""
        if not leg.events:
            return ()
        then = {**before.arrays, **unpack(leg.begin)}
        then[COORDINATE] = self.observer.followed(before, then, leg.begun - before.time)
        begin = self.observer.balance(replace(before, time=leg.begun, arrays=then))
        return balanced(leg.events, begin, self.observer.balance(after))


def _ends(before: State, after: State) -> At:
    """Return what a watch is shown of a step that is not looked into: its two ends."""
    return lambda share: before if share <= 0.0 else after


WHOLE = 1e-9
"""Share of a step by which its end may be missed and is the end all the same."""


def within(before: Array, after: Array, h: float, share: float) -> Array:
    """Return the state (n, 13) at a share of a step of length ``h`` (s)."""
    s = share
    now = before + s * (after - before)
    starts, ends = _rates(before), _rates(after)
    a, b = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s
    c, d = 3 * s**2 - 2 * s**3, s**3 - s**2
    # the two signs of a quaternion are one orientation
    same = np.where(np.sum(before[:, 3:7] * after[:, 3:7], axis=1) < 0.0, -1.0, 1.0)[:, None]
    places = after[:, :7].copy()
    places[:, 3:7] *= same
    ends[:, 3:7] *= same
    now[:, :7] = a * before[:, :7] + b * h * starts + c * places + d * h * ends
    now[:, 3:7] /= np.linalg.norm(now[:, 3:7], axis=1, keepdims=True)
    return now


def _rates(state: Array) -> Array:
    """Return the rates (n, 7) of places and orientations (w first)."""
    q, w = state[:, 3:7], state[:, 10:13]
    turning = np.empty((len(state), 4))
    turning[:, 0] = -0.5 * np.sum(w * q[:, 1:], axis=1)
    turning[:, 1:] = 0.5 * (q[:, :1] * w + np.cross(w, q[:, 1:]))
    return np.concatenate([state[:, 7:10], turning], axis=1)
