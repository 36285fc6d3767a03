"""Small quadratic programmes: the least of a bent model within limits, one after another.

Of each: lower ``slope . s + s' B s / 2`` over steps s with ``J s = 0``, ``rows s >= least`` and
``low <= s <= high``, where s = 0 keeps all of it. The step is looked for in the directions that J
leaves open, by the dual method of Goldfarb and Idnani (1983): from the least of the model alone
conditions that are broken are taken up one after another, and let go where they push.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from articulata.kernels.compile import kernel

Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

LANES = 8
"""Numbers that a processor takes side by side, or twice that: widths of arrays are multiples."""

RANK = 1e-9
"""Share of the longest row below which what is left of a row of J counts as none."""

FLAT = 1e-5
"""Least bend in any direction, as a share of the largest: the model is made to bend so much."""

BROKEN = 1e-11
"""How far conditions may be broken."""


@kernel
def open_directions(J: Array, Z: Array, work: Array) -> int:
    """Fill the first columns of ``Z`` (n, n) with what J (r, n) leaves open; return how many.

    They are at right angles and of length 1. By Householder's reflections with the longest of
    what is left of the rows first. Both arrays are wider, in whole lanes: ``work`` (n, >= r), so
    that sums run side by side, and ``Z`` (n, >= n), of which the columns beyond are 0.
    """
    r, n = J.shape
    lanes = work.shape[1]
    first = 0.0
    rank = 0
    along = np.zeros(max(lanes, Z.shape[1]))
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


@kernel
def bent_upward(H: Array, p: int, M: Array, K: Array) -> None:
    """Write ``K`` (p, p) with ``K' K`` the inverse of H (p, p), made to bend upward everywhere.

    Symmetric elimination by one or two coordinates at a time, the largest first (Bunch and Parlett
    1971), of which the blocks' eigenvalues get their sizes (Cheng and Higham 1998). H is used up.
    """
    used = np.zeros(p, np.bool_)
    scale = 1e-300
    for i in range(p):
        for j in range(p):
            M[i, j] = 1.0 if i == j else 0.0
            scale = max(scale, abs(H[i, j]))
    done = 0
    while done < p:
        one, two, best, most = -1, -1, -1.0, -1.0
        first = -1
        for i in range(p):
            if used[i]:
                continue
            if abs(H[i, i]) > best:
                best, first = abs(H[i, i]), i
            for j in range(i):
                if not used[j] and abs(H[i, j]) > most:
                    most, one, two = abs(H[i, j]), i, j
        if best >= 0.64 * most:
            one, two = first, -1
        # the block, its eigenvalues and the turn to its axes
        cosine, sine = 1.0, 0.0
        a, b, c = H[one, one], 0.0, 1.0
        if two >= 0:
            b, c = H[one, two], H[two, two]
            angle = 0.5 * math.atan2(2.0 * b, a - c)
            cosine, sine = math.cos(angle), math.sin(angle)
        low = a * cosine * cosine + 2.0 * b * cosine * sine + c * sine * sine
        if two < 0:
            low = a
        high = a * sine * sine - 2.0 * b * cosine * sine + c * cosine * cosine
        used[one] = True
        if two >= 0:
            used[two] = True
        flat = abs(low) <= 1e-14 * scale
        for i in range(p):
            if used[i] or flat:
                continue
            u = cosine * H[one, i]
            if two >= 0:
                u += sine * H[two, i]
            u /= low
            v = 0.0
            if two >= 0:
                v = (cosine * H[two, i] - sine * H[one, i]) / high
            x, y = cosine * u - sine * v, sine * u + cosine * v
            for j in range(p):
                H[i, j] -= x * H[one, j]
                M[i, j] -= x * M[one, j]
            if two >= 0:
                for j in range(p):
                    H[i, j] -= y * H[two, j]
                    M[i, j] -= y * M[two, j]
        root = 1.0 / math.sqrt(max(abs(low), FLAT * scale))
        other = 1.0 / math.sqrt(max(abs(high), FLAT * scale))
        for j in range(p):
            u = cosine * M[one, j]
            if two >= 0:
                u += sine * M[two, j]
                K[done + 1, j] = other * (cosine * M[two, j] - sine * M[one, j])
            K[done, j] = root * u
        done += 1 if two < 0 else 2


@kernel
def bent_already(H: Array, p: int, L: Array, K: Array) -> bool:
    """Write ``K`` (p, p) with ``K' K`` the inverse of H (p, p), by Cholesky's factors in ``L``.

    Return False where H bends downward somewhere, or less than ``FLAT`` of its most.
    """
    scale = 1e-300
    column = np.empty(p)
    for i in range(p):
        scale = max(scale, abs(H[i, i]))
        for j in range(i + 1):
            L[i, j] = H[i, j]
    for k in range(p):
        if not L[k, k] > FLAT * scale:
            return False
        root = math.sqrt(L[k, k])
        for i in range(k, p):
            column[i] = L[i, k] / root
            L[i, k] = column[i]
        for i in range(k + 1, p):
            part = column[i]
            for j in range(k + 1, i + 1):
                L[i, j] -= part * column[j]
    for i in range(p):
        for j in range(p):
            K[i, j] = 1.0 if i == j else 0.0
        for k in range(i):
            part = L[i, k]
            for j in range(k + 1):
                K[i, j] -= part * K[k, j]
        for j in range(i + 1):
            K[i, j] /= L[i, i]
    return True


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


@kernel
def least_within(
    K: Array, g: Array, p: int, A: Array, b: Array, m: int, y: Array, R: Array
) -> bool:
    """Write into ``y`` (p,) the least of ``g y + y' H y / 2`` with ``A' y >= b``, (p, m), (m,).

    ``K' K`` (p, p) is the inverse of H; it is turned. Return whether the least was found. ``R``
    (p, p) is scratch.
    """
    u = np.zeros(p + 1)
    active = np.empty(p + 1, np.int64)
    held = np.zeros(m, np.bool_)
    d, r, gaps, a = np.empty(p), np.empty(p), np.empty(m), np.empty(p)
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


@kernel
def steps_within(
    B: Array,
    slope: Array,
    J: Array,
    rows: Array,
    least: Array,
    low: Array,
    high: Array,
    out: Array,
    begin: int,
    end: int,
) -> None:
    """Write the steps (m, n) of programmes ``begin`` to ``end`` of m.

    ``B`` (m, n, n), ``slope`` (m, n), ``J`` (m, r, n), ``rows`` (m, c, n), ``least`` (m, c),
    ``low`` and ``high`` (m, n), infinite where there is no limit.
    """
    n, c = slope.shape[1], least.shape[1]
    wide = (n + LANES - 1) // LANES * LANES
    Z, work = np.empty((n, wide)), np.empty((n, (J.shape[1] // LANES + 1) * LANES))
    H, T, K, R = np.empty((n, wide)), np.empty((n, wide)), np.empty((n, n)), np.zeros((n, n))
    A, b = np.empty((n, c + 2 * n)), np.empty(c + 2 * n)
    g, y = np.empty(n), np.empty(n)
    for at in range(begin, end):
        p = open_directions(J[at], Z, work)
        lanes = min((p + LANES - 1) // LANES * LANES, wide)
        for i in range(n):
            for k in range(lanes):
                T[i, k] = 0.0
            for j in range(n):
                bend = B[at, i, j]
                for k in range(lanes):
                    T[i, k] += bend * Z[j, k]
        for k in range(p):
            g[k] = 0.0
            for j in range(lanes):
                H[k, j] = 0.0
        for i in range(n):
            for k in range(p):
                z = Z[i, k]
                g[k] += z * slope[at, i]
                for j in range(lanes):
                    H[k, j] += z * T[i, j]
        for k in range(p):
            for j in range(k):
                H[j, k] = H[k, j]
        if not bent_already(H, p, T, K):
            bent_upward(H, p, T, K)
        m = 0
        for k in range(c):
            if least[at, k] == -np.inf:
                continue
            b[m] = least[at, k]
            for j in range(p):
                A[j, m] = 0.0
            for i in range(n):
                for j in range(p):
                    A[j, m] += rows[at, k, i] * Z[i, j]
            m += 1
        for i in range(n):
            total = 0.0
            for j in range(p):
                total += Z[i, j] * Z[i, j]
            if total < 1e-18:
                continue
            if low[at, i] > -np.inf:
                b[m] = low[at, i]
                for j in range(p):
                    A[j, m] = Z[i, j]
                m += 1
            if high[at, i] < np.inf:
                b[m] = -high[at, i]
                for j in range(p):
                    A[j, m] = -Z[i, j]
                m += 1
        share = 1.0
        if p > 0 and not least_within(K, g, p, A, b, m, y, R):
            share = _within(A, b, m, y, p)
        for i in range(n):
            total = 0.0
            for j in range(p):
                total += share * Z[i, j] * y[j]
            out[at, i] = min(max(total, low[at, i]), high[at, i])
