"""Postures of six joints from the roots of ``general6_kernels``: completed and polished."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.chains.general6_kernels import (
    DEGREE,
    MET,
    SAME,
    SAMPLES,
    SLOTS,
    coefficients,
    eliminate,
    half_angles,
    loop_of,
    null_vector,
    twelve,
)
from articulata.kernels.chains.rigid_motions import (
    copied,
    scaled_pose,
    solved,
    stand,
    tip_equations,
)
from articulata.kernels.chains.sixteen_roots import (
    BLOCKS,
    determinants,
    sixteen_roots,
    twelve_on_lanes,
)
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import load, store

SINGULAR = 1e-6
"""Least pivot of the Jacobian, in units of the arm, under which branches are taken to meet."""

_ON_CIRCLE = 0.01
_NEAR_CIRCLE = 0.05
_ROUGH = 0.35
_NOISE = 1e-10
_CROWD, _CROWDED = 5, 0.3
_POLISH = 30
_MIXES = 9
_IDLE = 4
_PASSES = -(-SAMPLES // LANES_FLOAT64)


class Room(NamedTuple):
    """Where one pose is worked on; see the kernels that write each."""

    loop: Any
    motions: Any
    left: Any
    right: Any
    sums: Any
    factor: Any
    rest: Any
    matrix: Any
    order: Any
    around: Any
    determinants: Any
    circle: Any
    values: Any
    series: Any
    roots: Any
    points: Any
    angles: Any
    frames: Any
    system: Any


@kernel
def _room() -> Room:
    """Return room for one pose, with the points of the circle where determinants are computed."""
    around = np.empty((3, _PASSES, LANES_FLOAT64))
    circle = around.reshape((3, _PASSES * LANES_FLOAT64))
    for i in range(_PASSES * LANES_FLOAT64):
        circle[0, i] = math.cos(2.0 * math.pi * i / SAMPLES)
        circle[1, i] = math.sin(2.0 * math.pi * i / SAMPLES)
    points = np.empty((3, BLOCKS, LANES_FLOAT64))
    loop = np.zeros((7, 3, 4))
    for r in range(3):
        loop[0, r, r] = 1.0
    return Room(
        loop,
        np.empty((3, 3, 4)),
        np.empty((3, 3, 3, 15)),
        np.empty((9, 15)),
        np.empty((12, 15)),
        np.empty((14, 36)),
        np.empty((6, 3, 3, 3)),
        np.empty((12, 12)),
        np.empty(12, np.int64),
        around,
        np.empty((144, LANES_FLOAT64)),
        circle,
        circle[2],
        np.empty((2, 2 * DEGREE + 1)),
        points.reshape((3, 2 * DEGREE)),
        points,
        np.empty(6),
        np.empty((7, 3, 4)),
        np.empty((6, 7)),
    )


@kernel
def _series(values: Any, circle: Any, out: Any) -> Any:
    """Write the coefficients of z = exp(i t) of a sum of cosines and sines; return the greatest.

    ``values`` (20,) are the sum's at equal steps around the circle. Returned too is the share of
    the greatest by which the ninth and tenth coefficients, which are zero, are not.
    """
    most = 0.0
    noise = 0.0
    for k in range(DEGREE + 3):
        c, s = 0.0, 0.0
        at = 0
        for i in range(SAMPLES):
            c += values[i] * circle[0, at]
            s -= values[i] * circle[1, at]
            at += k
            if at >= SAMPLES:
                at -= SAMPLES
        size = math.sqrt(c * c + s * s)
        if k > DEGREE:
            noise = max(noise, size)
            continue
        out[0, DEGREE + k], out[1, DEGREE + k] = c, s
        out[0, DEGREE - k], out[1, DEGREE - k] = c, -s
        most = max(most, size)
    if most > 0.0:
        for k in range(2 * DEGREE + 1):
            out[0, k] /= most
            out[1, k] /= most
        noise /= most
    return most, noise


@kernel
def _roots_of(links: Any, slides: bool, pose: Any, split: int, room: Room) -> Any:
    """Write the roots exp(i t3) of a split; return how many, and how inexact they are.

    Where joint 3 slides, angles are read half a step behind: at half a turn nothing can be read.
    """
    loop_of(links, pose, split, room.loop[1:], room.motions)
    coefficients(room.loop[1:], slides, room.left, room.right, room.sums)
    eliminate(room.left, room.right, room.rest, room.factor)
    if slides:
        half_angles(room.rest)
    behind = _behind(slides)
    cb, sb = math.cos(behind), math.sin(behind)
    for i in range(_PASSES):
        x, y = load(room.around[0], i), load(room.around[1], i)
        c, s = cb * x - sb * y, cb * y + sb * x
        twelve_on_lanes(room.rest, c, s, room.determinants)
        value = determinants(room.determinants)
        if slides:
            # eight roots of cos(t/2)
            square = (1.0 + c) * (1.0 + c)
            value = value / (square * square)
        store(room.around[2], i, value)
    most, noise = _series(room.values, room.circle, room.series)
    if not most > 0.0:
        return 0, 1.0
    half = DEGREE
    while half > 0 and math.hypot(room.series[0, half + DEGREE], room.series[1, half + DEGREE]) < (
        1e-14
    ):
        half -= 1
    moved = sixteen_roots(room.series, DEGREE - half, 2 * half, room.points)
    if moved >= 1e-13:
        noise = max(noise, 1e-3 * moved)
    return 2 * half, 1.0 if _crowded(room.roots, 2 * half) else noise


@kernel
def _crowded(roots: Any, count: int) -> bool:
    """Return whether so many roots near the circle lie close together that none is exact."""
    for k in range(count):
        x, y = roots[0, k], roots[1, k]
        if abs(x * x + y * y - 1.0) > _CROWDED:
            continue
        close = -1
        for j in range(count):
            dx, dy = x - roots[0, j], y - roots[1, j]
            if dx * dx + dy * dy < _CROWDED * _CROWDED:
                close += 1
        if close >= _CROWD:
            return True
    return False


@kernel
def _behind(slides: bool) -> float:
    """Return by how much the angle of a root is less than angle 3."""
    return math.pi / SAMPLES if slides else 0.0


@kernel
def _completed(angle: float, slides: bool, mix: float, room: Room) -> None:
    """Write all six joints' values in the loop with angle 3; ``mix`` as in ``null_vector``."""
    t = room.angles
    c3, s3 = math.cos(angle), math.sin(angle)
    twelve(room.rest, c3, s3, room.matrix)
    null = room.sums[0, :12]
    null_vector(room.matrix, mix, null, room.order)
    k = 0
    for j in range(3):
        if math.hypot(null[j], null[3 + j]) > math.hypot(null[k], null[3 + k]):
            k = j
    t[3] = 2.0 * math.atan2(null[3 + k], null[k])
    row = 0 if abs(null[0]) > abs(null[3]) else 3
    side = 1.0 if null[row] > 0.0 else -1.0
    t[4] = math.atan2(side * null[row + 2], side * null[row + 1])
    if slides:
        t[2] = math.tan(0.5 * angle)
        _first_two(room.factor, (1.0, t[2], t[2] * t[2]), room.sums[1, :8], t)
    else:
        t[2] = angle
        _first_two(room.factor, (1.0, c3, s3), room.sums[1, :8], t)
    # what is left of the loop is angle 6: Rz(t6) = x^-1 g6^-1, its first column
    stand(room.loop[:6], 2 if slides else -1, t[:5], room.frames)
    x, last = room.frames[5], room.loop[6]
    cosine = 0.0
    sine = 0.0
    for r in range(3):
        cosine += x[r, 0] * last[0, r]
        sine += x[r, 1] * last[0, r]
    t[5] = math.atan2(sine, cosine)


@kernel
def _first_two(factor: Any, third: Any, y: Any, t: Any) -> None:
    """Write angles 1 and 2 from those behind: ``third`` are the products that joint 3 brings."""
    fourth = (1.0, math.cos(t[3]), math.sin(t[3]))
    fifth = (1.0, math.cos(t[4]), math.sin(t[4]))
    for e in range(8):
        total = 0.0
        column = 8
        for a in range(3):
            for b in range(3):
                for d in range(3):
                    total += factor[e, column] * third[a] * fourth[b] * fifth[d]
                    column += 1
        y[e] = total
    for back in range(8):
        e = 7 - back
        for j in range(e + 1, 8):
            y[e] -= factor[e, j] * y[j]
        y[e] = y[e] / factor[e, e] if factor[e, e] != 0.0 else 0.0
    t[0] = math.atan2(y[5], y[2])
    t[1] = math.atan2(y[1], y[0])


@kernel
def polished(links: Any, slide: int, pose: Any, q: Any, frames: Any, system: Any) -> Any:
    """Bring posture ``q`` (6,) to its pose by Newton's method; return how far off and how regular.

    The greatest entry by which the tip's pose (lengths in the arm's unit) is off, and the least
    pivot of the Jacobian. ``frames`` (7, 3, 4) and ``system`` (6, 7) are scratch.
    """
    before = np.inf
    off = np.inf
    least = 0.0
    for step in range(_POLISH):
        stand(links, slide, q, frames)
        off = tip_equations(frames, slide, pose, system, 6)
        if not off < 1e-15 and step < _POLISH - 1 and (off < 0.7 * before or step < 6):
            before = off
        elif step > 0:
            return off, least
        least = solved(system)
        for i in range(6):
            q[i] += min(max(system[i, 6], -0.5), 0.5)
    return off, least


@kernel
def entered(q: Any, slide: int, least: float, found: Any, pivots: Any, count: int) -> int:
    """Enter a posture unless it is there already; return how many there are."""
    for i in range(6):
        if i != slide:
            q[i] -= 2.0 * math.pi * math.floor(q[i] / (2.0 * math.pi) + 0.5)
    for k in range(count):
        apart = 0.0
        for i in range(6):
            away = abs(q[i] - found[k, i])
            apart = max(apart, away if i == slide else min(away, abs(2.0 * math.pi - away)))
        if apart < (SAME if min(least, pivots[k]) > SINGULAR else 1e3 * SAME):
            return count
    if count == SLOTS:
        return count
    place = count
    while place > 0 and _before(q, found[place - 1]):
        copied(found[place - 1], found[place])
        pivots[place] = pivots[place - 1]
        place -= 1
    copied(q, found[place])
    pivots[place] = least
    return count + 1


@kernel
def _before(q: Any, other: Any) -> bool:
    """Return whether a posture comes before another: by the first value that differs."""
    for i in range(6):
        if abs(q[i] - other[i]) > 1e-6:
            return q[i] < other[i]
    return False


@kernel
def _look(
    links: Any,
    slide: int,
    pose: Any,
    split: int,
    mixes: int,
    rough: bool,
    found: Any,
    pivots: Any,
    count: int,
    posture: Any,
    room: Room,
) -> Any:
    """Enter the postures that one split finds; return how many there are now, and two signs.

    How many roots are on the circle but for rounding, and how inexact they are. ``mixes``: postures
    tried for each root, more than one tell roots apart that share their angle 3.
    """
    slides = slide >= 0
    degree, noise = _roots_of(links, slides, pose, split, room)
    near = _ROUGH if rough else _NEAR_CIRCLE
    close = 0
    for k in range(degree):
        x, y = room.roots[0, k], room.roots[1, k]
        away = abs(0.5 * math.log(x * x + y * y)) if x != 0.0 or y != 0.0 else np.inf
        if not away < near:
            continue
        if away < _ON_CIRCLE:
            close += 1
        angle = math.atan2(y, x) + _behind(slides)
        for number in range(mixes):
            mix = math.tan(math.pi * number / mixes) if number > 0 else 0.0
            _completed(angle, slides, mix, room)
            for i in range(6):
                j = (i + split) % 6
                if split < 6:
                    posture[j] = room.angles[i]
                else:
                    posture[5 - j] = -room.angles[i]
            off, least = 0.0, 1.0
            if not rough:
                off, least = polished(links, slide, pose, posture, room.frames, room.system)
            if off <= MET:
                count = entered(posture, slide, least, found, pivots, count)
    return count, close, noise


@kernel
def solve_general(
    links: Any,
    slide: int,
    splits: Any,
    step: int,
    targets: Any,
    unit: float,
    looks: int,
    rough: bool,
    q: Any,
    pivots: Any,
    counts: Any,
    doubts: Any,
    begin: int,
    end: int,
) -> None:
    """Write all postures ``q`` (m, 16, 6) of poses ``begin`` to ``end``, how regular and how many.

    ``links`` (7, 3, 4) and ``slide`` as in ``rigid_motions``; ``targets`` (m, 4, 4). ``splits`` are
    tried in order until the first leaves no doubt or four in a row find nothing new, then ``looks``
    more that also tell roots apart which share their angle. ``doubts`` (m,): the number is no
    multiple of ``step``. ``rough``: one split, nothing polished; a pair of complex roots not far
    from the circle gives the posture that all but meets its pose.
    """
    room = _room()
    posture = np.empty(6)
    pose = np.empty((3, 4))
    for p in range(begin, end):
        q[p] = np.nan
        pivots[p] = np.nan
        counts[p] = 0
        doubts[p] = False
        if not scaled_pose(targets[p], unit, pose):
            continue
        idle = 0
        for look in range(len(splits) + looks):
            # first one posture for each root; where doubt remains, roots that share their angle 3
            mixes = 1 if look < len(splits) else _MIXES
            before = counts[p]
            counts[p], close, noise = _look(
                links,
                slide,
                pose,
                splits[look % len(splits)],
                mixes,
                rough,
                q[p],
                pivots[p],
                before,
                posture,
                room,
            )
            whole = counts[p] % step == 0
            if look == 0 and whole and counts[p] >= close and noise < _NOISE:
                break
            idle = idle + 1 if counts[p] == before else 0
            if rough or (whole and idle == _IDLE):
                break
        doubts[p] = counts[p] % step != 0
