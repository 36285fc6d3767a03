"""How a wearer is calibrated: by what he holds or swings when asked, or from a recording."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from articulata.analyses.track.calibration import Calibration, Held, held
from articulata.analyses.track.completing import completing
from articulata.analyses.track.health import Watch
from articulata.analyses.track.taps import Taps
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.devices.driver import Device
from articulata.devices.recorded import RecordedSamples
from articulata.errors import ArticulataError
from articulata.records.samples import Sample
from articulata.sessions.track.checking import calibrated
from articulata.sessions.track.emulation import swinging
from articulata.sessions.track.person import Person
from articulata.sessions.track.wish import (
    POSTURES,
    SWING,
    SWINGING,
    TAP,
    TONE,
    Listener,
    Puppet,
    TrackWish,
)

HEARD_FIRST = 1.5
"""Seconds that all stations together may take to be heard before somebody is told."""

ROUND = 0.05
"""Seconds between two looks at the clock while samples are awaited."""

PROMPTED = 2.0
"""Seconds after which an emulated wearer taps, who needs some rest before."""


class Room(Protocol):
    """Where a calibration takes place: samples pass, and news are told."""

    notice: str

    def passes(self, timeout: float) -> Sequence[Sample] | None:
        """Return what came within ``timeout`` s, None where the session is to end."""
        ...


class _Ended(Exception):
    """The session ends."""


class Calibrating:
    """Leads wearers through a calibration, all at once: one countdown, one posture for everybody.

    Who is not calibrated by it holds the postures once more; the others are done.
    """

    def __init__(
        self,
        wish: TrackWish,
        people: Sequence[Person],
        watch: Watch,
        listener: Listener,
        room: Room,
    ) -> None:
        self._wish, self._people = wish, tuple(people)
        self._watch, self._listener, self._room = watch, listener, room

    def run(self) -> Mapping[Person, Calibration] | None:
        """Return the calibrations, None where the session ends before there are all."""
        known: dict[Person, Calibration] = {}
        left = list(self._people)
        try:
            while left:
                self._wait_for_all()
                if self._wish.start == TAP:
                    self._wait_for_tap()
                postures: dict[Person, list[Held]] = {person: [] for person in left}
                swing: list[Sample] = []
                for name in self._wish.calibrate:
                    if name == SWING:
                        swing = self._swinging(left)
                    else:
                        for person, each in self._held(name, left).items():
                            postures[person].append(each)
                self._room.notice = ""
                for person, each_held in postures.items():
                    try:
                        found = calibrated(
                            person.body, person.stations, each_held, swing,
                            apart=person.wish.drift and not swing,
                        )  # fmt: skip
                    except ArticulataError as error:
                        self._room.notice = person.named("Not calibrated; once more")
                        self._listener.say(person.named(str(error)))
                    else:
                        # what no other try can mend ends the session
                        completing(person.body, person.stations, found)
                        known[person] = found
                        left.remove(person)
            return known
        except _Ended:
            return None

    def _passes(self) -> Sequence[Sample]:
        samples = self._room.passes(ROUND)
        if samples is None:
            raise _Ended
        return samples

    def _wait_for_all(self) -> None:
        """Wait until every station is heard; say which is not."""
        begun, told = time.monotonic(), ""
        while True:
            now = time.monotonic()
            silent = [h for h in self._watch.health(now) if h.rate == 0.0]
            if not silent:
                self._room.notice = ""
                return
            names = ", ".join(f"{h.station} ({h.role})" for h in silent)
            if now - begun > HEARD_FIRST and names != told:
                self._listener.say(f"waiting for sensors that are not heard: {names}")
                told = names
            self._room.notice = f"Waiting for sensors: {names}"
            self._passes()

    def _wait_for_tap(self) -> None:
        """Wait until the wearer, who cannot click, taps a sensor."""
        self._room.notice = "Tap a sensor to begin"
        self._listener.say("stand still, then tap a sensor to begin")
        taps, begun = Taps(), time.monotonic()
        while not (station := taps.take(self._passes())):
            if time.monotonic() - begun > PROMPTED:
                for puppet in self._puppets(self._people[:1]):
                    puppet.tap()
                begun = time.monotonic()
        self._listener.say(f"{TONE}station {station} was tapped")

    def _held(self, name: str, people: Sequence[Person]) -> dict[Person, Held]:
        """Count down to a posture and collect what sensors say while it is held."""
        postures = {person: person.body.posture(name) for person in people}
        words = POSTURES.get(name, name)
        for person, q in postures.items():
            if person.puppet is not None:
                person.puppet.hold(q)
        self._count_down(f"hold {name.replace('_', '-')}", words)
        self._room.notice = f"{words}: hold still"
        samples = self._collected(self._wish.holding)
        return {
            person: held(q, [s for s in samples if s.station in person.stations])
            for person, q in postures.items()
        }

    def _swinging(self, people: Sequence[Person]) -> list[Sample]:
        """Count down to a swing of both arms and collect what sensors say meanwhile."""
        words = POSTURES[SWING]
        self._count_down("swing", words)
        for person in people:
            if person.puppet is not None:
                person.puppet.perform(swinging(person.body))
        self._room.notice = words
        return self._collected(SWINGING)

    def _puppets(self, people: Sequence[Person]) -> list[Puppet]:
        return [person.puppet for person in people if person.puppet is not None]

    def _count_down(self, what: str, words: str) -> None:
        """Say what is to be done and in how many seconds, with a tone in each."""
        end = time.monotonic() + self._wish.ready
        said = 0
        while (left := end - time.monotonic()) > 0.0:
            if int(left) + 1 != said:
                said = int(left) + 1
                self._room.notice = f"{words}: {said}"
                self._listener.say(f"{TONE}{what} ({words}) in {said} s")
            self._passes()

    def _collected(self, seconds: float) -> list[Sample]:
        """Return what sensors say in the next ``seconds``."""
        collected: list[Sample] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            collected += self._passes()
        self._listener.say(f"{TONE}done")
        return collected


SLACK = 0.1
"""Seconds by which a posture may be said to last longer than its recording: times are rounded."""


class PostureHeld(NamedTuple):
    """A posture by its name, held from ``begin`` to ``end``, s since the recording began.

    An ``end`` of infinity is that of the recording.
    """

    name: str
    begin: float
    end: float

    @property
    def text(self) -> str:
        """The word that says so."""
        return f"{self.name}@{self.begin:g}:{'' if math.isinf(self.end) else f'{self.end:g}'}"


def posture_held(text: str) -> PostureHeld:
    """Return what ``n_pose@3:4.5`` or ``n_pose@3:`` says; raise ArticulataError."""
    name, _, span = text.partition("@")
    names = [each for each in POSTURES if each != SWING]
    try:
        first, last = span.split(":")
        begin, end = float(first), float(last) if last.strip() else math.inf
    except ValueError:
        begin = end = math.nan
    if name not in names or not 0.0 <= begin < end:
        raise ArticulataError(
            f"--posture {text!r}: give a posture ({', '.join(names)}) and from when until when it"
            " is held, in seconds since the recording began, as in n_pose@3:4.5, or n_pose@3: until"
            " its end"
        )
    return PostureHeld(name, begin, end)


def calibrations_in(
    devices: Sequence[Device],
    body: TrackedBody,
    stations: Mapping[int, str],
    words: Sequence[str],
    apart: bool = False,
) -> list[tuple[float, Calibration]]:
    """Return the calibrations that postures in recordings give, and from when on (s) they hold.

    ``words`` are as ``posture_held`` reads them; a posture that is held again begins another
    calibration. Each recording counts from its own beginning. ``apart`` says that each sensor has
    a heading of its own. Raises ArticulataError.
    """
    recordings = [each for each in devices if isinstance(each, RecordedSamples)]
    if not recordings or len(recordings) < len(devices):
        raise ArticulataError(
            "--posture says where postures lie in a recording; a person who is there holds them"
            " when asked, as --calibrate says"
        )
    known = body.orientations(body.rest)
    own = {station: role for station, role in stations.items() if role in known}
    groups: list[list[PostureHeld]] = [[]]
    for each in sorted(map(posture_held, words), key=lambda posture: posture.begin):
        if each.name in (other.name for other in groups[-1]):
            groups.append([])
        groups[-1].append(each)
    found: list[tuple[float, Calibration]] = []
    for group in groups:
        postures = [
            held(body.posture(each.name), _samples(recordings, each, own)) for each in group
        ]
        before = found[-1][1] if found else None
        calibration = calibrated(body, own, postures, apart=apart, before=before)
        found.append((group[0].begin if found else 0.0, calibration))
    return found


def _samples(
    recordings: Sequence[RecordedSamples], posture: PostureHeld, own: Mapping[int, str]
) -> list[Sample]:
    """Return what sensors told in recordings while a posture was held."""
    found: list[Sample] = []
    for recording in recordings:
        first, last = recording.samples[0].arrival, recording.samples[-1].arrival
        long = last - first
        if posture.begin >= long or long + SLACK < posture.end < math.inf:
            raise ArticulataError(
                f"--posture {posture.text} ends after {recording.name} does, which is"
                f" {long:g} s long"
            )
        found += [
            sample
            for sample in recording.samples
            if posture.begin <= sample.arrival - first <= posture.end and sample.station in own
        ]
    return found
