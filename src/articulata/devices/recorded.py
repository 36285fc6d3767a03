"""A recording as a device: its samples come again as they came, at any speed.

Samples are read from the channel ``track.sample`` of a recording: one row for each station, told
again in each frame; a row is a new sample where its number differs from that of the frame before.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from articulata.devices.driver import OpenedDevice
from articulata.errors import NameNotFound, RecordingError
from articulata.records.recording import Recording, load
from articulata.records.samples import Convention, DeviceReport, Sample

SAMPLES = "track.sample"
SAMPLE_COLUMNS = (
    "time",
    "arrival",
    "qw",
    "qx",
    "qy",
    "qz",
    "x",
    "y",
    "z",
    "error",
    "button",
    "number",
)
"""What a row of ``track.sample`` holds: s, s, the quaternion, m, the code of the error's letter,
whether the switch is pressed, and how many samples of the station have been in the take."""


def samples_of(recording: Recording) -> list[Sample]:
    """Return every sample of a recording, in the order in which they were taken up.

    Where several devices are read at once, that is not quite the order of their arrival.
    """
    found: list[Sample] = []
    last: dict[str, float] = {}
    for segment in recording.segments:
        if SAMPLES not in segment.channels:
            continue
        labels = segment.channels[SAMPLES].labels
        for rows in np.asarray(segment.array(SAMPLES)).tolist():
            here = len(found)
            for label, row in zip(labels, rows, strict=True):
                if math.isnan(row[1]) or last.get(label) == row[11]:
                    continue
                last[label] = row[11]
                number = label.partition(" ")[0]
                found.append(
                    Sample(
                        int(number),
                        row[0],
                        row[1],
                        (row[2], row[3], row[4], row[5]),
                        (row[6], row[7], row[8]),
                        chr(int(row[9])) if row[9] else "",
                        bool(row[10]),
                    )
                )
            found[here:] = sorted(found[here:], key=lambda sample: sample.arrival)
    if not found:
        raise RecordingError(
            "the recording holds no samples of a tracker; give a take that 'articulata track' wrote"
        )
    return found


class RecordedSamples(OpenedDevice):
    """Plays ``samples`` as they came, ``speed`` times as fast (inf: at once); then it is silent.

    ``samples`` are in the order in which they are given, never before the one ahead of it.
    ``notice`` is what a person should know of them.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        *,
        speed: float = 1.0,
        name: str = "",
        notice: str = "",
    ) -> None:
        if not speed > 0.0:
            raise RecordingError(f"a recording is played at a speed above 0, not {speed}")
        self.name = name or "recording"
        self.notice = notice
        self.samples = samples
        self._speed = speed
        self._next = 0
        self._begun = 0.0

    @classmethod
    def from_file(cls, path: Path, *, speed: float = 1.0) -> RecordedSamples:
        """Return the samples of a take."""
        try:
            return cls(samples_of(load(path)), speed=speed, name=path.name)
        except (NameNotFound, RecordingError) as error:
            raise RecordingError(f"{path}: {error}") from error

    def meaning(self, convention: Convention) -> RecordedSamples:
        """Return the same, whose samples mean what ``convention`` says."""
        samples = convention.meant(self.samples)
        return RecordedSamples(samples, speed=self._speed, name=self.name, notice=self.notice)

    @property
    def ended(self) -> bool:
        """Whether every sample has been read."""
        return self._next >= len(self.samples)

    def open(self) -> None:
        """Begin to play."""
        self._begun = time.monotonic()
        self._next = 0

    def close(self) -> None:
        """Nothing is held open."""

    def read(self, timeout: float) -> list[Sample]:
        """Return the samples that are due, with their times moved to now."""
        if self.ended:
            time.sleep(timeout)
            return []
        first = self.samples[0].arrival
        due = self._begun + (self.samples[self._next].arrival - first) / self._speed
        wait = due - time.monotonic()
        if wait > timeout:
            time.sleep(timeout)
            return []
        if wait > 0.0:
            time.sleep(wait)
        here, found = self.samples[self._next].arrival, []
        while not self.ended and self.samples[self._next].arrival == here:
            sample = self.samples[self._next]
            # the clock of now, the steps of then
            pace = self._speed if math.isfinite(self._speed) else 1.0
            arrival = self._begun + (sample.arrival - first) / pace
            measured = arrival + (sample.time - sample.arrival) / pace
            found.append(sample._replace(time=measured, arrival=arrival))
            self._next += 1
        return found

    def report(self) -> DeviceReport:
        """Return how much has been played."""
        told = "played to its end" if self.ended else ""
        return DeviceReport(self.name, samples=self._next, told=told, notice=self.notice)
