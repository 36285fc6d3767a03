"""``articulata film``: a camera that moves through a world."""

from __future__ import annotations

from articulata.app import console
from articulata.app.options import explained
from articulata.sessions.command_fields import FilmAsked


def film(asked: FilmAsked) -> None:
    """Fly a camera through a world, freely or on the flange of a robot."""
    from articulata.kernels.announcing import expect
    from articulata.sessions.film.film_files import film_file, open_film

    expect()
    with explained(), console.Bar(f"filming {asked.file.name}") as bar:
        if not asked.headless:
            open_film(asked, bar, console.opened)
            return
        for path in film_file(asked, bar):
            console.result(str(path))
