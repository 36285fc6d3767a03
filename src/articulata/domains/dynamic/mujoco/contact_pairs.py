"""What two materials do to each other, as MuJoCo's contact pairs.

MuJoCo has one coefficient for rest and sliding and none that follows the speed: taken are those of
a body that just begins to slide, and of an impact at 1 m/s. Of two shapes it takes the greater
friction, where ours is the mean of both or what the world says of the pair.
"""

from __future__ import annotations

from typing import Any

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.pair_laws import Surface, between
from articulata.domains.dynamic.mechanism import Mechanism
from articulata.domains.dynamic.mujoco.geoms import IMPACT, contact_spring


def add_pairs(
    spec: Any, parts: Mechanism, meeting: set[tuple[str, str]], contact: Contact, step: float
) -> None:
    """Add a contact pair for every two shapes that do another thing than each with its like."""
    bodies = parts.world.bodies
    own = {name: _felt(between(parts.world, b, b, contact)) for name, b in bodies.items()}
    geoms: dict[str, list[str]] = {}
    for geom in spec.geoms:
        geoms.setdefault(geom.name.rpartition("/")[0], []).append(geom.name)
    for one, other in sorted(meeting):
        felt = _felt(between(parts.world, bodies[one], bodies[other], contact))
        if felt == own[one] == own[other]:
            continue
        friction, restitution = felt
        for first in geoms.get(one, ()):
            for second in geoms.get(other, ()):
                pair = spec.add_pair()
                pair.geomname1, pair.geomname2 = first, second
                pair.friction = [friction, friction, 0.0, 0.0, 0.0]
                pair.solref = contact_spring(restitution, step)
                pair.solimp = [0.95, 0.99, 1e-4, 0.5, 2.0]


def _felt(surface: Surface) -> tuple[float, float]:
    """Return friction and restitution as MuJoCo takes them."""
    return surface.sliding(0.0), surface.bounce(IMPACT)
