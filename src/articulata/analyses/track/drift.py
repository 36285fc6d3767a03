"""Headings of sensors without a magnetometer, corrected by what elbows and wrists cannot do.

Such a sensor knows what is up, and drifts about it. An elbow has two axes, so that one number of
the turn from upper arm to forearm is 0; turned back by a heading delta that number is

    r(delta) = a cos(delta) + b sin(delta) + c,

and delta is what makes it least over the last seconds, by Gauss-Newton steps. So the forearm's
heading follows that of the upper arm, and by the wrist the hand's that of the forearm. What the
upper arm drifts by against the trunk no joint tells: a shoulder turns every way.

F is the figure's frame, T the tracker's, S a sensor's.

Hands of avatars that turn about the forearm's length, which no wrist does.

A bone of an avatar turns about three axes. Programs that place hands leave the turn of the palm to
the hand's bone, all of it or a share; of a person it is the forearm's. The forearm is turned about
its own length until the wrist is one of two axes: with f the axis of its flexion, fixed in the
forearm, and d that of its deviation, fixed in the hand, f' d = 0. Where the forearm points, and how
the hand is turned, stay as they are told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply, q_to_matrix
from articulata.geometry.rotation import Rotation
from articulata.kernels.chains.sensor_fusion.arm_angles import (
    AFTER_ELBOW,
    AFTER_WRIST,
    ELBOW,
    WRIST,
)
from articulata.records.samples import Sample

WINDOW = 120
"""Looks that count together, ``EVERY`` apart: 2 s. Behind a drift of a degree a second they lag by
1.8 deg, 180 by 2.6, 90 by 1.3; fewer follow tissue that moves under the skin."""

EVERY = 1.0 / 60.0
"""Seconds between two looks at a joint."""

STEP = 0.02
"""Rad: a heading moves by no more in a step."""

FIRM = 0.5
"""Weight of staying, against the squared sensitivities of all looks: an arm that hangs, about which
nothing is seen, keeps its heading."""


class Drift(NamedTuple):
    """What correcting goes on from.

    ``looks`` (pairs, WINDOW, 3) hold a, b and c of each joint, ``looked`` (pairs,) how many there
    were, ``heading`` (pairs,) rad by how much the outer sensor of a pair is turned too far, in the
    order from upper arm to hand, ``time`` (pairs,) s of the last look; ``turned`` are orientations
    in F by station, as corrected.
    """

    looks: Array
    looked: Array
    heading: Array
    time: Array
    turned: Mapping[int, Array]


@dataclass(frozen=True, eq=False)
class Drifting:
    """Corrects samples of ``stations`` on a ``body`` that was calibrated."""

    body: TrackedBody
    stations: Mapping[int, str]
    calibration: Calibration

    @cached_property
    def pairs(self) -> Mapping[int, tuple[int, int, Array, Array]]:
        """By the outer station: number, inner station, and the axes (3,) that stay square."""
        station_of = {role: station for station, role in self.stations.items()}
        found: dict[int, tuple[int, int, Array, Array]] = {}
        for side, arm in zip(self.body.sides, self.body.arms.each, strict=True):
            worn = [station_of.get(f"{side}_{part}") for part in ARM_PARTS]
            for k, (before, after) in enumerate(((ELBOW, AFTER_ELBOW), (WRIST, AFTER_WRIST))):
                inner, outer = worn[k], worn[k + 1]
                if inner is not None and outer is not None:
                    axes = arm.turns[before][2], arm.turns[after][:, 2]
                    found[outer] = (len(found), inner, *axes)
        return found

    def start(self) -> Drift:
        """Return the state before the first sample."""
        n = len(self.pairs)
        none = np.zeros(n)
        return Drift(np.zeros((n, WINDOW, 3)), none, none, np.full(n, -math.inf), {})

    def step(self, state: Drift, samples: Sequence[Sample]) -> tuple[Drift, list[Sample]]:
        """Return the state after ``samples``, and the samples with their headings corrected.

        They come in the order in which they were measured, as a take that is played again has them.
        """
        found = []
        for sample in sorted(samples, key=lambda each: each.time):
            state, corrected = self._one(state, sample)
            found.append(corrected)
        return state, found

    def _one(self, state: Drift, sample: Sample) -> tuple[Drift, Sample]:
        mount = self.calibration.mounts.get(sample.station)
        if mount is None or sample.error:
            return state, sample
        R_FT, up = self.calibration.R_FT, self.body.up
        q_FB = q_multiply(q_multiply(R_FT.q, np.array(sample.q)), mount.q)
        R_FB = q_to_matrix(q_FB)
        pair = self.pairs.get(sample.station)
        if pair is None:
            return state._replace(turned={**state.turned, sample.station: R_FB}), sample
        number, inner, own, other = pair
        before = state.turned.get(inner)
        if before is not None and not 0.0 <= sample.time - state.time[number] < EVERY:
            state = self._look(state, number, before @ own, R_FB @ other, sample.time)
        back = Rotation.from_axis_angle(up, -float(state.heading[number]))
        turned = {**state.turned, sample.station: back.to_matrix() @ R_FB}
        w, x, y, z = q_multiply((R_FT.inverse() @ back @ R_FT).q, np.array(sample.q)).tolist()
        return state._replace(turned=turned), sample._replace(q=(w, x, y, z))

    def _look(self, state: Drift, number: int, x: Array, y: Array, time: float) -> Drift:
        """Return the state after a look at a joint whose axes are ``x`` and ``y`` (3,) in F."""
        up = self.body.up
        c = float((x @ up) * (y @ up))
        looks, count = state.looks.copy(), state.looked.copy()
        looks[number, int(count[number]) % WINDOW] = x @ y - c, -float(x @ np.cross(up, y)), c
        count[number] += 1
        rows = looks[number, : int(min(count[number], WINDOW))]
        heading, times = state.heading.copy(), state.time.copy()
        delta = float(heading[number])
        for _ in range(2):
            cos, sin = math.cos(delta), math.sin(delta)
            r = rows @ np.array((cos, sin, 1.0))
            J = rows[:, :2] @ np.array((-sin, cos))
            delta -= min(max(float(J @ r) / (float(J @ J) + FIRM), -STEP), STEP)
        heading[number], times[number] = delta, time
        return Drift(looks, count, heading, times, state.turned)


@dataclass(frozen=True, slots=True, eq=False)
class _Forearm:
    """Stations of a forearm and a hand; axes of the forearm's length, of flexion, of deviation.

    The first two (3,) are in the forearm's link, the last in the hand's.
    """

    station: int
    hand: int
    length: Array
    flexion: Array
    deviation: Array


class Untwisting:
    """Turns forearms of samples so that wrists bend and deviate alone."""

    def __init__(
        self, body: TrackedBody, stations: Mapping[int, str], calibration: Calibration
    ) -> None:
        at = {role: station for station, role in stations.items()}
        self._calibration = calibration
        self._forearms = [
            _Forearm(
                at[f"{side}_forearm"],
                at[f"{side}_hand"],
                arm.turns[3][:, 2],
                arm.turns[4][2],
                arm.turns[5][:, 2],
            )
            for side, arm in zip(body.sides, body.arms.each, strict=True)
            if f"{side}_forearm" in at and f"{side}_hand" in at
        ]

    def samples(self, part: Sequence[Sample]) -> Sequence[Sample]:
        """Return samples, of which no two are of one station, with forearms that are turned."""
        known = {sample.station: sample for sample in part}
        turned: dict[int, Sample] = {}
        for each in self._forearms:
            if each.station in known and each.hand in known:
                sample = known[each.station]
                q = self._turned(each, sample, known[each.hand])
                turned[each.station] = sample._replace(q=q)
        return [turned.get(sample.station, sample) for sample in part]

    def _turned(
        self, who: _Forearm, forearm: Sample, hand: Sample
    ) -> tuple[float, float, float, float]:
        mounts = self._calibration.mounts
        mount = mounts[who.station]
        R_TB = Rotation.from_quaternion(np.array(forearm.q)) @ mount
        R_TH = Rotation.from_quaternion(np.array(hand.q)) @ mounts[who.hand]
        d = R_TB.inverse().apply(R_TH.apply(who.deviation))
        # f turned by an angle about the length: what is along it stays, the rest goes round
        along = who.length * float(who.length @ who.flexion)
        a, b = float(d @ (who.flexion - along)), float(d @ np.cross(who.length, who.flexion))
        size = math.hypot(a, b)
        if size < 1e-9:  # the hand is at right angles to the forearm: any turn does
            return forearm.q
        # a cos + b sin + c = 0 has two solutions; a palm turns by less than a right angle
        middle, half = math.atan2(b, a), math.acos(min(max(-float(d @ along) / size, -1.0), 1.0))
        angle = min((_near(middle + half), _near(middle - half)), key=abs)
        turn = mount @ Rotation.from_axis_angle(who.length, angle) @ mount.inverse()
        w, x, y, z = q_multiply(np.array(forearm.q), turn.to_quaternion()).tolist()
        return w, x, y, z


def _near(angle: float) -> float:
    return math.remainder(angle, math.tau)
