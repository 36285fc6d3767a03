"""Separations of shapes by their support functions alone, for tests.

How far a shape reaches along a unit vector is a formula of its sizes. Minus the sum of two such
reaches is the separation along that vector; the largest of them is sought by dense samples and by
steps from the best ones, without a word of edges, rims or walls. Metres.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    Prism,
    Shape,
    Sphere,
)

STARTS = 8
"""Sampled directions, far from each other, that are followed uphill."""


def reach(shape: Shape, n: Array) -> Array:
    """Return how far a shape reaches along directions (..., 3) in its own axes."""
    up, across = np.abs(n[..., 2]), np.hypot(n[..., 0], n[..., 1])
    match shape:
        case Sphere(radius):
            return radius * np.linalg.norm(n, axis=-1)
        case Capsule(radius, length):
            return radius * np.linalg.norm(n, axis=-1) + 0.5 * length * up
        case Cuboid(x, y, z):
            return 0.5 * (np.abs(n) @ np.array([x, y, z]))
        case Cylinder(radius, length):
            return radius * across + 0.5 * length * up
        case Cone(radius, length, top):
            along = 0.5 * length * n[..., 2]
            return np.maximum(radius * across - along, top * across + along)
        case Prism(sides, radius, length):
            turn = 2 * np.pi * np.arange(sides) / sides
            corners = radius * np.stack([np.cos(turn), np.sin(turn)])
            return np.max(n[..., :2] @ corners, axis=-1) + 0.5 * length * up
        case ExtrudedPolygon(points, length):
            return np.max(n[..., :2] @ np.array(points).T, axis=-1) + 0.5 * length * up
        case _:
            raise AssertionError(shape)


class Pairs:
    """Two shapes at many pairs of poses (m, 2, 7)."""

    def __init__(self, a: Shape, b: Shape, poses: Array) -> None:
        self.shapes = (a, b)
        self.turns = [Rotation.from_quaternion(poses[:, k, 3:]).to_matrix() for k in (0, 1)]
        self.way = poses[:, 0, :3] - poses[:, 1, :3]

    def along(self, n: Array) -> Array:
        """Return the separations (m, k) along unit vectors (m, k, 3) from b to a."""
        below = reach(self.shapes[0], -n @ self.turns[0])
        above = reach(self.shapes[1], n @ self.turns[1])
        return np.einsum("mki,mi->mk", n, self.way) - below - above

    def largest(self, rng: np.random.Generator, known: Array, samples: int, steps: int) -> Array:
        """Return the largest separations (m,) found, ``known`` (m, 3) among the directions."""
        k = np.arange(samples) + 0.5
        z, turn = 1.0 - 2.0 * k / samples, np.pi * (1.0 + np.sqrt(5.0)) * k
        rho = np.sqrt(1.0 - z * z)
        sphere = np.stack([rho * np.cos(turn), rho * np.sin(turn), z], axis=1)
        m = len(self.way)
        values = self.along(np.broadcast_to(sphere, (m, samples, 3)))
        starts = [known]
        for _ in range(STARTS):
            best = sphere[np.argmax(values, axis=1)]
            starts.append(best)
            values = np.where(best @ sphere.T > 0.93, -np.inf, values)
        n = np.stack(starts, axis=1)
        value, step = self.along(n), np.full(n.shape[:2], 0.1)
        step[:, 0] = 0.01
        for _ in range(steps):
            x = np.cross(n, rng.normal(size=n.shape))
            x /= np.linalg.norm(x, axis=-1, keepdims=True)
            y = np.cross(n, x)
            better = np.zeros_like(step, dtype=bool)
            base = n
            for turned in np.linspace(0.0, 2.0 * np.pi, 5)[:-1]:
                other = base + step[..., None] * (np.cos(turned) * x + np.sin(turned) * y)
                other /= np.linalg.norm(other, axis=-1, keepdims=True)
                there = self.along(other)
                rises = there > value
                n, value = np.where(rises[..., None], other, n), np.where(rises, there, value)
                better |= rises
            step = np.where(better, 1.1 * step, 0.7 * step)
        return np.asarray(value.max(axis=1))
