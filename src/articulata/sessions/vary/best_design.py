"""The parameters of a world at which a measure of its run is best, searched for on processes.

Each search is work of its own: which process does it, and which ended before, changes no byte. A
finished one is kept in a journal, as a run of a study is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

import numpy as np

from articulata.analyses.vary.identifying import fitted
from articulata.analyses.vary.optimising import (
    SLACK,
    Optimum,
    Search,
    Values,
    best_of,
    nearest_of,
    search,
)
from articulata.errors import ArticulataError, WorldError
from articulata.geometry.arrays import Array
from articulata.kernels.lanes.host import thread_count
from articulata.records.events import told_in
from articulata.records.files import write_whole
from articulata.records.variations import Outcome, Variations
from articulata.report.recording_tables import runs_table
from articulata.sessions.vary.single_run import Task, misfits, recorded, request_at, run_once
from articulata.sessions.vary.varying import TOO_OFTEN, Listener, kept_in
from articulata.sessions.worker_processes import spread
from articulata.world.language.units import alike, describe, parse_unit, symbol
from articulata.world.paths import hint
from articulata.world.requests.vary import Kept, VaryQuestion

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
    kept = (each.measure for each in asked.keep)
    alone: VaryQuestion = replace(asked, measures=(chosen, *kept), plots=())
    curves = tuple(each for each in task.curves if each.measure == chosen)
    task = replace(task, question=alone, curves=curves)
    return Aim(task, -1.0 if maximise else 1.0, starts)


def optimised(
    aim: Aim,
    workers: int = 0,
    folder: Path | None = None,
    listener: Listener | None = None,
    scheduler: str = "",
) -> Optimum:
    """Return the best design, and write where each search led; go on where one was cut off.

    Values are those of the measure. ArticulataError where no search led to a design.
    """
    if workers < 0 or aim.starts < 1:
        raise ArticulataError("a search has 1 start or more and 1 worker or more, or 0 for all")
    corners = [tuple(each) for each in np.array([*aim.bounds.values()]).T.tolist()]
    request_at(aim.task, corners[0])
    if aim.task.curves or aim.task.question.keep:
        _compared(aim)
    outcomes: dict[int, Outcome] = {}
    with ExitStack() as open_things:
        journal = None
        if folder is not None:
            about = {"searches": aim.starts, "sign": aim.sign, "fits": aim.fits}
            journal = open_things.enter_context(kept_in(folder, aim.task, corners, **about))
            outcomes = journal.outcomes
        left = [number for number in range(aim.starts) if number not in outcomes]
        for number, outcome in _made(aim, left, workers, scheduler):
            outcomes[number] = outcome
            if journal is not None:
                journal.keep(number, outcome)
            if listener is not None:
                listener.working(len(outcomes), aim.starts)
        searches = [_search_of(aim, outcomes[number]) for number in range(aim.starts)]
        if journal is not None and folder is not None:
            journal.tidy()
            write_whole(folder / SEARCHES, _table(aim, searches, outcomes).encode())
    if not any(each.kept for each in searches) and (nearest := nearest_of(searches)) is not None:
        raise ArticulataError(_unkept(aim, nearest))
    best = best_of(searches)
    told = tuple(replace(each, value=aim.sign * each.value) for each in best.searches)
    unit = _units(aim, outcomes)[0]
    return replace(best, value=aim.sign * best.value, searches=told, unit=unit)


def levels_of(aim: Aim, margins: Sequence[float]) -> list[tuple[Kept, float]]:
    """Return what has to be kept and what its measure is there, in SI."""
    return [
        (each, each.bound.value + (margin if each.above else -margin) * _scale(each))
        for each, margin in zip(aim.task.question.keep, margins, strict=True)
    ]


def _scale(kept: Kept) -> float:
    return abs(kept.bound.value) or 1.0


def _unkept(aim: Aim, nearest: Search) -> str:
    """Return what no search keeps, and how near the nearest came."""
    lacking = [
        f"{each}: at best it is {level:.6g} {each.bound.unit}".rstrip()
        for (each, level), margin in zip(
            levels_of(aim, nearest.margins), nearest.margins, strict=True
        )
        if margin < -SLACK
    ]
    call = aim.task.call(tuple(nearest.end.values()))
    near = told_in(aim.task.units, "; ".join(lacking))
    return f"no design keeps {near}, at {call}; widen the bounds, or keep less"


def _compared(aim: Aim) -> None:
    """Raise WorldError where a curve or a bound is of another quantity than what it is about."""
    middle = tuple((low + high) / 2.0 for low, high in aim.bounds.values())
    try:
        begun = recorded(aim.task, middle, until=0.0)
    except ArticulataError:
        return  # searches look for where there is a run
    for curve in aim.task.curves:
        curve.check(begun)
    for kept in aim.task.question.keep:
        due = begun.unit(kept.measure.path)
        given, dimension = (parse_unit(unit).dimension for unit in (kept.bound.unit, due))
        if kept.bound.unit and not alike(given, dimension):
            raise WorldError(
                f"{aim.task.file}: '{told_in(aim.task.units, str(kept))}' does not compare: "
                f"{kept.measure.path} is "
                f"{describe(dimension)}; write a value in {symbol(dimension) or '1'}"
            )


def _made(aim: Aim, left: list[int], workers: int, scheduler: str) -> Iterator[tuple[int, Outcome]]:
    """Yield the searches that are left: here, or each on a process."""
    many = workers if scheduler else workers or thread_count()
    if scheduler or min(many, len(left)) > 1:
        yield from spread(many, partial(_searched, aim), left, TOO_OFTEN, scheduler)
        return
    for number in left:
        yield number, _searched(aim, number)


def _searched(aim: Aim, number: int) -> Outcome:
    """Make a search: what a worker does. Its outcome is its begin, its end, value and count."""
    units: list[str] = []
    seed, noises = aim.task.question.seed, [each.spread for each in aim.task.curves]

    def differences(at: Values) -> Array:
        return misfits(aim.task, tuple(at.values()), noises)

    @lru_cache(maxsize=8)
    def measures(point: tuple[float, ...]) -> tuple[float, ...]:
        run = run_once(aim.task, point)
        if run.failed:
            raise ArticulataError(run.failed)
        units[:] = run.units
        return run.values

    def value(at: Values) -> float:
        return aim.sign * measures(tuple(at.values()))[0]

    def margin(number: int, kept: Kept, at: Values) -> float:
        over = measures(tuple(at.values()))[number] - kept.bound.value
        return (over if kept.above else -over) / _scale(kept)

    if aim.fits:
        found = fitted(differences, aim.bounds, number, starts=aim.starts, seed=seed)
    else:
        keep = [partial(margin, n, each) for n, each in enumerate(aim.task.question.keep, 1)]
        found = search(value, aim.bounds, number, keep=keep, starts=aim.starts, seed=seed)
    margins = found.margins or (math.nan,) * len(aim.task.question.keep)
    told = (*found.begin.values(), *found.end.values(), found.value, float(found.evaluations))
    told += margins
    return Outcome(told, tuple(units), failed=found.failed)


def _search_of(aim: Aim, outcome: Outcome) -> Search:
    names, values = tuple(aim.bounds), outcome.values
    begin, end = values[: len(names)], values[len(names) : 2 * len(names)]
    value, count, *margins = values[2 * len(names) :]
    kept = math.isfinite(value) and all(each >= -SLACK for each in margins)
    first, last = (dict(zip(names, each, strict=True)) for each in (begin, end))
    return Search(first, last, value, int(count), kept, outcome.failed, tuple(margins))


def _table(aim: Aim, searches: list[Search], outcomes: dict[int, Outcome]) -> str:
    """Return as CSV where each search ended, the value there, and how many runs it took."""
    asked = aim.task.question
    unit, *others = _units(aim, outcomes)
    rows = [
        (aim.sign * each.value, each.evaluations, *(x for _, x in levels_of(aim, each.margins)))
        for each in searches
    ]
    found = Variations(
        tuple(each.parameter for each in asked.parameters),
        tuple(each.unit for each in asked.parameters),
        np.array([[*each.end.values()] for each in searches]),
        (
            "misfit" if aim.fits else str(asked.measures[0]),
            "runs",
            *(str(each.measure) for each in asked.keep),
        ),
        (unit, "", *others),
        np.array(rows),
        {number: each.failed for number, each in enumerate(searches) if each.failed},
        {},
        text_units=aim.task.units,
    )
    return runs_table(found)


def _units(aim: Aim, outcomes: dict[int, Outcome]) -> tuple[str, ...]:
    """Return the units of the measure and of what is to be kept, "" where no run told them."""
    known = next((each.units for each in outcomes.values() if each.units), ())
    return known or ("",) * (1 + len(aim.task.question.keep))
