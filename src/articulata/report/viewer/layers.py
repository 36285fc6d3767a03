"""Layers: what is drawn beside the bodies, each under a name, as plain data.

A panel or a session makes layers; ``Layers`` puts them on a viser scene and changes one that is
there already instead of building it anew. Places are in m in the world's frame W, colours are
three numbers from 0 to 255, one for all or one for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_from_matrix

Bytes: TypeAlias = npt.NDArray[np.uint8]
Color: TypeAlias = tuple[int, int, int]
Colors: TypeAlias = Color | Bytes

BLUE: Color = (31, 111, 235)


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Dots at ``places`` (n, 3), ``size`` m across; ``colors`` one or (n, 3)."""

    name: str
    places: Array
    colors: Colors = BLUE
    size: float = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Segments ``ends`` (n, 2, 3); ``colors`` one or (n, 3); ``width`` in pixels of the screen."""

    name: str
    ends: Array
    colors: Colors = BLUE
    width: float = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class ArrowsLayer:
    """Arrows from ``ends[:, 0]`` to ``ends[:, 1]`` (n, 2, 3), ``width`` m thick."""

    name: str
    ends: Array
    colors: Colors = BLUE
    width: float = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Texts at ``places`` (n, 3)."""

    name: str
    texts: tuple[str, ...]
    places: Array


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A picture lying in the scene: ``image`` (rows, columns, 3 or 4), 0 to 255.

    ``X_WS`` (4, 4) is the pose of its middle: x to the right of the picture, y up, z toward who
    reads it. ``width`` is in m; the pixels are square.
    """

    name: str
    image: Bytes
    X_WS: Array
    width: float


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles (m, 3) over ``vertices`` (n, 3), of one colour; ``opacity`` from 0 to 1."""

    name: str
    vertices: Array
    triangles: IntArray
    color: Color = BLUE
    opacity: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a camera sees, as a pyramid of ``length`` m from its nodal point.

    ``X_WC`` (4, 4) is the camera's pose, which looks along -z with y up; ``angle`` (rad) the field
    of view upwards and ``aspect`` the picture's width by its height. ``image`` (rows, columns, 3)
    is its picture, None for an empty frame.
    """

    name: str
    X_WC: Array
    angle: float
    aspect: float
    length: float = 0.3
    image: Bytes | None = None
    color: Color = (60, 66, 76)


Layer: TypeAlias = Points | Lines | ArrowsLayer | Labels | Slice | Surface | View

TURNED = np.diag((1.0, -1.0, -1.0))
"""From the camera's frame C to viser's, which looks along z with y down."""


class Layers:
    """The layers of a scene by their names; all calls are made by the thread that draws."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._shown: dict[str, list[tuple[_Part, Any]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is shown."""
        return tuple(self._shown)

    def show(self, layer: Layer) -> None:
        """Show ``layer`` in place of that of its name: what is alike in form is changed."""
        parts = _parts(layer)
        shown = self._shown.get(layer.name)
        if shown is not None and [each.form for each, _ in shown] == [each.form for each in parts]:
            for part, (_, node) in zip(parts, shown, strict=True):
                for name, value in part.given.items():
                    _set(node, name, value)
            return
        self.hide(layer.name)
        path = f"/layers/{len(layer.name)}_{layer.name.replace('/', ' ')}"
        self._shown[layer.name] = [
            (part, getattr(self._scene, part.add)(f"{path}/{number}", **part.given))
            for number, part in enumerate(parts)
        ]

    def hide(self, name: str) -> None:
        """Take away the layer called ``name``, if there is one."""
        for _, node in self._shown.pop(name, []):
            node.remove()

    def clear(self, begins: str = "") -> None:
        """Take away all layers whose names begin so."""
        for name in [each for each in self._shown if each.startswith(begins)]:
            self.hide(name)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A node of a scene: the method that adds it, and its properties by viser's names."""

    add: str
    given: Mapping[str, Any]

    @property
    def form(self) -> tuple[object, ...]:
        """What a node cannot change: its kind, and how many things are in it."""
        shapes = [np.shape(value) for name, value in self.given.items() if name != "image"]
        return (self.add, *shapes)


def _set(node: Any, name: str, value: Any) -> None:
    """Set a property where it differs: each is a message."""
    if not np.array_equal(getattr(node, name), value):
        setattr(node, name, value)


def _each(colors: Colors, count: int) -> Bytes:
    """Return one colour for each of ``count`` things, (count, 3)."""
    return np.broadcast_to(np.asarray(colors, np.uint8), (count, 3)).copy()


def _float(values: Array) -> Any:
    return np.ascontiguousarray(values, np.float32)


def _image(image: Bytes | None) -> Bytes | None:
    return None if image is None else np.asarray(image, np.uint8)


def _placed(X_WA: Array, R_AN: Array) -> dict[str, Any]:
    """Return turn and place of a node N in the frame A."""
    return {"wxyz": q_from_matrix(X_WA[:3, :3] @ R_AN), "position": X_WA[:3, 3]}


def _parts(layer: Layer) -> list[_Part]:
    """Return the nodes of a layer; nothing to draw is nothing in the scene."""
    match layer:
        case Points(_, places, colors, size) if len(places):
            given = {
                "points": _float(places), "colors": _each(colors, len(places)), "point_size": size,
                "point_shape": "circle", "point_shading": "flat", "precision": "float32",
            }  # fmt: skip
            return [_Part("add_point_cloud", given)]
        case Lines(_, ends, colors, width) if len(ends):
            both = np.repeat(_each(colors, len(ends))[:, None, :], 2, axis=1)
            given = {
                "points": _float(ends), "colors": both, "thickness": width,
                "thickness_units": "screen",
            }  # fmt: skip
            return [_Part("add_line_segments", given)]
        case ArrowsLayer(_, ends, colors, width) if len(ends):
            given = {
                "points": _float(ends), "colors": _each(colors, len(ends)),
                "shaft_radius": width / 2, "head_radius": 1.4 * width, "head_length": 3.5 * width,
            }  # fmt: skip
            return [_Part("add_arrows", given)]
        case Labels(_, texts, places):
            hangs = {"anchor": "top-center"}
            return [
                _Part("add_label", {"text": text, "position": tuple(map(float, place)), **hangs})
                for text, place in zip(texts, places, strict=True)
            ]
        case Slice(_, image, X_WS, width):
            rows, columns = image.shape[:2]
            # viser's picture has y down and is seen from -z
            given = {
                "image": _image(image), "render_width": width,
                "render_height": width * rows / columns, "format": "png", "cast_shadow": False,
                "receive_shadow": False, **_placed(X_WS, TURNED),
            }  # fmt: skip
            return [_Part("add_image", given)]
        case Surface(_, vertices, triangles, color, opacity) if len(triangles):
            given = {
                "vertices": _float(vertices), "faces": np.asarray(triangles, np.uint32),
                "color": color, "opacity": None if opacity >= 1.0 else opacity, "side": "double",
                "cast_shadow": opacity >= 1.0,
            }  # fmt: skip
            return [_Part("add_mesh_simple", given)]
        case View():
            given = {
                "fov": layer.angle, "aspect": layer.aspect, "scale": layer.length,
                "color": layer.color, "image": _image(layer.image), "thickness": 1.5,
                "thickness_units": "screen", "cast_shadow": False, **_placed(layer.X_WC, TURNED),
            }  # fmt: skip
            return [_Part("add_camera_frustum", given)]
    return []
