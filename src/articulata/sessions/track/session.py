"""A session: devices, calibration, tracking, picture and takes, from the first byte to the last.

Each device is read by a thread of its own; what it brings is put into one queue. One thread takes
it out, steps the tracker, records and shows. What a user wishes comes the same way.
"""

from __future__ import annotations

import gc
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from articulata.analyses.track.body import TrackedBody, tracked_body
from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.health import Watch
from articulata.analyses.track.seats import Seats
from articulata.analyses.track.signals import Watching, watch
from articulata.analyses.track.tracker import Tracker, TrackState, apart
from articulata.analyses.track.transmitter import Push, Transmitter
from articulata.devices.device import Device
from articulata.errors import ArticulataError
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS, Recognised, TrackedPosture
from articulata.report.viewer.following import TrackViewer
from articulata.report.viewer.panels.track import TrackNews
from articulata.sessions.track.bearing import Bearing
from articulata.sessions.track.calibrating import Calibrating
from articulata.sessions.track.figures import Follower
from articulata.sessions.track.inbox import Inbox, Wish
from articulata.sessions.track.performing import one_after_another
from articulata.sessions.track.scripts import Scripts
from articulata.sessions.track.steadying import Steadying
from articulata.sessions.track.takes import LATENCY, Takes
from articulata.sessions.track.troubles import Troubles
from articulata.sessions.track.wish import (
    DRIFT,
    READINGS,
    Listener,
    Puppet,
    TrackResult,
    TrackWish,
)

NEWS_PERIOD = 0.15
"""Seconds between two looks at how sensors fare."""

OVERDUE = 0.5
"""Seconds after which they are looked at even while samples come without a pause."""

BEHIND = 0.04
"""Seconds between two pictures while samples are waiting to be recorded."""

TILTED = math.radians(3.0)
"""A push that tilts by this (rad) was none of a wearer who stands."""

PAUSE = 0.002
"""Seconds without a sample after which those that were shown are recorded. A picture needs the
interpreter for as long as it takes to leave; longer, records pile up between two samples."""

WAITING = 4096
"""Postures that wait to be recorded at most: some 10 s. Recording gives way to samples that come,
so that what is shown stays new on a machine too slow for both; beyond this it does not."""

SWITCHING = 2e-4
"""Seconds for which a thread may keep others from running: with Python's usual 5 ms a picture waits
for whatever else is computed."""


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
        self._mail = Inbox()
        self._watch = Watch(self.stations)
        self._closing = threading.Event()
        self._tracker: Tracker | None = None
        self._state: TrackState | None = None
        self._steadying = Steadying(self.body, self.stations, wanted=wish.drift)
        self._reading = wish.reading
        self.notice = ""
        self._troubles = Troubles(self._tell_trouble)
        self._scripts = Scripts(follower, self.body, wish.scripts)
        self._watching = Watching()
        self._transmitter = Transmitter()
        self.recognised: list[Recognised] = []
        self._guess: Recognised | None = None
        self._follower = follower
        self._bearing = Bearing(follower, self.body, wish.weapon)
        self._strangers: set[int] = set()
        self._told = self._drawn = 0.0
        self._waiting: deque[tuple[list[Sample], TrackedPosture]] = deque()

    # ---- what others may ask for

    def ask(self, name: str, value: object = None) -> None:
        """Leave a wish: "calibrate", "heading", "reading" (a word), "body", "take", ..."""
        self._mail.put(Wish(name, value))

    # ---- the session

    def run(self) -> TrackResult:
        """Track until the session ends."""
        self._get_ready()
        if self.wish.body:
            self._bearing.begin(self.wish.body, time.monotonic())
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
                        scripts=self._scripts.keyed(),
                        arms=tuple(arm.joints for arm in self.body.arms.each),
                        writable=self.wish.scripts is not None,
                        bodies=self._bearing.offered,
                        body=self.wish.body,
                        weapon=self._follower.weapon,
                        armed=self.wish.weapon,
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

    def _get_ready(self) -> None:
        """Make one posture of nothing: what has to be compiled is compiled before anybody moves."""
        nowhere = Seats(np.zeros(3), dict.fromkeys(self.stations, np.zeros(3)))
        still = Calibration(
            Rotation.identity(), dict.fromkeys(self.stations, Rotation.identity()), seats=nowhere
        )
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
            if self._over() and self._mail.empty:
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
                self._mail.put(samples)

    def _one(self, timeout: float) -> bool:
        """Take one piece of mail; return False where the session is to end."""
        mail = self._mail.take(PAUSE if self._waiting else timeout)
        if isinstance(mail, Wish):
            self._note()
            if mail.name == "end":
                return False
            self._grant(*mail)
        elif mail:
            self._take(mail)
            self._note(until=lambda: len(self._waiting) < WAITING)
            if time.monotonic() - self._told < OVERDUE:
                return True  # what can wait, waits until nothing comes
        else:
            self._note(until=lambda: not self._mail.empty)
        self._tell(time.monotonic())
        return True

    def _take(self, samples: list[Sample]) -> None:
        self._watch.take(samples)
        self.samples += len(samples)
        if self._tracker is None or self._state is None:
            return
        for part in apart(samples):
            self._state, posture = self._tracker.step(self._state, self._steadying.samples(part))
            posture = self._bearing.under(posture)
            self.latest = posture
            self.postures += 1
            if self.viewer is not None and self._in_time():
                self.viewer.follow(posture, part[-1].arrival)
            self._waiting.append((part, posture))

    def _pushed(self, push: Push) -> None:
        """Let the calibration follow a transmitter that was pushed, or ask the wearer."""
        assert self.calibration is not None
        if push.tilt < TILTED:
            self._listener.say(
                f"{push.story}: if the transmitter was turned, face ahead and reset the heading"
            )
            return
        story = f"the transmitter was pushed ({push.story}); the calibration follows it"
        self._listener.say(story)
        self._goes_on_by(push.followed(self.calibration))
        self.takes.tell("device", story)

    def _note(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Record what was shown, and look for signals in it, unless something else is due."""
        while self._waiting and not until():
            part, posture = self._waiting.popleft()
            self.takes.add(part, posture)
            self._recognise(posture)
            push = self._transmitter.take(part)
            if push is not None:
                self._pushed(push)

    def _in_time(self) -> bool:
        """Return whether a picture is due: at once, or now and then where samples are waiting.

        A machine that is too slow to draw every posture records all of them, and catches up.
        """
        now = time.monotonic()
        if not self._mail.empty and now - self._drawn < BEHIND:
            return False
        self._drawn = now
        return True

    def _recognise(self, posture: TrackedPosture) -> None:
        """Look for signals that are shown; note those that have ended."""
        known = self._scripts.signals
        if known is None or not any(posture.tracked):
            return
        self._watching, seen = watch(known, self._watching, posture.q, posture.time)
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
            self._bearing.begin(str(value), time.monotonic())
        elif name == "weapon" or name.startswith("hand "):
            self._bearing.grant(name, value)
        elif name in ("perform", "show", "edit", "scripts"):
            self._script(name, value)

    def _script(self, name: str, value: Any) -> None:
        """Run a motion, hold a key frame of it, change it, or take it up as it was read again."""
        if name == "perform":
            motion, pace = value
            if self._puppet is None:
                self._bearing.perform(motion, time.monotonic(), pace)
            else:
                self._bearing.show(None)
                who = self._scripts.follower
                self._puppet.perform(one_after_another(who, (motion,), pace=pace))
        elif name == "show":
            self._bearing.show(value)
        elif name == "edit":
            said = self._scripts.edit(value)
            if self.viewer is not None:
                self.viewer.scripts(self._scripts.keyed(), said)
        else:
            self._bearing.follower = self._scripts.follower
            self._listener.say(str(value) or "the motions were read again")
            if self.viewer is not None:
                self.viewer.scripts(self._scripts.keyed(), str(value))

    # ---- calibration

    def _calibrate(self) -> None:
        """Let the wearer hold the postures that are wished for, and begin a take."""
        self._tracker = None
        leading = Calibrating(
            self.wish, self.body, self.stations, self._watch, self._listener, self._puppet, self
        )
        found = leading.run()
        if found is None:
            self._closing.set()
        else:
            self._begin(found)

    def passes(self, timeout: float) -> list[Sample] | None:
        """Take mail while no posture is made; return its samples, None where the session ends."""
        if self._closing.is_set():
            return None
        mail = self._mail.take(timeout)
        samples: list[Sample] = []
        if isinstance(mail, list):
            samples = mail
            self._watch.take(samples)
            self.samples += len(samples)
        self._tell(time.monotonic())
        return None if isinstance(mail, Wish) and mail.name == "end" else samples

    def _begin(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._tracker = Tracker(
            self.body, self.stations, calibration, self.wish.filter, READINGS[self._reading]
        )
        self._read_by()
        self._state = self._tracker.start()
        self._steadying.begin(calibration)
        self._transmitter = Transmitter()
        if self._tracker.completing is not None:
            for story in self._tracker.completing.stories:
                self._listener.say(story)
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
        self._goes_on_by(self.calibration.turned(self.body, self._tracker.trunk(self._state)))

    def _goes_on_by(self, calibration: Calibration) -> None:
        """Go on by another calibration, in another take: a take holds the one it was made by."""
        assert self._tracker is not None
        self.calibration = calibration
        self._tracker = replace(self._tracker, calibration=calibration)
        self._state = self._tracker.start()
        self._steadying.begin(calibration)
        self._end_take()
        self._listener.say(f"take {self.takes.begin(self._settings())}")

    def _computed(self) -> tuple[str, ...]:
        """Return what is computed of arms with fewer sensors and of a weapon, for the panel."""
        state = self._state
        notes = self._bearing.told()
        if self._tracker is None or self._tracker.completing is None or state is None:
            return notes
        return self._tracker.completing.told(state.completed) + notes

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
            **({DRIFT: True} if self.wish.drift else {}),
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

    def _tell_trouble(self, story: str) -> None:
        self._listener.say(story)
        self.takes.tell("device", story)

    def _tell(self, now: float) -> None:
        """Now and then say what has changed with the devices, and update the panel."""
        if now - self._told < NEWS_PERIOD:
            return
        self._told = now
        self._tell_strangers()
        self._scripts.look(lambda said: self.ask("scripts", said))
        reports = [device.report() for device in self._devices]
        health = self._watch.health(now)
        self._troubles.of_devices(reports)
        if self._tracker is not None and not any(report.trouble for report in reports):
            self._troubles.of_sensors(health)
        if self.viewer is None:
            return
        file = self.takes.file
        self.viewer.tell(
            TrackNews(
                self.latest,
                tuple(arm.name for arm in self.body.arms.each),
                tuple(arm.joints for arm in self.body.arms.each),
                health,
                reports,
                self.viewer.latency(),
                self.notice,
                "" if file is None else f"● {file.name}: {self.takes.frames} frames",
                self._guess,
                self._computed(),
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
