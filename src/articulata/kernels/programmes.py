"""Small quadratic programmes: the least of a bent model within limits, one after another.

Of each: lower ``slope . s + s' B s / 2`` over steps s with ``J s = 0``, ``rows s >= least`` and
``low <= s <= high``, where s = 0 keeps all of it. The step is looked for in the directions that J
leaves open, by the dual method of Goldfarb and Idnani (1983): from the least of the model alone
conditions that are broken are taken up one after another, and let go where they push.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.definite_factors import bent_already, bent_upward

LANES = 8
"""Numbers that a processor takes side by side, or twice that: widths of arrays are multiples."""

RANK = 1e-9
"""Share of the longest row below which what is left of a row of J counts as none."""

BROKEN = 1e-11
"""How far conditions may be broken."""


@kernel(counted=False)
def open_directions(J: Array, Z: Array, work: Array, along: Array) -> int:
    """Fill the first columns of ``Z`` (n, n) with what J (r, n) leaves open; return how many.

    They are at right angles and of length 1. By Householder's reflections with the longest of
    what is left of the rows first. All arrays are wider, in whole lanes: ``work`` (n, >= r), so
    that sums run side by side, ``Z`` (n, >= n), of which the columns beyond are 0, and ``along``
    as wide as the wider of both.
    """
    r, n = J.shape
    lanes = work.shape[1]
    first = 0.0
    rank = 0
    for i in range(n):
        for a in range(r):
            work[i, a] = J[a, i]
        for a in range(r, lanes):
            work[i, a] = 0.0
    for k in range(min(r, n)):
        for a in range(lanes):
            along[a] = 0.0
        for i in range(k, n):
            for a in range(lanes):
                along[a] += work[i, a] * work[i, a]
        best = k
        for a in range(k, r):
            if along[a] > along[best]:
                best = a
        size = math.sqrt(along[best])
        if k == 0:
            first = size
        if size <= RANK * first or size == 0.0:
            break
        if best != k:
            for i in range(n):
                work[i, k], work[i, best] = work[i, best], work[i, k]
        # the reflection that brings the row to its k-th coordinate stays in the row itself
        head = work[k, k] + (size if work[k, k] >= 0.0 else -size)
        total = head * head + size * size - work[k, k] * work[k, k]
        work[k, k] = head
        scale = math.sqrt(2.0 / total)
        for i in range(k, n):
            work[i, k] *= scale
        for a in range(lanes):
            along[a] = 0.0
        for i in range(k, n):
            part = work[i, k]
            for a in range(lanes):
                along[a] += part * work[i, a]
        # what was reflected before stays
        for a in range(k + 1):
            along[a] = 0.0
        for i in range(k, n):
            part = work[i, k]
            for a in range(lanes):
                work[i, a] -= part * along[a]
        rank += 1
    p = n - rank
    lanes = min((p + LANES - 1) // LANES * LANES, Z.shape[1])
    for i in range(n):
        for j in range(lanes):
            Z[i, j] = 1.0 if i == j + rank else 0.0
    for k in range(rank - 1, -1, -1):
        for j in range(lanes):
            along[j] = 0.0
        for i in range(k, n):
            part = work[i, k]
            for j in range(lanes):
                along[j] += part * Z[i, j]
        for i in range(k, n):
            part = work[i, k]
            for j in range(lanes):
                Z[i, j] -= part * along[j]
    return p


@kernel(counted=False)
def most_broken(A: Array, b: Array, m: int, held: BoolArray, y: Array, p: int, s: Array) -> int:
    """Return which of ``A' y >= b``, (p, m) and (m,), is broken most, -1 where all are kept.

    ``held`` ones are not looked at. ``s`` (m,) is scratch.
    """
    for c in range(m):
        s[c] = -b[c]
    for i in range(p):
        part = y[i]
        for c in range(m):
            s[c] += part * A[i, c]
    worst, which = -BROKEN, -1
    for c in range(m):
        if s[c] < worst and not held[c]:
            worst, which = s[c], c
    return which


@kernel(counted=False)
def take_up(K: Array, R: Array, d: Array, p: int, q: int) -> None:
    """Turn what is free of a condition ``d`` so that one direction alone meets it: the q-th."""
    for j in range(p - 1, q, -1):
        h = math.hypot(d[j - 1], d[j])
        if d[j] == 0.0 or h == 0.0:
            continue
        cosine, sine = d[j - 1] / h, d[j] / h
        d[j - 1] = h
        for i in range(p):
            one, two = K[j - 1, i], K[j, i]
            K[j - 1, i] = cosine * one + sine * two
            K[j, i] = cosine * two - sine * one
    for i in range(q + 1):
        R[i, q] = d[i]


@kernel(counted=False)
def let_go(K: Array, R: Array, p: int, q: int, gone: int) -> None:
    """Take the condition ``gone`` of q out of ``R``, and make it triangular again."""
    for k in range(gone, q - 1):
        for i in range(k + 2):
            R[i, k] = R[i, k + 1]
    for k in range(gone, q - 1):
        h = math.hypot(R[k, k], R[k + 1, k])
        if h == 0.0:
            continue
        cosine, sine = R[k, k] / h, R[k + 1, k] / h
        for c in range(k, q - 1):
            one, two = R[k, c], R[k + 1, c]
            R[k, c] = cosine * one + sine * two
            R[k + 1, c] = cosine * two - sine * one
        for i in range(p):
            one, two = K[k, i], K[k + 1, i]
            K[k, i] = cosine * one + sine * two
            K[k + 1, i] = cosine * two - sine * one


class Programmes(NamedTuple):
    """m of them: ``B`` (m, n, n), ``slope`` (m, n), ``J`` (m, r, n), ``rows`` (m, c, n).

    ``least`` (m, c), ``low`` and ``high`` (m, n) are infinite where there is no limit.
    """

    B: Array
    slope: Array
    J: Array
    rows: Array
    least: Array
    low: Array
    high: Array


class Pivots(NamedTuple):
    """Memory of ``least_within``: ``R`` (p, p), by directions (p + 1,), by conditions (m,)."""

    R: Array
    u: Array
    d: Array
    r: Array
    a: Array
    active: IntArray
    gaps: Array
    held: BoolArray


@kernel(counted=False)
def least_within(
    K: Array, g: Array, p: int, A: Array, b: Array, m: int, y: Array, at: Pivots
) -> bool:
    """Write into ``y`` (p,) the least of ``g y + y' H y / 2`` with ``A' y >= b``, (p, m), (m,).

    ``K' K`` (p, p) is the inverse of H; it is turned. Return whether the least was found.
    """
    R, u, d, r, a, active, gaps, held = at
    for c in range(m):
        held[c] = False
    for i in range(p):
        y[i] = 0.0
    for j in range(p):
        total = 0.0
        for i in range(p):
            total += K[j, i] * g[i]
        for i in range(p):
            y[i] -= K[j, i] * total
    q = 0
    for _ in range(6 * p + 2 * m + 20):
        which = most_broken(A, b, m, held, y, p, gaps)
        if which < 0:
            return True
        pull = 0.0
        for i in range(p):
            a[i] = A[i, which]
        while True:
            size, rest = 0.0, 0.0
            for j in range(p):
                total = 0.0
                for i in range(p):
                    total += K[j, i] * a[i]
                d[j] = total
                size += d[j] * d[j]
                if j >= q:
                    rest += d[j] * d[j]
            most, gone = np.inf, -1
            for i in range(q - 1, -1, -1):
                total = d[i]
                for k in range(i + 1, q):
                    total -= R[i, k] * r[k]
                r[i] = total / R[i, i]
            for k in range(q):
                if r[k] > 1e-14 and u[k] / r[k] < most:
                    most, gone = u[k] / r[k], k
            full = np.inf
            if rest > 1e-20 * size and rest > 0.0:
                gap = -b[which]
                for i in range(p):
                    gap += a[i] * y[i]
                full = -gap / rest
            move = min(most, full)
            if not move < np.inf:
                return False
            if full < np.inf:
                for j in range(q, p):
                    part = move * d[j]
                    for i in range(p):
                        y[i] += part * K[j, i]
            for k in range(q):
                u[k] -= move * r[k]
            pull += move
            if full <= most:
                take_up(K, R, d, p, q)
                u[q] = pull
                active[q] = which
                held[which] = True
                q += 1
                break
            held[active[gone]] = False
            let_go(K, R, p, q, gone)
            q -= 1
            for k in range(gone, q):
                active[k] = active[k + 1]
                u[k] = u[k + 1]
    return False


@kernel(counted=False)
def _within(A: Array, b: Array, m: int, y: Array, p: int) -> float:
    """Return the share of ``y`` that keeps ``A' y >= b``; it lowers the model too."""
    share = 1.0
    for c in range(m):
        total = 0.0
        for i in range(p):
            total += A[i, c] * y[i]
        if total < b[c]:
            share = min(share, max(b[c] / total, 0.0))
    return share


@kernel(counted=False)
def _step_within(it: Programmes, room: Any, at: Pivots, out: Array) -> None:
    """Write the step (n,) of one programme."""
    B, slope, J, rows, least, low, high = it
    n, c = slope.shape[0], least.shape[0]
    Z, work, along, H, T, K, A, b, g, y = room
    wide = Z.shape[1]
    p = open_directions(J, Z, work, along)
    lanes = min((p + LANES - 1) // LANES * LANES, wide)
    for i in range(n):
        for k in range(lanes):
            T[i, k] = 0.0
        for j in range(n):
            bend = B[i, j]
            for k in range(lanes):
                T[i, k] += bend * Z[j, k]
    for k in range(p):
        g[k] = 0.0
        for j in range(lanes):
            H[k, j] = 0.0
    for i in range(n):
        for k in range(p):
            z = Z[i, k]
            g[k] += z * slope[i]
            for j in range(lanes):
                H[k, j] += z * T[i, j]
    for k in range(p):
        for j in range(k):
            H[j, k] = H[k, j]
    if not bent_already(H, p, T, K, y):
        bent_upward(H, p, T, K, at.held)
    m = 0
    for k in range(c):
        if least[k] == -np.inf:
            continue
        b[m] = least[k]
        for j in range(p):
            A[j, m] = 0.0
        for i in range(n):
            for j in range(p):
                A[j, m] += rows[k, i] * Z[i, j]
        m += 1
    for i in range(n):
        total = 0.0
        for j in range(p):
            total += Z[i, j] * Z[i, j]
        if total < 1e-18:
            continue
        if low[i] > -np.inf:
            b[m] = low[i]
            for j in range(p):
                A[j, m] = Z[i, j]
            m += 1
        if high[i] < np.inf:
            b[m] = -high[i]
            for j in range(p):
                A[j, m] = -Z[i, j]
            m += 1
    share = 1.0
    if p > 0 and not least_within(K, g, p, A, b, m, y, at):
        share = _within(A, b, m, y, p)
    for i in range(n):
        total = 0.0
        for j in range(p):
            total += share * Z[i, j] * y[j]
        out[i] = min(max(total, low[i]), high[i])


@kernel
def steps_within(it: Programmes, out: Array, begin: int, end: int) -> None:
    """Write the steps (m, n) of programmes ``begin`` to ``end`` of m."""
    B, slope, J, rows, least, low, high = it
    n, c = slope.shape[1], least.shape[1]
    wide, deep = (n + LANES - 1) // LANES * LANES, (J.shape[1] // LANES + 1) * LANES
    Z, work, along = np.empty((n, wide)), np.empty((n, deep)), np.empty(max(wide, deep))
    H, T, K = np.empty((n, wide)), np.empty((n, wide)), np.empty((n, n))
    A, b = np.empty((n, c + 2 * n)), np.empty(c + 2 * n)
    g, y = np.empty(n), np.empty(n)
    at = Pivots(
        np.zeros((n, n)),
        np.empty(n + 1),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n + 1, np.int64),
        np.empty(c + 2 * n),
        np.empty(c + 2 * n, np.bool_),
    )
    for row in range(begin, end):
        bounds = least[row], low[row], high[row]
        one = Programmes(B[row], slope[row], J[row], rows[row], *bounds)
        _step_within(one, (Z, work, along, H, T, K, A, b, g, y), at, out[row])
