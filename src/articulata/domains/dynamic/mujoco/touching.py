"""What MuJoCo's contacts tell of each body: when it first lay in another, and how deep."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, IntArray

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
