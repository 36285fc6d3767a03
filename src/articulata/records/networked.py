"""A figure as a network carries it: where it is, what its joints are, how well it is heard.

Avatars have bones as Unity names and orders them, in its axes. Unity's frame is left-handed: x to
the right of who faces along z, y up. A bone's turn is told against the bone that carries it; in the
T posture (arms out to the sides, palms down) all are 0. Names: Unity's ``HumanBodyBones``. VRM 0.x
and 1.0 skeletons have them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from articulata.geometry.arrays import Array

STANDING = "standing"
"""What a body does that nothing else is said of."""


@dataclass(frozen=True, slots=True)
class NetworkedLook:
    """What changes seldom of a networked figure.

    ``figure`` is it as a text has it ("person(1.75 m)"), "" where a sender does not say;
    ``stance`` is what the body does, ``weapon`` how one is carried ("slung", "deployed", "").
    """

    name: str = ""
    figure: str = ""
    stance: str = STANDING
    weapon: str = ""


class NetworkedPosture(NamedTuple):
    """A figure of ours at ``time`` (s), as it is to be sent.

    ``p_EB`` (3,) m and ``R_EB`` (3, 3) are its place and its axes (x ahead, y right, z down) in
    the geocentric frame E; ``angles`` rad are the values of ``joints``. ``doing`` is a motion of
    the figure's text, and since when (s before) it goes on, where that tells the angles as well.
    """

    time: float
    p_EB: Array
    R_EB: Array
    joints: tuple[str, ...]
    angles: Array
    doing: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Reception:
    """How a figure is heard.

    ``rate`` in packets a second and ``bytes`` of them a second; ``loss`` is the share that did
    not come (NaN where packets are not numbered), ``age`` (s) that of the newest packet,
    ``latency`` (s) what it took plus what is waited on purpose, NaN where clocks cannot be
    compared. ``jump`` is by how much the newest packet corrected where the figure was shown: m,
    and rad at the worst joint.
    """

    rate: float
    bytes: float
    loss: float
    age: float
    latency: float
    jump: tuple[float, float]


Quaternion = tuple[float, float, float, float]
Point = tuple[float, float, float]

_SPINE = ("Hips", "Spine", "Chest", "UpperChest", "Neck", "Head")
_ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
_LEG = ("UpperLeg", "LowerLeg", "Foot")

PARENTS: Mapping[str, str] = MappingProxyType(
    {"Hips": ""}
    | dict(zip(_SPINE[1:], _SPINE, strict=False))
    | {
        side + part: root if k == 0 else side + limb[k - 1]
        for side in ("Left", "Right")
        for limb, root in ((_ARM, "UpperChest"), (_LEG, "Hips"))
        for k, part in enumerate(limb)
    }
)
"""The bone that carries each; those after it stand later."""


def level_of_unity(q: Quaternion) -> Quaternion:
    """Return a turn of Unity's (w first) in a level frame: x ahead, y to the right, z down.

    A mirrored frame turns the other way about what the mirror leaves.
    """
    w, x, y, z = q
    return w, -z, -x, y


def place_of_unity(p: Point) -> Point:
    """Return a place of Unity's, m, in the level frame."""
    x, y, z = p
    return z, x, -y


class HumanoidFrame(NamedTuple):
    """An avatar at ``time`` (s): ``names`` of its bones, in the order of PARENTS.

    ``p`` (n, 3) m are where they begin and ``R`` (n, 3, 3) their turns since the T posture, both
    in Unity's frame, whose origin lies on the ground.
    """

    time: float
    names: tuple[str, ...]
    p: Array
    R: Array


def carrier(bone: str, names: Container[str]) -> str:
    """Return the bone of ``names`` that carries a bone, "" where none does."""
    above = PARENTS[bone]
    while above and above not in names:
        above = PARENTS[above]
    return above
