"""The panels of a world that stands still: its figures are posed, its bodies dragged.

Whole postures go by sliders and by the tips of figures; one body is dragged where nothing forbids
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose, make_pose
from articulata.geometry.quaternion import q_from_matrix
from articulata.kinematics.standing_figures import StandingFigure, standing
from articulata.report.viewer.conversation import Leaving
from articulata.report.viewer.figures.figure_panel import NEUTRAL, FigurePanel
from articulata.report.viewer.figures.figure_stage import MISSED
from articulata.report.viewer.figures.posing import (
    Scene,
    carry,
    drag,
    hold,
    slide,
    take,
    usual_targets,
)
from articulata.report.viewer.handles import Handles
from articulata.report.viewer.layers import Lines
from articulata.report.viewer.motion_sources import Motion
from articulata.report.viewer.panels.board import Desk
from articulata.world.body_features import centroid
from articulata.world.model import World
from articulata.world.values import Pose

NOBODY = "none"
Put = Callable[[str, Pose], str]
"""Writes the pose of a body's centre, or of a figure's base, into the text; returns what is to be
said of it."""


class BodiesPanel:
    """Drags bodies of a ``world`` shown at ``poses`` (bodies, 7), which it changes in place."""

    title = "Bodies"
    _desk: Desk
    _handles: Handles

    def __init__(self, world: World, motion: Motion, poses: Array, put: Put | None = None) -> None:
        self._numbers = {look.id: number for number, look in enumerate(motion.looks)}
        self._poses = poses
        self._put = put
        self._bodies = movable(world)
        self._centers = {id: np.array(centroid(world.bodies[id].shape)) for id in self._bodies}
        self._chosen = ""

    @property
    def bodies(self) -> tuple[str, ...]:
        """The ids of the bodies that can be dragged."""
        return self._bodies

    def build(self, desk: Desk) -> None:
        """Make the choice of a body, and a button where its place can be saved."""
        self._desk = desk
        self._handles = Handles(
            desk.scene,
            lambda name, X: desk.wish(f"put:{name}", X),
            lambda _: desk.wish("released", True),
            folder="/body handles",
        )
        which = desk.gui.add_dropdown("Drag", (NOBODY, *self._bodies), initial_value=NOBODY)
        which.on_update(lambda event: desk.wish("who", str(event.target.value)))
        if self._put is not None:
            save = desk.gui.add_button("Save the place to the text")
            save.on_click(lambda _: desk.wish("save", True))
        self._said: Any = desk.gui.add_markdown("")

    def grant(self, name: str, value: Any) -> None:
        """Do what was wished: another body, its centre at another pose, its place saved."""
        kind, _, what = name.partition(":")
        if kind == "remove":
            self._handles.clear()
            return
        if kind == "put" and what in self._centers:
            X_WB, before = value @ inverse_pose(self._X_BC(what)), self._row(what)
            self._desk.edits.note(f"body {what}", lambda: self._return(what, before))
            self._stand(what, np.array((*X_WB[:3, 3], *q_from_matrix(X_WB[:3, :3]))))
            return
        if kind == "released":
            self._desk.edits.settle()
        elif kind == "who":
            self._chosen = "" if value == NOBODY else value
        elif kind == "save" and self._chosen and self._put is not None:
            self._said.content = self._put(self._chosen, pose_at(self._X_WC(self._chosen)))
        self._place_handle()

    def _place_handle(self) -> None:
        places = {self._chosen: self._X_WC(self._chosen)} if self._chosen else {}
        self._handles.place(places, 0.6 * self._desk.size())

    def _row(self, body: str) -> Array:
        return np.array(self._poses[self._numbers[body]])

    def _stand(self, body: str, row: Array) -> None:
        self._poses[self._numbers[body]] = row
        self._desk.move(self._poses.copy())

    def _return(self, body: str, row: Array) -> None:
        self._stand(body, row)
        self._place_handle()

    def _X_BC(self, body: str) -> Array:
        return make_pose(p=self._centers[body])

    def _X_WC(self, body: str) -> Array:
        """Return the pose of a body's centre as it stands now."""
        p, q = self._poses[self._numbers[body], :3], self._poses[self._numbers[body], 3:]
        X_WB = Pose((p[0], p[1], p[2]), (q[0], q[1], q[2], q[3])).matrix()
        return np.asarray(X_WB @ self._X_BC(body))


def pose_at(X: Array) -> Pose:
    """Return a matrix (4, 4) as a pose."""
    w, x, y, z = (float(each) for each in q_from_matrix(X[:3, :3]))
    a, b, c = (float(each) for each in X[:3, 3])
    return Pose((a, b, c), (w, x, y, z))


def movable(world: World) -> tuple[str, ...]:
    """Return the bodies that may stand elsewhere: components of the world, joined to nothing.

    One of several of a name, and a body that a figure or a composite consists of, has its place
    from the text of these.
    """
    joined = {end for each in world.hinges.values() for end in (each.body_a, each.body_b)}
    return tuple(
        id
        for id, body in world.bodies.items()
        if id not in joined and "." not in id and "[" not in id and body.shape is not None
        and type(body.shape).__name__ != "HalfSpace"
    )  # fmt: skip


Save = Callable[[str, Mapping[str, float]], str]
"""Writes the joint values of a figure into the text; returns what is to be said of it."""

LINES = "figures missed"


class FiguresPanel:
    """Poses the figures of a ``world`` that is shown as ``motion``.

    ``poses`` (bodies, 7) are where the bodies are, which it changes in place. ``save`` and ``put``
    are offered where somebody can write postures and places into the text.
    """

    title = "Figures"
    _desk: Desk
    _handles: Handles
    _grip: Handles

    def __init__(
        self,
        world: World,
        motion: Motion,
        poses: Array,
        save: Save | None = None,
        put: Put | None = None,
    ) -> None:
        self._standing = {each.id: each for each in standing(world)}
        self._numbers = {look.id: number for number, look in enumerate(motion.looks)}
        self._poses = poses
        self._save, self._put = save, put
        self._scenes: dict[str, Scene] = {
            id: hold(Scene(each.figure, each.start), usual_targets(each.figure))
            for id, each in self._standing.items()
        }
        self._chosen = next(iter(self._scenes), "")
        self._panel: FigurePanel | None = None
        self._leaving = Leaving()

    @property
    def figures(self) -> Sequence[str]:
        """The ids of the figures that it moves."""
        return tuple(self._scenes)

    def build(self, desk: Desk) -> None:
        """Make the controls of one figure, and a choice among them."""
        self._desk = desk
        self._handles = Handles(
            desk.scene,
            lambda name, X: desk.wish(f"target:{name}", X),
            lambda name: desk.wish("released", name),
            folder="/figure targets",
        )
        self._grip = Handles(
            desk.scene,
            lambda _, X: desk.wish("base", X),
            lambda _: desk.wish("released", "base"),
            folder="/figure base",
        )
        if len(self._scenes) > 1:
            who = desk.gui.add_dropdown("Who", tuple(self._scenes), initial_value=self._chosen)
            who.on_update(lambda event: desk.wish("who", str(event.target.value)))
        if self._save is not None:
            save = desk.gui.add_button("Save the posture to the text")
            save.on_click(lambda _: desk.wish("save", True))
        if self._put is not None:
            put = desk.gui.add_button("Save the place to the text")
            put.on_click(lambda _: desk.wish("put", True))
        self._said = desk.gui.add_markdown("")
        self._held = desk.gui.add_checkbox("Drag by the tips", False)
        self._held.on_update(lambda event: desk.wish("drag", bool(event.target.value)))
        self._carried = desk.gui.add_checkbox("Move the whole figure", False)
        self._carried.on_update(lambda event: desk.wish("carry", bool(event.target.value)))
        self._folder: Any = desk.gui.add_folder("Posture and joints")
        self._controls()

    def grant(self, name: str, value: Any) -> None:
        """Do what was wished: a joint, a target, a posture; ``posture:ID`` is joint values."""
        kind, _, what = name.partition(":")
        scene = self._scenes.get(self._chosen)
        if scene is None:
            return
        self._note(kind, what)
        if kind == "posture" and what:
            if what in self._scenes:
                self._scenes[what] = take(self._scenes[what], value)
        elif kind == "who":
            self._chosen = value
            self._controls()
        elif kind == "save":
            self._write()
        elif kind == "put":
            self._write_place()
        elif kind == "remove":
            self._remove()
            return
        elif kind == "carry":
            self._carry(wanted=bool(value))
        elif kind == "base":
            self._stand(scene, value)
        elif kind == "drag":
            self._held.value = bool(value)  # the handles are placed below
        else:
            self._scenes[self._chosen] = self._moved(scene, kind, what, value)
        self._draw(released=kind not in ("target", "base"))

    def _note(self, kind: str, what: str) -> None:
        """Take note of how a figure stands that is about to be moved."""
        if kind == "released":
            self._desk.edits.settle()
        if kind not in ("joint", "target", "base", "posture"):
            return
        id = what if kind == "posture" and what in self._scenes else self._chosen
        scene, standing = self._scenes[id], self._standing[id]

        def back() -> None:
            self._scenes[id], self._standing[id] = scene, standing
            self._draw(released=True)

        self._desk.edits.note(f"figure {id} {kind} {what}", back)

    def _moved(self, scene: Scene, kind: str, what: str, value: Any) -> Scene:
        """Return the scene of the chosen figure after a wish of its own controls."""
        if kind == "joint":
            return slide(scene, what, value)
        if kind == "target" and what in scene.targets:
            return drag(scene, what, value)
        if kind == "hold":
            kept = [each for each in scene.targets if each != what]
            return hold(scene, tuple([*kept, what] if value else kept))
        if kind == "turned":
            return replace(hold(scene, tuple(scene.targets)), turned=bool(value))
        if kind == "posture":
            figure = scene.figure
            start = self._standing[self._chosen].start
            q = start if value == NEUTRAL else figure.posture(value)
            return take(scene, np.clip(q, figure.lower, figure.upper))
        return scene

    def _controls(self) -> None:
        """Build the controls of the figure that is chosen."""
        desk, scene = self._desk, self._scenes.get(self._chosen)
        if scene is None:
            return
        if self._panel is not None:
            self._panel.leave(self._leaving)
        with self._folder:
            self._panel = FigurePanel(
                desk.gui, scene, desk.size(), desk.wish, branching=False, drawing=False
            )

    def _remove(self) -> None:
        """Take away what stands in the scene."""
        self._handles.clear()
        self._grip.clear()
        self._desk.layers.hide(LINES)

    def _carry(self, *, wanted: bool) -> None:
        """Offer to move the whole figure, or say why it stays."""
        held = self._standing[self._chosen].held
        self._carried.value = wanted and not held
        why = f"**'{self._chosen}' stays where it is:** {held}."
        self._said.content = why if wanted and held else ""

    def _stand(self, scene: Scene, X_WB: Array) -> None:
        """Put the chosen figure elsewhere with all that it holds."""
        standing = self._standing[self._chosen]
        if not standing.held:
            moved = self._standing[self._chosen] = standing.at(X_WB)
            self._scenes[self._chosen] = carry(scene, moved.figure)

    def _write_place(self) -> None:
        if self._put is not None:
            self._said.content = self._put(
                self._chosen, pose_at(self._standing[self._chosen].figure.base)
            )

    def _write(self) -> None:
        scene = self._scenes[self._chosen]
        values = {
            name: float(value) for name, value in zip(scene.figure.names, scene.q, strict=True)
        }
        if self._save is not None:
            self._said.content = self._save(self._chosen, values)

    def _draw(self, *, released: bool) -> None:
        for id, scene in self._scenes.items():
            for body, X in self._standing[id].bodies(scene.q).items():
                number = self._numbers.get(body)
                if number is not None:
                    self._poses[number] = (*X[:3, 3], *q_from_matrix(X[:3, :3]))
        self._desk.move(self._poses.copy())
        scene = self._scenes[self._chosen]
        if released:
            held = scene.targets if self._held.value else {}
            tall = self._tall(self._standing[self._chosen])
            self._handles.place(held, tall)
            shown = self._carried.value and not self._standing[self._chosen].held
            self._grip.place({self._chosen: scene.figure.base} if shown else {}, 1.5 * tall)
        ends = [
            (scene.targets[each][:3, 3], scene.figure.landmark(scene.q, each)[:3, 3])
            for each in scene.missed
        ]
        self._desk.layers.show(Lines(LINES, np.array(ends).reshape(-1, 2, 3), MISSED, 3.0))
        assert self._panel is not None
        self._panel.update(scene)

    def _tall(self, figure: StandingFigure) -> float:
        """Return how far the figure's bodies are apart, m: handles are in proportion to it."""
        places = self._poses[[self._numbers[b] for b in figure.carried if b in self._numbers], :3]
        return float(np.linalg.norm(np.ptp(places, axis=0))) if len(places) else 1.0
