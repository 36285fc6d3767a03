"""How a figure comes to a posture: straight in its joints, its hand straight, or with calm torques.

All start and end at rest, timed by the polynomial of least squared jerk (Flash and Hogan 1985), or
so that torques change the least. Where something is in the way the motion goes about it, along a
path through free postures.

A way to a posture that slides along what is in the way, feet where they stand.

Each step goes toward the goal as far as conditions and limits let it; where it can go no nearer
the way has come to an end. So a box is gone round by hands that come from above, not a maze.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.analyses.pose.constraints import residuals_and_jacobian, restored
from articulata.analyses.pose.descending import INSIDE, step_within
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_scene import Scene
from articulata.analyses.pose.starting import made_clear
from articulata.analyses.pose.torque_change import least_torque_change
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.easing import minimum_jerk
from articulata.kinematics.free_paths import find_path
from articulata.kinematics.inverse.targets import At, Target

Law: TypeAlias = Literal["minimum_jerk", "minimum_torque_change", "straight"]

LAWS: Final[tuple[Law, ...]] = ("minimum_jerk", "minimum_torque_change", "straight")

STEPS: Final = 60
"""Postures of a motion."""


def motion_to(
    scene: Scene, goal: Float64[Array, "dof"], law: str, duration: float
) -> tuple[Float64[Array, "n"], Float64[Array, "n dof"]]:
    """Return times (s) and postures from the scene's start to ``goal``, in ``duration`` s.

    "straight": all joints together. "minimum_jerk": the first target's place goes straight.
    "minimum_torque_change": the torques of the joints change the least. Supports stay where they
    are. With a ``margin`` in the scene the motion keeps it; KinematicsError where no free way is
    found.
    """
    if law not in LAWS:
        raise KinematicsError(f"a motion goes by {', '.join(LAWS)}; not by '{law}'")
    if not duration > 0.0:
        raise KinematicsError(f"a motion takes more than 0 s, not {duration}")
    shares = np.array([minimum_jerk(s) for s in np.linspace(0.0, 1.0, STEPS + 1)])
    q = scene.start + shares[:, None] * (goal - scene.start)
    if law == "minimum_torque_change":
        q = least_torque_change(scene, goal, duration, STEPS)
    if law == "minimum_jerk":
        q = _hand_straight(scene, q, shares)
    elif scene.floating:
        q = _on_supports(scene, q)
    if not _free(scene, q):
        q = _about(scene, goal, shares)
    return np.linspace(0.0, duration, STEPS + 1), q


def _hand_straight(scene: Scene, q: Array, shares: Array) -> Array:
    """Return postures near ``q`` whose hand goes straight; where it cannot they stay."""
    places = scene.figure.landmark(q, scene.place)[:, :3, 3]
    wanted = places[0] + shares[:, None] * (places[-1] - places[0])
    feet = {name: scene.targets[name] for name in scene.supports if scene.floating}
    return np.stack(
        [
            _brought(scene, {scene.place: At(place), **feet}, each)
            for each, place in zip(q, wanted, strict=True)
        ]
    )


def _on_supports(scene: Scene, q: Array) -> Array:
    feet = {name: scene.targets[name] for name in scene.supports}
    return np.stack([_brought(scene, feet, each) for each in q])


def _brought(scene: Scene, targets: Mapping[str, Target], q: Array) -> Array:
    """Return the posture near ``q`` (dof,) that meets targets; ``q`` where none is near."""
    at = replace(scene, targets=MappingProxyType(dict(targets)))
    at.__dict__["columns"] = scene.columns
    found, there = restored(at, q[None, scene.columns], rounds=8)
    out = q.copy()
    if there[0]:
        out[scene.columns] = found[0]
    return out


def _free(scene: Scene, q: Array) -> bool:
    near = [clash.distance(q[1:]) >= _between(margin) for clash, margin in scene.clashes]
    return all(bool(each.all()) for each in near)


_LESS: Final = 0.1
"""Share of a margin that a motion may lose between its postures."""


def _between(margin: float) -> float:
    return margin - _LESS * abs(margin)


class _Space:
    """What a way has to be free in: what moves, off room and self."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.lower, self.upper = scene.lower, scene.upper
        self.reach = np.max([clash.reach for clash, _ in scene.clashes], axis=0)[scene.columns]

    def distance(self, x: npt.ArrayLike) -> Array:
        q = self._scene.whole(x)
        apart = [clash.distance(q) - _between(margin) for clash, margin in self._scene.clashes]
        return np.asarray(np.min(apart, axis=0))


def _about(scene: Scene, goal: Array, shares: Array) -> Array:
    """Return postures about what is in the way: slid along it, or by a search for a free path."""
    slid = sliding_way(scene, goal, shares)
    if slid is not None:
        return slid
    if scene.floating:
        raise KinematicsError(
            "no free way to the posture was found: what is in the way could not be slid along"
        )
    ends = scene.start[scene.columns], goal[scene.columns]
    way = find_path(_Space(scene), start=ends[0], goal=ends[1])
    if not way.found:
        raise KinematicsError(f"no free way to the posture was found: {way.reason}")
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way.q, axis=0), axis=1))])
    along = shares * lengths[-1]
    x = np.stack([np.interp(along, lengths, column) for column in way.q.T], axis=1)
    return scene.whole(x)


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
