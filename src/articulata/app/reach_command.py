"""``articulata reach``: what a person can touch."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.options import explained
from articulata.errors import ArticulataError
from articulata.sessions.command_fields import (
    GivenSeed,
    Headless,
    Option,
    Out,
    Port,
    World,
    WorldFile,
)

TURNS = 5e-4
"""s. People are answered on threads of their own; so long one waits for Python at most."""


def reach(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
    before: Annotated[
        Path | None,
        Option(help="Another variant of the room (.art), or its answer (.artreach), to compare."),
    ] = None,
    store: Annotated[
        Path | None,
        Option(help="Folder for a map of any size, taken up where it was left; nothing else."),
    ] = None,
    grid: Annotated[float | None, Option(help="Metres between its points; the text's.")] = None,
    workers: Annotated[int, Option(help="Processes that make it; threads of this one.")] = 0,
    scheduler: Annotated[str, Option(help="Address of the Dask scheduler whose workers do.")] = "",
) -> None:
    """Say what a person can touch of a world, and from where."""
    # products of small matrices gain nothing from more threads, which wait for each other busily
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.setswitchinterval(TURNS)
    from articulata.kernels.announcing import expect
    from articulata.sessions.reach.answering import reach_file
    from articulata.sessions.reach.variants import answer_of, compare
    from articulata.world.world_files import shipped

    expect()
    text = shipped(file)
    with explained():
        if store is not None:
            if before is not None or out is not None or port is not None:
                raise ArticulataError(
                    "--store makes a map and nothing else: --before, --out and --port are for an "
                    "answer without it"
                )
            _store(text, store, world, seed, grid, workers, scheduler)
            return
        if grid is not None or workers or scheduler:
            raise ArticulataError(
                "--grid, --workers and --scheduler are for a map in a store: add --store FOLDER"
            )
        if before is not None:
            with console.Bar(f"reaching in {before.name}") as bar:
                former = answer_of(shipped(before), bar, world=world, seed=seed)
        with console.Bar(f"reaching in {file.name}") as bar:
            done = reach_file(
                text, out or Path("out") / file.stem, bar, world=world, seed=seed,
                told=lambda verdicts: console.result("\n".join(map(str, verdicts))),
                before=None if before is None else shipped(before),
            )  # fmt: skip
        for note in done.reached.notes:
            console.result(f"note: {note}")
        for finding in done.reached.findings:
            console.result(str(finding))
        files = done.files
        if before is not None:
            compared = compare(former, before.name, done)
            console.result("\n".join(compared.lines))
            files = (*files, compared.file)
        for path in files:
            console.result(str(path))
        if not headless:
            from articulata.sessions.reach.live_study import show

            show(
                done.request, done.reached, file=text, port=port,
                copies=None if file == text else done.folder,  # a room that ships stays as it is
                told=lambda at: console.result(f"articulata: open {at} (Ctrl-C ends it)"),
            )  # fmt: skip


def _store(
    text: Path, store: Path, world: str, seed: int | None, grid: float | None,
    workers: int, scheduler: str,
) -> None:  # fmt: skip
    """Make the map in a store, or go on with it."""
    from articulata.sessions.reach.tiling import reach_in_store

    with console.Bar(f"labelling points of {text.name}") as bar:
        done = reach_in_store(
            text, store, world=world, seed=seed, grid=grid, workers=workers, scheduler=scheduler,
            listener=bar,
        )  # fmt: skip
    console.result(str(done))
    console.result(str(store))
