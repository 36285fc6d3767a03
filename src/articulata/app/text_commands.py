"""``articulata check`` and ``fmt``: every finding about worlds; worlds in their canonical form.

Findings are text with carets or JSON. A robot's description (.urdf) is asked whether it can stand
in a world; it has one finding at most. The canonical form keeps comments and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from articulata.errors import Diagnostic, WorldError
from articulata.records.files import write_whole
from articulata.world.document import read, world_error
from articulata.world.language.diagnostics import as_json, render_one, summary
from articulata.world.language.source import Source
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.printer import print_file
from articulata.world.language.syntax.tree import File
from articulata.world.world_files import read_text


def checked(files: Sequence[Path], *, json: bool, allow: Sequence[Path]) -> tuple[str, bool]:
    """Return the findings about ``files`` as text, and whether there are errors."""
    found: list[Diagnostic] = []
    for file in files:
        try:
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


def _source(file: str) -> Source | None:
    """Return the text a finding is about; None where the file cannot be read."""
    try:
        return Source(read_text(Path(file)) or "", file)
    except WorldError:
        return None


def formed(files: Sequence[Path], *, check: bool) -> list[Path]:
    """Write ``files`` in their canonical form; return those that were not in it.

    ``check`` writes nothing. WorldError for a text that cannot be read whole, before any file is
    written.
    """
    changed = {}
    for file in files:
        text = read_text(file) or ""
        if not file.is_file():
            raise WorldError(f"{file} is no file; only files are written in their canonical form")
        tree, found = parse(text, str(file))
        if found or not tree.complete:
            raise world_error(found)
        printed = print_file(tree)
        again, _ = parse(printed)
        if again != tree or _words(again) != _words(tree):
            raise WorldError(f"{file}: its canonical form reads differently; it was left as it is")
        if printed != text:
            changed[file] = printed
    if not check:
        for file, printed in changed.items():
            write_whole(file, printed.encode())
    return list(changed)


def _words(tree: File) -> list[str]:
    """Return what the comments of a text say, in any order."""
    return sorted(word for each in tree.comments for word in each.text.split())
