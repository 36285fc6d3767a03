"""Rotations one at a time, as quaternions (w, x, y, z) of plain numbers, for compiled loops.

The formulas are those of ``geometry.quaternion``, which works on arrays and is the oracle. Here
are besides what a stream of rotations needs: a filter and what lies between or beyond samples.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.space_vectors import Vector

Quaternion: TypeAlias = tuple[float, float, float, float]

SMALL = 1e-8
"""Turns below this (rad) take the first terms of the series; the rest is below rounding."""


RATED = 0.01
"""Seconds between two samples for which the cut-off of the rate is meant."""


@kernel(counted=False)
def times(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the rotation ``a`` after ``b``."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel(counted=False)
def between(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return ``a^-1 b``, the way from ``a`` to ``b`` seen in the axes of ``a``."""
    return times((a[0], -a[1], -a[2], -a[3]), b)


@kernel(counted=False)
def unit(q: Quaternion) -> Quaternion:
    """Return ``q / |q|``."""
    s = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * s, q[1] * s, q[2] * s, q[3] * s)


@kernel(counted=False)
def exp(v: Vector) -> Quaternion:
    """Return the turn about ``v`` by ``|v|`` rad."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    s = 0.5 - angle * angle / 48.0 if angle < SMALL else math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), s * v[0], s * v[1], s * v[2])


@kernel(counted=False)
def log(q: Quaternion) -> Vector:
    """Return the rotation vector of the shorter way, ``|v|`` up to pi rad."""
    length = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    sign = -1.0 if q[0] < 0.0 else 1.0
    s = 2.0 * sign
    if length > SMALL:
        s = 2.0 * sign * math.atan2(length, sign * q[0]) / length
    return (s * q[1], s * q[2], s * q[3])


@kernel(counted=False)
def along(a: Quaternion, b: Quaternion, share: float) -> Quaternion:
    """Return the rotation a ``share`` of the short way from ``a`` to ``b``; beyond 1 it goes on."""
    v = log(between(a, b))
    return times(a, exp((share * v[0], share * v[1], share * v[2])))


@kernel(counted=False)
def one_euro(
    before: Quaternion,
    rate: Vector,
    measured: Quaternion,
    dt: float,
    cutoff: float,
    beta: float,
    rate_cutoff: float,
) -> tuple[Quaternion, Vector]:
    """Return the filtered rotation and rate (rad/s) after ``dt`` s.

    A low pass on the rotation group whose cut-off (Hz) is ``cutoff`` + ``beta`` |rate|; the rate
    itself is filtered at ``rate_cutoff`` Hz, at more where samples are rarer than 100 a second.
    Casiez, Roussel and Vogel, 1 euro filter, CHI 2012.
    """
    way = log(between(before, measured))
    # the longer the interval, the less noise has the rate, and the less it needs to be filtered
    opened = rate_cutoff * max(1.0, dt / RATED)
    gain = dt / (dt + 1.0 / (2.0 * math.pi * opened))
    rate = (
        rate[0] + gain * (way[0] / dt - rate[0]),
        rate[1] + gain * (way[1] / dt - rate[1]),
        rate[2] + gain * (way[2] / dt - rate[2]),
    )
    speed = math.sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2])
    gain = dt / (dt + 1.0 / (2.0 * math.pi * (cutoff + beta * speed)))
    turned = times(before, exp((gain * way[0], gain * way[1], gain * way[2])))
    return unit(turned), rate


@kernel(counted=False)
def filter_all(when: Array, measured: Array, smoothing: Array, out: Array) -> None:
    """Filter ``measured`` (n, 4) of times ``when`` (n,) s into ``out``.

    ``smoothing`` (4,): cut-off, beta, the rate's cut-off, and the silence (s) that ends a stream.
    """
    q = (1.0, 0.0, 0.0, 0.0)
    rate = (0.0, 0.0, 0.0)
    for k in range(len(when)):
        new = unit((measured[k, 0], measured[k, 1], measured[k, 2], measured[k, 3]))
        dt = when[k] - when[k - 1] if k else math.inf
        if dt < smoothing[3] and math.isfinite(smoothing[0]):
            q, rate = one_euro(q, rate, new, dt, smoothing[0], smoothing[1], smoothing[2])
        else:
            q, rate = new, (0.0, 0.0, 0.0)
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = q
