"""Avatars' bones as Unity names and orders them, and its axes.

Unity's frame is left-handed: x to the right of who faces along z, y up. A bone's turn is told
against the bone that carries it; in the T posture (arms out to the sides, palms down) all are 0.
Names: Unity's ``HumanBodyBones``. VRM 0.x and 1.0 skeletons have them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import NamedTuple

from articulata.geometry.arrays import Array

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
