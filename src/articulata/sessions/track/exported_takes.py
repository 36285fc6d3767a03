"""Takes cut and joined, and their joint angles in the names of OpenSim's model or the ISB's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from articulata.analyses.track.isb import isb_angles, rajagopal_angles
from articulata.analyses.track.tracked_person import tracked_body
from articulata.devices.recorded import SAMPLE_COLUMNS, SAMPLES
from articulata.errors import FormatError, RecordingError
from articulata.formats import csv
from articulata.formats.joint_motions import write_storage
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.quaternion import q_conjugate, q_multiply
from articulata.kinematics.world_figure import figure_of
from articulata.records.files import write_whole
from articulata.records.observed import BASE, JOINT
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Frame

TIMES = [SAMPLE_COLUMNS.index(name) for name in ("time", "arrival")]
ARRIVAL, NUMBER = SAMPLE_COLUMNS.index("arrival"), SAMPLE_COLUMNS.index("number")

PAUSE = 1.0 / 30.0
"""Seconds from the last frame of a part to the first of the next where a part has one frame."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What a recording holds from ``start`` to ``end`` (s); ``name`` is what messages call it."""

    recording: Recording
    name: str
    start: float = -np.inf
    end: float = np.inf


def span_of(text: str) -> tuple[float, float]:
    """Return the two times (s) of "2:8"; either may be left out, as in "2:"."""
    first, colon, last = text.partition(":")
    try:
        start = float(first) if first.strip() else -np.inf
        end = float(last) if last.strip() else np.inf
    except ValueError:
        start = end = np.nan
    if not colon or not start < end:
        raise RecordingError(f"--between {text!r}: give two rising times in s, as in 2:8, 2: or :8")
    return start, end


def spliced(parts: Sequence[Part], file: Path | None = None) -> Recording:
    """Return parts of recordings, one after the other from 0 s on; write them to ``file``, too.

    Samples of a tracker and events come along, their times moved. Raises RecordingError where a
    recording was edited while it ran, where two are of different figures, or where a part is empty.
    """
    first = parts[0].recording
    for part in parts:
        _fits(part, first)
    recorder = Recorder(replace(first.header, until=None), file)
    begun, counted = 0.0, np.zeros(0)
    for part in parts:
        times = part.recording.times
        chosen = np.flatnonzero((times >= part.start) & (times <= part.end))
        if len(chosen) == 0:
            raise RecordingError(
                f"{part.name} has no frame from {part.start:g} to {part.end:g} s; it lasts from"
                f" {times[0]:g} to {times[-1]:g} s"
            )
        moved = begun - float(times[chosen[0]])
        events = [e for e in part.recording.events if part.start <= e.time <= part.end]
        at, highest = 0, counted
        for segment in part.recording.segments:
            recorder.layout(tuple(segment.channels.values()))
            for k, time in enumerate(segment.times.tolist()):
                number, at = at, at + 1
                if number < chosen[0] or number > chosen[-1]:
                    continue
                while events and events[0].time <= time:
                    event = events.pop(0)
                    recorder.event(replace(event, time=max(event.time + moved, begun)))
                arrays = segment.frame(k)
                if SAMPLES in arrays:
                    rows = arrays[SAMPLES]
                    rows, highest = _moved(rows, moved, float(times[chosen[0]]), counted)
                    arrays[SAMPLES] = rows
                recorder.frame(Frame(time + moved, arrays))
        for event in events:
            recorder.event(replace(event, time=event.time + moved))
        counted = highest
        last = float(times[chosen[-1]])
        steps = np.diff(times[chosen])
        begun = last + moved + (float(np.median(steps)) if len(steps) else PAUSE)
    recorder.close()
    return recorder.recording()


def _fits(part: Part, first: Recording) -> None:
    recording = part.recording
    if recording.edits:
        raise RecordingError(
            f"{part.name} was edited while it ran; only recordings without edits are cut and joined"
        )
    if not len(recording.times):
        raise RecordingError(f"{part.name} holds no frame")
    for name in set(first.channels) | set(recording.channels):
        mine, other = first.channels.get(name), recording.channels.get(name)
        if mine is None or other is None or mine.labels != other.labels:
            raise RecordingError(
                f"{part.name} holds another '{name}' than the first recording; join recordings of"
                " one figure with the same sensors"
            )


def _moved(rows: Array, by: float, since: float, counted: Array) -> tuple[Array, Array]:
    """Return samples (stations, columns) with their times moved and counted on, and the counts.

    A sample that came before ``since`` (s) is of what was cut away.
    """
    base = counted if len(counted) else np.zeros(len(rows))
    old = rows[:, ARRIVAL] < since - 1e-9
    rows = np.array(rows)
    rows[:, TIMES] += by
    rows[:, NUMBER] += base
    rows[old] = np.nan
    return rows, np.where(np.isnan(rows[:, NUMBER]), base, rows[:, NUMBER])


OPENSIM, ISB = "opensim", "isb"
SINGULAR = "_singular"
"""How names of what is no angle end: 1 where outer angles cannot be told apart, else 0."""


def export_angles(recording: Recording, to: Path, who: Sequence[str] | None, names: str) -> None:
    """Write a recording's angles as ``.mot`` (deg), ``.sto`` (rad) or ``.csv`` (deg).

    ``who`` chooses among its figures, ``names`` is OPENSIM or ISB.
    """
    if names not in (OPENSIM, ISB):
        raise FormatError(f"--angles is {OPENSIM} or {ISB}, not {names!r}")
    suffix = to.suffix.lower()
    if suffix not in (".mot", ".sto", ".csv"):
        raise FormatError(f"--angles are written as .mot, .sto or .csv, not as '{to.suffix}'")
    if JOINT not in recording.channels or not len(recording.times):
        raise FormatError("angles are written of a recording with figures; this one has none")
    bases = list(recording.channels[BASE].labels)
    known = [
        name
        for name in bases
        if name in {x.partition(".")[0] for x in recording.channels[JOINT].labels}
    ]
    chosen = list(who or known)
    if strange := [name for name in chosen if name not in known]:
        raise FormatError(
            f"the recording has no figure '{strange[0]}'; its figures are {', '.join(known)}"
        )
    # of two frames at one instant the later holds
    last = np.append(np.diff(recording.times) > 0.0, True)
    columns: dict[str, Array] = {}
    for name in chosen:
        before = f"{name}." if len(chosen) > 1 else ""
        found = _angles(recording, name, last, names)
        columns |= {f"{before}{key}": value for key, value in found.items()}
    if suffix != ".sto":
        columns = {k: v if k.endswith(SINGULAR) else np.degrees(v) for k, v in columns.items()}
    values, times = np.stack(list(columns.values()), axis=1), recording.times[last]
    if suffix == ".csv":
        units = ("s", *("" if name.endswith(SINGULAR) else "deg" for name in columns))
        text = csv.write(csv.Columns(("time", *columns), units, np.column_stack((times, values))))
    else:
        text = write_storage(
            ", ".join(chosen), times, list(columns), values, degrees=suffix == ".mot"
        )
    write_whole(to, text.encode())


def _angles(recording: Recording, name: str, last: BoolArray, names: str) -> dict[str, Array]:
    body = tracked_body(figure_of(recording.world, name))
    labels = list(recording.channels[JOINT].labels)
    columns = [labels.index(f"{name}.{joint}") for joint in body.figure.names]
    q = np.array(recording.array(JOINT))[last][:, columns]
    if names == ISB:
        return isb_angles(body, q)
    row = list(recording.channels[BASE].labels).index(name)
    stood = recording.world.figures[name].stand.orientation
    q_WF = np.array(recording.array(BASE))[last, row, 3:]
    return rajagopal_angles(body, q, q_multiply(q_conjugate(np.array(stood)), q_WF))
