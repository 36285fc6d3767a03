"""A motion of one figure's arms as another's: of motion capture, for a wearer to perform.

Both figures are brought together in the posture in which the skeleton of motion capture was drawn:
arms hanging (N) or out to the sides (T). From there each part of an arm turns against the trunk as
that of the other does. Where an arm of the other points elsewhere there, the least turn that brings
one into line with the other comes first, so that nothing twists; then the upper arm is twisted
until both elbows bend about one line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from articulata.analyses.track.arms import TrackedArm, arms_from
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.kinematics.figure import Figure

DRAWN = ("t_pose", "n_pose")
"""The postures that skeletons are drawn in."""

LEAST_BEND = float(np.sin(np.radians(10.0)))


@dataclass(frozen=True, slots=True)
class Limb:
    """An arm of the other figure: numbers of the links it hangs on and it is made of."""

    root: int
    parts: tuple[int, int, int]


def retargeted(figure: Figure, limbs: Mapping[str, Limb], q: Array, body: TrackedBody) -> Array:
    """Return ``body``'s postures (n, dof) rad that go with ``q`` (n, dof) of ``figure``.

    ``limbs`` are arms by side, "r" and "l"; in the neutral posture they are nearly as in N or T of
    ``body``. Trunk, legs and head stay at rest. Raises KinematicsError where none of the sides is
    the body's.
    """
    sides = [side for side in body.sides if side in limbs]
    if not sides:
        raise KinematicsError(
            f"'{figure.name}' has no arm for one of '{body.figure.name}' to do the same"
        )
    neutral, X = figure.poses(figure.neutral), figure.poses(np.asarray(q, float))
    R_PF = _axes(body.forward, body.up) @ _axes(_ahead(figure, limbs, neutral), figure.up).T
    at_rest = body.figure.poses(body.rest)
    found = np.tile(body.rest, (len(X), 1))
    for side in sides:
        limb, arm = limbs[side], body.arms.each[body.sides.index(side)]
        others = _along(figure, limb.root, limb.parts, neutral) @ R_PF.T
        name = max(DRAWN, key=lambda each: _alike(body, arm, each, others[0]))
        held = body.figure.poses(body.posture(name))
        root = body.figure.base if arm.root < 0 else at_rest[arm.root]
        R_root = _turn(figure, neutral, limb.root) @ np.swapaxes(
            _turn(figure, X, limb.root), -1, -2
        )
        mine = _along(body.figure, arm.root, arm.links, held)
        least = [_least(mine[min(k, 1)], others[min(k, 1)]) for k in range(3)]
        bent = body.posture(name).copy()
        bent[arm.columns[3]] = arm.limits[3, 2]
        hinge = _hinge(mine[0], _along(body.figure, arm.root, arm.links, body.figure.poses(bent)))
        upper = neutral[limb.parts[0], :3, :3] @ np.swapaxes(X[:, limb.parts[0], :3, :3], -1, -2)
        turns = upper @ X[:, limb.parts[1], :3, :3] @ neutral[limb.parts[1], :3, :3].T
        bends = np.einsum("ij,njk,kl,l->ni", R_PF, turns, R_PF.T, others[1])
        other_hinge = _hinge(
            others[0], np.stack([np.broadcast_to(others[0], bends.shape), bends], 1)
        )
        parts = []
        for k, link in enumerate(limb.parts):
            moved = R_root @ X[:, link, :3, :3] @ neutral[link, :3, :3].T
            # the upper arm alone is twisted until the elbows bend alike; forearms pronate
            twist = _least(hinge, least[0].T @ other_hinge) if k == 0 else np.eye(3)
            parts.append(R_PF @ moved @ R_PF.T @ least[k] @ twist @ held[arm.links[k], :3, :3])
        before = body.posture(name)[arm.columns]
        for row, one in enumerate(zip(*parts, strict=True)):
            before = arms_from(arm, root[:3, :3], *one, before=before).q
            found[row, arm.columns] = before
    return found


def _hinge(along: Array, limbs: Array) -> Array:
    """Return the line (3,) about which an elbow bends, as ``limbs`` (..., 2, 3) are, in mean.

    It is at right angles to the upper arm ``along`` (3,); an arm that never bends by 10 deg has
    none to tell, and gives zeros.
    """
    bends = limbs[..., 1, :] / np.linalg.norm(limbs[..., 1, :], axis=-1, keepdims=True)
    unit = along / np.linalg.norm(along)
    found = np.cross(unit, bends).reshape(-1, 3)
    if float(np.max(np.linalg.norm(found, axis=1))) < LEAST_BEND:
        return np.zeros(3)
    return np.asarray(found.sum(axis=0) / np.linalg.norm(found.sum(axis=0)))


def _along(figure: Figure, root: int, parts: Sequence[int], X: Array) -> Array:
    """Return from where each of three parts begins to where the next does, (2, 3) m.

    A part begins at the first of the joints that turn it: the last of them may lie anywhere.
    """
    begins = []
    for before, part in zip((root, *parts[:2]), parts, strict=True):
        begins.append(X[_first(figure, before, part), :3, 3])
    return np.diff(begins, axis=0)


def _first(figure: Figure, before: int, link: int) -> int:
    """Return the first link after ``before`` on the way to ``link``."""
    while figure.parents[link] not in (before, -1):
        link = figure.parents[link]
    return link


def _alike(body: TrackedBody, arm: TrackedArm, name: str, other: Array) -> float:
    """Return how nearly an upper arm in a named posture points along ``other`` (3,)."""
    own = _along(body.figure, arm.root, arm.links, body.figure.poses(body.posture(name)))[0]
    return float(own @ other / np.linalg.norm(own))


def _turn(figure: Figure, X: Array, link: int) -> Array:
    """Return how a link is turned, -1 the root, which does not move."""
    return figure.base[:3, :3] if link < 0 else X[..., link, :3, :3]


def _axes(forward: Array, up: Array) -> Array:
    """Return the directions ahead, left and up as columns."""
    up = np.asarray(up) / np.linalg.norm(up)
    return np.stack([forward, np.cross(up, forward), up], axis=1)


def _ahead(figure: Figure, limbs: Mapping[str, Limb], neutral: Array) -> Array:
    """Return where a figure faces, by its shoulders, or by one arm that is out to the side."""
    up = np.asarray(figure.up) / np.linalg.norm(figure.up)
    begins = {
        side: (neutral[_first(figure, limb.root, limb.parts[0]), :3, 3], limb)
        for side, limb in limbs.items()
    }
    if len(begins) == 2:
        left = begins["l"][0] - begins["r"][0]
    else:
        ((side, (_, limb)),) = begins.items()
        along = _along(figure, limb.root, limb.parts, neutral)[0]
        left = along if side == "l" else -along
    left = left - up * (up @ left)
    length = float(np.linalg.norm(left))
    if length < 1e-9:
        raise KinematicsError(
            f"neither two shoulders of '{figure.name}' nor an arm that is out to the side say where"
            " it faces in its neutral posture; give a motion of both arms"
        )
    return np.asarray(np.cross(left / length, up))


def _least(a: Array, b: Array) -> Array:
    """Return the least rotation (3, 3) that turns direction ``a`` into ``b``."""
    if not (a.any() and b.any()):
        return np.eye(3)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis = np.cross(a, b)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        return np.eye(3)
    return Rotation.exp(axis / size * np.arctan2(size, float(a @ b))).to_matrix()
