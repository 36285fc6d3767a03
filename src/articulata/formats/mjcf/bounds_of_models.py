"""What a model of MuJoCo may ask for: its files lie in its folder, its counts within bounds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from articulata.formats.bounded_content import LARGEST, content_of
from articulata.formats.xml import Element, parse

MOST_FILES: Final = 200
MOST: Final = 4_000_000
"""Copies, pixels or numbers that one attribute, or two multiplied, may ask for."""
COUNTS: Final = ("count", "width", "height", "nrow", "ncol", "nconmax", "njmax", "nstack")
MEMORY: Final = re.compile(r"^\s*(-1|\d{1,9}|\d{1,6}[Kk]|\d{1,3}[Mm])\s*$")
COUNTED: Final = re.compile(r"^\s*\d+(\s+\d+)*\s*$")


def check_files(path: Path) -> None:
    """Raise FormatError for a model that names files outside its folder, or asks for too much."""
    folder = path.resolve().parent
    waiting, seen = [path.resolve()], set()
    copies = 1
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        root = parse(content_of(file), str(file), most_bytes=LARGEST, most_depth=500)
        if len(seen) > MOST_FILES:
            raise root.error(f"a model may include {MOST_FILES} files, not more")
        for element in root.whole():
            _check_counts(element)
            if element.tag == "replicate":
                copies *= max(1, int(element.attributes.get("count", "1") or 1))
                if copies > 10_000:
                    raise element.error(f"{element}: {copies} copies are more than 10000")
            for name, value in element.attributes.items():
                if "nan" in value.lower().split():  # MuJoCo would only write a log about it
                    raise element.error(f"{element}: {name} holds NaN; give a number")
                if name in ("meshdir", "texturedir", "assetdir") or name.startswith("file"):
                    _check_place(element, value, folder, file.parent)
            if element.tag == "include":
                included = (folder / element.text("file")).resolve()
                if included.is_file():  # MuJoCo says what is missing
                    waiting.append(included)


def _check_place(element: Element, value: str, folder: Path, own: Path) -> None:
    """Check a path; MuJoCo looks in the folder of the model and in that of the included file."""
    try:
        places = [(each / value).resolve() for each in (folder, own)]
        inside = [each.is_relative_to(folder) for each in places]
        allowed = any(inside) and all(
            held or not place.exists() for held, place in zip(inside, places, strict=True)
        )
    except (OSError, ValueError):
        allowed = False
    if not allowed:
        raise element.error(
            f"{element}: '{value[:60]}' lies outside the model's folder; put the file there"
        )


def _check_counts(element: Element) -> None:
    product = 1
    for name in COUNTS:
        value = element.attributes.get(name, "1")
        if COUNTED.match(value):
            for each in value.split():
                product *= max(1, int(each[:12]))
    if product > MOST or not MEMORY.match(element.attributes.get("memory", "-1")):
        raise element.error(f"{element} asks for too much; give smaller counts")
