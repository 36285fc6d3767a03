"""Somebody who wears sensors: where each of them is at any time.

A wearer is a figure in a posture that changes. Sensors sit on its links, each turned as it was
strapped on. T is the transmitter's frame, F the figure's, S a sensor's, B a link's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.easing import minimum_jerk
from articulata.geometry.poses import inverse_pose
from articulata.geometry.quaternion import q_exp, q_to_matrix
from articulata.kinematics.figure import Figure

Posture: TypeAlias = Callable[[float], Array]
"""Joint values (dof,) rad at a time in s."""

BETWEEN = 1.2
"""Seconds in which a wearer goes from one posture to another that is asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Worn:
    """A sensor on the link that joint ``joint`` of a figure carries, -1 for the root: ``X_BS``."""

    joint: int
    X_BS: Array


@dataclass(frozen=True, slots=True)
class KeyFrames:
    """Postures ``values`` (n, dof) at rising ``times`` (n,) s; minimum jerk between, repeated."""

    times: tuple[float, ...]
    values: Array

    def __call__(self, time: float) -> Array:
        """Return the posture (dof,) at ``time``."""
        t = time % self.times[-1] if self.times[-1] > 0.0 else 0.0
        k = int(np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2))
        share = (t - self.times[k]) / (self.times[k + 1] - self.times[k])
        q0, q1 = self.values[k], self.values[k + 1]
        return np.asarray(q0 + minimum_jerk(float(np.clip(share, 0.0, 1.0))) * (q1 - q0))


TAPPED = 0.15
"""Seconds for which a sensor that is tapped is turned aside, by 8 deg at most."""


class Wearer:
    """A figure that performs, or holds the posture that it is asked to hold.

    ``sensors`` by station; ``X_FT`` is where the transmitter stands. ``turn`` gives the pose
    ``X_FF'`` (4, 4) by which the whole figure has moved at a time.
    """

    def __init__(
        self,
        figure: Figure,
        performance: Posture,
        sensors: Mapping[int, Worn],
        *,
        X_FT: Array,
        turn: Callable[[float], Array] | None = None,
    ) -> None:
        self.figure = figure
        self.sensors = dict(sensors)
        self._performance = performance
        self._turn = turn
        self._X_TF = inverse_pose(X_FT)
        # since when, from where, to where; None is the performance
        self._asked: tuple[float, Array, Array | None] = (-np.inf, figure.neutral, None)
        self._begun = 0.0
        self._tapped = (0, -np.inf)
        self._posed: tuple[float, Array, Array] = (np.nan, np.eye(4), np.zeros(0))

    def hold(self, q: Array, now: float) -> None:
        """Go to posture ``q`` (dof,) rad from ``now`` (s) on, and stay there."""
        self._asked = (now, self.posture(now), np.asarray(q, float))

    def perform(self, now: float, performance: Posture | None = None) -> None:
        """Go over to the performance from ``now`` (s) on, or to another; it begins anew."""
        before = self.posture(now)
        self._performance = performance or self._performance
        self._asked, self._begun = (now, before, None), now

    def tap(self, station: int, now: float) -> None:
        """Tap a station's sensor at ``now`` (s)."""
        self._tapped = station, now

    def posture(self, time: float) -> Array:
        """Return joint values (dof,) rad at ``time`` (s)."""
        since, before, asked = self._asked
        after = self._performance(max(time - self._begun, 0.0)) if asked is None else asked
        share = (time - since) / BETWEEN
        if share >= 1.0:
            return after
        return np.asarray(before + minimum_jerk(max(share, 0.0)) * (after - before))

    def pose(self, station: int, time: float) -> Array:
        """Return ``X_TS`` (4, 4) of a station's sensor at ``time`` (s)."""
        if self._posed[0] != time:
            moved = np.eye(4) if self._turn is None else self._turn(time)
            self._posed = time, moved, self.figure.poses(self.posture(time))
        worn = self.sensors[station]
        _, moved, X_FL = self._posed
        X_FB = self.figure.base if worn.joint < 0 else X_FL[worn.joint]
        X_TS = np.asarray(self._X_TF @ moved @ X_FB @ worn.X_BS)
        tapped, since = self._tapped
        share = (time - since) / TAPPED
        if station == tapped and 0.0 < share < 1.0:
            aside = np.radians(8.0) * np.sin(np.pi * share)
            X_TS[:3, :3] = X_TS[:3, :3] @ q_to_matrix(q_exp(np.array((aside, 0.0, 0.0))))
        return X_TS


def strapped(
    figure: Figure, places: Mapping[int, tuple[int, Sequence[float]]], rng: np.random.Generator
) -> dict[int, Worn]:
    """Return sensors on links, each turned by up to half a turn as it happens.

    ``places`` maps a station to the joint whose link it sits on (-1: the root) and where on it, m.
    """
    found = {}
    for station, (joint, place) in places.items():
        X = np.eye(4)
        q = rng.normal(size=4)
        X[:3, :3] = q_to_matrix(q / np.linalg.norm(q))
        X[:3, 3] = place
        found[station] = Worn(joint, X)
    return found
