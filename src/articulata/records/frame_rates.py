"""Frames per second as exact fractions, and how they are recognized in the times of a file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, IntArray

NTSC: Final = tuple(Fraction(1000 * n, 1001) for n in (24, 30, 48, 60, 120))
"""23.976, 29.97, 47.952, 59.94 and 119.88 frames/s (SMPTE ST 12-1)."""

WHOLE: Final = (12, 15, 24, 25, 30, 48, 50, 60, 72, 75, 90, 100, 120, 144, 150, 180, 200, 240,
                250, 300, 360, 480, 500, 600, 1000)  # fmt: skip
"""Whole rates that cameras and systems of motion capture have."""

SLOWEST: Final = 12
"""frames/s: rows that follow each other more slowly are key frames unless they are even."""

NOISE: Final = 2e-5
"""s by which times differ from even ones without a meaning."""

SINGLE: Final = float(np.finfo(np.float32).eps)
"""The share by which times in single precision differ from those meant."""

_FEW: Final = 6
"""Rows, fewer of which say nothing about a rate that is not usual or about frames left out."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameTimes:
    """Times that are frames at ``rate``: row k of a file is the frame ``numbers[k]`` (n,) from 0.

    Where frames were left out the numbers have gaps.
    """

    rate: Fraction
    numbers: IntArray


def frame_rate(rate: float | Fraction) -> Fraction:
    """Return frames per second as a fraction; 23.976, 29.97 and 59.94 are n * 1000 / 1001.

    A fraction stays as it is. Raise RecordingError for what is no rate.
    """
    if isinstance(rate, Fraction) and rate > 0:
        return rate
    whole = Fraction(rate).limit_denominator(1001) if math.isfinite(rate) else Fraction(0)
    for exact in NTSC:
        if abs(float(rate) - exact) < 6e-3 and rate != round(exact):
            return exact
    if not whole > 0:
        raise RecordingError(f"a frame rate is more than 0 frames/s, not {rate}")
    return whole


def frame_times(times: Array, wish: float) -> FrameTimes | None:
    """Return which frames rising ``times`` (n,) s are, two or more; None for those of key frames.

    The times may be rounded or cut off: as many decimals as the one of them with the most has.
    Of several rates within that the usual one is taken, ``wish`` (frames/s) before others. Raise
    RecordingError where times are even but for their rounding and no rate can be told.
    """
    t = times - times[0]
    last = _last_decimal(times)
    step = float(t[-1]) / (len(t) - 1)
    fit = 1.0 / step
    even = np.arange(len(t))
    noise = max(NOISE, 2.0 * SINGLE * float(np.abs(times).max()))
    exact = _spread(t, even, fit) <= noise
    # the share of random times that would seem even by chance
    chance = min(last / step, 1.0) ** (len(t) - 2)
    allowed = max(min(last * (1.0 + 1e-6), 0.5 * step if len(t) < _FEW else step), noise)
    found: list[tuple[bool, bool, int, float, Fraction]] = []
    for rank, rate in _rates(fit, wish, measured=exact or last <= 1e-3 * step):
        off = _spread(t, even, float(rate))
        if rate < SLOWEST:
            fits = off <= noise  # key frames hold at their times
        else:
            fits = off <= allowed and (exact or chance <= (0.3 if rank < 3 else 1e-3))
        if fits:
            # two times are even whatever they are
            found.append((rank == 5, off > noise and len(t) > 2, rank, off, rate))
    if found:
        return FrameTimes(min(found)[-1], even)
    left_out = _with_gaps(t, max(last, noise), wish)
    if left_out is not None:
        return left_out
    if _spread(t, even, fit) <= 2.0 * last and chance <= 1e-3 and fit >= SLOWEST:
        raise RecordingError(
            f"the times are even but for their rounding to {last:g} s, at about {fit:.4g} frames/s,"
            f" which is no usual rate; say the rate, such as frames: {fit:.4g}, or write times with"
            " more decimals"
        )
    return None


def _rates(fit: float, wish: float, *, measured: bool) -> Iterator[tuple[int, Fraction]]:
    """Yield rates near ``fit``, each with its rank: the lower comes first."""
    yield 0, frame_rate(wish)
    for whole in WHOLE:
        yield 1, Fraction(whole)
    for exact in NTSC:
        yield 2, exact
    for part in (1, 2):
        if round(part * fit) > 0:
            yield 2 + part, Fraction(round(part * fit), part)
    if measured and (near := Fraction(fit).limit_denominator(100_000)) > 0:
        yield 5, near


def _with_gaps(t: Array, last: float, wish: float) -> FrameTimes | None:
    """Return frames of a usual rate of which some were left out; None where these are none."""
    if len(t) < _FEW:
        return None
    usual = float(np.median(np.diff(t)))
    for rank, rate in _rates(1.0 / usual, wish, measured=False):
        numbers = np.round(t * float(rate)).astype(np.int64)
        if rank > 2 or rate < SLOWEST or last * rate > 0.3:
            continue
        single = np.mean(np.diff(numbers) == 1)
        if single >= 0.5 and _spread(t, numbers, float(rate)) <= last * (1.0 + 1e-6):
            return FrameTimes(rate, numbers)
    return None


def _spread(t: Array, numbers: IntArray, rate: float) -> float:
    """Return between what (s) ``t`` differs from ``numbers`` (n,) of frames at ``rate``."""
    return float(np.ptp(t - numbers / rate))


def _last_decimal(times: Array) -> float:
    """Return the worth (s) of the last decimal that any of ``times`` has, in powers of ten."""
    exponents = [Decimal(repr(each)).as_tuple().exponent for each in times.tolist()]
    return 10.0 ** min(each for each in exponents if isinstance(each, int))
