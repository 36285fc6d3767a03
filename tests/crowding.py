"""SPEA2's choice of whom to remove, without sorting all distances again at each removal.

pymoo's own sorts the distances of all survivors to all others each time, which is nearly all of the
time of a run of 200 individuals. Which one is removed is the same.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Crowded:
    """Stands in for ``pymoo.algorithms.moo.spea2._truncation_candidate``.

    Each survivor's nearest is kept from removal to removal; of those that are equally near to
    theirs, all distances are compared in their order.
    """

    def __init__(self) -> None:
        self._distances = np.empty((0, 0))
        self._left: list[int] = []

    def __call__(self, distances: Array, survivors: list[int]) -> int:
        """Return the place in ``survivors`` of the one whose neighbours are nearest."""
        if distances is not self._distances or survivors != self._left:
            self._begin(distances, survivors)
        near = self._near[self._rows]
        tied = self._rows[near == near.min()]
        if len(tied) > 1:
            sizes = np.sort(distances[np.ix_(tied, self._rows)], axis=1)
            tied = tied[[min(range(len(tied)), key=lambda k: sizes[k].tolist())]]
        place = int(np.flatnonzero(self._rows == tied[0])[0])
        self._remove(place)
        return place

    def _begin(self, distances: Array, survivors: list[int]) -> None:
        self._distances, self._left = distances, list(survivors)
        self._rows = np.array(survivors)
        self._near = np.empty(len(distances))
        self._whose = np.empty(len(distances), np.int64)
        self._look(self._rows)

    def _remove(self, place: int) -> None:
        gone = self._left.pop(place)
        self._rows = np.delete(self._rows, place)
        self._look(self._rows[self._whose[self._rows] == gone])

    def _look(self, rows: npt.NDArray[np.int64]) -> None:
        """Find who is nearest to each of the rows."""
        among = self._distances[np.ix_(rows, self._rows)]
        nearest = among.argmin(axis=1)
        self._near[rows] = among[np.arange(len(rows)), nearest]
        self._whose[rows] = self._rows[nearest]
