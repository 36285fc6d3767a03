"""Trackers as programs send them to VRChat: places and Euler angles by OSC.

``/tracking/trackers/N/position`` (m) and ``/tracking/trackers/N/rotation`` (degrees about x, y and
z, applied about z, then x, then y), N from 1 to 8 or ``head``, in Unity's axes. Reference: VRChat's
documentation of OSC trackers.
"""

from __future__ import annotations

import math
import re

import numpy as np

from articulata.devices.orientation.datagrams import LOCAL
from articulata.devices.orientation.one_sender import OneSender
from articulata.devices.orientation.sensor_readings import NoReading, messages_of
from articulata.geometry.quaternion import q_multiply
from articulata.records.humanoid import Point, Quaternion, level_of_unity, place_of_unity
from articulata.records.samples import NO_PLACE, Sample

VRCHAT_PORT = 9000
"""Where VRChat hears them, and so where senders send to: it cannot run beside us on one machine."""

HEAD_STATION = 9
"""The station of the head; trackers have their own numbers."""

_ADDRESS = re.compile(r"/tracking/trackers/([1-8]|head)/(position|rotation)")


class VrchatTrackers(OneSender):
    """Hears trackers at a UDP ``port``; stations are their numbers, from ``first`` on."""

    what = "turn of a tracker"
    advice = "let the sender send OSC trackers here, to this address and port"

    def __init__(self, port: int = VRCHAT_PORT, *, host: str = LOCAL, first: int = 1) -> None:
        super().__init__(port, host=host, name="vrchat", first=first)
        self._places: dict[int, Point] = {}

    def begin(self) -> None:
        """Forget the sender before."""
        super().begin()
        self._places = {}

    def said(self, data: bytes, arrival: float) -> list[Sample] | None:
        """Return the samples of a datagram, None where it tells no tracker."""
        turns: dict[int, Quaternion] = {}
        places: dict[int, Point] = {}
        for message in messages_of(data):
            found = _ADDRESS.fullmatch(message.address)
            if found is None:
                continue
            numbers = [float(n) for n in message.arguments if isinstance(n, int | float)]
            if len(numbers) != 3 or not all(map(math.isfinite, numbers)):
                raise NoReading("a tracker without three finite numbers")
            tracker, what = found.groups()
            station = HEAD_STATION if tracker == "head" else int(tracker)
            x, y, z = numbers
            if what == "position":
                places[station] = place_of_unity((x, y, z))
            else:
                turns[station] = level_of_unity(_of_euler(x, y, z))
        self._places |= places
        samples = []
        for station, q in turns.items():
            number = station + self._first - 1
            time = self._clock.time_of(number, math.nan, arrival)
            samples.append(Sample(number, time, arrival, q, self._places.get(station, NO_PLACE)))
        return samples if samples or places else None


def _of_euler(x: float, y: float, z: float) -> Quaternion:
    """Return the turn, w first, of angles in degrees, applied about z, then x, then y."""
    parts = []
    for axis, degrees in ((1, y), (0, x), (2, z)):
        q = np.zeros(4)
        half = math.radians(math.remainder(degrees, 360.0)) / 2.0
        q[0], q[1 + axis] = math.cos(half), math.sin(half)
        parts.append(q)
    about_y, about_x, about_z = parts
    a, b, c, d = q_multiply(q_multiply(about_y, about_x), about_z).tolist()
    return a, b, c, d
