"""Six turning joints of which three neighbours meet in one point: the kernel behind ``pieper6``.

The arm and its pose close a loop. It is read from behind the three joints that meet, so that their
point S is carried by the other three alone: ``Rz(a) g0 Rz(b) g1 Rz(c) p = P`` with p and P known
(Pieper, The kinematics of manipulators under computer control, 1968). The height of P and its
distance are two equations that are linear in cos b and sin b, with coefficients linear in cos c and
sin c. Where axes a and b meet or are parallel one of them holds c alone, else b is eliminated and
c is a root of a quartic on the circle. The orientation then gives the three that meet, in two ways.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.general6_kernels import inverted, product
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.functions import arc_tangent2
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.kernels.lanes.vectors import FASTMATH, load, store

WRIST, SINGULAR, OUTSIDE = 1, 8, 16
"""Where branches meet: two of the three axes that meet are in line; elsewhere. Last: no branch."""

_SINGULAR = 1e-7
_ROUNDS = 40


@kernel
def turned_behind(x: Any, angle: float, y: Any, out: Any) -> None:
    """Write the product ``x Rz(angle) y`` of rigid motions (3, 4)."""
    c = math.cos(angle)
    s = math.sin(angle)
    for r in range(3):
        u = c * x[r, 0] + s * x[r, 1]
        v = c * x[r, 1] - s * x[r, 0]
        for k in range(4):
            out[r, k] = u * y[0, k] + v * y[1, k] + x[r, 2] * y[2, k]
        out[r, 3] += x[r, 3]


@kernel
def close_loop(
    parts: Any, where: Any, pose: Any, value: float, side: float, g: Any, room: Any
) -> None:
    """Write the links of a loop that depend on the pose and on the joint that is given.

    ``where`` (3,): the link that holds the pose, that of the given joint (-1: none) and the kind:
    0 apart, 1 the joint before the pose, 2 behind it. ``parts`` (4, 3, 4): what stands on both
    sides of the pose and of the joint. A ``side`` of -1: the loop is read backwards.
    """
    if side > 0.0:
        inverted(pose, room[0])
    else:
        room[0] = pose
    product(parts[0], room[0], room[1])
    product(room[1], parts[1], room[0])
    if where[1] < 0:
        g[where[0]] = room[0]
    elif where[2] == 0:
        g[where[0]] = room[0]
        turned_behind(parts[2], side * value, parts[3], g[where[1]])
    elif where[2] == 1:
        turned_behind(parts[2], side * value, room[0], g[where[0]])
    else:
        turned_behind(room[0], side * value, parts[3], g[where[0]])


@kernel(fastmath=FASTMATH)
def pieper_branches(
    loop: Any,
    parts: Any,
    where: Any,
    order: Any,
    heights: Any,
    quartic: bool,
    side: float,
    unit: float,
    slack: float,
    targets: Any,
    values: Any,
    q: Any,
    flags: Any,
    begin: int,
    end: int,
) -> None:
    """Write all branches ``q`` (m, 8, n), NaN where none, and ``flags`` (m, 8) of poses.

    ``loop`` (6, 3, 4) links behind the joints a, b, c and the three that meet; ``order`` (7,) their
    numbers in the chain, then that of the given joint; ``heights`` (2,) of S on the first and last
    of the three; ``slack``: share by which a cosine may pass 1 and be taken for it.
    """
    g = loop.copy()
    room = np.empty((4, 3, 4))
    pose = np.empty((3, 4))
    f = np.empty((3, 3))
    roots = np.empty(4, np.complex128)
    ends = np.empty((2, 2))
    w = np.empty((3, 3))
    v = np.empty((3, 3))
    t = np.empty(12)
    # angles of all branches are taken at once, on lanes; joint by joint, branch by branch
    lanes = np.ones((2, 48 // LANES_FLOAT64, LANES_FLOAT64))
    cosines = lanes[0].reshape(48)
    sines = lanes[1].reshape(48)
    # where near misses are wanted: a length besides, for a point S close to an axis
    beside = 0.1 * slack if slack > 1e-6 else 0.0
    for m in range(begin, end):
        q[m] = np.nan
        flags[m] = OUTSIDE
        total = 0.0
        for r in range(3):
            for k in range(4):
                pose[r, k] = targets[m, r, k] / unit if k == 3 else targets[m, r, k]
                total += pose[r, k]
        if not math.isfinite(total):
            continue
        close_loop(parts, where, pose, values[m], side, g, room)
        # S in front of joint a, and behind joint c
        dx, dy, dz = -g[5, 0, 3], -g[5, 1, 3], heights[1] - g[5, 2, 3]
        ax = g[5, 0, 0] * dx + g[5, 1, 0] * dy + g[5, 2, 0] * dz
        ay = g[5, 0, 1] * dx + g[5, 1, 1] * dy + g[5, 2, 1] * dz
        az = g[5, 0, 2] * dx + g[5, 1, 2] * dy + g[5, 2, 2] * dz
        px = g[2, 0, 2] * heights[0] + g[2, 0, 3]
        py = g[2, 1, 2] * heights[0] + g[2, 1, 3]
        pz = g[2, 2, 2] * heights[0] + g[2, 2, 3]
        # f = g1 Rz(c) p goes with 1, cos c and sin c
        for r in range(3):
            f[r, 0] = g[1, r, 2] * pz + g[1, r, 3]
            f[r, 1] = g[1, r, 0] * px + g[1, r, 1] * py
            f[r, 2] = g[1, r, 1] * px - g[1, r, 0] * py
        sx, sy, sz = g[1, 0, 3], g[1, 1, 3], g[1, 2, 3]
        tx, ty, tz = g[0, 0, 3], g[0, 1, 3], g[0, 2, 3]
        ux, uy, uz = g[0, 2, 0], g[0, 2, 1], g[0, 2, 2]
        vx = g[0, 0, 0] * tx + g[0, 1, 0] * ty + g[0, 2, 0] * tz
        vy = g[0, 0, 1] * tx + g[0, 1, 1] * ty + g[0, 2, 1] * tz
        vz = g[0, 0, 2] * tx + g[0, 1, 2] * ty + g[0, 2, 2] * tz
        # |f|^2 = |g1|^2 + |p|^2 + 2 g1 . R1 Rz(c) p
        ff = px * px + py * py + pz * pz - sx * sx - sy * sy - sz * sz
        ff += 2.0 * (sx * f[0, 0] + sy * f[1, 0] + sz * f[2, 0])
        ffc = 2.0 * (sx * f[0, 1] + sy * f[1, 1] + sz * f[2, 1])
        ffs = 2.0 * (sx * f[0, 2] + sy * f[1, 2] + sz * f[2, 2])
        far = ax * ax + ay * ay + az * az - tx * tx - ty * ty - tz * tz
        # u . Rz(b) f and v . Rz(b) f but for their heights: k and l go with 1, cos c and sin c
        k0 = az - tz - uz * f[2, 0]
        kc = -uz * f[2, 1]
        ks = -uz * f[2, 2]
        l0 = 0.5 * (far - ff) - vz * f[2, 0]
        lc = -0.5 * ffc - vz * f[2, 1]
        ls = -0.5 * ffs - vz * f[2, 2]
        first = math.sqrt(ux * ux + uy * uy)
        second = math.sqrt(vx * vx + vy * vy)
        if quartic:
            count = _quartic(
                f, (k0, kc, ks), (l0, lc, ls), (ux, uy, vx, vy), roots, max(slack, 1e-3)
            )
        else:
            # the mixture of both equations that angle b leaves
            along = max(first, second)
            mix = (ux * vx + uy * vy) / (along * along) if along > 0.0 else 0.0
            if second > first:
                e0, ec, es = k0 - mix * l0, kc - mix * lc, ks - mix * ls
            else:
                e0, ec, es = l0 - mix * k0, lc - mix * kc, ls - mix * ks
            swing = math.sqrt(ec * ec + es * es)
            count = 0
            if abs(e0) <= swing * (1.0 + slack) + beside and swing > 0.0:
                c = -e0 / swing
                s = math.sqrt(max((swing - e0) * (swing + e0), 0.0)) / swing
                c = min(max(c, -1.0), 1.0)
                ex, ey = ec / swing, es / swing
                roots[0] = complex(ex * c - ey * s, ey * c + ex * s)
                roots[1] = complex(ex * c + ey * s, ey * c - ex * s)
                count = 2
        for ci in range(count):
            cc, cs = roots[ci].real, roots[ci].imag
            folded = not quartic and abs(roots[0] - roots[1]) < _SINGULAR
            f0 = f[0, 0] + cc * f[0, 1] + cs * f[0, 2]
            f1 = f[1, 0] + cc * f[1, 1] + cs * f[1, 2]
            f2 = f[2, 0] + cc * f[2, 1] + cs * f[2, 2]
            kk = k0 + cc * kc + cs * ks
            ll = l0 + cc * lc + cs * ls
            size = math.sqrt(f0 * f0 + f1 * f1)
            if quartic:
                det = ux * vy - uy * vx
                gx = (vy * kk - uy * ll) / det
                gy = (ux * ll - vx * kk) / det
                scale = math.sqrt(gx * gx + gy * gy) * size
                if not scale > 0.0:
                    continue
                ends[0, 0] = (gx * f0 + gy * f1) / scale
                ends[0, 1] = (gy * f0 - gx * f1) / scale
                ways = 1
            else:
                wx, wy, right = ux, uy, kk
                if second > first:
                    wx, wy, right = vx, vy, ll
                scale = along * size
                if abs(right) > scale * (1.0 + slack) + beside or not scale > 0.0:
                    continue
                c = min(max(right / scale, -1.0), 1.0)
                s = math.sqrt(max((scale - right) * (scale + right), 0.0)) / scale
                ex = (wx * f0 + wy * f1) / scale
                ey = (wy * f0 - wx * f1) / scale
                ends[0, 0] = ex * c - ey * s
                ends[0, 1] = ey * c + ex * s
                ends[1, 0] = ex * c + ey * s
                ends[1, 1] = ey * c - ex * s
                ways = 2
                folded = folded or s < _SINGULAR
            t[2], t[8] = cc, cs
            for bi in range(ways):
                bc, bs = ends[bi, 0], ends[bi, 1]
                t[1], t[7] = bc, bs
                hx = bc * f0 - bs * f1
                hy = bs * f0 + bc * f1
                x = tx + g[0, 0, 0] * hx + g[0, 0, 1] * hy + g[0, 0, 2] * f2
                y = ty + g[0, 1, 0] * hx + g[0, 1, 1] * hy + g[0, 1, 2] * f2
                # Rz(a) (x, y) = (ax, ay)
                ac = ax * x + ay * y
                as_ = ay * x - ax * y
                scale = math.sqrt(ac * ac + as_ * as_)
                free = scale < _SINGULAR * _SINGULAR
                if scale > 0.0:
                    ac /= scale
                    as_ /= scale
                else:
                    ac, as_ = 1.0, 0.0
                t[0], t[6] = ac, as_
                # w = (Rz(a) g0 Rz(b) g1 Rz(c) g2)^T g5^T, by columns of the first from the left
                for k in range(3):
                    # row k of g5, seen behind joint a
                    r0, r1, r2 = g[5, k, 0], g[5, k, 1], g[5, k, 2]
                    h0 = ac * r0 + as_ * r1
                    h1 = ac * r1 - as_ * r0
                    e0 = g[0, 0, 0] * h0 + g[0, 1, 0] * h1 + g[0, 2, 0] * r2
                    e1 = g[0, 0, 1] * h0 + g[0, 1, 1] * h1 + g[0, 2, 1] * r2
                    e2 = g[0, 0, 2] * h0 + g[0, 1, 2] * h1 + g[0, 2, 2] * r2
                    h0 = bc * e0 + bs * e1
                    h1 = bc * e1 - bs * e0
                    r0 = g[1, 0, 0] * h0 + g[1, 1, 0] * h1 + g[1, 2, 0] * e2
                    r1 = g[1, 0, 1] * h0 + g[1, 1, 1] * h1 + g[1, 2, 1] * e2
                    r2 = g[1, 0, 2] * h0 + g[1, 1, 2] * h1 + g[1, 2, 2] * e2
                    h0 = cc * r0 + cs * r1
                    h1 = cc * r1 - cs * r0
                    w[0, k] = g[2, 0, 0] * h0 + g[2, 1, 0] * h1 + g[2, 2, 0] * r2
                    w[1, k] = g[2, 0, 1] * h0 + g[2, 1, 1] * h1 + g[2, 2, 1] * r2
                    w[2, k] = g[2, 0, 2] * h0 + g[2, 1, 2] * h1 + g[2, 2, 2] * r2
                # third axis seen from the first: row 2 of g3 times Rz(y) n
                n0, n1, n2 = g[4, 0, 2], g[4, 1, 2], g[4, 2, 2]
                m0, m1 = g[3, 2, 0], g[3, 2, 1]
                scale = math.sqrt((m0 * m0 + m1 * m1) * (n0 * n0 + n1 * n1))
                right = w[2, 2] - g[3, 2, 2] * n2
                if abs(right) > scale * (1.0 + max(slack, 1e-10)):
                    continue
                c = min(max(right / scale, -1.0), 1.0)
                s = math.sqrt(max((scale - right) * (scale + right), 0.0)) / scale
                ex = (m0 * n0 + m1 * n1) / scale
                ey = (m1 * n0 - m0 * n1) / scale
                in_line = s < 10.0 * _SINGULAR
                for wi in range(2):
                    yc = ex * c - ey * s
                    ys = ey * c + ex * s
                    if wi == 1:
                        yc = ex * c + ey * s
                        ys = ey * c - ex * s
                    h0 = yc * n0 - ys * n1
                    h1 = ys * n0 + yc * n1
                    x = g[3, 0, 0] * h0 + g[3, 0, 1] * h1 + g[3, 0, 2] * n2
                    y = g[3, 1, 0] * h0 + g[3, 1, 1] * h1 + g[3, 1, 2] * n2
                    xc = w[0, 2] * x + w[1, 2] * y
                    xs = w[1, 2] * x - w[0, 2] * y
                    scale = math.sqrt(xc * xc + xs * xs)
                    if scale > 1e-24:
                        xc /= scale
                        xs /= scale
                    else:
                        xc, xs = 1.0, 0.0
                    t[3], t[9] = xc, xs
                    # what is left when angle x is taken out
                    for k in range(3):
                        h0 = xc * w[0, k] + xs * w[1, k]
                        h1 = xc * w[1, k] - xs * w[0, k]
                        v[0, k] = g[3, 0, 0] * h0 + g[3, 1, 0] * h1 + g[3, 2, 0] * w[2, k]
                        v[1, k] = g[3, 0, 1] * h0 + g[3, 1, 1] * h1 + g[3, 2, 1] * w[2, k]
                        v[2, k] = g[3, 0, 2] * h0 + g[3, 1, 2] * h1 + g[3, 2, 2] * w[2, k]
                    yc = v[0, 2] * n0 + v[1, 2] * n1
                    ys = v[1, 2] * n0 - v[0, 2] * n1
                    t[4], t[10] = yc, ys
                    scale = 1.0 / math.sqrt(yc * yc + ys * ys)
                    yc *= scale
                    ys *= scale
                    zc = 0.0
                    zs = 0.0
                    for k in range(2):
                        h0 = yc * v[0, k] + ys * v[1, k]
                        h1 = yc * v[1, k] - ys * v[0, k]
                        x = g[4, 0, 0] * h0 + g[4, 1, 0] * h1 + g[4, 2, 0] * v[2, k]
                        y = g[4, 0, 1] * h0 + g[4, 1, 1] * h1 + g[4, 2, 1] * v[2, k]
                        if k == 0:
                            zc += x
                            zs += y
                        else:
                            zc += y
                            zs -= x
                    t[5], t[11] = zc, zs
                    slot = 4 * ci + 2 * bi + wi
                    if quartic:
                        slot = 2 * ci + wi
                    for i in range(6):
                        cosines[8 * i + slot] = t[i]
                        sines[8 * i + slot] = side * t[6 + i]
                    flags[m, slot] = 0
                    if in_line:
                        flags[m, slot] |= WRIST
                    if folded or free:
                        flags[m, slot] |= SINGULAR
        for row in range(48 // LANES_FLOAT64):
            store(lanes[1], row, arc_tangent2(load(lanes[1], row), load(lanes[0], row)))
        for slot in range(8):
            if flags[m, slot] == OUTSIDE:
                continue
            for i in range(6):
                q[m, slot, order[i]] = sines[8 * i + slot]
            if order[6] >= 0:
                q[m, slot, order[6]] = values[m]


@kernel
def _quartic(f: Any, k: Any, other: Any, uv: Any, roots: Any, slack: float) -> int:
    """Write the angles c, as points of the circle, at which both equations hold for some b.

    ``f`` (3, 3), ``k`` and ``other`` (3,) go with 1, cos c and sin c. Roots off the circle by less
    than ``slack`` count: double roots are torn apart by rounding. Returned is how many there are.
    """
    ux, uy, vx, vy = uv
    det = ux * vy - uy * vx
    a0, a1, b1, a2, b2 = 0.0, 0.0, 0.0, 0.0, 0.0
    for part in range(4):
        if part == 0:
            x, y, z = (
                (vy * k[0] - uy * other[0]),
                (vy * k[1] - uy * other[1]),
                (vy * k[2] - uy * other[2]),
            )
            sign = 1.0 / (det * det)
        elif part == 1:
            x, y, z = (
                (ux * other[0] - vx * k[0]),
                (ux * other[1] - vx * k[1]),
                (ux * other[2] - vx * k[2]),
            )
            sign = 1.0 / (det * det)
        else:
            x, y, z = f[part - 2, 0], f[part - 2, 1], f[part - 2, 2]
            sign = -1.0
        a0 += sign * (x * x + 0.5 * (y * y + z * z))
        a1 += sign * 2.0 * x * y
        b1 += sign * 2.0 * x * z
        a2 += sign * 0.5 * (y * y - z * z)
        b2 += sign * y * z
    # a0 + Re(2 A1 conj(z)..): coefficients of z^0 ... z^4
    e = (
        0.5 * complex(a2, b2),
        0.5 * complex(a1, b1),
        complex(a0, 0.0),
        0.5 * complex(a1, -b1),
        0.5 * complex(a2, -b2),
    )
    most = abs(a0) + abs(e[1]) + abs(e[0])
    low, count = 0, 4
    if not abs(e[0]) > 1e-14 * most:
        low, count = 1, 2
        if not abs(e[1]) > 1e-14 * most:
            return 0
    for i in range(count):
        turn = 2.0 * math.pi * (i + 0.3) / count
        size = 0.8 + 0.3 * (i % 2)
        roots[i] = complex(size * math.cos(turn), size * math.sin(turn))
    for _ in range(_ROUNDS):
        moved = 0.0
        for i in range(count):
            z = roots[i]
            value = 0.0 + 0.0j
            slope = 0.0 + 0.0j
            for j in range(count + 1):
                slope = slope * z + value
                value = value * z + e[low + count - j]
            if value == 0.0:
                continue
            near = 0.0 + 0.0j
            for j in range(count):
                if j != i and z != roots[j]:
                    near += 1.0 / (z - roots[j])
            below = slope / value - near
            if below == 0.0:
                continue
            step = 1.0 / below
            roots[i] = z - step
            moved = max(moved, abs(step) / (abs(roots[i]) + 1e-300))
        if moved < 1e-14:
            break
    kept = 0
    for i in range(count):
        size = abs(roots[i])
        if size > 0.0 and abs(math.log(size)) < slack:
            roots[kept] = roots[i] / size
            kept += 1
    return kept
