"""Handles in the scene, arrows and rings to drag a place by; and moves that are taken back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_from_matrix, q_to_matrix

MOST_EDITS: Final = 200
"""Moves that can be taken back; older ones are forgotten."""


class Handles:
    """Handles by name. ``moved(name, X)`` is told the pose (4, 4) that a user drags one to.

    ``released(name)`` is told when it is let go. Both are called from other threads than the one
    that places the handles, and only for what a user does.
    """

    def __init__(
        self,
        scene: Any,
        moved: Callable[[str, Array], None],
        released: Callable[[str], None],
        *,
        folder: str = "/targets",
    ) -> None:
        self._scene, self._moved, self._released = scene, moved, released
        self._folder = folder
        self._handles: dict[str, Any] = {}

    def place(
        self, poses: Mapping[str, Array], size: float, *, turns: bool = True, flat: bool = False
    ) -> None:
        """Put a handle at each of ``poses`` (4, 4), and none elsewhere; ``size`` of the scene.

        New ones have rings where it ``turns``; ``flat`` ones move in their own x and y alone, and
        turn about z.
        """
        for name in [each for each in self._handles if each not in poses]:
            self._handles.pop(name).remove()
        for name, X in poses.items():
            handle = self._handles.get(name)
            if handle is None:
                handle = self._handles[name] = self._made(name, size, turns, flat)
            handle.position, handle.wxyz = X[:3, 3], q_from_matrix(X[:3, :3])

    def clear(self) -> None:
        """Take all handles away."""
        self.place({}, 1.0)

    def _made(self, name: str, size: float, turns: bool, flat: bool) -> Any:
        handle = self._scene.add_transform_controls(
            f"{self._folder}/{len(name)}_{name.replace('/', ' ')}",
            scale=0.16 * size,
            line_width=3.0,
            depth_test=False,
            disable_rotations=not turns,
            active_axes=(True, True, not flat),
        )

        def moved(event: Any) -> None:
            if event.client is not None:
                X = make_pose(
                    q_to_matrix(np.asarray(event.target.wxyz, float)), event.target.position
                )
                self._moved(name, X)
                if event.phase == "end":
                    self._released(name)

        handle.on_update(moved)
        return handle


class Edits:
    """What a user has moved, and how each move is taken back; the newest goes first.

    Moves of one thing are one until it is let go, or another is moved. The thread that draws calls
    it.
    """

    def __init__(self) -> None:
        self._back: deque[Callable[[], None]] = deque(maxlen=MOST_EDITS)
        self._going = ""

    def note(self, what: str, back: Callable[[], None]) -> None:
        """Take note that ``what`` is about to be moved; ``back`` moves it to where it is now."""
        if what != self._going:
            self._back.append(back)
            self._going = what

    def settle(self) -> None:
        """Let what is moved next be a move of its own."""
        self._going = ""

    def undo(self) -> None:
        """Take the newest move back, where there is one."""
        self.settle()
        if self._back:
            self._back.pop()()

    def clear(self) -> None:
        """Forget all moves: what they moved is shown no more."""
        self.settle()
        self._back.clear()
