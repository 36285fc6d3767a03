"""Quantities derived from a solved state: hinge forces, coordinates, energies, momentum.

World axes, SI units. A hinge's force acts on body A at its hinge point, the opposite on B.
"""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.mechanism import FREE, Mechanism, Motion
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.hinge_rows import RowValues

CAUSES = ("impact", "friction", "damping", "joining")
"""What dissipates: collisions, sliding, dampers and other forces of bodies on each other, and
hinges that an edit makes between bodies in motion."""

ENERGIES = (
    *("kinetic", "potential", "elastic", "total", "work", "dissipated"),
    *(f"dissipated.{cause}" for cause in CAUSES),
)
"""Parts of a world's energy: from "work" on booked since the start, the work done by controls and
by what moves prescribed bodies, and what was dissipated, whole and by its causes:
total - work + dissipated stays."""


def hinge_forces(parts: Mechanism, motion: Motion, values: RowValues, multipliers: Array) -> Array:
    """Return (hinges, 6): force and moment on body A about its hinge point."""
    result = np.zeros((len(parts.hinges), 6))
    if not len(parts.rows):
        return result
    push = values.normal * (multipliers * values.linear)[:, None]
    moment = values.moments(values.arm_a) * multipliers[:, None]
    np.add.at(result, parts.rows.owner, np.concatenate([push, moment], axis=1))
    # So far about A's reference point; a wrench moved to the hinge point loses c x f.
    result[:, 3:] -= np.cross(parts.hinge_arms(motion), result[:, :3])
    return result


def momentum(parts: Mechanism, motion: Motion, spin: Array | None = None) -> Array:
    """Return (6,): momentum (N s) and moment of momentum about the world's origin (N m s).

    ``spin`` (n, 3) is what :func:`spins` returns, where it is known.
    """
    free = parts.kind == FREE
    mass = np.where(free, parts.mass, 0.0)[:, None]
    p = mass * motion.v[:-1]
    own = (spins(parts, motion) if spin is None else spin) * free[:, None]
    about = np.cross(motion.positions[:-1], p) + own
    return np.concatenate([p.sum(0), about.sum(0)])


# What overflows reads as infinite: such a run ends by a message, not by its energies.
@np.errstate(over="ignore", invalid="ignore")
def kinetic(parts: Mechanism, motion: Motion, spin: Array) -> float:
    """Return the kinetic energy (J) of the bodies that move freely; ``spin`` is their ``J w``."""
    free = parts.kind == FREE
    v, w = motion.v[:-1][free], motion.w[:-1][free]
    half = 0.5 * float(parts.mass[free] @ np.einsum("ni,ni->n", v, v))
    return half + 0.5 * float(np.sum(w * spin[free]))


def spins(parts: Mechanism, motion: Motion) -> Array:
    """Return ``J w`` of every body in W, (n, 3)."""
    R = motion.R[:-1]
    w = np.einsum("nji,nj->ni", R, motion.w[:-1])
    return np.asarray(np.einsum("nij,nj->ni", R, np.einsum("nij,nj->ni", parts.inertia, w)))


@np.errstate(over="ignore", invalid="ignore")
def energies(parts: Mechanism, motion: Motion, elements: tuple[Element, ...]) -> Array:
    """Return kinetic, potential and elastic energy and their total (4,) in J.

    Bodies whose motion is prescribed or fixed belong to the surroundings and are left out.
    """
    free = parts.kind == FREE
    mass, moving = parts.mass[free], kinetic(parts, motion, spins(parts, motion))
    fall = np.einsum("ni,ni->n", parts.gravity[free], motion.positions[:-1][free])
    potential = -float(mass @ fall)
    elastic = sum(element.energy(motion) for element in elements)
    return np.array([moving, potential, elastic, moving + potential + elastic])
