"""``articulata simulate``: a world into a folder of results, live or by orders too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.app import console
from articulata.app.options import INTERRUPTED, explained
from articulata.sessions.command_fields import SimulateAsked

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.report.folder import Making
    from articulata.sessions.simulation import Plan, Result
    from articulata.sessions.steered_run import Steering


def simulate(asked: SimulateAsked) -> None:
    """Simulate a world, write the results to a folder and show the run."""
    from articulata.world.world_files import shipped

    source = asked.begin if asked.file == Path() else shipped(asked.file)
    if source is None:
        console.note("give a world to simulate, or a recording to go on from by --from")
        raise SystemExit(2)
    asked = replace(asked, file=source)
    with explained():
        if asked.live:
            from articulata.app.live import live as run_live

            run_live(asked)
        elif not asked.headless and asked.orders is None and asked.beside is None:
            from articulata.app.live import seen

            seen(asked)
        else:
            _run_first(asked)


def _run_first(asked: SimulateAsked) -> None:
    """Simulate, by the orders of a file where there is one; show the run when it is over."""
    from articulata.app.live import ordered

    result = simulated(asked) if asked.orders is None else ordered(asked, asked.orders)
    if result.interrupted:
        raise SystemExit(INTERRUPTED)
    if not asked.headless:
        from articulata.app.look import show

        show(result.recording, port=asked.port)


def simulated(
    wish: SimulateAsked,
    more: Callable[[Recording], list[Making]] | None = None,
    steering: Steering | None = None,
    *,
    apart: bool = False,
    plan: Plan | None = None,
) -> Result:
    """Simulate and say what was written; ``more`` makes further files of the recording.

    ``apart``: another process writes the files. ``plan``: what was made of ``wish`` already.
    """
    from articulata.kernels.announcing import expect
    from articulata.sessions.simulation import nothing_more, simulate_file

    expect()
    with console.Bar(f"simulating {wish.file.name}") as bar:
        result = simulate_file(wish, bar, more or nothing_more, steering, apart=apart, plan=plan)
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
    from articulata.sessions.simulation import planned

    with console.Bar(f"reading {wish.file.name}") as bar:
        return planned(wish, bar, steered=steered)
