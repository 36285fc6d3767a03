"""The parameters at which runs of a world differ least from curves that were measured.

Searches are those of a best design, side by side and kept as they end. Where there are several
curves, the best is refined with each weighed by the noise that the first fit leaves of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from articulata.analyses.vary.identifying import Precision, descent, doubts_of, precision
from articulata.analyses.vary.optimising import Search, Values
from articulata.errors import WorldError
from articulata.formats import csv
from articulata.geometry.arrays import Array
from articulata.records.files import write_whole
from articulata.records.state import in_units
from articulata.report.plots import picture, plot_fits
from articulata.sessions.vary.best_design import Aim, optimised
from articulata.sessions.vary.measured_curves import Curve, Tables
from articulata.sessions.vary.single_run import Task, misfits
from articulata.sessions.vary.varying import Listener, in_a_name, task_of
from articulata.world.document import Document

FITS: Final = "fits.png"
"""The picture of curves, what is simulated at the best, and what is left."""

WHITE = 3.0
"""Standard deviations (1 / sqrt(n)) of a lag-1 autocorrelation beyond which noise is not white."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How a ``curve`` is met: what is ``simulated`` (n,) at its times, SI."""

    curve: Curve
    simulated: Array

    @property
    def residuals(self) -> Array:
        """What is measured less what is simulated, (n,) in the curve's unit."""
        return np.asarray((self.curve.values - self.simulated) / self.curve.size.factor)

    @property
    def rms(self) -> float:
        """The root of the mean square of the residuals, in the curve's unit."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    @property
    def explained(self) -> float:
        """The coefficient of determination R^2; NaN where the curve is constant."""
        around = float(np.sum((self.curve.values - self.curve.values.mean()) ** 2))
        left = float(np.sum((self.curve.values - self.simulated) ** 2))
        return 1.0 - left / around if around else math.nan

    @property
    def following(self) -> float:
        """The lag-1 autocorrelation of the residuals: about 0 where they are white noise."""
        left = self.residuals
        square = float(left @ left)
        return float(left[1:] @ left[:-1]) / square if square else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Identification:
    """The ``parameters`` that meet measured curves best (SI), and how far they are told.

    ``sigmas`` are standard deviations (SI), where residuals are white noise and the world has all
    that was measured; ``doubts`` say in sentences what speaks against that. ``fits`` has one a
    curve. ``searches`` tell where each start led, ``alike`` how many ended at the best.
    ``text_units`` are the names of the text's ``units:`` line.
    """

    parameters: Values
    units: tuple[str, ...]
    sigmas: Values
    precision: Precision
    fits: tuple[Fit, ...]
    doubts: tuple[str, ...]
    searches: tuple[Search, ...]
    alike: int
    text_units: tuple[str, ...] = ()


def identify(
    source: str | Path | Document,
    request: str = "",
    *,
    tables: Tables | None = None,
    starts: int = 8,
    workers: int = 1,
    folder: str | Path | None = None,
    seed: int | None = None,
) -> Identification:
    """Return the parameters of a request to vary at which its world moves as was measured.

    Its measures that are a ``difference`` say which quantity is compared with which column of a
    file; ``tables`` are tables of pandas, with units as in ``angle [deg]`` or ``attrs["units"]``,
    or recordings, in place of files by their names. Other arguments are those of ``vary``. Raise
    WorldError or FormatError for what cannot be compared, ArticulataError where no run succeeds.
    """
    task = task_of(source, request, seed=seed, tables=tables)
    return identified(aim_at(task, starts), workers, None if folder is None else Path(folder))


def aim_at(task: Task, starts: int = 8) -> Aim:
    """Return what is looked for: parameters at which all curves are met."""
    if not task.curves:
        raise WorldError(
            f"{task.file}: the request to vary '{task.world}' compares runs with nothing; write "
            'measure: difference of HINGE.angle to "swing.csv"'
        )
    measures = tuple(each.measure for each in task.curves)
    asked = replace(task.question, measures=measures, plots=(), keep=())
    return Aim(replace(task, question=asked, functions=()), 1.0, starts, fits=True)


def identified(
    aim: Aim,
    workers: int = 0,
    folder: Path | None = None,
    listener: Listener | None = None,
    scheduler: str = "",
) -> Identification:
    """Return what an aim's searches find; see ``identify``. Tables and a picture are written."""
    best = optimised(aim, workers, folder, listener, scheduler)
    task, names = aim.task, tuple(aim.bounds)
    low, high = np.array([*aim.bounds.values()]).T
    point = tuple(best.parameters.values())
    noises = [each.spread for each in task.curves]
    if len(noises) > 1:
        parts = np.split(misfits(task, point, noises), _ends(task.curves))
        left = [max(float(np.sqrt(np.mean(part**2))), 1e-9) for part in parts]
        noises = [noise * each for noise, each in zip(noises, left, strict=True)]
    found = descent(
        lambda at: misfits(task, tuple(at.values()), noises),
        aim.bounds, (np.array(point) - low) / (high - low),
    )  # fmt: skip
    parts = np.split(found.fun, _ends(task.curves))
    fits = tuple(
        Fit(curve, curve.values + part * noise)
        for curve, part, noise in zip(task.curves, parts, noises, strict=True)
    )
    told = precision(found, low, high)
    values = low + found.x * (high - low)
    result = Identification(
        dict(zip(names, values.tolist(), strict=True)),
        tuple(each.unit for each in task.question.parameters),
        dict(zip(names, told.sigmas.tolist(), strict=True)),
        told,
        fits,
        (*_notes(names, found.x, fits), *doubts_of(names, told)),
        best.searches,
        best.alike,
        task.units,
    )
    if folder is not None:
        _write(result, folder)
    return result


def _ends(curves: Sequence[Curve]) -> list[int]:
    """Return where curves begin, but for the first, in their residuals side by side."""
    return list(itertools.accumulate(len(each.times) for each in curves))[:-1]


def _notes(names: Sequence[str], shares: Array, fits: Sequence[Fit]) -> list[str]:
    """Return what was left out, stands on its bound, or is no white noise."""
    notes = [note for each in fits for note in each.curve.notes]
    notes += [
        f"{name} is at its bound; a wider range may fit better"
        for name, share in zip(names, shares, strict=True)
        if min(share, 1.0 - share) < 1e-6
    ]
    for each in fits:
        count, follows = len(each.residuals), each.following
        noise = each.rms * each.curve.size.factor > 1e-6 * each.curve.spread
        if noise and count >= 10 and abs(follows) > WHITE / math.sqrt(count):
            notes.append(
                f"what is left of {each.curve.measure.path} is not white noise (lag-1 "
                f"autocorrelation {follows:.2f}): the world lacks something that was measured, or "
                "the curve was filtered; parameters are less certain than their sigmas"
            )
    return notes


def lines_of(found: Identification) -> list[str]:
    """Return a line a parameter, with its standard deviation, and one a curve.

    Lengths and angles are in the units of the text, curves in their own.
    """
    lines = []
    for (name, value), si in zip(found.parameters.items(), found.units, strict=True):
        unit, size = in_units(found.text_units, si)
        told = f"{value / size:.6g} +- {found.sigmas[name] / size:.2g}"
        lines.append(f"{name} = {told} {unit}".rstrip())
    for each in found.fits:
        curve, unit = each.curve, each.curve.unit.strip(" 1-")
        lines.append(
            f"{curve.measure.path}: rms {each.rms:.4g}{' ' + unit if unit else ''} over "
            f"{len(curve.times)} rows, R^2 {each.explained:.6g}"
        )
    return lines


def _write(found: Identification, folder: Path) -> None:
    names = tuple(found.parameters)
    rows: list[Sequence[str]] = [
        ("parameter", "unit", "value", "sigma", *(f"correlation with {name}" for name in names))
    ]
    for k, (name, si) in enumerate(zip(names, found.units, strict=True)):
        unit, size = in_units(found.text_units, si)
        both = found.parameters[name] / size, found.sigmas[name] / size
        numbers = (*both, *found.precision.correlation[k])
        rows.append((name, unit, *(repr(float(each)) for each in numbers)))
    write_whole(folder / "identified.csv", csv.write_rows(rows).encode())
    drawn = []
    for number, each in enumerate(found.fits):
        curve, size = each.curve, each.curve.size.factor
        unit = curve.unit.strip(" 1-")
        values = np.stack(
            [curve.times, curve.values / size, each.simulated / size, each.residuals], axis=1
        )
        heads = ("time", "measured", "simulated", "residual")
        same = [one.curve.measure.path for one in found.fits[:number]].count(curve.measure.path)
        name = in_a_name(curve.measure.path) + (f"-{same + 1}" if same else "")
        table = csv.Columns(heads, ("s", unit, unit, unit), values)
        write_whole(folder / f"residuals-{name}.csv", csv.write(table).encode())
        drawn.append((curve.measure.path, unit, values))
    write_whole(folder / FITS, picture(plot_fits(drawn), ".png"))
