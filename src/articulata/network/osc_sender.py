"""The door to another program's avatar: datagrams to one address, at a steady rate at most.

What is sent are datagrams of OSC: bones by VMC, and trackers as VRChat takes them. VMC: the
protocol's specification for marionettes; a bone's turn is told against the bone that carries it.
VRChat (its documentation of OSC trackers): places and turns in the scene, turns as Euler angles in
degrees, applied about z, then x, then y.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Self

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.records.networked import HumanoidFrame, carrier
from articulata.records.osc import osc_bundle, osc_message
from articulata.records.samples import DeviceReport

LARGEST = 1400
"""Bytes of a datagram at most: more are cut in pieces on their way."""

_TRACKERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "1": ("Hips", "Hips"),
        "2": ("Chest", "Chest"),
        "3": ("LeftFoot", "LeftFoot"),
        "4": ("RightFoot", "RightFoot"),
        "5": ("LeftLowerLeg", "LeftUpperLeg"),
        "6": ("RightLowerLeg", "RightUpperLeg"),
        "7": ("LeftLowerArm", "LeftUpperArm"),
        "8": ("RightLowerArm", "RightUpperArm"),
        "head": ("Neck", "Neck"),
    }
)
"""Where each tracker of VRChat sits: the bone that begins there, and the one that turns it. Those
of knees and elbows sit at the lower ends of thighs and upper arms."""


def vmc_messages(frame: HumanoidFrame) -> list[bytes]:
    """Return an avatar's frame as messages of VMC."""
    rows = {name: k for k, name in enumerate(frame.names)}
    found = [
        osc_message("/VMC/Ext/OK", 1),
        osc_message("/VMC/Ext/T", float(frame.time)),
        osc_message("/VMC/Ext/Root/Pos", "root", *(0.0,) * 6, 1.0),
    ]
    for k, name in enumerate(frame.names):
        above = carrier(name, rows)
        p, R = frame.p[k], frame.R[k]
        if above:
            back = frame.R[rows[above]].T
            p, R = back @ (p - frame.p[rows[above]]), back @ R
        w, x, y, z = q_from_matrix(R).tolist()
        found.append(osc_message("/VMC/Ext/Bone/Pos", name, *p.tolist(), x, y, z, w))
    return found


def vrchat_messages(frame: HumanoidFrame) -> list[bytes]:
    """Return an avatar's frame as trackers of VRChat, those whose bones it has."""
    rows = {name: k for k, name in enumerate(frame.names)}
    found = []
    for tracker, (place, bone) in _TRACKERS.items():
        if place in rows and bone in rows:
            address = f"/tracking/trackers/{tracker}"
            found.append(osc_message(f"{address}/position", *frame.p[rows[place]].tolist()))
            found.append(osc_message(f"{address}/rotation", *unity_euler(frame.R[rows[bone]])))
    return found


def unity_euler(R: Array) -> tuple[float, float, float]:
    """Return angles about x, y and z, degrees, of a turn (3, 3) of Unity's: R = Ry Rx Rz."""
    flat = math.hypot(R[0, 2], R[2, 2])
    x = math.atan2(-R[1, 2], flat)
    if flat > 1e-9:
        y, z = math.atan2(R[0, 2], R[2, 2]), math.atan2(R[1, 0], R[1, 1])
    else:  # straight up or down: what turns about y and z is one turn
        y, z = math.atan2(-R[2, 0], R[0, 0]), 0.0
    return math.degrees(x), math.degrees(y), math.degrees(z)


def datagrams(messages: Sequence[bytes]) -> list[bytes]:
    """Return messages in bundles of at most LARGEST bytes."""
    parts: list[list[bytes]] = [[]]
    size = 16
    for each in messages:
        if parts[-1] and size + 4 + len(each) > LARGEST:
            parts.append([])
            size = 16
        parts[-1].append(each)
        size += 4 + len(each)
    return [osc_bundle(part) for part in parts]


AVATARS: Mapping[str, tuple[Callable[[HumanoidFrame], list[bytes]], int]] = MappingProxyType(
    {"vmc": (vmc_messages, 39539), "vrchat": (vrchat_messages, 9000)}
)
"""What avatars speak, by its word: what makes messages of a frame, and the port that hears them."""


RATE = 60.0
"""Frames a second unless somebody says otherwise: as many as most avatars are drawn."""


class AvatarPort:
    """Sends frames as ``protocol`` (a word of AVATARS) to a UDP port; use it as a context manager.

    ``rate`` is how many frames a second leave at most; ``clock`` gives s.
    """

    def __init__(
        self,
        protocol: str,
        host: str,
        port: int,
        *,
        rate: float = RATE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"{protocol}://{host}:{port}"
        self._messages = AVATARS[protocol][0]
        self._address, self._clock = (host, port), clock
        self._period, self._due = 1.0 / rate, -1.0
        self._socket: socket.socket | None = None
        self._frames = self._bytes = 0
        self._refused = ""

    def __enter__(self) -> Self:
        host, port = self._address
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
            family, kind, protocol, _, address = found[0]
            self._socket = socket.socket(family, kind, protocol)
            self._socket.connect(address)  # so that it is told where nobody hears
            self._socket.setblocking(False)
        except OSError as error:
            self.close()
            raise ArticulataError(
                f"--to {self.name}: the address cannot be sent to ({error}); give one as in"
                " --to vmc://127.0.0.1:39539"
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Send no more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def due(self) -> bool:
        """Return whether a frame may leave now; it is expected to be sent then."""
        now = self._clock()
        if now < self._due:
            return False
        # who is late by less than a period is on time with the next one
        self._due = max(self._due, now - self._period) + self._period
        return True

    def send(self, frame: HumanoidFrame) -> None:
        """Send a frame; what cannot leave is told by the report."""
        if self._socket is None:
            return
        refused = ""
        for data in datagrams(self._messages(frame)):
            try:
                self._bytes += self._socket.send(data)
            except OSError as error:
                refused = error.strerror or str(error)
        self._refused = refused
        self._frames += not refused

    def report(self) -> DeviceReport:
        """Return how many frames have left, and whether nobody hears them."""
        told = f"{self._frames} frames sent, {1.0 / self._period:g} a second at most"
        notice = ""
        if self._refused:
            notice = f"nobody hears {self.name} ({self._refused}); start what shows the avatar"
        return DeviceReport(self.name, self._bytes, self._frames, told=told, notice=notice)
