"""The cloud of points of reach: which are drawn, in which colours, which is clicked.

Beside it the skins of a person and of the device they move with: triangles that follow links.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.constructed import tessellate
from articulata.kinematics.figure import Figure
from articulata.kinematics.link import MeshFile
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED, ShareMap
from articulata.report.reach_maps import COLORS, share_colors
from articulata.report.viewer.layers import Points
from articulata.report.viewer.panels.reach_words import named_heights


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """Triangles of links: ``vertices`` (n, 3) in their links, ``link`` (n,) numbers of joints."""

    vertices: Array
    link: IntArray
    triangles: IntArray

    def at(self, poses: Array, X_WG: Array) -> Array:
        """Return the vertices (n, 3) in W for poses (joints, 4, 4) in the ground frame."""
        X = X_WG @ poses[self.link]
        return np.asarray(np.einsum("nij,nj->ni", X[:, :3, :3], self.vertices) + X[:, :3, 3])


def skins_of(figure: Figure) -> tuple[Skin, Skin]:
    """Return the skins of a person and of the device they move with."""
    found: tuple[list[tuple[int, Array, IntArray]], list[tuple[int, Array, IntArray]]] = ([], [])
    for number, joint in enumerate(figure.joints):
        link = figure.links[joint.name]
        for part in link.visuals or link.collisions:
            if isinstance(part.shape, MeshFile):
                continue
            made = tessellate(part.shape, 12)
            p = np.asarray(made.vertices) @ part.X_LS[:3, :3].T + part.X_LS[:3, 3]
            found[link.name == "device"].append((number, p, np.asarray(made.triangles)))
    return _skin(found[0]), _skin(found[1])


def _skin(rows: list[tuple[int, Array, IntArray]]) -> Skin:
    starts = np.cumsum([0, *(len(p) for _, p, _ in rows)])
    return Skin(
        np.concatenate([np.empty((0, 3)), *(p for _, p, _ in rows)]),
        np.concatenate([np.empty(0, np.int64), *(np.full(len(p), n) for n, p, _ in rows)]),
        np.concatenate(
            [
                np.empty((0, 3), np.int64),
                *(t + start for (_, _, t), start in zip(rows, starts, strict=False)),
            ]
        ),
    )


NOTHING, REACHED, MISSED, ALL = "nothing", "what is reached", "what is not", "all points"
"""What of the cloud may be drawn."""

DOT = 0.18
"""How large a dot is beside the distance of two: a layer seen along it must not hide the room."""

CLOUD = "reach cloud"
"""The name of its layer."""


@dataclass(slots=True)
class Cloud:
    """What of a map's points is drawn.

    ``what`` of them, and at which ``height`` (m over the floor; None for all) of the ``heights`` by
    name; ``chosen`` says that the user chose it. ``crowd`` are the shares of a population that are
    drawn in place of one person's labels.
    """

    heights: Mapping[str, float]
    what: str = ALL
    height: float | None = None
    chosen: bool = False
    crowd: ShareMap | None = None

    def choose(self, name: str) -> None:
        """Show the height of that name, or all heights where none has it."""
        self.height = self.heights.get(name)
        self.chosen = self.height is not None

    def nearest(self, reached: ReachMap, p: Array) -> str:
        """Return the name of the height next to a place (3,) in W."""
        z = float(p @ reached.X_WG[:3, 2])
        return min(self.heights, key=lambda each: abs(self.heights[each] - z))

    def shown(self, reached: ReachMap, who: str) -> IntArray:
        """Return the numbers of the points that are drawn."""
        part = reached.parts.get(who)
        if part is None or self.what == NOTHING:
            return np.empty(0, np.int64)
        wanted = np.ones(len(part.label), bool)
        # of a population: by half of its people
        within = part.label == ACCESSIBLE if self.crowd is None else self.crowd.reached >= 0.5
        if self.what == REACHED:
            wanted = within
        elif self.what == MISSED:
            wanted = ~within
        if self.height is not None:
            wanted &= np.abs(_up(reached) - self.height) < 1e-3
        return np.flatnonzero(wanted)

    def layer(self, reached: ReachMap, who: str, *, pale: bool) -> Points:
        """Return the points as they are drawn; those of before a move are ``pale``."""
        shown = self.shown(reached, who)
        part = reached.parts.get(who)
        if part is not None and self.height is not None and self.crowd is None:
            shown = shown[_telling(reached, shown, part.label[shown])]
        colors = np.zeros((0, 3), np.uint8)
        if self.crowd is not None:
            colors = share_colors(self.crowd.reached[shown])
        elif part is not None:
            palette = np.zeros((3, 3), np.uint8)
            for label in (NOT_FOUND, ACCESSIBLE, PROVED):
                palette[label] = COLORS[label]
            colors = palette[part.label[shown]]
        if pale:
            colors = (0.4 * colors + 0.6 * 235.0).astype(np.uint8)
        size = DOT * (reached.step or 0.05)
        return Points(CLOUD, reached.points[shown], colors, size)

    def met(self, reached: ReachMap, who: str, ray: Array) -> int | None:
        """Return the number of the point that a ray (2, 3) in W comes nearest to, front ones first.

        None where it meets none.
        """
        shown = self.shown(reached, who)
        if not len(shown):
            return None
        origin, direction = ray
        away = reached.points[shown] - origin
        along = away @ direction
        across = np.linalg.norm(away - along[:, None] * direction, axis=1)
        reach = 0.5 * reached.step
        near = np.flatnonzero((across < reach) & (along > 0.0))
        if not len(near):
            near = np.flatnonzero((across < 3.0 * reach) & (along > 0.0))
        return int(shown[near[np.argmin(along[near])]]) if len(near) else None


def cloud_over(reached: ReachMap) -> Cloud:
    """Return the cloud of a map, all of it."""
    return Cloud(named_heights(np.unique(_up(reached).round(4))))


def _telling(reached: ReachMap, shown: IntArray, label: IntArray) -> BoolArray:
    """Return which points (n,) of one height to draw: amid others of their label one in four.

    Edges of what is reached stay as they are, and a layer seen along it hides less of the room.
    """
    flat = reached.points[shown] @ reached.X_WG[:3, :2]
    cell = np.rint((flat - flat.min(axis=0, initial=np.inf)) / (reached.step or 1.0)).astype(int)
    at = np.full(cell.max(axis=0, initial=0) + 3, -1)
    at[tuple(cell.T + 1)] = label
    amid = np.ones(len(shown), bool)
    for aside in ((0, 1), (2, 1), (1, 0), (1, 2)):
        amid &= at[tuple((cell + aside).T)] == label
    return np.asarray(~amid | (cell % 2 == 0).all(axis=1))


def _up(reached: ReachMap) -> Array:
    return reached.points @ reached.X_WG[:3, 2]
