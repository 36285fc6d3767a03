"""Postures of six joints from the roots of ``general_6r_elimination``: completed and polished."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.chains.closed_forms.general_6r_elimination import (
    DEGREE,
    MET,
    SAME,
    SAMPLES,
    SLOTS,
    coefficients,
    eliminate,
    half_angles,
    loop_of,
)
from articulata.kernels.chains.closed_forms.general_6r_postures_lanes import (
    BLOCKS,
    POLISH,
    LaneRoom,
    completed_on_lanes,
    determinants,
    lane_room,
    polished_on_lanes,
    sixteen_roots,
    twelve_on_lanes,
)
from articulata.kernels.chains.rigid_motions import copied, scaled_pose, stand, tip_equations
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import load, store
from articulata.kernels.linear_algebra import solve_columns

SINGULAR = 1e-6
"""Least pivot of the Jacobian, in units of the arm, under which branches are taken to meet."""

_ON_CIRCLE = 1e3
_ROUNDING_OF_ROOTS = 1e-6
_NEAR_CIRCLE = 0.05
_ROUGH = 0.35
_NOISE = 1e-10
_ROUNDING = 1e-15
_OFF = 1e-4
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
    around: Any
    determinants: Any
    circle: Any
    values: Any
    series: Any
    roots: Any
    points: Any
    angles: Any
    posture: Any
    lanes: LaneRoom


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
        np.empty((15, 36)),
        np.empty((6, 3, 3, 3)),
        around,
        np.empty((144, LANES_FLOAT64)),
        circle,
        circle[2],
        np.empty((2, 2 * DEGREE + 1)),
        points.reshape((3, 2 * DEGREE)),
        points,
        np.empty(SLOTS),
        np.empty(6),
        lane_room(),
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
    return 2 * half, noise


@kernel
def _near_circle(degree: int, near: float, noise: float, room: Room) -> Any:
    """Write the angles of roots near the circle; return how many are on it but for rounding.

    Then how many there are, and by how much the least exact of them may be off.
    """
    noise = max(noise, _ROUNDING)
    low = DEGREE - degree // 2
    lead = math.hypot(room.series[0, low], room.series[1, low])
    close, count, worst = 0, 0, 0.0
    for k in range(degree):
        x, y = room.roots[0, k], room.roots[1, k]
        away = abs(0.5 * math.log(x * x + y * y)) if x != 0.0 or y != 0.0 else np.inf
        if not away < near:
            continue
        room.angles[count] = math.atan2(y, x)
        count += 1
        # the slope of the polynomial: where it is small rounding moves the root far
        slope = lead * lead
        for j in range(degree):
            if j != k:
                dx, dy = x - room.roots[0, j], y - room.roots[1, j]
                slope *= dx * dx + dy * dy
        off = noise / max(math.sqrt(slope), noise)
        if away < max(_ON_CIRCLE * off, _ROUNDING_OF_ROOTS):
            close += 1
        worst = max(worst, off)
    return close, count, worst


@kernel
def _behind(slides: bool) -> float:
    """Return by how much the angle of a root is less than angle 3."""
    return math.pi / SAMPLES if slides else 0.0


@kernel
def polished(links: Any, slide: int, pose: Any, q: Any, frames: Any, system: Any) -> Any:
    """Bring posture ``q`` (6,) to its pose by Newton's method; return how far off and how regular.

    The greatest entry by which the tip's pose (lengths in the arm's unit) is off, and the least
    pivot of the Jacobian. ``frames`` (7, 3, 4) and ``system`` (6, 7) are scratch.
    """
    before = np.inf
    off = np.inf
    least = 0.0
    for step in range(POLISH):
        stand(links, slide, q, frames)
        off = tip_equations(frames, slide, pose, system, 6)
        if not off < 1e-15 and step < POLISH - 1 and (off < 0.7 * before or step < 6):
            before = off
        elif step > 0:
            return off, least
        least = solve_columns(system)
        for i in range(6):
            q[i] += min(max(system[i, 6], -0.5), 0.5)
    return off, least


@kernel
def entered(q: Any, slide: Any, least: float, found: Any, pivots: Any, count: int) -> int:
    """Enter a posture unless it is there already, or no numbers; return how many there are."""
    for i in range(6):
        if not math.isfinite(q[i]):
            return count
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
def _look(arm: Any, pose: Any, split: int, mixes: int, rough: bool, found: Any, room: Room) -> Any:
    """Enter the postures that one split finds; return how many there are now, and two signs.

    How many roots are on the circle but for rounding, and how inexact they are. ``mixes``: postures
    tried for each root, more than one tell roots apart that share their angle 3.
    """
    links, slide = arm
    postures, pivots, count = found
    slides = slide >= 0
    degree, noise = _roots_of(links, slides, pose, split, room)
    close, near, off = _near_circle(degree, _ROUGH if rough else _NEAR_CIRCLE, noise, room)
    lanes = room.lanes
    for first in range(0, near, LANES_FLOAT64):
        for number in range(mixes):
            mix = math.tan(math.pi * number / mixes) if number > 0 else 0.0
            last = min(first + LANES_FLOAT64, near) - 1
            for lane in range(LANES_FLOAT64):
                # spare lanes repeat the last root
                lanes.third[0, lane] = room.angles[min(first + lane, last)] + _behind(slides)
            completed_on_lanes(room.rest, room.factor, room.loop, slides, split, mix, lanes)
            if not rough:
                polished_on_lanes(links, slide, pose, POLISH, lanes)
            for lane in range(last + 1 - first):
                if rough or lanes.quality[0, lane] <= MET:
                    copied(lanes.q[:, lane], room.posture)
                    least = 1.0 if rough else lanes.quality[1, lane]
                    count = entered(room.posture, slide, least, postures, pivots, count)
    return count, close, max(noise, off * _NOISE / _OFF)


@kernel
def solve_general(
    arm: Any, ways: Any, targets: Any, unit: float, found: Any, begin: int, end: int
) -> None:
    """Write all postures (m, 16, 6) of poses ``begin`` to ``end``, how regular and how many.

    ``arm``: links (7, 3, 4) and slide as in ``rigid_motions``; ``targets`` (m, 4, 4). ``ways``:
    splits, a step, looks and whether all is rough. Splits are tried in order until the first leaves
    no doubt or four in a row find nothing new, then some ``looks`` more that also tell roots apart
    which share their angle. Rough: one split, nothing polished; a pair of complex roots not far
    from the circle gives the posture that all but meets its pose. ``found``: postures, pivots and
    counts; doubts (m,): the number is no multiple of the step; how many splits were asked (m,).
    """
    splits, step, looks, rough = ways
    q, pivots, counts, doubts, spent = found
    room = _room()
    pose = np.empty((3, 4))
    for p in range(begin, end):
        q[p] = np.nan
        pivots[p] = np.nan
        counts[p] = 0
        doubts[p] = False
        spent[p] = 0
        if not scaled_pose(targets[p], unit, pose):
            continue
        idle = 0
        for look in range(len(splits) + looks):
            # first one posture for each root; where doubt remains, roots that share their angle 3
            mixes = 1 if look < len(splits) else _MIXES
            before = counts[p]
            spent[p] = look + 1
            split = splits[look % len(splits)]
            counts[p], close, noise = _look(
                arm, pose, split, mixes, rough, (q[p], pivots[p], before), room
            )
            whole = counts[p] % step == 0
            if look == 0 and whole and counts[p] >= close and noise < _NOISE:
                break
            idle = idle + 1 if counts[p] == before else 0
            if rough or (whole and idle == _IDLE):
                break
        doubts[p] = counts[p] % step != 0


_APART = 1e-3
"""Two postures that are not farther apart, rad, may be one."""


@kernel
def polish_branches(
    links: Any, targets: Any, unit: float, rough: Any, found: Any, begin: int, end: int
) -> None:
    """Write of postures ``rough`` (m, 8, 6) those that meet their pose, none twice, in order.

    ``links`` (7, 3, 4) with lengths in ``unit`` m; ``found``: postures (m, 16, 6), pivots (m, 16)
    and counts (m,) as in ``solve_general``.
    """
    q, pivots, counts = found
    frames = np.empty((7, 3, 4))
    system = np.empty((6, 7))
    pose = np.empty((3, 4))
    posture = np.empty(6)
    for p in range(begin, end):
        q[p] = np.nan
        pivots[p] = np.nan
        counts[p] = 0
        scaled_pose(targets[p], unit, pose)
        for slot in range(rough.shape[1]):
            if not math.isfinite(rough[p, slot, 0]):
                continue
            copied(rough[p, slot], posture)
            off, least = polished(links, -1, pose, posture, frames, system)
            if off <= MET:
                counts[p] = entered(posture, np.int64(-1), least, q[p], pivots[p], counts[p])


@kernel(counted=False)
def mark_pairs(q: Any, doubts: Any) -> None:
    """Set ``doubts`` (m,) where two postures ``q`` (m, s, n) of a pose all but fall together."""
    turn = 2.0 * math.pi
    for p in range(len(q)):
        for slot in range(q.shape[1]):
            if not math.isfinite(q[p, slot, 0]):
                continue
            for other in range(slot):
                apart = not math.isfinite(q[p, other, 0])
                for i in range(q.shape[2]):
                    if apart:
                        break
                    away = q[p, slot, i] - q[p, other, i]
                    apart = abs(away - turn * np.rint(away / turn)) >= _APART
                if not apart:
                    doubts[p] = True
