"""What a session of tracking is asked for, what it leaves, and who takes part in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.tracker import Reading
from articulata.geometry.arrays import Array
from articulata.geometry.smoothing import OneEuro

HOLDING = 1.5
"""Seconds for which a posture is held to calibrate by."""

READY = 3.0
"""Seconds to take up a posture before it counts. Shorter, people are still moving."""

READINGS: Mapping[str, Reading] = {
    "live": "extrapolate",
    "smooth": "interpolate",
    "held": "hold",
}
"""How sensors of different times are read at one, by the words of the command."""

SWING = "swing"
"""In place of a second posture: both arms swing."""

SWINGING = 4.0
"""Seconds of swinging: three swings."""

DRIFT = "drift"
"""The setting of a take whose headings were corrected."""

BONES = "bones"
"""The setting of somebody in a take who is told by bones of an avatar."""

PER_PERSON = 100
"""How many stations of one person are numbered before those of the next."""

LONGEST = 3
"""Digits of a station's number; what has more of them is a sensor's name."""

COUNTDOWN, TAP = "countdown", "tap"
"""What a calibration starts by: a countdown, or one after a tap on a sensor."""

TONE = "\a"
"""What a terminal sounds a tone for: a wearer stands away from the screen."""

POSTURES: Mapping[str, str] = {
    "n_pose": "arms hanging, thumbs forward",
    "t_pose": "arms out to the sides, palms down",
    "swing": "swing both arms forward to the height of the shoulders and back",
}
"""What to hold, in words."""


class Listener(Protocol):
    """Who is told how a session goes."""

    def say(self, text: str) -> None:
        """Something worth a line."""
        ...


class Puppet(Protocol):
    """A wearer who can be told what to do: an emulated one."""

    def hold(self, q: Array) -> None:
        """Take a posture."""
        ...

    def perform(self, motion: Callable[[float], Array] | None = None) -> None:
        """Go on, with something else where a motion is given."""
        ...

    def tap(self) -> None:
        """Tap a sensor."""
        ...


@dataclass(frozen=True, slots=True)
class TrackWish:
    """What to track and how.

    ``stations`` says what each sensor sits on,
    ``calibrate`` which postures are held, one after the other; none needs a ``calibration``.
    ``later`` are calibrations that take its place so many seconds after the first sample.
    ``start`` is COUNTDOWN or TAP.
    ``reading`` is "live", "smooth" or "held". So many ``seconds`` are tracked, None leaves the end
    to the user; ``until_silent`` ends it when no device has anything more to give. ``body`` is
    what the rest of the body does, "" for nothing; ``weapon`` how one is carried, "" for none,
    ``released`` the sides of hands that let it go;
    ``scripts`` is the text that changed motions are written to; ``drift`` says that headings drift
    and are corrected by elbows and wrists; ``bones`` that an avatar's bones are told, whose hands
    turn as their forearms do.
    """

    stations: Mapping[int, str] | None = None
    calibrate: tuple[str, ...] = ("n_pose", "t_pose")
    start: str = COUNTDOWN
    calibration: Calibration | None = None
    later: tuple[tuple[float, Calibration], ...] = ()
    filter: OneEuro | None = OneEuro()  # noqa: RUF009 - a frozen value
    reading: str = "live"
    out: Path = Path("out/track")
    seconds: float | None = None
    until_silent: bool = False
    body: str = ""
    weapon: str = ""
    released: str = ""
    scripts: Path | None = None
    drift: bool = False
    bones: bool = False
    ready: float = READY
    holding: float = HOLDING
    headless: bool = False
    port: int | None = None


@dataclass(frozen=True, slots=True)
class TrackResult:
    """What a session left: its takes, how many samples and postures, each person's calibration."""

    takes: tuple[Path, ...]
    samples: int
    postures: int
    calibrations: tuple[Calibration | None, ...]

    @property
    def calibration(self) -> Calibration | None:
        """The calibration of the first, or only, person."""
        return self.calibrations[0]
