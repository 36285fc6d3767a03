"""Which contacts may choose anew the direction in which they begin to slide."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.kernels.multibody import chain

from articulata.domains.dynamic.contact.touches import no_pieces
from articulata.kernels.contacts.pieces import standing
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.build import Body, build_system
from articulata.kernels.multibody.contact import onset, rows
from articulata.kernels.multibody.contact.memory import (
    SLIP,
    STICK,
    Contacts,
    make_contacts,
    surroundings,
)

GROUND = -1


def between(system: s.System, *pairs: tuple[int, int]) -> Contacts:
    """Return contacts of bodies, the first of which slides slowly and the others stick."""
    table = np.zeros((len(pairs), rows.TABLE_WIDTH), np.int64)
    table[:, [rows.BODY_A, rows.BODY_B]] = pairs
    pieces = no_pieces()
    contacts = make_contacts(system, surroundings(system, pieces, standing(pieces)), table)
    contacts.mode[:] = [SLIP] + [STICK] * (len(pairs) - 1)
    contacts.friction[:], contacts.force[:, 0], contacts.pace[:, 0] = 0.5, 1.0, 1e-3
    contacts.place[:, rows.SPEED_T1] = 5e-4
    return contacts


def apart(count: int) -> s.System:
    state = np.zeros((count, 13))
    state[:, 3] = 1.0
    return build_system([Body(1.0, np.eye(3)) for _ in range(count)], [], [], state)


@pytest.mark.parametrize(
    ("pairs", "slow"),
    [
        (((0, GROUND),), True),
        (((0, GROUND), (0, GROUND)), False),
        (((0, 1), (1, GROUND)), False),
        (((0, GROUND), (1, GROUND)), True),
        (((0, GROUND), (1, 2)), True),
    ],
)
def test_what_sticks_elsewhere_keeps_its_direction(
    pairs: tuple[tuple[int, int], ...], slow: bool
) -> None:
    assert onset.is_slow(between(apart(3), *pairs), 0) == slow


def test_what_holds_a_hinged_body_holds_its_whole_chain() -> None:
    system, _ = chain(3)
    assert not onset.is_slow(between(system, (2, GROUND), (0, GROUND)), 0)


def test_fast_or_frictionless_sliding_is_not_slow() -> None:
    contacts = between(apart(1), (0, GROUND))
    contacts.place[0, rows.SPEED_T2] = 1e-3
    assert not onset.is_slow(contacts, 0)
    contacts.place[0, rows.SPEED_T2] = 0.0
    contacts.friction[0] = 0.0
    assert not onset.is_slow(contacts, 0)
