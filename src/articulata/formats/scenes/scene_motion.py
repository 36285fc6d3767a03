"""How a thing of a foreign world moves by itself: key frames, straight and by slerp between.

What a file says another way, as one motion inside another, is looked at so closely that the key
frames are within ``WITHIN`` of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, BoolArray, Float64
from articulata.geometry.poses import interpolate_poses, inverse_pose, make_pose, pose_distance

WITHIN: Final = 1e-5
"""m and rad: how far a thing may be beside what its file says."""
MOST_KEYS: Final = 5000
"""Key frames of one thing; where more would be needed it is kept less closely."""
JUMP: Final = 1e-6
"""s that a jump takes."""
STRAIGHT: Final = 1e-9
"""m and rad: a key frame that lies so near to the straight way tells nothing."""
FINE: Final = 1e-7
"""m and rad that float32 tells apart."""
WIDEST: Final = 2.0
"""rad between two key frames, so that the short way is meant."""

Places = Callable[[Array], Array]
"""Poses (m, 4, 4) at times (m,)."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneMotion:
    """Poses (n, 4, 4) in W at ``times`` (n,) s, which rise; from the first of them on it moves.

    ``again``: after the last one, which is as the first, it goes on with the first.
    """

    times: Array
    poses: Array
    again: bool = True

    def at(self, t: npt.ArrayLike) -> Float64[Array, "m 4 4"]:
        """Return poses at times ``t`` (m,) s."""
        times = self.times
        asked = _round(times, t, again=self.again)
        k = np.clip(np.searchsorted(times, asked, side="right") - 1, 0, len(times) - 2)
        share = (asked - times[k]) / (times[k + 1] - times[k])
        return np.asarray(interpolate_poses(self.poses[k], self.poses[k + 1], share))


@dataclass(frozen=True, slots=True, eq=False)
class SceneZoom:
    """Angles of view upwards (n,) rad at ``times`` (n,) s, which rise, straight between.

    ``again`` as of a motion.
    """

    times: Array
    angles: Array
    again: bool = True

    def at(self, t: npt.ArrayLike) -> Float64[Array, "m"]:
        """Return the angles at times ``t`` (m,) s."""
        return np.interp(_round(self.times, t, again=self.again), self.times, self.angles)


@dataclass(frozen=True, slots=True, eq=False)
class SceneGrowth:
    """Sizes along a thing's axes, ``scales`` (n, 3) of those at the start, at ``times`` (n,) s.

    Straight between; ``again`` as of a motion.
    """

    times: Array
    scales: Array
    again: bool = True


def _round(times: Array, t: npt.ArrayLike, *, again: bool) -> Array:
    """Return times ``t`` (m,) s as those of the key frames, which go round where ``again``."""
    asked = np.atleast_1d(np.asarray(t, float))
    if again:
        asked = times[0] + np.maximum(asked - times[0], 0.0) % (times[-1] - times[0])
    return np.asarray(np.clip(asked, times[0], times[-1]))


def traced(
    places: Places, breaks: Array, begin: float, end: float, *, again: bool
) -> tuple[SceneMotion | None, float]:
    """Return the motion from ``begin`` to ``end`` (s), and how far it is off (m and rad).

    It may bend or jump at ``breaks`` (s). None where nothing moves.
    """
    inside = breaks[(breaks > begin + JUMP) & (breaks < end - 2.0 * JUMP)]
    times = np.unique(np.concatenate([[begin], inside, inside + JUMP, [end - JUMP, end]]))
    poses = places(times)
    if again:
        poses[-1] = poses[0]
    within = WITHIN
    while True:
        made = _refined(places, times, poses, within)
        if made is not None or within > 1.0:
            break
        within *= 10.0
    if made is not None:
        times, poses = made
    return thinned(times, poses, again=again), within


def rigid(M: Array) -> tuple[Array, Array]:
    """Return the poses nearest to affine maps (..., 4, 4), and what is left: ``M = X @ S``.

    S (..., 3, 3) stretches, and mirrors where M does.
    """
    A = M[..., :3, :3]
    U, _, Vt = np.linalg.svd(A)
    R = U @ Vt
    mirrored = np.linalg.det(R) < 0.0
    if mirrored.any():
        sides = np.where(mirrored[..., None, None], [1.0, 1.0, -1.0], 1.0)
        R = (U * sides) @ Vt
    X = make_pose(R, M[..., :3, 3])
    S = R.swapaxes(-1, -2) @ A
    return X, np.where(np.abs(S) < STRAIGHT * np.abs(S).max(axis=(-1, -2), keepdims=True), 0.0, S)


def carried(
    times: Array, X_WP: Array, motion: SceneMotion | None, X_WC: Array, carrier: SceneMotion | None
) -> tuple[Array, SceneMotion | None]:
    """Return where a thing stands (4, 4) on what carries it, and how it moves there, within FINE.

    Both are told in W: where they stand, or how they move, once, with key frames at ``times`` (n,)
    s. Those are met, and more where one turns far between them: two turns may add up to half a one.
    """
    if motion is None and carrier is None:
        return inverse_pose(X_WC) @ X_WP, None
    own, under = (
        SceneMotion(times[[0, -1]], np.array([X, X]), again=False) if moved is None else moved
        for X, moved in ((X_WP, motion), (X_WC, carrier))
    )
    turned = np.max([pose_distance(X[:-1], X[1:]).rotation
                     for X in (own.at(times), under.at(times))], axis=0)  # fmt: skip
    parts = np.ceil(turned / (WIDEST / 4.0)).astype(int).clip(1)
    shares = [np.arange(n) / n for n in parts]
    spans = zip(times, np.diff(times), shares, strict=False)
    t = np.concatenate([*(a + span * share for a, span, share in spans), times[-1:]])
    poses = np.asarray(inverse_pose(under.at(t)) @ own.at(t))
    return poses[0], thinned(t, poses, within=FINE)


def thinned(
    times: Array, poses: Array, *, again: bool = False, within: float = STRAIGHT
) -> SceneMotion | None:
    """Return the motion through poses (n, 4, 4), without those on a straight way between others.

    None where nothing moves by more than ``within`` (m and rad).
    """
    kept = _needed(times, poses, within)
    times, poses = times[kept], poses[kept]
    if len(times) == 2 and not _off(poses[:1], poses[1:]) > within:
        return None
    return SceneMotion(times, poses, again)


def _refined(
    places: Places, times: Array, poses: Array, within: float
) -> tuple[Array, Array] | None:  # fmt: skip
    """Return key frames between which the straight way is ``within`` of the true one.

    None where they would be too many.
    """
    for _ in range(14):
        spans = np.diff(times)
        wide = spans > 8.0 * JUMP
        off = np.zeros(len(spans))
        for share in (0.25, 0.5):
            there = places(times[:-1] + share * spans)
            way = interpolate_poses(poses[:-1], poses[1:], np.full(len(spans), share))
            off = np.maximum(off, _off(there, way))
        turned = pose_distance(poses[:-1], poses[1:]).rotation
        bad = np.flatnonzero(wide & ((off > within) | (turned > WIDEST)))
        if not len(bad):
            break
        if len(times) + len(bad) > MOST_KEYS:
            return None
        middle = times[bad] + 0.5 * spans[bad]
        poses = np.insert(poses, bad + 1, places(middle), axis=0)
        times = np.insert(times, bad + 1, middle)
    return times, poses


def _needed(times: Array, poses: Array, within: float) -> BoolArray:
    """Tell which key frames (n,) are not on the straight way between those beside them."""
    kept, last = np.ones(len(times), dtype=bool), 0
    for k in range(1, len(times) - 1):
        share = (times[k] - times[last]) / (times[k + 1] - times[last])
        way = interpolate_poses(poses[last], poses[k + 1], share)
        near = _off(poses[k], way) <= within
        if near and pose_distance(poses[last], poses[k + 1]).rotation < WIDEST:
            kept[k] = False
        else:
            last = k
    return kept


def _off(X: Array, Y: Array) -> Array:
    """Return how far poses are apart, the greater of m and rad."""
    apart = pose_distance(X, Y)
    return np.asarray(np.maximum(apart.translation, apart.rotation))
