"""Distances of two features as smooth functions of where their bodies are.

With the nearest points a and b and the unit normal n from B to A, the gap grows at
n . (velocity of A at a - velocity of B at b), as the gap is stationary in both points.
Poses (n, 7) and velocities (n, 6) as in ``domains.protocols.Gap``. World axes, metres.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.convex_pieces.piece_table import PieceTable
from articulata.geometry.quaternion import q_to_matrix
from articulata.kernels.contacts import patches as kernels
from articulata.kernels.contacts.pieces import stand, standing

Nearest = tuple[float, Array, Array, Array]
"""Gap, normal from B to A, and the nearest points of A and of B."""


def _place(poses: Array, body: int, p: Array) -> Array:
    return np.asarray(q_to_matrix(poses[body, 3:]) @ p + poses[body, :3])


@dataclass(frozen=True, slots=True, eq=False)
class _Gap(ABC):
    """The gap of two bodies, A and B of ``bodies``, by where they are nearest."""

    bodies: tuple[int, int]

    @abstractmethod
    def _nearest(self, poses: Array) -> Nearest:
        """Return the gap and where it is."""

    def value(self, poses: Array) -> float:
        """Return the gap (m)."""
        return self._nearest(poses)[0]

    def rate(self, poses: Array, velocities: Array) -> float:
        """Return how fast it grows (m/s)."""
        _, n, a, b = self._nearest(poses)
        speed = 0.0
        for body, point, sign in ((self.bodies[0], a, 1.0), (self.bodies[1], b, -1.0)):
            arm = point - poses[body, :3]
            speed += sign * float(n @ (velocities[body, :3] + np.cross(velocities[body, 3:], arm)))
        return speed


@dataclass(frozen=True, slots=True, eq=False)
class HeightGap(_Gap):
    """A point of body A, with a radius about it, over a plane of body B: signed and linear."""

    point: Array
    radius: float
    origin: Array
    normal: Array

    def _nearest(self, poses: Array) -> Nearest:
        n = q_to_matrix(poses[self.bodies[1], 3:]) @ self.normal
        center = _place(poses, self.bodies[0], self.point)
        height = float(n @ (center - _place(poses, self.bodies[1], self.origin)))
        return height - self.radius, n, center - self.radius * n, center - height * n


@dataclass(frozen=True, slots=True, eq=False)
class LineGap(_Gap):
    """The distance of two straight lines less ``size``, signed by the side they pass each other."""

    lines: tuple[Array, Array]
    size: float
    side: float

    def _nearest(self, poses: Array) -> Nearest:
        (p, e), (q, g) = (
            (_place(poses, body, line[0]), q_to_matrix(poses[body, 3:]) @ (line[1] - line[0]))
            for body, line in zip(self.bodies, self.lines, strict=True)
        )
        m = np.cross(e, g)
        n = self.side * m / np.linalg.norm(m)
        s, t = np.linalg.lstsq(np.stack([e, -g], axis=1), q - p, rcond=None)[0]
        a, b = p + s * e, q + t * g
        return float(n @ (p - q)) - self.size, n, a, b


@dataclass(frozen=True, slots=True, eq=False)
class PieceGap(_Gap):
    """The separation of two convex pieces: smooth while the same features face each other."""

    table: PieceTable
    pair: tuple[int, int]

    def _nearest(self, poses: Array) -> Nearest:
        arrays = self.table.arrays
        now = standing(arrays)
        stand(arrays, poses, now)
        out = np.zeros((1, 4))
        kernels.separations(arrays, now, np.array([self.pair], np.int64), out)
        gap, n = float(out[0, 0]), out[0, 1:].copy()
        row, points = np.zeros(7, np.int64), np.zeros((kernels.MOST, 3))
        work, gaps = np.zeros((4, kernels.MOST, 3)), np.zeros(kernels.MOST)
        kernels.patch(arrays, now, *self.pair, gap, tuple(n.tolist()), 0.0, work, row, points, gaps)
        at = points[: row[kernels.COUNT]].mean(axis=0)
        return gap, n, at + 0.5 * gap * n, at - 0.5 * gap * n
