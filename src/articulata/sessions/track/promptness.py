"""How Python is set while people are tracked, so that no picture waits for it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCHING = 2e-4
"""Seconds for which a thread may keep others from running: with Python's usual 5 ms a picture waits
for whatever else is computed."""


@contextmanager
def prompt() -> Iterator[None]:
    """Let threads change sooner, and look for garbage only where that is asked for.

    Elsewhere it held up pictures: by 0.2 s among all there is, by 1 ms among what is new.
    """
    interval, looking = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(SWITCHING)
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if looking:
            gc.enable()
        sys.setswitchinterval(interval)
