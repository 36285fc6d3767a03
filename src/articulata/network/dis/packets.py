"""Packets of DIS, to bytes and back: Entity State, Entity State Update and Remove Entity.

All numbers are big-endian. Packets of several kinds may stand in one datagram. Reading never
trusts a length or a count: what does not fit is a ``Damaged`` with its reason. Packets of one
layout are read together, as columns. References: IEEE 1278.1-2012, 7.2.2 (Entity State), 7.2.5
(Entity State Update), 7.5.3 (Remove Entity), 6.2.94 (variable parameters); versions 5, 6 and 7
share these layouts.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.dis_packets import (
    BEGIN,
    EMPTY,
    EXERCISE,
    HEADER_BYTES,
    HEADLESS,
    KIND,
    LENGTH,
    MISCOUNT,
    MISFIT,
    PART_COLUMNS,
    SOURCE,
    VERSION,
    split,
)

ENTITY_STATE, REMOVE_ENTITY, ENTITY_STATE_UPDATE = 1, 12, 67
"""Kinds of packets that are read and written."""

FAMILY = {ENTITY_STATE: 1, ENTITY_STATE_UPDATE: 1, REMOVE_ENTITY: 5}
"""Protocol family of a kind: entity information, simulation management."""

VERSIONS = (5, 6, 7)
"""Protocol versions: IEEE 1278.1-1995, 1278.1A-1998, 1278.1-2012."""

ARTICULATED = 0
"""Type of a variable parameter that is an articulated part."""

MOST_PARAMETERS = 255
LARGEST = 144 + 16 * MOST_PARAMETERS
"""Bytes of the largest packet that is read."""

TICKS_PER_HOUR = 1 << 31
"""A time stamp counts parts of the hour: in its upper 31 bits; the lowest says "absolute"."""

MOST_OF = {
    "location": 1e8, "velocity": 1e5, "acceleration": 1e6, "rate": 1e4, "orientation": 1e3,
    "value": 1e3,
}  # fmt: skip
"""The largest numbers that are believed, in m, s and rad: nobody is farther from the earth."""

_HEADER_FIELDS: list[Any] = [
    ("version", "u1"), ("exercise", "u1"), ("type", "u1"), ("family", "u1"),
    ("timestamp", ">u4"), ("length", ">u2"), ("status", "u1"), ("reserved", "u1"),
]  # fmt: skip
_PARAMETER = np.dtype(
    [("type", "u1"), ("change", "u1"), ("attached", ">u2"), ("part", ">u4"), ("value", ">f4"),
     ("spare", ">u4")]
)  # fmt: skip
_STATE_FIELDS: list[Any] = [
    *_HEADER_FIELDS,
    ("entity", ">u2", (3,)), ("force", "u1"), ("count", "u1"),
    ("kind", "u1", (8,)), ("other_kind", "u1", (8,)),
    ("velocity", ">f4", (3,)), ("location", ">f8", (3,)), ("orientation", ">f4", (3,)),
    ("appearance", ">u4"), ("algorithm", "u1"), ("algorithm_data", "u1", (15,)),
    ("acceleration", ">f4", (3,)), ("rate", ">f4", (3,)),
    ("characters", "u1"), ("marking", "S11"), ("capabilities", ">u4"),
]  # fmt: skip
_UPDATE_FIELDS: list[Any] = [
    *_HEADER_FIELDS,
    ("entity", ">u2", (3,)), ("spare", "u1"), ("count", "u1"),
    ("velocity", ">f4", (3,)), ("location", ">f8", (3,)), ("orientation", ">f4", (3,)),
    ("appearance", ">u4"),
]  # fmt: skip
_REMOVE_FIELDS: list[Any] = [
    *_HEADER_FIELDS, ("entity", ">u2", (3,)), ("receiver", ">u2", (3,)), ("request", ">u4"),
]  # fmt: skip
_LAYOUTS = {
    ENTITY_STATE: np.dtype(_STATE_FIELDS),
    ENTITY_STATE_UPDATE: np.dtype(_UPDATE_FIELDS),
    REMOVE_ENTITY: np.dtype(_REMOVE_FIELDS),
}
_START = struct.Struct(">BBBBIHBB")
_SIZES = np.zeros((256, 2), np.int64)
for _kind, _layout in _LAYOUTS.items():
    _SIZES[_kind] = _layout.itemsize, _kind != REMOVE_ENTITY
_REASONS = {
    EMPTY: "an empty datagram",
    HEADLESS: "shorter than a header",
    VERSION: "version {} of the protocol",
    MISFIT: "a length that does not fit",
    MISCOUNT: "a count that does not fit the length",
}


class EntityId(NamedTuple):
    """Who an entity is: its site, its application there, its number in it."""

    site: int
    application: int
    entity: int

    def __str__(self) -> str:
        return f"{self.site}:{self.application}:{self.entity}"


class EntityKind(NamedTuple):
    """What an entity is, as SISO-REF-010 lists it: a dismounted soldier of no country here."""

    kind: int = 3
    domain: int = 1
    country: int = 0
    category: int = 1
    subcategory: int = 0
    specific: int = 0
    extra: int = 0

    def bytes(self) -> bytes:
        """Return the eight bytes of a packet."""
        return struct.pack(">BBHBBBB", *self)


class Parameter(NamedTuple):
    """An articulated part: its type (class and metric), value (rad, m, or per s) and changes.

    ``attached`` is the number, from 1, of the record of the part that carries it; 0: the entity.
    """

    part: int
    value: float
    attached: int = 0
    change: int = 0


@dataclass(frozen=True, slots=True)
class DeadReckoning:
    """How an entity goes on by itself.

    ``algorithm`` from 1 to 9, ``acceleration`` (m/s^2) and ``rate`` (rad/s, in the entity's axes).
    """

    algorithm: int = 1
    acceleration: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rate: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class State:
    """What an Entity State packet says.

    ``velocity`` m/s and ``location`` m are geocentric (``velocity`` in the entity's axes for dead
    reckoning 6 to 9), ``orientation`` psi, theta, phi rad. ``opaque`` are further records of 16
    bytes, as they are, after the ``parameters``. ``timestamp`` is as ``stamp`` makes it.
    """

    entity: EntityId
    location: tuple[float, float, float]
    orientation: tuple[float, float, float]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    appearance: int = 0
    parameters: Sequence[Parameter] = ()
    opaque: Sequence[bytes] = ()
    timestamp: int = 0
    exercise: int = 1
    version: int = 7
    force: int = 0
    kind: EntityKind = field(default_factory=EntityKind)
    reckoning: DeadReckoning = field(default_factory=DeadReckoning)
    marking: str = ""
    capabilities: int = 0

    def __post_init__(self) -> None:
        if len(self.parameters) + len(self.opaque) > MOST_PARAMETERS:
            raise ValueError(f"a packet holds {MOST_PARAMETERS} variable parameters at most")

    def encode(self) -> bytes:
        """Return the packet."""
        records = self._records()
        start = self._start(ENTITY_STATE, 144 + len(records))
        return start + b"".join(
            (
                struct.pack(">3HBB", *self.entity, self.force, len(records) // 16),
                self.kind.bytes(), self.kind.bytes(), self._moving(),
                struct.pack(
                    ">B15x3f3fB11sI", self.reckoning.algorithm, *self.reckoning.acceleration,
                    *self.reckoning.rate, 1, self.marking.encode("ascii", "replace")[:11],
                    self.capabilities,
                ),
                records,
            )
        )  # fmt: skip

    def encode_update(self) -> bytes:
        """Return an Entity State Update: kind, marking and dead reckoning stay as they were."""
        records = self._records()
        start = self._start(ENTITY_STATE_UPDATE, 72 + len(records))
        who = struct.pack(">3HBB", *self.entity, 0, len(records) // 16)
        return start + who + self._moving() + records

    def _start(self, kind: int, length: int) -> bytes:
        return _START.pack(
            self.version, self.exercise, kind, FAMILY[kind], self.timestamp, length, 0, 0
        )

    def _moving(self) -> bytes:
        return struct.pack(
            ">3f3d3fI", *self.velocity, *self.location, *self.orientation, self.appearance
        )

    def _records(self) -> bytes:
        return b"".join(
            (
                *(
                    struct.pack(
                        ">BBHIfI", ARTICULATED, each.change, each.attached, each.part, each.value, 0
                    )
                    for each in self.parameters
                ),
                *(each.ljust(16, b"\0")[:16] for each in self.opaque),
            )
        )


def encode_removal(
    entity: EntityId, *, timestamp: int = 0, exercise: int = 1, version: int = 7, request: int = 0
) -> bytes:
    """Return a Remove Entity packet, by which an application takes an entity away."""
    kind = REMOVE_ENTITY
    start = _START.pack(version, exercise, kind, FAMILY[kind], timestamp, 28, 0, 0)
    return start + struct.pack(">3H3HI", entity[0], entity[1], 0, *entity, request)


def stamp(seconds: float, *, absolute: bool = False) -> int:
    """Return the time stamp of a time (s): past an hour of UTC where it is ``absolute``."""
    part = (seconds / 3600.0) % 1.0
    return (int(part * TICKS_PER_HOUR) % TICKS_PER_HOUR) << 1 | int(absolute)


def seconds_of(timestamps: npt.ArrayLike) -> Array:
    """Return the seconds past the hour of time stamps."""
    ticks = np.asarray(timestamps, np.int64) >> 1
    return np.asarray(ticks * (3600.0 / TICKS_PER_HOUR))


class Found(NamedTuple):
    """Packets of one kind and length: fields as columns, and their variable parameters.

    ``order`` are their numbers in what was read, ``rows`` a structured array with one row each
    (the names of ``_STATE_FIELDS`` and its kin), ``parameters`` (n, count) structured: type,
    change, attached, part, value; ``records`` (n, count, 16) the same as bytes.
    """

    kind: int
    order: tuple[int, ...]
    rows: npt.NDArray[Any]
    parameters: npt.NDArray[Any]
    records: npt.NDArray[np.uint8]


class Damaged(NamedTuple):
    """A packet that could not be read, and why; ``source`` is the number of its datagram."""

    source: int
    why: str


class Read(NamedTuple):
    """What a batch of datagrams holds: packets by layout, damaged ones, kinds that are left out.

    ``sources`` has for each packet the number of the datagram it stood in.
    """

    found: tuple[Found, ...]
    damaged: tuple[Damaged, ...]
    strange: dict[int, int]
    sources: tuple[int, ...]


def read(datagrams: Sequence[bytes], exercise: int | None = None) -> Read:
    """Read datagrams together; packets of other exercises than ``exercise`` are passed over."""
    data = np.frombuffer(b"".join(datagrams) + b"\0", np.uint8)
    sizes = np.array([len(each) for each in datagrams], np.int64)
    parts = np.empty((int((sizes // HEADER_BYTES + 1).sum()), PART_COLUMNS), np.int64)
    parts = parts[: split(data, np.cumsum(sizes), _SIZES, parts)]
    kinds = parts[:, KIND]
    damaged = [
        Damaged(source, _REASONS[-reason].format(version))
        for source, reason, version in parts[kinds < 0, : EXERCISE + 1].tolist()
    ]
    known = _SIZES[kinds, 0] > 0
    strange = dict(Counter(kinds[~known & (kinds >= 0)].tolist()))
    known &= kinds >= 0
    if exercise is not None:
        known &= parts[:, EXERCISE] == exercise
    parts = parts[known]
    sources = parts[:, SOURCE].tolist()
    layouts = parts[:, KIND] << 16 | parts[:, LENGTH]
    _, first, layout = np.unique(layouts, return_index=True, return_inverse=True)
    found = []
    for number in np.argsort(first).tolist():
        kind, length = parts[first[number], [KIND, LENGTH]].tolist()
        order = np.flatnonzero(layout == number)
        # as sliding_window_view does, which takes longer and lets a table of CPython's grow
        window = np.ndarray((len(data) - length + 1, length), np.uint8, data, 0, (1, 1))
        raw = window[parts[order, BEGIN]]
        each = _columns(kind, order, raw)
        good = _sensible(kind, each)
        if not good.all():
            damaged += [
                Damaged(sources[each.order[k]], "a number beyond sense")
                for k in np.flatnonzero(~good).tolist()
            ]
            kept = np.flatnonzero(good)
            each = Found(
                kind, tuple(each.order[k] for k in kept.tolist()), each.rows[kept],
                each.parameters[kept], each.records[kept],
            )  # fmt: skip
        if each.order:
            found.append(each)
    return Read(tuple(found), tuple(damaged), strange, tuple(sources))


def _columns(kind: int, order: IntArray, raw: npt.NDArray[np.uint8]) -> Found:
    """Return packets of one layout, a row of bytes each."""
    layout = _LAYOUTS[kind]
    rows = np.ascontiguousarray(raw[:, : layout.itemsize]).view(layout)[:, 0]
    records = np.ascontiguousarray(raw[:, layout.itemsize :]).reshape(len(raw), -1, 16)
    parameters = records.view(_PARAMETER)[..., 0]
    return Found(kind, tuple(order.tolist()), rows, parameters, records)


def _sensible(kind: int, found: Found) -> npt.NDArray[np.bool_]:
    """Return which packets hold finite numbers alone, none beyond what ``MOST_OF`` allows."""
    rows, good = found.rows, np.ones(len(found.order), bool)
    for name in rows.dtype.names or ():
        if name in MOST_OF:
            # what is not a number is not at most anything
            with np.errstate(invalid="ignore"):
                good &= (np.abs(rows[name].astype(float)) <= MOST_OF[name]).all(axis=1)
    articulated = found.parameters["type"] == ARTICULATED
    with np.errstate(invalid="ignore"):  # some of what is not a number is told of
        within = np.abs(found.parameters["value"].astype(float)) <= MOST_OF["value"]
    return np.asarray(good & (within | ~articulated).all(axis=1))


def marking_of(raw: bytes) -> str:
    """Return the name in a marking: printable ASCII alone."""
    text = raw.split(b"\0")[0].decode("ascii", "replace")
    return "".join(letter for letter in text if letter.isprintable()).strip()
