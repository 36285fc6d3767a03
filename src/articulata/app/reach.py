"""``articulata reach``: what a person can touch."""

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


def reach(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Say what a person can touch of a world, and from where."""
    from articulata.sessions.requests import unanswered

    with explained():
        raise unanswered(file, "reach", world)
