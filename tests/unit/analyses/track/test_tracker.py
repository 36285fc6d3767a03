"""Calibration and tracking step by step, from samples that are computed from a posture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from articulata.analyses.track.calibration import (
    Calibration,
    calibrate,
    calibration_of,
    held,
    level,
)
from articulata.analyses.track.health import Watch
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.analyses.track.tracker import Tracker
from articulata.errors import KinematicsError, ModelError, NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS, TrackedPosture
from tracked import body_of

HEADING = 0.6
IDENTITY = Rotation.identity()


class Wearing:
    """Somebody with a sensor at each station, strapped on as it fell."""

    def __init__(self, body: TrackedBody, stations: Mapping[int, str] = STATIONS) -> None:
        rng = np.random.default_rng(11)
        known = body.orientations(body.rest)
        self.stations = {s: role for s, role in stations.items() if role in known}
        self.mounts = {s: Rotation.exp(rng.normal(0.0, 1.0, 3)) for s in self.stations}
        self.body, self.R_TF = body, level(body, HEADING).inverse()

    def samples(
        self,
        q: Array,
        time: float,
        *,
        turn: Rotation = IDENTITY,
        head: Rotation = IDENTITY,
        place: Array | None = None,
    ) -> list[Sample]:
        seen = self.body.orientations(q)
        found = []
        for station, role in self.stations.items():
            R_FB = turn @ Rotation.from_matrix(seen[role])
            if role == "skull":
                R_FB = turn @ head
            R_TS = self.R_TF @ R_FB @ self.mounts[station].inverse()
            p = self.R_TF.apply(np.zeros(3) if place is None else place)
            found.append(Sample(station, time, time, tuple(R_TS.q), tuple(p)))  # type: ignore[arg-type] # four and three
        return found

    def calibration(self, *names: str, heading: float | None = None) -> Calibration:
        postures = []
        for name in names:
            q = self.body.posture(name)
            postures.append(held(q, self.samples(q, 0.0) + self.samples(q, 0.1)))
        return calibrate(self.body, self.stations, postures, heading=heading)


def tracker_of(wearing: Wearing, **more: object) -> Tracker:
    known = wearing.calibration("n_pose", "t_pose")
    return Tracker(wearing.body, wearing.stations, known, None, **more)  # type: ignore[arg-type] # what a test chooses


def moving(body: TrackedBody) -> Callable[[float], Array]:
    columns = body.columns.reshape(-1)
    limits = body.arms.limits.reshape(-1, 3)

    def posture(t: float) -> Array:
        q = body.rest.copy()
        room = 0.3 * (limits[:, 1] - limits[:, 0])
        q[columns] = limits[:, 2] + room * np.sin(np.linspace(0.5, 1.1, len(columns)) * t)
        return q

    return posture


@pytest.mark.parametrize("name", ["person", "human_upper_body", "jack_1995"])
def test_both_arms_follow(name: str) -> None:
    body = body_of(name)
    wearing, posture = Wearing(body), moving(body)
    tracker = tracker_of(wearing)
    state = tracker.start()
    columns = body.columns.reshape(-1)
    for time in np.arange(0.5, 3.0, 0.01):
        turn = Rotation.exp(0.4 * time * body.up)
        q = posture(time)
        state, found = tracker.step(state, wearing.samples(q, time, turn=turn))
        if not any(found.frozen):
            np.testing.assert_allclose(found.q[columns], q[columns], atol=1e-9)
        assert found.tracked == (True, True)
        assert np.abs(found.left).max() < 1e-9
        sensors = set(wearing.stations.values())
        if "sternum" in sensors:
            assert Rotation.from_quaternion(found.q_WF).distance(turn) < 1e-9


def test_heading_comes_from_the_step_from_n_to_t() -> None:
    wearing = Wearing(body_of())
    found = wearing.calibration("n_pose", "t_pose")
    assert found.heading == pytest.approx(HEADING, abs=1e-12)
    assert max(found.doubt.values()) < 1e-9
    assert wearing.calibration("n_pose").heading == 0.0
    again = calibration_of({**found.settings(), "heading": found.heading, "figure": "person"})
    assert again is not None
    assert again.R_FT.distance(found.R_FT) < 1e-12
    assert again.mounts.keys() == found.mounts.keys()
    assert calibration_of({"figure": "person"}) is None


def test_turning_the_head_is_not_turning_the_body() -> None:
    """Four sensors, none on the trunk: the head alone, the body, and the head back again."""
    body = body_of()
    wearing = Wearing(body, {s: STATIONS[s] for s in (1, 2, 3, 4)})
    tracker = tracker_of(wearing)
    q = body.figure.vector({"r_shoulder_flexion": 0.6, "r_elbow_flexion": 1.0}, body.rest)
    state = tracker.start()
    time, up = 0.0, body.up

    def turn_to(
        body_from: float, body_to: float, head_from: float, head_to: float
    ) -> TrackedPosture:
        nonlocal state, time
        for share in np.linspace(0.0, 1.0, 60):
            time += 0.01
            turn = Rotation.exp((body_from + share * (body_to - body_from)) * up)
            head = Rotation.exp((head_from + share * (head_to - head_from)) * up)
            state, found = tracker.step(state, wearing.samples(q, time, turn=turn, head=head))
        return found

    neck = body.figure.coordinate("vc7_rotation")
    found = turn_to(0.0, 0.0, 0.0, 0.8)
    assert Rotation.from_quaternion(found.q_WF).distance(IDENTITY) < 0.03
    assert abs(found.q[neck]) == pytest.approx(0.8, abs=0.03)
    found = turn_to(0.0, 0.7, 0.8, 0.8)
    assert Rotation.from_quaternion(found.q_WF).distance(Rotation.exp(0.7 * up)) < 0.06
    found = turn_to(0.7, 0.7, 0.8, 0.0)
    assert Rotation.from_quaternion(found.q_WF).distance(Rotation.exp(0.7 * up)) < 0.08
    assert abs(found.q[neck]) < 0.08


def test_who_walks_moves_the_base() -> None:
    body = body_of()
    wearing = Wearing(body)
    tracker = tracker_of(wearing)
    state, _ = tracker.step(tracker.start(), wearing.samples(body.rest, 0.1, place=np.zeros(3)))
    way = np.array((0.3, 0.0, 1.2))
    _, found = tracker.step(state, wearing.samples(body.rest, 0.2, place=way))
    np.testing.assert_allclose(found.p_WF, way, atol=1e-12)


def test_streams_are_read_at_one_time() -> None:
    """Sensors that are polled in turn: held they lag, carried on they do not, interpolated late."""
    body = body_of()
    wearing, columns = Wearing(body), body.columns.reshape(-1)

    def posture(t: float) -> Array:
        moved = {"r_shoulder_flexion": 0.9 * t, "r_elbow_flexion": 1.2 * t}
        return body.figure.vector(moved, body.rest)

    errors = {}
    for reading, delay in (("hold", 0.0), ("extrapolate", 0.0), ("interpolate", 1.0 / 15.0)):
        tracker = tracker_of(wearing, reading=reading, delay=delay)
        state, squares = tracker.start(), []
        for number, time in enumerate(np.arange(0.4, 1.0, 1.0 / 120.0)):
            station = 1 + number % 8
            sample = wearing.samples(posture(time), time)[station - 1]
            state, found = tracker.step(state, [sample])
            if number > 24:
                squares.append((found.q[columns] - posture(time - delay)[columns]) ** 2)
        errors[reading] = np.degrees(np.sqrt(np.mean(squares)))
    assert errors["hold"] > 0.5
    # nine tenths of the last turn
    assert errors["extrapolate"] < 0.2 * errors["hold"]
    assert errors["interpolate"] < 0.01


def test_state_is_a_value() -> None:
    body = body_of()
    wearing = Wearing(body)
    tracker = tracker_of(wearing)
    start = tracker.start()
    q = moving(body)(1.0)
    once, first = tracker.step(start, wearing.samples(q, 0.1))
    _, second = tracker.step(start, wearing.samples(q, 0.1))
    np.testing.assert_array_equal(first.q, second.q)
    assert all(np.isnan(q).all() for q in tracker.seen(start).values())
    late, _ = tracker.step(once, wearing.samples(q, 0.05))
    assert late.late == len(STATIONS)


def test_a_sensor_that_is_silent_stops_its_arm_alone() -> None:
    body = body_of()
    wearing, posture = Wearing(body), moving(body)
    tracker = tracker_of(wearing)
    samples = [s for s in wearing.samples(posture(1.0), 0.1) if s.station != 7]
    _, found = tracker.step(tracker.start(), samples)
    assert found.tracked == (True, False)
    np.testing.assert_allclose(found.angles[0], posture(1.0)[body.columns[0]], atol=1e-9)
    np.testing.assert_array_equal(found.q[body.columns[1]], body.arms.rest[1, :7])


@pytest.mark.parametrize("silent", [2, 3, 4])
def test_what_a_silent_sensor_sits_on_stays_beside_what_carries_it(silent: int) -> None:
    """Shoulder and trunk move on; the joints that the sensor alone tells stand still."""
    body = body_of()
    wearing = Wearing(body)
    tracker = tracker_of(wearing)
    names = body.arms.each[0].joints
    own = {2: names[:3], 3: names[3:5], 4: names[5:]}[silent]
    state, postures, wanted, held_at = tracker.start(), [], [], []
    for k in range(151):
        t = 0.02 * k
        moved = {"r_shoulder_flexion": 0.3 + 0.4 * t, "r_elbow_flexion": 0.8 + 0.2 * t}
        turn = Rotation.from_axis_angle(body.up, 0.3 * t)
        seen = wearing.samples(body.figure.vector(moved), t, turn=turn)
        heard = [s for s in seen if s.station != silent or not 0.5 < t < 2.5]
        state, posture = tracker.step(state, heard)
        postures.append(dict(zip(names, posture.angles[0], strict=True)))
        wanted.append(dict(zip(names, body.figure.vector(moved)[body.columns[0]], strict=True)))
        assert not posture.held[1]
        if posture.held[0]:
            held_at.append(t)
    # silent 0.1 s after its last sample at 0.5 s; back at 2.5 s, and faded in 0.3 s later
    np.testing.assert_allclose([held_at[0], held_at[-1]], [0.61, 2.79], atol=0.021)
    assert len(held_at) == round((held_at[-1] - held_at[0]) / 0.02) + 1
    for joint in own:
        still = [posture[joint] for posture in postures[32:124]]
        np.testing.assert_allclose(still, still[0], atol=1e-9)
        assert abs(still[0] - wanted[30][joint]) < 0.1
    # nothing jumps, and in the end all is as it is measured
    for before, after in pairwise(postures):
        assert max(abs(after[n] - before[n]) for n in names) < np.radians(12.0)
    for name in names:
        assert postures[-1][name] == pytest.approx(wanted[-1][name], abs=1e-9)


def test_a_silent_trunk_turns_with_head_and_arms() -> None:
    """The figure turns by 0.6 rad while its trunk is silent, and nothing moves in it."""
    body = body_of()
    wearing = Wearing(body)
    tracker = tracker_of(wearing)
    state = tracker.start()
    for k in range(151):
        t = 0.02 * k
        turn = Rotation.from_axis_angle(body.up, 0.3 * t)
        seen = wearing.samples(body.rest, t, turn=turn)
        heard = [s for s in seen if s.station != 5 or not 0.5 < t < 2.5]
        state, posture = tracker.step(state, heard)
        assert Rotation.from_quaternion(posture.q_WF).distance(turn) < np.radians(2.0)
        np.testing.assert_allclose(posture.q, body.rest, atol=np.radians(2.0))
    assert Rotation.from_quaternion(posture.q_WF).distance(turn) < 1e-9


def test_joints_beyond_their_limits_are_named() -> None:
    body = body_of()
    wearing = Wearing(body)
    tracker = tracker_of(wearing)
    q = body.figure.vector({"r_elbow_flexion": -0.3, "l_shoulder_flexion": 0.5}, body.rest)
    _, found = tracker.step(tracker.start(), wearing.samples(q, 0.1))
    assert found.outside == ("r_elbow_flexion",)
    assert found.q[body.figure.coordinate("r_elbow_flexion")] == pytest.approx(-0.3, abs=1e-9)


def test_a_heading_is_reset_to_where_the_trunk_faces() -> None:
    body = body_of()
    wearing = Wearing(body)
    tracker = tracker_of(wearing)
    turn = Rotation.exp(0.9 * body.up)
    q = moving(body)(1.0)
    state, _ = tracker.step(tracker.start(), wearing.samples(q, 0.1, turn=turn))
    tracker = replace(tracker, calibration=tracker.calibration.turned(body, tracker.trunk(state)))
    _, found = tracker.step(tracker.start(), wearing.samples(q, 0.2, turn=turn))
    assert Rotation.from_quaternion(found.q_WF).distance(IDENTITY) < 1e-9
    np.testing.assert_allclose(found.q[body.columns[0]], q[body.columns[0]], atol=1e-9)


def test_what_cannot_be_calibrated_is_told() -> None:
    body = body_of()
    wearing = Wearing(body)
    n = body.posture("n_pose")
    good = wearing.samples(n, 0.0)
    with pytest.raises(ModelError, match=r"station 3 \(r_forearm\)"):
        calibrate(body, STATIONS, [held(n, [s for s in good if s.station != 3])])
    moved = wearing.samples(body.posture("t_pose"), 0.1)
    with pytest.raises(ModelError, match="turned by"):
        calibrate(body, STATIONS, [held(n, good + moved)])
    with pytest.raises(ModelError, match="nothing of the heading"):
        calibrate(body, STATIONS, [held(n, good), held(n, good)])
    with pytest.raises(ModelError, match="give one at least"):
        calibrate(body, STATIONS, [])
    with pytest.raises(NameNotFound, match="has to say what it is"):
        body.posture("x_pose")


def test_what_cannot_be_tracked_is_told() -> None:
    body = body_of()
    wearing = Wearing(body)
    known = wearing.calibration("n_pose", "t_pose")
    with pytest.raises(ModelError, match="two stations sit on skull"):
        Tracker(body, {1: "skull", 2: "skull"}, known)
    with pytest.raises(ModelError, match="'l_foot' is nothing"):
        Tracker(body, {1: "l_foot"}, known)
    spare = Tracker(body, {9: "pelvis"}, known)
    with pytest.raises(ModelError, match="not calibrated"):
        spare.step(spare.start(), [])
    with pytest.raises(KinematicsError, match="no arm"):
        body_of("planar_4_2_1")


def test_health_tells_rates_silence_and_strangers() -> None:
    watch = Watch({1: "skull", 2: "r_hand", 3: "l_hand"})
    for k in range(60):
        watch.take([Sample(1, k / 60, k / 60, (1.0, 0.0, 0.0, 0.0))])
        if k % 4 == 0:
            watch.take([Sample(2, k / 60, k / 60, (1.0, 0.0, 0.0, 0.0), error="B")])
    watch.take([Sample(9, 1.0, 1.0, (1.0, 0.0, 0.0, 0.0))])
    skull, right, left = watch.health(1.0)
    assert (skull.state, right.state, left.state) == ("good", "doubtful", "silent")
    assert skull.rate == pytest.approx(60.0)
    assert right.rate == pytest.approx(15.0)
    assert watch.strangers == {9}
    assert watch.health(3.0)[0].state == "silent"
