"""``articulata warm``: compile the kernels and keep the result."""

from __future__ import annotations

import gc
from collections.abc import Sequence

from articulata.app.console import Bar
from articulata.sessions.warming import PARTS, named, warm


def compiled(bar: Bar, parts: Sequence[str] = ()) -> str:
    """Compile the kernels of ``parts``, all where none is named; return where they are kept."""
    from articulata.kernels.compile import cache_base, cache_folder

    gc.set_threshold(100_000, 50, 100)  # a tenth of the time went into looking for garbage
    total = sum(len(PARTS[part]) for part in named(parts))
    for number, name in enumerate(warm(parts), 1):
        bar.simulating(number, total)
        bar.say(f"compiled: {name} ({number} of {total})")
    kept = cache_folder() is not None
    return f"kernels are kept in {cache_base()}" if kept else "kernels cannot be kept; see above"
