"""Discomfort of a posture as its displacement from the neutral one, joint by joint.

All are sums over the free coordinates of a figure, rad and m: 0 in the neutral posture, with
their gradients. ``q`` is (*batch, dof).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, Float64
from articulata.kinematics.joint_tree import Tree

Form: TypeAlias = Literal["sum", "square", "range", "motion", "barrier"]
FORMS: Final[tuple[Form, ...]] = ("sum", "square", "range", "motion", "barrier")

NARROW: Final = 0.1
"""Share of a range that twice the way to a limit counts at least: a proposal."""


@dataclass(frozen=True, slots=True, eq=False)
class Discomfort:
    """A form of discomfort. ``weights`` (1 where none is given) are by joint.

    - "sum": sum of w |q - neutral|, rad and m; Thomann (2005) 4.1.1, Otmani and Pruski (2009)
      5.3.4.
    - "square": sum of w (q - neutral)^2, rad^2 and m^2: smooth, and hard on what is far off.
    - "range": sum of w ((q - neutral) / (upper - lower))^2, without a unit: a joint of narrow
      range counts as much as one of wide range. A joint without limits counts 2 pi rad (1 m).
    - "motion": sum of w ((q - neutral) / (2 side))^2; a side is the way from neutral to the limit
      toward which the joint has moved, so that each motion counts w / 4 at its end (Kee and
      Karwowski 2001, LUBA: discomfort grows with the share of each motion's own range).
    - "barrier": "range" and, besides, sum of w ``barrier`` ((upper - lower)^2 / (4 (q - lower)
      (upper - q)) - 1): nothing in the middle of the range, without bound at the limits, where
      tissue resists; infinite beyond them.
    """

    form: Form = "range"
    weights: Mapping[str, float] = field(default_factory=dict)
    barrier: float = 0.01

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise KinematicsError(
                f"discomfort comes as {', '.join(FORMS)}; there is no '{self.form}'"
            )
        for name, weight in self.weights.items():
            if not (np.isfinite(weight) and weight >= 0.0):
                raise KinematicsError(f"the weight of '{name}' is {weight}; give 0 or more")
        if not (np.isfinite(self.barrier) and self.barrier >= 0.0):
            raise KinematicsError(f"a barrier is 0 or more, not {self.barrier}")

    def of(self, tree: Tree, q: npt.ArrayLike) -> Float64[Array, "*batch"]:
        """Return the discomfort of postures of ``tree``."""
        return np.asarray(self.by_joint(tree, q).sum(-1))

    def by_joint(self, tree: Tree, q: npt.ArrayLike) -> Float64[Array, "*batch dof"]:
        """Return each joint's part, its weight included."""
        return self._parts(tree, np.asarray(q, float), *self._prepared(tree, q))

    def measuring(self, tree: Tree) -> Callable[[Float64[Array, "m dof"]], Float64[Array, "m"]]:
        """Return what measures sound postures of ``tree``: names are looked up here, once."""
        width, w = _of_joints(tree, tuple(self.weights.items()))
        neutral = tree.neutral
        return lambda q: np.asarray(self._parts(tree, q, q - neutral, width, w).sum(-1))

    def _parts(self, tree: Tree, q: Array, away: Array, width: Array, w: Array) -> Array:
        if self.form == "sum":
            return np.asarray(w * np.abs(away))
        if self.form == "square":
            return np.asarray(w * away * away)
        if self.form == "motion":
            width = _widths(tree, away)
        found = w * (away / width) ** 2
        if self.form != "barrier":
            return np.asarray(found)
        left = self._left(tree, q, w)
        with np.errstate(divide="ignore"):
            wall = np.where(left > 0.0, 0.25 * width * width / left - 1.0, np.inf)
        return np.asarray(found + np.where(wall != 0.0, self.barrier * w * wall, 0.0))

    def gradient(self, tree: Tree, q: npt.ArrayLike) -> Float64[Array, "*batch dof"]:
        """Return the change of the discomfort with the posture; 0 in the neutral one for "sum"."""
        away, width, w = self._prepared(tree, q)
        if self.form == "sum":
            return np.asarray(w * np.sign(away))
        if self.form == "square":
            return np.asarray(2.0 * w * away)
        if self.form == "motion":
            width = _widths(tree, away)
        found = 2.0 * w * away / (width * width)
        if self.form != "barrier":
            return np.asarray(found)
        left = self._left(tree, q, w)
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = np.asarray(q, float) - 0.5 * (tree.lower + tree.upper)
            wall = 0.5 * width * width * middle / (left * left)
        return np.asarray(found + np.where(_walled(tree, w), self.barrier * w * wall, 0.0))

    def _prepared(self, tree: Tree, q: npt.ArrayLike) -> tuple[Array, Array, Array]:
        given = np.asarray(q, float)
        if given.shape[-1:] != (tree.dof,):
            tree.values(given)  # refuses another number of values
        if not np.isfinite(given).all():
            raise KinematicsError(
                f"a posture of '{tree.name}' holds NaN or inf; give finite numbers"
            )
        width, w = _of_joints(tree, tuple(self.weights.items()))
        return given - tree.neutral, width, w

    def _left(self, tree: Tree, q: npt.ArrayLike, w: Array) -> Array:
        """Return (q - lower) (upper - q), as in the middle where a joint builds no wall."""
        given = np.asarray(q, float)
        left = (given - tree.lower) * (tree.upper - given)
        return np.asarray(np.where(_walled(tree, w), left, 0.25 * ranges(tree) ** 2))


@lru_cache(maxsize=64)
def _of_joints(tree: Tree, weights: tuple[tuple[str, float], ...]) -> tuple[Array, Array]:
    """Return ranges and weights of the coordinates, (dof,) each, of a tree known by who it is."""
    w = np.ones(tree.dof)
    for name, weight in weights:
        if name not in tree.names:
            tree.index(name)  # suggests a near name
            raise KinematicsError(f"joint '{name}' of '{tree.name}' has no value of its own")
        w[tree.names.index(name)] = weight
    return ranges(tree), w


@lru_cache(maxsize=64)
def _sides(tree: Tree) -> tuple[Array, Array]:
    """Return twice the ways from neutral to the lower and to the upper limits, (dof,) each."""
    width = ranges(tree)
    ways = (tree.neutral - tree.lower, tree.upper - tree.neutral)
    low, high = (
        np.where(np.isfinite(way), np.maximum(2.0 * way, NARROW * width), width) for way in ways
    )
    return low, high


def _widths(tree: Tree, away: Array) -> Array:
    """Return twice the way to the limit toward which each coordinate is ``away`` from neutral."""
    low, high = _sides(tree)
    return np.asarray(np.where(away < 0.0, low, high))


def _walled(tree: Tree, w: Array) -> BoolArray:
    limited = np.isfinite(tree.lower) & np.isfinite(tree.upper) & (tree.upper > tree.lower)
    return np.asarray(limited & (w > 0.0))


def ranges(tree: Tree) -> Float64[Array, "dof"]:
    """Return the width of each coordinate's range: 2 pi rad or 1 m where it has no limits."""
    width = tree.upper - tree.lower
    whole = [2.0 * np.pi if tree.joints[i].kind == "revolute" else 1.0 for i in tree.free]
    return np.asarray(np.where(np.isfinite(width) & (width > 0.0), width, whole))
