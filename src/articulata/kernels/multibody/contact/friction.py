"""How closed contacts resist sliding: direction, speed and given forces of friction.

A contact that slides has its friction against its velocity, by a coefficient that may follow the
sliding speed; one whose friction is given holds a force that does not change within a step.
World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.contact.memory import (
    HELD,
    HELD_ASIDE,
    HELD_BELOW,
    SLIP,
    Contacts,
)
from articulata.kernels.multibody.contact.rows import SPEED_T1
from articulata.kernels.multibody.programs import run_program


@kernel(counted=False)
def slip_share(contacts: Contacts, i: int, k: int) -> float:
    """Return the component of a contact's slip direction along tangent k."""
    x = 0.0
    for j in range(3):
        x += contacts.slip[i, j] * contacts.place[i, 4 + 3 * k + j]
    return x


@kernel(counted=False)
def slides(contacts: Contacts) -> bool:
    """Tell whether friction acts on a contact that slides."""
    for i in range(contacts.table.shape[0]):
        if contacts.mode[i] == SLIP and contacts.friction[i] > 0.0:
            return True
    return False


@kernel(counted=False)
def drag_along(contacts: Contacts) -> None:
    """Give the contacts that slide the friction of their normal force."""
    for i in range(contacts.table.shape[0]):
        if contacts.mode[i] == SLIP:
            for k in range(2):
                drag = contacts.friction[i] * contacts.force[i, 0]
                contacts.force[i, 1 + k] = -drag * slip_share(contacts, i, k)


@kernel(counted=False)
def refresh_slip(contacts: Contacts, start: bool) -> None:
    """Let the slip direction of contacts follow their velocity where the step does not hold it.

    ``start``: at a step's start, however slow they are.
    """
    for i in range(contacts.table.shape[0]):
        if contacts.mode[i] != SLIP:
            continue
        x, y = contacts.place[i, SPEED_T1], contacts.place[i, SPEED_T1 + 1]
        along = x * slip_share(contacts, i, 0) + y * slip_share(contacts, i, 1)
        size = math.sqrt(x * x + y * y)
        aside = math.sqrt(max(0.0, size * size - along * along))
        slow = 0.0 if start else contacts.ending[i, HELD_BELOW]
        # beyond the instant of rest the old direction holds, so that the step stays smooth
        if along > 0.0 and aside > contacts.ending[i, HELD_ASIDE] and size > slow:
            for j in range(3):
                contacts.slip[i, j] = (
                    x * contacts.place[i, 4 + j] + y * contacts.place[i, 7 + j]
                ) / size


@kernel(counted=False)
def refresh_friction(contacts: Contacts) -> None:
    """Let the friction of contacts that slide follow their speed."""
    for i in range(contacts.table.shape[0]):
        start, end = contacts.law[i], contacts.law[i + 1]
        if start == end or contacts.mode[i] != SLIP:
            continue
        speed = math.hypot(contacts.place[i, SPEED_T1], contacts.place[i, SPEED_T1 + 1])
        mu = run_program(
            contacts.code,
            start,
            end,
            contacts.constants,
            contacts.stack,
            0.0,
            0.0,
            speed,
            contacts.constants,
        )
        # what is not a number stays so, and ends the run by name
        contacts.friction[i] = 0.0 if mu < 0.0 else mu


@kernel(counted=False)
def hold_forces(contacts: Contacts) -> bool:
    """Fill ``contacts.force`` with given friction along the tangents; return whether any is."""
    found = False
    for i in range(contacts.table.shape[0]):
        for t in range(3):
            contacts.force[i, t] = 0.0
        if contacts.mode[i] != HELD:
            continue
        for k in range(2):
            x = 0.0
            for j in range(3):
                x += contacts.held[i, j] * contacts.place[i, 4 + 3 * k + j]
            contacts.force[i, 1 + k] = x
            found = found or x != 0.0
    return found
