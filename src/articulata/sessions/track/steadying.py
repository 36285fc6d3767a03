"""Samples whose headings drift, corrected while a session runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from articulata.analyses.track.body import TrackedBody
from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.drift import Drift, Drifting
from articulata.records.samples import Sample


class Steadying:
    """Corrects samples from ``begin`` on, where that is ``wanted``."""

    def __init__(self, body: TrackedBody, stations: Mapping[int, str], *, wanted: bool) -> None:
        self._body, self._stations, self._wanted = body, stations, wanted
        self._now: tuple[Drifting, Drift] | None = None

    def begin(self, calibration: Calibration) -> None:
        """Begin anew by a calibration."""
        if self._wanted:
            drifting = Drifting(self._body, self._stations, calibration)
            self._now = drifting, drifting.start()

    def samples(self, part: Sequence[Sample]) -> Sequence[Sample]:
        """Return samples whose headings do not drift."""
        if self._now is None:
            return part
        drifting, drift = self._now
        drift, part = drifting.step(drift, part)
        self._now = drifting, drift
        return part
