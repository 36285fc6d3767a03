"""Which pieces may meet in a step: bodies near each other, found by sorting, and kept for a while.

Each body stands in a cube with room for its way; as long as it stays in it the list holds.
World axes, SI.
Reference: Cohen et al., I-COLLIDE, Symp. Interactive 3D Graphics (1995) 189 (sweep and prune).
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import MEETS
from articulata.kernels.multibody.stepping.step_scene import (
    PAIR,
    PIECE_A,
    PIECE_B,
    WHO,
    Contacts,
    Scene,
)

SHARE, WAYS = 0.05, 4.0
"""Room in a cube beside a body's way: as a share of its extent, and as many more such ways."""

SPREAD = 2.0
"""Times that bodies are spread farther along another axis, as squares, before they are sorted
along it."""


@kernel(counted=False)
def list_near(scene: Scene, contacts: Contacts, h: float, margin: float) -> bool:
    """List the pieces that may come within ``margin`` (m) in a step; False where room is short.

    ``contacts.start`` and ``flown`` hold the velocities; none is marked as cleared.
    """
    if not still_near(scene, contacts, h, margin):
        place_boxes(scene, contacts, h, margin)
        sort_bodies(contacts)
        bodies = meeting_bodies(scene, contacts)
        if bodies > contacts.near.shape[0]:
            contacts.listed[0] = -1 - bodies
            return False
        in_order(contacts.meeting, contacts.near, bodies, 1, contacts.slot)
        in_order(contacts.near, contacts.meeting, bodies, 0, contacts.slot)
        pieces = meeting_pieces(scene, contacts, bodies)
        if pieces > contacts.near.shape[0]:
            contacts.listed[0] = -1 - pieces
            return False
        contacts.listed[0] = pieces
    for k in range(contacts.listed[0]):
        contacts.cleared[k] = 0
    return True


@kernel(counted=False)
def way_of(contacts: Contacts, i: int, h: float) -> float:
    """Return how far (m) the mass centre of a body may get in a step."""
    before = after = 0.0
    for k in range(7, 10):
        before += contacts.start[i, k] ** 2
        after += contacts.flown[i, k] ** 2
    return h * math.sqrt(max(before, after))


@kernel(counted=False)
def still_near(scene: Scene, contacts: Contacts, h: float, margin: float) -> bool:
    """Tell whether all bodies stay in the cubes that the list was made for."""
    boxes, start = contacts.boxes, contacts.start
    if contacts.listed[0] < 0:
        return False
    for i in range(start.shape[0]):
        room = boxes[i, 3] - scene.extent[i] - margin - way_of(contacts, i, h)
        for k in range(3):
            if abs(start[i, k] - boxes[i, k]) > room:
                return False
    return True


@kernel(counted=False)
def place_boxes(scene: Scene, contacts: Contacts, h: float, margin: float) -> None:
    """Put cubes about all bodies."""
    boxes, extent = contacts.boxes, scene.extent
    for i in range(boxes.shape[0]):
        for k in range(3):
            boxes[i, k] = contacts.start[i, k]
        boxes[i, 3] = (1.0 + SHARE) * extent[i] + margin + (1.0 + WAYS) * way_of(contacts, i, h)


@kernel(counted=False)
def sort_bodies(contacts: Contacts) -> None:
    """Sort the bodies along an axis along which they are spread far, by insertion."""
    boxes, order, axis = contacts.boxes, contacts.order, contacts.listed[1]
    most = 0.0
    for j in range(-1, 3):
        k = axis if j < 0 else j
        count = total = square = 0.0
        for i in range(boxes.shape[0]):
            if math.isfinite(boxes[i, 3]):
                count += 1.0
                total += boxes[i, k]
                square += boxes[i, k] ** 2
        spread = square - total * total / max(1.0, count)
        if j < 0 or spread > SPREAD * most:
            axis, most = k, spread
    contacts.listed[1] = axis
    for n in range(1, order.shape[0]):
        body, m = order[n], n
        low = boxes[body, axis] - boxes[body, 3]
        while m > 0 and boxes[order[m - 1], axis] - boxes[order[m - 1], 3] > low:
            order[m] = order[m - 1]
            m -= 1
        order[m] = body


@kernel(counted=False)
def meeting_bodies(scene: Scene, contacts: Contacts) -> int:
    """Fill ``meeting`` with the bodies whose cubes overlap; return how many pairs there are."""
    boxes, order, axis, found = contacts.boxes, contacts.order, contacts.listed[1], 0
    one, other = (axis + 1) % 3, (axis + 2) % 3
    for n in range(order.shape[0]):
        a = order[n]
        high = boxes[a, axis] + boxes[a, 3]
        for m in range(n + 1, order.shape[0]):
            b = order[m]
            if boxes[b, axis] - boxes[b, 3] > high:
                break
            reach = boxes[a, 3] + boxes[b, 3]
            if abs(boxes[a, one] - boxes[b, one]) > reach:
                continue
            if abs(boxes[a, other] - boxes[b, other]) > reach or scene.surface[a, b] < 0:
                continue
            if found < contacts.meeting.shape[0]:
                contacts.meeting[found, 0], contacts.meeting[found, 1] = min(a, b), max(a, b)
            found += 1
    return found


@kernel(counted=False)
def in_order(rows: IntArray, out: IntArray, count: int, column: int, slot: IntArray) -> None:
    """Put the first ``count`` rows (k, 2) into ``out`` in the order of a column, else as they are.

    ``slot`` (n + 1,) is scratch.
    """
    slot[:] = 0
    for k in range(count):
        slot[rows[k, column] + 1] += 1
    for b in range(1, slot.shape[0]):
        slot[b] += slot[b - 1]
    for k in range(count):
        at = slot[rows[k, column]]
        slot[rows[k, column]] += 1
        out[at, 0], out[at, 1] = rows[k, 0], rows[k, 1]


@kernel(counted=False)
def meeting_pieces(scene: Scene, contacts: Contacts, bodies: int) -> int:
    """Fill ``near`` with the pieces of the bodies in ``meeting``; return how many pairs it has."""
    meeting, near, kind, found = contacts.meeting, contacts.near, scene.pieces.kind, 0
    start = scene.piece_start
    for k in range(bodies):
        a, b = meeting[k, 0], meeting[k, 1]
        for i in scene.piece[start[a] : start[a + 1]]:
            for j in scene.piece[start[b] : start[b + 1]]:
                if MEETS[kind[i], kind[j]]:
                    if found < near.shape[0]:
                        near[found, PIECE_A], near[found, PIECE_B] = i, j
                    found += 1
    return found


@kernel(counted=False)
def names(scene: Scene, i: int, j: int) -> tuple[int, int]:
    """Return how a table of contacts names the pair of bodies of two pieces, and the pieces."""
    body = scene.pieces.body
    return body[i] * scene.group.shape[0] + body[j], i * body.shape[0] + j


@kernel(counted=False)
def row_of(table: IntArray, count: int, who: int, pair: int) -> int:
    """Return the first row of a table of contacts that is not before those of a pair of pieces."""
    low, high = 0, count
    while low < high:
        at = (low + high) // 2
        if table[at, WHO] < who or (table[at, WHO] == who and table[at, PAIR] < pair):
            low = at + 1
        else:
            high = at
    return low
