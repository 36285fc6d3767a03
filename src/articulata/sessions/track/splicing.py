"""Takes cut and joined: parts of recordings one after the other, in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from articulata.devices.recorded import SAMPLE_COLUMNS, SAMPLES
from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
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
