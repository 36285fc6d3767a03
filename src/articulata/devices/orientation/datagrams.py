"""UDP ports as devices: opened, read until something says something, closed.

``OneSender`` hears the first who sends; what others send is counted and left out. Of this kind are
orientation sensors over UDP, by any program that sends lines or OSC.
"""

from __future__ import annotations

import contextlib
import math
import socket
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from articulata.devices.driver import OpenedDevice, SenderClock, told_set_back
from articulata.devices.orientation.sensor_readings import NoReading, read_datagram, sample_of
from articulata.errors import ArticulataError
from articulata.records.samples import DeviceReport, Sample

LOCAL = "127.0.0.1"
"""The address at which programs of this machine alone are heard."""

LARGEST = 65536
PATIENCE = 1.0
"""Seconds without a datagram after which something is the matter."""

MOST_TALLIED = 64
"""Different things that are counted apart; the rest is counted together."""

Address = tuple[str, int]


class Tally:
    """Counts things by their names, in bounded memory whatever comes."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, name: str) -> None:
        """Count one more."""
        known = name in self._counts or len(self._counts) < MOST_TALLIED
        self._counts[name if known else "others"] += 1

    @property
    def total(self) -> int:
        """How many there were."""
        return self._counts.total()

    def most(self, several: int = 5) -> Mapping[str, int]:
        """Return the most frequent ones."""
        return MappingProxyType(dict(self._counts.copy().most_common(several)))


class DatagramDevice(OpenedDevice):
    """Hears a UDP ``port`` of ``host``, 0 for any free one; use it as a context manager."""

    def __init__(self, host: str, port: int, name: str, taken: str = "close who hears it") -> None:
        self.name = name
        self._address = host, port
        self._taken = taken
        self._socket: socket.socket | None = None
        self._heard = 0.0
        self._bytes = 0
        self._damaged, self._strangers = Tally(), Tally()

    def open(self) -> None:
        """Begin to hear; raise ArticulataError where the port is taken."""
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            opened.bind(self._address)
        except (OSError, OverflowError) as error:
            opened.close()
            host, port = self._address
            raise ArticulataError(
                f"UDP port {port} of {host} cannot be heard ({error}); {self._taken}, or name"
                " another one from 1024 to 65535"
            ) from error
        self._socket, self._heard = opened, time.monotonic()

    def close(self) -> None:
        """Hear no more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    @property
    def port(self) -> int:
        """The port that is heard."""
        assert self._socket is not None
        return int(self._socket.getsockname()[1])

    def read(self, timeout: float) -> list[Sample]:
        """Return what has come as soon as something has, nothing after ``timeout`` s."""
        heard = self._socket
        if heard is None:
            time.sleep(timeout)
            return []
        deadline = time.monotonic() + timeout
        found: list[Sample] = []
        while not found and (left := deadline - time.monotonic()) > 0.0:
            heard.settimeout(min(left, self.patience))
            before = self._bytes
            with contextlib.suppress(OSError):
                found += self._counted(*heard.recvfrom(LARGEST))
            if self._bytes == before:
                found += self.settled()
            # what waits already is of the same moment
            heard.settimeout(0.0)
            with contextlib.suppress(OSError):
                while len(found) < LARGEST and time.monotonic() < deadline:
                    found += self._counted(*heard.recvfrom(LARGEST))
        return found

    def _counted(self, data: bytes, sender: Address) -> Sequence[Sample]:
        self._bytes += len(data)
        return self.take(data, sender, time.monotonic())

    @property
    def patience(self) -> float:
        """Seconds of silence after which what has come is ``settled``."""
        return math.inf

    def settled(self) -> Sequence[Sample]:
        """Return the samples of what has come and waits for more, which does not come."""
        return []

    @abstractmethod
    def take(self, data: bytes, sender: Address, arrival: float) -> Sequence[Sample]:
        """Return the samples of a datagram that came at ``arrival`` (s); raise for nothing."""

    def _send(self, data: bytes, to: Address) -> None:
        """Answer; what cannot be sent now is not sent."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.sendto(data, to)

    def _who(self, sender: Address) -> str:
        """Return a sender's name: of this machine a program, of the network a machine."""
        return f"{sender[0]}:{sender[1]}" if self._address[0] == LOCAL else sender[0]

    def _silence(self, what: str, advice: str) -> str:
        """Return what there is to say of a port where nothing useful comes, "" where some does."""
        silent = time.monotonic() - self._heard
        if silent <= PATIENCE:
            return ""
        host, port = self._address
        return f"no {what} has come to UDP port {port} of {host} for {silent:.0f} s; {advice}"


class OneSender(DatagramDevice):
    """Hears the first who says something useful, until he has been silent for ``PATIENCE`` s.

    ``first`` is added to stations, less 1.
    """

    what, advice = "reading", "see that the sender is running and sends here"
    """What is waited for, and what to do where none comes."""

    def __init__(self, port: int, *, host: str, name: str, first: int = 1) -> None:
        super().__init__(host, port, f"{name} {port}")
        self._first = first
        self._sender = ""
        self._clock = SenderClock()
        self._samples = 0

    @abstractmethod
    def said(self, data: bytes, arrival: float) -> Sequence[Sample] | None:
        """Return the samples of a datagram, None where it says nothing; raise NoReading."""

    def begin(self) -> None:
        """Forget the sender before: another one is heard from now on."""
        self._clock = SenderClock()

    def take(self, data: bytes, sender: Address, arrival: float) -> Sequence[Sample]:
        """Return the samples of a datagram."""
        who = self._who(sender)
        if self._sender and who != self._sender:
            if arrival - self._heard < PATIENCE:
                self._strangers.add(who)
                return []
            self._sender = ""
            self.begin()
        try:
            samples = self.said(data, arrival)
        except NoReading as error:
            self._damaged.add(str(error)[:60])
            return []
        if samples is None:
            return []
        self._sender, self._heard = who, arrival
        self._samples += len(samples)
        return samples

    def told(self) -> str:
        """Return what the sender tells of himself, "" for nothing."""
        return ""

    def report(self) -> DeviceReport:
        """Return how the sender is heard."""
        told = [f"from {self._sender}"] if self._sender else []
        told += [each for each in (self.told(),) if each]
        hint = "; --listen 0.0.0.0 hears other machines" if self._address[0] == LOCAL else ""
        notices = []
        if self._clock.set_back:
            notices.append(told_set_back(f"the clock of {self._sender}", self._clock.set_back))
        if self._strangers.total:
            ((who, count),) = self._strangers.most(1).items()
            told.append(f"{self._strangers.total} datagrams of others left out ({who}: {count})")
            notices.append(
                f"{who} sends to UDP port {self._address[1]} as well; its datagrams are left out,"
                f" since {self._sender} is heard: one sender a port"
            )
        return DeviceReport(
            self.name,
            self._bytes,
            self._samples,
            0,
            self._damaged.most(),
            self._silence(self.what, f"{self.advice}{hint}"),
            "; ".join(told),
            "; ".join(notices),
        )


class UdpSensors(OneSender):
    """Hears sensors at a UDP ``port`` of this machine; use it as a context manager.

    On 127.0.0.1 only programs of this machine are heard; "0.0.0.0" hears the network.
    """

    def __init__(self, port: int, *, host: str = LOCAL, first: int = 1) -> None:
        super().__init__(port, host=host, name="udp", first=first)

    def said(self, data: bytes, arrival: float) -> list[Sample] | None:
        """Return the samples of a datagram, None for an empty one."""
        return [
            sample_of(
                reading._replace(station=reading.station + self._first - 1),
                self._clock.time_of(reading.station, reading.time, arrival),
                arrival,
            )
            for reading in read_datagram(data)
        ] or None
