"""Tables of a recording, any quantities over time and the log of events, and of many runs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import NameNotFound
from articulata.formats import csv
from articulata.records.events import shown_in
from articulata.records.observed import POSE
from articulata.records.stored import several
from articulata.world.model import World
from articulata.world.paths import Reference, resolve

if TYPE_CHECKING:
    from articulata.records.events import Event, Value
    from articulata.records.findings import Peak
    from articulata.records.recording import Recording
    from articulata.records.variations import Variations


def table(recording: Recording, paths: str | Sequence[str]) -> csv.Columns:
    """Return a column "time" and the columns of each of ``paths``, a row a frame.

    A vector takes one column a part: ``links.rod2.center`` becomes ``links.rod2.center.x`` and so
    on; the units, lengths and angles in those of the world's text, stand beside the names.
    """
    names, units = ["time"], ["s"]
    values = [recording.times[:, None]]
    for path in (each for said in several(paths) for each in quantities_of(recording, said)):
        quantity = recording.quantity(path).shown_in(recording.world.units)
        names += quantity.names
        units += quantity.units
        values.append(quantity.values.reshape(len(recording.times), -1))
    return csv.Columns(tuple(names), tuple(units), np.hstack(values))


def quantities_of(recording: Recording, path: str) -> tuple[str, ...]:
    """Return the paths that ``path`` stands for: those of a whole body, hinge, force or component.

    What names a quantity, or nothing in the worlds, stands for itself.
    """
    if path in recording.channels:
        return (path,)
    worlds = [recording.world, *recording.worlds.values()]
    try:
        it = resolved_in(worlds, path)
    except NameNotFound:
        return (path,)
    if it.quantity is not None or it.axis is not None:
        return (path,)
    if it.kind == "component":
        inside = [body for body in recording.world.bodies if body.startswith(f"{it.id}.")]
        return tuple(f"{body}.center" for body in inside)
    of: tuple[str, ...] = ()
    if it.kind == "body":
        of = ("center", "v", "w")
    elif it.kind == "hinge":
        hinge = next(each.hinges[it.id] for each in worlds if it.id in each.hinges)
        moved = (*hinge.kind.coordinates, "rate") if hinge.kind.coordinates else ()
        of = (*moved, "force", "moment")
    elif it.kind == "force":
        force = next(each.forces[it.id] for each in worlds if it.id in each.forces)
        of = ("force", "distance", "speed") if force.features else ("moment", "angle", "rate")
    return tuple(f"{it.id}.{quantity}" for quantity in of) or (path,)


def resolved_in(worlds: Sequence[World], path: str) -> Reference:
    """Return what a path names in the first of ``worlds`` that has it.

    NameNotFound says what the first one lacks.
    """
    why: list[NameNotFound] = []
    for world in worlds:
        try:
            return resolve(world, path)
        except NameNotFound as error:
            why.append(error)
    raise why[0]


def all_paths(recording: Recording) -> tuple[str, ...]:
    """Return every recorded channel by name, for a table that leaves nothing out."""
    return tuple(recording.channels)


def events_table(events: Sequence[Event], names: Sequence[str] = ()) -> str:
    """Return the log as CSV: time, kind, who, where, story and every recorded value.

    Lengths and angles are in the units of a text whose ``units:`` line has ``names``. Where events
    have a value in several units all are named.
    """
    shown = [shown_in(names, event) for event in events]
    events = [event for event, _ in shown]
    keys = sorted({key for event in events for key in event.values})
    rows: list[Sequence[str]] = [("time", "kind", "who", "where", "story", *keys)]
    units = (dict.fromkeys(told[key] for _, told in shown if key in told) for key in keys)
    rows.append(("s", "", "", "", "", *("; ".join(filter(None, each)) for each in units)))
    rows += [
        (
            repr(event.time),
            event.kind,
            " ".join(event.who),
            " ".join(event.where),
            event.story,
            *(_cell(event.values, key) for key in keys),
        )
        for event in events
    ]
    return csv.write_rows(rows)


UNMOVED = 1e-6
"""m and shares of a turn: what moves less stands still."""


def unmoved(recording: Recording) -> str:
    """Return a line that says that nothing moves, and the likely reason; "" where something does.

    A world that was edited has moved.
    """
    poses = [each.array(POSE) for each in recording.segments if POSE in each.channels]
    if len(poses) != 1 or len(poses[0]) < 2 or np.ptp(poses[0], axis=0).max(initial=0) > UNMOVED:
        return ""
    world = recording.world
    driven = [each for each in world.couplings.values() if not each.friction]
    if all(each.motion == "fixed" for each in world.bodies.values()):
        why = "all bodies are fixed; write 'dynamics' in the type of what is to move"
    elif not (any(world.gravity) or world.forces or world.drives or driven):
        why = "there is no gravity, no force and no speed; write gravity: (0, -9.81 m/s^2, 0)"
    else:
        why = "forces balance at the start, or hinges hold all; begin elsewhere, or drive a hinge"
    return f"nothing moves: {why}"


WIDE = 110
"""Columns of a line of the log."""


def events_text(events: Sequence[Event], names: Sequence[str] = ()) -> str:
    """Return the log as lines a person reads: the time, what happened, and its values.

    Lengths and angles are in the units of a text whose ``units:`` line has ``names``. Numbers have
    six digits here; what changed is written before -> after. What is longer than
    three numbers, did not change or is empty, and what each hinge passed on, stands in the table
    alone.
    """
    if not events:
        return "no events\n"
    lines = []
    for event, units in (shown_in(names, each) for each in events):
        story = event.story or f"{event.kind} {', '.join(event.who)}"
        values = ", ".join(_log_values(event.values, units))
        text = f"{event.time:12.6f} s  {story}{f'  ({values})' if values else ''}"
        lines += textwrap.wrap(
            text, WIDE, subsequent_indent=" " * 16, break_long_words=False, break_on_hyphens=False
        )
    return "".join(f"{line}\n" for line in lines)


def _log_values(values: Mapping[str, Value], units: Mapping[str, str]) -> Iterator[str]:
    """Yield the values that belong into a line of the log."""
    for key, value in values.items():
        long = isinstance(value, tuple) and not 0 < len(value) <= 3
        if long or key.startswith("impulse of "):
            continue
        base = key.removesuffix("_before")
        if key != base and f"{base}_after" in values:
            old, new = _short(value), _short(values[f"{base}_after"])
            if old != new:
                yield f"{base} {old} -> {new} {units[key]}".rstrip()
        elif not (key.endswith("_after") and f"{key[:-6]}_before" in values):
            yield f"{key} {_short(value)} {units[key]}".rstrip()


def _short(value: Value) -> str:
    if isinstance(value, tuple):
        return " ".join(part if isinstance(part, str) else f"{part:.6g}" for part in value)
    return value if isinstance(value, str) else f"{value:.6g}"


PEAKS = (
    ("hinge", ""),
    ("force", "N"), ("at", "s"),
    ("moment", "N m"), ("at", "s"),
    ("effort", "N m, N"), ("at", "s"),
    ("impulse", "N s"), ("at", "s"),
    ("bears force", "N"), ("bears moment", "N m"), ("used", ""),
)  # fmt: skip
"""Columns of the table of peaks and their units."""


def peaks_table(peaks: Sequence[Peak]) -> str:
    """Return what every hinge bore at most as CSV; empty fields where there is nothing."""
    rows: list[Sequence[str]] = [tuple(name for name, _ in PEAKS), tuple(unit for _, unit in PEAKS)]
    for peak in peaks:
        loads = (peak.force, peak.moment, peak.effort, peak.impulse)
        cells = [part for load in loads for part in (load.value, load.time)]
        numbers = (*cells, *peak.strength, peak.used)
        shown = ("" if x is None or x != x else repr(float(x)) for x in numbers)
        rows.append((peak.hinge, *shown))
    return csv.write_rows(rows)


def peaks_text(peaks: Sequence[Peak]) -> str:
    """Return the same as lines a person reads, the hinge with the greatest force first."""
    if not peaks:
        return "no hinges\n"
    wide = max(len("hinge"), *(len(peak.hinge) for peak in peaks))
    head = ("force", "moment", "effort", "impulse")
    units = ("N", "N m", "N m, N", "N s")
    lines = [f"{'hinge':{wide}}" + "".join(f"{name:>12} {'at':>8}" for name in head) + "  used\n"]
    lines.append(" " * wide + "".join(f"{unit:>12} {'s':>8}" for unit in units) + "\n")
    for peak in sorted(peaks, key=lambda each: -each.force.value):
        line = f"{peak.hinge:{wide}}"
        for load in (peak.force, peak.moment, peak.effort, peak.impulse):
            when = "" if load.time != load.time else f"{load.time:.4g}"
            line += f"{load.value:12.5g} {when:>8}" if when else " " * 21
        lines.append(line + (f"  {peak.used:.0%}" if peak.used is not None else "") + "\n")
    return "".join(lines)


def _cell(values: Mapping[str, float | str | tuple[float, ...] | tuple[str, ...]], key: str) -> str:
    value = values.get(key, "")
    if isinstance(value, tuple):
        return " ".join(str(part) for part in value)
    return value if isinstance(value, str) else repr(float(value))


def runs_table(found: Variations) -> str:
    """Return the runs as CSV: number, parameters, measures, and why a run failed.

    Lengths and angles are in the units of the text.
    """
    found = found.shown()
    rows: list[Sequence[str]] = [
        ("run", *found.parameters, *found.measures, "failed"),
        ("", *found.parameter_units, *found.measure_units, ""),
    ]
    for number, (point, values) in enumerate(zip(found.points, found.values, strict=True)):
        cells = map(_number, (*point.tolist(), *values.tolist()))
        why = found.failures.get(number, "").partition("\n")[0]
        rows.append((str(number + 1), *cells, why))
    return csv.write_rows(rows)


def sensitivities_table(found: Variations) -> str:
    """Return as CSV how each measure goes with each parameter, slopes in the text's units."""
    found = found.shown()
    head = ("measure", "parameter", "slope", "unit", "standardised", "R^2")
    rows: list[Sequence[str]] = [head]
    of = dict(zip(found.measures, found.measure_units, strict=True))
    by = dict(zip(found.parameters, found.parameter_units, strict=True))
    for each in found.sensitivities():
        unit = f"{of[each.measure] or 1} per {by[each.parameter] or 1}"
        names = each.measure, each.parameter, _number(each.slope), unit
        rows.append((*names, _number(each.share), _number(each.explained)))
    return csv.write_rows(rows)


def _number(value: float) -> str:
    return "" if value != value else repr(value)
