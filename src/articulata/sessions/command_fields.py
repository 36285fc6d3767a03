"""What commands take: options and words, and those that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated


class Option:
    """``--name``, or the ``names`` given: "--on/--off" for a choice between two."""

    def __init__(self, names: str = "", *, help: str, metavar: str | None = None) -> None:
        self.names = names
        self.help = help
        self.metavar = metavar


class Argument:
    """A word without a name."""

    def __init__(self, *, help: str, metavar: str | None = None) -> None:
        self.help = help
        self.metavar = metavar


WorldFile = Annotated[Path, Argument(help="A world: .art, another format, or one that ships.")]
World = Annotated[
    str,
    Option(help='Which world or request of the file, as "swing" or "swing(60 deg)".'),
]
Out = Annotated[Path | None, Option(help="Result folder; out/NAME of the file.")]
Seed = Annotated[int, Option(help="Seed of everything random.")]
GivenSeed = Annotated[int | None, Option(help="Seed of everything random; the text's, or 0.")]
Headless = Annotated[bool, Option("--headless", help="Write files only; open no viewer.")]
Figure = Annotated[str, Option(help="Which figure of the text, where it has several.")]
Roots = Annotated[
    list[Path] | None,
    Option(help="Folder of a robot's package:// meshes; can be repeated."),
]
Port = Annotated[int | None, Option(help="Port of the viewer on 127.0.0.1; a free one.")]
