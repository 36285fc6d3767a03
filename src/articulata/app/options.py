"""Options that several commands share, and what every command does where something goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.command_arguments import Argument, Option
from articulata.errors import ArticulataError

INTERRUPTED = 130

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


@contextmanager
def explained() -> Iterator[None]:
    """End with one clear message where something a user can mend went wrong."""
    try:
        yield
    except ArticulataError as error:
        console.note(str(error))
        for line in getattr(error, "__notes__", ()):
            console.note(line)
        raise SystemExit(1) from error
    except KeyboardInterrupt as interrupt:
        console.note("interrupted")
        raise SystemExit(INTERRUPTED) from interrupt
    except BrokenPipeError as error:
        # Whoever read our output has had enough (articulata ... | head); Python must not complain.
        console.silence()
        raise SystemExit(1) from error
