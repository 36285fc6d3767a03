"""An emulated Fastrak: commands in, records out, at times that it is told.

It measures its stations one after another, ``rate`` times a second in all, so that four stations
have a quarter of it each and are skewed by a slot. It knows no clock: ``receive`` and ``due`` are
told what time it is.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from articulata.devices.emulator.disturbance import EXACT, Damage, Field
from articulata.devices.fastrak.protocol import (
    ANGLES,
    DECIMALS,
    FACTORY_FORMAT,
    FACTORY_RATE,
    LETTERS,
    NUMBERS,
    PLACE,
    QUATERNION,
    STATIONS,
    STATUS_LENGTH,
    STYLUS,
    UNITS_OF_LENGTH,
    WIDTH,
    X_COSINES,
    Format,
)
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.rotation import Rotation

Source: TypeAlias = Callable[[int, float], Array]
"""``X_TS`` (4, 4) of a station (1 to 4) at a time in s."""

SINGLE = b"PCcFfUuWS\x19"
"""Commands of one byte; the others end with CR."""

LATEST = 0.5
"""Seconds of records that a unit keeps when nobody lets it write; older ones are lost."""


class EmulatedUnit:
    """One unit. ``sensors`` are the stations that have one plugged in.

    ``rate`` is in measurements a second. ``skewed=False`` measures all stations of a round at its
    beginning. ``damage`` is what the line does to the bytes.
    """

    def __init__(
        self,
        source: Source,
        rng: np.random.Generator,
        *,
        sensors: tuple[int, ...] = STATIONS,
        rate: float = FACTORY_RATE,
        field: Field = EXACT,
        skewed: bool = True,
        damage: Damage | None = None,
    ) -> None:
        if not (rate > 0.0 and math.isfinite(rate)):
            raise ModelError(f"a tracker measures more than 0 times a second, not {rate}")
        self.records = 0
        self.lost = 0
        self._source = source
        self._rng = rng
        self._sensors = tuple(sensors)
        self._rate = rate
        self._field = field
        self._skewed = skewed
        self._damage = damage or Damage()
        self._pending = b""
        self._factory()

    def _factory(self) -> None:
        self._form = FACTORY_FORMAT
        self._active = set(self._sensors)
        self._continuous = False
        self._next = math.nan
        self._slot = 0
        self._round = math.nan
        self._hemisphere = dict.fromkeys(STATIONS, (1.0, 0.0, 0.0))
        self._aligned: dict[int, Array] = {}
        self._boresight: dict[int, Rotation] = {}

    @property
    def continuous(self) -> bool:
        """Whether records are sent unasked."""
        return self._continuous

    def next_due(self) -> float:
        """Return when the next record is due (s), inf while none is."""
        return self._next if self._continuous and self._active else math.inf

    def receive(self, data: bytes, now: float) -> bytes:
        """Obey commands; return what is answered at once."""
        self._pending += data
        out = b""
        while self._pending:
            first = self._pending[:1]
            if first in (b"\r", b"\n", b" "):
                self._pending = self._pending[1:]
            elif first in SINGLE:
                self._pending = self._pending[1:]
                out += self._single(first, now)
            else:
                command, end, rest = self._pending.partition(b"\r")
                if not end:
                    break
                self._pending = rest
                out += self._long(command.decode("ascii", "replace").strip(), now)
        return out

    def due(self, now: float) -> bytes:
        """Return the records that are due until ``now`` (s)."""
        if not self._continuous or not self._active:
            return b""
        if now < self._next - 1.0:
            # the clock was set back
            self._next = now
        if now - self._next > LATEST:
            # nobody has read for long: a serial line has no memory
            slots = int((now - self._next) * self._rate)
            self._next += slots / self._rate
            self.lost += slots
        out = b""
        while self._next <= now:
            stations = sorted(self._active)
            station = stations[self._slot % len(stations)]
            if self._slot % len(stations) == 0 or math.isnan(self._round):
                self._round = self._next
            out += self._record(station, self._next if self._skewed else self._round)
            self._slot += 1
            self._next += 1.0 / self._rate
        return self._damage(out, self._rng)

    # ---- commands

    def _single(self, command: bytes, now: float) -> bytes:
        if command == b"P":
            return b"".join(self._record(station, now) for station in sorted(self._active))
        if command == b"S":
            return self._status()
        if command in (b"W", b"\x19"):
            self._factory()
        elif command == b"C":
            self._continuous, self._next, self._slot = True, now, 0
            self._round = math.nan
        elif command == b"c":
            self._continuous = False
        elif command in b"Ff":
            self._form = Format(self._form.items, command == b"f", self._form.unit)
        elif command in b"Uu":
            unit = "cm" if command == b"u" else "inch"
            self._form = Format(self._form.items, self._form.binary, unit)
        return b""

    def _long(self, command: str, now: float) -> bytes:
        match = re.fullmatch(r"([A-Za-z])\s*([1-4*])?\s*,?\s*(.*)", command)
        if match is None:
            return b""
        letter, which, rest = match.groups()
        stations = STATIONS if which in ("*", None) else (int(which),)
        values = [word.strip() for word in rest.split(",") if word.strip()]
        if letter == "O":
            return self._choose(stations, values)
        if letter == "l":
            return self._switch(stations, values)
        for station in stations:
            if letter == "H" and len(values) == 3:
                x, y, z = map(float, values)
                self._hemisphere[station] = (x, y, z)
            elif letter == "A" and len(values) == 9:
                self._align(station, [float(v) for v in values])
            elif letter == "R":
                self._aligned.pop(station, None)
            elif letter == "B":
                self._boresight[station] = Rotation.from_matrix(
                    self._source(station, now)[:3, :3], nearest=True
                ).inverse()
            elif letter == "b":
                self._boresight.pop(station, None)
        # filters (x, v) and the rest are taken without an effect that could be measured here
        return b""

    def _choose(self, stations: tuple[int, ...], values: list[str]) -> bytes:
        if not values:
            return b"".join(
                f"2{s}O{','.join(map(str, self._form.items[s]))}\r\n".encode() for s in stations
            )
        try:
            chosen = tuple(int(value) for value in values)
            items = {**self._form.items, **dict.fromkeys(stations, chosen)}
            self._form = Format(MappingProxyType(items), self._form.binary, self._form.unit)
        except (ValueError, ModelError):
            return b""  # a Fastrak says nothing of what it does not know
        return b""

    def _switch(self, stations: tuple[int, ...], values: list[str]) -> bytes:
        if not values:
            states = "".join(str(int(s in self._active)) for s in STATIONS)
            return f"2{stations[0]}l{states}\r\n".encode()
        for station in stations:
            if values[0] == "1" and station in self._sensors:
                self._active.add(station)
            elif values[0] == "0":
                self._active.discard(station)
        self._slot = 0
        return b""

    def _align(self, station: int, values: list[float]) -> None:
        unit = UNITS_OF_LENGTH[self._form.unit]
        origin, on_x, on_y = (np.array(values[k : k + 3]) * unit for k in (0, 3, 6))
        x = (on_x - origin) / np.linalg.norm(on_x - origin)
        z = np.cross(x, on_y - origin)
        z /= np.linalg.norm(z)
        X_TA = np.eye(4)
        X_TA[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
        X_TA[:3, 3] = origin
        self._aligned[station] = inverse_pose(X_TA)

    def _status(self) -> bytes:
        flags = (
            int(self._form.binary) | int(self._form.unit == "cm") << 1 | int(self._continuous) << 3
        )
        text = f"21S{flags:03X}  0      2.1000ARTICULATA EMULATED FASTRAK"
        return text.ljust(STATUS_LENGTH - 2).encode()[: STATUS_LENGTH - 2] + b"\r\n"

    # ---- records

    def _record(self, station: int, time: float) -> bytes:
        X = self._source(station, time)
        if station in self._aligned:
            X = self._aligned[station] @ X
        q, p = self._field.measured(X, self._rng)
        R = Rotation.from_quaternion(q)
        if station in self._boresight:
            R = self._boresight[station] @ R
        # the field looks alike from both sides of the transmitter: the hemisphere decides
        if float(np.dot(p, self._hemisphere[station])) < 0.0:
            p = -p
        self.records += 1
        out = b"0" + str(station).encode() + b" "
        for item in self._form.items[station]:
            out += self._item(item, R, p)
        return out

    def _item(self, item: int, R: Rotation, p: Array) -> bytes:
        if item in LETTERS:
            return LETTERS[item]
        if item == STYLUS:
            return b" 0"
        if item == PLACE:
            numbers = p / UNITS_OF_LENGTH[self._form.unit]
        elif item == ANGLES:
            numbers = np.degrees(R.to_azimuth_elevation_roll().angles)
        elif item == QUATERNION:
            numbers = R.to_quaternion()
        else:
            numbers = R.to_matrix()[:, item - X_COSINES]
        if self._form.binary:
            return struct.pack(f"<{NUMBERS[item]}f", *numbers)
        places = DECIMALS[item]
        return "".join(f"{value:{WIDTH}.{places}f}" for value in numbers).encode()
