"""Where an arm with a spherical wrist ends: surfaces of its wrist's centre, to be looked at."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.chains import wrist6

Surface = tuple[Array, IntArray]
"""Vertices (n, 3) in W and triangles (m, 3)."""

ROUND, ALONG = 72, 48
"""Parts of a turn about the first axis, and along the other way."""

_SEEN: Final = 0.01
"""Share of the arm's size below which a boundary is no surface."""


def boundaries(carrier: Carrier) -> dict[str, Surface]:
    """Return the surfaces that the wrist's centre does not pass; none without a spherical wrist.

    "outer boundary": the elbow is stretched; "inner boundary": it is folded; "dead zone": the
    cylinder about the first axis. For the shoulder in front and as if no joint had ends; from the
    constants of the closed form, as ``margins``.
    """
    arm = carrier.arm
    if not arm.spherical:
        return {}
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
