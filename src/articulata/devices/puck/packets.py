"""Packets of the spacenavd daemon and of the kernel's joysticks as six numbers from -1 to 1.

spacenavd sends eight int32: 0 and six axes and the milliseconds since the last, 1 and a button that
is pressed, 2 and one that is let go. Its axes are x to the right, y up, z away from the user. The
kernel's joystick interface (``linux/joystick.h``) sends eight bytes: milliseconds, an int16, what
it is (1 a button, 2 an axis, with 128 at the start) and its number; gamepads come as the xpad
driver orders them: left stick 0 and 1, left trigger 2, right stick 3 and 4, right trigger 5.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from typing import Final

from articulata.devices.puck.hid_reports import FULL, Six

PACKET: Final = 32
EVENT: Final = 8

_MOTION, _PRESSED, _RELEASED = 0, 1, 2
_BUTTON, _AXIS, _BEGIN = 1, 2, 128
_LEFT, _RIGHT = 4, 5
"""Shoulder buttons of a gamepad: they roll."""


class _Stream(ABC):
    """Bytes in any portions, cut into packets of ``size``."""

    size = PACKET

    def __init__(self) -> None:
        self._rest = b""
        self.buttons = 0
        self.faults = 0
        self.fault = ""

    def feed(self, data: bytes) -> bool:
        """Take bytes as they come; return whether they said something about the axes."""
        data = self._rest + data
        whole = len(data) - len(data) % self.size
        self._rest = data[whole:]
        said = [self._packet(data[k : k + self.size]) for k in range(0, whole, self.size)]
        return any(said)

    @abstractmethod
    def _packet(self, packet: bytes) -> bool:
        """Take one packet; return whether it said something about the axes."""

    def _hold(self, number: int, held: bool) -> None:
        if not 0 <= number < 64:
            self._wrong(f"button {number} is none")
        elif held:
            self.buttons |= 1 << number
        else:
            self.buttons &= ~(1 << number)

    def _wrong(self, what: str) -> bool:
        self.faults += 1
        self.fault = what
        return False


class SpacenavDecoder(_Stream):
    """Takes what the daemon's socket sends; ``axes`` is where the puck is now."""

    axes: Six = (0.0,) * 6

    def _packet(self, packet: bytes) -> bool:
        kind, *numbers = struct.unpack("<8i", packet)
        if kind == _MOTION:
            x, y, z, u, v, w = (min(max(n / FULL, -1.0), 1.0) for n in numbers[:6])
            self.axes = x, y, -z, u, v, -w
            return True
        if kind in (_PRESSED, _RELEASED):
            self._hold(numbers[0], kind == _PRESSED)
            return False
        return self._wrong(f"a packet of kind {kind}; the daemon sends 0, 1 and 2")


class GamepadDecoder(_Stream):
    """Takes a joystick's events; sticks move and turn, triggers go up and down, shoulders roll."""

    size = EVENT

    def __init__(self) -> None:
        super().__init__()
        self._sticks = [0.0] * 8
        self._sticks[2] = self._sticks[5] = -1.0  # triggers rest at their lower end

    @property
    def axes(self) -> Six:
        """The six numbers, -1 to 1."""
        right, back, down, yaw, pitch, up = self._sticks[:6]
        roll = float(bool(self.buttons >> _LEFT & 1)) - float(bool(self.buttons >> _RIGHT & 1))
        return right, 0.5 * (up - down), back, -pitch, -yaw, roll

    def _packet(self, packet: bytes) -> bool:
        _, value, kind, number = struct.unpack("<IhBB", packet)
        kind &= ~_BEGIN
        if kind == _BUTTON:
            self._hold(number, value != 0)
            return number in (_LEFT, _RIGHT)
        if kind != _AXIS:
            return self._wrong(f"an event of kind {kind}; a joystick sends 1 and 2")
        if number >= len(self._sticks):
            return False
        self._sticks[number] = max(value / 32767.0, -1.0)
        return True
