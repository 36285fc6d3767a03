"""A graph of nodes as a scene: every Shape a body where its Transforms put it.

A body is called after its Transform (DEF), else its Shape, else what is around. What moves nothing
and encloses nothing is counted as lost: sensors, routes, lights. Scripts are never executed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from articulata.errors import FormatError, GeometryError
from articulata.formats.scenes.foreign_scene import Scene, ScenePart, SceneView, placed, united
from articulata.formats.scenes.scene_motion import SceneGrowth, SceneMotion, rigid
from articulata.formats.vrml.animation import ANGLES, RUN, Animation, Drive, Way
from articulata.formats.vrml.classic import ClassicReader
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
from articulata.formats.vrml.vrml_files import Around, text_of
from articulata.formats.vrml.x3d_xml import XmlReader
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.shapes import Placed, Shape
from articulata.kinematics.described_figure import identifier

GROUPS: Final = (
    "Anchor", "Billboard", "CADAssembly", "CADPart", "Group", "HAnimSite", "Layer",
    "PickableGroup", "ScreenGroup", "StaticGroup", "Transform",
)  # fmt: skip
MOVED_GROUPS: Final = ("CADPart", "Transform")
"""Groups that place what is in them."""
SILENT: Final = (
    "WorldInfo", "NavigationInfo", "MetadataBoolean", "MetadataDouble", "MetadataFloat",
    "MetadataInteger", "MetadataSet", "MetadataString",
)  # fmt: skip
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
        self._animation = Animation()
        self._idle: list[Node] = []  # what may move things
        self._routed: set[Path] = set()
        self._motions: dict[int, tuple[object, SceneMotion | None]] = {}
        self._growths: dict[int, tuple[object, SceneGrowth | None]] = {}

    def whole(self, graph: Graph, path: Path) -> None:
        """Take the world's file, and count what moves nothing in it."""
        self.graph(graph, path, Way(np.eye(4)), "")
        self._animation.count_lost(self.scene.lost)
        used = self._animation.used
        self.scene.lost.update(each.type for each in self._idle if id(each) not in used)
        idle = sum(id(each) not in used for each in self._animation.routes)
        if idle:
            self.scene.lost["ROUTE"] += idle

    def graph(self, graph: Graph, path: Path, way: Way, owner: str) -> None:
        """Take what a file holds, where ``way`` leads."""
        self._inlines.append(path)
        self.scene.lost.update(graph.lost)
        if path not in self._routed:
            self._routed.add(path)
            self._animation.take(graph.routes)
        for node in graph.nodes:
            self.node(node, way @ np.diag([graph.size] * 3 + [1.0]), owner, 0)
        self._inlines.pop()

    def node(self, node: Node, way: Way, owner: str, depth: int, *, touches: bool = True) -> None:
        """Take a node and what is in it; what does not touch is only seen."""
        self._visits += 1
        if self._visits > MOST_VISITS or depth > 2 * MOST_DEPTH:
            raise node.error("USE and prototypes make too much of it; give a smaller world")
        if node.type in PERSONS and any(each in node.spec for each in ("children", "humanoidBody")):
            figure = figure_of(node, self.scene, self._taken_in, tuple(self._inlines))
            if figure is not None:
                self.scene.figures.append(figure(way.M))
                if way.drives:
                    self.scene.lost["motion of a humanoid as a whole"] += 1
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
        elif kind in MOVED_GROUPS:
            owner = f"{owner.rstrip(FAR)}{FAR}"
        if kind in (*MOVED_GROUPS, *JOINTS, *SEGMENTS, *PERSONS) and "translation" in node.spec:
            drive = self._animation.drive(node)
            way = way @ transform(node) if drive is None else way.through(drive)
            if not np.isfinite(way.M).all():
                raise FormatError(
                    f"{self.scene.file}: {named or kind}: it is scaled beyond numbers"
                )
        below: list[Node] = []
        match kind:
            case "Shape":
                self._shape(node, way, owner, touches)
            case "Viewpoint":
                self._view(node, way, outer)
            case "Inline":
                self._inline(node, way, owner)
            case "Switch":
                choices = node.children("choice", "children")
                which = int(node.get("whichChoice")[0])
                below = [choices[which]] if 0 <= which < len(choices) else []
            case "LOD":
                below = node.children("level", "children")[:1]
            case "CADFace" | "LayerSet":
                below = node.children("shape" if kind == "CADFace" else "layers")
            case "Collision":
                below = node.children("children")
                touches = touches and node.get("collide") and node.get("enabled")
                if node.get("proxy") is not None:
                    self.scene.lost["Collision.proxy (what is seen touches)"] += 1
            case "CADLayer":
                shown = node.get("visible")
                below = [each for k, each in enumerate(node.children("children"))
                         if k >= len(shown) or shown[k]]  # fmt: skip
            case _ if kind in (*GROUPS, *JOINTS, *SEGMENTS, *PERSONS):
                names = ("children", "humanoidBody", "skeleton", "skin")
                below = node.children(*(each for each in names if each in node.spec))
            case _ if kind in RUN:
                self._idle.append(node)
            case _ if kind not in SILENT:
                self.scene.lost[kind] += 1
        for each in below:
            self.node(each, way, owner, depth + 1, touches=touches)
        if kind in MOVED_GROUPS and named:
            self._join(first, named, rigid(way.M)[0])

    def _motion(self, way: Way) -> SceneMotion | None:
        """Return the motion of what a way goes through last, made once."""
        if not way.drives:
            return None
        known = self._motions.get(id(way.drives))
        if known is None:
            known = self._motions[id(way.drives)] = way.drives, way.motion(self.scene.lost)
        return known[1]

    def _growth(self, way: Way) -> SceneGrowth | None:
        """Return how what a way leads to grows, made once."""
        known = self._growths.get(id(way.drives))
        if known is None:
            known = self._growths[id(way.drives)] = way.drives, way.growth()
            if known[1] is not None:
                self._animation.grown.add(id(way.drives[-1][1].node))
        return known[1]

    def _inline(self, node: Node, way: Way, owner: str) -> None:
        target = self._target(node, self._inlines[-1])
        if target in self._inlines:
            raise node.error(f"Inline: {target.name} takes in itself; remove one of them")
        if len(self._inlines) > 20:
            raise node.error("Inline nodes are more than 20 deep inside each other")
        if target is not None:
            self.graph(self._around.graph(target), target, way, owner)

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

    def _view(self, node: Node, way: Way, outer: Node) -> None:
        drive = self._animation.drive(node)
        if drive is None:
            X = np.eye(4)
            X[:3, 3], X[:3, :3] = node.get("position"), rotation(node.get("orientation"))
            drive = Drive(node, None, None, np.zeros(3)) if way.drives else None
            way = way @ X if drive is None else way
        if drive is not None:
            way = way.through(drive)
        motion = self._motion(way)
        zoom = self._animation.zoom(node, self.scene.lost)
        angle = node.get("fieldOfView")[0] if zoom is None else zoom.angles[0]
        angle = float(np.clip(angle, *ANGLES))
        name = outer.name or node.get("description") or "view"
        called = self.scene.unique(identifier(name) if name != "view" else name)
        self.scene.views.append(SceneView(called, rigid(way.M)[0], angle, motion, zoom))

    def _shape(self, node: Node, way: Way, owner: str, touches: bool) -> None:
        color = color_of(node, self.scene)
        geometry = node.get("geometry")
        if geometry is None:
            return
        known = self._shapes.get(id(geometry))
        if known is None:
            known = self._shapes[id(geometry)] = shape_of(geometry, self.scene.lost)
        name = self.scene.unique(identifier(owner) if owner else "shape")
        X_WP, S = rigid(way.M)
        try:
            shape = placed_shape(known, S, name, self.scene)
        except GeometryError as error:
            raise geometry.error(f"{geometry}: {error}") from error
        if shape is None:
            return
        motion, growth = self._motion(way), self._growth(way)
        if motion is not None or growth is not None:
            X_WB = rigid(way.places(np.zeros(1))[0])[0]
            X_BS = inverse_pose(X_WB) @ X_WP
            inner = shape.shape if isinstance(shape, Placed) else shape
            X_BS = X_BS @ (shape.X_PS if isinstance(shape, Placed) else np.eye(4))
            shape, X_WP = Placed(inner, X_BS), X_WB
        self.scene.parts.append(
            ScenePart(
                name, X_WP, shape if touches else None, None if touches else shape, color=color,
                motion=motion, growth=growth,
            )
        )  # fmt: skip
        self._within.append(owner if self._nameless else "")

    def _join(self, first: int, owner: str, X_WO: Array) -> None:
        """Make one body of the primitives of a Transform with a name, where that stands."""
        parts = self.scene.parts
        mine = [k for k in range(first, len(parts)) if self._within[k] == owner]
        pieces: list[tuple[Array, Shape | None]] = []
        for k in mine:
            X, shape = parts[k].X_WP, parts[k].shape
            if isinstance(shape, Placed):
                X, shape = X @ shape.X_PS, shape.shape
            pieces.append((X, shape))
        alike = len({(parts[k].color, *map(id, _changing(parts[k]))) for k in mine}) == 1
        if not alike or any(shape is None for _, shape in pieces):
            return
        if any(each is not None for each in _changing(parts[mine[0]])):
            if len(mine) == 1:  # it stands there
                return
            X_WO = parts[mine[0]].X_WP
        back = inverse_pose(X_WO)
        shapes = [placed(shape, back @ X) for X, shape in pieces if shape is not None]
        parts[mine[0]] = replace(parts[mine[0]], X_WP=X_WO, shape=united(shapes))
        for k in reversed(mine[1:]):
            del parts[k], self._within[k]


def _changing(part: ScenePart) -> tuple[SceneMotion | None, SceneGrowth | None]:
    return part.motion, part.growth


def read_scene(path: Path) -> Scene:
    """Return the scene of a VRML97 or X3D file.

    Raises FormatError with line and column for what is no such file or passes the bounds.
    """
    whole = path.resolve()
    around = Around(whole.parent, parsed)
    scene = Scene(identifier(path.stem), path.name)
    GraphScene(scene, around).whole(around.graph(whole), whole)
    return scene


def parsed(data: bytes, path: Path, around: Around) -> Graph:
    """Return the graph of the bytes of a file, whichever syntax it is written in."""
    head = text_of(data[:2000])
    if head.lstrip().startswith(("<", "{")):
        return XmlReader(data, path, around).whole()
    known = re.match(r"#(VRML +V2\.0 +utf8|X3D +V[34]\.\d)", head)
    if known is None and (around.graphs or len(around.open) > 1):
        # files that are only taken in often lack their first line
        graph = ClassicReader(text_of(data), path, around).whole()
        graph.lost[f"first line of {path.name} (#VRML V2.0 utf8; read without it)"] += 1
        return graph
    if known is None:
        first = head.partition("\n")[0].strip()[:40]
        old = "; VRML 1.0 is another format, convert it to VRML97" if "VRML V1" in first else ""
        raise FormatError(
            f"{path}:1:1: VRML97 begins with '#VRML V2.0 utf8', X3D with '#X3D V3.3 utf8' or "
            f"<X3D>, this with '{first}'{old}"
        )
    return ClassicReader(text_of(data), path, around).whole()
