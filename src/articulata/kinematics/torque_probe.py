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
        self._M = np.ascontiguousarray(M[:, moving])
        still = np.array(rest, float)
        still[moving] = 0.0
        self._offset = M @ still + offset
        joints = len(figure.joints)
        most = max(len(moving) + 1, POSTURES)
        self._values, self._rates = np.zeros((most, joints)), np.zeros((most, joints))
        self._changes, self._found = np.zeros((most, joints)), np.zeros((most, joints))
        before = (*figure.arrays, self._values, self._rates, self._changes)
        after = (statics.gravity, *statics._inertial, workspace(ROWS * joints), self._found, 0)
        self._motion = (self._values, self._rates, self._changes, self._found)
        self._asked = (*before, *after, POSTURES)
        self._strained: Callable[..., tuple[int, int]] | None = None
        ask = bind(torques, *before, *after, 1)
        self._ask: Callable[[int], None] = lambda count: ask(*before, *after, count)

    def torque(self, q: Array, rates: Array, accelerations: Array) -> Array:
        """Return the torques (n,) of a motion, (n,) each."""
        self._set(q, rates)
        np.dot(self._M, accelerations, out=self._changes[0])
        self._ask(1)
        return np.asarray(self._found[0].dot(self._M))

    def strained(
        self, q: Array, rates: Array, before: Array, step: float, brakes: Array, efforts: Array,
        held: float,
    ) -> tuple[int, int]:  # fmt: skip
        """Return what the kernel of that name does; the arrays (n,) are of moving coordinates."""
        given = (
            self._M, self._offset, q, rates, before, step, brakes, efforts, held, self._motion,
            self._asked,
        )  # fmt: skip
        if self._strained is None:
            from articulata.kernels.chains.strains import strained
            from articulata.kernels.compile import bind

            self._strained = bind(strained, *given)
        return self._strained(*given)

    def columns(self, q: Array, rates: Array, accelerations: Array) -> Array:
        """Return the torques (n + 1, n) of no acceleration, then of each one (n,) alone."""
        self._set(q, rates)
        self._values[1:], self._rates[1:] = self._values[0], self._rates[0]
        self._changes[0] = 0.0
        np.multiply(self._M.T, accelerations[:, None], out=self._changes[1:])
        self._ask(len(q) + 1)
        return np.asarray(self._found[: len(q) + 1].dot(self._M))

    def _set(self, q: Array, rates: Array) -> None:
        np.dot(self._M, q, out=self._values[0])
        self._values[0] += self._offset
        np.dot(self._M, rates, out=self._rates[0])
