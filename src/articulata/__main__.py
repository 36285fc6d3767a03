"""The command line, as ``articulata`` and as ``python -m articulata``."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130
"""Exit status of a command that Ctrl-C has ended."""


def _leave(*_: object) -> None:
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line; Ctrl-C while it is loaded ends it without a word."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from articulata.app.main import main as run

    signal.signal(signal.SIGINT, usual)
    run()


if __name__ == "__main__":
    main()
