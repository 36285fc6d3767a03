"""Closing the gaps of contacts that hold, and stopping what opens them or slides where it sticks.

Along the shortest way in the mass metric, as ``project`` does for hinges. World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import cholesky, cholesky_solve
from articulata.kernels.multibody.contact.memory import UNKNOWN, Contacts
from articulata.kernels.multibody.contact.picking import add_wrench, form_columns, pick_rows
from articulata.kernels.multibody.contact.places import evaluate
from articulata.kernels.multibody.contact.rows import (
    BODY_A,
    BODY_B,
    GAP,
    ROW_N,
    SPEED_N,
)
from articulata.kernels.multibody.motion import solve
from articulata.kernels.multibody.project import no_force, project_near, turn
from articulata.kernels.multibody.system import (
    FORCE,
    FREE,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RHS,
    SOLUTION,
    System,
    Workspace,
)

TOLERANCE = 1e-13
"""Gaps (m) and speeds (m/s) of closed contacts below this are left alone."""

ROUNDING, FARTHEST = 1e-9, 1e5
"""Gaps and speeds below the first are left alone too where bodies would have to move so many times
as far: hinges do not let the contact move that way, and rounding is no motion."""


@kernel(counted=False)
def push_rows(system: System, work: Workspace, contacts: Contacts, m: int, fresh: bool) -> None:
    """Solve for the motion that the picked rows lack (``rhs[0]``); leaves it in SOLUTION.

    ``fresh``: with the factor of the picked rows at hand, from a state nearby.
    """
    rhs, force = contacts.rhs[0], contacts.rhs[1]
    if not fresh:
        form_columns(system, work, contacts, contacts.picked, m, False)
        if not cholesky(contacts.delassus, m):
            contacts.known[0] = UNKNOWN
            for r in range(m):
                rhs[r] = 0.0
            return
    cholesky_solve(contacts.delassus, m, rhs, force)
    no_force(work.body)
    for row in range(work.row.shape[0]):
        work.row[row, RHS] = 0.0
    for r in range(m):
        i, t = contacts.picked[r, 0], contacts.picked[r, 1]
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
        add_wrench(contacts.place, i, ROW_N + 12 * t, a, b, force[r], FORCE, work.body)
    solve(system, work)


@kernel(counted=False)
def in_vain(system: System, work: Workspace, largest: float) -> bool:
    """Return whether SOLUTION moves bodies much farther than what it is to close."""
    if largest > ROUNDING:
        return False
    moved = 0.0
    for i in range(system.body_kind.shape[0]):
        if system.body_kind[i] == FREE:
            for j in range(6):
                moved = max(moved, abs(work.body[i, SOLUTION + j]))
    return moved > FARTHEST * largest


@kernel(counted=False, apart=True)
def project_contacts(system: System, work: Workspace, contacts: Contacts, state: Array) -> int:
    """Close the gaps of hinges and contacts; stop what opens closed contacts or slides sticking."""
    status = project_near(system, work, state)
    count = contacts.table.shape[0]
    if status != OK or count == 0:
        return status
    rhs = contacts.rhs[0]
    before, largest, fresh = math.inf, 0.0, False
    for _ in range(12):
        evaluate(contacts, state, work.body)
        largest = 0.0
        for i in range(count):
            largest = max(largest, abs(contacts.place[i, GAP]))
        if not math.isfinite(largest):
            return NOT_FINITE
        if largest <= TOLERANCE or (largest < 1e-10 and largest > 0.5 * before):
            break
        m = contacts.known[0]
        if m == UNKNOWN:
            m = pick_rows(system, work, contacts)
        fresh = fresh and largest < 0.1 * before
        before = largest
        for r in range(m):
            i, t = contacts.picked[r, 0], contacts.picked[r, 1]
            rhs[r] = -contacts.place[i, GAP] if t == 0 else 0.0
        push_rows(system, work, contacts, m, fresh)
        if contacts.known[0] == UNKNOWN:
            continue
        fresh = True
        if in_vain(system, work, largest):
            break
        for i in range(state.shape[0]):
            if system.body_kind[i] != FREE:
                continue
            for j in range(3):
                state[i, j] += work.body[i, SOLUTION + j]
            turn(
                state,
                i,
                work.body[i, SOLUTION + 3],
                work.body[i, SOLUTION + 4],
                work.body[i, SOLUTION + 5],
            )
        status = project_near(system, work, state)
        if status != OK:
            return status
    if largest > 1e-9:
        return NOT_CONVERGED
    for _ in range(3):
        m = contacts.known[0]
        if m == UNKNOWN:
            m = pick_rows(system, work, contacts)
            fresh = False
        largest = 0.0
        for r in range(m):
            rhs[r] = -contacts.place[contacts.picked[r, 0], SPEED_N + contacts.picked[r, 1]]
            largest = max(largest, abs(rhs[r]))
        if largest <= TOLERANCE:
            break
        push_rows(system, work, contacts, m, fresh)
        if contacts.known[0] == UNKNOWN:
            continue
        fresh = True
        if in_vain(system, work, largest):
            break
        for i in range(state.shape[0]):
            if system.body_kind[i] == FREE:
                for j in range(6):
                    state[i, 7 + j] += work.body[i, SOLUTION + j]
        evaluate(contacts, state, work.body)
    return OK
