"""What no sensor tells of an arm, computed from what its others tell, sample by sample.

An arm whose upper arm has no sensor takes its orientation from the forearm's pose, one with a hand
alone takes both from the hand's pose; without a sensor at the hand the wrist stays straight. What
is computed goes on as samples of stations of its own: filters, times and branches are those of
three sensors. The shoulder's place moves with the sensor of trunk or head, and stays where it was
in N where none of these tells a place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.fewer import (
    Limbs,
    arms_from_forearm,
    arms_from_hand,
    limbs_of,
)
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix, q_multiply, q_to_matrix
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample

COMPUTED = 1000
"""Stations that are computed count on from here, beyond those of any device."""

TRUNKS = ("sternum", "pelvis", "skull")
"""What carries the shoulders' places: the first of them whose sensor tells a place."""

NEAR = np.radians(
    [-30.0, -15.0, -8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0]
)
"""Where an elbow is looked for beside where it was on its circle, rad: a whole circle is compared
once, in 5 deg; then it glides by half a degree and leaps by 30."""

FAR = 0.03
"""m beyond an arm's reach from which on somebody is told: his size, or a shoulder, is another."""

UPPER, FOREARM, HAND = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Fewer:
    """An arm with fewer sensors than three.

    ``number`` is its own among the arms, ``worn`` are its stations from the shoulder on, 0 where
    there is none, ``made`` those that are computed in place of these.
    """

    number: int
    limbs: Limbs
    worn: tuple[int, ...]
    made: tuple[int, ...]

    @property
    def places(self) -> bool:
        """Whether the places of its sensors are used."""
        return not self.worn[UPPER]


class Was(NamedTuple):
    """Where an arm was: ``q`` (7,) rad.

    ``stretch`` (m) is by how much it would have to be longer to reach where it was measured,
    ``swivel`` (rad) where on its circle the elbow was, of a hand alone.
    """

    q: Array
    stretch: float = 0.0
    swivel: float | None = None


class Completed(NamedTuple):
    """What completing goes on from: the trunk's turn, its sensor's place in F, where arms were."""

    R_FR: Array
    p_F: Array | None
    before: tuple[Was, ...]


@dataclass(frozen=True, eq=False)
class Completing:
    """Computes what sensors of ``arms`` do not tell.

    ``stations`` are all of a person's with those that are computed, ``trunk`` the one that carries
    the shoulders, 0 for none.
    """

    body: TrackedBody
    calibration: Calibration
    arms: tuple[Fewer, ...]
    stations: Mapping[int, str]
    trunk: int

    @cached_property
    def mounts(self) -> Mapping[int, Rotation]:
        """How sensors are turned on what they sit on, those that are computed not at all."""
        own = {s: Rotation.identity() for s in self.stations if s >= COMPUTED}
        return MappingProxyType({**self.calibration.mounts, **own})

    @cached_property
    def _stand(self) -> Array:
        """What the arms hang on, in N: poses (arms, 4, 4) in F."""
        X = self.body.figure.poses(self.body.rest)
        base = self.body.figure.base
        return np.array([base if a.root < 0 else X[a.root] for a in self.body.arms.each])

    @cached_property
    def _turns(self) -> bool:
        """Whether the trunk turns as its sensor does: a head turns without it."""
        return self.stations.get(self.trunk) in ("sternum", "pelvis")

    @property
    def stories(self) -> tuple[str, ...]:
        """What is computed of which arm, for a person."""
        told = []
        for arm in self.arms:
            made = [
                part.replace("_", " ") for part, s in zip(ARM_PARTS, arm.made, strict=True) if s
            ]
            how = {
                (True, False, False): "the forearm's place",
                (True, True, False): "the hand's place and comfort",
                (True, False, True): "the forearm's place, the wrist straight",
                (False, False, True): "a straight wrist",
            }[(bool(arm.made[UPPER]), bool(arm.made[FOREARM]), bool(arm.made[HAND]))]
            told.append(f"{arm.limbs.arm.name}: {' and '.join(made)} from {how}")
        return tuple(told)

    def told(self, state: Completed | None) -> tuple[str, ...]:
        """Return the stories, and which arms are measured beyond their reach."""
        notes = list(self.stories)
        if state is not None:
            for arm, was in zip(self.arms, state.before, strict=True):
                if was.stretch > FAR:
                    far = 100.0 * was.stretch
                    notes.append(f"{arm.limbs.arm.name}: measured {far:.0f} cm beyond its reach")
        return tuple(notes)

    def start(self) -> Completed:
        """Return the state before the first sample."""
        return Completed(np.eye(3), None, tuple(Was(arm.limbs.arm.rest) for arm in self.arms))

    def step(
        self, state: Completed, samples: Sequence[Sample], trunk: Array
    ) -> tuple[Completed, list[Sample]]:
        """Return the state after ``samples``, and these with what follows from them.

        Of samples that come together the trunk's counts first: in whatever order they come, arms
        hang on what it tells. ``trunk`` (4,) is how the trunk is turned in F as far as is known,
        of a wearer without a sensor on it.
        """
        found = list(samples)
        R_FR = state.R_FR if self._turns else q_to_matrix(trunk)
        p_F = state.p_F
        before = list(state.before)
        for sample in sorted(samples, key=lambda each: each.station != self.trunk):
            if sample.error:
                continue
            if sample.station == self.trunk:
                R_FB, at = self._posed(sample)
                p_F = p_F if at is None else at
                R_FR = R_FB if self._turns else R_FR
            for k, arm in enumerate(self.arms):
                if sample.station in arm.worn[FOREARM:] and sample.station:
                    turned, before[k] = self._turned(arm, sample, R_FR, p_F, before[k])
                    found += [self._sample(sample, arm.made[p], R) for p, R in turned.items()]
        return Completed(R_FR, p_F, tuple(before)), found

    def _posed(self, sample: Sample) -> tuple[Array, Array | None]:
        """Return how what a sensor sits on is turned in F, and the sensor's place there."""
        R_FT, seats = self.calibration.R_FT, self.calibration.seats
        R_FS = q_multiply(R_FT.q, np.array(sample.q))
        R_FB = q_to_matrix(q_multiply(R_FS, self.calibration.mounts[sample.station].q))
        if seats is None or sample.p[0] != sample.p[0]:
            return R_FB, None
        return R_FB, R_FT.apply(np.array(sample.p)) + seats.origin

    def _root(self, arm: Fewer, R_FR: Array, p_F: Array | None) -> Array:
        """Return the pose (4, 4) in F of what an arm hangs on, the trunk being turned."""
        seats, still = self.calibration.seats, self._stand[arm.number]
        X = np.eye(4)
        X[:3, :3] = R_FR @ still[:3, :3]
        at = own = self.body.pivot
        if p_F is not None and seats is not None:
            at, own = p_F, seats.offsets[self.trunk]
        X[:3, 3] = at + R_FR @ (still[:3, 3] - own)
        return X

    def _turned(
        self,
        arm: Fewer,
        sample: Sample,
        R_FR: Array,
        p_F: Array | None,
        before: Was,
    ) -> tuple[dict[int, Array], Was]:
        """Return the orientations in F that follow from a sample, by part, and where the arm is."""
        limbs, turned = arm.limbs, {}
        R_FB, at = self._posed(sample)
        forearm = sample.station == arm.worn[FOREARM]
        if forearm and arm.made[HAND]:
            turned[HAND] = R_FB @ self._straight(limbs)
        if not arm.places or at is None or not (forearm or arm.made[FOREARM]):
            return turned, before
        assert self.calibration.seats is not None
        X = np.eye(4)
        X[:3, :3] = R_FB
        X[:3, 3] = at - R_FB @ self.calibration.seats.offsets[sample.station]
        root = self._root(arm, R_FR, p_F)
        if forearm:
            found = arms_from_forearm(limbs, root, X, R_FB, before=before.q)
            turned[UPPER] = found.upper
            # the wrist is not known here, and does not matter to where the elbow was
            q = np.concatenate([found.angles.q[:5], limbs.arm.rest[5:]])
        else:
            near = None if before.swivel is None else before.swivel + NEAR
            found = arms_from_hand(limbs, root, X, before=before.q, swivel=near)
            turned[UPPER], turned[FOREARM] = found.upper, found.forearm
            q = found.angles.q
        return turned, Was(q, float(found.stretch), found.swivel)

    def _straight(self, limbs: Limbs) -> Array:
        """Return the hand's orientation in its forearm where the wrist is straight."""
        links = self.body.figure.poses(self.body.rest)[:, :3, :3]
        return np.asarray(links[limbs.arm.forearm].T @ links[limbs.arm.hand])

    def _sample(self, of: Sample, station: int, R_FB: Array) -> Sample:
        q = q_multiply(self.calibration.R_FT.inverse().q, q_from_matrix(R_FB))
        w, x, y, z = q.tolist()
        return Sample(station, of.time, of.arrival, (w, x, y, z))


def completing(
    body: TrackedBody, stations: Mapping[int, str], calibration: Calibration
) -> Completing | None:
    """Return what completes a person's arms; None where nothing has to be computed.

    Raises ModelError where the calibration does not tell where sensors sit whose places are needed.
    """
    by_role = {role: station for station, role in stations.items()}
    placed = () if calibration.seats is None else calibration.seats.offsets
    arms, known = [], dict(stations)
    for number, (side, own) in enumerate(zip(body.sides, body.arms.each, strict=True)):
        roles = [f"{side}_{part}" for part in ARM_PARTS]
        worn = tuple(by_role.get(role, 0) for role in roles)
        if all(worn) or not any(worn[FOREARM:]) or (worn[UPPER] and not worn[FOREARM]):
            continue
        made = tuple(0 if has else COMPUTED + 3 * number + k for k, has in enumerate(worn))
        arm = Fewer(number, limbs_of(body.figure, own), worn, made)
        needed = worn[FOREARM] or worn[HAND]
        if arm.places and needed not in placed:
            raise ModelError(
                f"station {needed} ({stations[needed]}) told no place while postures were held, and"
                " an arm without a sensor on its upper arm needs it. Calibrate by postures with"
                f" sensors that tell places, or put a sensor on {roles[UPPER]}"
            )
        arms.append(arm)
        known.update({s: role for s, role in zip(made, roles, strict=True) if s})
    if not arms:
        return None
    trunk = next((s for role in TRUNKS if (s := by_role.get(role, 0)) in placed), 0)
    return Completing(body, calibration, tuple(arms), MappingProxyType(known), trunk)
