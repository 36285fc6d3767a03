"""What the world says of two materials, as MuJoCo's contact pairs.

MuJoCo has one coefficient for rest and sliding and none that follows the speed: taken are those of
a body that just begins to slide, and of an impact at 1 m/s.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.surfaces import between, called
from articulata.domains.dynamic.mechanism import FREE, Mechanism
from articulata.domains.dynamic.mujoco.shapes import contact_spring
from articulata.world.pairs import pair_between

IMPACT = 1.0
"""Speed of approach (m/s) at which a restitution that follows the speed is taken."""


def add_pairs(spec: Any, parts: Mechanism, left_out: set[frozenset[str]], step: float) -> None:
    """Add a contact pair for every two shapes whose materials the world says something of."""
    world = parts.world
    if not world.pairs:
        return
    geoms: dict[str, list[str]] = {}
    for geom in spec.geoms:
        geoms.setdefault(geom.name.rpartition("/")[0], []).append(geom.name)
    bodies = tuple(world.bodies.values())
    for (i, one), (j, other) in combinations(enumerate(bodies), 2):
        moving = FREE in (parts.kind[i], parts.kind[j])
        if not moving or frozenset((one.id, other.id)) in left_out:
            continue
        if pair_between(world.pairs, called(one), called(other)) is None:
            continue
        surface = between(world, one, other, Contact())
        slides = surface.sliding(0.0)
        for first in geoms.get(one.id, ()):
            for second in geoms.get(other.id, ()):
                pair = spec.add_pair()
                pair.geomname1, pair.geomname2 = first, second
                pair.friction = [slides, slides, 0.0, 0.0, 0.0]
                pair.solref = contact_spring(surface.bounce(IMPACT), step)
                pair.solimp = [0.95, 0.99, 1e-4, 0.5, 2.0]
