"""``articulata warm``: compile every kernel a simulation uses and keep the result."""

from __future__ import annotations

from articulata.app.console import Bar
from articulata.sessions.warming import STEPS, warm


def compiled(bar: Bar) -> str:
    """Compile the kernels; return where they are kept."""
    from articulata.kernels.compile import cache_base, cache_folder

    for number, name in enumerate(warm(), 1):
        bar.simulating(number, len(STEPS))
        bar.say(f"compiled: {name} ({number} of {len(STEPS)})")
    kept = cache_folder("multibody") is not None
    return f"kernels are kept in {cache_base()}" if kept else "kernels cannot be kept; see above"
