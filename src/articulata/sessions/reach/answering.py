"""From a world's file to what people can reach in it: answer, and write the result folder.

An answer about another variant of the room can be laid beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Protocol

from articulata.analyses.reach.mapping import Answer, Told
from articulata.analyses.reach.reach_question import reach
from articulata.errors import FormatWarning
from articulata.formats import csv
from articulata.records.files import claimed, write_whole
from articulata.records.header import versions
from articulata.records.reach_changes import changes, shares
from articulata.records.reach_maps import SUFFIX, ReachMap
from articulata.report.folder import PROVENANCE, Making
from articulata.report.plots import picture
from articulata.report.reach_document import document
from articulata.report.reach_maps import map_figure
from articulata.sessions.command_fields import Asked, ReachAsked
from articulata.sessions.given_files import request_in
from articulata.sessions.reporting import UNITS, as_json, hashes, with_results
from articulata.world.document import Document, parse, read
from articulata.world.requests.reach import Population, ReachQuestion
from articulata.world.requests.request import Request
from articulata.world.world_files import shipped

RECORD = f"reach{SUFFIX}"
CHANGES = "changes.csv"
"""What another variant of the room changed; written after the rest."""

FILES = (
    "map.png", "objects.csv", "operations.csv", "reach.html", "shares.csv", "sightings.csv",
    "surfaces.csv",
)  # fmt: skip
"""What a run may write beside its record."""

REPORTS = ("map", "table", "document")
"""What is written where nothing is said."""

DRAWING = ("matplotlib.backends.backend_agg", "articulata.report.reach_maps")
"""Modules that draw the map; they take 0.3 s to import."""


class Listener(Protocol):
    """Who is told how far an answer is."""

    def working(self, done: int, total: int) -> None:
        """``done`` of ``total`` points are labelled."""
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """A request, its answer, and the files that hold it."""

    request: Request
    reached: ReachMap
    folder: Path
    files: tuple[Path, ...]


def reach_file(asked: ReachAsked, listener: Listener, *, told: Told | None = None) -> Answered:
    """Answer the request to reach of a file and write its result folder.

    ``told`` hears the verdicts on objects before the map is made. The provenance names the file of
    the variant that the answer will be laid beside.
    """
    request, question = request_of(asked)
    out = asked.made_folder()  # before anybody waits for an answer
    # now, because it may be the record that this answer replaces
    former = {} if asked.before is None else {"before": dict(hashes([shipped(asked.before)]))}

    def heard(answers: Sequence[Answer]) -> None:
        if told is not None:
            told(answers)
        # other threads go on with the map; this one imports what draws it
        for module in DRAWING if "map" in (question.reports or REPORTS) else ():
            import_module(module)

    reached = reach(request, progress=listener.working, told=heard)
    with claimed(out):
        written = _written(reached, question, out)
        said = {
            "inputs": hashes([shipped(asked.file), *_tables(question)]),
            **former,
            "world": reached.world,
            "arguments": list(request.arguments),
            "person": reached.person,
            "settings": dict(reached.settings),
            "seed": question.seed,
            "versions": dict(versions()),
            "units": {name: UNITS[name] for name in ("length", "angle")},
            "results": hashes(written),
        }
        path = out / PROVENANCE
        write_whole(path, as_json(said))
    return Answered(request, reached, out, (*written, path))


def _written(reached: ReachMap, question: ReachQuestion, out: Path) -> list[Path]:
    """Write the record and the reports of an answer, and remove those of an earlier one."""
    making = _files(reached, question.reports)
    for name in sorted({CHANGES, *FILES} - {each for each, _ in making}):
        (out / name).unlink(missing_ok=True)
    # The record is packed beside the rest. Map and page are made one after the other: both may
    # draw with matplotlib, which must not draw on two threads at once.
    with ThreadPoolExecutor(1) as pool:
        packing = pool.submit(lambda: write_whole(out / RECORD, reached.bytes()))
        for name, make in making:
            write_whole(out / name, make())
        packing.result()
    return [out / RECORD, *(out / name for name, _ in making)]


def _asked_document(asked: Asked) -> Document:
    file = shipped(asked.file)
    told = ("room", "storey", "walls", "up", "unit") if isinstance(asked, ReachAsked) else ()
    given = {name: value for name in told if (value := getattr(asked, name))}
    if not given:
        return read(file)
    from articulata.formats.scenes.scene_files import lost_words, scene_of
    from articulata.formats.scenes.scene_text import world_text

    scene = scene_of(file, **given)
    if scene.lost:
        warnings.warn(f"{file}: {lost_words(scene)}", FormatWarning, stacklevel=2)
    return parse(world_text(scene), folder=file.parent)


def request_of(asked: Asked) -> tuple[Request, ReachQuestion]:
    """Return the request to reach of a text and what it asks, with the seed that is given."""
    request = request_in(_asked_document(asked), "reach", asked.world)
    question = request.question
    assert isinstance(question, ReachQuestion)
    if asked.seed is not None:
        question = replace(question, seed=asked.seed)
        request = replace(request, question=question)
    return request, question


def _tables(question: ReachQuestion) -> list[Path]:
    """Return the files that people are drawn from, and those of rules."""
    drawn = [each.figure for each in question.people if isinstance(each.figure, Population)]
    names = dict.fromkeys([*(each.file for each in drawn), *question.rules])
    return [Path(name) for name in names if name and Path(name).is_file()]


def _files(reached: ReachMap, reports: tuple[str, ...]) -> list[Making]:
    wanted = reports or REPORTS
    more: list[Making] = [("shares.csv", lambda: _shares(reached))] if reached.shares else []
    surfaces = [each.row() for each in reached.surfaces]
    for name, rows in (
        ("operations.csv", [each.row() for each in reached.operations]),
        ("sightings.csv", [each.row() for each in reached.sightings]),
        ("surfaces.csv", surfaces + [each.row() for each in reached.surface_shares]),
    ):
        if rows:
            more.append((name, partial(_rows, rows)))
    makers: dict[str, tuple[str, Callable[[], bytes]]] = {
        "table": ("objects.csv", lambda: _rows(reached.rows())),
        "map": ("map.png", lambda: picture(map_figure(reached), ".png")),
        "document": ("reach.html", lambda: document(reached).encode()),
    }
    return [*(makers[each] for each in wanted), *more]


def _shares(reached: ReachMap) -> bytes:
    rows = [
        [s.object, s.people, str(s.count), str(s.reached), str(s.excluded), f"{s.share:.4f}",
         f"{s.low:.4f}", f"{s.high:.4f}"]
        for s in reached.shares
    ]  # fmt: skip
    names = ["object", "people", "count", "reached", "excluded", "share", "low_95", "high_95"]
    return csv.write_rows([names, *rows]).encode()


def _rows(rows: list[dict[str, str]]) -> bytes:
    names = list(rows[0]) if rows else ["object"]
    return csv.write_rows([names, *([row[name] for name in names] for row in rows)]).encode()


@dataclass(frozen=True, slots=True)
class Compared:
    """What a variant of a room changed, in lines, and the table that holds it."""

    lines: tuple[str, ...]
    file: Path


def answer_of(asked: Asked, listener: Listener) -> ReachMap:
    """Return the answer that a file holds, or the answer to the request of a text.

    A variant may call its world otherwise: where no request is about that, the first is meant.
    """
    file = shipped(asked.file)
    if file.suffix == SUFFIX:
        return ReachMap.load(file)
    requests = [each for each in read(file).requests if each.kind == "reach"]
    known = {word for each in requests for word in (each.name, each.world)}
    named = asked.world.partition("(")[0].strip() in known
    request, _ = request_of(asked if named else replace(asked, world=""))
    return reach(request, progress=listener.working)


def compare(before: ReachMap, name: str, done: Answered) -> Compared:
    """Lay an answer beside the one called ``name``; write what changed into its folder and page."""
    found = changes(before, done.reached)
    path = done.folder / CHANGES
    provenance = done.folder / PROVENANCE
    columns = ["object", "mobility", "change", "before", "after"]
    rows = [[each.row()[column] for column in columns] for each in found]
    gained, lost = sum(each.gained for each in found), sum(each.lost for each in found)
    once = sum(not each.in_both for each in found)
    count = f"{gained} gained, {lost} lost" if found else "no verdict differs"
    count += f", {once} asked about in one of the two alone" if once else ""
    told = [f"beside {name}: {count}", *map(str, found)]
    told += shares(before, done.reached)
    page = done.folder / "reach.html"
    pages = [page] if page in done.files else []
    with claimed(done.folder):
        write_whole(path, csv.write_rows([columns, *rows]).encode())
        for each in pages:
            write_whole(each, document(done.reached, told).encode())
        write_whole(provenance, with_results(provenance.read_bytes(), [path, *pages]))
    return Compared(tuple(told), path)
