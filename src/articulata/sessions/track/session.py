"""A session: devices, calibration, tracking, picture and takes, from the first byte to the last.

Each device is read by a thread of its own; what it brings is put into one queue. One thread takes
it out, steps the tracker, records and shows. What a user wishes comes the same way.
"""

from __future__ import annotations

import gc
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, TypeAlias

from articulata.analyses.track.body import TrackedBody, tracked_body
from articulata.analyses.track.calibration import (
    Calibration,
    Held,
    calibrate,
    heading_by_swing,
    held,
    swung,
)
from articulata.analyses.track.carrying import Carrying
from articulata.analyses.track.health import Watch
from articulata.analyses.track.mixups import mixed_up
from articulata.analyses.track.signals import Watching, signals, watch
from articulata.analyses.track.tracker import Tracker, TrackState, apart
from articulata.devices.device import Device
from articulata.errors import ArticulataError
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS, Recognised, TrackedPosture
from articulata.report.viewer.following import TrackViewer
from articulata.report.viewer.panels.track import TrackNews
from articulata.sessions.track.emulation import swinging
from articulata.sessions.track.figures import Follower
from articulata.sessions.track.performing import (
    SIGNAL,
    carried,
    motions_of_signals,
    one_after_another,
)
from articulata.sessions.track.takes import LATENCY, Takes
from articulata.sessions.track.wish import (
    POSTURES,
    READINGS,
    SWING,
    SWINGING,
    TONE,
    Listener,
    Puppet,
    TrackResult,
    TrackWish,
)

NEWS_PERIOD = 0.15
"""Seconds between two looks at how sensors fare."""

BEHIND = 0.04
"""Seconds between two pictures while samples are waiting to be recorded."""

PAUSE = 0.002
"""Seconds without a sample after which those that were shown are recorded. A picture needs the
interpreter for as long as it takes to leave; longer, records pile up between two samples."""

WAITING = 64
"""Postures that wait to be recorded at most."""

SWITCHING = 2e-4
"""Seconds for which a thread may keep others from running: with Python's usual 5 ms a picture waits
for whatever else is computed."""

HEARD_FIRST = 5.0
"""Seconds that all stations together may take to be heard before somebody is told."""

Mail: TypeAlias = tuple[str, object]


class TrackSession:
    """One person who is tracked; ``run`` returns when the session ends."""

    def __init__(
        self,
        wish: TrackWish,
        follower: Follower,
        devices: Sequence[Device],
        listener: Listener,
        *,
        puppet: Puppet | None = None,
        viewer: Callable[..., Any] = TrackViewer,
    ) -> None:
        if wish.reading not in READINGS:
            raise ArticulataError(f"--reading is {', '.join(READINGS)}, not {wish.reading!r}")
        self.wish = wish
        self.body: TrackedBody = tracked_body(follower.figure)
        known = self.body.orientations(self.body.rest)
        stations = STATIONS if wish.stations is None else wish.stations
        self.stations = {s: role for s, role in stations.items() if role in known}
        self.takes = Takes(wish.out, follower, self.body, self.stations)
        self.calibration = wish.calibration
        self.samples = self.postures = 0
        self.latest: TrackedPosture | None = None
        self.viewer: Any = None
        self._make_viewer = viewer
        self._devices = list(devices)
        self._listener = listener
        self._puppet = puppet
        self._mail: queue.SimpleQueue[Mail] = queue.SimpleQueue()
        self._watch = Watch(self.stations)
        self._closing = threading.Event()
        self._tracker: Tracker | None = None
        self._state: TrackState | None = None
        self._reading = wish.reading
        self._notice = ""
        self._troubles: dict[str, str] = {}
        motions = motions_of_signals(follower)
        self._signals = signals(self.body, motions) if motions else None
        self._watching = Watching()
        self.recognised: list[Recognised] = []
        self._guess: Recognised | None = None
        self._follower = follower
        self._carrying: Carrying = carried(follower, self.body)
        self._strangers: set[int] = set()
        self._told = self._drawn = 0.0
        self._waiting: list[tuple[list[Sample], TrackedPosture]] = []

    # ---- what others may ask for

    def ask(self, name: str, value: object = None) -> None:
        """Leave a wish: "calibrate", "heading", "reading" (a word), "body", "take", ..."""
        self._mail.put((name, value))

    # ---- the session

    def run(self) -> TrackResult:
        """Track until the session ends."""
        self._get_ready()
        if self.wish.body:
            self._carrying = self._carrying.begin(self.wish.body, time.monotonic())
        with ExitStack() as open_things:
            open_things.callback(sys.setswitchinterval, sys.getswitchinterval())
            sys.setswitchinterval(SWITCHING)
            for device in self._devices:
                device.open()
                open_things.callback(device.close)
            if not self.wish.headless:
                self.viewer = open_things.enter_context(
                    self._make_viewer(
                        self.body.figure,
                        self.body.rest,
                        self.ask,
                        reading=self.wish.reading,
                        motions=() if self._puppet is None else self._motions(),
                        bodies=self._carrying.offered,
                        body=self.wish.body,
                        port=self.wish.port,
                    )
                )
                self._listener.say(f"open {self.viewer.address} (Ctrl-C ends it)")
            threads = [
                threading.Thread(target=self._read, args=(device,), name=device.name, daemon=True)
                for device in self._devices
            ]
            for thread in threads:
                thread.start()
            open_things.enter_context(_swept())
            try:
                self._run()
            except KeyboardInterrupt:
                pass
            finally:
                self._closing.set()
                for thread in threads:
                    thread.join(timeout=2.0)
                self._end_take()
        return TrackResult(tuple(self.takes.files), self.samples, self.postures, self.calibration)

    def _motions(self) -> tuple[str, ...]:
        """Return the motions that an emulated wearer can be asked for, signals first."""
        known = self._follower.world.figures[self._follower.who].motions
        return tuple(sorted(known, key=lambda name: (not name.startswith(SIGNAL), name)))

    def _get_ready(self) -> None:
        """Make one posture of nothing: what has to be compiled is compiled before anybody moves."""
        still = Calibration(Rotation.identity(), dict.fromkeys(self.stations, Rotation.identity()))
        tracker = Tracker(self.body, self.stations, still)
        tracker.step(tracker.start(), [])

    def _run(self) -> None:
        if self.calibration is None:
            self._calibrate()
        else:
            self._begin(self.calibration)
        begun = time.monotonic()
        if self._puppet is not None:
            self._puppet.perform()
        while not self._closing.is_set():
            if self.wish.seconds is not None and time.monotonic() - begun > self.wish.seconds:
                return
            if self._over() and self._mail.empty():
                return
            if not self._one(0.1):
                return

    def _over(self) -> bool:
        if not self.wish.until_silent:
            return False
        return all(getattr(device, "ended", False) for device in self._devices)

    def _read(self, device: Device) -> None:
        """Put what a device brings into the queue, whatever happens to the device."""
        while not self._closing.is_set():
            samples = device.read(0.2)
            if samples:
                self._mail.put(("samples", samples))

    def _one(self, timeout: float) -> bool:
        """Take one piece of mail; return False where the session is to end."""
        try:
            name, value = self._mail.get(timeout=PAUSE if self._waiting else timeout)
        except queue.Empty:
            self._note()
            self._tell(time.monotonic())
            return True
        if name == "samples":
            self._take(value)  # type: ignore[arg-type] # put by _read
            if len(self._waiting) < WAITING:
                return True
            self._note()
        elif name == "end":
            return False
        else:
            self._note()
            self._grant(name, value)
        self._tell(time.monotonic())
        return True

    def _take(self, samples: list[Sample]) -> None:
        self._watch.take(samples)
        self.samples += len(samples)
        if self._tracker is None or self._state is None:
            return
        for part in apart(samples):
            self._state, posture = self._tracker.step(self._state, part)
            posture = self._carrying.under(posture)
            self.latest = posture
            self.postures += 1
            if self.viewer is not None and self._in_time():
                self.viewer.follow(posture, part[-1].arrival)
            self._waiting.append((part, posture))

    def _note(self) -> None:
        """Record what was shown, and look for signals in it."""
        waiting, self._waiting = self._waiting, []
        for part, posture in waiting:
            self.takes.add(part, posture)
            self._recognise(posture)

    def _in_time(self) -> bool:
        """Return whether a picture is due: at once, or now and then where samples are waiting.

        A machine that is too slow to draw every posture records all of them, and catches up.
        """
        now = time.monotonic()
        if not self._mail.empty() and now - self._drawn < BEHIND:
            return False
        self._drawn = now
        return True

    def _recognise(self, posture: TrackedPosture) -> None:
        """Look for signals that are shown; note those that have ended."""
        if self._signals is None or not any(posture.tracked):
            return
        self._watching, seen = watch(self._signals, self._watching, posture.q, posture.time)
        if seen is None:
            return
        self._guess = seen
        if seen.ended and seen.name:
            self.recognised.append(seen)
            words = seen.name.replace("_", " ")
            story = f"signal {words}, {100.0 * seen.confidence:.0f} % sure"
            self._listener.say(story)
            self.takes.tell("signal", story)

    def _grant(self, name: str, value: object) -> None:
        if name == "calibrate":
            self._calibrate()
            if self._puppet is not None:
                self._puppet.perform()
        elif name == "take" and self.calibration is not None:
            self._end_take()
            path = self.takes.begin(self._settings())
            self._listener.say(f"take {path}")
        elif name == "mark":
            self.takes.mark()
        elif name == "reading" and str(value) in READINGS:
            self._reading = str(value)
            self._read_by()
        elif name == "heading":
            self._reset_heading()
        elif name == "body":
            self._carrying = self._carrying.begin(str(value), time.monotonic())
        elif name == "perform" and self._puppet is not None:
            self._puppet.perform(one_after_another(self._follower, (str(value),)))

    # ---- calibration

    def _calibrate(self) -> None:
        """Let the wearer hold the postures that are wished for, and begin a take."""
        self._tracker = None
        while not self._closing.is_set():
            self._wait_for_all()
            postures: list[Held] = []
            swing: list[Sample] = []
            for name in self.wish.calibrate:
                if name == SWING:
                    swing = self._swinging()
                else:
                    postures.append(self._held(name))
            if self._closing.is_set():
                return
            try:
                found = self._found(postures, swing)
            except ArticulataError as error:
                self._notice = "Not calibrated; once more"
                self._listener.say(str(error))
                continue
            self._notice = ""
            self._begin(found)
            return

    def _found(self, postures: list[Held], swing: list[Sample]) -> Calibration:
        """Return the calibration of what was held; raise ArticulataError where it cannot be."""
        heading = None
        if swing and postures:
            turns = swung(swing, postures[0])
            heading = heading_by_swing(self.body, self.stations, turns)
        found = calibrate(self.body, self.stations, postures, heading=heading)
        doubt = mixed_up(self.body, self.stations, postures)
        if doubt:
            raise ArticulataError(doubt)
        return found

    def _wait_for_all(self) -> None:
        """Wait until every station is heard; say which is not."""
        begun, told = time.monotonic(), False
        while not self._closing.is_set():
            now = time.monotonic()
            silent = [h for h in self._watch.health(now) if h.rate == 0.0]
            if not silent:
                self._notice = ""
                return
            if now - begun > HEARD_FIRST and not told:
                names = ", ".join(f"{h.station} ({h.role})" for h in silent)
                self._listener.say(f"waiting for sensors that are not heard: {names}")
                told = True
            self._notice = "Waiting for sensors"
            if not self._passes(0.05):
                self._closing.set()

    def _held(self, name: str) -> Held:
        """Count down to a posture and collect what sensors say while it is held."""
        q = self.body.posture(name)
        words = POSTURES.get(name, name)
        if self._puppet is not None:
            self._puppet.hold(q)
        self._count_down(f"hold {name.replace('_', '-')}", words)
        self._notice = f"{words}: hold still"
        return held(q, self._collected(self.wish.holding))

    def _swinging(self) -> list[Sample]:
        """Count down to a swing of both arms and collect what sensors say meanwhile."""
        words = POSTURES[SWING]
        self._count_down("swing", words)
        if self._puppet is not None:
            self._puppet.perform(swinging(self.body))
        self._notice = words
        return self._collected(SWINGING)

    def _count_down(self, what: str, words: str) -> None:
        """Say what is to be done and in how many seconds, with a tone in each."""
        end = time.monotonic() + self.wish.ready
        said = 0
        while (left := end - time.monotonic()) > 0.0 and not self._closing.is_set():
            if int(left) + 1 != said:
                said = int(left) + 1
                self._notice = f"{words}: {said}"
                self._listener.say(f"{TONE}{what} ({words}) in {said} s")
            if not self._passes(0.05):
                self._closing.set()

    def _collected(self, seconds: float) -> list[Sample]:
        """Return what sensors say in the next ``seconds``."""
        collected: list[Sample] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._closing.is_set():
            if not self._passes(0.05, collected):
                self._closing.set()
        self._listener.say(f"{TONE}done")
        return collected

    def _passes(self, timeout: float, collected: list[Sample] | None = None) -> bool:
        """Take mail while no posture is made; return False where the session is to end."""
        try:
            name, value = self._mail.get(timeout=timeout)
        except queue.Empty:
            self._tell(time.monotonic())
            return True
        if name == "samples":
            self._watch.take(value)  # type: ignore[arg-type] # put by _read
            self.samples += len(value)  # type: ignore[arg-type] # the same
            if collected is not None:
                collected += value  # type: ignore[arg-type] # the same
        self._tell(time.monotonic())
        return name != "end"

    def _begin(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._tracker = Tracker(
            self.body, self.stations, calibration, self.wish.filter, READINGS[self._reading]
        )
        self._read_by()
        self._state = self._tracker.start()
        path = self.takes.begin(self._settings())
        self._listener.say(f"take {path}")

    def _read_by(self) -> None:
        """Read sensors as is wished; smooth reading waits for one round of the slowest sensor."""
        if self._tracker is None:
            return
        delay = 0.0
        if self._reading == "smooth":
            rates = [h.rate for h in self._watch.health(time.monotonic()) if h.rate > 0.0]
            delay = 1.0 / min(rates) if rates else 0.0
        self._tracker = replace(self._tracker, reading=READINGS[self._reading], delay=delay)

    def _reset_heading(self) -> None:
        """Turn the calibration so that the trunk faces ahead now."""
        if self._tracker is None or self._state is None or self.calibration is None:
            return
        self.calibration = self.calibration.turned(self.body, self._tracker.trunk(self._state))
        self._tracker = replace(self._tracker, calibration=self.calibration)
        self._state = self._tracker.start()

    def _end_take(self) -> None:
        """Close the take; note how long pictures took by then."""
        self._note()
        latency = None if self.viewer is None else self.viewer.latency()
        if latency is not None:
            half, most = latency.median, latency.most
            story = f"last byte to picture: {1e3 * half:.1f} ms, {1e3 * most:.1f} ms for 99 of 100"
            self.takes.tell(LATENCY, story, {"half": half, "most": most})
        self.takes.close()

    def _settings(self) -> dict[str, float | str | bool | None]:
        chosen = self.wish.filter
        return {
            "figure": self.body.figure.name,
            "reading": self._reading,
            "cutoff": None if chosen is None else chosen.cutoff,
            "beta": None if chosen is None else chosen.beta,
            **(self.calibration.settings() if self.calibration else {}),
        }

    # ---- telling

    def _tell_strangers(self) -> None:
        """Say which stations are heard although nothing sits on them."""
        new = self._watch.strangers - self._strangers
        if new:
            self._strangers |= new
            names = ", ".join(map(str, sorted(new)))
            self._listener.say(
                f"station {names} is heard, but nothing is said to sit on it; its samples are left"
                " out. --stations says which sensor sits where"
            )

    def _tell(self, now: float) -> None:
        """Now and then say what has changed with the devices, and update the panel."""
        if now - self._told < NEWS_PERIOD:
            return
        self._told = now
        self._tell_strangers()
        reports = [device.report() for device in self._devices]
        for report in reports:
            before = self._troubles.get(report.name, "")
            if report.trouble != before:
                self._troubles[report.name] = report.trouble
                story = report.trouble or f"{report.name}: it is heard again"
                self._listener.say(story)
                self.takes.tell("device", story)
        if self.viewer is None:
            return
        file = self.takes.file
        self.viewer.tell(
            TrackNews(
                self.latest,
                tuple(arm.name for arm in self.body.arms.each),
                tuple(arm.joints for arm in self.body.arms.each),
                self._watch.health(now),
                reports,
                self.viewer.latency(),
                self._notice,
                "" if file is None else f"● {file.name}: {self.takes.frames} frames",
                self._guess,
            )
        )


@contextmanager
def _swept() -> Iterator[None]:
    """Leave what was made so far out of the search for garbage, which held up pictures by 0.2 s."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
