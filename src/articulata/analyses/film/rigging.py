"""What a flight's kernel is given: arm, limits, masses and distances, in arrays of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from articulata.analyses.film.carrier import HELD, Carrier, Weights
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.chains.camera_control.attempted_ticks import ArmState
from articulata.kernels.chains.camera_control.braking_distances import PLACES, Ways
from articulata.kernels.chains.camera_control.carried_frames import room
from articulata.kernels.chains.camera_control.flight_ticks import Eased, Flight, flown
from articulata.kernels.chains.dynamics.newton_euler import Inertial, Motion
from articulata.kernels.chains.dynamics.torque_limits import Weighed
from articulata.kernels.chains.forward_kinematics import TreeArrays
from articulata.kernels.compile import bind
from articulata.kernels.held import Held
from articulata.kernels.lanes.vectors import workspace

_EASED: Final = 0.9
"""Share of the limits of jerk that wishes are eased by: the way bends too."""

_BRAKING: Final = 0.04
"""Share of the accelerations with which an arm surely brakes that gets heavier."""


class Rig:
    """A flight of ``carrier`` from posture ``q`` (n,) on, in ticks of ``step`` s, and its kernel.

    ``grace`` (rad) and ``margin`` (m of the arm) are those of a pilot.
    """

    def __init__(
        self, carrier: Carrier, q: Array, *, step: float, grace: float, margin: float
    ) -> None:
        n = len(q)
        full = np.array(carrier.arm.accelerations)
        with np.errstate(divide="ignore"):
            brakes = 0.5 / full
        most = np.array(carrier.jerks) * step * step
        loose = _EASED * most
        loose[3:6] = np.inf  # the wrist goes as far as it may
        self.flight = Flight(
            # a pilot's own: where torques do not suffice it is less for a while
            carrier.arm._replace(accelerations=full.copy()),
            _standing(q),
            _standing(q),
            _standing(q),
            room(n),
            np.array(carrier.figure.base),
            float(carrier.scale),
            np.eye(4),
            np.zeros(6),
            full,
            np.ones(1),
            step,
            grace,
            margin,
            bool(np.isfinite(carrier.jerks).any()),
            Eased(most, _EASED * most, loose, np.empty((9, 6))),
            carrier.statics is not None,
            _weighed(carrier, brakes),
            carrier.clash is not None,
            _ways(carrier),
        )
        self._held: Held[Flight] = Held(self.flight)
        self._flown: Callable[..., tuple[int, int, float, bool]] = bind(
            flown, self._held, np.zeros(6), 0
        )

    def ask(self, twist: Array, what: int) -> tuple[int, int, float, bool]:
        """Return what the kernel of a flight returns."""
        return self._flown(self._held, twist, what)


def _standing(q: Array) -> ArmState:
    """Return the state of an arm that rests in posture ``q`` (n,); a kernel says where it is."""
    n = len(q)
    return ArmState(
        q.copy(), np.zeros(n), np.zeros(n), np.zeros((3, 4)), np.zeros(6), np.zeros(6),
        np.zeros(2, np.int64), np.zeros(1),
    )  # fmt: skip


def _weighed(carrier: Carrier, brakes: Array) -> Weighed:
    """Return what torques are asked with; of no arm where none are known."""
    sure = brakes / _BRAKING
    if carrier.statics is None:
        row, rows = np.zeros(0), np.zeros((0, 0))
        numbers = np.zeros(0, np.int64)
        return Weighed(
            rows, row, sure, brakes, row, HELD, Motion(rows, rows, rows), rows,
            TreeArrays(np.zeros((0, 3, 4)), numbers, numbers),
            Inertial(row, row, rows, np.zeros((0, 0, 0))), workspace(1),
        )  # fmt: skip
    weighed = Weights(carrier).probe.weighed
    return weighed._replace(sure=sure, brakes=brakes, held=HELD)


def _ways(carrier: Carrier) -> Ways:
    """Return what distances that were looked up hold for; of nothing where nothing is struck."""
    n, clash = carrier.chain.dof, carrier.clash
    slows, jerks = np.array(carrier.accelerations), np.array(carrier.jerks)
    rows, square = np.zeros((PLACES, n)), np.zeros((PLACES, PLACES))
    far = np.full(PLACES, -np.inf)
    if clash is None:
        stood, numbers = np.zeros((PLACES, 0, 3, 4)), np.zeros(0, np.int64)
        return Ways(
            slows, jerks, rows, far, stood, np.zeros(n), 0, False,
            TreeArrays(np.zeros((0, 3, 4)), numbers, numbers), np.zeros((0, n)), np.zeros(0),
            np.zeros(0),
            np.zeros((0, 4)), numbers, rows.copy(), np.zeros(PLACES), square, stood.copy(),
        )  # fmt: skip
    tested, figure = clash.tested, carrier.figure
    M, offset = figure.mapping
    M, offset = M[tested.kept], offset[tested.kept]
    still = np.array(figure.neutral, float)
    still[carrier.coordinates] = 0.0
    mine = np.array(M[:, carrier.coordinates], float, order="C")
    asked = tested.numbers >= 0
    own = asked[: tested.moving].any(axis=1)
    moving = np.flatnonzero(asked.any(axis=0) | own)
    bodies = np.array(tested.pieces.body[moving])
    stood = np.zeros((PLACES, len(tested.kept), 3, 4))
    return Ways(
        slows, jerks, rows, far, stood, np.array(clash.reach[carrier.coordinates]),
        _common(mine, tested.tree.parents, bodies), bool(own.any()),
        TreeArrays._make(part.copy() for part in tested.tree), mine,
        np.array(M @ still + offset),
        np.zeros(len(mine)), np.array(tested.pieces.ball[moving]),
        bodies, rows.copy(), np.zeros(PLACES), square, stood.copy(),
    )  # fmt: skip


def _common(M: Array, parents: IntArray, bodies: IntArray) -> int:
    """Return how many of the first coordinates move all bodies together."""
    carried = set(range(len(parents)))
    for body in set(bodies.tolist()):
        above = set()
        while body >= 0:
            above.add(body)
            body = int(parents[body])
        carried &= above
    count = 0
    while count < M.shape[1] and set(np.flatnonzero(M[:, count]).tolist()) <= carried:
        count += 1
    return count
