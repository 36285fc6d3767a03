"""The convex pieces that a shape consists of, with the names of their features.

Cuboids, prisms, balls, capsules, cylinders, cones and half-spaces are pieces as they are. An
extrusion that is not convex and a constructed solid of flat faces are cut along the planes of
their faces until every piece is convex; the cuts are hidden inside the solid and touch nothing.
Body axes B, metres.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.constructed import SolidMesh, build_manifold, kept_mesh
from articulata.geometry.convex_pieces.hull import HIDDEN, Hull
from articulata.geometry.convex_pieces.round_hollows import (
    SPARE,
    Wall,
    hollow_walls,
    peeled,
    triple,
    wall_hulls,
    without_walls,
)
from articulata.geometry.named_features import Feature, features
from articulata.geometry.parts import Part, parts_of
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    HalfSpace,
    Mesh,
    Named,
    Placed,
    Prism,
    Shape,
    Sphere,
    Union,
)
from articulata.kernels.contacts.pieces import HALF_SPACE, POLYTOPE, ROUND

FLAT = 1e-9
"""Heights over a plane, relative to a solid's size, below which a point lies in it."""

SIDES = 48
"""Sides of a circle where round faces of constructed solids are facets."""

MOST_PIECES = 256
"""A solid that would need more convex pieces is not tested."""


class _Planes(NamedTuple):
    """Planes of faces: normals (n, 3), offsets (n,) in metres, names of the faces."""

    normals: Array
    offsets: Array
    names: list[str]

    @staticmethod
    def of(each: list[tuple[Array, float, str]]) -> _Planes:
        normals = np.array([n for n, _, _ in each]).reshape(-1, 3)
        return _Planes(normals, np.array([d for _, d, _ in each]), [name for _, _, name in each])


@functools.lru_cache(maxsize=4096)
def hulls(shape: Shape) -> tuple[Hull, ...] | None:
    """Return the convex pieces of a shape, or None where it would need too many.

    These are solids with many round faces and meshes of many dents.
    """
    inner = shape
    while isinstance(inner, Placed | Named):
        inner = inner.shape
    if isinstance(inner, Union) and not all(_is_plain(part) for part in inner.parts):
        return _of_constructed(shape)
    if not (isinstance(inner, Union) or _is_plain(inner)):
        return _of_constructed(shape)
    found: list[Hull] = []
    for part in parts_of(shape):
        made = _of_part(part)
        if made is None:
            return None
        found += made
    return tuple(found)


def _is_plain(shape: Shape) -> bool:
    """Tell whether a shape is a union of primitives and meshes, placed and named."""
    match shape:
        case Placed(inner) | Named(_, inner):
            return _is_plain(inner)
        case Union(parts):
            return all(_is_plain(part) for part in parts)
        case Cuboid() | Sphere() | Cylinder() | Capsule() | Cone() | Prism() | HalfSpace():
            return True
        case _:
            return isinstance(shape, ExtrudedPolygon | Mesh)


def _of_part(part: Part) -> list[Hull] | None:
    R, p = part.X_BS[:3, :3], part.X_BS[:3, 3]
    z = R[:, 2]
    none = (np.zeros((0, 4), np.int64), np.zeros((0, 3)), ())
    match part.shape:
        case HalfSpace():
            n = R[:, 1]
            top = (part.named("top"),)
            return [Hull(HALF_SPACE, p[None], top, top, top, *none, axis=triple(n))]
        case Sphere(radius):
            names = (part.named("surface"),)
            edges = np.array([[0, 0, -1, -1]])
            return [Hull(POLYTOPE, p[None], names, names, (), edges, *none[1:], radius=radius)]
        case Capsule(radius, length):
            ends = np.array([p - 0.5 * length * z, p + 0.5 * length * z])
            tips = (part.named("back"), part.named("front"))
            wall = (part.named("wall"),)
            edges = np.array([[0, 1, -1, -1]])
            return [Hull(POLYTOPE, ends, tips, wall, (), edges, *none[1:], radius=radius)]
        case Cylinder(radius, length):
            return [_round(part, radius, radius, length)]
        case Cone(radius, length, top):
            return [_round(part, radius, top, length)]
        case ExtrudedPolygon() | Prism() | Cuboid():
            hull = _by_features(part)
            if hull is not None:
                return [hull]
            cut = _of_constructed(part.shape, part)
            return None if cut is None else list(cut)
        case Mesh():
            cut = _of_constructed(part.shape, part)
            return None if cut is None else list(cut)


def _round(part: Part, back: float, front: float, length: float) -> Hull:
    X = part.X_BS
    rims = tuple(
        part.named(f"{end}_rim" if r > 0 else "apex")
        for end, r in (("back", back), ("front", front))
    )
    caps = (part.named("back"), part.named("front"))
    none = (np.zeros((0, 4), np.int64), np.zeros((0, 3)), ())
    size = (back, front, 0.5 * length)
    wall = (part.named("wall"),)
    return Hull(ROUND, X[None, :3, 3], rims, wall, caps, *none, axis=triple(X[:3, 2]), size=size)


def _by_features(part: Part) -> Hull | None:
    """Return a primitive with straight edges, its features named; None where it is not convex."""
    known = features(part.shape)
    X = part.X_BS
    corners = [f for f in known.values() if f.kind == "point" and f.name != "center"]
    V = np.array([f.position for f in corners])
    faces = [f for f in known.values() if f.kind == "face"]
    edges = [f for f in known.values() if f.kind == "edge"]

    def number(p: Array) -> int:
        return int(np.argmin(np.sum((V - p) ** 2, axis=1)))

    rings = tuple(tuple(number(p) for p in _outline(f)) for f in faces)
    normals = np.array([f.direction for f in faces])
    size = float(np.max(np.ptp(V, axis=0)))
    for n, ring in zip(normals, rings, strict=True):
        if np.max((V - V[ring[0]]) @ n) > FLAT * size:
            return None
    rows = []
    for edge in edges:
        a, b = (number(p) for p in _outline(edge))
        beside = [k for k, ring in enumerate(rings) if a in ring and b in ring]
        rows.append([a, b, beside[0], beside[1]])
    return Hull(
        POLYTOPE,
        V @ X[:3, :3].T + X[:3, 3],
        tuple(part.named(f.name) for f in corners),
        tuple(part.named(f.name) for f in edges),
        tuple(part.named(f.name) for f in faces),
        np.array(rows, np.int64),
        normals @ X[:3, :3].T,
        rings,
    )


def _outline(feature: Feature) -> Array:
    assert feature.boundary is not None
    return feature.boundary


def _of_constructed(shape: Shape, part: Part | None = None) -> tuple[Hull, ...] | None:
    """Return a solid as convex pieces, round faces as facets; None where there are too many."""
    try:
        mesh, segments = kept_mesh(shape, 8), 8
        if not mesh.is_flat():
            mesh, segments = kept_mesh(shape, SIDES), SIDES
    except GeometryError:
        return None
    walls = hollow_walls(shape, mesh) if segments == SIDES else ()
    if walls:
        return _about_walls(shape, mesh, walls)
    size = float(np.max(np.ptp(mesh.vertices, axis=0)))
    planes = _Planes.of(_planes(mesh, size))
    solid, _ = build_manifold(shape, mesh.parts, segments)
    used = [mesh.surfaces[k] for k in np.unique(mesh.face)]
    radius = max((s.radius for s in used if s is not None and s.form != "plane"), default=0.0)
    off = radius * (1.0 - float(np.cos(np.pi / segments)))
    pieces = _cut([solid], planes, size)
    if pieces is None:
        return None
    X = np.eye(4) if part is None else part.X_BS
    named = (lambda name: name) if part is None else part.named
    return tuple(replace(_from_points(V, planes, size, X, named), deviation=off) for V in pieces)


def _about_walls(shape: Shape, mesh: SolidMesh, walls: tuple[Wall, ...]) -> tuple[Hull, ...] | None:
    """Return a solid with hollow round walls: these, and convex pieces behind and beside them."""
    size = float(np.max(np.ptp(mesh.vertices, axis=0)))
    rest = without_walls(shape, walls)
    solid, _ = build_manifold(rest, parts_of(rest), SIDES)
    planes = _planes(mesh, size)
    pieces = _cut(peeled(solid, walls), _Planes.of(planes), size)
    if pieces is None:
        return None
    off = max(wall.layer for wall in walls) / SPARE
    planes += [(-n, -d, mesh.faces[wall.face]) for wall in walls for n, d in wall.behind]
    known, X = _Planes.of(planes), np.eye(4)
    found = [_from_points(V, known, size, X, lambda name: name) for V in pieces]
    return (*(replace(hull, deviation=off) for hull in found), *wall_hulls(mesh, walls))


def _planes(mesh: SolidMesh, size: float) -> list[tuple[Array, float, str]]:
    """Return the planes of a mesh's facets, each once: normal, offset, name of the face."""
    T = mesh.vertices[mesh.triangles]
    n = np.cross(T[:, 1] - T[:, 0], T[:, 2] - T[:, 0])
    area = np.linalg.norm(n, axis=1)
    found: dict[tuple[float, ...], tuple[Array, float, str]] = {}
    # large facets first: their normals are the best known
    for k in np.argsort(-area):
        if area[k] <= FLAT * size * size:
            break
        normal = n[k] / area[k]
        offset = float(np.mean(T[k] @ normal))
        key = (int(mesh.face[k]), *(np.round(normal, 6) + 0.0), round(offset / size, 6) + 0.0)
        found.setdefault(key, (normal, offset, mesh.faces[mesh.face[k]]))
    return list(found.values())


def _cut(solids: list[object], planes: _Planes, size: float) -> list[Array] | None:
    """Return the corners (k, 3) of convex pieces: solids cut by planes that go through them."""
    from scipy.spatial import ConvexHull

    done: list[Array] = []
    while solids:
        solid = solids.pop()
        mesh = solid.to_mesh64()  # type: ignore[attr-defined] # a manifold3d.Manifold
        V = np.array(mesh.vert_properties[:, :3])
        F = np.array(mesh.tri_verts, dtype=np.int64)
        if len(F) == 0:
            continue
        volume = abs(float(np.einsum("ij,ij->", V[F[:, 0]], np.cross(V[F[:, 1]], V[F[:, 2]])))) / 6
        if volume <= FLAT * size**3:
            continue
        if ConvexHull(V).volume <= volume + FLAT * size**3:
            done.append(V)
            continue
        if len(done) + len(solids) > MOST_PIECES:
            return None
        plane = _through(V, F, planes, size)
        if plane is None:
            return None
        normal, offset = tuple(planes.normals[plane]), float(planes.offsets[plane])
        solids += solid.split_by_plane(normal, offset)  # type: ignore[attr-defined] # as above
    return done


def _through(V: Array, F: IntArray, planes: _Planes, size: float) -> int | None:
    """Return a plane of one of the solid's own faces with corners on both sides, or None."""
    for first in range(0, len(planes.offsets), 64):  # as many at once as take little memory
        some = slice(first, first + 64)
        height = V @ planes.normals[some].T - planes.offsets[some]
        lies = np.abs(height) < FLAT * size
        own = (lies[F[:, 0]] & lies[F[:, 1]] & lies[F[:, 2]]).any(axis=0)
        own &= (height > FLAT * size).any(axis=0) & (height < -FLAT * size).any(axis=0)
        if own.any():
            return first + int(np.argmax(own))
    return None


def _from_points(V: Array, planes: _Planes, size: float, X: Array, named: object) -> Hull:
    """Return the convex hull of corners, its faces called by the planes they lie in."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(V)
    groups: list[tuple[Array, float]] = []
    apart = np.zeros((len(hull.equations), 3))
    for n, d in zip(hull.equations[:, :3], -hull.equations[:, 3], strict=True):
        if not (apart[: len(groups)] @ n > 1 - 1e-12).any():
            apart[len(groups)] = n
            groups.append((n, d))
    P = V[np.unique(hull.simplices)]
    rings: list[tuple[int, ...]] = []
    normals, names = [], []
    for n, d in groups:
        on = np.nonzero(np.abs(P @ n - d) < 10 * FLAT * size)[0]
        x = P[on[1]] - P[on[0]]
        x = x / np.linalg.norm(x)
        local = P[on] - P[on].mean(axis=0)
        order = np.argsort(np.arctan2(local @ np.cross(n, x), local @ x))
        rings.append(tuple(int(k) for k in on[order]))
        normals.append(n)
        own = (planes.normals @ n > 1 - 1e-9) & (np.abs(planes.offsets - d) < 10 * FLAT * size)
        names.append(planes.names[int(np.argmax(own))] if own.any() else HIDDEN)
    called = [named(name) for name in names]  # type: ignore[operator] # a function of names
    beside: dict[tuple[int, int], list[int]] = {}
    around: list[list[str]] = [[] for _ in P]
    for k, ring in enumerate(rings):
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
            beside.setdefault((min(a, b), max(a, b)), []).append(k)
            around[a].append(called[k])
    edges = {ends: faces for ends, faces in beside.items() if len(faces) == 2}
    edge_names = tuple(_joined(called[f] for f in faces) for faces in edges.values())
    corner_names = tuple(_joined(each) for each in around)
    return Hull(
        POLYTOPE,
        P @ X[:3, :3].T + X[:3, 3],
        corner_names,
        edge_names,
        tuple(called),
        np.array([[a, b, *faces] for (a, b), faces in edges.items()], np.int64).reshape(-1, 4),
        np.array(normals) @ X[:3, :3].T,
        tuple(rings),
    )


def _joined(names: object) -> str:
    """Return the name of a corner or edge where named faces meet: "block.top/slot.left"."""
    seen = dict.fromkeys(names)  # type: ignore[call-overload] # an iterable of names
    return "/".join(name for name in seen if name != HIDDEN) or HIDDEN
