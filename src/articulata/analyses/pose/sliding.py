"""A way to a posture that slides along what is in the way, feet where they stand.

Each step goes toward the goal as far as conditions and limits let it; where it can go no nearer
the way has come to an end. So a box is gone round by hands that come from above, not a maze.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from articulata.analyses.pose.constraints import residuals_and_jacobian, restored
from articulata.analyses.pose.descending import INSIDE, step_within
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_scene import Scene
from articulata.analyses.pose.starting import made_clear
from articulata.geometry.arrays import Array, Float64

STEP: Final = 0.06
"""rad, m: most that a joint moves in a step."""

MOST: Final = 300
"""Steps of a way."""

SMOOTHED: Final = 20
"""Rounds in which each posture of a way goes toward the middle of its neighbours."""


def sliding_way(
    scene: Scene, goal: Float64[Array, "dof"], shares: Float64[Array, "n"]
) -> Float64[Array, "n dof"] | None:
    """Return free postures at ``shares`` of a way from the scene's start to ``goal``, or None.

    The way is tried from its end, then from its beginning, and smoothed.
    """
    feet = {name: scene.targets[name] for name in scene.supports if scene.floating}
    held = replace(scene, targets=MappingProxyType(feet), standing=False)
    held.__dict__.update(columns=scene.columns, floating=scene.floating)
    judging = Judging(held, ())
    ends = scene.start[scene.columns], goal[scene.columns]
    way = _from(judging, ends[1], ends[0])
    way = _from(judging, *ends) if way is None else way[::-1]
    if way is None:
        return None
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
    x = np.stack([np.interp(shares * lengths[-1], lengths, each) for each in way.T], axis=1)
    for _ in range(SMOOTHED):
        x[1:-1] += 0.5 * (0.5 * (x[:-2] + x[2:]) - x[1:-1])
        x[1:-1] = made_clear(judging, restored(held, x[1:-1])[0], 4, INSIDE)[0]
    # as fast along the smoothed way as along the first one
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(x, axis=0), axis=1))])
    x = np.stack([np.interp(shares * lengths[-1], lengths, each) for each in x.T], axis=1)
    x[1:-1], good = made_clear(judging, restored(held, x[1:-1])[0], 4, INSIDE)
    return held.whole(x) if good.all() else None


def _from(judging: Judging, first: Array, last: Array) -> Array | None:
    """Return postures (n, moving) from ``first`` to ``last``, None where they do not arrive."""
    x, left, radius = first[None], float(np.linalg.norm(last - first)), STEP
    found = [first]
    for _ in range(MOST):
        if left < 1e-9:
            return np.array(found)
        if radius < 1e-4:
            return None
        tried = _nearer(judging, x, last, radius)
        away = float(np.linalg.norm(last - tried[0]))
        if away < left - 1e-3 * radius or away < 1e-9:
            x, left = tried, away
            found.append(x[0])
            radius = min(2.0 * radius, STEP)
        else:
            radius *= 0.5
    return None


def _nearer(judging: Judging, x: Array, goal: Array, radius: float) -> Array:
    """Return the posture within ``radius`` of x (1, moving) nearest to ``goal``, or x."""
    scene = judging.scene
    away = goal - x
    direct = x + away * min(1.0, radius / max(float(np.abs(away).max()), 1e-300))
    tried, there = restored(scene, direct)
    if there[0] and judging.kept(tried)[0]:
        return tried
    _, J = residuals_and_jacobian(scene, x)
    step = step_within(judging, x, np.eye(x.shape[1])[None], -away, J, np.array([radius]))
    tried, there = restored(scene, np.clip(x + step, scene.lower, scene.upper))
    tried, good = made_clear(judging, tried, 4, INSIDE)
    return tried if there[0] and good[0] else x
