"""The door to an exercise: one UDP socket that all who take part send to and hear.

An address is a group (multicast), a broadcast address, or those of single machines. Only programs
of this machine are heard and reached unless an interface is named. What one sender sends beyond
``RATE`` and ``BURST`` (a token bucket) is left out before anything of it is read.
"""

from __future__ import annotations

import contextlib
import ipaddress
import select
import socket
import struct
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from articulata.errors import ArticulataError
from articulata.network.sealing import Sealing

DIS_PORT = 3000
"""The port that DIS has been given."""

GROUP = "239.255.68.73"
"""The group that is joined where nobody says otherwise; such groups stay within a site."""

LOOPBACK = "127.0.0.1"

ROOM = 8 << 20
"""Bytes that the system is asked to keep for us between two looks."""

LARGEST = 65536
RATE = 25_000
"""Datagrams/s of one sender that are read; 160 figures and 100 vehicles at 60 Hz make 15,600."""

BURST = 5_000
"""Datagrams of one sender that are read at once; as many wait after a stall of 0.3 s."""

_MULTICAST_ALL = 49
"""IP_MULTICAST_ALL of Linux, which the module socket does not name."""

MOST = 8000
"""Datagrams that are taken at one look at most, so that a flood leaves time to draw."""


class Heard(NamedTuple):
    """A datagram, the address that it came from, and when (s, of ``time.monotonic``)."""

    data: bytes
    sender: str
    arrival: float


@dataclass(frozen=True, slots=True)
class ExerciseAddress:
    """Where an exercise is: ``hosts`` (addresses as numbers), a ``port``, the ``interface``.

    ``interface`` is the address of ours by which others are reached; 127.0.0.1 reaches this
    machine alone.
    """

    hosts: tuple[str, ...] = (GROUP,)
    port: int = DIS_PORT
    interface: str = LOOPBACK

    def __post_init__(self) -> None:
        if not 1 <= self.port <= 65535:
            raise ArticulataError(f"port {self.port} is not from 1 to 65535")
        if not self.hosts:
            raise ArticulataError("an exercise has an address at least")
        families = {_address(host, "an address of an exercise").version for host in self.hosts}
        families.add(_address(self.interface, "an interface").version)
        if len(families) > 1:
            raise ArticulataError(
                f"{', '.join(self.hosts)} and the interface {self.interface} are of IPv4 and of"
                " IPv6; give addresses of one kind"
            )
        ours = ipaddress.ip_address(self.interface)
        for host in self.hosts:
            other = ipaddress.ip_address(host)
            if ours.is_loopback and not (other.is_multicast or other.is_loopback):
                raise ArticulataError(
                    f"{host} is another machine; name the address of this machine by which it is"
                    " reached, as in --interface 192.168.1.5"
                )

    @property
    def family(self) -> socket.AddressFamily:
        """AF_INET or AF_INET6."""
        six = ipaddress.ip_address(self.interface).version == 6
        return socket.AF_INET6 if six else socket.AF_INET

    @staticmethod
    def of(text: str, interface: str = LOOPBACK) -> ExerciseAddress:
        """Return what is written as "239.1.2.3:3000", "[ff02::1]:3000" or "10.0.0.2, 10.0.0.3"."""
        hosts, ports = [], set()
        for part in text.split(","):
            host, port = _host_and_port(part.strip())
            hosts.append(host)
            ports.add(port)
        if len(ports) > 1:
            raise ArticulataError(f"{text!r} names several ports; an exercise has one")
        return ExerciseAddress(tuple(hosts), ports.pop(), interface)


def _host_and_port(text: str) -> tuple[str, int]:
    host, port = text, ""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        port = rest[1:] if rest.startswith(":") else rest
        if not bracket or (rest and not rest.startswith(":")):
            port = "?"
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        raise ArticulataError(
            f"{text!r} is no address of an exercise; write it as {GROUP}:{DIS_PORT}"
        )
    return host or GROUP, int(port) if port else DIS_PORT


def _address(text: str, what: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise ArticulataError(
            f"{text!r} is no {what.split(' ', 1)[1]}; write it in numbers, as {GROUP}"
        ) from None


@dataclass(slots=True)
class Traffic:
    """What has passed the door: datagrams and bytes each way, and what was left out by sender."""

    sent: int = 0
    sent_bytes: int = 0
    heard: int = 0
    heard_bytes: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    refused: str = ""


class ExercisePort:
    """Sends to an exercise and hears it; use it as a context manager.

    With ``sealing`` packets leave sealed, and only those of the same key are heard.
    """

    def __init__(self, address: ExerciseAddress, sealing: Sealing | None = None) -> None:
        self.address, self.sealing = address, sealing
        self.traffic = Traffic()
        self._socket: socket.socket | None = None
        self._owed: dict[str, float] = {}
        self._looked = 0.0
        self._local = ipaddress.ip_address(address.interface).is_loopback

    def __enter__(self) -> ExercisePort:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Take the port, which others on this machine may share, and join groups."""
        family, where = self.address.family, self.address
        opened = socket.socket(family, socket.SOCK_DGRAM)
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            groups = [host for host in where.hosts if ipaddress.ip_address(host).is_multicast]
            with contextlib.suppress(OSError):
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
            if family == socket.AF_INET:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            opened.bind((self._bound(groups), where.port))
            for group in groups:
                self._join(opened, group)
            opened.setblocking(False)
        except (OSError, OverflowError) as error:
            opened.close()
            raise ArticulataError(
                f"the exercise at {', '.join(where.hosts)} port {where.port} cannot be joined by"
                f" {where.interface} ({error}); name an address of this machine by --interface,"
                " or another exercise by --at"
            ) from error
        self._socket = opened

    def close(self) -> None:
        """Leave."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, data: bytes) -> None:
        """Send a datagram to everybody; one that cannot leave is counted, and why."""
        assert self._socket is not None
        if self.sealing is not None:
            data = self.sealing.sealed(data)
        for host in self.address.hosts:
            try:
                self._socket.sendto(data, (host, self.address.port))
            except OSError as error:
                self.traffic.refused = f"{host}: {error.strerror or error}"
                continue
            self.traffic.sent += 1
            self.traffic.sent_bytes += len(data)

    def hear(self, timeout: float, together: float = 0.0) -> list[Heard]:
        """Return what has come within ``together`` s of the first; nothing after ``timeout`` s."""
        heard = self._socket
        assert heard is not None
        if timeout > 0.0 and not select.select([heard], [], [], timeout)[0]:
            return []
        if together > 0.0:
            time.sleep(together)
        found: list[Heard] = []
        arrival = time.monotonic()
        paid, self._looked = RATE * (arrival - self._looked), arrival
        owed = self._owed = {who: much - paid for who, much in self._owed.items() if much > paid}
        traffic, local = self.traffic, self._local
        for _ in range(MOST):
            try:
                data, (host, port, *_rest) = heard.recvfrom(LARGEST)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:  # told of a datagram that nobody took (ICMP)
                continue
            traffic.heard += 1
            traffic.heard_bytes += len(data)
            # on this machine, programs are told apart by their ports
            sender = f"{host}:{port}" if local else host
            if owed.get(sender, 0.0) >= BURST:
                traffic.left_out[sender] += 1
                continue
            owed[sender] = owed.get(sender, 0.0) + 1.0
            plain = data if self.sealing is None else self.sealing.opened(data)
            if plain is not None:
                found.append(Heard(plain, sender, arrival))
        return found

    # ---- inside

    def _bound(self, groups: Sequence[str]) -> str:
        """Return what to bind to: one group or broadcast address is heard under it alone."""
        hosts, interface = self.address.hosts, self.address.interface
        ours = ipaddress.ip_address(interface)
        if ours.version == 6:
            return "::1" if ours.is_loopback and not groups else "::"
        if len(hosts) == 1 and (groups or hosts[0].endswith(".255")):
            return hosts[0]
        return interface if not groups else ""

    def _join(self, opened: socket.socket, group: str) -> None:
        interface = self.address.interface
        if self.address.family == socket.AF_INET:
            ours = socket.inet_aton(interface)
            opened.setsockopt(
                socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + ours
            )
            with contextlib.suppress(OSError):  # Linux: groups that others here joined are theirs
                opened.setsockopt(socket.IPPROTO_IP, _MULTICAST_ALL, 0)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, ours)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
            return
        number = _interface_number(interface)
        raw = socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", number)
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, raw)
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, number)
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 1)
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 1)


def _interface_number(address: str) -> int:
    """Return the number of the interface that has an IPv6 address; 0 lets the system choose."""
    if ipaddress.ip_address(address).is_loopback:
        with contextlib.suppress(OSError):
            return socket.if_nametoindex("lo")
    scope = getattr(ipaddress.ip_address(address), "scope_id", None)
    with contextlib.suppress(OSError, TypeError):
        return socket.if_nametoindex(str(scope))
    return 0
