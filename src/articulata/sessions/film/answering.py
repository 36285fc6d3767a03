"""``articulata film``: from a file to a camera in the browser, or to files of a recorded move."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from articulata.analyses.film.question import Setting, setting_of
from articulata.errors import FormatError, WorldError
from articulata.formats import csv
from articulata.formats.gltf.animation import read_camera
from articulata.records.film import CameraMove, load_move, sampled_move
from articulata.sessions.film.results import (
    Filmed,
    Listener,
    filmed,
    move_of_table,
    write_film,
)
from articulata.sessions.requests import request_in, text_of
from articulata.world.document import read


def setting_in(file: Path, world: str = "") -> Setting:
    """Return the setting of the request to film in ``file`` that ``world`` means."""
    return setting_of(request_in(read(file), "film", world))


def move_in(setting: Setting, file: Path) -> tuple[CameraMove | None, list[Path]]:
    """Return the recorded move that a request names, and the file it is in."""
    for source in setting.question.sources:
        if source.name == "file" and source.port is not None:
            path = file.parent / str(source.port)
            return read_move(path, setting.question.frames), [path]
    return None, []


def read_move(path: Path, frames: float) -> CameraMove:
    """Return the move in a file: JSON of ours, a table, or glTF sampled at ``frames`` a second."""
    kind = path.suffix.lower()
    if kind not in (".gltf", ".glb", ".csv"):
        return load_move(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} cannot be read ({error.strerror})") from error
    if kind == ".csv":
        return move_of_table(csv.read(data.decode("utf-8", "replace"), str(path)), str(path))
    times, X = read_camera(data, str(path))
    return sampled_move(times - times[0], X, frames)


def film_file(file: Path, out: Path, listener: Listener, world: str = "") -> list[Path]:
    """Judge and carry the recorded move of a request; write its folder; return the files."""
    file = text_of(file)
    setting = setting_in(file, world)
    move, inputs = move_in(setting, file)
    if move is None:
        raise WorldError(
            f"{file}: without a viewer there is nobody to fly the camera; record a move in the"
            ' viewer, export it and write from: "move.json"'
        )
    made = filmed(setting, move)
    return write_film(setting, made, out, [file, *inputs], listener)


def open_film(
    file: Path, out: Path, listener: Listener, opened: Callable[[str], None], *,
    world: str = "", port: int | None = None,
) -> None:  # fmt: skip
    """Fly the camera of a request in the browser until Ctrl-C; ``opened`` is told the address."""
    # Imported here: the server is the heaviest part.
    from articulata.report.viewer.film.theatre import Theatre
    from articulata.sessions.film.flying import Flight
    from articulata.sessions.film.steering_devices import SteeringDevices

    file = text_of(file)
    setting = setting_in(file, world)
    move, inputs = move_in(setting, file)

    def keep(made: Filmed) -> list[Path]:
        return write_film(setting, made, out, [file, *inputs], listener)

    with Theatre(setting.question.camera.lens, port=port) as theatre:
        flight = Flight(setting, theatre, move=move, keep=keep)
        flight.start()
        opened(theatre.address)
        with SteeringDevices(setting.question.sources, theatre.wishes, flight.tell):
            try:
                flight.wait()
            finally:
                flight.close()
