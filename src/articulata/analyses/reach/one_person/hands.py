"""What a hand strikes with: a slim capsule against the body, in a room what is drawn of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import Capsule
from articulata.kinematics.joint import about
from articulata.kinematics.link import Link, MeshFile, Part

PULP: Final = 0.010
"""m. The fingertip's last part gives way: the hand that strikes ends so far before its tip."""

SLIM: Final = 0.015
"""m. Radius of the capsule from the wrist to the tip."""

FINGERS: Final = 0.5
"""What begins beyond this share of the way from the wrist to the tip is a finger."""

WITHIN: Final = 1e-3
"""m. What comes out of that capsule by no more is within it."""


def slim_hand(link: Link, X_LP: Array) -> Link:
    """Return the hand's link with a slim capsule that ends a little before its tip."""
    tip = X_LP[:3, 3]
    length = float(np.linalg.norm(tip))
    half = 0.5 * (length - PULP - SLIM) - 0.005
    if half <= 0.0 or any(isinstance(part.shape, MeshFile) for part in link.collisions):
        return link
    X = about((tip / length).tolist())
    X[:3, 3] = tip / length * (length - PULP - SLIM - half)
    return replace(link, collisions=(Part(Capsule(SLIM, 2 * half), X),))


def drawn_hand(link: Link, slim: Link, X_LP: Array) -> tuple[Part, ...]:
    """Return what of a hand strikes a room: the ``slim`` one, and capsules drawn beside it.

    They end, as it does, a little before the tip. Fingers other than the one that touches are left
    out: they bend out of the way.
    """
    tip = X_LP[:3, 3]
    length = float(np.linalg.norm(tip))
    own = slim.collisions
    beside = []
    for a, b, radius in _capsules(link):
        first, last = (
            _before(end, other, tip / length, length - PULP - radius)
            for end, other in ((a, b), (b, a))
        )
        if first is None or last is None or min(a @ tip, b @ tip) > FINGERS * length * length:
            continue
        if not (_within(first, radius, own) and _within(last, radius, own)):
            beside.append(_capsule(first, last, radius))
    return (*own, *beside)


def _capsules(link: Link) -> Iterator[tuple[Array, Array, float]]:
    """Give the ends (3,) and radii of a link's capsules, m."""
    for part in link.visuals or link.collisions:
        if isinstance(part.shape, MeshFile):
            continue
        for piece in parts_of(part.shape):
            if isinstance(piece.shape, Capsule) and not piece.hollow:
                X = part.X_LS @ piece.X_BS
                along = 0.5 * piece.shape.length * X[:3, 2]
                yield X[:3, 3] - along, X[:3, 3] + along, piece.shape.radius


def _before(end: Array, other: Array, u: Array, most: float) -> Array | None:
    """Return an end (3,), moved toward the other until no farther along ``u`` than ``most`` m."""
    here, there = float(end @ u), float(other @ u)
    if here <= most:
        return end
    return None if there >= most else other + (most - there) / (here - there) * (end - other)


def _within(end: Array, radius: float, parts: Sequence[Part]) -> bool:
    """Return whether a ball is within a capsule."""
    for part in parts:
        if isinstance(part.shape, Capsule):
            p = (end - part.X_LS[:3, 3]) @ part.X_LS[:3, :3]
            p[2] = max(abs(p[2]) - 0.5 * part.shape.length, 0.0)
            if float(np.linalg.norm(p)) + radius <= part.shape.radius + WITHIN:
                return True
    return False


def _capsule(a: Array, b: Array, radius: float) -> Part:
    """Return a capsule between two ends (3,)."""
    along = b - a
    length = max(float(np.linalg.norm(along)), 1e-4)
    X = about((along / length).tolist() if along.any() else [0.0, 0.0, 1.0])
    X[:3, 3] = 0.5 * (a + b)
    return Part(Capsule(radius, length), X)
