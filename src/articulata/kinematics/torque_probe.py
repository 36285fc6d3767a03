"""Torques of one posture at a time, for those who ask at every tick.

The answers are those of ``Statics.inverse_dynamics``; nothing is made anew for a question.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.statics import Statics


class TorqueProbe:
    """Asks ``statics`` about motions of the coordinates ``moving`` (n,); the others rest.

    They are in posture ``rest`` (figure dof,). What else pushes on the figure does not count.
    """

    def __init__(self, statics: Statics, moving: Any, rest: Array) -> None:
        from articulata.kernels.chains.dynamics.newton_euler import ROWS
        from articulata.kernels.chains.dynamics.torque_limits import POSTURES
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
        rows = np.zeros((most, joints))
        self.motion = rows, rows.copy(), rows.copy(), rows.copy()
        """Rows for kernels: joint values, rates, accelerations, and the torques of these."""
        self.tree = tuple(part.copy() for part in figure.arrays)
        """What the kernel takes before the first three of them."""
        inertial = (np.array(part) for part in statics._inertial)
        self.masses = (np.array(statics.gravity), *inertial, workspace(ROWS * joints))
        """What it takes after them."""

    def strength(self, q: Array, rates: Array, accelerations: Array, efforts: Array) -> float:
        """Return the share of ``accelerations`` (n,) that torques of ``efforts`` (n,) suffice for.

        In posture ``q`` (n,) at ``rates`` (n,), as the kernel of that name says.
        """
        from articulata.kernels.chains.dynamics.torque_limits import strength

        # kernels are compiled for arrays that can be written
        at, fast, most, held = (np.array(x, float) for x in (q, rates, accelerations, efforts))
        return strength(
            self.M, self.offset, at, fast, most, held, self.motion, self.tree, self.masses
        )
