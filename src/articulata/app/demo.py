"""``articulata demo``: the gallery's linkage, simulated and shown in every way there is."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from articulata.app.simulate import simulated
from articulata.records.recording import Recording
from articulata.report.folder import Making
from articulata.sessions.simulation import Wish

GALLERY = "articulata.world.library"
WORLD = "linkage.art"
STRIP = (0.0, 2.0, 6)
"""One swing of the driver: start and end in s, snapshots."""


def made(out: Path) -> Recording:
    """Simulate the linkage into ``out``, with a page, a table, plots and a strip."""
    with as_file(files(GALLERY) / "gallery") as gallery:
        return simulated(Wish(gallery / WORLD, out), _everything).recording


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
