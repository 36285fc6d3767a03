"""Coulomb's law to rounding: Newton's method on its projections, from where the path ends.

The law is a fixed point of projections: p_n of its own part above zero, p_t of its part within the
cone. Newton's method on it (Alart & Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353) ends
within rounding in a few steps. The matrix may be singular: steps are the shortest.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import lu_factor, lu_solve, overwrite
from articulata.kernels.multibody.contact.cones import Coulomb, solve_cones
from articulata.kernels.multibody.contact.interior import interior_forces
from articulata.kernels.multibody.contact.memory import SLIP

FEW = 2
"""Contacts up to which sweeps alone are looked at long enough to end."""

BRIEFLY, LONG, LONGEST = 4, 100, 4000
"""Sweeps before anything else (of many contacts, of few), and where nothing else converges."""

STILL = 1e-15
"""Change in a sweep, as a share of the largest force, after which none follow."""

PATH, NEAR = 60, 1e-11
"""Steps inside the cones, and what may be left of the law when Newton's method takes over."""

STEPS = 40
"""Newton steps before it is given up."""

FAR = 1e8
"""Forces beyond this, beside what one contact alone would take, have run away."""

TINY = 1e-13
"""What is added to the squares of the Newton steps' matrix, as a share of them: directions in which
it is below the root of this are not moved along."""

EXACT = 1e-13
"""Residual, as a share of the largest force, that counts as solved."""


@kernel(counted=False)
def largest_of(x: Array) -> float:
    """Return the largest size of x; NaN where any is."""
    largest = 0.0
    for i in range(x.shape[0]):
        if not abs(x[i]) <= largest:
            largest = abs(x[i])
            if math.isnan(largest):
                break
    return largest


@kernel(counted=False)
def fill_weights(W: Array, rho: Array) -> None:
    """Fill the inverse mobilities (3k,) of the rows, alike for both tangents of a contact.

    A contact that nothing can move (or forces of nobody's motion) is left alone.
    """
    for i in range(rho.shape[0]):
        size = abs(W[i, i])
        rho[i] = 1.0 / size if size > 0.0 else 0.0
    for n in range(0, rho.shape[0], 3):
        rho[n + 1] = rho[n + 2] = min(rho[n + 1], rho[n + 2])


@kernel(counted=False)
def lacked(law: Coulomb, rho: Array, p: Array, q: Array, F: Array) -> float:
    """Fill what p (3k,) lacks of the law, F (3k,), and q = p - rho u; return F's largest size."""
    W, b, mu, mode, along = law.W, law.b, law.mu, law.mode, law.along
    for i in range(p.shape[0]):
        u = 0.0
        for j in range(p.shape[0]):
            u += W[i, j] * p[j]
        q[i] = p[i] - rho[i] * (u + b[i])
    for i in range(mu.shape[0]):
        n = 3 * i
        F[n] = p[n] - q[n] if q[n] > 0.0 else p[n]
        if mode[i] == SLIP:
            for t in range(2):
                F[n + 1 + t] = p[n + 1 + t] + mu[i] * p[n] * along[i, t]
            continue
        radius, size = mu[i] * max(0.0, q[n]), math.hypot(q[n + 1], q[n + 2])
        share = 0.0
        if radius > 0.0:
            share = 1.0 if size <= radius else radius / size
        for t in range(1, 3):
            F[n + t] = p[n + t] - share * q[n + t]
    return largest_of(F)


@kernel(counted=False)
def fill_slopes(law: Coulomb, rho: Array, q: Array, J: Array) -> None:
    """Fill the generalised Jacobian J (3k, 3k) of what :func:`lacked` fills."""
    W, mu, mode, along = law.W, law.mu, law.mode, law.along
    m = q.shape[0]
    for i in range(mu.shape[0]):
        n = 3 * i
        for t in range(3):
            for j in range(m):
                J[n + t, j] = 0.0
            J[n + t, n + t] = 1.0
        if q[n] > 0.0:
            for j in range(m):
                J[n, j] = rho[n] * W[n, j]
        if mode[i] == SLIP:
            for t in range(2):
                J[n + 1 + t, n] += mu[i] * along[i, t]
            continue
        radius, size = mu[i] * max(0.0, q[n]), math.hypot(q[n + 1], q[n + 2])
        if not radius > 0.0:
            continue
        if size <= radius:
            for t in range(1, 3):
                for j in range(m):
                    J[n + t, j] = rho[n + t] * W[n + t, j]
            continue
        share, d1, d2 = radius / size, q[n + 1] / size, q[n + 2] / size
        for j in range(m):
            # how q changes with p, row by row
            one, two = -rho[n + 1] * W[n + 1, j], -rho[n + 2] * W[n + 2, j]
            up = -rho[n] * W[n, j]
            if j == n:
                up += 1.0
            elif j == n + 1:
                one += 1.0
            elif j == n + 2:
                two += 1.0
            side = d1 * one + d2 * two
            J[n + 1, j] -= share * (one - d1 * side) + mu[i] * d1 * up
            J[n + 2, j] -= share * (two - d2 * side) + mu[i] * d2 * up


@kernel(counted=False)
def shortest_step(J: Array, F: Array, K: Array, order: IntArray, rest: Array, step: Array) -> bool:
    """Fill nearly the shortest step with J step = -F, without directions in which J is tiny."""
    m = F.shape[0]
    for i in range(m):
        for j in range(m):
            K[i, j] = J[j, i]
    # products row by row, which go on in order of memory: rest holds a row until K has no more use
    trace = 0.0
    for i in range(m):
        for j in range(m):
            rest[i, j] = 0.0
        for c in range(m):
            x = J[i, c]
            if x != 0.0:
                for j in range(m):
                    rest[i, j] += x * K[c, j]
        trace += rest[i, i]
    for i in range(m):
        rest[i, i] += TINY * trace / m
        K[0, i] = -F[i]
    if not lu_factor(rest, order, m):
        return False
    lu_solve(rest, order, K[0], m)
    for j in range(m):
        step[j] = 0.0
    for i in range(m):
        x = K[0, i]
        for j in range(m):
            step[j] += J[i, j] * x
    return True


@kernel(apart=True)
def newton(law: Coulomb, p: Array) -> bool:
    """Replace p (k, 3) by the solution near it; False, and p kept, where steps lead to none."""
    W, b, mu = law.W, law.b, law.mu
    m = 3 * mu.shape[0]
    rho, x, q, F = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    fill_weights(W, rho)
    own = 0.0
    for i in range(m):
        x[i] = p[i // 3, i % 3]
        if not rho[i] * abs(b[i]) <= own:
            own = rho[i] * abs(b[i])
    top = largest_of(x)
    if not top <= FAR * own:
        return False
    scale = top + own
    size = lacked(law, rho, x, q, F)
    if size <= EXACT * scale:
        return True
    tried, step = np.empty(m), np.empty(m)
    J, K, rest = np.empty((m, m)), np.empty((m, m)), np.empty((m, m))
    order = np.empty(m, np.int64)
    for _ in range(STEPS):
        fill_slopes(law, rho, q, J)
        if not shortest_step(J, F, K, order, rest, step):
            return False
        share, found = 1.0, False
        while not found:
            for i in range(m):
                tried[i] = x[i] + share * step[i]
            now = lacked(law, rho, tried, q, F)
            found = now < size * (1.0 - 1e-4 * share) or now <= EXACT * scale
            if not found:
                share *= 0.5
                if share < 1e-3:
                    break
        if found:
            size = now
            for i in range(m):
                x[i] = tried[i]
        if (found and size <= EXACT * scale) or (not found and size <= 1e3 * EXACT * scale):
            for i in range(m):
                p[i // 3, i % 3] = x[i]
            return True
        if not found:
            return False
    return False


@kernel
def missed(law: Coulomb, p: Array) -> float:
    """Return how much of the law p (k, 3) misses; inf where it is not a number."""
    m = 3 * law.mu.shape[0]
    rho, x, q, F = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    fill_weights(law.W, rho)
    for i in range(m):
        x[i] = p[i // 3, i % 3]
    size = lacked(law, rho, x, q, F)
    return size if math.isfinite(size) else math.inf


@kernel(counted=False)
def fill_islands(W: Array, island: IntArray) -> int:
    """Fill the number of the island (k,) of each contact: those that W couples; return how many.

    Bodies that neither hinges nor contacts join do not move each other.
    """
    k = island.shape[0]
    for i in range(k):
        island[i] = -1
    count = 0
    for first in range(k):
        if island[first] >= 0:
            continue
        island[first] = count
        grows = True
        while grows:
            grows = False
            for i in range(k):
                if island[i] != count:
                    continue
                for j in range(k):
                    if island[j] < 0 and coupled(W, i, j):
                        island[j], grows = count, True
        count += 1
    return count


@kernel(counted=False)
def coupled(W: Array, i: int, j: int) -> bool:
    """Tell whether a force at one of two contacts moves the other, either way."""
    for r in range(3):
        for s in range(3):
            if W[3 * i + r, 3 * j + s] != 0.0 or W[3 * j + s, 3 * i + r] != 0.0:
                return True
    return False


@kernel
def coulomb_forces(law: Coulomb, p: Array) -> bool:
    """Fill p (k, 3), zero at first, with forces under Coulomb's law; False where none were found.

    Then they are those that miss it least. Islands of contacts that do not move each other are
    solved each on their own: it costs less, and none hangs on what another lacks.
    """
    W, b, mu, mode, along = law.W, law.b, law.mu, law.mode, law.along
    k = mu.shape[0]
    island = np.empty(k, np.int64)
    islands = fill_islands(W, island)
    solved = True
    mine = np.empty(k, np.int64)
    for number in range(islands):
        n = 0
        for i in range(k):
            if island[i] == number:
                mine[n] = i
                n += 1
        W_own, b_own, p_own = np.empty((3 * n, 3 * n)), np.empty(3 * n), np.zeros((n, 3))
        mu_own, mode_own, along_own = np.empty(n), np.empty(n, np.int64), np.empty((n, 2))
        for i in range(n):
            mu_own[i], mode_own[i] = mu[mine[i]], mode[mine[i]]
            along_own[i, 0], along_own[i, 1] = along[mine[i], 0], along[mine[i], 1]
            for r in range(3):
                b_own[3 * i + r] = b[3 * mine[i] + r]
                for j in range(n):
                    for s in range(3):
                        W_own[3 * i + r, 3 * j + s] = W[3 * mine[i] + r, 3 * mine[j] + s]
        found = island_forces(Coulomb(W_own, b_own, mu_own, mode_own, along_own), p_own)
        solved = found and solved
        for i in range(n):
            for t in range(3):
                p[mine[i], t] = p_own[i, t]
    return solved


@kernel
def island_forces(law: Coulomb, p: Array) -> bool:
    """Do what :func:`coulomb_forces` does for contacts all of which move each other."""
    few = law.mu.shape[0] <= FEW
    _, change = solve_cones(law, p, LONG if few else BRIEFLY, STILL)
    if change <= STILL:
        return True
    swept = p.copy()
    p[:] = 0.0
    _, _, drifts = interior_forces(law, p, False, PATH, NEAR)
    held = p.copy()
    # what slides without the raise lifts off as well: at most a place to begin
    if not drifts and newton(law, p):
        return True
    p[:] = 0.0
    interior_forces(law, p, True, PATH, NEAR)
    raised = p.copy()
    if newton(law, p):
        return True
    overwrite(p, held)
    if drifts and newton(law, p):
        return True
    for sweeps in (LONG, LONGEST):
        solve_cones(law, swept, sweeps, STILL)
        overwrite(p, swept)
        if newton(law, p):
            return True
    # where nothing solves the law sweeps may run away: what misses it least, or no force
    overwrite(p, raised)
    least = missed(law, p)
    for other in (held, swept, np.zeros_like(p)):
        left = missed(law, other)
        if left < least:
            least = left
            overwrite(p, other)
    return False


@kernel
def holding_forces(law: Coulomb, p: Array) -> bool:
    """Fill p (k, 3) with forces that let nothing slide that might stick; False where none do."""
    p[:] = 0.0
    _, _, drifts = interior_forces(law, p, False, PATH, NEAR)
    return not drifts and newton(law, p)
