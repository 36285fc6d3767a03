"""The compiled kernels at work for one mechanism: solving, and stepping by the chosen method.

Everything a step depends on is handed in, so that the same state always leads to the same next
one; what is kept here is scratch memory and the elimination plan, which is made anew where a
pivot is lost. State (n, 13) as in ``kernels.multibody.system``; SI units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from articulata.domains.dynamic.balances import Count
from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.elimination import Elimination
from articulata.domains.dynamic.failures import failure
from articulata.domains.dynamic.hinge_friction import (
    HOLDS,
    UNKNOWN,
    Rub,
    acting,
    along_rows,
    limits,
)
from articulata.domains.dynamic.mechanism import FIXED, PRESCRIBED, Mechanism, motion_of
from articulata.domains.dynamic.methods import DOP853, RK4, Euler1986, Method, RealTime
from articulata.domains.dynamic.packing import helicoid_scale, unpack
from articulata.domains.dynamic.plain_solution import multipliers_of
from articulata.domains.dynamic.translation import PLAN, Translation, translate
from articulata.domains.protocols import Control, Inputs
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody import motion as kernels
from articulata.kernels.multibody import system
from articulata.kernels.multibody.integrators import passage, steps
from articulata.kernels.multibody.project import project_velocity
from articulata.kernels.multibody.tree.order import plan

PLANS = 4
"""Times a lost pivot is answered by a new plan before the run is given up."""

TRIES = 100_000
"""Adaptive steps tried within one cycle before the run is given up."""

DIVISIONS = 6
"""Times a step that strays from the hinges is divided by four before the run is given up."""

CLOSED, OPEN = 1e-10, 1e4
"""Gaps (m) up to which hinges count as closed, and how much of a contradiction (m/s^2) wider ones
explain for each metre (1/s^2): a hundred radians a second squared."""

MOST_AT_ONCE = 10_000
"""Fixed steps taken in one call: their inputs lie ready beforehand, and a run can be stopped."""

SHARE = 1e-9
"""A fixed step divides a cycle evenly; a remainder below this share of it is rounding."""


Kernel: TypeAlias = Callable[..., Any]
"""A stepping kernel: what is integrated, t, h, steps, state to status."""

Way: TypeAlias = list[tuple[float, float, Array, Array]]
"""Steps taken: their beginnings (s), their lengths (s), states there and dense output."""


class Engine:
    """One mechanism in the kernels' arrays."""

    def __init__(
        self,
        parts: Mechanism,
        elements: tuple[Element, ...],
        state: Array,
        before: Engine | None = None,
    ) -> None:
        self.parts = parts
        self.elements = elements
        known = None if before is None else (before.parts, before._translation)
        self._translation: Translation = translate(parts, elements, state, known)
        self.elimination = Elimination({}, None, np.full(len(self.rubs), UNKNOWN))
        same = before is not None and before.parts.rows is parts.rows
        self._scale = before.scale if same and before is not None else helicoid_scale(parts)
        self._read: tuple[Inputs, system.Inputs] | None = None
        self.books = np.zeros(2)
        """Work done and energy dissipated in the last cycle, J; NaN where it is not booked."""
        self.way: Way | None = None
        """Where it is a list, steps of DOP853 are added, whose dense output knows no drives."""
        self.turned = np.zeros(len(parts.coordinates))
        """The hinges' coordinates (c,) that ``follow`` was told last, rad or m."""
        self._allocate()

    @property
    def arrays(self) -> system.System:
        """The mechanism's arrays; a new plan changes those about the order of elimination."""
        return self._translation.system

    @property
    def rows(self) -> Array:
        """The kernels' rows with the multipliers of the last solve."""
        return self._work.row

    @property
    def rubs(self) -> tuple[Rub, ...]:
        """The dry frictions of hinges."""
        return self._translation.rubs

    @property
    def held(self) -> Array:
        """The multipliers (k,) of the last solve of dry frictions that hold, N m or N."""
        return self._work.multiplier[len(self._work.row) - len(self.rubs) :]

    def dry(self, rates: Array) -> Mapping[str, float]:
        """Return what dry frictions give (N m, N) after a solve; ``rates`` (c,) of coordinates."""
        return acting(self.rubs, self.elimination.rubs, rates, self.held, self.limits)

    @property
    def limits(self) -> Array:
        """What dry frictions hold (k,) by the reactions of the last solve, N m or N."""
        return limits(self.rubs, self.arrays, self._work)

    def starting(self, out: Array) -> Array:
        """Return how accelerations ``out`` (n, 6) change the rates of frictions (k,), evaluated."""
        first = len(self._work.row) - len(self.rubs)
        along = along_rows(self.arrays.row[first:], self._work.row[first:], out)
        return along - self._work.gamma[first:]

    def rub(self, modes: IntArray, state: Array) -> None:
        """Let dry frictions hold, slide or rest, as ``modes`` (k,) say, from ``state`` on."""
        before = self.elimination.rubs
        if np.array_equal(modes, before):
            return
        arrays = dict(self.elimination.arrays)
        self.elimination = replace(self.elimination, arrays=arrays, rubs=modes)
        self._read = None
        if np.any((modes == HOLDS) != (before == HOLDS)):
            made, books = self._translation.system, self._work.books.copy()
            made = made._replace(row=self._held_rows(modes))
            self._translation = replace(self._translation, system=made)
            self.plan_again(state)
            self._work.books[:] = books

    def _held_rows(self, modes: IntArray) -> IntArray:
        row = self._translation.system.row.copy()
        hinges = np.array([rub.hinge for rub in self.rubs], np.int64)
        row[len(row) - len(modes) :, system.HINGE] = np.where(modes == HOLDS, hinges, -1)
        return row

    def _allocate(self) -> None:
        self._work = system.make_workspace(self._translation.system)
        self._stages = steps.make_stages(self._translation.system)
        self._work.role[:] = self._translation.roles
        self._work.info[system.INFO_BOOKED] = float(self.working)
        made = self._translation.system
        arrays = {name: getattr(made, name) for name in PLAN}
        self.elimination = Elimination(arrays, None, self.elimination.rubs)

    def establish(self, state: Array) -> None:
        """Once: find the loops' ranks at a first ``state`` on the hinges."""
        if self.elimination.ranks is None:
            passage.establish(self._translation.system, self._work, self._stages, state)
            ranks = self._work.rank_limit.copy()
            self.elimination = replace(self.elimination, ranks=ranks)

    def take_up(self, known: Elimination) -> None:
        """Go on with the elimination by which a state was reached."""
        if known.arrays is self.elimination.arrays:
            return
        made = self._translation.system._replace(**known.arrays)  # type: ignore[arg-type] # fields by name
        if self.rubs:
            made, self._read = made._replace(row=self._held_rows(known.rubs)), None
        self._translation = replace(self._translation, system=made)
        self._allocate()
        self.elimination = known
        if known.ranks is not None:
            self._work.rank_limit[:] = known.ranks

    def plan_again(self, state: Array) -> None:
        """Make the elimination plan anew for ``state``."""
        old = self._translation
        fresh = plan(old.system, state)
        self._translation = replace(old, system=fresh)
        turns = self._work.turns
        self._allocate()
        self._work.turns[:] = turns
        self.establish(state)

    @property
    def working(self) -> bool:
        """Whether controls, dampers or prescribed bodies do work."""
        given = self.parts.drives or self.parts.world.couplings or any(self._translation.roles)
        return bool(given) or bool(np.any(self.parts.kind == PRESCRIBED))

    @property
    def damped(self) -> bool:
        """Whether dampers or other forces that depend on speed or time dissipate energy."""
        return bool({system.DAMPED, system.DISSIPATIVE} & set(self._translation.roles))

    @property
    def work(self) -> system.Workspace:
        """Scratch memory of ``arrays``."""
        return self._work

    def integrated(self, inputs: system.Inputs) -> system.Integrated:
        """Return what the stepping kernels integrate."""
        return system.Integrated(self._translation.system, self._work, self._stages, inputs)

    @property
    def multipliers(self) -> Array:
        """The domain's multipliers (rows,) of the last solve."""
        return self._work.multiplier[: len(self._scale)] * self._scale

    @property
    def scale(self) -> Array:
        """What turns the kernels' multipliers into those of the domain's rows (rows,)."""
        return self._scale

    def rank(self, state: Array) -> int:
        """Return how many rows of the hinges count at ``state``, a state on the hinges."""
        closures = len(self._translation.system.closure_row)
        if not closures:
            return len(self.parts.rows)
        self.establish(state)
        kernels.factorise(self._translation.system, self._work, state)
        return len(self.arrays.tree_row) + int(self._work.schur_rank.sum())

    def count(self, state: Array) -> Count:
        """Return the size of ``A x = b`` without contacts at ``state``, a state on the hinges."""
        motions = 6 * int(np.count_nonzero(self.parts.kind != FIXED))
        return Count(motions, len(self.parts.rows), self.rank(state))

    def inputs_at(self, times: list[float], control: Control) -> system.Inputs:
        """Return the kernels' inputs at ``times``."""
        return self.table(self._inputs(times, control))

    def table(self, inputs: Sequence[Inputs]) -> system.Inputs:
        """Return the kernels' inputs for a list of instants."""
        # Without controls every instant has the same inputs.
        if self._read is not None and len(inputs) == 1 and inputs[0] is self._read[0]:
            return self._read[1]
        n, k = len(self.parts.kind), len(inputs)
        applied, prescribed = np.zeros((k, n, 6)), np.zeros((k, n, 6))
        signal = np.zeros((k, self._signals))
        rubs = self.elimination.rubs
        first = len(self._translation.driven) + 3 * self._translation.pushes
        signal[:, first : first + len(rubs)] = np.where(np.abs(rubs) == 1, rubs, 0)
        for number, given in enumerate(inputs):
            own = len(given.torque)  # what forces remember comes after the bodies
            applied[number, :own, 3:] = given.torque
            prescribed[number, :own] = given.acceleration
            signal[number, :first] = self._translation.signals(given)
        table = system.Inputs(applied, prescribed, np.zeros((1, len(self.arrays.row))), signal)
        if k == 1:
            self._read = inputs[0], table
        return table

    @property
    def _signals(self) -> int:
        made = self._translation
        rubs = len(made.rubs) + len(made.system.load)
        return len(made.driven) + 3 * made.pushes + rubs + made.balance

    def follow(self, coordinates: Array) -> None:
        """Let elements that turn with a hinge, and limits, continue from these ``coordinates``."""
        self.turned = coordinates
        for force, coordinate in self._translation.turning:
            self._work.turns[force] = coordinates[coordinate]

    def _only_open(self) -> bool:
        """Tell whether rows contradict each other by no more than their open gaps explain.

        Steps that pull gaps shut as by springs leave hinges a little open; dependent rows then ask
        for accelerations that differ as the gaps do; so do those of a loop, between two steps or as
        it passes a singular position, where no motion is given. The answer is of least squares.
        """
        tied = any(not each.friction for each in self.parts.world.couplings.values())
        if not tied and not np.any(self.parts.kind == PRESCRIBED):
            return True
        gap = float(np.max(np.abs(self._work.gap), initial=0.0))
        return gap > CLOSED and self._work.info[system.INFO_VALUE] <= OPEN * gap

    def accelerations(
        self, state: Array, inputs: Inputs, time: float, wrenches: Array | None = None
    ) -> tuple[Array, Array]:
        """Return accelerations (n, 6) and multipliers (rows,), of least norm where not unique.

        ``wrenches`` (n, 6) act on the bodies besides, at their reference points.
        """
        table = self.table([inputs])
        if wrenches is not None:
            table = table._replace(applied=table.applied + wrenches)
        out = np.zeros((len(state), 6))
        self.establish(state)
        for _ in range(PLANS):
            driven = self.integrated(table)
            status = passage.accelerations_along(driven, 0, time, state, True, out)
            if status != system.LOST_PIVOT:
                break
            self.plan_again(state)
        if status == system.INCONSISTENT and self._only_open():
            status = system.OK
        if status != system.OK:
            raise self.failure(status, state, inputs, time)
        if self._work.info[system.INFO_REACH] > 0.0:
            motion = motion_of(unpack(state))
            found = multipliers_of(self.parts, self.elements, motion, inputs, time, out)
            kernels.factorise(self._translation.system, self._work, state)
            self._work.multiplier[: len(found)] = found / self._scale
            return out, found
        made = self._translation.system
        if int(self._work.schur_rank.sum()) < len(made.closure_row):
            null = np.empty((len(made.closure_row) + 1, len(made.row)))
            kernels.minimum_norm(made, self._work, null)
        return out, self.multipliers

    def consistent(self, state: Array) -> Array:
        """Return ``state`` with the velocities nearest in the mass metric that meet all hinges."""
        after = state.copy()
        made = self._translation.system
        for _ in range(PLANS):
            if kernels.factorise(made, self._work, after) == system.OK:
                break
            self.plan_again(after)
            made = self._translation.system
        for _ in range(3):  # each pass removes what rounding left of the one before
            project_velocity(made, self._work, after)
        return after

    def advance(
        self, method: Method, state: Array, time: float, dt: float, control: Control, h: float
    ) -> tuple[Array, float]:
        """Return the state ``dt`` later and, for DOP853, the step it would go on with."""
        self.establish(state)
        self.books = np.zeros(2)
        if self._work.info[system.INFO_BOOKED] and not isinstance(method, DOP853 | RK4):
            self.books += np.nan
        self._work.books[:] = 0.0
        if isinstance(method, DOP853):
            return self._adaptive(method, state, time, dt, control, h)
        return self._fixed(method, state.copy(), time, dt, control), 0.0

    def _fixed(
        self, method: Method, state: Array, time: float, dt: float, control: Control
    ) -> Array:
        """Step evenly through a cycle; a lost pivot is answered by a new plan on the way."""
        step = dt if isinstance(method, Euler1986) else method_step(method)
        count = max(1, int(np.ceil(dt / step - SHARE)))
        h, done, plans = dt / count, 0, 0
        kernel, per_step = self._kernel(method)
        while done < count:
            part = min(count - done, MOST_AT_ONCE)
            entries = per_step * part + 1
            asked = [time + done * h + k * h / per_step for k in range(entries)]
            if isinstance(method, Euler1986 | RealTime):
                asked.pop()
            inputs = self._inputs(asked, control)
            before = state.copy()
            driven = self.integrated(self.table(inputs))
            status = kernel(driven, time + done * h, h, part, state)
            if status in (system.OK, system.STRAYED, system.TOO_NEAR):
                self._take_books()
            if status == system.OK:
                done += part
                continue
            self._work.books[:] = 0.0
            made = int(self._work.info[system.INFO_STEPS])
            at = time + (done + made) * h
            if status in (system.STRAYED, system.TOO_NEAR):
                state = self._divided(state, at, h, control, DIVISIONS)
                done += made + 1
                continue
            # The kernel's state may be half a step on: go through the whole steps again alone.
            failed, state = state.copy(), before
            if made:
                state = self._again(kernel, per_step, state, time + done * h, h, made, inputs)
                done += made
            if status == system.LOST_PIVOT and plans < PLANS:
                plans += 1
                self.plan_again(state)
                continue
            raise self.failure(status, failed, inputs[0], at)
        return state

    def _divided(
        self, state: Array, time: float, h: float, control: Control, divisions: int
    ) -> Array:
        """Return the state after one step ``h`` by classical steps as short as they need to be."""
        now = state.copy()
        inputs = self._inputs([time, time + 0.5 * h, time + h], control)
        status = steps.rk4(self.integrated(self.table(inputs)), time, h, 1, now)
        if status == system.OK:
            self._take_books()
            return now
        if status != system.STRAYED or not divisions:
            raise self.failure(status, now, inputs[0], time)
        for part in range(4):
            quarter = 0.25 * h
            state = self._divided(state, time + part * quarter, quarter, control, divisions - 1)
        return state

    def _again(
        self,
        kernel: Kernel,
        per_step: int,
        state: Array,
        time: float,
        h: float,
        count: int,
        inputs: list[Inputs],
    ) -> Array:
        """Return the state after ``count`` whole steps that are known to go well."""
        table = self.table(inputs[: per_step * count + 1])
        status = kernel(self.integrated(table), time, h, count, state)
        if status != system.OK:
            raise self.failure(status, state, inputs[0], time)
        self._take_books()
        return state

    def _take_books(self) -> None:
        """Move what the kernels have booked into the cycle's books."""
        self.books += self._work.books[:2]
        self._work.books[:] = 0.0

    def _inputs(self, times: list[float], control: Control) -> list[Inputs]:
        """Return the inputs at ``times``; one entry stands for all where nothing is controlled."""
        if not self.parts.drives:
            return [control(times[0])]
        return [control(at) for at in times]

    def _kernel(self, method: Method) -> tuple[Kernel, int]:
        """Return the stepping kernel and how many inputs it reads a step."""
        if isinstance(method, RK4):
            return steps.rk4, 2
        if isinstance(method, Euler1986):
            return steps.euler1986, 1
        if isinstance(method, RealTime):
            return steps.realtime, 1
        from articulata.kernels.multibody.integrators.symplectic import symplectic

        return symplectic, 1

    def _adaptive(
        self, method: DOP853, state: Array, time: float, dt: float, control: Control, h: float
    ) -> tuple[Array, float]:
        """Step through a cycle under error control, controllers asked at every stage time."""
        from articulata.kernels.multibody.integrators.dop853 import dense_coefficients, dop853_step
        from articulata.kernels.multibody.integrators.tableau import DOP853_NODES

        new, end, plans = np.empty_like(state), time + dt, 0
        nodes = DOP853_NODES[:12].tolist()
        h = h if h > 0 else min(dt, 1e-3)
        t, accuracy = time, (method.relative, method.absolute)
        for _ in range(TRIES):
            rest = end - t
            step = min(h, rest)
            if step >= rest * (1.0 - 1e-12):
                step = rest
            elif step > 0.5 * rest:
                step = 0.5 * rest
            inputs = self._inputs([t + node * step for node in nodes], control)
            turns = self._work.turns.copy()
            driven = self.integrated(self.table(inputs))
            status, accepted, following = dop853_step(driven, t, step, state, new, *accuracy)
            if status == system.LOST_PIVOT and plans < PLANS:
                plans += 1
                self.plan_again(state)
                continue
            self._take_books()
            if status != system.OK:
                raise self.failure(status, state, inputs[0], t)
            if not accepted:
                # stages of a step too long may have gone round: angles go on from where they were
                self._work.turns[:] = turns
                h = following
                if h < 1e-14 * max(1.0, abs(t)):
                    raise self.failure(system.STEP_TOO_SMALL, state, inputs[0], t)
                continue
            h = max(following, h) if step < h and following >= step else following
            if self.way is not None:
                dense = np.empty((7, *state.shape))
                status = dense_coefficients(driven, t, step, state, new, dense)
                self.way += [(t, step, state, dense)]
                self.way = self.way if status == system.OK else []
            state = new.copy()
            if step == rest:
                return state, h
            t += step
        raise self.failure(system.STEP_TOO_SMALL, state, inputs[0], t)

    def failure(self, status: int, state: Array, inputs: Inputs, time: float) -> SimulationError:
        """Return what to tell the user about a status of the kernels."""
        return failure(self.parts, self.elements, self._work, status, state, inputs, time)


def method_step(method: Method) -> float:
    """Return the step (s) of a method that has one."""
    assert not isinstance(method, DOP853 | Euler1986)
    return method.step
