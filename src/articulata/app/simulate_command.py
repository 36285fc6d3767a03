"""``articulata simulate``: a world into a folder of results, by orders of a file or live."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.app import console
from articulata.app.console import INTERRUPTED, explained
from articulata.errors import ArticulataError
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
            live(asked)
        elif not asked.headless and asked.orders is None and asked.beside is None:
            seen(asked)
        else:
            _run_first(asked)


def _run_first(asked: SimulateAsked) -> None:
    """Simulate, by the orders of a file where there is one; show the run when it is over."""
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
    from articulata.records.events import shown_in
    from articulata.report.recording_tables import unmoved
    from articulata.sessions.simulation import nothing_more, simulate_file

    expect()
    with console.Bar(f"simulating {wish.file.name}") as bar:
        result = simulate_file(wish, bar, more or nothing_more, steering, apart=apart, plan=plan)
    recording = result.recording
    if result.interrupted:
        last = f"t = {recording.times[-1]:g} s" if len(recording.times) else "no frame"
        console.note(f"interrupted; everything up to {last} is in {result.folder}")
    for event, _ in (shown_in(recording.world.units, each) for each in recording.events):
        if event.kind in ("untested", "start"):
            console.note(event.story)
    if recording.events:
        kinds = Counter(event.kind for event in recording.events)
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        how = f"articulata why {result.folder} NAME how it came about"
        console.note(f"events: {told}; events.txt tells of each, {how}")
    if still := unmoved(recording):
        console.note(still)
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


def ordered(wish: SimulateAsked, orders: Path) -> Result:
    """Simulate with the orders of a file, one a line; "at T" says when each is due."""
    from articulata.sessions.steered_run import Steering

    steering = Steering(say=console.note)
    try:
        lines = orders.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ArticulataError(f"{orders} cannot be read ({error}); give a file of orders") from None
    give_all(steering, lines, orders)
    return simulated(wish, steering=steering)


def give_all(steering: Steering, lines: Iterable[str], file: Path) -> None:
    """Give the orders of a file; those that start sequences wait until these are known."""
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            steering.order(text)
        except ArticulataError as error:
            raise ArticulataError(f"{file}:{number}: {error}") from None


def seen(
    wish: SimulateAsked,
    more: Callable[[Recording], list[Making]] | None = None,
    *,
    checked: bool = True,
) -> Result:
    """Simulate in a thread and play it in the browser meanwhile; return when the user has enough.

    The page is there first, then the world as it stands before the run; another process writes
    tables and pictures behind the run.
    With ``checked`` what is wrong with the text ends the command before an address is told.
    """
    from articulata.report.folder import RECORDING
    from articulata.sessions.showing import Showing
    from articulata.sessions.steered_run import Steering

    with Showing(port=wish.port) as showing:
        plan = looked_through(wish) if checked else None
        console.opened(showing.viewer.address)
        steering = Steering()

        def run() -> Result:
            showing.begin(wish, steering)
            return simulated(wish, more, steering, apart=True, plan=plan)

        def grow(running: Callable[[], bool]) -> None:
            showing.grow(wish.folder / RECORDING, running)

        result = _meanwhile(run, grow, steering)
        with contextlib.suppress(KeyboardInterrupt):
            showing.viewer.wait()
        return result


def live(wish: SimulateAsked) -> None:
    """Simulate in a thread, show it as it goes, take orders from the page and the terminal."""
    from articulata.report.folder import RECORDING
    from articulata.sessions.showing import Showing
    from articulata.sessions.steered_run import Steering

    plan = looked_through(wish)
    steering = Steering(speed=1.0)
    with Showing(port=wish.port, steering=steering) as showing:

        def say(text: str) -> None:
            console.note(text)
            showing.viewer.answer(text)

        def run() -> Result:
            return simulated(wish, steering=steering, apart=True, plan=plan)

        def follow(running: Callable[[], bool]) -> None:
            threading.Thread(target=_listen, args=(steering,), name="orders", daemon=True).start()
            showing.follow(wish.folder / RECORDING, steering, running)
            showing.viewer.offer((), orders=False)

        steering.say, showing.reports = say, plan.reports
        console.opened(showing.viewer.address)
        console.note("type orders here or in the page: pause, continue, break HINGE, stop ...")
        _meanwhile(run, follow, steering)
        with contextlib.suppress(KeyboardInterrupt):
            showing.viewer.wait()


def _meanwhile(
    run: Callable[[], Result], show: Callable[[Callable[[], bool]], None], steering: Steering
) -> Result:
    """Return what ``run`` gives in a thread, shown meanwhile while it is alive; Ctrl-C ends it."""
    made: list[Result] = []
    failure: list[BaseException] = []

    def keep() -> None:
        try:
            made.append(run())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=keep, name="simulation", daemon=True)
    thread.start()
    try:
        show(thread.is_alive)
    except KeyboardInterrupt:
        steering.end()
        thread.join()
        raise
    if failure:
        raise failure[0]
    return made[0]


def _listen(steering: Steering) -> None:
    """Give what is typed on the terminal as orders."""
    for line in sys.stdin:
        if line.strip():
            try:
                steering.order(line)
            except ArticulataError as error:
                console.note(str(error))
