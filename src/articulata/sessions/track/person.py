"""One person of a session: how he wears sensors, his calibration, what is made of his samples."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.drift import Drift, Drifting, Untwisting
from articulata.analyses.track.seats import Seats
from articulata.analyses.track.signals import Watching, watch
from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.analyses.track.tracker import Tracker, TrackState
from articulata.analyses.track.transmitter import Push, Transmitter
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS, Recognised, SensorHealth, TrackedPosture
from articulata.sessions.track.checking import Checking
from articulata.sessions.track.edited_scripts import Scripts
from articulata.sessions.track.performing import Bearing, one_after_another
from articulata.sessions.track.tracked_figures import Follower
from articulata.sessions.track.tracked_takes import PEOPLE
from articulata.sessions.track.wish import BONES, DRIFT, READINGS, Puppet, TrackWish

# ---- samples whose headings drift, corrected while a session runs


class Steadying:
    """Corrects samples from ``begin`` on, where that is ``wanted``; ``bones`` are untwisted."""

    def __init__(
        self,
        body: TrackedBody,
        stations: Mapping[int, str],
        *,
        wanted: bool,
        bones: bool = False,
    ) -> None:
        self._body, self._stations, self._wanted, self._bones = body, stations, wanted, bones
        self._now: tuple[Drifting, Drift] | None = None
        self._untwisting: Untwisting | None = None
        self._back: Mapping[int, Array] = {}

    def begin(self, calibration: Calibration) -> None:
        """Begin anew by a calibration."""
        self._back = {
            station: Rotation.from_axis_angle((0.0, 0.0, 1.0), -angle).q
            for station, angle in calibration.headings.items()
        }
        if self._bones:
            self._untwisting = Untwisting(self._body, self._stations, calibration)
        if self._wanted:
            drifting = Drifting(self._body, self._stations, calibration)
            self._now = drifting, drifting.start()

    def samples(self, part: Sequence[Sample]) -> Sequence[Sample]:
        """Return samples whose headings are one, and do not drift."""
        if self._back:
            part = [self._headed(each) for each in part]
        if self._untwisting is not None:
            part = self._untwisting.samples(part)
        if self._now is None:
            return part
        drifting, drift = self._now
        drift, part = drifting.step(drift, part)
        self._now = drifting, drift
        return part

    def _headed(self, sample: Sample) -> Sample:
        back = self._back.get(sample.station)
        if back is None:
            return sample
        w, x, y, z = q_multiply(back, np.array(sample.q)).tolist()
        return sample._replace(q=(w, x, y, z))


class Person:
    """Somebody who is tracked; ``name`` is "" where nobody else is.

    ``wish`` says what he wears and how he is calibrated, ``puppet`` is an emulated wearer.
    """

    def __init__(
        self, wish: TrackWish, follower: Follower, *, puppet: Puppet | None = None, name: str = ""
    ) -> None:
        self.wish, self.follower, self.puppet, self.name = wish, follower, puppet, name
        self.body: TrackedBody = tracked_body(follower.figure)
        known = self.body.orientations(self.body.rest)
        stations = STATIONS if wish.stations is None else wish.stations
        self.stations = {s: role for s, role in stations.items() if role in known}
        self.calibration = wish.calibration
        self._later, self._first = list(wish.later), math.nan
        self.latest: TrackedPosture | None = None
        self.recognised: list[Recognised] = []
        self.guess: Recognised | None = None
        self.scripts = Scripts(follower, self.body, wish.scripts)
        self.bearing = Bearing(follower, self.body, wish.weapon, wish.released)
        self._tracker: Tracker | None = None
        self._state: TrackState | None = None
        self._steadying = Steadying(self.body, self.stations, wanted=wish.drift, bones=wish.bones)
        self._watching = Watching()
        self._transmitter = Transmitter()
        self.checking = Checking(self.body, self.stations)

    def named(self, story: str) -> str:
        """Return a line with the name of whom it is about, where there are several."""
        return f"{self.name}: {story}" if self.name else story

    @property
    def tracked(self) -> bool:
        """Whether he is calibrated, so that postures are made."""
        return self._tracker is not None

    def get_ready(self) -> None:
        """Make one posture of nothing: what has to be compiled is compiled before anybody moves."""
        nowhere = Seats(np.zeros(3), dict.fromkeys(self.stations, np.zeros(3)))
        still = Calibration(
            Rotation.identity(), dict.fromkeys(self.stations, Rotation.identity()), seats=nowhere
        )
        tracker = Tracker(self.body, self.stations, still)
        tracker.step(tracker.start(), [])
        if self.wish.body:
            self.bearing.begin(self.wish.body, time.monotonic())

    # ---- calibration

    def rest(self) -> None:
        """Make no posture until there is a calibration again."""
        self._tracker = None

    def begin(self, calibration: Calibration) -> tuple[str, ...]:
        """Go on by a calibration; return what there is to say of it."""
        self.calibration = calibration
        self._tracker = Tracker(self.body, self.stations, calibration, self.wish.filter)
        self._anew(calibration)
        self._transmitter = Transmitter()
        self.checking.begin(calibration)
        completing = self._tracker.completing
        return () if completing is None else completing.stories

    def read_by(self, reading: str, health: Sequence[SensorHealth]) -> None:
        """Read sensors as is wished; smooth reading waits for one round of the slowest sensor."""
        if self._tracker is None:
            return
        delay = 0.0
        if reading == "smooth":
            rates = [h.rate for h in health if h.rate > 0.0 and h.station in self.stations]
            delay = 1.0 / min(rates) if rates else 0.0
        self._tracker = replace(self._tracker, reading=READINGS[reading], delay=delay)

    def headed(self) -> Calibration | None:
        """Return the calibration by which the trunk faces ahead now."""
        if self._tracker is None or self._state is None or self.calibration is None:
            return None
        return self.calibration.turned(self.body, self._tracker.trunk(self._state))

    def goes_on_by(self, calibration: Calibration) -> None:
        """Take another calibration in place of the one that holds."""
        if self._tracker is not None:
            self.calibration = calibration
            self._tracker = replace(self._tracker, calibration=calibration)
            self.checking.begin(calibration)
            self._anew(calibration)

    def _anew(self, calibration: Calibration) -> None:
        assert self._tracker is not None
        self._state = self._tracker.start()
        self._steadying.begin(calibration)

    def settings(self) -> Mapping[str, float | str]:
        """Return the calibration, and what he bears, as a take's header holds it."""
        known = {} if self.calibration is None else self.calibration.settings()
        bones = {BONES: 1.0} if self.wish.bones else {}
        return {**known, **bones, **self.bearing.settings()}

    # ---- tracking

    def due(self, samples: Sequence[Sample]) -> Calibration | None:
        """Return the calibration that takes the place of another with these samples, if one does.

        A recording holds it; it counts from its first sample.
        """
        if not self._later:
            return None
        if math.isnan(self._first):
            self._first = samples[0].arrival
        if samples[-1].arrival - self._first < self._later[0][0]:
            return None
        return self._later.pop(0)[1]

    def step(self, samples: Sequence[Sample]) -> TrackedPosture | None:
        """Return the posture after samples of which no two are of one station."""
        if self._tracker is None or self._state is None:
            return None
        self._state, posture = self._tracker.step(self._state, self._steadying.samples(samples))
        self.latest = self.bearing.under(posture)
        return self.latest

    def pushed(self, samples: Sequence[Sample]) -> Push | None:
        """Return how the transmitter was pushed, if these samples tell that it was."""
        return self._transmitter.take(samples)

    def recognise(self, posture: TrackedPosture) -> str:
        """Look for signals that are shown; return what there is to say of one that has ended."""
        known = self.scripts.signals
        if known is None or not any(posture.tracked):
            return ""
        self._watching, seen = watch(known, self._watching, posture.q, posture.time)
        if seen is None:
            return ""
        self.guess = seen
        if not (seen.ended and seen.name):
            return ""
        self.recognised.append(seen)
        words = seen.name.replace("_", " ")
        return f"signal {words}, {100.0 * seen.confidence:.0f} % sure"

    def perform(self, motion: str, pace: float) -> None:
        """Perform a motion: an emulated wearer does, the arms of a real one are overridden."""
        if self.puppet is None:
            self.bearing.perform(motion, time.monotonic(), pace)
        else:
            self.bearing.show(None)
            who = self.scripts.follower
            self.puppet.perform(one_after_another(who, (motion,), pace=pace))

    def computed(self) -> tuple[str, ...]:
        """Return what is wrong, and what is computed of arms and of a weapon, for the panel."""
        doubt = self.checking.verdict.story
        notes = (*((f"**{doubt}**",) if doubt else ()), *self.bearing.told())
        if self._tracker is None or self._tracker.completing is None or self._state is None:
            return notes
        return self._tracker.completing.told(self._state.completed) + notes


def settings_of(
    people: Sequence[Person], wish: TrackWish, reading: str
) -> dict[str, float | str | bool | None]:
    """Return what a take's header holds: how people are tracked, and each one's own settings."""
    chosen, several = wish.filter, len(people) > 1
    return {
        "figure": people[0].follower.choice.text,
        "reading": reading,
        **({DRIFT: True} if wish.drift else {}),
        "cutoff": None if chosen is None else chosen.cutoff,
        "beta": None if chosen is None else chosen.beta,
        **({PEOPLE: ", ".join(each.name for each in people)} if several else {}),
        **{
            f"{each.name} {key}" if several else key: value
            for each in people
            for key, value in each.settings().items()
        },
        **{f"{each.name} figure": each.follower.choice.text for each in people if several},
    }
