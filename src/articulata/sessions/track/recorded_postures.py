"""Calibrations from postures that lie in a recording: which, and from when until when."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from articulata.analyses.track.calibration import Calibration, held
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.devices.driver import Device
from articulata.devices.recorded import RecordedSamples
from articulata.errors import ArticulataError
from articulata.records.samples import Sample
from articulata.sessions.track.checking import calibrated
from articulata.sessions.track.wish import POSTURES, SWING

SLACK = 0.1
"""Seconds by which a posture may be said to last longer than its recording: times are rounded."""


class PostureHeld(NamedTuple):
    """A posture by its name, held from ``begin`` to ``end``, s since the recording began.

    An ``end`` of infinity is that of the recording.
    """

    name: str
    begin: float
    end: float

    @property
    def text(self) -> str:
        """The word that says so."""
        return f"{self.name}@{self.begin:g}:{'' if math.isinf(self.end) else f'{self.end:g}'}"


def posture_held(text: str) -> PostureHeld:
    """Return what ``n_pose@3:4.5`` or ``n_pose@3:`` says; raise ArticulataError."""
    name, _, span = text.partition("@")
    names = [each for each in POSTURES if each != SWING]
    try:
        first, last = span.split(":")
        begin, end = float(first), float(last) if last.strip() else math.inf
    except ValueError:
        begin = end = math.nan
    if name not in names or not 0.0 <= begin < end:
        raise ArticulataError(
            f"--posture {text!r}: give a posture ({', '.join(names)}) and from when until when it"
            " is held, in seconds since the recording began, as in n_pose@3:4.5, or n_pose@3: until"
            " its end"
        )
    return PostureHeld(name, begin, end)


def calibrations_in(
    devices: Sequence[Device],
    body: TrackedBody,
    stations: Mapping[int, str],
    words: Sequence[str],
    apart: bool = False,
) -> list[tuple[float, Calibration]]:
    """Return the calibrations that postures in recordings give, and from when on (s) they hold.

    ``words`` are as ``posture_held`` reads them; a posture that is held again begins another
    calibration. Each recording counts from its own beginning. ``apart`` says that each sensor has
    a heading of its own. Raises ArticulataError.
    """
    recordings = [each for each in devices if isinstance(each, RecordedSamples)]
    if not recordings or len(recordings) < len(devices):
        raise ArticulataError(
            "--posture says where postures lie in a recording; a person who is there holds them"
            " when asked, as --calibrate says"
        )
    known = body.orientations(body.rest)
    own = {station: role for station, role in stations.items() if role in known}
    groups: list[list[PostureHeld]] = [[]]
    for each in sorted(map(posture_held, words), key=lambda posture: posture.begin):
        if each.name in (other.name for other in groups[-1]):
            groups.append([])
        groups[-1].append(each)
    found: list[tuple[float, Calibration]] = []
    for group in groups:
        postures = [
            held(body.posture(each.name), _samples(recordings, each, own)) for each in group
        ]
        before = found[-1][1] if found else None
        calibration = calibrated(body, own, postures, apart=apart, before=before)
        found.append((group[0].begin if found else 0.0, calibration))
    return found


def _samples(
    recordings: Sequence[RecordedSamples], posture: PostureHeld, own: Mapping[int, str]
) -> list[Sample]:
    """Return what sensors told in recordings while a posture was held."""
    found: list[Sample] = []
    for recording in recordings:
        first, last = recording.samples[0].arrival, recording.samples[-1].arrival
        long = last - first
        if posture.begin >= long or long + SLACK < posture.end < math.inf:
            raise ArticulataError(
                f"--posture {posture.text} ends after {recording.name} does, which is"
                f" {long:g} s long"
            )
        found += [
            sample
            for sample in recording.samples
            if posture.begin <= sample.arrival - first <= posture.end and sample.station in own
        ]
    return found
