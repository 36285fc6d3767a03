"""The parameters of a world at which a measure of its run is best, searched for on processes.

Each search is work of its own: which process does it, and which ended before, changes no byte. A
finished one is kept in a journal, as a run of a study is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from articulata.analyses.vary.identifying import fitted
from articulata.analyses.vary.optimising import Optimum, Search, Values, best_of, search
from articulata.errors import ArticulataError, WorldError
from articulata.geometry.arrays import Array
from articulata.kernels.lanes.host import thread_count
from articulata.records.files import write_whole
from articulata.records.variations import Outcome, Variations
from articulata.report.recording_tables import runs_table
from articulata.sessions.vary.single_run import Task, misfits, recorded, request_at, run_once
from articulata.sessions.vary.varying import TOO_OFTEN, Listener, kept_in
from articulata.sessions.worker_processes import beside
from articulata.world.paths import hint
from articulata.world.requests.vary import VaryQuestion

SEARCHES: Final = "searches.csv"
"""The table of where each search led."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What is looked for: the first measure of ``task``, least for sign 1, greatest for -1.

    ``starts`` is how many searches there are. Where it ``fits``, that is least squares of what runs
    differ from all curves, each in parts of its spread.
    """

    task: Task
    sign: float
    starts: int
    fits: bool = False

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Between which values each parameter lies, in SI."""
        return {each.parameter: (each.low, each.high) for each in self.task.question.parameters}


def aim_of(task: Task, measure: str = "", *, maximise: bool = False, starts: int = 8) -> Aim:
    """Return what is looked for: a measure that the request names, the first if none is said."""
    asked = task.question
    known = [str(each) for each in asked.measures]
    wanted = " ".join(measure.split()) or next(iter(known), "")
    if wanted not in known:
        raise WorldError(
            f"{task.file}: the request to vary '{task.world}' measures nothing called '{wanted}'"
            f"{hint(wanted, known)}; write measure: max HINGE.rate"
        )
    chosen = asked.measures[known.index(wanted)]
    alone: VaryQuestion = replace(asked, measures=(chosen,), plots=())
    curves = tuple(each for each in task.curves if each.measure == chosen)
    task = replace(task, question=alone, curves=curves)
    return Aim(task, -1.0 if maximise else 1.0, starts)


def optimised(
    aim: Aim, workers: int = 0, folder: Path | None = None, listener: Listener | None = None
) -> Optimum:
    """Return the best design, and write where each search led; go on where one was cut off.

    Values are those of the measure. ArticulataError where no search led to a design.
    """
    if workers < 0 or aim.starts < 1:
        raise ArticulataError("a search has 1 start or more and 1 worker or more, or 0 for all")
    corners = [tuple(each) for each in np.array([*aim.bounds.values()]).T.tolist()]
    request_at(aim.task, corners[0])
    if aim.task.curves:
        _compared(aim)
    outcomes: dict[int, Outcome] = {}
    with ExitStack() as open_things:
        journal = None
        if folder is not None:
            about = {"searches": aim.starts, "sign": aim.sign, "fits": aim.fits}
            journal = open_things.enter_context(kept_in(folder, aim.task, corners, **about))
            outcomes = journal.outcomes
        left = [number for number in range(aim.starts) if number not in outcomes]
        for number, outcome in _made(aim, left, workers or thread_count()):
            outcomes[number] = outcome
            if journal is not None:
                journal.keep(number, outcome)
            if listener is not None:
                listener.working(len(outcomes), aim.starts)
        searches = [_search_of(aim, outcomes[number]) for number in range(aim.starts)]
        if journal is not None and folder is not None:
            journal.tidy()
            write_whole(folder / SEARCHES, _table(aim, searches, outcomes).encode())
    best = best_of(searches)
    told = tuple(replace(each, value=aim.sign * each.value) for each in best.searches)
    return replace(best, value=aim.sign * best.value, searches=told)


def _compared(aim: Aim) -> None:
    """Raise WorldError where a curve is of another quantity than what it is compared with."""
    middle = tuple((low + high) / 2.0 for low, high in aim.bounds.values())
    try:
        begun = recorded(aim.task, middle, until=0.0)
    except ArticulataError:
        return  # searches look for where there is a run
    for curve in aim.task.curves:
        curve.check(begun)


def _made(aim: Aim, left: list[int], workers: int) -> Iterator[tuple[int, Outcome]]:
    """Yield the searches that are left: here, or each on a process."""
    if min(workers, len(left)) > 1:
        yield from beside(workers, partial(_searched, aim), left, TOO_OFTEN)
        return
    for number in left:
        yield number, _searched(aim, number)


def _searched(aim: Aim, number: int) -> Outcome:
    """Make a search: what a worker does. Its outcome is its begin, its end, value and count."""
    units: list[str] = []
    seed, noises = aim.task.question.seed, [each.spread for each in aim.task.curves]

    def differences(at: Values) -> Array:
        return misfits(aim.task, tuple(at.values()), noises)

    def value(at: Values) -> float:
        run = run_once(aim.task, tuple(at.values()))
        if run.failed:
            raise ArticulataError(run.failed)
        units[:] = run.units
        return aim.sign * run.values[0]

    if aim.fits:
        found = fitted(differences, aim.bounds, number, starts=aim.starts, seed=seed)
    else:
        found = search(value, aim.bounds, number, starts=aim.starts, seed=seed)
    told = (*found.begin.values(), *found.end.values(), found.value, float(found.evaluations))
    return Outcome(told, tuple(units), failed=found.failed)


def _search_of(aim: Aim, outcome: Outcome) -> Search:
    names, values = tuple(aim.bounds), outcome.values
    begin, end = values[: len(names)], values[len(names) : 2 * len(names)]
    value, count = values[-2:]
    first, last = (dict(zip(names, each, strict=True)) for each in (begin, end))
    return Search(first, last, value, int(count), math.isfinite(value), outcome.failed)


def _table(aim: Aim, searches: list[Search], outcomes: dict[int, Outcome]) -> str:
    """Return as CSV where each search ended, the value there, and how many runs it took."""
    asked = aim.task.question
    unit = next((each.units[0] for each in outcomes.values() if each.units), "")
    found = Variations(
        tuple(each.parameter for each in asked.parameters),
        tuple(each.unit for each in asked.parameters),
        np.array([[*each.end.values()] for each in searches]),
        ("misfit" if aim.fits else str(asked.measures[0]), "runs"),
        (unit, ""),
        np.array([(aim.sign * each.value, each.evaluations) for each in searches]),
        {number: each.failed for number, each in enumerate(searches) if each.failed},
        {},
    )
    return runs_table(found)
