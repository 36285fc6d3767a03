"""The convex parts of bodies with their named features, in the form of the kernels.

Points are given from a body's reference point (its mass centre) in body axes; metres. The faces,
edges and corners keep the names that ``geometry.features`` gives them, so that every contact can
say which features meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.features import features
from articulata.geometry.parts import Part as Solid
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    HalfSpace,
    Named,
    Placed,
    Prism,
    Shape,
    Sphere,
    Union,
)
from articulata.kernels.multibody.contact.separation import (
    BALL,
    HALF_SPACE,
    POLYHEDRON,
    ROUND,
    Parts,
)

SIDES = 32
"""Sides of the prism by which a cylinder or cone meets anything but a half-space."""

SAME = 1e-9
"""Corners nearer than this share of a part's size are one; so are directions."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A convex part of body number ``body``.

    ``corners`` (n, 3) and ``names``; ``faces`` as (name, corners counterclockwise from outside),
    ``edges`` as (name, two corners); ``radius`` is a ball's; ``rims`` of a round part are (name,
    centre, axis, radius); ``plane`` of a half-space is (origin, normal).
    """

    body: int
    kind: int
    corners: Array
    names: tuple[str, ...]
    faces: tuple[tuple[str, tuple[int, ...]], ...] = ()
    edges: tuple[tuple[str, int, int], ...] = ()
    radius: float = 0.0
    rims: tuple[tuple[str, Array, Array, float], ...] = ()
    surface: str = ""

    @property
    def size(self) -> float:
        """Its extent (m), 1 for a half-space."""
        if self.kind == HALF_SPACE:
            return 1.0
        span = np.ptp(self.corners, axis=0) if len(self.corners) else np.zeros(3)
        return float(np.linalg.norm(span)) + 2.0 * self.radius


def convex_parts(shape: Shape | None, body: int, center: Array) -> tuple[Part, ...] | None:
    """Return the convex parts of a body's shape, or None where it has others.

    Parts cut away, common parts and meshes are no unions of convex primitives.
    """
    if shape is None:
        return ()
    if not _joined_primitives(shape):
        return None
    found: list[Part] = []
    for solid in parts_of(shape):
        made = _parts(solid, body, center)
        if made is None:
            return None
        found += made
    return tuple(found)


def _joined_primitives(shape: Shape) -> bool:
    match shape:
        case Placed(inner) | Named(_, inner):
            return _joined_primitives(inner)
        case Union(parts):
            return all(_joined_primitives(part) for part in parts)
        case _:
            return isinstance(
                shape,
                Cuboid | Sphere | Cylinder | Capsule | Cone | Prism | ExtrudedPolygon | HalfSpace,
            )


def _parts(solid: Solid, body: int, center: Array) -> list[Part] | None:
    R, origin = solid.X_BS[:3, :3], solid.X_BS[:3, 3] - center
    match solid.shape:
        case HalfSpace():
            corners = np.array([origin, R[:, 1]])
            name = solid.named("surface")
            return [Part(body, HALF_SPACE, corners, (name, name), surface=name)]
        case Sphere(radius):
            name = solid.named("surface")
            return [Part(body, BALL, origin[None].copy(), (name,), radius=radius, surface=name)]
        case Capsule(radius, length):
            ends = np.array([origin - R[:, 2] * length / 2, origin + R[:, 2] * length / 2])
            names = (solid.named("back"), solid.named("front"))
            wall = solid.named("wall")
            return [
                Part(body, BALL, ends, names, edges=((wall, 0, 1),), radius=radius, surface=wall)
            ]
        case Cylinder(radius, length):
            return _round(solid, body, origin, R, radius, radius, length)
        case Cone(radius, length, top):
            return _round(solid, body, origin, R, radius, top, length)
        case _:
            made = _polyhedron(solid, body, center)
            return None if made is None else [made]


def _round(
    solid: Solid, body: int, origin: Array, R: Array, back: float, front: float, length: float
) -> list[Part]:
    """Return a cylinder or cone twice: by its rims, and as a prism."""
    axis = R[:, 2]
    rims = []
    for name, z, radius in (("back", -0.5, back), ("front", 0.5, front)):
        place = origin + z * length * axis
        rims.append((solid.named(f"{name}_rim" if radius > 0 else "apex"), place, axis, radius))
    corners = np.array([x for _, c, a, r in rims for x in (c, a, (r, 0.0, 0.0))])
    wall = solid.named("wall")
    rolled = Part(body, ROUND, corners, (wall,) * 6, rims=tuple(rims), surface=wall)
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angle)[:, None] * R[:, 0] + np.sin(angle)[:, None] * R[:, 1]
    low, high = rims[0][1] + back * ring, rims[1][1] + front * ring
    sharp = front == 0.0
    if sharp:
        high = rims[1][1][None]
    points = np.concatenate([low, high])
    names = [rims[0][0]] * SIDES + [rims[1][0]] * len(high)
    faces: list[tuple[str, tuple[int, ...]]] = [
        (solid.named("back"), tuple(range(SIDES - 1, -1, -1)))
    ]
    edges: list[tuple[str, int, int]] = []
    for k in range(SIDES):
        j = (k + 1) % SIDES
        edges.append((rims[0][0], k, j))
        if sharp:
            faces.append((wall, (k, j, SIDES)))
            edges.append((wall, k, SIDES))
        else:
            faces.append((wall, (k, j, SIDES + j, SIDES + k)))
            edges += [(wall, k, SIDES + k), (rims[1][0], SIDES + k, SIDES + j)]
    if not sharp:
        faces.append((solid.named("front"), tuple(range(SIDES, 2 * SIDES))))
    prism = Part(body, POLYHEDRON, points, tuple(names), tuple(faces), tuple(edges), surface=wall)
    return [rolled, prism]


def _polyhedron(solid: Solid, body: int, center: Array) -> Part | None:
    """Return a convex part with straight edges; None where it is not convex."""
    known = features(solid.shape)
    X, points, names = solid.X_BS, [], []
    for feature in known.values():
        if feature.kind == "point" and feature.name != "center":
            points.append(X[:3, :3] @ feature.position + X[:3, 3] - center)
            names.append(solid.named(feature.name))
    corners = np.array(points)

    def number(p: Array) -> int:
        away = np.linalg.norm(corners - (X[:3, :3] @ p + X[:3, 3] - center), axis=1)
        return int(np.argmin(away))

    faces, edges = [], []
    for feature in known.values():
        if feature.boundary is None:
            continue
        ring = tuple(number(p) for p in feature.boundary)
        if feature.kind == "face":
            faces.append((solid.named(feature.name), ring))
        elif feature.kind == "edge":
            edges.append((solid.named(feature.name), ring[0], ring[1]))
    part = Part(body, POLYHEDRON, corners, tuple(names), tuple(faces), tuple(edges))
    for _, ring in faces:
        n = face_normal(corners, ring)
        if float(np.max((corners - corners[ring[0]]) @ n)) > SAME * part.size:
            return None
    return part


def face_normal(corners: Array, ring: Sequence[int]) -> Array:
    """Return the outward unit normal of a face."""
    P = corners[list(ring)]
    n = np.sum(np.cross(P[1:-1] - P[0], P[2:] - P[0]), axis=0)
    return np.asarray(n / np.linalg.norm(n))


def directions(part: Part) -> Array:
    """Return the directions of a part's edges, each once (k, 3)."""
    found: list[Array] = []
    for _, a, b in part.edges if part.kind == POLYHEDRON else ():
        d = part.corners[b] - part.corners[a]
        d = d / np.linalg.norm(d)
        if not any(np.linalg.norm(np.cross(d, other)) < SAME for other in found):
            found.append(d)
    return np.array(found).reshape(-1, 3)


def packed(parts: Iterable[Part]) -> Parts:
    """Return the parts as the kernels' arrays, in order."""
    table: list[list[int]] = []
    corner: list[Array] = []
    loop: list[int] = []
    face = [0]
    edge: list[tuple[int, int]] = []
    direction: list[Array] = []
    radius: list[float] = []
    reach: list[float] = []
    points = 0
    for part in parts:
        axes = directions(part)
        first = [points, len(face) - 1, len(edge), sum(len(d) for d in direction)]
        corner.append(part.corners)
        polyhedron = part.kind == POLYHEDRON
        for _, ring in part.faces if polyhedron else ():
            loop += [points + k for k in ring]
            face.append(len(loop))
        edge += [(points + a, points + b) for _, a, b in part.edges] if polyhedron else []
        direction.append(axes)
        points += len(part.corners)
        last = [points, len(face) - 1, len(edge), first[3] + len(axes)]
        spread = [x for pair in zip(first, last, strict=True) for x in pair]
        table.append([part.kind, part.body, *spread])
        radius.append(part.radius)
        reach.append(_reach(part))
    return Parts(
        np.array(table, np.int64).reshape(-1, 10),
        np.concatenate([*corner, np.zeros((0, 3))]),
        np.array(loop, np.int64),
        np.array(face, np.int64),
        np.array(edge, np.int64).reshape(-1, 2),
        np.concatenate([*direction, np.zeros((0, 3))]),
        np.array(radius, float),
        np.array(reach, float),
    )


def _reach(part: Part) -> float:
    """Return how far a part's moving points lie from the reference point; a margin turns along."""
    if part.kind == HALF_SPACE:
        return 0.0
    if part.kind == ROUND:
        return max(float(np.linalg.norm(c)) + r for _, c, _, r in part.rims)
    return float(np.max(np.linalg.norm(part.corners, axis=1)))


def kinds_meet(one: Part, other: Part) -> bool:
    """Tell whether these two forms of parts are compared: round ones roll on half-spaces only."""
    kinds = {one.kind, other.kind}
    if ROUND in kinds:
        return HALF_SPACE in kinds and len(kinds) == 2
    round_prism = any(part.kind == POLYHEDRON and part.surface for part in (one, other))
    return kinds != {HALF_SPACE} and not (HALF_SPACE in kinds and round_prism)


def pair_array(pairs: Sequence[tuple[int, int]]) -> IntArray:
    """Return pairs of part numbers as an array (k, 2)."""
    return np.array(pairs, np.int64).reshape(-1, 2)
