"""What a session of tracking is asked for, what it leaves, and who takes part in it."""

from __future__ import annotations

import gc
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.tracker import Reading
from articulata.geometry.arrays import Array
from articulata.geometry.smoothing import OneEuro
from articulata.records.samples import Sample

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


class Wish(NamedTuple):
    """What a user wishes, by its name."""

    name: str
    value: object = None


Mail = Wish | Sequence[Sample]


class Inbox:
    """A queue that any thread may put into; those who take from it agree among themselves.

    A thread that waits is woken by wishes, and by samples where it waits for these as well:
    samples that are taken out by who brought them wake nobody.
    """

    def __init__(self) -> None:
        self._mail: deque[Mail] = deque()
        self._wakings: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._samples_wake = False

    def put(self, what: Mail) -> None:
        """Leave a wish, or samples that arrived together."""
        self._mail.append(what)
        if self._samples_wake or isinstance(what, Wish):
            self._wakings.put(None)

    @property
    def first(self) -> Mail | None:
        """What came first of all that waits."""
        try:
            return self._mail[0]
        except IndexError:
            return None

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._mail

    def take(self) -> Mail:
        """Return what came first, no samples where nothing waits."""
        return self._mail.popleft() if self._mail else []

    def wait(self, timeout: float, *, samples: bool = False) -> None:
        """Wait up to ``timeout`` s for a wish, or for ``samples`` as well."""
        self._samples_wake = samples
        first = self.first
        if first is None or not (samples or isinstance(first, Wish)):
            try:
                self._wakings.get(timeout=timeout)
            except queue.Empty:
                return


SWITCHING = 2e-4
"""Seconds for which a thread may keep others from running: with Python's usual 5 ms a picture waits
for whatever else is computed."""


@contextmanager
def prompt() -> Iterator[None]:
    """Let threads change sooner, and look for garbage only where that is asked for.

    Elsewhere it held up pictures: by 0.2 s among all there is, by 1 ms among what is new.
    """
    interval, looking = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(SWITCHING)
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if looking:
            gc.enable()
        sys.setswitchinterval(interval)


@contextmanager
def ended_by_signals(ending: Callable[[], bool]) -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a session as Ctrl-C does, so that its takes are whole.

    What comes after one of them, or while it is ``ending``, is left out: takes, measures and
    provenance are being written.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # which signals do not reach
        return
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        if not (ended or ending()):
            ended = True
            raise KeyboardInterrupt

    kinds = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    before = {kind: signal.signal(kind, end) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
