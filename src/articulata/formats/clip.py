"""A motion of a figure as motion capture gives it: postures and places, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

from articulata.geometry.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A motion: ``times`` (n,) s, joint values ``q`` (n, dof) rad, bases ``X_WF`` (n, 4, 4)."""

    times: Array
    q: Array
    X_WF: Array
