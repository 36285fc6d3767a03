"""Impulses or forces of contacts under Coulomb's law, by block Gauss-Seidel.

Finds p with u = W p + b, contact by contact: p_n >= 0, u_n >= 0, p_n u_n = 0, and tangential
force inside the cone |p_t| <= mu p_n, on its rim against u_t where the contact slides. A contact
that slides already (mode SLIP) has its force along a fixed direction. N s with m/s, or N with
m/s^2. Where W is singular the motion is unique without friction, the forces need not be.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.contact.memory import SLIP

INNER = 30
"""Passes over one contact's cone within a sweep."""


class Coulomb(NamedTuple):
    """Coulomb's law at k contacts: u = W p + b, in the order normal, tangent 1, tangent 2."""

    W: Array
    """(3k, 3k): mobility."""
    b: Array
    """(3k,): velocity (or acceleration) without forces."""
    mu: Array
    """(k,): friction coefficients."""
    mode: IntArray
    """(k,): SLIP where a contact slides already."""
    along: Array
    """(k, 2): its direction then."""


@kernel
def solve_cones(law: Coulomb, p: Array, sweeps: int, tolerance: float) -> tuple[int, float]:
    """Improve ``p`` (k, 3) by up to ``sweeps`` sweeps; return their number and the last change.

    The change is relative to the largest p.
    """
    W, b, mu, mode, along = law.W, law.b, law.mu, law.mode, law.along
    k = mu.shape[0]
    change = math.inf
    for sweep in range(sweeps):
        change, largest = 0.0, 1e-300
        for i in range(k):
            n = 3 * i
            un, u1, u2 = b[n], b[n + 1], b[n + 2]
            for c in range(3 * k):
                x = p[c // 3, c % 3]
                if x != 0.0:
                    un += W[n, c] * x
                    u1 += W[n + 1, c] * x
                    u2 += W[n + 2, c] * x
            o0, o1, o2 = p[i, 0], p[i, 1], p[i, 2]
            if W[n, n] <= 0.0:
                continue
            if mu[i] == 0.0:
                p[i, 0] = max(0.0, o0 - un / W[n, n])
            elif mode[i] == SLIP:
                s, t = along[i, 0], along[i, 1]
                w = W[n, n] - mu[i] * (W[n, n + 1] * s + W[n, n + 2] * t)
                if w > 1e-12 * W[n, n]:
                    x = max(0.0, o0 - un / w)
                    p[i, 0], p[i, 1], p[i, 2] = x, -mu[i] * x * s, -mu[i] * x * t
            else:
                cone(W, n, mu[i], un, u1, u2, p, i)
            change = max(change, max(abs(p[i, 0] - o0), max(abs(p[i, 1] - o1), abs(p[i, 2] - o2))))
            largest = max(largest, max(abs(p[i, 0]), max(abs(p[i, 1]), abs(p[i, 2]))))
        change /= largest
        if change <= tolerance:
            return sweep + 1, change
    return sweeps, change


@kernel(counted=False)
def cone(W: Array, n: int, mu: float, un: float, u1: float, u2: float, p: Array, i: int) -> None:
    """Solve one contact's cone, the others as they are: first as sticking, then as sliding."""
    # velocity without this contact
    un -= W[n, n] * p[i, 0] + W[n, n + 1] * p[i, 1] + W[n, n + 2] * p[i, 2]
    u1 -= W[n + 1, n] * p[i, 0] + W[n + 1, n + 1] * p[i, 1] + W[n + 1, n + 2] * p[i, 2]
    u2 -= W[n + 2, n] * p[i, 0] + W[n + 2, n + 1] * p[i, 1] + W[n + 2, n + 2] * p[i, 2]
    if un >= 0.0:
        p[i, 0] = p[i, 1] = p[i, 2] = 0.0
        return
    a, d, e = W[n, n], W[n + 1, n + 1], W[n + 2, n + 2]
    f, g, c = W[n, n + 1], W[n, n + 2], W[n + 1, n + 2]
    det = a * (d * e - c * c) - f * (f * e - c * g) + g * (f * c - d * g)
    if det > 1e-14 * a * d * e:
        x = -((d * e - c * c) * un + (g * c - f * e) * u1 + (f * c - g * d) * u2) / det
        y = -((g * c - f * e) * un + (a * e - g * g) * u1 + (f * g - a * c) * u2) / det
        z = -((f * c - g * d) * un + (f * g - a * c) * u1 + (a * d - f * f) * u2) / det
        if x >= 0.0 and y * y + z * z <= mu * mu * x * x:
            p[i, 0], p[i, 1], p[i, 2] = x, y, z
            return
    # sliding: projected gradient on the rim
    x, y, z = max(p[i, 0], -un / a), p[i, 1], p[i, 2]
    step = 1.0 / max(d + e, 1e-300)
    for _ in range(INNER):
        x0, y0, z0 = x, y, z
        x = max(0.0, -(un + f * y + g * z) / a)
        s, t = u1 + f * x + d * y + c * z, u2 + g * x + c * y + e * z
        y, z = y - step * s, z - step * t
        size = math.sqrt(y * y + z * z)
        if size > mu * x:
            s = mu * x / size if size > 0.0 else 0.0
            y, z = y * s, z * s
        if abs(x - x0) + abs(y - y0) + abs(z - z0) <= 1e-16 * (abs(x) + abs(y) + abs(z)):
            break
    p[i, 0], p[i, 1], p[i, 2] = x, y, z
