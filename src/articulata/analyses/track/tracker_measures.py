"""A take by the five measures of a tracker.

What it resolves, how it responds, how robust it was, how it was registered, and how much room and
company it bore. Source of the measures: Meyer, Applewhite and Biocca, A Survey of Position
Trackers, Presence 1 (1992) 173-200, as taken up by Waldrop 1995.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    found: list[Measured] = []

    def tell(measure: str, what: str, value: float, unit: str) -> None:
        if math.isfinite(value):
            found.append(Measured(measure, what, float(value), unit))

    for name, each in heard.items():
        tell(RESOLUTION, f"noise of {name}, calmest {WINDOW:g} s", _noise(each), "deg rms")
    for k, part in enumerate(("elbow", "wrist")):
        values = left[..., k][np.isfinite(left[..., k])]
        if values.size:
            rms = float(np.degrees(np.sqrt(np.mean(values**2))))
            tell(RESOLUTION, f"left over at the {part}", rms, "deg rms")
    spans = [each.arrivals[-1] - each.arrivals[0] for each in heard.values() if len(each.times) > 1]
    span = max(spans, default=math.nan)
    for name, each in heard.items():
        if len(each.times) > 1 and each.arrivals[-1] > each.arrivals[0]:
            rate = (len(each.times) - 1) / (each.arrivals[-1] - each.arrivals[0])
            tell(RESPONSIVENESS, f"samples of {name}", rate, "1/s")
    total = sum(len(each.times) for each in heard.values())
    if span and math.isfinite(span):
        tell(RESPONSIVENESS, "samples of all stations", total / span, "1/s")
    if latency is not None:
        tell(RESPONSIVENESS, "last byte to picture, half below", 1e3 * latency[0], "ms")
        tell(RESPONSIVENESS, "last byte to picture, 99 of 100 below", 1e3 * latency[1], "ms")
    ends = [each.arrivals[k] for each in heard.values() for k in (0, -1)]
    for name, each in heard.items():
        # who begins late, or ends early, was silent as well
        gaps = np.diff(each.arrivals, prepend=min(ends), append=max(ends))
        tell(ROBUSTNESS, f"gaps of {name}", float(np.sum(gaps > GAP)), "")
        tell(ROBUSTNESS, f"longest silence of {name}", float(np.max(gaps, initial=0.0)), "s")
        if each.doubted:
            tell(ROBUSTNESS, f"samples of {name} that the device doubts", float(each.doubted), "")
    tell(ROBUSTNESS, "troubles of devices", float(lost), "")
    if tracked.size:
        tell(ROBUSTNESS, "arms followed", 100.0 * float(np.mean(tracked > 0.0)), "% of the time")
    for key, what in (
        ("unrest", "unrest while calibrated"),
        ("doubt", "mounts of two postures apart"),
    ):
        value = settings.get(key)
        if isinstance(value, float | int):
            tell(REGISTRATION, what, math.degrees(value), "deg")
    if plausible:
        tell(REGISTRATION, "can be a person's posture (1) or not (0)", plausible[0], "")
        tell(REGISTRATION, "joints beside a person's", plausible[1], "deg rms")
    places = np.concatenate([each.p for each in heard.values()]) if heard else np.zeros((0, 3))
    places = places[np.isfinite(places[:, 0])]
    tell(SOCIABILITY, "stations", float(len(heard)), "")
    if len(places):
        far = np.linalg.norm(places, axis=1)
        tell(SOCIABILITY, "farthest from the transmitter", float(far.max()), "m")
        for axis, extent in zip("xyz", np.ptp(places, axis=0), strict=True):
            tell(SOCIABILITY, f"room that was used along {axis}", float(extent), "m")
    return found


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
