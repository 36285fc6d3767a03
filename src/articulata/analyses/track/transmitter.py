"""A transmitter that was pushed: all sensors turn alike at once, as no body does.

Within a moment every sensor turns by one and the same rotation, while before and after it all are
at rest. Where it tilts, it was no wearer: he would have fallen. Where it turns about the vertical
alone, a wearer may have turned on a turntable; that is told and left to him.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.seats import Seats
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample

REST, PUSH = 0.3, 0.5
"""Seconds of rest before and after, and seconds that a push may take between them."""

LOOK = 0.1
"""Seconds between two looks."""

LEAST = float(np.radians(4.0))
"""A push turns by this (rad) at least; less is no more than sensors slip."""

NEARLY = math.cos(0.5 * (LEAST - 2.0 * float(np.radians(1.2))))
"""Cosine of half the turn from which on a sensor may have been pushed."""

ALIKE = float(np.radians(2.0))
"""Sensors that turned by rotations nearer than this (rad) to their mean turned alike."""

CALM = float(np.radians(1.2))
"""A sensor that rests stays within this (rad)."""

FEWEST = 3
"""Sensors that have to agree: two on one limb do when it moves."""


@dataclass(frozen=True, slots=True, eq=False)
class Push:
    """How the transmitter's frame has turned and moved: ``p_new = R p_old + t``, m in T.

    ``tilt`` (rad) is by how much its vertical turned.
    """

    R: Rotation
    t: Array
    tilt: float

    @property
    def story(self) -> str:
        """What happened, for a person."""
        turned = math.degrees(float(np.linalg.norm(self.R.log())))
        far = float(np.linalg.norm(self.t))
        moved = f" and moved by {far:.2f} m" if far > 0.005 else ""
        return f"all sensors turned by {turned:.0f} deg{moved} at once"

    def followed(self, calibration: Calibration) -> Calibration:
        """Return the calibration of sensors that stayed where they are while T was pushed."""
        R_FT, seats = calibration.R_FT @ self.R.inverse(), calibration.seats
        if seats is not None:
            seats = Seats(seats.origin - R_FT.apply(self.t), seats.offsets)
        return replace(calibration, R_FT=R_FT, seats=seats, held=())


class Transmitter:
    """Looks for pushes in samples; sensors that tell no place have no transmitter."""

    def __init__(self) -> None:
        self._seen: dict[int, deque[Sample]] = {}
        self._looked = -math.inf

    def take(self, samples: Iterable[Sample]) -> Push | None:
        """Take note of samples; return how the transmitter was pushed, None where it was not."""
        now = -math.inf
        for sample in samples:
            if not sample.error and not math.isnan(sample.p[0]):
                seen = self._seen.setdefault(sample.station, deque())
                seen.append(sample)
                while sample.time - seen[0].time > 2.0 * REST + PUSH:
                    seen.popleft()
                now = max(now, sample.time)
        if now - self._looked < LOOK:
            return None
        self._looked = now
        push = self._pushed(now)
        if push is not None:
            self._seen.clear()
        return push

    def _pushed(self, now: float) -> Push | None:
        turns, places = [], []
        for seen in self._seen.values():
            # in most looks one sensor has hardly turned: that is seen in no time
            cosine = abs(sum(a * b for a, b in zip(seen[0].q, seen[-1].q, strict=True)))
            if cosine > NEARLY:
                return None
        for seen in self._seen.values():
            before = [s for s in seen if now - s.time > REST + PUSH]
            after = [s for s in seen if now - s.time <= REST]
            if len(before) < 2 or len(after) < 2:
                continue
            was, calm = _rest(before)
            now_is, calm_now = _rest(after)
            if max(calm, calm_now) > CALM:
                return None
            turns.append(now_is @ was.inverse())
            p = [np.mean([s.p for s in each], axis=0) for each in (before, after)]
            places.append(p)
        if len(turns) < FEWEST:
            return None
        every = Rotation.stack(turns)
        R = every.mean()
        if float(np.linalg.norm(R.log())) < LEAST or float(np.max(R.distance(every))) > ALIKE:
            return None
        t = np.mean([after - R.apply(before) for before, after in places], axis=0)
        up = np.array((0.0, 0.0, 1.0))
        tilt = math.acos(max(-1.0, min(1.0, float(R.apply(up) @ up))))
        return Push(R, t, tilt)


def _rest(samples: list[Sample]) -> tuple[Rotation, float]:
    """Return the mean orientation and by how much (rad) one was beside it."""
    turned = Rotation.from_quaternion(np.array([s.q for s in samples]))
    mean = turned.mean()
    return mean, float(np.max(mean.distance(turned)))
