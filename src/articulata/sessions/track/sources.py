"""Where samples come from: what a text or a command names, opened as devices.

"emulator", a serial port ("/dev/ttyUSB0", "COM3") or "fastrak PORT", "recording FILE" or a file.
Units count their stations on: the first has 1 to 4, the second 5 to 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from articulata.analyses.track.calibration import Calibration, calibration_of
from articulata.devices.device import Device
from articulata.devices.fastrak.port import BAUD, FastrakPort
from articulata.devices.fastrak.protocol import STATIONS as PER_UNIT
from articulata.devices.recorded import RecordedSamples
from articulata.errors import ArticulataError
from articulata.records.recording import load
from articulata.world.requests.choices import DeviceChoice

RECORDED = (".artrun",)
"""Files that samples are read from."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Devices, and what is known with them: stations and a calibration that a take holds."""

    devices: tuple[Device, ...]
    emulated: bool = False
    recorded: bool = False
    stations: Mapping[int, str] | None = None
    calibration: Calibration | None = None


def source_of(text: str) -> DeviceChoice:
    """Return the source that a word of the command line means."""
    name, _, rest = text.partition(":")
    if text == "emulator":
        return DeviceChoice("emulator")
    if name == "fastrak" and rest:
        return DeviceChoice("fastrak", rest)
    if Path(text).suffix in RECORDED:
        return DeviceChoice("file", text)
    if text.startswith("/dev/") or text.upper().startswith("COM"):
        return DeviceChoice("fastrak", text)
    raise ArticulataError(
        f"--from {text!r} is no source of samples; give emulator, a serial port (fastrak:PORT, or"
        " /dev/ttyUSB0, COM3), or a take (.artrun)"
    )


def opened(sources: Sequence[DeviceChoice], *, speed: float = 1.0, baud: int = BAUD) -> Opened:
    """Return devices for sources; an emulator is made by the session, which knows the figure."""
    devices: list[Device] = []
    stations: dict[int, str] = {}
    calibration: Calibration | None = None
    emulated, recorded, first = False, False, 1
    for source in sources:
        if source.name == "emulator":
            emulated = True
        elif source.name == "fastrak":
            if source.port is None:
                raise ArticulataError(
                    'a fastrak hangs on a serial port; name it, as in fastrak "/dev/ttyUSB0"'
                )
            devices.append(FastrakPort(str(source.port), first=first, baud=baud))
            first += len(PER_UNIT)
        elif source.name in ("file", "recording"):
            path = Path(str(source.port))
            recording = load(path)
            devices.append(RecordedSamples.from_file(path, speed=speed))
            recorded = True
            if "track.sample" in recording.channels:
                for label in recording.channels["track.sample"].labels:
                    number, _, role = label.partition(" ")
                    stations[int(number)] = role
            calibration = calibration_of(recording.header.settings) or calibration
        else:
            raise ArticulataError(
                f"nobody is tracked with a {source.name}; give emulator, fastrak or a take"
            )
    if emulated and devices:
        raise ArticulataError("an emulator stands for all devices; name it alone")
    return Opened(tuple(devices), emulated, recorded, stations or None, calibration)
