"""From a request to vary to its runs: made on processes, kept in a folder, told in tables.

The bytes of the folder depend neither on the number of processes nor on who made which run.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import msgspec
import numpy as np

from articulata.analyses.simulate.run import makers
from articulata.analyses.vary.design_points import design_points
from articulata.errors import ArticulataError, WorldError
from articulata.kernels.lanes.host import thread_count
from articulata.records.codec import encode
from articulata.records.files import claimed, make_folder, write_whole
from articulata.records.recording import Recording
from articulata.records.variations import Outcome, Variations
from articulata.report.plots import picture, plot_family
from articulata.report.recording_tables import runs_table, sensitivities_table
from articulata.sessions.given_files import request_in
from articulata.sessions.simulation import begun as begun_to_simulate
from articulata.sessions.vary.measured_curves import Tables, curve_of
from articulata.sessions.vary.single_run import (
    Point,
    RunJournal,
    Task,
    names_of,
    request_at,
    run_end,
    run_once,
)
from articulata.sessions.worker_processes import spread
from articulata.world.document import Document, parse, read
from articulata.world.requests.request import Request
from articulata.world.requests.vary import VaryQuestion

ALONE: Final = 1.0
"""s. Runs that take no longer in all are made here: others would take longer to begin."""

TOO_OFTEN: Final = (
    "the process of a run died four times, so that the study was ended; finished runs are kept. It "
    "may lack memory: give fewer workers, and the same command goes on"
)


class Listener(Protocol):
    """Who is told how far a study is."""

    def working(self, done: int, total: int) -> None:
        """``done`` of ``total`` runs are there."""
        ...


def vary(
    source: str | Path | Document,
    request: str = "",
    *,
    measures: Mapping[str, Callable[[Recording], float]] | None = None,
    workers: int = 1,
    folder: str | Path | None = None,
    seed: int | None = None,
    listener: Listener | None = None,
    tables: Tables | None = None,
    scheduler: str = "",
) -> Variations:
    """Return the runs that a request to vary asks for.

    ``source`` is a file or a document; ``request`` chooses among its requests by the world's name,
    or is the text of one, ``"vary swing { parameters: span in (0.5 m, 1 m) }"``. ``measures`` are
    functions of a recording, by the names of their columns. On ``workers`` processes, 0 for as
    many as there are processors; then measures are functions of a module, and a script begins its
    work under ``if __name__ == "__main__"``. Or on the workers of a Dask ``scheduler`` at an
    address, who find the file at the same path. With a ``folder`` runs are kept as they end and the
    same call goes on where it was cut off; tables and plots are written there too. ``seed`` is
    that of samples, in place of the text's. ``tables`` are tables of pandas or recordings that runs
    are compared with, by the names of the files in whose place they stand.

    A run that fails is told in ``failures`` and stops no other. Raise WorldError for a request
    that is wrong or not there.
    """
    task = task_of(source, request, measures or {}, seed, tables=tables or {})
    where = None if folder is None else Path(folder)
    return carried_out(task, workers, where, listener, scheduler)


def task_of(
    source: str | Path | Document,
    request: str = "",
    measures: Mapping[str, Callable[[Recording], float]] | None = None,
    seed: int | None = None,
    *,
    python: bool = True,
    tables: Tables | None = None,
) -> Task:
    """Return what all runs of a request to vary share."""
    document = source if isinstance(source, Document) else read(source)
    text, file = document.tree.source.text, document.tree.source.file
    given = ""
    if request.lstrip().startswith("vary "):
        text = f"{text}\n{request}\n"
        document = parse(text, file)
        found = [each for each in document.requests if each.kind == "vary"][-1]
    else:
        name, _, given = request.partition("(")
        found = request_in(document, "vary", name.strip())
    if found.question is None:
        raise WorldError(f"{file}: the request to vary '{found.world}' says nothing to be varied")
    task = _task(found, text, seed)
    if given:
        said = replace(task.question, given=given.rstrip().removesuffix(")"))
        task = replace(task, question=said)
    task = replace(task, functions=tuple((measures or {}).items()), python=python)
    return with_curves(task, tables or {})


def with_curves(task: Task, tables: Tables) -> Task:
    """Return a task with the curves that its measures compare runs with."""
    compared = [each for each in task.question.measures if each.file]
    if not compared:
        return task
    folder, until = Path(task.file).parent, run_end(task)
    found = tuple(curve_of(each, folder, until, tables) for each in compared)
    return replace(task, curves=found)


def _task(request: Request, text: str, seed: int | None = None) -> Task:
    question = request.question
    assert isinstance(question, VaryQuestion)
    if seed is not None:
        question = replace(question, seed=seed)
    assert isinstance(request.document, Document)
    document = request.document
    return Task(text, document.tree.source.file, request.world, question, units=document.units)


def begun(request: Request) -> None:
    """Raise what a request to vary is refused for before its first run."""
    assert isinstance(request.document, Document)
    task = _task(request, request.document.tree.source.text)
    begun_to_simulate(request_at(task, points_of(task)[0]))


def points_of(task: Task) -> list[Point]:
    """Return the parameters of each run."""
    asked = task.question
    points = design_points(asked.parameters, asked.samples, asked.seed)
    return [tuple(each) for each in points.tolist()]


def carried_out(
    task: Task,
    workers: int = 0,
    folder: Path | None = None,
    listener: Listener | None = None,
    scheduler: str = "",
) -> Variations:
    """Make the runs of a task that are not kept yet, and write what they tell."""
    if workers < 0:
        raise ArticulataError(f"a study has 1 worker or more, or 0 for all, not {workers}")
    if not task.question.measures and not task.functions and not task.question.plots:
        raise WorldError(
            f"{task.file}: nothing is measured of the runs; write measure: max HINGE.rate, or "
            "plot: PATH, in the request to vary"
        )
    points = points_of(task)
    if task.question.samples is None and not all(each.values for each in task.question.parameters):
        raise WorldError(f"{task.file}: 'samples' are lacking; write samples: 100 in the request")
    request_at(task, points[0])
    outcomes: dict[int, Outcome] = {}
    with ExitStack() as open_things:
        journal = None
        if folder is not None:
            journal = open_things.enter_context(kept_in(folder, task, points))
            outcomes = journal.outcomes
        left = [n for n in range(len(points)) if n not in outcomes]
        made = _made(task, points, left, workers, scheduler)
        for number, outcome in made:
            outcomes[number] = outcome
            if journal is not None:
                journal.keep(number, outcome)
            if listener is not None:
                listener.working(len(outcomes), len(points))
        found = _gathered(task, points, outcomes)
        if journal is not None and folder is not None:
            journal.tidy()
            _write(found, folder)
    return found


def _made(
    task: Task, points: Sequence[Point], left: list[int], workers: int, scheduler: str
) -> Iterator[tuple[int, Outcome]]:
    """Yield the runs that are left: the first here, the others on processes where it takes long.

    Those of a ``scheduler`` are made there alone.
    """
    begin, waiting = time.monotonic(), deque(left)
    while waiting and not scheduler and (workers == 1 or time.monotonic() - begin < ALONE):
        number = waiting.popleft()
        yield number, run_once(task, points[number])
    if waiting:
        try:
            pickle.dumps(task)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ArticulataError(
                f"a measure cannot be sent to another process ({error}); define it by 'def' in a "
                "module, or give workers=1"
            ) from error
        items = [(number, points[number]) for number in waiting]
        many = workers if scheduler else workers or thread_count()
        made = spread(many, partial(_run, task), items, TOO_OFTEN, scheduler)
        for (number, _), outcome in made:
            yield number, outcome


def _run(task: Task, item: tuple[int, Point]) -> Outcome:
    """Make a run: what a worker does."""
    return run_once(task, item[1])


@contextmanager
def kept_in(
    folder: Path, task: Task, points: Sequence[Point], **more: object
) -> Iterator[RunJournal]:
    """Give the journal of a folder that no other process uses meanwhile; see ``journal_of``."""
    make_folder(folder)
    with claimed(folder), closing(journal_of(task, points, folder, **more)) as journal:
        yield journal


def journal_of(task: Task, points: Sequence[Point], folder: Path, **more: object) -> RunJournal:
    """Return what is kept of these runs and no others: its name tells what decides their bytes.

    That is the text, what the first world is made of, controllers, points and versions, and what
    ``more`` tells of searches (``searches`` is their number). Functions from Python count by their
    names.
    """
    names = names_of(task)
    count = more.get("searches", len(points))
    about = {
        "world": task.world,
        "runs": len(points),
        "measures": names,
        "question": repr(task.question),
        "points": hashlib.sha256(np.array(points).tobytes()).hexdigest(),
        "inputs": _inputs(task, points[0]),
        "versions": dict(makers()),
        **more,
    }
    name = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]
    kind = "searches" if more else "runs"
    assert isinstance(count, int)
    return RunJournal(folder / f"{kind}-{name}.jsonl", about, count)


def _inputs(task: Task, point: Point) -> str:
    """Return the hash of what the runs are made of."""
    found = hashlib.sha256(task.text.encode())
    for each in task.curves:
        found.update(each.times.tobytes() + each.values.tobytes())
    with suppress(ArticulataError):  # what is wrong with the first run is told by it
        world = request_at(task, point).elaborate()
        found.update(msgspec.msgpack.encode(encode(world)))
        for name in world.imports_python:
            with suppress(OSError):
                found.update((Path(task.file).parent / name).read_bytes())
    return found.hexdigest()


def _gathered(task: Task, points: Sequence[Point], outcomes: Mapping[int, Outcome]) -> Variations:
    names = names_of(task)
    failures = {n: each.failed for n, each in sorted(outcomes.items()) if each.failed}
    good = [each for _, each in sorted(outcomes.items()) if not each.failed]
    none = (float("nan"),) * len(names)
    rows = [outcomes[n].values if n not in failures else none for n in range(len(points))]
    return Variations(
        tuple(each.parameter for each in task.question.parameters),
        tuple(each.unit for each in task.question.parameters),
        np.array(points, np.float64),
        names,
        good[0].units[: len(names)] if good else ("",) * len(names),
        np.array(rows, np.float64).reshape(len(points), len(names)),
        failures,
        {
            path: tuple(
                None if n in failures else outcomes[n].lines[path] for n in range(len(points))
            )
            for path in task.question.plots
        },
        dict(zip(task.question.plots, good[0].units[len(names) :], strict=False)) if good else {},
        task.units,
    )


RUNS = "runs.csv"
SENSITIVITIES = "sensitivities.csv"


def files_of(found: Variations, folder: Path) -> list[Path]:
    """Return the files that are written of runs: tables, and a picture a ``plot:``."""
    return [folder / RUNS, folder / SENSITIVITIES, *(folder / family_of(p) for p in found.lines)]


def _write(found: Variations, folder: Path) -> None:
    write_whole(folder / RUNS, runs_table(found).encode())
    write_whole(folder / SENSITIVITIES, sensitivities_table(found).encode())
    for path in found.lines:
        write_whole(folder / family_of(path), picture(plot_family(found, path), ".png"))


def family_of(path: str) -> str:
    """Return the name of the picture of a quantity of all runs."""
    return f"family-{in_a_name(path)}.png"


def in_a_name(path: str) -> str:
    """Return a path as it stands in the name of a file."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", path).strip("-")
