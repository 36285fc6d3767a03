"""From a world's mechanism and pieces to what the stepping kernels work on.

How thick convex pieces are: what moves farther in a step may pass through them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.pair_laws import Surface, between, material_of
from articulata.domains.dynamic.contact.stops import Stop
from articulata.domains.dynamic.contact.touches import about, moving_pairs, reach
from articulata.domains.dynamic.mechanism import FREE, Mechanism
from articulata.domains.dynamic.observer import coordinate_table
from articulata.domains.dynamic.operations import OPERATIONS
from articulata.domains.dynamic.stepping.body_pieces import PieceSource
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    HOLLOW,
    LINE,
    MEETS,
    POLYTOPE,
    ROUND,
    Pieces,
)
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.programs import CONSTANT, LENGTH, SPEED
from articulata.kernels.multibody.stepping.step_scene import ALONE, STILL, Scene
from articulata.kernels.multibody.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A mechanism made ready for stepping.

    ``system`` leaves bodies in free flight out of the tree; ``moving`` (n,) bodies move by forces;
    ``limits`` are those of limited coordinates, lower and upper, ``limited`` their bodies.
    """

    scene: Scene = field(repr=False)
    system: System = field(repr=False)
    moving: BoolArray
    limited: tuple[tuple[int, int], ...]
    limits: tuple[tuple[Stop, Stop], ...]
    size: float

    def who(self, number: int) -> tuple[int, int]:
        """Return a pair of bodies by its number; a body that rests comes second."""
        n = len(self.moving)
        if number >= n * n:
            return self.limited[number - n * n]
        a, b = divmod(number, n)
        return (a, b) if self.moving[a] else (b, a)

    @property
    def pairs(self) -> IntArray:
        """The pairs of bodies (k, 2) that may touch, one that rests second."""
        pairs = np.argwhere(np.triu(self.scene.surface >= 0))
        return np.where(self.moving[pairs[:, :1]], pairs, pairs[:, ::-1])


def stage(
    parts: Mechanism, made: System, forced: BoolArray, contact: Contact | None, pieces: PieceSource
) -> Stage:
    """Return ``parts``, whose kernels' arrays are ``made``, ready for stepping.

    ``forced`` (n,) bodies do not fly free. Without ``contact`` only hinges' limits hold.
    """
    moving = parts.kind == FREE
    hinged = np.zeros(len(parts.kind), bool)
    for a, b in made.hinge_body.tolist():
        hinged[[body for body in (a, b) if body >= 0]] = True
    free = moving & ~hinged & ~forced
    filtered = _without(made, free)
    group = _groups(made, moving & hinged)
    group[~moving] = STILL
    starts, positions, loops = _trees(filtered, group)
    surface, surfaces = _surfaces(parts, contact, pieces)
    material, law, code, constants = _laws(surfaces)
    limit, limit_data, stops, limited = _limits(parts)
    # the numbers of pairs of bodies come first
    limit[:, 1] = surface.size + np.arange(len(limit))
    table, data = coordinate_table(parts.coordinates)
    inverse = np.zeros((len(parts.kind), 9))
    for body in np.flatnonzero(moving).tolist():
        inverse[body] = np.linalg.inv(parts.inertia[body]).ravel()
    pieces_about = about(pieces.arrays, parts.center)
    far = np.where(pieces.arrays.kind == HALF_SPACE, np.inf, reach(pieces_about))
    extent = np.full(len(parts.kind), -np.inf)
    np.maximum.at(extent, pieces.arrays.body, far)
    scene = Scene(
        pieces.arrays,
        pieces_about,
        reach(pieces_about),
        thickness(pieces_about),
        np.concatenate([np.zeros(0, np.int64), *(np.array(o, np.int64) for o in pieces.of_body)]),
        np.cumsum([0, *map(len, pieces.of_body)]),
        extent,
        surface,
        material,
        law,
        code,
        constants,
        np.ascontiguousarray(parts.center[:-1]),
        inverse,
        free.astype(np.int64),
        group,
        starts,
        positions,
        loops,
        *_giving(filtered, group, starts),
        limit,
        limit_data,
        table,
        data,
    )
    return Stage(scene, filtered, moving, tuple(limited), stops, _size(pieces, moving))


def _size(pieces: PieceSource, moving: BoolArray) -> float:
    """Return the radius (m) of the sphere about the smallest piece that moves."""
    arrays = pieces.arrays
    mine = moving[arrays.body] & (arrays.kind < HALF_SPACE)
    return float(np.min(arrays.ball[mine, 3])) if np.any(mine) else 1.0


def _without(made: System, free: BoolArray) -> System:
    """Return the system with bodies in free flight left out of the elimination."""
    keep = ~free[made.tree[:, s.TREE_BODY]]
    position = np.cumsum(keep) - 1
    return made._replace(
        tree=np.ascontiguousarray(made.tree[keep]), path=position[made.path].astype(np.int64)
    )


def _groups(made: System, hinged: BoolArray) -> IntArray:
    """Return the number of each body's mechanism, ALONE for bodies without one."""
    root = list(range(len(hinged)))

    def top(body: int) -> int:
        while root[body] != body:
            body = root[body]
        return body

    for a, b in made.hinge_body.tolist():
        if a >= 0 and b >= 0 and hinged[a] and hinged[b]:
            root[top(a)] = top(b)
    group = np.full(len(hinged), ALONE, np.int64)
    numbers: dict[int, int] = {}
    for body in np.flatnonzero(hinged).tolist():
        group[body] = numbers.setdefault(top(body), len(numbers))
    return group


def _trees(made: System, group: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return where each mechanism's positions in the tree start, these, and which have loops."""
    count = int(np.max(group, initial=-1)) + 1
    own = group[made.tree[:, s.TREE_BODY]] if len(made.tree) else np.zeros(0, np.int64)
    lists = [np.flatnonzero(own == number) for number in range(count)]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
    positions = np.concatenate([np.zeros(0, np.int64), *lists]).astype(np.int64)
    loops = np.zeros(count, np.int64)
    for row in made.closure_row.tolist():
        while row >= 0:
            for body in made.row[row, s.BODY_A : s.BODY_B + 1].tolist():
                if body >= 0 and group[body] >= 0:
                    loops[group[body]] = 1
            row = int(made.row[row, s.NEXT])
    return starts, positions, loops


def _giving(made: System, group: IntArray, starts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the programs about joints, by mechanisms, where each begins, and columns of each."""
    lists: list[list[int]] = [[] for _ in starts[1:]]
    for f in np.flatnonzero(made.force_kind == s.AXIS).tolist():
        mine = {int(group[body]) for body in made.force_body[f].tolist() if body >= 0} - {STILL}
        read = made.code[made.force_code[f] : made.force_code[f + 1], 0]
        given = not np.isin(read, (LENGTH, SPEED)).any()
        if len(mine) == 1 and not given and made.force_data[f, s.FORCE_CONSTANTS + 1] != 1.0:
            lists[mine.pop()].append(f)
    counts = [len(each) for each in lists]
    sizes = np.repeat(np.diff(starts), counts)
    return (
        np.array([f for each in lists for f in each], np.int64),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
    )


def _surfaces(
    parts: Mechanism, contact: Contact | None, pieces: PieceSource
) -> tuple[IntArray, list[Surface]]:
    """Return the number (n, n) of what any two bodies do to each other, -1 for nothing, and what.

    Where a hinge holds two bodies together they overlap all the time.
    """
    bodies = tuple(parts.world.bodies.values())
    n, number = len(parts.kind), parts.index
    surface, surfaces = np.full((n, n), -1, np.int64), list[Surface]()
    if contact is None:
        return surface, surfaces
    held = [(number[h.body_a], number[h.body_b]) for h in parts.world.hinges.values()]
    one, other = np.array(held, np.int64).reshape(-1, 2).T
    made_of = np.zeros((n, len(MEETS)), bool)
    made_of[pieces.arrays.body, pieces.arrays.kind] = True
    meets = made_of.astype(int) @ MEETS @ made_of.T > 0
    meets[one, other] = meets[other, one] = False
    a, b = moving_pairs(parts.world, parts, contact.within).T
    a, b = a[meets[a, b]], b[meets[a, b]]
    kinds: dict[object, int] = {}
    kind = np.array([kinds.setdefault(material_of(body), len(kinds)) for body in bodies], np.int64)
    _, first, of = np.unique(kind[a] * n + kind[b], return_index=True, return_inverse=True)
    surfaces = [between(parts.world, bodies[a[k]], bodies[b[k]], contact) for k in first.tolist()]
    surface[a, b] = surface[b, a] = of
    return surface, surfaces


def _laws(surfaces: Sequence[Surface]) -> tuple[Array, IntArray, IntArray, Array]:
    """Return the pairs' materials (k, 5) as ``Scene.material``, and programs of those that have.

    Row k of the table (k, 4) says where the programs of friction and of restitution start and end
    in the code (m, 2) with its constants.
    """
    material = np.zeros((len(surfaces), 5))
    firm = min((min(each.stiffness, each.shear) for each in surfaces), default=1.0)
    law = np.zeros((len(surfaces), 4), np.int64)
    code: list[tuple[int, int]] = []
    constants: list[float] = []
    for k, surface in enumerate(surfaces):
        material[k, 2:] = surface.static, firm / surface.stiffness, firm / surface.shear
        for column, said in ((0, surface.friction), (1, surface.restitution)):
            law[k, 2 * column] = len(code)
            if isinstance(said, tuple):
                for name, value in said:
                    code.append((OPERATIONS.get(name, CONSTANT), len(constants)))
                    constants.append(value)
            else:
                material[k, column] = said
            law[k, 2 * column + 1] = len(code)
    return material, law, np.array(code, np.int64).reshape(-1, 2), np.array(constants, float)


def _limits(
    parts: Mechanism,
) -> tuple[IntArray, Array, tuple[tuple[Stop, Stop], ...], Sequence[tuple[int, int]]]:
    """Return the coordinates that have bounds, these with restitution, both limits, bodies."""
    rows: list[tuple[int, int]] = []
    bounds: list[tuple[float, float, float]] = []
    stops: list[tuple[Stop, Stop]] = []
    pairs: list[tuple[int, int]] = []
    coordinates = parts.coordinates
    count = [0] * len(parts.hinges)
    for number, hinge in enumerate(coordinates.hinge.tolist()):
        of = parts.hinges[hinge]
        limits = of.limits
        place = count[hinge]
        count[hinge] += 1
        if place >= len(limits) or not np.any(np.isfinite(limits[place])):
            continue
        rows.append((number, 0))
        bounds.append((*limits[place], of.restitution))
        name, (low, high) = of.kind.coordinates[place], limits[place]
        stops.append((Stop(of, hinge, name, low, True), Stop(of, hinge, name, high, False)))
        pairs.append((int(coordinates.body_a[number]), int(coordinates.body_b[number])))
    return (
        np.array(rows, np.int64).reshape(-1, 2),
        np.array(bounds, float).reshape(-1, 3),
        tuple(stops),
        pairs,
    )


SHEET = 1e-3
"""Least thickness, as a share of the radius of the ball that holds a piece."""


def thickness(pieces: Pieces) -> Array:
    """Return the thickness of pieces (p,), m: their least width across faces, walls and caps.

    Of a hollow wall it is that of the material; endless pieces, rims and probes have inf.
    """
    out = np.full(len(pieces.kind), np.inf)
    for i, kind in enumerate(pieces.kind.tolist()):
        if kind == POLYTOPE:
            width = _width(pieces, i) + 2.0 * float(pieces.radius[i])
        elif kind == ROUND:
            back, front, half = pieces.size[i].tolist()
            width = 2.0 * min(max(back, front), half)
        elif kind == HOLLOW:
            width = float(pieces.size[i, 1])
        elif kind == LINE:
            width = 2.0 * float(pieces.radius[i])
        else:
            continue
        out[i] = max(width, SHEET * float(pieces.ball[i, 3]))
    return out


def _width(pieces: Pieces, i: int) -> float:
    """Return the least extent (m) of a polytope along its faces' normals; 0 without faces."""
    vertices = pieces.vertices[pieces.vertex_start[i] : pieces.vertex_start[i + 1]]
    normals = pieces.normals[pieces.face_start[i] : pieces.face_start[i + 1]]
    if not len(normals):
        return 0.0
    return float(np.min(np.ptp(vertices @ normals.T, axis=0)))
