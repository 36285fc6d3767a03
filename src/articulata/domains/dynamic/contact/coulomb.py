"""Coulomb's law at many contacts at once: a path inside the cones, then Newton's method.

Finds p with u = W p + b, contact by contact: p_n >= 0, u_n >= 0, p_n u_n = 0, the tangential force
within the cone |p_t| <= mu p_n and on its rim against u_t where the contact slides. A path inside
the cones comes near, whatever rows depend on each other. The law is a fixed point of projections
as well; Newton's method on it (Alart & Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353)
ends within rounding in a few steps. W may be singular: steps are the shortest.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.contact.cones import solve_cones
from articulata.kernels.multibody.contact.interior import interior_forces, make_cones
from articulata.kernels.multibody.contact.memory import SLIP

FEW = 2
"""Contacts up to which sweeps alone are looked at long enough to end."""

SWEEPS, LONG = (4, 100), 4000
"""Sweeps before anything else (of many contacts, of few), and where nothing else converges."""

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


def coulomb(
    W: Array,
    b: Array,
    mu: Array,
    mode: IntArray | None = None,
    along: Array | None = None,
) -> Array:
    """Return p (k, 3) with velocities (or accelerations) W p + b under Coulomb's law.

    ``W`` (3k, 3k) in the order normal, tangent 1, tangent 2; ``b`` (k, 3). Contacts whose ``mode``
    is SLIP slide along ``along`` (k, 2), so that their friction has a fixed direction. Where forces
    are not unique, those in the middle of the cones are returned.
    """
    k = len(mu)
    mode = np.zeros(k, np.int64) if mode is None else mode
    along = np.zeros((k, 2)) if along is None else along
    p, flat = np.zeros((k, 3)), np.ascontiguousarray(b, dtype=float).ravel()
    _, change = solve_cones(W, flat, mu, mode, along, p, SWEEPS[k <= FEW], 1e-15)
    if change <= 1e-15:
        return p
    law, room, found = _Law(W, flat, mu, mode, along), make_cones(k), [p]
    for raised in (False, True):
        p = np.zeros((k, 3))
        given = (W, flat, mu, mode, along, p, room, raised, PATH, NEAR)
        _, _, drifts = interior_forces(*given)
        found.insert(0, p)
        # what slides without the raise lifts off as well: at most a place to begin
        best = law.newton(p) if raised or not drifts else None
        if best is not None:
            return best
    best = law.newton(found[1])
    if best is not None:
        return best
    for sweeps in (SWEEPS[True], LONG):
        solve_cones(W, flat, mu, mode, along, found[2], sweeps, 1e-15)
        best = law.newton(found[2])
        if best is not None:
            return best
    # where nothing solves the law sweeps may run away: what misses it least, or no force
    return min((*found, np.zeros((k, 3))), key=law.left)


def holding(W: Array, b: Array, mu: Array, mode: IntArray, along: Array) -> Array | None:
    """Return p (k, 3) that lets nothing slide that might stick, None where there is none.

    Also where no force at all would obey the law as well; arguments as of :func:`coulomb`.
    """
    p, flat = np.zeros((len(mu), 3)), np.ascontiguousarray(b, dtype=float).ravel()
    room = make_cones(len(mu))
    _, _, drifts = interior_forces(W, flat, mu, mode, along, p, room, False, PATH, NEAR)
    return None if drifts else _Law(W, flat, mu, mode, along).newton(p)


def _shortest(J: Array, r: Array) -> Array:
    """Return nearly the shortest x with J x = r, without directions in which J is tiny."""
    K = J @ J.T
    K[np.diag_indices_from(K)] += TINY * np.trace(K) / len(K)
    return np.asarray(J.T @ np.linalg.solve(K, r))


class _Law:
    """The residual of the law, and Newton's method on it."""

    def __init__(self, W: Array, b: Array, mu: Array, mode: IntArray, along: Array) -> None:
        self.W, self.b, self.mu, self.mode, self.along = W, b, mu, mode, along
        size = np.abs(np.diagonal(W)).reshape(-1, 3)
        # a contact that nothing can move (or forces of nobody's motion) is left alone
        self.rho = np.where(size > 0.0, 1.0 / np.maximum(size, 1e-300), 0.0)
        self.rho[:, 1:] = np.min(self.rho[:, 1:], axis=1, keepdims=True)

    def newton(self, p: Array) -> Array | None:
        """Return the solution near ``p``, or None where the steps do not lead to one."""
        own = float(np.max(self.rho * np.abs(self.b.reshape(-1, 3))))
        if not float(np.max(np.abs(p))) <= FAR * own:
            return None
        scale = float(np.max(np.abs(p))) + own
        residual, J = self._residual(p)
        size = float(np.max(np.abs(residual)))
        for _ in range(STEPS):
            if size <= EXACT * scale:
                return p
            step = _shortest(J, -residual).reshape(-1, 3)
            share = 1.0
            while True:
                tried, J_tried = self._residual(p + share * step)
                now = float(np.max(np.abs(tried)))
                if now < size * (1.0 - 1e-4 * share) or now <= EXACT * scale:
                    break
                share *= 0.5
                if share < 1e-3:
                    return p if size <= 1e3 * EXACT * scale else None
            p, residual, J, size = p + share * step, tried, J_tried, now
        return None

    def left(self, p: Array) -> float:
        """Return how much of the law ``p`` misses; inf where it is not a number."""
        size = float(np.max(np.abs(self._residual(p)[0])))
        return size if np.isfinite(size) else np.inf

    def _residual(self, p: Array) -> tuple[Array, Array]:
        """Return the residual (3k,) and its generalised Jacobian."""
        k, rho = len(self.mu), self.rho
        u = (self.W @ p.ravel() + self.b).reshape(-1, 3)
        q = p - rho * u
        dq = np.eye(3 * k) - rho.ravel()[:, None] * self.W
        F, J = p.copy().ravel(), np.eye(3 * k)
        for i in range(k):
            n, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
            pressed = q[i, 0] > 0.0
            if pressed:
                F[n] = p[i, 0] - q[i, 0]
                J[n] -= dq[n]
            if self.mode[i] == SLIP:
                F[t] = p[i, 1:] + self.mu[i] * p[i, 0] * self.along[i]
                J[t, n] += self.mu[i] * self.along[i]
                continue
            radius = self.mu[i] * max(0.0, q[i, 0])
            size = float(np.hypot(q[i, 1], q[i, 2]))
            if size <= radius and radius > 0.0:
                F[t] = p[i, 1:] - q[i, 1:]
                J[t] -= dq[t]
            elif radius > 0.0:
                d = q[i, 1:] / size
                F[t] = p[i, 1:] - radius * d
                J[t] -= radius / size * (dq[t] - np.outer(d, d @ dq[t]))
                J[t] -= self.mu[i] * np.outer(d, dq[n])
        return F, J
