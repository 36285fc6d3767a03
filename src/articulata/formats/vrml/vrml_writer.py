"""A scene as VRML97 or X3D (XML or JSON): the same nodes in each syntax.

Bodies are Transforms with their names, figures are H-Anim humanoids. What is seen is written, what
moves with a TimeSensor and interpolators; masses and hinges of bodies, and what touches without
being seen, are counted as lost. A node that stands in two places is named in the second (USE).
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from typing import Any, Final

import numpy as np

from articulata.formats.scenes.foreign_scene import GROWS, Scene
from articulata.formats.scenes.scene_motion import SceneGrowth, SceneMotion, SceneZoom
from articulata.formats.vrml.graph import Node, Route, Value
from articulata.formats.vrml.humanoid_writer import humanoid, made, place, shapes, turn
from articulata.formats.vrml.x3d_xml import CONTAINERS
from articulata.formats.xml import lines_of
from articulata.geometry.arrays import Array

CLASSIC: Final = {
    "HAnimHumanoid": "Humanoid", "HAnimJoint": "Joint", "HAnimSegment": "Segment",
    "HAnimSite": "Site", "skeleton": "humanoidBody",
}  # fmt: skip
"""What VRML97 calls nodes and fields of H-Anim."""
MOVED: Final = (
    "exposedField SFVec3f center 0 0 0 exposedField MFNode children [] "
    'exposedField SFString name "" exposedField SFRotation rotation 0 0 1 0 '
    "exposedField SFVec3f scale 1 1 1 exposedField SFRotation scaleOrientation 0 0 1 0 "
    "exposedField SFVec3f translation 0 0 0"
)
AS_IS: Final = " ".join(
    f"{each} IS {each}"
    for each in ("center", "rotation", "scale", "scaleOrientation", "translation")
)
PROTOTYPES: Final = f"""PROTO Humanoid [ {MOVED.replace("children", "humanoidBody")}
  exposedField SFString version "" exposedField MFNode joints [] exposedField MFNode segments []
  exposedField MFNode sites [] ] {{ Transform {{ {AS_IS} children IS humanoidBody }} }}
PROTO Joint [ {MOVED} exposedField SFRotation limitOrientation 0 0 1 0
  exposedField MFFloat llimit [] exposedField MFFloat ulimit [] exposedField MFFloat stiffness []
] {{ Transform {{ {AS_IS} children IS children }} }}
PROTO Segment [ exposedField SFVec3f centerOfMass 0 0 0 exposedField MFNode children []
  exposedField SFFloat mass 0 exposedField MFFloat momentsOfInertia [0 0 0 0 0 0 0 0 0]
  exposedField SFString name "" ] {{ Group {{ children IS children }} }}
PROTO Site [ {MOVED} ] {{ Transform {{ {AS_IS} children IS children }} }}"""
"""H-Anim's nodes in VRML97, which has none itself."""
HEAD: Final[tuple[str, dict[str, str], list[str]]] = (
    "head",
    {},
    ['<component name="H-Anim" level="1"/>'],
)
"""What X3D is told where a humanoid stands in it."""


def write_vrml(scene: Scene) -> str:
    """Return a scene as the text of a ``.wrl``."""
    lines = ["#VRML V2.0 utf8", *PROTOTYPES.split("\n")[: None if scene.figures else 0]]
    routes: list[Route] = []
    for node in _nodes(scene, routes):
        _classic(node, "", lines, set())
    lines += [f"ROUTE {r.source.name}.{r.out} TO {r.target.name}.{r.into}" for r in routes]
    return "\n".join(lines) + "\n"


def write_x3d(scene: Scene) -> str:
    """Return a scene as the text of an ``.x3d`` (XML)."""
    routes: list[Route] = []
    lines = [line for node in _nodes(scene, routes) for line in _xml(node, set())]
    for r in routes:
        given = {"fromNode": r.source.name, "fromField": r.out,
                 "toNode": r.target.name, "toField": r.into}  # fmt: skip
        lines += lines_of("ROUTE", given)
    profile = {"profile": "Interchange", "version": "3.3"}
    head = lines_of(*HEAD) if scene.figures else []
    whole = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.3//EN" '
        '"https://www.web3d.org/specifications/x3d-3.3.dtd">',
        *lines_of("X3D", profile, [*head, *lines_of("Scene", {}, lines)]),
    ]
    return "\n".join(whole) + "\n"


def write_x3d_json(scene: Scene) -> str:
    """Return a scene as the text of an ``.x3dj`` (ISO/IEC 19776-5)."""
    routes: list[Route] = []
    things: list[dict[str, Any]] = [_json(node, set()) for node in _nodes(scene, routes)]
    for r in routes:
        given = {"@fromNode": r.source.name, "@fromField": r.out,
                 "@toNode": r.target.name, "@toField": r.into}  # fmt: skip
        things.append({"ROUTE": given})
    whole: dict[str, Any] = {"encoding": "UTF-8", "@profile": "Interchange", "@version": "3.3"}
    if scene.figures:
        whole["head"] = {"component": [{"@name": "H-Anim", "@level": 1}]}
    whole["Scene"] = {"-children": things}
    return json.dumps({"X3D": whole}, ensure_ascii=False, indent=1) + "\n"


def _json(node: Node, known: set[Node]) -> dict[str, Any]:
    """Return the object of a node, of one that is ``known`` its name alone."""
    if node in known:
        return {node.type: {"@USE": node.name}}
    known.add(node)
    given: dict[str, Any] = {"@DEF": node.name} if node.name else {}
    for name, value in node.fields.items():
        if isinstance(value, Node):
            given[f"-{name}"] = _json(value, known)
        elif isinstance(value, list):
            given[f"-{name}"] = [_json(each, known) for each in value]
        elif isinstance(value, bool | str):
            given[f"@{name}"] = value
        else:
            numbers = np.asarray(value, float).reshape(-1).tolist()
            numbers = [int(each) if each == int(each) else each for each in numbers]
            several = node.spec[name].several or len(numbers) > 1
            given[f"@{name}"] = numbers if several else numbers[0]
    return {node.type: given}


def _nodes(scene: Scene, routes: list[Route]) -> Iterable[Node]:
    clocks: dict[tuple[float, float], Node] = {}
    scene.count_forces()
    for view in scene.views:
        X = view.X_WC
        node = made(
            "Viewpoint", view.name, position=X[:3, 3], orientation=turn(X),
            fieldOfView=np.array([view.upwards]), description=view.name,
        )  # fmt: skip
        yield node
        yield from _moving(scene, node, view.motion, ("position", "orientation"), clocks, routes)
        yield from _zooming(scene, node, view.zoom, clocks, routes)
    for part in scene.parts:
        seen = scene.seen(part)
        children = [] if seen is None else shapes(seen, part.color)
        node = made("Transform", part.name, **place(part.X_WP), children=children)
        yield node
        yield from _moving(scene, node, part.motion, ("translation", "rotation"), clocks, routes)
        yield from _growing(scene, node, part.growth, clocks, routes)
    del scene.lost[GROWS]
    yield from (humanoid(each, scene) for each in scene.figures)


def _moving(
    scene: Scene, node: Node, motion: SceneMotion | None, fields: tuple[str, str],
    clocks: dict[tuple[float, float], Node], routes: list[Route],
) -> Iterable[Node]:  # fmt: skip
    """Yield what moves a node, and add the routes; what moves alike has one clock.

    Other programs start clocks at the time of day, so that what is told once goes round too.
    """
    if motion is None:
        return
    clock, key = yield from _timed(scene, motion.times, clocks)
    tracks = motion.poses[:, :3, 3], np.array([turn(X) for X in motion.poses])
    for field, values, kind in zip(fields, tracks, ("Position", "Orientation"), strict=True):
        way = made(
            f"{kind}Interpolator", scene.unique(f"{node.name}_{field}"), key=key, keyValue=values
        )
        yield way
        routes.append(Route(clock, "fraction_changed", way, "set_fraction"))
        routes.append(Route(way, "value_changed", node, f"set_{field}"))


def _zooming(
    scene: Scene, node: Node, zoom: SceneZoom | None, clocks: dict[tuple[float, float], Node],
    routes: list[Route],
) -> Iterable[Node]:  # fmt: skip
    """Yield what changes the angle of view of a Viewpoint, and add the routes."""
    if zoom is None:
        return
    yield from _led(scene, node, "fieldOfView", zoom.times, zoom.angles[:, None], clocks, routes)


def _growing(
    scene: Scene, node: Node, growth: SceneGrowth | None, clocks: dict[tuple[float, float], Node],
    routes: list[Route],
) -> Iterable[Node]:  # fmt: skip
    """Yield what changes the scale of a Transform, and add the routes."""
    if growth is not None:
        yield from _led(scene, node, "scale", growth.times, growth.scales, clocks, routes)


def _led(
    scene: Scene, node: Node, field: str, times: Array, values: Array,
    clocks: dict[tuple[float, float], Node], routes: list[Route],
) -> Iterable[Node]:  # fmt: skip
    """Yield the interpolator that leads values (n, w) at times (n,) s into a field."""
    clock, key = yield from _timed(scene, times, clocks)
    kind = "Scalar" if values.shape[1] == 1 else "Position"
    name = scene.unique(f"{node.name}_{field}")
    way = made(f"{kind}Interpolator", name, key=key, keyValue=values)
    yield way
    routes.append(Route(clock, "fraction_changed", way, "set_fraction"))
    routes.append(Route(way, "value_changed", node, f"set_{field}"))


def _timed(
    scene: Scene, times: Array, clocks: dict[tuple[float, float], Node]
) -> Generator[Node, None, tuple[Node, Array]]:
    """Yield the clock of key frames at ``times`` (n,) s where it is new; return it and its keys."""
    begin, end = float(times[0]), float(times[-1])
    clock = clocks.get((begin, end))
    if clock is None:
        clock = clocks[begin, end] = made(
            "TimeSensor", scene.unique("clock"), loop=True, cycleInterval=np.array([end - begin])
        )
        if begin:
            clock.fields["startTime"] = np.array([begin])
        yield clock
    return clock, ((times - begin) / (end - begin)).reshape(-1, 1)


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


def _classic(node: Node, indent: str, lines: list[str], known: set[Node]) -> None:
    """Add a node in the classic syntax; the first line goes on where the last one ends."""
    if node in known:
        lines.append(f"{indent}USE {node.name}")
        return
    known.add(node)
    kind = CLASSIC.get(node.type, node.type)
    head = f"DEF {node.name} {kind}" if node.name else kind
    if lines[-1].endswith(" "):
        lines[-1] += f"{head} {{"
    else:
        lines.append(f"{indent}{head} {{")
    for field, value in node.fields.items():
        name = CLASSIC.get(field, field)
        if isinstance(value, Node):
            lines.append(f"{indent}  {name} ")
            _classic(value, f"{indent}  ", lines, known)
        elif isinstance(value, list):
            lines.append(f"{indent}  {name} [")
            for each in value:
                _classic(each, f"{indent}    ", lines, known)
            lines.append(f"{indent}  ]")
        else:
            words = _words(value, quote="")
            lines.append(
                f"{indent}  {name} " + (f"[ {words} ]" if node.spec[field].several else words)
            )
    lines.append(f"{indent}}}")


def _xml(node: Node, known: set[Node], container: str = "") -> list[str]:
    """Return the lines of a node in XML; ``container`` is the field that it stands in."""
    given = {"DEF": node.name} if node.name else {}
    if container and container != CONTAINERS.get(node.type, "children"):
        given["containerField"] = container
    if node in known:
        given["USE"] = given.pop("DEF")
        return lines_of(node.type, given)
    known.add(node)
    lines: list[str] = []
    for name, value in node.fields.items():
        if isinstance(value, Node | list):
            for each in value if isinstance(value, list) else [value]:
                lines += _xml(each, known, name)
        else:
            given[name] = _words(value, quote="xml")
    return lines_of(node.type, given, lines)
