"""What frames tell beside the state, by the compiled kernels: poses, rates, forces, energies.

The same quantities stand in ``readings`` and ``kinematics.coordinates`` as plain linear algebra,
which these are tested against. State (n, 13) as in ``kernels.multibody.system``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from articulata.domains.dynamic.balances import Balance, balance_of
from articulata.domains.dynamic.channels import books_of
from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.mechanism import COORDINATE, Mechanism, Motion
from articulata.domains.dynamic.packing import pack
from articulata.domains.protocols import POSE
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody import frames
from articulata.kernels.multibody.system import System
from articulata.kinematics.coordinates import Coordinates
from articulata.records.state import State


def coordinate_table(of: Coordinates) -> tuple[IntArray, Array]:
    """Return coordinates as the kernels read them: (c, 3) and (c, 24)."""
    n = len(of)
    table = np.stack([of.body_a, of.body_b, of.turning.astype(np.int64)], axis=1)
    data = [of.p_A, of.p_B, of.R_A.reshape(n, 9), of.R_B.reshape(n, 9)]
    return np.ascontiguousarray(table), np.concatenate(data, axis=1)


class Observer:
    """Reads quantities off the states of one mechanism; one per thread."""

    def __init__(self, parts: Mechanism, elements: tuple[Element, ...], system: System) -> None:
        self._elements = elements
        self._forces, self._bodies = len(parts.world.forces), len(parts.world.bodies)
        self._system = system
        self._point = parts.hinge_point
        self._scratch = np.zeros((len(parts.kind), 9))
        center, scratch = np.ascontiguousarray(parts.center[:-1]), self._scratch
        table, data = coordinate_table(parts.coordinates)
        self._of = frames.Observed(system.body, system.body_kind, center, table, data, scratch)

    def stand(self, state: Array) -> tuple[Array, Array, Array, Array]:
        """Return poses, rates of coordinates, energy and momentum at ``state``.

        Of the energy only its kinetic and potential parts. What else is asked of the bodies' turns
        is answered for this state from then on.
        """
        n, c = len(state), len(self._of.table)
        pose, rate, momentum = np.empty((n, 7)), np.empty(c), np.empty(6)
        energy = np.zeros(4)  # kinetic, potential, elastic, total
        frames.observe_motion(self._of, state, pose, rate, energy, momentum)
        return pose, rate, energy, momentum

    def placed(self, state: Array) -> dict[str, Array]:
        """Return poses and the rates of coordinates at ``state``."""
        pose, rate, _, _ = self.stand(state)
        return {POSE: pose[: self._bodies], "dynamic.coordinate_rate": rate}

    def motion(self, state: Array, time: float, turned: Array) -> dict[str, Array]:
        """Return what ``state`` at ``time`` (s) tells; ``turned`` (c,) are its coordinates."""
        pose, rate, energy, momentum = self.stand(state)
        tension = np.zeros(len(self._elements))
        if self._elements:
            motion = self._motion(state, turned, rate)
            for number, element in enumerate(self._elements):
                tension[number] = element.value(motion, time)
                energy[2] += element.energy(motion)
        # Numbers of Python: what overflowed adds up without a warning.
        kinetic, potential, elastic, _ = energy.tolist()
        energy[3] = kinetic + potential + elastic
        return {
            POSE: pose[: self._bodies],
            "dynamic.coordinate_rate": rate,
            "dynamic.force": tension[: self._forces],
            "dynamic.energy": energy,
            "dynamic.momentum": momentum,
        }

    def observe(self, state: State) -> dict[str, Array]:
        """Return what ``state`` alone tells, with the books of energy that it keeps."""
        found = self.motion(pack(state.arrays), state.time, state.arrays[COORDINATE])
        energy = np.concatenate([found["dynamic.energy"], *books_of(state.arrays).values()])
        return {**found, "dynamic.energy": energy}

    def balance(self, state: State) -> Balance:
        """Return energy and momentum at ``state``."""
        return balance_of(self.observe(state))

    def followed(self, before: State, arrays: Mapping[str, Array], dt: float) -> Array:
        """Return the coordinates ``dt`` (s) after ``before``, followed through whole turns."""
        then, now = pack(before.arrays), pack(arrays)
        return self.coordinates(then, now, dt, before.arrays[COORDINATE])

    def hinge_forces(self, rows: Array) -> Array:
        """Return (hinges, 6) as ``readings.hinge_forces``; call ``stand`` at the state first.

        ``rows`` are the kernels' rows with the multipliers of a solve at that state.
        """
        out = np.empty((len(self._point), 6))
        system = self._system
        frames.hinge_wrenches(
            system.hinge_body, system.hinge_row, self._point, rows, self._scratch, out
        )
        return out

    def coordinates(self, then: Array, now: Array, dt: float, known: Array) -> Array:
        """Return the coordinates at ``now``, angles followed from ``known`` at ``then``."""
        out = np.empty(len(self._of.table))
        frames.follow_coordinates(self._of, then, now, dt, known, out)
        return out

    def _motion(self, state: Array, turned: Array, rate: Array) -> Motion:
        """Return ``state`` with the world last, for what is not compiled."""
        still = np.zeros((1, 3))
        return Motion(
            np.concatenate([state[:, 0:3], still]),
            np.concatenate([self._scratch.reshape(-1, 3, 3), np.eye(3)[None]]),
            np.concatenate([state[:, 7:10], still]),
            np.concatenate([state[:, 10:13], still]),
            turned,
            rate,
        )
