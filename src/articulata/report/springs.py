"""Springs as they are drawn: a wire of straight pieces that is bent to and fro between two points.

No piece changes its length, so that a longer spring is a narrower one, as in a drawing on paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_rotate
from articulata.geometry.shapes import Cylinder
from articulata.report.colors import Color
from articulata.world.body_features import feature_of
from articulata.world.model import FeatureRef, World
from articulata.world.program_stack import affine

BENDS: Final = 12
PIECES: Final = BENDS + 2
"""Pieces of a wire: one from bend to bend and half a one at each end."""

COLOR: Final[Color] = (118, 126, 138)
WIDTH, THICKNESS = 0.14, 0.008
"""Width at the greatest length, and radius of the wire, as shares of that length."""


@dataclass(frozen=True, slots=True)
class Spring:
    """A spring from point ``p_AP`` of ``body_a`` to ``p_BQ`` of ``body_b``, (3,) m in their frames.

    Equal are those of one force, whatever an event has made of it.
    """

    force: str
    body_a: str = field(compare=False)
    body_b: str = field(compare=False)
    p_AP: Array = field(compare=False)
    p_BQ: Array = field(compare=False)

    def ends(self, poses: Array, numbers: Mapping[str, int]) -> tuple[Array, Array]:
        """Return its ends (n, 3) m for poses (n, bodies, 7) of bodies by ``numbers``."""
        p, q = (
            X[:, :3] + q_rotate(X[:, 3:], np.broadcast_to(point, (len(X), 3)))
            for X, point in (
                (poses[:, numbers[self.body_a]], self.p_AP),
                (poses[:, numbers[self.body_b]], self.p_BQ),
            )
        )
        return p, q


def springs_of(world: World) -> tuple[Spring, ...]:
    """Return the linear springs between two points of a world."""
    found = []
    for force in world.forces.values():
        if force.kind != "between" or force.features is None or len(force.features) != 2:
            continue
        law = affine(force)
        if law is not None and law.stiffness > 0.0:
            a, b = force.features
            found.append(Spring(force.id, a.body, b.body, _point(world, a), _point(world, b)))
    return tuple(found)


def _point(world: World, ref: FeatureRef) -> Array:
    return np.array(feature_of(world.bodies[ref.body], ref.feature).pose.position)


def pieces(reach: float) -> tuple[Cylinder, Cylinder]:
    """Return a piece and half a piece of the wire of a spring of greatest length ``reach`` m."""
    length = reach * float(np.hypot(1.0 / (BENDS + 1), WIDTH))
    return Cylinder(THICKNESS * reach, length), Cylinder(THICKNESS * reach, 0.5 * length)


def is_half(piece: int) -> bool:
    """Return whether a piece is half as long as the others."""
    return piece in (0, PIECES - 1)


def bent(p: Array, q: Array, reach: Array, ahead: Array, up: Array) -> Array:
    """Return poses (n, PIECES, 7) of wires from ``p`` to ``q`` (n, 3) m, their axes along z.

    ``reach`` (n,) m are their greatest lengths. They are bent across ``ahead``, the direction to
    who looks, or across ``up`` where they lie along it, so that they are seen from there.
    """
    along = q - p
    length = np.linalg.norm(along, axis=1, keepdims=True)
    e = along / np.maximum(length, 1e-300)
    across = np.cross(ahead, e)
    flat = np.linalg.norm(across, axis=1, keepdims=True) < 0.1
    across = np.where(flat, np.cross(up, e), across)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    step = length / (BENDS + 1)
    wide = np.hypot(reach[:, None] / (BENDS + 1), WIDTH * reach[:, None])
    half = 0.5 * np.sqrt(np.maximum(wide**2 - step**2, 0.0))
    share = np.concatenate([[0.0], np.arange(BENDS + 1) + 0.5, [BENDS + 1.0]])
    side = np.concatenate([[0.0], np.where(np.arange(BENDS + 1) % 2, -1.0, 1.0), [0.0]])
    corners = (
        p[:, None] + share[:, None] * (step * e)[:, None] + side[:, None] * (half * across)[:, None]
    )
    d = np.diff(corners, axis=1)
    d /= np.maximum(np.linalg.norm(d, axis=2, keepdims=True), 1e-300)
    turn = np.stack([1.0 + d[..., 2], -d[..., 1], d[..., 0], np.zeros(d.shape[:2])], axis=2)
    turn[d[..., 2] < -1.0 + 1e-12] = (0.0, 1.0, 0.0, 0.0)
    turn /= np.linalg.norm(turn, axis=2, keepdims=True)
    return np.concatenate([0.5 * (corners[:, 1:] + corners[:, :-1]), turn], axis=2)
