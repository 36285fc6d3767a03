"""Marks of joints on a viser scene: they move with the bodies that they are on."""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply, q_rotate
from articulata.geometry.shapes import Shape
from articulata.report.colors import Color
from articulata.report.viewer.batches import Batch, drawable, stretched
from articulata.report.viewer.motion import Motion, ShownMark

COLOR: Color = (74, 80, 91)
"""Dark: most bodies are lighter."""


class Joints:
    """Draws the joint marks of a motion, one batch for pins and guides and one for balls."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._batches: list[Batch] = []
        self._marks: tuple[ShownMark, ...] = ()
        self._on = np.empty(0, np.int64)
        self._X_BM = np.empty((0, 7))

    def show(self, motion: Motion) -> None:
        """Replace the marks that are shown by those of ``motion``."""
        for batch in self._batches:
            batch.remove()
        self._batches = []
        numbers = {look.id: number for number, look in enumerate(motion.looks)}
        self._marks = tuple(each for each in motion.marks if each.mark.body in numbers)
        if not self._marks:
            return
        marks = [each.mark for each in self._marks]
        self._on = np.array([numbers[mark.body] for mark in marks])
        self._X_BM = np.array([(*mark.X_BM.position, *mark.X_BM.orientation) for mark in marks])
        groups: dict[Shape, list[int]] = {}
        for number, mark in enumerate(marks):
            groups.setdefault(stretched(mark.shape)[0], []).append(number)
        for number, (shape, members) in enumerate(groups.items()):
            sizes = [stretched(marks[i].shape)[1] for i in members]
            colors = np.tile(np.array(COLOR, np.int64), (len(members), 1))
            name = f"/joints/{number}"
            self._batches.append(
                Batch(self._scene, name, np.array(members), shape, np.array(sizes), colors)
            )

    def draw(self, poses: Array, frame: int) -> None:
        """Move every mark with its body, whose poses are (bodies, 7); ``frame`` tells which are."""
        if not self._marks:
            return
        here, there = drawable(poses_of(poses[self._on], self._X_BM))
        there &= np.array([each.stands(frame) for each in self._marks])
        for batch in self._batches:
            batch.draw(here, there)

    def extend(self, motion: Motion) -> bool:
        """Take up more frames; False where there are other marks than before."""
        known = {look.id for look in motion.looks}
        marks = tuple(each for each in motion.marks if each.mark.body in known)
        if [each.mark for each in marks] != [each.mark for each in self._marks]:
            return False
        self._marks = marks
        return True


def poses_of(X_WB: Array, X_BM: Array) -> Array:
    """Return poses X_WM (n, 7) of marks on bodies at X_WB (n, 7); NaN where no body is."""
    p = X_WB[:, :3] + q_rotate(X_WB[:, 3:], X_BM[:, :3])
    return np.concatenate([p, q_multiply(X_WB[:, 3:], X_BM[:, 3:])], axis=1)
