"""How sensors fare, from their samples alone: rates, ages, jitter."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

import numpy as np

from articulata.records.samples import Sample
from articulata.records.tracking import DOUBTFUL, GOOD, LATE, SILENT, SensorHealth

KEPT = 64
"""Samples of a sensor that its rate is taken from."""

SILENCE = 1.0
"""Seconds without a sample after which a sensor counts as silent."""

SLOW = 0.6
"""A sensor whose rate is below this share of the usual one is late."""


class Watch:
    """Keeps the times of the last samples of each station."""

    def __init__(self, stations: Mapping[int, str]) -> None:
        self._stations = dict(stations)
        self._arrivals: dict[int, deque[float]] = {s: deque(maxlen=KEPT) for s in stations}
        self._doubts: dict[int, str] = {}
        self.strangers: set[int] = set()

    def take(self, samples: Iterable[Sample]) -> None:
        """Take note of samples; stations that nothing sits on are remembered as strangers."""
        for sample in samples:
            arrivals = self._arrivals.get(sample.station)
            if arrivals is None:
                self.strangers.add(sample.station)
                continue
            arrivals.append(sample.arrival)
            if sample.error:
                self._doubts[sample.station] = sample.error
            else:
                self._doubts.pop(sample.station, None)

    def health(self, now: float) -> tuple[SensorHealth, ...]:
        """Return how each sensor fares at ``now`` (s)."""
        rates = {station: self._rate(station) for station in self._stations}
        known = [rate for rate in rates.values() if rate > 0.0]
        usual = float(np.median(known)) if known else 0.0
        return tuple(
            self._one(station, role, rates[station], usual, now)
            for station, role in sorted(self._stations.items())
        )

    def _rate(self, station: int) -> float:
        arrivals = self._arrivals[station]
        span = arrivals[-1] - arrivals[0] if len(arrivals) > 1 else 0.0
        return (len(arrivals) - 1) / span if span > 0.0 else 0.0

    def _one(self, station: int, role: str, rate: float, usual: float, now: float) -> SensorHealth:
        arrivals = self._arrivals[station]
        age = now - arrivals[-1] if arrivals else np.inf
        jitter = float(np.std(np.diff(arrivals))) if len(arrivals) > 2 else 0.0
        state = GOOD
        if age > SILENCE:
            state, rate = SILENT, 0.0
        elif station in self._doubts:
            state = DOUBTFUL
        elif rate < SLOW * usual:
            state = LATE
        return SensorHealth(station, role, rate, float(age), jitter, state)
