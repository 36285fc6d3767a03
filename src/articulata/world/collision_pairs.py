"""Which bodies of a world are tested against each other: the one place that says so.

Never tested: pairs the world ignores, pairs of bodies that are both fixed, bodies without a shape
and bodies that say ``interference: none``. Left out unless they are asked for: neighbours in a
hinge, and bodies of one mechanism, which hinges join to one another or hang on a body at rest.
Links of a figure are a rule of their own (``figures.touching_links``): a robot may strike itself
and the table it is bolted to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.convex import Piece, gap_between, pieces_of
from articulata.geometry.parts import Part, parts_of
from articulata.geometry.shapes import HalfSpace, Mesh, Shape
from articulata.world.figures.derivation import pose_of_matrix
from articulata.world.figures.nodes import FigureNode
from articulata.world.figures.trees import link_poses, link_tree
from articulata.world.model import Body, Hinge, World
from articulata.world.values import Pose


def meeting_pairs(
    world: World, without: Iterable[int] = (), *, neighbours: bool = False, within: bool = True
) -> IntArray:
    """Return the pairs (k, 2) of numbers of bodies that are tested, in the world's order.

    ``without`` are bodies left out; ``neighbours``: those that a hinge joins are tested as well;
    ``within``: so are bodies of one mechanism.
    """
    bodies = tuple(world.bodies.values())
    left_out = set(without)
    shaped = np.array(
        [
            k
            for k, b in enumerate(bodies)
            if b.shape is not None and b.levels is not None and k not in left_out
        ],
        np.int64,
    )
    if len(shaped) < 2:
        return np.zeros((0, 2), np.int64)
    fixed = np.array([b.motion == "fixed" for b in bodies])
    number = {name: k for k, name in enumerate(world.bodies)}
    links = {id for node in world.figures.values() for id in node.carriers}
    joined = [(number[h.body_a], number[h.body_b]) for h in world.hinges.values()]
    if not within and not joined and bool(np.all(fixed[shaped])):
        return np.zeros((0, 2), np.int64)
    harmless = [tuple(number[name] for name in pair) for pair in world.ignored]
    if not neighbours:
        harmless += joined
    for node in world.figures.values():
        if node.carriers:
            pairs = untested_links(node, world.bodies, world.hinges)
            harmless += [(number[a], number[b]) for a, b in pairs]
    # squares of truth values are quicker than lists of all pairs
    tested = np.zeros(len(bodies), bool)
    tested[shaped] = True
    keep = np.triu(tested[:, None] & tested & ~(fixed[:, None] & fixed), 1)
    ends = np.array([pair for pair in harmless if len(pair) == 2], np.int64).reshape(-1, 2)
    keep[ends[:, 0], ends[:, 1]] = keep[ends[:, 1], ends[:, 0]] = False
    if not within:
        apart = [
            (number[h.body_a], number[h.body_b])
            for h in world.hinges.values()
            if h.body_a not in links and h.body_b not in links
        ]
        keep &= ~_of_one_mechanism(apart, _at_rest(world))
    return np.ascontiguousarray(np.argwhere(keep))


def _at_rest(world: World) -> BoolArray:
    """Tell which bodies stay where they are: neither forces nor a control move them."""
    driven = {drive.target for drive in world.drives.values() if drive.kind == "acceleration"}
    return np.array(
        [
            b.id not in driven
            and b.motion != "prescribed"
            and (b.motion == "fixed" or not b.dynamic)
            for b in world.bodies.values()
        ]
    )


def _of_one_mechanism(joined: Iterable[tuple[int, int]], fixed: BoolArray) -> BoolArray:
    """Tell of any two bodies (n, n) whether hinges join them, directly or by others, or one hangs.

    Bodies that never move join nothing, and what hangs on a wall does not strike it.
    """
    group = np.arange(len(fixed)).tolist()
    rests = fixed.tolist()

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return int(k)

    for a, b in joined:
        if not rests[a] and not rests[b]:
            group[root(a)] = root(b)
    group = [root(k) for k in range(len(group))]
    hung = np.zeros((len(group), len(group)), bool)
    for a, b in joined:
        if rests[a]:
            hung[a, group[b]] = True
        if rests[b]:
            hung[b, group[a]] = True
    of = np.array(group, np.int64)
    hangs = hung[:, of]
    return np.asarray((of[:, None] == of) | hangs | hangs.T)


# ---- which links of a figure are never tested against each other for contact
#
# Neighbours along the tree, links without a shape between them passed over, and pairs that overlap
# or touch in the neutral posture. Every other pair of a figure's links may collide.


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
