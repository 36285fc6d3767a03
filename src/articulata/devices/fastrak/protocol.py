"""What a Fastrak's records are made of, and its commands.

A data record is "0", the station ("1" to "4"), an error letter (a space: all is well), then the
items that ``O`` chose for the station, in that order. In ASCII every number has 7 characters, in
binary it is a little-endian float32. A record that begins with "2" is an answer to a command.
Source: Polhemus, 3SPACE FASTRAK User's Manual, 1993.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from articulata.errors import ModelError

UNITS_OF_LENGTH: Mapping[str, float] = MappingProxyType({"inch": 0.0254, "cm": 0.01})
"""Lengths come in inches after power-up and after ``U``, in centimetres after ``u``; m."""

STATIONS = (1, 2, 3, 4)
DATA, ANSWER = ord("0"), ord("2")

SPACE, END, PLACE, ANGLES, X_COSINES, Y_COSINES, Z_COSINES, QUATERNION, STYLUS = (
    0,
    1,
    2,
    4,
    5,
    6,
    7,
    11,
    16,
)
"""Items: a blank, CR LF, x y z, azimuth elevation roll in degrees, direction cosines of the
sensor's axes, the quaternion w first, the stylus switch."""

NUMBERS: Mapping[int, int] = MappingProxyType(
    {PLACE: 3, ANGLES: 3, X_COSINES: 3, Y_COSINES: 3, Z_COSINES: 3, QUATERNION: 4}
)
"""How many numbers an item has."""

LETTERS: Mapping[int, bytes] = MappingProxyType({SPACE: b" ", END: b"\r\n"})
"""Items that are always the same bytes."""

WIDTH = 7
"""Characters of a number in ASCII."""

STYLUS_WIDTH = 2
"""A blank and "0" or "1"."""

DECIMALS: Mapping[int, int] = MappingProxyType(
    {PLACE: 2, ANGLES: 2, X_COSINES: 4, Y_COSINES: 4, Z_COSINES: 4, QUATERNION: 4}
)
"""Digits after the point in ASCII: Sxxx.xx and Sx.xxxx."""

STATUS_LENGTH = 55
FACTORY = (PLACE, ANGLES, END)
"""What a Fastrak sends after power-up, in ASCII and inches."""

BEST = (PLACE, QUATERNION, END)
"""What is asked of it here: the quaternion has no singularity, CR LF helps to find the next record;
33 bytes in binary."""

RE_INITIALISE = b"\x19"
"""Ctrl-Y."""

FACTORY_RATE = 120.0
"""Measurements a second, shared by the stations that are switched on. In 1995 it was 60."""


@dataclass(frozen=True, slots=True)
class Format:
    """How records are written: items by station, binary or ASCII, the unit of length."""

    items: Mapping[int, tuple[int, ...]] = field(
        default_factory=lambda: MappingProxyType(dict.fromkeys(STATIONS, BEST))
    )
    binary: bool = True
    unit: str = "cm"

    def __post_init__(self) -> None:
        if self.unit not in UNITS_OF_LENGTH:
            raise ModelError(f"lengths of a Fastrak come in inch or cm, not in {self.unit!r}")
        for station, items in self.items.items():
            if station not in STATIONS:
                raise ModelError(f"a Fastrak has stations 1 to 4, not {station}")
            strange = [i for i in items if i not in NUMBERS and i not in LETTERS and i != STYLUS]
            if strange:
                known = sorted((*NUMBERS, *LETTERS, STYLUS))
                raise ModelError(f"item {strange[0]} of a Fastrak is not read; known are {known}")

    def length(self, station: int) -> int:
        """Return how many bytes a record of ``station`` has."""
        return 3 + sum(self.width(item) for item in self.items[station])

    def width(self, item: int) -> int:
        """Return how many bytes an item has."""
        if item in LETTERS:
            return len(LETTERS[item])
        if item == STYLUS:
            return STYLUS_WIDTH
        return NUMBERS[item] * (4 if self.binary else WIDTH)


FACTORY_FORMAT = Format(MappingProxyType(dict.fromkeys(STATIONS, FACTORY)), False, "inch")
"""After power-up."""


def commands(
    wanted: Format,
    *,
    active: Iterable[int] = (),
    hemisphere: tuple[float, float, float] | None = None,
) -> bytes:
    """Return the commands that make a Fastrak write as ``wanted``, and stop it from sending.

    ``active`` are the stations to be switched on, the others are switched off; none given leaves
    them as they are. ``hemisphere`` is a direction in T to the side of the transmitter on which
    the sensors are: its field looks alike from the other.
    """
    parts = [b"c", b"f" if wanted.binary else b"F", b"u" if wanted.unit == "cm" else b"U"]
    for station, items in sorted(wanted.items.items()):
        parts.append(f"O{station},{','.join(map(str, items))}\r".encode())
    if hemisphere is not None:
        x, y, z = hemisphere
        parts += [f"H{station},{x:g},{y:g},{z:g}\r".encode() for station in STATIONS]
    on = frozenset(active)
    if on:
        parts += [f"l{station},{int(station in on)}\r".encode() for station in STATIONS]
    return b"".join(parts)
