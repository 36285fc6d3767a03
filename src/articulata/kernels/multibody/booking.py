"""Work done on a mechanism from outside, and energy taken from it, booked stage by stage.

The powers are integrated with the weights of the method that steps, so that the books are as exact
as the motion: energy less work plus what was dissipated stays what it was. Watts and joules.
"""

from __future__ import annotations

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.forces import (
    bushing_between,
    element_forces,
    line_between,
    pull_between,
    rope_pull,
    thrust_along,
    twist_between,
)
from articulata.kernels.multibody.motion import given_rate
from articulata.kernels.multibody.rows import motion, rotations, turned
from articulata.kernels.multibody.system import (
    BUSHING,
    DAMPED,
    DISSIPATIVE,
    FORCE,
    FORCE_AXIS,
    FORCE_CONSTANTS,
    FREE,
    INFO_BOOKED,
    LINE,
    MULTIPLIER,
    PRESCRIBED,
    ROPE,
    SPRING,
    STORED,
    THRUST,
    Integrated,
    System,
    Workspace,
)

DONE, DISSIPATED, STEP, MARK = 0, 1, 2, 4
"""Entries of ``Workspace.books``: work done on the mechanism, energy dissipated; from STEP on the
same two of the step that is under way, from MARK on of its first stage."""


@kernel(counted=False)
def element_speed(system: System, work: Workspace, f: int, state: Array) -> float:
    """Return how fast an element's points part, or its angle grows."""
    data, scratch = system.force_data, work.body
    a, b = system.force_body[f, 0], system.force_body[f, 1]
    _, _, _, wa0, wa1, wa2 = motion(state, a)
    _, _, _, wb0, wb1, wb2 = motion(state, b)
    if system.force_kind[f] != SPRING and system.force_kind[f] != LINE:
        k = FORCE_AXIS
        n = turned(scratch, b, data[f, k], data[f, k + 1], data[f, k + 2])
        return n[0] * (wa0 - wb0) + n[1] * (wa1 - wb1) + n[2] * (wa2 - wb2)
    _, _, speed, _, _ = line_between(system, scratch, f, state)
    return speed


@kernel(counted=False)
def element_power(
    system: System, work: Workspace, f: int, state: Array, t: float, signal: Array
) -> float:
    """Return the power of one element on its bodies, of a rope's first part that of all."""
    for side in range(2):
        i = system.force_body[f, side]
        if i >= 0:
            for j in range(6):
                work.body[i, FORCE + j] = 0.0
    kind = system.force_kind[f]
    if kind == ROPE:
        pull, speed = rope_pull(system, work, f, state, t, signal)
        return -pull * speed
    if kind in (SPRING, LINE):
        pull_between(system, work, f, state, t, signal)
    elif kind == THRUST:
        thrust_along(system, work, f, state, t, signal)
    else:
        twist_between(system, work, f, state, t, signal)
    power = 0.0
    for side in range(2):
        i = system.force_body[f, side]
        if i >= 0:
            for j in range(6):
                power += work.body[i, FORCE + j] * state[i, 7 + j]
    return power


@kernel(counted=False)
def book(made: Integrated, k: int, t: float, weight: float, state: Array) -> None:
    """Add weight (s) times the powers at a stage to the running step's books.

    Called right after the stage's accelerations, whose rows and multipliers are at hand.
    """
    system, work, _, inputs = made
    if work.info[INFO_BOOKED] == 0.0:
        return
    kind, scratch, rows = system.body_kind, work.body, work.row
    applied = inputs.applied[min(k, inputs.applied.shape[0] - 1)]
    signal = inputs.signal[min(k, inputs.signal.shape[0] - 1)]
    done = dissipated = 0.0
    rotations(state, scratch)
    # what moves prescribed bodies works against hinges and elements there
    for row in range(rows.shape[0]):
        done += rows[row, MULTIPLIER] * given_rate(system, row, state, rows)
    for i in range(state.shape[0]):
        for j in range(6):
            scratch[i, FORCE + j] = 0.0
    element_forces(system, work, state, t, signal)
    for i in range(state.shape[0]):
        for j in range(6):
            if kind[i] == PRESCRIBED:
                done -= scratch[i, FORCE + j] * state[i, 7 + j]
            elif kind[i] == FREE:
                done += applied[i, j] * state[i, 7 + j]
    for f in range(system.force_kind.shape[0]):
        role = work.role[f]
        if role == STORED:
            continue
        if role == DAMPED and system.force_kind[f] == BUSHING:
            dissipated += bushing_between(system, work, f, state)
        elif role == DAMPED:
            speed = element_speed(system, work, f, state)
            dissipated += system.force_data[f, FORCE_CONSTANTS + 1] * speed * speed
        elif role == DISSIPATIVE:
            work.given[f, 0] += weight * element_power(system, work, f, state, t, signal)
        else:
            done += element_power(system, work, f, state, t, signal)
    work.books[STEP + DONE] += weight * done
    work.books[STEP + DISSIPATED] += weight * dissipated


@kernel(counted=False)
def open_step(work: Workspace) -> None:
    """Forget what a step that was not finished had booked."""
    work.books[STEP + DONE] = work.books[STEP + DISSIPATED] = 0.0
    for f in range(work.given.shape[0]):
        work.given[f, 0] = 0.0


@kernel(counted=False)
def mark_stage(work: Workspace) -> None:
    """Note what the step has booked until now."""
    for k in range(2):
        work.books[MARK + k] = work.books[STEP + k]
    for f in range(work.given.shape[0]):
        work.given[f, 1] = work.given[f, 0]


@kernel(counted=False)
def back_to_mark(work: Workspace) -> None:
    """Forget what the step has booked since it was noted."""
    for k in range(2):
        work.books[STEP + k] = work.books[MARK + k]
    for f in range(work.given.shape[0]):
        work.given[f, 0] = work.given[f, 1]


@kernel(counted=False)
def close_step(work: Workspace) -> None:
    """Book the finished step.

    What an element that may do either has brought in all is work, and what it took is dissipated.
    """
    work.books[DONE] += work.books[STEP + DONE]
    work.books[DISSIPATED] += work.books[STEP + DISSIPATED]
    for f in range(work.given.shape[0]):
        brought = work.given[f, 0]
        if brought > 0.0:
            work.books[DONE] += brought
        else:
            work.books[DISSIPATED] -= brought
    open_step(work)
