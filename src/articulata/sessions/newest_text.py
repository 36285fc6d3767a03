"""A process that checks and simulates a text, only ever the newest one.

It looks between two frames whether another text waits. Where it does not look for a while, within a
long step or a shape that takes its time, it is ended and another begins with the newer text.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from articulata.errors import ArticulataError, Diagnostic, WorldError
from articulata.kernels.lanes.host import thread_count
from articulata.sessions.worker_processes import begin
from articulata.world.document import Document, parse
from articulata.world.requests.request import Request

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

GRACE: Final = 2.0
"""s for which a newer text waits before the process that does not look for it is ended."""
MOST: Final = 20_000
"""Frames of a run that are computed: memory and files stay small however long it is asked for."""
GLANCE: Final = 0.15
"""s between two words about how far a run is."""

Heard = Callable[[str, tuple[int, Any]], None]
"""Hears "found" with findings, "run" with a recording's file, whether it ended, and why."""


class NewestText:
    """Has the newest text that it is given checked and simulated; ``heard`` is told in a thread.

    Recordings are written to ``folder``. ``world`` says which world is meant, as commands do.
    """

    def __init__(self, file: Path, folder: Path, world: str, heard: Heard) -> None:
        self._given, self._heard = (file, folder, world), heard
        self._lock = threading.Lock()
        self._waiting: tuple[int, str] | None = None
        self._since = 0.0
        self._closed = False
        self._begin()

    def give(self, number: int, text: str) -> None:
        """Have ``text`` done as soon as can be; what was asked before is of no interest."""
        with self._lock:
            self._since = time.monotonic() if self._waiting is None else self._since
            self._waiting = number, text
            # a word alone: a text would fill the pipe of a process that does not listen
            with suppress(OSError):
                self._send() if self._ready else self._pipe.send(None)

    def mind(self) -> None:
        """End the process where a text waits for too long, and begin another; asked often."""
        with self._lock:
            late = self._waiting is not None and time.monotonic() - self._since > GRACE
            if late and self._begun and not self._ready:
                self._process.kill()  # its thread notices, and begins another

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._closed = True
        self._process.kill()
        self._thread.join(timeout=5)

    def _begin(self) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._ready = self._begun = False
        self._process = context.Process(target=_work, args=(theirs, *self._given), daemon=True)
        self._process.start()
        theirs.close()
        self._thread = threading.Thread(target=self._listen, args=(self._pipe,), daemon=True)
        self._thread.start()

    def _send(self) -> None:
        self._pipe.send(self._waiting)
        self._waiting, self._ready = None, False

    def _listen(self, pipe: Connection) -> None:
        with suppress(EOFError, OSError):
            while True:
                word, said = pipe.recv()
                if word == "ready":
                    with self._lock:
                        self._ready = self._begun = True
                        if self._waiting is not None:
                            self._send()
                else:
                    self._heard(word, said)
        with self._lock:
            alone = self._waiting is None and not self._closed
            if self._begun and not self._closed:
                self._since = time.monotonic()
                self._begin()
        if alone:
            self._heard("ended", (0, None))


class _Newer(Exception):
    """A newer text waits."""


def _work(pipe: Connection, file: Path, folder: Path, world: str) -> None:
    """Do what comes through ``pipe``, until whoever began this process is gone."""
    begin(max(1, thread_count()))
    with suppress(EOFError, OSError):
        while True:
            pipe.send(("ready", None))
            while (given := pipe.recv()) is None:
                pass
            number, text = given
            try:
                _answer(pipe, number, text, file, folder / f"{number}.artrun", world)
            except _Newer:
                continue
            except (ArticulataError, ArithmeticError, RecursionError, MemoryError) as error:
                pipe.send(("run", (number, (None, True, str(error) or type(error).__name__))))


def _answer(pipe: Connection, number: int, text: str, file: Path, record: Path, world: str) -> None:
    """Tell the findings about a text, then the run that it asks for while it goes on."""

    def heed() -> None:
        if pipe.poll():
            raise _Newer

    def run(ended: bool, why: str = "", there: bool = True) -> None:
        pipe.send(("run", (number, (record if there else None, ended, why))))

    try:
        document = read_text(text, file)
        found = document.check(starts=False)
        pipe.send(("found", (number, found)))
        heed()
        whole = document.check()  # begins requests, which takes longer
        if whole != found:
            pipe.send(("found", (number, whole)))
        if any(each.severity == "error" for each in whole):
            return
        request = meant(document, world)
    except WorldError as error:
        told = error.diagnostics or (
            Diagnostic(str(file), 1, 1, "error", "unreadable", str(error)),
        )
        pipe.send(("found", (number, told)))
        return
    heed()
    if request is None or request.until is None:
        run(True, "The text asks for no run.", there=False)
        return
    # Imported here: it brings in the compiler.
    from articulata.analyses.simulate.run import simulate
    from articulata.analyses.simulate.run_question import STEP
    from articulata.domains.control import controllers_of

    if controllers_of(document.world(request), request.rules):
        run(True, "Controllers are executed by articulata simulate, not here.", there=False)
        return
    told_at = -GLANCE

    def progress(done: int, total: int) -> None:
        nonlocal told_at
        heed()
        if time.monotonic() - told_at > GLANCE:
            told_at = time.monotonic()
            run(False)

    # a longer run would be a list of times without end before it began
    until = min(request.until, MOST * (request.step or STEP))
    run(False, there=False)
    try:
        simulate(request, until=until, record_to=record, progress=progress)
        short = f"No more than {MOST} frames are computed here." if until < request.until else ""
        run(True, short)
    except ArticulataError as error:
        run(True, str(error), hasattr(error, "recording"))


def read_text(text: str, file: Path) -> Document:
    """Return the document of a text that is, or will be, in ``file``."""
    return parse(text, str(file), folder=file.resolve().parent)


def meant(document: Document, world: str) -> Request | None:
    """Return the request to show: that of ``world``, else the first, else of the first world.

    None for a text without a world.
    """
    from articulata.sessions.simulation import asked

    simulated = any(each.kind == "simulate" for each in document.requests)
    if not world and not simulated:
        if not document.worlds:
            return None
        world = document.worlds[0]
    return asked(document, world)
