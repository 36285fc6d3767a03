"""Which boxes overlap, by sweeping along one axis: work grows with the pairs that overlap there."""

from __future__ import annotations

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel


@kernel(counted=False)
def sweep(low: Array, high: Array, order: IntArray, axis: int, out: IntArray) -> int:
    """Fill ``out`` (m, 2) with the pairs of boxes (n, 3) that overlap; return how many there are.

    ``order`` sorts the boxes by ``low`` along ``axis``. Pairs beyond m are counted, not written.
    """
    count = 0
    for a in range(order.shape[0]):
        i = order[a]
        for b in range(a + 1, order.shape[0]):
            j = order[b]
            if low[j, axis] > high[i, axis]:
                break
            overlap = True
            for k in range(3):
                overlap = overlap and low[j, k] <= high[i, k] and low[i, k] <= high[j, k]
            if overlap:
                if count < out.shape[0]:
                    out[count, 0], out[count, 1] = min(i, j), max(i, j)
                count += 1
    return count
