"""How a camera's frame moves: rates held for a time, a twist between two poses, where to look.

X_WC is the pose of the camera C in the world W; C looks along -z, x is to the right of the picture
and y up. A twist is (6,): velocity of the nodal point (m/s) and rate (rad/s), in the axes of C
unless they are said to be the world's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.camera import look_at

Roll: TypeAlias = Literal["level", "relative", "locked"]
"""How a camera that looks at something stands about its view: ``level`` with the horizon,
``relative`` turned by no more than the new direction asks, ``locked`` at the roll it has."""

Triple: TypeAlias = Sequence[float]

ROLLS: Final = ("level", "relative", "locked")

FLAT: Final = 1e-3
"""Sine of the angle to the vertical below which the horizon says nothing about the roll."""


def moved(
    X_WC: npt.ArrayLike, twists: npt.ArrayLike, step: float, *, in_world: bool = False
) -> Float64[Array, "n 4 4"]:
    """Return the frames (n, 4, 4) after each of ``twists`` (n, 6), held for ``step`` s each.

    In the camera's axes ``X_WC exp(twist step)``, exactly, however great the turn: origin and axes
    go along one screw. ``in_world`` takes velocity and rate in the world's axes: the origin goes
    straight while the axes turn. The axes stay orthonormal to rounding after any number of steps.
    """
    from articulata.kernels.chains.screw_steps import walk

    X = _pose(X_WC)
    given = np.ascontiguousarray(twists, np.float64)
    if given.ndim != 2 or given.shape[1] != 6 or not np.isfinite(given).all():
        raise GeometryError(f"twists are (n, 6) finite numbers, m/s and rad/s; not {given.shape}")
    if not math.isfinite(step):
        raise GeometryError(f"a step is a time in s, not {step}")
    out = np.empty((len(given), 3, 4))
    walk(X[:3].copy(), given, float(step), in_world, 1, out)
    return whole(out)


def twist_between(X_0: Array, X_1: Array, step: float) -> Float64[Array, "6"]:
    """Return the twist, in the axes of the first, that leads from a pose to another in ``step`` s.

    The logarithm of ``X_0^-1 X_1`` by the shorter way: its turn is at most half a turn. Poses are
    (4, 4) or (3, 4).
    """
    R0 = X_0[:3, :3]
    R = R0.T @ X_1[:3, :3]
    p = (R0.T @ (X_1[:3, 3] - X_0[:3, 3])).tolist()
    return np.array(_log(R.tolist(), p)) / float(step)


def _log(R: Sequence[Triple], p: Triple) -> tuple[float, ...]:
    """Return the twist (6,) of a rotation, by rows, and a place: the logarithm of a pose."""
    (a, b, c), (d, e, f), (g, h, i) = R
    px, py, pz = p
    x, y, z = h - f, c - g, d - b
    sine = 0.5 * math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (a + e + i - 1.0)
    angle = math.atan2(sine, cosine)
    if sine > 1e-6 or cosine > 0.0:
        scale = 0.5 * (angle / sine if sine > 1e-9 else 1.0)
        wx, wy, wz = scale * x, scale * y, scale * z
    else:
        # half a turn: the axis is the column of R + 1 that is longest
        S = np.array(R) + np.eye(3)
        axis = S[:, int(np.argmax(np.sum(S * S, axis=0)))]
        axis = axis / np.linalg.norm(axis)
        if axis @ (x, y, z) < 0.0:
            axis = -axis
        wx, wy, wz = (angle * axis).tolist()
    # the inverse of 1 + b [w] + c [w]^2
    square = wx * wx + wy * wy + wz * wz
    if square < 1e-4:
        k = 1.0 / 12.0 + square / 720.0
    else:
        half = 0.5 * math.sqrt(square)
        k = (1.0 - half / math.tan(half)) / square
    ux, uy, uz = wy * pz - wz * py, wz * px - wx * pz, wx * py - wy * px
    qx, qy, qz = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
    return (
        px - 0.5 * ux + k * qx, py - 0.5 * uy + k * qy, pz - 0.5 * uz + k * qz, wx, wy, wz
    )  # fmt: skip


def aiming_twist(
    X_WC: Array,
    v: Triple,
    step: float,
    target: Triple,
    *,
    roll: Roll = "level",
    up: Triple = (0.0, 1.0, 0.0),
) -> tuple[float, ...]:
    """Return the twist (6,) held for ``step`` s that moves by ``v`` and then looks at ``target``.

    ``v`` (3,) m/s is in the axes of the camera at ``X_WC`` (4, 4), ``target`` (3,) in W. It leads
    to the pose of ``aimed``, whose errors it raises.
    """
    right, above, behind, p = X_WC[:3].T.tolist()
    a, b, c = step * v[0], step * v[1], step * v[2]
    eye = (
        p[0] + a * right[0] + b * above[0] + c * behind[0],
        p[1] + a * right[1] + b * above[1] + c * behind[1],
        p[2] + a * right[2] + b * above[2] + c * behind[2],
    )
    x, y, z = _aimed(right, behind, eye, target, roll, up)
    R = [(_dot(row, x), _dot(row, y), _dot(row, z)) for row in (right, above, behind)]
    return tuple(each / step for each in _log(R, (a, b, c)))


def aimed(
    X_WC: Array,
    place: npt.ArrayLike,
    target: npt.ArrayLike,
    *,
    roll: Roll = "level",
    up: npt.ArrayLike = (0.0, 1.0, 0.0),
) -> Float64[Array, "4 4"]:
    """Return the pose at ``place`` (3,) that looks at ``target`` (3,), coming from ``X_WC``.

    ``up`` is that of the horizon. Where the view is vertical the horizon says nothing, and where it
    is turned to the opposite no turn is the least: there the camera keeps its right.
    Raise GeometryError where place and target are one point.
    """
    eye, to, above = (tuple(map(float, each)) for each in (place, target, up))  # type: ignore[arg-type] # looked at below
    if not len(eye) == len(to) == len(above) == 3:
        raise GeometryError("a place, a target and up are three numbers each")
    right, _, behind, _ = X_WC[:3].T.tolist()
    x, y, z = _aimed(right, behind, eye, to, roll, above)
    return np.array(
        [
            (x[0], y[0], z[0], eye[0]),
            (x[1], y[1], z[1], eye[1]),
            (x[2], y[2], z[2], eye[2]),
            (0.0, 0.0, 0.0, 1.0),
        ]
    )


def _aimed(
    right: Triple, behind: Triple, eye: Triple, to: Triple, roll: Roll, above: Triple
) -> tuple[Triple, Triple, Triple]:
    """Return the axes of ``aimed`` for a camera whose right and back are given."""
    back = eye[0] - to[0], eye[1] - to[1], eye[2] - to[2]
    length = math.hypot(*back)
    if not (math.isfinite(length) and length > 0.0):
        raise GeometryError(
            "a camera looks at another point than its own; the target is in its nodal point"
        )
    z = back[0] / length, back[1] / length, back[2] / length
    if roll == "level":
        x = _level(z, above) or _right_of(right, z)
    elif roll == "relative":
        x = _carried_right(right, behind, z)
    elif roll == "locked":
        before, after = _level(behind, above), _level(z, above)
        if before is None or after is None:
            x = _carried_right(right, behind, z)
        else:
            # the roll from the horizon to the camera's right stays
            cosine, sine = _dot(before, right), _dot(_cross(before, right), behind)
            over = _cross(z, after)
            x = tuple(cosine * a + sine * b for a, b in zip(after, over, strict=True))
    else:
        raise GeometryError(f"roll is one of {', '.join(ROLLS)}; not {roll!r}")
    x = _unit(x)
    return x, _cross(z, x), z


def _cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _unit(a: Triple) -> Triple:
    size = math.hypot(*a)
    return a[0] / size, a[1] / size, a[2] / size


def _level(z: Triple, above: Triple) -> Triple | None:
    """Return the level right of a camera whose back is along ``z``; None where it is vertical."""
    across = _cross(above, z)
    return None if math.hypot(*across) <= FLAT * math.hypot(*above) else _unit(across)


def _right_of(x_old: Triple, z: Triple) -> Triple:
    """Return the direction across ``z`` that is nearest to ``x_old``."""
    along = _dot(x_old, z)
    x = x_old[0] - along * z[0], x_old[1] - along * z[1], x_old[2] - along * z[2]
    if math.hypot(*x) > 1e-6:
        return x
    return tuple(look_at((0.0, 0.0, 0.0), [-each for each in z])[:3, 0].tolist())


def _carried_right(x_old: Triple, z_old: Triple, z: Triple) -> Triple:
    """Return ``x_old`` turned by the least turn that brings ``z_old`` to ``z``."""
    axis, cosine = _cross(z_old, z), _dot(z_old, z)
    if cosine < -1.0 + 1e-9:
        return _right_of([-each for each in x_old], z)  # half a turn about the camera's own y
    once = _cross(axis, x_old)
    twice = _cross(axis, once)
    share = 1.0 / (1.0 + cosine)
    turned = [x + a + share * b for x, a, b in zip(x_old, once, twice, strict=True)]
    return _right_of(turned, z)


def whole(X: Array) -> Array:
    """Return frames (*batch, 3, 4) as poses (*batch, 4, 4)."""
    out = np.zeros((*X.shape[:-2], 4, 4))
    out[..., :3, :] = X
    out[..., 3, 3] = 1.0
    return out


def _pose(X: npt.ArrayLike) -> Array:
    given = np.ascontiguousarray(X, np.float64)
    if given.shape != (4, 4) or not np.isfinite(given).all():
        raise GeometryError(f"a camera's pose is (4, 4) finite numbers, not {given.shape}")
    return given
