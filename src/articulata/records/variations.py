"""What many runs of a world gave: a row of numbers a run, its lines over time, and who failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array, Float64
from articulata.records.state import in_units, told_number

Line: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]
"""Times (s) and what a quantity was at each."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run gave: a number a measure, a line a plot; ``failed`` says why not.

    ``units`` (SI) are those of the measures, then those of the lines.
    """

    values: tuple[float, ...] = ()
    units: tuple[str, ...] = ()
    lines: Mapping[str, Line] = field(default_factory=dict)
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a ``measure`` goes with a ``parameter``: what the straight line through all runs says.

    ``slope`` is the change of the measure for 1 of the parameter, in their units. ``share`` is the
    standardised slope: by how many of its standard deviations the measure changes for one of the
    parameter. ``explained`` is the coefficient of determination of the whole fit, R^2: where it is
    far below 1, the measure is no straight line of the parameters. NaN where runs are too few.
    """

    measure: str
    parameter: str
    slope: float
    share: float
    explained: float


@dataclass(frozen=True, slots=True, eq=False)
class Variations:
    """The runs of a request to vary: ``points`` in, ``values`` out, all in SI.

    Where a run failed, its values are NaN and ``failures`` tells why, by the number of the run.
    ``lines`` are what ``plot:`` asks for, by path, None of runs that failed; ``line_units`` are
    theirs. ``text_units`` are the names of the text's ``units:`` line.
    """

    parameters: tuple[str, ...]
    parameter_units: tuple[str, ...]
    points: Float64[Array, "runs parameters"]
    measures: tuple[str, ...]
    measure_units: tuple[str, ...]
    values: Float64[Array, "runs measures"]
    failures: Mapping[int, str]
    lines: Mapping[str, tuple[Line | None, ...]]
    line_units: Mapping[str, str] = field(default_factory=dict)
    text_units: tuple[str, ...] = ()

    def shown(self) -> Variations:
        """Return it as people are shown it: lengths and angles in the units of the text."""

        def told(unit: str) -> tuple[str, float]:
            return in_units(self.text_units, unit)

        def column(units: Sequence[str], table: Array) -> Array:
            sizes = [told(unit)[1] for unit in units]
            rows = [[*map(told_number, row, sizes)] for row in table.tolist()]
            return np.array(rows).reshape(table.shape)

        def over_time(path: str, line: Line | None) -> Line | None:
            size = told(self.line_units.get(path, ""))[1]
            return line and (line[0], tuple(each / size for each in line[1]))

        return replace(
            self,
            parameter_units=tuple(told(unit)[0] for unit in self.parameter_units),
            measure_units=tuple(told(unit)[0] for unit in self.measure_units),
            points=column(self.parameter_units, self.points),
            values=column(self.measure_units, self.values),
            lines={p: tuple(over_time(p, one) for one in each) for p, each in self.lines.items()},
            line_units={path: told(unit)[0] for path, unit in self.line_units.items()},
            text_units=(),
        )

    def column(self, name: str) -> Float64[Array, "runs"]:
        """Return a parameter or a measure of every run; NameNotFound for what is neither."""
        if name in self.parameters:
            return self.points[:, self.parameters.index(name)]
        if name in self.measures:
            return self.values[:, self.measures.index(name)]
        raise NameNotFound(
            f"'{name}' is no column; there are {', '.join((*self.parameters, *self.measures))}"
        )

    def sensitivities(self) -> tuple[Sensitivity, ...]:
        """Return how each measure goes with each parameter: linear regression over all runs.

        Least squares of all parameters at once, with a constant; runs without the number are left
        out, and parameters that never changed have slope 0, as all have where the measure is the
        same in all runs but for rounding.
        """
        found = []
        for k, measure in enumerate(self.measures):
            there = np.isfinite(self.values[:, k])
            fit = _regression(self.points[there], self.values[there, k])
            for name, slope, share in zip(self.parameters, *fit[:2], strict=True):
                found.append(Sensitivity(measure, name, float(slope), float(share), fit[2]))
        return tuple(found)


ROUNDING = 1e-12
"""Values that differ by less of their size are the same: what is left is rounding."""


def _regression(x: Array, y: Array) -> tuple[Array, Array, float]:
    """Return slopes, standardised slopes and R^2 of ``y`` over the columns of ``x``."""
    count = x.shape[1]
    nothing = np.full(count, np.nan)
    if len(y) <= count:
        return nothing, nothing, float("nan")
    if np.ptp(y) <= ROUNDING * np.abs(y).max():
        return np.zeros(count), np.zeros(count), float("nan")
    spread, height = x.std(axis=0), float(y.std())
    varies = spread > 0.0
    scaled = (x[:, varies] - x[:, varies].mean(axis=0)) / spread[varies]
    centred = y - y.mean()
    found = np.linalg.lstsq(scaled, centred, rcond=None)[0]
    standard = np.zeros(count)
    standard[varies] = found
    slopes = np.divide(standard, spread, out=np.zeros(count), where=varies)
    left = centred - scaled @ found
    return slopes, standard / height, float(1.0 - (left @ left) / (centred @ centred))
