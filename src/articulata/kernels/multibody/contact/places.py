"""Contacts evaluated where the bodies are, pairs of curved features by their pieces.

A rim across an edge or a cone's wall on a corner has no row of its own in ``rows``: gap, normal and
point and how they move follow from the features' supports (``curved``). Where that fails they come
from the pieces' separation at the instant and its differences over a short way forth and back along
the velocities. World axes, metres, seconds.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.hollow import in_hollow, is_hollow, met
from articulata.kernels.contacts.patches import CORNER, facing, of_edges
from articulata.kernels.contacts.pieces import HALF_SPACE, ROUND, entry, stand_piece
from articulata.kernels.contacts.rounds import of_round, of_rounds
from articulata.kernels.multibody.contact.curved import (
    facing_normal,
    motion_of_facing,
    support_of,
)
from articulata.kernels.multibody.contact.features import LEVEL
from articulata.kernels.multibody.contact.limits import follow_limit
from articulata.kernels.multibody.contact.memory import Contacts
from articulata.kernels.multibody.contact.primitives import in_world
from articulata.kernels.multibody.contact.rows import (
    AXIS_B,
    BODY_A,
    BODY_B,
    FEATURE_A,
    FEATURE_B,
    INDEX_A,
    INDEX_B,
    KIND,
    PIECE_A,
    PIECE_B,
    PIECES,
    evaluate_contacts,
    finish_contact,
)
from articulata.kernels.multibody.project import turn
from articulata.kernels.multibody.rows import motion, place
from articulata.kernels.space_vectors import Vector, ahead, dot, flipped

WAY = 1e-5
"""Turn (rad), or way as a share of the size, over which differences are taken."""


@kernel(counted=False, apart=True)
def evaluate(contacts: Contacts, state: Array, scratch: Array) -> None:
    """Fill ``contacts.place`` at ``state``; fills the rotations of ``scratch``."""
    evaluate_contacts(contacts.table, contacts.data, state, scratch, contacts.place)
    for i in range(contacts.table.shape[0]):
        if contacts.table[i, KIND] == PIECES and not follow_supports(contacts, i, state):
            follow_pieces(contacts, i, state)
        if contacts.table[i, KIND] > PIECES:
            follow_limit(contacts.table, contacts.data, i, state, scratch, contacts.place)


@kernel(counted=False)
def follow_supports(contacts: Contacts, i: int, state: Array) -> bool:
    """Fill the place of a contact of curved features from their supports; False where it fails."""
    table, pieces, now = contacts.table, contacts.pieces, contacts.now
    a, b = table[i, BODY_A], table[i, BODY_B]
    one, two = table[i, PIECE_A], table[i, PIECE_B]
    stand_piece(pieces, one, state, now)
    stand_piece(pieces, two, state, now)
    smooth, first = support_of(pieces, now, one, table[i, FEATURE_A], table[i, INDEX_A])
    also, second = support_of(pieces, now, two, table[i, FEATURE_B], table[i, INDEX_B])
    if not (smooth and also):
        return False
    size, scratch = min(pieces.ball[one, 3], pieces.ball[two, 3]), contacts.room.work[3, :, 0]
    data = contacts.data
    near = in_world(now, two, (data[i, AXIS_B], data[i, AXIS_B + 1], data[i, AXIS_B + 2]))
    found, n, z, gap = facing_normal(first, second, near, size, scratch)
    if not found:
        _, near = apart_along(contacts, one, two)
        found, n, z, gap = facing_normal(first, second, near, size, scratch)
        if not found:
            return False
    va0, va1, va2, wa0, wa1, wa2 = motion(state, a)
    vb0, vb1, vb2, wb0, wb1, wb2 = motion(state, b)
    moves = (
        place(state, a),
        place(state, b),
        (va0, va1, va2),
        (vb0, vb1, vb2),
        (wa0, wa1, wa2),
        (wb0, wb1, wb2),
    )
    told, x, bent, dx = motion_of_facing(first, second, n, z, gap, moves, scratch)
    if told:
        finish_contact(state, a, b, gap, n, bent, x, dx, contacts.place, i)
    return told


@kernel(counted=False)
def follow_pieces(contacts: Contacts, i: int, state: Array) -> None:
    """Fill the place of a contact of curved features."""
    a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
    size = min(
        contacts.pieces.ball[contacts.table[i, PIECE_A], 3],
        contacts.pieces.ball[contacts.table[i, PIECE_B], 3],
    )
    fastest = 0.0
    for body in (a, b):
        for j in range(3):
            fastest = max(fastest, abs(state[body, 7 + j]) / size, abs(state[body, 10 + j]))
    h = WAY / fastest if fastest > 0.0 else 0.0
    _, n0, x0 = meeting(contacts, i, state, -h)
    _, n1, x1 = meeting(contacts, i, state, h)
    gap, n, x = meeting(contacts, i, state, 0.0)
    way = 0.5 / h if h > 0.0 else 0.0
    bent = (way * (n1[0] - n0[0]), way * (n1[1] - n0[1]), way * (n1[2] - n0[2]))
    keep = dot(bent, n)
    bent = (bent[0] - keep * n[0], bent[1] - keep * n[1], bent[2] - keep * n[2])
    dx = (way * (x1[0] - x0[0]), way * (x1[1] - x0[1]), way * (x1[2] - x0[2]))
    finish_contact(state, a, b, gap, n, bent, x, dx, contacts.place, i)


@kernel(counted=False)
def apart_along(contacts: Contacts, i: int, j: int) -> tuple[float, Vector]:
    """Return separation and direction of two pieces in touch of which at least one is round."""
    pieces, now, up = contacts.pieces, contacts.now, (0.0, 1.0, 0.0)
    if pieces.kind[i] > HALF_SPACE:
        return in_hollow(pieces, now, i, j)
    if pieces.kind[i] == ROUND and pieces.kind[j] == ROUND:
        return of_rounds(pieces, now, i, j, -math.inf, up, math.inf)
    if pieces.kind[j] == ROUND:
        return of_round(pieces, now, i, j, -math.inf, up, math.inf)
    gap, n = of_round(pieces, now, j, i, -math.inf, up, math.inf)
    return gap, flipped(n)


@kernel(counted=False)
def meeting(contacts: Contacts, i: int, state: Array, h: float) -> tuple[float, Vector, Vector]:
    """Return gap, normal and point of a contact's pieces h seconds of steady motion away."""
    table, pieces, now, moved = contacts.table, contacts.pieces, contacts.now, contacts.moved
    one, two = table[i, PIECE_A], table[i, PIECE_B]
    for body in (table[i, BODY_A], table[i, BODY_B]):
        for j in range(13):
            moved[body, j] = state[body, j]
        for j in range(3):
            moved[body, j] += h * state[body, 7 + j]
        if h != 0.0:
            turn(moved, body, h * state[body, 10], h * state[body, 11], h * state[body, 12])
    stand_piece(pieces, one, moved, now)
    stand_piece(pieces, two, moved, now)
    gap, n = apart_along(contacts, one, two)
    if pieces.kind[one] > HALF_SPACE:
        first = is_hollow(pieces, one)
        (_, m, _, _), at = met(pieces, now, two, one) if first else met(pieces, now, one, two)
        return gap, n, ahead(at, -0.5 * gap, m)
    A, B = contacts.room.work[0], contacts.room.work[1]
    slack = LEVEL * min(pieces.ball[one, 3], pieces.ball[two, 3])
    _, _, na = facing(pieces, now, one, flipped(n), slack, A)
    _, _, nb = facing(pieces, now, two, n, slack, B)
    if table[i, FEATURE_A] == CORNER or (na == 1 and nb != 1):
        return gap, n, ahead(entry(A, 0), -0.5 * gap, n)
    if table[i, FEATURE_B] == CORNER or nb == 1:
        return gap, n, ahead(entry(B, 0), 0.5 * gap, n)
    points, gaps = contacts.room.points[0], contacts.room.gaps[0]
    found = 0
    if na == 2 and nb == 2:
        found = of_edges(A, B, gap, n, contacts.room.work[2], points, gaps)
    if found == 0:
        return gap, n, ahead(entry(A, 0), -0.5 * gap, n)
    x = y = z = 0.0
    for k in range(found):
        x, y, z = x + points[k, 0], y + points[k, 1], z + points[k, 2]
    return gap, n, (x / found, y / found, z / found)
