"""What there is between two things: how far apart they are, and what they do to each other.

``A to B`` is the distance (m) of two named points, ``A touches B`` 1 while two bodies press on each
other and 0 otherwise, ``A from B`` the force (N, in W) that body A has from its contact with B.
"""

from __future__ import annotations

import numpy as np

from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.records.observed import POSE, AbsentError, Stretch, row
from articulata.world.model import World
from articulata.world.paths import resolve_body

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
