"""Hinge coordinates: the angle about and the travel along a hinge's axis, and their rates.

Body A moves on body B; the axis is z of the hinge's frame. The angle of A from B is taken about
that axis, in rad, and can be followed through any number of turns; the travel is that of A's
hinge frame from B's along B's axis, in m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.assembly.hinge_rows import poses_to_arrays
from articulata.world.model import Hinge, World

TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """Every coordinate of a set of hinges; ``labels`` are "<hinge>.<coordinate>".

    ``hinge`` (n,) numbers the hinge of each coordinate in the order given, ``body_a`` and
    ``body_b`` number bodies; ``p_A``, ``p_B`` (n, 3) and ``R_A``, ``R_B`` (n, 3, 3) are the
    hinge's frame in the bodies' axes from their reference points; ``turning`` (n,) tells an
    angle from a travel.
    """

    labels: tuple[str, ...]
    hinge: IntArray
    body_a: IntArray
    body_b: IntArray
    p_A: Array
    R_A: Array
    p_B: Array
    R_B: Array
    turning: BoolArray

    def __len__(self) -> int:
        return len(self.labels)

    def among(self, numbers: IntArray) -> Coordinates:
        """Return those of some hinges: ``numbers`` are their new ones by the old, -1 for none."""
        chosen = np.flatnonzero(numbers[self.hinge] >= 0)
        chosen = chosen[np.argsort(numbers[self.hinge[chosen]], kind="stable")]
        return Coordinates(
            tuple(self.labels[k] for k in chosen.tolist()),
            numbers[self.hinge[chosen]],
            *(getattr(self, field.name)[chosen] for field in fields(self)[2:]),
        )

    def joined(self, other: Coordinates) -> Coordinates:
        """Return these coordinates and ``other``, in the order of their hinges."""
        hinge = np.concatenate([self.hinge, other.hinge])
        order = np.argsort(hinge, kind="stable")
        labels = (*self.labels, *other.labels)
        both = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self)[1:])
        return Coordinates(
            tuple(labels[k] for k in order.tolist()),
            *(np.concatenate(two)[order] for two in both),
        )

    def values(self, positions: Array, R: Array, before: Array | None = None) -> Array:
        """Return every coordinate (n,), rad or m; angles continue from ``before``."""
        H_A = R[self.body_a] @ self.R_A
        H_B = R[self.body_b] @ self.R_B
        turn = np.einsum("nji,njk->nik", H_B, H_A)
        angle = np.arctan2(turn[:, 1, 0] - turn[:, 0, 1], turn[:, 0, 0] + turn[:, 1, 1])
        if before is not None:
            angle = angle + TURN * np.round((before - angle) / TURN)
        between = self._feet(positions, R, 0) - self._feet(positions, R, 1)
        travel = np.einsum("ni,ni->n", H_B[:, :, 2], between)
        return np.asarray(np.where(self.turning, angle, travel))

    def rates(self, positions: Array, R: Array, v: Array, w: Array) -> Array:
        """Return every coordinate's rate (n,), rad/s or m/s; ``v``, ``w`` in W."""
        axis = np.einsum("nij,nj->ni", R[self.body_b], self.R_B[:, :, 2])
        to_a = self._feet(positions, R, 0)
        w_A, w_B = w[self.body_a], w[self.body_b]
        at_a = v[self.body_a] + np.cross(w_A, to_a - positions[self.body_a])
        at_b = v[self.body_b] + np.cross(w_B, to_a - positions[self.body_b])
        chosen = np.where(self.turning[:, None], w_A - w_B, at_a - at_b)
        return np.asarray(np.einsum("ni,ni->n", axis, chosen))

    def wrenches(self, positions: Array, R: Array, values: Array, bodies: int) -> Array:
        """Return (bodies, 6) force and moment in W of generalised forces ``values`` (n,).

        N m on an angle is a moment on A about the axis, N on a travel a force on A along it at
        its hinge point; the opposite acts on B.
        """
        result = np.zeros((bodies, 6))
        axis = np.einsum("nij,nj->ni", R[self.body_b], self.R_B[:, :, 2]) * values[:, None]
        at = self._feet(positions, R, 0)
        for body, sign in ((self.body_a, 1.0), (self.body_b, -1.0)):
            moment = np.where(self.turning[:, None], axis, np.cross(at - positions[body], axis))
            force = np.where(self.turning[:, None], 0.0, axis)
            known = body < bodies
            np.add.at(result, body[known], sign * np.hstack([force, moment])[known])
        return result

    def _feet(self, positions: Array, R: Array, side: int) -> Array:
        body, p = (self.body_a, self.p_A) if side == 0 else (self.body_b, self.p_B)
        return np.asarray(positions[body] + np.einsum("nij,nj->ni", R[body], p))


def values_at_start(coordinates: Coordinates, positions: Array, R: Array, world: World) -> Array:
    """Return every coordinate (n,), rad or m, with the whole turns that placements ask for.

    ``place arm by h.angle = 270 deg`` puts the arm where -90 deg would, a whole turn on.
    """
    values = coordinates.values(positions, R)
    for placement in world.placements:
        for name, wanted in placement.coordinates:
            for k, label in enumerate(coordinates.labels):
                if coordinates.turning[k] and label in (name, f"{name}.angle"):
                    values[k] += TURN * np.round((wanted - values[k]) / TURN)
    return values


def coordinates_of(
    hinges: Sequence[Hinge], index: Mapping[str, int], centers: Array | None = None
) -> Coordinates:
    """Return the coordinates of ``hinges``; ``index`` numbers the bodies.

    ``centers`` (bodies + 1, 3) moves each body's reference point to that point of it.
    """
    listed = [(n, name) for n, hinge in enumerate(hinges) for name in hinge.kind.coordinates]
    numbers = np.array([n for n, _ in listed], dtype=np.int64)
    chosen = [hinges[n] for n, _ in listed]
    body_a = np.array([index[h.body_a] for h in chosen], dtype=np.int64)
    body_b = np.array([index[h.body_b] for h in chosen], dtype=np.int64)
    p_A, R_A = poses_to_arrays([h.frame_a for h in chosen])
    p_B, R_B = poses_to_arrays([h.frame_b for h in chosen])
    if centers is not None:
        p_A, p_B = p_A - centers[body_a], p_B - centers[body_b]
    turning = np.array([name != "travel" for _, name in listed], dtype=bool)
    labels = tuple(f"{hinges[n].id}.{name}" for n, name in listed)
    return Coordinates(labels, numbers, body_a, body_b, p_A, R_A, p_B, R_B, turning)
