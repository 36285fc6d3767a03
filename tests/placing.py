"""Poses of shapes and what the interference kernels say of them, for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.piece_table import PieceTable, piece_table
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import Shape
from articulata.kernels.contacts.patches import separations
from articulata.kernels.contacts.pieces import stand, standing


def random_poses(rng: np.random.Generator, count: int, spread: float) -> Array:
    """Return rows (x, y, z, qw, qx, qy, qz), places normal about the origin."""
    q = rng.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return np.concatenate([spread * rng.normal(size=(count, 3)), q], axis=1)


def matrix(row: Array) -> Array:
    """Return a row as a (4, 4) pose."""
    return make_pose(Rotation.from_quaternion(row[3:]), row[:3])


def all_separations(table: PieceTable, poses: Array, pairs: IntArray) -> Array:
    """Return gaps and normals (k, 4) of pairs of pieces."""
    now = standing(table.arrays)
    stand(table.arrays, poses, now)
    out = np.zeros((len(pairs), 4))
    separations(table.arrays, now, np.ascontiguousarray(pairs, np.int64), out)
    return out


def separation_of(a: Shape, b: Shape, poses: Array) -> tuple[float, Array]:
    """Return the separation of two shapes of one piece each, and the normal from b to a."""
    out = all_separations(piece_table([a, b]), poses, np.array([[0, 1]]))
    return float(out[0, 0]), out[0, 1:]


def rows(*poses: Array) -> Array:
    """Return (4, 4) poses as rows."""
    return np.array(
        [np.append(X[:3, 3], Rotation.from_matrix(X[:3, :3]).to_quaternion()) for X in poses]
    )


def random_turns(rng: np.random.Generator, count: int) -> Sequence[Array]:
    """Return rotation matrices."""
    return [
        Rotation.from_quaternion(q / np.linalg.norm(q)).to_matrix()
        for q in rng.normal(size=(count, 4))
    ]
