"""Which runs are made: every combination of listed values, with samples of a Latin hypercube.

A Latin hypercube of n samples has one in each n-th of every parameter's range, so that few runs
cover many parameters (McKay, Beckman and Conover 1979). The same seed gives the same samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.world.requests.vary import Varied

BOUND = 3.0
"""Standard deviations from the middle to the bounds of parts of a series."""


def design_points(
    parameters: Sequence[Varied], samples: int | None, seed: int
) -> Float64[Array, "runs parameters"]:
    """Return the values of the ``parameters`` of each run, in SI; the last varies first."""
    sampled = [each for each in parameters if not each.values]
    hypercube = latin_hypercube(len(sampled), samples or 1, seed)
    columns = {each.parameter: _spread(each, hypercube[:, k]) for k, each in enumerate(sampled)}
    listed = [each for each in parameters if each.values]
    runs = []
    for chosen in product(*(each.values for each in listed)):
        values = dict(zip((each.parameter for each in listed), chosen, strict=True))
        for number in range(samples or 1):
            here = {name: column[number] for name, column in columns.items()}
            runs.append([{**values, **here}[each.parameter] for each in parameters])
    return np.array(runs, np.float64)


def latin_hypercube(width: int, count: int, seed: int) -> Float64[Array, "count width"]:
    """Return ``count`` points of a cube of ``width`` dimensions, all from 0 to 1."""
    from scipy.stats import qmc  # takes a third of a worker's start, which needs none

    made = qmc.LatinHypercube(max(width, 1), rng=np.random.default_rng(seed)).random(count)
    return np.asarray(made[:, :width])


def _spread(varied: Varied, share: Array) -> Array:
    """Return samples of a parameter, given the share of the series that lies below each."""
    if varied.spread == "normal":
        from scipy.stats import truncnorm

        middle, off = (varied.low + varied.high) / 2.0, (varied.high - varied.low) / 2.0
        return np.asarray(middle + off / BOUND * truncnorm.ppf(share, -BOUND, BOUND))
    return varied.low + share * (varied.high - varied.low)
