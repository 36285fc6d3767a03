"""The left side of a body as the picture of its right side: the other hand reaches as one does.

The plane between the sides is that of x and z of the base frame. Whether a body has two like sides
is looked at, not taken for granted: limits, shapes, what is tested against what, what is
comfortable, and postures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from articulata.analyses.reach.one_person.body import Body
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.contacts.pieces import POLYTOPE
from articulata.kinematics.clash import Clash
from articulata.kinematics.joint import PRISMATIC

ASIDE = np.array([1.0, -1.0, 1.0])
"""What the picture does to a place of the base frame."""

NEAR = 1e-9
"""m and rad. What differs by less is alike."""

LOOKS = 5
"""Postures, drawn within limits, in which both sides are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Mirror:
    """How a posture becomes its picture: coordinate k takes ``sign[k]`` times ``column[k]``."""

    column: IntArray
    sign: Array

    def of(self, q: Array) -> Array:
        """Return the pictures of postures (n, dof)."""
        return q[:, self.column] * self.sign


def mirror_of(body: Body, clash: Mapping[str, Clash]) -> Mirror | None:
    """Return how a body with two hands is mirrored; None where its sides are unlike.

    ``clash`` are the tests, by hand, for what the body strikes.
    """
    figure = body.figure
    if len(body.arms) != 2:
        return None
    known = {name: k for k, name in enumerate(figure.names)}
    if any(_other(name) not in known for name in known):
        return None
    column = np.array([known[_other(name)] for name in figure.names])
    mirror = Mirror(column, _signs(body, column))
    ends = np.stack([figure.lower, figure.upper])
    if np.abs(np.sort(mirror.of(ends), axis=0) - ends).max() > NEAR:
        return None
    if np.abs(mirror.of(body.resting[None]) - body.resting).max() > NEAR:
        return None
    low, high = np.maximum(figure.lower, -np.pi), np.minimum(figure.upper, np.pi)
    q = np.random.default_rng(0).uniform(low, high, (LOOKS, figure.dof))
    q[:, :3] = 0.0
    mine, its = (body.comfort.of(figure, each) for each in (q, mirror.of(q)))
    if not np.allclose(mine, its, atol=NEAR):
        return None
    first, second = body.arms
    both = [(first, q), (second, mirror.of(q))]
    tips, pieces, pairs, bearable = zip(*(_seen(body, clash[h], h, each) for h, each in both),
                                        strict=True)  # fmt: skip
    if np.abs(tips[0] * ASIDE - tips[1]).max() > NEAR or (bearable[0] != bearable[1]).any():
        return None
    if {(_other(a), _other(b)) for a, b in pairs[0]} != pairs[1]:
        return None
    if {_other(name) for name in pieces[0]} != pieces[1].keys():
        return None
    alike = all(_alike(each, pieces[1][_other(name)]) for name, each in pieces[0].items())
    return mirror if alike else None


def _other(name: str) -> str:
    """Return what a joint is called on the other side."""
    return {"r_": "l_", "l_": "r_"}.get(name[:2], name[:2]) + name[2:]


def _signs(body: Body, column: IntArray) -> Array:
    """Return the sense in which each coordinate follows that of the other side.

    The picture of a turn about an axis is one the other way round about the axis's picture.
    """
    figure = body.figure
    X = figure.poses(np.zeros(figure.dof)) @ np.linalg.inv([each.X_JL for each in figure.joints])
    axis = X[figure.free, :3, 2]
    same = np.einsum("ij,ij->i", axis[column] * ASIDE, axis) > 0.0
    slides = np.array([figure.joints[k].kind == PRISMATIC for k in figure.free])
    return np.where(same == slides, 1.0, -1.0)


def _seen(
    body: Body, clash: Clash, hand: str, q: Array
) -> tuple[Array, dict[str, Array], set[tuple[str, str]], BoolArray]:
    """Return what postures (n, dof) look like on the side of a hand.

    The tips (n, 3); by joint the corners (n, k, 4) of what is tested, with radii; what is tested
    against what; which are bearable.
    """
    figure = body.figure
    _, arrays, kept, moving, _, numbers = clash.tested
    X_BJ = figure.poses(q) @ np.linalg.inv([each.X_JL for each in figure.joints])
    mine = (numbers[:moving] >= 0).any(axis=1) | (numbers >= 0).any(axis=0)
    names = [figure.joints[int(kept[arrays.body[i]])].name for i in range(moving)]
    found: dict[str, list[Array]] = {}
    for i in np.flatnonzero(mine):
        p = arrays.vertices[arrays.vertex_start[i] : arrays.vertex_start[i + 1]]
        X = X_BJ[:, int(kept[arrays.body[i]])]
        at = p @ np.swapaxes(X[:, :3, :3], 1, 2) + X[:, None, :3, 3]
        # what is no polytope has more than corners: it is like nothing
        radius = arrays.radius[i] if arrays.kind[i] == POLYTOPE else np.nan
        round_ = np.full((*at.shape[:2], 1), radius)
        found.setdefault(names[int(i)], []).append(np.concatenate([at, round_], axis=2))
    pairs = {(names[i], names[j]) for j, i in np.argwhere(numbers[:moving] >= 0)}
    pairs |= {(b, a) for a, b in pairs}
    return (
        body.arms[hand].tip(q[:, body.columns[hand]])[:, :3, 3],
        {name: np.concatenate(each, axis=1) for name, each in found.items()},
        pairs,
        body.bearable(hand, q),
    )


def _alike(a: Array, b: Array) -> bool:
    """Return whether the picture of corners (n, k, 4) is others, in whatever order."""
    if a.shape != b.shape or np.isnan(a).any() or np.isnan(b).any():
        return False
    for mine, its in zip(a * (*ASIDE, 1.0), b, strict=True):
        for one, other in ((mine, its), (its, mine)):
            if cKDTree(other).query(one)[0].max() > NEAR:
                return False
    return True
