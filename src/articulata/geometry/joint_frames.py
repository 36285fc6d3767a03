"""Fixed frames about a joint, from the parameters that tables of joints give.

A joint's motion is a turn about z or a slide along z of its frame J. ``X_PJ`` leads there from
the link before, ``X_JL`` from there to the link it carries. Standard table:
``Rz(theta) Tz(d) Tx(a) Rx(alpha)``; modified (Craig, (3.6)): ``Rx(alpha) Tx(a) Rz(theta) Tz(d)``
with ``a`` and ``alpha`` of the link before. Radians and metres.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.geometry.arrays import Array, Float64


def standard_frames(
    theta: float, d: float, a: float, alpha: float, *, slides: bool
) -> tuple[Array, Array]:
    """Return ``X_PJ`` and ``X_JL`` of a row of a standard table; L stands at the link's end."""
    turn, shift = rotation_z(theta), translation(0.0, 0.0, d)
    end = translation(a, 0.0, 0.0) @ rotation_x(alpha)
    # The joint's motion goes first; what of theta and d is fixed goes where it commutes.
    return (turn, shift @ end) if slides else (np.eye(4), turn @ shift @ end)


def modified_frames(
    theta: float, d: float, a: float, alpha: float, *, slides: bool
) -> tuple[Array, Array]:
    """Return ``X_PJ`` and ``X_JL`` of a row of a modified table (Craig)."""
    before = rotation_x(alpha) @ translation(a, 0.0, 0.0)
    turn, shift = rotation_z(theta), translation(0.0, 0.0, d)
    return (before @ turn, shift) if slides else (before, turn @ shift)


def axis_frame(axis: Float64[Array, "3"]) -> Float64[Array, "4 4"]:
    """Return the pose (4, 4) that turns z to the unit vector along ``axis``, which is not zero."""
    z = axis / float(np.linalg.norm(axis))
    # The coordinate axis most across z gives exact columns for axes along x, y or z.
    across = np.zeros(3)
    across[int(np.argmin(np.abs(z)))] = 1.0
    y = np.cross(z, across)
    y /= np.linalg.norm(y)
    X = np.eye(4)
    X[:3, 0], X[:3, 1], X[:3, 2] = np.cross(y, z), y, z
    return X


def _cos_sin(angle: float) -> tuple[float, float]:
    """Return cosine and sine, exact at multiples of a quarter turn as tables print them."""
    quarters = angle / (math.pi / 2)
    nearest = round(quarters) if math.isfinite(quarters) else 0
    if quarters == nearest:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[nearest % 4]
    return math.cos(angle), math.sin(angle)


def rotation_x(angle: float) -> Array:
    """Return the pose (4, 4) turned by ``angle`` rad about x."""
    c, s = _cos_sin(angle)
    return np.array([[1.0, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def rotation_y(angle: float) -> Array:
    """Return the pose (4, 4) turned by ``angle`` rad about y."""
    c, s = _cos_sin(angle)
    return np.array([[c, 0, s, 0], [0, 1.0, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]])


def rotation_z(angle: float) -> Array:
    """Return the pose (4, 4) turned by ``angle`` rad about z."""
    c, s = _cos_sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1]])


def translation(x: float, y: float, z: float) -> Array:
    """Return the pose (4, 4) moved by ``x``, ``y``, ``z`` (m)."""
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X
