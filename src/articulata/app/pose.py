"""``articulata pose``: the posture that a human would take."""

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


def pose(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Find the postures a human would take, and the best of them."""
    from articulata.sessions.requests import unanswered

    with explained():
        raise unanswered(file, "pose", world)
