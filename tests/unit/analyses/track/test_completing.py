"""Arms with fewer sensors than three, tracked as any other: what is missing is computed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from articulata.analyses.track.calibration import Calibration, calibrate, calibration_of, held
from articulata.analyses.track.tracker import Tracker
from articulata.devices.fastrak.emulated_wearer import Wearer
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.geometry.rotation import Rotation
from articulata.records.samples import NO_PLACE, Sample
from articulata.records.tracking import TrackedPosture
from articulata.sessions.track.emulation import EmulatedWearing, Emulation, performance
from tracked import body_of

TWO = {1: "sternum", 3: "r_forearm", 4: "r_hand"}
HANDS = {1: "skull", 2: "pelvis", 4: "r_hand", 8: "l_hand"}
STRAIGHT = {1: "skull", 2: "r_upper_arm", 3: "r_forearm"}


class Worn:
    """A person with sensors at some places, calibrated in N and T."""

    def __init__(self, stations: Mapping[int, str], *, placed: bool = True) -> None:
        self.body = body_of()
        self.stations, self.placed = stations, placed
        rng = np.random.default_rng(1)
        emulation = Emulation(self.body, stations, rng, EmulatedWearing(), heading=0.3)
        self.wearer: Wearer = emulation.wearer
        self.move = performance(self.body)
        postures = []
        for number, name in enumerate(("n_pose", "t_pose")):
            q = self.body.posture(name)
            self.wearer.hold(q, 10.0 * number)
            postures.append(held(q, self.samples(10.0 * number + 5.0)))
        self.calibration = calibrate(self.body, stations, postures)
        self.wearer.perform(20.0)

    def samples(self, time: float) -> list[Sample]:
        found = []
        for station in self.stations:
            X = self.wearer.pose(station, time)
            w, x, y, z = q_from_matrix(X[:3, :3]).tolist()
            px, py, pz = X[:3, 3].tolist() if self.placed else NO_PLACE
            found.append(Sample(station, time, time, (w, x, y, z), (px, py, pz)))
        return found

    def follow(
        self, calibration: Calibration | None = None, begin: float = 22.0
    ) -> list[tuple[TrackedPosture, Array]]:
        """Return postures and true joint values, each 1/10 s for 9 s; at 20 s the arms are in T."""
        tracker = Tracker(self.body, self.stations, calibration or self.calibration, filter=None)
        state, found = tracker.start(), []
        for time in begin + np.arange(0.0, 9.0, 1.0 / 10.0):
            state, posture = tracker.step(state, self.samples(float(time)))
            found.append((posture, self.wearer.posture(float(time))))
        return found

    def off(self, found: list[tuple[TrackedPosture, Array]], arm: int = 0) -> tuple[Array, Array]:
        """Return by how much upper arm, forearm and hand are beside where they are, deg and m."""
        links = list(self.body.arms.each[arm].links)
        seen = self.body.figure.poses(np.array([posture.q for posture, _ in found]))[:, links]
        true = self.body.figure.poses(np.array([q for _, q in found]))[:, links]
        turned = Rotation.from_matrix(seen[..., :3, :3]).distance(
            Rotation.from_matrix(true[..., :3, :3])
        )
        base = np.array([posture.p_WF for posture, _ in found])[:, None]
        return np.degrees(turned), np.linalg.norm(
            seen[..., :3, 3] + base - true[..., :3, 3], axis=2
        )


def test_two_sensors_an_arm() -> None:
    worn = Worn(TWO)
    turned, apart = worn.off(found := worn.follow())
    assert all(posture.tracked == (True, False) for posture, _ in found)
    # a sensor sits 2 cm beside where it is believed to, along the line of sight
    assert turned[:, 0].max() < 8.0
    assert turned[:, 1:].max() < 0.8
    assert apart.max() < 0.04
    # without that, the arm is exact but for its roll while the elbow is too straight to show it
    seats = worn.calibration.seats
    assert seats is not None
    at = {3: np.array((0.0, -0.1, 0.02)), 4: np.array((0.0, -0.1, 0.02))}
    origin = worn.wearer._X_TF
    exact = Rotation.from_matrix(origin[:3, :3]).inverse().apply(-origin[:3, 3])
    sternum = worn.calibration.R_FT.apply(worn.wearer.pose(1, 5.0)[:3, 3]) + exact
    sure = type(seats)(exact, {**at, 1: sternum})
    known = Calibration(worn.calibration.R_FT, worn.calibration.mounts, seats=sure)
    turned, apart = worn.off(worn.follow(known))
    assert np.median(turned) < 1e-6
    assert turned[:, 0].max() < 8.0
    assert turned[:, 1:].max() < 0.8
    assert apart.max() < 5e-3


def test_an_arm_that_comes_from_its_singular_direction_is_in_the_branch_of_its_limits() -> None:
    worn = Worn({5: "sternum", 2: "r_upper_arm", 3: "r_forearm", 4: "r_hand"})
    # noise says where the first angle is while the arm is out to the side
    rng = np.random.default_rng(5)
    quiet = worn.samples

    def noisy(time: float) -> list[Sample]:
        found = []
        for each in quiet(time):
            q = np.array(each.q) + rng.normal(0.0, 1e-3, 4)
            w, x, y, z = (q / np.linalg.norm(q)).tolist()
            found.append(each._replace(q=(w, x, y, z)))
        return found

    worn.samples = noisy  # type: ignore[method-assign] # as measured
    columns = worn.body.columns[0]
    off = [np.abs(p.angles[0, :3] - q[columns[:3]]) for p, q in worn.follow(begin=20.0)]
    assert np.max(off) < np.radians(60.0)
    assert np.median(off) < np.radians(0.5)


def test_hands_waist_and_head() -> None:
    worn = Worn(HANDS)
    found = worn.follow()
    for arm in (0, 1):
        turned, apart = worn.off(found, arm)
        assert turned[:, 2].max() < 1e-5
        # where the elbow is, comfort guesses
        assert np.sqrt(np.mean(turned[:, 0] ** 2)) < 20.0
        assert apart[:, 2].max() < 0.08
    elbow = np.degrees([posture.angles[0, 3] for posture, _ in found])
    assert np.abs(np.diff(elbow)).max() < 30.0


def test_samples_that_come_together_may_come_in_any_order() -> None:
    worn = Worn(HANDS)
    tracker = Tracker(worn.body, worn.stations, worn.calibration, filter=None)
    before, _ = tracker.step(tracker.start(), worn.samples(22.0))
    # all of him has gone 10 cm and turned aside since
    turn = Rotation.exp((0.0, 0.0, 0.3))
    moved = [
        each._replace(
            time=22.1,
            q=tuple((turn @ Rotation.from_quaternion(np.array(each.q))).to_quaternion().tolist()),
            p=tuple((turn.apply(np.array(each.p)) + 0.1).tolist()),
        )
        for each in worn.samples(22.0)
    ]
    _, first = tracker.step(before, moved)
    _, other = tracker.step(before, moved[::-1])
    np.testing.assert_array_equal(other.q, first.q)
    np.testing.assert_array_equal(other.base, first.base)


def test_without_a_sensor_at_the_hand_the_wrist_stays_straight() -> None:
    worn = Worn(STRAIGHT, placed=False)
    turned, _ = worn.off(found := worn.follow())
    assert turned[:, :2].max() < 0.5
    assert (
        np.abs([posture.angles[0, 5:] for posture, _ in found]).max() < 0.01
    )  # what the shoulder's cone leaves over


def test_a_forearm_needs_a_place_where_nothing_is_on_the_upper_arm() -> None:
    worn = Worn(TWO, placed=False)
    with pytest.raises(ModelError, match=r"station 3 \(r_forearm\) told no place"):
        worn.follow()


def test_a_take_keeps_where_sensors_sit() -> None:
    seats = Worn(TWO).calibration
    again = calibration_of(seats.settings())
    assert again is not None
    assert seats.seats is not None
    assert again.seats is not None
    np.testing.assert_array_equal(again.seats.origin, seats.seats.origin)
    assert set(again.seats.offsets) == set(TWO)
    np.testing.assert_array_equal(again.seats.offsets[3], seats.seats.offsets[3])
