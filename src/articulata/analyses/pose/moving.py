"""How a figure comes to a posture: straight in its joints, its hand straight, or with calm torques.

All start and end at rest, timed by the polynomial of least squared jerk (Flash and Hogan 1985), or
so that torques change the least. Where something is in the way the motion goes about it, along a
path through free postures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.analyses.pose.constraints import restored
from articulata.analyses.pose.pose_scene import Scene
from articulata.analyses.pose.sliding import sliding_way
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
