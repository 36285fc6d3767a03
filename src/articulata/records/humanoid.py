"""Avatars' bones as Unity names and orders them, and its axes.

Unity's frame is left-handed: x to the right of who faces along z, y up. A bone's turn is told
against the bone that carries it; in the T posture (arms out to the sides, palms down) all are 0.
Names: Unity's ``HumanBodyBones``. VRM 0.x and 1.0 skeletons have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
