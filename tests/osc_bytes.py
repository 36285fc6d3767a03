"""OSC a second time, written by the specification alone: what independent clients speak."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any


def padded(data: bytes) -> bytes:
    data += b"\x00"
    while len(data) % 4:
        data += b"\x00"
    return data


def written(address: str, types: str, *values: Any) -> bytes:
    """A message whose arguments have the ``types`` that are said."""
    body, rest = b"", list(values)
    for kind in types:
        if kind in "TF":
            continue
        value = rest.pop(0)
        if kind in "ifdh":
            body += struct.pack(">" + kind.replace("h", "q"), value)
        elif kind == "s":
            body += padded(value.encode())
        else:
            body += struct.pack(">I", len(value)) + value
            while len(body) % 4:
                body += b"\x00"
    return padded(address.encode()) + padded(b"," + types.encode()) + body


def bundled(parts: Sequence[bytes]) -> bytes:
    """A bundle that is to be done at once."""
    inside = b"".join(struct.pack(">i", len(part)) + part for part in parts)
    return b"#bundle\x00" + bytes(7) + b"\x01" + inside


def parsed(data: bytes) -> list[tuple[str, list[Any]]]:
    """The messages of a sound packet, read by eating bytes from the front."""
    if data.startswith(b"#bundle\x00"):
        found, data = [], data[16:]
        while data:
            size = struct.unpack(">i", data[:4])[0]
            found += parsed(data[4 : 4 + size])
            data = data[4 + size :]
        return found

    def text() -> str:
        nonlocal data
        word = data[: data.index(0)]
        data = data[len(padded(word)) :]
        return word.decode()

    address, types = text(), text()
    values: list[Any] = []
    for kind in types[1:]:
        if kind in "TF":
            values.append(kind == "T")
        elif kind == "s":
            values.append(text())
        elif kind == "b":
            size = struct.unpack(">I", data[:4])[0]
            values.append(data[4 : 4 + size])
            data = data[4 + (size + 3) // 4 * 4 :]
        else:
            form = ">" + kind.replace("h", "q")
            values.append(struct.unpack(form, data[: struct.calcsize(form)])[0])
            data = data[struct.calcsize(form) :]
    return [(address, values)]
