"""Features of single primitives and meshes; ``features`` puts those of several parts together.

What a feature's frame means and how features are called is said in
:mod:`articulata.geometry.named_features`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.geometry.exact_surfaces import (
    Surface,
    face_names,
    outline,
    outward_frame,
    surfaces_of,
)
from articulata.geometry.mass import mesh_mass, primitive_mass
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    HalfSpace,
    Mesh,
    Primitive,
    Prism,
    Sphere,
)

Kind: TypeAlias = Literal["point", "axis", "frame", "face", "edge"]
Form: TypeAlias = Literal[
    "point", "frame", "line", "circle", "plane", "cylinder", "cone", "sphere", "mesh"
]


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """One named feature: its frame ``X_SF`` ``(4, 4)`` and its geometry in S.

    ``boundary`` is the outline ``(n, 3)`` of a face with straight sides, counterclockwise from
    outside, or the two ends ``(2, 3)`` of a straight edge. ``radius`` belongs to circles, discs
    (a plane without ``boundary``), cylinders, spheres and, at F's origin, cones, whose radius at
    z is ``radius + slope z``. ``length`` is that of an axis, wall or straight edge along z.
    ``inward`` marks faces of parts cut away: material lies outside them.
    """

    name: str
    kind: Kind
    form: Form
    X_SF: Float64[Array, "4 4"]
    boundary: Float64[Array, "corners 3"] | None = None
    radius: float = 0.0
    slope: float = 0.0
    length: float = 0.0
    inward: bool = False

    @property
    def position(self) -> Float64[Array, "3"]:
        """The origin of the feature, ``p_SF_S`` ``(3,)`` m."""
        return self.X_SF[:3, 3]

    @property
    def direction(self) -> Float64[Array, "3"]:
        """The feature's z axis in S ``(3,)``: a face's normal, an edge's or axis's direction."""
        return self.X_SF[:3, 2]


Maker: TypeAlias = Callable[[], Feature]


class Features(Mapping[str, Feature]):
    """The features of one shape by name, each made when it is first asked for.

    The arrays are shared and cannot be written.
    """

    __slots__ = ("_made", "_makers")

    def __init__(self, makers: Mapping[str, Maker]) -> None:
        self._makers = makers
        self._made: dict[str, Feature] = {}

    def __getitem__(self, name: str) -> Feature:
        made = self._made.get(name)
        if made is None:
            made = self._makers[name]()
            made.X_SF.setflags(write=False)
            if made.boundary is not None:
                made.boundary.setflags(write=False)
            self._made[name] = made
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


@functools.lru_cache(maxsize=4096)
def primitive_features(shape: Primitive | Mesh) -> Features:
    """Return all features of one primitive or mesh by name."""
    return Features(primitive_makers(shape))


def primitive_makers(shape: Primitive | Mesh) -> dict[str, Maker]:
    """Return what makes each feature of one primitive or mesh in its own frame."""
    makers: dict[str, Maker] = {}

    def add(maker: Callable[..., Feature], name: str, *given: object) -> None:
        makers[name] = functools.partial(maker, name, *given)

    add(point_feature, "origin", np.zeros(3), "frame")
    if not isinstance(shape, HalfSpace):
        add(_middle, "center", shape)
    for name in face_names(shape):
        add(_face, name, shape)
    match shape:
        case Mesh():
            makers["surface"] = lambda: Feature("surface", "face", "mesh", np.eye(4))
        case Cuboid(x, y, z):
            half = (x / 2, y / 2, z / 2)
            for name, signs in CUBOID_EDGES:
                add(_cuboid_edge, name, half, signs)
            for name, signs in CUBOID_CORNERS:
                add(
                    point_feature, name, np.array([s * h for s, h in zip(signs, half, strict=True)])
                )
        case Prism() | ExtrudedPolygon():
            add(_axis, "axis", shape.length)
            P, h = outline(shape), shape.length / 2
            for i in range(len(P)):
                j = (i + 1) % len(P)
                for cap, z in (("front", h), ("back", -h)):
                    add(_edge, f"{cap}_side{i + 1}", (*P[i], z), (*P[j], z))
                    add(point_feature, f"{cap}_corner{i + 1}", np.array([*P[i], z]))
                add(_edge, f"side{i + 1}_side{j + 1}", (*P[j], -h), (*P[j], h))
        case Cylinder(radius, h):
            add(_axis, "axis", h)
            add(_rim, "front_rim", radius, h / 2)
            add(_rim, "back_rim", radius, -h / 2)
        case Cone(a, h, b):
            add(_axis, "axis", h)
            add(_rim, "back_rim", a, -h / 2)
            if b == 0:
                add(point_feature, "apex", np.array([0.0, 0.0, h / 2]))
            else:
                add(_rim, "front_rim", b, h / 2)
        case Capsule(_, h):
            add(_axis, "axis", h)
            add(point_feature, "front_center", np.array([0.0, 0.0, h / 2]))
            add(point_feature, "back_center", np.array([0.0, 0.0, -h / 2]))
        case Sphere() | HalfSpace():
            pass
    return makers


def _middle(name: str, shape: Primitive | Mesh) -> Feature:
    if isinstance(shape, Mesh) and not shape.closed:
        # a surface has no middle of mass
        ends = np.stack([shape.vertices.min(axis=0), shape.vertices.max(axis=0)])
        return point_feature(name, ends.mean(axis=0))
    mass = mesh_mass(shape, 1.0) if isinstance(shape, Mesh) else primitive_mass(shape, 1.0)
    return point_feature(name, np.array(mass.center))


def _face(name: str, shape: Primitive | Mesh) -> Feature:
    """Return the feature of a face: its surface and its outline."""
    surface = next(s for s in surfaces_of(shape) if s.name == name)
    boundary, radius, length = None, surface.radius, 0.0
    if surface.form == "plane":
        boundary, radius = _outline_of(shape, surface)
    elif isinstance(shape, Cylinder | Cone | Capsule) and surface.name == "wall":
        length = shape.length
    return Feature(
        surface.name,
        "face",
        surface.form,
        surface.X_SF,
        boundary,
        radius,
        surface.slope,
        length,
    )


def _outline_of(shape: Primitive | Mesh, surface: Surface) -> tuple[Array | None, float]:
    """Return a plane face's corners, or None and the radius where it is a disc."""
    z = float(surface.X_SF[2, 3])
    match shape:
        case Cylinder(radius):
            return None, radius
        case Cone(a, _, b):
            return None, b if z > 0 else a
        case Cuboid():
            corners = _cuboid_corners(shape)
            X = surface.X_SF
            local = (corners - X[:3, 3]) @ X[:3, :3]
            on = np.abs(local[:, 2]) < 0.25 * min(shape.x, shape.y, shape.z)
            order = np.argsort(np.arctan2(local[on, 1], local[on, 0]))
            return corners[on][order], 0.0
        case Prism() | ExtrudedPolygon():
            P, half = outline(shape), shape.length / 2
            if surface.name in ("front", "back"):
                ring = P if surface.name == "front" else P[::-1]
                return np.column_stack([ring, np.full(len(P), z)]), 0.0
            i = int(surface.name.removeprefix("side")) - 1
            a, b = P[i], P[(i + 1) % len(P)]
            return np.array([(*a, -half), (*b, -half), (*b, half), (*a, half)]), 0.0
        case _:
            return None, 0.0


_SIDES = ({1: "right", -1: "left"}, {1: "top", -1: "bottom"}, {1: "front", -1: "back"})

Signs: TypeAlias = tuple[int, int, int]


def _cuboid_names(zeros: int) -> tuple[tuple[str, Signs], ...]:
    """Return names and signs of x, y, z (0: along that axis) of a cuboid's edges or corners."""
    return tuple(
        (
            "_".join(_SIDES[axis][(x, y, z)[axis]] for axis in (1, 0, 2) if (x, y, z)[axis]),
            (x, y, z),
        )
        for x, y, z in product((-1, 0, 1), repeat=3)
        if (x, y, z).count(0) == zeros
    )


CUBOID_EDGES = _cuboid_names(1)
"""The 12 edges: which faces meet in them."""

CUBOID_CORNERS = _cuboid_names(0)
"""The 8 corners."""


def _cuboid_corners(shape: Cuboid) -> Array:
    half = 0.5 * np.array([shape.x, shape.y, shape.z])
    return np.array(list(product((-1, 1), repeat=3))) * half


def _cuboid_edge(name: str, half: tuple[float, float, float], signs: Signs) -> Feature:
    start = [h * (s or -1) for s, h in zip(signs, half, strict=True)]
    end = [h * (s or 1) for s, h in zip(signs, half, strict=True)]
    return _edge(name, start, end)


def point_feature(name: str, position: Array, kind: Literal["point", "frame"] = "point") -> Feature:
    """Return a place with the axes of S."""
    X = make_pose(p=position)
    return Feature(name, kind, kind, X)


def _edge(name: str, start: Sequence[float], end: Sequence[float]) -> Feature:
    ends = np.array([start, end])
    X = outward_frame(ends[1] - ends[0], 0.5 * ends[0] + 0.5 * ends[1])
    # not np.linalg.norm, which overflows for lengths that a text may give by mistake
    return Feature(name, "edge", "line", X, ends, length=math.dist(start, end))


def _axis(name: str, length: float) -> Feature:
    return Feature(name, "axis", "line", np.eye(4), length=length)


def _rim(name: str, radius: float, z: float) -> Feature:
    X = np.eye(4)
    X[2, 3] = z
    return Feature(name, "edge", "circle", X, radius=radius)
