"""Steps of a mechanism with closed contacts, and the motion within a step as a polynomial.

The same methods as ``steps.rk4`` and ``dop853`` with the contacts' rows beside the hinges', so
that mechanisms without contacts pay nothing for them. The powers of controls and dampers and what
sliding takes are booked with the methods' weights; what is booked of a step counts when it is
kept (``close_books``). World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import copy
from articulata.kernels.multibody.booking import STEP, book, close_step, open_step
from articulata.kernels.multibody.contact.approach import Approach, Step, first_touch
from articulata.kernels.multibody.contact.closing import project_contacts
from articulata.kernels.multibody.contact.contact_solution import aim, contact_accelerations
from articulata.kernels.multibody.contact.ending import TOO_LONG, ends_too_soon, foresee_ends
from articulata.kernels.multibody.contact.holding import inside, keep_forces, lawful
from articulata.kernels.multibody.contact.limits import Stops, first_limit, follow_coordinates
from articulata.kernels.multibody.contact.memory import HELD, SLIP, Contacts, ContactSystem
from articulata.kernels.multibody.contact.onset import pace_step
from articulata.kernels.multibody.contact.rows import BODY_A, ROW_N, SPEED_T1
from articulata.kernels.multibody.integrators.dop853 import (
    NEXT,
    OUT,
    combine,
    error_norm,
    fill_dense,
    fill_dense_of_seven,
    next_share,
)
from articulata.kernels.multibody.integrators.tableau import DOP853_A, DOP853_NODES
from articulata.kernels.multibody.project import state_rates
from articulata.kernels.multibody.system import (
    INCONSISTENT,
    INFO_SHARE,
    NOT_FINITE,
    OK,
    PRESCRIBED,
    System,
    Workspace,
)

THROWN, THROWN_OF = 1e-6, 0.1
"""Velocities (m/s, rad/s) by which closing the gaps of a step may change its own, and the share of
their change in the step that is added."""


@kernel(counted=False)
def contact_rates(
    made: ContactSystem, entry: int, layer: int, time: float, weight: float, state: Array
) -> int:
    """Fill a layer of ``stages`` with the rates of ``state``; book its powers for weight s."""
    (system, work, stages, _), contacts = made
    status = contact_accelerations(made, entry, time, state, stages[OUT])
    state_rates(system.body_kind, state, stages[OUT], stages[layer])
    if weight != 0.0:
        book_contacts(system, work, contacts, weight, state)
        book(made.driven, entry, time, weight, state)
    return status


@kernel(counted=False)
def book_contacts(
    system: System, work: Workspace, contacts: Contacts, weight: float, state: Array
) -> None:
    """Book what sliding takes, and the work of prescribed bodies against contact forces."""
    for i in range(contacts.table.shape[0]):
        taken = done = 0.0
        for t in range(3):
            force = contacts.force[i, t]
            if t > 0 and contacts.mode[i] in (SLIP, HELD):
                taken -= force * contacts.place[i, SPEED_T1 + t - 1]
            for side in range(2):
                body = contacts.table[i, BODY_A + side]
                if system.body_kind[body] == PRESCRIBED:
                    for j in range(6):
                        row = contacts.place[i, ROW_N + 12 * t + 6 * side + j]
                        done -= force * row * state[body, 7 + j]
        contacts.books[0] += weight * taken
        work.books[STEP] += weight * done
        work.books[STEP + 1] += weight * taken


@kernel(counted=False)
def open_books(work: Workspace, contacts: Contacts) -> None:
    """Forget what a step that was not kept had booked."""
    open_step(work)
    contacts.books[0] = 0.0


@kernel(counted=False)
def close_books(work: Workspace, contacts: Contacts) -> None:
    """Book the step that is kept."""
    close_step(work)
    contacts.books[1] += contacts.books[0]
    contacts.books[0] = 0.0


@kernel(counted=False)
def contact_dense(made: ContactSystem, step: Step, t: float, new: Array) -> int:
    """Fill ``dense`` (7, n, 13) for the step accepted last; ``dop853.dense_state`` reads it."""
    stages, old, h = made.driven.stages, step.old, step.h
    status = OK
    for s in range(12, 16):
        if s == 12:
            copy(new, stages[NEXT])
        else:
            combine(stages, DOP853_A, s, s, h, old)
        at = t + DOP853_NODES[s] * h
        status = contact_rates(made, s, s, at, 0.0, stages[NEXT])
        status &= ~INCONSISTENT
        if status != OK:
            return status
    fill_dense_of_seven(stages, h, old, new, step.dense)
    return status


@kernel(counted=False)
def contact_dop853(
    made: ContactSystem, step: Step, t: float, new: Array, relative: float, absolute: float
) -> tuple[int, bool, float]:
    """Try one step into ``new`` as ``dop853.dop853_step`` does; inputs at the sixteen nodes.

    Fills ``dense`` (7, n, 13) where the step is accepted; ``dop853.dense_state`` reads it.
    """
    (system, work, stages, _), contacts = made
    state, h = step.old, step.h
    status = OK
    work.info[INFO_SHARE] = 1.0
    open_books(work, contacts)
    aim(contacts, state, work.body)
    for s in range(12):
        combine(stages, DOP853_A, s, s, h, state)
        at, weight = t + DOP853_NODES[s] * h, h * DOP853_A[12, s]
        status = contact_rates(made, s, s, at, weight, stages[NEXT])
        if s > 0:
            status &= ~INCONSISTENT
        if s == 0 and status != OK:
            return status, False, h
        if status != OK:
            break
        if s == 0:
            foresee_ends(contacts, stages[OUT])
    if status == OK:
        combine(stages, DOP853_A, 12, 12, h, state)
        error = error_norm(stages, h, state, stages[NEXT], relative, absolute, 0.0)
        if not math.isfinite(error):
            return NOT_FINITE, False, h
        if error >= 1.0:
            return OK, False, h * next_share(error)
        copy(stages[NEXT], new)
        status = project_contacts(system, work, contacts, new)
        if status == OK and thrown(state, stages[NEXT], new):
            return OK, False, 0.1 * h
        if status == OK:
            status = contact_dense(made, step, t, new)
            return status, status == OK, h * next_share(error)
    if abs(h) > 1e-10:
        return OK, False, 0.1 * h
    return status, False, h


@kernel(counted=False)
def thrown(old: Array, before: Array, after: Array) -> bool:
    """Return whether a projection changed velocities by more than a step's error can have been.

    What held at ``old`` does not fit the velocities ``before`` it any more: its normal has jumped,
    as where a rim comes to the end of a wall. Only an impact may change motion so.
    """
    change = moved = 0.0
    for i in range(old.shape[0]):
        for j in range(7, 13):
            change = max(change, abs(before[i, j] - old[i, j]))
            moved = max(moved, abs(after[i, j] - before[i, j]))
    return moved > THROWN + THROWN_OF * change


@kernel(counted=False)
def contact_rk4(made: ContactSystem, entry: int, t: float, step: Step, new: Array) -> int:
    """One classical step into ``new``; ``dense`` takes Hermite's cubic.

    Inputs at t, t+h/2, t+h from ``entry`` on. The contacts' forces are those at ``new``. TOO_LONG,
    and no step, where a contact comes to rest on a curved path before long.
    """
    (system, work, stages, _), contacts = made
    state, h = step.old, step.h
    n = state.shape[0]
    x = stages[NEXT]
    open_books(work, contacts)
    aim(contacts, state, work.body)
    for s in range(4):
        c = 0.0 if s == 0 else (h if s == 3 else 0.5 * h)
        for i in range(n):
            for j in range(13):
                x[i, j] = state[i, j] + (c * stages[s - 1, i, j] if s > 0 else 0.0)
        at = entry + (0 if s == 0 else (2 if s == 3 else 1))
        weight = h / 6.0 if s in (0, 3) else h / 3.0
        status = contact_rates(made, at, s, t + c, weight, x)
        if s > 0:
            status &= ~INCONSISTENT
        if status != OK:
            return status
        if s == 0:
            foresee_ends(contacts, stages[OUT])
            pace_step(system, work, contacts, h)
            if ends_too_soon(contacts):
                return TOO_LONG
    for i in range(n):
        for j in range(13):
            rate = stages[0, i, j] + 2.0 * (stages[1, i, j] + stages[2, i, j]) + stages[3, i, j]
            new[i, j] = state[i, j] + h / 6.0 * rate
    status = project_contacts(system, work, contacts, new)
    if status != OK:
        return status
    status = contact_rates(made, entry + 2, 4, t + h, 0.0, new)
    fill_dense(stages, h, state, new, 4, step.dense)
    return status & ~INCONSISTENT


@kernel
def contact_run(
    made: ContactSystem,
    near: Approach,
    pairs: IntArray,
    held: IntArray,
    stops: Stops,
    t: float,
    count: int,
    alone: bool,
    new: Array,
) -> tuple[int, int]:
    """Take up to ``count`` classical steps from ``old`` on in which nothing happens.

    Returns the status and how many were taken. The step in which something happens is not taken:
    ``old`` is the state before it, ``new`` and ``dense`` are those of that step. ``alone``: only
    one step is tried.
    """
    contacts, step = made.contacts, near.step
    state, h = step.old, step.h
    for done in range(count):
        copy(contacts.slip, contacts.kept)
        at = t + done * h
        status = contact_rk4(made, 2 * done, at, step, new)
        if alone:
            return status, 0
        good = status == OK
        if good:
            _, share = first_touch(near, pairs, held)
            good = share > 1.0 and first_limit(stops, step, 1.0) > 1.0
            good = good and lawful(contacts) and inside(contacts, new)
        if not good:
            copy(contacts.kept, contacts.slip)
            return status, done
        follow_coordinates(stops, state, new, h)
        copy(new, state)
        keep_forces(contacts)
        close_books(made.driven.work, contacts)
    return OK, count
