"""The measures of a tracker, of a take as it was recorded, written as a table beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from articulata.analyses.track.tracker_measures import ROBUSTNESS, Heard, Measured, measures
from articulata.devices.recorded import samples_of
from articulata.errors import RecordingError
from articulata.formats.csv import write_rows
from articulata.records.files import write_whole
from articulata.records.recording import Recording, load
from articulata.sessions.track.tracked_takes import FLAGS, LATENCY, LEFT_OVER, PEOPLE, PLAUSIBLE
from articulata.sessions.track.wish import PER_PERSON

COLUMNS = ("measure", "what", "value", "unit")


def measures_of(take: Recording, who: str = "") -> list[Measured]:
    """Return the measures of a take, of ``who`` where it holds several."""
    try:
        samples = samples_of(take)
    except RecordingError:
        return [Measured(ROBUSTNESS, "samples", 0.0, "")]
    labels = take.channels["track.sample"].labels
    settings, heard = take.header.settings, {}
    arms = slice(None)
    at = 0
    if who:
        at = str(settings[PEOPLE]).split(", ").index(who)
        settings = {k.removeprefix(f"{who} "): v for k, v in settings.items()}
        own_arms = [
            k for k, arm in enumerate(take.channels[LEFT_OVER].labels) if arm.startswith(f"{who} ")
        ]
        arms = slice(own_arms[0], own_arms[-1] + 1)
    for label in labels:
        number = int(label.partition(" ")[0])
        if who and (number - 1) // PER_PERSON != at:
            continue
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
    judged = [e.values for e in take.events if e.kind == PLAUSIBLE and who in ("", *e.who)]
    plausible = tuple(judged[-1][key] for key in ("plausible", "wrong")) if judged else ()
    return measures(
        heard,
        np.array(take.array(LEFT_OVER))[:, arms],
        np.array(take.array(FLAGS))[:, arms, 0],
        settings,
        latency=(numbers[0], numbers[1]) if len(numbers) == 2 else None,
        lost=sum(event.kind == "device" for event in take.events),
        plausible=[float(each) for each in plausible if isinstance(each, float)],
    )


def write_measures(take: Path, names: tuple[str, ...] = ()) -> list[Path]:
    """Write the measures of a take beside it, of each of several people; return the files."""
    recording, made = load(take), []
    for name in names or ("",):
        found = measures_of(recording, name)
        target = take.with_name(f"{take.stem}{'-' + name if name else ''}-measures.csv")
        rows = [(each.measure, each.what, f"{each.value:.4g}", each.unit) for each in found]
        write_whole(target, write_rows([COLUMNS, *rows]).encode())
        made.append(target)
    return made
