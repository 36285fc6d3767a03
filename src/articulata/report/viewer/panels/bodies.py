"""The panel of bodies in a world that stands still: one is dragged, where nothing forbids it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.quaternion import q_from_matrix
from articulata.report.viewer.handles import Handles
from articulata.report.viewer.motion import Motion
from articulata.report.viewer.panels.desk import Desk
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

    def __init__(self, world: World, motion: Motion, poses: Array, put: Put | None = None) -> None:
        self._numbers = {look.id: number for number, look in enumerate(motion.looks)}
        self._poses = poses
        self._put = put
        self._bodies = movable(world)
        self._centers = {id: np.array(centroid(world.bodies[id].shape)) for id in self._bodies}
        self._chosen = ""
        self._desk: Desk | None = None
        self._handles: Handles | None = None

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
            lambda _: None,
            folder="/body handles",
        )
        which = desk.gui.add_dropdown("Drag", (NOBODY, *self._bodies), initial_value=NOBODY)
        which.on_update(lambda event: desk.wish("who", str(event.target.value)))
        if self._put is not None:
            save = desk.gui.add_button("Save the place to the text")
            save.on_click(lambda _: desk.wish("save", True))
        self._said: Any = desk.gui.add_markdown("")

    def grant(self, name: str, value: object) -> None:
        """Do what was wished: another body, its centre at another pose, its place saved."""
        kind, _, what = name.partition(":")
        assert self._desk is not None
        assert self._handles is not None
        if kind == "remove":
            self._handles.clear()
            return
        if kind == "put" and what in self._centers:
            X_WB = cast(Array, value) @ inverse_pose(self._X_BC(what))
            row = (*X_WB[:3, 3], *q_from_matrix(X_WB[:3, :3]))
            self._poses[self._numbers[what]] = row
            self._desk.move(self._poses.copy())
            return
        if kind == "who":
            self._chosen = "" if value == NOBODY else cast(str, value)
        elif kind == "save" and self._chosen and self._put is not None:
            self._said.content = self._put(self._chosen, pose_at(self._X_WC(self._chosen)))
        places = {self._chosen: self._X_WC(self._chosen)} if self._chosen else {}
        self._handles.place(places, 0.6 * self._desk.size())

    def _X_BC(self, body: str) -> Array:
        X = np.eye(4)
        X[:3, 3] = self._centers[body]
        return X

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
