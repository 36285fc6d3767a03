"""Unit quaternions as plain arrays: the formulas that every rotation in the house rests on.

A quaternion is ``(*batch, 4)``, w first; batches broadcast. ``q_AB`` rotates vectors of frame B
into frame A as ``X_AB`` does. No function here checks its input: the checks stand where values
enter, in :mod:`articulata.geometry.rotation`. NaN in gives NaN out.

Sources: Shepperd, Quaternion from Rotation Matrix, J. Guidance and Control 1 (1978) 223;
Markley & Crassidis, Fundamentals of Spacecraft Attitude Determination and Control, 2.9.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, Float64

TINY = 1e-100
"""Below this length a vector's square underflows; limits are used there. Unitless."""

HALF_TURN = 1e-15
"""A w this small is that of a half turn but for rounding. Unitless."""


def q_multiply(
    q_AB: Float64[Array, "... 4"], q_BC: Float64[Array, "... 4"]
) -> Float64[Array, "... 4"]:
    """Return ``q_AC``, ``(*batch, 4)``: first ``q_BC``, then ``q_AB``. Not renormalised."""
    a, b = np.asarray(q_AB, dtype=np.float64), np.asarray(q_BC, dtype=np.float64)
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def q_conjugate(q_AB: Float64[Array, "*batch 4"]) -> Float64[Array, "*batch 4"]:
    """Return ``q_BA``, the inverse of a unit quaternion, ``(*batch, 4)``."""
    out: Array = np.asarray(q_AB, dtype=np.float64) * np.array([1.0, -1.0, -1.0, -1.0])
    return out


def q_normalize(q: Float64[Array, "*batch 4"]) -> Float64[Array, "*batch 4"]:
    """Return ``q / |q|``, ``(*batch, 4)``; safe against overflow and underflow of squares."""
    q = np.asarray(q, dtype=np.float64)
    q = q / np.max(np.abs(q), axis=-1, keepdims=True)
    unit: Array = q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))
    return unit


def q_canonical(q: Float64[Array, "*batch 4"]) -> Float64[Array, "*batch 4"]:
    """Return that one of ``q`` and ``-q`` which has w > 0, ``(*batch, 4)``.

    Where w = 0 (a half turn) the first non-zero of x, y, z is positive, so that every rotation
    has exactly one quaternion.
    """
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    lead = np.where(w != 0, w, np.where(x != 0, x, np.where(y != 0, y, z)))
    # adding 0.0 turns -0.0 into 0.0, so that equal rotations print and hash alike
    return np.where(lead[..., None] < 0, -q, q) + 0.0


def q_rotate(
    q_AB: Float64[Array, "... 4"], p_B: Float64[Array, "... 3"]
) -> Float64[Array, "... 3"]:
    """Return ``p_A``, ``(*batch, 3)``: vectors ``p_B`` turned by unit quaternions."""
    q, p = np.asarray(q_AB, dtype=np.float64), np.asarray(p_B, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    px, py, pz = p[..., 0], p[..., 1], p[..., 2]
    # t = 2 v x p;  p' = p + w t + v x t
    tx, ty, tz = 2 * (y * pz - z * py), 2 * (z * px - x * pz), 2 * (x * py - y * px)
    out = np.empty((*np.broadcast_shapes(q.shape[:-1], p.shape[:-1]), 3))
    out[..., 0] = px + w * tx + y * tz - z * ty
    out[..., 1] = py + w * ty + z * tx - x * tz
    out[..., 2] = pz + w * tz + x * ty - y * tx
    return out


def q_to_matrix(q_AB: Float64[Array, "*batch 4"]) -> Float64[Array, "*batch 3 3"]:
    """Return the rotation matrices ``R_AB``, ``(*batch, 3, 3)``, of unit quaternions."""
    q = np.asarray(q_AB, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    R = np.empty((*q.shape[:-1], 3, 3))
    R[..., 0, 0] = 1 - 2 * (y * y + z * z)
    R[..., 0, 1] = 2 * (x * y - w * z)
    R[..., 0, 2] = 2 * (x * z + w * y)
    R[..., 1, 0] = 2 * (x * y + w * z)
    R[..., 1, 1] = 1 - 2 * (x * x + z * z)
    R[..., 1, 2] = 2 * (y * z - w * x)
    R[..., 2, 0] = 2 * (x * z - w * y)
    R[..., 2, 1] = 2 * (y * z + w * x)
    R[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return R


def q_from_matrix(R_AB: Float64[Array, "*batch 3 3"]) -> Float64[Array, "*batch 4"]:
    """Return the canonical unit quaternions ``(*batch, 4)`` of rotation matrices.

    Shepperd's four branches: each divides by the largest component, so no cancellation occurs
    at any angle.
    """
    R = np.asarray(R_AB, dtype=np.float64)
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = (
        R[..., 2, 1] - R[..., 1, 2],
        R[..., 0, 2] - R[..., 2, 0],
        R[..., 1, 0] - R[..., 0, 1],
    )
    d, e, f = (
        R[..., 1, 0] + R[..., 0, 1],
        R[..., 0, 2] + R[..., 2, 0],
        R[..., 2, 1] + R[..., 1, 2],
    )
    trace = xx + yy + zz
    # 4 q_i q as rows: the symmetric matrix 4 q q^T, of which the row of the largest q_i is used
    rows = np.empty((*R.shape[:-2], 4, 4))
    for i, row in enumerate(
        (
            (1 + trace, a, b, c),
            (a, 1 + xx - yy - zz, d, e),
            (b, d, 1 - xx + yy - zz, f),
            (c, e, f, 1 - xx - yy + zz),
        )
    ):
        for j, value in enumerate(row):
            rows[..., i, j] = value
    largest = np.argmax(np.stack([trace, xx, yy, zz], axis=-1), axis=-1)
    picked = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    return q_canonical(q_normalize(picked))


def q_exp(w: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 4"]:
    """Return the unit quaternions ``(*batch, 4)`` of rotation vectors ``(*batch, 3)``, rad.

    Not made canonical: beyond a half turn w is negative.
    """
    w = np.asarray(w, dtype=np.float64)
    angle = np.sqrt(np.sum(w * w, axis=-1))
    small = angle < TINY
    safe = np.where(small, 1.0, angle)
    factor = np.where(small, 0.5, np.sin(0.5 * safe) / safe)
    return np.concatenate([np.cos(0.5 * angle)[..., None], factor[..., None] * w], axis=-1)


def q_log(q: Float64[Array, "*batch 4"]) -> Float64[Array, "*batch 3"]:
    """Return the rotation vectors ``(*batch, 3)``, rad, of unit quaternions; length <= pi.

    The short way is taken: the sign of ``q`` does not matter, and at a half turn the axis is
    that of the canonical quaternion.
    """
    q = q_canonical(q)
    v = q[..., 1:]
    sine = np.sqrt(np.sum(v * v, axis=-1))
    small = sine < TINY
    safe = np.where(small, 1.0, sine)
    factor = np.where(small, 2.0, 2 * np.arctan2(safe, q[..., 0]) / safe)
    out: Array = factor[..., None] * v
    return out


def q_distance(q0: Array, q1: Array) -> Array:
    """Return the angle ``(*batch,)``, rad in [0, pi], of the rotation from ``q0`` to ``q1``."""
    d = q_multiply(q_conjugate(q0), q1)
    sine = np.sqrt(np.sum(d[..., 1:] ** 2, axis=-1))
    # asarray: the distance of two single rotations is an array of no axes, not a scalar
    return np.asarray(2 * np.arctan2(sine, np.abs(d[..., 0])))


def q_slerp(
    q0: Float64[Array, "... 4"], q1: Float64[Array, "... 4"], t: npt.ArrayLike
) -> Float64[Array, "... 4"]:
    """Return the canonical quaternions ``(*batch, 4)`` a fraction ``t`` along the short way.

    ``t`` is ``(*batch,)`` and may lie outside [0, 1]. Between rotations a half turn apart both
    ways are as short; the one about the canonical axis of ``q0^-1 q1`` is taken.
    """
    d = q_multiply(q_conjugate(q0), q1)
    # half a turn but for rounding: the sign of w would choose the way at random
    half = np.abs(d[..., :1]) <= HALF_TURN
    d = np.where(half & (np.abs(d) <= HALF_TURN), 0.0, d)
    step = q_log(d)
    part = q_exp(np.asarray(t, dtype=np.float64)[..., None] * step)
    return q_canonical(q_normalize(q_multiply(q0, part)))
