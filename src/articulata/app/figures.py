"""Figures for the commands: from a text or from a description of a robot."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from articulata.errors import FormatError
from articulata.world.foreign_files import is_urdf

if TYPE_CHECKING:
    from articulata.kinematics.figure import Figure

TEXT: Final = ".art"
URDF: Final = ".urdf"


def read_figure(
    file: Path, name: str, *, roots: Iterable[Path] = (), allow_missing_meshes: bool = False
) -> Figure:
    """Return the figure of a file; ``name`` says which where a text has several."""
    if is_urdf(file):
        from articulata.formats.urdf.urdf_figure import read_urdf

        return read_urdf(file, roots=roots, allow_missing_meshes=allow_missing_meshes)
    from articulata.kinematics.library import figure

    return figure(file, name)


def holds_figure(file: Path, world: str, figure: str) -> bool:
    """Return whether a figure of ``file`` is meant: asked for, or all that there is."""
    if is_urdf(file) or figure:
        return True
    if file.suffix != TEXT or world:
        return False
    # A line that begins a world tells enough: the page is there before anything is imported for it.
    with (
        contextlib.suppress(OSError, UnicodeDecodeError),
        file.open(encoding="utf-8-sig") as opened,
    ):
        if _begins_world(opened.read(1_000_000)):
            return False
    from articulata.world.document import read

    document = read(file)
    return bool(document.figures) and not document.worlds


def _begins_world(text: str) -> bool:
    """Return whether a line of ``text`` begins a world; one within a comment does not."""
    if "/*" in text:
        from articulata.world.language.syntax.scan import without_foreign

        text, _ = without_foreign(text)
    return re.search(r"^\s*world\s+\w", text, re.MULTILINE) is not None


def check_exported(file: Path, to: Path) -> None:
    """Raise FormatError where a text without a figure is to be written as what a run gives."""
    if file.suffix != TEXT or to.suffix == URDF:
        return
    from articulata.world.document import read

    if read(file).worlds:
        raise FormatError(
            f"{file.name} holds a world, and '{to.suffix}' holds what a run of it gives; simulate "
            f"it first (articulata simulate {file.name}), then export its run.artrun"
        )


def export_figure(file: Path, to: Path, name: str, *, roots: Iterable[Path]) -> None:
    """Write the figure of a file as the suffix of ``to`` says."""
    from articulata.report.export import export

    # A mesh that is named but not there is named again: nothing is lost by going on.
    export(read_figure(file, name, roots=roots, allow_missing_meshes=True), to)
