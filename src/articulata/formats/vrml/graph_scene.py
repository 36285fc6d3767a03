"""A graph of nodes as a scene: every Shape a body where its Transforms put it.

A body is called after its Transform (DEF), else its Shape, else what is around. What moves nothing
and encloses nothing is counted as lost: sensors, routes, lights. Scripts are never executed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from articulata.errors import FormatError, GeometryError
from articulata.formats.scenes.foreign_scene import Scene, ScenePart, SceneView, rigid
from articulata.formats.vrml.graph import MOST_DEPTH, Graph, Node
from articulata.formats.vrml.humanoid_figures import (
    JOINTS,
    MOST_VISITS,
    PERSONS,
    SEGMENTS,
    figure_of,
)
from articulata.formats.vrml.shape_nodes import (
    color_of,
    drawn,
    placed_shape,
    rotation,
    shape_of,
    transform,
)
from articulata.formats.vrml.vrml_files import Around
from articulata.formats.vrml.vrml_graph import read_graph
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Mesh, Named, Placed, Union
from articulata.kinematics.described_figure import identifier

GROUPS: Final = ("Anchor", "Billboard", "Group", "StaticGroup", "Transform", "HAnimSite")
SILENT: Final = ("WorldInfo", "NavigationInfo", "MetadataSet", "MetadataString")
"""Nodes that hold nothing of a world's things."""
FAR: Final = "\0"
"""Ends the name of what is around a Transform without one: a Shape's own name goes first there."""


class GraphScene:
    """Goes through a graph and collects what is in it."""

    def __init__(self, scene: Scene, around: Around) -> None:
        self.scene = scene
        self._around = around
        self._inlines: list[Path] = []
        self._visits = 0
        self._nameless = False
        self._shapes: dict[int, object] = {}
        self._within: list[str] = []  # for each part the name around it, where it has none itself

    def graph(self, graph: Graph, path: Path, M: Array, owner: str) -> None:
        """Take what a file holds, at ``M`` (4, 4)."""
        if path in self._inlines:
            raise FormatError(f"{path}: it takes in itself by Inline; remove one of them")
        if len(self._inlines) > 20:
            raise FormatError(f"{path}: Inline nodes are more than 20 deep inside each other")
        self._inlines.append(path)
        self.scene.lost.update(graph.lost)
        if graph.routes:
            self.scene.lost["ROUTE"] += len(graph.routes)
        for node in graph.nodes:
            self.node(node, M @ np.diag([graph.size] * 3 + [1.0]), owner, 0)
        self._inlines.pop()

    def node(self, node: Node, M: Array, owner: str, depth: int, *, touches: bool = True) -> None:
        """Take a node and what is in it; what does not touch is only seen."""
        self._visits += 1
        if self._visits > MOST_VISITS or depth > 2 * MOST_DEPTH:
            raise node.error("USE and prototypes make too much of it; give a smaller world")
        if node.type in PERSONS and any(each in node.spec for each in ("children", "humanoidBody")):
            figure = figure_of(node, self.scene, self._taken_in, tuple(self._inlines))
            if figure is not None:
                self.scene.figures.append(figure(M))
                return
        node, outer = drawn(node), node
        kind = node.type
        named = outer.name or node.name
        first = len(self.scene.parts)
        if kind == "Shape":
            self._nameless = not named
            owner = owner if owner and not owner.endswith(FAR) else named or owner.rstrip(FAR)
        elif named:
            owner = named
        elif kind == "Transform":
            owner = f"{owner.rstrip(FAR)}{FAR}"
        if kind in ("Transform", *JOINTS, *SEGMENTS, *PERSONS) and "translation" in node.spec:
            M = M @ transform(node)
            if not np.isfinite(M).all():
                raise FormatError(
                    f"{self.scene.file}: {named or kind}: it is scaled beyond numbers"
                )
        below: list[Node] = []
        match kind:
            case "Shape":
                self._shape(node, M, owner, touches)
            case "Viewpoint":
                self._view(node, M, outer)
            case "Inline":
                self._inline(node, M, owner)
            case "Switch":
                choices = node.children("choice", "children")
                which = int(node.get("whichChoice")[0])
                below = [choices[which]] if 0 <= which < len(choices) else []
            case "LOD":
                below = node.children("level", "children")[:1]
            case "Collision":
                below = node.children("children")
                touches = touches and node.get("collide") and node.get("enabled")
                if node.get("proxy") is not None:
                    self.scene.lost["Collision.proxy (what is seen touches)"] += 1
            case _ if kind in (*GROUPS, *JOINTS, *SEGMENTS, *PERSONS):
                names = ("children", "humanoidBody", "skeleton", "skin")
                below = node.children(*(each for each in names if each in node.spec))
            case _ if kind not in SILENT:
                self.scene.lost[kind] += 1
        for each in below:
            self.node(each, M, owner, depth + 1, touches=touches)
        if kind == "Transform" and named:
            self._join(first, named, rigid(M)[0])

    def _inline(self, node: Node, M: Array, owner: str) -> None:
        target = self._target(node, self._inlines[-1])
        if target is not None:
            self.graph(self._around.graph(target), target, M, owner)

    def _target(self, node: Node, path: Path) -> Path | None:
        target, _, why = self._around.beside(node.get("url"), path)
        if target is None:
            self.scene.lost[f"Inline: {why}"] += 1
        return target

    def _taken_in(
        self, node: Node, files: tuple[Path, ...]
    ) -> tuple[list[Node], tuple[Path, ...]]:  # fmt: skip
        """Return the nodes of the file that an Inline in ``files`` names, and that file on top."""
        target = self._target(node, files[-1])
        if target is None:
            return [], files
        if target in files:
            raise node.error(f"Inline: {target.name} takes in itself; remove one of them")
        graph = self._around.graph(target)
        self.scene.lost.update(graph.lost)
        return graph.nodes, (*files, target)

    def _view(self, node: Node, M: Array, outer: Node) -> None:
        X = np.eye(4)
        X[:3, 3], X[:3, :3] = node.get("position"), rotation(node.get("orientation"))
        angle = float(np.clip(node.get("fieldOfView")[0], 0.02, 3.0))
        name = outer.name or node.get("description") or "view"
        called = self.scene.unique(identifier(name) if name != "view" else name)
        self.scene.views.append(SceneView(called, rigid(M @ X)[0], angle))

    def _shape(self, node: Node, M: Array, owner: str, touches: bool) -> None:
        color = color_of(node, self.scene)
        geometry = node.get("geometry")
        if geometry is None:
            return
        known = self._shapes.get(id(geometry))
        if known is None:
            known = self._shapes[id(geometry)] = shape_of(geometry, self.scene.lost)
        name = self.scene.unique(identifier(owner) if owner else "shape")
        X_WP, S = rigid(M)
        try:
            shape = placed_shape(known, S, name, self.scene)
        except GeometryError as error:
            raise geometry.error(f"{geometry}: {error}") from error
        if shape is None:
            return
        self.scene.parts.append(
            ScenePart(
                name, X_WP, shape if touches else None, None if touches else shape, color=color
            )
        )
        self._within.append(owner if self._nameless else "")

    def _join(self, first: int, owner: str, X_WO: Array) -> None:
        """Make one body of the primitives of a Transform with a name, if they are all of it."""
        parts = self.scene.parts
        mine = [k for k in range(first, len(parts)) if self._within[k] == owner]
        pieces = [(parts[k].X_WP, parts[k].shape) for k in mine]
        alike = len({parts[k].color for k in mine}) == 1
        if len(mine) < 2 or not alike or any(isinstance(s, Mesh | None) for _, s in pieces):
            return
        back = np.linalg.inv(X_WO)
        placed = []
        for X, shape in pieces:
            if isinstance(shape, Placed):
                X, shape = X @ shape.X_PS, shape.shape
            assert shape is not None
            placed.append(Placed(shape, back @ X))
        whole = Union(Named(f"part{k}", each) for k, each in enumerate(placed, 1))
        parts[mine[0]] = ScenePart(parts[mine[0]].name, X_WO, whole, color=parts[mine[0]].color)
        for k in reversed(mine[1:]):
            del parts[k], self._within[k]


def read_scene(path: Path) -> Scene:
    """Return the scene of a VRML97 or X3D file.

    Raises FormatError with line and column for what is no such file or passes the bounds.
    """
    graph, around = read_graph(path)
    scene = Scene(identifier(path.stem), path.name)
    GraphScene(scene, around).graph(graph, path.resolve(), np.eye(4), "")
    return scene
