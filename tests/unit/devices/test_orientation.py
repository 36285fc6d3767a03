"""Orientation sensors over UDP, OSC and in files, and devices of other packages."""

from __future__ import annotations

import math
import socket
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulata.devices.driver import SenderClock
from articulata.devices.known_devices import makers
from articulata.devices.orientation.datagrams import UdpSensors
from articulata.devices.orientation.sensor_readings import (
    NoReading,
    read_datagram,
    read_line,
    read_table,
    sample_of,
)
from articulata.devices.recorded import RecordedSamples
from articulata.errors import ArticulataError, FormatError
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Convention, Sample
from articulata.sessions.track.sample_sources import opened, source_of
from articulata.world.requests.choices import DeviceChoice
from mutations import COUNTS, mutated


def osc(address: str, tags: str, *numbers: float) -> bytes:
    def padded(text: str) -> bytes:
        data = text.encode() + b"\x00"
        return data + b"\x00" * (-len(data) % 4)

    forms = {"f": ">f", "d": ">d", "i": ">i", "h": ">q"}
    values = b"".join(
        struct.pack(forms[tag], int(n) if tag in "ih" else n)
        for tag, n in zip(tags, numbers, strict=True)
    )
    return padded(address) + padded(f",{tags}") + values


def test_lines_and_messages_say_the_same() -> None:
    line = read_line("3, 1.5, 0.5, 0.5, -0.5, 0.5")
    (message,) = read_datagram(osc("/sensor/3", "ddddd", 1.5, 0.5, 0.5, -0.5, 0.5))
    assert line == message
    (bare,) = read_datagram(osc("/a/b/12", "ffff", 1, 0, 0, 0))
    assert bare.station == 12
    assert math.isnan(bare.time)
    bundle = b"#bundle\x00" + bytes(8)
    for part in (osc("/1", "ffff", 1, 0, 0, 0), osc("/2", "ffff", 0, 1, 0, 0)):
        bundle += struct.pack(">i", len(part)) + part
    assert [each.station for each in read_datagram(bundle)] == [1, 2]
    placed = read_line("1,0,1,0,0,0,0.1,0.2,0.3")
    assert placed.p == (0.1, 0.2, 0.3)


def test_the_earth_is_turned_so_that_z_is_down() -> None:
    """A sensor that turns left about what is up turns about -z of a tracker."""
    turn = Rotation.exp((0.0, 0.0, 0.4)) @ Rotation.exp((0.3, 0.0, 0.0))
    start = Rotation.exp((0.3, 0.0, 0.0))
    samples = []
    for R in (start, turn):
        w, x, y, z = R.to_quaternion()
        samples.append(sample_of(read_line(f"1,0,{w},{x},{y},{z},1,2,3"), 0.0, 0.0))
    before, after = (Rotation.from_quaternion(np.array(s.q)) for s in samples)
    np.testing.assert_allclose((after @ before.inverse()).log(), (0.0, 0.0, -0.4), atol=1e-12)
    assert samples[0].p == (1.0, -2.0, -3.0)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"1,2,3\n", b"a,0,1,0,0,0\n", b"1,0,1,1,0,0\n", b"99,0,1,0,0,0\n", b"1,0,nan,0,0,0\n",
        b"\xff\xfe", b"/x\x00\x00", osc("/x", "ffff", 1, 0, 0, 0), osc("/1", "fff", 1, 0, 0),
        osc("/1", "ffff", 1, 0, 0, 0)[:-2], b"#bundle\x00" + bytes(8) + struct.pack(">i", 99),
    ],
)  # fmt: skip
def test_what_is_no_reading_is_refused(data: bytes) -> None:
    if data:
        with pytest.raises(NoReading):
            read_datagram(data)
    else:
        assert read_datagram(data) == []


@given(st.binary(max_size=80))
def test_any_bytes_are_a_reading_or_none(data: bytes) -> None:
    try:
        for reading in read_datagram(data):
            assert abs(math.hypot(*reading.q) - 1.0) < 1e-9
    except NoReading:
        pass


def test_poses_of_openxr_and_openvr_are_a_table_and_lines(tmp_path: Path) -> None:
    """An XrPosef has x, y, z, w; x is right, y up, -z ahead. Ours is level: ahead, left, up."""
    turn = Rotation.from_axis_angle((0.0, 1.0, 0.0), 0.5)  # to the left
    w, x, y, z = turn.to_quaternion()
    file = tmp_path / "poses.csv"
    file.write_text(f"1,0.0,{x},{y},{z},{w},0.25,1.5,-2.0\n4,0.01,0,0,0,1,0.5,1.0,-0.5\n", "utf-8")
    found = opened((source_of(str(file)),), convention=Convention("xyzw", "y"))
    head, hand = found.devices[0].samples  # type: ignore[attr-defined] # a recording
    assert (head.station, hand.station) == (1, 4)
    # T's z is down: up is (0, 0, -1); what is to the right stays so
    np.testing.assert_allclose(head.p, (0.25, -2.0, -1.5), atol=1e-12)
    R = (
        Rotation.from_quaternion(head.q).to_matrix()
        @ Rotation.from_quaternion(hand.q).to_matrix().T
    )
    np.testing.assert_allclose(
        R, Rotation.from_axis_angle((0.0, 0.0, -1.0), 0.5).to_matrix(), atol=1e-12
    )


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_end_in_samples_or_in_counts(count: int) -> None:
    line = b"1,10.0,1,0,0,0\n2,,0,1,0,0,0.5,0.5,0.5\n"
    phone = osc("/rotationvector", "ffff", 1, 0, 0, 0)
    seeds = [line, osc("/2", "dffff", 10.02, 0, 0, 1, 0), phone]
    device, samples = UdpSensors(0), 0
    for number, data in enumerate(mutated(seeds, count)):
        for sample in device.take(data, ("127.0.0.1", 50000), 0.01 * number):
            assert abs(math.hypot(*sample.q) - 1.0) < 1e-9
            samples += 1
    assert samples > 0.02 * count
    assert len(device.report().damaged) <= 5


def heard(sensors: UdpSensors, count: int, limit: float = 5.0) -> list[Sample]:
    found: list[Sample] = []
    end = time.monotonic() + limit
    while len(found) < count and time.monotonic() < end:
        found += sensors.read(0.05)
    return found


def test_sensors_are_heard_and_strangers_told() -> None:
    with (
        UdpSensors(0, first=5) as sensors,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger,
    ):
        to = ("127.0.0.1", sensors.port)
        sender.sendto(b"1,10.0,1,0,0,0\n2,10.0,0,1,0,0\n", to)
        found = heard(sensors, 2)
        stranger.sendto(b"1,10.0,0,0,0,1\n", to)
        sender.sendto(b"nonsense", to)
        time.sleep(0.03)
        sender.sendto(osc("/2", "dffff", 10.02, 0, 0, 1, 0), to)
        found += heard(sensors, 1)
        assert [sample.station for sample in found] == [5, 6, 6]
        assert found[2].time - found[1].time == pytest.approx(0.02, abs=0.005)
        sender.sendto(b"1,4.0,1,0,0,0\n", to)
        assert heard(sensors, 1)[0].time >= found[2].time
        report = sensors.report()
        assert "was set back by 6.0 s; its times are taken anew; " in report.notice
        assert "1 datagrams of others left out" in report.told
        assert "its datagrams are left out" in report.notice
        assert sum(report.damaged.values()) == 1
        assert report.trouble == ""
        with pytest.raises(ArticulataError, match="cannot be heard"):
            UdpSensors(sensors.port).open()


def test_clocks_of_senders_are_brought_to_ours() -> None:
    rng, clock = np.random.default_rng(0), SenderClock()
    sent = np.arange(0.0, 20.0, 0.02)
    ours = sent * (1.0 + 5e-5) + 1234.5
    arrivals = ours + 0.002 + rng.exponential(0.01, len(sent))
    found = np.array([clock.time_of(1, s, a) for s, a in zip(sent, arrivals, strict=True)])
    assert np.std((found - ours)[200:]) < 0.001
    assert np.all(np.diff(found) > 0.0)
    # a sender that starts anew is taken anew
    assert clock.set_back == 0.0
    assert clock.time_of(1, 0.0, arrivals[-1] + 3.0) == pytest.approx(arrivals[-1] + 3.0)
    assert clock.set_back == pytest.approx(sent[-1])
    assert clock.time_of(2, math.nan, 7.0) == 7.0


def test_a_table_plays_like_a_device(tmp_path: Path) -> None:
    file = tmp_path / "arms.csv"
    file.write_text("station,time,w,x,y,z\n2,0.1,1,0,0,0\n# a note\n1,0.0,1,0,0,0\n", "utf-8")
    samples, notice = read_table(file)
    assert notice == ""
    assert [sample.station for sample in samples] == [1, 2]
    with RecordedSamples(samples, speed=float("inf")) as played:
        found = played.read(0.1) + played.read(0.1)
        assert found[1].time - found[0].time == pytest.approx(0.1)
        assert played.ended
        assert played.read(0.0) == []
    file.write_text(
        "".join(f"{s},{t},1,0,0,0\n" for t in (5, 5.1, 1, 1.1) for s in (1, 2)), "utf-8"
    )
    samples, notice = read_table(file)
    np.testing.assert_allclose([s.time for s in samples], [5, 5, 5.1, 5.1, 5.2, 5.2, 5.3, 5.3])
    assert (
        notice == "the clock in arms.csv, line 5, was set back by 4.1 s; its times are taken anew"
    )
    file.write_text("1,0,1,0,0,0\n1,,1,0,0,0\n", "utf-8")
    with pytest.raises(FormatError, match=r"arms.csv:2: in a file every line needs its time"):
        read_table(file)
    file.write_text("station,time,w,x,y,z\n", "utf-8")
    with pytest.raises(FormatError, match="holds no line"):
        read_table(file)


def test_an_installed_package_adds_a_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device from outside the house: found by its entry point, opened by its word."""
    (tmp_path / "my_gloves.py").write_text(
        "from articulata.records.samples import DeviceReport, Sample\n"
        "class Gloves:\n"
        "    def __init__(self, port, first): self.name, self.first = f'gloves {port}', first\n"
        "    def open(self): pass\n"
        "    def close(self): pass\n"
        "    def read(self, timeout): return [Sample(self.first, 0.0, 0.0, (1.0, 0.0, 0.0, 0.0))]\n"
        "    def report(self): return DeviceReport(self.name)\n"
        "def gloves(port, *, first=1):\n"
        "    if port == 'broken': raise RuntimeError('no battery')\n"
        "    return Gloves(port, first)\n",
        "utf-8",
    )
    info = tmp_path / "my_gloves-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-gloves\nVersion: 1.0\n", "utf-8"
    )
    (info / "entry_points.txt").write_text(
        "[articulata.devices]\ngloves = my_gloves:gloves\n", "utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "gloves" in makers()
    choice = source_of("gloves:left")
    assert choice == DeviceChoice("gloves", "left")
    (device,) = opened([choice]).devices
    assert device.name == "gloves left"
    assert device.read(0.0)[0].station == 1
    # in a text, where a stranger's device is no word of the language
    (again,) = opened([DeviceChoice("file", "gloves:right")]).devices
    assert again.name == "gloves right"
    with pytest.raises(ArticulataError, match="no battery"):
        opened([DeviceChoice("gloves", "broken")])
    sys.modules.pop("my_gloves", None)
