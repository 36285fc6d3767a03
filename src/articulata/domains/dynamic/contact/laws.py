"""Laws of impact and friction, as values: a run names the ones it wants.

Newton's law ties the speed of separation to that of approach, at all contacts at once; Poisson's
ties the impulse of restitution to that of compression; the sequential law lets pairs of bodies
collide one after the other, the fastest approach first, until none approaches any more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.cones import solve_cones
from articulata.kernels.multibody.contact_solve import SLIP

SWEEPS = 20000
"""Sweeps over the contacts of one impact before its answer is taken as it is."""

ROUNDING = 1e-15

APPROACH = 1e-10
"""Contacts that approach slower than this (m/s) do not collide."""

COLLISIONS = 100000
"""Collisions of pairs in one instant after which a sequential impact is taken as it is."""


@dataclass(frozen=True, slots=True)
class Newton:
    """Separation at ``e`` times the speed of approach, all contacts at once."""

    name: str = "Newton"


@dataclass(frozen=True, slots=True)
class Poisson:
    """Impulse of restitution ``e`` times that of compression, all contacts at once."""

    name: str = "Poisson"


@dataclass(frozen=True, slots=True)
class Sequential:
    """Pairs of bodies collide one after the other by Newton's law, the fastest first."""

    name: str = "sequential"


ImpactLaw: TypeAlias = Newton | Poisson | Sequential

IMPACT_LAWS: dict[str, type[ImpactLaw]] = {
    "newton": Newton,
    "poisson": Poisson,
    "sequential": Sequential,
}
"""Laws by the names a text uses."""


@dataclass(frozen=True, slots=True)
class Contact:
    """How bodies that touch are treated: the law of ``impact``, and values for the bodies that say none.

    ``restitution`` (0 to 1) and ``friction`` (Coulomb's coefficient) stand for bodies whose
    properties and material say nothing. A series of bounces that would go on for less than
    ``settle`` (s) is summed.
    """

    impact: ImpactLaw = field(default_factory=Newton)
    restitution: float = 0.0
    friction: float = 0.0
    settle: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("restitution", "friction", "settle"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ModelError(f"Contact({name}={value!r}): give a finite number, 0 or greater")
        if self.restitution > 1.0:
            raise ModelError(
                f"Contact(restitution={self.restitution!r}): a body cannot leave faster than it "
                "came; give a number from 0 to 1"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Collision:
    """Contacts in one instant: ``W`` (3k, 3k) velocities per impulse, ``u`` (k, 3) velocities.

    Columns and components are normal, tangent 1, tangent 2; ``e`` (k,) restitution, ``mu`` (k,)
    friction, ``pair`` (k,) which pair of bodies a contact belongs to.
    """

    W: Array
    u: Array
    e: Array
    mu: Array
    pair: IntArray


def impulses(law: ImpactLaw, hit: Collision) -> Array:
    """Return the impulses (k, 3) of one impact (N s)."""
    match law:
        case Newton():
            bounce = np.where(hit.u[:, 0] < 0.0, hit.e * hit.u[:, 0], 0.0)
            wanted = hit.u.copy()
            wanted[:, 0] += bounce
            return cone_impulses(hit.W, wanted, hit.mu)
        case Poisson():
            compression = cone_impulses(hit.W, hit.u, hit.mu)
            given = compression[:, 0] * hit.e
            back = np.zeros_like(compression)
            back[:, 0] = given
            after = hit.u + (hit.W @ (compression + back).ravel()).reshape(-1, 3)
            return compression + back + cone_impulses(hit.W, after, hit.mu)
        case Sequential():
            return _in_sequence(hit)


def _in_sequence(hit: Collision) -> Array:
    total, u = np.zeros_like(hit.u), hit.u.copy()
    for _ in range(COLLISIONS):
        first = int(np.argmin(u[:, 0]))
        if u[first, 0] >= -APPROACH:
            break
        mine = np.flatnonzero(hit.pair == hit.pair[first])
        rows = (3 * mine[:, None] + np.arange(3)).ravel()
        part = Collision(hit.W[np.ix_(rows, rows)], u[mine], hit.e[mine], hit.mu[mine], mine)
        p = np.zeros_like(u)
        p[mine] = impulses(Newton(), part)
        total += p
        u = u + (hit.W @ p.ravel()).reshape(-1, 3)
    return total


def cone_impulses(W: Array, b: Array, mu: Array) -> Array:
    """Return p (k, 3) with velocities W p + b under Coulomb's law, polished to rounding."""
    k = len(mu)
    p, mode = np.zeros((k, 3)), np.zeros(k, np.int64)
    along = np.zeros((k, 2))
    solve_cones(W, b.ravel().copy(), mu, mode, along, p, SWEEPS, ROUNDING)
    return polished(W, b, mu, mode, along, p)


def polished(W: Array, b: Array, mu: Array, mode: IntArray, along: Array, p: Array) -> Array:
    """Return ``p`` solved anew as equations with the contacts' states that it shows.

    Acting contacts have no normal velocity, sticking ones no tangential either, sliding ones the
    direction they have. Kept as it was where the equations' answer breaks Coulomb's law.
    """
    k = len(mu)
    largest = float(np.max(p[:, 0], initial=0.0))
    acting = p[:, 0] > 1e-11 * largest
    if not acting.any():
        return p
    for _ in range(3):
        side = np.hypot(p[:, 1], p[:, 2])
        slides = acting & (mu > 0) & ((side >= mu * p[:, 0] * (1 - 1e-9)) | (mode == SLIP))
        sticks = acting & (mu > 0) & ~slides
        columns, rows = [], []
        for i in np.flatnonzero(acting).tolist():
            normal = np.zeros(3 * k)
            normal[3 * i] = 1.0
            if slides[i] and side[i] > 0:
                normal[3 * i + 1 : 3 * i + 3] = mu[i] * p[i, 1:] / side[i]
            columns.append(normal)
            rows.append(3 * i)
            if sticks[i]:
                for t in (1, 2):
                    unit = np.zeros(3 * k)
                    unit[3 * i + t] = 1.0
                    columns.append(unit)
                    rows.append(3 * i + t)
        C = np.array(columns).T
        x = _least(W[rows] @ C, -b.ravel()[rows], (p.ravel() @ C) / np.sum(C * C, axis=0))
        now = (C @ x).reshape(-1, 3)
        u = b + (W @ now.ravel()).reshape(-1, 3)
        scale = 1e-9 * (float(np.max(np.abs(b))) + 1e-300)
        side_now = np.hypot(now[:, 1], now[:, 2])
        good = (
            bool(np.all(now[:, 0] >= -1e-9 * largest))
            and bool(np.all(u[:, 0] >= -scale))
            and bool(np.all(side_now <= mu * now[:, 0] * (1 + 1e-9) + 1e-12 * largest))
        )
        if not good:
            return p
        turning = slides & (np.hypot(u[:, 1], u[:, 2]) > scale) & (mode != SLIP)
        p = now
        if not turning.any():
            return p
        for i in np.flatnonzero(turning).tolist():
            p[i, 1:] = -mu[i] * p[i, 0] * u[i, 1:] / np.hypot(u[i, 1], u[i, 2])
    return p


def _least(A: Array, b: Array, near: Array) -> Array:
    """Return the solution of A x = b nearest to ``near``."""
    return np.asarray(near + np.linalg.lstsq(A, b - A @ near, rcond=1e-12)[0])
