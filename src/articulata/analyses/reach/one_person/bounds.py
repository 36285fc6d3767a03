"""How far a person's fingertip can be from the base at most: proved, and nearly exact.

For a direction d let S(d) be the greatest d . tip over all postures within limits. From the tip
back to the base it follows joint by joint: a joint that turns by q about z, in a frame turned by R
and moved by t against the one before, gives ``S(d) = d . t + max over q of S'(Rz(q)^T R^T d)``.
S is kept at the corners of a grid on the sphere. Between them it is bounded by a sum of corners,
because ``S(a + b) <= S(a) + S(b)``: the error is of second order, and on the safe side.

What is reached lies in ``{x: d . x <= S(d) for all d}``. The first joint, the lean from the hips,
is cut into pieces, each with a set of its own. What an arm strikes is left out: nothing that a
bound excludes can be reached.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.chain import Chain
from articulata.kinematics.joint import FIXED, PRISMATIC

TOLERANCE = 1e-3
"""m. How near a fingertip is to what it reaches."""

PIECES = 6
"""Pieces of the first joint's range."""

ACROSS = 240
"""Corners of the grid about z; from pole to pole there are half as many, and one more."""

_STEP = 2.0 * np.pi / ACROSS
_RISE = np.linspace(-0.5, 0.5, ACROSS // 2 + 1) * np.pi
_SINE = np.abs(np.sin(_RISE))[:, None]
_ROUND = 1.0 / np.cos(0.5 * _STEP)
"""A point between two directions of the grid is farther than along either by this at most."""


def _directions() -> Array:
    turn = np.arange(ACROSS) * _STEP
    flat = np.cos(_RISE)[:, None]
    z = np.broadcast_to(np.sin(_RISE)[:, None], (len(_RISE), ACROSS))
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=-1)


_DIRECTIONS = _directions()


@dataclass(frozen=True, slots=True, eq=False)
class ReachBound:
    """Convex sets that hold the tip together: ``support`` (pieces, rises, turns) of each, m.

    In the base frame: x ahead, z up, the origin on the floor below the hips.
    """

    support: Array

    def farthest(self, heights: Array) -> Float64[Array, "n"]:
        """Return how far from the base's axis the tip can be at ``heights`` (n,) at most, m.

        The base may turn any way; -1 where the tip cannot be at that height at all.
        """
        wide = self.slices(heights)
        far = _ROUND * wide.max(axis=2)
        # a slice that ends before it begins is none
        some = (wide + np.roll(wide, ACROSS // 2, axis=2) >= 0.0).all(axis=2)
        return np.asarray(np.where(some, far, -1.0).max(axis=0))

    def slices(self, heights: Array) -> Float64[Array, "pieces n turns"]:
        """Return how far the sets reach at most, by direction in a level plane, m.

        A plane at height z cuts ``{x: d . x <= S(d)}``: along the level direction of d it reaches
        no farther than ``(S(d) - z sin) / cos`` of d's rise.
        """
        z = np.asarray(heights, float)[:, None]
        found = np.full((len(self.support), len(z), ACROSS), np.inf)
        for row in range(1, len(_RISE) - 1):
            cosine, slope = np.cos(_RISE[row]), np.tan(_RISE[row])
            level = self.support[:, row, None] / cosine - slope * z
            np.minimum(found, level, out=found)
        return np.asarray(found + TOLERANCE)


def reach_bound_of(chain: Chain, pieces: int = PIECES) -> ReachBound:
    """Return the bound of a chain that begins at a base which may turn any way."""
    ready = chain.prepared
    M, offset = chain.mapping
    ends = np.stack([M * chain.lower, M * chain.upper])
    lower, upper = ends.min(axis=0).sum(axis=1) + offset, ends.max(axis=0).sum(axis=1) + offset
    support = _DIRECTIONS @ ready.tip[:, 3]
    for number in range(len(chain.joints) - 1, 0, -1):
        kind = chain.joints[number].kind
        support = _moved(support, kind, lower[number], upper[number])
        support = _placed(support, ready.fixed[number])
    kind = chain.joints[0].kind
    cuts = np.linspace(lower[0], upper[0], pieces + 1)
    found = [
        _placed(_moved(support, kind, low, high), ready.fixed[0])
        for low, high in itertools.pairwise(cuts)
    ]
    return ReachBound(np.stack(found))


def _moved(support: Array, kind: str, low: float, high: float) -> Array:
    """Return the support before a joint moves by ``low`` to ``high``, in its own frame."""
    if kind == FIXED:
        return support
    if kind == PRISMATIC:
        z = _DIRECTIONS[..., 2]
        return np.asarray(support + np.maximum(low * z, high * z))
    pole = _poles(support)
    if high - low >= 2.0 * np.pi:
        most = np.repeat(support.max(axis=1, keepdims=True), ACROSS, axis=1)
    else:
        most = np.maximum(_shifted(support, pole, -high), _shifted(support, pole, -low))
        first, last = int(np.ceil(-high / _STEP)), int(np.floor(-low / _STEP))
        if last >= first:
            most = np.maximum(most, _window(np.roll(support, -first, axis=1), last - first + 1))
    # directions between two of the grid
    slack = np.maximum(most, 0.0) + np.maximum(_SINE * pole, 0.0)
    return np.asarray(most + (_ROUND - 1.0) * slack)


def _window(values: Array, count: int) -> Array:
    """Return the greatest of ``count`` values from each on, round and round."""
    width = 1
    while 2 * width <= count:
        values = np.maximum(values, np.roll(values, -width, axis=1))
        width *= 2
    return np.maximum(values, np.roll(values, width - count, axis=1))


def _poles(support: Array) -> Array:
    """Return the support along the pole that is farther from each row, (rises, 1)."""
    north, south = support[-1].max(), support[0].max()
    return np.asarray(np.where(_RISE > 0.0, south, north)[:, None])


def _shifted(support: Array, pole: Array, by: float) -> Array:
    """Return a bound of the support in directions turned by ``by`` rad about z."""
    first = int(np.floor(by / _STEP))
    a, b = _shares(np.array([by - first * _STEP]))
    before = np.roll(support, -first, axis=1)
    return np.asarray(a * before + b * np.roll(before, -1, axis=1) + (a + b - 1.0) * _SINE * pole)


def _shares(beyond: Array) -> tuple[Array, Array]:
    """Return what two directions ``_STEP`` apart count for one ``beyond`` the first, rad."""
    return np.sin(_STEP - beyond) / np.sin(_STEP), np.sin(beyond) / np.sin(_STEP)


def _placed(support: Array, X: Array) -> Array:
    """Return the support in the frame before, in which this one has the pose ``X`` (3, 4)."""
    pole = _poles(support)
    found = _DIRECTIONS @ X[:, 3]
    for share, k, column, following, a, b in _between(np.ascontiguousarray(X[:, :3]).tobytes()):
        beside = (a + b - 1.0) * _SINE[k, 0] * pole[k, 0]
        found = found + share * (a * support[k, column] + b * support[k, following] + beside)
    return np.asarray(found)


@lru_cache(maxsize=64)
def _between(rotation: bytes) -> tuple[tuple[Any, ...], ...]:
    """Return where the grid's directions, turned by ``rotation`` (3, 3), lie in the grid.

    For the row below and that above: its share, its number, two columns and their shares.
    """
    d = _DIRECTIONS @ np.frombuffer(rotation).reshape(3, 3)
    rise = np.arcsin(np.clip(d[..., 2], -1.0, 1.0)) + 0.5 * np.pi
    turn = np.arctan2(d[..., 1], d[..., 0]) % (2.0 * np.pi)
    row = np.clip((rise / _STEP).astype(int), 0, len(_RISE) - 2)
    column = (turn / _STEP).astype(int) % ACROSS
    a, b = _shares(turn - column * _STEP)
    low, high = _shares(rise - row * _STEP)
    following = (column + 1) % ACROSS
    return (
        (np.maximum(low, 0.0), row, column, following, a, b),
        (np.maximum(high, 0.0), row + 1, column, following, a, b),
    )
