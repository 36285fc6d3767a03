"""Open Sound Control: messages and bundles as bytes, read and written. Pure.

A message is an address, the types of its arguments and the arguments, all big-endian and padded to
four bytes. A bundle holds messages and bundles, each preceded by its length. Reference: The Open
Sound Control 1.0 Specification (Wright, 2002), with types d, h, T and F of its list of further
ones.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Argument: TypeAlias = float | int | str | bytes | bool

BUNDLE = b"#bundle\x00"
AT_ONCE = 1
"""The time tag of what is to be done when it comes."""

MOST_NESTED = 4
"""Bundles within bundles beyond which nobody meant them."""

MOST_MESSAGES = 1024
MOST_ARGUMENTS = 256
"""Messages of a packet and arguments of a message; a body's bones are some 60 messages of 8."""

_NUMBERS = {"i": struct.Struct(">i"), "f": struct.Struct(">f"), "d": struct.Struct(">d"),
            "h": struct.Struct(">q")}  # fmt: skip
_TRUTH = {"T": True, "F": False}


class NoOsc(ValueError):
    """Bytes that are no packet of OSC; the message says why."""


class OscMessage(NamedTuple):
    """A message: its address, "/sensor/3", and its arguments."""

    address: str
    arguments: tuple[Argument, ...]


def is_osc(data: bytes) -> bool:
    """Return whether bytes begin as a packet of OSC does."""
    return data[:1] == b"/" or data[:8] == BUNDLE


def read_osc(data: bytes) -> list[OscMessage]:
    """Return the messages of a packet in their order, those of bundles as well; raise NoOsc.

    No length is believed beyond the bytes that are there. Time tags are left out.
    """
    found: list[OscMessage] = []
    _read(data, 0, len(data), 0, found)
    return found


def osc_message(address: str, *arguments: Argument) -> bytes:
    """Return a message; numbers go as f and i, or h where an i is too small."""
    types, body = [","], []
    for each in arguments:
        if isinstance(each, bool):
            types.append("T" if each else "F")
        elif isinstance(each, int):
            kind = "i" if -(1 << 31) <= each < 1 << 31 else "h"
            types.append(kind)
            body.append(_NUMBERS[kind].pack(each))
        elif isinstance(each, float):
            types.append("f")
            body.append(_NUMBERS["f"].pack(each))
        elif isinstance(each, str):
            types.append("s")
            body.append(_padded(each.encode()))
        else:
            types.append("b")
            body.append(struct.pack(">i", len(each)) + each + bytes(-len(each) % 4))
    return _padded(address.encode()) + _padded("".join(types).encode()) + b"".join(body)


def osc_bundle(packets: Sequence[bytes], time_tag: int = AT_ONCE) -> bytes:
    """Return a bundle of messages, or of bundles."""
    inside = b"".join(struct.pack(">i", len(each)) + each for each in packets)
    return BUNDLE + struct.pack(">Q", time_tag) + inside


def _padded(text: bytes) -> bytes:
    return text + bytes(4 - len(text) % 4)


def _read(data: bytes, at: int, end: int, depth: int, found: list[OscMessage]) -> None:
    if data[at : min(at + 8, end)] != BUNDLE:
        if len(found) >= MOST_MESSAGES:
            raise NoOsc(f"more than {MOST_MESSAGES} OSC messages in a packet")
        found.append(_message(data, at, end))
        return
    if depth >= MOST_NESTED:
        raise NoOsc("OSC bundles too deep in each other")
    at += 16
    if at > end:
        raise NoOsc("an OSC packet that is cut short")
    while at < end:
        size = _size(data, at, end)
        if size == 0:
            raise NoOsc("nothing in a place of an OSC bundle")
        _read(data, at + 4, at + 4 + size, depth + 1, found)
        at += 4 + size


def _message(data: bytes, at: int, end: int) -> OscMessage:
    address, at = _text(data, at, end)
    if not address.startswith("/"):
        raise NoOsc("an OSC message whose address does not begin with /")
    types, at = _text(data, at, end)
    if not types.startswith(","):
        raise NoOsc("an OSC message without types")
    if len(types) > MOST_ARGUMENTS + 1:
        raise NoOsc(f"more than {MOST_ARGUMENTS} arguments of an OSC message")
    arguments: list[Argument] = []
    for kind in types[1:]:
        if kind in _NUMBERS:
            form = _NUMBERS[kind]
            if at + form.size > end:
                raise NoOsc("an OSC message that is cut short")
            arguments.append(form.unpack_from(data, at)[0])
            at += form.size
        elif kind in _TRUTH:
            arguments.append(_TRUTH[kind])
        elif kind == "s":
            text, at = _text(data, at, end)
            arguments.append(text)
        elif kind == "b":
            size = _size(data, at, end)
            arguments.append(data[at + 4 : at + 4 + size])
            at += 4 + size + -size % 4
        else:
            raise NoOsc(f"an OSC argument of type {kind!r}; known are i, f, s, b, d, h, T and F")
    return OscMessage(address, tuple(arguments))


def _size(data: bytes, at: int, end: int) -> int:
    """Return the length that stands ``at``, of what lies within ``end``."""
    if at + 4 > end:
        raise NoOsc("an OSC packet that is cut short")
    size = int.from_bytes(data[at : at + 4], "big")
    if at + 4 + size > end:
        raise NoOsc("an OSC packet that is cut short")
    return size


def _text(data: bytes, at: int, end: int) -> tuple[str, int]:
    """Return the padded text that begins ``at`` and where the next begins."""
    stop = data.find(b"\x00", at, end)
    if stop < 0:
        raise NoOsc("an OSC message that is cut short")
    try:
        return data[at:stop].decode(), at + (stop - at + 4 & ~3)
    except UnicodeDecodeError:
        raise NoOsc("an OSC text that is no UTF-8") from None
