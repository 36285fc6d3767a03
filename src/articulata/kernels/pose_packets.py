"""Packets of figures in few bytes, many at once: split, told from those that come again, unpacked.

``network.pose_codec`` tells how packets are made. No length or number of theirs is believed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, BoolArray, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.heard_figures import WIDTH, Postures
from articulata.kernels.rotations import exp, times

KEY, RESIDUAL, LEAVING, BUNDLE, DOING = 1, 2, 3, 4, 5
"""Kinds of packets."""

FULL = 1200
"""Bytes of a bundle at most: what passes any network of today whole."""

MOST_PARTS = 64
"""Packets of a bundle at most, so that a flood of bundles is little more than one of packets."""

MILLIMETRE, TURN = 1e-3, 1e-4
"""Steps of places (m) and of turns (rad) in a residual."""

ESCAPE, RAW = 24, 16
"""Ones in a row after which a number stands as it is, in so many bits."""

WINDOW = 64
"""Packets behind the newest one that are told from those that come twice."""

MOST_OF_KEY = 640
"""Bytes of a key frame that are remembered; none is as long."""

KEPT_KEYS = 4
"""Key frames of a figure that are held."""

_HEAD, _BUNDLE, _PART, _RESIDUAL, _MOVED = 16, 12, 7, 3, 12
"""Bytes of heads, and of what residuals begin with."""

SOURCE, KIND, EXERCISE, SITE, APPLICATION, FIGURE, NUMBER, TIME, BEGIN, END = range(10)
"""Columns of packets: the datagram, what the head says, where in all bytes the body stands."""

PART_COLUMNS = 10

TAKEN, LATE, STRANGER, WAITING, HEADLESS, OTHER, LONG, SHORT, CUT, FEW = range(10)
"""What becomes of packets; ``REASONS`` has those that are damaged."""

REASONS = {
    HEADLESS: "a packet without a whole head",
    OTHER: "a packet of something else",
    LONG: "a bundle that is too long",
    SHORT: "a bundle that is cut short, or of too many packets",
    CUT: "a residual that is cut short",
    FEW: "a packet whose angles are cut short",
}


class Batch(NamedTuple):
    """Datagrams one behind the other as ``data`` (bytes), and their packets.

    ``parts`` (n, PART_COLUMNS) are packets, ``rows`` (n,) those of their figures (-1: not known),
    ``senders`` numbers that tell from where each datagram came.
    """

    data: npt.NDArray[np.uint8]
    parts: IntArray
    rows: IntArray
    senders: IntArray


class Streams(NamedTuple):
    """What was heard of figures, a row each: from whom, which numbers, key frames, the newest last.

    Bits of ``seen`` are the packets before the ``newest``. ``numbers`` of key frames are -1 where
    there is none. So many ``joints`` they tell, those in ``columns``, as whole numbers ``steps`` of
    ``step`` (rad); ``p`` (m) and ``q`` are their place and turn. ``raw`` are the ``size`` bytes of
    those that may come again, as they do each second; 0: are to be read anew.
    """

    known: BoolArray
    sender: IntArray
    newest: IntArray
    seen: IntArray
    numbers: IntArray
    joints: IntArray
    columns: npt.NDArray[np.uint8]
    steps: npt.NDArray[np.int32]
    step: Array
    p: Array
    q: Array
    size: IntArray
    raw: npt.NDArray[np.uint8]

    @staticmethod
    def of(n: int) -> Streams:
        """Return room for n figures; the system gives memory when it is used."""
        one = (n, KEPT_KEYS)
        return Streams(
            np.zeros(n, np.bool_), np.zeros(n, np.int64), np.zeros(n, np.int64),
            np.zeros(n, np.int64), np.zeros(one, np.int64), np.zeros(one, np.int64),
            np.zeros((*one, WIDTH), np.uint8), np.zeros((*one, WIDTH), np.int32), np.zeros(one),
            np.zeros((*one, 3)), np.zeros((*one, 4)), np.zeros(one, np.int64),
            np.zeros((*one, MOST_OF_KEY), np.uint8),
        )  # fmt: skip


@kernel(counted=False)
def _word(data: Any, at: int) -> int:
    word: int = 256 * data[at] + data[at + 1]
    return word


@kernel(counted=False)
def split(data: npt.NDArray[np.uint8], ends: IntArray, parts: IntArray) -> int:
    """Put the packets of datagrams, which end at ``ends``, into ``parts``; return how many.

    A datagram that is none leaves one row, whose kind is minus what becomes of it.
    """
    n, begin = 0, 0
    for source in range(len(ends)):
        end, first = ends[source], n
        size = end - begin
        ours = size >= 3 and data[begin] == 65 and data[begin + 1] == 80  # "AP"
        reason = 0
        if ours and size >= _BUNDLE and data[begin + 2] == BUNDLE:
            at = begin + _BUNDLE
            if size > FULL:
                reason = LONG
            while at < end and reason == 0:
                if end - at < _PART or n - first == MOST_PARTS:
                    reason = SHORT
                    break
                length = _word(data, at + 5)
                if end - at - _PART < length:
                    reason = SHORT
                    break
                _head(data, begin, parts[n])
                parts[n, KIND] = data[at]
                parts[n, FIGURE], parts[n, NUMBER] = _word(data, at + 1), _word(data, at + 3)
                parts[n, TIME] = _word(data, begin + 8) << 16 | _word(data, begin + 10)
                at += _PART
                parts[n, BEGIN], parts[n, END] = at, at + length
                at += length
                n += 1
        elif size < _HEAD:
            reason = HEADLESS
        elif not ours:
            reason = OTHER
        else:
            _head(data, begin, parts[n])
            parts[n, FIGURE], parts[n, NUMBER] = _word(data, begin + 8), _word(data, begin + 10)
            parts[n, TIME] = _word(data, begin + 12) << 16 | _word(data, begin + 14)
            parts[n, BEGIN], parts[n, END] = begin + _HEAD, end
            n += 1
        for k in range(first, n):
            parts[k, SOURCE] = source
            if not (KEY <= parts[k, KIND] <= LEAVING or parts[k, KIND] == DOING):
                parts[k, KIND] = -OTHER
        if reason:
            n = first + 1
            parts[first, KIND] = -reason
        begin = end
    return n


@kernel(counted=False)
def _head(data: npt.NDArray[np.uint8], at: int, part: IntArray) -> None:
    part[KIND], part[EXERCISE] = data[at + 2], data[at + 3]
    part[SITE], part[APPLICATION] = _word(data, at + 4), _word(data, at + 6)


@kernel(counted=False)
def newer(number: int, than: int) -> int:
    """Return by how much a number of 16 bits is past another, negative where it is before."""
    return ((number - than + 0x8000) & 0xFFFF) - 0x8000


@kernel(counted=False)
def fresh(s: Streams, row: int, number: int, missed: Array) -> bool:
    """Take note of a packet's number; return whether it is newer than all before.

    ``missed`` counts packets of figures that did not come.
    """
    ahead = newer(number, s.newest[row])
    if ahead > 0:
        s.seen[row] = s.seen[row] << ahead | 1 if ahead < WINDOW else 1
        s.newest[row] = number
        missed[row] += ahead - 1
        return True
    s.seen[row] |= 1 << -ahead
    missed[row] = max(missed[row] - 1.0, 0.0)
    return False


@kernel(counted=False)
def _known_key(batch: Batch, k: int, s: Streams, row: int) -> int:
    """Return the size of the key frame in packet ``k`` if it is the newest one again, else 0."""
    last = KEPT_KEYS - 1
    size, begin = s.size[row, last], batch.parts[k, BEGIN]
    if size == 0 or batch.parts[k, END] - begin < size + _RESIDUAL:
        return 0
    for i in range(size):
        if batch.data[begin + i] != s.raw[row, last, i]:
            return 0
    return size if _word(batch.data, begin + size) == s.numbers[row, last] else 0


@kernel(counted=False)
def follow(
    batch: Batch, first: int, s: Streams, missed: Array, given: Postures, counts: IntArray
) -> int:
    """Take packets in from ``first`` on; return the number of the first that was not.

    It is a new key frame, or that of a known figure which leaves or does something, or there is no
    more room in ``given``, which holds ``counts[TAKEN]`` postures. ``counts`` says what became of
    others.
    """
    data, parts = batch.data, batch.parts
    for k in range(first, len(parts)):
        row, kind, number = batch.rows[k], parts[k, KIND], parts[k, NUMBER]
        known = row >= 0 and s.known[row]
        if known and s.sender[row] != batch.senders[parts[k, SOURCE]]:
            counts[STRANGER] += 1
            continue
        if kind == LEAVING:
            if known:
                return k
            continue
        if known:
            behind = -newer(number, s.newest[row])
            if behind >= WINDOW or (behind >= 0 and s.seen[row] >> behind & 1):
                counts[LATE] += 1
                continue
        n = counts[TAKEN]
        if kind == DOING and not known:
            counts[WAITING] += 1
            continue
        if n == len(given.rows) or kind == DOING:
            return k
        at = parts[k, BEGIN]
        if kind == KEY:
            size = _known_key(batch, k, s, row) if known else 0
            if size == 0:
                return k
            at += size
        if parts[k, END] - at < _RESIDUAL:
            counts[CUT] += 1
            continue
        frame, wanted = -1, _word(data, at)
        if known:
            for i in range(KEPT_KEYS):
                if s.numbers[row, i] == wanted:
                    frame = i
        if frame < 0:
            counts[WAITING] += 1
            if known:
                fresh(s, row, number, missed)
            continue
        outcome = unpack(batch, k, at, s, row, frame, given, n)
        if outcome == TAKEN and not fresh(s, row, number, missed):
            outcome = LATE
        counts[outcome] += 1
    return len(parts)


@kernel(counted=False)
def unpack(
    batch: Batch, k: int, at: int, s: Streams, row: int, frame: int, given: Postures, n: int
) -> int:
    """Put the posture of packet ``k``, whose residual begins ``at``, into row n of ``given``.

    It refers to key frame ``frame`` of ``row``. Returns TAKEN, or why it is damaged.
    """
    data, end = batch.data, batch.parts[k, END]
    if end - at < _RESIDUAL:
        return CUT
    flags = _word(data, at + 1) & 0xFF
    at += _RESIDUAL
    for i in range(3):
        given.p[n, i] = s.p[row, frame, i]
    q = s.q[row, frame, 0], s.q[row, frame, 1], s.q[row, frame, 2], s.q[row, frame, 3]
    if flags & 1:
        if end - at < _MOVED:
            return CUT
        for i in range(3):
            given.p[n, i] += MILLIMETRE * _signed(data, at + 2 * i)
        turn = (
            TURN * _signed(data, at + 6), TURN * _signed(data, at + 8),
            TURN * _signed(data, at + 10),
        )  # fmt: skip
        q = times(q, exp(turn))
        at += _MOVED
    given.q_EB[n, 0], given.q_EB[n, 1], given.q_EB[n, 2], given.q_EB[n, 3] = q
    given.q[n, :] = np.nan
    bit, last = 8 * at, 8 * end
    for i in range(s.joints[row, frame]):
        high, low = 0, flags >> 1 & 15
        while high < ESCAPE and _bits(data, bit + high, 1, last):
            high += 1
        if high == ESCAPE:
            bit, high, low = bit + ESCAPE, 0, RAW
        else:
            bit += high + 1
        folded = high << low | _bits(data, bit, low, last)
        bit += low
        if bit > last:
            return FEW
        beside = folded >> 1 ^ -(folded & 1)
        steps = s.steps[row, frame, i] + beside
        given.q[n, s.columns[row, frame, i]] = steps * s.step[row, frame]
    given.rows[n] = row
    given.sent[n] = 1e-3 * batch.parts[k, TIME]
    given.size[n] = _HEAD + end - batch.parts[k, BEGIN]
    return TAKEN


@kernel(counted=False)
def _signed(data: Any, at: int) -> int:
    return (_word(data, at) ^ 0x8000) - 0x8000


@kernel(counted=False)
def _bits(data: Any, bit: int, count: int, last: int) -> int:
    """Return a number of so many bits, the first is the highest; there are zeros past ``last``."""
    found = 0
    for i in range(bit, bit + count):
        there = i < last and data[i >> 3] & 128 >> (i & 7) != 0
        found = 2 * found + (1 if there else 0)
    return found
