"""VMC in: bones of an avatar, as bytes of the protocol, drive a person's trunk, arms and head."""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from articulata.analyses.track.calibration import drawn_in
from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.analyses.track.tracker import Tracker
from articulata.devices.known_devices import makers
from articulata.devices.orientation.osc_trackers import VMC_PORT, VmcBones
from articulata.errors import ArticulataError
from articulata.kinematics.library import figure
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS, TrackedPosture
from articulata.sessions.track.person import Steadying
from articulata.sessions.track.sample_sources import opened
from articulata.world.requests.choices import DeviceChoice
from avatar_bones import CHAIN, bone, frame, globals_of, product, turn
from mutations import COUNTS, mutated
from osc_bytes import bundled, written

ROLE = {"r": "Right", "l": "Left"}
IN_UNITY = np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
"""Directions of the figure person (x to its left, y up, z ahead) in Unity's frame."""


@contextmanager
def performer() -> Iterator[tuple[VmcBones, socket.socket, tuple[str, int]]]:
    with VmcBones(0) as device, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        yield device, sender, ("127.0.0.1", device.port)


def heard(device: VmcBones, count: int, limit: float = 3.0) -> list[Sample]:
    found: list[Sample] = []
    end = time.monotonic() + limit
    while len(found) < count and time.monotonic() < end:
        found += device.read(0.05)
    return found


def solved(body: TrackedBody, samples: Sequence[Sample]) -> TrackedPosture:
    calibration = drawn_in(body, STATIONS, "t_pose")
    steadying = Steadying(body, STATIONS, wanted=False, bones=True)
    steadying.begin(calibration)
    tracker = Tracker(body, STATIONS, calibration, None)
    return tracker.step(tracker.start(), steadying.samples(samples))[1]


def seen(body: TrackedBody, posture: TrackedPosture) -> dict[str, np.ndarray]:
    """How limbs of the figure are turned since the T posture, in Unity's frame."""
    before = body.figure.poses(body.posture("t_pose"))[:, :3, :3]
    after = body.figure.poses(posture.q)[:, :3, :3]
    w, x, y, z = posture.q_WF
    trunk = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert body.neck is not None
    links = {"Head": body.neck.head}
    for side, arm in zip(body.sides, body.arms.each, strict=True):
        for part, link in zip(("UpperArm", "LowerArm", "Hand"), arm.links, strict=True):
            links[ROLE[side] + part] = link
    turns = {name: trunk @ after[k] @ before[k].T for name, k in links.items()} | {"Chest": trunk}
    return {name: IN_UNITY @ R @ IN_UNITY for name, R in turns.items()}


def apart(A: np.ndarray, B: np.ndarray) -> float:
    return float(np.degrees(np.linalg.norm(A - B) / math.sqrt(2)))


def by_chance(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Bones of a person: elbows bend alone, palms turn in the hands' bones."""
    free = {name: turn(rng.normal(size=3), rng.uniform(0, 35)) for name in CHAIN}
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        free[f"{side}Shoulder"] = np.array((0.0, 0.0, 0.0, 1.0))
        # lowered: out to the side the figure's shoulder is singular, and is held to 0.45 deg
        down = turn((0, 0, sign), rng.uniform(40, 70))
        free[f"{side}UpperArm"] = product(down, free[f"{side}UpperArm"])
        # palms down, an elbow bends forward: the right one about -y of a left-handed frame
        free[f"{side}LowerArm"] = turn((0, sign, 0), rng.uniform(5, 100))
    return free


def test_bones_drive_trunk_arms_and_head() -> None:
    body, rng = tracked_body(figure("person")), np.random.default_rng(36)
    with performer() as (device, sender, to):
        for _ in range(12):
            bones, root = by_chance(rng), turn((0.2, 1, 0), rng.uniform(-170, 170))
            expected = globals_of(bones, root)
            parts = frame(bones, root)
            for several in (parts[:7], parts[7:]):  # a frame in two datagrams
                sender.sendto(bundled(several), to)
            samples = heard(device, 8)
            assert sorted(sample.station for sample in samples) == list(range(1, 9))
            posture = solved(body, samples)
            found = seen(body, posture)
            for name in ("Chest", "Head", "RightUpperArm", "LeftUpperArm", "RightHand", "LeftHand"):
                assert apart(found[name], expected[name]) < 0.01, name
            for side in ("Right", "Left"):
                along = found[f"{side}LowerArm"][:, 0] - expected[f"{side}LowerArm"][:, 0]
                assert np.degrees(np.linalg.norm(along)) < 0.01
            np.testing.assert_allclose(posture.left, 0.0, atol=np.radians(0.01))


def test_a_right_arm_forward_is_a_right_arm_forward() -> None:
    """By hand: the upper arm turned forward in Unity, the figure's hand lies ahead of it."""
    body = tracked_body(figure("person"))
    with performer() as (device, sender, to):
        sender.sendto(bundled(frame({"RightUpperArm": turn((0, 1, 0), -90)})), to)
        posture = solved(body, heard(device, 8))
    X = body.figure.poses(posture.q)
    right = body.arms.each[body.sides.index("r")]
    along = X[right.hand, :3, 3] - X[right.upper, :3, 3]
    np.testing.assert_allclose(along / np.linalg.norm(along), (0.0, 0.0, 1.0), atol=1e-6)


def test_what_an_elbow_cannot_do_is_told() -> None:
    """A forearm's bone that swings sideways by 20 deg leaves 20 deg over at an elbow of two."""
    body = tracked_body(figure("person"))
    bones = {"RightUpperArm": turn((0, 0, 1), -20), "RightLowerArm": turn((0, 0, 1), 20)}
    with performer() as (device, sender, to):
        sender.sendto(bundled(frame(bones)), to)
        posture = solved(body, heard(device, 8))
    left = np.degrees(np.abs(posture.left))
    row = body.sides.index("r")
    assert left[row, 0] == pytest.approx(20.0, abs=0.01)
    assert left[1 - row].max() < 0.01


def test_frames_are_whole_whatever_datagrams_they_come_in() -> None:
    one, other = {"Head": turn((0, 1, 0), 10)}, {"Head": turn((0, 1, 0), 20)}
    with performer() as (device, sender, to):
        sender.sendto(bundled(frame(one) + frame(other)), to)  # two frames at once
        assert len(heard(device, 16)) == 16
        for message in frame(one):  # each message alone
            sender.sendto(message, to)
        assert len(heard(device, 8)) == 8
        assert device.read(0.05) == []
        report = device.report()
        assert report.samples == 24
        assert (report.trouble, report.damaged) == ("", {})
        # an assistant tells a head alone: nothing is said of arms
    with performer() as (device, sender, to):
        sender.sendto(bone("Head", turn((0, 1, 0), 10)), to)
        assert [sample.station for sample in heard(device, 1)] == [1]


def test_a_performer_without_an_avatar_and_strangers_are_told() -> None:
    with performer() as (device, sender, to):
        sender.sendto(bundled(frame({})), to)
        heard(device, 8)
        sender.sendto(written("/VMC/Ext/OK", "i", 0), to)
        sender.sendto(bone("Head", np.zeros(4)), to)
        sender.sendto(written("/VMC/Ext/Bone/Pos", "sff", "Head", 1.0, 2.0), to)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.sendto(bundled(frame({})), to)
            assert device.read(0.1) == []
        report = device.report()
        assert "no avatar is loaded" in report.told
        assert "1 datagrams of others left out" in report.told
        assert sum(report.damaged.values()) == 2


def test_a_performer_of_another_machine_is_heard_where_that_is_said() -> None:
    for host, hinted in (("127.0.0.1", True), ("0.0.0.0", False)):
        with VmcBones(0, host=host) as device:
            time.sleep(1.05)
            trouble = device.report().trouble
            assert "let the performer send VMC here" in trouble
            assert ("--listen 0.0.0.0 hears other machines" in trouble) == hinted


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_end_in_samples_or_in_counts(count: int) -> None:
    bones = by_chance(np.random.default_rng(1))
    parts = frame(bones)
    seeds = [bundled(parts), bundled(parts[:5]), *parts[2:6]]
    device, samples = VmcBones(), 0
    for number, data in enumerate(mutated(seeds, count)):
        for sample in device.take(data, ("127.0.0.1", 50000 + number // 1000), 0.01 * number):
            assert abs(math.hypot(*sample.q) - 1.0) < 1e-9
            samples += 1
    assert samples > 0.02 * count
    assert len(device.report().damaged) <= 5
    assert len(device._turns) <= 20


def test_our_port_is_where_performers_send_to() -> None:
    assert VMC_PORT == 39539
    found = opened((DeviceChoice("vmc"),))
    assert found.bones
    assert found.devices[0].name == "vmc 39539"
    with pytest.raises(ArticulataError, match=r"give vmc:39539, or vmc:0\.0\.0\.0:39539"):
        makers()["vmc"]("0")
    with pytest.raises(ArticulataError, match="tell a whole person: name one alone"):
        opened((DeviceChoice("vmc"), DeviceChoice("udp", "9000")))
