"""What a body has by its mass: kinetic and potential energy, momentum; and where it is.

Mass and inertia are those of the world's body, place and velocity those recorded. W axes, SI units.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_rotate
from articulata.records.observed import (
    ORIENTATION,
    POSITION,
    RATE,
    VELOCITY,
    AbsentError,
    Observed,
    Stretch,
    row,
)
from articulata.world.masses import body_mass
from articulata.world.model import World

UNITS = {"energy": "J", "momentum": "N s"}


def over_edits(recording: Observed, body: str, quantity: str) -> Callable[[Stretch], Array]:
    """Return the same for a recording: mass and gravity are those of each segment's own world."""
    if not recording.edits:
        return reader(recording.world, body, quantity)

    def of(segment: Stretch) -> Array:
        world = recording.worlds.get(segment.version, recording.world)
        if body not in world.bodies:
            raise AbsentError(f"there is no body {body}")
        return reader(world, body, quantity)(segment)

    return of


def reader(world: World, body: str, quantity: str) -> Callable[[Stretch], Array]:
    """Return how to read a body's energy (n,) or momentum (n, 3) from a segment.

    The energy is kinetic and potential, zero at the world's origin. NameNotFound without a mass.
    """
    node = world.bodies[body]
    found = body_mass(node) if node.dynamic or node.motion == "free" else None
    if found is None:
        raise NameNotFound(f"'{body}' has no mass, so it has no {quantity}")
    mass, inertia = found.mass, np.asarray(found.inertia)
    gravity = np.array(world.gravity if node.gravity is None else node.gravity)

    def momentum(segment: Stretch) -> Array:
        return mass * row(segment, VELOCITY, body)

    def energy(segment: Stretch) -> Array:
        v, w = row(segment, VELOCITY, body), row(segment, RATE, body)
        q = row(segment, ORIENTATION, body) * np.array([1.0, -1.0, -1.0, -1.0])
        w_B = q_rotate(q, w)
        turning = np.einsum("ni,ij,nj->n", w_B, inertia, w_B)
        moving = mass * np.einsum("ni,ni->n", v, v)
        return np.asarray(0.5 * (turning + moving) - mass * row(segment, POSITION, body) @ gravity)

    return energy if quantity == "energy" else momentum
