"""The way through time with contact: step, locate the first event on the way, stop there.

A step is taken with the contacts that are closed. Its dense output is searched for the first
instant at which two parts touch (conservative advancement, then a bracketed root) or at which a
closed contact can no longer be as it is: its force would pull, its friction would leave the cone,
its sliding has come to rest, a corner leaves the face it lies on. The step ends there; impact and
complementarity say how the motion goes on.
Reference: Hoffmann & Hopcroft 1986, section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces, closed, none_closed
from articulata.domains.dynamic.contact.laws import APPROACH, Contact
from articulata.domains.dynamic.contact.squeezing import check_way_out
from articulata.domains.dynamic.contact.telling import Teller
from articulata.domains.dynamic.contact.touches import NEAR, Neighbours, Touch
from articulata.domains.dynamic.engine import PLANS, Engine
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.domains.protocols import Control
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact import approach, separation
from articulata.kernels.multibody.contact import steps as contact_steps
from articulata.kernels.multibody.contact.memory import FRICTIONLESS
from articulata.kernels.multibody.contact.rows import GAP, evaluate_contacts
from articulata.kernels.multibody.contact.solve import project_contacts
from articulata.kernels.multibody.integrators.dop853 import dense_state
from articulata.kernels.multibody.integrators.tableau import DOP853_NODES
from articulata.kernels.multibody.rows import rotations
from articulata.records.events import Event

FLOOR = 1e-10
"""Depth (m) to which features beside closed contacts may overlap before they count as touching."""

APART = 1e-9
"""Parts farther apart than this (m) are followed by conservative advancement."""

OVERLAP = 1e-6
"""Parts that overlap by more than this (m) at the start cannot be simulated."""

HALVINGS = 52
"""Halvings of a step in search of the instant at which a contact changes."""

STRIKES = 24
"""Strikes of a pair within the time that counts as one series after which it stops bouncing."""

STALL = 1e-13
"""Steps shorter than this (s) get nowhere."""

MOST_STALLS = 4
"""Changes of contacts without getting anywhere after which a step is taken in spite of them."""

ESCAPE = 1e-9
"""Length of that step (s), doubled as long as it does not help."""

GRID = np.concatenate([0.05 * 0.5 ** np.arange(32, 0, -1), np.linspace(0.05, 1.0, 20)])
"""Shares of a step at which features that have just parted are looked at."""

ROUNDS = 50
"""Impacts in one instant before the state is taken as it is."""


Watch: TypeAlias = Callable[[Callable[[float], tuple[Array, float]], float], float]
"""Says at which share of a step, up to a last one, the way is to end; above 1 for none."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """A part of a cycle: ``state`` at ``time``, what happened there, and the step to try next."""

    state: Array
    time: float
    events: tuple[Event, ...]
    h: float


class Passage:
    """Carries one mechanism with contact through time."""

    def __init__(self, engine: Engine, contact: Contact, around: Neighbours) -> None:
        self.engine = engine
        self.around = around
        self.forces = Forces(engine, contact, around)
        self.now = none_closed(engine)
        self._teller = Teller(engine, contact, around)
        self._anchor: Array | None = None
        self._stalls = self._escapes = 0
        self._open = none_closed(engine)
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
        gaps = self.around.separations(state, self.engine.work.body)
        for pair in np.flatnonzero(gaps < -OVERLAP).tolist():
            one, other = (self.engine.parts.bodies[k] for k in self.around.bodies(pair))
            bodies = self.engine.parts.world.bodies
            raise SimulationError(
                f"{bodies[one].span}: '{one}' and '{other}' ({bodies[other].span}) overlap by "
                f"{-gaps[pair]:.3g} m at t = {time:.9g} s; move them apart, or say "
                f"ignore {one} with {other}"
            )

    def _touching(self, state: Array) -> list[Touch]:
        """Return everything that touches at ``state``."""
        R = self.engine.work.body
        gaps = self.around.separations(state, R)
        found: list[Touch] = []
        for pair in np.flatnonzero(gaps <= NEAR).tolist():
            found += self.around.touches(pair, state, R, NEAR)
        return found

    def _arrive(
        self, state: Array, time: float, control: Control
    ) -> tuple[Array, tuple[Event, ...]]:
        """Let what touches at ``state`` collide, then decide which contacts stay closed."""
        state, events = state.copy(), []
        before = self.now
        touches = self._touching(state)
        for rounds in range(ROUNDS):
            energy = self._teller.energy(state)
            weary = self._weary(time)
            hit = self.forces.collide(touches, before, weary, state, time, control)
            if hit is None:
                break
            check_way_out(self.engine, hit, rounds, time)
            for touch, speed in zip(hit.touches, hit.before, strict=True):
                if speed < -APPROACH:
                    self._strikes.setdefault(touch.pair, []).append(time)
            events += self._teller.impact(hit, state, time, energy)
        self.now = self.forces.decide(touches, state, time, control)
        self._close(state)
        keys = self.now.keys
        self._open = closed(
            self.engine,
            *_frictionless([t for t in touches if (t.pair, t.features.key) not in keys]),
        )
        settled = {event.who for event in events if event.kind == "settled"}
        changes = self._teller.changes(before, self.now, state, time)
        events += [each for each in changes if each.kind != "contact" or each.who not in settled]
        self._anchor = state.copy()
        return state, tuple(events)

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
            project_contacts(self.engine.arrays, self.engine.work, self.now.rows, state)

    def solve(self, state: Array, time: float, control: Control) -> tuple[Closed, Array, Array]:
        """Return the closed contacts with their forces, accelerations and hinge multipliers."""
        if self._anchor is None or not np.array_equal(self._anchor, state):
            self._check_apart(state, time)
            now = self.forces.decide(self._touching(state), state, time, control)
        else:
            now = self.now
        slip = now.rows.slip.copy()
        out, multipliers = self.forces.accelerations(now, state, time, control)
        force = now.rows.force.copy()
        self.forces.shortest(now, state, time, control)
        force, now.rows.force[:] = now.rows.force.copy(), force
        # once more for the hinges' rows, which the search for the shortest forces has overwritten
        out, multipliers = self.forces.accelerations(now, state, time, control)
        now.rows.force[:] = force
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
    ) -> Leg:
        """Return the state at ``end``, or at the first event on the way.

        ``watch`` may end it earlier, at a share of a step that it names.
        """
        state, events = self.enter(state, time, control)
        rule = self.forces.friction
        if rule is not None and rule.due(time) and not events:
            self.forces.begin_step(self.now, state, time, control)
            state, events = self._arrive(state, time, control)
        if events:
            return Leg(state, time, events, h)
        end = end if rule is None else rule.end(end)
        limit = method.step if isinstance(method, RK4) else np.inf
        h = min(h if h > 0 else 1e-3, limit)
        n, plans = len(state), 0
        new, dense = np.empty_like(state), np.zeros((7, n, 13))
        while True:
            rest = end - time
            step = min(h, rest)
            if step >= rest * (1.0 - 1e-12):
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
                self.engine.plan_again(state)
                continue
            if status != system.OK:
                raise self.engine.failure(status, state, control(time), time)
            if not accepted:
                self.now.rows.slip[:] = slip
                h = following
                if h < 1e-14 * max(1.0, abs(time)):
                    raise self.forces.jammed(self.now, state, time, control) or self.engine.failure(
                        system.STEP_TOO_SMALL, state, control(time), time
                    )
                continue
            share, watched = 2.0, False
            if not stuck:
                share = self._first_event(state, new, dense, time, step, control)
                if watch is not None:
                    between = partial(self._between, state, dense, time, step)
                    seen = watch(between, min(1.0, share))
                    watched, share = seen <= share, min(share, seen)
            if share > 1.0:
                self._stalls, self._escapes = 0, self._escapes + 1 if stuck else 0
                grown = max(following, h) if step < h and following >= step else following
                h = min(limit, grown)
                state, time = new.copy(), end if step == rest else time + step
                self._anchor = state.copy()
                if step == rest:
                    return Leg(state, time, (), h)
                continue
            self.now.rows.slip[:] = slip
            at = time + share * step
            self._stalls = self._stalls + 1 if share * step <= STALL else 0
            state = self._at(method, state, dense, time, share, step, control)
            time = min(at, end)
            state, events = self._arrive(state, time, control)
            if events or time >= end or watched:
                return Leg(state, time, events, h)

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
        engine, rows = self.engine, self.now.rows
        if isinstance(method, RK4):
            inputs = engine.inputs_at([time, time + 0.5 * step, time + step], control)
            status = contact_steps.contact_rk4(
                engine.arrays,
                engine.work,
                rows,
                engine.stages,
                inputs,
                time,
                step,
                state,
                new,
                dense,
            )
            return status, status == system.OK, method.step
        nodes = DOP853_NODES.tolist()
        inputs = engine.inputs_at([time + node * step for node in nodes], control)
        status, accepted, following = contact_steps.contact_dop853(
            engine.arrays,
            engine.work,
            rows,
            engine.stages,
            inputs,
            time,
            step,
            state,
            new,
            method.relative,
            method.absolute,
        )
        if accepted and status == system.OK:
            status = contact_steps.contact_dense(
                engine.arrays,
                engine.work,
                rows,
                engine.stages,
                inputs,
                time,
                step,
                state,
                new,
                dense,
            )
        return status, accepted, following

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
                return new
        dense_state(dense, state, share, new)
        new[:, 3:7] /= np.linalg.norm(new[:, 3:7], axis=1, keepdims=True)
        return new

    @staticmethod
    def _between(
        state: Array, dense: Array, time: float, step: float, share: float
    ) -> tuple[Array, float]:
        """Return the state at a share of a step, by its dense output, and its time."""
        now = np.empty_like(state)
        dense_state(dense, state, share, now)
        now[:, 3:7] /= np.linalg.norm(now[:, 3:7], axis=1, keepdims=True)
        return now, time + share * step

    # ---- finding events

    def _first_event(
        self, state: Array, new: Array, dense: Array, time: float, step: float, control: Control
    ) -> float:
        """Return the share of the step at which the first event lies; above 1 for none."""
        share = 2.0
        if len(self.around.pairs):
            now, R = np.empty_like(state), self.engine.work.body
            near = self._near(state)
            _, share = approach.first_touch(
                self.around.arrays, self.around.pairs, near, dense, state, step, FLOOR, now, R
            )
        if self._open.touches:
            share = min(share, self._reopened(state, dense, min(1.0, share)))
        if self.now.touches and not self._stays(new, time + step, control):

            def stays(part: float) -> bool:
                between = np.empty_like(state)
                dense_state(dense, state, part, between)
                return self._stays(between, time + part * step, control)

            share = min(share, _last_true(stays, min(1.0, share)))
        return share

    def _reopened(self, state: Array, dense: Array, last: float) -> float:
        """Return the share at which features that have just parted meet again; above 1 for none."""
        rows, now = self._open.rows, np.empty_like(state)

        def gaps(share: float) -> Array:
            dense_state(dense, state, share, now)
            evaluate_contacts(rows.table, rows.data, now, self.engine.work.body, rows.place)
            return rows.place[:, GAP].copy()

        level = np.minimum(gaps(0.0), 0.0)
        low = 0.0
        for high in last * GRID:
            met = gaps(high) < level
            if met.any():
                break
            low = high
        else:
            return 2.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            if np.any(gaps(middle) < level):
                high = middle
            else:
                low = middle
        return float(high)

    def _near(self, state: Array) -> IntArray:
        """Return how the pairs begin: 0 apart, 1 in touch but open, 2 closed."""
        gaps = self.around.separations(state, self.engine.work.body)
        near = np.where(gaps <= APART, np.where(self.around.hinged, 2, 1), 0).astype(np.int64)
        near[[touch.pair for touch in self.now.touches]] = 2
        return near

    def _stays(self, state: Array, time: float, control: Control) -> bool:
        """Tell whether the closed contacts can be as they are at ``state``."""
        slip = self.now.rows.slip.copy()
        held = self.forces.judge(self.now, state, time, control)
        self.now.rows.slip[:] = slip
        return held and self._inside(state)

    def _inside(self, state: Array) -> bool:
        """Tell whether every closed contact still lies within its features."""
        finite = self._finite()
        if not finite.any():
            return True
        R = self.engine.work.body
        rotations(state, R)
        there: set[tuple[object, ...]] = set()
        for pair in {t.pair for t, f in zip(self.now.touches, finite, strict=True) if f}:
            there |= {
                (touch.pair, touch.features.key)
                for touch in self.around.touches(pair, state, R, 1e-7)
            }
        return all(
            not bounded or (touch.pair, touch.features.key) in there
            for touch, bounded in zip(self.now.touches, finite, strict=True)
        )

    def _finite(self) -> BoolArray:
        """Return which closed contacts have features that end."""
        parts, pairs = self.around.parts, self.around.pairs
        kinds = [
            separation.HALF_SPACE not in (parts[i].kind, parts[j].kind)
            and (len(parts[i].corners) > 1 or len(parts[j].corners) > 1)
            for i, j in (pairs[touch.pair] for touch in self.now.touches)
        ]
        return np.array(kinds, dtype=bool)


def _last_true(holds: Callable[[float], bool], end: float) -> float:
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


def _frictionless(touches: list[Touch]) -> tuple[list[Touch], list[int], Array]:
    """Return what makes rows of features that are only looked at."""
    return touches, [FRICTIONLESS] * len(touches), np.zeros((len(touches), 3))
