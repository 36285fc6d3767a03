"""A suit of Xsens: datagrams made byte by byte drive a person as the segments are turned."""

from __future__ import annotations

import math
import socket
import struct
from collections.abc import Mapping

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from articulata.analyses.track.calibration import drawn_in
from articulata.analyses.track.tracker import Tracker
from articulata.devices.known_devices import makers
from articulata.devices.orientation.motion_suits import MVN_PORT, MvnSegments
from articulata.devices.orientation.sensor_readings import NoReading
from articulata.errors import ArticulataError
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS
from articulata.sessions.track.person import Steadying
from articulata.sessions.track.sample_sources import opened
from articulata.world.requests.choices import DeviceChoice
from mutations import COUNTS, mutated
from tracked import body_of

CHAIN = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 5, 9: 8, 10: 9, 11: 10, 12: 5, 13: 12,
         14: 13, 15: 14, 16: 1, 17: 16, 18: 17, 19: 18, 20: 1, 21: 20, 22: 21, 23: 22}  # fmt: skip
"""Each segment's number and what carries it, as MVN's table has them; 8 and 12 hang on T8."""

LEFT, AHEAD, UP = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def turned(local: Mapping[int, Turn]) -> dict[int, Turn]:
    """Return all segments' turns in the stream's frame, of turns against what carries them."""
    found = {0: Turn.identity()}
    for number, carrier in CHAIN.items():
        found[number] = found[carrier] * local.get(number, Turn.identity())
    return {number: each for number, each in found.items() if number}


def datagram(
    segments: Mapping[int, Turn], *, code: int = 0, character: int = 0, kind: bytes = b"02"
) -> bytes:
    data = b"MXTP" + kind
    data += (7).to_bytes(4, "big") + b"\x80" + bytes([len(segments)]) + code.to_bytes(4, "big")
    data += bytes([character, 23, 0, 0, 0, 0]) + (32 * len(segments)).to_bytes(2, "big")
    for number, turn in segments.items():
        x, y, z, w = turn.as_quat()
        data += struct.pack(">I7f", number, 0.1 * number, 0.0, 1.0, w, x, y, z)
    return data


def samples(*data: bytes) -> list[Sample]:
    device, found = MvnSegments(0), []
    for k, each in enumerate(data):
        found += device.said(each, 5.0 + 0.01 * k) or []
    return found


def test_eight_segments_are_stations() -> None:
    found = samples(datagram(turned({})))
    assert sorted(each.station for each in found) == sorted(STATIONS)
    assert {each.q for each in found} == {(1.0, 0.0, 0.0, 0.0)}


def test_a_frame_in_two_datagrams_is_one() -> None:
    segments = turned({9: Turn.from_rotvec(0.3 * AHEAD)})
    first = {k: each for k, each in segments.items() if k <= 9}
    second = {k: each for k, each in segments.items() if k > 9}
    parts, whole = samples(datagram(first), datagram(second)), samples(datagram(segments))
    assert sorted((each.station, each.q) for each in parts) == sorted(
        (each.station, each.q) for each in whole
    )


def test_a_person_moves_as_the_suit_does() -> None:
    """Arms, trunk and head are turned; the figure's limbs point where the suit's do."""
    rng = np.random.default_rng(8)
    body = body_of()
    calibration = drawn_in(body, STATIONS, "t_pose")
    steadying = Steadying(body, STATIONS, wanted=False, bones=True)
    steadying.begin(calibration)
    tracker = Tracker(body, STATIONS, calibration, None)
    R_FT0 = np.stack([body.forward, np.cross(body.up, body.forward), body.up], axis=1)
    for _ in range(20):
        local = {
            5: Turn.from_rotvec(rng.uniform(-0.4, 0.4, 3)),
            7: Turn.from_rotvec(rng.uniform(-0.4, 0.4, 3)),
        }
        for side, upper in ((-1.0, 9), (1.0, 13)):  # the right arm points to the right, -y
            down = Turn.from_rotvec(-side * rng.uniform(0.2, 1.2) * AHEAD)
            ahead = Turn.from_rotvec(-side * rng.uniform(0.0, 0.8) * UP)
            local[upper] = down * ahead
            local[upper + 1] = Turn.from_rotvec(-side * rng.uniform(0.1, 1.8) * UP)
        segments = turned(local)
        found = samples(datagram(segments))
        posture = tracker.step(tracker.start(), steadying.samples(found))[1]
        X = body.figure.poses(posture.q)
        R_WF = Turn.from_quat(np.roll(posture.base[:4], -1)).as_matrix()
        rest = body.figure.poses(body.posture("t_pose"))
        for side, arm, upper in zip(body.sides, body.arms.each, (9, 13), strict=True):
            assert (side, upper) in (("r", 9), ("l", 13))
            for k, link in enumerate(arm.links[:2]):
                now = R_WF @ X[link][:3, :3] @ rest[link][:3, :3].T
                along = R_FT0 @ np.array([0.0, -1.0 if side == "r" else 1.0, 0.0])
                told = R_FT0 @ segments[upper + k].as_matrix() @ R_FT0.T @ along
                off = math.degrees(math.acos(min(1.0, float(now @ along @ told))))
                assert off < 0.6, (side, k, off)


def test_of_several_characters_the_first_is_followed() -> None:
    device = MvnSegments(0)
    assert device.said(datagram(turned({}), character=3), 1.0)
    with pytest.raises(NoReading, match="character 1 of MVN, while 3 is followed"):
        device.said(datagram(turned({}), character=1), 1.1)
    device.begin()
    assert device.said(datagram(turned({}), character=1), 9.0)


def test_times_are_the_suits() -> None:
    device = MvnSegments(0)
    times = []
    for k, late in enumerate((0.0, 0.03, 0.0, 0.02, 0.01)):
        found = device.said(datagram(turned({}), code=36_000_000 + 10 * k), 5.0 + 0.01 * k + late)
        assert found
        times.append(found[0].time)
    np.testing.assert_allclose(np.diff(times)[1:], 0.01, atol=0.011)
    assert np.all(np.diff(times) > 0.0)


def test_other_types_say_nothing_and_what_is_cut_short_is_counted() -> None:
    whole = datagram(turned({}))
    assert MvnSegments(0).said(datagram(turned({}), kind=b"25"), 1.0) is None
    for cut in (0, 3, 23, 24, len(whole) - 1):
        with pytest.raises(NoReading):
            MvnSegments(0).said(whole[:cut], 1.0)


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_end_in_samples_or_in_counts(count: int) -> None:
    device, samples = MvnSegments(0), 0
    for number, data in enumerate(mutated([datagram(turned({}))], count)):
        for sample in device.take(data, ("127.0.0.1", 50000), 0.01 * number):
            assert abs(math.hypot(*sample.q) - 1.0) < 1e-9
            samples += 1
    assert samples > 0.02 * count
    assert len(device.report().damaged) <= 5


def test_it_is_a_device_of_that_name() -> None:
    device = makers()["mvn"](None)
    assert isinstance(device, MvnSegments)
    with MvnSegments(0) as heard, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(datagram(turned({})), ("127.0.0.1", heard.port))
        found: list[Sample] = []
        while len(found) < 8:
            found += heard.read(1.0)
    assert MVN_PORT == 9763
    with pytest.raises(ArticulataError, match="tell a whole person: name one alone"):
        opened((DeviceChoice("mvn"), DeviceChoice("udp", 9001)))
