"""Tables and plots of many runs: a row a run, a line a run coloured by what was varied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import NameNotFound
from articulata.formats import csv
from articulata.report.plots import drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from articulata.records.variations import Variations

FAINT = 40
"""Lines beyond this number are drawn thinner, so that those below can be seen."""


def runs_table(found: Variations) -> str:
    """Return the runs as CSV: number, parameters, measures, and why a run failed."""
    rows: list[Sequence[str]] = [
        ("run", *found.parameters, *found.measures, "failed"),
        ("", *found.parameter_units, *found.measure_units, ""),
    ]
    for number, (point, values) in enumerate(zip(found.points, found.values, strict=True)):
        cells = map(_cell, (*point.tolist(), *values.tolist()))
        why = found.failures.get(number, "").partition("\n")[0]
        rows.append((str(number + 1), *cells, why))
    return csv.write_rows(rows)


def sensitivities_table(found: Variations) -> str:
    """Return as CSV how each measure goes with each parameter."""
    rows: list[Sequence[str]] = [("measure", "parameter", "slope", "standardised", "R^2")]
    rows += [
        (each.measure, each.parameter, *map(_cell, (each.slope, each.share, each.explained)))
        for each in found.sensitivities()
    ]
    return csv.write_rows(rows)


def _cell(value: float) -> str:
    return "" if value != value else repr(value)


def plot_family(found: Variations, path: str, by: str = "") -> Figure:
    """Return a drawing of ``path`` over time, a line a run, coloured ``by`` a parameter or measure.

    ``by`` is the first parameter where nothing is said. Raises NameNotFound for a path that no
    ``plot:`` asked for, and for what is no column.
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    if path not in found.lines:
        known = ", ".join(found.lines) or "nothing"
        raise NameNotFound(f"'{path}' was not kept over time, {known} was; add plot: {path}")
    name = by or found.parameters[0]
    shades, units = found.column(name), (*found.parameter_units, *found.measure_units)
    unit = units[(*found.parameters, *found.measures).index(name)]
    seen = shades[np.isfinite(shades)]
    scale = Normalize(*((seen.min(), seen.max()) if len(seen) else (0.0, 1.0)))
    with drawing():
        figure = Figure(figsize=(8.0, 4.0), layout="constrained")
        axis = figure.subplots()
        width = 1.3 if len(shades) <= FAINT else 0.6
        for line, shade in zip(found.lines[path], shades, strict=True):
            if line is not None and np.isfinite(shade):
                axis.plot(*line, color=colormaps["viridis"](scale(shade)), linewidth=width)
        label = f"{name} ({unit})" if unit else name
        figure.colorbar(ScalarMappable(scale, "viridis"), ax=axis, label=label)
        axis.set_xlabel("time (s)")
        axis.set_ylabel(path)
        axis.grid(visible=True)
        axis.margins(x=0.01)
    return figure
