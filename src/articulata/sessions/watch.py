"""From a file to the viewer, again whenever the file changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from articulata.errors import ArticulataError

PERIOD = 0.3
"""Seconds between two looks at the file."""

SETTLED = 0.05
"""Seconds for which a file that has changed stays as it is before it is read: what writes it may
have emptied it first."""


Stamp: TypeAlias = tuple[int, int] | None
"""Time and size of a file, None where there is none."""

Seen = TypeVar("Seen", contravariant=True)
Made = TypeVar("Made")


class Shows(Protocol[Seen]):
    """A viewer of motions, of figures, of anything."""

    def show(self, source: Seen, /) -> None:
        """Show ``source`` in place of what was shown."""

    def say(self, text: str, /) -> None:
        """Show a message; nothing when it is empty."""


def watch(
    viewer: Shows[Made],
    path: Path,
    make: Callable[[Path], Made],
    *,
    ended: Callable[[], bool] = lambda: False,
    about: Callable[[Made], str] = lambda _: "",
    first: tuple[Stamp, Made] | None = None,
) -> None:
    """Show what ``make`` makes of the file at ``path``; make it anew when the file changes.

    ``about`` returns what is to be said of it. ``first`` is what was made of it already, with its
    ``stamp`` before that.
    A file that cannot be used leaves the last good picture standing, with the reason beside it.
    Returns when ``ended`` says so.
    """
    shown: Stamp = None
    if first is not None:
        shown, made = first
        viewer.say(about(made))
        viewer.show(made)
    while not ended():
        now = stamp(path)
        if now != shown:
            time.sleep(SETTLED)
            if stamp(path) != now:
                continue
            shown = now
            try:
                made = make(path)
            except ArticulataError as error:
                viewer.say(f"**{path.name} is not shown as it now stands:**\n```\n{error}\n```")
            else:
                viewer.say(about(made))
                viewer.show(made)
        time.sleep(PERIOD)


def stamp(path: Path) -> Stamp:
    """Return what tells a file from what it was before: its time and size, None without a file."""
    try:
        status = path.stat()
    except OSError:
        # Some editors replace a file by renaming: for a moment it is not there.
        return None
    return status.st_mtime_ns, status.st_size
