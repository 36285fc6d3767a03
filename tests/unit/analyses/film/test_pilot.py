"""One tick from device to joints: limits, the nodal point, reasons, checked by other kinematics."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from importlib.resources import files

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.carrier import Weights
from articulata.analyses.film.pilot import STATES, start_at
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Cuboid
from articulata.kernels.chains.dynamics.torque_limits import USUAL
from articulata.kinematics.link import Part
from articulata.kinematics.posture_probes import ClashProbe
from articulata.kinematics.skeleton import bones
from camera_arms import (
    R3_START,
    START_2011,
    arm_2011,
    r3,
    tip_2011,
    twisted,
    wrist_2011,
)

STEP = 0.004
FOLLOWS, SLOWED, PASSES, BRAKES, RESTS, STOPPED = range(6)


class Log:
    """Ticks of a flight and what other kinematics make of them."""

    def __init__(self, pilot: art.Pilot) -> None:
        self.pilot = pilot
        self.q, self.X, self.twists = [pilot.q], [pilot.X_WC], [np.zeros(6)]
        self.states, self.kinds = [RESTS], [""]

    def go(self, twist: Array) -> None:
        tick = self.pilot.go(twist)
        self.note(tick, twist)

    def note(self, tick: art.Tick, twist: Array) -> None:
        self.q.append(tick.q)
        self.X.append(tick.X_WC)
        self.twists.append(twist.copy())
        self.states.append(tick.state)
        self.kinds.append(self.pilot.kind(tick.code))

    def check_limits(self) -> None:
        arm, q = self.pilot.carrier.arm, np.array(self.q)
        rates = np.diff(q, axis=0, prepend=q[:1]) / STEP
        changes = np.diff(rates, axis=0) / STEP
        assert (np.abs(rates) <= arm.speeds * (1 + 1e-9)).all()
        assert (np.abs(changes) <= arm.accelerations * (1 + 1e-9)).all()
        assert (q >= arm.lower - 1e-12).all()
        assert (q <= arm.upper + 1e-12).all()
        turns = np.diff(changes, axis=0, prepend=0.0 * changes[:1]) / STEP
        assert (np.abs(turns) <= arm.jerks * (1 + 1e-6)).all()

    def check_way(self, tip: object) -> None:
        """Where it follows, nodal point and view are where the twist leads from the last pose."""
        for k in range(1, len(self.q), 4):
            reached = tip(self.q[k])  # type: ignore[operator]
            np.testing.assert_allclose(reached[:3, 3], self.X[k][:3, 3], atol=1e-9)
            if self.states[k] == FOLLOWS:
                due = twisted(self.X[k - 1], self.twists[k], STEP)
                np.testing.assert_allclose(self.X[k], due, atol=1e-9)
                np.testing.assert_allclose(reached, self.X[k], atol=1e-9)


def flight(pilot: art.Pilot, goals: list[Array], ticks: int) -> Log:
    log, twist = Log(pilot), np.zeros(6)
    for goal in goals:
        for _ in range(ticks):
            twist = twist + (goal - twist) * 0.1
            if np.abs(twist).max() < 1e-6:
                twist = np.zeros(6)
            log.go(twist)
    return log


@cache
def wandering(seed: int) -> Log:
    rng = np.random.default_rng(seed)
    goals = [rng.normal(size=6) * 0.45 * (rng.random() > 0.15) for _ in range(14)]
    pilot = art.Pilot(arm_2011(), START_2011)
    return flight(pilot, goals, 150)


def test_all_limits_hold_at_every_tick() -> None:
    wandering(1).check_limits()


def test_the_nodal_point_is_where_the_wish_leads_by_the_thesis_s_matrices() -> None:
    log = wandering(1)
    log.check_way(tip_2011)
    assert log.states.count(FOLLOWS) > 500


def test_with_the_published_limits_of_the_r3() -> None:
    rng = np.random.default_rng(4)
    goals = [rng.normal(size=6) * 0.6 for _ in range(8)]
    carrier = r3()
    assert carrier.arm.speeds.tolist() == [3, 1.5, 5, 3.1, 3.1, 4.1]
    assert carrier.arm.accelerations.tolist() == [15, 15, 15, 60, 60, 60]
    log = flight(art.Pilot(carrier, R3_START), goals, 150)
    log.check_limits()
    log.check_way(carrier.chain.tip)


def test_torques_are_kept_too_and_named() -> None:
    efforts = 0.6 * np.array([900.0, 1800.0, 900.0, 150.0, 150.0, 60.0])
    carrier = art.Carrier(
        art.figure("manutec_r3"), "flange", r3().camera, efforts=efforts, gravity=(0, -9.81, 0)
    )
    rng = np.random.default_rng(3)
    log = flight(art.Pilot(carrier, R3_START), [rng.normal(size=6) * 0.8 for _ in range(6)], 150)
    log.check_limits()
    assert "torque" in log.kinds
    q = np.array(log.q)
    rates = np.diff(q, axis=0, prepend=q[:1]) / STEP
    changes = np.diff(rates, axis=0, prepend=0 * rates[:1]) / STEP
    assert carrier.statics is not None
    needed = carrier.statics.inverse_dynamics(q, rates, changes)
    assert (np.abs(needed) <= efforts).all()
    # what torques suffice for, whatever the signs of the accelerations
    most = np.array([15.0, np.inf, 15.0, 60.0, 60.0, 60.0])
    each = np.diag(np.where(np.isinf(most), USUAL, most))
    still = carrier.statics.inverse_dynamics(q[77], rates[77], np.zeros(6))
    asked = sum(np.abs(carrier.statics.inverse_dynamics(q[77], rates[77], a) - still) for a in each)
    due = ((efforts - np.abs(still)) / asked).min()
    assert 0.1 < due < 0.9
    assert Weights(carrier).strength(q[77], rates[77], most) == pytest.approx(due, rel=1e-8)


@pytest.mark.parametrize("out", [(0.0, 0.0, 0.4), (-0.4, 0.0, 0.0)])
def test_an_arm_does_not_go_where_it_cannot_hold_itself(out: tuple[float, ...]) -> None:
    efforts = np.array([308.0, 440.0, 300.0, 88.0, 153.0, 31.0])
    carrier = art.Carrier(
        art.figure("manutec_r3"), "flange", r3().camera, efforts=efforts, gravity=(0, -9.81, 0)
    )
    pilot = art.Pilot(carrier, R3_START)
    q, views = [R3_START, R3_START], [pilot.X_WC]
    for k in range(600):
        v = np.array(out) * (1.0 if k < 450 else -1.0)  # along the axes of the world, and back
        tick = pilot.go(np.append(pilot.X_WC[:3, :3].T @ v, np.zeros(3)))
        q.append(tick.q)
        views.append(tick.X_WC)
    rates = np.diff(q, axis=0) / STEP
    needed = np.abs(carrier.torques(np.array(q[2:]), rates[1:], np.diff(rates, axis=0) / STEP))
    assert (needed <= efforts).all()
    assert np.linalg.norm(views[450][:3, 3] - views[0][:3, 3]) > 0.3
    assert np.linalg.norm(views[600][:3, 3] - views[450][:3, 3]) > 0.1


def test_jerks_are_kept_to_stop_to_go_on_and_at_the_end_of_the_arm() -> None:
    carrier = art.Carrier(art.figure("manutec_r3"), "flange", r3().camera, jerks=200.0)
    pilot = art.Pilot(carrier, R3_START)
    log = Log(pilot)
    goal = np.array([0.15, -0.1, 0.1, 0.05, 0.1, 0.0])
    for wish in (goal, 0.0 * goal, -goal, goal, 0.0 * goal):
        for _ in range(120):
            log.go(wish)
            log.twists[-1] = pilot.twist  # what is eased is followed
        np.testing.assert_allclose(pilot.twist, wish, atol=1e-9)  # it comes to what is wished
    log.check_way(carrier.chain.tip)
    for _ in range(400):
        log.go(np.array([0.0, 0.6, 0.0, 0.0, 0.0, 0.0]))
    assert log.kinds[-1] == "outer boundary"
    log.check_limits()


def test_jerks_alone_hold_nothing_up() -> None:
    carrier = replace(arm_2011(), speeds=None, accelerations=None, jerks=200.0)
    log = Log(art.Pilot(carrier, START_2011))
    for _ in range(200):
        log.go(np.array([0.1, 0.05, 0.0, 0.0, 0.1, 0.0]))
    log.check_limits()
    assert log.states[-1] == FOLLOWS
    assert log.states.count(STOPPED) == 0
    for _ in range(600):
        log.go(np.array([0.0, 0.6, 0.0, 0.0, 0.0, 0.0]))
        log.twists[-1] = log.pilot.twist  # what is eased is followed
    log.check_limits()
    assert log.kinds[-1] == "outer boundary"
    x, y, z = wrist_2011(log.q[-1])
    P = np.sqrt(y**2 + z**2 - 0.156**2)
    assert 3.2689 - 0.03 < np.hypot(P - 0.8048, x - 1.012) <= 3.2690
    np.testing.assert_allclose(tip_2011(log.q[-1]), log.X[-1], atol=1e-9)


def test_jerks_are_kept_where_joints_end_and_where_a_wrist_is_in_line() -> None:
    carrier = replace(arm_2011(), jerks=300.0)
    pilot = art.Pilot(carrier, START_2011)
    log = Log(pilot)
    for _ in range(1200):
        X, J = pilot.X_WC, carrier.chain.jacobian(pilot.q)
        w = 0.8 * J[3:, 5]
        v = np.cross(w, X[:3, 3] - wrist_2011(pilot.q))
        log.go(np.concatenate([X[:3, :3].T @ v, X[:3, :3].T @ w]))
        if log.states[-1] == STOPPED:
            break
    log.check_limits()
    assert log.states[-1] == STOPPED
    assert log.kinds[-1] == "end of a joint"
    assert log.q[-1][5] > np.radians(119)
    pilot = art.Pilot(carrier, np.radians([10.0, -30.0, 60.0, 20.0, 17.0, 10.0]))
    log, away = Log(pilot), []
    J, X = carrier.chain.jacobian(pilot.q), pilot.X_WC
    across = np.cross(J[3:, 4], J[3:, 5])
    w = -0.5 * J[3:, 4] + 0.034 * across / np.linalg.norm(across)
    for _ in range(400):
        tick = pilot.go(np.concatenate([X[:3, :3].T @ (0.05, -0.02, 0.04), X[:3, :3].T @ w]))
        log.note(tick, pilot.twist)
        away.append(tick.off)
    log.check_limits()
    assert PASSES in log.states
    assert max(away) < np.radians(3.0)
    np.testing.assert_allclose(tip_2011(log.q[-1])[:3, 3], log.X[-1][:3, 3], atol=1e-9)


def out_to(place: Array, q: Array) -> Log:
    """Go straight to a place (3,) of the wrist, without a turn."""
    pilot = art.Pilot(arm_2011(), q)
    log = Log(pilot)
    for _ in range(4000):
        X = pilot.X_WC
        away = place - wrist_2011(pilot.q)
        v = away / max(float(np.linalg.norm(away)), 0.5) * 0.5
        log.go(np.concatenate([X[:3, :3].T @ v, np.zeros(3)]))
        if log.states[-30:] == [STOPPED] * 30:
            break
    return log


def test_the_outer_boundary_is_told_and_left_again() -> None:
    log = out_to(np.array([1.0, 0.0, 6.0]), START_2011)
    assert log.states[-1] == STOPPED
    assert log.kinds[-1] == "outer boundary"
    log.check_limits()
    x, y, z = wrist_2011(log.q[-1])
    P = np.sqrt(y**2 + z**2 - 0.156**2)
    assert 3.2689 - 0.03 < np.hypot(P - 0.8048, x - 1.012) <= 3.2690
    back = np.concatenate([log.pilot.X_WC[:3, :3].T @ (0.0, 0.0, -0.4), np.zeros(3)])
    for _ in range(300):
        log.go(back)
    assert log.states[-1] == FOLLOWS
    log.check_limits()


@pytest.mark.parametrize("beside", [1e-3, 1e-4, 0.0, -1e-4])
def test_an_elbow_that_is_all_but_stretched_is_left_again(beside: float) -> None:
    carrier = arm_2011()
    stretched = -np.arctan2(0.3063, 1.456)  # the forearm's offset and length
    pilot = art.Pilot(carrier, np.array([-0.1, 1.3, stretched + beside, 0.5, 0.8, -0.7]))
    start, log = pilot.X_WC[:3, 3], Log(pilot)
    for _ in range(250):
        log.go(np.array([0.0, -0.2, 0.0, 0.0, 0.0, 0.0]))
    log.check_limits()
    assert np.linalg.norm(pilot.X_WC[:3, 3] - start) > 0.1


def test_the_dead_zone_is_told() -> None:
    x = float(wrist_2011(START_2011)[0])
    log = out_to(np.array([x, 0.0, 0.0]), START_2011)
    assert log.kinds[-1] == "dead zone"
    assert "156 mm" in log.pilot.reason(5 * 64)
    log.check_limits()
    assert 0.156 <= np.hypot(*wrist_2011(log.q[-1])[1:]) < 0.156 + 0.2


@pytest.mark.parametrize("miss", [0.017, 0.02, 0.023])
def test_a_wrist_in_line_is_passed_and_the_nodal_point_stays_on_its_way(miss: float) -> None:
    carrier = arm_2011()
    q = np.radians([10.0, -30.0, 60.0, 20.0, 17.0, 10.0])
    pilot = art.Pilot(carrier, q)
    log = Log(pilot)
    J, X = carrier.chain.jacobian(q), pilot.X_WC
    across = np.cross(J[3:, 4], J[3:, 5])
    w = -0.5 * J[3:, 4] + miss / np.radians(17) * 0.5 * across / np.linalg.norm(across)
    twist = np.zeros(6)
    goal = np.concatenate([X[:3, :3].T @ (0.05, -0.02, 0.04), X[:3, :3].T @ w])
    least = 1.0
    for k in range(500):
        twist = twist + ((goal if k < 300 else 0.0 * goal) - twist) * 0.1
        log.go(twist if np.abs(twist).max() > 1e-6 else np.zeros(6))
        least = min(least, abs(np.sin(log.q[-1][4])))
    log.check_limits()
    log.check_way(tip_2011)
    assert least < 0.03
    assert PASSES in log.states
    np.testing.assert_allclose(tip_2011(log.q[-1]), log.X[-1], atol=1e-9)


def test_pure_rotation_keeps_the_nodal_point_still() -> None:
    pilot = art.Pilot(arm_2011(), START_2011)
    start = tip_2011(pilot.q)[:3, 3]
    for k in range(600):
        tick = pilot.go(np.array([0, 0, 0, 0.3 * np.sin(0.01 * k), 0.2, -0.1]))
        if tick.state in (FOLLOWS, SLOWED, PASSES):
            assert np.abs(tip_2011(tick.q)[:3, 3] - start).max() < 1e-9
    assert tick.state == FOLLOWS


def test_a_thousand_mode_changes_move_nothing_by_more_than_a_tick() -> None:
    rng = np.random.default_rng(8)
    pilot = art.Pilot(r3(), R3_START, shaping=art.Shaping(speed=0.6, turn=1.0))
    log = Log(pilot)
    report = np.zeros(6)
    for k in range(3000):
        if k % 3 == 0:
            pilot.steering = art.Steering(
                rng.choice(["fly", "object", "target", "helicopter", "global"]),
                pivot=(0.0, 1.0, 0.0),
                horizon=bool(rng.random() > 0.7),
                hold=bool(rng.random() > 0.8),
                look=bool(rng.random() > 0.6),
                roll=rng.choice(["level", "relative", "locked"]),
            )
            pilot.shaping = art.Shaping(dominant=bool(rng.random() > 0.7), speed=0.6)
        if k % 100 == 0:
            report = rng.uniform(-1, 1, 6)
        log.note(pilot.tick(tuple(report), target=(0.0, 1.0, 0.0)), np.zeros(6))
    log.check_limits()


def test_an_arm_on_a_rail_keeps_all_limits_of_seven_joints() -> None:
    arm = art.figure("camera_robot")
    rail = art.Joint("rail", "prismatic", limits=(-3.0, 3.0))
    figure = art.Figure([rail, *arm.joints], [-1, *(p + 1 for p in arm.parents)], name="railed")
    carrier = art.Carrier(
        figure,
        arm.joints[-1].name,
        r3().camera,
        speeds=[1.0, *[2.0] * 6],
        accelerations=[3.0, *[10.0] * 6],
    )
    assert carrier.units == ("m", *["rad"] * 6)
    rng = np.random.default_rng(0)
    pilot = art.Pilot(carrier, np.append(0.2, START_2011))
    log = flight(pilot, [rng.normal(size=6) * 0.4 for _ in range(2)], 120)
    log.check_limits()
    log.check_way(carrier.chain.tip)
    assert np.ptp(np.array(log.q)[:, 0]) > 0.02
    assert log.states.count(FOLLOWS) > 80


def test_limits_that_nobody_gave_are_not_checked_and_named() -> None:
    carrier = art.Carrier(art.figure("camera_robot"), "flange")
    assert carrier.unchecked[0] == "ends of joints of u1, u2, u3, u4, u5: no limit is given"
    assert "speeds of all joints: no limit is given" in carrier.unchecked
    pilot = art.Pilot(carrier, START_2011)
    assert pilot.go(np.array([1.0, 0, 0, 0, 0, 0])).state == FOLLOWS


def test_ends_of_joints_are_kept_and_named() -> None:
    carrier = arm_2011()
    pilot = art.Pilot(carrier, START_2011)
    log = Log(pilot)
    for _ in range(1200):
        X, J = pilot.X_WC, carrier.chain.jacobian(pilot.q)
        w = 0.8 * J[3:, 5]
        v = np.cross(w, X[:3, 3] - wrist_2011(pilot.q))
        log.go(np.concatenate([X[:3, :3].T @ v, X[:3, :3].T @ w]))
        if log.states[-1] == STOPPED:
            break
    log.check_limits()
    assert log.kinds[-1] == "end of a joint"
    assert log.q[-1][5] > np.radians(119)
    assert "120 deg" in pilot.reason(4 * 64 + 5)


def test_nothing_is_struck_and_what_would_be_is_named() -> None:
    figure = art.figure("manutec_r3")
    shapes = {name: list(parts) for name, parts in bones(figure).items()}
    shapes["r6"].append(Part(Cuboid(0.08, 0.08, 0.08), r3().camera.X_LM))
    wall = np.eye(4)
    place = r3().chain.tip(R3_START)[:3, 3]
    wall[:3, 3] = place + np.array((0.4, 0.0, 0.0))
    clash = art.Clash(figure, [art.Obstacle("wall", Cuboid(0.1, 3.0, 3.0), wall)], shapes=shapes)
    carrier = art.Carrier(figure, "flange", r3().camera, clash=clash)
    pilot = art.Pilot(carrier, R3_START)
    log = Log(pilot)
    for _ in range(700):
        log.go(np.concatenate([pilot.X_WC[:3, :3].T @ (0.5, 0.0, 0.0), np.zeros(3)]))
        assert float(clash.distance(carrier.posture(log.q[-1]))) > 0.0
    log.check_limits()
    assert log.states[-1] == STOPPED
    assert log.kinds[-1] == "clash"
    assert "would strike wall" in pilot.reason(10 * 64)
    for _ in range(200):
        log.go(np.concatenate([pilot.X_WC[:3, :3].T @ (-0.3, 0.0, 0.0), np.zeros(3)]))
    assert log.states[-1] == FOLLOWS


def test_an_arm_that_is_pushed_on_comes_no_nearer_than_its_margin() -> None:
    room = files("articulata.world.library") / "rooms" / "inspection_cell.art"
    cell = art.setting_of(art.parse(room.read_text("utf-8")).requests[0])
    assert cell.carrier is not None
    assert cell.carrier.clash is not None
    pilot = art.Pilot(cell.carrier, cell.q, steering=art.Steering(look=True))
    rng, q, report = np.random.default_rng(1), [], (0.0,) * 6
    for k in range(5000):
        if k % 200 == 0:
            report = tuple(rng.uniform(-0.7, 0.7, 6).tolist())
        q.append(pilot.tick(report, target=cell.target).q)
    least = cell.carrier.clash.clearances(cell.carrier.posture(np.array(q[::2]))).distance.min()
    assert 0.005 <= least < 0.006


def test_one_posture_at_a_time_is_as_far_as_in_a_batch() -> None:
    figure = art.figure("manutec_r3")
    shapes = {name: list(parts) for name, parts in bones(figure).items()}
    wall = np.eye(4)
    wall[:3, 3] = (0.9, 0.5, 0.0)
    clash = art.Clash(figure, [art.Obstacle("wall", Cuboid(0.1, 3.0, 3.0), wall)], shapes=shapes)
    carrier = art.Carrier(figure, "flange", clash=clash)
    probe = ClashProbe(clash, carrier.coordinates, figure.neutral)
    q = np.random.default_rng(2).uniform(-1.5, 1.5, (40, 6))
    found = clash.clearances(carrier.posture(q))
    for k in range(len(q)):
        assert probe.distance(q[k], 9.0) == float(found.distance[k])
        assert probe.names == found.names(k)


def test_a_scaled_robot_moves_the_camera_by_its_scale() -> None:
    figure = art.figure("camera_robot")
    carrier = art.Carrier(figure, "flange", scale=2.0, speeds=2.0, accelerations=10.0)
    pilot = art.Pilot(carrier, START_2011)
    before, X = pilot.q, pilot.X_WC
    for _ in range(100):
        tick = pilot.go(np.array([0.2, 0, 0, 0, 0, 0]))
    moved = tick.X_WC[:3, 3] - X[:3, 3]
    arm = carrier.chain.tip(tick.q)[:3, 3] - carrier.chain.tip(before)[:3, 3]
    np.testing.assert_allclose(moved, 2.0 * arm, atol=1e-12)


def test_what_cannot_be_begun_is_refused() -> None:
    with pytest.raises(KinematicsError, match="6 finite values"):
        art.Pilot(r3(), np.zeros(5))
    with pytest.raises(KinematicsError, match="limits of joint 'u6'"):
        art.Pilot(arm_2011(), np.radians([0, 0, 0, 0, 0, 130.0]))
    far = np.eye(4)
    far[:3, 3] = (0, 0, 9.0)
    with pytest.raises(KinematicsError, match="farther out"):
        start_at(arm_2011(), far)
    with pytest.raises(KinematicsError, match="scale"):
        art.Carrier(art.figure("camera_robot"), "flange", scale=0.0)
    with pytest.raises(KinematicsError, match="six or seven"):
        art.Carrier(art.figure("planar_4_2_1"), next(iter(art.figure("planar_4_2_1").chains)))


def test_start_at_finds_a_posture_that_holds_the_camera_there() -> None:
    X = arm_2011().view(START_2011)
    q = start_at(arm_2011(), X, near=START_2011 + 0.1)
    np.testing.assert_allclose(q, START_2011, atol=1e-9)


def test_a_tick_is_short() -> None:
    """The figures of the machine stand in the benchmarks; this is ten times as long as them."""
    pilot = art.Pilot(r3(), R3_START)
    took = []
    for k in range(400):
        begun = time.thread_time()
        pilot.tick((0.3, -0.2, 0.1 * np.sin(0.1 * k), 0.2, 0.3, 0.1))
        took.append(time.thread_time() - begun)
    assert np.median(took) < 1e-3


def test_a_view_that_cannot_turn_on_does_not_hold_the_camera() -> None:
    room = files("articulata.world.library") / "rooms" / "inspection_cell.art"
    cell = art.setting_of(art.parse(room.read_text("utf-8")).requests[0])
    assert cell.carrier is not None
    efforts = np.array([308.0, 631.0, 439.0, 88.0, 153.0, 31.0])
    carrier = replace(cell.carrier, efforts=efforts, jerks=300.0)
    pilot = art.Pilot(carrier, cell.q, steering=art.Steering(look=True))
    rng, still, longest, report = np.random.default_rng(1), 0, 0, (0.0,) * 6
    for k in range(3200):
        if k % 200 == 0:
            report = tuple(rng.uniform(-0.7, 0.7, 6).tolist())
        before = pilot.q
        pilot.tick(report, target=cell.target)
        still = still + 1 if np.abs(pilot.q - before).max() < 1e-9 else 0
        longest = max(longest, still)
    assert longest < 400


def test_states_have_words() -> None:
    assert STATES == ("follows", "slowed", "passes", "brakes", "rests", "stopped", "changes")
