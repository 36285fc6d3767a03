"""Readers of foreign files: who makes a figure of ``import "arm.urdf" as arm``.

A reader is found in the entry point group ``articulata.readers`` by the ending of the file's name.
It takes the path and returns a ``FigureNode`` without an id; what it cannot read it refuses with a
message that names file and line. The figure becomes a text like any other, so that what was
imported is checked, made and written as if it had stood there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TypeAlias

from articulata.errors import FormatError
from articulata.world.figures.nodes import FigureNode
from articulata.world.writing.figures import figure_sections

GROUP = "articulata.readers"
OWN = {"urdf": "articulata.formats.urdf.described:read_node"}
"""Readers that ship with the product, also where its metadata are not installed."""

FigureReader: TypeAlias = Callable[[Path], FigureNode]


def reader_of(path: str | Path) -> FigureReader | None:
    """Return who reads files with the ending of ``path``, None for nobody."""
    ending = Path(path).suffix.lstrip(".").lower()
    if ending in OWN:
        module, _, attribute = OWN[ending].partition(":")
        found: FigureReader = getattr(importlib.import_module(module), attribute)
        return found
    entry: EntryPoint
    for entry in entry_points(group=GROUP):
        if entry.name == ending:
            try:
                loaded: FigureReader = entry.load()
            except Exception as error:
                raise FormatError(
                    f"the reader of .{ending} files cannot be imported from {entry.value}: "
                    f"{error}; repair or uninstall the package that offers it"
                ) from error
            return loaded
    return None


def figure_text(node: FigureNode) -> str:
    """Return the text of a file that defines a figure alone, in SI units."""
    up = [] if any(line.startswith("up:") for line in figure_sections(node)) else ["up: (0, 0, 1)"]
    return "\n".join([f"figure {node.type} {{", *up, *figure_sections(node), "}", ""])
