"""``articulata demo``: a world of the gallery, simulated; the linkage in every way there is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.errors import NameNotFound
from articulata.sessions.command_fields import SimulateAsked

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.report.folder import Making

GALLERY = "articulata.world.library"
WORLD = "linkage"
STRIP = (0.0, 2.0, 6)
"""One swing of the driver: start and end in s, snapshots."""


def worlds() -> dict[str, str]:
    """Return the gallery's worlds by name, each with the first sentence of its comment."""
    found = {}
    with as_file(files(GALLERY) / "gallery") as gallery:
        for file in sorted(gallery.glob("*.art")):
            lines = itertools.takewhile(
                lambda line: line.startswith("#"), file.read_text("utf-8").splitlines()
            )
            comment = " ".join(line.lstrip("# ").strip() for line in lines)
            first = re.split(r"(?<=[.:]) | \(", comment, maxsplit=1)[0]
            found[file.stem] = first.rstrip(".:") + "."
    return found


def made(out: Path, name: str = WORLD) -> Recording:
    """Simulate a world of the gallery into ``out``.

    The linkage comes with a page, a table, plots and a strip, others with what their text asks
    for. NameNotFound lists what there is.
    """
    from articulata.app.simulate_command import simulated

    more = _more(name)
    with as_file(files(GALLERY) / "gallery") as gallery:
        return simulated(SimulateAsked(gallery / f"{name}.art", out=out), more).recording


def seen(out: Path, name: str = WORLD, port: int | None = None) -> None:
    """Do the same while it is looked at in the browser, until the user has enough."""
    from articulata.app.simulate_command import seen as run_seen

    more = _more(name)
    with as_file(files(GALLERY) / "gallery") as gallery:
        asked = SimulateAsked(gallery / f"{name}.art", out=out, port=port)
        run_seen(asked, more, checked=False)  # what ships is right


def _more(name: str) -> Callable[[Recording], list[Making]] | None:
    """Return what makes the further files of a world of the gallery."""
    known = worlds()
    if name not in known:
        from articulata.world.paths import hint

        raise NameNotFound(f"the gallery has no world '{name}'{hint(name, known)}")
    return _everything if name == WORLD else None


def _everything(recording: Recording) -> list[Making]:
    from articulata.report.export import exported
    from articulata.report.plots import picture
    from articulata.report.strip import strip

    return [
        ("replay.html", lambda: exported(recording, ".html", None)),
        ("run.csv", lambda: exported(recording, ".csv", None)),
        ("energy.png", lambda: exported(recording, ".png", None)),
        ("strip.png", lambda: picture(strip(recording, *STRIP), ".png")),
    ]
