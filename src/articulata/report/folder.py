"""The folder of a run: what its request asked for under ``report:``, as files.

Always there: ``run.artrun``, ``events.txt`` and ``events.csv``. Each report adds its own:
``animation`` the replay page, ``snapshots`` a strip, ``impulses`` and ``peaks`` a table,
``monitor`` and ``forces`` a table and a plot each. Equal recordings give equal bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.errors import NameNotFound, RecordingError
from articulata.formats import csv
from articulata.records.files import write_whole
from articulata.report.plots import picture, plot
from articulata.report.recording_tables import (
    events_table,
    events_text,
    peaks_table,
    peaks_text,
    quantities_of,
    resolved_in,
    table,
    unmoved,
)
from articulata.world.requests.request import Report

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.report.beside import Beside

RECORDING = "run.artrun"
PROVENANCE = "provenance.json"

_WRITTEN = re.compile(
    r"(events|beside)\.(txt|csv)|replay\.html|snapshots\.png|impulses\.csv|peaks\.(txt|csv)"
    r"|front\.(artpose|csv|txt|png|html)|motion\.html|postures\.png|(monitor|forces)-.+\.(csv|png)|equations-at-.+-s\.txt|beside\.artrun|provenance\.json"
)
"""Names of the files that a run may write beside its recording."""

Making = tuple[str, Callable[[], bytes]]
"""A file's name and what makes its contents."""


def files_of(recording: Recording, reports: Sequence[Report]) -> list[Making]:
    """Return the files that ``reports`` ask for; nothing is computed before it is written."""
    units = recording.world.units
    found: dict[str, Callable[[], bytes]] = {
        "events.txt": lambda: _log(recording).encode(),
        "events.csv": lambda: events_table(recording.events, units).encode(),
    }
    for report in reports:
        for name, make in _files(recording, report, reports):
            found.setdefault(name, make)
    return list(found.items())


def files_beside(compared: Beside) -> list[Making]:
    """Return the files that lay two runs side by side: a text to read and a table over time."""
    return [
        ("beside.txt", lambda: f"{compared}\n".encode()),
        ("beside.csv", lambda: csv.write(compared.columns()).encode()),
    ]


def clear(folder: Path, keep: Iterable[Path] = ()) -> None:
    """Remove what an older run has left beside its recording, so that nothing of it is mixed.

    That is what its ``provenance.json`` names, and, should it have been killed before it wrote
    one, whatever has a name that a run gives. Files to ``keep`` stay.
    """
    try:
        said = json.loads((folder / PROVENANCE).read_bytes())["results"]
    except (OSError, ValueError, LookupError, TypeError):
        said = {}
    names = {name for name in said if name == Path(name).name and name != RECORDING}
    try:
        names.update(path.name for path in folder.iterdir() if _WRITTEN.fullmatch(path.name))
        kept = {path.resolve() for path in keep}
        for name in sorted(names):
            if (folder / name).resolve() not in kept:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise RecordingError(
            f"{error.filename} of an older run cannot be removed ({error.strerror}); give another"
            " folder"
        ) from error


def write(
    files: Sequence[Making], folder: Path, progress: Callable[[int, int], None]
) -> list[Path]:
    """Write ``files`` into ``folder``; ``progress`` hears how many of how many are there."""
    paths = []
    for number, (name, make) in enumerate(files):
        progress(number, len(files))
        path = folder / name
        write_whole(path, make())
        paths.append(path)
    return paths


def _log(recording: Recording) -> str:
    still = unmoved(recording)
    return events_text(recording.events, recording.world.units) + (still and f"{still}\n")


def _files(recording: Recording, report: Report, reports: Sequence[Report]) -> Iterator[Making]:
    if report.kind == "animation":
        yield "replay.html", lambda: _page(recording, report.every, reports)
    elif report.kind == "snapshots":
        yield "snapshots.png", lambda: _snapshots(recording, report.count or 1)
    elif report.kind == "impulses":
        found = [each for each in recording.events if "impulse" in each.values]
        yield "impulses.csv", lambda: events_table(found, recording.world.units).encode()
    elif report.kind == "peaks":
        yield "peaks.csv", lambda: peaks_table(recording.peaks()).encode()
        yield "peaks.txt", lambda: peaks_text(recording.peaks()).encode()
    elif report.kind == "monitor" and report.path:
        yield from _series(recording, f"monitor-{_name(report.path)}", _monitored, report.path)
    elif report.kind == "forces" and report.path:
        yield from _series(recording, f"forces-{_name(report.path)}", forces, report.path)
    # "events" is always written; "equations" needs the domains and is made by the session.


def _series(
    recording: Recording,
    name: str,
    paths: Callable[[Recording, str], tuple[str, ...]],
    path: str,
) -> Iterator[Making]:
    yield f"{name}.csv", lambda: csv.write(table(recording, paths(recording, path))).encode()
    yield f"{name}.png", lambda: picture(plot(recording, paths(recording, path)), ".png")


def _page(recording: Recording, every: float | None, reports: Sequence[Report]) -> bytes:
    from articulata.report.page.recording_page import page

    return page(recording, every=every, first=monitored(recording, reports)).encode()


def _snapshots(recording: Recording, count: int) -> bytes:
    from articulata.report.strip import strip

    times = recording.times
    return picture(strip(recording, float(times[0]), float(times[-1]), count), ".png")


def _name(path: str) -> str:
    """Return ``path`` as part of a file's name on any system."""
    return re.sub(r"[^\w.-]+", "_", path).strip("_")


def _monitored(recording: Recording, path: str) -> tuple[str, ...]:
    """Return the quantities that "monitor ``path``" means."""
    return ("dynamic.energy",) if path == "energy" else quantities_of(recording, path)


def monitored(recording: Recording, reports: Iterable[Report]) -> tuple[str, ...]:
    """Return the quantities whose course ``reports`` ask for, as far as the recording has them."""
    paths = (each.path for each in reports if each.kind == "monitor" and each.path)
    return tuple(name for path in paths for name in _monitored(recording, path))


def forces(recording: Recording, path: str) -> tuple[str, ...]:
    """Return what "forces of ``path``" means: force and moment of each hinge that it names.

    A hinge names itself, a feature the hinges that match it, a body those that hold it.
    """
    it = resolved_in([recording.world, *recording.worlds.values()], path)
    hinges = recording.world.hinges.values()
    if it.kind == "hinge":
        found = [it.id]
    elif it.kind == "feature":
        found = [
            hinge.id
            for hinge in hinges
            if any(
                (ref.body, ref.feature) == (it.id, it.feature)
                for pair in hinge.matching
                for ref in pair
            )
        ]
    elif it.kind == "body":
        found = [hinge.id for hinge in hinges if it.id in (hinge.body_a, hinge.body_b)]
    elif it.kind == "component":
        inside = {body for body in recording.world.bodies if body.startswith(f"{it.id}.")}
        found = [hinge.id for hinge in hinges if {hinge.body_a, hinge.body_b} & inside]
    elif it.kind == "force":
        return (f"{it.id}.force",)
    else:
        found = []
    if not found:
        raise NameNotFound(f"forces of '{path}': no hinge is there; name a hinge, body or feature")
    return tuple(f"{hinge}.{part}" for hinge in found for part in ("force", "moment"))
