"""Orientation sensors over UDP: a socket that hears one sender and tells of all others."""

from __future__ import annotations

from articulata.devices.clocks import SenderClock, told_set_back
from articulata.devices.orientation.datagrams import LOCAL, PATIENCE, Address, DatagramDevice
from articulata.devices.orientation.sensor_readings import NoReading, read_datagram, sample_of
from articulata.records.samples import DeviceReport, Sample


class UdpSensors(DatagramDevice):
    """Hears sensors at a UDP ``port`` of this machine; use it as a context manager.

    The first who sends a reading is the sender; what others send is counted and left out until the
    sender has been silent for ``PATIENCE`` s. On 127.0.0.1 only programs of this machine are
    heard; "0.0.0.0" hears the network. ``first`` is added to stations, less 1.
    """

    def __init__(self, port: int, *, host: str = LOCAL, first: int = 1) -> None:
        super().__init__(host, port, f"udp {port}")
        self._first = first
        self._sender: str = ""
        self._clock = SenderClock()
        self._samples = 0

    def take(self, data: bytes, sender: Address, arrival: float) -> list[Sample]:
        """Return the samples of a datagram."""
        who = self._who(sender)
        if self._sender and who != self._sender and arrival - self._heard < PATIENCE:
            self._strangers.add(who)
            return []
        try:
            readings = read_datagram(data)
        except NoReading as error:
            self._damaged.add(str(error)[:60])
            return []
        if not readings:
            return []
        if who != self._sender:
            self._sender, self._clock = who, SenderClock()
        self._heard = arrival
        self._samples += len(readings)
        return [
            sample_of(
                reading._replace(station=reading.station + self._first - 1),
                self._clock.time_of(reading.station, reading.time, arrival),
                arrival,
            )
            for reading in readings
        ]

    def report(self) -> DeviceReport:
        """Return how the sensors fare."""
        trouble = self._silence("reading", "see that the sender is running and sends here")
        told = f"from {self._sender}" if self._sender else ""
        notices = []
        if self._clock.set_back:
            notices.append(told_set_back(f"the clock of {self._sender}", self._clock.set_back))
        if self._strangers.total:
            ((who, count),) = self._strangers.most(1).items()
            told += f"; {self._strangers.total} datagrams of others left out ({who}: {count})"
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
            trouble,
            told.strip("; "),
            "; ".join(notices),
        )
