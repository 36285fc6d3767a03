"""Postures of six turning joints from the roots of ``general6_kernels``: completed and polished."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.general6_kernels import (
    MET,
    SAME,
    SAMPLES,
    SLOTS,
    circle_roots,
    coefficients,
    determinant,
    eliminate,
    loop_of,
    null_vector,
    product,
    twelve,
)
from articulata.kernels.compile import kernel

SINGULAR = 1e-6
"""Least pivot of the Jacobian, in units of the arm, under which branches are taken to meet."""

_ON_CIRCLE = 0.01
_NEAR_CIRCLE = 0.05
_NOISE = 1e-12
_POLISH = 30
_MIXES = 9


@kernel
def _turn_z(x: Any, angle: float, out: Any) -> None:
    """Write a rigid motion (3, 4) followed by a turn about its own z."""
    c = math.cos(angle)
    s = math.sin(angle)
    for r in range(3):
        out[r, 0] = c * x[r, 0] + s * x[r, 1]
        out[r, 1] = c * x[r, 1] - s * x[r, 0]
        out[r, 2] = x[r, 2]
        out[r, 3] = x[r, 3]


@kernel
def completed(
    rest: Any, factor: Any, g: Any, angle: float, mix: float, m: Any, room: Any, t: Any
) -> None:
    """Write all six angles ``t`` of the loop with angle 3; ``mix`` as in ``null_vector``."""
    c3 = math.cos(angle)
    s3 = math.sin(angle)
    twelve(rest, c3, s3, m)
    null = room[0, :12]
    order = np.empty(12, np.int64)
    null_vector(m, mix, null, order)
    k = 0
    for j in range(3):
        if math.hypot(null[j], null[3 + j]) > math.hypot(null[k], null[3 + k]):
            k = j
    t4 = 2.0 * math.atan2(null[3 + k], null[k])
    row = 0 if abs(null[0]) > abs(null[3]) else 3
    side = 1.0 if null[row] > 0.0 else -1.0
    t5 = math.atan2(side * null[row + 2], side * null[row + 1])
    m3 = (1.0, c3, s3)
    m4 = (1.0, math.cos(t4), math.sin(t4))
    m5 = (1.0, math.cos(t5), math.sin(t5))
    y = room[1, :8]
    for e in range(8):
        total = 0.0
        column = 8
        for a in range(3):
            for b in range(3):
                for d in range(3):
                    total += factor[e, column] * m3[a] * m4[b] * m5[d]
                    column += 1
        y[e] = total
    for back in range(8):
        e = 7 - back
        for j in range(e + 1, 8):
            y[e] -= factor[e, j] * y[j]
        y[e] = y[e] / factor[e, e] if factor[e, e] != 0.0 else 0.0
    t[0] = math.atan2(y[5], y[2])
    t[1] = math.atan2(y[1], y[0])
    t[2] = angle
    t[3] = t4
    t[4] = t5
    # what is left of the loop is angle 6
    x = m[:3, :4]
    w = m[3:6, :4]
    x[:] = 0.0
    for r in range(3):
        x[r, r] = 1.0
    for i in range(5):
        _turn_z(x, t[i], w)
        product(w, g[i], x)
    # Rz(t6) = x^-1 g6^-1: its first column
    cosine = 0.0
    sine = 0.0
    for r in range(3):
        cosine += x[r, 0] * g[5, 0, r]
        sine += x[r, 1] * g[5, 0, r]
    t[5] = math.atan2(sine, cosine)


@kernel
def polished(links: Any, pose: Any, q: Any, axes: Any, system: Any) -> Any:
    """Bring posture ``q`` (6,) to its pose by Newton's method; return how far off and how regular.

    The greatest entry by which the tip's pose (lengths in the arm's unit) is off, and the least
    pivot of the Jacobian. ``axes`` (8, 3, 4) and ``system`` (6, 7) are scratch.
    """
    before = np.inf
    off = np.inf
    least = 0.0
    for step in range(_POLISH):
        x = axes[6]
        x[:] = links[0]
        for i in range(6):
            axes[i] = x
            _turn_z(axes[i], q[i], axes[7])
            product(axes[7], links[i + 1], x)
        off = 0.0
        for r in range(3):
            for k in range(4):
                off = max(off, abs(x[r, k] - pose[r, k]))
        if not off < 1e-15 and step < _POLISH - 1 and (off < 0.7 * before or step < 6):
            before = off
        elif step > 0:
            return off, least
        for r in range(3):
            a = (r + 1) % 3
            b = (r + 2) % 3
            turn = 0.0
            for k in range(3):
                turn += x[a, k] * pose[b, k] - x[b, k] * pose[a, k]
            system[3 + r, 6] = 0.5 * turn
            system[r, 6] = pose[r, 3] - x[r, 3]
            for i in range(6):
                z = axes[i, :, 2]
                p = axes[i, :, 3]
                system[r, i] = z[a] * (x[b, 3] - p[b]) - z[b] * (x[a, 3] - p[a])
                system[3 + r, i] = z[r]
        least = _solved(system)
        for i in range(6):
            q[i] += min(max(system[i, 6], -0.5), 0.5)
    return off, least


@kernel
def _solved(m: Any) -> float:
    """Solve six equations (6, 7) in place, answers in the last column; return the least pivot."""
    least = np.inf
    for k in range(6):
        best = k
        for r in range(k + 1, 6):
            if abs(m[r, k]) > abs(m[best, k]):
                best = r
        if best != k:
            for j in range(7):
                other = m[best, j]
                m[best, j] = m[k, j]
                m[k, j] = other
        pivot = m[k, k]
        least = min(least, abs(pivot))
        if abs(pivot) < 1e-14:
            pivot = 1e-14
            m[k, k] = pivot
        for r in range(k + 1, 6):
            share = m[r, k] / pivot
            for j in range(k + 1, 7):
                m[r, j] -= share * m[k, j]
    for back in range(6):
        k = 5 - back
        for j in range(k + 1, 6):
            m[k, 6] -= m[k, j] * m[j, 6]
        m[k, 6] /= m[k, k]
    return least


@kernel
def entered(q: Any, least: float, found: Any, pivots: Any, count: int) -> int:
    """Enter a posture unless it is there already; return how many there are."""
    for i in range(6):
        q[i] -= 2.0 * math.pi * math.floor(q[i] / (2.0 * math.pi) + 0.5)
    for k in range(count):
        apart = 0.0
        for i in range(6):
            away = abs(q[i] - found[k, i])
            apart = max(apart, min(away, abs(2.0 * math.pi - away)))
        if apart < (SAME if min(least, pivots[k]) > SINGULAR else 1e3 * SAME):
            return count
    if count == SLOTS:
        return count
    place = count
    while place > 0 and _before(q, found[place - 1]):
        found[place] = found[place - 1]
        pivots[place] = pivots[place - 1]
        place -= 1
    found[place] = q
    pivots[place] = least
    return count + 1


@kernel
def _before(q: Any, other: Any) -> bool:
    """Return whether a posture comes before another: by the first angle that differs."""
    for i in range(6):
        if abs(q[i] - other[i]) > 1e-6:
            return q[i] < other[i]
    return False


@kernel
def solve_general(
    links: Any,
    splits: Any,
    table: Any,
    targets: Any,
    unit: float,
    q: Any,
    pivots: Any,
    counts: Any,
    doubts: Any,
    looks: int,
    begin: int,
    end: int,
) -> None:
    """Write all postures ``q`` (m, 16, 6) of poses ``begin`` to ``end``, how regular and how many.

    Splits are tried in order until the first leaves no doubt or two in a row find nothing new, then
    ``looks`` more that also tell roots apart which share their angle. ``doubts`` (m,): the number
    is odd.

    ``links`` (7, 3, 4) as in ``loop_of``; ``splits`` are tried in order, the next where one leaves
    doubt; ``table`` (17,) exp(i t) around the circle; ``targets`` (m, 4, 4).
    """
    g = np.empty((6, 3, 4))
    scratch = np.empty((8, 3, 4))
    left = np.empty((3, 3, 3, 15))
    right = np.empty((9, 15))
    room = np.empty((12, 15))
    factor = np.empty((14, 36))
    rest = np.empty((6, 3, 3, 3))
    m = np.empty((12, 12))
    values = np.empty(SAMPLES)
    roots = np.empty(SAMPLES, np.complex128)
    coefficient = np.empty(SAMPLES, np.complex128)
    system = np.empty((6, 7))
    t = np.empty(6)
    posture = np.empty(6)
    pose = np.empty((3, 4))
    for p in range(begin, end):
        q[p] = np.nan
        pivots[p] = np.nan
        counts[p] = 0
        total = 0.0
        for r in range(3):
            for k in range(4):
                pose[r, k] = targets[p, r, k] / unit if k == 3 else targets[p, r, k]
                total += pose[r, k]
        if not math.isfinite(total):
            continue
        idle = 0
        for look in range(len(splits) + looks):
            # first one posture for each root; where doubt remains, roots that share their angle 3
            split = splits[look % len(splits)]
            mixes = 1 if look < len(splits) else _MIXES
            loop_of(links, pose, split, g, scratch)
            coefficients(g, left, right, room)
            eliminate(left, right, rest, factor)
            for i in range(SAMPLES):
                twelve(rest, table[i].real, table[i].imag, m)
                values[i] = determinant(m)
            degree, noise = circle_roots(values, table, roots, coefficient)
            before = counts[p]
            close = 0
            for k in range(degree):
                size = abs(roots[k])
                away = abs(math.log(size)) if size > 0.0 else np.inf
                if not away < _NEAR_CIRCLE:
                    continue
                if away < _ON_CIRCLE:
                    close += 1
                angle = math.atan2(roots[k].imag, roots[k].real)
                for number in range(mixes):
                    mix = math.tan(math.pi * number / mixes) if number > 0 else 0.0
                    completed(rest, factor, g, angle, mix, m, room, t)
                    for i in range(6):
                        j = (i + split) % 6
                        if split < 6:
                            posture[j] = t[i]
                        else:
                            posture[5 - j] = -t[i]
                    off, least = polished(links, pose, posture, scratch, system)
                    if off <= MET:
                        counts[p] = entered(posture, least, q[p], pivots[p], counts[p])
            even = counts[p] % 2 == 0
            if look == 0 and even and counts[p] >= close and noise < _NOISE:
                break
            idle = idle + 1 if counts[p] == before else 0
            if even and idle == 2:
                break
        doubts[p] = counts[p] % 2 == 1
