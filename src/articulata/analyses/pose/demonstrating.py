"""Demonstrations: found in recordings, aligned in time, and made into one motion for a new place.

Thomann 2005, 1.2, asks for postures of what Lieberman and Breazeal (Improvements on action parsing
and action interpolation for learning through demonstration, Humanoids 2004) learn: episodes begin
and end by their mean squared velocity; of similar ones two solutions are made by radial basis
functions of the object's place, one that keeps the quality of the motion, one that keeps the
precision of the hand, and the two are blended. Here the first interpolates joints, the second the
hand's way as seen from the object; where demonstrations agree there more than in their joints,
the hand counts. Postures then follow one after the other from branch to branch unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.analyses.pose.constraints import restored
from articulata.analyses.pose.pose_scene import Scene, scene_of
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, IntArray
from articulata.kinematics.figure import Figure
from articulata.kinematics.inverse.targets import At

QUIET: Final = 0.02
"""Share of the largest mean squared velocity below which nothing is done. A proposal."""

REST: Final = 0.15
"""s: a rest as short as this does not end an episode. A proposal."""

LEAST: Final = 0.2
"""s: what is shorter is no episode. A proposal."""

COUNT: Final = 101
"""Postures of an aligned demonstration."""


def episodes(
    times: npt.ArrayLike, q: npt.ArrayLike, *, quiet: float = QUIET
) -> list[tuple[int, int]]:
    """Return the first and last frame of each episode in postures ``q`` (n, dof) at ``times`` (n,).

    An episode is where the mean squared velocity of the joints is above ``quiet`` of its largest
    value; its ends are moved outward to where it is least before the next one.
    """
    t, postures = np.asarray(times, float), np.asarray(q, float)
    if t.ndim != 1 or postures.shape[:1] != t.shape or len(t) < 3 or not (np.diff(t) > 0.0).all():
        raise KinematicsError(
            f"a recording is postures (n, dof) at n rising times, 3 or more; not {postures.shape} "
            f"at {t.shape}"
        )
    msv = mean_squared_velocity(t, postures)
    moving = msv > quiet * msv.max()
    runs = _runs(moving)
    joined: list[tuple[int, int]] = []
    for begin, end in runs:
        if joined and t[begin] - t[joined[-1][1]] < REST:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((begin, end))
    joined = [each for each in joined if t[each[1]] - t[each[0]] >= LEAST]
    found = []
    for number, (begin, end) in enumerate(joined):
        before = joined[number - 1][1] if number else 0
        after = joined[number + 1][0] if number + 1 < len(joined) else len(t) - 1
        first, last = _still(msv[before : begin + 1]), _still(msv[end : after + 1])
        found.append((before + int(first[-1]), end + int(last[0])))
    return found


def _still(msv: Array) -> IntArray:
    """Return the frames that are as still as any, to a millionth of the largest."""
    return np.flatnonzero(msv <= max(1.001 * float(msv.min()), 1e-6 * float(msv.max())))


def mean_squared_velocity(
    times: Float64[Array, "n"], q: Float64[Array, "n dof"]
) -> Float64[Array, "n"]:
    """Return the mean of the joints' squared velocities, (rad/s)^2."""
    rates = np.gradient(q, times, axis=0)
    return np.asarray((rates**2).mean(axis=1))


def aligned(
    paths: Sequence[npt.ArrayLike], *, count: int = COUNT
) -> Float64[Array, "paths frames dof"]:
    """Return paths (n, dof), each with a number of frames of its own, on one course of time.

    Each is warped onto the one that is nearest to all, by dynamic time warping (Sakoe and Chiba
    1978), and taken at ``count`` frames.
    """
    if not paths:
        raise KinematicsError("nothing was given to be aligned; give at least one path")
    even = np.stack([_taken(np.asarray(path, float), count) for path in paths])
    ways = [[_warp(a, b) for b in even] for a in even]
    middle = int(np.argmin([sum(cost for cost, _ in row) for row in ways]))
    return np.stack([
        np.stack([np.interp(onto, np.arange(count), column) for column in each.T], axis=1)
        for each, (_, onto) in zip(even, ways[middle], strict=True)
    ])  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """A motion learnt for a new place: postures ``q`` (n, dof) at ``shares`` (n,) of its time.

    ``hand`` (n, 3) m is the place's way. ``quality`` and ``precision`` (n, 3) m are the ways of the
    two solutions, ``precise`` (n,) the share of the second. ``met`` (n,) says whether a posture
    follows the hand, where not it keeps to the quality of the motion.
    """

    shares: Float64[Array, "n"]
    q: Float64[Array, "n dof"]
    hand: Float64[Array, "n 3"]
    quality: Float64[Array, "n 3"]
    precision: Float64[Array, "n 3"]
    precise: Float64[Array, "n"]
    met: Bool[BoolArray, "n"]


def learnt(
    figure: Figure,
    place: str,
    demonstrations: Sequence[npt.ArrayLike],
    objects: npt.ArrayLike,
    goal: npt.ArrayLike,
    *,
    moving: str | Sequence[str] = (),
) -> Learnt:
    """Return the motion of ``place`` for an object at ``goal`` (3,) m, as it was demonstrated.

    ``demonstrations`` are postures (n, dof) of ``figure``, each with frames of its own, ``objects``
    (m, 3) m where the object was in each.
    """
    at, wanted = np.atleast_2d(np.asarray(objects, float)), np.asarray(goal, float)
    if at.shape != (len(demonstrations), 3) or wanted.shape != (3,):
        raise KinematicsError(
            f"{len(demonstrations)} demonstrations have as many objects, (m, 3) m, and one goal "
            f"(3,); not {at.shape} and {wanted.shape}"
        )
    q = aligned([np.asarray(each, float) for each in demonstrations])
    weights = _weights(at, wanted)
    hands = np.stack([figure.landmark(each, place)[:, :3, 3] for each in q])
    by_quality = np.einsum("m,mnd->nd", weights, q)
    by_quality = np.clip(by_quality, figure.lower, figure.upper)
    quality = figure.landmark(by_quality, place)[:, :3, 3]
    seen = hands - at[:, None]
    precision = np.einsum("m,mnd->nd", weights, seen) + wanted
    spread, about = hands.var(axis=0).sum(axis=1), seen.var(axis=0).sum(axis=1)
    precise = spread / np.maximum(spread + about, 1e-12)
    hand = quality + precise[:, None] * (precision - quality)
    scene = scene_of(figure, {place: hand[0]}, start=by_quality[0], moving=moving)
    found, met = _postures(scene, by_quality, hand)
    shares = np.linspace(0.0, 1.0, len(found))
    return Learnt(shares, found, hand, quality, precision, precise, met)


def _postures(scene: Scene, q: Array, hand: Array) -> tuple[Array, BoolArray]:
    """Return postures near ``q`` (n, dof) whose hand goes its way, each near the one before."""
    found, met = q.copy(), np.zeros(len(q), np.bool_)
    away = np.zeros(len(scene.columns))
    for number, (posture, point) in enumerate(zip(q, hand, strict=True)):
        here = replace(scene, targets=MappingProxyType({scene.place: At(point)}), start=posture)
        here.__dict__["columns"] = scene.columns
        begin = np.clip(posture[scene.columns] + away, scene.lower, scene.upper)
        x, there = restored(here, begin[None], rounds=12)
        met[number] = there[0]
        if there[0]:
            found[number, scene.columns] = x[0]
            away = x[0] - posture[scene.columns]
    return found, met


def _weights(at: Array, goal: Array) -> Array:
    """Return the share of each demonstration: exact where the goal is that of one, sum of 1.

    Gaussians as wide as the objects lie apart.
    """
    if len(at) == 1:
        return np.ones(1)
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    others = apart[apart > 1e-9]
    width = float(others.mean()) if len(others) else 1.0
    K = np.exp(-((apart / width) ** 2)) + 1e-9 * np.eye(len(at))
    k = np.exp(-((np.linalg.norm(at - goal, axis=1) / width) ** 2))
    # of all weights with a sum of 1 those that the functions interpolate with
    ones = np.ones(len(at))
    both = np.linalg.solve(K, np.stack([k, ones], axis=1))
    found = both[:, 0] + both[:, 1] * (1.0 - both[:, 0].sum()) / both[:, 1].sum()
    return np.asarray(found)


def _taken(path: Array, count: int) -> Array:
    at = np.linspace(0.0, len(path) - 1.0, count)
    return np.stack([np.interp(at, np.arange(len(path)), column) for column in path.T], axis=1)


def _warp(a: Array, b: Array) -> tuple[float, Array]:
    """Return the cost of warping ``b`` onto ``a``, and which frame of b each of a is, (n,)."""
    n, m = len(a), len(b)
    apart = np.linalg.norm(a[:, None] - b[None], axis=2)
    total = np.full((n + 1, m + 1), np.inf)
    total[0, 0] = 0.0
    rows = apart.tolist()
    for i in range(1, n + 1):
        over, here = total[i - 1].tolist(), [np.inf] * (m + 1)
        for j in range(1, m + 1):
            # a step aside costs as much as the two it stands for
            straight = over[j - 1] + 2.0 * rows[i - 1][j - 1]
            aside = min(over[j], here[j - 1]) + 1.5 * rows[i - 1][j - 1]
            here[j] = min(straight, aside)
        total[i] = here
    met: list[list[int]] = [[] for _ in range(n)]
    i, j = n, m
    while i > 0 and j > 0:
        met[i - 1].append(j - 1)
        steps = ((i - 1, j - 1), (i - 1, j), (i, j - 1))
        i, j = min(steps, key=lambda step: float(total[step]))
    onto = np.array([float(np.mean(each)) if each else 0.0 for each in met])
    return float(total[n, m]), np.maximum.accumulate(onto)


def _runs(moving: BoolArray) -> list[tuple[int, int]]:
    edges: IntArray = np.flatnonzero(np.diff(np.concatenate([[False], moving, [False]])))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
