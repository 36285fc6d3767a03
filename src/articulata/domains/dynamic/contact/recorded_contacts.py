"""Closed contacts as a recording holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Forces
from articulata.domains.dynamic.contact.touches import Touch
from articulata.kernels.multibody.contact.memory import HELD, UNKNOWN
from articulata.kernels.multibody.contact.rows import CONTACT_WIDTH, TABLE_WIDTH
from articulata.records.state import array

RECORDED = ("data", "friction", "slip", "base", "held", "pace", "ending")
"""What of closed contacts a recording holds, beside which they are and how they resist sliding."""


def plain_touches(touches: Sequence[Touch]) -> dict[str, Any]:
    """Return which touches there are, as a recording holds them."""
    return {
        "pair": np.array([touch.pair for touch in touches], np.int32),
        "row": np.array([touch.row for touch in touches], np.int32).reshape(-1, TABLE_WIDTH),
        "at": np.array([touch.data for touch in touches]).reshape(-1, CONTACT_WIDTH),
    }


def plain_contacts(closed: Closed) -> dict[str, Any]:
    """Return what a recording holds of closed contacts."""
    rows, known = closed.rows, int(closed.rows.known[0])
    return {
        **plain_touches(closed.touches),
        "mode": rows.mode.astype(np.int32),
        "picked": rows.picked[: max(0, known)].astype(np.int32),
        "known": known,
        **{name: getattr(rows, name) for name in RECORDED},
    }


def recalled_touches(forces: Forces, plain: Mapping[str, Any]) -> list[Touch]:
    """Return the touches that ``plain_touches`` has written; ValueError for others."""
    pairs, rows = array(plain["pair"], "i", -1), array(plain["row"], "i", -1, TABLE_WIDTH)
    data = array(plain["at"], "f", len(pairs), CONTACT_WIDTH)
    each = zip(pairs.tolist(), rows.tolist(), data, strict=True)
    return [forces.around.recalled(pair, tuple(row), at) for pair, row, at in each]


def recalled_contacts(forces: Forces, plain: Mapping[str, Any]) -> Closed:
    """Return the closed contacts that ``plain_contacts`` has written; ValueError for others."""
    touches = recalled_touches(forces, plain)
    k, known = len(touches), int(plain["known"])
    mode, picked = array(plain["mode"], "i", k), array(plain["picked"], "i", -1, 2)
    usual = len(picked) == max(0, known) <= 3 * k and known >= UNKNOWN
    if not usual or not np.all((mode >= 0) & (mode <= HELD)):
        raise ValueError("contacts have numbers that none have")
    if not np.all((picked >= 0) & (picked < (k, 3))):
        raise ValueError("rows are chosen of contacts that are none")
    made = forces.closed(touches, mode.tolist(), array(plain["slip"], "f", k, 3))
    for name in RECORDED:
        into = getattr(made.rows, name)
        into[:] = array(plain[name], "f", *into.shape)
    made.rows.picked[: len(picked)], made.rows.known[0] = picked, known
    return made
