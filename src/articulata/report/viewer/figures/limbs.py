"""A figure's links as a tree of frames in the scene: what does not turn is not sent.

Each frame stands in that of the nearest link before it that is drawn. So an arm that moves is three
messages a picture, however many surfaces and fingers hang on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.kinematics.figure import Figure

SAME = 1e-9
"""Places (m) and turns nearer than this have not moved: rounding along a chain is less."""


class Limbs:
    """Frames below ``folder`` of the links that the ``joints`` (numbers, -1 the root) carry."""

    def __init__(self, scene: Any, folder: str, figure: Figure, joints: Iterable[int]) -> None:
        self._joints = np.array(sorted(set(joints)), np.int64)
        rows = {int(joint): row for row, joint in enumerate(self._joints)}
        self._stand = np.full(len(rows), -1, np.int64)
        self._paths: dict[int, str] = {}
        self.handles: list[Any] = []
        for joint, row in rows.items():
            before = joint
            while before >= 0 and self._stand[row] < 0:
                before = figure.parents[before]
                self._stand[row] = rows.get(before, -1)
            stand = (
                folder if self._stand[row] < 0 else self._paths[int(self._joints[self._stand[row]])]
            )
            self._paths[joint] = f"{stand}/{joint + 1}"
            self.handles.append(scene.add_frame(self._paths[joint], show_axes=False))
        self._drawn = np.full((len(rows), 3, 4), np.nan)

    def path(self, joint: int) -> str:
        """Return where in the scene the frame of the link that ``joint`` carries is."""
        return self._paths[joint]

    def draw(self, base: Array, poses: Array) -> None:
        """Move the links to ``poses`` (joints, 4, 4), the root to ``base`` (4, 4)."""
        X = np.concatenate([base[None], poses])[self._joints + 1]
        stands = np.concatenate([np.eye(4)[None], X])[self._stand + 1]
        local = (inverse_pose(stands) @ X)[:, :3]
        same = np.abs(local - self._drawn) <= SAME
        self._drawn = local
        for row in np.flatnonzero(~same.all(axis=(1, 2))).tolist():
            if not same[row, :, 3].all():
                put(self.handles[row], local[row, :, 3].tolist())
            if not same[row, :, :3].all():
                turn(self.handles[row], _quaternion(local[row, :, :3].tolist()))


def _quaternion(R: list[list[float]]) -> list[float]:
    """Return the unit quaternion of one rotation, in floats: a tenth of the time of arrays.

    Its largest component is taken from the diagonal (Shepperd 1978).
    """
    (a, b, c), (d, e, f), (g, h, i) = R
    if a + e + i > 0.0:
        q = [1.0 + a + e + i, h - f, c - g, d - b]
    elif a > e and a > i:
        q = [h - f, 1.0 + a - e - i, b + d, c + g]
    elif e > i:
        q = [c - g, b + d, 1.0 - a + e - i, f + h]
    else:
        q = [d - b, c + g, f + h, 1.0 - a - e + i]
    size = math.sqrt(sum(x * x for x in q))
    return [x / size for x in q]


def put(handle: Any, position: list[float]) -> None:
    """Move a node of the scene.

    viser's own way compares by a function that costs more than the rest of a picture.
    """
    from viser import _messages

    impl = handle._impl
    x, y, z = impl.position[:] = position
    impl.api._queue_scene_message(_messages.SetPositionMessage(impl.name, (x, y, z)))


def turn(handle: Any, wxyz: list[float]) -> None:
    """Turn a node of the scene."""
    from viser import _messages

    impl = handle._impl
    w, x, y, z = impl.wxyz[:] = wxyz
    impl.api._queue_scene_message(_messages.SetOrientationMessage(impl.name, (w, x, y, z)))
