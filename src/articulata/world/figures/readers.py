"""Readers of foreign files: who makes a figure of ``import "arm.urdf" as arm``.

A reader is found in the entry point group ``articulata.readers`` by the ending of the file's name.
It takes the path and returns a ``FigureNode`` without an id, or a text with one composite, which is
what is imported; what it cannot read it refuses with a message that names file and line. The figure
becomes a text like any other, so that what was imported is checked, made and written as if it had
stood there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeAlias

from articulata.errors import FormatError
from articulata.world.figures.nodes import FigureNode
from articulata.world.foreign_files import SURFACES, format_of
from articulata.world.writing.figure_texts import figure_sections

GROUP = "articulata.readers"
_WORLDS = "articulata.formats.scenes.scene_files"
_ROBOTS = "articulata.formats.urdf.urdf_figure"
OWN = {
    "urdf": f"{_ROBOTS}:read_node",
    **dict.fromkeys(
        ("dxf", "gltf", "ifc", "mjcf", "roomplan", "sdf", "usd", "vrml", "x3d", *SURFACES),
        f"{_WORLDS}:component",
    ),
}
"""Readers that ship with the product, by format, also where its metadata are not installed."""

FigureReader: TypeAlias = Callable[[Path], FigureNode | str]


def reader_of(path: str | Path) -> FigureReader | None:
    """Return who reads a file by its content or the ending of its name, None for nobody."""
    ending = Path(path).suffix.lstrip(".").lower()
    known = format_of(path)
    name = OWN.get(ending if known is None else known.key)
    if name is not None:
        found: FigureReader = of_name(name)
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


def world_text(path: Path) -> str | None:
    """Return the text of a foreign world with what can be asked of it; None where it is none."""
    known = format_of(path)
    if known is None or known.key not in OWN:
        return None
    made: str = of_name(f"{OWN[known.key].partition(':')[0]}:world")(path)
    return made


def of_name(name: str) -> Callable[..., Any]:
    """Return what "package.module:attribute" names."""
    module, _, attribute = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found


def figure_text(node: FigureNode | str) -> str:
    """Return the text of a file that defines a figure alone, in SI units; a text as it is."""
    if isinstance(node, str):
        return node
    up = [] if any(line.startswith("up:") for line in figure_sections(node)) else ["up: (0, 0, 1)"]
    return "\n".join([f"figure {node.type} {{", *up, *figure_sections(node), "}", ""])
