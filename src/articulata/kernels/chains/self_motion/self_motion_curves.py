"""The self motions of seven turning joints: curves of postures that meet one pose.

A pose leaves one of seven freedoms. Its postures are closed curves in the seven angles, the null
vector of the Jacobian is their tangent. They are followed from given postures by prediction along
the tangent and correction by Newton's method within the plane across it (Allgower & Georg,
Numerical continuation methods, 1990), through places where one angle turns back as through any
others. Steps shrink with the least pivot of the Jacobian, so that where two curves nearly touch
neither is left for the other.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.chains.rigid_motions import copied, stand, tip_equations
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import solve_columns

JOINTS = 7
MET = 1e-11
"""Most that a posture is off, in units of the arm and rad."""

LONGEST = 0.2
"""Longest step along a curve, rad of all joints together."""

_SHORTEST = 1e-6
_FLOOR = 4e-3
_ROUNDS = 12
_SAME = 1e-6


class Task(NamedTuple):
    """An arm (8, 3, 4), the pose (3, 4) that it is to meet, and memory of kernels."""

    links: Any
    pose: Any
    frames: Any
    system: Any
    work: Any
    slope: Any


class Curve(NamedTuple):
    """Samples of curves: postures and tangents (k, 7), least pivots (k,)."""

    q: Any
    t: Any
    pivots: Any


@kernel
def task_of(links: Any, pose: Any) -> Task:
    """Return a task with memory."""
    frames, system = np.empty((8, 3, 4)), np.empty((7, 9))
    return Task(links, pose, frames, system, np.empty((4, 7)), np.empty(7))


@kernel(counted=False)
def _step(at: Task, q: Any, row: Any, target: float, tangent: Any) -> Any:
    """Write Newton's step to the pose and to ``row . q = target`` into column 7 of ``system``.

    Written is also the unit ``tangent`` of the curve on the side of ``row``. Returned are how far
    off the pose is, in units of the arm and rad, and the least pivot of the equations.
    """
    system = at.system
    stand(at.links, -1, q, at.frames)
    off = tip_equations(at.frames, -1, at.pose, system, JOINTS)
    along = 0.0
    for i in range(JOINTS):
        system[i, 8] = 0.0
        system[6, i] = row[i]
        along += row[i] * q[i]
    system[6, 7] = target - along
    system[6, 8] = 1.0
    least = solve_columns(system)
    size = 0.0
    for i in range(JOINTS):
        size += system[i, 8] * system[i, 8]
    scale = 1.0 / math.sqrt(size) if size > 0.0 else 1.0
    for i in range(JOINTS):
        tangent[i] = scale * system[i, 8]
    return off, least


@kernel(counted=False)
def corrected(at: Task, q: Any, row: Any, target: float, tangent: Any) -> Any:
    """Bring posture ``q`` (7,) to its pose and to ``row . q = target`` by Newton's method.

    Written is also the ``tangent`` there, and returned how far off it is and the least pivot; see
    ``_step``.
    """
    system = at.system
    off = np.inf
    least = 0.0
    last = np.inf
    for turn in range(_ROUNDS):
        off, least = _step(at, q, row, target, tangent)
        step = 0.0
        for i in range(JOINTS):
            step = max(step, abs(system[i, 7]))
            q[i] += min(max(system[i, 7], -0.4), 0.4)
        if step < 1e-8:
            # the last step brings what is left to its square, but where the equations are singular
            return min(off, max(step * step / max(least, 1e-14), 1e-16)), least
        if step < 1e-6 and step > 0.5 * last:
            break
        # far from any posture steps wander; beside singular places they still shrink by half
        if not step < 1e3 or (turn >= 3 and step > 0.7 * last):
            break
        last = step
    return off, least


@kernel(counted=False)
def settled(at: Task, q: Any, row: Any, tangent: Any) -> Any:
    """Bring a posture near a curve onto it, across it, and write its ``tangent``.

    Returned are how far off it is and the least pivot; ``row`` (7,) is scratch.
    """
    for i in range(JOINTS):
        row[i] = 1.0
    # whatever the row, the tangent is what the Jacobian takes to zero
    _step(at, q, row, 0.0, tangent)
    copied(tangent, row)
    along = 0.0
    for i in range(JOINTS):
        along += row[i] * q[i]
    return corrected(at, q, row, along, tangent)


@kernel(counted=False)
def wrapped(angle: float) -> float:
    """Return an angle in [-pi, pi)."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel(counted=False)
def between(a: float, ta: float, b: float, tb: float, length: float, u: float) -> float:
    """Return the value at a share of the way of the cubic between two samples."""
    start = (1.0 + 2.0 * u) * a + u * length * ta
    end = (3.0 - 2.0 * u) * b - (1.0 - u) * length * tb
    return (1.0 - u) * (1.0 - u) * start + u * u * end


@kernel(counted=False)
def smooth(piece: Any, length: float, share: float, out: Any, slope: Any) -> None:
    """Write the point and the slope of the cubic between two samples at a share of their way.

    ``piece``: the posture and the tangent of either sample.
    """
    a, ta, b, tb = piece
    u = share
    d00 = 6.0 * u * u - 6.0 * u
    d10 = 3.0 * u * u - 4.0 * u + 1.0
    d11 = 3.0 * u * u - 2.0 * u
    for i in range(JOINTS):
        out[i] = between(a[i], ta[i], b[i], tb[i], length, u)
        slope[i] = d00 * (a[i] - b[i]) / length + d10 * ta[i] + d11 * tb[i]


@kernel(counted=False)
def distance(a: Any, b: Any) -> float:
    """Return how far two postures are apart, all joints together."""
    total = 0.0
    for i in range(JOINTS):
        total += (a[i] - b[i]) ** 2
    return math.sqrt(total)


@kernel(counted=False)
def _seen(a: Any, ta: Any, q: Any, near: Any) -> Any:
    """Write ``q`` with the whole turns that bring it near sample ``a``.

    Returned are how far it is along the tangent ``ta`` and the square of how far across; infinite
    where it is far.
    """
    along = 0.0
    apart = 0.0
    for j in range(JOINTS):
        gap = wrapped(q[j] - a[j])
        if abs(gap) > 1.1 * LONGEST:
            return np.inf, np.inf
        near[j] = a[j] + gap
        along += gap * ta[j]
        apart += gap * gap
    return along, apart - along * along


@kernel(counted=False)
def _meets(at: Task, a: Any, ta: Any, along: float, q: Any) -> bool:
    """Return whether the curve through sample ``a`` meets ``q``, which is ``along`` its tangent."""
    point, tangent = at.work[3], at.work[1]
    target = 0.0
    for j in range(JOINTS):
        point[j] = a[j] + along * ta[j]
        target += ta[j] * q[j]
    off, _ = corrected(at, point, ta, target, tangent)
    return off <= 1e-9 and distance(point, q) < _SAME


@kernel(counted=False)
def _on_curve(at: Task, q: Any, curve: Curve, count: int) -> bool:
    """Return whether a posture lies on a curve of which ``count`` samples are known."""
    near, Q, T = at.work[0], curve.q, curve.t
    for i in range(count):
        along, across = _seen(Q[i], T[i], q, near)
        if abs(along) <= 0.75 * LONGEST and across <= 0.01 and _meets(at, Q[i], T[i], along, near):
            return True
    return False


@kernel(counted=False)
def _advanced(at: Task, curve: Curve, begin: int, n: int, h: float) -> Any:
    """Write the sample behind sample ``n``, a step ``h`` on; return whether, and the next step.

    The curve began with sample ``begin``; how it bent before tells where to look.
    """
    Q, T = curve.q, curve.t
    q, tangent, guess = at.work[0], at.work[1], at.work[2]
    bent = 0.5 * h * h / distance(Q[n], Q[n - 1]) if n > begin else 0.0
    target = h
    for j in range(JOINTS):
        guess[j] = Q[n, j] + h * T[n, j]
        q[j] = guess[j]
        if n > begin:
            q[j] += bent * (T[n, j] - T[n - 1, j])
        target += T[n, j] * Q[n, j]
    off, least = corrected(at, q, T[n], target, tangent)
    turn = 0.0
    for j in range(JOINTS):
        turn += tangent[j] * T[n, j]
    bend = distance(q, guess)
    if not (off <= MET and turn > 0.955 and bend < 0.25 * h):
        return False, 0.4 * h
    copied(q, Q[n + 1])
    copied(tangent, T[n + 1])
    curve.pivots[n + 1] = least
    return True, 1.7 * h if turn > 0.99 and bend < 0.08 * h else h


@kernel(counted=False)
def _traced(at: Task, seed: Any, curve: Curve, begin: int, fine: float) -> Any:
    """Write samples of the curve through ``seed`` from place ``begin`` on, until it closes.

    ``fine``: share of the usual step. Steps were too long where the curve comes round to a later
    sample without having met its first: it was left for another that all but touches it.
    Returned are the place behind the last and whether the curve was closed. The last sample of a
    closed curve is the first, whole turns further.
    """
    Q, T, pivots = curve
    q, tangent, near = at.work[0], at.work[1], at.work[2]
    copied(seed, q)
    off, least = settled(at, q, near, tangent)
    if not off <= MET or least < 1e-13:
        return begin, False
    copied(q, Q[begin])
    copied(tangent, T[begin])
    pivots[begin] = least
    n = begin
    h = 0.05 * fine
    anchor = begin
    lap = 64
    while n + 1 < len(Q):
        h = min(h, max(3.0 * pivots[n], _FLOOR) * fine, LONGEST)
        if n > anchor + 6 and anchor > begin:
            along, across = _seen(Q[n], T[n], Q[anchor], near)
            if abs(along) <= h and across < 1e-3 * h * h:
                return n + 1, False
        if n - anchor >= lap:
            anchor = n
            lap *= 2
        if n > begin + 2:
            along, across = _seen(Q[n], T[n], Q[begin], near)
            if (
                0.0 < along <= 1.01 * h
                and across < 0.04 * along * along
                and _meets(at, Q[n], T[n], along, near)
            ):
                copied(near, Q[n + 1])
                copied(T[begin], T[n + 1])
                pivots[n + 1] = pivots[begin]
                return n + 2, True
        fits, h = _advanced(at, curve, begin, n, h)
        if fits:
            n += 1
        elif h < _SHORTEST:
            return n + 1, False
    return len(Q), False


@kernel
def self_motions(
    links: Any, pose: Any, seeds: Any, grid: Any, curve: Any, ends: Any, closed: Any
) -> int:
    """Write the curves through seeds, none twice; return how many.

    ``seeds`` (n, s, 7), NaN where none; ``grid``: the driving joint, where it stands in the first
    row and how much more in each other. ``curve``: samples as in ``Curve``; curve i ends before
    ``ends[i]`` and is ``closed[i]``.
    """
    at, curve = task_of(links, pose), Curve(*curve)
    work = at.work
    rows, slots = seeds.shape[0], seeds.shape[1]
    met = np.zeros((rows, slots), np.bool_)
    count = 0
    begin = 0
    for k in range(rows):
        for s in range(slots):
            if (
                met[k, s]
                or not math.isfinite(seeds[k, s, 0])
                or count == len(ends)
                or begin + 8 > len(curve.q)
            ):
                continue
            point = work[3]
            copied(seeds[k, s], point)
            off, _ = settled(at, point, work[2], work[1])
            if not off <= MET or distance(point, seeds[k, s]) > 0.5:
                continue
            seed = point.copy()
            if _on_curve(at, seed, curve, begin):
                continue
            fine = 1.0
            end, whole = _traced(at, seed, curve, begin, fine)
            while not whole and fine > 0.02:
                fine *= 0.3
                end, whole = _traced(at, seed, curve, begin, fine)
            if end - begin < 4:
                continue
            ends[count], closed[count] = end, whole
            count += 1
            for i in range(begin, end - 1):
                piece = curve.q[i], curve.t[i], curve.q[i + 1], curve.t[i + 1]
                _mark(at, piece, seeds, met, grid)
            begin = end
    return count


@kernel(counted=False)
def _mark(at: Task, piece: Any, seeds: Any, met: Any, grid: Any) -> None:
    """Mark the seeds that lie between two samples; doubtful ones are left for a closer look."""
    a, ta, b, tb = piece
    driver, first, step = grid
    work = at.work
    if ta[driver] * tb[driver] <= 0.0:
        return
    low = min(a[driver], b[driver])
    high = max(a[driver], b[driver])
    length = distance(a, b)
    rows = seeds.shape[0]
    around = abs(rows * step - 2.0 * math.pi) < 1e-9
    place = math.ceil((low - first) / step)
    if not around:
        # the range is less than a turn: which whole turn is it?
        shift = 2.0 * math.pi * math.floor((low - first) / (2.0 * math.pi))
        place = math.ceil((low - shift - first) / step)
    else:
        shift = 0.0
    while first + place * step + shift <= high:
        k = place % rows if around else place
        place += 1
        if k >= rows:
            return
        value = first + (place - 1) * step + shift
        lo, hi = 0.0, 1.0
        rising = b[driver] > a[driver]
        for _ in range(30):
            middle = 0.5 * (lo + hi)
            now = between(a[driver], ta[driver], b[driver], tb[driver], length, middle)
            if (now < value) == rising:
                lo = middle
            else:
                hi = middle
        smooth(piece, length, 0.5 * (lo + hi), work[0], at.slope)
        for s in range(seeds.shape[1]):
            if not met[k, s] and math.isfinite(seeds[k, s, 0]):
                near = 0.0
                for j in range(JOINTS):
                    near = max(near, abs(wrapped(work[0, j] - seeds[k, s, j])))
                if near < 2e-4:
                    met[k, s] = True
