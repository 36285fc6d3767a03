"""Streams of orientations from several sensors: filtered one by one, read at one instant.

A tracker polls its sensors in turn, so that their samples are of different times. Each stream keeps
its last samples and can be read at any time: as last measured, carried on along the group as the
last two samples turned, or between two samples a little in the past.

``streams`` (n, 23) holds a row for each sensor: the times (s) of its last four samples, newest
first and NaN where there is none; these four, filtered, as quaternions w first; the rate (rad/s)
of the filter.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.rotations import (
    Quaternion,
    along,
    between,
    exp,
    log,
    one_euro,
    times,
    unit,
)

HISTORY = 4
"""Samples that are kept of each stream."""

TURNED, RATE, COLUMNS = HISTORY, 5 * HISTORY, 5 * HISTORY + 3
"""Where quaternions and rates begin in a row, and how many columns it has."""

HOLD, EXTRAPOLATE, INTERPOLATE = range(3)
"""How streams are read between their samples."""

LONGEST_CARRY = 2.0
"""A stream is carried on for so many of its last intervals at most, then held: a sensor that has
fallen silent must not turn for ever."""

CARRY = 0.9
"""Share of the last turn that a stream is carried on by. At 15 samples a second of a walking person
1 errs by 2.73 deg rms, 0.9 by 2.67; less than 0.8 lags."""

FASTEST = 35.0
"""Rad/s: samples that turn faster than an arm can (2000 deg/s) are not carried on."""


@kernel(counted=False)
def _kept(streams: Array, row: int, k: int) -> Quaternion:
    at = TURNED + 4 * k
    return (
        streams[row, at],
        streams[row, at + 1],
        streams[row, at + 2],
        streams[row, at + 3],
    )


@kernel(counted=False)
def take_sample(
    streams: Array, row: int, time: float, turned: Quaternion, smoothing: Array
) -> bool:
    """Filter a sample, ``turned`` at ``time`` (s), into stream ``row``.

    Returns False where it is not newer than the last. ``smoothing`` begins with the filter's
    ``cutoff`` (Hz; inf takes samples as they are), ``beta``, the rate's cut-off (Hz), and the
    silence (s) after which it begins anew.
    """
    last = streams[row, 0]
    if time <= last:
        return False
    new = unit(turned)
    rate = (0.0, 0.0, 0.0)
    goes_on = time - last < smoothing[3]
    if goes_on and math.isfinite(smoothing[0]):
        rate = (streams[row, RATE], streams[row, RATE + 1], streams[row, RATE + 2])
        before = _kept(streams, row, 0)
        new, rate = one_euro(
            before, rate, new, time - last, smoothing[0], smoothing[1], smoothing[2]
        )
    for k in range(HISTORY - 1, 0, -1):
        streams[row, k] = streams[row, k - 1] if goes_on else math.nan
        for i in range(4):
            streams[row, TURNED + 4 * k + i] = streams[row, TURNED + 4 * (k - 1) + i]
    streams[row, 0] = time
    for i in range(4):
        streams[row, TURNED + i] = new[i]
    for i in range(3):
        streams[row, RATE + i] = rate[i]
    return True


@kernel(counted=False)
def orientation_at(streams: Array, row: int, time: float, way: int) -> Quaternion:
    """Return the orientation of stream ``row`` at ``time`` (s), read in the given ``way``."""
    newest = _kept(streams, row, 0)
    # at the instant of the newest sample all ways give it as it is
    if way == HOLD or time == streams[row, 0] or not math.isfinite(streams[row, 1]):
        return newest
    if time < streams[row, 0]:
        # between the two samples around that time; before the oldest nothing is known
        k = 1
        while k + 1 < HISTORY and math.isfinite(streams[row, k + 1]) and time < streams[row, k]:
            k += 1
        share = (time - streams[row, k]) / (streams[row, k - 1] - streams[row, k])
        return along(_kept(streams, row, k), _kept(streams, row, k - 1), max(share, 0.0))
    if way == INTERPOLATE:
        return newest
    older, interval = _kept(streams, row, 1), streams[row, 0] - streams[row, 1]
    v = log(between(older, newest))
    if v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > (FASTEST * interval) ** 2:
        return newest
    share = 1.0 + CARRY * min((time - streams[row, 0]) / interval, LONGEST_CARRY)
    return times(older, exp((share * v[0], share * v[1], share * v[2])))


@kernel(counted=False)
def read_streams(
    streams: Array, time: float, way: int, alignment: Array, mounts: Array, segments: Array
) -> None:
    """Put the orientations of what the sensors sit on, at ``time``, into ``segments`` (n, 4).

    ``alignment`` (4,) turns the tracker's frame into the figure's, ``mounts`` (n, 4) a sensor's
    frame into that of what it sits on. A stream without samples gives NaN.
    """
    q_FT = (alignment[0], alignment[1], alignment[2], alignment[3])
    for row in range(len(streams)):
        if math.isnan(streams[row, 0]):
            for i in range(4):
                segments[row, i] = math.nan
            continue
        mount = (mounts[row, 0], mounts[row, 1], mounts[row, 2], mounts[row, 3])
        q = unit(times(times(q_FT, orientation_at(streams, row, time, way)), mount))
        for i in range(4):
            segments[row, i] = q[i]
