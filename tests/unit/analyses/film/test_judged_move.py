"""Verdicts of recorded moves, and moves slowed until the arm can carry them."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import articulata as art
from articulata.analyses.film.judged_move import Carrying, _unchecked
from articulata.analyses.film.pilot import start_at
from articulata.analyses.film.reasons import margins
from articulata.analyses.film.takes import Take
from articulata.errors import KinematicsError
from articulata.geometry.camera_motion import moved
from articulata.records.camera_moves import VERDICTS
from camera_arms import R3_START, START_2011, arm_2011, r3, tip_2011, wrist_2011


@cache
def move(speed: float = 1.0) -> art.CameraMove:
    """Two seconds of 25 frames, from a posture of the arm; ``speed`` times as fast."""
    t = np.arange(51)[:, None] / 50
    wave = np.hstack([np.sin(2 * np.pi * t + k) for k in range(6)])
    twists = wave * (0.35, 0.3, 0.3, 0.3, 0.25, 0.4)
    X = arm_2011().view(START_2011)
    return art.CameraMove(moved(X, twists, 0.04), 25 * speed)  # type: ignore[arg-type]


def test_a_slow_move_follows_frame_by_frame() -> None:
    verdict = art.judge(move(0.5), arm_2011())
    assert verdict.follows
    assert set(verdict.reasons) == {""}
    for q, X in zip(verdict.q, verdict.move.X_WC, strict=True):
        np.testing.assert_allclose(tip_2011(q), X, atol=1e-9)
    assert "frames follow" in str(verdict)
    assert verdict.branch in str(verdict)


def test_a_fast_move_names_the_joint_and_the_limit() -> None:
    fast = move(6.0)
    verdict = art.judge(fast, arm_2011())
    assert not verdict.follows
    assert {"speed", "acceleration"} >= {kind for kind in verdict.kinds if kind}
    # by differences of the postures of the frames alone
    rates = np.abs(np.diff(verdict.q, axis=0)) * float(fast.rate)
    for k in np.flatnonzero((rates > 2.05).any(axis=1)).tolist():
        assert verdict.state[k] or verdict.state[k + 1]
    good = (verdict.state[1:] == 0) & (verdict.state[:-1] == 0)
    assert (rates[good] <= 2.0 + 1e-6).all()


def test_what_is_asked_is_told_beside_each_limit_that_is_passed_or_lacks() -> None:
    bare = replace(arm_2011(), accelerations=np.inf)
    verdict = art.judge(move(6.0), bare)
    # by a spline through the postures of the frames alone
    course = CubicSpline(verdict.move.times, verdict.q)
    fine = np.linspace(0.0, verdict.move.duration, 2001)
    rates, changes = np.abs(course(fine, 1)).max(axis=0), np.abs(course(fine, 2)).max(axis=0)
    for why in filter(None, verdict.reasons):
        found = re.fullmatch(r"speed of (u\d): at most 2 rad/s, (.*) asked", why)
        assert found
        assert 2.0 < float(found[2]) < 1.01 * rates[bare.chain.names.index(found[1])]
    (lacking,) = (each for each in verdict.unchecked if each.startswith("accelerations"))
    found = re.fullmatch(
        r"accelerations of all joints: no limit is given, (.*) rad/s\^2 asked of (u\d); "
        r"write proposed: (limits\(acceleration: (\d+) rad/s\^2\))",
        lacking,
    )
    assert found
    assert found[2] == bare.chain.names[int(changes.argmax())]
    asked, written = float(found[1]), float(found[4])
    assert asked == pytest.approx(changes.max(), rel=0.05)
    assert asked <= written < asked + 0.1 * asked
    enough = art.judge(move(6.0), replace(bare, accelerations=written))
    assert {*enough.kinds} == {*verdict.kinds}


def test_a_slide_is_told_that_its_limit_counts_in_metres() -> None:
    arm = art.figure("camera_robot")
    rail = art.Joint("rail", "prismatic", limits=(-3.0, 3.0))
    figure = art.Figure([rail, *arm.joints], [-1, *(p + 1 for p in arm.parents)], name="railed")
    bare = art.Carrier(figure, arm.joints[-1].name, r3().camera, speeds=2.0)
    t = np.arange(101) * 0.01
    q = np.zeros((101, 7))
    q[:, 0] = 0.7 * t**2  # m: 1.4 m/s^2
    none = np.zeros(101, int)
    told = _unchecked(Carrying(t, np.zeros((101, 4, 4)), q, none, none), bare)
    (lacking,) = (each for each in told if each.startswith("accelerations"))
    assert ", 1.4 m/s^2 asked of rail; " in lacking
    assert lacking.endswith("rad/s^2), which stands for m/s^2 where a joint slides")


def test_slowing_keeps_the_path_and_the_limits() -> None:
    fast = move(6.0)
    carried = art.slowed(fast, arm_2011())
    arm = arm_2011().arm
    assert carried.times[-1] > fast.duration
    assert (np.abs(carried.rates) <= arm.speeds * (1 + 1e-9)).all()
    assert (np.abs(carried.accelerations) <= arm.accelerations * (1 + 1e-9)).all()
    path = art.CameraPath.through(fast.times, fast.X_WC)
    for k in range(0, len(carried.times), 20):
        due = path.at(carried.path_times[k])[0]
        np.testing.assert_allclose(tip_2011(carried.q[k]), due, atol=1e-9)
    np.testing.assert_allclose(carried.X_WC[-1], fast.X_WC[-1], atol=1e-9)
    assert carried.slowest < 1.0


def test_slowing_keeps_limits_of_jerk_on_the_same_path() -> None:
    arm = arm_2011()
    gentle = replace(arm, jerks=80.0)
    fast = move(4.0)
    carried = art.slowed(fast, gentle)
    third = np.diff(carried.q, 3, axis=0) / carried.times[1] ** 3
    assert np.abs(third).max() <= 80.0
    assert (np.abs(carried.rates) <= arm.speeds * (1 + 1e-9)).all()
    assert (np.abs(carried.accelerations) <= arm.accelerations * (1 + 1e-9)).all()
    rough = art.slowed(fast, arm)
    assert np.abs(np.diff(rough.q, 3, axis=0)).max() / rough.times[1] ** 3 > 800.0
    assert rough.times[-1] < carried.times[-1] < 2.5 * rough.times[-1]
    path = art.CameraPath.through(fast.times, fast.X_WC)
    due = path.at(carried.path_times)[::20]
    reached = np.array([tip_2011(q) for q in carried.q[::20]])
    assert np.abs(reached - due).max() < 1e-6
    np.testing.assert_allclose(carried.path_times[[0, -1]], (0.0, fast.duration), atol=1e-12)
    assert not any("jerk" in each for each in gentle.unchecked)


def test_a_frame_whose_jerk_is_beyond_its_limit_is_too_fast() -> None:
    slow = move(0.5)
    assert art.judge(slow, arm_2011()).follows
    verdict = art.judge(slow, replace(arm_2011(), jerks=3.0))
    # by differences of our own, four times as fine
    path = art.CameraPath.through(slow.times, slow.X_WC)
    known = {"follows": 0, "too fast": 0}
    for k in range(1, len(slow.X_WC) - 1, 3):
        t = slow.times[k] + 1e-3 * np.array((-1.5, -0.5, 0.5, 1.5))
        q = np.array([start_at(arm_2011(), X, verdict.q[k]) for X in path.at(t)])
        worst = np.abs(np.diff(q, 3, axis=0)).max() / 1e-9
        state = VERDICTS[verdict.state[k]]
        if state == "follows":
            assert worst <= 3.0 * 1.05
        known[state] += 1
        assert state == "follows" or verdict.kinds[k] == "jerk"
    assert min(known.values()) > 0
    assert any("jerk of u" in why for why in verdict.reasons)


def test_a_rehearsal_goes_the_same_path_at_a_fraction() -> None:
    carried = art.slowed(move(), arm_2011(), fraction=0.25)
    assert carried.times[-1] >= 4.0 * move().duration
    assert np.diff(carried.path_times).max() <= 0.25 * 0.004 * (1 + 1e-9)


def test_what_is_out_of_reach_says_which_end_of_the_arm() -> None:
    X = arm_2011().view(START_2011)
    for way, kind in (((0.0, 0.3, 3.0), "outer boundary"), (None, "dead zone")):
        goal = X.copy()
        if way is None:
            goal[1:3, 3] -= wrist_2011(START_2011)[1:]
        else:
            goal[:3, 3] += way
        share = np.linspace(0, 1, 60)[:, None]
        frames = np.tile(X, (60, 1, 1))
        frames[:, :3, 3] += share * (goal[:3, 3] - X[:3, 3])
        verdict = art.judge(art.CameraMove(frames, 10), arm_2011())  # type: ignore[arg-type]
        lost = [k for k in range(60) if verdict.state[k] == 2]
        assert lost
        assert verdict.kinds[lost[-1]] == kind
        for k in lost[1:-1]:  # a frame at the border answers for instants beside it
            assert not np.isfinite(verdict.q[k]).all()
        (end,) = {verdict.reasons[k] for k in lost[1:]}
        assert f"(frame {lost[-1] if way else lost[1]}" in end or way is None
        off = re.search(
            r"off by up to ([\d.]+) mm and ([\d.]+) deg .*: (bring|keep) the camera", end
        )
        assert off is not None
        if way is not None:  # as far as the wrist's centre is beyond the stretched arm, or more
            beyond = -1e3 * margins(arm_2011(), arm_2011().in_base(goal[None])[0]).outer  # type: ignore[union-attr]
            assert 0.9 * beyond < float(off[1]) < 1.2 * beyond
        with pytest.raises(KinematicsError, match="no speed is slow enough"):
            art.slowed(verdict.move, arm_2011())


def test_what_no_posture_of_an_arm_with_three_parallel_axes_meets_says_how_far_it_is() -> None:
    text = """
    figure arm {
      chain main: standard table {
        j1: revolute(d: 10 cm, alpha: 90 deg)
        j2: revolute(a: -40 cm)
        j3: revolute(a: -40 cm)
        j4: revolute(alpha: 90 deg)
        j5: revolute(d: 10 cm, alpha: -90 deg)
        j6: revolute()
      }
      landmarks { flange: j6 }
    }
    """
    carrier = art.Carrier(art.figure(art.parse(text), "arm"), "flange", speeds=2, accelerations=8)
    # the tip comes no farther than 0.9 m from the shoulder, which stands 0.1 m high
    X = carrier.view(np.zeros(6))
    frames = np.tile(X, (11, 1, 1))
    frames[:, 0, 3] -= np.linspace(0.2, 0.4, 11)
    move = art.CameraMove(frames, 10)  # type: ignore[arg-type]
    verdict = art.judge(move, carrier)
    assert set(verdict.kinds) == {"outer boundary"}
    (why,) = set(verdict.reasons)
    assert why.startswith("too far: out of the arm's reach; the nearest posture is up to ")
    least = 1e3 * (np.linalg.norm(frames[-1, :3, 3] - (0.0, 0.0, 0.1)) - 0.9)
    assert least < float(why.split()[-3]) < least + 10.0
    with pytest.raises(KinematicsError, match="too far: out of the arm's reach"):
        art.slowed(move, carrier)


def test_a_start_chooses_the_branch() -> None:
    branches = arm_2011().chain.all_inverse(move().X_WC[0])
    kept = branches.q[branches.within]
    for q in kept[:2]:
        verdict = art.judge(move(0.5), arm_2011(), start=q)
        np.testing.assert_allclose(verdict.q[0], q, atol=1e-9)


def test_an_arm_of_seven_joints_is_judged_and_slowed() -> None:
    rows = [(0.34, -1), (0.0, 1), (0.4, 1), (0.0, -1), (0.4, -1), (0.0, 1), (0.126, 0)]
    joints = [
        art.DH(name=f"a{k}", d=d, alpha=s * np.pi / 2, limits=(-2.9, 2.9))
        for k, (d, s) in enumerate(rows)
    ]
    chain = art.Chain.standard_dh(joints)
    figure = art.Figure(
        chain.joints, range(-1, 6), name="seven", landmarks={"tip": art.Landmark("a6")}
    )
    carrier = art.Carrier(figure, "tip", speeds=1.5, accelerations=8.0)
    q0 = np.array([0.2, 0.7, 0.1, -1.2, 0.3, 0.9, 0.0])
    twists = np.tile((0.1, 0.05, -0.1, 0.1, 0.2, 0.1), (40, 1))
    frames = moved(carrier.view(q0), twists, 0.04)
    recorded = art.CameraMove(frames, 25)  # type: ignore[arg-type]
    verdict = art.judge(recorded, carrier, start=q0)
    assert (verdict.state != 2).all()
    carried = art.slowed(recorded, carrier, start=q0)
    np.testing.assert_allclose(chain.tip(carried.q[-1]), frames[-1], atol=1e-9)
    assert (np.abs(carried.accelerations) <= 8.0 * (1 + 1e-9)).all()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(KinematicsError, match="finite values"):
        art.judge(move(), arm_2011(), start=[0.0])
    with pytest.raises(KinematicsError, match="share of the speed"):
        art.slowed(move(), arm_2011(), fraction=0.0)


def heavy(torque: float) -> art.Carrier:
    """The published r3, whose joints are as strong as is said here."""
    return art.Carrier(art.figure("manutec_r3"), "flange", r3().camera, efforts=torque)


def swing(carrier: art.Carrier, speed: float) -> art.CameraMove:
    t = np.arange(26)[:, None] / 25
    twists = np.sin(2 * np.pi * t) * (0.0, 0.25, 0.1, 0.0, 0.0, 0.0)
    frames = moved(carrier.view(R3_START), twists, 0.04)
    return art.CameraMove(frames, 25 * speed)  # type: ignore[arg-type]


def test_torques_are_those_of_inverse_dynamics_and_slow_a_move() -> None:
    carrier = heavy(1500.0)
    move = swing(carrier, 1.0)
    verdict = art.judge(move, carrier, start=R3_START)
    weak = heavy(float(verdict.torque.max()) * 1500.0 * 0.96)
    told = art.judge(move, weak, start=R3_START)
    assert verdict.torque.max() < 1.0 < told.torque.max()
    assert "torque" in told.kinds
    assert "torque of r2: at most" in str(told)
    carried = art.slowed(move, weak, start=R3_START)
    assert carried.times[-1] > move.duration
    # by Statics alone, from differences
    needed = art.Statics(weak.figure).inverse_dynamics(
        carried.q, carried.rates, carried.accelerations
    )
    assert (np.abs(needed) <= weak.efforts).all()
    with pytest.raises(KinematicsError, match="would hold"):
        art.slowed(move, heavy(100.0), start=R3_START)


def test_a_joint_that_may_not_move_carries_nothing() -> None:
    with pytest.raises(KinematicsError, match="more than 0"):
        art.Carrier(art.figure("manutec_r3"), "flange", speeds=0.0)


def test_a_flight_along_the_end_of_a_joint_is_carried() -> None:
    figure = art.figure("manutec_r3")
    ends = [
        replace(joint, limits=(R3_START[2], 3.0)) if joint.name == "r3" else joint
        for joint in figure.joints
    ]
    carrier = art.Carrier(
        art.Figure(ends, figure.parents, name="r3", landmarks=figure.landmarks), "flange"
    )
    pilot, take = art.Pilot(carrier, R3_START), Take(0.004)
    # about the first axis: the others stay, the third of them at its end
    R = pilot.X_WC[:3, :3]
    about = (carrier.chain.jacobian(R3_START)[:, 0].reshape(2, 3) @ R).ravel()
    for k in range(150):
        take.note(pilot, pilot.go(about * (0.8 if k < 100 else 0.1)))
    np.testing.assert_allclose(take.q[:, 1:], take.q[:1, 1:].repeat(150, axis=0), atol=1e-9)
    assert np.ptp(take.q[:, 0]) > 0.2
    assert art.judge(take.move(25), carrier, start=R3_START, path=take.path).follows
    found = art.slowed(take.move(25), carrier, start=R3_START, path=take.path)
    assert (found.q[:, 2] >= R3_START[2]).all()
