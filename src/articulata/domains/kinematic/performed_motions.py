"""What a figure does at an instant: its motions as functions of time.

A motion that begins blends in from the posture that the one before has then. So the joint values
and the base at any time follow from the figure's node alone, without a state of their own.
F is the figure's frame, M the frame of a performance, W the world.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.easing import EASINGS, FLOWING, flowing, minimum_jerk
from articulata.geometry.poses import interpolate_poses, inverse_pose
from articulata.kinematics.figure import Figure
from articulata.world.figures.nodes import FigureNode, KeyFrame, MotionNode, Performance
from articulata.world.single_frames import multiply
from articulata.world.values import Pose, Quaternion

SAME = 1e-9
"""Postures nearer than this (rad, m) need no blending."""


@dataclass(frozen=True, slots=True, eq=False)
class Performer:
    """A figure and what it does; ``upright`` turns its frame so that it stands in the world.

    ``fixed``: its base stays where it stands.
    """

    node: FigureNode
    figure: Figure
    upright: Quaternion
    fixed: bool
    _kept: dict[int, tuple[tuple[Array, Array], tuple[Array, Array, Array]]] = field(
        default_factory=dict
    )

    def at(self, time: float) -> tuple[Array, Array]:
        """Return joint values (dof,), rad and m, and ``X_WF`` (4, 4) at ``time`` (s)."""
        return self._after(len(self.node.follows), time)

    def start(self) -> tuple[Array, Array]:
        """Return what it is placed in."""
        return self.figure.vector(self.node.values), self.node.stand.matrix()

    def _after(self, count: int, time: float) -> tuple[Array, Array]:
        """Return what the first ``count`` performances make of the figure at ``time``."""
        last = count
        while last > 0 and self.node.follows[last - 1].start > time:
            last -= 1
        if last == 0:
            return self.start()
        now = self.node.follows[last - 1]
        motion = self.node.motions[now.motion]
        if last not in self._kept:
            found = self._after(last - 1, now.start)
            self._kept[last] = found, self._keyed(motion, now, found)
        begun, keyed = self._kept[last]
        return _within(motion, begun, keyed, time - now.start)

    def _keyed(
        self, motion: MotionNode, now: Performance, begun: tuple[Array, Array]
    ) -> tuple[Array, Array, Array]:
        """Return times (n,), joint values (n, dof) and bases ``X_WF`` (n, 4, 4) of key frames."""
        q, X_WF = begun
        times, values, bases = [], [], []
        if motion.frames[0].time > 0.0:
            times.append(0.0)
            values.append(q)
            bases.append(X_WF)
        for frame in motion.frames:
            q = self.figure.vector(frame.values, q)
            if frame.mark:
                X_WF = now.frame.matrix() @ self._base(frame, q)
            times.append(frame.time)
            values.append(q)
            bases.append(X_WF)
        apart = float(np.max(np.abs(values[-1] - values[0]), initial=0.0))
        if motion.repeat > 1.0 and (motion.frames[0].time > 0.0 or apart > SAME):
            raise ModelError(
                f"{motion.span}: motion '{motion.name}' of figure '{self.node.id}' is repeated, "
                "but it does not begin at 0 s in the posture in which it ends; let its key frame "
                "at 0 s and its last one hold the same joint values"
            )
        if self.fixed and any(frame.mark for frame in motion.frames):
            raise ModelError(
                f"{motion.span}: motion '{motion.name}' moves the base of figure "
                f"'{self.node.id}', which is fixed; take (fixed) from its place, or the places "
                "from its key frames"
            )
        return np.array(times), np.array(values), np.array(bases)

    def _base(self, frame: KeyFrame, q: Array) -> Array:
        """Return ``X_MF``: the figure upright and turned, its mark at the frame's point."""
        X_MF = Pose(orientation=multiply(frame.turn, self.upright)).matrix()
        X_MF[:3, 3] = frame.point - X_MF[:3, :3] @ self.mark(frame.mark, q)[:3, 3]
        return X_MF

    def next_break(self, time: float) -> float:
        """Return the next instant (s) after ``time`` at which its motion may have a corner."""
        found = [each.start for each in self.node.follows]
        playing = [each for each in self.node.follows if each.start <= time]
        if playing:
            now = playing[-1]
            motion = self.node.motions[now.motion]
            times = [0.0, *(frame.time for frame in motion.frames)]
            begin = motion.frames[0].time
            length = motion.frames[-1].time - begin
            found.append(now.start + motion.blend)
            rounds = 0.0
            if length > 0.0:
                done = math.floor((time - now.start - begin) / length)
                rounds = min(max(float(done), 0.0), motion.repeat - 1.0)
            for each in (rounds, rounds + 1.0):
                if each <= motion.repeat - 1.0:
                    found += [now.start + at + each * length for at in times]
        near = time + 1e-12 * (1.0 + abs(time))
        return min((at for at in found if at > near), default=math.inf)

    def mark(self, name: str, q: Array) -> Array:
        """Return ``X_FP`` (4, 4) of a landmark, sensor, joint or link at joint values ``q``."""
        if name == "base":
            return np.eye(4)
        figure = self.figure
        if name not in (*figure.landmarks, *figure.sensors):
            numbers = [
                k for k, joint in enumerate(figure.joints) if name in (joint.name, joint.link)
            ]
            if not numbers:
                raise ModelError(f"figure '{self.node.id}' has no place '{name}'")
            return np.asarray(inverse_pose(figure.base) @ figure.poses(q)[numbers[0]])
        found = figure.landmarks.get(name) or figure.sensors[name]
        X_FL = np.eye(4)
        if found.joint:
            X_FL = inverse_pose(figure.base) @ figure.poses(q)[figure.index(found.joint)]
        return np.asarray(X_FL @ found.X_LP)

    def links(self, q: Array, X_WF: Array) -> Mapping[str, Array]:
        """Return ``X_WB`` (*batch, 4, 4) of the bodies derived from the figure.

        ``q`` (*batch, dof) are joint values, ``X_WF`` (*batch, 4, 4) poses of its frame.
        """
        X_WL = X_WF[..., None, :, :] @ (inverse_pose(self.figure.base) @ self.figure.poses(q))
        return {
            id: X_WF if not joint else X_WL[..., self.figure.index(joint), :, :]
            for id, joint in self.node.carriers.items()
        }


def _within(
    motion: MotionNode, begun: tuple[Array, Array], keyed: tuple[Array, Array, Array], t: float
) -> tuple[Array, Array]:
    """Return the figure ``t`` s after a motion began at joint values and a base ``begun``."""
    times, values, bases = keyed
    found = _played(motion, times, values, bases, t)
    gap = max(
        float(np.max(np.abs(values[0] - begun[0]), initial=0.0)),
        float(np.max(np.abs(bases[0] - begun[1]))),
    )
    if t >= motion.blend or gap <= SAME:
        return found
    share = minimum_jerk(t / motion.blend)
    X_WF = _between(begun[1], found[1], share)
    return begun[0] + share * (found[0] - begun[0]), X_WF


def _between(X0: Array, X1: Array, share: float) -> Array:
    """Return the pose a share of the way; where only the place differs the turn stays as it is."""
    if not np.array_equal(X0[:3, :3], X1[:3, :3]):
        return interpolate_poses(X0, X1, share)
    X = X0.copy()
    X[:3, 3] += share * (X1[:3, 3] - X0[:3, 3])
    return X


def _played(
    motion: MotionNode, times: Array, values: Array, bases: Array, t: float
) -> tuple[Array, Array]:
    """Return joint values and base ``t`` s after the beginning, repetitions counted."""
    begin, length = float(times[0]), float(times[-1] - times[0])
    rounds = 0.0
    if length > 0.0 and t > times[-1]:
        rounds = min(float(math.floor((t - begin) / length)), motion.repeat - 1.0)
        t -= rounds * length
    t = min(max(t, begin), float(times[-1]))
    if len(times) == 1:
        q, X_WF = values[0], bases[0]
    else:
        k = min(int(np.searchsorted(times, t, side="right")) - 1, len(times) - 2)
        s = (t - float(times[k])) / float(times[k + 1] - times[k])
        if motion.ease == FLOWING:
            q = flowing(times, values, k, t)
            X_WF = _between(bases[k], bases[k + 1], s)
            X_WF[:3, 3] = flowing(times, bases[:, :3, 3], k, t)
        else:
            s = EASINGS[motion.ease](s)
            q = values[k] + s * (values[k + 1] - values[k])
            X_WF = _between(bases[k], bases[k + 1], s)
    if rounds:
        # Each round goes on where the one before has come to.
        way = bases[-1] @ inverse_pose(bases[0])
        X_WF = np.linalg.matrix_power(way, int(rounds)) @ X_WF
    return q, X_WF
