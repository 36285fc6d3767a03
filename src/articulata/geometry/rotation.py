"""Rotations: one value for matrix, quaternion, axis-angle, tracker angles and Euler angles.

A ``Rotation`` holds a batch of unit quaternions, w first, made canonical (w >= 0; for a half
turn the first non-zero of x, y, z is positive). ``R_AB`` maps vectors of frame B into frame A,
so ``R_AC = R_AB @ R_BC``. Angles in radians. Values that cannot be a rotation raise
``GeometryError``; every conversion is defined at its singularities and flags them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64
from articulata.geometry.euler import EulerAngles, q_from_euler, q_to_euler
from articulata.geometry.quaternion import (
    q_canonical,
    q_conjugate,
    q_distance,
    q_exp,
    q_from_matrix,
    q_log,
    q_multiply,
    q_normalize,
    q_rotate,
    q_slerp,
    q_to_matrix,
)

MATRIX_TOLERANCE = 1e-8
"""Largest entry of ``R^T R - 1`` that ``from_matrix`` takes for rounding. Unitless."""

TIED = 1e-12
"""Relative gap of eigen- or singular values under which a nearest rotation is not unique."""


@dataclass(frozen=True, slots=True, eq=False)
class AxisAngle:
    """Unit axes ``(*batch, 3)`` and angles ``(*batch,)`` in [0, pi] rad.

    ``singular`` is true where the axis is not determined: at the identity, where (0, 0, 1) is
    given, and at a half turn, where the axis and its opposite are the same rotation.
    """

    axis: Float64[Array, "*batch 3"]
    angle: Float64[Array, "*batch"]
    singular: Bool[BoolArray, "*batch"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rotation:
    """A batch of rotations. ``q`` is ``(*batch, 4)``: unit quaternions, w first, w >= 0.

    ``Rotation(q)`` normalises ``q``; a length other than 0 is allowed, NaN is not.

    >>> quarter = Rotation.from_axis_angle((0, 0, 1), np.pi / 2)
    >>> quarter.apply((1.0, 0.0, 0.0)).round(12) + 0.0
    array([0., 1., 0.])
    """

    q: Float64[Array, "*batch 4"]

    def __post_init__(self) -> None:
        q = _numbers(self.q, (4,), "a quaternion (w, x, y, z)")
        if np.any(np.all(q == 0, axis=-1)):
            raise GeometryError(
                "the quaternion (0, 0, 0, 0) is no rotation; the identity is (1, 0, 0, 0)"
            )
        q = q_canonical(q_normalize(q))
        q.setflags(write=False)
        object.__setattr__(self, "q", q)

    # ---------------------------------------------------------------- making

    @classmethod
    def identity(cls, shape: tuple[int, ...] = ()) -> Rotation:
        """Return identities in a batch of this shape."""
        return _trusted(np.broadcast_to(np.array([1.0, 0.0, 0.0, 0.0]), (*shape, 4)))

    @classmethod
    def from_quaternion(cls, q: npt.ArrayLike) -> Rotation:
        """Return rotations of quaternions ``(*batch, 4)``, w first, of any length but 0."""
        return cls(_numbers(q, (4,), "a quaternion (w, x, y, z)"))

    @classmethod
    def from_matrix(
        cls, R: npt.ArrayLike, *, tolerance: float = MATRIX_TOLERANCE, nearest: bool = False
    ) -> Rotation:
        """Return rotations of matrices ``(*batch, 3, 3)``.

        ``tolerance`` bounds the largest entry of ``R^T R - 1``. ``nearest=True`` takes the
        rotation nearest to each matrix in the sense of least squares, whatever the matrix.
        """
        M = _numbers(R, (3, 3), "a rotation matrix")
        if nearest:
            return _trusted(q_from_matrix(_nearest_matrix(M)))
        error = _largest(np.abs(np.swapaxes(M, -1, -2) @ M - np.eye(3)))
        if error > tolerance:
            raise GeometryError(
                f"the matrix is not orthogonal: R^T R differs from 1 by {error:.3g}, allowed is "
                f"tolerance={tolerance:g}. Correct the matrix, or pass nearest=True to take the "
                "rotation nearest to it"
            )
        if M.size and np.min(np.linalg.det(M)) < 0:
            raise GeometryError(
                "the matrix is a reflection (its determinant is -1), not a rotation; change the "
                "sign of one axis, or pass nearest=True to take the rotation nearest to it"
            )
        return _trusted(q_from_matrix(M))

    @classmethod
    def from_rotation_vector(cls, w: npt.ArrayLike) -> Rotation:
        """Return rotations about ``w`` by ``|w|`` rad, ``(*batch, 3)``; any length."""
        return _trusted(q_canonical(q_normalize(q_exp(_numbers(w, (3,), "a rotation vector")))))

    exp = from_rotation_vector

    @classmethod
    def from_axis_angle(cls, axis: npt.ArrayLike, angle: npt.ArrayLike) -> Rotation:
        """Return turns by ``angle`` (rad) about ``axis``, ``(*batch, 3)``, of any length but 0."""
        a = _numbers(axis, (3,), "an axis")
        theta = _numbers(angle, (), "an angle")
        length = np.max(np.abs(a), axis=-1, keepdims=True)
        if np.any(length == 0):
            raise GeometryError("the axis (0, 0, 0) has no direction; give a vector of any length")
        a = a / length
        a = a / np.sqrt(np.sum(a * a, axis=-1, keepdims=True))
        try:
            shape = np.broadcast_shapes(a.shape[:-1], theta.shape)
        except ValueError:
            raise GeometryError(
                f"axes of batch shape {a.shape[:-1]} and angles of shape {theta.shape} do not "
                "broadcast together"
            ) from None
        q = np.empty((*shape, 4))
        q[..., 0] = np.cos(0.5 * theta)
        q[..., 1:] = np.sin(0.5 * theta)[..., None] * a
        return _trusted(q_canonical(q_normalize(q)))

    @classmethod
    def from_euler(cls, order: str, angles: npt.ArrayLike) -> Rotation:
        """Return rotations of angle triples ``(*batch, 3)``, rad, in one of the 24 sequences.

        ``"XYZ"`` (upper case) is intrinsic: ``Rx Ry Rz``; ``"xyz"`` extrinsic: ``Rz Ry Rx``.
        """
        triple = _numbers(angles, (3,), f"angles for {order!r}")
        return _trusted(q_canonical(q_normalize(q_from_euler(order, triple))))

    @classmethod
    def from_azimuth_elevation_roll(
        cls, azimuth: npt.ArrayLike, elevation: npt.ArrayLike, roll: npt.ArrayLike
    ) -> Rotation:
        """Return rotations of a tracker's angles, rad, each ``(*batch,)``.

        Azimuth about z, then elevation about the turned y, then roll about the twice turned x:
        ``Rz(azimuth) Ry(elevation) Rx(roll)``, Polhemus Fastrak's convention.
        """
        try:
            triple = np.broadcast_arrays(
                *(np.asarray(a, dtype=np.float64) for a in (azimuth, elevation, roll))
            )
        except ValueError:
            raise GeometryError("azimuth, elevation and roll must broadcast together") from None
        return cls.from_euler("ZYX", np.stack(triple, axis=-1))

    @classmethod
    def stack(cls, rotations: Sequence[Rotation]) -> Rotation:
        """Return the rotations, all of one batch shape, along a new leading axis."""
        return _trusted(np.stack([r.q for r in rotations]))

    # ------------------------------------------------------------ converting

    def to_quaternion(self) -> Float64[Array, "*batch 4"]:
        """Return unit quaternions ``(*batch, 4)``, w first, w >= 0."""
        return self.q.copy()

    def to_matrix(self) -> Float64[Array, "*batch 3 3"]:
        """Return rotation matrices ``(*batch, 3, 3)``."""
        return q_to_matrix(self.q)

    def to_rotation_vector(self) -> Float64[Array, "*batch 3"]:
        """Return axis times angle, ``(*batch, 3)``, of length <= pi rad."""
        return q_log(self.q)

    def log(self) -> Float64[Array, "*batch 3"]:
        """Return the rotation vector, the inverse of ``Rotation.exp``; rad."""
        return q_log(self.q)

    def to_axis_angle(self) -> AxisAngle:
        """Return axes and angles, with a flag where the axis is not determined."""
        v = self.q[..., 1:]
        scale = np.max(np.abs(v), axis=-1, keepdims=True)
        none = scale == 0
        unit = v / np.where(none, 1.0, scale)
        length = np.sqrt(np.sum(unit * unit, axis=-1, keepdims=True))
        axis = np.where(none, np.array([0.0, 0.0, 1.0]), unit / np.where(none, 1.0, length))
        angle = np.asarray(2 * np.arctan2((scale * length)[..., 0], self.q[..., 0]))
        singular = none[..., 0] | (self.q[..., 0] <= np.finfo(float).eps)
        return AxisAngle(axis=axis, angle=angle, singular=np.asarray(singular))

    def to_euler(self, order: str) -> EulerAngles:
        """Return angles in one of the 24 sequences, flagged at gimbal lock."""
        return q_to_euler(order, self.q)

    def to_azimuth_elevation_roll(self) -> EulerAngles:
        """Return a tracker's angles, rad; singular where the elevation is +-pi/2."""
        return q_to_euler("ZYX", self.q)

    # ------------------------------------------------------------- computing

    def __matmul__(self, other: Rotation) -> Rotation:
        """Return ``R_AC`` from ``R_AB @ R_BC``; batches broadcast."""
        if not isinstance(other, Rotation):
            return NotImplemented
        self._must_broadcast(other)
        return _trusted(q_canonical(q_normalize(q_multiply(self.q, other.q))))

    def inverse(self) -> Rotation:
        """Return ``R_BA`` from ``R_AB``."""
        return _trusted(q_canonical(q_conjugate(self.q)))

    def apply(self, p_B: npt.ArrayLike) -> Float64[Array, "*batch 3"]:
        """Return vectors ``p_A``, ``(*batch, 3)``, from ``p_B``; batches broadcast."""
        p = _numbers(p_B, (3,), "a vector")
        try:
            return q_rotate(self.q, p)
        except ValueError:
            raise GeometryError(
                f"{p.shape[:-1]} vectors and {self.shape} rotations do not broadcast together"
            ) from None

    def distance(self, other: Rotation) -> Array:
        """Return the angle, ``(*batch,)`` rad in [0, pi], of the rotation between the two."""
        self._must_broadcast(other)
        return q_distance(self.q, other.q)

    def slerp(self, other: Rotation, t: npt.ArrayLike) -> Rotation:
        """Return the rotation a fraction ``t`` of the short way to ``other``.

        ``t`` broadcasts with the batch; outside [0, 1] it extrapolates. Between rotations a half
        turn apart the way about the canonical axis of ``self^-1 other`` is taken.
        """
        self._must_broadcast(other)
        fraction = _numbers(t, (), "the fraction t")
        try:
            return _trusted(q_slerp(self.q, other.q, fraction))
        except ValueError:
            raise GeometryError(
                f"t of shape {fraction.shape} does not broadcast with rotations {self.shape}"
            ) from None

    def mean(self, weights: npt.ArrayLike | None = None) -> Rotation:
        """Return the one rotation with the least weighted sum of squared matrix differences.

        Averages over the whole batch. Source: Markley et al., Averaging Quaternions, J. Guidance
        30 (2007) 1193. Rotations that balance each other have no mean: ``GeometryError``.
        """
        q = self.q.reshape(-1, 4)
        if len(q) == 0:
            raise GeometryError("an empty batch of rotations has no mean")
        w = np.ones(len(q)) if weights is None else _numbers(weights, (), "weights").reshape(-1)
        if w.shape != (len(q),) or np.any(w < 0) or np.sum(w) == 0:
            raise GeometryError(
                f"a mean of {len(q)} rotations needs {len(q)} weights >= 0, not all of them 0"
            )
        values, vectors = np.linalg.eigh((w[:, None] * q).T @ q / np.sum(w))
        if values[3] - values[2] <= TIED * values[3]:
            raise GeometryError(
                "the rotations balance each other, so that no mean is nearer than another; "
                "give weights or leave one out"
            )
        return _trusted(q_canonical(q_normalize(vectors[:, 3])))

    def isclose(self, other: Rotation, *, tolerance: float = 1e-12) -> BoolArray:
        """Return where the two differ by at most ``tolerance`` rad."""
        return np.asarray(self.distance(other) <= tolerance)

    # ------------------------------------------------------------ as a batch

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape."""
        return self.q.shape[:-1]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single rotation has no length")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Rotation:
        if not self.shape:
            raise TypeError("a single rotation cannot be indexed")
        # positions are indexed, so that the last axis, the quaternion, stays whole
        numbers = np.arange(int(np.prod(self.shape))).reshape(self.shape)
        return _trusted(self.q.reshape(-1, 4)[numbers[index]])

    def __iter__(self) -> Iterator[Rotation]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Rotation(q={np.array2string(self.q, separator=', ', threshold=12)})"

    def _must_broadcast(self, other: Rotation) -> None:
        try:
            np.broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise GeometryError(
                f"rotations in batches {self.shape} and {other.shape} do not broadcast together"
            ) from None


def _trusted(q: Array) -> Rotation:
    """Return a rotation of quaternions known to be unit and canonical, without checks."""
    rotation = object.__new__(Rotation)
    if q.flags.writeable:
        q.setflags(write=False)
    object.__setattr__(rotation, "q", q)
    return rotation


def _numbers(value: npt.ArrayLike, tail: tuple[int, ...], what: str) -> Array:
    """Return a float64 array ``(*batch, *tail)`` of finite numbers, or say what is wrong."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GeometryError(f"{what} must be numbers, not {value!r}") from None
    if array.shape[array.ndim - len(tail) :] != tail or array.ndim < len(tail):
        wanted = " x ".join(map(str, tail))
        raise GeometryError(f"{what} needs {wanted} numbers; the shape given is {array.shape}")
    if not np.all(np.isfinite(array)):
        raise GeometryError(f"{what} holds NaN or infinity; only finite numbers are allowed")
    return array


def _largest(values: Array) -> float:
    return float(np.max(values)) if values.size else 0.0


def _nearest_matrix(M: Array) -> Array:
    """Return the rotation matrices nearest to ``M`` (Frobenius): ``U diag(1, 1, +-1) V^T``."""
    U, s, Vt = np.linalg.svd(M)
    sign = np.where(np.linalg.det(U @ Vt) < 0, -1.0, 1.0)
    # unique unless the two smallest singular values cancel: s2 + s3 for a rotation-like
    # matrix, s2 - s3 for a reflection-like one (Higham, Functions of Matrices, 8.1)
    gap = s[..., 1] + sign * s[..., 2]
    if np.any(gap <= TIED * s[..., 0]):
        raise GeometryError(
            "no single rotation is nearest to the matrix: it flattens space to a line or mirrors "
            "it evenly; correct the matrix"
        )
    U = U.copy()
    U[..., :, 2] *= sign[..., None]
    R: Array = U @ Vt
    return R
