"""Devices by name: ours and those of installed packages, found by the group of entry points.

A package adds a device with an entry point of the group ``articulata.devices``: its name is the
word in ``from:``, what it loads is called with the text after the word (or None) and ``first``, the
number of the device's station 1 among all, and gives a ``Device``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TypeAlias

from articulata.devices.device import Device
from articulata.devices.fastrak.port import BAUD, FastrakPort
from articulata.devices.orientation.udp import UdpSensors
from articulata.errors import ArticulataError

GROUP = "articulata.devices"

Maker: TypeAlias = Callable[..., Device]


def fastrak(port: str | None, *, first: int = 1, baud: int = BAUD) -> Device:
    """Return a Fastrak on a serial port."""
    if port is None:
        raise ArticulataError(
            'a fastrak hangs on a serial port; name it, as in fastrak "/dev/ttyUSB0"'
        )
    return FastrakPort(port, first=first, baud=baud)


def udp(port: str | None, *, first: int = 1) -> Device:
    """Return sensors that are heard at a UDP port, "9000" or "0.0.0.0:9000"."""
    host, _, number = (port or "").rpartition(":")
    if not number.isdigit() or not 0 < int(number) < 65536:
        raise ArticulataError(
            f"sensors over UDP are heard at a port from 1 to 65535, not at {port or 'none'}; "
            "give udp:9000, or udp:0.0.0.0:9000 to hear other machines"
        )
    return UdpSensors(int(number), host=host or "127.0.0.1", first=first)


def makers() -> dict[str, Maker]:
    """Return what makes each device, by its name; ours go before those of others."""
    found: dict[str, Maker] = {}
    for each in entry_points(group=GROUP):
        found[each.name] = _loading(each)
    return found | {"fastrak": fastrak, "udp": udp}


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
