"""Which links of a figure are never tested against each other for contact.

Neighbours along the tree, links without a shape between them passed over, and pairs that overlap
or touch in the neutral posture. Every other pair of a figure's links may collide.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.convex import Piece, gap_between, pieces_of
from articulata.geometry.parts import Part, parts_of
from articulata.geometry.shapes import HalfSpace, Mesh, Shape
from articulata.world.figures.derivation import pose_of_matrix
from articulata.world.figures.nodes import FigureNode
from articulata.world.figures.trees import link_poses, link_tree
from articulata.world.model import Body, Hinge
from articulata.world.values import Pose

TOUCHING = 1e-6
"""Links nearer than this (m) in the neutral posture are left out."""


def untested_links(
    node: FigureNode, bodies: Mapping[str, Body], hinges: Mapping[str, Hinge]
) -> frozenset[tuple[str, str]]:
    """Return the pairs of ids of a figure's bodies that are never tested against each other."""
    tree = link_tree(node)
    if tree is None:
        return frozenset()
    before = {hinges[id].body_a: hinges[id].body_b for id in node.joined if id in hinges}
    shaped = [id for id in node.carriers if id in bodies and bodies[id].shape is not None]
    pairs = set()
    for id in shaped:
        parent = before.get(id)
        while parent is not None and bodies[parent].shape is None:
            parent = before.get(parent)
        if parent is not None:
            pairs.add((id, parent))
    poses = {row.name: X for row, X in zip(tree.rows, link_poses(tree, {}), strict=True)}
    standing = tuple(
        (bodies[id].shape, pose_of_matrix(poses[joint]) if joint else Pose())
        for id in shaped
        for joint in (node.carriers[id],)
    )
    return frozenset(pairs | {(shaped[i], shaped[k]) for i, k in _overlaps(standing)})


@lru_cache(maxsize=64)
def _overlaps(standing: tuple[tuple[Shape, Pose], ...]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of placed shapes that overlap or touch."""
    solids = [_pieces(shape, pose.matrix()) for shape, pose in standing]
    boxes = [_box(pieces) for pieces in solids]
    found = []
    for i, a in enumerate(solids):
        for k in range(i):
            low = np.maximum(boxes[i][0], boxes[k][0])
            high = np.minimum(boxes[i][1], boxes[k][1])
            if np.all(low <= high + TOUCHING) and any(
                gap_between(p, q).distance <= TOUCHING for p in a for q in solids[k]
            ):
                found.append((i, k))
    return tuple(found)


def _pieces(shape: Shape, X_FB: Array) -> list[Piece]:
    """Return convex pieces that hold a shape, a mesh by its hull."""
    found: list[Piece] = []
    for part in parts_of(shape):
        if part.hollow or isinstance(part.shape, HalfSpace):
            continue
        placed = Part(part.path, part.shape, X_FB @ part.X_BS, False)
        if isinstance(part.shape, Mesh):
            corners = part.shape.vertices @ placed.X_BS[:3, :3].T + placed.X_BS[:3, 3]
            found.append(_hull(corners))
        else:
            found += pieces_of(placed)
    return found


def _hull(corners: Array) -> Piece:
    return Piece(lambda d: np.asarray(corners[int(np.argmax(corners @ d))]), 0.0)


def _box(pieces: list[Piece]) -> tuple[Array, Array]:
    """Return the corners of the box about pieces, along the axes."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for piece in pieces:
        for axis, d in enumerate(np.eye(3)):
            high[axis] = max(high[axis], piece.support(d)[axis] + piece.margin)
            low[axis] = min(low[axis], piece.support(-d)[axis] - piece.margin)
    return low, high
