"""Shapes: what a body is made of, as immutable values that can be compared and hashed.

Lengths in metres, in the shape's own frame S. One convention for every axial shape (cylinder,
capsule, cone, prism, extrusion): the axis is z and the origin lies half-way up, so the shape
fills z in [-length/2, length/2]. Faces are named by the same axes throughout: right +x, left -x,
top +y, bottom -y, front +z, back -z. The ground is a half space below y = 0.

A constructed solid is a ``Union``, ``Difference`` or ``Intersection`` of shapes; ``Placed`` moves
a shape and ``Named`` gives it the name under which its faces stay known: ``block.top``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array
from articulata.geometry.polygon import LONGEST, SHORTEST, check_polygon
from articulata.geometry.poses import check_pose

Matrix4: TypeAlias = tuple[tuple[float, float, float, float], ...]


def _positive(shape: object, *names: str) -> None:
    """Turn the named fields into floats and refuse what is not finite and > 0."""
    for name in names:
        value = _number(shape, name)
        if not (math.isfinite(value) and value > 0):
            raise GeometryError(
                f"{_kind(shape)}: {name} = {value:g} m is not allowed; "
                f"give a finite length greater than 0"
            )
        if not SHORTEST <= value <= LONGEST:
            raise GeometryError(
                f"{_kind(shape)}: {name} = {value:g} m cannot be computed with; "
                f"give a length from {SHORTEST:g} to {LONGEST:g} m"
            )
        object.__setattr__(shape, name, value)


def _number(shape: object, name: str) -> float:
    value = getattr(shape, name)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise GeometryError(
            f"{_kind(shape)}: {name} must be a length in metres, not {value!r}"
        ) from None


def _kind(shape: object) -> str:
    return type(shape).__name__.lower()


@dataclass(frozen=True, slots=True)
class Cuboid:
    """A box with its centre at the origin and full edge lengths ``x``, ``y``, ``z``."""

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        _positive(self, "x", "y", "z")


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball about the origin."""

    radius: float

    def __post_init__(self) -> None:
        _positive(self, "radius")


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A right circular cylinder along z."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _positive(self, "radius", "length")


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder along z with half balls on both ends; ``length`` is that of the cylinder.

    The whole is ``length + 2 radius`` long.
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        _positive(self, "radius", "length")


@dataclass(frozen=True, slots=True)
class Cone:
    """A cone along z: ``radius`` at the back (z = -length/2), ``top_radius`` at the front.

    ``top_radius = 0`` is a cone with its apex at the front; more is a frustum.
    """

    radius: float
    length: float
    top_radius: float = 0.0

    def __post_init__(self) -> None:
        _positive(self, "radius", "length")
        top = _number(self, "top_radius")
        if not (math.isfinite(top) and top >= 0):
            raise GeometryError(
                f"cone: top_radius = {top:g} m is not allowed; give 0 (an apex) or more"
            )
        object.__setattr__(self, "top_radius", top + 0.0)


@dataclass(frozen=True, slots=True)
class Prism:
    """A right prism along z over a regular polygon; ``radius`` reaches its corners.

    The first corner lies on the x axis.
    """

    sides: int
    radius: float
    length: float

    def __post_init__(self) -> None:
        if not _is_whole(self.sides) or not 3 <= self.sides <= MOST_SIDES:
            raise GeometryError(
                f"prism: sides = {self.sides!r} is not allowed; "
                f"give a whole number from 3 to {MOST_SIDES}"
            )
        object.__setattr__(self, "sides", int(self.sides))
        _positive(self, "radius", "length")


def _is_whole(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | np.integer) or (isinstance(value, float) and value.is_integer())


MOST_SIDES = 10_000
"""Sides of a prism beyond which a cylinder is what was meant."""


@dataclass(frozen=True, slots=True)
class ExtrudedPolygon:
    """A right prism along z over any simple polygon in the xy plane.

    ``points`` is ``(n, 2)`` m, in either direction, convex or not; it is stored counterclockwise
    as seen from +z. A polygon that crosses or touches itself is refused.
    """

    points: tuple[tuple[float, float], ...]
    length: float

    def __init__(self, points: npt.ArrayLike, length: float) -> None:
        object.__setattr__(self, "points", check_polygon(points))
        object.__setattr__(self, "length", length)
        _positive(self, "length")

    def corners(self) -> Array:
        """Return the polygon, ``(n, 2)`` m, counterclockwise."""
        return np.array(self.points)


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """The ground: everything at and below y = 0 of its own frame. It has no mass properties."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """A closed surface of triangles; an open one is an obstacle of ``Clash`` and no solid.

    ``vertices`` is ``(n, 3)`` m; ``faces`` is ``(m, 3)``, indices into it, counterclockwise as
    seen from outside. Both are kept read-only, as copies of what can be written to; two meshes are
    equal when their arrays are. ``file`` and ``scale`` say which file a text read it from, "" for
    none. What is only drawn may be open.
    """

    vertices: Array
    faces: npt.NDArray[np.int64]
    file: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def __init__(
        self,
        vertices: npt.ArrayLike,
        faces: npt.ArrayLike,
        file: str = "",
        scale: Sequence[float] = (1.0, 1.0, 1.0),
    ) -> None:
        V, F = _mesh_arrays(vertices, faces)
        object.__setattr__(self, "vertices", V)
        object.__setattr__(self, "faces", F)
        object.__setattr__(self, "file", file)
        object.__setattr__(self, "scale", tuple(float(each) for each in scale))

    @property
    def closed(self) -> bool:
        """Whether each edge lies between two triangles that go along it in opposite ways."""
        _, alike = np.unique(self.vertices, axis=0, return_inverse=True)
        corners = alike.reshape(-1)[self.faces]
        edges = np.concatenate([corners[:, [k, (k + 1) % 3]] for k in range(3)])
        there, times = np.unique(edges, axis=0, return_counts=True)
        back, times_back = np.unique(edges[:, ::-1], axis=0, return_counts=True)
        return np.array_equal(there, back) and np.array_equal(times, times_back)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        return np.array_equal(self.vertices, other.vertices) and np.array_equal(
            self.faces, other.faces
        )

    def __hash__(self) -> int:
        V, F = self.vertices, self.faces  # all of a scan takes as long as to read it
        few = [each[:: 1 + len(each) // 1024].tobytes() for each in (V, F)]
        return hash((len(V), len(F), *few))


@dataclass(frozen=True, slots=True)
class Placed:
    """A shape moved: ``X`` is ``X_PS``, the pose of the shape's frame S in the parent's frame P."""

    shape: Shape
    X: Matrix4

    def __init__(self, shape: Shape, X: npt.ArrayLike) -> None:
        _check_part(shape)
        P = check_pose(X)
        if P.shape != (4, 4):
            raise GeometryError(f"a shape is placed by one 4 x 4 pose, not by shape {P.shape}")
        if (far := float(np.abs(P[:3, 3]).max())) > LONGEST:
            raise GeometryError(
                f"a shape {far:g} m away cannot be computed with; go to {LONGEST:g} m"
            )
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "X", tuple(tuple(map(float, row)) for row in P + 0.0))

    @property
    def X_PS(self) -> Array:
        """The pose of the shape in its parent, ``(4, 4)``."""
        return np.array(self.X)


@dataclass(frozen=True, slots=True)
class Named:
    """A shape with a name that goes before the names of its features: ``block.top``."""

    name: str
    shape: Shape

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise GeometryError(
                f"a part cannot be named {self.name!r}; use letters, digits and _, "
                "not starting with a digit"
            )
        _check_part(self.shape)


@dataclass(frozen=True, slots=True)
class Union:
    """Everything that lies in any of the parts."""

    parts: tuple[Shape, ...]

    def __init__(self, parts: Iterable[Shape]) -> None:
        object.__setattr__(self, "parts", _check_parts("union", parts))


@dataclass(frozen=True, slots=True)
class Difference:
    """What is left of ``base`` when the ``tools`` are cut away."""

    base: Shape
    tools: tuple[Shape, ...]

    def __init__(self, base: Shape, tools: Iterable[Shape] | Shape) -> None:
        _check_part(base)
        object.__setattr__(self, "base", base)
        if isinstance(tools, SHAPES):
            tools = (tools,)
        object.__setattr__(self, "tools", _check_parts("difference", tools))

    @property
    def parts(self) -> tuple[Shape, ...]:
        """The base and the tools."""
        return (self.base, *self.tools)


@dataclass(frozen=True, slots=True)
class Intersection:
    """What lies in all of the parts."""

    parts: tuple[Shape, ...]

    def __init__(self, parts: Iterable[Shape]) -> None:
        object.__setattr__(self, "parts", _check_parts("intersection", parts))


Primitive: TypeAlias = (
    Cuboid | Sphere | Cylinder | Capsule | Cone | Prism | ExtrudedPolygon | HalfSpace
)
Constructed: TypeAlias = Union | Difference | Intersection
Shape: TypeAlias = Primitive | Mesh | Placed | Named | Constructed

PRIMITIVES = (Cuboid, Sphere, Cylinder, Capsule, Cone, Prism, ExtrudedPolygon, HalfSpace)
CONSTRUCTED = (Union, Difference, Intersection)
SHAPES = (*PRIMITIVES, Mesh, Placed, Named, *CONSTRUCTED)


def scaled(shape: Shape, factor: float) -> Shape:
    """Return the shape enlarged about its origin by ``factor`` (> 0), names kept."""
    s = float(factor)
    if not (math.isfinite(s) and s > 0):
        raise GeometryError(f"a shape cannot be scaled by {factor!r}; give a number greater than 0")
    match shape:
        case Cuboid(x, y, z):
            return Cuboid(s * x, s * y, s * z)
        case Sphere(radius):
            return Sphere(s * radius)
        case Cylinder(radius, length) | Capsule(radius, length):
            return type(shape)(s * radius, s * length)
        case Cone(radius, length, top_radius):
            return Cone(s * radius, s * length, s * top_radius)
        case Prism(sides, radius, length):
            return Prism(sides, s * radius, s * length)
        case ExtrudedPolygon():
            return ExtrudedPolygon(s * shape.corners(), s * shape.length)
        case HalfSpace():
            return shape
        case Mesh():
            return Mesh(
                s * shape.vertices, shape.faces, shape.file, [s * each for each in shape.scale]
            )
        case Placed():
            X = shape.X_PS
            X[:3, 3] *= s
            return Placed(scaled(shape.shape, s), X)
        case Named():
            return replace(shape, shape=scaled(shape.shape, s))
        case Difference():
            return Difference(scaled(shape.base, s), [scaled(t, s) for t in shape.tools])
        case Union() | Intersection():
            return type(shape)(scaled(part, s) for part in shape.parts)


def _check_part(part: object) -> None:
    if not isinstance(part, SHAPES):
        raise GeometryError(
            f"{part!r} is not a shape; give one of {', '.join(s.__name__ for s in SHAPES)}"
        )


def _check_parts(kind: str, parts: Iterable[Shape]) -> tuple[Shape, ...]:
    try:
        all_parts = tuple(parts)
    except TypeError:
        raise GeometryError(f"{kind}: give a list of shapes, not {parts!r}") from None
    if not all_parts:
        raise GeometryError(f"{kind}: at least one shape is needed, none was given")
    for part in all_parts:
        _check_part(part)
    return all_parts


def _own(given: npt.ArrayLike, kind: type | None = None) -> npt.NDArray[Any]:
    """Return a copy; an array that nobody can write to is taken as it is."""
    if isinstance(given, np.ndarray) and kind in (None, given.dtype):
        bases = (given, given if given.base is None else given.base)
        if all(isinstance(each, np.ndarray) and not each.flags.writeable for each in bases):
            return given
    return np.array(given, dtype=kind)


def _mesh_arrays(
    vertices: npt.ArrayLike, faces: npt.ArrayLike
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return read-only copies of a mesh's arrays, or say what is wrong with them."""
    V, F = _own(vertices, np.float64), _own(faces)
    if V.ndim != 2 or V.shape[1] != 3 or F.ndim != 2 or F.shape[1] != 3 or not len(F):
        raise GeometryError(
            "a mesh needs vertices (n, 3) and at least one triangle (m, 3); the shapes given are "
            f"{V.shape} and {F.shape}"
        )
    if not np.all(np.isfinite(V)):
        bad = int(np.argmin(np.all(np.isfinite(V), axis=1)))
        raise GeometryError(f"mesh: vertex {bad} holds NaN or infinity")
    if F.dtype.kind not in "iu":
        raise GeometryError(f"mesh: faces must hold whole numbers, not {F.dtype}")
    F = F.astype(np.int64, copy=False)
    if F.min() < 0 or F.max() >= len(V):
        raise GeometryError(
            f"mesh: faces point at vertex {int(F.max() if F.max() >= len(V) else F.min())}, but "
            f"the vertices are numbered 0 to {len(V) - 1}"
        )
    V.setflags(write=False)
    F.setflags(write=False)
    return V, F
