"""The closed contacts of one mechanism in arrays, and scratch memory for them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from articulata.kernels.multibody.contact.rows import CONTACT_WIDTH, PLACE_WIDTH
from articulata.kernels.multibody.programs import STACK
from articulata.kernels.multibody.system import Array, IntArray, System

FRICTIONLESS, STICK, SLIP, HELD = 0, 1, 2, 3
"""How a closed contact resists sliding; HELD: by a force that is given."""


class Contacts(NamedTuple):
    """The closed contacts of one mechanism, and scratch memory for them."""

    table: IntArray
    """(k, 3): kind, body a, body b."""
    data: Array
    """(k, CONTACT_WIDTH)."""
    mode: IntArray
    """(k,): FRICTIONLESS, STICK or SLIP."""
    friction: Array
    """(k,): Coulomb's coefficient."""
    slip: Array
    """(k, 3): world direction of slip, used where a contact slips from rest (else its velocity)."""
    place: Array
    """(k, PLACE_WIDTH): the contacts evaluated last."""
    column: Array
    """(3k, n, 6): motion under a unit force of each row."""
    delassus: Array
    """(3k, 3k)."""
    force: Array
    """(k, 3): forces on A along normal and tangents, of the last solve (N)."""
    scratch: Array
    """(2, n, 6): loads put aside; right-hand sides."""
    rows: Array
    """(rows,): right-hand sides of the hinges put aside."""
    listed: IntArray
    """(3k, 2): contact and row of the rows at work."""
    order: IntArray
    """(3k,): columns in pivot order."""
    rhs: Array
    """(2, 3k): right-hand side and solution."""
    held: Array
    """(k, 3): world forces across the normals of contacts in mode HELD (N)."""
    law: IntArray
    """(k + 1,): friction while sliding is the program code[law[i] : law[i + 1]] where not empty."""
    code: IntArray
    """(operations, 2): see ``kernels.multibody.programs``."""
    constants: Array
    stack: Array


LawProgram: TypeAlias = tuple[tuple[int, float], ...]
"""Opcodes and values of a coefficient of friction as a function of sliding speed; () for none."""


def make_contacts(
    system: System, count: int, laws: tuple[LawProgram, ...] | None = None
) -> Contacts:
    """Return memory for ``count`` contacts of ``system``, with their laws of friction."""
    n = len(system.body)
    ends, code = [0], list[tuple[int, float]]()
    for law in laws or ((),) * count:
        code += law
        ends.append(len(code))
    made = Contacts(
        table=np.zeros((count, 3), np.int64),
        data=np.zeros((count, CONTACT_WIDTH)),
        mode=np.zeros(count, np.int64),
        friction=np.zeros(count),
        slip=np.zeros((count, 3)),
        place=np.zeros((count, PLACE_WIDTH)),
        column=np.zeros((3 * count, n, 6)),
        delassus=np.zeros((3 * count, 3 * count)),
        force=np.zeros((count, 3)),
        scratch=np.zeros((2, n, 6)),
        rows=np.zeros(len(system.row)),
        listed=np.zeros((3 * count, 2), np.int64),
        order=np.zeros(3 * count, np.int64),
        rhs=np.zeros((2, 3 * count)),
        held=np.zeros((count, 3)),
        law=np.array(ends, np.int64),
        code=np.zeros((len(code), 2), np.int64),
        constants=np.zeros(len(code)),
        stack=np.zeros(STACK),
    )
    for number, (opcode, value) in enumerate(code):
        made.code[number] = (opcode, number)
        made.constants[number] = value
    return made
