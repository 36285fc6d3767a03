"""Adaptive integration by the Dormand-Prince method of order 8 with dense output of order 7.

Every accepted step is projected onto the hinges, so that gaps stay closed. World axes, SI.

``dop853_step`` tries one step from a table of inputs at the sixteen stage times
t + DOP853_NODES * h; ``dense_coefficients`` and ``dense_state`` then give any state within the
step, which its user projects.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import copy
from articulata.kernels.multibody.booking import (
    back_to_mark,
    book,
    close_step,
    mark_stage,
    open_step,
)
from articulata.kernels.multibody.integrators.passage import accelerations_along, settle, strayed
from articulata.kernels.multibody.integrators.tableau import (
    DOP853_A,
    DOP853_D,
    DOP853_E,
    DOP853_NODES,
)
from articulata.kernels.multibody.project import state_rates
from articulata.kernels.multibody.system import (
    INFO_EVALUATIONS,
    INFO_NOISE,
    INFO_REJECTED,
    INFO_STEPS,
    OK,
    STRAYED,
    TOO_NEAR,
    Integrated,
)

SAFETY = 0.9
"""Share of the step that the error estimate allows; nearer 1 more steps are rejected."""
SHRINK, GROW = 0.2, 8.0
"""Bounds on the change of the step from one try to the next."""

NEXT, OUT = 16, 17
"""Layers of ``stages`` after the sixteen rates: stage or new state, accelerations."""


@kernel(counted=False)
def combine(stages: Array, table: Array, row: int, count: int, h: float, state: Array) -> None:
    """Set layer NEXT to ``state`` plus h times the given row's combination of the stages."""
    x = stages[NEXT]
    for i in range(state.shape[0]):
        for j in range(13):
            x[i, j] = 0.0
    for s in range(count):
        c = table[row, s]
        if c != 0.0:
            for i in range(state.shape[0]):
                for j in range(13):
                    x[i, j] += c * stages[s, i, j]
    for i in range(state.shape[0]):
        for j in range(13):
            x[i, j] = state[i, j] + h * x[i, j]


@kernel(counted=False)
def rates_at(made: Integrated, s: int, t: float, h: float, state: Array) -> int:
    """Fill layer s of ``stages`` with the rates of ``state`` at its stage time."""
    system, work, stages, _ = made
    out = stages[OUT]
    work.info[INFO_EVALUATIONS] += 1.0
    at = t + DOP853_NODES[s] * h
    status = accelerations_along(made, s, at, state, s == 0, out)
    state_rates(system.body_kind, state, out, stages[s])
    return status


@kernel(counted=False)
def error_norm(
    stages: Array,
    h: float,
    old: Array,
    new: Array,
    relative: float,
    absolute: float,
    noise: float,
) -> float:
    """Return the error estimate in units of the tolerance (order 8, from orders 5 and 3).

    ``noise`` is the rounding error of the rates of velocities: a shorter step would not help.
    """
    five = three = 0.0
    n = old.shape[0]
    for i in range(n):
        for j in range(13):
            a = b = 0.0
            for s in range(12):
                a += DOP853_E[0, s] * stages[s, i, j]
                b += DOP853_E[1, s] * stages[s, i, j]
            scale = absolute + relative * max(abs(old[i, j]), abs(new[i, j])) + abs(h) * noise
            five += (a / scale) ** 2
            three += (b / scale) ** 2
    if five == 0.0 and three == 0.0:
        return 0.0
    return abs(h) * five / math.sqrt((five + 0.01 * three) * n * 13)


@kernel(counted=False)
def dop853_step(
    made: Integrated, t: float, h: float, state: Array, new: Array, relative: float, absolute: float
) -> tuple[int, bool, float]:
    """Try one step from ``state``; return status, whether it was accepted, and the next step.

    When accepted, ``new`` holds the projected state at t + h. ``state`` is left as it was. A
    stage that cannot be evaluated counts as an error too large, until the step is tiny.
    """
    system, work, stages, _ = made
    status = OK
    work.info[INFO_NOISE] = 0.0
    open_step(work)
    s = 0
    while s < 12:
        combine(stages, DOP853_A, s, s, h, state)
        status = rates_at(made, s, t, h, stages[NEXT])
        if status == TOO_NEAR:
            s = 1
            back_to_mark(work)
            continue
        if s == 0 and status != OK:
            return status, False, h
        if status != OK:
            break
        at = t + DOP853_NODES[s] * h
        book(made, s, at, h * DOP853_A[12, s], stages[NEXT])
        if s == 0:
            mark_stage(work)
        s += 1
    combine(stages, DOP853_A, 12, 12, h, state)
    if status == OK:
        noise = work.info[INFO_NOISE]
        error = error_norm(stages, h, state, stages[NEXT], relative, absolute, noise)
        if not math.isfinite(error):
            return 1, False, h
        if error < 1.0:
            copy(stages[NEXT], new)
            status = settle(system, work, stages, new)
            if status == OK and strayed(system, work, h):
                status = STRAYED
            if status == OK:
                work.info[INFO_STEPS] += 1.0
                close_step(work)
                return OK, True, h * next_share(error)
        else:
            work.info[INFO_REJECTED] += 1.0
            return OK, False, h * next_share(error)
    work.info[INFO_REJECTED] += 1.0
    if abs(h) > 1e-10:
        return OK, False, 0.1 * h
    return status, False, h


@kernel(counted=False)
def dense_coefficients(
    made: Integrated, t: float, h: float, old: Array, new: Array, dense: Array
) -> int:
    """Fill ``dense`` (7, n, 13) for the step from ``old`` to ``new`` accepted last."""
    status, stages = OK, made.stages
    for s in range(12, 16):
        if s == 12:
            copy(new, stages[NEXT])
        else:
            combine(stages, DOP853_A, s, s, h, old)
        status = rates_at(made, s, t, h, stages[NEXT])
        if status == TOO_NEAR:  # once more, firm from now on
            status = rates_at(made, s, t, h, stages[NEXT])
        if status != OK:
            return status
    fill_dense_of_seven(stages, h, old, new, dense)
    return status


@kernel(counted=False)
def fill_dense_of_seven(stages: Array, h: float, old: Array, new: Array, dense: Array) -> None:
    """Fill ``dense`` from the rates of all sixteen stages."""
    fill_dense(stages, h, old, new, 12, dense)
    for i in range(old.shape[0]):
        for j in range(13):
            for k in range(4):
                x = 0.0
                for s in range(16):
                    x += DOP853_D[k, s] * stages[s, i, j]
                dense[3 + k, i, j] = h * x


@kernel(counted=False)
def next_share(error: float) -> float:
    """Return by how much the next step is longer or shorter, from the error estimate."""
    if error >= 1.0:
        return max(SHRINK, SAFETY * error**-0.125)
    return min(GROW, max(SHRINK, SAFETY * error**-0.125)) if error > 0.0 else GROW


@kernel(counted=False)
def fill_dense(stages: Array, h: float, old: Array, new: Array, last: int, dense: Array) -> None:
    """Fill ``dense`` with Hermite's cubic between the ends; layer ``last`` holds the new rates."""
    for i in range(old.shape[0]):
        for j in range(13):
            step = new[i, j] - old[i, j]
            dense[0, i, j] = step
            dense[1, i, j] = h * stages[0, i, j] - step
            dense[2, i, j] = 2.0 * step - h * (stages[last, i, j] + stages[0, i, j])
            for k in range(3, 7):
                dense[k, i, j] = 0.0


@kernel(counted=False)
def dense_state(dense: Array, old: Array, share: float, out: Array) -> None:
    """Fill ``out`` with the state at ``share`` (0 to 1) of the step; not yet projected."""
    for i in range(old.shape[0]):
        for j in range(13):
            x = 0.0
            for k in range(6, -1, -1):
                x = (x + dense[k, i, j]) * (share if k % 2 == 0 else 1.0 - share)
            out[i, j] = old[i, j] + x
