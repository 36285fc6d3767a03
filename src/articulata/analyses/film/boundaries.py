"""Where an arm ends: surfaces of its wrist's centre or of its camera, to be looked at."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.chains.closed_forms import spherical_wrist_6r as wrist6

Surface = tuple[Array, IntArray]
"""Vertices (n, 3) in W and triangles (m, 3)."""

ROUND, ALONG = 72, 48
"""Parts of a turn about the first axis, and along the other way."""

_SEEN: Final = 0.01
"""Share of the arm's size below which a boundary is no surface."""

_DIRECTIONS, _STARTS, _SWEEPS = 600, 6, 12
"""Directions in which it is looked how far a camera comes, postures to begin with for each, and
sweeps through all joints from there."""


def boundaries(carrier: Carrier) -> dict[str, Surface]:
    """Return the surfaces that the wrist's centre does not pass.

    "outer boundary": the elbow is stretched; "inner boundary": it is folded; "dead zone": the
    cylinder about the first axis. For the shoulder in front and as if no joint had ends; from the
    constants of the closed form, as ``margins``. An arm without a spherical wrist has an "outer
    boundary" alone: that of the nodal point, within the ends of the joints, without its hollows.
    """
    arm = carrier.arm
    if not arm.spherical:
        return _farthest(carrier)
    c = arm.constants
    a1, d1, ca1, sa1, lateral, a2, length = c[wrist6.ARM : wrist6.ARM + 7].tolist()
    per = float(c[wrist6.SIZE + 1])
    found: dict[str, Surface] = {}

    def placed(depth: Array, height: Array, name: str) -> None:
        """Turn points of the half plane of the second link about the first axis."""
        dz = (height + ca1 * lateral * per) / (ca1 * ca1 * per + sa1)
        m = (ca1 * dz - lateral) * per
        angle = np.linspace(0.0, 2.0 * math.pi, ROUND, endpoint=False)[:, None]
        across, ahead = np.cos(angle), np.sin(angle)
        p = np.stack(
            [depth * across - m * ahead, depth * ahead + m * across, (d1 + dz) + 0.0 * angle], -1
        )
        found[name] = _in_world(carrier, p.reshape(-1, 3)), _strips(ROUND, len(depth))

    outer, inner = a2 + length, abs(a2 - length)
    for name, radius in (("outer boundary", outer), ("inner boundary", inner)):
        if radius > _SEEN * arm.size:
            # beyond the first axis it lies within itself
            end = math.acos(min(max(-a1 / radius, -1.0), 1.0))
            turn = np.linspace(-end, end, ALONG + 1)
            placed(a1 + radius * np.cos(turn), radius * np.sin(turn), name)
    if abs(lateral * per) > _SEEN * arm.size:
        height = np.linspace(-outer, outer, 3)
        placed(np.zeros(3), height, "dead zone")
    return found


def _farthest(carrier: Carrier) -> dict[str, Surface]:
    """Return the convex hull of where the nodal point can be; nothing where that has no end.

    In each direction a joint alone is turned to where the point comes farthest, which is known in
    closed form, then the next one, round and round, from several postures; the farthest counts.
    """
    from scipy.spatial import ConvexHull, QhullError

    chain = carrier.chain
    slides = np.array([unit == "m" for unit in carrier.units])
    lower, upper = np.array(chain.lower), np.array(chain.upper)
    if np.isinf(np.concatenate([lower[slides], upper[slides]])).any():
        return {}
    # a joint without an end goes once round
    low = np.where(np.isinf(lower), np.minimum(upper, math.pi) - 2.0 * math.pi, lower)
    high = np.where(np.isinf(upper), low + 2.0 * math.pi, upper)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    # directions, and postures to begin with, lie evenly: a spiral, and multiples of a root
    k = np.arange(_DIRECTIONS) + 0.5
    z, turn = 1.0 - 2.0 * k / _DIRECTIONS, k * math.pi * (3.0 - math.sqrt(5.0))
    rho = np.sqrt(1.0 - z * z)
    d = np.tile(np.stack([rho * np.cos(turn), rho * np.sin(turn), z], 1), (_STARTS, 1))
    roots = np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0])[: chain.dof]
    part = np.arange(1, len(d) + 1)[:, None] * roots % 1.0
    q = middle + half * (2.0 * part - 1.0)
    for _ in range(_SWEEPS):
        for j, slide in enumerate(slides.tolist()):
            J = chain.jacobian(q)[..., j]
            along = np.einsum("ki,ki->k", d, J[:, :3])
            if slide:
                q[:, j] = np.where(along > 0.0, high[j], np.where(along < 0.0, low[j], q[:, j]))
                continue
            out = np.einsum("ki,ki->k", d, np.cross(J[:, :3], J[:, 3:]))
            best = q[:, j] + np.arctan2(along, out)
            best = middle[j] + np.remainder(best - middle[j] + math.pi, 2.0 * math.pi) - math.pi
            q[:, j] = np.clip(best, low[j], high[j])
    p = chain.tip(q)[:, :3, 3].reshape(_STARTS, _DIRECTIONS, 3)
    far = np.einsum("ski,ki->sk", p, d[:_DIRECTIONS]).argmax(axis=0)
    p = p[far, np.arange(_DIRECTIONS)]
    try:
        triangles = np.asarray(ConvexHull(p).simplices, np.int64)
    except QhullError:  # it goes in a plane
        return {}
    base = carrier.figure.base
    placed = base[:3, 3] + carrier.scale * p @ base[:3, :3].T
    return {"outer boundary": (np.asarray(placed), triangles)}


def _in_world(carrier: Carrier, p: Array) -> Array:
    """Return points (n, 3), in the frame of the first joint of the closed form, in W."""
    into = carrier.arm.constants[wrist6.BASE : wrist6.BASE + 12].reshape(3, 4)
    R, t = into[:, :3], into[:, 3]
    base = carrier.figure.base
    return np.asarray(base[:3, 3] + carrier.scale * ((p - t) @ R) @ base[:3, :3].T)


def _strips(around: int, along: int) -> IntArray:
    """Return the triangles of a grid (around, along) whose first row follows its last."""
    i, j = np.meshgrid(np.arange(around), np.arange(along - 1), indexing="ij")
    a, b = i * along + j, (i + 1) % around * along + j
    return np.concatenate(
        [np.stack([a, b, a + 1], -1).reshape(-1, 3), np.stack([b, b + 1, a + 1], -1).reshape(-1, 3)]
    )
