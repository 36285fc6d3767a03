"""A port that is missing, busy, dumb, pulled out in the middle of a record, and put back."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import serial

from articulata.devices.fastrak import port as ports
from articulata.devices.fastrak.emulated_unit import EmulatedPort, EmulatedUnit
from articulata.devices.fastrak.port import FastrakPort
from articulata.errors import ArticulataError, MissingExtra
from articulata.geometry.arrays import Array
from articulata.records.samples import Sample


def still(station: int, now: float) -> Array:
    X = np.eye(4)
    X[0, 3] = 0.1 * station
    return X


def unit(**more: Any) -> EmulatedUnit:
    return EmulatedUnit(still, np.random.default_rng(0), **more)


def read_until(
    port: FastrakPort, done: Callable[[list[Sample]], bool], limit: float = 8.0
) -> list[Sample]:
    """Read until ``done`` says so of all samples; whatever the machine is busy with."""
    found: list[Sample] = []
    end = time.monotonic() + limit
    while time.monotonic() < end and not done(found):
        found += port.read(0.05)
    return found


@pytest.mark.parametrize("is_file", [True, False])
def test_samples_come_through_the_port(is_file: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_file:
        monkeypatch.setattr(ports, "_descriptor", lambda _: -1)
    with (
        EmulatedPort(unit()) as emulated,
        FastrakPort(emulated.port, active=(1, 3), first=5) as port,
    ):
        found = read_until(port, lambda samples: len(samples) >= 20)
        assert {sample.station for sample in found} == {5, 7}
        assert found[0].p[0] == pytest.approx(0.1 if found[0].station == 5 else 0.3)
        times = [sample.time for sample in found]
        assert times == sorted(set(times))
        report = port.report()
        assert (report.skipped, report.trouble) == (0, "")
        assert "EMULATED FASTRAK" in report.told


def test_a_cable_that_is_pulled_and_put_back(tmp_path: Path) -> None:
    emulated = EmulatedPort(unit(), link=tmp_path / "tracker")
    emulated.plug()
    try:
        with FastrakPort(emulated.port) as port:
            before = read_until(port, lambda samples: len(samples) >= 10)
            emulated.unplug()
            read_until(port, lambda _: bool(port.report().trouble))
            assert "is gone" in port.report().trouble or "no port" in port.report().trouble
            emulated.plug()
            after = read_until(port, lambda samples: len(samples) >= 10)
            assert len(before) >= 10
            assert len(after) >= 10
            assert port.report().trouble == ""
    finally:
        emulated.unplug()


class Mute(EmulatedUnit):
    """Answers nothing, or what ``words`` are."""

    words = b""

    def receive(self, data: bytes, now: float) -> bytes:
        return self.words


def test_nobody_answers_or_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "ANSWER_TIME", 0.3)
    mute = Mute(still, np.random.default_rng(0))
    with EmulatedPort(mute) as emulated:
        with pytest.raises(ArticulataError, match="nobody answers"):
            FastrakPort(emulated.port).open()
        mute.words = b"\x80\xf8\x00\xf8\x80"
        with pytest.raises(ArticulataError, match="another speed"):
            FastrakPort(emulated.port).open()


def test_ports_that_cannot_be_opened_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArticulataError, match="there is no port /dev/no_such_port; ports of"):
        FastrakPort("/dev/no_such_port").open()
    there = EmulatedPort(unit())
    with there, pytest.raises(ArticulataError, match="has no speed of -5 baud; give --baud 300"):
        FastrakPort(there.port, baud=-5).open()
    with pytest.raises(ArticulataError, match="is no serial port; ports of this machine"):
        FastrakPort(__file__).open()
    with pytest.raises(ArticulataError, match="is no serial port"):
        FastrakPort(str(Path(__file__).parent)).open()

    def refuse(number: int) -> Callable[..., Any]:
        def opened(*_: Any, **__: Any) -> Any:
            raise serial.SerialException(number, os.strerror(number))

        return opened

    for number, said in ((errno.EACCES, "no permission"), (errno.EBUSY, "another program")):
        monkeypatch.setattr(serial, "Serial", refuse(number))
        with pytest.raises(ArticulataError, match=said):
            FastrakPort("/dev/ttyUSB0").open()


def test_without_pyserial_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "serial", None)
    with pytest.raises(MissingExtra, match=r"articulata\[devices\]"):
        FastrakPort("/dev/ttyUSB0").open()


def test_a_wrong_speed_during_the_stream_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Noise(EmulatedUnit):
        def due(self, now: float) -> bytes:
            return b"\x80\xfe" * 20 if super().due(now) else b""

    noisy = Noise(still, np.random.default_rng(0))
    with EmulatedPort(noisy) as emulated, FastrakPort(emulated.port) as port:
        read_until(port, lambda _: bool(port.report().trouble))
        assert "most bytes belong to no record" in port.report().trouble

    # however many good records came before
    class Switched(EmulatedUnit):
        def due(self, now: float) -> bytes:
            data = super().due(now)
            return data if len(said) < 400 else b"\x80\xfe" * (len(data) // 2)

    said: list[Sample] = []
    switched = Switched(still, np.random.default_rng(0), rate=2000.0)
    with EmulatedPort(switched) as emulated, FastrakPort(emulated.port) as port:
        said += read_until(port, lambda samples: len(samples) >= 400)
        assert port.report().trouble == ""
        read_until(port, lambda _: bool(port.report().trouble))
        assert "most bytes belong to no record" in port.report().trouble
        assert port.report().skipped < 0.5 * port.report().bytes


def test_a_unit_that_falls_silent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "PATIENCE", 0.2)
    made = unit()
    with EmulatedPort(made) as emulated, FastrakPort(emulated.port) as port:
        read_until(port, lambda samples: len(samples) >= 4)
        sensors, made._active = made._active, set()
        read_until(port, lambda _: bool(port.report().trouble))
        assert "nothing has come" in port.report().trouble
        made._active = sensors
        read_until(port, lambda samples: len(samples) >= 4)
        assert port.report().trouble == ""


def test_a_unit_that_was_switched_off_and_on_is_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ports, "PATIENCE", 0.2)
    monkeypatch.setattr(ports, "FORGOTTEN", 0.3)
    monkeypatch.setattr(ports, "RETRY", 0.2)
    made = unit()
    with EmulatedPort(made) as emulated, FastrakPort(emulated.port) as port:
        read_until(port, lambda samples: len(samples) >= 4)
        made.receive(b"\x19", time.monotonic())  # it has forgotten all that it was told
        assert not made.continuous
        found = read_until(port, lambda samples: len(samples) >= 8)
        assert len(found) >= 8
        assert port.report().trouble == ""
        assert port.report().skipped == 0


def test_what_comes_while_a_silent_unit_is_started_again_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ports, "PATIENCE", 0.1)
    monkeypatch.setattr(ports, "FORGOTTEN", 0.1)
    monkeypatch.setattr(ports, "RETRY", 0.1)
    made = unit()
    with EmulatedPort(made) as emulated, FastrakPort(emulated.port) as port:
        read_until(port, lambda samples: len(samples) >= 4)
        # its data cable is out: it goes on sending, but nothing comes
        before = port.report()
        monkeypatch.setattr(port, "_bytes", lambda deadline: (b"", time.monotonic()))
        begun = time.monotonic()
        while not port.report().trouble:
            port.read(0.02)
        assert time.monotonic() - begun < 0.6  # starting it again waits for nothing
        port.read(0.15)
        monkeypatch.undo()
        found = read_until(port, lambda samples: len(samples) >= 40)
        assert len(found) >= 40
        report = port.report()
        assert report.trouble == ""
        assert report.skipped == before.skipped


def test_a_port_that_goes_while_it_is_opened_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import termios

    monkeypatch.setattr(ports, "RETRY", 0.05)
    with EmulatedPort(unit()) as emulated, FastrakPort(emulated.port) as port:
        kind = type(port._serial)

        def gone(self: object) -> None:
            raise termios.error(5, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(kind, "reset_input_buffer", gone)
            port.close()
            assert port.read(0.2) == []
            assert "It is tried again until it can be read" in port.report().trouble
        assert read_until(port, lambda samples: len(samples) >= 4)
