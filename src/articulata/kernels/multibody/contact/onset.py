"""Where a contact begins to slide: directions of slip from the acceleration that results.

Friction turns slow sliding within the time v / (mu g), less than any step. A contact that speeds
up from rest therefore slides where friction, opposed to that, leaves the loads to push it: what
is left of its acceleration points along the slip. World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import cholesky, cholesky_solve
from articulata.kernels.multibody.contact.ending import SETTLED, speeding
from articulata.kernels.multibody.contact.friction import slides, slip_share
from articulata.kernels.multibody.contact.memory import CURVED, SLIP, SLOW, STICK, Contacts
from articulata.kernels.multibody.contact.picking import response, row_times
from articulata.kernels.multibody.contact.rows import (
    BODY_A,
    BODY_B,
    ROW_T1,
    ROW_T2,
    SPEED_T1,
    SPEED_T2,
    TANGENT_1,
    TANGENT_2,
)
from articulata.kernels.multibody.system import System, Workspace

FIERCE, FIERCEST = 100.0, 1000.0
"""Decelerations (m/s^2) above which friction's is not looked for: as a rule, and where it comes to
rest on a curved path."""


@kernel(counted=False)
def pace_step(system: System, work: Workspace, contacts: Contacts, h: float) -> None:
    """Note what friction takes of sliding speeds in a step of given length (``pace``).

    Sliding that speeds up is slow below that: friction turns it within the step.

    Needs contacts solved, and the factor at hand; the columns are lost, and the hinges' forces.
    """
    table, place, pace = contacts.table, contacts.place, contacts.pace
    if not slides(contacts):
        return
    near = False
    for i in range(table.shape[0]):
        pace[i, 0], pace[i, 1] = 0.0, h
        speed = math.hypot(place[i, SPEED_T1], place[i, SPEED_T2])
        fierce = FIERCEST if contacts.ending[i, CURVED] > 0.0 else FIERCE
        near = near or (contacts.mode[i] == SLIP and speed < fierce * h)
    for i in range(table.shape[0]):
        drag = contacts.friction[i] * contacts.force[i, 0] * h
        if not near or contacts.mode[i] != SLIP or not drag > 0.0:
            continue
        response(system, work, contacts, i, 1, 0.0, contacts.column[0])
        response(system, work, contacts, i, 2, 0.0, contacts.column[1])
        for r in range(table.shape[0]):
            a, b = table[r, BODY_A], table[r, BODY_B]
            x = abs(row_times(place, r, ROW_T1, a, b, contacts.column[0]))
            y = abs(row_times(place, r, ROW_T2, a, b, contacts.column[1]))
            pace[r, 0] += drag * max(x, y)
    for i in range(table.shape[0]):
        pace[i, 0] = max(pace[i, 0], SLOW)


@kernel(counted=False)
def coming(contacts: Contacts, i: int, out: Array) -> tuple[float, float, float]:
    """Return how fast a slow contact speeds up, and how it is about to slide (m/s^2).

    The latter is along and across the direction of slip: its acceleration, and the more of its
    velocity the nearer this is to the end of slow sliding. What is about to slide along the
    direction of slip obeys the law of friction: that of rest where the velocity is nothing, that
    of sliding at the end.
    """
    place, slow = contacts.place, contacts.pace[i, 0]
    u, v = place[i, SPEED_T1], place[i, SPEED_T2]
    size = math.hypot(u, v)
    share = size / (contacts.pace[i, 1] * max(slow - size, 1e-6 * slow))
    c, s = slip_share(contacts, i, 0), slip_share(contacts, i, 1)
    along, across = speeding(contacts, i, out)
    return along, along + share * (c * u + s * v), across + share * (c * v - s * u)


@kernel(counted=False)
def is_slow(contacts: Contacts, i: int) -> bool:
    """Tell whether friction acts on a contact that slides slowly."""
    if contacts.mode[i] != SLIP or not contacts.friction[i] * contacts.force[i, 0] > 0.0:
        return False
    u, v = contacts.place[i, SPEED_T1], contacts.place[i, SPEED_T2]
    return math.hypot(u, v) < contacts.pace[i, 0] and not held_beside(contacts, i)


@kernel(counted=False)
def held_beside(contacts: Contacts, i: int) -> bool:
    """Tell whether a contact that sticks holds what contact i acts on.

    How that slides is then decided there: its loads may be such that no direction is better than
    another, and would turn it to and fro.
    """
    a, b = tree_of(contacts, i, BODY_A), tree_of(contacts, i, BODY_B)
    for j in range(contacts.table.shape[0]):
        if contacts.mode[j] == STICK:
            for end in (BODY_A, BODY_B):
                tree = tree_of(contacts, j, end)
                if tree >= 0 and tree in (a, b):
                    return True
    return False


@kernel(counted=False)
def tree_of(contacts: Contacts, i: int, end: int) -> int:
    """Return the tree of hinged bodies that a contact's body belongs to, -1 for none."""
    body = contacts.table[i, end]
    return contacts.root[body] if body >= 0 else -1


@kernel(counted=False)
def starting(contacts: Contacts, out: Array) -> bool:
    """Tell whether a slow contact that speeds up is about to slide aside of its direction."""
    for i in range(contacts.table.shape[0]):
        if is_slow(contacts, i):
            faster, _, across = coming(contacts, i, out)
            if abs(across) > SETTLED and faster > -0.5 * abs(across):
                return True
    return False


@kernel(counted=False)
def turn_slip(
    system: System, work: Workspace, contacts: Contacts, out: Array, relax: float
) -> float:
    """Turn the directions of chosen contacts by a step of Newton's; return its share, 0 for none.

    The normal forces, taken for given, do change with the directions: the share of the step is
    chosen from the last one's success, ``relax`` being its share (0 for a first step), by Aitken's
    rule (Irons & Tuck 1969).
    """
    rhs, turn, A = contacts.rhs[0], contacts.rhs[1], contacts.delassus
    place, listed, m = contacts.place, contacts.listed, 0
    for i in range(contacts.table.shape[0]):
        if contacts.begun[i, 0] > 0.0 and is_slow(contacts, i):
            listed[m, 0] = i
            m += 1
    for r in range(m):
        i = listed[r, 0]
        _, contacts.rhs[2, r], rhs[r] = coming(contacts, i, out)
    for r in range(m):
        i = listed[r, 0]
        c, s = slip_share(contacts, i, 0), slip_share(contacts, i, 1)
        response(system, work, contacts, i, 1, 0.0, contacts.column[r])
        response(system, work, contacts, i, 2, 0.0, contacts.column[m])
        for k in range(out.shape[0]):
            for j in range(6):
                one, two = contacts.column[r, k, j], contacts.column[m, k, j]
                contacts.column[r, k, j] = c * two - s * one
    for r in range(m):
        i = listed[r, 0]
        a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
        c, s = slip_share(contacts, i, 0), slip_share(contacts, i, 1)
        for q in range(m):
            one = row_times(place, i, ROW_T1, a, b, contacts.column[q])
            A[r, q] = c * row_times(place, i, ROW_T2, a, b, contacts.column[q]) - s * one
    for r in range(m):
        i = listed[r, 0]
        drag = contacts.friction[i] * contacts.force[i, 0]
        # directions that the motion leaves open stay
        A[r, r] += 1e-9 * A[r, r] + max(contacts.rhs[2, r], 0.0) / drag
    if m == 0 or not cholesky(A, m):
        return 0.0
    cholesky_solve(A, m, rhs, turn)
    gain = change = 0.0
    for r in range(m):
        i = listed[r, 0]
        turn[r] /= contacts.friction[i] * contacts.force[i, 0]
        step = turn[r] - contacts.begun[i, 4]
        gain -= contacts.begun[i, 4] * step
        change += step * step
        contacts.begun[i, 4] = turn[r]
    if relax == 0.0:
        relax = 1.0
    elif change > 0.0:
        relax = max(0.2, min(5.0, relax * gain / change))
    for r in range(m):
        i = listed[r, 0]
        angle = max(-0.5, min(0.5, relax * turn[r]))
        c, s = slip_share(contacts, i, 0), slip_share(contacts, i, 1)
        size = math.hypot(c, s)
        x = (c * math.cos(angle) - s * math.sin(angle)) / size
        y = (s * math.cos(angle) + c * math.sin(angle)) / size
        for j in range(3):
            contacts.slip[i, j] = x * place[i, TANGENT_1 + j] + y * place[i, TANGENT_2 + j]
    return relax
