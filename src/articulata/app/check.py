"""``articulata check``: every finding about worlds, as text with carets or as JSON.

A robot's description (.urdf) is asked whether it can stand in a world; it has one finding at most.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from articulata.errors import Diagnostic, FormatError, WorldError
from articulata.world.document import read
from articulata.world.foreign_files import is_urdf
from articulata.world.language.diagnostics import as_json, render_one, summary
from articulata.world.language.source import Source
from articulata.world.world_files import read_text


def checked(files: Sequence[Path], *, json: bool, allow: Sequence[Path]) -> tuple[str, bool]:
    """Return the findings about ``files`` as text, and whether there are errors."""
    found: list[Diagnostic] = []
    for file in files:
        try:
            if is_urdf(file):
                found += _described(file)
            else:
                found += read(file, allow=allow).check()
        except WorldError as error:
            found += error.diagnostics or [
                Diagnostic(str(file), 1, 1, "error", "unreadable", str(error))
            ]
    errors = any(each.severity == "error" for each in found)
    if json:
        return as_json(found), errors
    blocks = [render_one(each, _source(each.file)) for each in found]
    names = ", ".join(str(file) for file in files)
    return "\n".join([*blocks, f"{names}: {summary(found)}"]), errors


def _described(file: Path) -> Sequence[Diagnostic]:
    """Return what keeps a robot's description from a world, at the place that its reader names."""
    from articulata.sessions.robots import document_of

    try:
        return document_of(file).check()
    except FormatError as error:
        words = str(error)
        named = re.match(r".*?:(\d+):(\d+): ", words)
        line, column = (int(named[1]), int(named[2])) if named else (1, 1)
        told = words[named.end() :] if named else words
        return [Diagnostic(str(file), line, column, "error", "unreadable", told)]


def _source(file: str) -> Source | None:
    """Return the text a finding is about; None where the file cannot be read."""
    try:
        return Source(read_text(Path(file)) or "", file)
    except WorldError:
        return None
