"""``articulata simulate``: a result folder, and where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from articulata.app import console
from articulata.records.recording import Recording
from articulata.report.folder import Making
from articulata.sessions.command_fields import SimulateAsked
from articulata.sessions.simulation import Plan, Result, nothing_more, planned, simulate_file

if TYPE_CHECKING:
    from articulata.sessions.steered_run import Steering


def simulated(
    wish: SimulateAsked,
    more: Callable[[Recording], list[Making]] = nothing_more,
    steering: Steering | None = None,
    *,
    apart: bool = False,
    plan: Plan | None = None,
) -> Result:
    """Simulate and say what was written; ``more`` makes further files of the recording.

    ``apart``: another process writes the files. ``plan``: what was made of ``wish`` already.
    """
    from articulata.kernels.announcing import expect

    expect()
    with console.Bar(f"simulating {wish.file.name}") as bar:
        result = simulate_file(wish, bar, more, steering, apart=apart, plan=plan)
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


def looked_through(wish: SimulateAsked, *, steered: bool = True) -> Plan:
    """Return what a wish comes to; what is wrong with it is raised before anything is shown."""
    with console.Bar(f"reading {wish.file.name}") as bar:
        return planned(wish, bar, steered=steered)
