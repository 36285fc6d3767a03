"""Accelerations of a mechanism whose features touch: contacts as rows beside the hinges.

The hinges are eliminated along the tree as without contacts. Each contact adds a normal row and,
where it sticks, two tangential rows; where it slips, friction acts along a given direction in
proportion to the normal force, so that the force of a row need not act along the row:

    M dv = f + J^T lambda + (N - mu S)^T n + T^T s,     N dv = gamma_n,  T dv = gamma_t.

Rows may depend on each other (a box on four corners): motion is unique, forces are not. Rows that
do not depend on each other are picked once and kept as long as the others follow from them; they
take what is missing to ``base``, forces that obeyed the laws when they were last judged.
World axes, SI.
Reference: Hoffmann & Hopcroft 1986, sections 3.4 (contact hinge) and 4.4 (dependent contacts).
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import cholesky, cholesky_solve, copy, solve_dependent
from articulata.kernels.multibody.contact.ending import SETTLED
from articulata.kernels.multibody.contact.friction import (
    drag_along,
    hold_forces,
    refresh_friction,
    refresh_slip,
    slides,
)
from articulata.kernels.multibody.contact.memory import STICK, UNKNOWN, Contacts, ContactSystem
from articulata.kernels.multibody.contact.onset import (
    coming,
    is_slow,
    starting,
    turn_slip,
)
from articulata.kernels.multibody.contact.picking import (
    add_wrench,
    form_columns,
    list_rows,
    pick_rows,
    row_times,
)
from articulata.kernels.multibody.contact.places import evaluate
from articulata.kernels.multibody.contact.rows import (
    BODY_A,
    BODY_B,
    GAMMA_N,
    ROW_N,
    SPEED_N,
)
from articulata.kernels.multibody.contact.spreading import measure_spread, spread_loads, yields
from articulata.kernels.multibody.motion import (
    LOADINGS,
    factorise,
    given_rate,
    loads_changed,
    put_loads,
    solve,
    unload,
)
from articulata.kernels.multibody.project import no_force
from articulata.kernels.multibody.system import (
    FORCE,
    FREE,
    JAMMED,
    MEMORY,
    MULTIPLIER,
    NOT_FINITE,
    OK,
    PRESCRIBED,
    RHS,
    SOLUTION,
    System,
    Workspace,
)

FOLLOWS = 1e-8
"""Acceleration (m/s^2) beside a row that depends on others below which it still does."""

ROUGH, TURNS = 1e-5, 20
"""Acceleration (m/s^2) across the direction of slip that may be left where no less is reached, and
turns of the directions in which nothing is to be left."""


@kernel(counted=False)
def aim(contacts: Contacts, state: Array, scratch: Array) -> None:
    """Let the directions of all contacts that slide follow their velocities at a step's start."""
    if contacts.table.shape[0] > 0:
        evaluate(contacts, state, scratch)
        refresh_slip(contacts, True)


@kernel(counted=False, apart=True)
def contact_accelerations(
    made: ContactSystem, entry: int, time: float, state: Array, out: Array
) -> int:
    """Fill ``out`` (n, 6) with accelerations; contact forces are left in ``contacts.force``.

    The hinges' multipliers include what the contacts put on them.
    """
    (system, work, _, inputs), _ = made
    status = factorise(system, work, state)
    if status != OK:
        return status
    unload(system, inputs, entry)
    for _ in range(LOADINGS):
        status = contact_accelerations_loaded(made, entry, time, state, out)
        if status & NOT_FINITE or not loads_changed(system, work, inputs, entry):
            return status
    return JAMMED


@kernel(counted=False)
def contact_accelerations_loaded(
    made: ContactSystem, entry: int, time: float, state: Array, out: Array
) -> int:
    """Fill ``out`` and forces where hinges rub by the loads in the signals, factor at hand."""
    (system, work, _, inputs), contacts = made
    put_loads(system, work, inputs, entry, time, state)
    prescribed = inputs.prescribed[min(entry, inputs.prescribed.shape[0] - 1)]
    count = contacts.table.shape[0]
    for i in range(out.shape[0]):
        for j in range(6):
            contacts.scratch[0, i, j] = work.body[i, FORCE + j]
            # what does not move freely keeps its acceleration
            out[i, j] = prescribed[i, j] if system.body_kind[i] == PRESCRIBED else 0.0
        if system.body_kind[i] == MEMORY:
            out[i, 0] = work.body[i, FORCE]
    for row in range(work.row.shape[0]):
        contacts.rows[row] = work.row[row, RHS]
    if count == 0:
        return loaded(system, work, contacts, out)
    evaluate(contacts, state, work.body)
    refresh_slip(contacts, False)
    refresh_friction(contacts)
    status = solved(system, work, contacts, out)
    if not status & NOT_FINITE and starting(contacts, out):
        status = begun(system, work, contacts, out)
    return status


@kernel(counted=False)
def solved(system: System, work: Workspace, contacts: Contacts, out: Array) -> int:
    """Fill ``contacts.force`` and ``out`` with the directions of slip at hand."""
    hold_forces(contacts)
    for i in range(contacts.table.shape[0]):
        for t in range(3):
            if t == 0 or contacts.mode[i] == STICK:
                contacts.force[i, t] = contacts.base[i, t]
    drag_along(contacts)
    status = loaded(system, work, contacts, out)
    if status & NOT_FINITE:
        return status
    if slides(contacts):
        status, shared = shared_out(system, work, contacts, out)
        if shared or status & NOT_FINITE:
            return status
    for _ in range(2):
        status = corrected(system, work, contacts, out)
        if status & NOT_FINITE:
            return status
        if follow(contacts, out):
            break
        # rows that depended on others do no longer: pick anew
        contacts.known[0] = UNKNOWN
    return status


@kernel(counted=False)
def begun(system: System, work: Workspace, contacts: Contacts, out: Array) -> int:
    """Turn the directions of slow contacts that speed up to where they are about to slide.

    So little speed has its direction from the acceleration, within less time than any step: what
    friction leaves of the loads points along the slip. Contacts that do not speed up in the end
    keep their directions.
    """
    count = contacts.table.shape[0]
    chosen, kept = contacts.begun[:, 0], contacts.begun[:, 1:4]
    for i in range(count):
        chosen[i] = 0.0
        for j in range(3):
            kept[i, j] = contacts.slip[i, j]
        if is_slow(contacts, i):
            speeding, _, across = coming(contacts, i, out)
            chosen[i] = 1.0 if speeding > -0.5 * abs(across) else 0.0
    status = OK
    for _ in range(3):
        left, relax = math.inf, 0.0
        for _ in range(TURNS):
            relax = turn_slip(system, work, contacts, out, relax)
            status = solved(system, work, contacts, out)
            if relax == 0.0 or status & NOT_FINITE:
                break
            left = 0.0
            for i in range(count):
                if chosen[i] > 0.0:
                    left = max(left, abs(coming(contacts, i, out)[2]))
            if left <= SETTLED:
                break
        good = True
        for i in range(count):
            if chosen[i] > 0.0 and not (
                left <= ROUGH and is_slow(contacts, i) and coming(contacts, i, out)[0] >= -SETTLED
            ):
                chosen[i], good = 0.0, False
        if good:
            return status
        copy(kept, contacts.slip)
        status = solved(system, work, contacts, out)
    return status


@kernel(counted=False)
def shared_out(system: System, work: Workspace, contacts: Contacts, out: Array) -> tuple[int, bool]:
    """Share the loads of contacts that slide as surfaces do that yield; False where that fails.

    Then ``contacts.force`` and ``out`` are as they came. Where others stick, whose own loads are
    open as well, what is shared so need not be lawful for them: the forces nearest to those of
    before, which were, are kept.
    """
    for i in range(contacts.table.shape[0]):
        if contacts.mode[i] == STICK:
            return OK, False
    r = contacts.known[0]
    if r == UNKNOWN:
        r = pick_rows(system, work, contacts)
    m = list_rows(contacts, contacts.listed)
    if r == m:
        return OK, False
    for i in range(contacts.table.shape[0]):
        if yields(contacts, i):
            contacts.force[i, 0] = 0.0
    drag_along(contacts)
    status = loaded(system, work, contacts, out)
    if status & NOT_FINITE:
        return status, False
    for q in range(r):
        i, t = contacts.picked[q, 0], contacts.picked[q, 1]
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
        moved = row_times(contacts.place, i, ROW_N + 12 * t, a, b, out)
        contacts.rhs[0, q] = contacts.place[i, GAMMA_N + t] - moved
    measure_spread(system, work, contacts, r, m)
    if spread_loads(contacts, r, m):
        drag_along(contacts)
        status = loaded(system, work, contacts, out)
        if status & NOT_FINITE or follow(contacts, out):
            return status, True
    for i in range(contacts.table.shape[0]):
        for t in range(3):
            if t == 0 or contacts.mode[i] == STICK:
                contacts.force[i, t] = contacts.base[i, t]
    drag_along(contacts)
    return loaded(system, work, contacts, out), False


@kernel(counted=False)
def corrected(system: System, work: Workspace, contacts: Contacts, out: Array) -> int:
    """Add to ``contacts.force`` what the picked rows lack, and bring ``out`` up to date."""
    rhs, force = contacts.rhs[0], contacts.rhs[1]
    skew = slides(contacts)
    for _ in range(2):
        m = contacts.known[0]
        if m == UNKNOWN:
            m = pick_rows(system, work, contacts)
        form_columns(system, work, contacts, contacts.picked, m, skew)
        for r in range(m):
            i, t = contacts.picked[r, 0], contacts.picked[r, 1]
            a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
            rhs[r] = contacts.place[i, GAMMA_N + t] - row_times(
                contacts.place, i, ROW_N + 12 * t, a, b, out
            )
        if skew:
            solve_dependent(contacts.delassus, m, rhs, force, contacts.order)
            break
        if cholesky(contacts.delassus, m):
            cholesky_solve(contacts.delassus, m, rhs, force)
            break
        contacts.known[0] = UNKNOWN
        for r in range(m):
            force[r] = 0.0
    for r in range(contacts.known[0]):
        contacts.force[contacts.picked[r, 0], contacts.picked[r, 1]] += force[r]
    drag_along(contacts)
    return loaded(system, work, contacts, out)


@kernel(counted=False)
def follow(contacts: Contacts, out: Array) -> bool:
    """Tell whether the rows that were not picked are met as well."""
    m = list_rows(contacts, contacts.listed)
    if contacts.known[0] == m:
        return True
    for r in range(m):
        i, t = contacts.listed[r, 0], contacts.listed[r, 1]
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
        gamma = contacts.place[i, GAMMA_N + t]
        left = gamma - row_times(contacts.place, i, ROW_N + 12 * t, a, b, out)
        if not abs(left) <= FOLLOWS * (1.0 + abs(gamma)):
            return False
    return True


@kernel(counted=False)
def loaded(system: System, work: Workspace, contacts: Contacts, out: Array) -> int:
    """Solve again with ``contacts.force`` on the bodies: fills ``out`` and the multipliers."""
    for i in range(out.shape[0]):
        for j in range(6):
            work.body[i, FORCE + j] = contacts.scratch[0, i, j]
    for row in range(work.row.shape[0]):
        work.row[row, RHS] = contacts.rows[row]
    add_contacts(contacts, contacts.force, work.body)
    status = solve(system, work)
    total = 0.0
    for i in range(out.shape[0]):
        if system.body_kind[i] == FREE:
            size, mass = 0.0, system.body[i, 0]
            for j in range(3):
                size = max(size, abs(contacts.scratch[0, i, j]))
            for j in range(6):
                x = work.body[i, SOLUTION + j]
                # what is left where the forces on a body at rest cancel is rounding
                rest = abs(x) * mass <= 1e-13 * size and j < 3
                out[i, j] = 0.0 if rest else x
                total += abs(x)
    return status if math.isfinite(total) else status | NOT_FINITE


@kernel(counted=False)
def add_contacts(contacts: Contacts, force: Array, scratch: Array) -> None:
    """Add the wrenches of forces (k, 3) along the contacts' rows to the bodies' FORCE."""
    for i in range(contacts.table.shape[0]):
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
        for t in range(3):
            if force[i, t] != 0.0:
                add_wrench(contacts.place, i, ROW_N + 12 * t, a, b, force[i, t], FORCE, scratch)


@kernel(counted=False)
def all_rows(
    system: System, work: Workspace, contacts: Contacts, state: Array, delassus: Array
) -> None:
    """Fill the Delassus matrix (3k, 3k) of all rows, tangents too, at ``state``.

    Needs the factor at ``state``; leaves the columns for ``apply_impulses``.
    """
    evaluate(contacts, state, work.body)
    count = contacts.table.shape[0]
    listed = contacts.listed
    for c in range(3 * count):
        listed[c, 0], listed[c, 1] = c // 3, c % 3
    form_columns(system, work, contacts, listed, 3 * count, False)
    for r in range(3 * count):
        for c in range(3 * count):
            delassus[r, c] = contacts.delassus[r, c]


@kernel(counted=False)
def look_along(
    contacts: Contacts, state: Array, scratch: Array, fresh: bool, out: Array, left: Array
) -> None:
    """Fill what accelerations ``out`` (n, 6) leave along all rows (k, 3), at ``state``.

    ``fresh``: the contacts are evaluated first; fills the rotations of ``scratch``.
    """
    if fresh:
        evaluate(contacts, state, scratch)
    for i in range(contacts.table.shape[0]):
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
        for t in range(3):
            along = row_times(contacts.place, i, ROW_N + 12 * t, a, b, out)
            left[i, t] = along - contacts.place[i, GAMMA_N + t]


@kernel(counted=False)
def look(contacts: Contacts, state: Array, scratch: Array) -> float:
    """Evaluate the contacts at ``state``; return the fastest approach, as a speed below zero."""
    evaluate(contacts, state, scratch)
    least = 0.0
    for i in range(contacts.table.shape[0]):
        # what is not a number is found later, by name
        least = min(least, contacts.place[i, SPEED_N])
    return least


@kernel(counted=False)
def apply_impulses(
    system: System, work: Workspace, contacts: Contacts, impulse: Array, state: Array
) -> float:
    """Change the velocities by ``impulse`` (k, 3); leaves the hinges' impulses as multipliers.

    Returns the work (J) of what moves the prescribed bodies against the impulses.
    """
    no_force(work.body)
    for row in range(work.row.shape[0]):
        work.row[row, RHS] = 0.0
    add_contacts(contacts, impulse, work.body)
    done = 0.0
    for i in range(state.shape[0]):
        if system.body_kind[i] == PRESCRIBED:
            for j in range(6):
                done -= work.body[i, FORCE + j] * state[i, 7 + j]
    solve(system, work)
    for row in range(work.row.shape[0]):
        done += work.row[row, MULTIPLIER] * given_rate(system, row, state, work.row)
    for i in range(state.shape[0]):
        if system.body_kind[i] == FREE:
            for j in range(6):
                state[i, 7 + j] += work.body[i, SOLUTION + j]
    return done
