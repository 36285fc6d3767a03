"""Writing files whole: a reader sees the old file or the new one, never a part of either."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from articulata.errors import RecordingError


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` through a file beside it, so that no failure leaves a part."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise RecordingError(
            f"{path} cannot be written ({error.strerror}); nothing was left behind."
            " Free some space, or give a folder that exists and that you may write to"
        ) from error
