"""What contacts took in a step: the whole by the energies at its ends, sliding alone; joules."""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.measures import energy
from articulata.kernels.multibody.stepping.answers import along
from articulata.kernels.multibody.stepping.flight import times
from articulata.kernels.multibody.stepping.pairs import strikes
from articulata.kernels.multibody.stepping.step_scene import (
    AFTER,
    COUNT,
    FORCE,
    RUBBED,
    TAKEN,
    Contacts,
)
from articulata.kernels.multibody.system import FREE, INERTIA, MASS, System, Workspace

ROUNDING = 1e-12
"""Share of the energy of motion that what is left of a gain may be by rounding."""


@kernel(counted=False)
def book_contacts(
    system: System, work: Workspace, contacts: Contacts, guarded: bool, given: float, state: Array
) -> float:
    """Book what contacts took in a step; what a guarded step has gained is taken from its speeds.

    ``given`` is the work that controls did less what dampers took, J. The speeds of all bodies that
    touch shrink by one factor, which keeps every hinge and every contact as it is. Returns what a
    guarded step has gained more than that (J), 0 for nothing.
    """
    out, body = contacts.books[1:4], system.body
    energy(system, work, contacts.start, out)
    before = out[0] + out[1] + out[2]
    energy(system, work, state, out)
    gained = out[0] + out[1] + out[2] - before - given
    moving = 0.0
    if guarded and gained > 0.0:
        for i in range(state.shape[0]):
            if contacts.touched[i] == 1 and system.body_kind[i] == FREE:
                moving += kinetic(body, work.body, state, i)
        if moving > 0.0:
            share = max(0.0, 1.0 - gained / moving)
            factor = math.sqrt(share)
            for i in range(state.shape[0]):
                if contacts.touched[i] == 1:
                    for k in range(6):
                        state[i, 7 + k] *= factor
            gained -= (1.0 - share) * moving
    contacts.books[TAKEN] -= gained
    return gained if guarded and gained > ROUNDING * moving else 0.0


@kernel(counted=False)
def book_sliding(contacts: Contacts, slow: float) -> None:
    """Book what friction took of it where nothing struck: impulse by mean speed of sliding."""
    data, flown = contacts.data, contacts.flown
    for i in range(contacts.tally[COUNT]):
        if strikes(contacts, i, slow):
            continue
        for row in range(1, 3):
            if data[i, FORCE + row] != 0.0:
                speed = 0.5 * (along(contacts, i, row, flown, 7) + data[i, AFTER + row])
                contacts.books[RUBBED] -= data[i, FORCE + row] * speed


@kernel(counted=False)
def kinetic(body: Array, scratch: Array, state: Array, i: int) -> float:
    """Return the kinetic energy of a body, J; rotations must be fresh."""
    w = state[i, 10], state[i, 11], state[i, 12]
    x = scratch[i, 0] * w[0] + scratch[i, 3] * w[1] + scratch[i, 6] * w[2]
    y = scratch[i, 1] * w[0] + scratch[i, 4] * w[1] + scratch[i, 7] * w[2]
    z = scratch[i, 2] * w[0] + scratch[i, 5] * w[1] + scratch[i, 8] * w[2]
    L = times(body, i, INERTIA, (x, y, z))
    v = state[i, 7] ** 2 + state[i, 8] ** 2 + state[i, 9] ** 2
    return 0.5 * (body[i, MASS] * v + L[0] * x + L[1] * y + L[2] * z)
