"""Takes: what was tracked, written while it goes on, one recording after another.

Every sample of every sensor is in a take and every posture made of it. Times are seconds since the
take began; what a clock on the wall said is not part of it. The measures of a tracker, of a take as
it was recorded, are a table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from articulata.analyses.track.tracked_person import TrackedBody
from articulata.analyses.track.tracker_measures import ROBUSTNESS, Heard, Measured, measures
from articulata.devices.recorded import SAMPLE_COLUMNS, SAMPLES, samples_of
from articulata.domains.kinematic.kinematic_domain import (
    KinematicModel,
    kinematic_model,
    poses_as_rows,
)
from articulata.domains.protocols import POSE, POSE_COLUMNS
from articulata.errors import RecordingError
from articulata.formats.csv import write_rows
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose, make_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.link_frames import LinkFrames
from articulata.records.events import Event
from articulata.records.files import make_folder, write_whole
from articulata.records.header import Header
from articulata.records.observed import BASE, JOINT
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording, load
from articulata.records.samples import Sample
from articulata.records.state import Channel, Frame
from articulata.records.tracking import TrackedPosture
from articulata.sessions.track.tracked_figures import Follower, together
from articulata.sessions.track.wish import PER_PERSON

LEFT_OVER, FLAGS = "track.left", "track.flags"
"""Channels: what is left at elbow and wrist (rad); which arms are tracked, frozen in the shoulder's
cone, or held where a sensor is silent."""


PEOPLE = "people"
"""The setting of a take that names the people in it, where there are several."""

UNTURNED = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
"""A row of a pose that is none."""

LATENCY = "latency"
"""The kind of the event at a take's end that tells how long pictures took."""

PLAUSIBLE = "plausibility"
"""The kind of the event that tells whether what is tracked can be a person's posture."""


class Tracked(Protocol):
    """Somebody whose samples and postures are recorded."""

    @property
    def follower(self) -> Follower:
        """The figure, and its name."""
        ...

    @property
    def body(self) -> TrackedBody:
        """The figure made ready to be tracked."""
        ...

    @property
    def stations(self) -> Mapping[int, str]:
        """What each sensor sits on."""
        ...


class Takes:
    """Writes takes of one person or several into ``folder``: take-001.artrun, take-002.artrun ...

    Arms are called "right arm" where one person is recorded, "anna right arm" of several.
    """

    def __init__(self, folder: Path, people: Sequence[Tracked]) -> None:
        self.folder = folder
        self.files: list[Path] = []
        self._world = assemble(together([each.follower.world for each in people]))
        # what takes half a second is done before anybody moves
        _ = Header(self._world).stored
        self._model = kinematic_model(self._world)
        stations = {s: role for each in people for s, role in each.stations.items()}
        self._stations = dict(sorted(stations.items()))
        self._rows = {station: row for row, station in enumerate(self._stations)}
        self._last = np.full((len(self._rows), len(SAMPLE_COLUMNS)), np.nan)
        self._people = {each.follower.who: _Places(each, self._model) for each in people}
        several = len(people) > 1
        self._arms = tuple(
            f"{who} {arm}" if several else arm for who, each in self._people.items()
            for arm in each.arms
        )  # fmt: skip
        first = 0
        for each in self._people.values():
            each.rows = slice(first, first + len(each.arms))
            first = each.rows.stop
        self._postures = self._at_rest()
        self._recorder: Recorder | None = None
        self._begun = math.nan
        self._counts = [0] * len(self._rows)
        self._time = 0.0
        self._marks = 0
        self._held_of: set[str] = set()
        self._held_stations: set[int] = set()
        self.frames = 0

    @property
    def file(self) -> Path | None:
        """The take that is being written."""
        return self.files[-1] if self._recorder is not None else None

    def begin(self, settings: Mapping[str, float | str | bool | None]) -> Path:
        """Begin a take, whose first sample is at 0 s; an open one is closed."""
        self.close()
        number = 1
        while (path := self.folder / f"take-{number:03d}.artrun").exists():
            number += 1
        make_folder(self.folder)
        self._recorder = Recorder(Header(self._world, method="track", settings=settings), path)
        labels = tuple(f"{station} {role}" for station, role in self._stations.items())
        self._recorder.layout(
            (
                *self._model.channels,
                Channel(POSE, "m, 1", tuple(self._world.bodies), POSE_COLUMNS),
                Channel(SAMPLES, "s, 1, m", labels, SAMPLE_COLUMNS),
                Channel(LEFT_OVER, "rad", self._arms, ("elbow", "wrist")),
                Channel(FLAGS, "", self._arms, ("tracked", "frozen", "held")),
            )
        )
        self.files.append(path)
        self._begun, self._time, self._marks, self.frames = math.nan, 0.0, 0, 0
        self._counts = [0] * len(self._rows)
        self._last[:] = np.nan
        self._postures = self._at_rest()
        return path

    def add(self, samples: Sequence[Sample], posture: TrackedPosture, who: str = "") -> None:
        """Append a posture of ``who`` and the samples that led to it; nothing between two takes.

        The others are as they were; "" means the first.
        """
        if self._recorder is None:
            return
        known = [sample for sample in samples if sample.station in self._rows]
        who = who or next(iter(self._people))
        stations = {sample.station for sample in known}
        if who in self._held_of or not stations.isdisjoint(self._held_stations):
            self._write()
        if math.isnan(self._begun):
            self._begun = min(min(s.time, s.arrival) for s in samples)
        begun = self._begun
        for station, time, arrival, q, p, error, button in known:
            row = self._rows[station]
            self._time = max(self._time, arrival - begun)
            self._counts[row] += 1
            doubt, count = ord(error) if error else 0, self._counts[row]
            self._last[row] = time - begun, arrival - begun, *q, *p, doubt, button, count
        self._people[who].put(posture, self._postures)
        self._held_of.add(who)
        self._held_stations |= stations
        if len(self._held_of) == len(self._people):
            self._write()

    def _write(self) -> None:
        """Write a frame of what is held: of several people, each one's newest posture and samples.

        A frame holds everybody; one for each posture would tell most of it again.
        """
        if self._held_of and self._recorder is not None:
            self._recorder.frame(Frame(self._time, {**self._postures, SAMPLES: self._last}))
            self.frames += 1
        self._held_of.clear()
        self._held_stations.clear()

    def _at_rest(self) -> dict[str, Array]:
        """Return the channels of postures of people who are not heard yet: they stand at rest."""
        arms = len(self._arms)
        found = {
            JOINT: np.zeros(len(self._model.labels)),
            BASE: np.full((len(self._model.performers), len(POSE_COLUMNS)), np.nan),
            POSE: np.full((len(self._world.bodies), len(POSE_COLUMNS)), np.nan),
            LEFT_OVER: np.full((arms, 2), np.nan),
            FLAGS: np.zeros((arms, 3)),
        }
        for each in self._people.values():
            each.stand(found)
        return found

    def mark(self, text: str = "") -> int:
        """Put a mark into the take; return its number, 0 where no take is open."""
        if self._recorder is None:
            return 0
        self._write()
        self._marks += 1
        story = text or f"mark {self._marks}"
        self._recorder.event(
            Event(self._time, "mark", tuple(self._people), (), {"number": self._marks}, story)
        )
        return self._marks

    def tell(
        self, kind: str, story: str, values: Mapping[str, float] | None = None, who: str = ""
    ) -> None:
        """Note in the take what happened, to a device for instance; "" means all people."""
        if self._recorder is not None:
            self._write()
            told = dict(values or {})
            names = (who,) if who else tuple(self._people)
            self._recorder.event(Event(self._time, kind, names, (), told, story))

    def close(self, reason: str = "") -> None:
        """End the take."""
        if self._recorder is not None:
            try:
                self._write()
            finally:
                recorder, self._recorder = self._recorder, None
                recorder.close(reason)


class _Places:
    """Where in a take's channels one person is, and what stands there."""

    def __init__(self, tracked: Tracked, model: KinematicModel) -> None:
        follower, self._body = tracked.follower, tracked.body
        performer = model.performers[follower.who]
        self.arms = tuple(arm.name for arm in self._body.arms.each)
        self.rows = slice(0, 0)
        self._stand = performer.node.stand.matrix()
        self._X_BF = inverse_pose(self._body.figure.base)
        self._armed = follower.weapon is not None
        carriers, figure = performer.node.carriers, self._body.figure
        bodies = list(model.world.bodies)
        self._bodies = [k for k, body in enumerate(bodies) if body in carriers]
        numbers = [
            figure.index(carriers[bodies[k]]) if carriers[bodies[k]] else -1 for k in self._bodies
        ]
        # and the figure as a whole, whose frame is its base's
        numbers.append(-1)
        self._links = LinkFrames(figure, numbers, [-1] * len(numbers))
        labels = {label: k for k, label in enumerate(model.labels)}
        self._columns = [labels[f"{follower.who}.{name}"] for name in figure.names]
        names = list(model.performers)
        self._base = names.index(follower.who)
        self._weapon = names.index(follower.carried) if self._armed else -1
        weapon = f"{follower.carried}."
        self._carried = [k for k, body in enumerate(bodies) if body.startswith(weapon)]

    def stand(self, channels: dict[str, Array]) -> None:
        """Put the posture of rest into ``channels``."""
        self._place(channels, self._stand, self._body.rest)

    def put(self, posture: TrackedPosture, channels: dict[str, Array]) -> None:
        """Put a posture into ``channels``."""
        X_WF = self._stand @ make_pose(q_to_matrix(posture.q_WF), posture.p_WF)
        X_WB = self._place(channels, X_WF, posture.q)
        channels[LEFT_OVER][self.rows] = posture.left
        flags = posture.tracked, posture.frozen, posture.held
        channels[FLAGS][self.rows] = np.array(flags, float).T
        if self._armed:
            X = np.full((4, 4), np.nan)
            if posture.X_FT is not None:
                X = X_WB @ posture.X_FT
            (row,) = poses_as_rows(X[None])
            channels[BASE][self._weapon] = row
            channels[POSE][self._carried] = row

    def _place(self, channels: dict[str, Array], X_WF: Array, q: Array) -> Array:
        """Place the figure whose frame F is at ``X_WF``; return where the text's frame is."""
        X_WB = X_WF @ self._X_BF
        rows = self._links.rows
        rows[:] = UNTURNED  # of the two quaternions of one turn the one that is nearer to none
        self._links.place(q, X_WB)
        channels[JOINT][self._columns] = q
        channels[POSE][self._bodies], channels[BASE][self._base] = rows[:-1], rows[-1]
        return X_WB


COLUMNS = ("measure", "what", "value", "unit")


def measures_of(take: Recording, who: str = "") -> list[Measured]:
    """Return the measures of a take, of ``who`` where it holds several."""
    try:
        samples = samples_of(take)
    except RecordingError:
        return [Measured(ROBUSTNESS, "samples", 0.0, "")]
    labels = take.channels["track.sample"].labels
    settings, heard = take.header.settings, {}
    arms = slice(None)
    at = 0
    if who:
        at = str(settings[PEOPLE]).split(", ").index(who)
        settings = {k.removeprefix(f"{who} "): v for k, v in settings.items()}
        own_arms = [
            k for k, arm in enumerate(take.channels[LEFT_OVER].labels) if arm.startswith(f"{who} ")
        ]
        arms = slice(own_arms[0], own_arms[-1] + 1)
    for label in labels:
        number = int(label.partition(" ")[0])
        if who and (number - 1) // PER_PERSON != at:
            continue
        own = [sample for sample in samples if sample.station == number]
        if own:
            heard[label] = Heard(
                np.array([sample.time for sample in own]),
                np.array([sample.arrival for sample in own]),
                np.array([sample.q for sample in own]),
                np.array([sample.p for sample in own]),
                sum(bool(sample.error) for sample in own),
            )
    told = [event.values for event in take.events if event.kind == LATENCY]
    numbers = [value for value in told[-1].values() if isinstance(value, float)] if told else []
    judged = [e.values for e in take.events if e.kind == PLAUSIBLE and who in ("", *e.who)]
    plausible = tuple(judged[-1][key] for key in ("plausible", "wrong")) if judged else ()
    return measures(
        heard,
        np.array(take.array(LEFT_OVER))[:, arms],
        np.array(take.array(FLAGS))[:, arms, 0],
        settings,
        latency=(numbers[0], numbers[1]) if len(numbers) == 2 else None,
        lost=sum(event.kind == "device" for event in take.events),
        plausible=[float(each) for each in plausible if isinstance(each, float)],
    )


def write_measures(take: Path, names: tuple[str, ...] = ()) -> list[Path]:
    """Write the measures of a take beside it, of each of several people; return the files."""
    recording, made = load(take), []
    for name in names or ("",):
        found = measures_of(recording, name)
        target = take.with_name(f"{take.stem}{'-' + name if name else ''}-measures.csv")
        rows = [(each.measure, each.what, f"{each.value:.4g}", each.unit) for each in found]
        write_whole(target, write_rows([COLUMNS, *rows]).encode())
        made.append(target)
    return made
