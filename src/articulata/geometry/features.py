"""Named features of shapes: faces, edges, corners, axes and points that hinges and reports use.

A feature has a frame F in the shape's frame S. Of a plane face z is the outward normal, of a
straight edge or an axis z runs along it, of a circle z is its axis; a point keeps the axes of S.
Every shape has ``center`` (of its volume) and ``origin``. Faces have the names given in
:mod:`articulata.geometry.surfaces`; a cuboid's edges and corners are called by their faces in the
order y, x, z: ``top_front``, ``top_right_front``. Of a constructed solid each part's features
go by the part's name: ``block.top``, ``pinhole.axis``. Metres.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.closed_form import mesh_mass, primitive_mass
from articulata.geometry.parts import Part, parts_of
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
    Shape,
    Sphere,
)
from articulata.geometry.surfaces import Surface, outline, outward_frame, surfaces_of

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
    X_SF: Array
    boundary: Array | None = None
    radius: float = 0.0
    slope: float = 0.0
    length: float = 0.0
    inward: bool = False

    @property
    def position(self) -> Array:
        """The origin of the feature, ``p_SF_S`` ``(3,)`` m."""
        return self.X_SF[:3, 3]

    @property
    def direction(self) -> Array:
        """The feature's z axis in S ``(3,)``: a face's normal, an edge's or axis's direction."""
        return self.X_SF[:3, 2]


def feature(shape: Shape, name: str) -> Feature:
    """Return one feature by name; an unknown name is answered with the nearest ones."""
    known = features(shape)
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(sorted(known)[:12])}"
    raise NameNotFound(f"the shape has no feature {name!r}; {hint}")


@functools.lru_cache(maxsize=4096)
def features(shape: Shape) -> Mapping[str, Feature]:
    """Return all features of a shape by name. The arrays are shared: they cannot be written."""
    parts = parts_of(shape)
    found: dict[str, Feature] = {}
    for part in parts:
        for own in _part_features(part.shape):
            moved = _moved(own, part)
            found[moved.name] = moved
    if len(parts) > 1 or parts[0].path:
        found["origin"] = _point("origin", np.zeros(3), "frame")
        center = _center(shape, parts)
        if center is not None:
            found["center"] = _point("center", center)
    for one in found.values():
        one.X_SF.setflags(write=False)
        if one.boundary is not None:
            one.boundary.setflags(write=False)
    return MappingProxyType(found)


def _center(shape: Shape, parts: tuple[Part, ...]) -> Array | None:
    """Return the centre of volume of a shape, None where it is endless."""
    if len(parts) == 1 and isinstance(parts[0].shape, HalfSpace):
        return None
    from articulata.geometry.solids import mass_properties

    return mass_properties(shape, 1.0).center


def _moved(own: Feature, part: Part) -> Feature:
    """Return a part's feature in the frame of the whole shape, under its full name."""
    X = part.X_BS @ own.X_SF
    if part.hollow and own.form == "plane" and own.kind == "face":
        # the face of a tool bounds the solid from the other side
        X = X @ np.diag([1.0, -1.0, -1.0, 1.0])
    boundary = own.boundary
    if boundary is not None:
        boundary = boundary @ part.X_BS[:3, :3].T + part.X_BS[:3, 3]
        if part.hollow and own.kind == "face":
            boundary = boundary[::-1].copy()
    inward = part.hollow and own.kind == "face"
    return replace(own, name=part.named(own.name), X_SF=X, boundary=boundary, inward=inward)


def _part_features(shape: Primitive | Mesh) -> Iterator[Feature]:
    """Yield the features of one primitive or mesh in its own frame."""
    yield _point("origin", np.zeros(3), "frame")
    match shape:
        case HalfSpace():
            pass
        case Mesh():
            yield _point("center", mesh_mass(shape, 1.0).center)
            yield Feature("surface", "face", "mesh", np.eye(4))
        case _:
            yield _point("center", primitive_mass(shape, 1.0).center)
    for surface in surfaces_of(shape):
        yield _face(shape, surface)
    match shape:
        case Cuboid():
            yield from _cuboid_edges(shape)
        case Prism() | ExtrudedPolygon():
            yield _axis(shape.length)
            yield from _extrusion_edges(outline(shape), shape.length)
        case Cylinder(radius, h):
            yield _axis(h)
            yield _rim("front_rim", radius, h / 2)
            yield _rim("back_rim", radius, -h / 2)
        case Cone(a, h, b):
            yield _axis(h)
            yield _rim("back_rim", a, -h / 2)
            if b == 0:
                yield _point("apex", np.array([0.0, 0.0, h / 2]))
            else:
                yield _rim("front_rim", b, h / 2)
        case Capsule(_, h):
            yield _axis(h)
            yield _point("front_center", np.array([0.0, 0.0, h / 2]))
            yield _point("back_center", np.array([0.0, 0.0, -h / 2]))
        case Sphere() | HalfSpace() | Mesh():
            pass


def _face(shape: Primitive | Mesh, surface: Surface) -> Feature:
    """Return the feature of a face: its surface and its outline."""
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


def _cuboid_name(signs: tuple[int, int, int]) -> str:
    """Return the name of an edge or corner from the signs of x, y, z (0: along that axis)."""
    return "_".join(_SIDES[axis][signs[axis]] for axis in (1, 0, 2) if signs[axis])


def _cuboid_corners(shape: Cuboid) -> Array:
    half = 0.5 * np.array([shape.x, shape.y, shape.z])
    return np.array(list(product((-1, 1), repeat=3))) * half


def _cuboid_edges(shape: Cuboid) -> Iterator[Feature]:
    """Yield the 12 edges and 8 corners of a cuboid."""
    half = 0.5 * np.array([shape.x, shape.y, shape.z])
    for x, y, z in product((-1, 0, 1), repeat=3):
        signs = (x, y, z)
        middle = np.array(signs) * half
        if signs.count(0) == 1:
            along = np.array([float(s == 0) for s in signs]) * half
            yield _edge(_cuboid_name(signs), middle - along, middle + along)
        elif signs.count(0) == 0:
            yield _point(_cuboid_name(signs), middle)


def _extrusion_edges(P: Array, h: float) -> Iterator[Feature]:
    """Yield the edges and corners of a prism over a polygon."""
    n = len(P)
    for i in range(n):
        j = (i + 1) % n
        for cap, z in (("front", h / 2), ("back", -h / 2)):
            yield _edge(f"{cap}_side{i + 1}", np.array([*P[i], z]), np.array([*P[j], z]))
            yield _point(f"{cap}_corner{i + 1}", np.array([*P[i], z]))
        low, high = np.array([*P[j], -h / 2]), np.array([*P[j], h / 2])
        yield _edge(f"side{i + 1}_side{j + 1}", low, high)


def _point(name: str, position: Array, kind: Literal["point", "frame"] = "point") -> Feature:
    X = np.eye(4)
    X[:3, 3] = position
    return Feature(name, kind, kind, X)


def _edge(name: str, start: Array, end: Array) -> Feature:
    X = outward_frame(end - start, 0.5 * (start + end))
    length = float(np.linalg.norm(end - start))
    return Feature(name, "edge", "line", X, np.array([start, end]), length=length)


def _axis(length: float) -> Feature:
    return Feature("axis", "axis", "line", np.eye(4), length=length)


def _rim(name: str, radius: float, z: float) -> Feature:
    X = np.eye(4)
    X[2, 3] = z
    return Feature(name, "edge", "circle", X, radius=radius)
