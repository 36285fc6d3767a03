"""Faster ends to the sweeps: Anderson's combination of the last iterates.

Sweeps over a tall stack or a long chain get on by a small share of the rest each. The combination
of the last few that would have changed least comes as near as Krylov's methods do (Walker and Ni,
SIAM J. Numer. Anal. 49 (2011) 1715). Velocities are affine in the impulses, so that both are
combined by the same weights; the next sweep puts every impulse into its cone again.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.stepping.step_scene import (
    BLOCK,
    COUNT,
    FORCE,
    HISTORY,
    Contacts,
)

SMALL = 1e-14
"""Share of the largest pivot below which an iterate depends on the others."""


@kernel(counted=False)
def keep_before(contacts: Contacts) -> None:
    """Keep the impulses before a round of sweeps."""
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            contacts.before[3 * i + row] = contacts.data[i, FORCE + row]


@kernel(counted=False)
def keep_round(contacts: Contacts, slot: int) -> float:
    """Keep what a round of sweeps led to, and its change; return the change's length.

    Changes are measured by the speed that an impulse gives at its contact.
    """
    count, total = contacts.tally[COUNT], 0.0
    reached, change = contacts.reached[slot], contacts.change[slot]
    for i in range(count):
        for row in range(3):
            k = 3 * i + row
            p = contacts.data[i, FORCE + row]
            reached[k] = p
            size = math.sqrt(max(0.0, contacts.data[i, BLOCK + 4 * row]))
            change[k] = (p - contacts.before[k]) * size
            total += change[k] * change[k]
    first = 3 * count
    for b in range(contacts.velocity.shape[0]):
        if contacts.touched[b] == 1:
            for k in range(6):
                reached[first + 6 * b + k] = contacts.velocity[b, k]
    return math.sqrt(total)


@kernel(counted=False)
def combine(contacts: Contacts, kept: int, newest: int) -> None:
    """Go on from the combination of ``kept`` rounds that would have changed least.

    Slots are used in a ring, ``newest`` last.
    """
    if kept < 2:
        return
    length = 3 * contacts.tally[COUNT]
    m = kept - 1
    A, x = contacts.normal, contacts.weight
    base = contacts.change[newest]
    # differences from the newest round
    for a in range(m):
        one = contacts.change[(newest - 1 - a) % HISTORY]
        for b in range(a + 1):
            other = contacts.change[(newest - 1 - b) % HISTORY]
            s = 0.0
            for k in range(length):
                s += (one[k] - base[k]) * (other[k] - base[k])
            A[a, b] = A[b, a] = s
        s = 0.0
        for k in range(length):
            s += (one[k] - base[k]) * base[k]
        x[a] = -s
    if not solve_positive(A, x, m):
        return
    size = 0.0
    for a in range(m):
        size += abs(x[a])
    if not size < 1e6:
        return
    latest = contacts.reached[newest]
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            k = 3 * i + row
            p = latest[k]
            for a in range(m):
                p += x[a] * (contacts.reached[(newest - 1 - a) % HISTORY, k] - latest[k])
            contacts.data[i, FORCE + row] = p
    for b in range(contacts.velocity.shape[0]):
        for j in range(6 * contacts.touched[b]):
            k = length + 6 * b + j
            v = latest[k]
            for a in range(m):
                v += x[a] * (contacts.reached[(newest - 1 - a) % HISTORY, k] - latest[k])
            contacts.velocity[b, j] = v


@kernel(counted=False)
def solve_positive(A: Array, x: Array, m: int) -> bool:
    """Solve A x = x in place by Cholesky's factor; dependent unknowns are 0."""
    top = 0.0
    for k in range(m):
        top = max(top, A[k, k])
    if not top > 0.0:
        return False
    for k in range(m):
        d = A[k, k]
        for j in range(k):
            d -= A[k, j] * A[k, j]
        if not d > SMALL * top:
            A[k, k] = np.inf
            for i in range(k + 1, m):
                A[i, k] = 0.0
            continue
        d = math.sqrt(d)
        A[k, k] = d
        for i in range(k + 1, m):
            s = A[i, k]
            for j in range(k):
                s -= A[i, j] * A[k, j]
            A[i, k] = s / d
    for k in range(m):
        s = x[k]
        for j in range(k):
            s -= A[k, j] * x[j]
        x[k] = s / A[k, k]
    for k in range(m - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, m):
            s -= A[j, k] * x[j]
        x[k] = s / A[k, k]
    return True
