"""From where a tracked person is looked at: freely, from three sides, or with his own eyes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix, q_to_matrix
from articulata.kinematics.figure import Figure
from articulata.records.tracking import TrackedPosture
from articulata.report.viewer.figures.figure_stage import FigureStage

FREE, FRONT, SIDE, ABOVE, EYES = "free", "front", "left side", "above", "the wearer's eyes"

MARK = "eyes"
"""The landmark of a figure's eyes: z along the gaze, y up the head."""

PERIOD = 1.0 / 60.0
"""Seconds between two places of a camera that goes with the eyes."""

WIDE = np.radians(75.0)
"""What eyes see of the scene, upwards."""


def ahead(up: Array) -> Array:
    """Return where a figure of the library looks, whose up is ``up`` (3,)."""
    return np.array((0.0, 0.0, 1.0)) if abs(up[1]) > 0.9 else np.array((1.0, 0.0, 0.0))


class ViewPanel:
    """Chooses the view of all who look on; ``follow`` moves a camera that goes with the eyes."""

    def __init__(self, server: Any, stage: FigureStage, figure: Figure) -> None:
        self._server, self._stage, self._figure = server, stage, figure
        self._up = np.asarray(figure.up)
        self._moved = -PERIOD
        self._usual: float | None = None
        names = [FREE, FRONT, SIDE, ABOVE]
        if MARK in figure.landmarks:
            names.append(EYES)
        self._chosen = server.gui.add_dropdown("View", tuple(names))
        self._chosen.on_update(lambda event: self._choose(event.target.value))

    def place(self) -> None:
        """Put the camera of who comes to a place from which all of the figure is seen."""
        front = self._front()
        direction = front + 0.25 * self._up + 0.35 * np.cross(self._up, front)
        camera: Any = self._server.initial_camera
        camera.position, camera.look_at = self._from(direction)
        camera.up = tuple(self._up)

    def follow(self, posture: TrackedPosture) -> None:
        """Move the camera with the eyes, where that is chosen."""
        now = time.monotonic()
        if self._chosen.value != EYES or now - self._moved < PERIOD:
            return
        self._moved = now
        X_WF = np.eye(4)
        X_WF[:3, :3], X_WF[:3, 3] = q_to_matrix(posture.q_WF), posture.p_WF
        X_WE = X_WF @ self._figure.landmark(posture.q, MARK)
        # a viser camera looks along z with y down
        R_EC = np.diag((-1.0, -1.0, 1.0))
        for client in self._server.get_clients().values():
            with client.atomic():
                client.camera.wxyz = q_from_matrix(X_WE[:3, :3] @ R_EC)
                client.camera.position = X_WE[:3, 3] + 0.03 * X_WE[:3, 2]

    def _choose(self, view: str) -> None:
        for client in self._server.get_clients().values():
            camera = client.camera
            if self._usual is None:
                self._usual = float(camera.fov)
            camera.fov = WIDE if view == EYES else self._usual
            if view == EYES:
                continue
            front = self._front()
            ways = {
                FREE: front + 0.25 * self._up + 0.35 * np.cross(self._up, front),
                FRONT: front,
                SIDE: np.cross(self._up, front),
                # straight down, the camera's up would be none
                ABOVE: self._up + 0.02 * front,
            }
            with client.atomic():
                camera.up_direction = tuple(self._up)
                camera.position, camera.look_at = self._from(ways[view])

    def _from(self, direction: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return where a camera stands that looks at the middle against ``direction``, and it."""
        stage = self._stage
        middle = 0.5 * (stage.low + stage.high)
        away = direction / np.linalg.norm(direction)
        return tuple(middle + away * 1.25 * stage.size), tuple(middle)

    def _front(self) -> Array:
        return ahead(self._up)
