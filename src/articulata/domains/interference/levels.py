"""Levels that a world's author gave bodies: shapes about them that are tested before they are.

Level k of two bodies is compared; a body that has none, or fewer, takes its last one, or the cuboid
about it. A pair whose shapes are apart on any level is let go. Body axes B, metres.

Pairs of pieces of the pairs of bodies that are tested.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from articulata.errors import ModelError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.convex_pieces.piece_table import PieceTable, piece_table
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import Cuboid, Placed, Shape, Sphere
from articulata.kernels.contacts.patches import separations
from articulata.kernels.contacts.pieces import HALF_SPACE, MEETS, ROUND, stand, standing
from articulata.world.model import Body, World

OUTSIDE = 1e-9
"""How far a body may stand out of a level, relative to its size, by rounding."""

ROUNDABOUT = 24
"""Points of a rim that are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenLevels:
    """One table of pieces for each level, and the pairs of bodies that are compared there.

    ``pairs[k]`` (m, 2) are pairs of pieces on level k, ``owner[k]`` (m,) their pairs of bodies.
    ``tally`` (levels, 2) counts tested pairs of bodies and those that were too near to be let go.
    """

    tables: tuple[PieceTable, ...]
    pairs: tuple[IntArray, ...]
    owner: tuple[IntArray, ...]
    tally: IntArray

    def near(self, poses: Array, margin: float, count: int) -> BoolArray:
        """Return which of ``count`` pairs of bodies are within ``margin`` m on all levels."""
        left = np.ones(count, bool)
        for k, (table, pairs, owner) in enumerate(
            zip(self.tables, self.pairs, self.owner, strict=True)
        ):
            asked = left[owner]
            if not asked.any():
                continue
            now = standing(table.arrays)
            stand(table.arrays, poses, now)
            out = np.zeros((int(asked.sum()), 4))
            separations(table.arrays, now, np.ascontiguousarray(pairs[asked]), out)
            tested = np.unique(owner[asked])
            gaps = np.full(count, np.inf)
            np.minimum.at(gaps, owner[asked], out[:, 0])
            left[tested] = gaps[tested] <= margin
            self.tally[k] += (len(tested), int(left[tested].sum()))
        return left


def given_levels(world: World, own: PieceTable, pairs: list[tuple[int, int]]) -> GivenLevels | None:
    """Return the levels that bodies of ``world`` were given, or None where none was."""
    bodies = tuple(world.bodies.values())
    most = max((len(body.levels or ()) for body in bodies), default=0)
    if not most:
        return None
    tables: list[PieceTable] = []
    chosen: list[IntArray] = []
    owners: list[IntArray] = []
    for k in range(most):
        shapes = [_shape(body, own, b, k) for b, body in enumerate(bodies)]
        table = piece_table(shapes)
        for b, body in enumerate(bodies):
            if len(body.levels or ()) > k:
                _check_holds(table, own, b, body, k)
        asked = [
            n
            for n, (a, b) in enumerate(pairs)
            if max(len(bodies[a].levels or ()), len(bodies[b].levels or ())) > k
        ]
        rows = [(n, piece_pairs(table, [pairs[n]])) for n in asked]
        chosen.append(np.concatenate([np.zeros((0, 2), np.int64), *(r for _, r in rows)]))
        owners.append(np.repeat([n for n, _ in rows], [len(r) for _, r in rows]).astype(np.int64))
        tables.append(table)
    return GivenLevels(tuple(tables), tuple(chosen), tuple(owners), np.zeros((most, 2), np.int64))


def _shape(body: Body, own: PieceTable, b: int, k: int) -> Shape | None:
    """Return the shape of a body on level k: its own level, its last one, or its cuboid."""
    if body.levels:
        return body.levels[min(k, len(body.levels) - 1)]
    pieces, arrays = own.of_body[b], own.arrays
    if not pieces:
        return None
    if any(arrays.kind[i] == HALF_SPACE for i in pieces):
        return body.shape
    low = np.min([arrays.box[i, :3] - arrays.box[i, 3:] for i in pieces], axis=0)
    high = np.max([arrays.box[i, :3] + arrays.box[i, 3:] for i in pieces], axis=0)
    return Placed(Cuboid(*(high - low)), make_pose(Rotation.identity(), 0.5 * (low + high)))


def _check_holds(table: PieceTable, own: PieceTable, b: int, body: Body, k: int) -> None:
    """Refuse a level that the body stands out of: contacts would be missed."""
    where = f"{body.span}: body '{body.id}': level {k + 1} of its interference"
    if not table.of_body[b]:
        raise ModelError(f"{where} is too complicated for a level; give a simpler shape")
    points = _extremes(own, b)
    if points is None:
        raise ModelError(f"{where} cannot hold an endless body; leave the levels out")
    size = float(own.reach[b])
    assert body.levels is not None
    level = body.levels[k]
    hulls = [table.hulls[i] for i in table.of_body[b]]
    for p, radius in points:
        off = _outside(level, p)
        if off + (radius if len(hulls) == 1 else 0.0) > OUTSIDE * size:
            raise ModelError(
                f"{where} does not hold the body: the point ({p[0]:.6g}, {p[1]:.6g}, {p[2]:.6g}) m "
                f"stands out by {off + radius:.3g} m; make the level larger"
            )


def _outside(level: Shape, p: Array) -> float:
    """Return how far a point lies outside a shape, negative inside it."""
    probe = Placed(Sphere(1e-12), make_pose(Rotation.identity(), p))
    table = piece_table([level, probe])
    pairs = piece_pairs(table, [(0, 1)])
    now, out = standing(table.arrays), np.zeros((len(pairs), 4))
    stand(table.arrays, np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1)), now)
    separations(table.arrays, now, pairs, out)
    return float(np.min(out[:, 0]))


def _extremes(own: PieceTable, b: int) -> list[tuple[Array, float]] | None:
    """Return points of a body with a radius about them whose hull is the body's; None: endless."""
    found: list[tuple[Array, float]] = []
    for i in own.of_body[b]:
        hull = own.hulls[i]
        if hull.kind == HALF_SPACE:
            return None
        if hull.kind > HALF_SPACE:
            continue
        if hull.kind != ROUND:
            found += [(p, hull.radius) for p in hull.vertices]
            continue
        a = np.array(hull.axis)
        x = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        x = x / np.linalg.norm(x)
        y = np.cross(a, x)
        for radius, z in ((hull.size[0], -hull.size[2]), (hull.size[1], hull.size[2])):
            for turn in 2 * np.pi * np.arange(ROUNDABOUT) / ROUNDABOUT:
                rim = radius * (np.cos(turn) * x + np.sin(turn) * y)
                found.append((hull.vertices[0] + z * a + rim, 0.0))
    return found


def piece_pairs(table: PieceTable, pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Return the pairs of pieces (k, 2) of pairs of bodies."""
    kind = table.arrays.kind
    found = [(i, j) for a, b in pairs for i in table.of_body[a] for j in table.of_body[b]]
    rows = np.array(found, np.int64).reshape(-1, 2)
    return rows[MEETS[kind[rows[:, 0]], kind[rows[:, 1]]]]
