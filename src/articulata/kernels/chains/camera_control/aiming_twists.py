"""The twist that moves a camera and turns it to what it looks at, in one call.

What ``articulata.geometry.camera_motion.aiming_twist`` says in Python, which stays where the
horizon or the least turn says nothing: a tick of a flight has no time for it.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.space_vectors import Vector, ahead, cross, dot

LEVEL, RELATIVE, LOCKED = 0, 1, 2
"""Rules of the roll, numbered as ``geometry.camera_motion.ROLLS``."""


@kernel
def _unit(a: Vector) -> Vector:
    size = math.sqrt(dot(a, a))
    return a[0] / size, a[1] / size, a[2] / size


@kernel
def aiming(
    X: Array,
    v: Vector,
    step: float,
    to: Vector,
    roll: int,
    up: Vector,
    flat: float,
    most: float,
    out: Array,
) -> bool:
    """Write the twist ``out`` (6,) that moves by ``v`` for ``step`` s and then looks at ``to``.

    ``X`` (4, 4) is the camera's pose in W, ``v`` m/s in its own axes, ``to`` and ``up`` in W;
    ``flat`` is the sine of the angle to the vertical below which there is no level. A turn beyond
    ``most`` rad/s is as far along as that, while the nodal point goes straight. Return whether
    there is one answer: False where the view is vertical, turned to the opposite or has no length.
    """
    right = (X[0, 0], X[1, 0], X[2, 0])
    above = (X[0, 1], X[1, 1], X[2, 1])
    behind = (X[0, 2], X[1, 2], X[2, 2])
    p = (step * v[0], step * v[1], step * v[2])
    eye = (X[0, 3], X[1, 3], X[2, 3])
    eye = ahead(ahead(ahead(eye, p[0], right), p[1], above), p[2], behind)
    z = ahead(eye, -1.0, to)
    if not 0.0 < dot(z, z) < math.inf:
        return False
    z = _unit(z)
    vertical = flat * flat * dot(up, up)
    x = cross(up, z)
    if roll == RELATIVE:
        axis, cosine = cross(behind, z), dot(behind, z)
        if cosine < -1.0 + 1e-9:
            return False
        once = cross(axis, right)
        x = ahead(ahead(right, 1.0, once), 1.0 / (1.0 + cosine), cross(axis, once))
        x = ahead(x, -dot(x, z), z)
        if not dot(x, x) > 1e-12:
            return False
    elif dot(x, x) <= vertical:
        return False
    elif roll == LOCKED:
        before, after = cross(up, behind), _unit(x)
        if dot(before, before) <= vertical:
            return False
        before = _unit(before)
        # the roll from the horizon to the camera's right stays
        sine = dot(cross(before, right), behind)
        x = ahead((0.0, 0.0, 0.0), dot(before, right), after)
        x = ahead(x, sine, cross(z, after))
    x = _unit(x)
    y = cross(z, x)
    # the turn, by its matrix's rows: right, above and behind by x, y and z
    w = (
        dot(behind, y) - dot(above, z),
        dot(right, z) - dot(behind, x),
        dot(above, x) - dot(right, y),
    )
    sine = 0.5 * math.sqrt(dot(w, w))
    cosine = 0.5 * (dot(right, x) + dot(above, y) + dot(behind, z) - 1.0)
    if not (sine > 1e-6 or cosine > 0.0):
        return False
    angle = math.atan2(sine, cosine)
    share = min(1.0, most * step / angle) if angle > 0.0 else 1.0
    w = ahead((0.0, 0.0, 0.0), 0.5 * share * (angle / sine if sine > 1e-9 else 1.0), w)
    # the inverse of 1 + b [w] + c [w]^2 leads the origin straight
    square = dot(w, w)
    if square < 1e-4:
        k = 1.0 / 12.0 + square / 720.0
    else:
        half = 0.5 * math.sqrt(square)
        k = (1.0 - half / math.tan(half)) / square
    u = cross(w, p)
    back = ahead(ahead(p, -0.5, u), k, cross(w, u))
    for r in range(3):
        out[r], out[3 + r] = back[r] / step, w[r] / step
    return True
