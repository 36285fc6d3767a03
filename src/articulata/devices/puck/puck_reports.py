"""What 3D mice, the spacenavd daemon and joysticks say, as six numbers from -1 to 1.

Raw HID reports: vendors 0x046D (Logitech) and 0x256F (3Dconnexion). Report 1 is the translation,
three int16 of low byte first, report 2 the rotation; newer models send both in report 1, 12 bytes.
Report 3 is a mask of buttons. Full scale is 350. The device's axes are x to the right, y towards
the user, z down; ours are a camera's: to the right, up and back, and turns about these.

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

FULL: Final = 350.0
STRANGE: Final = 4 * 350
"""What no puck says: a report with a greater number is of something else, or damaged."""

VENDORS: Final = (0x046D, 0x256F)

_TRANSLATION, _ROTATION, _BUTTONS = 1, 2, 3

Six = tuple[float, float, float, float, float, float]


class PuckDecoder:
    """Takes reports one at a time; ``axes`` is where the puck is now, ``buttons`` what is held.

    ``faults`` counts reports that were passed over, ``fault`` says what was wrong with the last.
    """

    def __init__(self) -> None:
        self._moved = [0, 0, 0]
        self._turned = [0, 0, 0]
        self.buttons = 0
        self.faults = 0
        self.fault = ""

    @property
    def axes(self) -> Six:
        """The six numbers, -1 to 1."""
        (x, y, z), (u, v, w) = self._moved, self._turned
        return _unit(x), _unit(-z), _unit(y), _unit(u), _unit(-w), _unit(v)

    def feed(self, report: bytes) -> bool:
        """Take one report, its number first; return whether it said something about the axes.

        Bytes beyond what a report needs are passed over; one with fewer, or with a number that no
        puck says, is a fault and changes nothing.
        """
        if not report:
            return self._wrong("an empty report")
        kind, data = report[0], report[1:]
        if kind == _BUTTONS:
            if not data:
                return self._wrong("a report of buttons without buttons")
            self.buttons = int.from_bytes(data[:4], "little")
            return False
        if kind not in (_TRANSLATION, _ROTATION):
            return False  # batteries, lamps and the like
        joined = kind == _TRANSLATION and len(data) >= 12
        if len(data) < 6 or (kind == _TRANSLATION and 8 <= len(data) < 12):
            return self._wrong(f"report {kind} has {len(data)} bytes; a puck sends 6 or 12")
        numbers = struct.unpack("<6h" if joined else "<3h", data[: 12 if joined else 6])
        if max(map(abs, numbers)) > STRANGE:
            return self._wrong(f"report {kind} holds {max(numbers, key=abs)}; a puck's are to 350")
        if joined:
            self._moved, self._turned = list(numbers[:3]), list(numbers[3:])
        elif kind == _TRANSLATION:
            self._moved = list(numbers)
        else:
            self._turned = list(numbers)
        return True

    def _wrong(self, what: str) -> bool:
        self.faults += 1
        self.fault = what
        return False


def _unit(value: int) -> float:
    return min(max(value / FULL, -1.0), 1.0)


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
