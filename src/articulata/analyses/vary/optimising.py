"""The parameters at which a function is least, within bounds and constraints.

Each of several starts, from a Latin hypercube of the bounds, is led downhill by COBYQA (Ragonneau
2022; ``scipy.optimize``): quadratic models in a region of trust. It needs no slopes, which numbers
of a simulation have only to the tolerance of the integrator and maxima over time have not
everywhere, takes constraints, which Nelder and Mead's simplex does not, and never leaves the
bounds. Where a function is smooth to all digits, sequential quadratic programming (Kraft 1988) with
slopes by differences is faster. A start leads to a minimum beside it; several tell whether it is
the only one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize

from articulata.analyses.vary.design_points import latin_hypercube
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array

Values: TypeAlias = Mapping[str, float]
"""What the parameters are, by their names."""

FIRST_STEP = 0.1
"""Of each range: how far the first points of a search lie from its start."""

SLACK = 1e-6
"""A constraint counts as kept where it lacks no more."""

SPARE = 10
"""So many points are looked at for each start, until one has a value."""

MOST = 2000
"""Evaluations of one search."""


@dataclass(frozen=True, slots=True)
class Search:
    """Where one start led: from ``begin`` to ``end``, the ``value`` there, and how many it took.

    ``kept`` is whether the constraints are kept there, ``margins`` what each of them is: where they
    cannot be kept, the least of them is as great as was found. ``failed`` is why no start had a
    value.
    """

    begin: Values
    end: Values
    value: float
    evaluations: int
    kept: bool
    failed: str = ""
    margins: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best that was found: its ``parameters`` and ``value``, and where each start led.

    Parameters are in SI. ``margins`` are what the constraints are there: those of about 0 decide
    where it is. ``alike`` counts the searches that ended at this value, to a millionth of
    it (1e-12 where it is about 0): where they are few, more starts may find a better one. ``unit``
    is that of the value (SI), "" where nothing says it.
    """

    parameters: Values
    value: float
    alike: int
    searches: tuple[Search, ...]
    margins: tuple[float, ...] = ()
    unit: str = ""


def optimise(
    objective: Callable[[Values], float],
    bounds: Mapping[str, tuple[float, float]],
    *,
    keep: Sequence[Callable[[Values], float]] = (),
    starts: int = 20,
    seed: int = 0,
    smooth: bool = False,
) -> Optimum:
    """Return where ``objective`` is least with each parameter within its ``bounds``.

    Both are of parameters by their names, in SI. ``keep`` are constraints: functions that are 0 or
    more where a design is allowed. ``smooth`` says that all are computed to all digits and have no
    kinks: formulas, not simulations. A design at which the objective raises ArticulataError,
    as a linkage that cannot be assembled does, or is no number, is worse than any other. Raise
    ArticulataError for bounds that are none, and where no start led to an allowed design.
    """
    alone = partial(search, objective, bounds, keep=keep, starts=starts, seed=seed, smooth=smooth)
    checked(bounds, starts)
    return best_of([alone(number) for number in range(starts)])


def search(
    objective: Callable[[Values], float],
    bounds: Mapping[str, tuple[float, float]],
    number: int,
    *,
    keep: Sequence[Callable[[Values], float]] = (),
    starts: int = 20,
    seed: int = 0,
    smooth: bool = False,
) -> Search:
    """Return where search ``number`` of ``starts`` leads; the others have no part in it.

    It begins at the first of its own points that has a value. Arguments are those of ``optimise``.
    """
    low, high = checked(bounds, starts)
    judged = Judged(objective, tuple(bounds), low, high)
    points = latin_hypercube(len(bounds), SPARE * starts, seed)[number::starts]
    for start in points:
        if not math.isnan(judged.value(start)):
            return _search(judged, keep, start, smooth=smooth)
    begin = judged.at(points[0])
    return Search(begin, begin, math.nan, 0, kept=False, failed=judged.failed)


def best_of(searches: Sequence[Search]) -> Optimum:
    """Return the best of searches; ArticulataError where none led to an allowed design."""
    allowed = [each for each in searches if each.kept and math.isfinite(each.value)]
    if not allowed:
        whys = [each.failed for each in searches if each.failed]
        nearest = nearest_of(searches)
        if nearest is not None:
            lacking = [
                f"constraint {n} lacks {-each:.6g}" for n, each in enumerate(nearest.margins, 1)
                if each < -SLACK
            ]  # fmt: skip
            at = ", ".join(f"{name} = {each:.6g}" for name, each in nearest.end.items())
            whys.insert(0, f"at best, {at}, {', '.join(lacking)}")
        raise ArticulataError(
            f"none of {len(searches)} starts led to an allowed design: "
            f"{whys[0] if whys else 'none has a value'}; widen the bounds, or give more starts"
        )
    best = min(allowed, key=lambda each: each.value)
    near = 1e-6 * max(abs(best.value), 1e-6)
    alike = sum(each.value - best.value <= near for each in allowed)
    return Optimum(best.end, best.value, alike, tuple(searches), best.margins)


def nearest_of(searches: Sequence[Search]) -> Search | None:
    """Return the search that came nearest to keeping its constraints; None where none had any."""
    lacking = (each for each in searches if each.margins and math.isfinite(each.value))
    return max(lacking, key=lambda each: min(each.margins), default=None)


def checked(bounds: Mapping[str, tuple[float, float]], starts: int) -> tuple[Array, Array]:
    """Return the lower and the upper bounds; ArticulataError for what is none."""
    if not bounds or starts < 1:
        raise ArticulataError("give bounds of one parameter at least, and one start at least")
    for name, (low, high) in bounds.items():
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ArticulataError(
                f"'{name}' has bounds ({low:g}, {high:g}); give two numbers, the lesser first"
            )
    both = np.array(list(bounds.values()), np.float64)
    return both[:, 0], both[:, 1]


class Judged:
    """An objective over a unit cube, whose failures are worse than all that was seen."""

    def __init__(
        self, objective: Callable[[Values], float], names: Sequence[str], low: Array, high: Array
    ) -> None:
        self.objective, self.names, self.low, self.high = objective, names, low, high
        self.worst, self.count, self.failed = 0.0, 0, ""

    def at(self, share: Array) -> Values:
        """Return the parameters at a point of the cube."""
        point = self.low + np.clip(share, 0.0, 1.0) * (self.high - self.low)
        return dict(zip(self.names, point.tolist(), strict=True))

    def value(self, share: Array) -> float:
        """Return the value at a point of the cube; NaN where there is none."""
        try:
            value = float(self.objective(self.at(share)))
        except ArticulataError as error:
            self.failed, value = str(error).partition("\n")[0], math.nan
        return value if math.isfinite(value) else math.nan

    def __call__(self, share: Array) -> float:
        """Return the value, or more than any that was seen."""
        self.count += 1
        value = self.value(share)
        if math.isnan(value):
            return 2.0 * self.worst + 1.0
        self.worst = max(self.worst, abs(value))
        return value


def _search(
    judged: Judged, keep: Sequence[Callable[[Values], float]], start: Array, *, smooth: bool
) -> Search:
    """Go downhill from one start."""
    apart = [_Constraint(each, judged) for each in keep]
    judged.count = 0
    end = _downhill(judged, apart, start, smooth=smooth)
    if not _kept(apart, end):  # towards where they are kept, and on from there
        nearer = _downhill(lambda at: -min(each(at) for each in apart), [], end, smooth=False)
        end = _downhill(judged, apart, nearer, smooth=smooth) if _kept(apart, nearer) else nearer
    count = judged.count
    value = judged.value(end)
    margins = tuple(each(end) for each in apart)
    kept = math.isfinite(value) and _kept(apart, end)
    return Search(judged.at(start), judged.at(end), value, count, kept, margins=margins)


def _downhill(
    objective: Callable[[Array], float],
    apart: Sequence[_Constraint],
    start: Array,
    *,
    smooth: bool,
) -> Array:
    """Return the point of the unit cube that is led to from ``start``."""
    cube = Bounds(np.zeros(len(start)), np.ones(len(start)))
    if smooth:
        found = minimize(
            objective, start, method="SLSQP", bounds=cube,
            constraints=[{"type": "ineq", "fun": each} for each in apart],
            options={"ftol": 1e-16, "maxiter": 1000},
        )  # fmt: skip
    else:
        found = minimize(
            objective, start, method="COBYQA", bounds=cube,
            constraints=[NonlinearConstraint(each, 0.0, np.inf) for each in apart],
            options={"initial_tr_radius": FIRST_STEP, "final_tr_radius": 1e-8, "maxfev": MOST},
        )  # fmt: skip
    return np.asarray(found.x)


def _kept(apart: Sequence[_Constraint], share: Array) -> bool:
    return all(each(share) >= -SLACK for each in apart)


class _Constraint:
    """A function over the unit cube that is 0 or more where a design is allowed."""

    def __init__(self, keep: Callable[[Values], float], judged: Judged) -> None:
        self.keep, self.judged, self.worst = keep, judged, 0.0

    def __call__(self, share: Array) -> float:
        """Return its value, or less than any that was seen where there is none."""
        try:
            value = float(self.keep(self.judged.at(share)))
        except ArticulataError:
            value = math.nan
        if math.isnan(value):
            return -2.0 * self.worst - 1.0
        self.worst = max(self.worst, abs(value))
        return value
