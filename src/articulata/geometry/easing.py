"""How a motion goes from one value to the next: the share of the way for the share of the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from articulata.geometry.arrays import Array

Share = TypeVar("Share", float, Array)


def minimum_jerk(s: Share) -> Share:
    """Return ``10 s^3 - 15 s^4 + 6 s^5`` for ``s`` from 0 to 1: at rest at both ends.

    The path of least squared jerk between two points (Flash and Hogan, The Coordination of Arm
    Movements, Journal of Neuroscience 5, 1985, equation 1).
    """
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def linear(s: float) -> float:
    """Return ``s``."""
    return s


EASINGS: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {"smooth": minimum_jerk, "linear": linear}
)
"""Ways from one value to the next by their names; ``flowing`` looks at more than two values."""
FLOWING = "flowing"


def flowing(times: Array, values: Array, interval: int, t: float) -> Array:
    """Return values (k,) at ``t`` (s) within ``times[interval : interval + 2]``, without a stop.

    The cubic Hermite curve through ``values`` (n, k) at ``times`` (n,), at rest at both ends and
    elsewhere with the slope between the neighbours (Catmull and Rom 1974, on uneven times).
    """
    t0, t1 = times[interval], times[interval + 1]
    h, s = t1 - t0, (t - t0) / (t1 - t0)
    slopes = []
    for k in (interval, interval + 1):
        inner = 0 < k < len(times) - 1
        span = times[k + 1] - times[k - 1] if inner else 1.0
        slopes.append((values[k + 1] - values[k - 1]) / span if inner else np.zeros_like(values[k]))
    before, after = values[interval], values[interval + 1]
    return np.asarray(
        (1.0 + 2.0 * s) * (1.0 - s) ** 2 * before
        + s * (1.0 - s) ** 2 * h * slopes[0]
        + s * s * (3.0 - 2.0 * s) * after
        + s * s * (s - 1.0) * h * slopes[1]
    )


def eased_times(keys: Array, at: Array) -> Array:
    """Return times ``at`` (m,) s eased to rest at both ends, so that all of ``keys`` (n,) s stay.

    Between the first two keys they begin at rest and come to their even course, without a step in
    acceleration; between the last two the other way round. With two keys alone it is minimum jerk.
    """
    begin, end = keys[0], keys[-1]
    if len(keys) == 2:
        share = np.clip((at - begin) / (end - begin), 0.0, 1.0)
        return np.asarray(begin + (end - begin) * minimum_jerk(share))
    first, last = keys[1] - begin, end - keys[-2]
    starting = begin + first * _started((at - begin) / first)
    ending = end - last * _started((end - at) / last)
    return np.where(at < keys[1], starting, np.where(at > keys[-2], ending, at))


def _started(share: Array) -> Array:
    """Return the quintic from rest at 0 to rate 1 at 1, without acceleration at both."""
    s = np.clip(share, 0.0, 1.0)
    return np.asarray(s**3 * (6.0 + s * (3.0 * s - 8.0)))
