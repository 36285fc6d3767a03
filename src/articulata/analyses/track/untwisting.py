"""Hands of avatars that turn about the forearm's length, which no wrist does.

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

import numpy as np

from articulata.analyses.track.body import TrackedBody
from articulata.analyses.track.calibration import Calibration
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample


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
