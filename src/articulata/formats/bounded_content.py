"""The bytes of a file, within bounds."""

from __future__ import annotations

import os
import stat
import zlib
from pathlib import Path
from typing import Final

from articulata.errors import FormatError

LARGEST: Final = 256 * 2**20
"""Bytes of a file, unpacked, beyond which it is no world."""


def content_of(path: Path) -> bytes:
    """Return the bytes of a file, those of a packed one (gzip) unpacked."""
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            # a buffer no larger than what is there; a pipe does not tell
            size = about.st_size if stat.S_ISREG(about.st_mode) else LARGEST
            data = file.read(min(size, LARGEST) + 1)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from error
    if data.startswith(b"\x1f\x8b"):
        unpacker = zlib.decompressobj(31)
        try:
            data = unpacker.decompress(data, LARGEST + 1)
            cut = not unpacker.eof and len(data) <= LARGEST
        except zlib.error as error:
            raise FormatError(f"{path}: cannot be unpacked: {error}; pack it anew") from None
        if cut:
            raise FormatError(f"{path}: it is packed and ends too early; pack it anew")
    if len(data) > LARGEST:
        raise FormatError(f"{path}: it is larger than {LARGEST // 2**20} MiB; give a smaller one")
    return data
