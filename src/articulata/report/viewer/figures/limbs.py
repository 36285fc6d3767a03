"""A figure's links as a tree of frames in the scene: what does not turn is not sent.

Each frame stands in that of the nearest link before it that is drawn. So an arm that moves is three
messages a picture, however many surfaces and fingers hang on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from articulata.geometry.arrays import Array
from articulata.kernels.chains.limb_frames import PLACED, TURNED
from articulata.kinematics.figure import Figure
from articulata.kinematics.link_frames import LinkFrames
from articulata.report.viewer.wire import Wire

SAME = 1e-9
"""Places (m) and turns nearer than this have not moved: rounding along a chain is less."""


class Limbs:
    """Frames below ``folder`` of the links that the ``joints`` (numbers, -1 the root) carry."""

    def __init__(self, scene: Any, folder: str, figure: Figure, joints: Iterable[int]) -> None:
        links = sorted(set(joints))
        rows = {joint: row for row, joint in enumerate(links)}
        stands = [-1] * len(rows)
        self._paths: dict[int, str] = {}
        self.handles: list[Any] = []
        for joint, row in rows.items():
            before = joint
            while before >= 0 and stands[row] < 0:
                before = figure.parents[before]
                stands[row] = rows.get(before, -1)
            stand = folder if stands[row] < 0 else self._paths[links[stands[row]]]
            self._paths[joint] = f"{stand}/{joint + 1}"
            self.handles.append(scene.add_frame(self._paths[joint], show_axes=False))
        self._frames = LinkFrames(figure, links, stands, same=SAME)
        self._figure = figure

    def path(self, joint: int) -> str:
        """Return where in the scene the frame of the link that ``joint`` carries is."""
        return self._paths[joint]

    def draw(self, figure: Figure, q: Array, wire: Wire | None = None) -> Array:
        """Move the links to posture ``q`` (dof,) of the figure, or of one that is alike.

        Returns their poses (joints, 4, 4), which hold until the next posture is drawn.
        """
        frames = self._frames
        if figure is not self._figure:
            frames = LinkFrames(figure, frames.links, frames.stands, same=SAME)
            frames.rows[:] = self._frames.rows
            self._figure, self._frames = figure, frames
        for row, moved in enumerate(frames.place(q).tolist()):
            if moved:
                frame = frames.rows[row].tolist()
                if moved & PLACED:
                    put(self.handles[row], frame[:3], wire)
                if moved & TURNED:
                    turn(self.handles[row], frame[3:], wire)
        return frames.poses


def put(handle: Any, position: list[float], wire: Wire | None = None) -> None:
    """Move a node of the scene, by ``wire`` where there is one.

    viser's own way compares by a function that costs more than the rest of a picture.
    """
    impl = handle._impl
    if wire is not None:
        wire.put(impl, position)
        return
    from viser import _messages

    x, y, z = impl.position[:] = position
    impl.api._queue_scene_message(_messages.SetPositionMessage(impl.name, (x, y, z)))


def turn(handle: Any, wxyz: list[float], wire: Wire | None = None) -> None:
    """Turn a node of the scene, by ``wire`` where there is one."""
    impl = handle._impl
    if wire is not None:
        wire.turn(impl, wxyz)
        return
    from viser import _messages

    w, x, y, z = impl.wxyz[:] = wxyz
    impl.api._queue_scene_message(_messages.SetOrientationMessage(impl.name, (w, x, y, z)))
