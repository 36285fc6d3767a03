"""Whether closed contacts can be as they are: pressure, friction's cone, the end of a feature.

Newtons, metres; ``contacts`` as the last solve left them.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import stand_piece
from articulata.kernels.linear_algebra import copy
from articulata.kernels.multibody.contact.contact_solution import contact_accelerations
from articulata.kernels.multibody.contact.extents import lies_in
from articulata.kernels.multibody.contact.friction import slip_share
from articulata.kernels.multibody.contact.memory import SLIP, STICK, Contacts, ContactSystem
from articulata.kernels.multibody.contact.places import evaluate
from articulata.kernels.multibody.contact.rows import (
    FEATURE_A,
    FEATURE_B,
    GAP,
    INDEX_A,
    INDEX_B,
    KIND,
    PIECE_A,
    PIECE_B,
    POINT,
    RIM_PLANE,
    SPEED_T1,
    SPEED_T2,
)
from articulata.kernels.multibody.integrators.dop853 import dense_state

BEYOND = 1e-7
"""Way (m) beyond the end of a straight feature within which a contact still lies on it."""

LOOSE = 0.02
"""The same for round features, as a share of their size: contacts there are points of an area."""

BACKWARDS = -1e-12
"""Speed (m/s) along the direction of slip below which a contact slides the other way."""

ROUNDING = 1e-15
"""Depth (m) below which features that have parted are not in touch again."""

FINE, EVEN = 40, 32
"""Halvings, then even parts of a step at which features that have just parted are looked at."""


@kernel(counted=False)
def slide_on(contacts: Contacts) -> bool:
    """Tell whether the contacts that slide still do so in their direction."""
    for i in range(contacts.table.shape[0]):
        if contacts.mode[i] == SLIP:
            x, y = contacts.place[i, SPEED_T1], contacts.place[i, SPEED_T2]
            if x * slip_share(contacts, i, 0) + y * slip_share(contacts, i, 1) < BACKWARDS:
                return False
    return True


@kernel(counted=False)
def lawful(contacts: Contacts) -> bool:
    """Tell whether the forces solved last obey the laws of pressure and friction."""
    if not slide_on(contacts):
        return False
    largest, force = 0.0, contacts.force
    for i in range(force.shape[0]):
        for t in range(3):
            largest = max(largest, abs(force[i, t]))
    slack = 1e-10 * (1e-3 + largest)
    for i in range(force.shape[0]):
        if not force[i, 0] >= -slack:
            return False
        if contacts.mode[i] == STICK:
            mu = contacts.friction[i]
            side = math.sqrt(force[i, 1] ** 2 + force[i, 2] ** 2)
            if not side <= mu * force[i, 0] + slack * (1.0 + mu):
                return False
    return True


@kernel(counted=False)
def inside(contacts: Contacts, state: Array) -> bool:
    """Tell whether every contact evaluated last, at ``state``, lies within its features."""
    table = contacts.table
    for i in range(table.shape[0]):
        if table[i, PIECE_A] < 0:
            continue
        x = (
            contacts.place[i, POINT],
            contacts.place[i, POINT + 1],
            contacts.place[i, POINT + 2],
        )
        one = (table[i, PIECE_A], table[i, FEATURE_A], table[i, INDEX_A])
        two = (table[i, PIECE_B], table[i, FEATURE_B], table[i, INDEX_B])
        stand_piece(contacts.pieces, one[0], state, contacts.now)
        stand_piece(contacts.pieces, two[0], state, contacts.now)
        rim = table[i, KIND] == RIM_PLANE
        if not (rim or lies_in(contacts.pieces, contacts.now, one, x, BEYOND, LOOSE)):
            return False
        if not lies_in(contacts.pieces, contacts.now, two, x, BEYOND, LOOSE):
            return False
    return True


@kernel
def stays(
    made: ContactSystem, entry: int, time: float, state: Array, out: Array
) -> tuple[int, bool, bool]:
    """Return status, and whether forces are lawful and contacts within their features at ``state``.

    Accelerations are left in ``out``, forces in ``contacts.force``.
    """
    contacts = made.contacts
    status = contact_accelerations(made, entry, time, state, out)
    good = lawful(contacts)
    return status, good, inside(contacts, state)


@kernel(counted=False)
def keep_forces(contacts: Contacts) -> None:
    """Let later forces be the nearest to those solved last."""
    copy(contacts.force, contacts.base)


@kernel(counted=False)
def back_in_touch(
    contacts: Contacts, dense: Array, old: Array, share: float, now: Array, scratch: Array
) -> bool:
    """Tell whether a gap at a share of the step is below what it was at the start (``rhs[0]``)."""
    dense_state(dense, old, share, now)
    evaluate(contacts, now, scratch)
    deeper = False
    for i in range(contacts.table.shape[0]):
        deeper = deeper or contacts.place[i, GAP] < contacts.rhs[0, i]
    return deeper


@kernel
def reopened(
    contacts: Contacts, dense: Array, old: Array, last: float, now: Array, scratch: Array
) -> float:
    """Return the share at which features that have just parted meet again; above 1 for none."""
    dense_state(dense, old, 0.0, now)
    evaluate(contacts, now, scratch)
    for i in range(contacts.table.shape[0]):
        contacts.rhs[0, i] = min(contacts.place[i, GAP], 0.0) - ROUNDING
    low = high = 0.0
    found = False
    for step in range(FINE + EVEN):
        if step < FINE:
            high = last / EVEN * 0.5 ** (FINE - 1 - step)
        else:
            high = last * (step - FINE + 1) / EVEN
        found = back_in_touch(contacts, dense, old, high, now, scratch)
        if found:
            break
        low = high
    if not found:
        return 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if back_in_touch(contacts, dense, old, middle, now, scratch):
            high = middle
        else:
            low = middle
    return high
