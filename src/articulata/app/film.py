"""``articulata film``: a camera that moves through a world."""

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


def film(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Move a camera through a world, on a robot's flange too."""
    from articulata.sessions.requests import unanswered

    with explained():
        raise unanswered(file, "film", world)
