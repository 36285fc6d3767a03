"""What touching surfaces resist with: friction at rest and while sliding, stiffness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.domains.dynamic.contact.touches import Touch
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.contact.memory import STICK


def coefficients(touches: Sequence[Touch], speed: Array) -> Array:
    """Return the friction (k,) of touches that slide at ``speed`` (k,) or rest."""
    both = zip(touches, speed.tolist(), strict=True)
    return np.array([touch.surface.resistance(each) for touch, each in both])


def roots_of_stiffness(touches: Sequence[Touch]) -> Array:
    """Return the square roots (3k,) of stiffness along the rows, 1 for the stiffest."""
    both = [(touch.surface.stiffness, touch.surface.shear) for touch in touches]
    k = np.array([(normal, shear, shear) for normal, shear in both]).ravel()
    return np.asarray(np.sqrt(k / np.max(k)))


def stiffnesses(touches: Sequence[Touch]) -> Array:
    """Return the stiffness (k,) along the normals, 1 for the stiffest."""
    first = touches[0].surface.stiffness
    if all(t.surface.stiffness == first == t.surface.shear for t in touches):
        return np.ones(len(touches))
    return np.asarray(roots_of_stiffness(touches)[::3] ** 2)


def broken_loose(
    W: Array,
    b: Array,
    mu: Array,
    mode: IntArray,
    along: Array,
    touches: Sequence[Touch],
    limit: float,
) -> tuple[Array, Array, Array]:
    """Return accelerations (k, 3), coefficients (k,) and forces of contacts; some break loose.

    Contacts at rest hold by their static coefficient; those that cannot hold slide by the kinetic
    one, which may break others loose.
    """
    mu = mu.copy()
    for _ in range(len(mu) + 1):
        p = coulomb(W, b, mu, mode, along)
        a = b + (W @ p.ravel()).reshape(-1, 3)
        drifts = (mode == STICK) & (np.hypot(a[:, 1], a[:, 2]) > limit)
        if not drifts.any():
            break
        slower = np.array(
            [
                min(held, touch.surface.sliding(0.0)) if drift else held
                for touch, held, drift in zip(touches, mu.tolist(), drifts.tolist(), strict=True)
            ]
        )
        if np.array_equal(slower, mu):
            break
        mu = slower
    return a, mu, p
