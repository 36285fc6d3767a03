"""Probes of one posture at a time, for those who ask at every tick: clearances and torques.

The answers are those of ``Clash.clearances`` and ``Statics.inverse_dynamics``; nothing is made
anew for a question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kernels.compile import bind
from articulata.kernels.contacts.pieces import Standing
from articulata.kinematics.clash import Clash
from articulata.kinematics.statics import Statics


class ClashProbe:
    """Asks ``clash`` about postures of which only the coordinates ``moving`` (n,) change.

    The others are those of ``rest`` (figure dof,).
    """

    def __init__(self, clash: Clash, moving: Any, rest: Array) -> None:
        from articulata.kernels.chains.clearance.nearest_pairs import (
            Pairs,
            Probed,
            bounds_for,
            probed,
        )
        from articulata.kernels.held import Held

        figure = clash.figure
        M, offset = figure.mapping
        tested = clash.tested
        M, offset = M[tested.kept], offset[tested.kept]
        still = np.array(rest, float)
        still[moving] = 0.0
        joints = len(tested.kept)
        self._clash, self._pair = clash, -1
        now = Standing(*(part.copy() for part in tested.still))
        self._asked = Held(
            Probed(
                Pairs(tested.tree, tested.pieces, now, tested.numbers),
                np.array(M[:, moving], float, order="C"),
                np.array(M @ still + offset),
                bounds_for(*tested.numbers.shape),
                np.full(1, -1.0),
                np.empty(joints),
                np.empty((joints, 3, 4)),
            )
        )
        self._ask: Callable[..., tuple[float, int]] = bind(
            probed, self._asked, np.zeros(len(np.atleast_1d(moving))), 1.0
        )

    def distance(self, q: Array, enough: float) -> float:
        """Return how far posture ``q`` (n,) is from touching anything, at most ``enough`` m."""
        found, self._pair = self._ask(self._asked, q, enough)
        return found

    @property
    def links(self) -> Array:
        """X_BL (joints, 3, 4) of the joints that move what is tested, in the latest posture."""
        return self._asked.value.links

    @property
    def names(self) -> tuple[str, str] | None:
        """The nearest pair of the latest posture, None where nothing was near enough."""
        return self._clash.names_of(self._pair)


class TorqueProbe:
    """Asks ``statics`` about motions of the coordinates ``moving`` (n,); the others rest.

    They are in posture ``rest`` (figure dof,). What else pushes on the figure does not count.
    Joints bear ``efforts`` (n,).
    """

    def __init__(self, statics: Statics, moving: Any, rest: Array, efforts: Array) -> None:
        from articulata.kernels.chains.dynamics.newton_euler import ROWS, Inertial, Motion
        from articulata.kernels.chains.dynamics.torque_limits import POSTURES, Weighed
        from articulata.kernels.chains.forward_kinematics import TreeArrays
        from articulata.kernels.lanes.vectors import workspace

        figure = statics.figure
        M, offset = figure.mapping
        still = np.array(rest, float)
        still[moving] = 0.0
        joints, n = len(figure.joints), len(efforts)
        rows = np.zeros((max(n + 1, POSTURES), joints))
        self.weighed = Weighed(
            np.array(M[:, moving], float, order="C"),
            np.array(M @ still + offset),
            np.zeros(n),
            np.zeros(n),
            efforts,
            1.0,
            Motion(rows, rows.copy(), rows.copy()),
            rows.copy(),
            TreeArrays._make(part.copy() for part in figure.arrays),
            Inertial(np.array(statics.gravity), *(np.array(part) for part in statics._inertial)),
            workspace(ROWS * joints),
        )
        """What kernels take."""

    def strength(self, q: Array, rates: Array, accelerations: Array) -> float:
        """Return the share of ``accelerations`` (n,) that torques suffice for.

        In posture ``q`` (n,) at ``rates`` (n,), as the kernel of that name says.
        """
        from articulata.kernels.chains.dynamics.torque_limits import strength

        # kernels are compiled for arrays that can be written
        at, fast, most = (np.array(x, float) for x in (q, rates, accelerations))
        return strength(self.weighed, at, fast, most)
