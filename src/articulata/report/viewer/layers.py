"""Layers: what is drawn beside the bodies, each under a name, as plain data.

A panel or a session makes layers; ``Layers`` puts them on a viser scene and changes one that is
there already instead of building it anew. Places are in m in the world's frame W, colours are
three numbers from 0 to 255, one for all or one for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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
        self._shown: dict[str, tuple[type, list[Any]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is shown."""
        return tuple(self._shown)

    def show(self, layer: Layer) -> None:
        """Show ``layer`` in place of that of its name."""
        kind, nodes = self._shown.get(layer.name, (None, []))
        if kind is type(layer) and _CHANGES[type(layer)](nodes, layer):
            return
        self.hide(layer.name)
        path = f"/layers/{len(layer.name)}_{layer.name.replace('/', ' ')}"
        self._shown[layer.name] = type(layer), _MAKES[type(layer)](self._scene, path, layer)

    def hide(self, name: str) -> None:
        """Take away the layer called ``name``, if there is one."""
        for node in self._shown.pop(name, (None, []))[1]:
            node.remove()

    def clear(self, begins: str = "") -> None:
        """Take away all layers whose names begin so."""
        for name in [each for each in self._shown if each.startswith(begins)]:
            self.hide(name)


def _each(colors: Colors, count: int) -> Bytes:
    """Return one colour for each of ``count`` things, (count, 3)."""
    return np.broadcast_to(np.asarray(colors, np.uint8), (count, 3)).copy()


def _both(colors: Colors, count: int) -> Bytes:
    """Return one colour for each of two ends, (count, 2, 3)."""
    return np.repeat(_each(colors, count)[:, None, :], 2, axis=1)


def _float(values: Array) -> Any:
    return np.ascontiguousarray(values, np.float32)


# ---- points, lines, arrows: nothing to draw is nothing in the scene


def _make_points(scene: Any, path: str, layer: Points) -> list[Any]:
    if not len(layer.places):
        return []
    return [
        scene.add_point_cloud(
            path, _float(layer.places), _each(layer.colors, len(layer.places)),
            point_size=layer.size, point_shape="circle", point_shading="flat",
            precision="float32",
        )
    ]  # fmt: skip


def _change_points(nodes: list[Any], layer: Points) -> bool:
    if not nodes or not len(layer.places):
        return False
    (node,) = nodes
    if len(node.points) != len(layer.places):
        return False
    node.points = _float(layer.places)
    _set(node, "colors", _each(layer.colors, len(layer.places)))
    _set(node, "point_size", layer.size)
    return True


def _make_lines(scene: Any, path: str, layer: Lines) -> list[Any]:
    if not len(layer.ends):
        return []
    return [
        scene.add_line_segments(
            path, _float(layer.ends), _both(layer.colors, len(layer.ends)),
            thickness=layer.width, thickness_units="screen",
        )
    ]  # fmt: skip


def _make_arrows(scene: Any, path: str, layer: ArrowsLayer) -> list[Any]:
    if not len(layer.ends):
        return []
    return [
        scene.add_arrows(
            path, _float(layer.ends), _each(layer.colors, len(layer.ends)),
            shaft_radius=layer.width / 2, head_radius=1.4 * layer.width,
            head_length=3.5 * layer.width,
        )
    ]  # fmt: skip


def _change_ends(nodes: list[Any], layer: Lines | ArrowsLayer) -> bool:
    if not nodes or not len(layer.ends):
        return False
    (node,) = nodes
    if len(node.points) != len(layer.ends):
        return False
    node.points = _float(layer.ends)
    of = _both if isinstance(layer, Lines) else _each
    _set(node, "colors", of(layer.colors, len(layer.ends)))
    return True


# ---- labels, pictures, surfaces, cameras


def _make_labels(scene: Any, path: str, layer: Labels) -> list[Any]:
    return [
        scene.add_label(f"{path}/{number}", text, position=tuple(map(float, place)))
        for number, (text, place) in enumerate(zip(layer.texts, layer.places, strict=True))
    ]


def _change_labels(nodes: list[Any], layer: Labels) -> bool:
    if len(nodes) != len(layer.texts):
        return False
    for node, text, place in zip(nodes, layer.texts, layer.places, strict=True):
        if node.text != text:
            node.text = text
        node.position = tuple(map(float, place))
    return True


def _make_slice(scene: Any, path: str, layer: Slice) -> list[Any]:
    rows, columns = layer.image.shape[:2]
    # viser's picture has y down and is seen from -z
    R_WI = layer.X_WS[:3, :3] @ TURNED
    return [
        scene.add_image(
            path, np.asarray(layer.image, np.uint8), layer.width, layer.width * rows / columns,
            format="png", cast_shadow=False, receive_shadow=False,
            wxyz=q_from_matrix(R_WI), position=layer.X_WS[:3, 3],
        )
    ]  # fmt: skip


def _change_slice(nodes: list[Any], layer: Slice) -> bool:
    (node,) = nodes
    rows, columns = layer.image.shape[:2]
    if not math.isclose(node.render_height * columns, layer.width * rows):
        return False
    node.image = np.asarray(layer.image, np.uint8)
    node.wxyz = q_from_matrix(layer.X_WS[:3, :3] @ TURNED)
    node.position = layer.X_WS[:3, 3]
    return True


def _make_surface(scene: Any, path: str, layer: Surface) -> list[Any]:
    if not len(layer.triangles):
        return []
    return [
        scene.add_mesh_simple(
            path, _float(layer.vertices), np.asarray(layer.triangles, np.uint32),
            color=layer.color, opacity=None if layer.opacity >= 1.0 else layer.opacity,
            side="double", cast_shadow=layer.opacity >= 1.0,
        )
    ]  # fmt: skip


def _change_surface(nodes: list[Any], layer: Surface) -> bool:
    if not nodes or len(nodes[0].faces) != len(layer.triangles):
        return False
    (node,) = nodes
    if len(node.vertices) != len(layer.vertices):
        return False
    node.vertices = _float(layer.vertices)
    _set(node, "faces", np.asarray(layer.triangles, np.uint32))
    _set(node, "color", layer.color)
    _set(node, "opacity", None if layer.opacity >= 1.0 else layer.opacity)
    return True


def _make_view(scene: Any, path: str, layer: View) -> list[Any]:
    return [
        scene.add_camera_frustum(
            path, fov=layer.angle, aspect=layer.aspect, scale=layer.length, color=layer.color,
            image=None if layer.image is None else np.asarray(layer.image, np.uint8),
            thickness=1.5, thickness_units="screen", cast_shadow=False,
            wxyz=q_from_matrix(layer.X_WC[:3, :3] @ TURNED), position=layer.X_WC[:3, 3],
        )
    ]  # fmt: skip


def _change_view(nodes: list[Any], layer: View) -> bool:
    (node,) = nodes
    _set(node, "fov", layer.angle)
    _set(node, "aspect", layer.aspect)
    _set(node, "scale", layer.length)
    if layer.image is not None or node.image is not None:
        node.image = None if layer.image is None else np.asarray(layer.image, np.uint8)
    node.wxyz = q_from_matrix(layer.X_WC[:3, :3] @ TURNED)
    node.position = layer.X_WC[:3, 3]
    return True


def _set(node: Any, name: str, value: Any) -> None:
    """Set a property where it differs: each is a message."""
    if not np.array_equal(getattr(node, name), value):
        setattr(node, name, value)


_MAKES: Mapping[type, Callable[[Any, str, Any], list[Any]]] = {
    Points: _make_points,
    Lines: _make_lines,
    ArrowsLayer: _make_arrows,
    Labels: _make_labels,
    Slice: _make_slice,
    Surface: _make_surface,
    View: _make_view,
}
_CHANGES: Mapping[type, Callable[[list[Any], Any], bool]] = {
    Points: _change_points,
    Lines: _change_ends,
    ArrowsLayer: _change_ends,
    Labels: _change_labels,
    Slice: _change_slice,
    Surface: _change_surface,
    View: _change_view,
}
