"""Figures by name: those that ship with the product, and those of a text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from articulata.errors import NameNotFound, WorldError
from articulata.kinematics.figure import Figure
from articulata.kinematics.world_figure import figure_of
from articulata.world.document import Argument, Document, read
from articulata.world.figures.shelf import shelf
from articulata.world.foreign_files import format_of
from articulata.world.model import World
from articulata.world.paths import hint


def figure(
    source: str | Path | Document | World, name: str = "", *args: Argument, **named: Argument
) -> Figure:
    """Return a figure: of the library, of an ``.art`` file, of a document or of a world.

    ``figure("leonardo")`` takes one from the library, ``figures()`` lists them. With a path
    that ends in ``.art``, a ``Document`` or a ``World``, ``name`` says which of its figures is
    meant when there are several. What follows are the figure's own parameters, in SI units.

    >>> figure("planar_4_2_1").names
    ('shoulder', 'elbow', 'wrist')
    """
    if isinstance(source, World):
        return figure_of(source, name)
    if isinstance(source, Document):
        made = source.figure_world(name, *args, **named)
        return figure_of(made, unit=source.length_unit)
    if isinstance(source, str | Path) and (foreign := format_of(source)) is not None:
        raise NameNotFound(
            f"'{source}' is {foreign.name}; "
            + (
                f"read it: art.read_urdf({str(source)!r})"
                if foreign.key == "urdf"
                else f"art.read({str(source)!r}).world() is its world, and a robot's chain of "
                "joints is read from URDF: art.read_urdf"
            )
        )
    if isinstance(source, Path) or str(source).endswith(".art"):
        return figure(read(source), name, *args, **named)
    if not isinstance(source, str):
        raise NameNotFound(
            "a figure comes from a name of the library, an .art file, a document or a world, not "
            f"{source!r}"
        )
    path, about = _shelved(source)
    if name:
        raise NameNotFound(
            f"figure '{source}' of the library is one figure; '{name}' is no part of it. Give its "
            "parameters by name"
        )
    document = _document(path)
    try:
        made = document.figure_world(source, *args, **named)
    except WorldError as error:
        raise _of_the_caller(error) from error
    return figure_of(made, about=about, unit=document.length_unit)


def figures() -> dict[str, str]:
    """Return the names of the library's figures, each with a line about it."""
    return {name: about for name, (_, about) in sorted(shelf().items())}


def ranges(name: str) -> dict[str, tuple[float, float]]:
    """Return within what the parameters of a figure of the library lie, SI units.

    >>> ranges("person")["height"]
    (0.75, 2.3)
    """
    return _document(_shelved(name)[0]).ranges(name)


def _of_the_caller(error: WorldError) -> WorldError:
    """Return what is wrong with arguments without a place in the library's text, which is right."""
    if any(each.line for each in error.diagnostics):
        return error
    told = [f"{each.message}; {each.suggestion}" for each in error.diagnostics]
    return WorldError("; ".join(told) or str(error))


def _shelved(name: str) -> tuple[Path, str]:
    """Return where a figure of the library is, and a line about it."""
    found = shelf().get(name)
    if found is None:
        raise NameNotFound(
            f"the library has no figure '{name}'{hint(name, shelf())}; a file's name ends in .art"
        )
    return found


@cache
def _document(path: Path) -> Document:
    return read(path)
