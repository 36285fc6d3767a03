"""``articulata track``: a figure that follows a live person."""

from __future__ import annotations

from articulata.app.options import (
    GivenSeed,
    Headless,
    Out,
    Port,
    World,
    WorldFile,
    explained,
)


def track(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Let a figure follow a live person, or a recorded one."""
    from articulata.sessions.requests import unanswered

    with explained():
        raise unanswered(file, "track", world)
