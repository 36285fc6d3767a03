"""The viewer of figures: a server, one thread that thinks and draws, a one-place mailbox.

However fast a hand is dragged, the thread takes the newest target alone: what it draws is never
older than one answer.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.report.viewer.conversation import Leaving, Mailbox
from articulata.report.viewer.figures.figure_panel import (
    NEUTRAL,
    NO_BRANCHES,
    SIDE_BY_SIDE,
    UPWARD,
    FigurePanel,
)
from articulata.report.viewer.figures.figure_stage import MOST_BRANCHES, FigureStage
from articulata.report.viewer.figures.posing import (
    Scene,
    branches_of,
    drag,
    glide,
    has_branches,
    hold,
    scene_of,
    slide,
    take,
)
from articulata.report.viewer.handles import Edits, Handles
from articulata.report.viewer.keys import Key
from articulata.report.viewer.lights import front_of
from articulata.report.viewer.serving import PageServer, look_from

MOVES = ("joint", "target", "take", "glide", "posture")
"""Wishes that move the figure, and are taken back."""


class FigureViewer(PageServer):
    """Shows a figure in the browser at ``address``; ``show`` may be called again at any time.

    ``latencies`` holds the last times, s, from a wish's arrival to its picture's departure,
    ``pictures`` counts pictures, ``failure`` is what ended the drawing, if anything. Use as a
    context manager, or ``close`` it.
    """

    # of what is shown, once a figure is
    _scene: Scene
    _panel: FigurePanel

    def __init__(self, *, host: str = "127.0.0.1", port: int | None = None) -> None:
        super().__init__(host, port)
        self.latencies: deque[float] = deque(maxlen=1000)
        self.pictures = 0
        self._wishes: Mailbox[tuple[float, object]] = Mailbox()
        self._stage = FigureStage(self._server)
        self._shown = False
        self._leaving = Leaving()
        self._handles = Handles(
            self._server.scene,
            lambda name, X: self.wish(f"target:{name}", X),
            lambda name: self.wish("released", name),
        )
        self._draws = {"frames": False, "names": False}
        self._branches = NO_BRANCHES
        self._branching = False
        self._up = np.array((0.0, 0.0, 1.0))
        self._edits = Edits()
        self._listen(
            Key("F", "Fit the figure into view", lambda: self.wish("fit", True)),
            Key("Z", "Take back the last move", lambda: self.wish("back", True), "cmd/ctrl"),
        )
        self._begin("figure viewer", self._run)

    @property
    def scene(self) -> Scene | None:
        """What is shown now."""
        return self._scene if self._shown else None

    def show(self, figure: Figure) -> None:
        """Show ``figure`` in its neutral posture, in place of what was shown."""
        self.wish("show", figure)

    def say(self, text: str) -> None:
        """Show a message above the controls, for instance why a file cannot be read."""
        self.wish("say", text)

    def wish(self, name: str, value: object) -> None:
        """Leave what a user wants: a name such as "joint:elbow" or "target:hand", and its value."""
        self._wishes.put(name, (time.monotonic(), value))

    def _run(self) -> None:
        while not self._closing.is_set():
            wishes = self._wishes.take(0.25)
            for name, (_, value) in wishes.items():
                self._grant(name, value)
            if wishes and self._shown:
                self._draw()
                now = time.monotonic()
                self.latencies += [now - put for put, _ in wishes.values()]

    def _grant(self, name: str, value: Any) -> None:
        if name == "show":
            self._replace(value)
            return
        if not self._shown:
            return
        scene = self._scene
        kind, _, what = name.partition(":")
        if not _is_of(scene.figure, kind, what, value):
            return  # it was meant for the figure that was shown before
        if kind in MOVES:
            self._edits.note(name, lambda: self._move(scene))
        if kind == "joint":
            self._move(slide(scene, what, value))
        elif kind == "target":
            self._drag(what, value)
        elif kind == "released":
            self._edits.settle()
            self._place_handles()
        elif kind == "back":
            self._edits.undo()
        elif kind == "hold":
            kept = [each for each in scene.targets if each != what]
            self._move(hold(scene, tuple([*kept, what] if value else kept)))
        elif kind == "take":
            self._take(value)
        elif kind == "glide":
            self._scene = glide(scene, value)
        elif kind == "posture":
            figure = scene.figure
            q = figure.neutral if value == NEUTRAL else figure.posture(value)
            self._move(take(scene, np.clip(q, figure.lower, figure.upper)))
        elif kind == "turned":
            self._move(replace(hold(scene, tuple(scene.targets)), turned=bool(value)))
        elif kind == "branches":
            before, self._branches = self._branches, value
            self._move(scene)
            if SIDE_BY_SIDE in (before, self._branches):
                self._fit()
        elif kind in self._draws:
            self._draws[kind] = bool(value)
            self._stage.overlay(**self._draws)
        else:
            views: dict[str, Callable[[Any], None]] = {
                "say": self._panel.say,
                "up": self._turn_up,
                "fit": lambda _: self._fit(),
            }
            views[kind](value)

    # ---- the figure

    def _replace(self, figure: Figure) -> None:
        scene = scene_of(figure)
        self.title = figure.name
        self._branching = any(has_branches(figure, name) for name in figure.chains)
        self._up = np.array(figure.up)
        if not self._shown:
            self._get_ready(scene)
        with self._server.atomic():
            if self._shown:
                self._panel.leave(self._leaving)
            self._server.scene.set_up_direction(self._up)
            self._stage.show(figure, scene.q, self._up, branching=self._branching)
            self._stage.overlay(**self._draws)
            self._panel = FigurePanel(
                self._server.gui, scene, self._stage.size, self.wish, branching=self._branching
            )
            self._handles.clear()
            self._edits.clear()
            self._move(scene)
            self._shown = True
        self._panel.say(_summary(self._stage.notes))
        self._fit()

    def _get_ready(self, scene: Scene) -> None:
        """Answer once unseen: what has to be compiled is compiled before somebody drags."""
        note = self._server.gui.add_markdown("Preparing inverse kinematics ...")
        if scene.targets:
            name, X = next(iter(scene.targets.items()))
            drag(scene, name, X)
        if self._branching:
            branches_of(scene, self._branching_place(scene))
        # Taken away, it could still be changed in a page that is being filled.
        note.visible = False

    def _move(self, scene: Scene) -> None:
        """Go to a scene whose targets are met as it stands: the handles go with the figure."""
        if self._branches != NO_BRANCHES and self._branching:
            place = self._branching_place(scene)
            scene = replace(scene, dragged=place, branches=branches_of(scene, place))
        else:
            scene = replace(scene, branches=())
        self._scene = scene
        self._place_handles()

    def _drag(self, place: str, X_WP: Array) -> None:
        if place in self._scene.targets:  # the handle may have been taken away meanwhile
            wanted = self._branches != NO_BRANCHES
            self._scene = drag(self._scene, place, X_WP, branches=wanted)
            if not self._scene.turned:
                # The hand turns as it likes: the handle of the target shows how.
                self._turn_targets()

    def _turn_targets(self) -> None:
        scene = self._scene
        turned = {}
        for name, X in scene.targets.items():
            X_WP = scene.figure.landmark(scene.q, name).copy()
            X_WP[:3, 3] = X[:3, 3]
            turned[name] = X_WP
        self._scene = replace(scene, targets=turned)

    def _take(self, number: int) -> None:
        if number < len(self._scene.branches):
            taken = take(self._scene, self._scene.branches[number].q)
            self._move(replace(taken, chosen=number))

    def _branching_place(self, scene: Scene) -> str:
        places = [scene.dragged, *scene.targets, *scene.figure.chains]
        return next(p for p in places if p in scene.figure.chains and has_branches(scene.figure, p))

    # ---- the picture

    def _draw(self) -> None:
        scene = self._scene
        chosen = frozenset(scene.figure.path(scene.dragged)) if scene.branches else frozenset()
        with self._server.atomic():
            self._stage.draw(scene, self._offsets(), chosen)
            self._panel.update(scene)
        self._server.flush()
        self.pictures += 1

    def _offsets(self) -> Array:
        """Return where the branches stand beside the figure, (8, 3) m: two rows behind it."""
        if self._branches != SIDE_BY_SIDE:
            return np.zeros((MOST_BRANCHES, 3))
        right, behind, step = np.cross(self._up, self._front()), -self._front(), self._stage.size
        return np.array(
            [
                (0.75 * (number % 4 - 1.5) * right + (1 + number // 4) * behind) * step
                for number in range(MOST_BRANCHES)
            ]
        )

    def _place_handles(self) -> None:
        """Put a handle at every target, and none elsewhere."""
        self._handles.place(self._scene.targets, self._stage.size)

    def _front(self) -> Array:
        """Return the direction from the figure to the camera, level with the ground."""
        x, y, z = self._up.tolist()
        return front_of((x, y, z))

    def _camera(self) -> tuple[Array, Array]:
        """Return where a camera stands and looks so that the figure and its reach are in view."""
        middle = (self._stage.low + self._stage.high) / 2
        front = self._front() if abs(self._up[0]) < 0.9 else np.array((0.0, -1.0, 0.0))
        direction = front + 0.4 * self._up + 0.6 * np.cross(self._up, front)
        direction /= np.linalg.norm(direction)
        if self._branches == SIDE_BY_SIDE:
            middle = middle - self._front() * self._stage.size
            direction = front + 0.6 * self._up
            return middle + direction * 2.6 * self._stage.size, middle
        return middle + direction * 1.1 * self._stage.size, middle

    def _fit(self) -> None:
        look_from(self._server, *self._camera(), self._up.tolist(), now=True)

    def _turn_up(self, name: str) -> None:
        self._up = np.array(UPWARD[name])
        self._server.scene.set_up_direction(self._up)
        self._stage.show(self._scene.figure, self._scene.q, self._up, branching=self._branching)
        self._stage.overlay(**self._draws)
        self._fit()


def _is_of(figure: Figure, kind: str, what: str, value: object) -> bool:
    """Tell whether ``figure`` has what a wish is about."""
    if kind == "joint":
        return what in figure.names
    if kind == "hold":
        return what in figure.chains or what in figure.landmarks
    return kind != "posture" or value == NEUTRAL or value in figure.postures


def _summary(notes: list[str]) -> str:
    """Return one short paragraph about meshes that cannot be read."""
    if not notes:
        return ""
    file, _, reason = notes[0].partition(": ")
    count = f"{len(notes)} meshes cannot" if len(notes) > 1 else "A mesh cannot"
    short = file.rpartition("/")[2]
    return (
        f"**{count} be read** ({short}: {reason.strip()}). Links without another shape are drawn "
        "as bones."
    )
