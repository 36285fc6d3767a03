"""How far a person's fingertip can be from the base at most, by height: proved.

The joints that bend the trunk forward are cut into pieces; for each combination the chain's bound
holds (``kernels.chains.reach_bounds``), and the union of them all holds the reach. What an arm
strikes is left out: nothing that a bound excludes can be reached.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kernels.chains.reach_bounds import reach_bound
from articulata.kernels.chains.table import reduce_chain
from articulata.kinematics.chain import Chain

TOLERANCE = 1e-3
"""m. How near a fingertip is to what it reaches."""

PIECES = 6
"""Pieces of each of the joints that are cut."""

CUT = 3
"""How many joints are cut: those of widest range among the first ones whose axes are level."""


@dataclass(frozen=True, slots=True, eq=False)
class ReachBound:
    """Sets that hold the tip, one row for each piece of the postures: all hold at once in a row.

    ``across`` and ``height`` (n, 2) are where the centres of two balls are, from the base's axis
    and above the floor, ``radius`` (n, 2) their radii, m.
    """

    across: Array
    height: Array
    radius: Array

    def farthest(self, heights: Array) -> Float64[Array, "n"]:
        """Return how far from the base's axis the tip can be at ``heights`` (n,) at most, m.

        The base may turn any way; -1 where the tip cannot be at that height at all.
        """
        found = np.full(len(heights), -1.0)
        for across, height, radius in zip(self.across, self.height, self.radius, strict=True):
            away = np.abs(heights[:, None] - height)
            wide = across + np.sqrt(np.maximum(radius * radius - away * away, 0.0))
            here = np.where((away <= radius).all(1), wide.min(1), -1.0)
            found = np.maximum(found, here)
        return found


def reach_bound_of(chain: Chain) -> ReachBound:
    """Return the bound of a chain that begins at a base which may turn any way."""
    ready = chain.prepared
    across, height, radius = [], [], []
    for lower, upper in _pieces(chain):
        table = reduce_chain(ready.fixed, ready.kinds, ready.tip, lower, upper)
        bound = reach_bound(table.rows, table.tip)
        origin = table.base[:3, 3]
        centre = table.base[:3, :3] @ (bound[:3] * table.unit) + origin
        across.append([float(np.hypot(*centre[:2])), float(np.hypot(*origin[:2]))])
        height.append([centre[2], origin[2]])
        radius.append([bound[3] * table.unit + TOLERANCE, bound[5] * table.unit + TOLERANCE])
    return ReachBound(np.array(across), np.array(height), np.array(radius))


def _pieces(chain: Chain) -> Sequence[tuple[Array, Array]]:
    """Return lower and upper limits (joints,) of the pieces of a chain's postures."""
    ready = chain.prepared
    lower, upper = ready.lower.copy(), ready.upper.copy()
    X = chain.base.copy()
    level = []
    for number, joint in enumerate(chain.joints):
        X = X @ joint.X_PJ
        width = upper[number] - lower[number]
        if abs(X[2, 2]) < 1e-6 and abs(X[0, 2]) < 1e-6 and 0.1 < width < 4.0:
            level.append((number, width))
        X = X @ joint.X_JL
    cut = [number for number, _ in level[:CUT]]
    found = []
    for choice in itertools.product(range(PIECES), repeat=len(cut)):
        low, high = lower.copy(), upper.copy()
        for number, piece in zip(cut, choice, strict=True):
            ends = np.linspace(lower[number], upper[number], PIECES + 1)
            low[number], high[number] = ends[piece], ends[piece + 1]
        found.append((low, high))
    return found
