"""Accelerations of a mechanism whose features touch: contacts as rows beside the hinges.

The hinges are eliminated along the tree as without contacts. Each contact adds a normal row and,
where it sticks, two tangential rows; where it slips, friction acts along a given direction in
proportion to the normal force, so that the force of a row need not act along the row:

    M dv = f + J^T lambda + (N - mu S)^T n + T^T s,     N dv = gamma_n,  T dv = gamma_t.

Rows may depend on each other (a box on four corners): motion is unique, forces are those of the
rows that complete pivoting keeps; callers who judge forces take the shortest. World axes, SI.
Reference: Hoffmann & Hopcroft 1986, sections 3.4 (contact hinge) and 4.4 (dependent contacts).
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.contact.friction import (
    hold_forces,
    refresh_friction,
    refresh_slip,
    slip_share,
)
from articulata.kernels.multibody.contact.memory import SLIP, STICK, Contacts
from articulata.kernels.multibody.contact.rows import (
    BODY_A,
    GAMMA_N,
    GAP,
    ROW_N,
    ROW_T1,
    SPEED_N,
    evaluate_contacts,
)
from articulata.kernels.multibody.motion import accelerations, solve
from articulata.kernels.multibody.project import no_force, project_near, turn
from articulata.kernels.multibody.system import (
    FORCE,
    FREE,
    MULTIPLIER,
    NOT_CONVERGED,
    OK,
    RHS,
    SOLUTION,
    Array,
    Inputs,
    IntArray,
    System,
    Workspace,
)

SHARE = 1e-10
"""A pivot below this share of the largest belongs to a row that depends on others."""

TOLERANCE = 1e-13
"""Gaps (m) and speeds (m/s) of closed contacts below this are left alone."""


@kernel(counted=False)
def row_times(place: Array, i: int, column: int, a: int, b: int, motion: Array) -> float:
    """Return a contact's Jacobian row times a motion (n, 6)."""
    x = 0.0
    for j in range(6):
        if a >= 0:
            x += place[i, column + j] * motion[a, j]
        if b >= 0:
            x += place[i, column + 6 + j] * motion[b, j]
    return x


@kernel(counted=False)
def add_force(
    place: Array, i: int, column: int, a: int, b: int, force: float, scratch: Array
) -> None:
    """Add a row's wrench to the bodies' FORCE."""
    for j in range(6):
        if a >= 0:
            scratch[a, FORCE + j] += place[i, column + j] * force
        if b >= 0:
            scratch[b, FORCE + j] += place[i, column + 6 + j] * force


@kernel(counted=False)
def response(
    system: System, work: Workspace, contacts: Contacts, i: int, t: int, mu: float, out: Array
) -> None:
    """Fill ``out`` (n, 6) with the motion under a unit force of a row; hinges stay met.

    t is 0 for the normal, 1 and 2 for the tangents; with mu > 0 the normal force brings friction
    against the slip direction with it. Uses the factor at hand.
    """
    place, a, b = contacts.place, contacts.table[i, BODY_A], contacts.table[i, BODY_A + 1]
    no_force(work.body)
    for row in range(work.row.shape[0]):
        work.row[row, RHS] = 0.0
    add_force(place, i, ROW_N + 12 * t, a, b, 1.0, work.body)
    if mu > 0.0:
        for k in range(2):
            share = slip_share(contacts, i, k)
            add_force(place, i, ROW_T1 + 12 * k, a, b, -mu * share, work.body)
    solve(system, work)
    for body in range(out.shape[0]):
        for j in range(6):
            out[body, j] = work.body[body, SOLUTION + j] if system.body_kind[body] == FREE else 0.0


@kernel(counted=False)
def solve_pivoting(A: Array, n: int, b: Array, x: Array, order: IntArray) -> int:
    """Solve the leading n x n part of A x = b by complete pivoting; overwrites A and b.

    Unknowns of dependent rows are set to zero. Returns the rank.
    """
    for k in range(n):
        order[k] = k
    top, rank = 0.0, n
    for k in range(n):
        best, r, c = 0.0, k, k
        for i in range(k, n):
            for j in range(k, n):
                if abs(A[i, j]) > best:
                    best, r, c = abs(A[i, j]), i, j
        top = max(top, best)
        if best <= SHARE * top:
            rank = k
            break
        for j in range(n):
            A[k, j], A[r, j] = A[r, j], A[k, j]
        b[k], b[r] = b[r], b[k]
        for i in range(n):
            A[i, k], A[i, c] = A[i, c], A[i, k]
        order[k], order[c] = order[c], order[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                b[i] -= f * b[k]
    for k in range(n):
        x[k] = 0.0
    for k in range(rank - 1, -1, -1):
        s = b[k]
        for j in range(k + 1, rank):
            s -= A[k, j] * x[order[j]]
        x[order[k]] = s / A[k, k]
    return rank


@kernel(counted=False)
def list_rows(contacts: Contacts, listed: IntArray) -> int:
    """List contact and row (0, 1, 2) of all rows that closed contacts hold; return their number."""
    m = 0
    for i in range(contacts.table.shape[0]):
        for t in range(3 if contacts.mode[i] == STICK else 1):
            listed[m, 0], listed[m, 1] = i, t
            m += 1
    return m


@kernel(counted=False)
def form_columns(
    system: System,
    work: Workspace,
    contacts: Contacts,
    listed: IntArray,
    m: int,
    slipping: bool,
) -> None:
    """Fill columns and Delassus matrix of the listed rows, with the factor at hand."""
    for c in range(m):
        i, t = listed[c, 0], listed[c, 1]
        mu = contacts.friction[i] if slipping and contacts.mode[i] == SLIP else 0.0
        response(system, work, contacts, i, t, mu, contacts.column[c])
    for r in range(m):
        i, t = listed[r, 0], listed[r, 1]
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_A + 1]
        for c in range(m):
            contacts.delassus[r, c] = row_times(
                contacts.place, i, ROW_N + 12 * t, a, b, contacts.column[c]
            )


@kernel(counted=False)
def contact_accelerations(
    system: System,
    work: Workspace,
    contacts: Contacts,
    inputs: Inputs,
    entry: int,
    time: float,
    state: Array,
    out: Array,
) -> int:
    """Fill ``out`` (n, 6) with accelerations; contact forces are left in ``contacts.force``.

    The hinges' multipliers include what the contacts put on them.
    """
    status = accelerations(system, work, inputs, entry, time, state, out)
    count = contacts.table.shape[0]
    if status & 1 or count == 0:
        return status
    evaluate_contacts(contacts.table, contacts.data, state, work.body, contacts.place)
    refresh_slip(contacts)
    refresh_friction(contacts)
    for i in range(out.shape[0]):
        for j in range(6):
            contacts.scratch[0, i, j] = work.body[i, FORCE + j]
    for row in range(work.row.shape[0]):
        contacts.rows[row] = work.row[row, RHS]
    if hold_forces(contacts):
        status |= loaded(system, work, contacts, out)
    listed, rhs, force = contacts.listed, contacts.rhs[0], contacts.rhs[1]
    m = list_rows(contacts, listed)
    form_columns(system, work, contacts, listed, m, True)
    for r in range(m):
        i, t = listed[r, 0], listed[r, 1]
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_A + 1]
        rhs[r] = contacts.place[i, GAMMA_N + t] - row_times(
            contacts.place, i, ROW_N + 12 * t, a, b, out
        )
    solve_pivoting(contacts.delassus, m, rhs, force, contacts.order)
    hold_forces(contacts)
    for r in range(m):
        i, t = listed[r, 0], listed[r, 1]
        contacts.force[i, t] += force[r]
        if t == 0 and contacts.mode[i] == SLIP:
            for k in range(2):
                share = slip_share(contacts, i, k)
                contacts.force[i, 1 + k] -= contacts.friction[i] * share * force[r]
    return status | loaded(system, work, contacts, out)


@kernel(counted=False)
def loaded(system: System, work: Workspace, contacts: Contacts, out: Array) -> int:
    """Solve again with ``contacts.force`` on the bodies: fills ``out`` and the multipliers."""
    for i in range(out.shape[0]):
        for j in range(6):
            work.body[i, FORCE + j] = contacts.scratch[0, i, j]
    for row in range(work.row.shape[0]):
        work.row[row, RHS] = contacts.rows[row]
    for i in range(contacts.table.shape[0]):
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_A + 1]
        for t in range(3):
            add_force(contacts.place, i, ROW_N + 12 * t, a, b, contacts.force[i, t], work.body)
    status = solve(system, work)
    total = 0.0
    for i in range(out.shape[0]):
        if system.body_kind[i] == FREE:
            size = 0.0
            for j in range(3):
                size = max(size, abs(contacts.scratch[0, i, j]))
            for j in range(6):
                x = work.body[i, SOLUTION + j]
                # what is left where the forces on a body at rest cancel is rounding
                rest = abs(x) * system.body[i, 0] <= 1e-13 * size and j < 3
                out[i, j] = 0.0 if rest else x
                total += abs(x)
    return status if math.isfinite(total) else status | 1


@kernel(counted=False)
def all_rows(
    system: System, work: Workspace, contacts: Contacts, state: Array, delassus: Array
) -> None:
    """Fill the Delassus matrix (3k, 3k) of all rows, tangents too, at ``state``.

    Needs the factor at ``state``; leaves the columns for ``apply_impulses``.
    """
    evaluate_contacts(contacts.table, contacts.data, state, work.body, contacts.place)
    count = contacts.table.shape[0]
    listed = contacts.listed
    for c in range(3 * count):
        listed[c, 0], listed[c, 1] = c // 3, c % 3
    form_columns(system, work, contacts, listed, 3 * count, False)
    for r in range(3 * count):
        for c in range(3 * count):
            delassus[r, c] = contacts.delassus[r, c]


@kernel(counted=False)
def apply_impulses(
    system: System, work: Workspace, contacts: Contacts, impulse: Array, state: Array
) -> None:
    """Change the velocities by ``impulse`` (k, 3); leaves the hinges' impulses as multipliers."""
    no_force(work.body)
    for row in range(work.row.shape[0]):
        work.row[row, RHS] = 0.0
    for i in range(contacts.table.shape[0]):
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_A + 1]
        for t in range(3):
            add_force(contacts.place, i, ROW_N + 12 * t, a, b, impulse[i, t], work.body)
    solve(system, work)
    for i in range(state.shape[0]):
        if system.body_kind[i] == FREE:
            for j in range(6):
                state[i, 7 + j] += work.body[i, SOLUTION + j]


@kernel(counted=False)
def project_contacts(system: System, work: Workspace, contacts: Contacts, state: Array) -> int:
    """Close the gaps of hinges and contacts; stop what opens closed contacts or slides sticking."""
    status = project_near(system, work, state)
    count = contacts.table.shape[0]
    if status != OK or count == 0:
        return status
    listed, rhs, force = contacts.listed, contacts.rhs[0], contacts.rhs[1]
    before, largest = math.inf, 0.0
    for _ in range(12):
        evaluate_contacts(contacts.table, contacts.data, state, work.body, contacts.place)
        largest = 0.0
        for i in range(count):
            largest = max(largest, abs(contacts.place[i, GAP]))
        if not math.isfinite(largest):
            return 1
        if largest <= TOLERANCE or (largest < 1e-10 and largest > 0.5 * before):
            break
        before = largest
        for i in range(count):
            listed[i, 0], listed[i, 1] = i, 0
            rhs[i] = -contacts.place[i, GAP]
        form_columns(system, work, contacts, listed, count, False)
        solve_pivoting(contacts.delassus, count, rhs, force, contacts.order)
        for i in range(state.shape[0]):
            if system.body_kind[i] != FREE:
                continue
            for j in range(3):
                for c in range(count):
                    state[i, j] += contacts.column[c, i, j] * force[c]
            x = y = z = 0.0
            for c in range(count):
                x += contacts.column[c, i, 3] * force[c]
                y += contacts.column[c, i, 4] * force[c]
                z += contacts.column[c, i, 5] * force[c]
            turn(state, i, x, y, z)
        status = project_near(system, work, state)
        if status != OK:
            return status
    if largest > 1e-9:
        return NOT_CONVERGED
    m = list_rows(contacts, listed)
    for _ in range(2):
        evaluate_contacts(contacts.table, contacts.data, state, work.body, contacts.place)
        largest = 0.0
        for r in range(m):
            rhs[r] = -contacts.place[listed[r, 0], SPEED_N + listed[r, 1]]
            largest = max(largest, abs(rhs[r]))
        if largest <= TOLERANCE:
            break
        form_columns(system, work, contacts, listed, m, False)
        solve_pivoting(contacts.delassus, m, rhs, force, contacts.order)
        for i in range(state.shape[0]):
            if system.body_kind[i] == FREE:
                for j in range(6):
                    for c in range(m):
                        state[i, 7 + j] += contacts.column[c, i, j] * force[c]
    return OK


@kernel(counted=False)
def hinge_multipliers(work: Workspace, out: Array) -> None:
    """Copy the multipliers of the last solve."""
    for row in range(out.shape[0]):
        out[row] = work.row[row, MULTIPLIER]
