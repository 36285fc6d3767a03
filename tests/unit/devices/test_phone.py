"""A phone with SensorServer: a server of web sockets written here by RFC 6455, byte by byte."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from articulata.devices.known_devices import makers
from articulata.devices.orientation.phone import Phone, read_event
from articulata.devices.orientation.sensor_readings import NoReading, read_datagram
from articulata.errors import ArticulataError
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample
from articulata.sessions.track.sample_sources import opened
from articulata.world.requests.choices import DeviceChoice
from mutations import COUNTS, mutated
from osc_bytes import written

LEFT = [0.0, 0.0, math.sin(0.2), math.cos(0.2)]
"""Turned to the left by 0.4 rad about what is up: x, y, z, w."""


def event(values: Sequence[float], timestamp: int = 0) -> bytes:
    return json.dumps({"values": list(values), "timestamp": timestamp, "accuracy": 3}).encode()


def text_frame(data: bytes) -> bytes:
    size = len(data)
    head = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size)
    return b"\x81" + head + data


@contextmanager
def phone(frames: Sequence[bytes], asked: list[str]) -> Iterator[int]:
    """A phone that answers each who connects with the same frames, and hangs up."""
    server = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                request = b""
                while b"\r\n\r\n" not in request:
                    request += client.recv(4096)
                lines = request.decode().split("\r\n")
                asked.append(lines[0])
                key = next(
                    e.split(": ")[1] for e in lines if e.lower().startswith("sec-websocket-key")
                )
                magic = key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                accept = base64.b64encode(hashlib.sha1(magic).digest()).decode()
                client.sendall(
                    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                    b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept.encode() + b"\r\n\r\n"
                )
                for each in frames:
                    client.sendall(each)
                time.sleep(0.2)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        over.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(timeout=5.0)


def heard(device: Phone, count: int, limit: float = 8.0) -> list[Sample]:
    found: list[Sample] = []
    end = time.monotonic() + limit
    while len(found) < count and time.monotonic() < end:
        found += device.read(0.1)
    return found


def test_a_phone_is_read_and_found_again() -> None:
    asked: list[str] = []
    frames = [text_frame(event((0, 0, 0, 1), 10**9)), text_frame(event(LEFT, 10**9 + 2 * 10**7)),
              text_frame(b"nonsense")]  # fmt: skip
    with phone(frames, asked) as port, Phone("127.0.0.1", port, first=3) as device:
        assert "not reached yet" in device.report().trouble
        found = heard(device, 4)  # it hangs up after two
        assert device.report().damaged
    assert asked[0] == "GET /sensor/connect?type=android.sensor.rotation_vector HTTP/1.1"
    assert len(asked) >= 2
    assert [sample.station for sample in found[:2]] == [3, 3]
    before, after = (Rotation.from_quaternion(np.array(s.q)) for s in found[:2])
    np.testing.assert_allclose((after @ before.inverse()).log(), (0, 0, -0.4), atol=1e-9)


def test_a_phone_that_is_not_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with Phone("127.0.0.1", port) as device:
        assert device.read(0.1) == []
        assert "start the app SensorServer on it" in device.report().trouble


def test_readings_are_timed_by_the_phones_clock() -> None:
    device = Phone("127.0.0.1")
    (first,) = device.take(event(LEFT, 10**9), 5.0)
    (late,) = device.take(event(LEFT, 10**9 + 2 * 10**7), 5.05)
    assert late.time - first.time == pytest.approx(0.02, abs=1e-4)
    assert late.arrival == 5.05


def test_old_phones_leave_the_last_number_out() -> None:
    reading = read_event(event(LEFT[:3]), 2)
    assert reading.station == 2
    np.testing.assert_allclose(reading.q, (LEFT[3], *LEFT[:3]), atol=1e-12)
    assert math.isnan(reading.time)
    assert read_event(event([*LEFT, 0.5]), 1).q == pytest.approx((LEFT[3], *LEFT[:3]))


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[1]", b'{"values": 3}', event((0, 0)), event((0, 0, 0, 0)), event([0.0] * 9),
     b'{"values": [1e999, 0, 0, 1]}', b'{"values": ["a", 0, 0, 1]}', b"[" * 5000, b"\xff"],
)  # fmt: skip
def test_what_is_no_reading_is_refused(text: bytes) -> None:
    with pytest.raises(NoReading):
        read_event(text, 1)


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_messages_end_in_samples_or_in_counts(count: int) -> None:
    device, samples = Phone("127.0.0.1"), 0
    for number, data in enumerate(mutated([event(LEFT, 10**12), event(LEFT[:3], 5)], count)):
        for sample in device.take(data, 0.01 * number):
            assert abs(math.hypot(*sample.q) - 1.0) < 1e-9
            samples += 1
    assert samples > 0.005 * count
    assert len(device.report().damaged) <= 5


def test_a_message_beyond_bounds_ends_the_connection_alone() -> None:
    frames = [text_frame(event(LEFT)), text_frame(b" " * 60000), text_frame(event(LEFT))]
    with phone(frames, []) as port, Phone("127.0.0.1", port) as device:
        assert len(heard(device, 2)) >= 1


def test_each_phone_is_a_station_and_its_address_is_checked() -> None:
    sources = tuple(DeviceChoice("phone", f"10.0.0.{n}:8080") for n in (1, 2, 3))
    found = opened(sources)
    assert [device._station for device in found.devices] == [1, 2, 3]  # type: ignore[attr-defined] # phones
    assert not found.drift
    assert opened((DeviceChoice("phone", "10.0.0.1/game_rotation_vector"),)).drift
    for wrong in (None, "", ":8080", "10.0.0.1:99999", "10.0.0.1/gyroscope"):
        with pytest.raises(ArticulataError, match=r"give phone:192\.168\.1\.20:8080"):
            makers()["phone"](wrong)


def test_phones_that_send_osc_are_station_one() -> None:
    for address in ("/ZIGSIM/anna/quaternion", "/phone/rotation_vector", "/gameRotationVector"):
        (reading,) = read_datagram(written(address, "ffff", 1.0, 0.0, 0.0, 0.0))
        assert reading.station == 1
