"""Roots of an elimination around the circle, and their postures, polished: all on lanes.

What ``general_6r_elimination`` and ``trigonometric_roots`` do for one matrix and one root at a
time, for all of the same pose at once.

A root of ``general_6r_elimination`` stands in each lane. Matrices and poses lie row after row, an
entry a row of lanes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.chains.closed_forms.trigonometric_roots import NEAR, ROUNDS, SLOW, STILL
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2, sine_cosine
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    any_lane,
    copysign,
    fill,
    load,
    max_lanes,
    maximum,
    minimum,
    sqrt,
    store,
    where,
)

ROOTS = 16
BLOCKS = ROOTS // LANES_FLOAT64
"""Lanes that all roots fill."""


@kernel(fastmath=FASTMATH)
def twelve_on_lanes(rest: Any, c: Any, s: Any, out: Any) -> None:
    """Write the matrix of the elimination's ``twelve`` for an angle 3 in each lane: 144 rows."""
    for e in range(6):
        for k in range(3):
            one = rest[e, 0, 0, k] + c * rest[e, 1, 0, k] + s * rest[e, 2, 0, k]
            cos4 = 0.5 * (rest[e, 0, 1, k] + c * rest[e, 1, 1, k] + s * rest[e, 2, 1, k])
            sin4 = 0.5 * (rest[e, 0, 2, k] + c * rest[e, 1, 2, k] + s * rest[e, 2, 2, k])
            row = 12 * e + k
            store(out, row, one + cos4)
            store(out, row + 3, sin4)
            store(out, row + 6, cos4)
            store(out, row + 9, sin4)
            row += 72
            store(out, row, sin4)
            store(out, row + 3, one - cos4)
            store(out, row + 6, -sin4)
            store(out, row + 9, cos4)


@kernel(fastmath=FASTMATH)
def reflected(m: Any, rows: int, columns: int, width: int) -> Any:
    """Make the first ``columns`` of a matrix (rows, width) in each lane upper triangular.

    Householder's reflections: what one lane needs is what all need, without a choice of pivots.
    Returned is the product of the pivots with the sign that it has in the determinant.
    """
    value = fill(m, 1.0)
    for k in range(columns):
        head = load(m, (width + 1) * k)
        square = head * head
        for r in range(k + 1, rows):
            below = load(m, width * r + k)
            square = square + below * below
        norm = sqrt(square)
        signed = where(head > 0.0, norm, -norm)
        value = value * signed
        size = norm * (norm + absolute(head))
        share = where(size > 0.0, 1.0 / where(size > 0.0, size, 1.0), 0.0)
        head = head + signed
        for j in range(k + 1, width):
            dot = head * load(m, width * k + j)
            for r in range(k + 1, rows):
                dot = dot + load(m, width * r + k) * load(m, width * r + j)
            dot = dot * share
            store(m, width * k + j, load(m, width * k + j) - dot * head)
            for r in range(k + 1, rows):
                store(m, width * r + j, load(m, width * r + j) - dot * load(m, width * r + k))
        store(m, (width + 1) * k, -signed)
    return value


@kernel(fastmath=FASTMATH)
def determinants(m: Any) -> Any:
    """Return the determinant in each lane of a matrix (12, 12), 144 rows, which is destroyed."""
    return reflected(m, 12, 11, 12) * load(m, 143)


@kernel(fastmath=FASTMATH)
def _moved(e: Any, low: int, count: int, points: Any, flat: Any, b: int) -> None:
    """Move the roots of block ``b`` by one step of Aberth's iteration."""
    x, y, last = load(points[0], b), load(points[1], b), load(points[2], b)
    away = x * x + y * y
    inverse = 1.0 / away
    far = away > 1.0
    # far out the polynomial is read at 1/conj(z), where it is conj(p(z)) / z^count
    wx, wy = where(far, x * inverse, x), where(far, y * inverse, y)
    zero = fill(points[0], 0.0)
    vx, vy, sx, sy = zero, zero, zero, zero
    for i in range(count + 1):
        j = low + count - i
        sx, sy = sx * wx - sy * wy + vx, sx * wy + sy * wx + vy
        vx, vy = vx * wx - vy * wy + e[0, j], vx * wy + vy * wx + e[1, j]
    size = 1.0 / (vx * vx + vy * vy)
    rx, ry = (sx * vx + sy * vy) * size, (sy * vx - sx * vy) * size
    hx, hy = count - (wx * rx - wy * ry), wx * ry + wy * rx
    rx = where(far, (hx * x + hy * y) * inverse, rx)
    ry = where(far, (hy * x - hx * y) * inverse, ry)
    for j in range(count):
        dx, dy = x - flat[j], y - flat[ROOTS + j]
        gap = dx * dx + dy * dy
        share = where(gap > 0.0, 1.0 / where(gap > 0.0, gap, 1.0), 0.0)
        rx, ry = rx - dx * share, ry + dy * share
    size = rx * rx + ry * ry
    going = (last > 0.0) & (size > 0.0) & (size < 1e300)
    size = 1.0 / where(going, size, 1.0)
    store(points[0], b, where(going, x - rx * size, x))
    store(points[1], b, where(going, y + ry * size, y))
    step = size * inverse
    slow = (step < STILL) | ((step < NEAR) & (step > SLOW * last))
    store(points[2], b, where(going, where(slow, 0.0, step), 0.0))


@kernel(fastmath=FASTMATH)
def sixteen_roots(e: Any, low: int, count: int, points: Any) -> float:
    """Write the ``count`` complex roots of a sum of cosines and sines; return the last step.

    As ``trigonometric_roots``, all at once: ``points`` (3, blocks, lanes) are real and imaginary
    parts and squares of the last steps. ``e`` (2, k) with ``e[:, -1 - i]`` conjugate to ``e[:,
    i]``.
    """
    flat = points.reshape(3 * ROOTS)
    for k in range(ROOTS):
        turn = 2.0 * math.pi * (k + 0.3) / count
        size = 0.75 + 0.35 * (k % 3) if k < count else 3.0 + k
        flat[k] = size * math.cos(turn)
        flat[ROOTS + k] = size * math.sin(turn)
        flat[2 * ROOTS + k] = 1e300 if k < count else 0.0
    moved = 0.0
    for _ in range(ROUNDS):
        moved = 0.0
        for b in range(BLOCKS):
            _moved(e, low, count, points, flat, b)
            moved = max(moved, max_lanes(load(points[2], b)))
        if moved < 1e-26:
            break
    return math.sqrt(moved)


POLISH, SURE, LARGEST = 30, 6, 0.5
"""Most steps of Newton's method, how many are made whatever they bring, the largest, rad."""


class LaneRoom(NamedTuple):
    """Where the roots of one pose are worked on, a root in each lane.

    ``q`` (6, lanes) are the postures, ``quality`` (4, lanes) how far off they are, the least pivot
    of the Jacobian, how far off they were a step before, and whether they still move.
    """

    third: Any
    matrix: Any
    null: Any
    other: Any
    products: Any
    first: Any
    q: Any
    quality: Any
    pose: Any
    frames: Any
    system: Any
    step: Any


@kernel
def lane_room() -> LaneRoom:
    """Return room for the roots of one pose."""
    return LaneRoom(
        np.empty((1, LANES_FLOAT64)),
        np.empty((144, LANES_FLOAT64)),
        np.empty((12, LANES_FLOAT64)),
        np.empty((12, LANES_FLOAT64)),
        np.empty((27, LANES_FLOAT64)),
        np.empty((8, LANES_FLOAT64)),
        np.empty((6, LANES_FLOAT64)),
        np.empty((4, LANES_FLOAT64)),
        np.empty((12, LANES_FLOAT64)),
        np.empty((84, LANES_FLOAT64)),
        np.empty((42, LANES_FLOAT64)),
        np.empty((6, LANES_FLOAT64)),
    )


@kernel(fastmath=FASTMATH)
def _solved(m: Any, n: int, width: int, across: bool, least: float, x: Any) -> None:
    """Solve upper triangular equations for ``x`` in place; ``across``: transposed.

    ``m`` are matrices (n, width), of which no pivot counts less than ``least``.
    """
    for i in range(n):
        k = i if across else n - 1 - i
        total = load(x, k)
        for j in range(i):
            known = j if across else n - 1 - j
            place = width * known + k if across else width * k + known
            total = total - load(m, place) * load(x, known)
        pivot = load(m, (width + 1) * k)
        slight = absolute(pivot) < least
        store(x, k, total / where(slight, copysign(fill(m, least), pivot), pivot))


@kernel(fastmath=FASTMATH)
def _straightened(x: Any, other: Any, apart: bool) -> None:
    """Bring vectors (12,) to length 1, before that ``apart``: at right angles to ``other``."""
    if apart:
        dot = fill(x, 0.0)
        for k in range(12):
            dot = dot + load(x, k) * load(other, k)
        for k in range(12):
            store(x, k, load(x, k) - dot * load(other, k))
    square = fill(x, 1e-300)
    for k in range(12):
        square = square + load(x, k) * load(x, k)
    share = 1.0 / sqrt(square)
    for k in range(12):
        store(x, k, load(x, k) * share)


@kernel(fastmath=FASTMATH)
def _null_vectors(mix: float, room: LaneRoom) -> None:
    """Write the vector that the reflected matrix takes nearest to zero, by inverse iteration.

    Where it takes two to zero, ``mix`` picks one: the share of the second.
    """
    for number in range(2 if mix != 0.0 else 1):
        x = room.null if number == 0 else room.other
        for k in range(12):
            store(x, k, 1.0 + 0.25 * ((5 * k + 3 * number) % 7 - 3))
        _straightened(x, room.null, number > 0)
        _solved(room.matrix, 12, 12, True, 1e-20, x)
        _straightened(x, room.null, False)
        _solved(room.matrix, 12, 12, False, 1e-20, x)
        _straightened(x, room.null, number > 0)
    if mix != 0.0:
        for k in range(12):
            store(room.null, k, load(room.null, k) + mix * load(room.other, k))


@kernel(fastmath=FASTMATH)
def completed_on_lanes(
    rest: Any, factor: Any, loop: Any, slides: bool, split: int, mix: float, room: LaneRoom
) -> None:
    """Write the postures ``room.q`` of the arm whose loop has angle 3 of ``room.third``.

    ``rest``, ``factor`` and ``loop`` (7, 3, 4) as the elimination of ``split`` leaves them;
    ``mix`` as in ``_null_vectors``.
    """
    s3, c3 = sine_cosine(load(room.third, 0))
    twelve_on_lanes(rest, c3, s3, room.matrix)
    reflected(room.matrix, 12, 11, 12)
    _null_vectors(mix, room)
    null = room.null
    # cos and sin of t4/2, each times 1, cos t5 and sin t5: the greatest of the three tells t4
    half_c, half_s = load(null, 0), load(null, 3)
    most = half_c * half_c + half_s * half_s
    for k in range(1, 3):
        x, y = load(null, k), load(null, 3 + k)
        size = x * x + y * y
        half_c, half_s = where(size > most, x, half_c), where(size > most, y, half_s)
        most = maximum(size, most)
    share = 1.0 / most
    c4, s4 = (half_c - half_s) * (half_c + half_s) * share, 2.0 * half_c * half_s * share
    upper = absolute(load(null, 0)) > absolute(load(null, 3))
    one = where(upper, load(null, 0), load(null, 3))
    c5 = where(upper, load(null, 1), load(null, 4))
    s5 = where(upper, load(null, 2), load(null, 5))
    share = copysign(1.0 / sqrt(c5 * c5 + s5 * s5 + 1e-300), one)
    c5, s5 = c5 * share, s5 * share
    x3, y3, t3 = c3, s3, load(room.third, 0)
    if slides:
        # the travel of the joint is the tangent of half the angle
        t3 = s3 / (1.0 + c3)
        x3, y3 = t3, t3 * t3
    _first_two(factor, x3, y3, c4, s4, c5, s5, room)
    c1, s1 = _direction(load(room.first, 2), load(room.first, 5))
    c2, s2 = _direction(load(room.first, 0), load(room.first, 1))
    # what is left of the loop is angle 6: Rz(t6) = x^-1 g6^-1, its first column; row 1 of g6 moves
    u, v, w = loop[6, 0, 0] * c1, loop[6, 0, 0] * -s1, fill(null, loop[6, 0, 2])
    u, v = u + loop[6, 0, 1] * s1, v + loop[6, 0, 1] * c1
    u, v, w = _through(loop[1], u, v, w)
    u, v, w = _through(loop[2], c2 * u + s2 * v, c2 * v - s2 * u, w)
    if not slides:
        u, v = c3 * u + s3 * v, c3 * v - s3 * u
    u, v, w = _through(loop[3], u, v, w)
    u, v, w = _through(loop[4], c4 * u + s4 * v, c4 * v - s4 * u, w)
    u, v, w = _through(loop[5], c5 * u + s5 * v, c5 * v - s5 * u, w)
    _put(room.q, split, 0, arc_tangent2(s1, c1))
    _put(room.q, split, 1, arc_tangent2(s2, c2))
    _put(room.q, split, 2, t3)
    _put(room.q, split, 3, arc_tangent2(s4, c4))
    _put(room.q, split, 4, arc_tangent2(s5, c5))
    _put(room.q, split, 5, arc_tangent2(v, u))


@kernel(fastmath=FASTMATH)
def _put(q: Any, split: int, i: int, value: Any) -> None:
    """Write joint ``i`` of the loop where it stands in the arm."""
    j = (i + split) % 6
    if split < 6:
        store(q, j, value)
    else:
        store(q, 5 - j, -value)


@kernel(fastmath=FASTMATH, inline=True)
def _through(g: Any, u: Any, v: Any, w: Any) -> Any:
    """Return a row of three numbers times the turn of a motion."""
    return (
        u * g[0, 0] + v * g[1, 0] + w * g[2, 0],
        u * g[0, 1] + v * g[1, 1] + w * g[2, 1],
        u * g[0, 2] + v * g[1, 2] + w * g[2, 2],
    )


@kernel(fastmath=FASTMATH, inline=True)
def _direction(x: Any, y: Any) -> Any:
    """Return cosine and sine of the angle of (x, y)."""
    share = 1.0 / sqrt(x * x + y * y + 1e-300)
    return x * share, y * share


@kernel(fastmath=FASTMATH)
def _first_two(
    factor: Any, x3: Any, y3: Any, c4: Any, s4: Any, c5: Any, s5: Any, room: LaneRoom
) -> None:
    """Write the eight products of angles 1 and 2 that go with the joints behind."""
    for a in range(3):
        third = fill(room.first, 1.0) if a == 0 else (x3 if a == 1 else y3)
        for b in range(3):
            fourth = third if b == 0 else third * (c4 if b == 1 else s4)
            store(room.products, 9 * a + 3 * b, fourth)
            store(room.products, 9 * a + 3 * b + 1, fourth * c5)
            store(room.products, 9 * a + 3 * b + 2, fourth * s5)
    for back in range(8):
        e = 7 - back
        total = fill(room.first, 0.0)
        for k in range(27):
            total = total + factor[e, 8 + k] * load(room.products, k)
        for j in range(e + 1, 8):
            total = total - factor[e, j] * load(room.first, j)
        pivot = factor[e, e]
        store(room.first, e, total * (1.0 / pivot if pivot != 0.0 else 0.0))


@kernel(fastmath=FASTMATH)
def polished_on_lanes(links: Any, slide: int, pose: Any, most: int, room: LaneRoom) -> None:
    """Bring postures ``room.q`` to their pose by Newton's method; write ``room.quality``.

    The greatest entry by which the tip's pose (lengths in the arm's unit) is off, and the least
    pivot of the Jacobian. A posture that comes no nearer stays; each is looked at ``most`` times.
    """
    quality = room.quality
    store(quality, 2, np.inf)
    store(quality, 3, 1.0)
    for r in range(3):
        for k in range(4):
            store(room.pose, 4 * r + k, pose[r, k])
    for step in range(most):
        stand_on_lanes(links, slide, room.q, room.frames)
        off = off_on_lanes(room.pose, room.frames)
        least = newton_step(slide, -1, room.pose, room.frames, room.system, room.step)
        moves = load(quality, 3) > 0.0
        store(quality, 0, where(moves, off, load(quality, 0)))
        store(quality, 1, where(moves, least, load(quality, 1)))
        nearer = off < (load(quality, 2) * 0.7 if step >= SURE else fill(quality, np.inf))
        moves = moves & nearer & (off >= 1e-15)
        store(quality, 2, off)
        store(quality, 3, where(moves, 1.0, 0.0))
        if not any_lane(moves) or step == most - 1:
            break
        for i in range(6):
            change = minimum(maximum(load(room.step, i), -LARGEST), LARGEST)
            store(room.q, i, load(room.q, i) + where(moves, change, 0.0))


@kernel(fastmath=FASTMATH)
def stand_on_lanes(links: Any, slide: int, q: Any, frames: Any) -> None:
    """Write the frames (12 rows each) before each joint of postures ``q`` (n rows) and at the tip.

    ``links`` (n + 1, 3, 4); joint ``slide`` slides, -1 where all turn.
    """
    for r in range(3):
        for k in range(4):
            store(frames, 4 * r + k, links[0, r, k])
    for i in range(len(links) - 1):
        s, c = sine_cosine(load(q, i))
        behind = links[i + 1]
        for r in range(3):
            row = 12 * i + 4 * r
            x, y, z = load(frames, row), load(frames, row + 1), load(frames, row + 2)
            place = load(frames, row + 3)
            if i == slide:
                place = place + load(q, i) * z
            else:
                x, y = c * x + s * y, c * y - s * x
            for k in range(4):
                total = x * behind[0, k] + y * behind[1, k] + z * behind[2, k]
                store(frames, row + 12 + k, total + place if k == 3 else total)


@kernel(fastmath=FASTMATH)
def off_on_lanes(pose: Any, frames: Any) -> Any:
    """Return the greatest entry by which tips are off their poses, inf where one is no number."""
    tip = len(frames) - 12
    off = fill(frames, 0.0)
    total = fill(frames, 0.0)
    for k in range(12):
        away = absolute(load(frames, tip + k) - load(pose, k))
        off = maximum(away, off)
        total = total + away
    # the larger of a number and of what is none is the number; a sum with it is none
    return where(total < np.inf, off, fill(frames, np.inf))


@kernel(fastmath=FASTMATH)
def newton_step(slide: int, held: int, pose: Any, frames: Any, system: Any, step: Any) -> Any:
    """Write the step (6 rows) of six joints that brings tips to their poses; return least pivots.

    ``frames`` of ``stand_on_lanes``; where there are seven joints ``held`` is the one that stays.
    """
    tip = len(frames) - 12
    for r in range(3):
        a, b = 4 * ((r + 1) % 3), 4 * ((r + 2) % 3)
        turn = fill(frames, 0.0)
        for k in range(3):
            turn = turn + load(frames, tip + a + k) * load(pose, b + k)
            turn = turn - load(frames, tip + b + k) * load(pose, a + k)
        store(system, 21 + 7 * r + 6, 0.5 * turn)
        store(system, 7 * r + 6, load(pose, 4 * r + 3) - load(frames, tip + 3 + 4 * r))
        for i in range(6):
            joint = i + 1 if 0 <= held <= i else i
            first = 12 * joint
            if joint == slide:
                store(system, 7 * r + i, load(frames, first + 4 * r + 2))
                store(system, 21 + 7 * r + i, 0.0)
                continue
            arm_a = load(frames, tip + 3 + a) - load(frames, first + a + 3)
            arm_b = load(frames, tip + 3 + b) - load(frames, first + b + 3)
            turned = load(frames, first + a + 2) * arm_b - load(frames, first + b + 2) * arm_a
            store(system, 7 * r + i, turned)
            store(system, 21 + 7 * r + i, load(frames, first + 4 * r + 2))
    reflected(system, 6, 5, 7)
    for i in range(6):
        store(step, i, load(system, 7 * i + 6))
    _solved(system, 6, 7, False, 1e-14, step)
    least = absolute(load(system, 0))
    for i in range(1, 6):
        least = minimum(absolute(load(system, 8 * i)), least)
    return least
