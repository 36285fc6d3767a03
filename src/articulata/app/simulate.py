"""``articulata simulate``: a result folder, and where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from articulata.app import console
from articulata.records.recording import Recording
from articulata.report.folder import Making
from articulata.sessions.simulation import Result, Wish, nothing_more, simulate_file

if TYPE_CHECKING:
    from articulata.sessions.steered_run import Steering


def simulated(
    wish: Wish,
    more: Callable[[Recording], list[Making]] = nothing_more,
    steering: Steering | None = None,
    *,
    apart: bool = False,
) -> Result:
    """Simulate and say what was written; ``more`` makes further files of the recording.

    ``apart``: another process writes the files.
    """
    from articulata.kernels.announcing import expect

    expect()
    with console.Bar(f"simulating {wish.file.name}") as bar:
        result = simulate_file(wish, bar, more, steering, apart=apart)
    recording = result.recording
    if result.interrupted:
        last = f"t = {recording.times[-1]:g} s" if len(recording.times) else "no frame"
        console.note(f"interrupted; everything up to {last} is in {result.folder}")
    for event in recording.events:
        if event.kind in ("untested", "start"):
            console.note(event.story)
    if result.beside is not None:
        console.note(str(result.beside))
    for path in result.files:
        console.result(str(path))
    return result
