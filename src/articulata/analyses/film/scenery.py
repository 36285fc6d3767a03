"""What moves of a world while it is filmed, and what is looked at or stood on there.

B is the frame of a body, W the world.

The body of a camera that nothing carries, and what it may strike.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from articulata.domains.kinematic.kinematic_domain import kinematic_model, poses_as_rows
from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.poses import interpolate_poses, inverse_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.shapes import Cuboid
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, REVOLUTE, Joint, JointKind, about
from articulata.kinematics.link import Link, Part
from articulata.records.recording import Recording
from articulata.records.segment import Segment
from articulata.world.model import World

POSE: Final = "geometric.pose"

LONGEST: Final = 60.0
"""s for which is told what moves."""
FRAME: Final = 0.02
"""s between two instants at which it is looked at, besides the corners of motions."""
MOST: Final = 20_000
"""Instants."""
_STILL: Final = 1e-6
"""m, and share of a quaternion: what moves less stands still."""


@dataclass(frozen=True, slots=True, eq=False)
class Ride:
    """A frame that is fixed in a ``body``: ``X_BF`` (4, 4)."""

    body: str
    X_BF: Array


@dataclass(frozen=True, slots=True, eq=False)
class Scenery:
    """Poses of ``bodies`` over time: ``poses`` (n, bodies, 7), origin and quaternion, w first.

    ``times`` (n,) s rise from 0 on. What is asked beyond the last of them begins anew: the scene
    goes round.
    """

    bodies: tuple[str, ...]
    times: Array
    poses: Array

    @staticmethod
    def of(recording: Recording, bodies: Collection[str], name: str = "the recording") -> Scenery:
        """Return those of ``bodies`` that move in a recording; RecordingError where none do."""
        times = recording.times
        if len(times) < 2 or not times[-1] > times[0]:
            raise RecordingError(f"{name} has no two frames: nothing moves in it")
        kept = [id for id in bodies if all(id in _labels(s) for s in recording.segments)]
        rows = [
            segment.array(POSE)[:, [_labels(segment).index(id) for id in kept]]
            for segment in recording.segments
        ]
        poses = np.concatenate(rows)
        moves = (np.ptp(poses, axis=0) > _STILL).any(axis=1)
        if not moves.any():
            raise RecordingError(
                f"{name} moves no body of this world; record a run of the world that is filmed"
            )
        if not np.isfinite(poses[:, moves]).all():
            raise RecordingError(f"{name} has bodies that come or go; film a run without them")
        # two frames at one instant are the two sides of an event: the later one counts
        last = np.append(np.diff(times) > 0.0, True)
        chosen = tuple(id for id, each in zip(kept, moves.tolist(), strict=True) if each)
        return Scenery(chosen, times[last] - times[0], poses[last][:, moves])

    @staticmethod
    def followed(world: World, bodies: Collection[str]) -> Scenery | None:
        """Return those of ``bodies`` that move as motions of the world say; None where none does.

        Over the common cycle of what is repeated, at most ``LONGEST`` s.
        """
        model = kinematic_model(world)
        cycles, end = [Fraction(0)], 0.0
        for node in world.figures.values():
            for each in node.follows[-1:]:
                motion = node.motions[each.motion]
                length = motion.frames[-1].time - motion.frames[0].time
                if math.isinf(motion.repeat):
                    cycles.append(Fraction(str(length)))
                    end = max(end, each.start)
                else:
                    end = max(
                        end, each.start + motion.frames[-1].time + (motion.repeat - 1.0) * length
                    )
        whole = [each for each in cycles if each > 0]
        if whole:
            above, below = (each.numerator for each in whole), (each.denominator for each in whole)
            end += min(float(Fraction(math.lcm(*above), math.gcd(*below))), LONGEST)
        end = min(end, LONGEST)
        if end <= 0.0:
            return None
        times, t = [*np.arange(0.0, end, FRAME).tolist(), end], 0.0
        while (t := model.next_break(t)) < end and len(times) < MOST:
            times.append(t)
        instants = np.unique(times)
        poses = {id: X for id, X in model.guided_poses(instants).items() if id in bodies}
        rows = {id: poses_as_rows(X) for id, X in poses.items()}
        moving = [id for id, row in rows.items() if (np.ptp(row, axis=0) > _STILL).any()]
        if not moving:
            return None
        return Scenery(tuple(moving), instants, np.stack([rows[id] for id in moving], axis=1))

    @property
    def duration(self) -> float:
        """The time of the last frame, s."""
        return float(self.times[-1])

    def at(self, t: float) -> Float64[Array, "bodies 4 4"]:
        """Return ``X_WB`` of all ``bodies`` at ``t`` s."""
        k, part = self._place(t)
        X = np.tile(np.eye(4), (2, len(self.bodies), 1, 1))
        X[..., :3, 3] = self.poses[k : k + 2, :, :3]
        X[..., :3, :3] = q_to_matrix(self.poses[k : k + 2, :, 3:])
        return np.asarray(interpolate_poses(X[0], X[1], np.full(len(self.bodies), part)))

    def pose(self, ride: Ride, t: float) -> Float64[Array, "4 4"]:
        """Return ``X_WF`` of a frame that rides on one of ``bodies``."""
        k, part = self._place(t)
        before, after = self._frames(ride, k)
        return np.asarray(interpolate_poses(before, after, part) @ ride.X_BF)

    def velocity(self, ride: Ride, t: float) -> Float64[Array, "3"]:
        """Return how fast its origin moves, m/s, by the frames on both sides of ``t``."""
        k, _ = self._place(t)
        before, after = self._frames(ride, k)
        way = (after @ ride.X_BF)[:3, 3] - (before @ ride.X_BF)[:3, 3]
        return np.asarray(way / (self.times[k + 1] - self.times[k]))

    def _frames(self, ride: Ride, k: int) -> Float64[Array, "2 4 4"]:
        rows = self.poses[k : k + 2, self.bodies.index(ride.body)]
        X = np.tile(np.eye(4), (2, 1, 1))
        X[:, :3, 3], X[:, :3, :3] = rows[:, :3], q_to_matrix(rows[:, 3:])
        return np.asarray(X)

    def _place(self, t: float) -> tuple[int, float]:
        t = t % self.duration
        k = min(int(np.searchsorted(self.times, t, side="right")) - 1, len(self.times) - 2)
        return k, float((t - self.times[k]) / (self.times[k + 1] - self.times[k]))


def _labels(segment: Segment) -> tuple[str, ...]:
    channel = segment.channels.get(POSE)
    return () if channel is None else tuple(channel.labels)


BODY: Final = "the camera"
"""What the camera's body is called in a clash."""


def body_clash(size: tuple[float, float, float], room: Sequence[Obstacle]) -> Clash:
    """Return what a camera's body of ``size`` m may strike.

    It slides along x, y and z of W, then turns about z, y and x.
    """
    axes = np.eye(3).tolist()
    joints = []
    for name, axis in zip("xyzcba", [*axes, *axes[::-1]], strict=True):
        turn = about(axis)
        kind: JointKind = PRISMATIC if name in "xyz" else REVOLUTE
        joints.append(Joint(name, kind, turn, inverse_pose(turn)))
    middle = np.eye(4)
    middle[2, 3] = 0.5 * size[2]
    link = Link(BODY, collisions=(Part(Cuboid(*size), middle),))
    figure = Figure(joints, range(-1, 5), name="camera", links={"a": link})
    return Clash(figure, room, own=False)
