"""Which short lines go through convex pieces: in at one side and out at another. Metres."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel

ByteArray = npt.NDArray[np.int8]


@kernel
def crossing(
    begin: Array,
    end: Array,
    low: Array,
    high: Array,
    first: IntArray,
    sides: Array,
    late: float,
    crossed: ByteArray,
) -> None:
    """Write 1 for lines from ``begin`` to ``end`` (n, 3) that leave a piece, 0 for others.

    Those that enter it on the last ``late`` share of their way do not count. Piece k lies between
    ``low[k]`` and ``high[k]`` (3,); it is where ``sides[j, :3] @ p + sides[j, 3]`` is 0 at most for
    all j in ``first[k] : first[k + 1]``.
    """
    for n in range(len(begin)):
        crossed[n] = 0
        for k in range(len(low)):
            apart = False
            for axis in range(3):
                a = begin[n, axis]
                b = end[n, axis]
                if max(a, b) < low[k, axis] or min(a, b) > high[k, axis]:
                    apart = True
            if apart:
                continue
            enters = 0.0
            leaves = 2.0
            for j in range(first[k], first[k + 1]):
                at = sides[j, 3]
                rate = 0.0
                for axis in range(3):
                    at += sides[j, axis] * begin[n, axis]
                    rate += sides[j, axis] * (end[n, axis] - begin[n, axis])
                if rate > 0.0:
                    leaves = min(leaves, -at / rate)
                elif rate < 0.0:
                    enters = max(enters, -at / rate)
                elif at > 0.0:
                    leaves = -1.0
            if leaves <= 1.0 and enters <= min(leaves, 1.0 - late):
                crossed[n] = 1
                break
