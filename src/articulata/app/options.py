"""What every command does where something goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from articulata.app import console
from articulata.errors import ArticulataError

INTERRUPTED = 130


@contextmanager
def explained() -> Iterator[None]:
    """End with one clear message where something a user can mend went wrong."""
    try:
        yield
    except ArticulataError as error:
        console.note(str(error))
        for line in getattr(error, "__notes__", ()):
            console.note(line)
        raise SystemExit(1) from error
    except KeyboardInterrupt as interrupt:
        console.note("interrupted")
        raise SystemExit(INTERRUPTED) from interrupt
    except BrokenPipeError as error:
        # Whoever read our output has had enough (articulata ... | head); Python must not complain.
        console.silence()
        raise SystemExit(1) from error
