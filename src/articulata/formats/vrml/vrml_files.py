"""Files that a world takes in: read within the folder of the first one, each within bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from articulata.errors import FormatError
from articulata.formats.bounded_content import content_of
from articulata.formats.vrml.graph import Budget, Graph, Prototype, Value
from articulata.formats.vrml.node_table import Field
from articulata.world.foreign_files import format_of

READ: Final = ("vrml", "x3d", "xml")
"""Formats that a world takes in."""
OLD: Final = b"#VRML V1"
"""How files of VRML 1.0 begin."""
MOST_FILES: Final = 200
"""Files that a world may take in."""


class MissingPrototype(FormatError):
    """A file lacks the prototype that another one takes from it; a reader adds the place."""


def text_of(data: bytes) -> str:
    """Return bytes as text: UTF-8, UTF-16, else Latin-1, as older programs wrote."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@dataclass(slots=True)
class Around:
    """What lies around a world's file: its folder, which files are open, what has been read.

    ``read`` returns the graph of a file's bytes, in whichever syntax.
    """

    folder: Path
    read: Callable[[bytes, Path, Around], Graph]
    budget: Budget = field(default_factory=Budget)
    graphs: dict[Path, Graph] = field(default_factory=dict)
    open: list[Path] = field(default_factory=list)

    def graph(self, path: Path) -> Graph:
        """Return the graph of a file, read once."""
        if path in self.open:
            raise FormatError(f"{path}: it takes in itself; remove one of these Inline nodes")
        if path not in self.graphs:
            if len(self.graphs) >= MOST_FILES:
                raise FormatError(f"{path}: a world may take in {MOST_FILES} files, not more")
            self.open.append(path)
            self.graphs[path] = self.read(content_of(path), path, self)
            self.open.pop()
        return self.graphs[path]

    def prototype(
        self, name: str, spec: dict[str, Field], urls: Value, path: Path, lost: Counter[str]
    ) -> Prototype:
        """Return the prototype that EXTERNPROTO means; an empty one, counted, where none is there.

        MissingPrototype where the file has none of that name.
        """
        target, part, why = self.beside(urls, path)
        if target is None:
            lost[f"EXTERNPROTO {name}: {why}"] += 1
            return Prototype(name, spec, {})
        if target in self.open:
            raise MissingPrototype(f"EXTERNPROTO {name}: {target.name} takes in itself; remove it")
        known = self.graph(target).prototypes
        found = known.get(part or name) or next(iter(known.values()), None)
        if found is None:
            raise MissingPrototype(
                f"EXTERNPROTO {name}: {target.name} has no PROTO '{part or name}'"
            )
        return replace(found, name=name)

    def beside(self, urls: list[str], path: Path) -> tuple[Path | None, str, str]:
        """Return the first of the files that ``urls`` mean from ``path``, and what is after "#".

        None where there is none, and third the reason in words.
        """
        why = "names no file"
        for url in urls:
            name, _, part = url.strip().partition("#")
            if "://" in name or name.lower().startswith(("urn:", "data:", "javascript:")):
                why = f"'{_short(url)}' is an address on the network, which is not opened"
                continue
            try:
                target = (path.parent / name.replace("%20", " ")).resolve()
                there = target.is_file()
            except (OSError, ValueError):
                there = False
            if not there:
                why = f"there is no file '{_short(name)}'"
            elif not target.is_relative_to(self.folder):
                why = f"'{_short(name)}' lies outside the folder of the first file"
            elif (known := format_of(target)) is not None and known.key not in READ:
                why = f"'{_short(name)}' is {known.name}"
            elif _is_old(target):
                why = f"'{_short(name)}' is VRML 1.0, another format"
            else:
                return target, part, ""
        return None, "", why


def _is_old(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(OLD)) == OLD
    except OSError:
        return False


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
