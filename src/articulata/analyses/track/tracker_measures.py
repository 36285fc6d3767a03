"""A take by the five measures of a tracker.

What it resolves, how it responds, how robust it was, how it was registered, and how much room and
company it bore. Source of the measures: Meyer, Applewhite and Biocca, A Survey of Position
Trackers, Presence 1 (1992) 173-200, as taken up by Waldrop 1995.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation

RESOLUTION, RESPONSIVENESS, ROBUSTNESS, REGISTRATION, SOCIABILITY = (
    "resolution and accuracy",
    "responsiveness",
    "robustness",
    "registration",
    "sociability",
)

WINDOW = 0.3
"""Seconds; the calmest stretch of this length tells a sensor's noise, its slow turning left out."""

GAP = 0.25
"""Seconds without a sample of a station that count as a gap."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One number: of which ``measure``, ``what`` it is, and its ``unit``."""

    measure: str
    what: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """The samples of one station, n in the order in which they came.

    ``times`` and ``arrivals`` (n,) s, ``q`` (n, 4), ``p`` (n, 3) m or NaN, ``doubted`` how many
    the device doubted.
    """

    times: Array
    arrivals: Array
    q: Array
    p: Array
    doubted: int = 0


def measures(
    heard: Mapping[str, Heard],
    left: Array,
    tracked: Array,
    settings: Mapping[str, object],
    *,
    latency: tuple[float, float] | None = None,
    lost: int = 0,
    plausible: Sequence[float] = (),
) -> list[Measured]:
    """Return what a take shows of its tracker.

    ``heard`` are samples by "station role", ``left`` (frames, arms, 2) rad what was left at elbow
    and wrist, ``tracked`` (frames, arms) which arms were followed; ``settings`` those of the take's
    header, ``latency`` (s) half and 99 of 100, ``lost`` how often a device was in trouble,
    ``plausible`` whether it can be a person, 1 or 0, and by how much joints are beside one's, deg
    rms.
    """
    found = (
        *_resolution(heard, left),
        *_responsiveness(heard, latency),
        *_robustness(heard, tracked, lost),
        *_registration(settings, plausible),
        *_sociability(heard),
    )
    return [
        Measured(measure, what, float(value), unit)
        for measure, what, value, unit in found
        if math.isfinite(value)
    ]


_Row: TypeAlias = tuple[str, str, float, str]
"""As ``Measured``; what is no number is left out."""


def _resolution(heard: Mapping[str, Heard], left: Array) -> Iterator[_Row]:
    for name, each in heard.items():
        yield RESOLUTION, f"noise of {name}, calmest {WINDOW:g} s", _noise(each), "deg rms"
    for k, part in enumerate(("elbow", "wrist")):
        values = left[..., k][np.isfinite(left[..., k])]
        if values.size:
            rms = float(np.degrees(np.sqrt(np.mean(values**2))))
            yield RESOLUTION, f"left over at the {part}", rms, "deg rms"


def _responsiveness(
    heard: Mapping[str, Heard], latency: tuple[float, float] | None
) -> Iterator[_Row]:
    spans = [each.arrivals[-1] - each.arrivals[0] for each in heard.values() if len(each.times) > 1]
    span = max(spans, default=math.nan)
    for name, each in heard.items():
        if len(each.times) > 1 and each.arrivals[-1] > each.arrivals[0]:
            rate = (len(each.times) - 1) / (each.arrivals[-1] - each.arrivals[0])
            yield RESPONSIVENESS, f"samples of {name}", rate, "1/s"
    total = sum(len(each.times) for each in heard.values())
    if span and math.isfinite(span):
        yield RESPONSIVENESS, "samples of all stations", total / span, "1/s"
    if latency is not None:
        yield RESPONSIVENESS, "last byte to picture, half below", 1e3 * latency[0], "ms"
        yield RESPONSIVENESS, "last byte to picture, 99 of 100 below", 1e3 * latency[1], "ms"


def _robustness(heard: Mapping[str, Heard], tracked: Array, lost: int) -> Iterator[_Row]:
    ends = [each.arrivals[k] for each in heard.values() for k in (0, -1)]
    for name, each in heard.items():
        # who begins late, or ends early, was silent as well
        gaps = np.diff(each.arrivals, prepend=min(ends), append=max(ends))
        yield ROBUSTNESS, f"gaps of {name}", float(np.sum(gaps > GAP)), ""
        yield ROBUSTNESS, f"longest silence of {name}", float(np.max(gaps, initial=0.0)), "s"
        if each.doubted:
            yield ROBUSTNESS, f"samples of {name} that the device doubts", each.doubted, ""
    yield ROBUSTNESS, "troubles of devices", lost, ""
    if tracked.size:
        yield ROBUSTNESS, "arms followed", 100.0 * float(np.mean(tracked > 0.0)), "% of the time"


def _registration(settings: Mapping[str, object], plausible: Sequence[float]) -> Iterator[_Row]:
    for key, what in (
        ("unrest", "unrest while calibrated"),
        ("doubt", "mounts of two postures apart"),
    ):
        value = settings.get(key)
        if isinstance(value, float | int):
            yield REGISTRATION, what, math.degrees(value), "deg"
    if plausible:
        yield REGISTRATION, "can be a person's posture (1) or not (0)", plausible[0], ""
        yield REGISTRATION, "joints beside a person's", plausible[1], "deg rms"


def _sociability(heard: Mapping[str, Heard]) -> Iterator[_Row]:
    places = np.concatenate([each.p for each in heard.values()]) if heard else np.zeros((0, 3))
    places = places[np.isfinite(places[:, 0])]
    yield SOCIABILITY, "stations", len(heard), ""
    if len(places):
        far = np.linalg.norm(places, axis=1)
        yield SOCIABILITY, "farthest from the transmitter", float(far.max()), "m"
        for axis, extent in zip("xyz", np.ptp(places, axis=0), strict=True):
            yield SOCIABILITY, f"room that was used along {axis}", float(extent), "m"


def _noise(heard: Heard) -> float:
    """Return degrees rms about a steady turn, in the calmest stretch; NaN without one."""
    best = math.inf
    for start in np.arange(float(heard.times[0]), float(heard.times[-1]), 0.5 * WINDOW):
        first, last = np.searchsorted(heard.times, (start, start + WINDOW))
        t = heard.times[first:last] - start
        if len(t) < 5 or t[-1] - t[0] < 0.5 * WINDOW:
            continue
        R = Rotation.from_quaternion(heard.q[first:last])
        turns = (Rotation.from_quaternion(heard.q[first]).inverse() @ R).log()
        basis = np.stack([np.ones_like(t), t], axis=1)
        off = turns - basis @ np.linalg.lstsq(basis, turns, rcond=None)[0]
        best = min(best, float(np.sum(off**2) / (len(t) - 2)))
    return float(np.degrees(np.sqrt(best))) if math.isfinite(best) else math.nan
