"""A figure's links as a tree of frames in the scene: what does not turn is not sent.

Each frame stands in that of the nearest link before it that is drawn. So an arm that moves is three
messages a picture, however many surfaces and fingers hang on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kernels.chains.limb_frames import PLACED, TURNED, limb_frames
from articulata.kinematics.figure import Figure
from articulata.report.viewer.wire import Wire

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
        self._drawn = np.full((len(rows), 7), np.nan)
        self._moved = np.zeros(len(rows), np.int64)

    def path(self, joint: int) -> str:
        """Return where in the scene the frame of the link that ``joint`` carries is."""
        return self._paths[joint]

    def draw(self, base: Array, poses: Array, wire: Wire | None = None) -> None:
        """Move the links to ``poses`` (joints, 4, 4), the root to ``base`` (4, 4)."""
        limb_frames(base, poses, self._joints, self._stand, SAME, self._drawn, self._moved)
        for row, moved in enumerate(self._moved.tolist()):
            if moved:
                frame = self._drawn[row].tolist()
                if moved & PLACED:
                    put(self.handles[row], frame[:3], wire)
                if moved & TURNED:
                    turn(self.handles[row], frame[3:], wire)


def put(handle: Any, position: list[float], wire: Wire | None = None) -> None:
    """Move a node of the scene, by ``wire`` where there is one.

    viser's own way compares by a function that costs more than the rest of a picture.
    """
    impl = handle._impl
    x, y, z = impl.position[:] = position
    if wire is not None:
        wire.put(impl, (x, y, z))
        return
    from viser import _messages

    impl.api._queue_scene_message(_messages.SetPositionMessage(impl.name, (x, y, z)))


def turn(handle: Any, wxyz: list[float], wire: Wire | None = None) -> None:
    """Turn a node of the scene, by ``wire`` where there is one."""
    impl = handle._impl
    w, x, y, z = impl.wxyz[:] = wxyz
    if wire is not None:
        wire.turn(impl, (w, x, y, z))
        return
    from viser import _messages

    impl.api._queue_scene_message(_messages.SetOrientationMessage(impl.name, (w, x, y, z)))
