"""The closed contacts of one mechanism in arrays, and scratch memory for them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from articulata.kernels.array_types import Array as Array
from articulata.kernels.array_types import BoolArray
from articulata.kernels.array_types import IntArray as IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.patches import Room, new_room
from articulata.kernels.contacts.pieces import Pieces, Standing
from articulata.kernels.multibody.contact.rows import CONTACT_WIDTH, PLACE_WIDTH, TABLE_WIDTH
from articulata.kernels.multibody.programs import STACK
from articulata.kernels.multibody.system import FREE, TREE_BODY, TREE_PARENT, Integrated, System

FRICTIONLESS, STICK, SLIP, HELD = 0, 1, 2, 3
"""How a closed contact resists sliding; HELD: by a force that is given."""

SLOW = 1e-4
"""Speed (m/s) below which a direction of slip is that of the step's start: friction turns slow
sliding within the time v / (mu g), which no step could follow, and little way is gone in it. Of
contacts that speed up it follows what comes (``onset``), of those that stop the velocity
(``ending``)."""

ASIDE = 1e-10
"""Speed (m/s) across the direction of slip above which the direction follows: rounding aside of a
straight way must not turn the friction, which would be stiff."""

HELD_BELOW, HELD_ASIDE, CURVED = range(3)
"""Columns of ``Contacts.ending``."""

AHEAD = 1e-3
"""Time (s) within which slow sliding that speeds up turns to where it is going."""

UNKNOWN = -1
"""Number of independent rows where they have not been chosen yet."""


class Surroundings(NamedTuple):
    """What contacts of one mechanism share: its pieces where they are looked at, and its trees."""

    pieces: Pieces
    """In body axes from the mass centres, as the states' positions are."""
    now: Standing
    room: Room
    moved: Array
    """(n, 13): a state nearby."""
    root: IntArray
    """(n,): the tree a body belongs to, -1 where it does not move freely."""
    above: BoolArray
    """(n, places): which places in ``System.tree`` lie between a body and its root, both too."""


class Contacts(NamedTuple):
    """The closed contacts of one mechanism, and scratch memory for them."""

    table: IntArray
    """(k, TABLE_WIDTH): kind, bodies, features."""
    data: Array
    """(k, CONTACT_WIDTH)."""
    mode: IntArray
    """(k,): FRICTIONLESS, STICK, SLIP or HELD."""
    friction: Array
    """(k,): Coulomb's coefficient."""
    slip: Array
    """(k, 3): world direction of slip, used where a contact slips from rest (else its velocity)."""
    kept: Array
    """(k, 3): directions of slip at the start of a step."""
    begun: Array
    """(k, 5): 1 for a contact whose direction of slip is sought, that before, and its last turn."""
    pace: Array
    """(k, 2): speed below which sliding that speeds up is slow, and its AHEAD."""
    ending: Array
    """(k, 3): speeds, in all and across the direction of slip, up to which the step under way holds
    it; 1 where the contact comes to rest on a curved path."""
    place: Array
    """(k, PLACE_WIDTH): the contacts evaluated last."""
    column: Array
    """(3k, n, 6): motion under a unit force of each row, for the bodies of ``reach``."""
    delassus: Array
    """(3k, 3k)."""
    spread: Array
    """(3, 3k, 3k): how loads are shared, see ``spreading``."""
    stiffness: Array
    """(k,): of the normals beside the stiffest, by which loads are shared."""
    force: Array
    """(k, 3): forces on A along normal and tangents, of the last solve (N)."""
    base: Array
    """(k, 3): forces of which the solution is the nearest among those of the same motion (N)."""
    scratch: Array
    """(2, n, 6): loads put aside; right-hand sides."""
    rows: Array
    """(rows,): right-hand sides of the hinges put aside."""
    listed: IntArray
    """(3k, 2): contact and row of the rows at work."""
    picked: IntArray
    """(3k, 2): contact and row of rows that do not depend on each other."""
    known: IntArray
    """(1,): how many of these there are, or UNKNOWN."""
    order: IntArray
    """(3k,): columns in pivot order."""
    rhs: Array
    """(3, 3k): right-hand side, solution, what is left of the pivots."""
    books: Array
    """(2,): work done by friction's loss within the step under way, and in all steps (J)."""
    reach: IntArray
    """(r, 2): places in ``System.tree``, leaves first, of the bodies between the contacts and their
    roots, and their trees."""
    held: Array
    """(k, 3): world forces across the normals of contacts in mode HELD (N)."""
    law: IntArray
    """(k + 1,): friction while sliding is the program code[law[i] : law[i + 1]] where not empty."""
    code: IntArray
    """(operations, 2): see ``kernels.multibody.programs``."""
    constants: Array
    stack: Array
    pieces: Pieces
    now: Standing
    room: Room
    moved: Array
    root: IntArray


LawProgram: TypeAlias = tuple[tuple[int, float], ...]
"""Opcodes and values of a coefficient of friction as a function of sliding speed; () for none."""


def surroundings(system: System, pieces: Pieces, now: Standing) -> Surroundings:
    """Return what contacts of ``system`` share; made anew with every plan of elimination."""
    n = len(system.body)
    root, above = np.full(n, -1, np.int64), np.zeros((n, len(system.tree)), bool)
    climb(system.tree, system.body_kind, root, above)
    return Surroundings(pieces, now, new_room(1), np.zeros((n, 13)), root, above)


@kernel(counted=False)
def climb(tree: IntArray, body_kind: IntArray, root: IntArray, above: BoolArray) -> None:
    """Fill ``Surroundings.root`` and ``Surroundings.above``."""
    for t in range(tree.shape[0] - 1, -1, -1):
        body, parent = tree[t, TREE_BODY], tree[t, TREE_PARENT]
        root[body] = t
        if parent >= 0:
            if body_kind[parent] == FREE:
                root[body] = root[parent]
            for place in range(tree.shape[0]):
                above[body, place] = above[parent, place]
        above[body, t] = True


class ContactSystem(NamedTuple):
    """A mechanism whose motion is integrated, and its closed contacts."""

    driven: Integrated
    contacts: Contacts


def make_contacts(
    system: System,
    around: Surroundings,
    table: IntArray,
    laws: tuple[LawProgram, ...] | None = None,
) -> Contacts:
    """Return memory for the contacts of ``table`` (k, TABLE_WIDTH), with their laws of friction."""
    n, count = len(system.body), len(table)
    assert table.shape == (count, TABLE_WIDTH)
    ends, code = [0], list[tuple[int, float]]()
    for law in laws or ((),) * count:
        code += law
        ends.append(len(code))
    made = Contacts(
        table=table,
        data=np.zeros((count, CONTACT_WIDTH)),
        mode=np.zeros(count, np.int64),
        friction=np.zeros(count),
        slip=np.zeros((count, 3)),
        kept=np.zeros((count, 3)),
        begun=np.zeros((count, 5)),
        pace=np.tile((SLOW, AHEAD), (count, 1)),
        ending=np.tile((SLOW, ASIDE, 0.0), (count, 1)),
        place=np.zeros((count, PLACE_WIDTH)),
        column=np.zeros((3 * count, n, 6)),
        delassus=np.zeros((3 * count, 3 * count)),
        spread=np.zeros((3, 3 * count, 3 * count)),
        stiffness=np.ones(count),
        force=np.zeros((count, 3)),
        base=np.zeros((count, 3)),
        scratch=np.zeros((2, n, 6)),
        rows=np.zeros(len(system.row)),
        listed=np.zeros((3 * count, 2), np.int64),
        picked=np.zeros((3 * count, 2), np.int64),
        known=np.array([UNKNOWN]),
        order=np.zeros(3 * count, np.int64),
        rhs=np.zeros((3, 3 * count)),
        books=np.zeros(2),
        reach=_reach(system, around, table),
        held=np.zeros((count, 3)),
        law=np.array(ends, np.int64),
        code=np.zeros((len(code), 2), np.int64),
        constants=np.zeros(len(code)),
        stack=np.zeros(STACK),
        pieces=around.pieces,
        now=around.now,
        room=around.room,
        moved=around.moved,
        root=around.root,
    )
    for number, (opcode, value) in enumerate(code):
        made.code[number] = (opcode, number)
        made.constants[number] = value
    return made


def _reach(system: System, around: Surroundings, table: IntArray) -> IntArray:
    bodies = table[:, 1:3].ravel()
    places = np.flatnonzero(around.above[bodies[bodies >= 0]].any(axis=0))
    found = np.empty((len(places), 2), np.int64)
    found[:, 0] = places
    found[:, 1] = around.root[system.tree[places, TREE_BODY]]
    return found
