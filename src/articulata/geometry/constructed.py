"""Solids made by union, difference and intersection, through the manifold3d library.

Each part goes in as triangles that carry the number of the part and of its face; the library
keeps both through every operation, so each triangle of the result still knows its face. All in
double precision (``Mesh64``), metres.

A mesh needs corners where round surfaces may just touch features of other parts: facets lie below a
round surface, so a part that only grazes it would be missed, and where two cylinders of one radius
cross, facets would join the wrong edges. Corners at the candidates make the mesh meet there as the
exact surfaces do. Candidates are cheap to name; one too many does no harm. Frames: the part's own,
S; metres, radians.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.geometry.exact_surfaces import Surface, outward_frame, surfaces_of
from articulata.geometry.parts import Part, parts_of
from articulata.geometry.poses import transform_points
from articulata.geometry.primitive_features import Feature, primitive_features
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    Difference,
    HalfSpace,
    Intersection,
    Mesh,
    Named,
    Placed,
    Shape,
    Sphere,
    Union,
)
from articulata.geometry.tessellation import Tessellation, check_segments, primitive_triangles

ROUND = (Cylinder, Cone, Capsule)

PARALLEL = 1e-9
"""Sine of the angle between directions that are taken as parallel."""

NEAR = 5e-3
"""Candidates farther than this off a ball, relative to its radius, are seen by any mesh."""

MOST = 64
"""More candidates than this are not followed: they come from prisms of many sides."""

MOST_FEATURES = 400
"""Parts with more features than this (prisms of many sides) are not looked at."""


def _features_of_others(part: Part, parts: tuple[Part, ...]) -> Iterator[tuple[Feature, Array]]:
    """Yield the features of all other parts and the poses of their frames in S."""
    for other in parts:
        if other is part or isinstance(other.shape, Mesh):
            continue
        known = primitive_features(other.shape)
        if len(known) > MOST_FEATURES:
            continue
        X = np.linalg.inv(part.X_BS) @ other.X_BS
        for each in known.values():
            yield each, X @ each.X_SF


def touching_angles(part: Part, parts: tuple[Part, ...]) -> tuple[float, ...]:
    """Return the angles about the axis of ``part`` at which it may touch the other parts."""
    if not isinstance(part.shape, ROUND):
        return ()
    directions: list[Array] = []
    for each, X in _features_of_others(part, parts):
        axis, origin = X[:3, 2], X[:3, 3]
        if each.form == "plane":
            directions.append(axis)
        elif each.form in ("cylinder", "cone", "line"):
            common = np.cross((0.0, 0.0, 1.0), axis)
            directions.append(common if np.hypot(*common[:2]) > PARALLEL else origin)
        elif each.form in ("sphere", "point", "circle"):
            directions.append(origin)
    found = [float(np.arctan2(d[1], d[0])) for d in directions if np.hypot(d[0], d[1]) > PARALLEL]
    different = dict.fromkeys(round(angle % np.pi, 12) for angle in found)
    return tuple(a + turn for a in list(different)[:MOST] for turn in (0.0, np.pi))


def touching_points(part: Part, parts: tuple[Part, ...]) -> list[tuple[int, Array, Array]]:
    """Return the points at which the balls of ``part`` may touch the other parts.

    Each comes as the number of the ball's face, its centre and the point on it, in S.
    """
    match part.shape:
        case Sphere(radius):
            balls = [(0, np.zeros(3))]
        case Capsule(radius, h):
            balls = [(1, np.array([0.0, 0.0, h / 2])), (2, np.array([0.0, 0.0, -h / 2]))]
        case _:
            return []
    found: list[tuple[int, Array, Array]] = []
    for each, X in _features_of_others(part, parts):
        for face, center in balls:
            for foot in _feet(each, (center - X[:3, 3]) @ X[:3, :3]):
                away = X[:3, :3] @ foot + X[:3, 3] - center
                length = float(np.sqrt(away @ away))
                outside = face == 0 or away[2] * center[2] >= 0
                if outside and abs(length - radius) < NEAR * radius:
                    found.append((face, center, center + away * (radius / length)))
    return found[:MOST]


def _feet(each: Feature, c: Array) -> list[Array]:
    """Return the points of a feature nearest to and farthest from ``c``, in the feature's frame."""
    x, y, z = c.tolist()
    rho = float(np.hypot(x, y))
    u = np.array([x / rho, y / rho, 0.0]) if rho > 0 else np.array([1.0, 0.0, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    match each.form:
        case "plane":
            return [np.array([x, y, 0.0])]
        case "point":
            return [np.zeros(3)]
        case "line" if each.kind == "edge":
            return [float(np.clip(z, -each.length / 2, each.length / 2)) * up]
        case "circle":
            return [each.radius * u, -each.radius * u]
        case "sphere":
            far = float(np.sqrt(rho * rho + z * z))
            return [side * each.radius / far * c for side in (1, -1)] if far > 0 else []
        case "cylinder" | "cone":
            k = each.slope
            near = (rho - each.radius - k * z) / (1 + k * k)
            beyond = (-rho - each.radius - k * z) / (1 + k * k)
            return [
                (rho - near) * u + (z + k * near) * up,
                -(-rho - beyond) * u + (z + k * beyond) * up,
            ]
        case _:
            return []


def with_corners(
    V: Float64[Array, "n 3"],
    F: Int64[IntArray, "m 3"],
    face: Int64[IntArray, "m"],
    points: list[tuple[int, Array, Array]],
) -> tuple[Array, IntArray, IntArray]:
    """Return a mesh with corners added on its balls; each splits the facet below it in three."""
    for number, center, point in points:
        if float(np.min(np.max(np.abs(V - point), axis=1))) < PARALLEL * np.linalg.norm(
            point - center
        ):
            continue
        mine = np.nonzero(face == number)[0]
        a, b, c = (V[F[mine, i]] - center for i in range(3))
        d = point - center
        # the facet whose cone from the centre holds the point: all three volumes positive
        inside = np.min(
            [np.einsum("ij,ij->i", np.cross(p, q), d[None]) for p, q in ((a, b), (b, c), (c, a))],
            axis=0,
        )
        at = mine[int(np.argmax(inside))]
        i, j, k = F[at]
        new = len(V)
        V = np.concatenate([V, point[None]])
        F = np.concatenate([F, [[j, k, new], [k, i, new]]])
        F[at] = (i, j, new)
        face = np.concatenate([face, [number, number]])
    return V, F, face


MESH_FACE = "surface"
"""The name of the one face that a mesh has."""

ARTIFICIAL = 5
"""Faces of the block that stands for a half space, beyond the real one, which is number 0."""


def tessellate(shape: Shape, segments: int = 48) -> Tessellation:
    """Return triangles of a shape, each with the name of its face, in the shape's frame."""
    mesh = kept_mesh(shape, check_segments(segments))
    return Tessellation(mesh.vertices, mesh.triangles, mesh.face, mesh.faces)


class SolidMesh:
    """The triangles of a solid and the exact surface of every one of its faces.

    ``face`` numbers a triangle's entry in ``faces`` (names) and in ``surfaces`` (None for the
    faces of a mesh).
    """

    __slots__ = ("face", "faces", "parts", "starts", "surfaces", "triangles", "vertices")

    def __init__(
        self,
        parts: tuple[Part, ...],
        vertices: Array,
        triangles: IntArray,
        face: IntArray,
        faces: tuple[str, ...],
        surfaces: tuple[Surface | None, ...],
        starts: IntArray,
    ) -> None:
        self.parts = parts
        self.starts = starts
        self.vertices = vertices
        self.triangles = triangles
        self.face = face
        self.faces = faces
        self.surfaces = surfaces
        for array in (vertices, triangles, face):
            array.setflags(write=False)

    def is_flat(self) -> bool:
        """Return whether every face of the solid is plane, so that its facets are exact."""
        used = (self.surfaces[i] for i in np.unique(self.face))
        return all(surface is None or surface.form == "plane" for surface in used)

    def surface_of(self, face: int) -> Surface:
        """Return the exact surface of a face; of a mesh's face, the plane of its triangle."""
        surface = self.surfaces[face]
        if surface is not None:
            return surface
        number = int(np.searchsorted(self.starts, face, side="right")) - 1
        part = self.parts[number]
        assert isinstance(part.shape, Mesh)
        triangle = part.shape.faces[face - self.starts[number]]
        a, b, c = transform_points(part.X_BS, part.shape.vertices[triangle])
        return Surface(self.faces[face], "plane", outward_frame(np.cross(b - a, c - a), a))


@functools.lru_cache(maxsize=256)
def kept_mesh(shape: Shape, segments: int) -> SolidMesh:
    """Return the mesh of a shape, kept for the next caller: pictures and contact ask often."""
    return solid_mesh(shape, segments)


def solid_mesh(shape: Shape, segments: int, touching: bool = False) -> SolidMesh:
    """Return the mesh of a shape with circles of ``segments`` sides.

    ``touching=True`` puts corners where round surfaces may touch other faces, so that the mesh
    meets there as the exact surfaces do.
    """
    parts = parts_of(shape)
    surfaces, faces, first_face = _face_table(parts)
    if len(parts) == 1 and not isinstance(parts[0].shape, Mesh | HalfSpace):
        part = parts[0]
        V, F, face = primitive_triangles(part.shape, segments)
        return SolidMesh(
            parts, transform_points(part.X_BS, V), F, face, faces, surfaces, first_face
        )
    manifold, first_id = build_manifold(shape, parts, segments, touching)
    mesh = manifold.to_mesh64()
    V = np.array(mesh.vert_properties[:, :3])
    F = np.array(mesh.tri_verts, dtype=np.int64)
    if len(F) == 0:
        raise GeometryError(emptiness(shape))
    run_ends = np.asarray(mesh.run_index, dtype=np.int64) // 3
    run_part = np.asarray(mesh.run_original_id, dtype=np.int64) - first_id
    part_of = np.repeat(run_part, np.diff(run_ends))
    own_face = np.asarray(mesh.face_id, dtype=np.int64)
    face = first_face[part_of] + own_face
    endless = np.array([isinstance(p.shape, HalfSpace) for p in parts])
    if np.any(endless[part_of] & (own_face > 0)):
        raise GeometryError(
            "the solid is endless: a half space may be cut away or intersected with, "
            "but what is left must be bounded"
        )
    return SolidMesh(parts, V, F, face, faces, surfaces, first_face)


def _face_table(
    parts: tuple[Part, ...],
) -> tuple[tuple[Surface | None, ...], tuple[str, ...], IntArray]:
    """Return the surfaces and names of all faces, and where each part's faces begin."""
    surfaces: list[Surface | None] = []
    names: list[str] = []
    starts: list[int] = []
    for part in parts:
        starts.append(len(names))
        if isinstance(part.shape, Mesh):
            # every triangle of a mesh is a face number of its own, so that flat regions stay
            # apart; all go by one name
            count = len(part.shape.faces)
            surfaces += [None] * count
            names += [part.named(MESH_FACE)] * count
            continue
        for surface in surfaces_of(part.shape):
            name = part.named(surface.name)
            surfaces.append(surface.placed(name, part.X_BS))
            names.append(name)
        if isinstance(part.shape, HalfSpace):
            surfaces += [None] * ARTIFICIAL
            names += [""] * ARTIFICIAL
    return tuple(surfaces), tuple(names), np.array(starts)


def build_manifold(
    shape: Shape, parts: tuple[Part, ...], segments: int, touching: bool = False
) -> tuple[Any, int]:
    """Return the library's solid, and the number it gave to the first part."""
    from manifold3d import Manifold

    first_id: int = Manifold.reserve_ids(len(parts))
    leaves = iter(
        _leaf_manifold(part, first_id + i, segments, parts, touching)
        for i, part in enumerate(parts)
    )
    return _build(shape, leaves), first_id


def _build(shape: Shape, leaves: Any) -> Any:
    """Return the solid of a subtree; ``leaves`` yields its placed parts from left to right."""
    from manifold3d import Manifold, OpType

    match shape:
        case Placed() | Named():
            return _build(shape.shape, leaves)
        case Union(parts):
            return Manifold.batch_boolean([_build(p, leaves) for p in parts], OpType.Add)
        case Intersection(parts):
            return Manifold.batch_boolean([_build(p, leaves) for p in parts], OpType.Intersect)
        case Difference():
            every = [_build(p, leaves) for p in shape.parts]
            return Manifold.batch_boolean(every, OpType.Subtract)
        case _:
            return next(leaves)


def _leaf_manifold(
    part: Part, number: int, segments: int, parts: tuple[Part, ...], touching: bool
) -> Any:
    """Return one part as the library's solid, placed, its faces numbered."""
    from manifold3d import Manifold, Mesh64

    if isinstance(part.shape, Mesh):
        fault = _edge_fault(part, part.shape.faces)
        if fault:
            raise GeometryError(fault)
    if isinstance(part.shape, HalfSpace):
        V, F, face = _half_space_block(part, parts)
    else:
        angles = touching_angles(part, parts) if touching else ()
        V, F, face = primitive_triangles(part.shape, segments, angles)
        if touching:
            V, F, face = with_corners(V, F, face, touching_points(part, parts))
    solid = Manifold(
        Mesh64(
            vert_properties=np.ascontiguousarray(transform_points(part.X_BS, V)),
            tri_verts=np.ascontiguousarray(F, dtype=np.uint64),
            run_index=np.array([0, 3 * len(F)], dtype=np.uint64),
            run_original_id=np.array([number], dtype=np.uint32),
            face_id=face.astype(np.uint64),
        )
    )
    status = solid.status().name
    if status != "NoError" or solid.is_empty():
        raise GeometryError(
            f"the part {part.path or 'given'} bounds no solid ({status}); if it is a mesh, repair "
            "it in a mesh editor first"
        )
    if isinstance(part.shape, Mesh) and solid.volume() <= 0:
        raise GeometryError(
            f"the mesh {part.path or 'given'} encloses a negative volume: its triangles look "
            "inward; reverse the order of the corners of every triangle"
        )
    return solid


def _half_space_block(part: Part, parts: tuple[Part, ...]) -> tuple[Array, IntArray, IntArray]:
    """Return a block, large beside the other parts, whose top is the half space's plane."""
    finite = [
        transform_points(p.X_BS, primitive_triangles(p.shape, 8)[0])
        for p in parts
        if not isinstance(p.shape, HalfSpace)
    ]
    if not finite:
        raise GeometryError("a solid of half spaces alone is endless; intersect it with a shape")
    corners = np.concatenate(finite)
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = np.linalg.inv(part.X_BS) @ np.append((low + high) / 2, 1.0)
    # inscribed triangles fall short of a curved face by less than half of the extent
    size = 4 * float(np.linalg.norm(high - low)) + 2 * abs(float(middle[1]))
    V, F, face = primitive_triangles(Cuboid(2 * size, size, 2 * size), 8)
    V = V + np.array([middle[0], -size / 2, middle[2]])
    top = 2  # a cuboid's faces are right, left, top ...; the real one becomes number 0
    return V, F, np.where(face == top, 0, np.where(face < top, face + 1, face))


def _edge_fault(part: Part, F: IntArray) -> str:
    """Return what is wrong with the edges of a mesh, or nothing."""
    name = f"the mesh {part.path}" if part.path else "the mesh"
    count = int(F.max()) + 1
    ends = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    edges, times = np.unique(ends[:, 0] * count + ends[:, 1], return_counts=True)
    twins = ends[:, 1] * count + ends[:, 0]
    lonely = ends[~np.isin(twins, edges)]
    if len(lonely):
        a, b = lonely[0]
        return (
            f"{name} is not closed: {len(lonely)} edges, the first from vertex {a} to {b}, belong "
            "to one triangle only; close the holes, or join vertices that coincide"
        )
    if np.any(times > 1):
        a, b = divmod(int(edges[np.argmax(times > 1)]), count)
        return (
            f"{name} is not consistent: the edge from vertex {a} to {b} is run through twice "
            "in the same direction; orient all triangles outward and leave out doubled ones"
        )
    return ""


def emptiness(shape: Shape) -> str:
    """Return in a user's words why nothing is left of a constructed solid."""
    match shape:
        case Placed() | Named():
            return emptiness(shape.shape)
        case Difference():
            return (
                "nothing is left of the difference: its tools cover the whole base; "
                "make a tool smaller or move it"
            )
        case Intersection():
            return "nothing is left of the intersection: its parts have no volume in common"
        case _:
            return "the solid is empty; give a shape with some volume"
