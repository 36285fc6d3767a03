"""Limits of hinges that the motion obeys: which there are, and which are reached now.

A limit in reach is a contact without friction between the two bodies of its hinge, so that it takes
part in impacts and in the search for the contacts that press like any other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from articulata.domains.dynamic.contact.pair_laws import Surface
from articulata.domains.dynamic.mechanism import FREE, Mechanism
from articulata.domains.dynamic.observer import coordinate_table
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.contact import limits as kernels
from articulata.kernels.multibody.contact.approach import Step
from articulata.kernels.multibody.contact.limits import LOWER, TRAVEL_LIMIT, TURN_LIMIT, Stops
from articulata.kernels.multibody.contact.rows import (
    AXIS_A,
    AXIS_B,
    CONTACT_WIDTH,
    P_A,
    P_B,
    ROW_N,
    SIGN,
    SIZE,
)
from articulata.kinematics.coordinates import TURN, Coordinates
from articulata.world.model import Hinge

BEYOND = 1e-6
"""How far beyond a limit (m, rad) a coordinate may be at the start."""

LEFT_BY_STEPS = 1e-3
"""How far beyond a limit (m, rad) steps may have left a coordinate, so that they go on from it."""

NO_PIECE = -1
"""Stands for the piece in the row of a contact that has none."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One limit of a coordinate of ``hinge``; ``lower`` tells which, ``number`` the hinge."""

    hinge: Hinge
    number: int
    coordinate: str
    limit: float
    lower: bool

    @property
    def unit(self) -> str:
        """The unit of the limit."""
        return "m" if self.coordinate == "travel" else "rad"

    @property
    def label(self) -> str:
        """What is limited: hinge and coordinate."""
        return f"{self.hinge.id}.{self.coordinate}"

    @property
    def side(self) -> str:
        """Which limit of the coordinate it is."""
        return f"{'lower' if self.lower else 'upper'} limit"

    @property
    def features(self) -> tuple[str, str]:
        """What meets: the coordinate and its limit."""
        return self.label, f"the {self.side} of {self.label}"


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """The limits of one mechanism's hinges: ``stops`` by pairs, lower and upper.

    ``rows`` and ``data`` are those of the contacts that they are when reached, ``surfaces`` what
    they do, ``arrays`` what the kernels read and where the coordinates are now.
    """

    stops: tuple[Stop, ...]
    rows: tuple[tuple[int, ...], ...]
    data: Array
    surfaces: tuple[Surface, ...]
    arrays: Stops = field(repr=False)

    def bodies(self, number: int) -> tuple[int, int]:
        """Return the numbers of the two bodies that a limit is between."""
        _, a, b, *_ = self.rows[number]
        return a, b

    def follow(self, coordinates: Array) -> None:
        """Let the limited coordinates be where ``coordinates`` (c,) are."""
        if self.stops:
            self.arrays.now[:] = coordinates[self.arrays.limit[:, kernels.COORDINATE]]

    def went(self, old: Array, new: Array, dt: float) -> None:
        """Follow the coordinates from one state to another, ``dt`` (s) later."""
        if self.stops:
            kernels.follow_coordinates(self.arrays, old, new, dt)

    def hold(self, numbers: Sequence[int]) -> None:
        """Note which limits closed contacts hold."""
        self.arrays.held[:] = 0
        for number in numbers:
            self.arrays.held[number // 2, number % 2] = 1

    def first(self, step: Step, last: float) -> float:
        """Return the share of a step at which a limit is reached; above 1 for none."""
        if not self.stops:
            return 2.0
        return float(kernels.first_limit(self.arrays, step, last))

    def within(self, tolerance: float) -> list[int]:
        """Return the numbers of limits at most ``tolerance`` (m, rad) away, or passed."""
        gaps = self._gaps()
        return np.flatnonzero(gaps <= tolerance).tolist()

    def _gaps(self) -> Array:
        below = self.arrays.now - self.arrays.bound[:, kernels.LOWER]
        above = self.arrays.bound[:, kernels.UPPER] - self.arrays.now
        return np.stack([below, above], axis=1).ravel()

    def kept(self, coordinates: Array) -> bool:
        """Tell whether ``coordinates`` (c,) are within all limits, so that a run can go on."""
        self.follow(coordinates)
        return not np.any(self._gaps() < -BEYOND)

    def passed(self) -> bool:
        """Tell whether coordinates are beyond limits, and no farther than steps may leave them."""
        gaps = self._gaps()
        return bool(np.any(gaps < -BEYOND)) and not np.any(gaps < -LEFT_BY_STEPS)

    def check(self, time: float) -> None:
        """Raise SimulationError where a hinge stands beyond one of its limits."""
        gaps = self._gaps()
        for number in np.flatnonzero(gaps < -BEYOND).tolist():
            stop = self.stops[number]
            value = float(self.arrays.now[number // 2])
            degrees = stop.coordinate != "travel"
            shown = [
                f"{each:.9g} {stop.unit}{_degrees(each, degrees)}" for each in (value, stop.limit)
            ]
            raise SimulationError(
                f"{stop.hinge.span}: the {stop.coordinate} of hinge '{stop.hinge.id}' is "
                f"{shown[0]} at t = {time:.9g} s, beyond its {stop.side} {shown[1]}; place its "
                f"bodies within the limits, or widen the limits of '{stop.hinge.id}'"
            )


def _degrees(value: float, said: bool) -> str:
    return f" ({math.degrees(value):.6g} deg)" if said else ""


def limits_of(parts: Mechanism) -> Limits:
    """Return the limits of a mechanism's hinges between bodies of which one moves by forces."""
    if not any(hinge.limits for hinge in parts.hinges):
        return NONE
    of, stops, rows, bounds = parts.coordinates, list[Stop](), list[tuple[int, ...]](), []
    data, numbers, surfaces = list[Array](), list[tuple[int, int]](), list[Surface]()
    for c, (number, place) in enumerate(_places(of)):
        hinge = parts.hinges[number]
        a, b = int(of.body_a[c]), int(of.body_b[c])
        if place >= len(hinge.limits) or FREE not in (parts.kind[a], parts.kind[b]):
            continue
        pair = hinge.limits[place]
        if not np.any(np.isfinite(pair)):
            continue
        numbers.append((c, len(stops)))
        bounds.append(pair)
        name = hinge.kind.coordinates[place]
        for side, limit in enumerate(pair):
            stop = Stop(hinge, number, name, limit, side == LOWER)
            kind = TURN_LIMIT if of.turning[c] else TRAVEL_LIMIT
            stops.append(stop)
            rows.append((kind, a, b, NO_PIECE, c, side, NO_PIECE, 0, 0, 0))
            data.append(_data(of, c, limit, 1.0 if stop.lower else -1.0))
            what = f"hinge {hinge.id} with its {stop.side}"
            surfaces.append(Surface(restitution=hinge.restitution, what=what, span=hinge.span))
    table, coordinates = coordinate_table(of)
    arrays = Stops(
        np.array(numbers, np.int64).reshape(-1, 2),
        np.array(bounds, float).reshape(-1, 2),
        np.zeros((len(bounds), 2), np.int64),
        np.zeros(len(bounds)),
        table,
        coordinates,
        np.zeros((len(parts.kind), 9)),
    )
    stacked = np.array(data, float).reshape(-1, CONTACT_WIDTH)
    return Limits(tuple(stops), tuple(rows), stacked, tuple(surfaces), arrays)


NONE = Limits(
    (),
    (),
    np.zeros((0, CONTACT_WIDTH)),
    (),
    Stops(
        np.zeros((0, 2), np.int64),
        np.zeros((0, 2)),
        np.zeros((0, 2), np.int64),
        np.zeros(0),
        np.zeros((0, 3), np.int64),
        np.zeros((0, 24)),
        np.zeros((0, 9)),
    ),
)
"""The limits of hinges that have none."""


def _places(of: Coordinates) -> list[tuple[int, int]]:
    """Return the hinge of each coordinate, and its place among those of the hinge."""
    seen: dict[int, int] = {}
    found = []
    for number in of.hinge.tolist():
        place = seen.get(number, 0)
        seen[number] = place + 1
        found.append((number, place))
    return found


def _data(of: Coordinates, c: int, limit: float, sign: float) -> Array:
    """Return what a limit's row is made from; see ``kernels.multibody.contact.limits``."""
    data = np.zeros(CONTACT_WIDTH)
    R_A, R_B = of.R_A[c], of.R_B[c]
    data[AXIS_B : AXIS_B + 3] = R_B[:, 2]
    data[SIGN] = sign
    if of.turning[c]:
        turn = limit if math.isfinite(limit) else 0.0
        data[P_A : P_A + 3], data[AXIS_A : AXIS_A + 3] = R_A[:, 0], R_A[:, 1]
        data[P_B : P_B + 3] = math.cos(turn) * R_B[:, 0] + math.sin(turn) * R_B[:, 1]
    else:
        data[P_A : P_A + 3], data[P_B : P_B + 3] = of.p_A[c], of.p_B[c]
        data[SIZE] = limit if math.isfinite(limit) else 0.0
    return data


def in_limits(parts: Mechanism, values: Array) -> Array:
    """Return the coordinates (c,) with angles turned by whole turns into their limits.

    Those that cannot be, or that are there already, stay.
    """
    values = values.copy()
    for c, (number, place) in enumerate(_places(parts.coordinates)):
        limits = parts.hinges[number].limits
        if not parts.coordinates.turning[c] or place >= len(limits):
            continue
        low, high = limits[place]
        if not math.isfinite(low) or low - BEYOND <= values[c] <= high + BEYOND:
            continue
        turned = values[c] + TURN * math.ceil((low - BEYOND - values[c]) / TURN)
        if turned <= high + BEYOND:
            values[c] = turned
    return values


def stop_wrenches(stops: Sequence[Stop | None], place: Array, force: Array, arms: Array) -> Array:
    """Return (hinges, 6): what limits do to body A about the hinge's point, force and moment in W.

    ``place`` (k, ...) are evaluated contacts, ``force`` (k,) forces or impulses along them;
    ``arms`` (hinges, 3) are vectors in W from A's reference points to the hinge points.
    """
    held = [(k, stop.number) for k, stop in enumerate(stops) if stop is not None]
    rows, hinges = np.array(held, np.int64).reshape(-1, 2).T
    return about_hinges(hinges, force[rows, None] * place[rows, ROW_N : ROW_N + 6], arms)


def about_hinges(hinges: IntArray, wrenches: Array, arms: Array) -> Array:
    """Return (hinges, 6): ``wrenches`` (k, 6) about A's reference points, moved to hinge points.

    ``hinges`` (k,) says whose each is; ``arms`` (hinges, 3) are vectors in W from A's reference
    points to the hinge points.
    """
    total = np.zeros((len(arms), 6))
    np.add.at(total, hinges, wrenches)
    total[:, 3:] -= np.cross(arms, total[:, :3])
    return total
