"""The parameters at which residuals are least in the sum of squares, and how far they can be told.

Each start is the best of its own points of a Latin hypercube, led on by the trust region
reflective method (Branch, Coleman and Li 1999; ``scipy.optimize.least_squares``), which keeps the
bounds. Standard deviations are those of a linear model about the best: s^2 (J^T J)^-1 with
s^2 = r^T r / (n - p) (Bard 1974, section 7). A direction in which J hardly changes is one in which
the parameters cannot be told apart; the singular values of J, its columns scaled to 1, show it
(Belsley, Kuh and Welsch 1980, section 3.2).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeResult, least_squares

from articulata.analyses.vary.design_points import latin_hypercube
from articulata.analyses.vary.optimising import SPARE, Judged, Search, Values, checked
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array, Float64

STEP = 1e-4
"""Of a parameter's share of its range: central differences of runs, that are good to 1e-10."""

SINGULAR = 1e4
"""A condition of J beyond which differences of runs cannot tell a direction from nothing."""

ALIKE = 0.99
"""A correlation beyond which two parameters do what one would."""

Residuals = Callable[[Values], Array]


@dataclass(frozen=True, slots=True, eq=False)
class Precision:
    """How far p parameters can be told: ``sigmas`` (p,) SI and their ``correlation`` (p, p).

    ``condition`` is that of J with columns of length 1. ``undone`` is what else a change of the
    first parameter by its own size takes, as shares, so that nothing changes; NaN where all are
    told. A parameter on which nothing depends has an infinite sigma.
    """

    sigmas: Float64[Array, "p"]
    correlation: Float64[Array, "p p"]
    condition: float
    undone: Float64[Array, "p"]


def fitted(
    residuals: Residuals,
    bounds: Mapping[str, tuple[float, float]],
    number: int,
    *,
    starts: int = 8,
    seed: int = 0,
) -> Search:
    """Return where fit ``number`` of ``starts`` leads; its value is the rms of the residuals.

    ``residuals`` (n,) are of parameters in SI by their names. Points at which they raise
    ArticulataError, or are no numbers, are worse than any other.
    """
    low, high = checked(bounds, starts)
    judged = Judged(lambda at: _rms(residuals(at)), tuple(bounds), low, high)
    points = latin_hypercube(len(bounds), SPARE * starts, seed)[number::starts]
    values = np.array([judged.value(each) for each in points])
    if np.isnan(values).all():
        begin = judged.at(points[0])
        return Search(begin, begin, math.nan, 0, kept=False, failed=judged.failed)
    start = points[int(np.nanargmin(values))]
    found = descent(residuals, bounds, start)
    end = judged.at(found.x)
    count = len(points) + int(found.nfev) * (1 + 2 * len(bounds))
    return Search(judged.at(start), end, judged.value(found.x), count, kept=True)


def descent(
    residuals: Residuals, bounds: Mapping[str, tuple[float, float]], start: Array
) -> OptimizeResult:
    """Return what least squares find from a point of the unit cube: ``x`` there, ``fun``, ``jac``.

    ArticulataError where there are no residuals at ``start``.
    """
    judged = Judged(lambda at: 0.0, tuple(bounds), *checked(bounds, 1))
    first: Array = np.array(residuals(judged.at(start)), np.float64)
    worst = [first]

    def there(share: Array) -> Array:
        try:
            found = np.array(residuals(judged.at(share)), np.float64)
        except ArticulataError:
            found = np.full(len(first), np.nan)
        if not np.isfinite(found).all():
            return np.full(len(first), 2.0 * float(abs(worst[0]).max()) + 1.0)
        if _rms(found) > _rms(worst[0]):
            worst[0] = found
        return found

    inner = np.clip(start, 1e-9, 1.0 - 1e-9)
    found: OptimizeResult = least_squares(
        there, inner, bounds=(0.0, 1.0), jac="3-point", diff_step=STEP, x_scale="jac",
        xtol=1e-10, ftol=1e-12, gtol=1e-14, max_nfev=100,
    )  # fmt: skip
    return found


def precision(found: OptimizeResult, low: Array, high: Array) -> Precision:
    """Return how far parameters between ``low`` and ``high`` are told by a fit of the unit cube."""
    span, count = high - low, len(low)
    noise = float(found.fun @ found.fun) / max(len(found.fun) - count, 1)
    length = np.linalg.norm(found.jac, axis=0)
    told = length > 1e-9 * max(length.max(), 1e-300)
    sigmas, undone = np.full(count, np.inf), np.full(count, np.nan)
    correlation = np.eye(count)
    if not told.any():
        return Precision(sigmas, correlation, math.inf, undone)
    _, sizes, axes = np.linalg.svd(found.jac[:, told] / length[told], full_matrices=False)
    sizes = np.maximum(sizes, 1e-12 * sizes[0])
    inverse = (axes.T / sizes**2) @ axes
    own = np.sqrt(np.diag(inverse))
    sigmas[told] = math.sqrt(noise) * own / length[told] * span[told]
    correlation[np.ix_(told, told)] = inverse / np.outer(own, own)
    condition = float(sizes[0] / sizes[-1])
    value = low + found.x * span
    if condition > SINGULAR:
        undone[:] = 0.0
        undone[told] = axes[-1] / length[told] * span[told] / np.where(value, value, 1.0)[told]
        undone /= undone[np.flatnonzero(abs(undone) > 1e-2 * abs(undone).max())[0]]
    return Precision(sigmas, correlation, condition, undone)


def doubts_of(names: Sequence[str], found: Precision) -> list[str]:
    """Return which parameters cannot be told, or hardly apart."""
    doubts = [
        f"nothing that is compared depends on {name}; remove it, or compare more"
        for name, sigma in zip(names, found.sigmas, strict=True)
        if math.isinf(sigma)
    ]
    if found.condition > SINGULAR:
        changed = [n for n in range(len(names)) if abs(found.undone[n]) > 0.01]
        some = ", ".join(f"{names[n]} by {found.undone[n]:+.3g} %" for n in changed)
        doubts.append(
            f"{' and '.join(names[n] for n in changed)} cannot be told apart: to change {some} at "
            "once changes nothing that is compared; keep one of them fixed, or compare more"
        )
    for i, j in itertools.combinations(range(len(names)), 2):
        share = found.correlation[i, j]
        if abs(share) > ALIKE:
            doubts.append(f"{names[i]} and {names[j]} go together: correlation {share:+.6f}")
    return doubts


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
