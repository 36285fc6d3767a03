"""``articulata film``: a camera that moves through a world."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.options import explained
from articulata.sessions.command_fields import (
    GivenSeed,
    Headless,
    Option,
    Out,
    Port,
    World,
    WorldFile,
)

Play = Annotated[
    Path | None, Option(help="What a device has said (reports.csv): it flies the camera.")
]

Robot = Annotated[
    str,
    Option(
        help="A robot's controller that follows the flight, with --headless the recorded move: the "
        "port where it asks, rsi:PORT, or 'simulated'."
    ),
]


Share = Annotated[
    float,
    Option(
        help="With --headless and --robot: the greatest share of the move's speed, to rehearse."
    ),
]


def film(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
    play: Play = None,
    robot: Robot = "",
    share: Share = 1.0,
) -> None:
    """Move a camera through a world, on a robot's flange too."""
    from articulata.kernels.announcing import expect
    from articulata.sessions.film.film_files import film_file, open_film

    expect()
    folder = Path("out") / file.stem if out is None else out
    with explained(), console.Bar(f"filming {file.name}") as bar:
        if headless:
            for path in film_file(file, folder, bar, world, play, robot, share):
                console.result(str(path))
            return
        open_film(
            file,
            folder,
            bar,
            lambda address: console.result(f"articulata: open {address} (Ctrl-C ends it)"),
            world=world,
            port=port,
            play=play,
            robot=robot,
        )
