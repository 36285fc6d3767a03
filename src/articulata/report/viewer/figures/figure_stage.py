"""A figure on a viser server: its links, its targets, the branches beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.kinematics.figure import Figure
from articulata.report.drawn_surfaces import shaded
from articulata.report.viewer.figures.link_surfaces import Limbs, Surface, put, surfaces, turn
from articulata.report.viewer.figures.posing import Scene
from articulata.report.viewer.lights import front_of, ground, lights
from articulata.report.viewer.wire import Wire

MOST_BRANCHES = 8
MOST_SMOOTH = 50_000
"""Triangles of a surface whose edges are looked for; a finer one is smooth as it is."""

MISSED = (205, 50, 40)
GHOST, OUTSIDE = (60, 120, 220), (225, 130, 40)


class FigureStage:
    """Draws a figure; ``draw`` moves it. Each link that turns is one message a picture.

    One that stands ``beside`` another on the same server (1, 2 ...) shares its ground and light.
    ``tint`` colours all of it, None leaves each part its own colour. Through a ``wire`` goes what
    moves of a scene that is made; who sets one sends it.
    """

    def __init__(
        self, server: Any, *, beside: int = 0, tint: tuple[int, int, int] | None = None
    ) -> None:
        self._scene = server.scene
        self._beside, self._tint = beside, tint
        # where in the scene's tree it is
        self._path = f"/figure {beside}" if beside else "/figure"
        self._overlay = f"/figure {beside} overlay" if beside else ""
        self._nodes: list[Any] = []
        self._bodies: list[Any] = []
        self._limbs: Limbs | None = None
        self._ghosts: list[tuple[int, Any]] = []
        self._root: Any = None
        self._stood: tuple[list[float], list[float]] = [], []
        self._frames: Any = None
        self._lines: Any = None
        self._labels: list[tuple[int, Any]] = []
        self._numbers: list[Any] = []
        self._carried: Any = None
        self.wire: Wire | None = None
        self.notes: list[str] = []
        self.low, self.high = np.full(3, -1.0), np.full(3, 1.0)

    @property
    def size(self) -> float:
        """The diagonal of the figure as it stood when it came, m."""
        return float(np.linalg.norm(self.high - self.low))

    def show(
        self, figure: Figure, q: Array, up: Array, *, branching: bool, named: bool = True
    ) -> None:
        """Put ``figure`` in posture ``q`` (dof,) in place of what stood here.

        ``branching`` says whether it has branches that may have to be shown, ``named`` whether
        the frames and names of its joints may.
        """
        self.clear()
        found, self.notes = surfaces(figure)
        self._bound(figure, found, q)
        self._limbs = Limbs(self._scene, self._path, figure, (each.joint for each in found))
        self._nodes += self._limbs.handles
        for number, surface in enumerate(found):
            where = f"{self._limbs.path(surface.joint)}/surface {number}"
            self._bodies.append(self._body(where, surface))
            if branching and surface.joint >= 0:
                self._ghosts.append((surface.joint, self._ghost(number, surface)))
        for number in range(MOST_BRANCHES if branching else 0):
            label = self._scene.add_label(f"/numbers/{number}", str(number + 1), visible=False)
            self._numbers.append(label)
            self._nodes.append(label)
        if named:
            self._overlays(figure)
        if self._beside:
            return
        upward = (float(up[0]), float(up[1]), float(up[2]))
        self._nodes.append(ground(self._scene, upward, self.low, self.high))
        self._nodes += lights(self._scene, upward, front_of(upward))

    def clear(self) -> None:
        """Take everything away."""
        for node in reversed(self._nodes):  # what hangs on a frame goes with it
            node.remove()
        self._nodes, self._bodies, self._ghosts, self._labels = [], [], [], []
        self._numbers = []
        if self._root is not None:
            self._root.remove()
        self._root, self._stood = None, ([], [])

    def draw(self, scene: Scene, offsets: Array, chosen: frozenset[int]) -> None:
        """Move everything to ``scene``; branch k stands ``offsets[k]`` (3,) m beside the figure.

        ``chosen`` are the joints (numbers) that the branches move: the rest is not drawn twice.
        """
        poses = self.pose(scene.figure, scene.q)
        if self._frames.visible:
            self._frames.batched_positions = poses[:, :3, 3].copy()
            self._frames.batched_wxyzs = q_from_matrix(poses[:, :3, :3])
        for number, label in self._labels:
            if label.visible:
                label.position = tuple(poses[number, :3, 3])
        self._draw_missed(scene)
        self._draw_branches(scene, offsets, chosen)

    def pose(self, figure: Figure, q: Array) -> Array:
        """Move the links to posture ``q`` (dof,); return the poses (links, 4, 4) of all."""
        if self._limbs is None:
            return figure.poses(q)
        return self._limbs.draw(figure, q, self.wire)

    def move(self, q_WF: Array, p_WF: Array) -> None:
        """Turn (4,) and move (3,) m the figure as a whole."""
        if self._root is None:
            self._root = self._scene.add_frame(self._path, show_axes=False)
            self._stood = [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        (turned, placed), stands = self._stood, (q_WF.tolist(), p_WF.tolist())
        if turned != stands[0]:
            turn(self._root, stands[0], self.wire)
        if placed != stands[1]:
            put(self._root, stands[1], self.wire)
        self._stood = stands

    def call(self, name: str, up: Array) -> None:
        """Write a name above the figure."""
        above = 0.5 * (self.low + self.high) + up * (0.5 * abs(up @ (self.high - self.low)) + 0.12)
        self._nodes.append(self._scene.add_label(f"{self._path}/name", name, position=tuple(above)))

    def carry(self, thing: Figure) -> None:
        """Make ready what the figure carries; ``carried`` says where it is."""
        self._carried = self._scene.add_frame(
            f"{self._path}/carried", show_axes=False, visible=False
        )
        for number, surface in enumerate(surfaces(thing)[0]):
            self._body(f"{self._path}/carried/surface {number}", surface)

    def carried(self, X_FT: Array | None) -> None:
        """Put what is carried to ``X_FT`` (4, 4), in the figure's frame; None: it is not there."""
        if self._carried is None:
            return
        if self._carried.visible != (X_FT is not None):
            self._carried.visible = X_FT is not None
        if X_FT is not None:
            put(self._carried, X_FT[:3, 3].tolist(), self.wire)
            turn(self._carried, q_from_matrix(X_FT[:3, :3]).tolist(), self.wire)

    def overlay(self, *, frames: bool, names: bool) -> None:
        """Choose what is drawn beside the links."""
        self._frames.visible = frames
        for _, label in self._labels:
            label.visible = names
        for handle in self._bodies:
            # Frames lie inside the links: let them shine through.
            handle.opacity = 0.45 if frames else None

    def _draw_missed(self, scene: Scene) -> None:
        ends = [
            (scene.targets[name][:3, 3], scene.figure.landmark(scene.q, name)[:3, 3])
            for name in scene.missed
        ]
        self._lines.visible = bool(ends)
        if ends:
            self._lines.points = np.array(ends, np.float32)

    def _draw_branches(self, scene: Scene, offsets: Array, chosen: frozenset[int]) -> None:
        shown = scene.branches[:MOST_BRANCHES]
        poses = scene.figure.poses(np.array([each.q for each in shown])) if shown else None
        side_by_side = bool(np.any(offsets))
        self._number(scene, offsets if side_by_side else None)
        for joint, handle in self._ghosts:
            if poses is None or not (side_by_side or joint in chosen):
                handle.visible = False
                continue
            handle.visible = True
            count = len(shown)
            positions, scales = np.zeros((MOST_BRANCHES, 3)), np.zeros(MOST_BRANCHES)
            wxyzs = np.tile((1.0, 0.0, 0.0, 0.0), (MOST_BRANCHES, 1))
            positions[:count] = poses[:, joint, :3, 3] + offsets[:count]
            wxyzs[:count] = q_from_matrix(poses[:, joint, :3, :3])
            scales[:count] = 1.0
            tints = np.tile(np.array(GHOST, np.uint8), (MOST_BRANCHES, 1))
            tints[:count][[not each.within for each in shown]] = OUTSIDE
            handle.batched_positions, handle.batched_wxyzs = positions, wxyzs
            handle.batched_scales, handle.batched_colors = scales.astype(np.float32), tints
            opacity = 0.85 if side_by_side else 0.4
            if handle.opacity != opacity:
                handle.opacity = opacity

    def _number(self, scene: Scene, offsets: Array | None) -> None:
        """Write the branches' numbers at their tips where they stand apart."""
        for number, label in enumerate(self._numbers):
            label.visible = offsets is not None and number < len(scene.branches)
            if offsets is not None and label.visible:
                X = scene.figure.landmark(scene.branches[number].q, scene.dragged)
                label.position = X[:3, 3] + offsets[number]

    def _bound(self, figure: Figure, found: list[Surface], q: Array) -> None:
        poses = figure.poses(q)
        points = [figure.base[None, :3, 3], poses[:, :3, 3]]
        for surface in found:
            X = figure.base if surface.joint < 0 else poses[surface.joint]
            points.append(surface.vertices @ X[:3, :3].T + X[:3, 3])
        everything = np.concatenate(points)
        self.low, self.high = everything.min(axis=0), everything.max(axis=0)
        if self.size == 0.0:
            self.low, self.high = self.low - 0.5, self.high + 0.5

    def _body(self, where: str, surface: Surface) -> Any:
        # A batch of one: its colour comes out as that of a body in a world does.
        vertices, triangles, smooth = surface.vertices, surface.triangles, False
        if len(triangles) <= MOST_SMOOTH:
            round_ = shaded(np.asarray(vertices), np.asarray(triangles))
            vertices, triangles, smooth = round_.vertices, round_.triangles, True
        handle = self._scene.add_batched_meshes_simple(
            where,
            vertices.astype(np.float32),
            triangles.astype(np.uint32),
            batched_wxyzs=np.array([(1.0, 0.0, 0.0, 0.0)], np.float32),
            batched_positions=np.zeros((1, 3), np.float32),
            batched_colors=np.array([self._tint or surface.color], np.uint8),
            flat_shading=not smooth,
            side="double",
            lod="off",
            receive_shadow=False,  # meshes of others are open, and would be striped by their own
        )
        self._nodes.append(handle)
        return handle

    def _ghost(self, number: int, surface: Surface) -> Any:
        handle = self._scene.add_batched_meshes_simple(
            f"/branches/{number}",
            surface.vertices.astype(np.float32),
            surface.triangles.astype(np.uint32),
            batched_wxyzs=np.tile((1.0, 0.0, 0.0, 0.0), (MOST_BRANCHES, 1)),
            batched_positions=np.zeros((MOST_BRANCHES, 3)),
            batched_scales=np.zeros(MOST_BRANCHES, np.float32),
            batched_colors=np.tile(np.array(GHOST, np.uint8), (MOST_BRANCHES, 1)),
            opacity=0.4,
            flat_shading=True,
            side="double",
            lod="off",
            cast_shadow=False,
            visible=False,
        )
        self._nodes.append(handle)
        return handle

    def _overlays(self, figure: Figure) -> None:
        count, span = len(figure.joints), self.size
        self._frames = self._scene.add_batched_axes(
            f"{self._overlay}/frames",
            np.tile((1.0, 0.0, 0.0, 0.0), (count, 1)),
            np.zeros((count, 3)),
            axes_length=0.09 * span,
            axes_radius=0.003 * span,
            visible=False,
        )
        self._lines = self._scene.add_line_segments(
            f"{self._overlay}/missed",
            np.zeros((1, 2, 3), np.float32),
            MISSED,
            thickness=3.0,
            thickness_units="screen",
            visible=False,
        )
        self._nodes += [self._frames, self._lines]
        for number in figure.free if len(figure.free) <= 60 else ():
            name = figure.joints[number].name
            label = self._scene.add_label(f"{self._overlay}/names/{number}", name, visible=False)
            self._nodes.append(label)
            self._labels.append((number, label))
