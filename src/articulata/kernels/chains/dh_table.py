"""A serial chain reduced to its Denavit-Hartenberg table: the form that inverse kernels read.

Between two joint axes only their common normal matters, so any fixed pose F between joint i
and joint i+1 splits as ``F = Rz(beta) Tz(d) Tx(a) Rx(alpha) Tz(e) Rz(gamma)``; the outer
screws along the two axes merge with the joints' own motions. What is left per joint,
``Rz(phi_i) Tz(d_i) Tx(a_i) Rx(alpha_i)``, is the standard form and costs a third less than a
general pose. Lengths are divided by ``unit``, a bound of the reach, so that kernels can use
scale-free thresholds. Nearly parallel axes, whose common normal is far away, get a locked
joint between them.

Columns of ``rows`` (joints, 10), see the names below: a, cos alpha, sin alpha, d; for a
revolute joint cos and sin of the middle of its range and cos and sin of half its range
(half = pi: no limit); for a prismatic joint cos and sin of its constant angle and the lower and
upper travel; 0 revolute or 1 prismatic; spare.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from articulata.kernels.array_types import Array, IntArray

PARALLEL = 1e-12
"""Sine of the angle between axes below which they count as parallel."""

ROUNDING = 2.5e-16
"""Cosines and shares of the reach below which nothing but rounding is left."""

SPLIT = 0.02
"""Sine below which axes that are not parallel get a locked joint between them."""


@dataclass(frozen=True, slots=True)
class ChainTable:
    """A reduced chain of ``n`` joints.

    ``rows`` (n, 10) and ``tip`` (3, 4), pose of the tip in the last frame, in units of
    ``unit`` metres; ``base`` (4, 4) X_B0. ``joints`` (n,) is the index of each row's joint in
    the chain given, -1 for a locked one. Joint value = table value - ``offset`` (rad; for
    prismatic joints metres, 0). ``middle`` (n,) is the joint value that the cos and sin in the
    table stand for; ``lower`` and ``upper`` (n,) limits of the joint values.
    """

    rows: Array
    tip: Array
    base: Array
    unit: float
    joints: IntArray
    offset: Array
    middle: Array
    lower: Array
    upper: Array


def _rotation_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def _square(pose: Array) -> Array:
    full = np.eye(4)
    full[:3] = pose[:3]
    return full


def _common_normal(f: Array) -> tuple[float, float, float, float, float, float, float]:
    """Return beta, d, a, cos alpha, sin alpha, e, gamma of a pose between two axes."""
    z, p = f[:3, 2], f[:3, 3]
    sine = math.hypot(z[0], z[1])
    if sine < PARALLEL:
        a = math.hypot(p[0], p[1])
        beta = math.atan2(p[1], p[0]) if a > 0.0 else 0.0
        cosine, sine, d, e = math.copysign(1.0, z[2]), 0.0, float(p[2]), 0.0
    else:
        beta = math.atan2(z[0], -z[1])
        cosine = float(z[2])
        a = math.cos(beta) * p[0] + math.sin(beta) * p[1]
        e = (z[0] * p[0] + z[1] * p[1]) / (sine * sine)
        d = float(p[2] - e * cosine)
    # the rotation left over about the second axis
    c, s = math.cos(beta), math.sin(beta)
    normal = np.array([c, s, 0.0])
    second = np.array([-s * cosine, c * cosine, sine])
    gamma = math.atan2(float(second @ f[:3, 0]), float(normal @ f[:3, 0]))
    return beta, d, a, cosine, sine, e, gamma


def _range(low: float, high: float) -> tuple[float, float]:
    """Return the middle and half the width of a range of angles; half >= pi: no limit."""
    if math.isfinite(low) and math.isfinite(high):
        return 0.5 * (low + high), 0.5 * (high - low)
    if math.isfinite(low):
        return low + math.pi, math.inf
    return (high - math.pi if math.isfinite(high) else 0.0), math.inf


def reduce_chain(
    fixed: Array, kinds: IntArray, tip: Array, lower: Array, upper: Array
) -> ChainTable:
    """Return the table of a serial chain in the canonical form of ``poses``.

    ``fixed`` (joints, 3, 4), ``kinds`` (joints,), ``tip`` (3, 4) pose of the tip in the last
    moved frame; ``lower`` and ``upper`` (joints,) in rad or m, infinite where there is no
    limit (prismatic joints need finite limits).
    """
    poses: list[Array] = []
    indices: list[int] = []
    between = np.eye(4)
    for j, kind in enumerate(kinds):
        between = between @ _square(fixed[j])
        if kind > 1:
            continue
        if poses and PARALLEL < math.hypot(between[0, 2], between[1, 2]) < SPLIT:
            poses.append(between @ _rotation_x(0.5 * math.pi))
            indices.append(-1)
            between = _rotation_x(-0.5 * math.pi)
        poses.append(between)
        indices.append(j)
        between = np.eye(4)
    end = between @ _square(tip)

    n = len(poses)
    rows = np.zeros((n, 10))
    offset, middle, low, high = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    # e and gamma of the pose before a joint belong to that joint's own screw
    e_before, gamma_before = 0.0, 0.0
    for i, j in enumerate(indices):
        prismatic = j >= 0 and kinds[j] == 1
        if i + 1 < n:
            beta, d, a, cosine, sine, e_next, gamma_next = _common_normal(poses[i + 1])
        else:
            beta, d, a, cosine, sine, e_next, gamma_next = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
        if abs(cosine) < ROUNDING:
            # a quarter turn but for rounding: kernels have a short way for these
            cosine, sine = 0.0, math.copysign(1.0, sine)
        rows[i, :4] = a, cosine, sine, d + e_before
        turn = gamma_before + beta
        if j >= 0:
            low[i], high[i] = lower[j], upper[j]
        if prismatic:
            rows[i, 4:9] = math.cos(turn), math.sin(turn), low[i], high[i], 1.0
        else:
            middle[i], half = _range(low[i], high[i])
            rows[i, 4:6] = math.cos(turn + middle[i]), math.sin(turn + middle[i])
            # no cosine is below -2: never limited
            rows[i, 6:8] = (math.cos(half), math.sin(half)) if half < math.pi else (-2.0, 0.0)
            offset[i] = turn
        e_before, gamma_before = e_next, gamma_next

    travel = np.where(rows[:, 8] == 1, np.maximum(np.abs(rows[:, 6]), np.abs(rows[:, 7])), 0.0)
    unit = float(np.sum(np.hypot(rows[:, 0], rows[:, 3])) + np.sum(travel))
    unit += float(np.linalg.norm(end[:3, 3]))
    unit = unit if unit > 0.0 else 1.0
    rows[:, 0] /= unit
    rows[:, 3] /= unit
    rows[:, [0, 3]] = np.where(np.abs(rows[:, [0, 3]]) < ROUNDING, 0.0, rows[:, [0, 3]])
    prismatic_rows = rows[:, 8] == 1
    rows[prismatic_rows, 6:8] /= unit
    scaled_tip = end[:3].copy()
    scaled_tip[:, 3] /= unit
    base = poses[0] if n else np.eye(4)
    return ChainTable(
        rows, scaled_tip, base, unit, np.array(indices, np.int64), offset, middle, low, high
    )
