"""What it takes to hold a posture and to move: torques, energy, centre of mass, balance.

``q`` (*batch, dof) are postures of a figure, rad and m. A torque is N m about a turning joint, N
along a sliding one. W is the world, G the centre of mass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.kinematics.center_of_pressure import across, center_of_pressure, within
from articulata.kinematics.figure import Figure
from articulata.kinematics.figure_places import Places

STANDARD_GRAVITY: Final = 9.80665
"""m/s^2 (CGPM 1901), against the figure's ``up`` where no gravity is given."""

_MOST_TURNED = 1e4
"""rad. Whole turns are taken off angles beyond this."""

_FEW = 8
"""Postures, of which fewer are held one by one: lanes take as long for one as for all."""

_GRAIN = 1024
"""Postures a thread takes at a time."""


@dataclass(frozen=True, slots=True)
class Load:
    """A mass (kg) that hangs at a place of a figure: a landmark, a chain's tip or a link."""

    place: str
    mass: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mass) and self.mass >= 0.0):
            raise KinematicsError(
                f"the load in '{self.place}' is {self.mass}; give a mass in kg, 0 or more"
            )


@dataclass(frozen=True, slots=True)
class Push:
    """A force (N, in W) with which the world pushes at a place of a figure."""

    place: str
    force: tuple[float, float, float]

    def __post_init__(self) -> None:
        force = np.asarray(self.force, float)
        if force.shape != (3,) or not np.isfinite(force).all():
            raise KinematicsError(
                f"the push at '{self.place}' is {self.force}; give three numbers in N"
            )
        object.__setattr__(self, "force", tuple(float(each) for each in force))


@dataclass(frozen=True, slots=True)
class TorqueDerivatives:
    """How torques change: ``by_q``, ``by_rates`` and ``mass_matrix``, (*batch, dof, dof) each.

    Element i, j is the change of torque i with coordinate, rate or acceleration j.
    """

    by_q: Array
    by_rates: Array
    mass_matrix: Array


@dataclass(frozen=True, slots=True)
class Balance:
    """Where the centre of mass stands over its supports.

    ``margin`` (*batch,) m is its distance to the edge of the supporting polygon, seen along
    gravity: positive inside, negative outside. ``gradient`` (*batch, dof) is the change of the
    margin with the posture.
    """

    margin: Array
    gradient: Array


class Statics:
    """A figure with what it carries, made ready for any number of postures.

    ``gravity`` (3,) m/s^2 in W; 9.80665 against the figure's ``up`` where none is given.
    Raise KinematicsError where nothing has a mass and nothing pushes, NameNotFound where a load
    has no place in the figure.
    """

    def __init__(
        self,
        figure: Figure,
        *,
        loads: Iterable[Load] = (),
        pushes: Iterable[Push] = (),
        gravity: npt.ArrayLike | None = None,
    ) -> None:
        self.figure = figure
        self.loads = tuple(loads)
        self.pushes = tuple(pushes)
        self.gravity: Array = (
            -STANDARD_GRAVITY * figure.up if gravity is None else np.array(gravity, float)
        )
        if self.gravity.shape != (3,) or not np.isfinite(self.gravity).all():
            raise KinematicsError(f"gravity is three numbers in m/s^2, not {gravity!r}")
        self._known_places: dict[tuple[str, ...], Places] = {}
        self._gather()
        if self.mass == 0.0 and not self.pushes:
            raise KinematicsError(
                f"figure '{figure.name}' has no masses; give loads or pushes, or a figure whose "
                "links have masses"
            )

    @property
    def mass(self) -> float:
        """The mass of the figure and its loads, kg."""
        return self._still_mass + float(self._masses.sum())

    def torques(self, q: npt.ArrayLike) -> Float64[Array, "*batch dof"]:
        """Return the torques with which the joints hold the figure still."""
        from articulata.kernels.chains.dynamics.static_torques import holding

        values = self._values(q)
        if len(values) < _FEW:
            return self._by_joint(self._spread(holding, values, self._forces), q)
        return self._by_joint(self._moved(values, *np.zeros((2, *values.shape))), q)

    def torque_gradient(self, q: npt.ArrayLike) -> Float64[Array, "*batch dof dof"]:
        """Return the change of ``torques`` with the posture; it is symmetric."""
        from articulata.kernels.chains.dynamics.static_torques import holding_gradient

        found = self._spread(holding_gradient, self._values(q), self._forces, square=True)
        return self._by_pair(found, q)

    def inverse_dynamics(
        self, q: npt.ArrayLike, rates: npt.ArrayLike, accelerations: npt.ArrayLike
    ) -> Float64[Array, "*batch dof"]:
        """Return the torques that give ``accelerations`` at ``rates`` (*batch, dof) each.

        Rates in rad/s and m/s, accelerations in rad/s^2 and m/s^2. By the recursive Newton-Euler
        algorithm.
        """
        values = self._values(q)
        return self._by_joint(self._moved(values, *self._moving(q, rates, accelerations)), q)

    def derivatives(
        self, q: npt.ArrayLike, rates: npt.ArrayLike, accelerations: npt.ArrayLike
    ) -> TorqueDerivatives:
        """Return the derivatives of ``inverse_dynamics``, exact to rounding."""
        from articulata.kernels.chains.dynamics.newton_euler import Inertial, Motion
        from articulata.kernels.chains.dynamics.static_torques import holding_gradient
        from articulata.kernels.chains.dynamics.torque_derivatives import (
            Slopes,
            derivatives,
        )
        from articulata.kernels.lanes.host import spread

        values = self._values(q)
        motion = Motion(values, *self._moving(q, rates, accelerations))
        shape = (len(values), values.shape[1], values.shape[1])
        slopes = Slopes(np.empty(shape), np.empty(shape), np.empty(shape))
        inertial = Inertial(self.gravity, *self._inertial)
        spread(
            lambda begin, end: derivatives(
                self.figure.arrays, motion, inertial, slopes, begin, end
            ),
            len(values),
            grain=_GRAIN,
        )
        if self.pushes:
            slopes.by_q[:] += self._spread(holding_gradient, values, self._pushing, square=True)
        return TorqueDerivatives(*(self._by_pair(each, q) for each in slopes))

    def energy(self, q: npt.ArrayLike) -> Float64[Array, "*batch"]:
        """Return the potential energy in J, 0 at the origin of W; its gradient is ``torques``.

        Pushes do not count: where they come from is not known.
        """
        return np.asarray(-self.mass * (self.center(q) @ self.gravity))

    def center(self, q: npt.ArrayLike) -> Float64[Array, "*batch 3"]:
        """Return the place of G, loads included, m in W."""
        return self.centered(q)[0]

    def center_jacobian(self, q: npt.ArrayLike) -> Float64[Array, "*batch 3 dof"]:
        """Return the Jacobian of ``center``."""
        return self.centered(q)[1]

    def centered(
        self, q: npt.ArrayLike
    ) -> tuple[Float64[Array, "*batch 3"], Float64[Array, "*batch 3 dof"]]:
        """Return ``center`` and ``center_jacobian`` of the same postures at once."""
        from articulata.kernels.chains.dynamics.static_torques import centers
        from articulata.kernels.lanes.host import spread

        if self.mass == 0.0:
            raise KinematicsError(f"figure '{self.figure.name}' has no masses, so no centre")
        values = self._values(q)
        batch, joints = np.shape(q)[:-1], values.shape[1]
        out, jacobian = np.empty((len(values), 3)), np.empty((len(values), 3, joints))
        bodies = self._masses, self._centers
        spread(
            lambda begin, end: centers(
                self.figure.arrays, values, bodies, (out, jacobian), begin, end
            ),
            len(values),
            grain=_GRAIN,
        )
        J = self._free(jacobian) / self.mass
        p_WG = (out + self._still) / self.mass
        return p_WG.reshape(*batch, 3), J.reshape(*batch, 3, self.figure.dof)

    def balance(
        self,
        q: npt.ArrayLike,
        supports: Sequence[str],
        *,
        floor: npt.ArrayLike | None = None,
    ) -> Balance:
        """Return where G stands over ``supports``: places of the figure that rest on the floor.

        With pushes it is the centre of pressure that counts, where the floor presses back.
        A foot needs its corners as landmarks, a seat those of the buttocks. One place is a point,
        two are a line: over them nothing has a positive margin. ``floor`` (n, 3), corners in W in
        their order round about, bounds where a support can stand; one beside it is an error.
        """
        from articulata.kernels.chains.dynamics.static_torques import margins

        if not supports or isinstance(supports, str):
            raise KinematicsError(
                "balance needs a list of places that rest on the floor, such as the corners of "
                f"the feet; {supports!r} is none"
            )
        if not self.gravity.any():
            raise KinematicsError("without gravity nothing needs support; give a gravity")
        plane = self._level
        flat = np.asarray(q, float).reshape(len(self._values(q)), self.figure.dof)
        p_WG, J_WG = self.centered(flat)
        places, jacobians = self._places(tuple(supports)).found(flat)
        if floor is not None:
            self._on_floor(supports, places @ plane.T, _polygon(floor) @ plane.T)
        if self.pushes:
            p_WG, J_WG = self._pressing(flat, (p_WG, J_WG), (places, jacobians))
        margin, weights = np.empty(len(flat)), np.empty((len(flat), len(supports)))
        normals = np.empty((len(flat), 2))
        margins(p_WG @ plane.T, np.ascontiguousarray(places @ plane.T), margin, weights, normals)
        across = normals @ plane
        gradient = (across[:, None] @ J_WG)[:, 0]
        pull = (weights[:, :, None] * across[:, None]).reshape(len(flat), 1, -1)
        gradient -= (pull @ jacobians.reshape(len(flat), -1, self.figure.dof))[:, 0]
        batch = np.shape(q)[:-1]
        return Balance(margin.reshape(batch), gradient.reshape(*batch, self.figure.dof))

    # ---- inside

    @cached_property
    def _level(self) -> Array:
        """Two unit vectors (2, 3) across gravity."""
        return across(self.gravity)

    def _pressing(
        self, q: Array, center: tuple[Array, Array], supports: tuple[Array, Array]
    ) -> tuple[Array, Array]:
        """Return the centre of pressure (n, 3) with its Jacobian."""
        pushed = self._places(tuple(push.place for push in self.pushes)).found(q)
        forces = np.array([push.force for push in self.pushes])
        return center_of_pressure(self.mass * self.gravity, center, supports, pushed, forces)

    def _places(self, names: tuple[str, ...]) -> Places:
        """Return places of the figure, made ready once."""
        if names not in self._known_places:
            self._known_places[names] = Places(self.figure, names)
        return self._known_places[names]

    def _on_floor(self, supports: Sequence[str], places: Array, floor: Array) -> None:
        """Refuse supports whose places (n, k, 2) are not over the polygon ``floor`` (m, 2)."""
        for number, name in enumerate(supports):
            beside = np.flatnonzero(~within(places[:, number], floor))
            if len(beside):
                raise KinematicsError(
                    f"support '{name}' of '{self.figure.name}' is not over the floor in posture "
                    f"{beside[0]}; move the figure, or leave out this support"
                )

    def _gather(self) -> None:
        """Collect the links' masses with the loads, in the moved frames of the joints."""
        figure = self.figure
        count = len(figure.joints)
        self._masses = np.zeros(count)
        self._centers = np.zeros((count, 3))
        self._inertias = np.zeros((count, 3, 3))
        self._still_mass = figure.root.mass
        self._still = figure.root.mass * _moved(figure.base, figure.root.center)
        for number, joint in enumerate(figure.joints):
            link = figure.links[joint.name]
            R = joint.X_JL[:3, :3]
            self._masses[number] = link.mass
            self._centers[number] = _moved(joint.X_JL, link.center)
            self._inertias[number] = R @ link.inertia @ R.T
        for load in self.loads:
            number, point = self._point(load.place)
            if number < 0:
                self._still_mass += load.mass
                self._still = self._still + load.mass * point
            elif load.mass:
                self._hang(number, point, load.mass)
        pushed = [(*self._point(push.place), push.force) for push in self.pushes]
        pushed = [each for each in pushed if each[0] >= 0]
        self._inertial = (self._masses, self._centers, self._inertias)
        self._pushing: tuple[IntArray, Array, Array] = (
            np.array([each[0] for each in pushed], np.int64),
            np.array([each[1] for each in pushed], float).reshape(-1, 3),
            np.array([each[2] for each in pushed], float).reshape(-1, 3),
        )

    def _hang(self, number: int, point: Array, mass: float) -> None:
        """Add a point mass to the link that joint ``number`` moves."""
        total = self._masses[number] + mass
        apart = point - self._centers[number]
        shared = self._masses[number] * mass / total
        self._inertias[number] += shared * (apart @ apart * np.eye(3) - np.outer(apart, apart))
        self._centers[number] += mass / total * apart
        self._masses[number] = total

    def _point(self, place: str) -> tuple[int, Array]:
        number, X_LP = self.figure.place(place)
        X = self.figure.base if number < 0 else self.figure.joints[number].X_JL
        return number, np.asarray((X @ X_LP)[:3, 3])

    @cached_property
    def _forces(self) -> tuple[IntArray, Array, Array]:
        """What acts at rest: carriers, points and forces of weights and pushes."""
        heavy = np.flatnonzero(self._masses)
        carriers, points, forces = self._pushing
        return (
            np.concatenate([heavy, carriers]).astype(np.int64),
            np.concatenate([self._centers[heavy], points]),
            np.concatenate([self._masses[heavy, None] * self.gravity, forces]),
        )

    def _values(self, q: npt.ArrayLike) -> Array:
        values = self.figure.values(q)[0]
        if not np.isfinite(values).all():
            raise KinematicsError(
                f"a posture of '{self.figure.name}' holds NaN or inf; give finite numbers in rad "
                "and m"
            )
        return values

    def _moved(self, values: Array, rates: Array, accelerations: Array) -> Array:
        """Return the torques (n, joints) of joints that move so, (n, joints) each."""
        from articulata.kernels.chains.dynamics.newton_euler import ROWS, Inertial, Motion, torques
        from articulata.kernels.chains.dynamics.static_torques import holding
        from articulata.kernels.lanes.host import spread
        from articulata.kernels.lanes.vectors import workspace

        out = np.empty_like(values)
        motion = Motion(self._wound_back(values), rates, accelerations)
        inertial = Inertial(self.gravity, *self._inertial)
        rows = ROWS * values.shape[1]
        spread(
            lambda begin, end: torques(
                self.figure.arrays, motion, inertial, workspace(rows), out, begin, end
            ),
            len(values),
            grain=_GRAIN,
        )
        if self.pushes:
            out += self._spread(holding, values, self._pushing)
        return out

    def _wound_back(self, values: Array) -> Array:
        """Return joint values (n, joints) without whole turns where they are very many.

        Sines of lanes are those of angles up to 1e5 rad.
        """
        if np.abs(values).max(initial=0.0) <= _MOST_TURNED:
            return values
        turning = self.figure.arrays.kinds == 0
        return np.where(turning, np.remainder(values, 2.0 * np.pi), values)

    def _moving(
        self, q: npt.ArrayLike, rates: npt.ArrayLike, accelerations: npt.ArrayLike
    ) -> tuple[Array, Array]:
        wanted = np.shape(q)
        M = self.figure.mapping[0]
        moving = []
        for name, given in (("rates", rates), ("accelerations", accelerations)):
            values = np.asarray(given, float)
            if values.shape != wanted or not np.isfinite(values).all():
                what = f"shape {values.shape}" if values.shape != wanted else "NaN or inf"
                raise KinematicsError(
                    f"{name} are finite numbers of the shape of q, {wanted}; these have {what}"
                )
            moving.append(
                np.ascontiguousarray(values.reshape(math.prod(wanted[:-1]), self.figure.dof) @ M.T)
            )
        return moving[0], moving[1]

    def _spread(
        self,
        kernel: Callable[..., None],
        values: Array,
        arguments: tuple[Array | IntArray, ...],
        *,
        square: bool = False,
    ) -> Array:
        """Return what a kernel finds for joint values (n, joints)."""
        from articulata.kernels.lanes.host import spread

        joints = values.shape[1]
        out = np.empty((len(values), joints, joints) if square else (len(values), joints))
        spread(
            lambda begin, end: kernel(self.figure.arrays, values, arguments, out, begin, end),
            len(values),
            grain=_GRAIN,
        )
        return out

    def _by_joint(self, found: Array, q: npt.ArrayLike) -> Array:
        """Return what belongs to joints (n, joints) for the free coordinates (*batch, dof)."""
        return np.asarray(self._free(found).reshape(*np.shape(q)[:-1], self.figure.dof))

    def _free(self, found: Array) -> Array:
        """Return what belongs to joints (..., joints) for the free coordinates (..., dof)."""
        if self._each is None:
            return np.asarray(found @ self.figure.mapping[0])
        return found if len(self._each) == found.shape[-1] else found.take(self._each, axis=-1)

    @cached_property
    def _each(self) -> IntArray | None:
        """The joints of the free coordinates, None where joints follow others."""
        if any(joint.mimic is not None for joint in self.figure.joints):
            return None
        return np.array(self.figure.free, np.int64)

    def _by_pair(self, found: Array, q: npt.ArrayLike) -> Array:
        batch, dof, each = np.shape(q)[:-1], self.figure.dof, self._each
        if each is None:
            M = self.figure.mapping[0]
            return np.asarray((M.T @ found @ M).reshape(*batch, dof, dof))
        number = found.shape[1]
        if dof == number:
            return found.reshape(*batch, dof, dof)
        pairs = (each[:, None] * number + each).reshape(-1)
        flat = found.reshape(len(found), number * number)
        return np.asarray(flat.take(pairs, axis=1).reshape(*batch, dof, dof))


def _moved(X: Array, point: Sequence[float]) -> Array:
    return np.asarray(X[:3, :3] @ np.asarray(point, float) + X[:3, 3])


def _polygon(floor: npt.ArrayLike) -> Array:
    corners = np.asarray(floor, float)
    if corners.ndim != 2 or corners.shape[1] != 3 or len(corners) < 3:
        raise KinematicsError(f"a floor is three or more corners (n, 3) in m, not {corners.shape}")
    if not np.isfinite(corners).all():
        raise KinematicsError("a corner of the floor is NaN or inf; give finite numbers in m")
    return corners
