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
    FEATURES,
    FLOWN,
    FORCE,
    HAPPENED,
    HELD,
    LIVE,
    MU,
    NEXT,
    NOW,
    NUMBER,
    OPEN,
    PAIR_WIDTH,
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
def follow_pairs(contacts: Contacts, slow: float) -> None:
    """Bring the table of pairs up to date with the contacts of a step, both in order."""
    pairs, before, table, tally = contacts.pairs, contacts.old_pairs, contacts.table, contacts.tally
    live, count, kept, row, i, changed = tally[LIVE], tally[COUNT], 0, 0, 0, 0
    for p in range(live):
        for k in range(PAIR_WIDTH):
            before[p, k] = pairs[p, k]
    while row < live or i < count:
        old = row < live and (i == count or before[row, NUMBER] <= table[i, WHO])
        number = before[row, NUMBER] if old else table[i, WHO]
        for k in range(PAIR_WIDTH):
            pairs[kept, k] = before[row, k] if old else 0
        row += 1 if old else 0
        pairs[kept, NUMBER], pairs[kept, HAPPENED], pairs[kept, NEXT] = number, 0, OPEN
        while i < count and table[i, WHO] == number:
            see_contact(contacts, pairs[kept], i, slow)
            i += 1
        follow_pair(pairs[kept])
        changed += 1 if pairs[kept, HAPPENED] != 0 else 0
        # of others there is nothing to be remembered
        for k in (NOW, BOUNCED, HAPPENED, TURNED):
            if pairs[kept, k] != 0:
                kept += 1
                break
    tally[CHANGED], tally[LIVE] = changed, kept


@kernel(counted=False)
def see_contact(contacts: Contacts, pair: IntArray, i: int, slow: float) -> None:
    """Note in the row of a pair what one of its contacts does."""
    data = contacts.data
    if not data[i, FORCE] + data[i, STRIKE] > 0.0:
        return
    if strikes(contacts, i, slow):
        pair[HAPPENED] |= STRUCK
    if data[i, BOUND] <= 0.0 and data[i, STRIKE] == 0.0:
        still = data[i, AFTER + 1] ** 2 + data[i, AFTER + 2] ** 2 <= AT_REST * AT_REST
        state = STICKING if still and data[i, MU] > 0.0 else SLIDING
        pair[NEXT] = max(pair[NEXT], state)
    for k in range(FEATURES):
        pair[FEATURE + k] = contacts.table[i, k]


@kernel(counted=False)
def follow_pair(pair: IntArray) -> None:
    """Say what happened to a pair, whose contacts were seen, and how it is now."""
    now, then = pair[NOW], pair[NEXT]
    if then != OPEN:
        pair[AGO] = 0
        if now == OPEN:
            pair[HAPPENED] |= SETTLED if pair[BOUNCED] == 1 else CLOSED
        elif then == now:
            pair[TURNED] = 0
        else:
            pair[TURNED] += 1
            if pair[TURNED] < PATIENCE:
                then = now
            else:
                pair[HAPPENED] |= STUCK if then == STICKING else SLID
                pair[TURNED] = 0
        pair[NOW], pair[BOUNCED] = then, 0
    elif pair[HAPPENED] != 0:
        pair[BOUNCED] = 1
        if now != OPEN:
            pair[HAPPENED] |= PARTED
        pair[NOW] = OPEN
    elif now != OPEN:
        pair[AGO] += 1
        if pair[AGO] >= PATIENCE:
            pair[HAPPENED] |= PARTED
            pair[NOW] = OPEN
