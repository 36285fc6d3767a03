"""Coulomb's law at many contacts at once: a path inside the cones, then Newton's method.

Finds p with u = W p + b, contact by contact: p_n >= 0, u_n >= 0, p_n u_n = 0, the tangential force
within the cone |p_t| <= mu p_n and on its rim against u_t where the contact slides. A path inside
the cones (``interior``) comes near, whatever rows depend on each other; Newton's method on the
law's projections (``exact``) ends within rounding in a few steps. W may be singular.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.contact.cones import Coulomb
from articulata.kernels.multibody.contact.exact_friction import coulomb_forces, holding_forces


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
    coulomb_forces(Coulomb(W, flat, mu, mode, along), p)
    return p


def holding(W: Array, b: Array, mu: Array, mode: IntArray, along: Array) -> Array | None:
    """Return p (k, 3) that lets nothing slide that might stick, None where there is none.

    Also where no force at all would obey the law as well; arguments as of :func:`coulomb`.
    """
    p, flat = np.zeros((len(mu), 3)), np.ascontiguousarray(b, dtype=float).ravel()
    held = holding_forces(Coulomb(W, flat, mu, mode, along), p)
    return p if held else None
