"""Quaternions and poses of single frames, as tuples: what elaboration and edits compute with.

One pose at a time, without arrays: composing two tuples takes a microsecond, where an array
operation takes ten. Whole batches are ``articulata.geometry``'s business. Quaternions are w
first and of unit length; ``X_AB`` is a ``Pose``.
"""

from __future__ import annotations

import math
from itertools import product

from articulata.world.values import NO_TURN, ZERO, Pose, Quaternion, Vector3


def multiply(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the turn ``q`` followed by the turn ``p``, both along fixed axes."""
    if q == NO_TURN:
        return p
    if p == NO_TURN:
        return q
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return (
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    )


def conjugate(q: Quaternion) -> Quaternion:
    """Return the opposite turn."""
    w, x, y, z = q
    return (w, 0.0 - x, 0.0 - y, 0.0 - z)


def turned(q: Quaternion, v: Vector3) -> Vector3:
    """Return the vector ``v`` turned by ``q``."""
    if q == NO_TURN:
        return v
    w, x, y, z = q
    vx, vy, vz = v
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def unit(q: Quaternion) -> Quaternion:
    """Return ``q`` with length one; one that has it already, to rounding, stays as it is."""
    square = sum(each * each for each in q)
    if abs(square - 1.0) <= 4e-16:
        return q
    size = math.sqrt(square)
    w, x, y, z = q
    return (w / size, x / size, y / size, z / size)


def about(axis: Vector3, angle: float) -> Quaternion:
    """Return the turn by ``angle`` (rad) about a unit ``axis``."""
    if angle == 0.0:
        return NO_TURN
    half = 0.5 * angle
    c, s = math.cos(half), math.sin(half)
    x, y, z = axis
    return (c, s * x, s * y, s * z)


def compose(X_AB: Pose, X_BC: Pose) -> Pose:
    """Return ``X_AC``."""
    x, y, z = turned(X_AB.orientation, X_BC.position)
    px, py, pz = X_AB.position
    q = multiply(X_AB.orientation, X_BC.orientation)
    return Pose((px + x, py + y, pz + z), q)


def inverse(X_AB: Pose) -> Pose:
    """Return ``X_BA``."""
    q = conjugate(X_AB.orientation)
    x, y, z = turned(q, X_AB.position)
    return Pose((0.0 - x, 0.0 - y, 0.0 - z), q)


def moved(X_AB: Pose, p_B: Vector3) -> Vector3:
    """Return the point ``p_B``, written in B, in A."""
    x, y, z = turned(X_AB.orientation, p_B)
    px, py, pz = X_AB.position
    return (px + x, py + y, pz + z)


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Vector3, b: Vector3) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add(a: Vector3, b: Vector3) -> Vector3:
    """Return the sum."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """Return the difference."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def length(a: Vector3) -> float:
    """Return the length."""
    return math.sqrt(dot(a, a))


def direction(a: Vector3) -> Vector3:
    """Return the unit vector along ``a``, which must not be zero."""
    size = length(a)
    return a if size == 1.0 else (a[0] / size, a[1] / size, a[2] / size)


def between(a: Vector3, b: Vector3) -> Quaternion:
    """Return the smallest turn that brings unit vector ``a`` to unit vector ``b``."""
    c = dot(a, b)
    if c >= 1.0 - 1e-15:
        return NO_TURN
    if c <= -1.0 + 1e-12:
        # Half a turn about any axis across a; x is taken unless a lies along it.
        across = cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.9 else (0.0, 1.0, 0.0))
        x, y, z = direction(across)
        return (0.0, x, y, z)
    x, y, z = cross(a, b)
    return unit((1.0 + c, x, y, z))


def from_axes(x: Vector3, y: Vector3, z: Vector3) -> Quaternion:
    """Return the turn that brings the frame's axes to three orthonormal vectors.

    Shepperd's choice of the largest divisor (Journal of Guidance and Control 1, 1978).
    """
    trace = x[0] + y[1] + z[2]
    if trace > 0:
        s = 2 * math.sqrt(1 + trace)
        q = (s / 4, (y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s)
    elif x[0] >= y[1] and x[0] >= z[2]:
        s = 2 * math.sqrt(max(0.0, 1 + x[0] - y[1] - z[2]))
        q = ((y[2] - z[1]) / s, s / 4, (x[1] + y[0]) / s, (z[0] + x[2]) / s)
    elif y[1] >= z[2]:
        s = 2 * math.sqrt(max(0.0, 1 + y[1] - x[0] - z[2]))
        q = ((z[0] - x[2]) / s, (x[1] + y[0]) / s, s / 4, (y[2] + z[1]) / s)
    else:
        s = 2 * math.sqrt(max(0.0, 1 + z[2] - x[0] - y[1]))
        q = ((x[1] - y[0]) / s, (z[0] + x[2]) / s, (y[2] + z[1]) / s, s / 4)
    return unit(q)


def along(z: Vector3) -> Quaternion:
    """Return the smallest turn that brings the z axis to unit vector ``z``."""
    return between((0.0, 0.0, 1.0), z)


def frame_of(z: Vector3, toward_x: Vector3) -> Quaternion:
    """Return the turn to a frame with axis ``z`` and its x axis nearest to ``toward_x``."""
    x = subtract(toward_x, tuple_scaled(z, dot(z, toward_x)))
    x = direction(x)
    return from_axes(x, cross(z, x), z)


def tuple_scaled(a: Vector3, factor: float) -> Vector3:
    """Return ``a`` times a number."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


IDENTITY = Pose(ZERO, NO_TURN)


def to_the_bit(q: Quaternion, matrix: tuple[tuple[float, ...], ...]) -> Quaternion:
    """Return the quaternion beside ``q`` that makes the rows of a rotation to the last bit.

    Each part may differ by some rounding; ``q`` itself where none makes them.
    """
    sides = [_beside(each) for each in q]
    for steps in _STEPS:
        w, x, y, z = (side[step] for side, step in zip(sides, steps, strict=True))
        beside = (w, x, y, z)
        if unit(beside) == beside and Pose(ZERO, beside).rows() == matrix:
            return beside
    return q


_BESIDE = 3
"""How many numbers on either side of a part of a quaternion are tried."""

_STEPS = sorted(product(range(2 * _BESIDE + 1), repeat=4), key=sum)


def _beside(value: float) -> tuple[float, ...]:
    """Return a number and those nearest to it, the nearest first; 0 has none."""
    if value == 0.0:
        return (value,) * (2 * _BESIDE + 1)
    found = [value]
    up = down = value
    for _ in range(_BESIDE):
        up, down = math.nextafter(up, math.inf), math.nextafter(down, -math.inf)
        found += [up, down]
    return tuple(found)
