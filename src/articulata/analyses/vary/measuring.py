"""What is measured of a run: a statistic of a quantity over time, or its value at an instant."""

from __future__ import annotations

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array, Float64
from articulata.records.recording import Recording
from articulata.world.requests.vary import Measure


def scalar_series(recording: Recording, path: str) -> Float64[Array, "n"]:
    """Return a quantity at each frame; of a vector its length."""
    values = recording.series(path)
    return values if values.ndim == 1 else np.asarray(np.linalg.norm(values, axis=-1))


def measured(recording: Recording, measure: Measure) -> tuple[float, str]:
    """Return one number of a run and its unit; NaN where the instant it is about never came.

    Means are integrals over time by trapezia, divided by the time; frames may lie at any times.
    """
    values, times = scalar_series(recording, measure.path), recording.times
    return _statistic(recording, measure, times, values), recording.unit(measure.path)


def _statistic(recording: Recording, measure: Measure, times: Array, values: Array) -> float:
    if not len(times):
        return float("nan")
    if measure.statistic == "at":
        return _at(recording, measure, times, values)
    if measure.statistic in ("mean", "rms"):
        span = times[-1] - times[0]
        if not span:
            return float(values[-1] if measure.statistic == "mean" else abs(values[-1]))
        if measure.statistic == "mean":
            return float(np.trapezoid(values, times) / span)
        return float(np.sqrt(np.trapezoid(values**2, times) / span))
    return float({"final": values[-1], "min": values.min(), "max": values.max()}[measure.statistic])


def _at(recording: Recording, measure: Measure, times: Array, values: Array) -> float:
    """Return the value at a time, or at the first event of a kind, between frames on a line.

    Frames at the time of an event are before and after it; what was before counts.
    """
    if isinstance(measure.at, str):
        when = next((each.time for each in recording.events if each.kind == measure.at), None)
        if when is None:
            return float("nan")
    else:
        assert measure.at is not None
        when = measure.at
        if not times[0] <= when <= times[-1]:
            raise ArticulataError(
                f"'{measure}' is of no instant of the run, which goes from {times[0]:g} to "
                f"{times[-1]:g} s; measure it earlier, or simulate longer"
            )
    if measure.path == "time":
        return float(when)
    after = int(np.searchsorted(times, when))
    if times[after] == when or not after:
        return float(values[after])
    share = (when - times[after - 1]) / (times[after] - times[after - 1])
    return float((1.0 - share) * values[after - 1] + share * values[after])
