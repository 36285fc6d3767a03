"""The compiled kernels at work for one mechanism: solving, and stepping by the chosen method.

Everything a step depends on is handed in, so that the same state always leads to the same next
one; what is kept here is scratch memory and the elimination plan, which is made anew where a
pivot is lost. State (n, 13) as in ``kernels.multibody.system``; SI units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from articulata.domains.dynamic.contradiction import inconsistency
from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.mechanism import Mechanism, motion_of
from articulata.domains.dynamic.methods import DOP853, RK4, Euler1986, Method, RealTime, Symplectic
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.solving import solved
from articulata.domains.dynamic.translation import Translation, translate
from articulata.domains.protocols import Control, Inputs
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import motion as kernels
from articulata.kernels.multibody import steps, system
from articulata.kernels.multibody.order import plan
from articulata.kernels.multibody.project import project_velocity
from articulata.kinematics.scalar_rows import HELICOID, scalar_rows

PLANS = 4
"""Times a lost pivot is answered by a new plan before the run is given up."""

SINGULAR = (system.INCONSISTENT, system.NOT_CONVERGED)
"""What a step may end in when it stops next to a singular position."""

PASSAGES = (0.25, 0.75, 0.3, 0.7, 0.2, 0.8)
"""Where in a step over a singular position that position may lie: off its stages at 0, 1/2, 1."""

HOMING = 1e-3
"""An adaptive step below this share of the longest of its cycle is held up at a singularity."""

NEAR = 1e-6
"""Share of a loop's smallest pivot below which a stage came too near a singular position: about
1e-3 rad from it, where a loop is solved with half the digits."""

ASIDE = 2e-3
"""Turn of the fastest body (rad) at which a singular position is passed in one step: a classical
step that long errs by less than rounding."""

SHARE = 1e-9
"""A fixed step divides a cycle evenly; a remainder below this share of it is rounding."""


Kernel: TypeAlias = Callable[..., Any]
"""A stepping kernel: system, workspace, stages, inputs, t, h, steps, state to status."""


class Engine:
    """One mechanism in the kernels' arrays."""

    def __init__(self, parts: Mechanism, elements: tuple[Element, ...], state: Array) -> None:
        self.parts = parts
        self.elements = elements
        self._translation = translate(parts, elements, state)
        self._scale = _helicoid_scale(parts)
        self._read: tuple[Inputs, system.Inputs] | None = None
        self._allocate()

    @property
    def arrays(self) -> system.System:
        """The mechanism's arrays; a new plan changes those about the order of elimination."""
        return self._translation.system

    @property
    def rows(self) -> Array:
        """The kernels' rows with the multipliers of the last solve."""
        return self._work.row

    def _allocate(self) -> None:
        self._work = system.make_workspace(self._translation.system)
        self._stages = steps.make_stages(self._translation.system)

    def plan_again(self, state: Array) -> None:
        """Make the elimination plan anew for ``state``."""
        old = self._translation
        fresh = plan(old.system, state)
        self._translation = Translation(fresh, old.driven, old.pushes, old.turning)
        turns = self._work.turns
        self._allocate()
        self._work.turns[:] = turns

    @property
    def work(self) -> system.Workspace:
        """Scratch memory of ``arrays``."""
        return self._work

    @property
    def stages(self) -> Array:
        """Scratch memory of the stepping kernels."""
        return self._stages

    @property
    def scale(self) -> Array:
        """What turns the kernels' multipliers into those of the domain's rows (rows,)."""
        return self._scale

    def inputs_at(self, times: list[float], control: Control) -> system.Inputs:
        """Return the kernels' inputs at ``times``."""
        return self.table(self._inputs(times, control))

    def failure(self, status: int, state: Array, inputs: Inputs, time: float) -> SimulationError:
        """Return what to tell the user about a status of the kernels."""
        return self._failure(status, state, inputs, time)

    def table(self, inputs: Sequence[Inputs]) -> system.Inputs:
        """Return the kernels' inputs for a list of instants."""
        # Without controls every instant has the same inputs.
        if self._read is not None and len(inputs) == 1 and inputs[0] is self._read[0]:
            return self._read[1]
        n, k = len(self.parts.kind), len(inputs)
        applied = np.zeros((k, n, 6))
        prescribed = np.zeros((k, n, 6))
        signal = np.zeros((k, self._signals))
        for number, given in enumerate(inputs):
            applied[number, :, 3:] = given.torque
            prescribed[number] = given.acceleration
            signal[number] = self._translation.signals(given)
        table = system.Inputs(applied, prescribed, np.zeros((1, len(self.parts.rows))), signal)
        if k == 1:
            self._read = inputs[0], table
        return table

    @property
    def _signals(self) -> int:
        return len(self._translation.driven) + 3 * self._translation.pushes

    def follow(self, coordinates: Array) -> None:
        """Let elements that turn with a hinge continue from these ``coordinates``."""
        for force, coordinate in self._translation.turning:
            self._work.turns[force] = coordinates[coordinate]

    def accelerations(self, state: Array, inputs: Inputs, time: float) -> tuple[Array, Array]:
        """Return accelerations (n, 6) and multipliers (rows,), of least norm where not unique."""
        table = self.table([inputs])
        out = np.zeros((len(state), 6))
        for _ in range(PLANS):
            status = kernels.accelerations(
                self._translation.system, self._work, table, 0, time, state, out
            )
            if status != system.LOST_PIVOT:
                break
            self.plan_again(state)
        if status != system.OK:
            raise self._failure(status, state, inputs, time)
        made = self._translation.system
        if int(self._work.schur_rank.sum()) < len(made.closure_row):
            null = np.empty((len(made.closure_row) + 1, len(made.row)))
            kernels.minimum_norm(made, self._work, null)
        return out, self._work.multiplier * self._scale

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
            entries = per_step * (count - done) + 1
            asked = [time + done * h + k * h / per_step for k in range(entries)]
            if isinstance(method, Euler1986 | RealTime):
                asked.pop()
            inputs = self._inputs(asked, control)
            before = state.copy()
            status = kernel(
                self._translation.system,
                self._work,
                self._stages,
                self.table(inputs),
                time + done * h,
                h,
                count - done,
                state,
            )
            if status == system.OK:
                return state
            made = int(self._work.info[system.INFO_STEPS])
            at = time + (done + made) * h
            # The kernel's state may be half a step on: go through the whole steps again alone.
            failed, state = state.copy(), before
            if made:
                state = self._again(kernel, per_step, state, time + done * h, h, made, inputs)
                done += made
            if status == system.LOST_PIVOT and plans < PLANS:
                plans += 1
                self.plan_again(state)
                continue
            across = None
            if status in SINGULAR and isinstance(method, RK4 | Symplectic):
                across = self._across(state, at, at + h, time + dt, control)
            if across is None:
                raise self._failure(status, failed, inputs[0], at)
            left = time + dt - across[0]
            if left <= SHARE * dt:
                return across[1]
            return self._fixed(method, across[1], across[0], left, control)
        return state

    def _across(
        self, state: Array, time: float, held: float, end: float, control: Control
    ) -> tuple[float, Array] | None:
        """Return time and state beyond a singular position near ``held``, or None.

        Where a linkage is stretched, rows depend on each other at one instant, and next to it
        they are solved with few digits. One classical step is taken over it whose stages keep
        the greatest distance from it.
        """
        for share in PASSAGES:
            span = (held - time) / share
            if time + span > end * (1.0 + 1e-15):
                continue
            now = state.copy()
            inputs = self._inputs([time, time + 0.5 * span, time + span], control)
            made = self._translation.system
            status = steps.rk4(
                made, self._work, self._stages, self.table(inputs), time, span, 1, now
            )
            if status == system.OK:
                return time + span, now
        return None

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
        made = self._translation.system
        status = kernel(made, self._work, self._stages, table, time, h, count, state)
        if status != system.OK:
            raise self._failure(status, state, inputs[0], time)
        return state

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
        from articulata.kernels.multibody.symplectic import symplectic

        return symplectic, 1

    def _adaptive(
        self, method: DOP853, state: Array, time: float, dt: float, control: Control, h: float
    ) -> tuple[Array, float]:
        """Step through a cycle under error control, controllers asked at every stage time."""
        from articulata.kernels.multibody.dop853 import dop853_step
        from articulata.kernels.multibody.tableau import DOP853_NODES

        new, end, plans = np.empty_like(state), time + dt, 0
        nodes = DOP853_NODES[:12].tolist()
        h = h if h > 0 else min(dt, 1e-3)
        t, longest, passed = time, min(h, dt), [(time, state)]
        loops = len(self._translation.system.closure_row) > 0
        aside = _time_to_turn(state, dt)
        if loops and aside < dt and self._share(state) < NEAR:
            # Away from a singular position in one short step, which weighs its start little.
            left = self._short(state, t, [aside], control)
            if left is not None:
                t, state = t + aside, left
                passed = [(t, state)]
        while True:
            rest = end - t
            step = min(h, rest)
            if step >= rest * (1.0 - 1e-12):
                step = rest
            elif step > 0.5 * rest:
                step = 0.5 * rest
            inputs = self._inputs([t + node * step for node in nodes], control)
            status, accepted, following = dop853_step(
                self._translation.system,
                self._work,
                self._stages,
                self.table(inputs),
                t,
                step,
                state,
                new,
                method.relative,
                method.absolute,
            )
            if status == system.LOST_PIVOT and plans < PLANS:
                plans += 1
                self.plan_again(state)
                continue
            if status in (system.OK, *SINGULAR) and self._came_near(state):
                aside = _time_to_turn(state, dt)
                ahead = self._singular_time(state, t, 0.1 * aside, control) - t
                if ahead <= max(1.2 * step, aside):
                    shorter = max(0.7 * ahead, ahead - 0.5 * aside)
                    if ahead > aside and shorter < 0.9 * step:
                        h = shorter
                        continue
                    leap = self._across(state, t, t + ahead, end, control)
                    if leap is None:
                        leap = self._up_to(state, t, t + ahead, end, control)
                    if leap is not None:
                        t, state = leap
                        passed, h = [(t, state)], max(aside, 0.1 * longest)
                        if end - t <= 1e-14 * max(1.0, abs(end)):
                            return state, longest
                        continue
            held_up = not accepted and following < HOMING * longest and following < rest
            if status in SINGULAR or (status == system.OK and held_up):
                leap = self._leap(passed, t + step, end, longest, control)
                if leap is not None:
                    t, state = leap
                    passed, h = [(t, state)], max(HOMING * longest, 1e-2 * longest)
                    if t == end:
                        return state, h
                    continue
            if status != system.OK:
                raise self._failure(status, state, inputs[0], t)
            if not accepted:
                h = following
                if h < 1e-14 * max(1.0, abs(t)):
                    raise self._failure(system.STEP_TOO_SMALL, state, inputs[0], t)
                continue
            h = max(following, h) if step < h and following >= step else following
            state, longest = new.copy(), max(longest, step)
            if step == rest:
                return state, h
            t += step
            passed.append((t, state))

    def _up_to(
        self, state: Array, time: float, held: float, end: float, control: Control
    ) -> tuple[float, Array] | None:
        """Return the state at ``end``, which lies next to a singular position at ``held``."""
        rest = end - time

        def distance(share: float) -> float:
            stages = (0.5 * share, share, 0.5 * (1.0 + share), 1.0)
            return min(abs(time + stage * rest - held) for stage in stages)

        for share in sorted(np.linspace(0.2, 0.8, 13).tolist(), key=distance, reverse=True)[:4]:
            now = self._short(state, time, [share * rest, rest - share * rest], control)
            if now is not None:
                return end, now
        return None

    def _short(
        self, state: Array, time: float, spans: list[float], control: Control
    ) -> Array | None:
        """Return the state after classical steps over ``spans``, or None where one fails."""
        now = state.copy()
        made = self._translation.system
        for h in spans:
            table = self.table(self._inputs([time, time + 0.5 * h, time + h], control))
            if steps.rk4(made, self._work, self._stages, table, time, h, 1, now) != system.OK:
                return None
            time += h
        return now

    def _came_near(self, state: Array) -> bool:
        """Tell whether a stage of the last step came near a singular position and its start not."""
        if not len(self._translation.system.closure_row):
            return False
        least = float(self._work.info[system.INFO_SHARE])
        return least < NEAR and self._share(state) > 10.0 * least

    def _share(self, state: Array) -> float:
        """Return the loops' smallest pivot share at ``state``: zero at a singular position."""
        self._work.info[system.INFO_SHARE] = 1.0
        kernels.factorise(self._translation.system, self._work, state)
        return float(self._work.info[system.INFO_SHARE])

    def _singular_time(self, state: Array, time: float, h: float, control: Control) -> float:
        """Return when a singular position is reached; infinity where none is ahead.

        The square root of the smallest pivot goes to zero in proportion to the time left.
        """
        ahead = state.copy()
        inputs = self._inputs([time, time + 0.5 * h, time + h], control)
        made = self._translation.system
        table = self.table(inputs)
        if steps.rk4(made, self._work, self._stages, table, time, h, 1, ahead) != system.OK:
            return time + h
        now, then = np.sqrt(self._share(state)), np.sqrt(self._share(ahead))
        return float(time + h * now / (now - then)) if then < now else np.inf

    def _leap(
        self,
        passed: list[tuple[float, Array]],
        held: float,
        end: float,
        longest: float,
        control: Control,
    ) -> tuple[float, Array] | None:
        """Return time and state on the far side of what holds the steps up near ``held``."""
        short = 0.01 * longest
        t, state = next((each for each in reversed(passed) if held - each[0] >= short), passed[0])
        across = self._across(state, t, held, end, control)
        if across is None or end - across[0] > 1e-3 * short:
            return across
        return end, across[1]

    def _failure(self, status: int, state: Array, inputs: Inputs, time: float) -> SimulationError:
        """Return what to tell the user about a status."""
        if status & system.INCONSISTENT:
            motion = motion_of(unpack(state))
            answer = solved(self.parts, self.elements, motion, inputs, time)
            scale = max(1.0, float(np.max(np.abs(answer.acceleration), initial=0.0)))
            return inconsistency(self.parts, motion, answer.residual, time, scale=scale)
        row = int(self._work.info[system.INFO_ROW])
        hinge = self.parts.row_hinge(row).id if 0 <= row < len(self.parts.rows) else "a hinge"
        if status & system.NOT_FINITE:
            return SimulationError(
                f"the motion is no longer a finite number at t = {time:.9g} s; a force, a control "
                "or a step is too large, or two hinge points of a rod coincide"
            )
        if status & system.NOT_CONVERGED:
            return SimulationError(
                f"hinge '{hinge}' cannot be kept closed at t = {time:.9g} s; the mechanism has "
                "reached the end of its range, or the step is too long"
            )
        if status & system.STEP_TOO_SMALL:
            return SimulationError(
                f"the integrator's step has become too small to go on at t = {time:.9g} s; the "
                "motion is not smooth there: loosen the tolerances or use a fixed step"
            )
        return SimulationError(
            f"the equations of motion cannot be solved at t = {time:.9g} s: the rows of hinge "
            f"'{hinge}' depend on others in this position; equations() prints them"
        )


def _time_to_turn(state: Array, longest: float) -> float:
    """Return in what time (s) the fastest body turns by ASIDE, at most ``longest``."""
    fastest = float(np.max(np.abs(state[:, 10:13]), initial=0.0))
    return min(longest, ASIDE / fastest) if fastest > 0 else longest


def _helicoid_scale(parts: Mechanism) -> Array:
    """Return what turns the kernels' multipliers into those of the rows here (rows,).

    The kernels measure a helicoid's gap across the radius, the rows here along the axis.
    """
    scale = np.ones(len(parts.rows))
    for row in np.flatnonzero(parts.rows.kind == HELICOID).tolist():
        first = int(np.searchsorted(parts.rows.owner, parts.rows.owner[row]))
        point = scalar_rows(parts.row_hinge(row).kind.rows)[row - first].point
        scale[row] = float(np.hypot(point[0], point[1])) / parts.rows.size[row]
    return scale


def method_step(method: RK4 | RealTime | Symplectic | DOP853) -> float:
    """Return the step (s) of a method that has one."""
    assert not isinstance(method, DOP853)
    return method.step
