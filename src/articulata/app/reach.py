"""``articulata reach``: what a person can touch."""

from __future__ import annotations

from pathlib import Path

from articulata.app import console
from articulata.app.options import (
    GivenSeed,
    Headless,
    Out,
    Port,
    World,
    WorldFile,
    explained,
)


def reach(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Say what a person can touch of a world, and from where."""
    from articulata.kernels.announcing import announce
    from articulata.kernels.compile import compiled_before
    from articulata.sessions.reach import reach_file
    from articulata.sessions.requests import text_of

    if not compiled_before("articulata.kernels.chains.base_places"):
        announce(always=True)
    text = text_of(file)
    with explained():
        with console.Bar(f"reaching in {file.name}") as bar:
            done = reach_file(
                text, out or Path("out") / file.stem, bar, world=world, seed=seed,
                told=lambda verdicts: console.result("\n".join(map(str, verdicts))),
            )  # fmt: skip
        for note in done.reached.notes:
            console.result(f"note: {note}")
        for finding in done.reached.findings:
            console.result(str(finding))
        for path in done.files:
            console.result(str(path))
        if not headless:
            from articulata.sessions.reaching import show

            show(
                done.request, done.reached, file=file if file == text else None, port=port,
                told=lambda at: console.result(f"articulata: open {at} (Ctrl-C ends it)"),
            )  # fmt: skip
