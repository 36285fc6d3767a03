"""``articulata simulate --live`` and ``--orders``: a run that takes orders while it goes on."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.app import console
from articulata.errors import ArticulataError

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.report.folder import Making
    from articulata.sessions.command_fields import SimulateAsked
    from articulata.sessions.simulation import Plan, Result
    from articulata.sessions.steered_run import Steering


def ordered(wish: SimulateAsked, orders: Path) -> Result:
    """Simulate with the orders of a file, one a line; "at T" says when each is due."""
    from articulata.app.simulate_command import simulated
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
    from articulata.sessions.showing import Showing

    with Showing(port=wish.port) as showing:
        plan: Plan | None = None
        if checked:
            from articulata.app.simulate_command import looked_through

            plan = looked_through(wish)
        console.opened(showing.viewer.address)
        from articulata.report.folder import RECORDING
        from articulata.sessions.steered_run import Steering

        steering = Steering()
        made: list[Result] = []
        failure: list[BaseException] = []

        def run() -> None:
            try:
                showing.begin(wish, steering)
                from articulata.app.simulate_command import simulated

                made.append(simulated(wish, more, steering, apart=True, plan=plan))
            except BaseException as error:
                failure.append(error)

        thread = threading.Thread(target=run, name="simulation", daemon=True)
        thread.start()
        try:
            showing.grow(wish.folder / RECORDING, thread.is_alive)
        except KeyboardInterrupt:
            steering.end()
            thread.join()
            raise
        if failure:
            raise failure[0]
        with contextlib.suppress(KeyboardInterrupt):
            showing.viewer.wait()
        return made[0]


def live(wish: SimulateAsked) -> None:
    """Simulate in a thread, show it as it goes, take orders from the page and the terminal."""
    from articulata.app.simulate_command import looked_through, simulated
    from articulata.report.folder import RECORDING
    from articulata.sessions.showing import Showing
    from articulata.sessions.steered_run import Steering

    plan = looked_through(wish)
    steering = Steering(speed=1.0)
    with Showing(port=wish.port, steering=steering) as showing:

        def say(text: str) -> None:
            console.note(text)
            showing.viewer.answer(text)

        steering.say = say
        failure: list[BaseException] = []

        def run() -> None:
            try:
                simulated(wish, steering=steering, apart=True, plan=plan)
            except BaseException as error:
                failure.append(error)

        thread = threading.Thread(target=run, name="simulation", daemon=True)
        console.opened(showing.viewer.address)
        console.note("type orders here or in the page: pause, continue, break HINGE, stop ...")
        thread.start()
        threading.Thread(target=_listen, args=(steering,), name="orders", daemon=True).start()
        try:
            showing.follow(wish.folder / RECORDING, steering, thread.is_alive)
        except KeyboardInterrupt:
            steering.end()
            thread.join()
            raise
        showing.viewer.offer((), orders=False)
        if failure:
            raise failure[0]
        with contextlib.suppress(KeyboardInterrupt):
            showing.viewer.wait()


def _listen(steering: Steering) -> None:
    """Give what is typed on the terminal as orders."""
    for line in sys.stdin:
        if line.strip():
            try:
                steering.order(line)
            except ArticulataError as error:
                console.note(str(error))
