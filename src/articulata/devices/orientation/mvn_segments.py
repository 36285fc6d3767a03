"""A suit of Xsens as MVN Analyze or Animate streams it: segments of a body, turned since T.

Datagrams of 24 bytes and 32 a segment, high bytes first (Xsens, MV0305P, MVN real-time network
streaming, 2018: type 02, positions and quaternions): ``MXTP02``, sample counter, datagram counter,
number of items, time code (ms), character; then a segment's number, place (3), quaternion w, x, y,
z, float32. The stream's frame has x ahead, y left, z up; in the T posture all segments are as it.
A frame of several datagrams needs no joining: each tells whole segments.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence

from articulata.devices.orientation.datagrams import LOCAL, OneSender
from articulata.devices.orientation.sensor_readings import NoReading, checked
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS

MVN_PORT = 9763
"""Where MVN's network streamer sends to unless it is told otherwise."""

_ID, _QUATERNIONS = b"MXTP", b"02"
_HEAD = struct.Struct(">4s2sIBBIBBBBHH")
_SEGMENT = struct.Struct(">I3f4f")

SEGMENT_OF: Mapping[str, int] = {
    "skull": 7, "sternum": 5,
    "r_upper_arm": 9, "r_forearm": 10, "r_hand": 11,
    "l_upper_arm": 13, "l_forearm": 14, "l_hand": 15,
}  # fmt: skip
"""The number of the segment that a sensor would sit on; the chest's is T8."""

_STATION = {SEGMENT_OF[role]: station for station, role in STATIONS.items()}


class MvnSegments(OneSender):
    """Hears MVN's network streamer at a UDP ``port``; stations are the usual ones.

    Of several characters the first who is heard is followed.
    """

    what = "segment of MVN"
    advice = (
        "let MVN's network streamer send here: Position + Orientation (Quaternion), Z up, this"
        " address and port"
    )

    def __init__(self, port: int = MVN_PORT, *, host: str = LOCAL, first: int = 1) -> None:
        super().__init__(port, host=host, name="mvn", first=first)
        self._character: int | None = None

    def begin(self) -> None:
        """Forget the character before."""
        super().begin()
        self._character = None

    def said(self, data: bytes, arrival: float) -> Sequence[Sample] | None:
        """Return samples of the segments that sensors would sit on; None for other types."""
        if len(data) < _HEAD.size or not data.startswith(_ID):
            raise NoReading("no datagram of MVN")
        _, kind, _, _, count, code, character, *_ = _HEAD.unpack_from(data)
        if kind != _QUATERNIONS:
            return None
        if len(data) < _HEAD.size + count * _SEGMENT.size:
            raise NoReading("a datagram of MVN that is cut short")
        if self._character is None:
            self._character = character
        if character != self._character:
            raise NoReading(f"character {character} of MVN, while {self._character} is followed")
        sent = 1e-3 * code if code else math.nan
        found = []
        body = data[_HEAD.size : _HEAD.size + count * _SEGMENT.size]
        for number, *numbers in _SEGMENT.iter_unpack(body):
            if (station := _STATION.get(number)) is None:
                continue
            w, x, y, z = checked(station, sent, numbers[3:]).q
            station += self._first - 1
            time = self._clock.time_of(station, sent, arrival)
            # turned about x by half a turn: ahead, right, down
            found.append(Sample(station, time, arrival, (w, x, -y, -z)))
        return found
