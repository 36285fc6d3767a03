"""What a step did to each pair of bodies: struck, closed, parted, stuck, slid, settled."""

from __future__ import annotations

from articulata.kernels.array_types import IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.stepping.step_scene import (
    AFTER,
    AGO,
    BEFORE,
    BOUNCED,
    BOUND,
    CHANGED,
    CLOSED,
    COUNT,
    FEATURE,
    FLOWN,
    FORCE,
    HAPPENED,
    HELD,
    MU,
    NEXT,
    NOW,
    OPEN,
    PARTED,
    SETTLED,
    SLID,
    SLIDING,
    STICKING,
    STRIKE,
    STRUCK,
    STUCK,
    TURNED,
    WHO,
    Contacts,
)

AT_REST = 1e-7
"""Speed (m/s) below which a contact with friction counts as sticking."""

PATIENCE = 2
"""Steps without pressure after which a pair has parted, and of another way to rub after which it
sticks or slides."""


@kernel(counted=False)
def strikes(contacts: Contacts, i: int, slow: float) -> bool:
    """Return whether a contact approached faster than what pulls it together in a step.

    An approach slower than ``slow`` (m/s) is none that steps could tell from rest. Nor is that of a
    contact that pressed in the step before: it did not approach then, and where the bodies turn its
    normal turns with them.
    """
    data = contacts.data
    if contacts.table[i, HELD] == 1:
        return False
    pull = abs(data[i, FLOWN] - data[i, BEFORE])
    return data[i, BEFORE] < -max(pull, slow)


@kernel(counted=False)
def follow_pairs(contacts: Contacts, pairs: IntArray, slow: float) -> None:
    """Bring the table of pairs (p, PAIR_WIDTH) up to date with the contacts of a step."""
    data, table, changed = contacts.data, contacts.table, 0
    for p in range(pairs.shape[0]):
        pairs[p, HAPPENED] = 0
        pairs[p, NEXT] = OPEN
    for i in range(contacts.tally[COUNT]):
        p = table[i, WHO]
        if not data[i, FORCE] + data[i, STRIKE] > 0.0:
            continue
        if strikes(contacts, i, slow):
            pairs[p, HAPPENED] |= STRUCK
        if data[i, BOUND] <= 0.0 and data[i, STRIKE] == 0.0:
            still = data[i, AFTER + 1] ** 2 + data[i, AFTER + 2] ** 2 <= AT_REST * AT_REST
            state = STICKING if still and data[i, MU] > 0.0 else SLIDING
            pairs[p, NEXT] = max(pairs[p, NEXT], state)
        for k in range(pairs.shape[1] - FEATURE):
            pairs[p, FEATURE + k] = table[i, k]
    for p in range(pairs.shape[0]):
        now, then = pairs[p, NOW], pairs[p, NEXT]
        if then != OPEN:
            pairs[p, AGO] = 0
            if now == OPEN:
                pairs[p, HAPPENED] |= SETTLED if pairs[p, BOUNCED] == 1 else CLOSED
            elif then == now:
                pairs[p, TURNED] = 0
            else:
                pairs[p, TURNED] += 1
                if pairs[p, TURNED] < PATIENCE:
                    then = now
                else:
                    pairs[p, HAPPENED] |= STUCK if then == STICKING else SLID
                    pairs[p, TURNED] = 0
            pairs[p, NOW], pairs[p, BOUNCED] = then, 0
        elif pairs[p, HAPPENED] != 0:
            pairs[p, BOUNCED] = 1
            if now != OPEN:
                pairs[p, HAPPENED] |= PARTED
            pairs[p, NOW] = OPEN
        elif now != OPEN:
            pairs[p, AGO] += 1
            if pairs[p, AGO] >= PATIENCE:
                pairs[p, HAPPENED] |= PARTED
                pairs[p, NOW] = OPEN
        if pairs[p, HAPPENED] != 0:
            changed += 1
    contacts.tally[CHANGED] = changed
