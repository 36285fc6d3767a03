"""A word before kernels are compiled, which may take a minute: once in a process, on stderr.

It is said where somebody waits: at a terminal or a prompt, and by commands. A program whose stderr
goes elsewhere hears nothing, nor does one that sets ``ARTICULATA_QUIET``.
"""

from __future__ import annotations

import os
import sys

QUIET_VARIABLE = "ARTICULATA_QUIET"
"""Environment variable that, set to anything, keeps the word back."""

MESSAGE = "articulata: compiling kernels, once; this may take a minute"

_said = False
_expected = False


def expect() -> None:
    """Let the word be said wherever stderr goes: a command is run by somebody who waits."""
    global _expected
    _expected = True


def announce() -> None:
    """Say that kernels are being compiled, if nobody has and somebody waits."""
    global _said
    if _said or QUIET_VARIABLE in os.environ:
        return
    if _expected or hasattr(sys, "ps1") or (sys.stderr is not None and sys.stderr.isatty()):
        _said = True
        print(MESSAGE, file=sys.stderr, flush=True)  # noqa: T201 - nobody else is there to say it
