"""The contacts of a step: points of the patches at its middle, and hinges at their limits.

Impulses of the step before are the first guess where a contact is found again. World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.patches import (
    COUNT as CORNERS,
)
from articulata.kernels.contacts.patches import (
    INDEX_A as FOUND_INDEX_A,
)
from articulata.kernels.contacts.patches import (
    INDEX_B as FOUND_INDEX_B,
)
from articulata.kernels.contacts.patches import (
    KIND_A as FOUND_KIND_A,
)
from articulata.kernels.contacts.patches import (
    KIND_B as FOUND_KIND_B,
)
from articulata.kernels.contacts.patches import boxes_apart, patch, too_far
from articulata.kernels.contacts.pieces import entry
from articulata.kernels.contacts.separation import separation
from articulata.kernels.multibody import frames
from articulata.kernels.multibody.rows import cross, turned
from articulata.kernels.multibody.stepping.near import names, row_of
from articulata.kernels.multibody.stepping.step_scene import (
    BODY_A,
    BODY_B,
    BOUNCE,
    BOUND,
    COLUMN_A,
    CORNER,
    COUNT,
    DISTANCE,
    FORCE,
    FRESH,
    HELD,
    IMPULSE,
    INDEX_A,
    INDEX_B,
    KIND_A,
    KIND_B,
    LOWER,
    NEW,
    NORMAL,
    OLD,
    PAIR,
    PIECE_A,
    PIECE_B,
    POINT,
    STRIKE,
    TANGENT_1,
    TANGENT_2,
    UPPER,
    WHO,
    Contacts,
    E,
    Scene,
)
from articulata.kernels.space_vectors import dot, minus

AGAIN = 0.05
"""Distance, as a share of the smaller piece, within which a contact counts as found again, beside
the way that the faster of the two bodies makes in the step."""

FOUND = -3
"""In place of a column's first row: this old contact was found again."""

SAME = 1e-3
"""Corners of a patch nearer to each other than this share of the smaller piece are one contact."""


@kernel(counted=False)
def meet(scene: Scene, contacts: Contacts, least: float, slack: float) -> bool:
    """Fill the contacts of a step with the pieces where they stand; False where room is short.

    ``least`` (m): features farther apart are left out where no servo drives them; ``slack`` (m):
    corners that differ by less are one face.
    """
    keep_old(contacts)
    pieces, now, count = scene.pieces, contacts.now, 0
    table, data = contacts.table, contacts.data
    for k in range(contacts.listed[0]):
        if contacts.cleared[k] == 1:
            continue
        i, j = contacts.near[k, PIECE_A], contacts.near[k, PIECE_B]
        way = max(contacts.way[i], contacts.way[j])
        margin = max(least, way)
        if too_far(pieces, now, i, j, margin) or boxes_apart(pieces, now, i, j, margin):
            continue
        gap, n = separation(pieces, now, i, j, margin)
        if gap > margin:
            continue
        flat = max(slack, -3.0 * gap, way)
        found, first = contacts.found, count
        who, pair = names(scene, i, j)
        size = min(pieces.ball[i, 3], pieces.ball[j, 3])
        moved = 2.0 * max(half_way(contacts, pieces.body[i]), half_way(contacts, pieces.body[j]))
        patch(pieces, now, i, j, gap, n, flat, contacts.corners, found, contacts.points,
              contacts.gaps)  # fmt: skip
        for corner in range(found[CORNERS]):
            if contacts.gaps[corner] > margin or known(contacts, first, count, corner, SAME * size):
                continue
            if spare(contacts.points, corner, found[CORNERS], SAME * size):
                continue
            if count == table.shape[0]:
                return False
            table[count, PAIR], table[count, WHO] = pair, who
            table[count, KIND_A], table[count, INDEX_A] = found[FOUND_KIND_A], found[FOUND_INDEX_A]
            table[count, KIND_B], table[count, INDEX_B] = found[FOUND_KIND_B], found[FOUND_INDEX_B]
            table[count, CORNER] = corner
            table[count, BODY_A], table[count, BODY_B] = pieces.body[i], pieces.body[j]
            for m in range(3):
                data[count, POINT + m] = contacts.points[corner, m]
            data[count, DISTANCE] = contacts.gaps[corner]
            set_axes(data, count, n)
            point_rows(contacts, count)
            guess(contacts, count, AGAIN * size + moved)
            count += 1
    contacts.tally[COUNT] = count
    return True


@kernel(counted=False)
def keep_old(contacts: Contacts) -> None:
    """Put the contacts aside as those of the step before."""
    count = contacts.tally[COUNT]
    contacts.tally[OLD], contacts.tally[NEW] = count, 0
    for i in range(count):
        for k in range(contacts.table.shape[1]):
            contacts.old_table[i, k] = contacts.table[i, k]
        contacts.old_table[i, COLUMN_A] = 0  # not found again so far
        for k in range(contacts.data.shape[1]):
            contacts.old_data[i, k] = contacts.data[i, k]


@kernel(counted=False)
def put_back(contacts: Contacts) -> None:
    """Take up the contacts of the step before again, as ``keep_old`` found them."""
    contacts.tally[COUNT] = contacts.tally[OLD]
    for i in range(contacts.tally[OLD]):
        for k in range(contacts.table.shape[1]):
            contacts.table[i, k] = contacts.old_table[i, k]
        for k in range(contacts.data.shape[1]):
            contacts.data[i, k] = contacts.old_data[i, k]


@kernel(counted=False)
def set_axes(data: Array, i: int, n: tuple[float, float, float]) -> None:
    """Set a normal and two tangents across it."""
    x, y, z = n
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        t = (0.0, z, -y)
    elif abs(y) <= abs(z):
        t = (-z, 0.0, x)
    else:
        t = (y, -x, 0.0)
    s = 1.0 / math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    t = (s * t[0], s * t[1], s * t[2])
    b = cross(x, y, z, t[0], t[1], t[2])
    for k in range(3):
        data[i, NORMAL + k], data[i, TANGENT_1 + k], data[i, TANGENT_2 + k] = n[k], t[k], b[k]


@kernel(counted=False)
def point_rows(contacts: Contacts, i: int) -> None:
    """Fill the rows of a contact from its point and axes, arms in the middle of the step."""
    data, J, poses = contacts.data, contacts.J, contacts.middle
    a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
    x, y, z = data[i, POINT], data[i, POINT + 1], data[i, POINT + 2]
    for row in range(3):
        d = data[i, 3 * row], data[i, 3 * row + 1], data[i, 3 * row + 2]
        s = cross(x - poses[a, 0], y - poses[a, 1], z - poses[a, 2], d[0], d[1], d[2])
        t = cross(x - poses[b, 0], y - poses[b, 1], z - poses[b, 2], d[0], d[1], d[2])
        for k in range(3):
            J[i, row, k], J[i, row, 3 + k] = d[k], s[k]
            J[i, row, 6 + k], J[i, row, 9 + k] = -d[k], -t[k]


@kernel(counted=False)
def known(contacts: Contacts, first: int, count: int, corner: int, near: float) -> bool:
    """Return whether a corner of the patch found last is one of the contacts from ``first`` on."""
    for i in range(first, count):
        far = 0.0
        for k in range(3):
            far += (contacts.data[i, POINT + k] - contacts.points[corner, k]) ** 2
        if far <= near * near:
            contacts.data[i, DISTANCE] = min(contacts.data[i, DISTANCE], contacts.gaps[corner])
            return True
    return False


@kernel(counted=False)
def spare(points: Array, corner: int, count: int, near: float) -> bool:
    """Return whether a corner of a patch lies on the line between its neighbours.

    Where two edges lie on each other, rounding decides where they cross.
    """
    if count < 4:
        return False
    p = entry(points, corner)
    before = after = p
    for step in range(1, count):
        before = minus(entry(points, (corner - step) % count), p)
        if dot(before, before) > near * near:
            break
    for step in range(1, count):
        after = minus(entry(points, (corner + step) % count), p)
        if dot(after, after) > near * near:
            break
    across = cross(before[0], before[1], before[2], after[0], after[1], after[2])
    along = minus(after, before)
    return dot(before, after) < 0.0 and dot(across, across) <= near * near * dot(along, along)


@kernel(counted=False)
def guess(contacts: Contacts, i: int, near: float) -> None:
    """Start from the impulse that the same contact, or one close by, had in the step before.

    An old contact is found again by one new one only.
    """
    table, data, before = contacts.table, contacts.data, contacts.old_table
    best, least = -1, near * near
    pair, count = table[i, PAIR], contacts.tally[OLD]
    for old in range(row_of(before, count, table[i, WHO], pair), count):
        if before[old, PAIR] != pair:
            break
        if before[old, COLUMN_A] == FOUND:
            continue
        far = 0.0
        for m in range(3):
            far += (data[i, POINT + m] - contacts.old_data[old, POINT + m]) ** 2
        if far <= least:
            best, least = old, far
    for row in range(3):
        data[i, FORCE + row] = 0.0
    table[i, FRESH], table[i, HELD] = 1 if best < 0 else 0, 0
    if best < 0:
        contacts.tally[NEW] += 1
        return
    for row in range(3):
        for m in range(3):
            data[i, FORCE + row] += data[i, 3 * row + m] * contacts.old_data[best, IMPULSE + m]
    before[best, COLUMN_A] = FOUND
    table[i, HELD] = 1 if pressed(contacts.old_data, best) else 0


@kernel(counted=False)
def half_way(contacts: Contacts, body: int) -> float:
    """Return how far the mass centre of a body is from where the step began, m."""
    far = 0.0
    for k in range(3):
        far += (contacts.middle[body, k] - contacts.start[body, k]) ** 2
    return math.sqrt(far)


@kernel(counted=False)
def pressed(data: Array, i: int) -> bool:
    """Return whether a contact pressed in its step and was to stay closed after it."""
    return data[i, FORCE] > 0.0 and data[i, BOUND] <= 0.0 and data[i, STRIKE] == 0.0


@kernel(counted=False)
def reach_limits(scene: Scene, contacts: Contacts, least: float, h: float) -> bool:
    """Add the hinges that are at their limits in the middle of the step; False if room is short."""
    table, data, J = contacts.table, contacts.data, contacts.J
    middle, scratch, turns = contacts.middle, contacts.rotation, contacts.turned
    count = contacts.tally[COUNT]
    for k in range(scene.limit.shape[0]):
        c = scene.limit[k, 0]
        a, b = scene.coordinate[c, frames.BODY_A], scene.coordinate[c, frames.BODY_B]
        value = frames.coordinate(
            scene.coordinate, scene.coordinate_data, c, middle, scratch, turns[c]
        )
        turns[c] = value
        margin = least
        if scene.giving.shape[0] > 0:
            change = frames.coordinate_rate(
                scene.coordinate, scene.coordinate_data, c, contacts.flown, scratch
            ) - frames.coordinate_rate(
                scene.coordinate, scene.coordinate_data, c, contacts.start, scratch
            )
            margin = max(least, h * abs(change))
        low, high = value - scene.limit_data[k, LOWER], scene.limit_data[k, UPPER] - value
        if low > margin and high > margin:
            continue
        if count == table.shape[0]:
            return False
        sign = 1.0 if low <= high else -1.0
        for m in range(table.shape[1]):
            table[count, m] = 0
        for m in range(data.shape[1]):
            data[count, m] = 0.0
        table[count, PAIR], table[count, WHO] = -1 - k, scene.limit[k, 1]
        table[count, CORNER] = table[count, KIND_A] = 0 if sign > 0.0 else 1
        table[count, BODY_A], table[count, BODY_B] = a, b
        data[count, DISTANCE], data[count, E] = min(low, high), scene.limit_data[k, BOUNCE]
        for row in range(3):
            for m in range(12):
                J[count, row, m] = 0.0
        R_B = frames.R_B
        data_c = scene.coordinate_data
        z = turned(scratch, b, data_c[c, R_B + 2], data_c[c, R_B + 5], data_c[c, R_B + 8])
        if scene.coordinate[c, frames.TURNING] == 1:
            for m in range(3):
                J[count, 0, 3 + m], J[count, 0, 9 + m] = sign * z[m], -sign * z[m]
        else:
            P_A = frames.P_A
            arm = turned(scratch, a, data_c[c, P_A], data_c[c, P_A + 1], data_c[c, P_A + 2])
            s = cross(arm[0], arm[1], arm[2], z[0], z[1], z[2])
            t = cross(
                arm[0] + middle[a, 0] - middle[b, 0],
                arm[1] + middle[a, 1] - middle[b, 1],
                arm[2] + middle[a, 2] - middle[b, 2],
                z[0],
                z[1],
                z[2],
            )
            for m in range(3):
                J[count, 0, m], J[count, 0, 3 + m] = sign * z[m], sign * s[m]
                J[count, 0, 6 + m], J[count, 0, 9 + m] = -sign * z[m], -sign * t[m]
        before = contacts.old_table
        old = row_of(before, contacts.tally[OLD], scene.limit[k, 1], -1 - k)
        if (
            old < contacts.tally[OLD]
            and before[old, PAIR] == -1 - k
            and before[old, CORNER] == table[count, CORNER]
        ):
            data[count, FORCE] = contacts.old_data[old, FORCE]
            table[count, HELD] = 1 if pressed(contacts.old_data, old) else 0
        count += 1
    contacts.tally[COUNT] = count
    return True
