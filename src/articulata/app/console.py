"""What commands say: results to standard output, notes, progress and errors to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from articulata.errors import ArticulataError, FormatWarning

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

INTERRUPTED = 130
"""Status of a command that was interrupted."""

PATIENCE = 1.0
"""Seconds of work before a progress bar appears."""

REFRESH = 0.1
"""Seconds between two looks at the bar; more often costs the work time."""


def note(text: str) -> None:
    """Say something beside the result."""
    # Where not even an error can be told, the exit status still tells that there is one.
    with contextlib.suppress(OSError):
        print(f"articulata: {text}", file=sys.stderr)  # noqa: T201 - the command line speaks by printing


class Terminal:
    """Tells how a session goes in a terminal."""

    def say(self, text: str) -> None:
        """Write a line; a tone is for who is at a terminal, not for a log."""
        note(text if sys.stderr.isatty() else text.replace("\a", ""))


def tell_warnings() -> None:
    """Say what is passed over in foreign files as a note, not as a line of a program."""
    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, FormatWarning):
            note(str(message))
        else:
            shown(message, category, *rest, **more)

    warnings.showwarning = show


def result(text: str) -> None:
    """Say the result; ArticulataError where standard output cannot be written."""
    with _written():
        # At once, so that who waits for an address through a pipe reads it.
        print(text, flush=True)  # noqa: T201 - the command line speaks by printing


def opened(address: str) -> None:
    """Say where a viewer is."""
    result(f"articulata: open {address} (Ctrl-C ends it)")


def flush() -> None:
    """Write what is still held back; ArticulataError where it cannot be."""
    if sys.stdout is not None:
        with _written():
            sys.stdout.flush()


def silence() -> None:
    """Let nothing more come to standard output, where Python would complain at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise ArticulataError(
            f"standard output cannot be written: {error.strerror or error}; give "
            "it room, or send it elsewhere"
        ) from error


class Bar:
    """A progress bar for work that takes over a second; none where nobody looks at a terminal."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._start = self._last = time.monotonic()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def simulating(self, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` frames are done."""
        self._show(self._what, done, total)

    def working(self, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` are done, whatever is counted."""
        self._show(self._what, done, total)

    def writing(self, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` files are written."""
        self._show("writing results", done, total)

    def _show(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last < REFRESH or now - self._start < PATIENCE:
            return
        self._last = now
        if self._bar is None and sys.stderr.isatty():
            self._begin(total)
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, description=what, completed=done, total=total, refresh=True
            )

    def say(self, text: str) -> None:
        """Say something beside the result."""
        self.stop()
        note(text)

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar, self._task = None, None

    def _begin(self, total: int) -> None:
        # Imported here: most commands end before anybody would want a bar.
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,  # that takes a thread, and one with threads starts no processes
        )
        self._bar.start()
        self._task = self._bar.add_task(self._what, total=total)


@contextmanager
def explained() -> Iterator[None]:
    """End with one clear message where something a user can mend went wrong."""
    try:
        yield
    except ArticulataError as error:
        note(str(error))
        for line in getattr(error, "__notes__", ()):
            note(line)
        raise SystemExit(1) from error
    except KeyboardInterrupt as interrupt:
        note("interrupted")
        raise SystemExit(INTERRUPTED) from interrupt
    except BrokenPipeError as error:
        # Whoever read our output has had enough (articulata ... | head); Python must not complain.
        silence()
        raise SystemExit(1) from error
