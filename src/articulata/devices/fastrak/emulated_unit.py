"""An emulated Fastrak: commands in, records out, at times that it is told; its errors, its port.

It measures its stations one after another, ``rate`` times a second in all, so that four stations
have a quarter of it each and are skewed by a slot. It knows no clock: ``receive`` and ``due`` are
told what time it is. Tracker and line err by noise, metal, lost and damaged bytes. On a
pseudo-terminal it is a port that any driver can open.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Self, TypeAlias

import numpy as np

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
from articulata.errors import ArticulataError, ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose, make_pose
from articulata.geometry.quaternion import q_exp, q_from_matrix, q_multiply
from articulata.geometry.rotation import Rotation


@dataclass(frozen=True, slots=True)
class Field:
    """How the transmitter's field errs.

    ``noise`` (rad) and ``place_noise`` (m), rms by axis, hold up to ``reach`` (m) and grow with the
    fourth power of the range beyond it (Nixon, McCallum, Fright and Price, The Effects of Metals
    and Interfering Fields on Electromagnetic Trackers, Presence 7, 1998). ``metal`` are places (m
    in T) of metal, with the angle (rad) by which it bends readings at 0.3 m from it.
    """

    noise: float = 0.0
    place_noise: float = 0.0
    reach: float = 0.76
    metal: tuple[tuple[tuple[float, float, float], float], ...] = ()

    def measured(self, X_TS: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return quaternion and place as they are measured."""
        q, p = q_from_matrix(X_TS[:3, :3]), X_TS[:3, 3]
        w = np.zeros(3)
        far = max(1.0, float(np.linalg.norm(p)) / self.reach) ** 4
        if self.noise > 0.0:
            w += rng.normal(0.0, self.noise * min(far, 100.0), 3)
        for place, angle in self.metal:
            way = p - np.asarray(place)
            length = max(float(np.linalg.norm(way)), 0.05)
            # eddy currents fall with the third power of the distance, about a fixed line
            w += min(angle * (0.3 / length) ** 3, 0.5) * np.cross(way / length, (0.0, 0.6, 0.8))
        if self.place_noise > 0.0:
            p = p + rng.normal(0.0, self.place_noise * min(far, 100.0), 3)
        if w.any():
            q = q_multiply(q, q_exp(w))
        return q, p


EXACT = Field()


@dataclass(slots=True)
class Damage:
    """Shares of bytes that a bad line flips, drops and doubles."""

    flipped: float = 0.0
    dropped: float = 0.0
    doubled: float = 0.0

    def __call__(self, data: bytes, rng: np.random.Generator) -> bytes:
        """Return the bytes that arrive."""
        share = self.flipped + self.dropped + self.doubled
        if share <= 0.0 or not data:
            return data
        out = bytearray()
        for byte, chance in zip(data, rng.random(len(data)), strict=True):
            if chance < self.flipped:
                out.append(byte ^ (1 << int(rng.integers(8))))
            elif chance < self.flipped + self.dropped:
                continue
            elif chance < share:
                out += bytes((byte, byte))
            else:
                out.append(byte)
        return bytes(out)


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
        X_TA = make_pose(np.stack([x, np.cross(z, x), z], axis=1), origin)
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


IDLE = 0.05
"""Seconds after which a unit that sends nothing looks whether it shall end."""


class EmulatedPort:
    """Runs a unit at ``port`` until it is closed; use it as a context manager.

    ``unplug`` lets the port vanish as a cable does that is pulled, ``plug`` brings it back. With
    ``link`` the port is called so whenever it is there, as systems name ports after a device.
    """

    def __init__(self, unit: EmulatedUnit, *, link: Path | None = None) -> None:
        self.unit = unit
        self.port = ""
        self._link = link
        self._master = -1
        self._slave = -1
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.plug()
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()

    def plug(self) -> None:
        """Open a pseudo-terminal and begin to serve it."""
        try:
            import pty
            import tty
        except ImportError as error:
            raise ArticulataError(
                "this system has no pseudo-terminals, on which the emulator stands; use a recorded"
                " file, or sensors over UDP"
            ) from error
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        if self._link is not None:
            self._link.symlink_to(self.port)
            self.port = str(self._link)
        self._closing.clear()
        self._thread = threading.Thread(target=self._run, name="emulated fastrak", daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Let the port vanish."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout=2.0)
            self._thread = None
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        for end in (self._master, self._slave):
            if end >= 0:
                with contextlib.suppress(OSError):
                    os.close(end)
        self._master = self._slave = -1

    def _run(self) -> None:
        import select

        master, unit = self._master, self.unit
        while not self._closing.is_set():
            wait = min(max(unit.next_due() - time.monotonic(), 0.0), IDLE)
            ready, _, _ = select.select([master], [], [], wait)
            now = time.monotonic()
            out = b""
            if ready:
                try:
                    out = unit.receive(os.read(master, 4096), now)
                except OSError:
                    return
            out += unit.due(now)
            if out:
                self._write(out)

    def _write(self, data: bytes) -> None:
        """Write what fits: a serial line has no memory for who does not read."""
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._master, data)
