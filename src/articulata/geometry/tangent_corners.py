"""Where round surfaces may just touch features of other parts: corners that a mesh needs there.

Facets lie below a round surface, so a part that only grazes it would be missed, and where two
cylinders of one radius cross, facets would join the wrong edges. Corners at the candidates make
the mesh meet there as the exact surfaces do. Candidates are cheap to name; one too many does no
harm. Frames: the part's own, S; metres, radians.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.geometry.parts import Part
from articulata.geometry.primitive_features import Feature, primitive_features
from articulata.geometry.shapes import Capsule, Cone, Cylinder, Mesh, Sphere

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
