"""VMC and VRChat out: independent receivers rebuild joint angles, places and turns."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import playwright
import pytest
from scipy.spatial.transform import Rotation as ScipyRotation

from articulata.analyses.track.humanoid_bones import HumanoidBones
from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.kinematics.library import figure
from articulata.network.osc_sender import (
    LARGEST,
    AvatarPort,
    datagrams,
    unity_euler,
    vmc_messages,
    vrchat_messages,
)
from articulata.records.networked import PARENTS
from articulata.records.tracking import TrackedPosture
from avatar_bones import matrix
from osc_bytes import parsed

PERSON = tracked_body(figure("person"))


def posture(q: Array, turn: Sequence[float] | Array = (1.0, 0.0, 0.0, 0.0)) -> TrackedPosture:
    base = np.concatenate([turn, (0.3, 0.0, -0.2)])
    return TrackedPosture(2.5, q, base, np.zeros((2, 11)), ())


def by_chance(rng: np.random.Generator, body: TrackedBody = PERSON) -> Array:
    """A posture within 80 deg of where each joint is at 0, elbows bent."""
    q = rng.uniform(-0.4, 0.4, len(body.rest))
    for arm in body.arms.each:
        q[arm.columns] = rng.uniform(-1.3, 1.3, 7)
        q[arm.columns[3]] = rng.uniform(0.3, 1.5)
    return q


def turn_by_chance(rng: np.random.Generator) -> Array:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def axes_of(columns: Array) -> list[list[float]]:
    """The axes of an arm's joints where all are at 0, by turning each a little."""
    figure, found = PERSON.figure, []
    links = {figure.coordinate(joint.name): k for k, joint in enumerate(figure.joints)
             if joint.name in figure.names}  # fmt: skip
    for column in columns.tolist():
        q = np.zeros(len(PERSON.rest))
        before = figure.poses(q)[links[column], :3, :3]
        q[column] = 0.5
        step = figure.poses(q)[links[column], :3, :3] @ before.T
        vector = ScipyRotation.from_matrix(step).as_rotvec()
        found.append((vector / np.linalg.norm(vector)).tolist())
    return found


NODE = Path(playwright.__file__).with_name("driver") / "node"
"""Node.js, as the package that drives the browsers of other tests brings it."""


def test_a_receiver_in_javascript_rebuilds_the_angles_of_both_arms() -> None:
    rng = np.random.default_rng(36)
    at_t = PERSON.posture("t_pose")
    columns = dict(zip(PERSON.sides, PERSON.columns, strict=True))
    arms = {
        name: {"axes": axes_of(columns[side]), "atT": at_t[columns[side]].tolist()}
        for side, name in (("r", "Right"), ("l", "Left"))
    }
    script = Path(__file__).with_name("vmc_receiver.js")
    for _ in range(3):
        q, turn = by_chance(rng), turn_by_chance(rng)
        with subprocess.Popen(
            [str(NODE), str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as receiver:
            assert receiver.stdin is not None
            assert receiver.stdout is not None
            receiver.stdin.write(json.dumps({"arms": arms}))
            receiver.stdin.close()
            port = int(receiver.stdout.readline())
            with AvatarPort("vmc", "127.0.0.1", port) as sender:
                sender.send(HumanoidBones(PERSON).at(posture(q, turn)))
                found = json.loads(receiver.stdout.readline())
            assert receiver.wait(timeout=20.0) == 0
        for side, name in (("r", "Right"), ("l", "Left")):
            np.testing.assert_allclose(
                np.degrees(found[name]), np.degrees(q[columns[side]]), atol=0.01
            )


def test_bones_put_together_are_where_the_figures_joints_are() -> None:
    """Local places and turns, composed by a receiver of its own, against the figure's poses."""
    rng = np.random.default_rng(3)
    q, turn = by_chance(rng), turn_by_chance(rng)
    told = dict.fromkeys(PARENTS, (np.zeros(3), np.eye(3)))
    for data in datagrams(vmc_messages(HumanoidBones(PERSON).at(posture(q, turn)))):
        assert len(data) <= LARGEST
        for address, values in parsed(data):
            if address == "/VMC/Ext/Bone/Pos":
                told[values[0]] = np.array(values[1:4]), matrix(np.array(values[4:]))
    scene: dict[str, tuple[Array, Array]] = {"": (np.zeros(3), np.eye(3))}
    for bone, parent in PARENTS.items():
        p, R = scene[parent]
        scene[bone] = p + R @ told[bone][0], R @ told[bone][1]
    w, x, y, z = turn
    R_WF = ScipyRotation.from_quat((x, y, z, w)).as_matrix()
    X = PERSON.figure.poses(q)
    # soles stand on the ground, 0.898 m below the hips of this person
    sole = PERSON.figure.landmark(PERSON.posture("t_pose"), "l_sole")[1, 3]
    for bone, link in (("Head", 9), ("LeftLowerArm", 15), ("LeftHand", 17), ("RightHand", 26),
                       ("RightFoot", 38), ("Chest", 6)):  # fmt: skip
        x, y, z = R_WF @ X[link, :3, 3] + (0.3, 0.0, -0.2)
        np.testing.assert_allclose(scene[bone][0], (-x, y - sole, z), atol=2e-6, err_msg=bone)


def test_trackers_of_vrchat_tell_places_and_turns() -> None:
    """Turned back by SciPy: about z, then x, then y, in a mirrored frame."""
    rng = np.random.default_rng(8)
    q, turn = by_chance(rng), turn_by_chance(rng)
    bones = HumanoidBones(PERSON).at(posture(q, turn))
    told: dict[str, list[float]] = {}
    for data in datagrams(vrchat_messages(bones)):
        told |= dict(parsed(data))
    trackers = [*map(str, range(1, 9)), "head"]
    assert sorted(told) == sorted(
        f"/tracking/trackers/{t}/{what}" for t in trackers for what in ("position", "rotation")
    )
    w, x, y, z = turn
    R_WF = ScipyRotation.from_quat((x, y, z, w)).as_matrix()
    X = PERSON.figure.poses(q)
    before = PERSON.figure.poses(PERSON.posture("t_pose"))
    mirror = np.diag((-1.0, 1.0, 1.0))
    for tracker, link in (("7", 14), ("8", 23), ("5", 30), ("4", 39), ("2", 6), ("head", 9)):
        R = mirror @ R_WF @ X[link, :3, :3] @ before[link, :3, :3].T @ mirror
        rx, ry, rz = told[f"/tracking/trackers/{tracker}/rotation"]
        found = ScipyRotation.from_euler("YXZ", (ry, rx, rz), degrees=True).as_matrix()
        np.testing.assert_allclose(found, R, atol=2e-6, err_msg=tracker)
    elbow = R_WF @ X[24, :3, 3] + (0.3, 0.0, -0.2)
    sole = PERSON.figure.landmark(PERSON.posture("t_pose"), "l_sole")[1, 3]
    np.testing.assert_allclose(
        told["/tracking/trackers/8/position"], (-elbow[0], elbow[1] - sole, elbow[2]), atol=2e-6
    )


@pytest.mark.parametrize("x", [90.0, -90.0, 89.9999, 12.0])
def test_angles_straight_up_and_down_turn_the_same(x: float) -> None:
    R = ScipyRotation.from_euler("YXZ", (40.0, x, -25.0), degrees=True).as_matrix()
    rx, ry, rz = unity_euler(R)
    again = ScipyRotation.from_euler("YXZ", (ry, rx, rz), degrees=True).as_matrix()
    np.testing.assert_allclose(again, R, atol=1e-8)


def test_frames_leave_at_the_stated_rate_and_nobody_is_told() -> None:
    now = [0.0]
    frame = HumanoidBones(PERSON).at(posture(PERSON.rest))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        port = receiver.getsockname()[1]
        with AvatarPort("vmc", "127.0.0.1", port, rate=60.0, clock=lambda: now[0]) as sender:
            sent = 0
            for k in range(1000):  # 10 s of 100 postures a second
                now[0] = 5.0 + 0.01 * k
                sent += sender.due()
            assert 598 <= sent <= 602
            sender.send(frame)
            assert len(receiver.recv(65536)) <= LARGEST
            assert sender.report().told == "1 frames sent, 60 a second at most"
    with AvatarPort("vrchat", "127.0.0.1", port) as sender:
        for _ in range(20):
            sender.send(frame)
        assert f"nobody hears vrchat://127.0.0.1:{port}" in sender.report().notice
    with pytest.raises(ArticulataError, match="cannot be sent to"), AvatarPort("vmc", "no.x", 9):
        pass
