"""Hollow round walls of constructed solids: bowls, bores, half pipes.

Where a ball or a cylinder is cut out of a convex primitive, and the wall it leaves ends at one
plane (a bowl's rim, the lip of a half pipe) and at planes across its axis (the ends of a bore),
contact inside is with the wall itself. Behind a layer of the wall the material is convex pieces,
outside the planes of a polyhedron about the round tool. Body axes B, metres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.constructed import SolidMesh
from articulata.geometry.convex_pieces.hull import HIDDEN, Hull
from articulata.geometry.parts import Part
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    Difference,
    HalfSpace,
    Named,
    Placed,
    Prism,
    Shape,
    Sphere,
)
from articulata.kernels.contacts.pieces import HOLLOW, LINE, POLYTOPE, PROBE, RIM, ROUND

ENDLESS = 1e150
"""Height (m) of a lip that is not there."""

CLEAR = 1e-3
"""Share of the radius that the planes behind a wall keep from it."""

RINGS = 12
"""Rings of planes about a ball from pole to pole."""

SIDES = 48
"""Planes about a cylinder."""

SPARE = 1.5
"""The layer is this many times as thick as the polyhedron's corners are behind the wall."""

STRAIGHT = 1e-9
"""Sine of an angle below which directions are parallel or at a right angle."""


@dataclass(frozen=True, slots=True, eq=False)
class Wall:
    """A hollow round wall: ``number`` of its part, centre, axis, radius and what it ends at.

    ``lip`` is the normal, height over the centre and face of the plane that cuts it open; ``ends``
    are (height over the centre, face or None where it is closed) of the back and the front of a
    cylinder. ``face`` is its own number in the mesh. ``behind`` are normals and offsets of planes
    outside which the rest of the material is, ``layer`` (m) how thick the layer before it is.
    """

    number: int
    face: int
    ball: bool
    center: Array
    axis: Array
    radius: float
    lip: tuple[Array, float, int] | None
    ends: tuple[tuple[float, int | None], tuple[float, int | None]]
    behind: list[tuple[Array, float]]
    layer: float


def hollow_walls(shape: Shape, mesh: SolidMesh) -> tuple[Wall, ...]:
    """Return the hollow round walls of a solid; none where one of them ends in another way."""
    if not _is_cut_from_one(shape):
        return ()
    found = []
    for number, part in enumerate(mesh.parts):
        if not part.hollow or not isinstance(part.shape, Sphere | Cylinder):
            continue
        name = part.named("surface" if isinstance(part.shape, Sphere) else "wall")
        face = mesh.faces.index(name)
        if not np.any(mesh.face == face):
            return ()
        wall = _wall(mesh, number, part, face)
        if wall is None:
            return ()
        found.append(wall)
    return tuple(found)


def _is_cut_from_one(shape: Shape) -> bool:
    """Tell whether a shape is one convex primitive less others."""
    inner = _bare(shape)
    return (
        isinstance(inner, Difference)
        and isinstance(_bare(inner.base), Cuboid | Prism | Cylinder | Cone | Sphere | Capsule)
        and all(
            isinstance(_bare(tool), Cuboid | Prism | Cylinder | Sphere | HalfSpace)
            for tool in inner.tools
        )
    )


def _bare(shape: Shape) -> Shape:
    while isinstance(shape, Placed | Named):
        shape = shape.shape
    return shape


def _wall(mesh: SolidMesh, number: int, part: Part, face: int) -> Wall | None:
    """Return the wall that a part has left, or None where it ends in another way."""
    assert isinstance(part.shape, Sphere | Cylinder)
    R, c, a = part.shape.radius, part.X_BS[:3, 3], part.X_BS[:3, 2]
    ball = isinstance(part.shape, Sphere)
    lip: tuple[Array, float, int] | None = None
    ends: list[tuple[float, int | None] | None] = [None, None]
    for other in _beside(mesh, face):
        surface = mesh.surfaces[other]
        if surface is None or surface.form != "plane":
            return None
        n, offset = _plane(mesh, other)
        height = offset - float(n @ c)
        lean = float(n @ a)
        if ball or abs(lean) < STRAIGHT:
            if lip is not None or not abs(height) < R * (1 - 1e-6):
                return None
            lip = n, height, other
            continue
        if abs(lean) < 1 - STRAIGHT:
            return None
        own = mesh.starts[number] <= other < _end(mesh, number)
        # the floor of a blind hole looks into it, the end of a bore out of it
        at = 1 if (lean > 0) != own else 0
        if ends[at] is not None:
            return None
        if not own and other >= _end(mesh, 0):
            # a slot: there may be more of the body beyond it
            return None
        ends[at] = (float(np.sign(lean)) * height, None if own else other)
    if ball:
        m = np.array([0.0, 0.0, 1.0]) if lip is None else lip[0]
        behind, off = _about_ball(c, R, m)
        return _checked(
            mesh, Wall(number, face, True, c, m, R, lip, ((0, None), (0, None)), behind, off)
        )
    back, front = ends
    if back is None or front is None:
        return None
    x = lip[0] if lip is not None else _across(a)
    y = np.cross(a, x)
    turns = 2 * np.pi * np.arange(SIDES) / SIDES
    near = R * (1 + CLEAR)
    behind = [(n, float(n @ c) + near) for n in (np.cos(t) * x + np.sin(t) * y for t in turns)]
    for side, (z, open_to) in zip((-1.0, 1.0), (back, front), strict=True):
        if open_to is None:
            behind.insert(0, (side * a, side * (float(a @ c) + z)))
    layer = SPARE * (near / math.cos(math.pi / SIDES) - R)
    return _checked(mesh, Wall(number, face, False, c, a, R, lip, (back, front), behind, layer))


def _checked(mesh: SolidMesh, wall: Wall) -> Wall | None:
    """Return the wall, or None where the material behind it is thinner than its layer."""
    others = set(np.unique(mesh.face).tolist()) - set(_beside(mesh, wall.face)) - {wall.face}
    if not others:
        return wall
    T = mesh.vertices[mesh.triangles[np.isin(mesh.face, list(others))]]
    grid = [(i / 8, j / 8) for i in range(9) for j in range(9 - i)]
    P = np.concatenate([T[:, 0] * (1 - u - v) + T[:, 1] * u + T[:, 2] * v for u, v in grid])
    d = P - wall.center
    if not wall.ball:
        z = d @ wall.axis
        d = d - z[:, None] * wall.axis
        (low, _), (high, _) = wall.ends
        d = d[(z > low - wall.layer) & (z < high + wall.layer)]
    if wall.lip is not None:
        d = d[d @ wall.lip[0] < wall.lip[1] + wall.layer]
    if len(d) and np.min(np.linalg.norm(d, axis=1)) < wall.radius + wall.layer:
        return None
    return wall


def _end(mesh: SolidMesh, number: int) -> int:
    starts = mesh.starts
    return int(starts[number + 1]) if number + 1 < len(starts) else len(mesh.faces)


def _across(a: Array) -> Array:
    x = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    return np.asarray(x / np.linalg.norm(x))


def _beside(mesh: SolidMesh, face: int) -> list[int]:
    """Return the faces that share an edge with a face."""
    F: IntArray = mesh.triangles
    sides = np.sort(np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]]), axis=1)
    owner = np.tile(mesh.face, 3)
    code = sides[:, 0] * len(mesh.vertices) + sides[:, 1]
    mine = np.isin(code, code[owner == face])
    return sorted(set(owner[mine].tolist()) - {face})


def _plane(mesh: SolidMesh, face: int) -> tuple[Array, float]:
    """Return the outward normal and the offset of a plane face."""
    surface = mesh.surfaces[face]
    assert surface is not None
    T = mesh.vertices[mesh.triangles[mesh.face == face]]
    out = np.sum(np.cross(T[:, 1] - T[:, 0], T[:, 2] - T[:, 0]), axis=0)
    n = surface.X_SF[:3, 2]
    n = n if float(n @ out) > 0 else -n
    return n, float(n @ surface.X_SF[:3, 3])


def _about_ball(c: Array, R: float, m: Array) -> tuple[list[tuple[Array, float]], float]:
    """Return planes about a ball, in rings about m, and the thickness of the layer before them."""
    from scipy.spatial import HalfspaceIntersection

    x = _across(m)
    y = np.cross(m, x)
    normals = [m, -m]
    for ring in range(1, RINGS):
        polar = np.pi * ring / RINGS
        count = max(6, round(2 * RINGS * math.sin(polar)))
        for k in range(count):
            turn = 2 * np.pi * (k + 0.5 * (ring % 2)) / count
            side = math.cos(turn) * x + math.sin(turn) * y
            normals.append(math.cos(polar) * m + math.sin(polar) * side)
    N = np.array(normals)
    corners = HalfspaceIntersection(np.c_[N, -np.ones(len(N))], np.zeros(3)).intersections
    far = float(np.max(np.linalg.norm(corners, axis=1)))
    near = R * (1 + CLEAR)
    return [(n, float(n @ c) + near) for n in N], SPARE * (near * far - R)


def without_walls(shape: Shape, walls: tuple[Wall, ...]) -> Shape:
    """Return a solid without the tools that have left these walls."""
    match shape:
        case Placed(inner, X):
            return Placed(without_walls(inner, walls), X)
        case Named(name, inner):
            return Named(name, without_walls(inner, walls))
        case Difference(base, tools):
            gone = {wall.number for wall in walls}
            left = [tool for k, tool in enumerate(tools) if k + 1 not in gone]
            return Difference(base, tuple(left)) if left else base
        case _:
            return shape


def peeled(solid: Any, walls: tuple[Wall, ...]) -> list[Any]:
    """Return the parts of a solid outside the planes behind its walls (of manifold3d)."""
    solids = [solid]
    for wall in walls:
        found = []
        for rest in solids:
            for n, offset in wall.behind:
                out, rest = rest.split_by_plane(tuple(n.tolist()), offset)
                if not out.is_empty():
                    found.append(out)
                if rest.is_empty():
                    break
        solids = found
    return solids


def wall_hulls(mesh: SolidMesh, walls: tuple[Wall, ...]) -> list[Hull]:
    """Return the hollow pieces of walls, and the rims of their open ends."""
    found = []
    for wall in walls:
        found.append(_hollow(mesh, wall))
        m, h = (_across(wall.axis), ENDLESS) if wall.lip is None else wall.lip[:2]
        for z, face in wall.ends:
            if wall.ball or face is None:
                continue
            found.append(
                Hull(
                    RIM,
                    (wall.center + z * wall.axis)[None],
                    (_edge(mesh, face, wall.face),) * 4,
                    (),
                    ("",),
                    np.zeros((0, 4), np.int64),
                    m[None],
                    ((0,),),
                    axis=triple(wall.axis),
                    size=(wall.radius, 0.0, h),
                )
            )
    return found


def _hollow(mesh: SolidMesh, wall: Wall) -> Hull:
    c, a, own = wall.center, wall.axis, mesh.faces[wall.face]
    (low, back), (high, front) = wall.ends
    m, h, lip = (_across(a), 0.0, None) if wall.lip is None else wall.lip
    open_to = (lip, front, back)
    return Hull(
        HOLLOW,
        np.array([c, c + h * m, c + high * a, c + low * a]),
        (*(own if f is None else _edge(mesh, f, wall.face) for f in open_to), own),
        (own,),
        tuple(own if f is None else mesh.faces[f] for f in open_to),
        np.array([[wall.ball, lip is not None, front is not None, back is not None]], np.int64),
        np.array([m, a, -a]),
        ((1,), (2,), (3,)),
        axis=triple(a),
        size=(wall.radius, wall.layer, h),
    )


def probes(own: Sequence[Hull]) -> list[Hull]:
    """Return what of a body's convex pieces may touch a hollow wall or its rims."""
    found: list[Hull] = []
    seen: set[tuple[float, ...]] = set()
    for hull in own:
        if hull.kind == ROUND:
            for side, (radius, name) in enumerate(
                zip(hull.size[:2], hull.corner_names, strict=True)
            ):
                z = hull.size[2] * (1 if side else -1)
                at = hull.vertices[0] + z * np.array(hull.axis)
                found.append(_probe(at, 0.0, name, hull.axis, radius))
            if hull.size[0] == hull.size[1]:
                way = hull.size[2] * np.array(hull.axis)
                ends = hull.vertices[0] + np.array([-way, way])
                found.append(_line(ends, hull.size[0], hull.edge_names[0]))
        if hull.kind != POLYTOPE:
            continue
        for at, name in zip(hull.vertices, hull.corner_names, strict=True):
            key = (*at.tolist(), hull.radius)
            if key not in seen and name != HIDDEN:
                seen.add(key)
                found.append(_probe(at, hull.radius, name, (0.0, 0.0, 1.0), 0.0))
        if len(hull.vertices) == 2:
            found.append(_line(hull.vertices, hull.radius, hull.edge_names[0]))
    return found


def _probe(
    at: Array, radius: float, name: str, axis: tuple[float, float, float], circle: float
) -> Hull:
    return Hull(
        PROBE,
        at[None],
        (name,),
        (name,),
        (),
        np.array([[0, 0, -1, -1]]),
        np.zeros((0, 3)),
        (),
        radius=radius,
        axis=axis,
        size=(circle, circle, 0.0),
    )


def _line(ends: Array, radius: float, name: str) -> Hull:
    edge = np.array([[0, 1, -1, -1]])
    return Hull(LINE, ends, (name, name), (name,), (), edge, np.zeros((0, 3)), (), radius=radius)


def _edge(mesh: SolidMesh, *faces: int) -> str:
    return "/".join(mesh.faces[f] for f in faces)


def triple(v: Array) -> tuple[float, float, float]:
    """Return three numbers as Python's own."""
    return float(v[0]), float(v[1]), float(v[2])
