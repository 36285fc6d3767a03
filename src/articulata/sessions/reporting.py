"""The files of a run, written by a process of their own while its picture plays.

Tables, plots and pages take seconds of a processor. Written by a thread of who shows the run, they
would take every second turn from the picture. What a report is about is checked before a run, and
left out after it where it is gone. ``provenance.json`` says where a folder of results came from:
enough to make it again with the same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.errors import ArticulataError, NameNotFound, RecordingError
from articulata.records.bodies import halves
from articulata.records.recording import Recording, load
from articulata.report.folder import Making, files_of, write
from articulata.report.recording_tables import resolved_in
from articulata.world.edits.transaction import edited
from articulata.world.model import World
from articulata.world.requests.request import Report, Rule

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

UNITS = {
    "length": "m",
    "mass": "kg",
    "time": "s",
    "angle": "rad",
    "force": "N",
    "moment": "N m",
    "energy": "J",
}


def provenance(recording: Recording, inputs: Iterable[Path], results: Iterable[Path]) -> bytes:
    """Return ``provenance.json``: hashes of what went in and came out, versions, seed, units."""
    header = recording.header
    said = {
        "inputs": hashes(inputs),
        "world": header.world.name,
        "arguments": list(header.world.arguments),
        "step": header.step,
        "until": header.until,
        "method": header.method,
        "settings": dict(header.settings),
        "domains": None if header.domains is None else list(header.domains),
        "seed": header.seed,
        "versions": dict(header.versions),
        "units": UNITS,
        "channels": {name: channel.unit for name, channel in recording.channels.items()},
        "complete": recording.complete,
        "stopped": recording.reason,
        "results": hashes(results),
    }
    return as_json(said)


def as_json(said: Mapping[str, object]) -> bytes:
    """Return the bytes of a ``provenance.json`` that says so."""
    return (json.dumps(said, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def with_results(before: bytes, results: Iterable[Path]) -> bytes:
    """Return a ``provenance.json`` that names more results than it did ``before``."""
    said = json.loads(before)
    said["results"] = dict(sorted({**said["results"], **hashes(results)}.items()))
    return as_json(said)


def hashes(paths: Iterable[Path]) -> Mapping[str, str]:
    """Return the SHA-256 of each file by its name, in the order of names."""
    found = sorted((path.name, path) for path in paths)
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found}


PATIENCE = 5.0
"""Seconds that a process may take to end when its work is done."""

COURTESY = 5
"""By how much its priority is below that of who shows the picture."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be written into ``folder``: the ``reports`` of a recording, and ``more`` of it.

    ``more`` is a function of a module, which another process can import.
    """

    recording: Path
    folder: Path
    reports: tuple[Report, ...]
    more: Callable[[Recording], list[Making]]


def write_apart(work: Work, progress: Callable[[int, int], None]) -> list[Path]:
    """Write the files of ``work`` in another process; return where they are.

    An error there is raised here. RecordingError where the process ended before its work was done.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(work, there), name="reports", daemon=True)
    with here:
        with _uninterrupted():
            process.start()
        there.close()
        try:
            while True:
                kind, value, told = here.recv()
                if kind == "progress":
                    progress(*value)
                elif kind == "written":
                    paths: list[Path] = value
                    return paths
                else:
                    if not isinstance(value, ArticulataError):
                        value.add_note(told)
                    raise value
        except EOFError:
            process.join(PATIENCE)
            raise RecordingError(
                f"what writes the tables and pictures of {work.recording} ended early (status"
                f" {process.exitcode}); make some with: articulata export {work.recording}"
            ) from None
        finally:
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let processes begun within hear no Ctrl-C: it is meant for who waits for them."""
    if not hasattr(signal, "pthread_sigmask"):  # a system without signals for threads
        yield
        return
    # It is begun with the first process, and lets Ctrl-C through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(work: Work, there: Connection) -> None:
    """Do ``work`` and tell how it goes; what another process runs."""
    if hasattr(os, "nice"):
        os.nice(COURTESY)
    try:
        recording = load(work.recording)
        made = dict(files_of(recording, work.reports))
        made.update(work.more(recording))
        paths = write(
            list(made.items()),
            work.folder,
            lambda done, total: there.send(("progress", (done, total), "")),
        )
        there.send(("written", paths, ""))
    except Exception as error:
        there.send(("failed", error, traceback.format_exc()))


def check_reports(world: World, reports: tuple[Report, ...], rules: tuple[Rule, ...]) -> None:
    """Refuse a report about something that is not there before the run, not after it.

    What a clause of the request adds or joins may be reported too.
    """
    worlds = [world]
    actions = [action for rule in rules for action in rule.actions]
    for action in actions:
        with contextlib.suppress(ArticulataError):
            worlds.append(edited(worlds[-1], action.edits))
    welds = {str(action.operands[0]) for action in actions if action.verb == "weld"}
    for report in reports:
        for path in _ends(report):
            if path.partition(".")[0] not in welds:
                resolved_in(worlds, path)


def come_true(
    recording: Recording, reports: tuple[Report, ...], say: Callable[[str], None]
) -> tuple[Report, ...]:
    """Return the reports whose things have been there; ``say`` for which no clause came to add."""
    worlds = [recording.world, *recording.worlds.values()]
    found: list[Report] = []
    for report in reports:
        try:
            for path in _ends(report):
                resolved_in(worlds, path)
        except NameNotFound:
            say(f"{report.kind} {report.path}: no clause has added it; no file")
        else:
            found.append(report)
    return tuple(found)


def _ends(report: Report) -> tuple[str, ...]:
    """Return the paths in a report: none, one, or both of what it measures between."""
    if report.path is None:
        return ()
    parted = halves(report.path)
    return (report.path,) if parted is None else (parted[0], parted[2])
