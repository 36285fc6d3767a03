"""Where samples come from: what a text or a command names, opened as devices.

"emulator", a serial port ("/dev/ttyUSB0", "COM3") or "fastrak PORT", "udp PORT", a device of an
installed package, a take or a table. Units count their stations on: the first has 1 to 4, the
second 5 to 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from articulata.analyses.track.calibration import Calibration, calibration_of
from articulata.devices.device import Device
from articulata.devices.fastrak.port import BAUD
from articulata.devices.fastrak.protocol import STATIONS as PER_UNIT
from articulata.devices.orientation.table import read_table
from articulata.devices.recorded import SAMPLES, RecordedSamples
from articulata.devices.shelf import makers
from articulata.errors import ArticulataError
from articulata.records.recording import load
from articulata.sessions.track.wish import DRIFT
from articulata.world.requests.choices import DeviceChoice

TABLE = ".csv"
RECORDED = (".artrun", TABLE)
"""Files that samples are read from."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Devices, and what is known with them: stations and a calibration that a take holds."""

    devices: tuple[Device, ...]
    emulated: bool = False
    recorded: bool = False
    stations: Mapping[int, str] | None = None
    calibration: Calibration | None = None
    drift: bool = False


def source_of(text: str) -> DeviceChoice:
    """Return the source that a word of the command line means."""
    name, colon, rest = text.partition(":")
    if text == "emulator":
        return DeviceChoice("emulator")
    if colon and name in makers():
        return DeviceChoice(name, rest)
    if Path(text).suffix in RECORDED:
        return DeviceChoice("file", text)
    if text.startswith("/dev/") or text.upper().startswith("COM"):
        return DeviceChoice("fastrak", text)
    if text in makers():
        return DeviceChoice(text)
    raise ArticulataError(
        f"--from {text!r} is no source of samples; give emulator, a serial port (fastrak:PORT, or"
        f" /dev/ttyUSB0, COM3), udp:PORT, a take (.artrun) or a table (.csv); devices are"
        f" {', '.join(sorted(makers()))}"
    )


def opened(sources: Sequence[DeviceChoice], *, speed: float = 1.0, baud: int = BAUD) -> Opened:
    """Return devices for sources; an emulator is made by the session, which knows the figure."""
    devices: list[Device] = []
    stations: dict[int, str] = {}
    calibration: Calibration | None = None
    emulated, recorded, drift, first = False, False, False, 1
    for source in sources:
        if source.name in ("file", "recording") and Path(str(source.port)).suffix not in RECORDED:
            source = source_of(str(source.port))
        port = None if source.port is None else str(source.port)
        if source.name == "emulator":
            emulated = True
        elif source.name in ("file", "recording"):
            path, recorded = Path(str(port)), True
            if path.suffix == TABLE:
                devices.append(RecordedSamples(read_table(path), speed=speed, name=path.name))
                continue
            recording = load(path)
            devices.append(RecordedSamples.from_file(path, speed=speed))
            for label in recording.channels[SAMPLES].labels:
                number, _, role = label.partition(" ")
                stations[int(number)] = role
            calibration = calibration_of(recording.header.settings) or calibration
            drift = drift or bool(recording.header.settings.get(DRIFT))
        elif source.name in makers():
            more = {"baud": baud} if source.name == "fastrak" else {}
            devices.append(makers()[source.name](port, first=first, **more))
            first += len(PER_UNIT)
        else:
            raise ArticulataError(
                f"nobody is tracked with a {source.name}; devices are emulator,"
                f" {', '.join(sorted(makers()))}, and files are takes and tables"
            )
    if emulated and devices:
        raise ArticulataError("an emulator stands for all devices; name it alone")
    return Opened(tuple(devices), emulated, recorded, stations or None, calibration, drift)
