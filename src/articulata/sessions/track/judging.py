"""The measures of a tracker, of a take as it was recorded, written as a table beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from articulata.analyses.track.measures import Heard, Measured, measures
from articulata.devices.recorded import samples_of
from articulata.errors import RecordingError
from articulata.formats.csv import write_rows
from articulata.records.files import write_whole
from articulata.records.recording import Recording, load
from articulata.sessions.track.takes import FLAGS, LATENCY, LEFT_OVER

COLUMNS = ("measure", "what", "value", "unit")


def measures_of(take: Recording) -> list[Measured]:
    """Return the measures of a take; none where it holds no sample."""
    try:
        samples = samples_of(take)
    except RecordingError:
        return []
    labels = take.channels["track.sample"].labels
    heard = {}
    for label in labels:
        number = int(label.partition(" ")[0])
        own = [sample for sample in samples if sample.station == number]
        if own:
            heard[label] = Heard(
                np.array([sample.time for sample in own]),
                np.array([sample.arrival for sample in own]),
                np.array([sample.q for sample in own]),
                np.array([sample.p for sample in own]),
                sum(bool(sample.error) for sample in own),
            )
    told = [event.values for event in take.events if event.kind == LATENCY]
    numbers = [value for value in told[-1].values() if isinstance(value, float)] if told else []
    return measures(
        heard,
        np.array(take.array(LEFT_OVER)),
        np.array(take.array(FLAGS))[..., 0],
        take.header.settings,
        latency=(numbers[0], numbers[1]) if len(numbers) == 2 else None,
        lost=sum(event.kind == "device" for event in take.events),
    )


def write_measures(take: Path) -> Path | None:
    """Write the measures of a take beside it; return the table's file."""
    found = measures_of(load(take))
    if not found:
        return None
    target = take.with_name(f"{take.stem}-measures.csv")
    rows = [(each.measure, each.what, f"{each.value:.4g}", each.unit) for each in found]
    write_whole(target, write_rows([COLUMNS, *rows]).encode())
    return target
