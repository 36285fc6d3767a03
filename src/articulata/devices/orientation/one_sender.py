"""A port at which one sender is heard; what others send is counted and left out.

Of this kind are orientation sensors over UDP, by any program that sends lines or OSC.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from articulata.devices.clocks import SenderClock, told_set_back
from articulata.devices.orientation.datagrams import LOCAL, PATIENCE, Address, DatagramDevice
from articulata.devices.orientation.sensor_readings import NoReading, read_datagram, sample_of
from articulata.records.samples import DeviceReport, Sample


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
