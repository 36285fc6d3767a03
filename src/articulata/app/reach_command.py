"""``articulata reach``: what a person can touch."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from articulata.app import console
from articulata.app.options import explained
from articulata.errors import ArticulataError
from articulata.sessions.command_fields import ReachAsked

TURNS = 5e-4
"""s. People are answered on threads of their own; so long one waits for Python at most."""


def reach(asked: ReachAsked) -> None:
    """Find what a person can reach in a room, from where, and why not the rest."""
    # products of small matrices gain nothing from more threads, which wait for each other busily
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.setswitchinterval(TURNS)
    from articulata.kernels.announcing import expect
    from articulata.records.reach_verdicts import by_code
    from articulata.sessions.reach.answering import reach_file
    from articulata.sessions.reach.variants import answer_of, compare

    expect()
    with explained():
        if asked.store is not None:
            if (asked.before, asked.out, asked.port) != (None, None, None):
                raise ArticulataError(
                    "--store makes a map and nothing else: --before, --out and --port are for an "
                    "answer without it"
                )
            _store(asked)
            return
        if asked.grid is not None or asked.workers or asked.scheduler:
            raise ArticulataError(
                "--grid, --workers and --scheduler are for a map in a store: add --store FOLDER"
            )
        if asked.before is not None:
            with console.Bar(f"reaching in {asked.before.name}") as bar:
                former = answer_of(replace(asked, file=asked.before), bar)
        with console.Bar(f"reaching in {asked.file.name}") as bar:
            done = reach_file(
                asked, bar, told=lambda verdicts: console.result("\n".join(map(str, verdicts)))
            )
        for note in done.reached.notes:
            console.result(f"note: {note}")
        for finding in done.reached.findings:
            console.result(str(finding))
        for line in by_code(done.reached.findings):
            console.result(line)
        files = done.files
        if asked.before is not None:
            compared = compare(former, asked.before.name, done)
            console.result("\n".join(compared.lines))
            files = (*files, compared.file)
        for path in files:
            console.result(str(path))
        if not asked.headless:
            from articulata.sessions.reach.live_study import show

            show(done, asked, told=console.opened)


def _store(asked: ReachAsked) -> None:
    """Make the map in a store, or go on with it."""
    from articulata.sessions.reach.tiling import reach_in

    with console.Bar(f"labelling points of {asked.file.name}") as bar:
        console.result(str(reach_in(asked, bar)))
    console.result(str(asked.store))
