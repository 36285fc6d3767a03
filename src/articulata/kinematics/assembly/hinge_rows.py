"""Hinge rows of a whole world in arrays: gap, velocity form and acceleration form of each.

A row keeps a point of body A on a surface of body B (Hoffmann & Hopcroft 1986, section 3.4).
With the surface written as ``phi(s) = 0``, where ``s`` is the point in the surface's frame, the
rate of the gap is ``n . (v_A + w_A x c - v_B - w_B x d)``: ``n`` is the surface's normal in W,
``c`` leads from A's reference point to the point and ``d`` from B's reference point to the same
place. Its derivative gives a row of ``A x = b``. A thousand hinges cost a handful of NumPy calls;
this is also the readable statement that the compiled kernels are tested against.

World axes W; metres, radians, seconds. The world itself is the last body and never moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.scalar_rows import (
    CAM,
    DIRECTION,
    HELICOID,
    PLANE,
    POINT,
    SPHERE,
    TURN,
    ScalarRow,
    scalar_rows,
)
from articulata.world.model import Hinge
from articulata.world.values import Pose


@dataclass(frozen=True, slots=True)
class Rows:
    """Scalar rows of a set of joins.

    ``owner`` (rows,) numbers the join of each row in the order given; ``body_a`` and ``body_b``
    number bodies. ``point`` (rows, 3) is the point (or direction) of A from A's reference point,
    in A's axes; ``origin`` (rows, 3) the surface's own origin from B's reference point and
    ``axis`` (rows, 3) its normal or axis, both in B's axes; ``frame`` (rows, 3, 3) turns the
    hinge's axes into B's, ``frame_a`` into A's. ``size`` (rows,) as in ``scalar_rows``, of a
    coupling its rate; ``law`` (rows,) are objects, those of cams or None. ``more`` are the further
    terms of couplings: their ``owner`` is the number of the row that they belong to, and they are
    no rows of their own.
    """

    owner: IntArray
    body_a: IntArray
    body_b: IntArray
    kind: IntArray
    point: Array
    origin: Array
    axis: Array
    frame: Array
    frame_a: Array
    size: Array
    law: NDArray[np.object_]
    more: Rows | None = None

    def __len__(self) -> int:
        return len(self.owner)

    def select(self, chosen: IntArray) -> Rows:
        """Return the rows numbered in ``chosen``, in that order; of couplings the first term."""
        columns: list[Any] = [getattr(self, field.name)[chosen] for field in fields(self)[:-1]]
        return Rows(*columns)

    def among(self, numbers: IntArray) -> Rows:
        """Return the rows of some joins: ``numbers`` are their new ones by the old, -1 for none."""
        left = self.select(np.flatnonzero(numbers[self.owner] >= 0))
        owner = numbers[left.owner]
        if np.any(np.diff(owner) < 0):
            order = np.argsort(owner, kind="stable")
            left, owner = left.select(order), owner[order]
        return replace(left, owner=owner)

    def joined(self, other: Rows) -> Rows:
        """Return these rows and ``other``, in the order of their joins."""
        owner = np.concatenate([self.owner, other.owner])
        order = np.argsort(owner, kind="stable")
        both = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self)[:-1])
        columns: list[Any] = [np.concatenate(two)[order] for two in both]
        return Rows(*columns)

    def repeated(self, count: int, bodies: int) -> Rows:
        """Return the rows of ``count`` worlds alike: each next has other ``bodies``, one ground."""

        def shifted(of: IntArray, by: int, ground: int) -> IntArray:
            every = np.arange(count)[:, None] * by + of
            return np.where(of == ground, count * ground, every).ravel()

        columns: dict[str, Any] = {
            f.name: np.concatenate([getattr(self, f.name)] * count) for f in fields(self)[:-1]
        }
        columns |= {
            "body_a": shifted(self.body_a, bodies, bodies),
            "body_b": shifted(self.body_b, bodies, bodies),
        }
        if self.more is not None:
            more = self.more.repeated(count, bodies)
            columns["more"] = replace(more, owner=shifted(self.more.owner, len(self), -1))
        return Rows(**columns)

    def blocks(self, values: RowValues) -> tuple[tuple[Array, IntArray, IntArray], ...]:
        """Return Jacobians (k, 6) with the numbers of their rows and of their bodies (k,).

        First those of all rows for A and for B; those of couplings' further terms follow.
        """
        J_A, J_B = values.jacobians()
        every = np.arange(len(self))
        found = ((J_A, every, self.body_a), (J_B, every, self.body_b))
        if self.more is None or values.more is None:
            return found
        return *found, *((J, self.more.owner, body) for J, _, body in self.more.blocks(values.more))


@dataclass(frozen=True, slots=True)
class RowValues:
    """Rows evaluated at one placement of the bodies, all in W.

    ``gap`` (rows,) in m, or a cosine for directions; ``normal`` (rows, 3); ``arm_a`` and
    ``arm_b`` (rows, 3) from the reference points to the hinge point; ``linear`` (rows,) is 1, or
    0 for directions and turns, which displacements do not enter; ``turns`` (rows,) is 1 where the
    normal turns with B; ``pure`` (rows,) is 1 where the normal is a moment's; ``curvature``
    (rows, 3, 3) the second derivative of phi; ``more`` those of ``Rows.more``.
    """

    gap: Array
    normal: Array
    arm_a: Array
    arm_b: Array
    linear: Array
    turns: Array
    curvature: Array
    pure: Array
    more: RowValues | None = None

    def moments(self, arm: Array) -> Array:
        """Return (rows, 3) the moment of each row's unit force at an ``arm`` (rows, 3)."""
        return np.asarray(np.cross(arm, self.normal) + self.pure[:, None] * self.normal)

    def jacobians(self) -> tuple[Array, Array]:
        """Return (rows, 6) for A and for B: columns v then w, world axes."""
        push = self.normal * self.linear[:, None]
        J_A = np.concatenate([push, self.moments(self.arm_a)], axis=1)
        J_B = np.concatenate([-push, -self.moments(self.arm_b)], axis=1)
        return J_A, J_B


def poses_to_arrays(poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Return positions (n, 3) and rotation matrices (n, 3, 3) of ``poses``."""
    positions = np.array([pose.position for pose in poses], dtype=float).reshape(-1, 3)
    quaternions = np.array([pose.orientation for pose in poses], dtype=float).reshape(-1, 4)
    quaternions = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    return positions, q_to_matrix(quaternions)


Join = tuple[Sequence[ScalarRow], int, Pose, int, Pose]
"""Rows, body A, ``X_AH``, body B and ``X_BH``."""


def rows_of(joins: Sequence[Join], centers: Array | None = None) -> Rows:
    """Return the rows of ``joins``.

    ``centers`` (bodies + 1, 3) moves each body's reference point from its frame's origin to that
    point of the body (its mass centre).
    """
    p_AH, R_AH = poses_to_arrays([join[2] for join in joins])
    p_BH, R_BH = poses_to_arrays([join[4] for join in joins])
    owner = np.repeat(np.arange(len(joins)), [len(join[0]) for join in joins])
    listed = [row for join in joins for row in join[0]]
    body_a = np.array([join[1] for join in joins], dtype=np.int64)[owner]
    body_b = np.array([join[3] for join in joins], dtype=np.int64)[owner]
    kind = np.array([row.kind for row in listed], dtype=np.int64)
    size = np.array([row.size for row in listed], dtype=float)
    law = np.array([row.law for row in listed], dtype=object)
    frame = R_BH[owner]
    turned = np.einsum("nij,nj->ni", R_AH[owner], _vectors([row.point for row in listed]))
    origin = np.einsum("nij,nj->ni", frame, _vectors([row.origin for row in listed]))
    axis = np.einsum("nij,nj->ni", frame, _vectors([row.axis for row in listed]))
    if centers is not None:
        p_AH = p_AH - centers[np.array([join[1] for join in joins], dtype=np.int64)]
        p_BH = p_BH - centers[np.array([join[3] for join in joins], dtype=np.int64)]
    placed = ((kind != DIRECTION) & (kind != CAM))[:, None]
    point = np.where(placed, p_AH[owner] + turned, turned)
    at = np.where((kind == CAM)[:, None], origin, p_BH[owner] + origin)
    return Rows(owner, body_a, body_b, kind, point, at, axis, frame, R_AH[owner], size, law)


def _vectors(items: Sequence[Sequence[float]]) -> Array:
    return np.array(items, dtype=float).reshape(len(items), 3)


def hinge_rows(
    hinges: Sequence[Hinge], index: Mapping[str, int], centers: Array | None = None
) -> Rows:
    """Return the rows of ``hinges``; ``index`` numbers the bodies."""
    return rows_of(
        [
            (scalar_rows(h.kind.rows), index[h.body_a], h.frame_a, index[h.body_b], h.frame_b)
            for h in hinges
        ],
        centers,
    )


def evaluate(rows: Rows, positions: Array, R: Array) -> RowValues:
    """Return every row's gap, normal, arms and curvature.

    ``positions`` (bodies + 1, 3) are the reference points in W, ``R`` (bodies + 1, 3, 3) the
    bodies' axes in W; the last of each is the world.
    """
    R_A, R_B = R[rows.body_a], R[rows.body_b]
    arm_a = np.einsum("nij,nj->ni", R_A, rows.point)
    foot = np.einsum("nij,nj->ni", R_B, rows.origin)
    between = positions[rows.body_a] + arm_a - positions[rows.body_b]
    normal = np.einsum("nij,nj->ni", R_B, rows.axis)
    point, direction = rows.kind == POINT, rows.kind == DIRECTION
    normal[point] = np.eye(3)[rows.size[point].astype(np.int64)]
    arm_b = np.where(point[:, None], foot, np.where(direction[:, None], arm_a, between))
    offset = np.where(direction[:, None], arm_a, between - foot)
    pure = (rows.kind == TURN) | (rows.kind == CAM)
    cams = np.flatnonzero(rows.kind == CAM)
    angles = np.arctan2(
        np.einsum("ni,ni->n", np.cross(normal[cams], foot[cams]), arm_a[cams]),
        np.einsum("ni,ni->n", foot[cams], arm_a[cams]),
    )
    arm_a[pure], arm_b[pure] = 0.0, 0.0
    gap = np.einsum("ni,ni->n", normal, offset) - np.where(direction, rows.size, 0.0)
    gap[rows.kind >= TURN] = 0.0
    curvature = np.zeros((len(rows), 3, 3))
    for i in np.flatnonzero((rows.kind > PLANE) & (rows.kind < DIRECTION)):
        gap[i], normal[i], curvature[i] = _curved(
            int(rows.kind[i]), offset[i], normal[i], R_B[i] @ rows.frame[i], float(rows.size[i])
        )
    for cam, angle in zip(cams.tolist(), angles.tolist(), strict=True):
        slope, bend = rows.law[cam](angle)
        curvature[cam] = bend * np.outer(normal[cam], normal[cam])
        normal[cam] *= slope
    linear, turns = (~(direction | pure)).astype(float), (~point).astype(float)
    more = None if rows.more is None else evaluate(rows.more, positions, R)
    return RowValues(gap, normal, arm_a, arm_b, linear, turns, curvature, pure.astype(float), more)


def _curved(
    kind: int, offset: Array, axis: Array, frame: Array, size: float
) -> tuple[float, Array, Array]:
    """Return gap, gradient and Hessian of one curved surface at ``offset`` from its origin."""
    if kind == HELICOID:
        x, y, z = frame.T @ offset
        square = x * x + y * y
        turn, rise = np.arctan2(y, x), 2.0 * np.pi * size
        # The helicoid has a sheet every `rise` metres: the gap is measured to the nearest one.
        gap = z - size * turn
        gap -= rise * np.round(gap / rise)
        gradient = np.array([size * y / square, -size * x / square, 1.0])
        mixed = size * (x * x - y * y) / square**2
        twice = -2 * size * x * y / square**2
        hessian = np.array([[twice, mixed, 0.0], [mixed, -twice, 0.0], [0.0, 0.0, 0.0]])
        return float(gap), frame @ gradient, frame @ hessian @ frame.T
    if kind == SPHERE:
        across, plane = offset, np.eye(3)
    else:
        across, plane = offset - axis * (axis @ offset), np.eye(3) - np.outer(axis, axis)
    distance = float(np.linalg.norm(across))
    if distance == 0.0:  # the centre has no normal: push towards an arbitrary but fixed side
        return -size, plane[int(np.argmax(np.diag(plane)))], np.zeros((3, 3))
    normal = across / distance
    return distance - size, normal, (plane - np.outer(normal, normal)) / distance


def rates(rows: Rows, values: RowValues, v: Array, w: Array) -> Array:
    """Return the rate of every gap (rows,), of couplings what their rate is missed by.

    ``v``, ``w`` (bodies + 1, 3) in W.
    """
    found = np.einsum("ni,ni->n", values.normal, _relative(rows, values, v, w))
    if rows.more is not None and values.more is not None:
        np.add.at(found, rows.more.owner, rates(rows.more, values.more, v, w))
    return np.asarray(found - np.where(rows.kind >= TURN, rows.size, 0.0))


def _relative(rows: Rows, values: RowValues, v: Array, w: Array) -> Array:
    """Return the velocity of the point on A relative to B's material there (rows, 3)."""
    apart = (v[rows.body_a] - v[rows.body_b]) * values.linear[:, None]
    apart += np.cross(w[rows.body_a], values.arm_a)
    apart += (w[rows.body_a] - w[rows.body_b]) * values.pure[:, None]
    return np.asarray(apart - np.cross(w[rows.body_b], values.arm_b))


def bias(rows: Rows, values: RowValues, v: Array, w: Array) -> Array:
    """Return the part of every gap's second derivative that accelerations do not enter (m/s^2)."""
    w_A, w_B = w[rows.body_a], w[rows.body_b]
    relative = _relative(rows, values, v, w)
    inertial = np.cross(w_A, np.cross(w_A, values.arm_a))
    inertial -= np.cross(w_B, np.cross(w_B, values.arm_b))
    # a rate's own derivative has w_B x n once, a point's second derivative twice
    inertial -= np.cross(w_B, relative) * ((2.0 - values.pure) * values.turns)[:, None]
    bent = np.einsum("ni,nij,nj->n", relative, values.curvature, relative)
    found = np.einsum("ni,ni->n", values.normal, inertial) + bent
    if rows.more is not None and values.more is not None:
        np.add.at(found, rows.more.owner, bias(rows.more, values.more, v, w))
    return np.asarray(found)
