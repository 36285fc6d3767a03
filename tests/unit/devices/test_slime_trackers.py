"""SlimeVR's trackers: bytes as the firmware writes them, a server that they find, a person."""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from articulata.analyses.track.calibration import (
    calibrate,
    calibration_of,
    held,
    level,
    own_headings,
)
from articulata.analyses.track.tracked_person import tracked_body
from articulata.analyses.track.tracker import Tracker
from articulata.devices.known_devices import makers
from articulata.devices.orientation.sensor_readings import NoReading
from articulata.devices.orientation.slime_trackers import SlimeTrackers, Turned, read_packet
from articulata.errors import ArticulataError
from articulata.geometry.rotation import Rotation
from articulata.kinematics.library import figure
from articulata.records.samples import Sample
from articulata.sessions.track.person import Steadying
from mutations import COUNTS, mutated

from .slime_bytes import (
    Sender,
    bundle,
    compact,
    handshake,
    packet,
    rotation_body,
    short_body,
)

LEFT = (0.0, 0.0, math.sin(0.2), math.cos(0.2))
"""Turned to the left by 0.4 rad about what is up: x, y, z, w."""

MAC = bytes.fromhex("3c71bf123456")


def heard(device: SlimeTrackers, count: int, limit: float = 5.0) -> list[Sample]:
    found: list[Sample] = []
    end = time.monotonic() + limit
    while len(found) < count and time.monotonic() < end:
        found += device.read(0.05)
    return found


@contextmanager
def one(stations: dict[str, int] | None = None) -> Iterator[tuple[SlimeTrackers, Sender]]:
    names = {f"{MAC.hex(':')}/0": 2} if stations is None else stations
    with SlimeTrackers(0, stations=names) as device:
        sender = Sender(MAC, ("127.0.0.1", device.port))
        try:
            yield device, sender
        finally:
            sender.socket.close()


def test_every_kind_of_rotation_is_read() -> None:
    w, q = LEFT[3], LEFT
    turned = Turned(1, (w, 0.0, 0.0, q[2]))
    for data in (
        packet(17, 7, rotation_body(1, q)),
        packet(16, 7, struct.pack(">4f", *q)),
        bundle(7, [(4, struct.pack(">3fB", 0.0, 0.0, 9.81, 1)), (17, rotation_body(1, q))]),
        packet(23, 7, short_body(1, q)),
        compact(7, [(23, short_body(1, q))]),
    ):
        number, (said,) = read_packet(data)
        assert number == 7
        assert isinstance(said, Turned)
        assert said.sensor == 1
        np.testing.assert_allclose(said.q, turned.q, atol=2e-5)
    _, (first,) = read_packet(packet(1, 3, struct.pack(">4f", *q)))
    assert isinstance(first, Turned)
    assert first.sensor == 0
    for nothing in (packet(0, 1), packet(1, 0), packet(10, 2, b"\x00\x00\x00\x07"),
                    packet(12, 3, struct.pack(">2f", 3.9, 0.8)),
                    packet(17, 4, rotation_body(0, q, use=2)), packet(999, 5)):  # fmt: skip
        assert read_packet(nothing)[1] == []


@pytest.mark.parametrize(
    "data",
    [
        b"", bytes(11), packet(17, 1, rotation_body(0, LEFT)[:10]), packet(17, 1),
        packet(17, 1, rotation_body(0, (0.0, 0.0, 0.0, 0.0))),
        packet(17, 1, rotation_body(0, (math.nan, 0.0, 0.0, 1.0))),
        packet(23, 1, b"\x00"), packet(15, 1, b"\x00"), packet(100, 1, b"\xff\xff\x00\x00"),
        packet(100, 1, b"\x00"), packet(101, 1, b"\x05\x17"), packet(100, 1, b"\x00\x00" * 9),
        packet(16, 1), packet(101, 1, b"\x00\x00"),
    ],
)  # fmt: skip
def test_what_is_cut_short_or_turned_by_nothing_is_refused(data: bytes) -> None:
    with pytest.raises(NoReading):
        read_packet(data)


def test_a_tracker_finds_its_server_and_is_kept() -> None:
    """What the firmware waits for: an answer, heartbeats, its sensor's state, what is known."""
    with one() as (device, tracker):
        tracker.turn(0, LEFT)  # before it greeted, nobody knows it
        device.read(0.1)
        assert device.report().told == "0 trackers, 1 datagrams of strangers left out"
        tracker.greet()
        device.read(0.05)
        answer = tracker.heard()
        assert len(answer) == 64
        assert answer[:13] == b"\x03Hey OVR =D 5"
        assert tracker.heard() == struct.pack(">IQ", 1, 0)
        tracker.send(packet(15, 1, b"\x01\x01\x09"))
        device.read(0.05)
        assert tracker.heard() == struct.pack(">IBB", 15, 1, 1)
        tracker.send(packet(22, 2, b"\x06"))
        device.read(0.05)
        assert tracker.heard() == struct.pack(">IQB", 22, 0, 3)
        tracker.number = 2
        tracker.turn(0, LEFT)
        tracker.turn(1, LEFT)
        (sample,) = heard(device, 1)
        device.read(0.05)
        assert sample.station == 2
        report = device.report()
        assert report.trouble == ""
        assert report.notice.endswith("nothing is said to sit there: 3c:71:bf:12:34:56/1")


def test_the_frame_is_the_earths_with_z_up() -> None:
    """A tracker that turns left about what is up turns about -z of a frame whose z is down."""
    with one() as (device, tracker):
        tracker.greet()
        tracker.turn(0, (0.0, 0.0, 0.0, 1.0))
        tracker.turn(0, LEFT)
        before, after = (Rotation.from_quaternion(np.array(s.q)) for s in heard(device, 2))
        np.testing.assert_allclose((after @ before.inverse()).log(), (0, 0, -0.4), atol=1e-6)


def test_packets_that_come_twice_or_late_and_strangers_are_counted_and_dropped() -> None:
    with one() as (device, tracker):
        tracker.greet()
        for number in (1, 3, 3, 2, 4):
            tracker.send(packet(17, number, rotation_body(0, LEFT)))
        assert len(heard(device, 4, limit=0.3)) == 3
        stranger = Sender(b"\x01\x02\x03\x04\x05\x06", tracker.to)
        stranger.turn(0, LEFT)
        stranger.send(b"nonsense")
        assert heard(device, 1, limit=0.2) == []
        stranger.socket.close()
        report = device.report()
        assert "2 packets that came twice or late left out" in report.told
        assert "1 datagrams of strangers left out" in report.told
        assert dict(report.damaged) == {"a packet of less than 12 bytes": 1}
        # who restarts begins to count again
        tracker.greet()
        tracker.send(packet(17, 1, rotation_body(0, LEFT)))
        assert len(heard(device, 1)) == 1


def test_no_more_trackers_than_there_is_room_for() -> None:
    with SlimeTrackers(0) as device:
        for number in range(200):
            data = handshake(number.to_bytes(6, "big"))
            device.take(data, ("10.0.0.1", 1000 + number), 1.0)
        for number in range(300):
            body = rotation_body(number % 256, LEFT)
            device.take(packet(17, number + 1, body), ("10.0.0.1", 1000), 1.0)
        assert device.report().told.startswith("32 trackers")
        assert len(device.sensors) == 16
        # a tracker that is gone leaves its room
        device.take(handshake(b"\xff" * 6), ("10.0.0.2", 9), 60.0)
        assert device.report().told.startswith("1 trackers")


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_end_in_samples_or_in_counts(count: int) -> None:
    q = LEFT
    inside = [(17, rotation_body(0, q)), (4, bytes(13)), (23, short_body(1, q))]
    seeds = [
        handshake(MAC), packet(17, 0, rotation_body(0, q)), packet(23, 0, short_body(0, q)),
        packet(1, 7, struct.pack(">4f", *q)), packet(15, 8, b"\x00\x01"), packet(22, 9, b"\x01"),
        packet(0, 0), bundle(10, inside), compact(11, inside),
    ]  # fmt: skip
    device = SlimeTrackers(6969, stations={f"{MAC.hex(':')}/0": 1})
    samples = 0
    for number, data in enumerate(mutated(seeds, count)):
        if number % 50 == 0:
            device.take(handshake(MAC), ("127.0.0.1", 50000), 0.01 * number)
        for sample in device.take(data, ("127.0.0.1", 50000 + number % 2), 0.01 * number):
            assert abs(math.hypot(*sample.q) - 1.0) < 1e-9
            samples += 1
    assert samples > 0.02 * count
    assert len(device.sensors) <= 32 * 16
    assert len(device.report().damaged) <= 5


def test_a_port_that_is_taken_is_told_with_whose_it_is() -> None:
    with one() as (device, _), pytest.raises(ArticulataError, match="SlimeVR's own server does"):
        SlimeTrackers(device.port).open()
    with pytest.raises(ArticulataError, match=r"give slimevr:6969, or slimevr:0\.0\.0\.0:6969"):
        makers()["slimevr"]("0")


def test_trackers_drive_both_arms_and_the_trunk() -> None:
    """Eight trackers, each strapped on as it falls and each with a north of its own."""
    body = tracked_body(figure("person"))
    roles = ("sternum", *(f"{s}_{p}" for s in "rl" for p in ("upper_arm", "forearm", "hand")))
    stations = dict(enumerate(roles, 1))
    rng = np.random.default_rng(6)
    mounts = {s: Rotation.exp(rng.normal(size=3)) for s in stations}
    # a trunk that leans needs its tracker's north to be the first arm's
    norths = {s: rng.uniform(-np.pi, np.pi) for s in stations} | {1: 1.0, 2: 1.0}
    half_turn = Rotation.exp((np.pi, 0.0, 0.0))  # the earth's z is up, T's down
    names = {f"{bytes([s] * 6).hex(':')}/0": s for s in stations}
    with SlimeTrackers(0, stations=names) as device:
        trackers = {s: Sender(bytes([s] * 6), ("127.0.0.1", device.port)) for s in stations}

        def told(q: np.ndarray, trunk: Rotation) -> list[Sample]:
            seen = body.orientations(q)
            for s, role in stations.items():
                R_FB = trunk @ Rotation.from_matrix(seen[role])
                R_TS = level(body, 0.5).inverse() @ R_FB @ mounts[s].inverse()
                w, x, y, z = (
                    Rotation.exp((0.0, 0.0, norths[s])) @ half_turn.inverse() @ R_TS
                ).to_quaternion()
                trackers[s].turn(0, (x, y, z, w))
            return heard(device, len(stations))

        for each in trackers.values():
            each.greet()
        still = Rotation.identity()
        postures = [held(q, told(q, still)) for q in map(body.posture, ("n_pose", "t_pose"))]
        headings = own_headings(body, stations, postures)
        found = calibrate(body, stations, [each.headed(headings) for each in postures])
        found = calibration_of(
            {**found.settings(), **{f"heading {s}": h for s, h in headings.items()}}
        )
        assert found is not None
        steadying = Steadying(body, stations, wanted=False)
        steadying.begin(found)
        tracker = Tracker(body, stations, found)
        for _ in range(20):
            q = body.rest.copy()
            for arm in body.arms.each:
                q[arm.columns] = rng.uniform(0.15, 0.6, 7)
            trunk = Rotation.exp(rng.normal(0.0, 0.3, 3))
            _, posture = tracker.step(tracker.start(), steadying.samples(told(q, trunk)))
            np.testing.assert_allclose(posture.q, q, atol=np.radians(0.01))
            turned = Rotation.from_quaternion(posture.q_WF)
            assert np.degrees(float(turned.distance(trunk))) < 0.01
        for each in trackers.values():
            each.socket.close()
