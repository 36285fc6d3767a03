"""What MuJoCo's contacts tell of each body: when it first lay in another, and how deep."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from articulata.domains.dynamic.mechanism import FREE, Mechanism
from articulata.geometry.arrays import Array, IntArray
from articulata.records.events import Event

Pair: TypeAlias = tuple[int, int]
"""Two of our bodies by number, the smaller first."""

TOUCHED = "mujoco.touched"
"""When each body first lay in another (n,), in s; NaN before."""

DEPTH = "mujoco.depth"
"""How deep each body lay in others at most since the frame before (n,), in m."""


@dataclass(frozen=True)
class Touching:
    """Reads MuJoCo's contacts for our bodies: ``body`` (n,) are MuJoCo's numbers of them."""

    model: Any
    body: IntArray
    contacts: bool

    @cached_property
    def possible(self) -> bool:
        """Whether anything can touch."""
        return self.contacts and int(self.model.ngeom) > 1

    @cached_property
    def _of_geom(self) -> IntArray:
        """Our body's number of each of MuJoCo's geoms."""
        ours = np.full(int(self.model.nbody), -1, dtype=np.int64)
        ours[self.body] = np.arange(len(self.body))
        return np.asarray(ours[self.model.geom_bodyid])

    def begin(self) -> dict[str, Array]:
        """Return the arrays before anything touched."""
        n = len(self.body)
        return {TOUCHED: np.full(n, np.nan), DEPTH: np.zeros(n)}

    def look(self, data: Any, time: float, touched: Array, depth: Array) -> None:
        """Note the contacts that MuJoCo found at ``time`` (s) in ``touched`` and ``depth``."""
        if not data.ncon:
            return
        contact = data.contact
        within = np.flatnonzero(contact.dist < 0.0)
        for side in range(2):
            numbers = self._of_geom[contact.geom[within, side]]
            known = numbers >= 0
            np.maximum.at(depth, numbers[known], -contact.dist[within][known])
            fresh = numbers[known]
            touched[fresh[np.isnan(touched[fresh])]] = time

    def pairs(self, data: Any) -> frozenset[Pair]:
        """Return the pairs of our bodies of which one lies in the other."""
        if not data.ncon:
            return frozenset()
        contact = data.contact
        within = contact.geom[contact.dist < 0.0]
        sides = np.sort(self._of_geom[within], axis=1)
        return frozenset((a, b) for a, b in sides.tolist() if a >= 0)


def told(
    parts: Mechanism, known: frozenset[Pair], met: frozenset[Pair], time: float
) -> tuple[Event, ...]:
    """Return the events of pairs that have met or left each other by ``time`` (s)."""
    found = []
    for pair in sorted(known ^ met):
        # a body that rests comes second
        one, other = pair if parts.kind[pair[0]] == FREE else pair[::-1]
        who = parts.bodies[one], parts.bodies[other]
        kind, does = ("contact", "touches") if pair in met else ("separation", "leaves")
        story = f"{who[0]} {does} {who[1]}, in the step of MuJoCo that ends here."
        span = parts.world.bodies[who[0]].span
        found.append(Event(time, kind, who, who, {}, story, span))
    return tuple(found)
