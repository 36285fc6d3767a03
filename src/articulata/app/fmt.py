"""``articulata fmt``: worlds in their canonical form, comments kept; nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from articulata.errors import WorldError
from articulata.records.files import write_whole
from articulata.world.document import world_error
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.printer import print_file
from articulata.world.language.syntax.tree import File
from articulata.world.world_files import read_text


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
