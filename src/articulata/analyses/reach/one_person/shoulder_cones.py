"""How far back an upper arm points: limits of single joints let a raised arm point backward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, BoolArray
from articulata.kernels.chains.forward_kinematics import TreeArrays
from articulata.kinematics.figure import Figure

BACK_LOW, BACK_HIGH = np.radians(60.0), np.radians(20.0)
"""How far back an upper arm points, hanging and raised (proposals)."""

_GRAIN = 4096


@dataclass(frozen=True, slots=True, eq=False)
class ShoulderCone:
    """Where an upper arm may point, seen from the chest C.

    ``tree`` are the joints from the chest to the elbow, whose values are ``mapping`` q +
    ``offset``; ``marks`` are shoulder and elbow, each a joint's number and its pose in the joint's
    moved frame. ``up_C`` and ``ahead_C`` are unit vectors.
    """

    tree: TreeArrays
    mapping: Array
    offset: Array
    marks: tuple[tuple[int, Array], tuple[int, Array]]
    up_C: Array
    ahead_C: Array

    def holds(self, q: Array) -> BoolArray:
        """Return which postures (n, dof) keep the upper arm within it.

        It points back by at most ``BACK_LOW`` while it hangs and ``BACK_HIGH`` from the level of
        the shoulder on.
        """
        values = np.ascontiguousarray(q @ self.mapping.T + self.offset)
        shoulder, elbow = (self._places(values, *mark) for mark in self.marks)
        away = elbow - shoulder
        away /= np.linalg.norm(away, axis=1, keepdims=True)
        back, rise = -away @ self.ahead_C, away @ self.up_C
        share = np.clip((rise + 0.87) / 0.87, 0.0, 1.0)
        return np.asarray(back <= np.sin(BACK_LOW + share * (BACK_HIGH - BACK_LOW)))

    def _places(self, values: Array, number: int, X_JP: Array) -> Array:
        from articulata.kernels.chains.forward_kinematics import tips
        from articulata.kernels.lanes.host import spread

        out = np.empty((len(values), 4, 4))
        spread(
            lambda begin, end: tips(self.tree, values, number, X_JP, out, begin, end),
            len(values),
            grain=_GRAIN,
        )
        return out[:, :3, 3]


def shoulder_cone_of(
    figure: Figure, hand: str, path: Sequence[int], up: Array, ahead: Array
) -> ShoulderCone | None:
    """Return the cone of the shoulder of a hand, whose arm's joints are ``path`` from the base on.

    ``up`` and ``ahead`` are seen from the chest. None for a figure that does not say where its
    shoulder and elbow are.
    """
    side = hand[0]
    if not {f"{side}_shoulder", f"{side}_elbow"} <= set(figure.landmarks):
        return None
    first = next((n for n, k in enumerate(path) if figure.joints[k].name.startswith(f"{side}_")), 0)
    chest = path[first - 1] if first else figure.parents[path[0]]
    marks = [figure.place(f"{side}_{name}") for name in ("shoulder", "elbow")]
    run = list(path[first:])
    if chest < 0 or any(number not in run for number, _ in marks):
        return None
    fixed, kinds, _ = figure.arrays
    M, offset = figure.mapping
    R = figure.joints[chest].X_JL[:3, :3]
    shoulder, elbow = (
        (run.index(number), np.ascontiguousarray((figure.joints[number].X_JL @ X_LP)[:3]))
        for number, X_LP in marks
    )
    return ShoulderCone(
        TreeArrays(np.ascontiguousarray(fixed[run]), kinds[run], np.arange(-1, len(run) - 1)),
        M[run],
        offset[run],
        (shoulder, elbow),
        R @ up,
        R @ ahead,
    )
