"""How long a step may be before something fast touches, or a hinge comes to its limit.

Contacts are looked for in the middle of a step only. What moves farther in a step than a share of
its thickness is swept along the step by conservative advancement (``contact.approach``): the step
ends a little before the first touch, and a short one follows with the touch in its middle.
World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.contacts.pieces import HALF_SPACE, entry, stand, stand_piece
from articulata.kernels.contacts.separation import separation
from articulata.kernels.multibody import frames
from articulata.kernels.multibody.contact.approach import (
    APART,
    Approach,
    Step,
    advance,
    body_at,
    bound_motion,
    look,
    out_of_reach,
)
from articulata.kernels.multibody.contact.limits import axes_of
from articulata.kernels.multibody.rows import rotations
from articulata.kernels.multibody.stepping.meeting import pressed
from articulata.kernels.multibody.stepping.near import names, row_of
from articulata.kernels.multibody.stepping.step_scene import (
    COUNT,
    FORCE,
    LOWER,
    PAIR,
    PIECE_A,
    PIECE_B,
    SLOW,
    STRIKE,
    UPPER,
    Contacts,
    Scene,
)
from articulata.kernels.space_vectors import dot, minus

FAST = 0.25
"""Share of the thinner piece's thickness that a pair may move in a step without being swept."""

TURN = 0.5
"""Angle (rad) that a body may turn by in a step along which it is swept."""

NEAR = 0.1
"""Share of the thickness before a touch at which a step ends."""

BEFORE = 0.05
"""Share of a step before a hinge's limit at which it ends, at most."""

BEYOND, LEAST = 1e-3, 0.2
"""Shares of that way: by which the middle of the short step lies beyond the touch, and the least
length of the short step."""

CALM = 0.25
"""Share of the thickness that a pair moves in a step where steps are to be even and fine."""

SLID = 4.0
"""Thicknesses that a pair that stays together may move in a step."""

CLOSE = 1e-3
"""Share of the thickness beyond which a pair that touched in the step before is apart."""

ONWARD = 1e-8
"""Share of a step that the next takes at least, over the shares of thickness above."""

FLOOR = 1e-10
"""Overlap (m) that goes deeper by less is rounding."""

GRAZED = 1e-9
"""Hinges may pass their limits by so much (m, rad)."""

HALVINGS = 60
"""Steps of the search for the instant at which a hinge comes to its limit."""


@kernel(counted=False)
def even_length(scene: Scene, contacts: Contacts, h: float, fine: bool) -> float:
    """Return how long a step may be before it is known where it leads (s), ``h`` at most.

    Bodies near each other turn little in it. ``fine``: fast ones go on by less than their
    thickness, and no touch is looked for. ``contacts.flown`` is still the state at the start.
    """
    unit, bound = pace(scene, contacts, h)
    # time goes on, whatever turns up
    return min(h, max(ONWARD * h, CALM * unit if fine else bound))


@kernel(counted=False)
def safe_length(scene: Scene, contacts: Contacts, settings: Array, h: float) -> tuple[float, bool]:
    """Return how long the step may be (s), ``h`` at most, and whether it is one with a touch.

    ``contacts.start`` and ``flown`` are the states that free motion leads from and to; the contacts
    are those of the step before.
    """
    unit, _ = pace(scene, contacts, h)
    touch = 2.0
    if math.isfinite(unit):
        touch = swept(scene, contacts, h)
    touch = h * min(touch, limit_share(scene, contacts, settings[SLOW], h, min(1.0, touch)))
    if touch >= h:
        return h, False
    before = max(ONWARD * h, min(NEAR * unit, BEFORE * h))
    if touch > 1.5 * before:
        return touch - before, False
    return min(h, max(2.0 * touch + BEYOND * before, LEAST * before)), True


@kernel(counted=False)
def pace(scene: Scene, contacts: Contacts, h: float) -> tuple[float, float]:
    """Return in what time (s) a fast pair near each other moves by its thickness, inf for none.

    And how long a step may be along which such pairs are swept.
    """
    unit, bound, placed = math.inf, math.inf, False
    for k in range(contacts.listed[0]):
        way = fast_way(scene, contacts, k, h)
        if way == 0.0:
            continue
        if not placed:
            stand(scene.about, contacts.start, contacts.stood)
            placed = True
        if not may_meet(scene, contacts, k, h):
            continue
        thickness = thin(scene, contacts, k)
        unit = min(unit, thickness * h / way)
        for side in range(2):
            spin = spin_of(contacts, scene.about.body[contacts.near[k, side]])
            if h * spin > TURN:
                bound = min(bound, TURN / spin)
        if way > SLID * thickness and clings(scene, contacts, k):
            bound = min(bound, h * SLID * thickness / way)
    return unit, bound


@kernel(counted=False)
def thin(scene: Scene, contacts: Contacts, k: int) -> float:
    """Return the thickness (m) of the thinner piece of a pair."""
    return min(scene.thin[contacts.near[k, PIECE_A]], scene.thin[contacts.near[k, PIECE_B]])


@kernel(counted=False)
def spin_of(contacts: Contacts, body: int) -> float:
    """Return the larger angular speed (rad/s) of a body at both ends of the step."""
    before = after = 0.0
    for m in range(10, 13):
        before += contacts.start[body, m] ** 2
        after += contacts.flown[body, m] ** 2
    return math.sqrt(max(before, after))


@kernel(counted=False)
def pair_speed(contacts: Contacts, a: int, b: int) -> float:
    """Return the larger relative speed (m/s) of two mass centres at both ends of the step."""
    before = after = 0.0
    for m in range(7, 10):
        before += (contacts.start[a, m] - contacts.start[b, m]) ** 2
        after += (contacts.flown[a, m] - contacts.flown[b, m]) ** 2
    return math.sqrt(max(before, after))


@kernel(counted=False)
def fast_way(scene: Scene, contacts: Contacts, k: int, h: float) -> float:
    """Return how far (m) points of a pair may move past each other in a step, 0 where not fast."""
    i, j = contacts.near[k, PIECE_A], contacts.near[k, PIECE_B]
    a, b = scene.about.body[i], scene.about.body[j]
    way = pair_speed(contacts, a, b)
    way += spin_of(contacts, a) * scene.reach[i] + spin_of(contacts, b) * scene.reach[j]
    return h * way if h * way > FAST * thin(scene, contacts, k) else 0.0


@kernel(counted=False)
def may_meet(scene: Scene, contacts: Contacts, k: int, h: float) -> bool:
    """Tell whether balls about two mass centres that hold the pieces may meet within the step."""
    i, j = contacts.near[k, PIECE_A], contacts.near[k, PIECE_B]
    pieces, start, now = scene.about, contacts.start, contacts.stood
    if pieces.kind[i] == HALF_SPACE:
        i, j = j, i
    a, b = pieces.body[i], pieces.body[j]
    way = h * pair_speed(contacts, a, b)
    c = start[a, 0], start[a, 1], start[a, 2]
    if pieces.kind[j] == HALF_SPACE:
        if spin_of(contacts, b) > 0.0:
            return True
        height = dot(entry(now.axis, j), minus(c, entry(now.vertices, pieces.vertex_start[j])))
        return height - scene.reach[i] <= way
    d = minus(c, (start[b, 0], start[b, 1], start[b, 2]))
    room = scene.reach[i] + scene.reach[j] + way
    return dot(d, d) <= room * room


@kernel(counted=False)
def holds(scene: Scene, contacts: Contacts, k: int) -> bool:
    """Tell whether a limit pressed in the step before."""
    count = contacts.tally[COUNT]
    row = row_of(contacts.table, count, scene.limit[k, 1], -1 - k)
    return row < count and contacts.table[row, PAIR] == -1 - k and pressed(contacts.data, row)


@kernel(counted=False)
def clings(scene: Scene, contacts: Contacts, k: int) -> bool:
    """Tell whether a pair pressed in the step before, or struck in it and is all but in touch.

    Such a pair touches again at once where its normal turns. ``contacts.stood`` are the pieces
    where the step begins.
    """
    i, j = contacts.near[k, PIECE_A], contacts.near[k, PIECE_B]
    who, pair = names(scene, i, j)
    count = contacts.tally[COUNT]
    for row in range(row_of(contacts.table, count, who, pair), count):
        if contacts.table[row, PAIR] != pair:
            break
        if pressed(contacts.data, row):
            return True
        if contacts.data[row, FORCE] + contacts.data[row, STRIKE] > 0.0:
            near = CLOSE * thin(scene, contacts, k)
            gap, _ = separation(scene.about, contacts.stood, i, j, near)
            return gap <= near
    return False


@kernel(counted=False)
def trace(contacts: Contacts, h: float) -> None:
    """Fill ``flight`` with the motion from ``start`` to ``flown``: Hermite's cubics.

    Velocities follow straight lines. ``approach.body_at`` reads it.
    """
    dense, start, flown = contacts.flight, contacts.start, contacts.flown
    for i in range(start.shape[0]):
        same = 0.0
        for m in range(3, 7):
            same += start[i, m] * flown[i, m]
        # the two signs of a quaternion are one orientation
        sign = -1.0 if same < 0.0 else 1.0
        for m in range(13):
            end = flown[i, m] * (sign if 3 <= m < 7 else 1.0)
            dense[0, i, m] = end - start[i, m]
            if m < 7:
                before, after = rate(start, i, m, 1.0), rate(flown, i, m, sign)
                dense[1, i, m] = h * before - dense[0, i, m]
                dense[2, i, m] = dense[0, i, m] - h * after - dense[1, i, m]


@kernel(counted=False)
def motion_of(contacts: Contacts, h: float) -> Step:
    """Return the motion of a step of ``h`` s, which ``trace`` fills."""
    return Step(contacts.flight, contacts.start, h, contacts.bounds, contacts.moved)


@kernel(counted=False)
def rate(state: Array, i: int, m: int, sign: float) -> float:
    """Return how fast entry m < 7 of a body changes, per second; ``sign`` of its quaternion."""
    if m < 3:
        return float(state[i, 7 + m])
    x, y, z = 0.5 * sign * state[i, 10], 0.5 * sign * state[i, 11], 0.5 * sign * state[i, 12]
    if m == 3:
        return float(-x * state[i, 4] - y * state[i, 5] - z * state[i, 6])
    if m == 4:
        return float(x * state[i, 3] + y * state[i, 6] - z * state[i, 5])
    if m == 5:
        return float(y * state[i, 3] + z * state[i, 4] - x * state[i, 6])
    return float(z * state[i, 3] + x * state[i, 5] - y * state[i, 4])


@kernel(counted=False)
def swept(scene: Scene, contacts: Contacts, h: float) -> float:
    """Return the share of the step at which the first fast pair touches, 2 for none.

    Marks the pairs that stay apart until then as ``cleared``.
    """
    pieces, now, old, cleared = scene.about, contacts.stood, contacts.start, contacts.cleared
    near = Approach(pieces, now, scene.reach, FLOOR, motion_of(contacts, h))
    trace(contacts, h)
    bound_motion(near.step)
    stand(pieces, old, now)
    earliest = 2.0
    for k in range(contacts.listed[0]):
        if fast_way(scene, contacts, k, h) == 0.0:
            continue
        i, j = contacts.near[k, PIECE_A], contacts.near[k, PIECE_B]
        stand_piece(pieces, i, old, now)
        stand_piece(pieces, j, old, now)
        if not may_meet(scene, contacts, k, h) or out_of_reach(near, i, j):
            cleared[k] = 1
            continue
        last = min(1.0, earliest)
        if clings(scene, contacts, k):
            share = look(near, i, j, last, NEAR * thin(scene, contacts, k))
        else:
            gap, _ = separation(pieces, now, i, j, APART)
            cleared[k] = 1 if gap > APART else 0
            share = advance(near, i, j, last)
        earliest = min(earliest, share)
    return earliest


@kernel(counted=False)
def limit_share(scene: Scene, contacts: Contacts, slow: float, h: float, last: float) -> float:
    """Return the share of the step, up to ``last``, at which a hinge comes to its limit; or 2."""
    earliest, ready = 2.0, False
    for k in range(scene.limit.shape[0]):
        if holds(scene, contacts, k):
            continue
        if not ready:
            trace(contacts, h)
            rotations(contacts.flown, contacts.rotation)
            ready = True
        c, turns = scene.limit[k, 0], contacts.turned
        table, data, scratch = scene.coordinate, scene.coordinate_data, contacts.rotation
        speed = frames.coordinate_rate(table, data, c, contacts.flown, scratch)
        if abs(speed) <= slow:
            continue
        end = frames.coordinate(table, data, c, contacts.flown, scratch, turns[c])
        side = 1.0 if speed < 0.0 else -1.0
        bound = scene.limit_data[k, LOWER if speed < 0.0 else UPPER]
        if side * (end - bound) >= -GRAZED:
            continue
        low, high = 0.0, min(last, earliest)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if side * (turned_at(scene, contacts, c, middle) - bound) > 0.0:
                low = middle
            else:
                high = middle
        if low < last:
            earliest = min(earliest, high)
        rotations(contacts.flown, scratch)
    return earliest


@kernel(counted=False)
def turned_at(scene: Scene, contacts: Contacts, c: int, share: float) -> float:
    """Return a hinge's coordinate (rad, m) at a share of the step; spoils its bodies' rotations."""
    table, moved, scratch = scene.coordinate, contacts.moved, contacts.rotation
    step = motion_of(contacts, 0.0)
    for body in (table[c, frames.BODY_A], table[c, frames.BODY_B]):
        body_at(step, body, share)
        axes_of(moved, body, scratch)
    return frames.coordinate(table, scene.coordinate_data, c, moved, scratch, contacts.turned[c])
