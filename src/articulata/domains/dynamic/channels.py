"""The channels of the dynamic domain: the state's arrays, and what a frame derives from them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from articulata.domains.dynamic.couplings import COUPLING, efforts
from articulata.domains.dynamic.mechanism import (
    COORDINATE,
    ORIENTATION,
    POSITION,
    RATE,
    VELOCITY,
    Mechanism,
)
from articulata.domains.dynamic.readings import CAUSES, ENERGIES
from articulata.geometry.arrays import Array, IntArray
from articulata.records.state import Channel

XYZ = ("x", "y", "z")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")

BOOKS = "dynamic.work"
"""Channel of the work done on the bodies and of what was dissipated since the start, J."""
LOSSES = "dynamic.losses"
"""Channel of what was dissipated since the start, by its causes (``readings.CAUSES``), J."""
STEP = "dynamic.step"
"""Channel of the step (s) that an adaptive method will try next; zero where it is to choose."""
PAIR_FORCE = "dynamic.pair_force"
"""Channel of the force on the first body of each pair that presses on another, from the second."""
CONTACT_FORCE = "dynamic.contact_force"
"""Channel of what all contacts do to each body: force, and moment about its mass centre."""
POINT = "dynamic.contact_point"
"""Channel of where contacts press, one row each; rows without a contact are NaN."""
POINT_FORCE = "dynamic.contact_point_force"
"""Channel of the force there on one of the two bodies."""
PRESSED = (CONTACT_FORCE, PAIR_FORCE, POINT, POINT_FORCE)
"""Those of contact, in this order."""
MOST_POINTS = 64
"""Points recorded in a frame, the strongest where there are more; 8 where two bodies may touch."""


def motion_channels(parts: Mechanism) -> tuple[Channel, ...]:
    """Return the state's arrays and what is derived where nothing touches."""
    bodies, hinges = parts.bodies, tuple(hinge.id for hinge in parts.hinges)
    labels = parts.coordinates.labels
    names = [f"{hinge.id}." for hinge in parts.hinges]
    # Numbered within each hinge, so that a row keeps its name when another hinge goes.
    owner = parts.rows.owner
    first = np.searchsorted(owner, owner).tolist()
    rows = tuple([f"{names[h]}{r - first[r]}" for r, h in enumerate(owner.tolist())])
    coupled = tuple(parts.world.couplings)
    told = (Channel(COUPLING, "N m, N; W", coupled, ("effort", "power")),) if coupled else ()
    return (
        Channel(POSITION, "m", bodies, XYZ),
        Channel(ORIENTATION, "", bodies, ("w", *XYZ)),
        Channel(VELOCITY, "m/s", bodies, XYZ),
        Channel(RATE, "rad/s", bodies, XYZ),
        Channel(COORDINATE, "rad, m", labels),
        Channel(STEP, "s"),
        Channel(BOOKS, "J", (), ("work", "dissipated")),
        Channel(LOSSES, "J", (), CAUSES),
        Channel("dynamic.coordinate_rate", "rad/s, m/s", labels),
        Channel("dynamic.acceleration", "m/s^2", bodies, XYZ),
        Channel("dynamic.angular_acceleration", "rad/s^2", bodies, XYZ),
        Channel("dynamic.hinge_force", "N, N m", hinges, WRENCH),
        Channel("dynamic.multipliers", "N, N m", rows),
        *told,
        Channel("dynamic.force", "N, N m", tuple(parts.world.forces)),
        Channel("dynamic.energy", "J", ENERGIES),
        Channel("dynamic.momentum", "N s, N m s", (), ("x", "y", "z", "lx", "ly", "lz")),
    )


def named_alike(one: Mechanism, other: Mechanism) -> bool:
    """Tell whether bodies, hinges, rows and forces have the same names in the same order."""
    then, now = one.world, other.world
    return (
        one.rows is other.rows
        and one.coordinates is other.coordinates
        and (then.bodies is now.bodies or one.bodies == other.bodies)
        and (then.hinges is now.hinges or tuple(then.hinges) == tuple(now.hinges))
        and tuple(then.couplings) == tuple(now.couplings)
        and (then.forces is now.forces or tuple(then.forces) == tuple(now.forces))
    )


def room_for(pairs: int) -> int:
    """Return how many contact points a frame holds where ``pairs`` of bodies may touch."""
    return min(8 * pairs, MOST_POINTS)


def contact_channels(bodies: tuple[str, ...], pairs: IntArray) -> tuple[Channel, ...]:
    """Return what is derived beside where ``pairs`` (p, 2) of ``bodies`` may touch."""
    rows = tuple(str(number + 1) for number in range(room_for(len(pairs))))
    return (
        Channel(CONTACT_FORCE, "N, N m", bodies, WRENCH),
        Channel(PAIR_FORCE, "N", bodies, XYZ, pairs=True),
        Channel(POINT, "m", rows, XYZ),
        Channel(POINT_FORCE, "N", rows, XYZ),
    )


def no_contact(bodies: int, pairs: int) -> dict[str, Array]:
    """Return the contact channels of a frame in which nothing touches."""
    return {
        CONTACT_FORCE: np.zeros((bodies, 6)),
        PAIR_FORCE: np.zeros((0, 5)),
        POINT: np.full((room_for(pairs), 3), np.nan),
        POINT_FORCE: np.full((room_for(pairs), 3), np.nan),
    }


def empty_books() -> dict[str, Array]:
    """Return the books at the start of a run."""
    return {BOOKS: np.zeros(2), LOSSES: np.zeros(len(CAUSES))}


def books_of(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the books in a state's ``arrays``, empty where it has none.

    What a state of an older recording has dissipated stays in the sum, whatever its causes were.
    """
    return {name: arrays.get(name, empty) for name, empty in empty_books().items()}


def booked(arrays: Mapping[str, Array], work: float, losses: Array) -> dict[str, Array]:
    """Return the books in ``arrays`` with ``work`` done and ``losses`` (causes,) since then, J."""
    known = books_of(arrays)
    sums = np.array([work, float(np.sum(losses))])
    return {BOOKS: known[BOOKS] + sums, LOSSES: known[LOSSES] + losses}


def unsolved(parts: Mechanism, pairs: int | None) -> dict[str, Array]:
    """Return accelerations and forces before anything was solved; ``pairs`` None without contact.

    All are zero.
    """
    n = len(parts.bodies)
    return {
        "dynamic.acceleration": np.zeros((n, 3)),
        "dynamic.angular_acceleration": np.zeros((n, 3)),
        "dynamic.hinge_force": np.zeros((len(parts.hinges), 6)),
        "dynamic.multipliers": np.zeros(len(parts.rows)),
        **efforts(parts, np.zeros(len(parts.rows)), np.zeros(len(parts.coordinates))),
        **({} if pairs is None else no_contact(n, pairs)),
    }
