"""Where sliding ends: how far into a step directions of slip follow the velocities.

On a curved path friction turns what slides the faster the slower it gets, until it stops within a
finite time. A direction that is held meanwhile misses the instant of rest, so that it follows the
velocity nearly to the end; steps get shorter with the time that is left. It is held where that
makes no difference: where so little speed is left that the features count as at rest, where the
rest of the way is straight, and where no end is near, since friction turns slow sliding that goes
on within less time than any step (``onset``). World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.contact.friction import slip_share
from articulata.kernels.multibody.contact.memory import (
    ASIDE,
    CURVED,
    HELD_ASIDE,
    HELD_BELOW,
    SLIP,
    SLOW,
    Contacts,
)
from articulata.kernels.multibody.contact.picking import row_times
from articulata.kernels.multibody.contact.rows import (
    BODY_A,
    BODY_B,
    GAMMA_T1,
    GAMMA_T2,
    ROW_T1,
    ROW_T2,
    SPEED_T1,
    SPEED_T2,
)

TOO_LONG = 128
"""Status of a step of given length after which a sliding contact would be at rest too soon."""

SETTLED = 1e-10
"""Acceleration (m/s^2) across the direction of slip that is nothing."""

STILL = 1e-8
"""Speed (m/s) below which the direction is held to the end: little way and time are left."""

SOON = 0.1
"""Time (s) within which slow sliding has to end, at the rate at hand, for it to be followed."""

BRIEF, LATE = 1e-4, 1e-9
"""Time (s) to the end within which the rest of the way may be straight, and what is made of it to
hold the direction: by how much (s) the end may be missed."""

EVEN = 20.0
"""Times that the speed is more than what friction takes of it in a step of given length."""


@kernel(counted=False)
def speeding(contacts: Contacts, i: int, out: Array) -> tuple[float, float]:
    """Return the acceleration (m/s^2) of a sliding contact along and across its direction."""
    a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
    x = row_times(contacts.place, i, ROW_T1, a, b, out) - contacts.place[i, GAMMA_T1]
    y = row_times(contacts.place, i, ROW_T2, a, b, out) - contacts.place[i, GAMMA_T2]
    c, s = slip_share(contacts, i, 0), slip_share(contacts, i, 1)
    return c * x + s * y, c * y - s * x


@kernel(counted=False)
def foresee_ends(contacts: Contacts, out: Array) -> None:
    """Say below which speeds a step from here holds directions of slip; ``out``: accelerations."""
    for i in range(contacts.table.shape[0]):
        ending = contacts.ending
        ending[i, HELD_BELOW], ending[i, HELD_ASIDE], ending[i, CURVED] = SLOW, ASIDE, 0.0
        size = math.hypot(contacts.place[i, SPEED_T1], contacts.place[i, SPEED_T2])
        if contacts.mode[i] != SLIP or not contacts.friction[i] * contacts.force[i, 0] > 0.0:
            continue
        along, across = speeding(contacts, i, out)
        left = size / -along if along < 0.0 else math.inf
        if size < SLOW and left > SOON:
            continue
        ending[i, HELD_BELOW] = STILL
        if abs(across) > SETTLED:
            ending[i, HELD_ASIDE], ending[i, CURVED] = 0.0, 1.0 if along < 0.0 else 0.0
        if left < BRIEF and left * across * across < LATE * along * along:
            ending[i, HELD_BELOW], ending[i, CURVED] = math.inf, 0.0


@kernel(counted=False)
def ends_too_soon(contacts: Contacts) -> bool:
    """Tell whether friction takes more than a step can follow of what stops on a curved path.

    Needs the step's pace (``onset.pace_step``).
    """
    for i in range(contacts.table.shape[0]):
        size = math.hypot(contacts.place[i, SPEED_T1], contacts.place[i, SPEED_T2])
        if contacts.ending[i, CURVED] > 0.0 and STILL < size < EVEN * contacts.pace[i, 0]:
            return True
    return False
