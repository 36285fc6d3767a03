"""Steps of a mechanism with closed contacts, and the motion within a step as a polynomial.

The same methods as ``steps.rk4`` and ``dop853`` with the contacts' rows beside the hinges', so
that mechanisms without contacts pay nothing for them. World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.contact.memory import Contacts
from articulata.kernels.multibody.contact.solve import (
    contact_accelerations,
    project_contacts,
)
from articulata.kernels.multibody.integrators.dop853 import (
    GROW,
    NEXT,
    OUT,
    SAFETY,
    SHRINK,
    combine,
    error_norm,
)
from articulata.kernels.multibody.integrators.tableau import DOP853_A, DOP853_D, DOP853_NODES
from articulata.kernels.multibody.project import state_rates
from articulata.kernels.multibody.system import (
    INCONSISTENT,
    INFO_SHARE,
    OK,
    Array,
    Inputs,
    System,
    Workspace,
)


@kernel(counted=False)
def contact_rates(
    system: System,
    work: Workspace,
    contacts: Contacts,
    stages: Array,
    inputs: Inputs,
    entry: int,
    layer: int,
    time: float,
    state: Array,
) -> int:
    """Fill a layer of ``stages`` with the rates of ``state``."""
    status = contact_accelerations(system, work, contacts, inputs, entry, time, state, stages[OUT])
    state_rates(system.body_kind, state, stages[OUT], stages[layer])
    return status


@kernel(counted=False)
def contact_dop853(
    system: System,
    work: Workspace,
    contacts: Contacts,
    stages: Array,
    inputs: Inputs,
    t: float,
    h: float,
    state: Array,
    new: Array,
    relative: float,
    absolute: float,
) -> tuple[int, bool, float]:
    """Try one step from ``state`` as ``dop853.dop853_step`` does; inputs at the sixteen nodes."""
    n = state.shape[0]
    status = OK
    work.info[INFO_SHARE] = 1.0
    for s in range(12):
        combine(stages, DOP853_A, s, s, h, state)
        status = contact_rates(
            system, work, contacts, stages, inputs, s, s, t + DOP853_NODES[s] * h, stages[NEXT]
        )
        if s > 0:
            status &= ~INCONSISTENT
        if s == 0 and status != OK:
            return status, False, h
        if status != OK:
            break
    if status == OK:
        combine(stages, DOP853_A, 12, 12, h, state)
        error = error_norm(stages, h, state, stages[NEXT], relative, absolute, 0.0)
        if not math.isfinite(error):
            return 1, False, h
        if error >= 1.0:
            return OK, False, h * max(SHRINK, SAFETY * error**-0.125)
        for i in range(n):
            for j in range(13):
                new[i, j] = stages[NEXT, i, j]
        status = project_contacts(system, work, contacts, new)
        if status == OK:
            factor = GROW
            if error > 0.0:
                factor = min(GROW, max(SHRINK, SAFETY * error**-0.125))
            return OK, True, h * factor
    if abs(h) > 1e-10:
        return OK, False, 0.1 * h
    return status, False, h


@kernel(counted=False)
def contact_dense(
    system: System,
    work: Workspace,
    contacts: Contacts,
    stages: Array,
    inputs: Inputs,
    t: float,
    h: float,
    old: Array,
    new: Array,
    dense: Array,
) -> int:
    """Fill ``dense`` (7, n, 13) for the step accepted last; ``dop853.dense_state`` reads it."""
    status = OK
    for s in range(12, 16):
        if s == 12:
            for i in range(old.shape[0]):
                for j in range(13):
                    stages[NEXT, i, j] = new[i, j]
        else:
            combine(stages, DOP853_A, s, s, h, old)
        status = contact_rates(
            system, work, contacts, stages, inputs, s, s, t + DOP853_NODES[s] * h, stages[NEXT]
        )
        status &= ~INCONSISTENT
        if status != OK:
            return status
    for i in range(old.shape[0]):
        for j in range(13):
            step = new[i, j] - old[i, j]
            dense[0, i, j] = step
            dense[1, i, j] = h * stages[0, i, j] - step
            dense[2, i, j] = 2.0 * step - h * (stages[12, i, j] + stages[0, i, j])
            for k in range(4):
                x = 0.0
                for s in range(16):
                    x += DOP853_D[k, s] * stages[s, i, j]
                dense[3 + k, i, j] = h * x
    return status


@kernel(counted=False)
def contact_rk4(
    system: System,
    work: Workspace,
    contacts: Contacts,
    stages: Array,
    inputs: Inputs,
    t: float,
    h: float,
    state: Array,
    new: Array,
    dense: Array,
) -> int:
    """One classical step into ``new``; ``dense`` takes Hermite's cubic. Inputs at t, t+h/2, t+h."""
    n = state.shape[0]
    x = stages[NEXT]
    for s in range(4):
        c = 0.0 if s == 0 else (h if s == 3 else 0.5 * h)
        for i in range(n):
            for j in range(13):
                x[i, j] = state[i, j] + (c * stages[s - 1, i, j] if s > 0 else 0.0)
        entry = 0 if s == 0 else (2 if s == 3 else 1)
        status = contact_rates(system, work, contacts, stages, inputs, entry, s, t + c, x)
        if s > 0:
            status &= ~INCONSISTENT
        if status != OK:
            return status
    for i in range(n):
        for j in range(13):
            rate = stages[0, i, j] + 2.0 * (stages[1, i, j] + stages[2, i, j]) + stages[3, i, j]
            new[i, j] = state[i, j] + h / 6.0 * rate
    status = project_contacts(system, work, contacts, new)
    if status != OK:
        return status
    status = contact_rates(system, work, contacts, stages, inputs, 2, 4, t + h, new)
    for i in range(n):
        for j in range(13):
            step = new[i, j] - state[i, j]
            dense[0, i, j] = step
            dense[1, i, j] = h * stages[0, i, j] - step
            dense[2, i, j] = 2.0 * step - h * (stages[4, i, j] + stages[0, i, j])
            for k in range(3, 7):
                dense[k, i, j] = 0.0
    return status & ~INCONSISTENT
