"""An avatar's bones by VMC, and trackers as programs send them to VRChat: who performs is heard.

Messages of OSC. The Virtual Motion Capture protocol's specification for marionettes has
``/VMC/Ext/Bone/Pos`` name, place (3), quaternion x, y, z, w, against the bone that carries it;
``/VMC/Ext/Root/Pos`` the same of the whole avatar; ``/VMC/Ext/OK`` whether an avatar is there.
Faces, fingers, cameras and keys are left out. Bones are those of ``records.humanoid``.

VRChat's documentation of OSC trackers has ``/tracking/trackers/N/position`` (m) and
``/tracking/trackers/N/rotation`` (degrees about x, y and z, applied about z, then x, then y), N
from 1 to 8 or ``head``, in Unity's axes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from articulata.devices.orientation.datagrams import LOCAL, OneSender
from articulata.devices.orientation.sensor_readings import NoReading, checked, messages_of
from articulata.geometry.quaternion import q_multiply
from articulata.records.networked import PARENTS, Point, Quaternion, level_of_unity, place_of_unity
from articulata.records.osc import OscMessage
from articulata.records.samples import NO_PLACE, Sample
from articulata.records.tracking import STATIONS

VMC_PORT = 39539
"""Where performers send to: the port of a marionette, which is what we are to them."""

BONE, ROOT, READY, TIME = "/VMC/Ext/Bone/Pos", "/VMC/Ext/Root/Pos", "/VMC/Ext/OK", "/VMC/Ext/T"

SETTLED = 0.002
"""Seconds of silence after which a frame is whole: its datagrams come side by side."""

_NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)

_SIDES = {"r": "Right", "l": "Left"}
_PARTS = {"upper_arm": "UpperArm", "forearm": "LowerArm", "hand": "Hand"}

BONE_OF: Mapping[str, str] = {
    "skull": "Head",
    "sternum": "UpperChest",
    **{f"{s}_{part}": side + bone for s, side in _SIDES.items() for part, bone in _PARTS.items()},
}
"""The bone of what sensors sit on."""


class VmcBones(OneSender):
    """Hears a performer at a UDP ``port``; stations are the usual ones, from ``first`` on.

    A frame's bones may come in several datagrams. It is whole when a bone comes again, or when
    nothing has come for ``SETTLED`` s.
    """

    what = "bone of an avatar"
    advice = "let the performer send VMC here (its marionette's, or receiver's, address and port)"

    def __init__(self, port: int = VMC_PORT, *, host: str = LOCAL, first: int = 1) -> None:
        super().__init__(port, host=host, name="vmc", first=first)
        self._ready = True
        self._forget()

    def _forget(self) -> None:
        self._turns: dict[str, Quaternion] = {}
        self._fresh: set[str] = set()
        self._arrival = -math.inf

    def begin(self) -> None:
        """Forget the performer before."""
        super().begin()
        self._forget()

    def said(self, data: bytes, arrival: float) -> list[Sample] | None:
        """Return the samples of a frame that is whole; None where no bone is told."""
        turns = []
        for message in messages_of(data):
            if message.address in (BONE, ROOT):
                turns.append(_turn(message))
            elif message.address == READY and message.arguments:
                self._ready = bool(message.arguments[0])
        if not turns:
            return None
        found: list[Sample] = []
        for name, q in turns:
            if name in self._fresh:
                found += self._frame()
            if name in PARENTS:
                self._fresh.add(name)
                self._arrival = arrival
            if name in PARENTS or not name:
                self._turns[name] = q
        return found

    def settled(self) -> list[Sample]:
        """Return the samples of a frame after which nothing has come."""
        found = self._frame() if self._fresh else []
        self._samples += len(found)
        return found

    @property
    def patience(self) -> float:
        """Seconds after which what has come is whole."""
        return SETTLED if self._fresh else math.inf

    def told(self) -> str:
        """Return whether the performer has an avatar."""
        return "" if self._ready else "the performer says that no avatar is loaded"

    def _frame(self) -> list[Sample]:
        self._fresh = set()
        seen: dict[str, Quaternion] = {"": self._turns.get("", _NO_TURN)}
        heard = {""}
        for bone, parent in PARENTS.items():
            w, x, y, z = seen[parent]
            if bone in self._turns:
                heard.add(bone)
                w, x, y, z = q_multiply(
                    np.array(seen[parent]), np.array(self._turns[bone])
                ).tolist()
            seen[bone] = w, x, y, z
        # a chest is told by what is lowest of the bones that are there
        chest = heard & {"Hips", "Spine", "Chest", "UpperChest"}
        found = []
        for station, role in STATIONS.items():
            bone = BONE_OF[role]
            if bone in heard or (role == "sternum" and chest):
                station += self._first - 1
                time = self._clock.time_of(station, math.nan, self._arrival)
                found.append(Sample(station, time, self._arrival, level_of_unity(seen[bone])))
        return found


def _turn(message: OscMessage) -> tuple[str, Quaternion]:
    """Return a bone's name, "" for the root, and its turn, w first; raise NoReading."""
    name, *rest = message.arguments[:8] or ("",)
    numbers = [float(each) for each in rest if isinstance(each, int | float)]
    if not isinstance(name, str) or len(numbers) != 7:
        raise NoReading("a bone without a name and seven numbers")
    x, y, z, w = numbers[3:]
    q = checked(1, math.nan, (w, x, y, z)).q
    return "" if message.address == ROOT else name, q


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
