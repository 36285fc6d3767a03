"""Contacts that no motion can obey: a body between others that come closer whatever it does.

Hoffmann & Hopcroft 1986, section 4.2, case 4: the model is deficient and the run cannot go on.
"""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.contact.collisions import Impact
from articulata.domains.dynamic.contact.leg import Unfollowed
from articulata.domains.dynamic.couplings import turning
from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.mechanism import PRESCRIBED
from articulata.errors import InconsistentSystem
from articulata.world.model import Coupling, Drive

PATIENCE = 4
"""Impacts in one instant that may leave bodies approaching each other; laws that let pairs collide
one after the other need some."""

STILL = 1e-3
"""Share of the speed of approach that an impact may leave before it counts as no way out."""


def check_way_out(engine: Engine, hit: Impact, rounds: int, time: float) -> None:
    """Raise InconsistentSystem where impacts leave bodies approaching that touch already.

    ``Unfollowed`` where nothing is told how to move, so that the impacts were not solved.
    """
    if rounds < PATIENCE:
        return
    stuck = np.flatnonzero(hit.after < -STILL * float(np.max(np.abs(hit.before))))
    if not len(stuck):
        return
    parts, found, told = engine.parts, [], []
    touched: set[int] = set()
    for touch in hit.touches:
        touched |= {touch.a, touch.b}
        if touch.stop is not None:
            found.append(f"{touch.stop.hinge.id} at its {touch.stop.side}")
            told.append(f"  {found[-1]}  ({touch.stop.hinge.span})")
            continue
        names = [
            f"{parts.bodies[body]}.{feature}"
            for body, feature in zip((touch.a, touch.b), touch.features, strict=True)
        ]
        spans = [parts.world.bodies[parts.bodies[body]].span for body in (touch.a, touch.b)]
        contact = " on ".join(names)
        if contact not in found:
            found.append(contact)
            told.append(f"  {contact}  ({spans[0]}, {spans[1]})")
    given = {parts.bodies[k] for k in touched if parts.kind[k] == PRESCRIBED}
    pushing = [d for d in parts.drives if d.kind == "acceleration" and d.target in given]
    controls: list[Drive | Coupling] = [*pushing, *turning(parts.world)]
    told += [f"  {each.id}  ({each.span})" for each in controls]
    stopped = any(touch.stop is not None for touch in hit.touches)
    if not given and not parts.drives and not stopped and not turning(parts.world):
        # whatever moves by forces alone can always give way
        raise Unfollowed(
            f"no impulses were found by which the bodies that touch at t = {time:.9g} s leave each "
            "other:\n" + "\n".join(told) + "\nTry another law of contact, or steps."
        )
    raise InconsistentSystem(
        f"the bodies that touch at t = {time:.9g} s cannot but run into each other: these contacts "
        "and motions contradict each other\n"
        + "\n".join(told)
        + "\nGive way on one side: change a control, give a motor a torque beside its speed, "
        "free a body, or ignore a pair.",
        (*found, *(each.id for each in controls)),
        time,
    )
