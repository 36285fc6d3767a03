"""Orientation sensors over UDP, by any program that sends lines or OSC."""

from __future__ import annotations

from articulata.devices.orientation.datagrams import LOCAL
from articulata.devices.orientation.one_sender import OneSender
from articulata.devices.orientation.sensor_readings import read_datagram, sample_of
from articulata.records.samples import Sample


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
