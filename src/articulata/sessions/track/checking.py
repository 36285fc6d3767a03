"""A look at whether what is tracked can be a person, at a calibration and while somebody moves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from articulata.analyses.track.calibration import (
    Calibration,
    Held,
    calibrate,
    heading_by_swing,
    own_headings,
    require_held,
    swung,
)
from articulata.analyses.track.plausibility import Verdict, implausible, mixed_up
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_distance, q_multiply
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample

EVERY = 0.1
"""Seconds between two instants that are kept."""

TURNED = math.radians(4.0)
"""A sensor that has turned by this (rad) since the last instant that was kept has moved."""

LOOKS = (40, 80, 160, 320)
"""Instants of movement after which it is looked at: some 4, 8, 16 and 32 s."""

LEAST = 12
"""Instants of movement that tell something at the end of a take."""

COMPARED = 80
"""Instants that are compared at most."""


def calibrated(
    body: TrackedBody,
    stations: Mapping[int, str],
    postures: Sequence[Held],
    swing: Sequence[Sample] = (),
    *,
    apart: bool = False,
    before: Calibration | None = None,
) -> Calibration:
    """Return the calibration of postures, and a swing for the heading; raise ArticulataError.

    Sensors that are exchanged may leave no calibration at all: they are looked for first. Where
    headings are ``apart``, sensors have no magnetometer and each has a heading of its own. A single
    posture tells no heading; it stays as it was ``before``.
    """
    require_held(stations, postures)
    headings = own_headings(body, stations, postures) if apart else {}
    if before is not None and len(postures) == 1:
        headings = before.headings
    postures = [each.headed(headings) for each in postures]
    doubt = mixed_up(body, stations, postures) or implausible(body, stations, postures).story
    if doubt:
        raise ArticulataError(doubt)
    heading = before.heading if before is not None and len(postures) == 1 else None
    if swing and postures:
        own = [sample for sample in swing if sample.station in stations]
        heading = heading_by_swing(body, stations, swung(own, postures[0]))
    found = calibrate(body, stations, postures, heading=heading)
    return replace(found, headings=headings)


class Checking:
    """Keeps movement from a calibration on, and looks at it some times."""

    def __init__(self, body: TrackedBody, stations: Mapping[int, str]) -> None:
        self._body, self._stations = body, stations
        self.verdict = Verdict()
        self.begin(None)

    def begin(self, calibration: Calibration | None) -> None:
        """Begin anew by a calibration; with none there is nothing to look at."""
        self._calibration = calibration
        self._latest: dict[int, tuple[float, ...]] = {}
        self._kept: list[list[tuple[float, ...]]] = []
        self._due, self._looked = -math.inf, 0
        self.verdict = Verdict()

    def take(self, samples: Sequence[Sample]) -> bool:
        """Take note of samples; return whether the verdict is new."""
        if self._calibration is None or self._looked >= LOOKS[-1]:
            return False
        for each in samples:
            if each.station in self._stations and not each.error:
                self._latest[each.station] = each.q
        time = samples[-1].time if samples else -math.inf
        if time < self._due or len(self._latest) < len(self._stations):
            return False
        self._due = time + EVERY
        now = [self._latest[s] for s in self._stations]
        if self._kept and np.max(q_distance(np.array(now), np.array(self._kept[-1]))) < TURNED:
            return False
        self._kept.append(now)
        return len(self._kept) in LOOKS and self._look()

    def end(self) -> bool:
        """Look at what has not been looked at; return whether the verdict is new."""
        enough = len(self._kept) >= max(LEAST, 1.3 * self._looked)
        return self._calibration is not None and enough and self._look()

    def _look(self) -> bool:
        """Judge what is kept; the first verdict is new, and the first that something is wrong."""
        assert self._calibration is not None
        before, self._looked = self._looked, len(self._kept)
        if self.verdict.story:
            return False
        every = math.ceil(len(self._kept) / COMPARED)
        moved = np.array(self._kept[::every])
        self.verdict = implausible(
            self._body,
            self._stations,
            self._calibration.held or (self._hung(self._calibration),),
            {s: q_multiply(self._back(s), moved[:, k]) for k, s in enumerate(self._stations)},
            heading=self._calibration.heading,
        )
        return before == 0 or bool(self.verdict.story)

    def _back(self, station: int) -> Array:
        """Return the turn, a quaternion (4,), that takes a sensor's own heading back."""
        assert self._calibration is not None
        half = -0.5 * self._calibration.headings.get(station, 0.0)
        return np.array((math.cos(half), 0.0, 0.0, math.sin(half)))

    def _hung(self, calibration: Calibration) -> Held:
        """Return what sensors told while arms hung, by a calibration alone."""
        body = self._body
        seen = body.orientations(body.rest)
        turned = {
            s: calibration.R_FT.inverse()
            @ Rotation.from_matrix(seen[role], nearest=True)
            @ calibration.mounts[s].inverse()
            for s, role in self._stations.items()
            if s in calibration.mounts
        }
        return Held(body.rest, turned, {})
