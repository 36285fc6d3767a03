"""Devices by name: ours and those of installed packages, found by the group of entry points.

A package adds a device with an entry point of the group ``articulata.devices``: its name is the
word in ``from:``, what it loads is called with the text after the word (or None) and ``first``, the
number of the device's station 1 among all, and gives a ``Device``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

from articulata.devices.driver import Device
from articulata.devices.fastrak.port import BAUD, FastrakPort
from articulata.devices.orientation.datagrams import LOCAL, UdpSensors
from articulata.devices.orientation.motion_suits import (
    MVN_PORT,
    ROKOKO_PORT,
    MvnSegments,
    RokokoBones,
)
from articulata.devices.orientation.osc_trackers import (
    VMC_PORT,
    VRCHAT_PORT,
    VmcBones,
    VrchatTrackers,
)
from articulata.devices.orientation.phone import PHONE_PORT, SENSORS, Phone
from articulata.devices.orientation.slime_trackers import PORT as SLIME_PORT
from articulata.devices.orientation.slime_trackers import SlimeTrackers
from articulata.errors import ArticulataError

GROUP = "articulata.devices"

HEARD = ("udp", "slimevr", "vmc", "vrchat", "mvn", "rokoko")
"""Devices that are heard at a port of this machine, by an address that may be another."""

Maker: TypeAlias = Callable[..., Device]


def fastrak(port: str | None, *, first: int = 1, baud: int = BAUD) -> Device:
    """Return a Fastrak on a serial port."""
    if port is None:
        raise ArticulataError(
            'a fastrak hangs on a serial port; name it, as in fastrak "/dev/ttyUSB0"'
        )
    return FastrakPort(port, first=first, baud=baud)


def slimevr(
    port: str | None, *, first: int = 1, stations: Mapping[str, int] = MappingProxyType({})
) -> SlimeTrackers:
    """Return SlimeVR's trackers; ``stations`` numbers them by their names, whatever is first."""
    host, number = heard_at(port, f"slimevr:{SLIME_PORT}", SLIME_PORT)
    return SlimeTrackers(number, host=host, stations=stations)


def _heard(word: str, device: Callable[..., Device], usual: int = 0) -> Maker:
    """Return what makes a device that hears one sender: at the ``usual`` port where one is known.

    It takes "9000" or "0.0.0.0:9000"; None where the port is the usual one.
    """

    def make(port: str | None, *, first: int = 1) -> Device:
        host, number = heard_at(port, f"{word}:{usual or 9000}", usual)
        return device(number, host=host, first=first)

    return make


def phone(port: str | None, *, first: int = 1) -> Phone:
    """Return a phone, "192.168.1.20:8080", perhaps with "/game_rotation_vector"."""
    address, _, sensor = (port or "").partition("/")
    url = urlsplit(f"//{address}")
    try:
        number = url.port or PHONE_PORT
    except ValueError:
        number = 0
    if not url.hostname or not number or sensor not in ("", *SENSORS):
        raise ArticulataError(
            f"a phone is reached at an address and a port, not at {port or 'none'}; give"
            f" phone:192.168.1.20:{PHONE_PORT}, and perhaps /{SENSORS[1]}"
        )
    return Phone(url.hostname, number, sensor=sensor or SENSORS[0], first=first)


def heard_at(port: str | None, example: str, usual: int = 0) -> tuple[str, int]:
    """Return the address and the number of a UDP port: "9000", "0.0.0.0:9000", "0.0.0.0:"."""
    host, _, number = (port or "").rpartition(":")
    number = number or str(usual)
    if not number.isdigit() or not 0 < int(number) < 65536:
        word = example.partition(":")[0]
        raise ArticulataError(
            f"{word} is heard at a UDP port from 1 to 65535, not at {port or 'none'}; give"
            f" {example}, or {word}:0.0.0.0:{example.rpartition(':')[2]} to hear other machines"
        )
    return host or LOCAL, int(number)


def makers() -> dict[str, Maker]:
    """Return what makes each device, by its name; ours go before those of others."""
    found: dict[str, Maker] = {}
    for each in entry_points(group=GROUP):
        found[each.name] = _loading(each)
    return found | {
        "fastrak": fastrak,
        "udp": _heard("udp", UdpSensors),
        "slimevr": slimevr,
        "vmc": _heard("vmc", VmcBones, VMC_PORT),
        "vrchat": _heard("vrchat", VrchatTrackers, VRCHAT_PORT),
        "mvn": _heard("mvn", MvnSegments, MVN_PORT),
        "rokoko": _heard("rokoko", RokokoBones, ROKOKO_PORT),
        "phone": phone,
    }


def _loading(entry: object) -> Maker:
    """Return a maker that loads its package when it is called."""

    def make(port: str | None, **more: object) -> Device:
        try:
            maker: Maker = entry.load()  # type: ignore[attr-defined] # an EntryPoint
            return maker(port, **more)
        except ArticulataError:
            raise
        except Exception as error:
            raise ArticulataError(
                f"device '{entry.name}' of package {entry.dist.name} cannot be opened:"  # type: ignore[attr-defined] # the same
                f" {type(error).__name__}: {error}"
            ) from error

    return make
