"""Poses: rigid placements as 4 x 4 matrices, and the screws (twists) that move them.

``X_AB`` is the pose of frame B in frame A and maps points of B to A; ``X_AC = X_AB @ X_BC``.
All functions take and return ``(*batch, 4, 4)``. A twist is ``(*batch, 6)``: v, then w, metres
and radians (or their rates). Source: Murray, Li & Sastry, A Mathematical Introduction to Robotic
Manipulation, 2.3-2.4 and appendix A (exponential, logarithm, adjoint).
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.quaternion import (
    q_distance,
    q_exp,
    q_from_matrix,
    q_log,
    q_slerp,
    q_to_matrix,
)
from articulata.geometry.rotation import MATRIX_TOLERANCE, Rotation

SERIES_BELOW = 0.5
"""Angle, rad, under which the screw coefficients are summed as series; they cancel below."""

# (t - sin t) / t^3 = sum (-1)^k t^2k / (2k+3)!
_SINE_SERIES = [(-1.0) ** k / factorial(2 * k + 3) for k in range(8)]
# (1 - (t/2) cot(t/2)) / t^2 = sum |B_2k+2| t^2k / (2k+2)!, B the Bernoulli numbers
_BERNOULLI = [1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6, 3617 / 510]
_COT_SERIES = [b / factorial(2 * k + 2) for k, b in enumerate(_BERNOULLI)]


class PoseDistance(NamedTuple):
    """How far apart two poses are: metres between origins, rad between axes, ``(*batch,)``."""

    translation: Array
    rotation: Array


def make_pose(
    R: Rotation | npt.ArrayLike | None = None, p: npt.ArrayLike | None = None
) -> Float64[Array, "*batch 4 4"]:
    """Return ``X_AB``, ``(*batch, 4, 4)``, of a rotation ``R_AB`` and an origin ``p_AB_A``.

    ``R`` is a ``Rotation`` or matrices ``(*batch, 3, 3)`` (taken as they are), ``p`` is
    ``(*batch, 3)``; what is left out is the identity.
    """
    M = R.to_matrix() if isinstance(R, Rotation) else np.asarray(np.eye(3) if R is None else R)
    t = np.zeros(3) if p is None else np.asarray(p, dtype=np.float64)
    if M.shape[-2:] != (3, 3) or t.shape[-1:] != (3,):
        raise GeometryError(
            f"a pose is made of 3 x 3 rotations and 3-vectors; the shapes given are {M.shape} and "
            f"{t.shape}"
        )
    try:
        X = np.zeros((*np.broadcast_shapes(M.shape[:-2], t.shape[:-1]), 4, 4))
    except ValueError:
        raise GeometryError(
            f"rotations of batch shape {M.shape[:-2]} and origins of batch shape {t.shape[:-1]} "
            "do not broadcast together"
        ) from None
    X[..., :3, :3] = M
    X[..., :3, 3] = t
    X[..., 3, 3] = 1.0
    return X


def check_pose(
    X: npt.ArrayLike, *, tolerance: float = MATRIX_TOLERANCE
) -> Float64[Array, "*batch 4 4"]:
    """Return ``X`` as float64 ``(*batch, 4, 4)``, or say why it is no pose."""
    try:
        P = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise GeometryError(f"a pose must be numbers, not {X!r}") from None
    if P.shape[-2:] != (4, 4):
        raise GeometryError(f"a pose is a 4 x 4 matrix; the shape given is {P.shape}")
    if not np.all(np.isfinite(P)):
        raise GeometryError("the pose holds NaN or infinity; only finite numbers are allowed")
    if np.any(P[..., 3, :] != np.array([0.0, 0.0, 0.0, 1.0])):
        raise GeometryError("the last row of a pose must be (0, 0, 0, 1)")
    Rotation.from_matrix(P[..., :3, :3], tolerance=tolerance)
    return P


def inverse_pose(X_AB: Float64[Array, "*batch 4 4"]) -> Float64[Array, "*batch 4 4"]:
    """Return ``X_BA``; the rotation is transposed, not solved for."""
    R_BA = np.swapaxes(X_AB[..., :3, :3], -1, -2)
    X = np.zeros_like(X_AB)
    X[..., :3, :3] = R_BA
    X[..., :3, 3] = -(R_BA @ X_AB[..., :3, 3, None])[..., 0]
    X[..., 3, 3] = 1.0
    return X


def transform_points(
    X_AB: Float64[Array, "... 4 4"], p_B: npt.ArrayLike
) -> Float64[Array, "... 3"]:
    """Return points ``p_A``, ``(*batch, 3)``; ``p_B`` broadcasts with the batch of ``X_AB``."""
    p = np.asarray(p_B, dtype=np.float64)
    out: Array = (X_AB[..., :3, :3] @ p[..., None])[..., 0] + X_AB[..., :3, 3]
    return out


def transform_vectors(
    X_AB: Float64[Array, "... 4 4"], v_B: npt.ArrayLike
) -> Float64[Array, "... 3"]:
    """Return vectors ``v_A``, ``(*batch, 3)``: turned, not moved."""
    v = np.asarray(v_B, dtype=np.float64)
    out: Array = (X_AB[..., :3, :3] @ v[..., None])[..., 0]
    return out


def cross_matrix(w: npt.ArrayLike) -> Float64[Array, "*batch 3 3"]:
    """Return ``[w]``, ``(*batch, 3, 3)``, so that ``[w] p = w x p``."""
    w = np.asarray(w, dtype=np.float64)
    W = np.zeros((*w.shape[:-1], 3, 3))
    W[..., 0, 1], W[..., 0, 2] = -w[..., 2], w[..., 1]
    W[..., 1, 0], W[..., 1, 2] = w[..., 2], -w[..., 0]
    W[..., 2, 0], W[..., 2, 1] = -w[..., 1], w[..., 0]
    return W


def exp_twist(V: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
    """Return the poses ``(*batch, 4, 4)`` reached by constant twists ``(v, w)`` in unit time."""
    V = np.asarray(V, dtype=np.float64)
    v, w = V[..., :3], V[..., 3:]
    angle = np.sqrt(np.sum(w * w, axis=-1))[..., None]
    half = np.sinc(0.5 * angle / np.pi)
    wv = np.cross(w, v)
    p = v + 0.5 * half * half * wv + _sine_coefficient(angle) * np.cross(w, wv)
    return make_pose(q_to_matrix(q_exp(w)), p)


def log_pose(X: Float64[Array, "*batch 4 4"]) -> Float64[Array, "*batch 6"]:
    """Return the twists ``(*batch, 6)`` whose exponentials are the poses; ``|w| <= pi``."""
    w = q_log(q_from_matrix(X[..., :3, :3]))
    p = X[..., :3, 3]
    angle = np.sqrt(np.sum(w * w, axis=-1))[..., None]
    wp = np.cross(w, p)
    v = p - 0.5 * wp + _cot_coefficient(angle) * np.cross(w, wp)
    return np.concatenate([v, w], axis=-1)


def adjoint(X_AB: Float64[Array, "*batch 4 4"]) -> Float64[Array, "*batch 6 6"]:
    """Return ``Ad``, ``(*batch, 6, 6)``, which carries twists of B to A: ``V_A = Ad V_B``."""
    R = X_AB[..., :3, :3]
    Ad = np.zeros((*X_AB.shape[:-2], 6, 6))
    Ad[..., :3, :3] = R
    Ad[..., 3:, 3:] = R
    Ad[..., :3, 3:] = cross_matrix(X_AB[..., :3, 3]) @ R
    return Ad


def interpolate_poses(
    X0: Float64[Array, "... 4 4"], X1: Float64[Array, "... 4 4"], t: npt.ArrayLike
) -> Float64[Array, "... 4 4"]:
    """Return poses a fraction ``t`` of the way: origins on a straight line, axes by slerp."""
    t = np.asarray(t, dtype=np.float64)
    q = q_slerp(q_from_matrix(X0[..., :3, :3]), q_from_matrix(X1[..., :3, :3]), t)
    p = X0[..., :3, 3] + t[..., None] * (X1[..., :3, 3] - X0[..., :3, 3])
    return make_pose(q_to_matrix(q), p)


def interpolate_screw(
    X0: Float64[Array, "... 4 4"], X1: Float64[Array, "... 4 4"], t: npt.ArrayLike
) -> Float64[Array, "... 4 4"]:
    """Return poses a fraction ``t`` along the one screw motion from ``X0`` to ``X1``."""
    t = np.asarray(t, dtype=np.float64)
    out: Array = X0 @ exp_twist(t[..., None] * log_pose(inverse_pose(X0) @ X1))
    return out


def pose_distance(X0: Float64[Array, "... 4 4"], X1: Float64[Array, "... 4 4"]) -> PoseDistance:
    """Return metres between the origins and radians between the axes."""
    gap = X1[..., :3, 3] - X0[..., :3, 3]
    angle = q_distance(q_from_matrix(X0[..., :3, :3]), q_from_matrix(X1[..., :3, :3]))
    return PoseDistance(np.asarray(np.sqrt(np.sum(gap * gap, axis=-1))), angle)


def _sine_coefficient(angle: Array) -> Array:
    """Return ``(t - sin t) / t^3`` without cancellation."""
    safe = np.where(angle < SERIES_BELOW, 1.0, angle)
    square = np.minimum(angle, SERIES_BELOW) ** 2
    series = np.polynomial.polynomial.polyval(square, _SINE_SERIES)
    out: Array = np.where(angle < SERIES_BELOW, series, (safe - np.sin(safe)) / safe**3)
    return out


def _cot_coefficient(angle: Array) -> Array:
    """Return ``(1 - (t/2) cot(t/2)) / t^2`` without cancellation, for t <= pi."""
    safe = np.where(angle < SERIES_BELOW, 1.0, angle)
    square = np.minimum(angle, SERIES_BELOW) ** 2
    series = np.polynomial.polynomial.polyval(square, _COT_SERIES)
    half = 0.5 * safe
    direct = (1 - half * np.cos(half) / np.sin(half)) / safe**2
    out: Array = np.where(angle < SERIES_BELOW, series, direct)
    return out
