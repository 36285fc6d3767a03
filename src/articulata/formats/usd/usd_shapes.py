"""Shapes of a USD stage (UsdGeom) as ours, in the frame of what carries them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from articulata.formats.scenes.foreign_scene import Scene
from articulata.formats.vrml.shape_nodes import filled, placed_shape
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    HalfSpace,
    Placed,
    Shape,
    Sphere,
)
from articulata.world.values import Vector3

ALONG: Final[Mapping[str, Array]] = {
    "X": np.array([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]),
    "Y": np.array([[0.0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]),
    "Z": np.eye(4),
}
"""Poses whose z is the axis with this name."""


def shape_of(
    told: Mapping[str, Any], arrays: Mapping[str, Array], S: Array, name: str, scene: Scene,
    *, ground: bool,
) -> Shape | None:  # fmt: skip
    """Return a shape stretched by S (3, 3); None, counted, where nothing is left of it.

    A plane that is ``ground`` is endless; ``upright`` says how it stands.
    """
    sizes, kind = told["sizes"], told["kind"]
    if kind == "Mesh":
        return placed_shape(surface_of(told, arrays), S, name, scene)
    if kind == "Plane":
        along = ALONG[sizes.get("axis", "Z")]
        if ground:
            return HalfSpace()
        a, b = (0.5 * float(sizes[each]) for each in ("width", "length"))
        corners = np.array([[-a, -b, 0.0], [a, -b, 0], [a, b, 0], [-a, b, 0]]) @ along[:3, :3].T
        return placed_shape((corners, np.array([[0, 1, 2], [0, 2, 3]])), S, name, scene)
    shape: Shape
    if kind == "Cube":
        shape = Cuboid(*(float(sizes["size"]),) * 3)
    elif kind == "Sphere":
        shape = Sphere(float(sizes["radius"]))
    else:
        radius, height = float(sizes["radius"]), float(sizes["height"])
        round_shapes: dict[str, type[Cylinder] | type[Capsule] | type[Cone]]
        round_shapes = {"Cylinder": Cylinder, "Capsule": Capsule, "Cone": Cone}
        along = ALONG[sizes.get("axis", "Z")]
        radius, height, S = _stretched(kind, radius, height, along[:3, :3], S)
        shape = Placed(round_shapes[kind](radius, height), along)
    return placed_shape(shape, S, name, scene)


def upright(told: Mapping[str, Any]) -> Array:
    """Return the pose whose y, across our ground, is the axis of a plane."""
    return ALONG[told["sizes"].get("axis", "Z")] @ ALONG["X"]


def _stretched(
    kind: str, radius: float, height: float, R: Array, S: Array
) -> tuple[float, float, Array]:
    """Return sizes with the stretch along and around an axis in them, and what is left of it."""
    inside = R.T @ S @ R
    sizes = np.abs(np.diag(inside))
    straight = np.allclose(np.abs(inside), np.diag(sizes), rtol=0.0, atol=1e-9 * sizes.max())
    around = np.isclose(sizes[0], sizes[1], rtol=1e-9)
    alike = np.isclose(sizes[0], sizes[2], rtol=1e-9) or kind != "Capsule"
    turned = kind == "Cone" and inside[2, 2] < 0.0
    if not (straight and around and alike) or turned:
        return radius, height, S
    return radius * float(sizes[0]), height * float(sizes[2]), np.eye(3)


def surface_of(told: Mapping[str, Any], arrays: Mapping[str, Array]) -> tuple[Array, IntArray]:
    """Return vertices (n, 3) and triangles (m, 3) of a surface, its holes left out."""
    path = told["path"]
    points = arrays[f"points {path}"].reshape(-1, 3)
    sizes, index, holes = (
        arrays[f"{each} {path}"].astype(np.int64)
        for each in ("faceVertexCounts", "faceVertexIndices", "holeIndices")
    )
    if not np.isfinite(points).all():
        raise ValueError("a point is no number")
    if (sizes < 0).any() or sizes.sum() != len(index):
        raise ValueError("its faces have other corners than are listed")
    if len(index) and not (index.min() >= 0 and index.max() < len(points)):
        raise ValueError(f"a face names a point beyond the {len(points)} that are there")
    starts = np.cumsum(sizes) - sizes
    kept = ~np.isin(np.arange(len(sizes)), holes)
    faces = filled(points, index, starts[kept], sizes[kept], concave=True)
    return points, faces[:, ::-1] if told.get("left") else faces


def screen_color(linear: Sequence[float] | None) -> Vector3 | None:
    """Return a colour of light as that of a screen (sRGB, IEC 61966-2-1)."""
    if linear is None:
        return None
    light = np.clip(np.nan_to_num(np.array(linear, float)), 0.0, 1.0)
    low = 12.92 * light
    screen = np.where(light <= 0.0031308, low, 1.055 * light ** (1.0 / 2.4) - 0.055)
    r, g, b = screen.round(12).tolist()
    return (r, g, b)


def linear_color(screen: Vector3) -> Vector3:
    """Return a colour of a screen as that of light."""
    given = np.array(screen)
    light = np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)
    r, g, b = light.tolist()
    return (r, g, b)
