"""Curves that were measured, in SI, and what runs differ from them at their own times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from articulata.analyses.vary.measuring import scalar_series
from articulata.errors import ArticulataError, RecordingError, WorldError
from articulata.formats.measured_tables import MeasuredTable, listed, read_measured
from articulata.geometry.arrays import Array
from articulata.records.recording import Recording, load
from articulata.records.state import in_units
from articulata.world.language.units import UNIT_NAMES, Unit, alike, describe, parse_unit
from articulata.world.requests.vary import Measure

Tables: TypeAlias = Mapping[str, Any]
"""Tables of pandas, or recordings, in place of files, by the names that a text calls them."""

INSTANT = 1e-9
"""What lies closer to each other than this (s) is one instant."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """What a ``measure`` compares a run with: ``times`` (n,) s and ``values`` (n,) SI.

    ``unit`` is the one it was written in, ``size`` that unit in SI, and ``notes`` tell what was
    left out.
    """

    measure: Measure
    times: Array
    values: Array
    unit: str
    size: Unit
    notes: tuple[str, ...] = ()

    @property
    def spread(self) -> float:
        """The standard deviation of its values; 1 where they are all the same."""
        return float(self.values.std()) or 1.0

    def check(self, recording: Recording) -> None:
        """Raise WorldError where a run says another quantity than the curve does."""
        path = self.measure.path
        due = parse_unit(recording.unit(path)).dimension
        if not alike(self.size.dimension, due):
            raise WorldError(
                f"'{self.measure}': the column is in {self.unit or '1'}, and {path} is "
                f"{describe(due)}; name the column of this quantity, or mend its unit"
            )

    def simulated(self, recording: Recording) -> Array:
        """Return what the run says at ``times``, (n,) SI; ArticulataError where it ended before.

        Of frames at one instant, before and after an edit, the first counts.
        """
        at = np.searchsorted(recording.times, self.times - INSTANT)
        if at[-1] >= len(recording.times):
            raise ArticulataError(f"the run ended at t = {recording.times[-1]:g} s")
        return scalar_series(recording, self.measure.path)[at]


def curve_of(measure: Measure, folder: Path, until: float, tables: Tables) -> Curve:
    """Return what ``measure`` names in a file of ``folder``, or in a table given in its place.

    Rows without a number and those after ``until`` (s) are left out and told of. FormatError,
    RecordingError and WorldError say what cannot be used.
    """
    given = tables.get(measure.file)
    if given is None and Path(measure.file).suffix.lower() == ".artrun":
        given = load(folder / measure.file)
    if isinstance(given, Recording):
        times, first = np.unique(given.times, return_index=True)
        path = measure.column or measure.path
        shown, size = in_units(given.world.units, given.unit(path))
        return _usable(measure, times, scalar_series(given, path)[first] / size, shown, until)
    table = read_measured(folder / measure.file) if given is None else _of_pandas(given, measure)
    place, number = table.time(), _column(table, measure)
    unit = table.units[number]
    if unit is None:
        raise WorldError(
            f"{table.name} says no unit of column '{table.names[number]}'; call it "
            f"'{table.names[number]} [deg]', or [1] for a pure number"
        )
    times = table.column(place) * _size(table.units[place] or "s", table.name).factor
    return _usable(measure, times, table.column(number), unit, until, _size(unit, table.name))


def _column(table: MeasuredTable, measure: Measure) -> int:
    """Return the number of the column that is meant."""
    others = [each for each in table.names if each != table.names[table.time()]]
    wanted = measure.column or measure.path
    if not measure.column and wanted not in others and len(others) == 1:
        wanted = others[0]
    if wanted not in others:
        raise WorldError(
            f"{table.name} has no column '{wanted}' but {listed(others)}; write difference of "
            f'{measure.path} to column "NAME" of "{measure.file}"'
        )
    return table.names.index(wanted)


def _of_pandas(given: Any, measure: Measure) -> MeasuredTable:
    """Return a table of pandas: units stand in its heads or in ``attrs["units"]``."""
    if not (hasattr(given, "reset_index") and hasattr(given, "attrs")):
        raise WorldError(
            f"'{measure.file}' stands for a {type(given).__name__}; give a table of pandas, or a "
            "recording"
        )
    whole = given if given.index.name is None else given.reset_index()
    heads = [re.fullmatch(r"(.*?)\s*(?:\[(.*)\])?", str(each)) for each in whole.columns]
    units = given.attrs.get("units", {})
    return MeasuredTable(
        measure.file,
        tuple(each[1] for each in heads if each),
        tuple(each[2] or units.get(each[1]) for each in heads if each),
        whole.astype(str).to_numpy().tolist(),
    )


def _size(unit: str, table: str) -> Unit:
    """Return a unit that a head says."""
    said = unit.strip().replace("°", "deg").replace("·", "*").replace(" ", "*")
    said = UNIT_NAMES.get(said.removesuffix("s"), said)
    if said in ("", "1", "-"):
        return Unit(1.0, (0, 0, 0, 0, 0))
    try:
        if re.fullmatch(r"[^\W\d]\w*(?:\^-?\d)?(?:[*/][^\W\d]\w*(?:\^-?\d)?)*", said):
            return parse_unit(said)
    except KeyError:
        pass
    raise WorldError(f"{table}: '{unit}' is no unit that is known; write such as [deg], [N*m], [1]")


def _usable(
    measure: Measure, times: Array, values: Array, unit: str, until: float, size: Unit | None = None
) -> Curve:
    """Return a curve of the rows that a run can be compared with."""
    size = parse_unit(unit) if size is None else size
    there, notes = np.isfinite(times) & np.isfinite(values), []
    if not there.all():
        notes.append(f"rows without a number, left out: {np.sum(~there)}")
    times, values = times[there], values[there]
    back = np.flatnonzero(np.diff(times) <= INSTANT)
    if len(back):
        raise RecordingError(
            f"times of '{measure.file}' do not increase: {times[back[0] + 1]:.9g} s follows "
            f"{times[back[0]]:.9g} s; sort the rows, and keep one of each instant"
        )
    within = (times >= 0.0) & (times <= until + INSTANT)
    if np.sum(within) < 3:
        span = f"from {times[0]:g} to {times[-1]:g} s" if len(times) else "nowhere"
        raise RecordingError(
            f"'{measure.file}' needs 3 rows from 0 to {until:g} s, where the run is, and has "
            f"{np.sum(within)}; its times go {span}: let them count from the run's start"
        )
    if not within.all():
        notes.append(f"rows outside the run, 0 to {until:g} s, left out: {np.sum(~within)}")
    told = tuple(f"{measure}: {each}" for each in notes)
    kept = np.minimum(times[within], until)
    return Curve(measure, kept, values[within] * size.factor, unit, size, told)
