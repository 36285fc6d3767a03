"""What a body has by its mass, and what there is between two: distances, touch and its forces.

Kinetic and potential energy and momentum take mass and inertia of the world's body, place and
velocity of the recording. ``A to B`` is the distance (m) of two named points, ``A touches B`` 1
while two bodies press on each other and 0 otherwise, ``A from B`` the force (N, in W) that body A
has from its contact with B. W axes, SI units.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_rotate
from articulata.records.observed import (
    ORIENTATION,
    POSE,
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
from articulata.world.paths import resolve_body

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


PAIR_FORCE = "dynamic.pair_force"
WORDS = (" to ", " touches ", " from ")


def halves(path: str) -> tuple[str, str, str] | None:
    """Return the two paths and the word between them, or None for a path of one thing."""
    for word in WORDS:
        one, found, other = path.partition(word)
        if found and one.strip() and other.strip():
            return one.strip(), word.strip(), other.strip()
    return None


class Pressing:
    """The contact force that one body has from another, read from segments.

    ``worlds`` are those in which the one and the other are: an edit may have added either.
    """

    def __init__(self, worlds: tuple[World, World], path: str, one: str, other: str) -> None:
        self.bodies = (resolve_body(worlds[0], one), resolve_body(worlds[1], other))
        if self.bodies[0] == self.bodies[1]:
            raise NameNotFound(f"'{path}' names one body twice; name two bodies")

    def force(self, segment: Stretch) -> Array:
        """Return the force (n, 3) in W (N); zero where they do not touch."""
        a, b = self.bodies
        for body in self.bodies:
            if POSE in segment.channels and segment.row(POSE, body) is None:
                raise AbsentError(f"there is no {body}")
        if segment.row(PAIR_FORCE, f"{b} on {a}") is not None:
            return -row(segment, PAIR_FORCE, f"{b} on {a}")
        if segment.row(PAIR_FORCE, f"{a} on {b}") is not None:
            return row(segment, PAIR_FORCE, f"{a} on {b}")
        return np.zeros((len(segment.times), 3))

    def touching(self, segment: Stretch) -> Array:
        """Return (n,): 1 where they press on each other, else 0."""
        return np.asarray(np.any(self.force(segment) != 0.0, axis=1), np.float64)
