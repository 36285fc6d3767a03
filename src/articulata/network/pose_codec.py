"""Figures in few bytes: key frames, and residuals that refer to one. Pure: values in, bytes out.

A packet is a head (``HEAD``: magic, kind, exercise, who, a number that rises, ms) and

- a key frame: its number, the step of angles (rad), which joints, place (3 float64, m), turn (4
  float32), four short texts of the look, each angle as a whole number of steps, padded to a byte;
  then a residual;
- a residual: the number of its key frame, how far place and turn are from the key frame's where
  they are, then by how many steps each angle is beside that one's, in Golomb's code of Rice's
  parameter (Rice, 1979);
- who leaves: nothing more;
- what somebody does whose text tells his angles: 12 bits that stand for the motion's name, and for
  how many ms it goes on (20 bits).

Several packets of one sender and moment are bundled (``bundled``): a head of what they share, then
of each its kind, figure, number, and length, and what stands behind its head.

An angle is told to half a step. The same key frame is sent again and again, so that it hardly
matters when one is lost; residuals refer to nothing else, so that one that is lost takes none with
it.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.heard_figures import WIDTH
from articulata.kernels.pose_packets import (
    BUNDLE,
    ESCAPE,
    FULL,
    MILLIMETRE,
    MOST_PARTS,
    RAW,
    TURN,
)
from articulata.records.networked import NetworkedLook

MAGIC = b"AP"
HEAD = struct.Struct(">2sBBHHHHI")
_BUNDLE = struct.Struct(">2sBBHHI")
_EACH = struct.Struct(">BHHH")
_KEY = struct.Struct(">HfQ3d4f")
_RESIDUAL = struct.Struct(">HB")
_MOVED = struct.Struct(">6h")
MOST_TEXT = 80
"""Bytes of a text at most."""

_ONES = "1" * ESCAPE


class NoPose(ValueError):
    """Bytes that are no packet of a figure; the message says why."""


@dataclass(frozen=True, eq=False)
class KeyFrame:
    """A figure as a key frame holds it; residuals refer to its ``number``.

    ``columns`` are those of its joints, ``steps`` (n,) whole numbers of ``step`` (rad); ``p`` (3,)
    m and ``q`` (4,) its place and turn.
    """

    number: int
    step: float
    columns: tuple[int, ...]
    steps: IntArray
    p: Array
    q: Array
    look: NetworkedLook


def steps_of(angles: Array, step: float) -> IntArray:
    """Return angles (n,) rad as whole numbers of steps, two turns each way at most."""
    most = int(2.0 * math.pi / step)
    return np.clip(np.rint(angles / step), -most, most).astype(np.int64)


def bits_of(step: float) -> int:
    """Return the bits of an angle that may be two turns each way."""
    return math.ceil(math.log2(4.0 * math.pi / step + 2.0))


def head(kind: int, exercise: int, who: tuple[int, int, int], number: int, time: int) -> bytes:
    """Return the head of a packet."""
    return HEAD.pack(MAGIC, kind, exercise, *who, number & 0xFFFF, time & 0xFFFFFFFF)


# ---- several packets in one


def bundled(packets: Sequence[bytes]) -> list[bytes]:
    """Return packets of one sender and moment as few datagrams, each of ``FULL`` bytes at most."""
    found: list[bytes] = []
    shared = b""
    parts: list[tuple[bytes, bytes]] = []

    def close() -> None:
        if parts:
            alone = len(parts) == 1
            found.append(parts[0][0] if alone else shared + b"".join(each for _, each in parts))
        parts.clear()

    for data in packets:
        magic, kind, exercise, site, application, figure, number, time = HEAD.unpack_from(data)
        head = _BUNDLE.pack(magic, BUNDLE, exercise, site, application, time)
        body = data[HEAD.size :]
        part = _EACH.pack(kind, figure, number, len(body)) + body
        size = len(head) + sum(len(each) for _, each in parts) + len(part)
        if head != shared or size > FULL or len(parts) == MOST_PARTS:
            close()
        shared = head
        parts.append((data, part))
    close()
    return found


# ---- key frames


def key_body(frame: KeyFrame) -> bytes:
    """Return what stands behind the head of a key frame."""
    mask = sum(1 << column for column in frame.columns)
    look = frame.look
    texts = b""
    for text in (look.name, look.figure, look.stance, look.weapon):
        encoded = text.encode()[:MOST_TEXT].decode(errors="ignore").encode()
        texts += bytes([len(encoded)]) + encoded
    bits = bits_of(frame.step)
    half = 1 << bits - 1
    packed = _Bits()
    for value in frame.steps.tolist():
        packed.put(value + half, bits)
    return _KEY.pack(frame.number, frame.step, mask, *frame.p, *frame.q) + texts + packed.bytes()


def read_key(data: bytes) -> tuple[KeyFrame, int]:
    """Return the key frame that stands behind a head, and its size; raise NoPose."""
    at = _KEY.size
    if len(data) < at:
        raise NoPose("a key frame that is cut short")
    number, step, mask, *numbers = _KEY.unpack_from(data)
    if not 1e-5 <= step <= 0.2 or not all(map(math.isfinite, numbers)):
        raise NoPose("a key frame of numbers beyond sense")
    p, q = np.array(numbers[:3]), np.array(numbers[3:])
    length = float(np.linalg.norm(q))
    if float(np.abs(p).max()) > 1e8 or abs(length - 1.0) > 0.01:
        raise NoPose("a key frame of numbers beyond sense")
    texts = []
    for _ in range(4):
        size = data[at] if at < len(data) else MOST_TEXT + 1
        text = data[at + 1 : at + 1 + size]
        if size > MOST_TEXT or len(text) < size:
            raise NoPose("a key frame whose texts are cut short")
        texts.append(text.decode(errors="replace"))
        at += 1 + size
    columns = tuple(k for k in range(WIDTH) if mask >> k & 1)
    bits = bits_of(step)
    size = (len(columns) * bits + 7) // 8
    if len(data) < at + size + _RESIDUAL.size:
        raise NoPose("a key frame that is cut short")
    packed = f"{int.from_bytes(data[at : at + size]):0{8 * size}b}"
    whole = [int(packed[k * bits : (k + 1) * bits], 2) for k in range(len(columns))]
    steps = np.array(whole, np.int64) - (1 << bits - 1)
    at += size
    if _RESIDUAL.unpack_from(data, at)[0] != number:
        raise NoPose("a key frame whose residual refers to another")
    return KeyFrame(number, step, columns, steps, p, q / length, NetworkedLook(*texts)), at


# ---- residuals


def residual_body(key: KeyFrame, steps: IntArray, moved: Array) -> bytes:
    """Return what stands behind the head, or the key frame, of a residual that refers to ``key``.

    ``moved`` (6,) is how far place (m) and turn (a rotation vector, rad) are from the key frame's.
    Raises OverflowError where something is too far from it: time for another key frame.
    """
    beside = (steps - key.steps).tolist()
    folded = [2 * d if d >= 0 else -2 * d - 1 for d in beside]
    mean = sum(folded) / max(len(folded), 1)
    parameter = min(max(math.ceil(math.log2(mean + 1.0) - 0.5), 0), 15)
    packed = _Bits()
    for value in folded:
        packed.rice(value, parameter)
    whole = np.rint(moved / ([MILLIMETRE] * 3 + [TURN] * 3))
    if float(np.abs(whole).max()) > 32767.0 or max(folded, default=0) >= 1 << RAW:
        raise OverflowError
    place = _MOVED.pack(*whole.astype(int).tolist()) if whole.any() else b""
    flags = parameter << 1 | bool(place)
    return _RESIDUAL.pack(key.number, flags) + place + packed.bytes()


# ---- what somebody does

_GOES_ON = 20
"""Bits of the ms for which a motion goes on."""

LONGEST = 1e-3 * ((1 << _GOES_ON) - 1)
"""Seconds that can be told, 17 minutes; who tells more leaves whole cycles out."""


def designator(motion: str) -> int:
    """Return 12 bits that stand for a motion's name: the lowest of its CRC-32."""
    return zlib.crc32(motion.encode()) & 0xFFF


def designation(motion: str, since: float) -> bytes:
    """Return four bytes that say what somebody does, ``since`` s after it began."""
    passed = round(1e3 * min(max(since, 0.0), LONGEST))
    return (designator(motion) << _GOES_ON | passed).to_bytes(4, "big")


def designator_of(data: bytes) -> tuple[int, float]:
    """Return the designator in four bytes, and since when (s)."""
    whole = int.from_bytes(data, "big")
    return whole >> _GOES_ON, 1e-3 * (whole & (1 << _GOES_ON) - 1)


# ---- bits


class _Bits:
    """Bits one behind the other, the first is the highest; as text, which Python packs fast."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def put(self, value: int, bits: int) -> None:
        self._parts.append(f"{value:0{bits}b}")

    def rice(self, value: int, parameter: int) -> None:
        high = value >> parameter
        if high >= ESCAPE:
            self._parts.append(f"{_ONES}{value:0{RAW}b}")
        elif parameter:
            low = value & (1 << parameter) - 1
            self._parts.append(f"{_ONES[:high]}0{low:0{parameter}b}")
        else:
            self._parts.append(f"{_ONES[:high]}0")

    def bytes(self) -> bytes:
        text = "".join(self._parts)
        size = (len(text) + 7) // 8
        return int(text.ljust(8 * size, "0") or "0", 2).to_bytes(size, "big")
