"""Three joints whose axes meet: their angles, and at which swivels these meet a limit.

A rotation is given as ``sums`` (3, 3, 3): a constant part, one times the cosine and one times the
sine of the swivel psi. ``joints`` and ``twists`` as in ``SwivelArm``.
"""

from __future__ import annotations

import math
from typing import Any

from articulata.kernels.compile import kernel

EDGE = 1e-12
"""How far beyond the end of a range cosines and lengths may be by rounding."""


@kernel(counted=False)
def add_cuts(k0: float, kc: float, ks: float, cuts: Any, count: int) -> int:
    """Append the roots of ``k0 + kc cos psi + ks sin psi``; return the new count."""
    size = math.sqrt(kc * kc + ks * ks)
    if size <= abs(k0) or size < 1e-14:
        return count
    middle = math.atan2(ks, kc)
    away = math.acos(-k0 / size)
    for side in (-1.0, 1.0):
        psi = middle + side * away
        cuts[count] = psi - 2.0 * math.pi * math.floor((psi + math.pi) / (2.0 * math.pi))
        count += 1
    return count


@kernel(counted=False)
def cut_ball(sums: Any, twists: Any, first: int, joints: Any, cuts: Any, count: int, k: Any) -> int:
    """Append where three concurrent joints, from ``first``, meet a limit or a singularity.

    For M = Rz(t1) Rx(a) Rz(t2) Rx(b) Rz(t3): M22 = ca cb - sa sb cos t2;
    (M02, M12) = Rz(t1) (sb sin t2, -(ca sb cos t2 + sa cb));
    (M20, M21) = Rz(-t3) (sa sin t2, cb sa cos t2 + sb ca).
    """
    ca, sa = twists[first, 0], twists[first, 1]
    cb, sb = twists[first + 1, 0], twists[first + 1, 1]
    for side in (-1.0, 1.0):
        # cos t2 = side: the branches meet
        count = add_cuts(
            sums[0, 2, 2] - ca * cb + side * sa * sb, sums[1, 2, 2], sums[2, 2, 2], cuts, count
        )
        for j in range(3):
            joint = joints[first + j]
            if joint[4] < -1.0:
                continue
            # cos and sin of the limit's table angle: the middle turned by half the range
            c = joint[2] * joint[4] - side * joint[3] * joint[5]
            s = joint[3] * joint[4] + side * joint[2] * joint[5]
            if j == 1:
                count = add_cuts(
                    sums[0, 2, 2] - ca * cb + sa * sb * c,
                    sums[1, 2, 2],
                    sums[2, 2, 2],
                    cuts,
                    count,
                )
                continue
            # cos t2 = (ca cb - M22) / (sa sb), put into the second component
            for part in range(3):
                cos2 = -sums[part, 2, 2] / (sa * sb)
                if part == 0:
                    cos2 += ca * cb / (sa * sb)
                if j == 0:
                    k[part] = c * sums[part, 1, 2] - s * sums[part, 0, 2] + ca * sb * cos2
                else:
                    k[part] = s * sums[part, 2, 0] + c * sums[part, 2, 1] - cb * sa * cos2
            k[0] += sa * cb if j == 0 else -sb * ca
            count = add_cuts(k[0], k[1], k[2], cuts, count)
    return count


@kernel(counted=False)
def rotation_at(sums: Any, cp: float, sp: float, m: Any) -> None:
    """Write the rotation (3, 3) at the swivel with cosine ``cp`` and sine ``sp``."""
    for r in range(3):
        for k in range(3):
            m[r, k] = sums[0, r, k] + cp * sums[1, r, k] + sp * sums[2, r, k]


@kernel(counted=False)
def ball_angles(m: Any, twists: Any, first: int, branch: int, turns: Any) -> bool:
    """Write cos and sin (3, 2) of three concurrent joints that make ``m``; False if none do."""
    ca, sa = twists[first, 0], twists[first, 1]
    cb, sb = twists[first + 1, 0], twists[first + 1, 1]
    cosine = (ca * cb - m[2, 2]) / (sa * sb)
    flat2 = m[0, 2] ** 2 + m[1, 2] ** 2
    b = -(ca * sb * cosine + sa * cb)
    if abs(b) > math.sqrt(flat2) + EDGE:
        return False
    a = math.sqrt(max(flat2 - b * b, 0.0))
    if (branch == 0) != (sb > 0.0):
        a = -a
    c1, s1 = 1.0, 0.0
    if flat2 > 1e-26:
        c1 = (a * m[0, 2] + b * m[1, 2]) / flat2
        s1 = (a * m[1, 2] - b * m[0, 2]) / flat2
        size = math.sqrt(c1 * c1 + s1 * s1)
        c1 /= size
        s1 /= size
    turns[0, 0] = c1
    turns[0, 1] = s1
    turns[1, 0] = -(ca * (c1 * m[1, 2] - s1 * m[0, 2]) + sa * m[2, 2]) / sb
    turns[1, 1] = (c1 * m[0, 2] + s1 * m[1, 2]) / sb
    turns[2, 0] = (ca * m[2, 1] - sa * (c1 * m[1, 1] - s1 * m[0, 1])) / sb
    turns[2, 1] = (ca * m[2, 0] - sa * (c1 * m[1, 0] - s1 * m[0, 0])) / sb
    return True


@kernel
def inside(turns: Any, joints: Any, first: int) -> bool:
    """Return whether three joints given by cos and sin are within their limits."""
    for j in range(3):
        joint = joints[first + j]
        if turns[j, 0] * joint[2] + turns[j, 1] * joint[3] < joint[4]:
            return False
    return True
