"""The figures that ship with the product: where each stands, and a line about it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FIGURES = Path(__file__).parent.parent / "library" / "figures"
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
