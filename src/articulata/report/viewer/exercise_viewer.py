"""The viewer of an exercise: figures that come, move and leave, and the panel of the network."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.kinematics.figure import Figure
from articulata.report.viewer.figures.figure_stage import FigureStage
from articulata.report.viewer.lights import front_of, ground, lights
from articulata.report.viewer.panels.exercise import ExerciseNews, ExercisePanel, Wish
from articulata.report.viewer.serving import at_once, look_from, serve, stop
from articulata.report.viewer.track_viewer import TINTS

GROUND = 6.0
"""m to each side of the origin from which the ground's grid is made."""

TALL = 2.0
"""m that a figure is high with its name."""


class Placed(NamedTuple):
    """A figure's joint values (dof,) rad and ``X_WF`` (4, 4)."""

    q: Array
    X_WF: Array


class ExerciseViewer:
    """Shows figures by keys; ``wish`` is told what the user wants, in another thread.

    ``up`` (3,) is what is up. Who opens the page sees all figures that are there then. Use it as a
    context manager, or ``close`` it; ``failure`` is what ended the picture, if anything did.
    """

    def __init__(
        self,
        up: Array,
        wish: Wish,
        *,
        motions: Sequence[str] = (),
        host: str = "127.0.0.1",
        port: int | None = None,
    ) -> None:
        self._server, self.address = serve(host, port)
        self._up = np.asarray(up, float)
        self._stages: dict[Hashable, tuple[FigureStage, Figure]] = {}
        self._count = 0
        self.drawn = 0
        self.failure: BaseException | None = None
        self._low, self._high = np.full(3, np.inf), np.full(3, -np.inf)
        low, high = np.full(3, -GROUND), np.full(3, GROUND)
        low, high = low - (low @ self._up) * self._up, high - (high @ self._up) * self._up
        with self._server.atomic():
            scene = self._server.scene
            scene.set_up_direction(self._up)
            x, y, z = self._up.tolist()
            ground(scene, (x, y, z), low, high)
            lights(scene, (x, y, z), front_of((x, y, z)))
            self._panel = ExercisePanel(self._server.gui, wish, motions)
        self._look(np.zeros(3))

    def _look(self, place: Array) -> None:
        """Let who opens the page see a place beside all that he sees already."""
        self._low, self._high = np.minimum(self._low, place), np.maximum(self._high, place)
        middle = 0.5 * (self._low + self._high) + 0.5 * TALL * self._up
        span = max(float(np.linalg.norm(self._high - self._low)), TALL)
        front = np.array((0.0, 0.0, 1.0)) if abs(self._up[1]) > 0.9 else np.array((1.0, 0.0, 0.0))
        away = front + 0.35 * self._up + 0.45 * np.cross(self._up, front)
        from_there = middle + (1.1 * span + 1.5) * away / np.linalg.norm(away)
        look_from(self._server, from_there, middle, self._up.tolist(), now=False)

    def show(
        self, key: Hashable, figure: Figure, placed: Placed, *, name: str = "", tint: int = 0
    ) -> None:
        """Show a figure that has come; ``tint`` numbers its colour."""
        self.drop(key)
        self._count += 1
        with at_once(self._server):
            stage = FigureStage(self._server, beside=self._count, tint=TINTS[tint % len(TINTS)])
            stage.show(figure, placed.q, self._up, branching=False, named=False)
            if name:
                stage.call(name, self._up)
            self._stages[key] = stage, figure
            self._pose(key, placed)
            floor = placed.X_WF[:3, 3]
            self._look(floor - (floor @ self._up) * self._up)

    def drop(self, key: Hashable) -> None:
        """Take a figure away that has left."""
        known = self._stages.pop(key, None)
        if known is not None:
            with at_once(self._server):
                known[0].clear()

    def draw(self, figures: Mapping[Hashable, Placed]) -> None:
        """Move figures that are shown, all in one picture."""
        if self.failure is not None:
            return
        try:
            with at_once(self._server):
                for key, placed in figures.items():
                    self._pose(key, placed)
        except Exception as failure:
            # a picture that cannot be sent must not end the exercise
            self.failure = failure
        self.drawn += 1

    def tell(self, news: ExerciseNews) -> None:
        """Show what there is to tell beside it."""
        with at_once(self._server):
            self._panel.update(news)

    @property
    def watched(self) -> bool:
        """Whether anybody has opened the page."""
        return bool(self._server.get_clients())

    def close(self) -> None:
        """Close the server."""
        stop(self._server)

    def __enter__(self) -> ExerciseViewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pose(self, key: Hashable, placed: Placed) -> None:
        stage, figure = self._stages[key]
        stage.pose(figure, placed.q)
        stage.move(q_from_matrix(placed.X_WF[:3, :3]), placed.X_WF[:3, 3])
