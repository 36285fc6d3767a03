"""BVH and figures: a file's bones as a figure with its clip, a figure's clip as a file.

A bone of a file is one joint for each channel that turns it. Written are the links of a figure:
joints that meet in a point are one bone. A BVH rests where all its bones are turned alike, so that
the figure's rest is that of its joints at 0, whatever frames its joints have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.errors import FormatError
from articulata.formats.bvh.text import PLACES, TURNS, Bone, Motion
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.euler import q_about_axis, q_to_euler
from articulata.geometry.poses import inverse_pose, make_pose
from articulata.geometry.quaternion import q_from_matrix, q_slerp, q_to_matrix
from articulata.kinematics.figure import Figure, Landmark
from articulata.kinematics.joint import FIXED, REVOLUTE, Joint, about


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A motion: ``times`` (n,) s, joint values ``q`` (n, dof) rad, bases ``X_WF`` (n, 4, 4)."""

    times: Array
    q: Array
    X_WF: Array


CENTIMETRE = 0.01
UNITS: Mapping[str, tuple[float, float, float]] = dict(
    zip(TURNS, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True)
)
ORDER = ("Zrotation", "Xrotation", "Yrotation")
"""The turns of what is written: the usual ones, which lock where a limb points along its x axis."""

APART = 1e-9
"""m: joints nearer than this to each other meet in a point."""

MOVED = 1e-6
"""m: a bone that moves less than this in its parent has no places of its own."""


def figure_of_bvh(
    motion: Motion, name: str = "skeleton", *, unit: float = CENTIMETRE
) -> tuple[Figure, Clip]:
    """Return the figure of a motion's bones and its clip; lengths are in ``unit`` (m), y is up.

    Raises FormatError where there are several roots, or where a bone moves in its parent.
    """
    if sum(bone.parent < 0 for bone in motion.bones) > 1:
        raise FormatError("the motion has several roots; give one for each figure")
    joints: list[Joint] = []
    parents: list[int] = []
    marks: dict[str, Landmark] = {}
    last: dict[int, int] = {}
    q: list[Array] = []
    bases = np.tile(np.eye(4), (len(motion.values), 1, 1))
    at = 0
    for number, bone in enumerate(motion.bones):
        values = motion.values[:, at : at + len(bone.channels)]
        at += len(bone.channels)
        if bone.parent < 0:
            bases = _placed(bone, values, unit)
            last[number] = -1
        else:
            last[number] = _hung(bone, values, unit, last[bone.parent], joints, parents, q)
        carrier = joints[last[number]].name if last[number] >= 0 else ""
        for count, end in enumerate(bone.ends):
            X = make_pose(p=unit * np.array(end))
            marks[f"{bone.name} end {count + 1}" if count else f"{bone.name} end"] = Landmark(
                carrier, X
            )
    if not joints:
        raise FormatError("the motion has a root alone; a figure has joints")
    figure = Figure(joints, parents, name=name, landmarks=marks, up=(0.0, 1.0, 0.0))
    times = np.asarray(motion.period * np.arange(len(motion.values)), np.float64)
    return figure, Clip(times, np.radians(np.array(q).T).reshape(len(times), -1), bases)


def _placed(bone: Bone, values: Array, unit: float) -> Array:
    """Return the poses (n, 4, 4) of the root."""
    X = np.tile(np.eye(4), (len(values), 1, 1))
    X[:, :3, 3] = unit * np.array(bone.offset)
    for channel, column in zip(bone.channels, values.T, strict=True):
        step = np.tile(np.eye(4), (len(values), 1, 1))
        if channel in PLACES:
            step[:, PLACES.index(channel), 3] = unit * column
        else:
            turn = q_about_axis(TURNS.index(channel), np.radians(column))
            step[:, :3, :3] = q_to_matrix(turn)
        X = X @ step
    return X


def _hung(
    bone: Bone,
    values: Array,
    unit: float,
    parent: int,
    joints: list[Joint],
    parents: list[int],
    q: list[Array],
) -> int:
    """Append the joints of a bone and their values; return the number of the last."""
    offset = np.array(bone.offset)
    for channel, column in zip(bone.channels, values.T, strict=True):
        if channel in PLACES:
            if np.ptp(column) * unit > MOVED:
                raise FormatError(
                    f"bone '{bone.name}' moves in its parent by {channel}, which no joint of a"
                    " figure does; give a motion whose bones only turn"
                )
            # what stands there is the bone's offset again, in most files
            offset[PLACES.index(channel)] = column[0]
    turning = [
        (channel, column)
        for channel, column in zip(bone.channels, values.T, strict=True)
        if channel in TURNS
    ]
    X = make_pose(p=unit * offset)
    if not turning:
        joints.append(Joint(bone.name, FIXED, X_PJ=X))
        parents.append(parent)
        return len(joints) - 1
    for number, (channel, column) in enumerate(turning):
        A = about(UNITS[channel])
        joints.append(
            Joint(
                f"{bone.name} {channel[0].lower()}",
                REVOLUTE,
                X_PJ=X @ A if number == 0 else A,
                X_JL=A.T,
                link=bone.name if number == len(turning) - 1 else "",
            )
        )
        parents.append(parent if number == 0 else len(joints) - 2)
        q.append(column)
    return len(joints) - 1


def motion_of(
    figure: Figure, clip: Clip, *, up: npt.ArrayLike = (0.0, 1.0, 0.0), unit: float = CENTIMETRE
) -> Motion:
    """Return a figure's clip as bones and numbers; ``up`` (3,) is up in W and y in the file.

    Frames are evenly apart, as near as there are frames in the clip: a file knows no other times.
    Between two frames of the clip bones turn the short way, not their joints: one posture may have
    two sets of joint values, between which lies another posture.
    """
    q, X_WF = clip.q, clip.X_WF
    even = _even(np.asarray(clip.times, float))
    turn = np.eye(4)
    turn[:3, :3] = _to_y(np.asarray(up, float))
    rest = np.concatenate([figure.base[None], figure.poses(np.zeros(figure.dof))])
    X_FL = inverse_pose(figure.base) @ figure.poses(q)
    X = np.concatenate([np.tile(np.eye(4), (len(q), 1, 1, 1)), X_FL], axis=1)
    X = turn @ X_WF[:, None] @ X
    # a file rests with all bones turned alike: as the figure stands upright
    upright = np.eye(4)
    upright[:3, :3] = _to_y(figure.up)
    rest = upright @ rest
    links = _links(figure)
    G = X[:, :, :3, :3] @ np.swapaxes(rest[:, :3, :3], 1, 2)
    bones: list[Bone] = []
    columns: list[Array] = []
    rows = {joint: row for row, (joint, _) in enumerate(links)}
    for joint, parent in links:
        number = joint + 1
        before = rows[parent] if parent >= -1 else -1
        stand = parent + 1 if parent >= -1 else -1
        offset = rest[number, :3, 3] - (rest[stand, :3, 3] if stand >= 0 else rest[number, :3, 3])
        R = G[:, number] if stand < 0 else np.swapaxes(G[:, stand], 1, 2) @ G[:, number]
        p = X[:, number, :3, 3]
        if stand >= 0:
            p = np.einsum("nji,nj->ni", G[:, stand], p - X[:, stand, :3, 3])
        p = even.places(p)
        angles = np.degrees(q_to_euler("ZXY", even.turns(R)).angles)
        channels: tuple[str, ...] = ORDER
        if stand < 0 or np.max(np.abs(p - offset)) > MOVED:
            # places are told beside the offset; a root's offset is 0
            channels = (*PLACES, *ORDER)
            columns.append(((p - offset) if stand >= 0 else p) / unit)
        columns.append(angles)
        name = figure.root.name or "root" if joint < 0 else _name(figure, joint)
        x, y, z = (offset / unit).tolist()
        bones.append(Bone(name, before, (x, y, z), channels, _ends(figure, joint, links, unit)))
    return Motion(tuple(bones), np.concatenate(columns, axis=1), even.period)


def _name(figure: Figure, joint: int) -> str:
    link = figure.links[figure.joints[joint].name].name
    return link or figure.joints[joint].name


def _ends(
    figure: Figure, joint: int, links: list[tuple[int, int]], unit: float
) -> tuple[tuple[float, float, float], ...]:
    """Return where a bone ends that carries no other: at its farthest landmark, or 5 cm on."""
    if any(parent == joint for _, parent in links):
        return ()
    name = figure.joints[joint].name if joint >= 0 else ""
    marks = [m.X_LP[:3, 3] for m in figure.landmarks.values() if m.joint == name]
    far = max(marks, key=lambda p: float(p @ p), default=np.array((0.0, -0.05, 0.0)))
    upright = _to_y(figure.up)
    rest = figure.base if joint < 0 else figure.poses(np.zeros(figure.dof))[joint]
    x, y, z = (upright @ rest[:3, :3] @ far / unit).tolist()
    return ((x, y, z),)


def _links(figure: Figure) -> list[tuple[int, int]]:
    """Return the joints whose links are bones, as a walk through the tree, with what they hang on.

    -1 is the root, which hangs on -2. A joint whose only child turns about the origin of its own
    link is none: the child's link stands for both.
    """
    children: dict[int, list[int]] = {}
    for number, parent in enumerate(figure.parents):
        children.setdefault(parent, []).append(number)

    def passes(number: int) -> bool:
        below = children.get(number, [])
        if number < 0 or len(below) != 1 or figure.joints[number].kind != REVOLUTE:
            return False
        if figure.joints[below[0]].kind != REVOLUTE:
            return False
        link = figure.links[figure.joints[number].name]
        step = figure.joints[below[0]].X_PJ[:3, 3]
        return float(np.linalg.norm(step)) < APART and not link.visuals and link.mass == 0.0

    found: list[tuple[int, int]] = []

    def walk(number: int, parent: int) -> None:
        if passes(number):
            walk(children[number][0], parent)
            return
        found.append((number, parent))
        for child in children.get(number, []):
            walk(child, number)

    walk(-1, -2)
    return found


class _Even(NamedTuple):
    """Frames evenly apart: frame ``before`` (n,) and the one after it, ``share`` (n,) on the way.

    ``same`` says that they are the clip's own.
    """

    period: float
    before: IntArray
    share: Array
    same: bool

    def places(self, p: Array) -> Array:
        """Return places (n, ...) of the clip's frames at these, straight between them."""
        if self.same:
            return p
        share = self.share.reshape(-1, *(1,) * (p.ndim - 1))
        return p[self.before] + share * (p[self.before + 1] - p[self.before])

    def turns(self, R: Array) -> Array:
        """Return orientations (n, 3, 3) as quaternions (n, 4) at these, the short way between."""
        q = q_from_matrix(R)
        return q if self.same else q_slerp(q[self.before], q[self.before + 1], self.share)


def _even(times: Array) -> _Even:
    """Return frames evenly apart for ``times`` (n,) s that rise."""
    if len(times) < 2:
        return _Even(1.0 / 60.0, np.zeros(len(times), np.int64), np.zeros(len(times)), True)
    steps = np.diff(times)
    if np.any(steps <= 0.0):
        raise FormatError("times of a motion rise; leave out frames of the same instant")
    period = float(np.median(steps))
    count = max(round((times[-1] - times[0]) / period), 1)
    period = float(times[-1] - times[0]) / count
    even = times[0] + period * np.arange(count + 1)
    same = len(even) == len(times) and bool(np.max(np.abs(even - times)) < 1e-9)
    k = np.clip(np.searchsorted(times, even, side="right") - 1, 0, len(times) - 2)
    return _Even(period, k, np.clip((even - times[k]) / steps[k], 0.0, 1.0), same)


def _to_y(up: Array) -> Array:
    """Return the matrix that turns ``up`` to y by the shortest way."""
    up = up / np.linalg.norm(up)
    axis = np.cross(up, (0.0, 1.0, 0.0))
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        return np.eye(3) if up[1] > 0.0 else np.diag((1.0, -1.0, -1.0))
    angle = float(np.arctan2(length, up[1]))
    return np.asarray(
        q_to_matrix(np.append(np.cos(0.5 * angle), np.sin(0.5 * angle) * axis / length))
    )
