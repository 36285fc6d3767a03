"""Which feature of a shape is at a point, or nearest to it.

The triangles of the shape's mesh lead to the face; the point found on a facet is then moved onto
the face's exact surface. In the shape's frame S, metres.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.constructed import SolidMesh, kept_mesh
from articulata.geometry.exact_surfaces import Surface
from articulata.geometry.named_features import Feature, features
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import HalfSpace, Shape

SEGMENTS = 96
"""Sides of a circle in the mesh that is searched."""

ROUNDING = 1e-12
"""Relative difference of distances that are equal but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureHit:
    """The feature nearest to a point.

    ``name`` is that of a corner or named edge when the nearest point lies on one, otherwise of
    the face; ``faces`` are all faces that meet there, nearest first. ``point`` ``(3,)`` m lies on
    the surface, ``distance`` m is how far it is from the point asked for, negative inside.
    """

    name: str
    faces: tuple[str, ...]
    point: Float64[Array, "3"]
    distance: float


def feature_at(shape: Shape, p_SP: npt.ArrayLike, *, tolerance: float = 1e-6) -> FeatureHit:
    """Return the feature nearest to a point ``(3,)``; within ``tolerance`` m faces count as one.

    Exact on primitives; at the rims that operations cut, the point lies on a facet's edge, up to
    5e-4 of the radius inside the round surface.
    """
    p = np.asarray(p_SP, dtype=np.float64)
    if p.shape != (3,) or not np.all(np.isfinite(p)):
        raise GeometryError(f"a point needs three finite numbers, not {p_SP!r}")
    parts = parts_of(shape)
    if len(parts) == 1 and isinstance(parts[0].shape, HalfSpace):
        X = parts[0].X_BS
        height = float((p - X[:3, 3]) @ X[:3, 1])
        name = parts[0].named("top")
        return FeatureHit(name, (name,), p - height * X[:3, 1], height)
    mesh = kept_mesh(shape, SEGMENTS)
    found = _nearest_per_face(mesh, p)
    best, _, at = found[0]
    reach = best + tolerance
    known = features(shape)
    for edge in known.values():
        if edge.form == "circle":
            # a cap's facets end on chords, inside the rim
            rim = _nearest_on_circle(edge, p)
            if float(np.linalg.norm(rim - p)) <= best + ROUNDING * (best + edge.radius):
                best, at = float(np.linalg.norm(rim - p)), rim
                reach = best + 2 * _slack(mesh) + tolerance
    faces = tuple(dict.fromkeys(name for d, name, _ in found if d <= reach))
    name = _corner_or_edge(known, faces, at, tolerance) or faces[0]
    return FeatureHit(name, faces, at, -best if _inside(mesh, p) else best)


def _nearest_per_face(mesh: SolidMesh, p: Array) -> list[tuple[float, str, Array]]:
    """Return distance, name and nearest point of every face that may be nearest, in order."""
    q = _nearest_on_triangles(mesh.vertices[mesh.triangles], p)
    distance = np.sqrt(np.sum((q - p) ** 2, axis=1))
    slack = _slack(mesh)
    out = []
    for face in np.unique(mesh.face[distance <= distance.min() + 2 * slack]):
        mine = np.nonzero(mesh.face == face)[0]
        nearest = q[mine[np.argmin(distance[mine])]]
        at = _onto(mesh.surface_of(int(face)), p, nearest, slack)
        out.append((float(np.linalg.norm(at - p)), mesh.faces[face], at))
    return sorted(out, key=lambda entry: entry[0])


def _slack(mesh: SolidMesh) -> float:
    """Return how far a facet may lie below its round surface, m."""
    return float(np.max(np.ptp(mesh.vertices, axis=0))) * (np.pi / SEGMENTS) ** 2


def _onto(surface: Surface, p: Array, near: Array, slack: float) -> Array:
    """Return the point of a round surface nearest to ``p`` if it is close to ``near``."""
    if surface.form == "plane":
        return near
    for start in (p, near):
        at = _foot(surface, start)
        # the facets may end before the foot of p: the face ends there too
        if float(np.linalg.norm(at - near)) <= np.sqrt(slack) * np.sqrt(slack + surface.radius):
            return at
    return near


def _foot(surface: Surface, p: Array) -> Array:
    """Return the point of a cylinder, cone or sphere straight below ``p``."""
    X = surface.X_SF
    x, y, z = (p - X[:3, 3]) @ X[:3, :3]
    if surface.form == "sphere":
        length = float(np.sqrt(x * x + y * y + z * z))
        local = np.array([x, y, z]) * (surface.radius / length if length > 0 else 0.0)
        foot: Array = X[:3, :3] @ local + X[:3, 3]
        return foot
    rho, k = float(np.hypot(x, y)), surface.slope
    off = (rho - surface.radius - k * z) / (1 + k * k)
    z += k * off
    scale = (rho - off) / rho if rho > 0 else 0.0
    out: Array = X[:3, :3] @ np.array([x * scale, y * scale, z]) + X[:3, 3]
    return out


def _corner_or_edge(
    known: Mapping[str, Feature], faces: tuple[str, ...], at: Array, tolerance: float
) -> str:
    """Return the named corner or edge at a point of the surface, or nothing."""
    if len(faces) < 2 and not any(f.name.endswith("apex") for f in known.values()):
        return ""
    for feature in known.values():
        end = feature.name.rpartition(".")[2]
        corner = feature.kind == "point" and not end.endswith("center")
        if corner and float(np.linalg.norm(feature.position - at)) <= tolerance:
            return feature.name
    for feature in known.values():
        if feature.kind == "edge" and _edge_distance(feature, at) <= tolerance:
            return feature.name
    return ""


def _nearest_on_circle(circle: Feature, p: Array) -> Array:
    """Return the point of a circle nearest to ``p``."""
    X = circle.X_SF
    x, y, _ = (p - X[:3, 3]) @ X[:3, :3]
    rho = float(np.hypot(x, y))
    c, s = (x / rho, y / rho) if rho > 0 else (1.0, 0.0)
    out: Array = X[:3, :3] @ np.array([c, s, 0.0]) * circle.radius + X[:3, 3]
    return out


def _edge_distance(edge: Feature, p: Array) -> float:
    """Return the distance of a point from a straight edge or a circle."""
    X = edge.X_SF
    x, y, z = (p - X[:3, 3]) @ X[:3, :3]
    if edge.form == "circle":
        return float(np.hypot(np.hypot(x, y) - edge.radius, z))
    past = max(abs(z) - edge.length / 2, 0.0)
    return float(np.sqrt(x * x + y * y + past * past))


def _inside(mesh: SolidMesh, p: Array) -> bool:
    """Return whether the facets wind around a point (van Oosterom & Strackee, 1983)."""
    a, b, c = ((mesh.vertices - p)[mesh.triangles[:, i]] for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a)))
    below = la * lb * lc + ab * lc + bc * la + ca * lb
    return float(np.sum(np.arctan2(above, below))) > np.pi


def _nearest_on_triangles(T: Array, p: Array) -> Array:
    """Return the point of every triangle ``(m, 3, 3)`` nearest to ``p``, ``(m, 3)``."""
    a, b, c = T[:, 0], T[:, 1], T[:, 2]
    normal = np.cross(b - a, c - a)
    area = np.maximum(np.einsum("ij,ij->i", normal, normal), 1e-300)
    inside = np.ones(len(T), dtype=bool)
    best = np.full(len(T), np.inf)
    out = a.copy()
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        inside &= np.einsum("ij,ij->i", np.cross(along, p - start), normal) >= 0
        length = np.maximum(np.einsum("ij,ij->i", along, along), 1e-300)
        t = np.clip(np.einsum("ij,ij->i", p - start, along) / length, 0.0, 1.0)
        q = start + t[:, None] * along
        distance = np.sum((q - p) ** 2, axis=1)
        closer = distance < best
        best = np.where(closer, distance, best)
        out[closer] = q[closer]
    height = np.einsum("ij,ij->i", p - a, normal) / area
    return np.where(inside[:, None], p - height[:, None] * normal, out)
