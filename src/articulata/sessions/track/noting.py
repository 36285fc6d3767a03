"""What is made of postures once they are shown: recorded, and looked at for what they tell.

Signals, a transmitter that was pushed, sensors that are taken wrongly. Calibrations begin takes: a
take holds the one that it was made by.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.transmitter import Push
from articulata.records.samples import Sample
from articulata.records.tracking import Latency, SensorHealth, TrackedPosture
from articulata.sessions.track.person import Person, settings_of
from articulata.sessions.track.tracked_takes import LATENCY, PLAUSIBLE, Takes
from articulata.sessions.track.wish import Listener, TrackWish

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
