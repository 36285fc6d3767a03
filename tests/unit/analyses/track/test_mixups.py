"""Sensors that sit where others should, and a heading that a swing of the arms tells."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.calibration import (
    Held,
    calibrate,
    heading_by_swing,
    held,
    level,
    swung,
)
from articulata.analyses.track.plausibility import mixed_up
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.errors import ArticulataError, ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.rotation import Rotation
from articulata.records.samples import NO_PLACE, Sample
from articulata.records.tracking import STATIONS
from articulata.sessions.track.checking import calibrated
from tracked import body_of

HEADING = 0.6


class Wearer:
    """Who wears sensors, perhaps two of them exchanged."""

    def __init__(self, *, exchanged: tuple[int, int] | None = None, places: bool = True) -> None:
        self.body: TrackedBody = body_of()
        rng = np.random.default_rng(2)
        self.mounts = {s: Rotation.exp(rng.normal(size=3)) for s in STATIONS}
        self.worn = dict(STATIONS)
        if exchanged is not None:
            a, b = exchanged
            self.worn[a], self.worn[b] = STATIONS[b], STATIONS[a]
        self.places = places
        self.links = {"skull": self.body.neck.head if self.body.neck else -1}
        for side, arm in zip(self.body.sides, self.body.arms.each, strict=True):
            for part, link in zip(("upper_arm", "forearm", "hand"), arm.links, strict=True):
                self.links[f"{side}_{part}"] = link
            self.links["sternum"] = arm.root

    def samples(self, q: Array, time: float = 0.0) -> list[Sample]:
        X_TF = np.eye(4)
        X_TF[:3, :3] = level(self.body, HEADING).inverse().to_matrix()
        X_TF[:3, 3] = 0.9, 0.1, 0.0
        X = X_TF @ inverse_pose(self.body.figure.base) @ self.body.figure.poses(q)
        seen = self.body.orientations(q)
        R_TF = level(self.body, HEADING).inverse()
        found = []
        for station, role in self.worn.items():
            R = (
                R_TF
                @ Rotation.from_matrix(seen[role], nearest=True)
                @ self.mounts[station].inverse()
            )
            x, y, z = X[self.links[role], :3, 3].tolist()
            w, i, j, k = R.to_quaternion().tolist()
            place = (x, y, z) if self.places else NO_PLACE
            found.append(Sample(station, time, time, (w, i, j, k), place))
        return found

    def held(self) -> list[Held]:
        postures = [self.body.posture(name) for name in ("n_pose", "t_pose")]
        return [held(q, self.samples(q)) for q in postures]


def test_sensors_where_they_should_be_are_no_matter() -> None:
    for places in (True, False):
        wearer = Wearer(places=places)
        assert mixed_up(wearer.body, STATIONS, wearer.held()) == ""
        assert mixed_up(wearer.body, STATIONS, wearer.held()[:1]) == ""


@pytest.mark.parametrize("pair", [(1, 2), (3, 5), (2, 6), (4, 8), (3, 4), (2, 3), (6, 7)])
def test_two_that_are_exchanged_are_named(pair: tuple[int, int]) -> None:
    wearer = Wearer(exchanged=pair)
    said = mixed_up(wearer.body, STATIONS, wearer.held())
    for station in pair:
        assert f"{station} ({STATIONS[station]})" in said


def test_exchanged_upper_arms_are_named_though_no_calibration_comes_of_them() -> None:
    """From N to T they turn against each other: their mounts are a half turn off."""
    wearer = Wearer(exchanged=(2, 6))
    with pytest.raises(ModelError, match=r"station 2 \(r_upper_arm\) turned by half a turn"):
        calibrate(wearer.body, STATIONS, wearer.held())
    with pytest.raises(ArticulataError, match=r"2 \(r_upper_arm\) and 6 \(l_upper_arm\)"):
        calibrated(wearer.body, STATIONS, wearer.held())


def test_a_swing_tells_the_heading() -> None:
    wearer = Wearer()
    n_pose = wearer.body.posture("n_pose")
    start = held(n_pose, wearer.samples(n_pose))
    names = [f"{side}_shoulder_flexion" for side in "rl"]
    rng = np.random.default_rng(4)
    samples = []
    for time in np.arange(0.0, 4.0, 1 / 30):
        angle = np.radians(25.0 - 55.0 * np.cos(2 * np.pi * time / 1.3))
        q = wearer.body.figure.vector(dict.fromkeys(names, float(angle)), n_pose)
        samples += wearer.samples(q + rng.normal(0.0, 0.02, len(q)), float(time))
    found = heading_by_swing(wearer.body, STATIONS, swung(samples, start))
    assert found == pytest.approx(HEADING, abs=np.radians(1.5))
    still = wearer.samples(n_pose)
    with pytest.raises(ModelError, match="hardly swung"):
        heading_by_swing(wearer.body, STATIONS, swung(still, start))
