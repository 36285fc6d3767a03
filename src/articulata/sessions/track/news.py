"""What is told of a session while it runs, and what is made of postures once they are shown.

Told is how sensors and devices fare, angles, latency. Postures are recorded, and looked at for
signals, a transmitter that was pushed, sensors that are taken wrongly. Calibrations begin takes: a
take holds the one that it was made by.
"""

from __future__ import annotations

import math
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.health import Watch
from articulata.analyses.track.transmitter import Push
from articulata.records.samples import DeviceReport, Sample
from articulata.records.tracking import SILENT, Latency, SensorHealth, TrackedPosture
from articulata.report.viewer.panels.track_panel import STANDING, TrackNews
from articulata.sessions.track.person import Person, settings_of
from articulata.sessions.track.tracked_takes import LATENCY, PLAUSIBLE, Takes
from articulata.sessions.track.wish import Listener, TrackWish

# ---- what is the matter with devices and sensors, told once however long it lasts, and its end


_NUMBERS = re.compile("[0-9]+")

GRACE = 1.0
"""Seconds for which a sensor that is not yet heard must count as silent until that is told: at the
beginning, and when a device is heard again, its sensors come one after another."""


class Troubles:
    """Tells ``say`` what is new."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._known: dict[str, str] = {}
        self._silent: dict[int, float] = {}
        self._heard: set[int] = set()

    def of_devices(self, reports: Iterable[DeviceReport]) -> None:
        """Tell what is the matter with devices."""
        for report in reports:
            if report.trouble:
                self._silent.clear()
                self._heard.clear()
            self._tell(report.name, report.trouble, f"{report.name}: it is heard again")
            self._tell(f"{report.name}, beside", report.notice)

    def of_sensors(
        self, sensors: Iterable[SensorHealth], now: float, *, tracked: bool = True
    ) -> None:
        """Tell which sensors are silent at ``now`` (s) while their device is heard.

        Before anybody is ``tracked`` those that were heard are told of; others are waited for.
        """
        for each in sensors:
            who = f"station {each.station} ({each.role})"
            if each.state != SILENT:
                self._silent.pop(each.station, None)
                self._heard.add(each.station)
                self._tell(who, "", f"{who} is heard again")
                continue
            since = self._silent.setdefault(each.station, now)
            heard = each.station in self._heard
            if not heard and (now - since < GRACE or not tracked):
                continue
            check, held = "see that its sensor is plugged in", ""
            if math.isinf(each.age):
                check += f", and that its number is {each.station}"
            elif tracked:
                held = f"The {each.role} is held beside what carries it; "
            others = "the others go on" if held else "The others go on"
            self._tell(who, f"{who} is silent; {check}. {held}{others}")

    def _tell(self, who: str, trouble: str, well: str = "") -> None:
        before = self._known.get(who, "")
        self._known[who] = trouble
        # for how many seconds it has lasted is no news
        if _NUMBERS.sub("", trouble) != _NUMBERS.sub("", before) and (story := trouble or well):
            self._say(story)


class Reporting(Protocol):
    """A device, or whoever else is looked after."""

    def report(self) -> DeviceReport:
        """Return how it fares."""
        ...


NEWS_PERIOD = 0.25
"""Seconds between two looks at how sensors fare."""


class News:
    """Keeps what is to be told of ``people`` and ``devices``, and tells it.

    ``told`` is when that was last, s; ``noted`` records what is still to be recorded before
    something is told. A notice is a line in large letters.
    """

    def __init__(
        self,
        people: Sequence[Person],
        devices: Sequence[Reporting],
        takes: Takes,
        listener: Listener,
    ) -> None:
        worn = {s: each.named(role) for each in people for s, role in each.stations.items()}
        self.watch = Watch(worn)
        self.told = 0.0
        self.noted: Callable[[], object] = lambda: None
        self._newest = self._looked = -math.inf
        self._people, self._devices = tuple(people), devices
        self._takes, self._listener = takes, listener
        self._troubles = Troubles(self._tell_trouble)
        self._strangers: set[int] = set()
        self._failed = False

    def take(self, samples: Sequence[Sample]) -> None:
        """Take note of samples; of a recording that is played at once look at silences as well."""
        if samples:
            self._newest = max(self._newest, samples[0].arrival)
        if self._newest > max(self._looked + NEWS_PERIOD, time.monotonic()):
            self._looked = self._newest
            tracked = any(each.tracked for each in self._people)
            self._troubles.of_sensors(self.health(), self._newest, tracked=tracked)
        self.watch.take(samples)

    def health(self) -> tuple[SensorHealth, ...]:
        """Return how each sensor fares now: by the clock, or by samples that run ahead of it."""
        return self.watch.health(max(time.monotonic(), self._newest))

    def late(self, seconds: float) -> bool:
        """Return whether more than so many seconds have passed since anything was told."""
        return time.monotonic() - self.told > seconds

    def look(self) -> None:
        """Say what has changed with the devices."""
        self._troubles.of_devices([device.report() for device in self._devices])

    def tell(self, viewer: Any, chosen: Person, notice: str) -> None:
        """Say what has changed, and let the viewer's panel tell of the person who is chosen."""
        now = self.told = time.monotonic()
        self._tell_strangers()
        reports = [device.report() for device in self._devices]
        health = self.health()
        self._troubles.of_devices(reports)
        tracked = any(each.tracked for each in self._people)
        if not any(report.trouble for report in reports):
            self._troubles.of_sensors(health, max(now, self._newest), tracked=tracked)
        if viewer is None:
            return
        if viewer.failure is not None:
            self._tell_failure(viewer.failure)
            return
        file = self._takes.file
        viewer.tell(
            TrackNews(
                chosen.latest,
                tuple(arm.name for arm in chosen.body.arms.each),
                tuple(arm.joints for arm in chosen.body.arms.each),
                health,
                reports,
                viewer.latency(),
                notice,
                "" if file is None else f"● {file.name}: {self._takes.frames} frames",
                chosen.guess,
                chosen.computed(),
                None if chosen.bearing.weapon is None else chosen.bearing.weapon.carried,
                chosen.bearing.doing or STANDING,
            )
        )

    def _tell_failure(self, failure: BaseException) -> None:
        """Say once that the picture has ended, and why."""
        if not self._failed:
            self._failed = True
            self._listener.say(
                f"the picture stands still: {type(failure).__name__}: {failure}. Tracking and the"
                " take go on; to see the figure again, end with Ctrl-C and begin anew"
            )

    def _tell_strangers(self) -> None:
        """Say which stations are heard although nothing sits on them."""
        new = self.watch.strangers - self._strangers
        if new:
            self._strangers |= new
            names = ", ".join(map(str, sorted(new)))
            self._listener.say(
                f"heard, and left out, since nothing is said to sit there: station {names}."
                " --stations says which sensor sits where; a unit has stations 1 to 4, and a second"
                " one counts on from 5"
            )

    def _tell_trouble(self, story: str) -> None:
        self.noted()
        self._listener.say(story)
        self._takes.tell("device", story)


TILTED = math.radians(3.0)
"""A push that tilts by this (rad) was none of a wearer who stands."""

WAITING = 4096
"""Postures that wait to be recorded at most: some 10 s. Recording gives way to samples that come,
so that what is shown stays new on a machine too slow for both; beyond this it does not."""


class Noting:
    """Records what ``people`` do, by the calibrations that hold."""

    def __init__(
        self,
        wish: TrackWish,
        people: Sequence[Person],
        takes: Takes,
        listener: Listener,
        health: Callable[[], Sequence[SensorHealth]],
    ) -> None:
        self.latency: Callable[[], Latency | None] = lambda: None
        self._wish, self._people, self._takes = wish, tuple(people), takes
        self._listener, self._health = listener, health
        self._reading = wish.reading
        self._waiting: deque[tuple[Person, Sequence[Sample], TrackedPosture]] = deque()

    # ---- postures

    @property
    def waiting(self) -> bool:
        """Whether postures wait to be recorded."""
        return bool(self._waiting)

    def put(self, person: Person, samples: Sequence[Sample], posture: TrackedPosture) -> None:
        """Leave a posture to be recorded, with the samples that led to it."""
        self._waiting.append((person, samples, posture))

    def give_way(self) -> None:
        """Record what is too much to wait."""
        self.note(until=lambda: len(self._waiting) < WAITING)

    def note(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Record what was shown, and look at it, unless something else is due."""
        while self._waiting and not until():
            person, part, posture = self._waiting.popleft()
            part = tuple(part)
            self._takes.add(part, posture, person.follower.who)
            self._tell(person, "signal", person.recognise(posture))
            self._judge(person, person.checking.take(part))
            push = person.pushed(part)
            if push is not None:
                self._pushed(person, push)

    def _tell(self, person: Person, kind: str, story: str) -> None:
        if story:
            self._listener.say(person.named(story))
            self._takes.tell(kind, story, who=person.follower.who)

    def _judge(self, person: Person, sure: bool) -> None:
        """Tell, once, that what is tracked can be no person's, or note by how much it is one's."""
        verdict = person.checking.verdict
        if sure and verdict.story:
            self._listener.say(person.named(verdict.story))
        if sure:
            self._mark(person)

    def _mark(self, person: Person) -> None:
        """Note in the take what is thought of it."""
        verdict = person.checking.verdict
        if math.isnan(verdict.wrong):
            return
        values = {"plausible": 0.0 if verdict.story else 1.0, "wrong": verdict.wrong}
        story = verdict.story or "what is tracked can be a person's posture"
        self._takes.tell(PLAUSIBLE, story, values, who=person.follower.who)

    def _pushed(self, person: Person, push: Push) -> None:
        """Let the calibration follow a transmitter that was pushed, or ask the wearer."""
        assert person.calibration is not None
        if push.tilt < TILTED:
            self._listener.say(
                person.named(
                    f"{push.story}: if the transmitter was turned, face ahead and reset the heading"
                )
            )
            return
        story = f"the transmitter was pushed ({push.story}); the calibration follows it"
        self._listener.say(person.named(story))
        self.goes_on_by(person, push.followed(person.calibration))
        self._takes.tell("device", story, who=person.follower.who)

    # ---- calibrations and takes

    def begin(self, calibrations: Mapping[Person, Calibration]) -> None:
        """Go on by calibrations, in a take that begins."""
        for person, calibration in calibrations.items():
            for story in person.begin(calibration):
                self._listener.say(person.named(story))
        self.read_by(self._reading)
        self.new_take()

    def read_by(self, reading: str) -> None:
        """Read everybody's sensors as is wished."""
        self._reading, health = reading, self._health()
        for person in self._people:
            person.read_by(reading, health)

    def goes_on_by(self, person: Person, calibration: Calibration) -> None:
        """Go on by another calibration, in another take."""
        person.goes_on_by(calibration)
        self.new_take()

    def new_take(self) -> None:
        """End the take, and begin another."""
        self.end_take()
        path = self._takes.begin(settings_of(self._people, self._wish, self._reading))
        self._listener.say(f"take {path}")
        for person in self._people:
            self._mark(person)

    def end_take(self) -> None:
        """Close the take, whatever fails; note how long pictures took by then."""
        try:
            self.note()
            for person in self._people:
                self._judge(person, person.checking.end())
            latency = self.latency()
            if latency is not None:
                half, most = latency.median, latency.most
                story = (
                    f"last byte to picture: {1e3 * half:.1f} ms, {1e3 * most:.1f} ms for 99 of 100"
                )
                self._takes.tell(LATENCY, story, {"half": half, "most": most})
        finally:
            self._takes.close()
