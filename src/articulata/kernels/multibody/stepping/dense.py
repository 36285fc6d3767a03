"""The impulses of a few contacts to rounding: Newton's method on the laws of contact, densely.

Unknown are three impulses at each contact, normal first; ``u = W p + q`` are velocities along the
same axes, those of the normals less their bounds. The laws are those of ``sweeps``: p_n is at least
p_0 (0, or what restitution gives back), u_n >= 0, one of the two an equation, and p_t the point
nearest to p_t - r u_t on the disc of radius mu p_n.
Newton's method decides who presses, sticks and slides from the state before (Alart and Curnier,
Comput. Methods Appl. Mech. Eng. 92 (1991) 353).

Loads that equilibrium leaves open are those of contacts a little soft, whose softness is then
taken away step by step (proximal points): the least of sum p^2 / stiffness.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel

MOST = 64
"""Contacts that are solved densely at most."""

NEWTON = 28
"""Most steps of Newton's method from one softness."""

SOFT = 1e-6
"""Softness at first, as a share of the greatest mobility of a contact."""

FIRMER, FIRMEST = 1e-3, 1e-9
"""Factor by which softness falls where it keeps the rest from shrinking; the least softness."""

TRIES, SWEEPS = 2, 30
"""Times Newton's method is tried anew, and sweeps between that."""

OUTER = 12
"""Times the softness is taken away at most."""

ENOUGH = 4e-16
"""Rest, as a share of the greatest speed that an impulse gives, at which all is done."""

STALLED = 1e-11
"""Rest at which Newton's method is done where it gets no nearer."""

OPEN, SMOOTH, STICKS, SLIDES = 0, 1, 2, 3
"""What a contact does: nothing, presses without friction, sticks, slides."""

GIVEN = 4
"""Added to that where the impulse along the normal is the least one, and the contact parts."""


class Dense(NamedTuple):
    """A few contacts as dense arrays, and scratch memory."""

    W: Array
    """(3 MOST, 3 MOST): velocities per impulse."""
    A: Array
    """(3 MOST, 3 MOST): scratch."""
    q: Array
    """(3 MOST,): velocities without impulses, less the bounds."""
    p: Array
    """(3 MOST,): impulses."""
    best: Array
    u: Array
    x: Array
    soft: Array
    """(3 MOST,): relative softness of each row, 1 for contacts of the usual stiffness."""
    center: Array
    mu: Array
    """(MOST,): friction."""
    least: Array
    """(MOST,): the least impulses along the normals."""
    does: IntArray
    """(MOST,): what each contact does."""
    row: IntArray
    """(3 MOST,): the unknowns of a step."""
    number: IntArray
    """(MOST,): which contact of the step each one is."""


def new_dense() -> Dense:
    """Return memory for ``MOST`` contacts."""
    n = 3 * MOST
    return Dense(
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(MOST),
        np.zeros(MOST),
        np.zeros(MOST, np.int64),
        np.zeros(n, np.int64),
        np.zeros(MOST, np.int64),
    )


@kernel(counted=False)
def velocities(d: Dense, m: int, eps: float) -> None:
    """Fill u with the velocities that p leads to, those of softness ``eps`` included."""
    n = 3 * m
    for i in range(n):
        s = d.q[i] + eps * d.soft[i] * (d.p[i] - d.center[i])
        for k in range(n):
            s += d.W[i, k] * d.p[k]
        d.u[i] = s


@kernel(counted=False)
def rest(d: Dense, m: int, eps: float) -> float:
    """Fill u; return by how much p misses the laws, as a share of the greatest speed they give."""
    velocities(d, m, eps)
    worst, largest = 0.0, 0.0
    for i in range(m):
        k = 3 * i
        a = d.W[k, k]
        if not a > 0.0:
            continue
        largest = max(largest, abs(d.p[k]) * a, abs(d.q[k]))
        worst = max(worst, abs(min((d.p[k] - d.least[i]) * a, d.u[k])))
        if d.mu[i] > 0.0:
            r = grip(d, k)
            y, z = d.p[k + 1] - r * d.u[k + 1], d.p[k + 2] - r * d.u[k + 2]
            size, radius = math.sqrt(y * y + z * z), d.mu[i] * max(0.0, d.p[k])
            if size > radius:
                y, z = y * radius / size, z * radius / size
            far = abs(d.p[k + 1] - y) + abs(d.p[k + 2] - z)
            worst = max(worst, far / r)
    return worst / largest if largest > 0.0 else 0.0


@kernel(counted=False)
def grip(d: Dense, k: int) -> float:
    """Return the impulse per speed by which friction is looked for at the contact of row k."""
    return 1.0 / max(d.W[k + 1, k + 1] + d.W[k + 2, k + 2], 1e-300)


@kernel(counted=False)
def decide(d: Dense, m: int) -> bool:
    """Say what each contact does at p and u; return whether any does something else now."""
    changed = False
    for i in range(m):
        k = 3 * i
        a = d.W[k, k]
        now = OPEN
        trial = d.p[k] - d.u[k] / a if a > 0.0 else 0.0
        parts = d.least[i] > 0.0 and trial <= d.least[i]
        trial = max(trial, d.least[i])
        if trial > 0.0:
            now = SMOOTH
            if d.mu[i] > 0.0:
                r = grip(d, k)
                y, z = d.p[k + 1] - r * d.u[k + 1], d.p[k + 2] - r * d.u[k + 2]
                limit = d.mu[i] * trial
                now = STICKS if y * y + z * z <= limit * limit else SLIDES
            if parts:
                now += GIVEN
        if now != d.does[i]:
            changed = True
            d.does[i] = now
    return changed


@kernel(counted=False)
def equations(d: Dense, m: int, eps: float) -> int:
    """Fill A and x with the equations of a Newton step; return how many unknowns there are.

    Impulses of contacts that do not press are 0 from here on, so that u is computed anew.
    """
    n = 0
    for i in range(m):
        k = 3 * i
        rows = 0
        if d.does[i] != OPEN:
            rows = 1 if d.does[i] % GIVEN == SMOOTH else 3
        for j in range(3):
            if j < rows:
                d.row[n] = k + j
                n += 1
            else:
                d.p[k + j] = 0.0
    velocities(d, m, eps)
    at = 0
    while at < n:
        k = d.row[at]
        i = k // 3
        line(d, at, k, n, eps)
        d.x[at] = -d.u[k]
        if d.does[i] >= GIVEN:
            for j in range(n):
                d.A[at, j] = 0.0
            d.A[at, at], d.x[at] = 1.0, d.least[i] - d.p[k]
        if d.does[i] % GIVEN == SMOOTH:
            at += 1
            continue
        if d.does[i] % GIVEN == STICKS:
            for j in range(1, 3):
                line(d, at + j, k + j, n, eps)
                d.x[at + j] = -d.u[k + j]
        else:
            slide(d, at, k, n, eps)
        at += 3
    return n


@kernel(counted=False)
def line(d: Dense, at: int, k: int, n: int, eps: float) -> None:
    """Fill line ``at`` with how the velocity of row k depends on the unknowns."""
    for j in range(n):
        d.A[at, j] = d.W[k, d.row[j]]
    d.A[at, at] += eps * d.soft[k]


@kernel(counted=False)
def slide(d: Dense, at: int, k: int, n: int, eps: float) -> None:
    """Fill the two lines of a sliding contact: p_t = mu p_n times the direction of p_t - r u_t."""
    i = k // 3
    mu, r = d.mu[i], grip(d, k)
    y, z = d.p[k + 1] - r * d.u[k + 1], d.p[k + 2] - r * d.u[k + 2]
    size = math.sqrt(y * y + z * z)
    y, z = y / size, z / size
    share = min(1.0, mu * max(0.0, d.p[k]) / size)
    for j in range(1, 3):
        line(d, at + j, k + j, n, eps)
    # (I - d d) times the velocities' lines, and its own impulses
    for j in range(n):
        one, two = r * d.A[at + 1, j], r * d.A[at + 2, j]
        if j == at + 1:
            one -= 1.0
        if j == at + 2:
            two -= 1.0
        along = y * one + z * two
        d.A[at + 1, j] = share * (one - y * along)
        d.A[at + 2, j] = share * (two - z * along)
    d.A[at + 1, at + 1] += 1.0
    d.A[at + 2, at + 2] += 1.0
    d.A[at + 1, at] -= mu * y
    d.A[at + 2, at] -= mu * z
    d.x[at + 1] = mu * d.p[k] * y - d.p[k + 1]
    d.x[at + 2] = mu * d.p[k] * z - d.p[k + 2]


@kernel(counted=False)
def eliminate(A: Array, x: Array, n: int) -> bool:
    """Solve A x = x in place by Gauss with the largest pivots; False where it is singular."""
    for k in range(n):
        best, at = abs(A[k, k]), k
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best, at = abs(A[i, k]), i
        if not best > 0.0:
            return False
        if at != k:
            for j in range(k, n):
                A[k, j], A[at, j] = A[at, j], A[k, j]
            x[k], x[at] = x[at], x[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                x[i] -= f * x[k]
    for k in range(n - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, n):
            s -= A[k, j] * x[j]
        x[k] = s / A[k, k]
    return True


@kernel(counted=False)
def newton(d: Dense, m: int, eps: float) -> bool:
    """Improve p until every contact does what it was taken to do; False where it does not end."""
    for i in range(m):
        d.does[i] = -1
    before = math.inf
    for number in range(NEWTON):
        left = rest(d, m, eps)
        if left <= ENOUGH or (left <= STALLED and left >= 0.5 * before):
            return True
        before = left
        decide(d, m)
        n = equations(d, m, eps)
        if not eliminate(d.A, d.x, n):
            return False
        share = 0.5 if number % 12 > 7 else 1.0
        for at in range(n):
            d.p[d.row[at]] += share * d.x[at]
            if not abs(d.x[at]) < math.inf:
                return False
    return rest(d, m, eps) <= STALLED


@kernel(counted=False)
def relax(d: Dense, m: int, eps: float, sweeps: int) -> None:
    """Improve p by sweeps over the contacts, each projected on its laws."""
    velocities(d, m, eps)
    for _ in range(sweeps):
        for i in range(m):
            k = 3 * i
            a = d.W[k, k] + eps * d.soft[k]
            if not a > 0.0:
                continue
            shift(d, m, eps, k, max(d.least[i], d.p[k] - d.u[k] / a) - d.p[k])
            if d.mu[i] > 0.0:
                r = grip(d, k)
                y, z = d.p[k + 1] - r * d.u[k + 1], d.p[k + 2] - r * d.u[k + 2]
                size, radius = math.sqrt(y * y + z * z), d.mu[i] * d.p[k]
                if size > radius:
                    y, z = y * radius / size, z * radius / size
                shift(d, m, eps, k + 1, y - d.p[k + 1])
                shift(d, m, eps, k + 2, z - d.p[k + 2])


@kernel(counted=False)
def shift(d: Dense, m: int, eps: float, k: int, by: float) -> None:
    """Change one impulse, and the velocities with it."""
    if by != 0.0:
        d.p[k] += by
        for j in range(3 * m):
            d.u[j] += by * d.W[k, j]
        d.u[k] += by * eps * d.soft[k]


@kernel(counted=False)
def start(d: Dense, m: int, eps: float) -> bool:
    """Improve p, around ``center`` and soft, by Newton's steps and, where these stray, sweeps."""
    n = 3 * m
    for _ in range(TRIES):
        if newton(d, m, eps):
            return True
        for k in range(n):
            d.p[k] = d.best[k]
        relax(d, m, eps, SWEEPS)
        for k in range(n):
            d.best[k] = d.p[k]
    return newton(d, m, eps)


@kernel(counted=False)
def finish(d: Dense, m: int, tolerance: float) -> bool:
    """Improve p to rounding; True where the laws hold to ``tolerance``, else p stays as it was."""
    n, top = 3 * m, 0.0
    for i in range(m):
        top = max(top, d.W[3 * i, 3 * i])
    if not top > 0.0:
        return False
    for k in range(n):
        d.best[k] = d.p[k]
        d.center[k] = 0.0
    eps = SOFT * top
    if not start(d, m, eps):
        for k in range(n):
            d.p[k] = d.best[k]
        return False
    left = rest(d, m, 0.0)
    for _ in range(OUTER):
        if left <= ENOUGH:
            break
        for k in range(n):
            d.center[k] = d.x[k] = d.p[k]
        for k in range(n):
            d.best[k] = d.p[k]
        done = newton(d, m, eps)
        now = rest(d, m, 0.0) if done else math.inf
        if now >= left:
            for k in range(n):
                d.p[k] = d.best[k]
            if eps <= FIRMEST * top or left <= tolerance:
                break
            eps *= FIRMER
            continue
        if now > max(0.01 * left, tolerance) and eps > FIRMEST * top:
            eps *= FIRMER
        left = now
    return left <= tolerance
