"""3D mice and gamepads: raw bytes, devices that come late, vanish or say nonsense."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from articulata.devices.puck.doors import RETRY, Puck, ReplayedPuck, hid_files, puck
from articulata.devices.puck.puck_reports import GamepadDecoder, PuckDecoder, SpacenavDecoder
from articulata.errors import ArticulataError
from articulata.records.samples import DeviceReports
from articulata.report.viewer.conversation import Mailbox
from articulata.sessions.film.film_files import SteeringDevices
from articulata.world.requests.choices import DeviceChoice


def test_split_reports_as_a_space_navigator_sends_them() -> None:
    decoder = PuckDecoder()
    # pushed to the right at full scale, then lifted, then turned clockwise seen from above
    assert decoder.feed(bytes.fromhex("01 5e01 0000 0000"))
    assert decoder.axes == (1.0, 0, 0, 0, 0, 0)
    assert decoder.feed(bytes.fromhex("01 0000 0000 51ff"))  # z is down: -175 is up
    assert decoder.axes == (0, 0.5, 0, 0, 0, 0)
    assert decoder.feed(bytes.fromhex("01 0000 a2fe 0000"))  # away from the user
    assert decoder.axes == (0, 0, -1.0, 0, 0, 0)
    assert decoder.feed(bytes.fromhex("02 0000 0000 5e01"))  # about z, which is down
    assert decoder.axes == (0, 0, -1.0, 0, -1.0, 0)
    assert decoder.feed(bytes.fromhex("02 5e01 af00 0000"))
    assert decoder.axes == (0, 0, -1.0, 1.0, 0, 0.5)
    assert decoder.faults == 0


def test_joined_reports_as_newer_models_send_them() -> None:
    decoder = PuckDecoder()
    assert decoder.feed(bytes([1]) + struct.pack("<6h", 35, -70, 105, -140, 175, -210))
    assert decoder.axes == pytest.approx((0.1, -0.3, -0.2, -0.4, 0.6, 0.5))
    # bytes beyond the twelve are passed over
    assert decoder.feed(bytes([1]) + struct.pack("<6h", 350, 0, 0, 0, 0, 0) + b"\x07\x08")
    assert decoder.axes[0] == 1.0


def test_buttons_do_not_move_and_more_than_full_scale_is_full() -> None:
    decoder = PuckDecoder()
    assert not decoder.feed(bytes.fromhex("03 0500 0000"))
    assert decoder.buttons == 5
    assert decoder.feed(bytes([1]) + struct.pack("<3h", 500, -500, 0))
    assert decoder.axes[:3] == (1.0, 0.0, -1.0)


@pytest.mark.parametrize(
    "report", [b"", b"\x01", b"\x01\x00\x01", b"\x02" + bytes(5), b"\x01" + bytes(9), b"\x03",
               b"\x01" + struct.pack("<3h", 20000, 0, 0)],
)  # fmt: skip
def test_truncated_and_strange_reports_change_nothing_and_are_counted(report: bytes) -> None:
    decoder = PuckDecoder()
    decoder.feed(bytes([1]) + struct.pack("<3h", 350, 0, 0))
    assert not decoder.feed(report)
    assert decoder.axes == (1.0, 0, 0, 0, 0, 0)
    assert decoder.faults == 1
    assert decoder.fault


def test_reports_of_other_kinds_are_passed_over() -> None:
    decoder = PuckDecoder()
    assert not decoder.feed(b"\x17\x01\x02")
    assert decoder.faults == 0


def test_the_daemon_s_packets_in_any_portions() -> None:
    decoder = SpacenavDecoder()
    data = struct.pack("<8i", 0, 350, -175, 70, 35, 0, 350, 16)
    assert not decoder.feed(data[:5])
    assert decoder.feed(data[5:] + struct.pack("<8i", 1, 3, 0, 0, 0, 0, 0, 0))
    assert decoder.axes == pytest.approx((1.0, -0.5, -0.2, 0.1, 0.0, -1.0))
    assert decoder.buttons == 8
    decoder.feed(struct.pack("<8i", 2, 3, 0, 0, 0, 0, 0, 0))
    assert decoder.buttons == 0
    assert not decoder.feed(struct.pack("<8i", 9, 0, 0, 0, 0, 0, 0, 0))
    assert "kind 9" in decoder.fault


def test_a_gamepad_s_sticks_triggers_and_shoulders() -> None:
    def event(kind: int, number: int, value: int) -> bytes:
        return struct.pack("<IhBB", 0, value, kind, number)

    decoder = GamepadDecoder()
    assert decoder.axes == (0, 0, 0, 0, 0, 0)
    decoder.feed(event(2 | 128, 0, 32767) + event(2, 1, -32767) + event(2, 5, 32767))
    assert decoder.axes == (1.0, 1.0, -1.0, 0, 0, 0)
    decoder.feed(event(2, 3, 16384) + event(2, 4, 32767) + event(1, 4, 1))
    assert decoder.axes[3:] == pytest.approx((-1.0, -0.5, 1.0), abs=1e-4)
    assert not decoder.feed(event(7, 0, 0))
    assert decoder.faults == 1


def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_daemon_that_starts_late_and_one_that_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "spnav.sock")
    wishes: Mailbox[object] = Mailbox()
    said: list[str] = []
    with SteeringDevices([DeviceChoice("spacemouse", path)], wishes, said.append):
        until(lambda: bool(said))
        assert "not there" in said[0]
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen(1)
            server.settimeout(20)
            talk, _ = server.accept()
            with talk:
                talk.sendall(struct.pack("<8i", 0, 350, 0, 0, 0, 0, 0, 0))
                until(lambda: wishes.take(0.05).get("report") == (1.0, 0, 0, 0, 0, 0))
                until(lambda: "is back" in said[-1])
                talk.sendall(struct.pack("<8i", 9, 0, 0, 0, 0, 0, 0, 0))
                until(lambda: "passed over, a packet of kind 9" in said[-1])
        os.unlink(path)
        until(lambda: "gone" in said[-1] or "not there" in said[-1])


def test_a_device_that_vanishes_is_looked_for(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    doors = [reading]

    def opened() -> int:
        if not doors:
            raise FileNotFoundError(2, "No such device")
        return doors.pop()

    device = Puck("mouse", opened, PuckDecoder, 64)
    os.write(writing, bytes.fromhex("01 5e01 0000 0000"))
    assert device.read(1.0) == (1.0, 0, 0, 0, 0, 0)
    assert device.read(0.01) is None
    assert device.matter == ""
    os.close(writing)
    assert device.read(1.0) is None
    assert "gone" in device.matter
    end = time.monotonic() + 2 * RETRY
    while "not there" not in device.matter and time.monotonic() < end:
        device.read(0.1)
    assert "No such device" in device.matter
    device.close()


def test_a_recorded_puck_says_again_what_it_said_when_it_said_it() -> None:
    now = [5.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    reports = DeviceReports(
        np.array([0.0, 0.02, 0.04, 0.5]), np.column_stack([[0.1, 0.2, 0.3, 0.4], *np.zeros((5, 4))])
    )
    device = ReplayedPuck("recorded", reports, clock=lambda: now[0], sleep=sleep)
    assert device.read(0.05) == (0.1, 0, 0, 0, 0, 0)
    assert device.read(0.05) == (0.2, 0, 0, 0, 0, 0)
    assert now[0] == pytest.approx(5.02)
    assert device.read(0.05) == (0.3, 0, 0, 0, 0, 0)
    assert device.read(0.05) is None
    now[0] = 6.0
    assert device.read(0.05) == (0.4, 0, 0, 0, 0, 0)
    assert device.matter == ""
    assert device.read(0.05) is None
    assert "has been played" in device.matter


def test_a_recorded_device_waits_until_somebody_looks_on() -> None:
    wishes: Mailbox[object] = Mailbox()
    looks: list[bool] = []
    reports = DeviceReports(np.zeros(1), np.array([[0.5, 0, 0, 0, 0, 0]]))
    with SteeringDevices([], wishes, looks.append, replayed=reports, ready=lambda: bool(looks)):  # type: ignore[arg-type]
        assert wishes.take(0.2) == {}
        looks.append(True)
        until(lambda: wishes.take(0.05).get("report") == (0.5, 0, 0, 0, 0, 0))


def test_hid_files_are_told_by_vendor_and_name(tmp_path: Path) -> None:
    for number, (vendor, name) in enumerate(
        [("0000256F", "3Dconnexion SpaceMouse Compact"), ("0000046D", "Logitech USB Mouse"),
         ("0000046D", "3Dconnexion SpaceNavigator")]
    ):  # fmt: skip
        folder = tmp_path / f"hidraw{number}" / "device"
        folder.mkdir(parents=True)
        (folder / "uevent").write_text(f"HID_ID=0003:{vendor}:0000C635\nHID_NAME={name}\n")
    (tmp_path / "hidraw9" / "device").mkdir(parents=True)
    assert hid_files(tmp_path) == [Path("/dev/hidraw0"), Path("/dev/hidraw2")]
    assert hid_files(tmp_path / "none") == []


def test_a_device_that_steers_nothing_is_refused() -> None:
    with pytest.raises(ArticulataError, match="fastrak"):
        puck("fastrak", None)
