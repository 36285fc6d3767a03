"""Sliding contacts that jam: where no force obeys Coulomb's law (Painleve's paradox).

A contact that slides yields to a pressure p with W_nn - mu W_nt . s times p, where s is the
direction of its slip. Friction that drives it into the other body makes this negative: then either
no pressure keeps the bodies out of each other, or it grows without bound before (F. Genot &
B. Brogliato, European Journal of Mechanics A 18 (1999) 653). A rigid body has no motion to offer
there but to stop: ``arrivals.stop_sliding`` says how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from articulata.domains.dynamic.contact.intervals import Unfollowed
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, BoolArray, IntArray


class Named(Protocol):
    """Surfaces that messages name."""

    @property
    def what(self) -> str:
        """Which pair of bodies they are of."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Jam:
    """A contact for which no force obeys Coulomb's law.

    ``pairs`` are the numbers of its pair of bodies, ``error`` says so where nothing else helps.
    """

    pairs: frozenset[int]
    error: SimulationError


def yielding(W: Array, mu: Array, sliding: BoolArray, along: Array, pair: IntArray) -> Array:
    """Return how much of its mobility each contact has left where it presses (k,); 1 at rest.

    ``W`` (3k, 3k) in the order normal, tangent 1, tangent 2; ``along`` (k, 2) directions of slip.
    The sliding contacts of one ``pair`` (k,) of bodies press alike.
    """
    k = len(mu)
    normal = W[::3, ::3]
    aside = np.stack([W[::3, 1::3], W[::3, 2::3]], axis=2)
    driven = np.einsum("ijt,jt->ij", aside, along) * mu
    share = np.ones(k)
    for number in np.unique(pair[sliding]):
        together = np.flatnonzero(sliding & (pair == number))
        block = np.ix_(together, together)
        whole = float(np.sum(normal[block]))
        if whole > 0.0:
            share[together] = 1.0 - float(np.sum(driven[block])) / whole
    return share


def jam(
    share: Array,
    mu: Array,
    surfaces: Sequence[Named],
    pairs: Sequence[int],
    time: float,
    least: float,
) -> Jam | None:
    """Return the jam of the contact that yields least, None where all yield enough.

    ``share`` (k,) is what ``yielding`` tells of the contacts; more than ``least`` is enough.
    """
    worst = int(np.argmin(share))
    if share[worst] > least:
        return None
    bound = float(mu[worst]) / (1.0 - float(share[worst]))
    error = Unfollowed(
        f"the sliding contact of {surfaces[worst].what} jams at t = {time:.9g} s: with friction "
        f"{float(mu[worst]):g} no force there obeys Coulomb's law (Painleve's paradox); in this "
        f"posture rigid bodies slide on with friction below {bound:.4g}. Lower the friction, turn "
        "the body, or let it yield by a spring"
    )
    return Jam(frozenset(pairs[k] for k in np.flatnonzero(share <= least).tolist()), error)
