"""The scene on a viser server: bodies in batched meshes, ground, frames, forces, joints, names.

Bodies of one shape are one batch, whatever their colours, and so are all cuboids, balls and
cylinders: a thousand bodies are a handful of messages a frame. Marks of joints move with the bodies
that they are on; arrows of forces have one scale, and dots are where contacts press.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply, q_rotate
from articulata.geometry.shapes import Cylinder, HalfSpace, Shape, Sphere
from articulata.report.arrows import LONGEST, Arrows, drawn
from articulata.report.bones import JointMark
from articulata.report.colors import Color
from articulata.report.drawn_scene import Item, Scene
from articulata.report.drawn_surfaces import Surface
from articulata.report.picture import AZIMUTHS, clearest, fitted
from articulata.report.springs import COLOR as STEEL
from articulata.report.springs import PIECES, Spring, bent, is_half, pieces
from articulata.report.viewer.batches import Batch, drawable, mesh_of, stretched
from articulata.report.viewer.layers import Layers
from articulata.report.viewer.lights import VIEW, front_of, ground, lights
from articulata.report.viewer.motion_sources import Look, Motion, Shown, bounds
from articulata.world.values import Vector3

SHARE = 0.2
"""Length of a usual arrow as a share of the scene's size."""

NOTHING = np.zeros((1, 2, 3), np.float32)

VIEWS = {
    "corner": (1.0, 0.35, 0.45),
    "front": (1.0, 0.0, 0.0),
    "right": (0.0, 0.0, 1.0),
    "above": (1e-3, 1.0, 0.0),
}
"""Directions from the scene to who looks: to the front, up, to the right. From above the front is
below; not quite from above, where it could be anywhere."""

CORNERS = (
    (np.arctan2(0.45, 1.0), np.arctan2(0.35, np.hypot(0.45, 1.0))),
    *((k * 2 * np.pi / AZIMUTHS, 1.0) for k in range(AZIMUTHS)),
)
"""Azimuth and elevation, rad, of the corner view, and of those from above that take its place where
walls hide a room."""

MANY = 15_000
"""Triangles of a scene beyond which no other corner is sought: it would take seconds."""


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


COLOR: Color = (74, 80, 91)
"""Dark: most bodies are lighter."""


class Joints:
    """Draws the joint marks of a motion, one batch for pins and guides and one for balls."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._batches: list[Batch] = []
        self._marks: tuple[Shown[JointMark], ...] = ()
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


class Springs:
    """Draws the springs of a motion, whose pieces are one batch."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._batch: Batch | None = None
        self._springs: tuple[Shown[Spring], ...] = ()
        self._numbers: Mapping[str, int] = {}
        self._reach, self._across = np.empty(0), np.empty((2, 3))

    def show(self, motion: Motion) -> None:
        """Replace the springs that are shown by those of ``motion``."""
        if self._batch is not None:
            self._batch.remove()
        self._batch, self._springs = None, motion.springs
        if not motion.springs:
            return
        self._numbers = {look.id: number for number, look in enumerate(motion.looks)}
        self._across = np.array([front_of(motion.up), motion.up])
        ends = [each.mark.ends(motion.poses, self._numbers) for each in motion.springs]
        lengths = [np.nan_to_num(np.linalg.norm(q - p, axis=1)) for p, q in ends]
        self._reach = np.array([each.max(initial=1e-9) for each in lengths])
        wires = [pieces(max(float(reach), 1e-9)) for reach in self._reach]
        sizes = [stretched(wire[is_half(k)])[1] for wire in wires for k in range(PIECES)]
        colors = np.tile(np.array(STEEL, np.int64), (len(sizes), 1))
        members = np.arange(len(sizes))
        shape = Cylinder(1.0, 1.0)
        self._batch = Batch(self._scene, "/springs", members, shape, np.array(sizes), colors)

    def draw(self, poses: Array, frame: int) -> None:
        """Move the ends of springs with their bodies, whose poses are (bodies, 7)."""
        if self._batch is None:
            return
        ends = [each.mark.ends(poses[None], self._numbers) for each in self._springs]
        p, q = np.concatenate([a for a, _ in ends]), np.concatenate([b for _, b in ends])
        here, there = drawable(bent(p, q, self._reach, *self._across).reshape(-1, 7))
        there &= np.repeat([each.stands(frame) for each in self._springs], PIECES)
        self._batch.draw(here, there)

    def extend(self, motion: Motion) -> bool:
        """Take up more frames; False where there are other springs than before."""
        same = [each.mark for each in motion.springs] == [each.mark for each in self._springs]
        self._springs = motion.springs
        return same


def poses_of(X_WB: Array, X_BM: Array) -> Array:
    """Return poses X_WM (n, 7) of marks on bodies at X_WB (n, 7); NaN where no body is."""
    p = X_WB[:, :3] + q_rotate(X_WB[:, 3:], X_BM[:, :3])
    return np.concatenate([p, q_multiply(X_WB[:, 3:], X_BM[:, 3:])], axis=1)


class Stage:
    """Draws a motion's bodies on ``server.scene``; ``show`` builds, ``draw`` moves.

    Without ``shadows`` a picture costs half as much. ``clicked`` is told, in another thread, which
    body is clicked; ``pick`` writes its name beside it, ``picked`` is which one it is.
    """

    def __init__(
        self, server: Any, *, shadows: bool = True, clicked: Callable[[int], None] | None = None
    ) -> None:
        self._scene, self._shadows, self._clicked = server.scene, shadows, clicked
        self.picked: int | None = None
        self._name: Any = None
        self._batches: list[Batch] = []
        self._looks: tuple[Look, ...] = ()
        self._nodes: list[Any] = []
        self._frames: Any = None
        self._pointers = Pointers(server.scene)
        self._joints, self._springs = Joints(server.scene), Springs(server.scene)
        self.layers = Layers(server.scene)
        self._labels: list[tuple[int, Any]] = []
        self.low, self.high = np.full(3, -1.0), np.full(3, 1.0)
        self._poses = np.empty((1, 0, 7))
        self._corner: tuple[float, ...] | None = None

    @property
    def size(self) -> float:
        """The diagonal of what the motion sweeps, m."""
        return float(np.linalg.norm(self.high - self.low))

    def camera(
        self, view: str, up: Vector3, sides: Sequence[float], covered: Sequence[float]
    ) -> tuple[Array, Array]:
        """Return where a camera stands and looks (m in W) so that all that moves is seen.

        ``view`` is one of ``VIEWS``, ``sides`` are half the picture's width and height and
        ``covered`` what lies on its right and on its top, in halves of the page's height.
        """
        front = front_of(up)
        if view == "corner" and self._corner is None:
            self._corner = self._clearest(np.array(up), front)
        seen = (view == "corner" and self._corner) or VIEWS[view]
        direction = np.stack([front, up, np.cross(up, front)]).T @ seen
        direction /= np.linalg.norm(direction)
        right = np.cross(up, direction) / np.linalg.norm(np.cross(up, direction))
        corners = np.array(list(product(*np.stack([self.low, self.high], axis=1))))
        slope = np.tan(0.5 * VIEW)
        target, away = fitted(
            corners,
            np.stack([right, np.cross(direction, right), direction]),
            slope * np.array(sides),
            slope * np.array(covered),
        )
        return target + direction * away, target

    def _clearest(self, up: Array, front: Array) -> tuple[float, ...]:
        """Return the corner that shows what the first frame has: to the front, up, to the right."""
        if sum(len(each.triangles) * len(each.members) for each in self._batches) > MANY:
            return VIEWS["corner"]
        surfaces: list[Surface] = []
        items, there = [], ~np.isnan(self._poses[..., 0])
        for batch in self._batches:
            triangles = batch.triangles.astype(np.int64)
            for number, size in zip(batch.members, batch.sizes, strict=True):
                look, corners = self._looks[number], (batch.vertices * size).astype(np.float64)
                if there[0, number] and look.shape is not None:
                    items.append(Item(look.id, len(surfaces), look.color))
                    surfaces.append(Surface(corners, corners, triangles))
        if not items:
            return VIEWS["corner"]
        middle, seen = (self.low + self.high) / 2, np.arange(len(items))
        scene = Scene(
            tuple(look.id for look in self._looks), tuple(items), (), tuple(surfaces), 0,
            np.zeros(1), self._poses, there, np.ones((1, 0), np.bool_), up, front,
            middle, self.size / 2, 0.0,
        )  # fmt: skip
        ball = middle, self.size / 2
        azimuth, elevation = CORNERS[clearest(scene, 0, seen, ball, CORNERS, enough=0.5)]
        level = np.cos(elevation)
        return level * np.cos(azimuth), np.sin(elevation), level * np.sin(azimuth)

    def show(self, motion: Motion) -> None:
        """Replace what stands on the stage by the bodies of ``motion``."""
        for node in self._nodes:
            node.remove()
        self._nodes, self._labels = [], []
        # The same bodies stay: a browser takes its time over meshes that it has not met yet.
        if motion.looks != self._looks:
            self._looks = motion.looks
            self._poses, self._corner = motion.poses[:1], None
            self.pick(None)
            self._fill(motion.looks)
        boxes = np.zeros((len(motion.looks), 2, 3))
        for batch in self._batches:
            boxes[batch.members] = batch.boxes
        self.low, self.high = bounds(motion, boxes)
        self._joints.show(motion)
        self._springs.show(motion)
        at = [i for i, look in enumerate(motion.looks) if isinstance(look.shape, HalfSpace)]
        solid = motion.poses[0, at[0], :3] if at else None
        self._nodes.append(
            ground(self._scene, motion.up, self.low, self.high, solid=solid, shadows=self._shadows)
        )
        self._nodes += lights(self._scene, motion.up, front_of(motion.up), shadows=self._shadows)
        self._overlays(motion)

    def _fill(self, looks: Sequence[Look]) -> None:
        """Replace the bodies, one batch for each shape."""
        for batch in self._batches:
            batch.remove()
        self._batches = []
        marker = _marker(looks)
        for number, ((shape, shaded, casts), members) in enumerate(
            _by_shape(looks, marker).items()
        ):
            if isinstance(shape, HalfSpace):
                continue  # an endless body is drawn as the ground
            sizes = [stretched(looks[i].shape or marker)[1] for i in members]
            colors = np.array([looks[i].color for i in members], np.int64)
            self._batches.append(
                Batch(
                    self._scene,
                    f"/bodies/{number}",
                    np.array(members),
                    shape,
                    np.array(sizes),
                    colors,
                    shaded=shaded,
                    casts=casts,
                    picked=self._clicked,
                )
            )

    def pick(self, body: int | None) -> None:
        """Write the name of a body beside it; of the one that has it, take it away."""
        self.picked = None if body == self.picked else body
        if self._name is None:
            self._name = self._scene.add_label("/picked", "", visible=False)
        if self.picked is not None:
            self._name.text = self._looks[self.picked].id
        self._name.visible = self.picked is not None

    def draw(self, poses: Array, frame: int) -> None:
        """Move every body to ``poses`` (bodies, 7) and the arrows to those of ``frame``."""
        here, present = drawable(poses)
        for batch in self._batches:
            batch.draw(here, present)
        if self._frames is not None and self._frames.visible:
            self._frames.batched_positions = np.nan_to_num(poses[:, :3])
            self._frames.batched_wxyzs = np.where(
                np.isnan(poses[:, 3:]), (1.0, 0.0, 0.0, 0.0), poses[:, 3:]
            )
        self._joints.draw(poses, frame)
        self._springs.draw(poses, frame)
        self._pointers.draw(frame)
        if self.picked is not None:
            self._name.position = np.nan_to_num(poses[self.picked, :3])
        for index, label in self._labels:
            if label.visible:
                label.position = np.nan_to_num(poses[index, :3])

    def extend(self, motion: Motion) -> bool:
        """Take up more frames of the same bodies; False where the stage has to be built anew."""
        marks = self._joints.extend(motion) and self._springs.extend(motion)
        return marks and self._pointers.extend(motion.arrows)

    def overlay(
        self, *, frames: bool, names: bool, forces: Mapping[str, bool], length: float
    ) -> None:
        """Choose what is drawn beside the bodies; ``length`` is that of arrows, 1 the usual."""
        # Frames and forces lie inside the bodies: let them shine through.
        opacity = 0.55 if frames or any(forces.values()) else None
        for batch in self._batches:
            batch.opacity = opacity
        if self._frames is not None:
            self._frames.visible = frames
        self._pointers.choose(forces, length)
        for _, label in self._labels:
            label.visible = names

    def _overlays(self, motion: Motion) -> None:
        count, span = len(motion.looks), max(self.size, 1e-3)
        identity = np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))
        self._frames = self._scene.add_batched_axes(
            "/frames",
            identity,
            np.zeros((count, 3)),
            axes_length=0.1 * span,
            axes_radius=0.004 * span,
            visible=False,
        )
        self._nodes.append(self._frames)
        self._pointers.show(motion.arrows, span)
        # Names of hundreds of bodies would hide the scene, and each is a message a frame.
        for index, look in enumerate(motion.looks if count <= 60 else ()):
            label = self._scene.add_label(f"/names/{index}", look.id, visible=False)
            self._nodes.append(label)
            self._labels.append((index, label))


def _marker(looks: Sequence[Look]) -> Sphere:
    """Return a ball that stands for a body without a shape, in proportion to the others."""
    shapes = [look.shape for look in looks]
    sizes = [_extent(shape) for shape in shapes if shape and not isinstance(shape, HalfSpace)]
    return Sphere(0.05 * float(np.median(sizes)) if sizes else 0.1)


def _extent(shape: Shape) -> float:
    drawn, size = stretched(shape)
    return float(np.max(np.ptp(mesh_of(drawn)[0] * np.array(size), axis=0)))


def _by_shape(looks: Sequence[Look], marker: Shape) -> dict[tuple[Shape, bool, bool], list[int]]:
    """Return which bodies are drawn with the same mesh, by its shape and its shadows."""
    groups: dict[tuple[Shape, bool, bool], list[int]] = {}
    for index, look in enumerate(looks):
        if look.hidden and look.shape is None:
            continue
        drawn, _ = stretched(look.shape or marker)
        groups.setdefault((drawn, look.shaded, look.casts), []).append(index)
    return groups
