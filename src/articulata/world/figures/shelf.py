"""The figures that ship with the product: where each stands, and a line about it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

LIBRARY = Path(__file__).parent.parent / "library"
FIGURES = LIBRARY / "figures"
_KINDS = re.compile(r"^(world|primitive|composite) (\w+)", re.MULTILINE)
_FIGURE = re.compile(r"((?:^#[^\n]*\n)*)^figure (\w+)", re.MULTILINE)


@cache
def shelf() -> dict[str, tuple[Path, str]]:
    """Return where each figure of the library is, and the first sentence of its comment."""
    found = {}
    for path in sorted(FIGURES.glob("*.art")):
        for match in _FIGURE.finditer(path.read_text(encoding="utf-8")):
            words = " ".join(line.lstrip("# ").rstrip() for line in match[1].splitlines())
            about, _, _ = words.partition(". ")
            found[match[2]] = (path, about.rstrip(".") + "." if about else "")
    return found


@cache
def _files() -> dict[tuple[str, bool], str]:
    """Return the file of each world of the library, and of each piece of its furniture."""
    return {
        (match[2], match[1] == "world"): path.name
        for path in sorted(LIBRARY.rglob("*.art"))
        for match in _KINDS.finditer(path.read_text(encoding="utf-8"))
        if match[1] == "world" or path.name == "furniture.art"
    }


def import_of(name: str, world: bool = False) -> str:
    """Return advice to import a world, or a piece of furniture, of the library, "" for none."""
    file = _files().get((name, world))
    return f'write import "{file}" above' if file else ""
