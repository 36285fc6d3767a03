"""How a figure comes to a posture: straight in its joints, or its hand along a minimum-jerk path.

Both start and end at rest, timed by the polynomial of least squared jerk (Flash and Hogan 1985).
Where something is in the way the motion goes about it, along a path through free postures.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.analyses.pose.constraints import restored
from articulata.analyses.pose.scene import Scene
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.easing import minimum_jerk
from articulata.kinematics.inverse.targets import At
from articulata.kinematics.paths import find_path

Law: TypeAlias = Literal["minimum_jerk", "straight"]

LAWS: Final[tuple[Law, ...]] = ("minimum_jerk", "straight")

STEPS: Final = 60
"""Postures of a motion."""


def motion_to(
    scene: Scene, goal: Float64[Array, "dof"], law: str, duration: float
) -> tuple[Float64[Array, "n"], Float64[Array, "n dof"]]:
    """Return times (s) and postures from the scene's start to ``goal``, in ``duration`` s.

    "straight": all joints together. "minimum_jerk": the first target's place goes straight. With a
    ``margin`` in the scene the motion keeps it; KinematicsError where no free way is found.
    """
    if law not in LAWS:
        raise KinematicsError(f"a motion goes by {' or '.join(LAWS)}; there is no '{law}' yet")
    if not duration > 0.0:
        raise KinematicsError(f"a motion takes more than 0 s, not {duration}")
    shares = np.array([minimum_jerk(s) for s in np.linspace(0.0, 1.0, STEPS + 1)])
    q = scene.start + shares[:, None] * (goal - scene.start)
    if law == "minimum_jerk":
        q = _hand_straight(scene, q, shares)
    if not _free(scene, q):
        q = _about(scene, goal, shares)
    return np.linspace(0.0, duration, STEPS + 1), q


def _hand_straight(scene: Scene, q: Array, shares: Array) -> Array:
    """Return postures near ``q`` whose hand goes straight; where it cannot they stay."""
    places = scene.figure.landmark(q, scene.place)[:, :3, 3]
    wanted = places[0] + shares[:, None] * (places[-1] - places[0])
    out = q.copy()
    x = q[:, scene.columns]
    for k in range(1, len(q) - 1):
        at = replace(scene, targets=MappingProxyType({scene.place: At(wanted[k])}), supports=())
        at.__dict__["columns"] = scene.columns
        found, there = restored(at, x[k : k + 1], rounds=8)
        if there[0]:
            out[k, scene.columns] = found[0]
    return out


def _free(scene: Scene, q: Array) -> bool:
    near = [clash.distance(q[1:]) >= 0.9 * margin for clash, margin in scene.clashes]
    return all(bool(each.all()) for each in near)


def _about(scene: Scene, goal: Array, shares: Array) -> Array:
    """Return postures about what is in the way, along a path that is free of the room."""
    clash = scene.itself if scene.around is None else scene.around
    way = find_path(clash, start=scene.start, goal=goal)
    if not way.found:
        raise KinematicsError(f"no free way to the posture was found: {way.reason}")
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way.q, axis=0), axis=1))])
    along = shares * lengths[-1]
    return np.stack([np.interp(along, lengths, column) for column in way.q.T], axis=1)
