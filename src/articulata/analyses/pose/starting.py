"""Initial postures: spread within the limits, moved to the targets, conditions kept."""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from articulata.analyses.pose.constraints import (
    lacking,
    least_step,
    residuals_and_jacobian,
    restored,
)
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_scene import Scene
from articulata.geometry.arrays import Array, BoolArray
from articulata.kinematics.inverse.targets import (
    POSE,
    At,
    Gaze,
    Pointing,
    Target,
    kind,
    place_of,
)

PLAIN = 40
"""Plain Newton steps before a search that is damped."""


def spread_starts(scene: Scene, count: int) -> Array:
    """Return ``count`` postures (count, moving) spread within the limits, ``start`` first."""
    from articulata.kernels.chains.iterative_solvers.tip_targets import spread_shares

    low = np.where(np.isfinite(scene.lower), scene.lower, -math.pi)
    high = np.where(np.isfinite(scene.upper), scene.upper, math.pi)
    own = scene.start[scene.columns]
    n = len(own)
    shares = spread_shares(max(count - 1, 0), n)
    x = low + shares * (high - low)
    if scene.drive is not None:
        plate = np.searchsorted(scene.columns, scene.drive.columns)
        x[:, plate] = scene.drive.spread(shares[:, plate])
    return np.vstack([own, np.clip(x, low, high)])


def brought(
    scene: Scene, x: Array, steps: int = 60, enough: float = 1.0
) -> tuple[Array, BoolArray]:
    """Return postures (m, moving) brought to the targets from ``x``, and which arrived.

    By plain Newton steps, which cost least; where these bring less than the share ``enough``, the
    others by a damped search.
    """
    moved, there = restored(scene, x, rounds=PLAIN)
    there[there] = _facing(scene, moved[there])
    if there.mean() < enough:
        moved[~there], there[~there] = _searched(scene, x[~there], steps)
    return moved, there


def _facing(scene: Scene, x: Array) -> BoolArray:
    """Return which postures face their goals.

    An axis that points away from its goal, or starts at it, is a root of the equations as well.
    """
    return lacking(scene, scene.whole(x))[1] < 1e-1


def _searched(scene: Scene, x: Array, steps: int) -> tuple[Array, BoolArray]:
    from articulata.kernels.chains.iterative_solvers.tree_solver import solve_tree

    tree, tips, goals = scene.asked.aim
    found = solve_tree(
        tree,
        tips.links,
        tips.poses,
        tips.asked,
        np.repeat(goals[None], len(x), axis=0),
        1e-6,
        1e-6,
        unit=scene.unit,
        start=x,
        starts=1,
        steps=steps,
        threads=1,
    )
    moved = np.clip(found.u, scene.lower, scene.upper)
    near = (found.distance.max(axis=1) < 1e-2) & (found.angle.max(axis=1) < 1e-1)
    there = np.zeros(len(x), np.bool_)
    if near.any():
        moved[near], arrived = restored(scene, moved[near])
        there[near] = arrived & _facing(scene, moved[near])
    return moved, there


def nearest(scene: Scene, starts: int = 24) -> tuple[Array, float, float]:
    """Return the posture (moving,) that comes nearest to the targets, and what it lacks, m, rad."""
    moved, _ = brought(scene, spread_starts(scene, starts), steps=120)
    off, turn = lacking(scene, scene.whole(moved))
    best = int(np.argmin(off / scene.unit + turn))
    return moved[best], float(off[best]), float(turn[best])


def loosened(scene: Scene) -> Scene | None:
    """Return the scene with targets as near as its figure comes to them, None beyond tolerances.

    A place that is missed is put a little farther off, so that it is not at the end of the reach.
    """
    x, _, _ = nearest(scene)
    q = scene.whole(x[None])
    targets: dict[str, Target] = {}
    for name, wanted in scene.targets.items():
        off, turn = lacking(replace(scene, targets=MappingProxyType({name: wanted})), q)
        room = (wanted.within or 0.0) - float(off[0])
        if room < -_EXACT or float(turn[0]) > (wanted.angle or 0.0) + _EXACT:
            return None
        X = scene.figure.landmark(q, name)[0]
        if not isinstance(wanted, Gaze):
            away = X[:3, 3] - place_of(wanted)
            if off[0] > _EXACT:
                X[:3, 3] += away / off[0] * min(0.5 * max(room, 0.0), _BACK)
        if isinstance(wanted, Pointing):
            targets[name] = Pointing(X[:3, 3], X[:3, 2])
        elif isinstance(wanted, Gaze):
            targets[name] = wanted if turn[0] < _EXACT else Gaze(X[:3, 3] + X[:3, 2])
        else:
            targets[name] = At(X if kind(wanted) == POSE else X[:3, 3])
    return replace(scene, targets=MappingProxyType(targets))


_EXACT = 1e-9
"""m, rad: a target that is missed by less is met."""


_BACK = 1e-3
"""m: how far from the end of the reach a target is put that is beyond it."""


_STOPS = 3
"""Rounds in which joints that come to their limits are made stiff."""

_STIFF = 0.03
"""How far a stiff joint still goes; 0 would leave equations that nothing solves."""


def made_clear(
    judging: Judging, x: Array, rounds: int = 12, inside: float = 1e-3
) -> tuple[Array, BoolArray]:
    """Return postures moved, along their targets, to where conditions are kept, and which are.

    They are moved to ``inside`` m within their bounds.
    """
    scene = judging.scene
    x = x.copy()
    good = judging.kept(x)
    for _ in range(rounds):
        late = np.flatnonzero(~good)
        if not len(late):
            break
        c, J = residuals_and_jacobian(scene, x[late])
        over, slopes = judging.conditions(x[late])
        broken = over < 1e-3 * inside
        rows = np.concatenate([J, np.where(broken[:, :, None], slopes, 0.0)], axis=1)
        wish = np.where(broken, np.minimum(inside - over, 0.1), 0.0)
        wish = np.concatenate([-c, wish], axis=1)
        step = least_step(rows, wish)
        # what a limit stops has to be done by the others
        ease = np.ones_like(step)
        for _ in range(_STOPS):
            stopped = (x[late] + step < scene.lower) | (x[late] + step > scene.upper)
            if not stopped.any():
                break
            ease[stopped] *= _STIFF
            step = ease * least_step(rows * ease[:, None], wish)
        size = np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300)
        tried = np.clip(x[late] + step * np.minimum(1.0, 0.3 / size), scene.lower, scene.upper)
        back, there = restored(scene, tried)
        x[late] = np.where(there[:, None], back, x[late])
        good[late] = there & judging.kept(x[late])
    return x, good
