"""Suits of Rokoko and Xsens as their programs stream them: bones and segments of a body.

Rokoko Studio sends datagrams of JSON, version 3 of its custom streaming: a scene has actors, an
actor a body, a body bones by name, each with a place (m) and a turn (a quaternion x, y, z, w), all
against the room, in Unity's axes. In the T posture bones are not at zero: how they are turned then
stands in Rokoko's own plugin for Unity (SmartsuitTPose).

MVN Analyze and Animate send datagrams of 24 bytes and 32 a segment, high bytes first (Xsens,
MV0305P, MVN real-time network streaming, 2018: type 02, positions and quaternions): ``MXTP02``,
sample counter, datagram counter, number of items, time code (ms), character; then a segment's
number, place (3), quaternion w, x, y, z, float32. The stream's frame has x ahead, y left, z up; in
the T posture all segments are as it. A frame of several datagrams needs no joining: each tells
whole segments.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from articulata.devices.orientation.datagrams import LOCAL, OneSender
from articulata.devices.orientation.sensor_readings import NoReading, checked
from articulata.geometry.quaternion import q_conjugate, q_multiply
from articulata.records.networked import Quaternion, level_of_unity
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS

ROKOKO_PORT = 14043
"""Where Studio's custom streaming sends to unless it is told otherwise."""

_SIDES = {"r": "right", "l": "left"}
_PARTS = {"upper_arm": "UpperArm", "forearm": "LowerArm", "hand": "Hand"}

BONE_OF: Mapping[str, str] = {
    "skull": "head",
    "sternum": "chest",
    **{f"{s}_{part}": side + bone for s, side in _SIDES.items() for part, bone in _PARTS.items()},
}
"""The bone of what sensors sit on."""

_IN_T: Mapping[str, Quaternion] = {
    "s": (0.0, 0.0, 0.0, 1.0), "r": (0.5, 0.5, -0.5, 0.5), "l": (-0.5, -0.5, -0.5, 0.5),
}  # fmt: skip
"""How bones of trunk and head, of the right and of the left arm are turned in the T posture, w
first."""


class _Turn(msgspec.Struct):
    x: float
    y: float
    z: float
    w: float


class _Bone(msgspec.Struct):
    rotation: _Turn


class _Actor(msgspec.Struct):
    name: str = ""
    body: dict[str, _Bone] | None = None


class _Scene(msgspec.Struct):
    timestamp: float = math.nan
    actors: list[_Actor] = []


class _Frame(msgspec.Struct):
    scene: _Scene


_decode: Callable[[bytes], _Frame] = msgspec.json.Decoder(_Frame).decode


class RokokoBones(OneSender):
    """Hears Rokoko Studio at a UDP ``port``; stations are the usual ones, from ``first`` on.

    Of several actors the first who is heard is followed.
    """

    what = "bone of Rokoko"
    advice = "let Studio's custom streaming send JSON v3 here, to this address and port"

    def __init__(self, port: int = ROKOKO_PORT, *, host: str = LOCAL, first: int = 1) -> None:
        super().__init__(port, host=host, name="rokoko", first=first)
        self._actor: str | None = None

    def begin(self) -> None:
        """Forget the actor before."""
        super().begin()
        self._actor = None

    def said(self, data: bytes, arrival: float) -> Sequence[Sample] | None:
        """Return samples of the bones that sensors would sit on; None where no body is told."""
        try:
            scene = _decode(data).scene
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise NoReading(f"no frame of Rokoko's JSON v3: {str(error)[:40]}") from None
        bodies = {each.name: each.body for each in scene.actors if each.body}
        if not bodies:
            return None
        if self._actor is None:
            self._actor = next(iter(bodies))
        if self._actor not in bodies:
            raise NoReading("another actor of Rokoko than the one who is followed")
        sent = scene.timestamp if scene.timestamp > 0.0 else math.nan
        found = []
        for station, role in STATIONS.items():
            bone = (bodies[self._actor] or {}).get(BONE_OF[role])
            if bone is None:
                continue
            turn = bone.rotation
            q = checked(1, sent, (turn.w, turn.x, turn.y, turn.z)).q
            number = station + self._first - 1
            time = self._clock.time_of(number, sent, arrival)
            since = _since(q, _IN_T[role[0] if role[1] == "_" else "s"])
            found.append(Sample(number, time, arrival, level_of_unity(since)))
        return found


def _since(q: Quaternion, before: Quaternion) -> Quaternion:
    """Return the turn that brings ``before`` to ``q``."""
    turned = q_multiply(np.array(q), q_conjugate(np.array(before)))
    w, x, y, z = turned.tolist()
    return w, x, y, z


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
