"""Calibration: where sensors sit on the body, and which way the tracker lies.

A sensor is strapped on as it falls, and the tracker's transmitter stands somewhere, level. Both
are found from postures that the wearer holds for a moment: for each sensor s on a segment B,

    R_FB(t) = R_FT R_TS(t) R_SB,     R_SB = R_TS(0)' R_FT' R_FB(0).

One posture gives every mount R_SB for a given heading of the wearer; the step from a first to a
second posture, N to T, turns each arm about the wearer's line of sight and so gives the heading.

T is level: x ahead, y to the right, z down, as a Fastrak's transmitter; a heading of 0 is a wearer
who faces along x.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from articulata.analyses.track.seats import Seats, seated
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody
from articulata.errors import GeometryError, ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample

T = TypeVar("T")

STILL = np.radians(4.0)
"""A wearer whose sensors turn more than this (rad, rms) while he holds a posture has moved."""

LEAST_SWING = np.radians(10.0)
"""The sensors of all arms together turn by at least this (rad), taken over a swing."""

LEAST_TURN = np.radians(20.0)
"""A step between two postures that turns a sensor less than this (rad) says nothing of heading."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A posture that the wearer held: its joint values (dof,) rad and what the sensors said.

    ``turned`` are the mean orientations ``R_TS`` by station, ``unrest`` (rad, rms) by how much they
    turned meanwhile, ``places`` (3,) m in T where they were, of those that tell.
    """

    q: Array
    turned: Mapping[int, Rotation]
    unrest: Mapping[int, float]
    places: Mapping[int, Array] = field(default_factory=lambda: MappingProxyType({}))

    def headed(self, headings: Mapping[int, float]) -> Held:
        """Return the posture of sensors that are turned back about the vertical by ``headings``."""
        back = {s: _about_down(-angle) for s, angle in headings.items()}
        turned = {s: back[s] @ R if s in back else R for s, R in self.turned.items()}
        return replace(self, turned=turned)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """``R_FT`` and each station's ``R_SB``; ``heading`` (rad) of the wearer in T.

    ``unrest`` (rad) is by how much sensors turned while postures were held, ``doubt`` (rad) by how
    much the mounts of two postures differ: 0 for one. ``seats`` is where sensors sit, None where
    they told no places. ``headings`` (rad) are by how much the T of a sensor without a magnetometer
    is turned about the vertical beside that of the others. ``held`` are the postures that it was
    made of, where they are known.
    """

    R_FT: Rotation
    mounts: Mapping[int, Rotation]
    heading: float = 0.0
    unrest: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    doubt: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    seats: Seats | None = None
    headings: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    held: tuple[Held, ...] = ()

    def turned(self, body: TrackedBody, trunk: Array) -> Calibration:
        """Return the calibration by which a trunk that is turned by ``trunk`` (4,) faces ahead."""
        turn = Rotation.from_quaternion(trunk)
        ahead = turn.apply(body.forward)
        ahead = ahead - body.up * (body.up @ ahead)
        angle = float(np.arctan2(np.cross(body.forward, ahead) @ body.up, ahead @ body.forward))
        back = Rotation.from_axis_angle(body.up, -angle)
        # R_FT and the mounts are two halves of one product: what turns with the body stays
        seats = None if self.seats is None else self.seats.turned(back, body.pivot)
        return replace(self, R_FT=back @ self.R_FT, seats=seats)

    def renumbered(self, by: int) -> Calibration:
        """Return the calibration of the same sensors whose stations count ``by`` more."""
        if by == 0:
            return self

        def moved(values: Mapping[int, T]) -> Mapping[int, T]:
            return MappingProxyType({s + by: each for s, each in values.items()})

        seats = self.seats
        return replace(
            self,
            mounts=moved(self.mounts),
            unrest=moved(self.unrest),
            doubt=moved(self.doubt),
            headings=moved(self.headings),
            seats=None if seats is None else Seats(seats.origin, moved(seats.offsets)),
        )

    def settings(self) -> dict[str, float]:
        """Return the calibration as plain numbers by name, for a recording's header."""
        named = {"R_FT": self.R_FT, **{f"mount {s}": R for s, R in self.mounts.items()}}
        known = {"heading": self.heading}
        known |= {f"heading {s}": angle for s, angle in self.headings.items()}
        for name, each in (("unrest", self.unrest), ("doubt", self.doubt)):
            if each:
                known[name] = max(each.values())
        if self.seats is not None:
            placed = {"origin": self.seats.origin}
            placed |= {f"seat {s}": p for s, p in self.seats.offsets.items()}
            for name, p in placed.items():
                known |= {
                    f"{name} {part}": float(value) for part, value in zip("xyz", p, strict=True)
                }
        return known | {
            f"{name} {part}": float(value)
            for name, R in named.items()
            for part, value in zip("wxyz", R.to_quaternion(), strict=True)
        }


def calibration_of(settings: Mapping[str, object]) -> Calibration | None:
    """Return the calibration that ``Calibration.settings`` wrote; None where there is none."""
    found: dict[str, list[float]] = {}
    for name, value in settings.items():
        key, _, part = name.rpartition(" ")
        if part in ("w", "x", "y", "z") and isinstance(value, float | int):
            found.setdefault(key, []).append(float(value))
    if "R_FT" not in found:
        return None
    mounts = {
        int(key.removeprefix("mount ")): Rotation.from_quaternion(np.array(numbers))
        for key, numbers in found.items()
        if key.startswith("mount ")
    }
    seats = None
    if "origin" in found:
        offsets = {
            int(key.removeprefix("seat ")): np.array(numbers)
            for key, numbers in found.items()
            if key.startswith("seat ")
        }
        seats = Seats(np.array(found["origin"]), MappingProxyType(offsets))
    heading = settings.get("heading")
    headings = {
        int(name.removeprefix("heading ")): float(value)
        for name, value in settings.items()
        if name.startswith("heading ") and isinstance(value, float | int)
    }
    return Calibration(
        Rotation.from_quaternion(np.array(found["R_FT"])),
        MappingProxyType(mounts),
        float(heading) if isinstance(heading, float | int) else 0.0,
        seats=seats,
        headings=MappingProxyType(headings),
    )


def held(q: Array, samples: Iterable[Sample]) -> Held:
    """Return what ``samples`` say of a posture ``q`` (dof,) rad that was held meanwhile."""
    by_station: dict[int, list[tuple[float, ...]]] = {}
    placed: dict[int, list[tuple[float, ...]]] = {}
    for sample in samples:
        by_station.setdefault(sample.station, []).append(sample.q)
        if sample.p[0] == sample.p[0]:
            placed.setdefault(sample.station, []).append(sample.p)
    turned, unrest = {}, {}
    for station, quaternions in sorted(by_station.items()):
        rotations = Rotation.from_quaternion(np.array(quaternions))
        mean = rotations.mean()
        turned[station] = mean
        unrest[station] = float(np.sqrt(np.mean(mean.distance(rotations) ** 2)))
    places = {station: np.mean(each, axis=0) for station, each in placed.items()}
    return Held(np.asarray(q, float), turned, unrest, MappingProxyType(places))


def swung(samples: Iterable[Sample], start: Held) -> Mapping[int, Array]:
    """Return by how much sensors turned on the mean since ``start``, (3,) rad in T, by station."""
    turns: dict[int, list[tuple[float, ...]]] = {}
    for sample in samples:
        if sample.station in start.turned:
            turns.setdefault(sample.station, []).append(sample.q)
    return {
        station: np.mean(
            (Rotation.from_quaternion(np.array(each)) @ start.turned[station].inverse()).log(),
            axis=0,
        )
        for station, each in turns.items()
    }


def heading_by_swing(
    body: TrackedBody, stations: Mapping[int, str], turns: Mapping[int, Array]
) -> float:
    """Return the wearer's heading in T, rad, from arms that swung forward and back from N.

    ``turns`` are what ``swung`` gives. Arms swing about the line through both shoulders, and
    farther forward than back, which tells its ends apart. Raises ModelError where they hardly did.
    """
    expected = level(body).inverse().apply(np.cross(-body.up, body.forward))
    total = np.zeros(3)
    for station, turn in turns.items():
        if stations.get(station, "").endswith(ARM_PARTS):
            total += turn
    along = expected[0] * total[0] + expected[1] * total[1]
    across = expected[0] * total[1] - expected[1] * total[0]
    if np.hypot(along, across) < LEAST_SWING:
        raise ModelError(
            "the arms hardly swung, so that nothing is known of the heading; swing both arms"
            " forward to the height of the shoulders and back, several times, and calibrate again"
        )
    return float(np.arctan2(across, along))


def level(body: TrackedBody, heading: float = 0.0) -> Rotation:
    """Return ``R_FT`` of a level tracker before a wearer whose heading in T is ``heading`` rad."""
    right = np.cross(body.forward, body.up)
    R_FT = Rotation.from_matrix(np.stack([body.forward, right, -body.up], axis=1), nearest=True)
    return R_FT @ _about_down(-heading)


def _about_down(angle: float) -> Rotation:
    """Return a turn about the z axis of T."""
    return Rotation.from_axis_angle((0.0, 0.0, 1.0), angle)


def calibrate(
    body: TrackedBody,
    stations: Mapping[int, str],
    postures: Sequence[Held],
    *,
    heading: float | None = None,
) -> Calibration:
    """Return the calibration that postures give.

    ``stations`` says what each sits on. Without ``heading`` (rad) it is found from the first two
    postures, 0 where there is only one. Raises ModelError where a sensor is silent, where the
    wearer moved, or where the postures do not differ.
    """
    if not postures:
        raise ModelError("a calibration needs a posture that was held; give one at least")
    wanted = {s: role for s, role in stations.items() if role in body.orientations(body.rest)}
    require_held(wanted, postures)
    if heading is None:
        heading = heading_of(body, wanted, postures) if len(postures) > 1 else 0.0
    R_FT = level(body, heading)
    mounts, doubt = {}, {}
    for station, role in wanted.items():
        found = Rotation.stack(
            [
                each.turned[station].inverse()
                @ R_FT.inverse()
                @ Rotation.from_matrix(body.orientations(each.q)[role], nearest=True)
                for each in postures
            ]
        )
        try:
            mounts[station] = found.mean()
        except GeometryError:
            raise ModelError(
                f"station {station} ({role}) turned by half a turn too much or too little between"
                " the postures; see that it sits where the stations say, hold the postures as they"
                " are named, and calibrate again"
            ) from None
        doubt[station] = float(np.max(mounts[station].distance(found)))
    unrest = {s: max(each.unrest[s] for each in postures) for s in wanted}
    return Calibration(
        R_FT,
        MappingProxyType(mounts),
        heading,
        MappingProxyType(unrest),
        MappingProxyType(doubt),
        seated(body, wanted, [(each.q, each.places) for each in postures], R_FT),
        held=tuple(postures),
    )


def drawn_in(body: TrackedBody, stations: Mapping[int, str], posture: str) -> Calibration:
    """Return the calibration of sensors that are at zero, in T, in a named posture of the body."""
    R_TF, seen = level(body).inverse(), body.orientations(body.posture(posture))
    mounts = {
        station: R_TF @ Rotation.from_matrix(seen[role], nearest=True)
        for station, role in stations.items()
        if role in seen
    }
    return Calibration(R_TF.inverse(), MappingProxyType(mounts))


def heading_of(body: TrackedBody, stations: Mapping[int, str], postures: Sequence[Held]) -> float:
    """Return the wearer's heading in T, rad, from how arms turned from a posture to the next.

    Each arm sensor turned about a line that is known in F and measured in T; the heading is what
    brings the level parts of these lines together best.
    """
    parts = _headings(body, stations, postures).values()
    along, across = sum(each[0] for each in parts), sum(each[1] for each in parts)
    if np.hypot(along, across) < LEAST_TURN**2:
        raise ModelError(
            "the two postures turn no arm about a level line, so that they say nothing of the"
            " heading; hold N (arms hanging), then T (arms out to the sides), or give the heading"
        )
    return float(np.arctan2(across, along))


def heading_between(expected: Array, measured: Array) -> float | None:
    """Return the heading, rad, that brings the level parts of turns together best.

    ``expected`` (n, 3) rad are in T of a wearer whose heading is 0; None where none is level.
    """
    sizes = [np.linalg.norm(each, axis=-1) for each in (expected, measured)]
    far = np.minimum(*sizes) >= LEAST_TURN
    (a, b), (c, d) = expected[far, :2].T, measured[far, :2].T
    along, across = float(a @ c + b @ d), float(a @ d - b @ c)
    if np.hypot(along, across) < LEAST_TURN**2:
        return None
    return float(np.arctan2(across, along))


def own_headings(
    body: TrackedBody, stations: Mapping[int, str], postures: Sequence[Held]
) -> Mapping[int, float]:
    """Return the headings (rad) of sensors that each have a T of their own.

    A sensor of an arm is headed by how it turned from the first posture to the second; one that
    did not turn is believed to be headed as the first that did. They are beside that one's heading.
    """
    parts = _headings(body, stations, postures) if len(postures) > 1 else {}
    angles = {s: float(np.arctan2(across, along)) for s, (along, across) in parts.items()}
    first = next(iter(angles.values()), 0.0)
    return {s: float(np.angle(np.exp(1j * (each - first)))) for s, each in angles.items()}


def _headings(
    body: TrackedBody, stations: Mapping[int, str], postures: Sequence[Held]
) -> dict[int, tuple[float, float]]:
    """Return cosine and sine of each arm sensor's heading, times what its turn weighs."""
    first, second = postures[0], postures[1]
    R_FT = level(body)
    at_first, at_second = body.orientations(first.q), body.orientations(second.q)
    found = {}
    for station, role in stations.items():
        before = Rotation.from_matrix(at_first[role], nearest=True)
        after = Rotation.from_matrix(at_second[role], nearest=True)
        expected = R_FT.inverse().apply((after @ before.inverse()).log())
        measured = (second.turned[station] @ first.turned[station].inverse()).log()
        if min(np.linalg.norm(expected), np.linalg.norm(measured)) >= LEAST_TURN:
            along = expected[0] * measured[0] + expected[1] * measured[1]
            found[station] = along, expected[0] * measured[1] - expected[1] * measured[0]
    return found


def require_held(wanted: Mapping[int, str], postures: Sequence[Held]) -> None:
    """Raise ModelError where a sensor of ``wanted`` was silent, or moved, in a posture."""
    for each in postures:
        silent = [s for s in wanted if s not in each.turned]
        if silent:
            names = ", ".join(f"{s} ({wanted[s]})" for s in silent)
            raise ModelError(
                f"no sample came from station {names} while the posture was held; see that its"
                " sensor is plugged in and switched on, or leave it out of the stations"
            )
        moved = {s: each.unrest[s] for s in wanted if each.unrest[s] > STILL}
        if moved:
            worst = max(moved, key=lambda s: moved[s])
            raise ModelError(
                f"station {worst} ({wanted[worst]}) turned by {np.degrees(moved[worst]):.1f} deg"
                f" while the posture was held; {np.degrees(STILL):.0f} deg are allowed. Hold still"
                " and calibrate again"
            )
