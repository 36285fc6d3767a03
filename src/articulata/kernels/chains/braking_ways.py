"""How near to something an arm that brakes from now on can have come, by what was looked up before.

A distance that was looked up holds elsewhere less what any body can have moved since; so most ticks
of a flight ask no shape.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from articulata.kernels.compile import kernel

Array = npt.NDArray[np.float64]


@kernel
def clear_ahead(
    q: Array,
    rates: Array,
    brakes: Array,
    step: float,
    places: Array,
    distances: Array,
    reach: Array,
    postures: Array,
    left: Array,
) -> float:
    """Return the least of ``left`` (k,), m: what is left of ``distances`` (k,) on the way to rest.

    Writes ``postures`` (k, n), from ``q`` (n,) on in even parts of the way that joints at ``rates``
    (n,) still go: ``brakes`` (n,) is half the inverse of what each slows by. ``places`` (k, n) are
    where the distances were looked up, ``reach`` (n,) how far a rad or m of a joint moves a body.
    """
    least, count = math.inf, len(distances)
    for k in range(count):
        moved, part = 0.0, k / (count - 1)
        for j in range(len(q)):
            run = brakes[j] * abs(rates[j]) * rates[j] + rates[j] * step
            postures[k, j] = q[j] + part * run
            moved += abs(postures[k, j] - places[k, j]) * reach[j]
        left[k] = distances[k] - moved
        if not left[k] >= least:  # what is no number is not clear
            least = left[k]
    return least
