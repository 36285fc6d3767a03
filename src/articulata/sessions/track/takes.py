"""Takes: what was tracked, written while it goes on, one recording after another.

Every sample of every sensor is in a take and every posture made of it. Times are seconds since the
take began; what a clock on the wall said is not part of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from articulata.analyses.track.body import TrackedBody
from articulata.devices.recorded import SAMPLE_COLUMNS, SAMPLES
from articulata.domains.kinematic.model import kinematic_model, poses_as_rows
from articulata.domains.protocols import POSE, POSE_COLUMNS
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.events import Event
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.rows import BASE, JOINT
from articulata.records.samples import Sample
from articulata.records.state import Channel, Frame
from articulata.records.tracking import TrackedPosture
from articulata.sessions.track.figures import Follower

LEFT_OVER, FLAGS = "track.left", "track.flags"
"""Channels: what is left at elbow and wrist (rad), and which arms are tracked or held."""


CARRIED = -2
"""In place of a joint's number: a body that is carried, whose pose comes last."""

LATENCY = "latency"
"""The kind of the event at a take's end that tells how long pictures took."""


class Takes:
    """Writes takes into ``folder``: take-001.artrun, take-002.artrun ..."""

    def __init__(
        self,
        folder: Path,
        follower: Follower,
        body: TrackedBody,
        stations: Mapping[int, str],
    ) -> None:
        self.folder = folder
        self.files: list[Path] = []
        self._who = follower.who
        self._world = assemble(follower.world)
        # what takes half a second is done before anybody moves
        _ = Header(self._world).stored
        self._model = kinematic_model(self._world)
        self._performer = self._model.performers[self._who]
        self._stand = self._performer.node.stand.matrix()
        self._body = body
        carriers = self._performer.node.carriers
        numbers = [
            (body.figure.index(carriers[each]) if carriers[each] else -1)
            if each in carriers
            else CARRIED
            for each in self._world.bodies
        ]
        self._armed = follower.weapon is not None
        self._carriers = np.array(numbers, np.int64) + 1
        self._X_BF = inverse_pose(body.figure.base)
        self._stations = dict(sorted(stations.items()))
        self._rows = {station: row for row, station in enumerate(self._stations)}
        self._last = np.full((len(self._rows), len(SAMPLE_COLUMNS)), np.nan)
        self._recorder: Recorder | None = None
        self._begun = math.nan
        self._counts = [0] * len(self._rows)
        self._time = 0.0
        self._marks = 0
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
        self.folder.mkdir(parents=True, exist_ok=True)
        self._recorder = Recorder(Header(self._world, method="track", settings=settings), path)
        labels = tuple(f"{station} {role}" for station, role in self._stations.items())
        arms = tuple(arm.name for arm in self._body.arms.each)
        self._recorder.layout(
            (
                *self._model.channels,
                Channel(POSE, "m, 1", tuple(self._world.bodies), POSE_COLUMNS),
                Channel(SAMPLES, "s, 1, m", labels, SAMPLE_COLUMNS),
                Channel(LEFT_OVER, "rad", arms, ("elbow", "wrist")),
                Channel(FLAGS, "", arms, ("tracked", "frozen")),
            )
        )
        self.files.append(path)
        self._begun, self._time, self._marks, self.frames = math.nan, 0.0, 0, 0
        self._counts = [0] * len(self._rows)
        self._last[:] = np.nan
        return path

    def add(self, samples: Sequence[Sample], posture: TrackedPosture) -> None:
        """Append a posture and the samples that led to it; nothing between two takes."""
        if self._recorder is None:
            return
        newest = self._time
        if math.isnan(self._begun):
            self._begun = min(min(s.time, s.arrival) for s in samples)
        for sample in samples:
            row = self._rows.get(sample.station)
            if row is not None:
                newest = max(newest, sample.arrival - self._begun)
                error = ord(sample.error) if sample.error else 0
                self._counts[row] += 1
                self._last[row] = (
                    sample.time - self._begun,
                    sample.arrival - self._begun,
                    *sample.q,
                    *sample.p,
                    error,
                    sample.button,
                    self._counts[row],
                )
        self._time = newest
        X_WF = self._stand @ _pose(posture.q_WF, posture.p_WF)
        X_WL = X_WF @ self._X_BF @ self._body.figure.poses(posture.q)
        # what is carried comes last, where numbers that count back find it
        carried = np.full((int(self._armed), 4, 4), np.nan)
        if self._armed and posture.X_FT is not None:
            carried[0] = X_WF @ self._X_BF @ posture.X_FT
        bases = np.concatenate([X_WF[None], carried])
        arrays = {
            JOINT: posture.q,
            BASE: poses_as_rows(bases),
            POSE: poses_as_rows(np.concatenate([X_WF[None], X_WL, carried])[self._carriers]),
            SAMPLES: self._last,
            LEFT_OVER: posture.left,
            FLAGS: np.array([posture.tracked, posture.frozen], float).T,
        }
        self._recorder.frame(Frame(newest, arrays))
        self.frames += 1

    def mark(self, text: str = "") -> int:
        """Put a mark into the take; return its number, 0 where no take is open."""
        if self._recorder is None:
            return 0
        self._marks += 1
        story = text or f"mark {self._marks}"
        self._recorder.event(
            Event(self._time, "mark", (self._who,), (), {"number": self._marks}, story)
        )
        return self._marks

    def tell(self, kind: str, story: str, values: Mapping[str, float] | None = None) -> None:
        """Note in the take what happened, to a device for instance."""
        if self._recorder is not None:
            told = dict(values or {})
            self._recorder.event(Event(self._time, kind, (self._who,), (), told, story))

    def close(self, reason: str = "") -> None:
        """End the take."""
        if self._recorder is not None:
            recorder, self._recorder = self._recorder, None
            recorder.close(reason)


def _pose(q: Array, p: Array) -> Array:
    X = np.eye(4)
    X[:3, :3] = q_to_matrix(q)
    X[:3, 3] = p
    return X
