"""Forces on a viser server: arrows of one scale, and dots where contacts press."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from articulata.report.arrows import LONGEST, Arrows, drawn

SHARE = 0.2
"""Length of a usual arrow as a share of the scene's size."""

NOTHING = np.zeros((1, 2, 3), np.float32)


class Pointers:
    """Draws the arrows of a motion, kind by kind; all have the same scale."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._nodes: list[Any] = []
        self._shown: list[tuple[Arrows, Any, Any]] = []
        self._chosen: Mapping[str, bool] = {}
        self._size = self._usual = self._length = 1.0

    def show(self, arrows: Sequence[Arrows], size: float) -> None:
        """Replace what is drawn by ``arrows`` in a scene of ``size`` m."""
        for node in self._nodes:
            node.remove()
        self._nodes, self._shown = [], []
        self._size = size
        self._usual = max((each.usual for each in arrows), default=0.0) or 1.0
        for each in arrows:
            shafts = self._scene.add_arrows(
                f"/forces/{each.kind}",
                NOTHING,
                each.color,
                shaft_radius=0.004 * size,
                head_radius=0.011 * size,
                head_length=0.03 * size,
                visible=False,
            )
            self._nodes.append(shafts)
            dots = None
            if each.kind == "contact":
                dots = self._scene.add_point_cloud(
                    f"/points/{each.kind}",
                    np.zeros((1, 3), np.float32),
                    each.color,
                    point_size=0.014 * size,
                    point_shape="circle",
                    point_shading="flat",
                    precision="float32",
                    visible=False,
                )
                self._nodes.append(dots)
            self._shown.append((each, shafts, dots))

    def extend(self, arrows: Sequence[Arrows]) -> bool:
        """Take up more frames of the same kinds; tell whether they are the same."""
        if [each.kind for each in arrows] != [each.kind for each, _, _ in self._shown]:
            return False
        self._usual = max((each.usual for each in arrows), default=0.0) or 1.0
        self._shown = [
            (each, shafts, dots)
            for each, (_, shafts, dots) in zip(arrows, self._shown, strict=True)
        ]
        return True

    def choose(self, kinds: Mapping[str, bool], length: float) -> None:
        """Draw the ``kinds`` that are true, ``length`` times as long as usual."""
        self._chosen, self._length = kinds, length

    def draw(self, frame: int) -> None:
        """Draw the arrows of a frame."""
        scale = self._length * SHARE * self._size / self._usual
        longest = self._length * LONGEST * SHARE * self._size
        for each, shafts, dots in self._shown:
            wanted = self._chosen.get(each.kind, False)
            start, end = drawn(each.values[frame], scale, longest)
            there = wanted and len(start) > 0
            # What is not there is hidden: an arrow without length is drawn as a head.
            if there:
                shafts.points = np.stack([start, end], axis=1).astype(np.float32)
            if shafts.visible != there:
                shafts.visible = there
            if dots is not None:
                if there:
                    dots.points = start.astype(np.float32)
                if dots.visible != there:
                    dots.visible = there
