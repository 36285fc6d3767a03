"""Two variants of a room: the answer about one laid beside the answer about the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from articulata.analyses.reach.reach_question import reach
from articulata.formats import csv
from articulata.records.files import claimed, write_whole
from articulata.records.reach_changes import changes, shares
from articulata.records.reach_maps import SUFFIX, ReachMap
from articulata.report.folder import PROVENANCE
from articulata.sessions.command_fields import Asked
from articulata.sessions.provenance import with_results
from articulata.sessions.reach.answering import CHANGES, Answered, Listener, request_of
from articulata.world.document import read
from articulata.world.world_files import shipped


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
    """Lay an answer beside the one called ``name``; write what changed into its folder."""
    found = changes(before, done.reached)
    path = done.folder / CHANGES
    provenance = done.folder / PROVENANCE
    columns = ["object", "mobility", "change", "before", "after"]
    rows = [[each.row()[column] for column in columns] for each in found]
    with claimed(done.folder):
        write_whole(path, csv.write_rows([columns, *rows]).encode())
        write_whole(provenance, with_results(provenance.read_bytes(), [path]))
    gained, lost = sum(each.gained for each in found), sum(each.lost for each in found)
    once = sum(not each.in_both for each in found)
    count = f"{gained} gained, {lost} lost" if found else "no verdict differs"
    count += f", {once} asked about in one of the two alone" if once else ""
    told = [f"beside {name}: {count}", *map(str, found)]
    return Compared((*told, *shares(before, done.reached)), path)
