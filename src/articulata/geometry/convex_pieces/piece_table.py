"""The pieces of a world's bodies in the kernels' arrays, and the names of their features."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.hull import Hull
from articulata.geometry.convex_pieces.hulls import hulls
from articulata.geometry.convex_pieces.open_surfaces import pieces_with_surfaces
from articulata.geometry.convex_pieces.round_hollows import probes
from articulata.geometry.shapes import Shape
from articulata.kernels.contacts.patches import CORNER, EDGE
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    HOLLOW,
    PROBE,
    RIM,
    ROUND,
    Pieces,
)

ENDLESS = 1e150
"""Radius and half edge that stand for a half-space's, m: their squares are finite."""

CORNER_SIZE = 1e-3
"""Radius (m) of the sphere about a corner that meets a hollow wall."""


@dataclass(frozen=True, slots=True, eq=False)
class PieceTable:
    """Pieces of bodies: ``arrays`` for the kernels, the ``hulls`` they were made of.

    ``of_body[b]`` are the numbers of body b's pieces; ``untested`` bodies have shapes that are no
    union of convex pieces; ``reach`` (n,) is how far a body's pieces reach from its origin (m).
    """

    arrays: Pieces = field(repr=False)
    hulls: tuple[Hull, ...] = field(repr=False)
    of_body: tuple[tuple[int, ...], ...]
    untested: tuple[int, ...]
    reach: Array

    def name(self, piece: int, kind: int, index: int) -> str:
        """Return the name of a feature by its kind and number as the kernels give them."""
        hull = self.hulls[piece]
        if kind == CORNER:
            return hull.corner_names[index]
        return (hull.edge_names if kind == EDGE else hull.face_names)[index]


def piece_table(shapes: Sequence[Shape | None], *, surfaces: bool = False) -> PieceTable:
    """Return the pieces of bodies with these shapes; with ``surfaces`` meshes may be open."""
    made: list[tuple[Hull, ...]] = []
    untested: list[int] = []
    for number, shape in enumerate(shapes):
        cut = pieces_with_surfaces if surfaces else hulls
        own = () if shape is None else cut(shape)
        if own is None:
            untested.append(number)
        made.append(own or ())
    hollow = [any(hull.kind == HOLLOW for hull in own) for own in made]
    if any(hollow):
        # a body that is alone hollow meets no other's walls
        other = [any(hollow[:k]) or any(hollow[k + 1 :]) for k in range(len(made))]
        made = [
            (*own, *probes(own)) if meets and not mine else own
            for own, mine, meets in zip(made, hollow, other, strict=True)
        ]
    found = [hull for own in made for hull in own]
    body = [number for number, own in enumerate(made) for _ in own]
    ends = np.cumsum([0, *(len(own) for own in made)]).tolist()
    of_body = [tuple(range(a, b)) for a, b in itertools.pairwise(ends)]
    arrays = _packed(found, body)
    reach = np.zeros(len(shapes))
    np.maximum.at(
        reach, arrays.body, np.linalg.norm(arrays.ball[:, :3], axis=1) + arrays.ball[:, 3]
    )
    return PieceTable(arrays, tuple(found), tuple(of_body), tuple(untested), reach)


def _packed(found: Sequence[Hull], body: Sequence[int]) -> Pieces:
    def starts(counts: Sequence[int]) -> IntArray:
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    rings = [ring for hull in found for ring in hull.rings]
    empty = np.zeros((0, 3))
    bounds = [_bounds(hull) for hull in found]
    return Pieces(
        kind=np.array([h.kind for h in found], np.int64),
        body=np.array(body, np.int64),
        ball=np.array([ball for ball, _ in bounds]).reshape(-1, 4),
        box=np.array([box for _, box in bounds]).reshape(-1, 6),
        radius=np.array([h.radius for h in found], float),
        axis=np.array([h.axis for h in found], float).reshape(-1, 3),
        size=np.array([h.size for h in found], float).reshape(-1, 3),
        vertex_start=starts([len(h.vertices) for h in found]),
        vertices=np.ascontiguousarray(np.concatenate([empty, *(h.vertices for h in found)])),
        edge_start=starts([len(h.edges) for h in found]),
        edges=np.ascontiguousarray(
            np.concatenate([np.zeros((0, 4), np.int64), *(h.edges for h in found)])
        ),
        face_start=starts([len(h.normals) for h in found]),
        normals=np.ascontiguousarray(np.concatenate([empty, *(h.normals for h in found)])),
        ring_start=starts([len(ring) for ring in rings]),
        ring=np.array([k for ring in rings for k in ring], np.int64),
    )


@functools.lru_cache(maxsize=4096)
def _bounds(hull: Hull) -> tuple[Array, Array]:
    """Return the ball (4,) and the cuboid (6,) about a piece."""
    if hull.kind == HALF_SPACE:
        p = hull.vertices[0]
        return np.append(p, ENDLESS), np.concatenate([p, np.full(3, ENDLESS)])
    if hull.kind in (HOLLOW, RIM):
        return _about_wall(hull)
    if hull.kind == PROBE and hull.size[0] == 0.0 and hull.radius == 0.0:
        # a corner has no size; what is said of shares of it has to be above rounding
        p = hull.vertices[0]
        return np.append(p, CORNER_SIZE), np.append(p, np.zeros(3))
    if hull.kind == ROUND or (hull.kind == PROBE and hull.size[0] > 0.0):
        c, a = hull.vertices[0], np.array(hull.axis)
        back, front, half = hull.size
        across = np.sqrt(np.maximum(0.0, 1.0 - a * a))
        ends = [(c - half * a, back), (c + half * a, front)]
        low = np.min([p - r * across for p, r in ends], axis=0)
        high = np.max([p + r * across for p, r in ends], axis=0)
        far = float(np.hypot(half, max(back, front)))
        return np.append(c, far), np.concatenate([0.5 * (low + high), 0.5 * (high - low)])
    low = hull.vertices.min(axis=0) - hull.radius
    high = hull.vertices.max(axis=0) + hull.radius
    middle = 0.5 * (low + high)
    far = float(np.max(np.linalg.norm(hull.vertices - middle, axis=1))) + hull.radius
    return np.append(middle, far), np.concatenate([middle, 0.5 * (high - low)])


def _about_wall(hull: Hull) -> tuple[Array, Array]:
    c, a = hull.vertices[0], np.array(hull.axis)
    R = hull.size[0] + hull.size[1]
    half = 0.0
    if hull.kind == HOLLOW and not hull.edges[0, 0]:
        ends = hull.vertices[2:] - c
        c, half = (
            c + ends.mean(axis=0),
            0.5 * float(np.linalg.norm(ends[0] - ends[1])) + hull.size[1],
        )
    across = np.sqrt(np.maximum(0.0, 1.0 - a * a))
    box = half * np.abs(a) + R * across
    if hull.kind == HOLLOW and hull.edges[0, 0]:
        box = np.full(3, R)
    return np.append(c, np.hypot(half, R)), np.append(c, box)
