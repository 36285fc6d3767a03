"""What is said of a value that a function of the public face does not take."""

from __future__ import annotations

from pathlib import Path

from articulata.errors import ArticulataError, WorldError
from articulata.world.foreign_files import is_urdf


def not_taken(call: str, due: str, value: object) -> ArticulataError:
    """Return the error of a ``call`` that takes ``due`` and was given ``value``.

    A file's name, a text's document and a request are told how to be made what is due.
    """
    kind = type(value).__name__
    if isinstance(value, str | Path):
        name = Path(value).as_posix()
        given = f"the name {name!r}"
        made = f'art.load("{name}")' if name.endswith(".artrun") else f'art.read("{name}").world()'
        made = f'art.read_urdf("{name}")' if is_urdf(name) else made
        return ArticulataError(f"{call} takes {due}, not {given}; read the file first: {made}")
    how = {
        "Document": "; give document.world(NAME) or one of document.requests",
        "Request": "; give request.elaborate()",
        "World": "; simulate it first: art.simulate(world, until=1.0)",
    }.get(kind, "")
    return ArticulataError(f"{call} takes {due}, not {kind}{how}")


def not_a_text(value: object) -> WorldError:
    """Return the error of ``art.parse`` where it was given no text, most often a file's name."""
    if isinstance(value, str | Path):
        name = Path(value).as_posix()
        return WorldError(f"{name}: this is the name of a file; read it: art.read({name!r})")
    return WorldError(f"art.parse takes a text, not {type(value).__name__}")
