"""A posture that follows its targets as they move, and comes back to the best there is.

Each call brings the last posture to the new targets and makes one Newton step toward the posture
that weighs best, no faster than the joints move. So postures change without a jump.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.analyses.pose.constraints import (
    lacking,
    residuals,
    residuals_and_jacobian,
    restored,
)
from articulata.analyses.pose.descending import INSIDE, Norm, newton, step_within
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_scene import checked_goal
from articulata.analyses.pose.starting import brought, made_clear
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.targets import Target, target

SPEED: Final = 4.0
"""rad/s, m/s: how fast a joint moves of which nothing is known. A proposal: people's wrists and
elbows are faster, trunks slower."""

DRAGS: Final = 4
"""Steps toward a point for each time that something is dragged there."""


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """A posture ``q`` (dof,) on the way; ``error`` m and ``angle`` rad are what targets are off.

    ``found``: the targets are met. ``values`` (k,) are the aims', to be kept low.
    """

    q: Float64[Array, "dof"]
    error: float
    angle: float
    found: bool
    values: Float64[Array, "k"]


class PoseFollower:
    """Follows moving targets from posture ``q``; ``norm`` says which postures weigh best."""

    def __init__(self, judging: Judging, q: npt.ArrayLike, norm: Norm) -> None:
        self.judging = judging
        self._norm = norm
        self._x = np.asarray(q, float)[judging.scene.columns][None]
        figure = judging.scene.figure
        motors = figure.speeds
        self._speeds = np.where(np.isfinite(motors), motors, SPEED)[judging.scene.columns]

    @property
    def q(self) -> Float64[Array, "dof"]:
        """The present posture."""
        found: Array = self.judging.scene.whole(self._x)[0]
        return found

    def hold(self, q: npt.ArrayLike) -> None:
        """Go on from a posture that somebody has put the figure in."""
        self._x = np.asarray(q, float)[self.judging.scene.columns][None]

    def drag(self, place: str, point: npt.ArrayLike) -> Followed:
        """Return the posture in which ``place``, such as an elbow, is nearest to ``point`` (3,).

        The targets stay met; it is the self-motion that is dragged.
        """
        scene = self.judging.scene
        wanted = np.asarray(point, float)
        x = self._x
        for _ in range(DRAGS):
            q = scene.whole(x)
            _, J = residuals_and_jacobian(scene, x)
            E = scene.figure.landmark_jacobian(q, place)[:, :3, scene.columns]
            away = wanted - scene.figure.landmark(q, place)[:, :3, 3]
            # what is in the way is slid along, and so are limits
            B = E.transpose(0, 2, 1) @ E
            B += (1e-3 * np.trace(B[0]) / B.shape[1] + 1e-9) * np.eye(B.shape[1])
            slope = -np.einsum("man,ma->mn", E, away)
            step = step_within(self.judging, x, B, slope, J, np.array([0.3]))
            near = self._dragged(x, step, place, wanted, float(np.linalg.norm(away)))
            if near is None:
                break
            x = near
        self._x = x
        q = scene.whole(x)
        off, turn = lacking(scene, q)
        return Followed(q[0], float(off[0]), float(turn[0]), True, self.judging.values(x)[0])

    def _dragged(
        self, x: Array, step: Array, place: str, wanted: Array, away: float
    ) -> Array | None:
        """Return the posture a step, or a part of it, nearer to what is wanted, or None."""
        scene = self.judging.scene
        size = max(float(np.abs(step).max()), 1e-12)
        for share in (1.0, 0.3, 0.1):
            moved = x + step * min(1.0, 0.3 / size) * share
            tried, there = restored(scene, np.clip(moved, scene.lower, scene.upper))
            if there[0] and self.judging.conditioned:
                tried, there = made_clear(self.judging, tried, rounds=4, inside=INSIDE)
            after = scene.figure.landmark(scene.whole(tried), place)[0, :3, 3]
            if there[0] and np.linalg.norm(wanted - after) < away - 1e-9:
                return tried
        return None

    def to(self, targets: Mapping[str, npt.ArrayLike | Target], seconds: float) -> Followed:
        """Return the posture ``seconds`` later, with ``targets`` in place of those of their names.

        What the joints cannot do in that time is left for the next call.
        """
        if not (math.isfinite(seconds) and seconds > 0.0):
            raise KinematicsError(f"time goes on by seconds, more than 0; not {seconds}")
        judging = self._moved(targets)
        scene = judging.scene
        most = self._speeds * seconds
        low, high = self._x - most, self._x + most
        x, there = restored(scene, self._x, rounds=5)
        if not there[0]:
            # out of reach from here: as near as the engine of trees comes, damped
            x, _ = brought(scene, self._x, steps=20)
        x = np.clip(np.clip(x, low, high), scene.lower, scene.upper)
        room = float(np.min(most - np.abs(x - self._x)[0]))
        if room > 1e-6:
            x = self._better(judging, x, room)
        if judging.conditioned and not judging.kept(x)[0]:
            back, clear = made_clear(judging, x, rounds=12, inside=1e-4)
            if clear[0] and (np.abs(back - self._x) <= most + 1e-12).all():
                x = back
            elif judging.kept(self._x)[0]:
                x = self._x  # rather stand still than pass through something
        self._x = x
        self.judging = judging
        q = scene.whole(x)
        off, turn = lacking(scene, q)
        met = float(np.abs(residuals(scene, x)).max()) < 1e-6
        return Followed(q[0], float(off[0]), float(turn[0]), met, judging.values(x)[0])

    def _better(self, judging: Judging, x: Array, room: float) -> Array:
        """Return a posture nearer to the best, not farther than ``room`` from ``x``."""
        values, slopes = judging.values(x), judging.slopes(x)
        norm = self._norm._replace(best=np.minimum(self._norm.best, values[0]))
        step, _ = newton(judging, norm, x, values, slopes, None, np.array([min(0.2, 0.9 * room)]))
        scene = judging.scene
        for share in (1.0, 0.25):
            tried, there = restored(
                scene, np.clip(x + share * step, scene.lower, scene.upper), rounds=3
            )
            near = float(np.abs(tried - x).max()) <= room
            if there[0] and near and norm.of(judging.values(tried))[0] < norm.of(values)[0]:
                return tried
        return x

    def _moved(self, targets: Mapping[str, npt.ArrayLike | Target]) -> Judging:
        scene = self.judging.scene
        known = dict(scene.targets)
        for name, given in targets.items():
            if name not in known:
                raise KinematicsError(
                    f"'{name}' is not followed; this follower has {', '.join(known)}"
                )
            known[name] = checked_goal(name, target(given, name))
        return self.judging.at(known)
