"""The mobility of contact rows: motions under unit forces, and rows that do not depend on others.

Without loops a unit force moves the bodies of its own trees, and only those between the contacts
and the roots are asked for. World axes, SI.
"""

from __future__ import annotations

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.contact.friction import slip_share
from articulata.kernels.multibody.contact.memory import SLIP, STICK, Contacts
from articulata.kernels.multibody.contact.rows import (
    BODY_A,
    BODY_B,
    ROW_N,
    ROW_T1,
)
from articulata.kernels.multibody.motion import solve
from articulata.kernels.multibody.project import no_force
from articulata.kernels.multibody.system import FORCE, FREE, LOAD, RHS, SOLUTION, System, Workspace
from articulata.kernels.multibody.tree.solve import condense, expand

SHARE = 1e-10
"""What is left of a row's mobility, as a share of it, below which it depends on other rows."""


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
def add_wrench(
    place: Array,
    i: int,
    row: int,
    a: int,
    b: int,
    force: float,
    column: int,
    scratch: Array,
) -> None:
    """Add a row's wrench on its bodies to the six numbers from ``column`` on."""
    for j in range(6):
        if a >= 0:
            scratch[a, column + j] += place[i, row + j] * force
        if b >= 0:
            scratch[b, column + j] += place[i, row + 6 + j] * force


@kernel(counted=False)
def response(
    system: System, work: Workspace, contacts: Contacts, i: int, t: int, mu: float, out: Array
) -> None:
    """Fill ``out`` (n, 6) with the motion under a unit force of a row; hinges stay met.

    t is 0 for the normal, 1 and 2 for the tangents; with mu > 0 the normal force brings friction
    against the slip direction with it. Uses the factor at hand; without loops only the bodies of
    ``reach`` are filled.
    """
    a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
    body, tree, reach = work.body, system.tree, contacts.reach
    if system.closure_row.shape[0] > 0:
        no_force(body)
        for row in range(work.row.shape[0]):
            work.row[row, RHS] = 0.0
        add_unit(contacts, i, t, mu, FORCE, body)
        solve(system, work)
        for k in range(out.shape[0]):
            for j in range(6):
                out[k, j] = body[k, SOLUTION + j] if system.body_kind[k] == FREE else 0.0
        return
    one, two = contacts.root[a], contacts.root[b]
    for q in range(reach.shape[0]):
        at = reach[q, 0]
        k = tree[at, 0]
        if reach[q, 1] not in (one, two):
            for j in range(6):
                out[k, j] = 0.0
            continue
        for j in range(6):
            body[k, LOAD + j] = 0.0
        for row in range(tree[at, 4], tree[at, 5]):
            work.row[system.tree_row[row], RHS] = 0.0
    add_unit(contacts, i, t, mu, LOAD, body)
    for q in range(reach.shape[0]):
        if reach[q, 1] in (one, two):
            condense(reach[q, 0], tree, system.tree_row, body, work.row)
    for q in range(reach.shape[0] - 1, -1, -1):
        if reach[q, 1] in (one, two):
            expand(reach[q, 0], tree, system.tree_row, body, work.row)
            k = tree[reach[q, 0], 0]
            for j in range(6):
                out[k, j] = body[k, SOLUTION + j]


@kernel(counted=False)
def add_unit(contacts: Contacts, i: int, t: int, mu: float, column: int, scratch: Array) -> None:
    """Add the wrenches of a row's unit force, and of the friction it brings, to ``column``."""
    place, a, b = contacts.place, contacts.table[i, BODY_A], contacts.table[i, BODY_B]
    add_wrench(place, i, ROW_N + 12 * t, a, b, 1.0, column, scratch)
    if mu > 0.0:
        for k in range(2):
            share = slip_share(contacts, i, k)
            add_wrench(place, i, ROW_T1 + 12 * k, a, b, -mu * share, column, scratch)


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
    table, root = contacts.table, contacts.root
    for c in range(m):
        i, t = listed[c, 0], listed[c, 1]
        mu = contacts.friction[i] if slipping and contacts.mode[i] == SLIP else 0.0
        response(system, work, contacts, i, t, mu, contacts.column[c])
    loops = system.closure_row.shape[0] > 0
    for r in range(m):
        i, t = listed[r, 0], listed[r, 1]
        a, b = table[i, BODY_A], table[i, BODY_B]
        for c in range(m):
            j = listed[c, 0]
            one, two = root[table[j, BODY_A]], root[table[j, BODY_B]]
            first, second = root[a], root[b]
            met = (first >= 0 and first in (one, two)) or (second >= 0 and second in (one, two))
            x = 0.0
            if met or loops:
                x = row_times(contacts.place, i, ROW_N + 12 * t, a, b, contacts.column[c])
            contacts.delassus[r, c] = x


@kernel(counted=False)
def pick_rows(system: System, work: Workspace, contacts: Contacts) -> int:
    """Pick rows that do not depend on each other, by Cholesky's factor with pivots on the diagonal.

    Needs the contacts evaluated and the factor at hand.
    """
    A, order, left = contacts.delassus, contacts.order, contacts.rhs[2]
    m = list_rows(contacts, contacts.listed)
    form_columns(system, work, contacts, contacts.listed, m, False)
    for r in range(m):
        order[r], left[r] = r, A[r, r]
    for k in range(m):
        best, p = 0.0, -1
        for r in range(k, m):
            x = order[r]
            if A[x, x] > best and A[x, x] > SHARE * left[x]:
                best, p = A[x, x], r
        if p < 0:
            contacts.known[0] = k
            return k
        order[k], order[p] = order[p], order[k]
        x = order[k]
        contacts.picked[k, 0], contacts.picked[k, 1] = contacts.listed[x, 0], contacts.listed[x, 1]
        for r in range(k + 1, m):
            y = order[r]
            f = A[y, x] / A[x, x]
            if f != 0.0:
                for c in range(k + 1, m):
                    A[y, order[c]] -= f * A[x, order[c]]
    contacts.known[0] = m
    return m
