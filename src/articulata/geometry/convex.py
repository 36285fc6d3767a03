"""Distance between convex primitives (Gilbert, Johnson and Keerthi), and which solids meet.

Each primitive gives its farthest point in a direction; the distance between two of them is that of
the origin from their Minkowski difference. Balls and capsules are a point and a segment with a
margin, so that they are exact. Metres. Source: Gilbert, Johnson & Keerthi, IEEE J. Robotics and
Automation 4 (1988) 193.

Whether solids meet: those of primitives are compared by convex distance, others through the mesh of
their common part, in which every triangle still knows the face it came from. Metres.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array
from articulata.geometry.constructed import build_manifold, kept_mesh
from articulata.geometry.exact_surfaces import outline
from articulata.geometry.parts import Part, parts_of
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    HalfSpace,
    Intersection,
    Mesh,
    Named,
    Prism,
    Shape,
    Sphere,
)
from articulata.geometry.tessellation import polygon_triangles

Support: TypeAlias = Callable[[Array], Array]

MOST_STEPS = 200
"""Iterations after which the distance found so far is returned; round shapes need about 30."""

CLOSE = 1e-12
"""Relative improvement per step under which the distance is found."""


class Piece(NamedTuple):
    """A convex piece in the common frame: all points within ``margin`` of the supported set."""

    support: Support
    margin: float


class Gap(NamedTuple):
    """Distance between two convex pieces, 0 where they overlap, and the nearest points."""

    distance: float
    p_A: Array
    p_B: Array


def pieces_of(part: Part) -> list[Piece]:
    """Return the convex pieces of a placed primitive; a non-convex extrusion has several."""
    R, t = part.X_BS[:3, :3], part.X_BS[:3, 3]

    def placed(local: Support, margin: float = 0.0) -> Piece:
        return Piece(lambda d: R @ local(d @ R) + t, margin)

    match part.shape:
        case Sphere(radius):
            return [placed(lambda d: np.zeros(3), radius)]
        case Capsule(radius, h):
            return [placed(lambda d: np.array([0.0, 0.0, np.copysign(h / 2, d[2])]), radius)]
        case Cuboid(x, y, z):
            half = 0.5 * np.array([x, y, z])
            return [placed(lambda d: np.copysign(half, d))]
        case Cylinder(radius, h):
            return [placed(_frustum(radius, radius, h))]
        case Cone(a, h, b):
            return [placed(_frustum(a, b, h))]
        case Prism(_, _, h):
            return [placed(_slab(outline(part.shape), h))]
        case ExtrudedPolygon(_, h):
            P = outline(part.shape)
            return [placed(_slab(P[t], h)) for t in polygon_triangles(P)]
        case _:
            raise AssertionError(f"{part.shape!r} has no convex pieces")


def _frustum(a: float, b: float, h: float) -> Support:
    def support(d: Array) -> Array:
        across = np.hypot(d[0], d[1])
        unit = d[:2] / across if across > 0 else np.zeros(2)
        up = b * across + d[2] * h / 2 >= a * across - d[2] * h / 2
        return np.array([*(b if up else a) * unit, h / 2 if up else -h / 2])

    return support


def _slab(P: Array, h: float) -> Support:
    def support(d: Array) -> Array:
        corner = P[int(np.argmax(P @ d[:2]))]
        return np.array([corner[0], corner[1], np.copysign(h / 2, d[2])])

    return support


def gap_between(a: Piece, b: Piece) -> Gap:
    """Return the distance between two convex pieces and the points nearest to each other."""
    direction = np.array([1.0, 0.0, 0.0])
    pa, pb = a.support(direction), b.support(-direction)
    simplex = [(pa - pb, pa, pb)]
    weights = np.ones(1)
    nearest = pa - pb
    scale = 1.0
    for _ in range(MOST_STEPS):
        size = float(np.linalg.norm(nearest))
        scale = max(scale, max(float(np.abs(s[0]).max()) for s in simplex))
        if size <= CLOSE * scale:
            nearest = np.zeros(3)
            break
        pa, pb = a.support(-nearest), b.support(nearest)
        w = pa - pb
        # w bounds the distance from below; no vertex lies nearer in this direction
        if size * size - float(nearest @ w) <= CLOSE * size * scale or any(
            np.array_equal(w, s[0]) for s in simplex
        ):
            break
        simplex.append((w, pa, pb))
        nearest, weights, keep = _nearest_on_simplex([s[0] for s in simplex])
        simplex = [simplex[i] for i in keep]
    p_A = np.sum([u * s[1] for u, s in zip(weights, simplex, strict=True)], axis=0)
    p_B = np.sum([u * s[2] for u, s in zip(weights, simplex, strict=True)], axis=0)
    distance = float(np.linalg.norm(nearest))
    if distance > 0:
        unit = nearest / distance
        p_A, p_B = p_A - a.margin * unit, p_B + b.margin * unit
    return Gap(max(0.0, distance - a.margin - b.margin), p_A, p_B)


def _nearest_on_simplex(points: list[Array]) -> tuple[Array, Array, list[int]]:
    """Return the point of a simplex nearest to the origin, its weights and the corners it needs."""
    best: tuple[float, Array, Array, list[int]] | None = None
    for count in range(1, len(points) + 1):
        for chosen in combinations(range(len(points)), count):
            corner = points[chosen[0]]
            E = np.array([points[i] - corner for i in chosen[1:]]).reshape(-1, 3)
            u = np.linalg.lstsq(E.T, -corner, rcond=None)[0] if count > 1 else np.zeros(0)
            weights = np.concatenate([[1.0 - u.sum()], u])
            if np.any(weights < 0):
                continue
            p = corner + u @ E
            length = float(p @ p)
            # a larger subset must be really nearer: equal ones are degenerate
            if best is None or length < best[0] * (1 - 1e-14):
                best = (length, p, weights, list(chosen))
    assert best is not None
    return best[1], best[2], best[3]


TOUCHING = 1e-9
"""Solids nearer than this, relative to their size, touch."""


def primitives_intersect(a: Shape, b: Shape) -> bool:
    """Return whether two placed primitives share a point."""
    (part_a,), (part_b,) = parts_of(a), parts_of(b)
    if isinstance(part_b.shape, HalfSpace):
        part_a, part_b = part_b, part_a
    if isinstance(part_a.shape, HalfSpace):
        normal, origin = part_a.X_BS[:3, 1], part_a.X_BS[:3, 3]
        if isinstance(part_b.shape, HalfSpace):
            other = part_b.X_BS[:3, 1]
            opposed = float(normal @ other) < -1 + 1e-15
            return not opposed or float((part_b.X_BS[:3, 3] - origin) @ normal) <= TOUCHING
        depth = min(
            float((piece.support(-normal) - origin) @ normal) - piece.margin
            for piece in pieces_of(part_b)
        )
        return depth <= TOUCHING
    return any(
        gap_between(p, q).distance <= TOUCHING for p in pieces_of(part_a) for q in pieces_of(part_b)
    )


def solids_intersect(a: Shape, b: Shape, segments: int) -> bool:
    """Return whether two solids share some volume; round faces are facets of ``segments``."""
    both = Intersection([a, b])
    solid, _ = build_manifold(both, parts_of(both), segments)
    return not solid.is_empty()


def meeting_faces(a: Shape, b: Shape, segments: int) -> tuple[tuple[str, str], ...]:
    """Return the pairs of faces, of ``a`` and of ``b``, that cross each other; sorted.

    A solid wholly inside the other crosses no face.
    """
    both = Intersection([Named("a", a), Named("b", b)])
    try:
        mesh = kept_mesh(both, segments)
    except GeometryError:
        return ()
    F = mesh.triangles
    ends = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    side = np.tile(mesh.face, 3)
    count = int(F.max()) + 1
    key = ends[:, 0] * count + ends[:, 1]
    order = np.argsort(key)
    twin = side[order[np.searchsorted(key, ends[:, 1] * count + ends[:, 0], sorter=order)]]
    pairs = np.unique(np.stack([side, twin], axis=1), axis=0)
    named = ((mesh.faces[i], mesh.faces[j]) for i, j in pairs)
    return tuple(
        sorted(
            {
                (one.removeprefix("a."), two.removeprefix("b."))
                for one, two in named
                if one.startswith("a.") and two.startswith("b.")
            }
        )
    )


def convex_hull(mesh: Mesh, file: str = "", most: int = 0) -> Mesh:
    """Return the convex hull of a mesh, closed; ``file`` is what it says it comes from.

    Where it has more than ``most`` corners (0: any number) it is the hull of those that are
    farthest in ``most`` directions. Raises GeometryError for a mesh that lies in one plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(mesh.vertices)
        if most and len(hull.vertices) > most:
            k = np.arange(most) + 0.5  # a spiral: Fibonacci's lattice on a sphere
            z, turn = 1.0 - 2.0 * k / most, np.pi * (1.0 + 5.0**0.5) * k
            level = np.sqrt(1.0 - z * z)
            around = np.array([level * np.cos(turn), level * np.sin(turn), z])
            V = hull.points[hull.vertices]
            hull = ConvexHull(V[np.unique(np.argmax(V @ around, axis=0))])
    except QhullError as error:
        raise GeometryError(str(error).splitlines()[0]) from None
    corners = hull.simplices.copy()
    ends = hull.points[corners]
    normals = np.cross(ends[:, 1] - ends[:, 0], ends[:, 2] - ends[:, 0])
    inward = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    kept, faces = np.unique(corners, return_inverse=True)
    return Mesh(hull.points[kept], faces.reshape(-1, 3), file, mesh.scale)
