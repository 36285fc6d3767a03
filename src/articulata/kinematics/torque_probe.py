"""Torques of one posture at a time, for those who ask at every tick.

The answers are those of ``Statics.inverse_dynamics``; nothing is made anew for a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.statics import Statics


class TorqueProbe:
    """Asks ``statics`` about motions of the coordinates ``moving`` (n,); the others rest.

    They are in posture ``rest`` (figure dof,). What else pushes on the figure does not count.
    """

    def __init__(self, statics: Statics, moving: Any, rest: Array) -> None:
        from articulata.kernels.chains.newton_euler import ROWS, torques
        from articulata.kernels.chains.strains import POSTURES
        from articulata.kernels.compile import bind
        from articulata.kernels.lanes.vectors import workspace

        figure = statics.figure
        M, offset = figure.mapping
        still = np.array(rest, float)
        still[moving] = 0.0
        joints = len(figure.joints)
        self.M = np.array(M[:, moving], float, order="C")
        """Joints are ``M`` (joints, n) times the coordinates, and ``offset`` (joints,)."""
        self.offset = np.array(M @ still + offset)
        most = max(self.M.shape[1] + 1, POSTURES)
        self._values, self._rates, self._changes, self._found = (
            np.zeros((most, joints)) for _ in range(4)
        )
        self.motion = self._values, self._rates, self._changes, self._found
        """Rows for kernels: joint values, rates, accelerations, and the torques of these."""
        self.tree = tuple(part.copy() for part in figure.arrays)
        """What the kernel takes before the first three of them."""
        inertial = (np.array(part) for part in statics._inertial)
        self.masses = (np.array(statics.gravity), *inertial, workspace(ROWS * joints))
        """What it takes after them."""
        before = (*self.tree, self._values, self._rates, self._changes)
        after = (*self.masses, self._found, 0)
        ask = bind(torques, *before, *after, 1)
        self._ask: Callable[[int], None] = lambda count: ask(*before, *after, count)

    def torque(self, q: Array, rates: Array, accelerations: Array) -> Array:
        """Return the torques (n,) of a motion, (n,) each."""
        self._set(q, rates)
        np.dot(self.M, accelerations, out=self._changes[0])
        self._ask(1)
        return np.asarray(self._found[0].dot(self.M))

    def columns(self, q: Array, rates: Array, accelerations: Array) -> Array:
        """Return the torques (n + 1, n) of no acceleration, then of each one (n,) alone."""
        self._set(q, rates)
        self._values[1:], self._rates[1:] = self._values[0], self._rates[0]
        self._changes[0] = 0.0
        np.multiply(self.M.T, accelerations[:, None], out=self._changes[1:])
        self._ask(len(q) + 1)
        return np.asarray(self._found[: len(q) + 1].dot(self.M))

    def _set(self, q: Array, rates: Array) -> None:
        np.dot(self.M, q, out=self._values[0])
        self._values[0] += self.offset
        np.dot(self.M, rates, out=self._rates[0])
