"""Raw HID reports of 3D mice as six numbers from -1 to 1.

Vendors 0x046D (Logitech) and 0x256F (3Dconnexion). Report 1 is the translation, three int16 of low
byte first, report 2 the rotation; newer models send both in report 1, 12 bytes. Report 3 is a mask
of buttons. Full scale is 350. The device's axes are x to the right, y towards the user, z down;
ours are a camera's: to the right, up and back, and turns about these.
"""

from __future__ import annotations

import struct
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
