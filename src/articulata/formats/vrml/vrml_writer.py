"""A scene as VRML97 or X3D (XML or JSON): the same nodes in each syntax.

Bodies are Transforms with their names. What is seen is written, what moves with a TimeSensor and
interpolators; masses, hinges and what touches without being seen are counted as lost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_motion import SceneMotion
from articulata.formats.vrml.graph import Node, Route, Value
from articulata.formats.vrml.node_table import nodes
from articulata.formats.vrml.shape_nodes import Z_TO_Y
from articulata.formats.xml import lines_of
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.geometry.shapes import Cone, Cuboid, Cylinder, Named, Placed, Shape, Sphere, Union
from articulata.world.values import Vector3


def write_vrml(scene: Scene) -> str:
    """Return a scene as the text of a ``.wrl``."""
    lines = ["#VRML V2.0 utf8"]
    routes: list[Route] = []
    for node in _nodes(scene, routes, x3d=False):
        _classic(node, "", lines)
    lines += [f"ROUTE {r.source.name}.{r.out} TO {r.target.name}.{r.into}" for r in routes]
    return "\n".join(lines) + "\n"


def write_x3d(scene: Scene) -> str:
    """Return a scene as the text of an ``.x3d`` (XML)."""
    routes: list[Route] = []
    lines = [line for node in _nodes(scene, routes, x3d=True) for line in _xml(node)]
    for r in routes:
        given = {"fromNode": r.source.name, "fromField": r.out,
                 "toNode": r.target.name, "toField": r.into}  # fmt: skip
        lines += lines_of("ROUTE", given)
    profile = {"profile": "Interchange", "version": "3.3"}
    whole = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.3//EN" '
        '"https://www.web3d.org/specifications/x3d-3.3.dtd">',
        *lines_of("X3D", profile, lines_of("Scene", {}, lines)),
    ]
    return "\n".join(whole) + "\n"


def write_x3d_json(scene: Scene) -> str:
    """Return a scene as the text of an ``.x3dj`` (ISO/IEC 19776-5)."""
    routes: list[Route] = []
    things: list[dict[str, Any]] = [_json(node) for node in _nodes(scene, routes, x3d=True)]
    for r in routes:
        given = {"@fromNode": r.source.name, "@fromField": r.out,
                 "@toNode": r.target.name, "@toField": r.into}  # fmt: skip
        things.append({"ROUTE": given})
    whole = {"encoding": "UTF-8", "@profile": "Interchange", "@version": "3.3",
             "Scene": {"-children": things}}  # fmt: skip
    return json.dumps({"X3D": whole}, ensure_ascii=False, indent=1) + "\n"


def _json(node: Node) -> dict[str, Any]:
    given: dict[str, Any] = {"@DEF": node.name} if node.name else {}
    for name, value in node.fields.items():
        if isinstance(value, Node):
            given[f"-{name}"] = _json(value)
        elif isinstance(value, list):
            given[f"-{name}"] = [_json(each) for each in value]
        elif isinstance(value, bool | str):
            given[f"@{name}"] = value
        else:
            numbers = np.asarray(value, float).reshape(-1).tolist()
            numbers = [int(each) if each == int(each) else each for each in numbers]
            several = node.spec[name].several or len(numbers) > 1
            given[f"@{name}"] = numbers if several else numbers[0]
    return {node.type: given}


def _node(kind: str, name: str = "", **fields: Value) -> Node:
    return Node(kind, nodes()[kind], "", fields, name)


def _nodes(scene: Scene, routes: list[Route], *, x3d: bool) -> Iterable[Node]:
    clocks: dict[tuple[float, float], Node] = {}
    for view in scene.views:
        X = view.X_WC
        node = _node(
            "Viewpoint", view.name, position=X[:3, 3], orientation=_turn(X),
            fieldOfView=np.array([view.upwards]), description=view.name,
        )  # fmt: skip
        yield node
        yield from _moving(scene, node, view.motion, ("position", "orientation"), clocks, routes)
    for part in scene.parts:
        seen = scene.seen(part)
        shapes = [] if seen is None else _shapes(seen, part.color, x3d)
        node = _node("Transform", part.name, **_place(part.X_WP), children=shapes)
        yield node
        yield from _moving(scene, node, part.motion, ("translation", "rotation"), clocks, routes)


def _moving(
    scene: Scene, node: Node, motion: SceneMotion | None, fields: tuple[str, str],
    clocks: dict[tuple[float, float], Node], routes: list[Route],
) -> Iterable[Node]:  # fmt: skip
    """Yield what moves a node, and add the routes; what moves alike has one clock.

    Other programs start clocks at the time of day, so that what is told once goes round too.
    """
    if motion is None:
        return
    begin, end = float(motion.times[0]), float(motion.times[-1])
    clock = clocks.get((begin, end))
    if clock is None:
        clock = clocks[begin, end] = _node(
            "TimeSensor", scene.unique("clock"), loop=True, cycleInterval=np.array([end - begin])
        )
        if begin:
            clock.fields["startTime"] = np.array([begin])
        yield clock
    key = ((motion.times - begin) / (end - begin)).reshape(-1, 1)
    tracks = motion.poses[:, :3, 3], np.array([_turn(X) for X in motion.poses])
    for field, values, kind in zip(fields, tracks, ("Position", "Orientation"), strict=True):
        way = _node(
            f"{kind}Interpolator", scene.unique(f"{node.name}_{field}"), key=key, keyValue=values
        )
        yield way
        routes.append(Route(clock, "fraction_changed", way, "set_fraction"))
        routes.append(Route(way, "value_changed", node, f"set_{field}"))


def _shapes(shape: Shape, color: Vector3 | None, x3d: bool) -> list[Node]:
    """Return the nodes that are drawn as a shape, in its frame."""
    if isinstance(shape, Named):
        return _shapes(shape.shape, color, x3d)
    if isinstance(shape, Union):
        return [node for part in shape.parts for node in _shapes(part, color, x3d)]
    if isinstance(shape, Placed):
        inside = _shapes(shape.shape, color, x3d)
        return [_node("Transform", **_place(shape.X_PS), children=inside)]
    looks: dict[str, Value] = {} if color is None else {"diffuseColor": np.array(color)}
    appearance = _node("Appearance", material=_node("Material", **looks))
    match shape:
        case Cuboid(x, y, z):
            geometry = _node("Box", size=np.array([x, y, z]))
        case Sphere(radius):
            geometry = _node("Sphere", radius=np.array([radius]))
        case Cylinder(radius, length):
            geometry = _node("Cylinder", radius=np.array([radius]), height=np.array([length]))
        case Cone(radius, length, 0.0):
            geometry = _node("Cone", bottomRadius=np.array([radius]), height=np.array([length]))
        case _:
            vertices, faces = triangles_of(shape)
            ends = np.column_stack([faces, np.full(len(faces), -1)])
            geometry = _node(
                "IndexedFaceSet", coord=_node("Coordinate", point=vertices),
                coordIndex=ends.reshape(-1, 1), solid=False,
            )  # fmt: skip
    node = _node("Shape", appearance=appearance, geometry=geometry)
    if geometry.type in ("Cylinder", "Cone"):
        return [_node("Transform", **_place(Z_TO_Y.T), children=[node])]
    return [node]


def _place(X: Array) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if X[:3, 3].any():
        found["translation"] = X[:3, 3]
    if not np.array_equal(X[:3, :3], np.eye(3)):
        found["rotation"] = _turn(X)
    return found


def _turn(X: Array) -> Array:
    """Return a rotation as axis and angle (4,)."""
    w, *v = (float(each) for each in q_from_matrix(X[:3, :3]))
    size = math.hypot(*v)
    if size == 0.0:
        return np.array([0.0, 0.0, 1.0, 0.0])
    return np.array([*(each / size for each in v), 2.0 * math.atan2(size, w)])


def _words(value: Value, *, quote: str) -> str:
    """Return what a field holds, without brackets: numbers row by row with commas."""
    if isinstance(value, bool):
        return str(value).lower() if quote else str(value).upper()
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return value if quote else f'"{escaped}"'
    rows = np.atleast_2d(np.asarray(value, float))
    return ", ".join(" ".join(_number(each) for each in row) for row in rows.tolist())


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _classic(node: Node, indent: str, lines: list[str]) -> None:
    """Add a node in the classic syntax; the first line goes on where the last one ends."""
    head = f"DEF {node.name} {node.type}" if node.name else node.type
    if lines[-1].endswith(" "):
        lines[-1] += f"{head} {{"
    else:
        lines.append(f"{indent}{head} {{")
    for name, value in node.fields.items():
        if isinstance(value, Node):
            lines.append(f"{indent}  {name} ")
            _classic(value, f"{indent}  ", lines)
        elif isinstance(value, list):
            lines.append(f"{indent}  {name} [")
            for each in value:
                _classic(each, f"{indent}    ", lines)
            lines.append(f"{indent}  ]")
        else:
            words = _words(value, quote="")
            lines.append(
                f"{indent}  {name} " + (f"[ {words} ]" if node.spec[name].several else words)
            )
    lines.append(f"{indent}}}")


def _xml(node: Node) -> list[str]:
    """Return the lines of a node in XML."""
    given = {"DEF": node.name} if node.name else {}
    inside: list[Node] = []
    for name, value in node.fields.items():
        if isinstance(value, Node | list):
            inside += value if isinstance(value, list) else [value]
        else:
            given[name] = _words(value, quote="xml")
    return lines_of(node.type, given, [line for each in inside for line in _xml(each)])
