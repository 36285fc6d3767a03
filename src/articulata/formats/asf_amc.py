"""An ASF skeleton as a figure, and AMC motions of it, as motion capture databases give them.

Bones have a direction, a length and turns about their own axes. A bone begins where its parent
ends. Its frame of turning C stands fixed in the rest posture, with the bone's ``axis`` as three
turns about x, y, z of the skeleton; its joints turn about C's axes, the last named first. So
``R_bone = R_parent C Rz Ry Rx C^-1``. The root's place and turn are the base of the figure.

An AMC motion is numbers of every bone, frame by frame.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from articulata.errors import FormatError
from articulata.formats.bvh.bvh_figures import Clip
from articulata.geometry.arrays import Array
from articulata.geometry.euler import q_from_euler
from articulata.geometry.joint_frames import translation
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.figure import Figure, Landmark, Run
from articulata.kinematics.joint import FIXED, REVOLUTE, Joint, about

INCH = 0.0254
AXES: Mapping[str, tuple[float, float, float]] = {
    "rx": (1.0, 0.0, 0.0),
    "ry": (0.0, 1.0, 0.0),
    "rz": (0.0, 0.0, 1.0),
}

ARMS = {"right arm": ("rhumerus", "rhand"), "left arm": ("lhumerus", "lhand")}
"""Chains by the names of their first and last bones, where a skeleton has these."""


@dataclass(slots=True)
class Bone:
    """One bone as its text says: degrees, lengths in the file's unit."""

    name: str
    direction: tuple[float, ...] = (0.0, 0.0, 1.0)
    length: float = 0.0
    axis: tuple[float, ...] = (0.0, 0.0, 0.0)
    dof: tuple[str, ...] = ()
    limits: list[tuple[float, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Skeleton:
    """A figure, and how a motion's numbers become its joint values.

    ``joints`` maps a bone to the figure's joints in the order of the bone's numbers; ``scale`` is
    the unit of length of the files in m; ``root`` the order of the root's numbers.
    """

    figure: Figure
    joints: Mapping[str, tuple[str, ...]]
    scale: float
    root: tuple[str, ...]


def parse_asf(text: str, name: str = "skeleton", *, unit: float = INCH) -> Skeleton:
    """Return the skeleton that ``text`` describes; lengths are in ``unit`` (m) over the file's own.

    The database of Carnegie Mellon writes inches over 0.45. Raises FormatError with the line.
    """
    bones: dict[str, Bone] = {}
    parents: dict[str, str] = {}
    scale = unit
    root: tuple[str, ...] = ("TX", "TY", "TZ", "RX", "RY", "RZ")
    section, bone = "", None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].replace("(", " ").replace(")", " ").split()
        if not words:
            continue
        if words[0].startswith(":"):
            section, bone = words[0][1:].lower(), None
            continue
        try:
            if section == "units" and words[0] == "length":
                scale = unit / float(words[1])
            elif section == "units" and words[0] == "angle" and words[1] != "deg":
                raise FormatError(f"line {number}: angles in {words[1]} are not read, only deg")
            elif section == "root" and words[0] == "order":
                root = tuple(words[1:])
            elif section == "bonedata":
                bone = _bone(words, bone, bones)
            elif section == "hierarchy" and words[0] not in ("begin", "end"):
                parents.update(dict.fromkeys(words[1:], words[0]))
        except (ValueError, IndexError) as error:
            raise FormatError(f"line {number}: {line.strip()!r} cannot be read ({error})") from None
    if not bones:
        raise FormatError("the text has no bones; give an Acclaim skeleton (.asf)")
    return _figure(bones, parents, scale, root, name)


def _bone(words: list[str], bone: Bone | None, bones: dict[str, Bone]) -> Bone | None:
    """Take up a line of a bone; return the bone that the next line goes on with."""
    if words[0] == "begin":
        return Bone("")
    if bone is None:
        raise ValueError("it stands outside a bone")
    if words[0] == "end":
        bones[bone.name] = bone
        return None
    if words[0] == "name":
        bone.name = words[1]
    elif words[0] == "direction":
        bone.direction = tuple(map(float, words[1:4]))
    elif words[0] == "length":
        bone.length = float(words[1])
    elif words[0] == "axis":
        if len(words) > 4 and words[4].upper() != "XYZ":
            raise ValueError(f"axes in the order {words[4]} are not read, only XYZ")
        bone.axis = tuple(map(float, words[1:4]))
    elif words[0] == "dof":
        strange = [word for word in words[1:] if word not in AXES]
        if strange:
            raise ValueError(f"a bone turns by rx, ry, rz, not by {strange[0]}")
        bone.dof = tuple(words[1:])
    elif words[0] == "limits":
        bone.limits.append((float(words[1]), float(words[2])))
    elif bone.limits and len(words) == 2:
        bone.limits.append((float(words[0]), float(words[1])))
    return bone


def _figure(
    bones: Mapping[str, Bone],
    parents: Mapping[str, str],
    scale: float,
    root: tuple[str, ...],
    name: str,
) -> Skeleton:
    joints: list[Joint] = []
    numbers: list[int] = []
    last: dict[str, int] = {"root": -1}
    ends: dict[str, Array] = {"root": np.zeros(3)}
    named: dict[str, tuple[str, ...]] = {}
    waiting = list(bones)
    while waiting:
        ready = [each for each in waiting if parents.get(each, "root") in last]
        if not ready:
            raise FormatError(
                f"bone '{waiting[0]}' hangs on '{parents.get(waiting[0])}', which is no bone"
            )
        for each in ready:
            parent = parents.get(each, "root")
            made = _joints(bones[each], ends[parent])
            for joint in made:
                numbers.append(last[parent] if joint is made[0] else len(joints) - 1)
                joints.append(joint)
            last[each] = len(joints) - 1
            direction = np.array(bones[each].direction)
            ends[each] = scale * bones[each].length * direction / np.linalg.norm(direction)
            by_axis = {joint.name.rpartition(" ")[2]: joint.name for joint in made}
            named[each] = tuple(by_axis[axis] for axis in bones[each].dof)
            waiting.remove(each)
    chains = {
        chain: Run(_first(named, joints, begin), joints[last[end]].name)
        for chain, (begin, end) in ARMS.items()
        if begin in last and end in last
    }
    marks = {
        bone: Landmark(joints[number].name, translation(*ends[bone]))
        for bone, number in last.items()
        if number >= 0
    }
    figure = Figure(joints, numbers, name=name, chains=chains, landmarks=marks, up=(0.0, 1.0, 0.0))
    return Skeleton(figure, named, scale, root)


def _first(named: Mapping[str, tuple[str, ...]], joints: list[Joint], bone: str) -> str:
    """Return the joint nearest to the root among those of a bone."""
    own = set(named[bone]) or {bone}
    return next(joint.name for joint in joints if joint.name in own)


def _joints(bone: Bone, start: Array) -> list[Joint]:
    """Return the bone's joints from its parent on: those named last turn first."""
    C = np.eye(4)
    C[:3, :3] = q_to_matrix(q_from_euler("xyz", np.radians(bone.axis)))
    if not bone.dof:
        X = make_pose(p=start)
        return [Joint(bone.name, FIXED, X_PJ=X)]
    made: list[Joint] = []
    # in the product Rz Ry Rx, whatever the order of the numbers
    for axis in sorted(bone.dof, reverse=True):
        A = about(AXES[axis])
        X_PJ, X_JL = A.copy(), A.T.copy()
        if not made:
            X_PJ = C @ A
            X_PJ[:3, 3] = start
        if axis == sorted(bone.dof)[0]:
            X_JL = A.T @ C.T
        number = bone.dof.index(axis)
        low, high = bone.limits[number] if number < len(bone.limits) else (-math.inf, math.inf)
        limits = (math.radians(low), math.radians(high))
        made.append(Joint(f"{bone.name} {axis}", REVOLUTE, X_PJ=X_PJ, X_JL=X_JL, limits=limits))
    return made


USUAL_RATE = 120.0
"""Frames a second of the database of Carnegie Mellon; the files themselves do not say."""


def parse_amc(text: str, skeleton: Skeleton, *, rate: float = USUAL_RATE) -> Clip:
    """Return the motion in ``text`` of ``rate`` frames a second; raise FormatError with the line.

    A joint that a frame leaves out is as in the frame before, neutral in the first.
    """
    figure, joints = skeleton.figure, skeleton.joints
    columns = {
        bone: np.array([figure.coordinate(name) for name in names], np.int64)
        for bone, names in joints.items()
    }
    postures: list[Array] = []
    bases: list[Array] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words or words[0].startswith(":"):
            continue
        if len(words) == 1 and words[0].isdigit():
            postures.append(postures[-1].copy() if postures else figure.neutral.copy())
            bases.append(bases[-1].copy() if bases else np.eye(4))
            continue
        try:
            values = np.array([float(word) for word in words[1:]])
        except ValueError:
            raise FormatError(f"line {number}: {line.strip()!r} holds no numbers") from None
        if not postures:
            raise FormatError(f"line {number}: numbers of '{words[0]}' come before the first frame")
        if words[0] == "root":
            bases[-1] = _base(values, skeleton, number)
        elif words[0] not in columns:
            raise FormatError(f"line {number}: the skeleton has no bone '{words[0]}'")
        elif len(values) != len(columns[words[0]]):
            raise FormatError(
                f"line {number}: '{words[0]}' turns by {len(columns[words[0]])} numbers, not by"
                f" {len(values)}"
            )
        else:
            postures[-1][columns[words[0]]] = np.radians(values)
    if not postures:
        raise FormatError("the text has no frames; give an Acclaim motion (.amc)")
    return Clip(np.arange(len(postures)) / rate, np.array(postures), np.array(bases))


def _base(values: Array, skeleton: Skeleton, number: int) -> Array:
    if len(values) != len(skeleton.root):
        raise FormatError(
            f"line {number}: the root has {len(skeleton.root)} numbers, not {len(values)}"
        )
    said = dict(zip((each.upper() for each in skeleton.root), values.tolist(), strict=True))
    X = np.eye(4)
    turn = [said.get(f"R{axis}", 0.0) for axis in "XYZ"]
    X[:3, :3] = q_to_matrix(q_from_euler("xyz", np.radians(turn)))
    X[:3, 3] = [skeleton.scale * said.get(f"T{axis}", 0.0) for axis in "XYZ"]
    return X
