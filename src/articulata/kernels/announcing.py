"""A word before kernels are compiled, which may take a minute: once, on stderr.

It is said where somebody waits: at a terminal, a prompt or in a notebook, and by commands. A
program whose stderr goes elsewhere hears nothing, nor does one that sets ``ARTICULATA_QUIET``. The
processes that a process begins say nothing that it has said: its copies share ``_said``.
"""

from __future__ import annotations

import os
import sys
from mmap import mmap

QUIET_VARIABLE = "ARTICULATA_QUIET"
"""Environment variable that, set to anything, keeps the word back."""

_BY = "ARTICULATA_ANNOUNCED_BY"
"""Environment variable by which processes that are begun know who has said it."""

MESSAGE = "articulata: compiling kernels, once; this may take a minute"

_said = mmap(-1, 1)
_expected = False


def expect() -> None:
    """Let the word be said wherever stderr goes: a command is run by somebody who waits."""
    global _expected
    _expected = True


def announce() -> None:
    """Say that kernels are being compiled, if nobody has and somebody waits."""
    told = QUIET_VARIABLE in os.environ or os.environ.get(_BY) == str(os.getppid())
    waiting = hasattr(sys, "ps1") or (sys.stderr is not None and sys.stderr.isatty())
    if not told and (_expected or waiting):
        first = not _said[0]
        _said[0], os.environ[_BY] = 1, str(os.getpid())
        if first:
            print(MESSAGE, file=sys.stderr, flush=True)  # noqa: T201 - nobody else is there to say it
