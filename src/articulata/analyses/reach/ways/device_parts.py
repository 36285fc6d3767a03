"""The space that people and devices occupy: outlines between two heights. Lengths in m.

The base frame lies on the floor below the middle between the hips: x ahead, y to the left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from articulata.geometry.arrays import Array

CORNERS = 32
"""Corners of the polygon about a round part."""

CLEAR = 0.02
"""m. What lies lower than this above the floor stops no wheel, and is stood on."""

TURNS = 24
"""Orientations that are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class DevicePart:
    """Room that a device takes: a convex outline ``corners`` (k, 2) from ``low`` to ``high``."""

    corners: Array
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """Parts that move as one, as foot and shin do.

    Their frame has its origin at ``at`` (x, y) of the base frame and is ``turned`` by so many of
    the ``TURNS`` to the left. A ``round`` one takes the same room wherever it is turned. In proofs
    it is not known where it is: within ``sway`` m of ``at``.
    """

    parts: tuple[DevicePart, ...]
    at: tuple[float, float] = (0.0, 0.0)
    turned: int = 0
    round: bool = False
    sway: float = 0.0


Limb: TypeAlias = tuple[tuple[Member, ...], ...]
"""The ways in which a part of a person is held: in any of them all its members need room."""


def placed(part: DevicePart, member: Member) -> Array:
    """Return the corners (k, 2) of a part of a member in the base frame."""
    turn = 2.0 * np.pi / TURNS * member.turned
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(part.corners @ np.array([[c, s], [-s, c]]) + member.at)


def disc(radius: float, corners: int = CORNERS) -> Array:
    """Return the corners (k, 2) of a polygon about a circle."""
    return np.asarray(rim(radius / np.cos(np.pi / corners), corners))


def rim(radius: float, corners: int = CORNERS) -> Array:
    """Return the corners (k, 2) of a polygon within a circle."""
    turns = np.arange(corners) * (2.0 * np.pi / corners)
    return radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)


def box(rear: float, front: float, half: float, middle: float = 0.0) -> Array:
    """Return a rectangle from ``rear`` to ``front``, ``half`` m to either side of y ``middle``."""
    y0, y1 = middle - half, middle + half
    return np.array([(rear, y0), (front, y0), (front, y1), (rear, y1)])
