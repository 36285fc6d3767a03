"""The 24 Euler sequences: three angles about coordinate axes, and where they are singular.

Upper case letters name intrinsic sequences (each turn about an axis of the turned frame), lower
case letters extrinsic ones (about the fixed axes), as SciPy writes them. ``"ZYX"`` with angles
(a, e, r) is the tracker's azimuth, elevation, roll: ``Rz(a) Ry(e) Rx(r)``. Angles in radians.

Source of the inverse: Bernardes & Viollet, Quaternion to Euler angles conversion: a direct,
general and computationally efficient method, PLoS ONE 17 (2022) e0276302. It works with half
sums and half differences of the outer angles, so the rotation is recovered to rounding at and
near gimbal lock, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64
from articulata.geometry.quaternion import q_multiply

EXTRINSIC: tuple[str, ...] = tuple(
    "".join(s) for s in product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]
)
"""The 12 sequences about fixed axes."""

INTRINSIC: tuple[str, ...] = tuple(s.upper() for s in EXTRINSIC)
"""The 12 sequences about the axes of the turned frame."""

ORDERS: tuple[str, ...] = INTRINSIC + EXTRINSIC
"""All 24 sequences."""

NEAR_SINGULAR = 1e-7
"""Middle angles this close to gimbal lock, rad, are flagged: the outer angles lose 7 digits."""

AT_SINGULAR = 5e-14
"""Half of the middle angle's distance to lock, rad, under which only the sum or the difference
of the outer angles is more than rounding noise; the third angle is set to 0 there. Angles of some
turns and rotations after some hundred products are off lock by as much."""


@dataclass(frozen=True, slots=True, eq=False)
class EulerAngles:
    """Three angles in the order of their sequence, and where they are not unique.

    ``angles`` is ``(*batch, 3)``, rad: the outer ones in (-pi, pi], the middle one in
    [-pi/2, pi/2] for three different axes and in [0, pi] when the first axis returns.
    ``singular`` is ``(*batch,)``: true at and within 1e-7 rad of gimbal lock. At lock, to
    4e-14 rad, the third angle is 0 by convention. Everywhere the angles give back the rotation
    they came from, to 5e-14 rad.
    """

    order: str
    angles: Float64[Array, "*batch 3"]
    singular: Bool[BoolArray, "*batch"]


def axes_of(order: str) -> tuple[int, int, int, bool]:
    """Return the three axis indices (0 = x) and whether the sequence is intrinsic."""
    if order not in ORDERS:
        raise GeometryError(
            f"no Euler sequence {order!r}: give three axis letters with no two neighbours equal, "
            "all upper case (intrinsic, turned axes) or all lower case (extrinsic, fixed axes), "
            "such as 'ZYX' or 'xyz'"
        )
    i, j, k = ("xyz".index(letter) for letter in order.lower())
    return i, j, k, order.isupper()


def q_about_axis(axis: int, angle: npt.ArrayLike) -> Array:
    """Return the quaternions ``(*batch, 4)`` of turns about a coordinate axis; rad."""
    angle = np.asarray(angle, dtype=np.float64)
    q = np.zeros((*angle.shape, 4))
    q[..., 0] = np.cos(0.5 * angle)
    q[..., 1 + axis] = np.sin(0.5 * angle)
    return q


def q_from_euler(order: str, angles: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 4"]:
    """Return the quaternions ``(*batch, 4)`` of angle triples ``(*batch, 3)``, rad."""
    i, j, k, intrinsic = axes_of(order)
    first = q_about_axis(i, angles[..., 0])
    second = q_about_axis(j, angles[..., 1])
    third = q_about_axis(k, angles[..., 2])
    if intrinsic:
        return q_multiply(q_multiply(first, second), third)
    return q_multiply(q_multiply(third, second), first)


def q_to_euler(order: str, q: Float64[Array, "*batch 4"]) -> EulerAngles:
    """Return the angles of unit quaternions ``(*batch, 4)`` in one of the 24 sequences."""
    i, j, k, intrinsic = axes_of(order)
    if intrinsic:  # an intrinsic sequence is the extrinsic one read backwards
        i, k = k, i
    proper = i == k
    third_axis = 3 - i - j if proper else k
    sign = (i - j) * (j - third_axis) * (third_axis - i) // 2
    w, x, y, z = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + third_axis]
    if proper:
        a, b, c, d = w, x, y, z
    else:
        root = np.sqrt(0.5)
        a, b, c, d = root * (w - y), root * (x + z), root * (y + w), root * (z - x)
    # a + ib and c + id carry the half sum and the half difference of the outer angles
    ab, cd = np.hypot(a, b), np.hypot(c, d)
    middle = 2 * np.arctan2(cd, ab)
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    low, high = cd <= AT_SINGULAR, ab <= AT_SINGULAR
    # the middle angle at the lock itself is off by no more than half of what it might be
    middle = np.where(low, 0.0, np.where(high, np.pi, middle))
    # last axis of an extrinsic sequence = first angle of the intrinsic one; the returned third
    # angle is made 0 by giving all of the turn to the other outer angle
    inner, outer = half_sum - half_difference, half_sum + half_difference
    if intrinsic:
        inner = np.where(low | high, 0.0, inner)
        outer = np.where(low, 2 * half_sum, np.where(high, 2 * half_difference, outer))
    else:
        outer = np.where(low | high, 0.0, outer)
        inner = np.where(low, 2 * half_sum, np.where(high, -2 * half_difference, inner))
    if not proper:
        outer = sign * outer
        middle = middle - 0.5 * np.pi
    first, last = (outer, inner) if intrinsic else (inner, outer)
    angles = np.stack([first, middle, last], axis=-1)
    angles[..., ::2] = _wrapped(angles[..., ::2])
    angles += 0.0  # turns -0.0 into 0.0
    singular = np.minimum(ab, cd) <= 0.5 * NEAR_SINGULAR
    return EulerAngles(order=order, angles=angles, singular=np.asarray(singular))


def _wrapped(angle: Array) -> Array:
    """Return angles in (-pi, pi]."""
    full = 2 * np.pi
    angle = np.where(angle > np.pi, angle - full, angle)
    return np.where(angle <= -np.pi, angle + full, angle)
