"""From a file to the viewer, again whenever the file changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from articulata.errors import ArticulataError
from articulata.report.viewer.motion import Motion
from articulata.report.viewer.server import Viewer

PERIOD = 0.3
"""Seconds between two looks at the file; editors write a file in less."""


def watch(
    viewer: Viewer,
    path: Path,
    make: Callable[[Path], Motion],
    *,
    ended: Callable[[], bool] = lambda: False,
) -> None:
    """Show what ``make`` makes of the file at ``path``; make it anew when the file changes.

    A file that cannot be used leaves the last good picture standing, with the reason beside it.
    Returns when ``ended`` says so.
    """
    shown: tuple[int, int] | None = None
    while not ended():
        now = _stamp(path)
        if now != shown:
            shown = now
            try:
                motion = make(path)
            except ArticulataError as error:
                viewer.say(f"**{path.name} is not shown as it now stands:**\n```\n{error}\n```")
            else:
                viewer.show(motion)
                viewer.say("")
        time.sleep(PERIOD)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        # Some editors replace a file by renaming: for a moment it is not there.
        return None
    return status.st_mtime_ns, status.st_size
