"""An avatar in Unity's left-handed frame, computed here by matrices of its own.

Nothing of the product's conventions is used: bones carry each other, quaternions turn by the
formula, x is to the right, y up, z ahead.
"""

from __future__ import annotations

import numpy as np

from osc_bytes import written

CHAIN = {
    "Hips": None, "Spine": "Hips", "Chest": "Spine", "Neck": "Chest", "Head": "Neck",
    "RightShoulder": "Chest", "RightUpperArm": "RightShoulder", "RightLowerArm": "RightUpperArm",
    "RightHand": "RightLowerArm", "LeftShoulder": "Chest", "LeftUpperArm": "LeftShoulder",
    "LeftLowerArm": "LeftUpperArm", "LeftHand": "LeftLowerArm",
}  # fmt: skip
"""Bones of an avatar without an upper chest, which VRM leaves open."""

ALONG = {"Right": np.array((1.0, 0.0, 0.0)), "Left": np.array((-1.0, 0.0, 0.0))}
"""Where an arm points in the T posture."""


def turn(axis: tuple[float, float, float], degrees: float) -> np.ndarray:
    """x, y, z, w of a turn."""
    unit = np.array(axis) / np.linalg.norm(axis)
    half = np.radians(degrees) / 2
    return np.append(np.sin(half) * unit, np.cos(half))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x, y, z, w of the turn b and then a."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def matrix(xyzw: np.ndarray) -> np.ndarray:
    x, y, z, w = xyzw
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def globals_of(bones: dict[str, np.ndarray], root: np.ndarray | None = None) -> dict:
    """How each bone is turned in the scene, (3, 3), by what it is against its parent."""
    start = np.eye(3) if root is None else matrix(root)
    found: dict = {}
    for name, parent in CHAIN.items():
        above = start if parent is None else found[parent]
        found[name] = above @ matrix(bones.get(name, np.array((0.0, 0.0, 0.0, 1.0))))
    return found


def bone(name: str, xyzw: np.ndarray, address: str = "/VMC/Ext/Bone/Pos") -> bytes:
    return written(address, "sfffffff", name, 0.1, 0.2, 0.3, *map(float, xyzw))


def frame(bones: dict[str, np.ndarray], root: np.ndarray | None = None) -> list[bytes]:
    """The messages of a frame as performers send them."""
    parts = [written("/VMC/Ext/OK", "i", 1), written("/VMC/Ext/T", "f", 12.5)]
    if root is not None:
        parts.append(bone("root", root, "/VMC/Ext/Root/Pos"))
    parts += [bone(each, bones.get(each, np.array((0.0, 0.0, 0.0, 1.0)))) for each in CHAIN]
    parts += [bone("LeftIndexProximal", turn((0, 0, 1), 20)), bone("Jaw", turn((1, 0, 0), 9))]
    return [*parts, written("/VMC/Ext/Blend/Val", "sf", "Joy", 0.5),
            written("/VMC/Ext/Blend/Apply", "")]  # fmt: skip
