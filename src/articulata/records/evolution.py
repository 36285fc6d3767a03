"""What an evolutionary search did, generation by generation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.records.pose import AimLabel


@dataclass(frozen=True, slots=True, eq=False)
class Evolution:
    """Generations g of a population of n individuals on islands.

    ``miss`` (g,) is what targets are off in the best individual of a generation, in m and rad taken
    together, ``spread`` (g, 2) the least and largest of all; ``best`` (g, moving) its joints;
    ``percentile`` (g,) the 85th percentile of all. ``variables`` (n, moving), ``objectives`` (n,)
    and ``islands`` (n,) are those of the last generation, ``order`` (g, islands) the rank of each
    island by its best. ``front`` (m, dof) and ``values`` (m, k), to be kept low, are the
    individuals that nothing dominates, ``misses`` (m,) what they are off. ``fronts`` are the values
    (m, k) of each generation's individuals that come within the goal and that nothing dominates.
    """

    method: str
    names: tuple[str, ...]
    aims: tuple[AimLabel, ...]
    miss: Float64[Array, "g"]
    spread: Float64[Array, "g 2"]
    best: Float64[Array, "g moving"]
    percentile: Float64[Array, "g"]
    variables: Float64[Array, "n moving"]
    objectives: Float64[Array, "n"]
    islands: Int64[IntArray, "n"]
    order: Int64[IntArray, "g islands"]
    front: Float64[Array, "m dof"]
    values: Float64[Array, "m k"]
    misses: Float64[Array, "m"]
    seed: int
    fronts: tuple[Array, ...] = ()

    @property
    def posture(self) -> Float64[Array, "dof"]:
        """The individual that is least off its targets."""
        return np.array(self.front[int(self.misses.argmin())])
