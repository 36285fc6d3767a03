"""What a step with many contacts leaves to the next, and what a recording holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.stepping import step_scene as kernels
from articulata.records.state import array

FOUND_BY = (kernels.PAIR, kernels.CORNER, kernels.WHO)
STARTED_FROM = (
    *range(kernels.POINT, kernels.POINT + 3),
    kernels.FORCE,
    kernels.BOUND,
    kernels.STRIKE,
    *range(kernels.IMPULSE, kernels.IMPULSE + 3),
)
"""Columns of the contacts of a step from which the next finds them again, and starts."""


@dataclass(frozen=True, slots=True, eq=False)
class StepMemory:
    """What a step leaves to the next: its length (s), the table of pairs, and its contacts.

    ``busy`` is since when (s) touches crowd within a step, and how many came. ``here`` is False
    where bodies have been moved otherwise since, ``solved`` where forces are not among it.
    """

    h: float
    busy: float
    often: int
    pairs: IntArray
    tally: IntArray
    turned: Array
    table: IntArray
    data: Array
    J: Array
    here: bool = True
    solved: bool = True

    def plain(self) -> dict[str, Any]:
        """Return what a recording holds of it: of contacts what the next step starts from."""
        return {
            "step": [self.h, self.busy, self.often],
            "pairs": self.pairs,
            "turned": self.turned,
            "table": self.table[:, list(FOUND_BY)],
            "data": self.data[:, list(STARTED_FROM)],
            "here": self.here,
        }


def recalled(plain: Mapping[str, Any], numbers: int, coordinates: int) -> StepMemory:
    """Return what ``StepMemory.plain`` has written; ValueError for another.

    ``numbers`` are those of pairs of bodies and limits, ``coordinates`` how many hinges have.
    """
    h, busy, often = plain["step"]
    pairs = array(plain["pairs"], "i", -1, kernels.PAIR_WIDTH)
    number = pairs[:, kernels.NUMBER]
    if np.any((number < 0) | (number >= numbers)):
        raise ValueError("there are no such pairs of bodies")
    found = array(plain["table"], "i", -1, len(FOUND_BY))
    count, tally = len(found), np.zeros(9, np.int64)
    tally[kernels.COUNT], tally[kernels.LIVE] = count, len(pairs)
    table = np.zeros((count, kernels.TABLE_WIDTH), np.int64)
    data = np.zeros((count, kernels.DATA_WIDTH))
    table[:, list(FOUND_BY)] = found
    data[:, list(STARTED_FROM)] = array(plain["data"], "f", count, len(STARTED_FROM))
    turned = array(plain["turned"], "f", coordinates)
    return StepMemory(
        float(h),
        float(busy),
        int(often),
        pairs,
        tally,
        turned,
        table,
        data,
        np.zeros((count, 3, 12)),
        bool(plain["here"]),
        solved=False,
    )
