"""One run of many: made with its parameters, measured, and kept in a journal as it ends.

A line of the journal that was cut off, or changed, is no line: its run is made again. When all
are there the lines are put in order, so that the bytes do not tell who made which run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from articulata.analyses.vary.measuring import measured, scalar_series
from articulata.domains.control import controllers_of
from articulata.errors import ArticulataError, RecordingError, WorldError
from articulata.geometry.arrays import Array, Float64
from articulata.records.files import write_whole
from articulata.records.recording import Recording
from articulata.records.state import in_units, told_number
from articulata.records.variations import Line, Outcome
from articulata.sessions.command_fields import SimulateAsked
from articulata.sessions.controllers import bound, check_found, functions
from articulata.sessions.simulation import asked, controller_files
from articulata.sessions.vary.measured_curves import Curve
from articulata.world.document import Document, parse
from articulata.world.language.syntax.print_expressions import number
from articulata.world.requests.request import Request
from articulata.world.requests.vary import Measure, VaryQuestion

Point: TypeAlias = tuple[float, ...]
"""What the parameters are in one run, in SI."""

MOST_FRAMES = 200
"""So many frames of a line over time are kept; a picture shows no more."""


@dataclass(frozen=True, slots=True)
class Task:
    """What all runs share: the ``text`` of ``file`` and what its request asks.

    ``functions`` measure runs as well, by their names. ``python`` is whether files of controllers
    may be executed. ``curves`` are those that runs are compared with, one a measure that does.
    ``units`` are the names of the text's ``units:`` line.
    """

    text: str
    file: str
    world: str
    question: VaryQuestion
    functions: tuple[tuple[str, Callable[[Recording], float]], ...] = ()
    python: bool = True
    curves: tuple[Curve, ...] = ()
    units: tuple[str, ...] = ()

    @property
    def instants(self) -> tuple[float, ...]:
        """Times of all curves (s)."""
        return tuple(np.unique([t for each in self.curves for t in each.times.tolist()]).tolist())

    def call(self, point: Point, *, si: bool = False) -> str:
        """Return the world with its arguments, as a text says it: "swing(60 deg, span: 0.5 m)".

        They are in the text's units, or in ``si``, where not the last digit of a number changes.
        """
        said = [self.question.given] if self.question.given else []
        for each, value in zip(self.question.parameters, point, strict=True):
            unit, size = (each.unit, 1.0) if si else in_units(self.units, each.unit)
            said.append(f"{each.parameter}: {number(told_number(value, size))} {unit}".rstrip())
        return f"{self.world}({', '.join(said)})"


class Silent:
    """Who hears nothing of a run."""

    def simulating(self, done: int, total: int) -> None:
        """Hear how far it is."""

    def writing(self, done: int, total: int) -> None:
        """Hear how many files are written."""

    def say(self, text: str) -> None:
        """Hear a line."""


def run_once(task: Task, point: Point) -> Outcome:
    """Return what one run gave; an error of the run is what it gave, and none of this function."""
    try:
        return _outcome(task, recorded(task, point))
    except ArticulataError as error:
        return Outcome(failed=str(error))
    except Exception as error:  # of a function that somebody wrote
        return Outcome(failed=f"{type(error).__name__}: {error}")


def misfits(task: Task, point: Point, noises: Sequence[float]) -> Float64[Array, "n"]:
    """Return what one run differs from each curve, in parts of the noise (SI) of each.

    ArticulataError for all that stops the run.
    """
    try:
        recording = recorded(task, point)
    except ArticulataError:
        raise
    except Exception as error:  # of a function that somebody wrote
        raise ArticulataError(f"{type(error).__name__}: {error}") from error
    each = zip(task.curves, noises, strict=True)
    return np.concatenate([(c.simulated(recording) - c.values) / noise for c, noise in each])


def recorded(task: Task, point: Point, until: float | None = None) -> Recording:
    """Return the recording of one run, to its own end or ``until`` (s); raise what stops it."""
    # Imported here: it brings in the compiler.
    from articulata.analyses.simulate.run import simulate

    document, _ = _ready(task)
    request = request_at(task, point)
    own = {}
    if document.module.python or document.module.imports or document.module.merged:
        world = document.world(request)
        wish = SimulateAsked(Path(task.file), python=task.python)
        wanted = controllers_of(world, request.rules)
        files = controller_files(document, world, wanted, wish, Silent())
        # controllers may remember what they were asked: their files are executed afresh
        executed = {name: functions(path) for name, path in files.items()}
        own = dict(bound(wanted, executed))
        check_found(wanted, own, executed, files)
    instants = task.instants if until is None else ()
    only = instants and not (own or task.functions or task.question.plots)
    if only and len(task.curves) == len(task.question.measures):
        request = replace(request, step=request.until)  # nothing else is looked at
    return simulate(
        request, until=until, controllers=own, seed=task.question.seed, instants=instants
    )


def run_end(task: Task) -> float:
    """Return when runs end, s."""
    until = _ready(task)[1].until
    assert until is not None
    return until


def request_at(task: Task, point: Point) -> Request:
    """Return the request to simulate that one run answers."""
    document, request = _ready(task)
    _, arguments = document.called(task.call(point, si=True), "vary")
    return replace(request, arguments=arguments or ())


@lru_cache(maxsize=4)
def _ready(task: Task) -> tuple[Document, Request]:
    """Return the text that was read, and the request to simulate without its arguments."""
    document = parse(task.text, task.file)
    request = asked(document, task.world)
    if task.question.times is not None:
        step, until = task.question.times
        request = replace(request, step=step, until=until)
    if request.until is None:
        raise WorldError(
            f"{task.file}: nothing says how long to simulate '{task.world}'; write "
            f"time: (10 ms, 10 s) in the request to vary it, or simulate {task.world} {{ ... }}"
        )
    return document, request


def _outcome(task: Task, recording: Recording) -> Outcome:
    found = [_measured(task, recording, each) for each in task.question.measures]
    found += [(float(measure(recording)), "") for _, measure in task.functions]
    lines = {path: _line(recording, path) for path in task.question.plots}
    units = (*(unit for _, unit in found), *map(recording.unit, lines))
    return Outcome(tuple(value for value, _ in found), units, lines)


def _measured(task: Task, recording: Recording, measure: Measure) -> tuple[float, str]:
    """Return one number of a run and its unit."""
    curve = next((each for each in task.curves if each.measure == measure), None)
    if curve is None:
        return measured(recording, measure)
    off = curve.simulated(recording) - curve.values
    return float(np.sqrt(np.mean(off**2))), recording.unit(measure.path)


def _line(recording: Recording, path: str) -> Line:
    """Return a quantity over time, at no more frames than a picture shows."""
    values, count = scalar_series(recording, path), len(recording.times)
    kept = np.unique(np.linspace(0, count - 1, min(count, MOST_FRAMES)).round().astype(int))
    return tuple(recording.times[kept].tolist()), tuple(values[kept].tolist())


def names_of(task: Task) -> tuple[str, ...]:
    """Return what the measures of a task are called."""
    return (*map(str, task.question.measures), *(name for name, _ in task.functions))


class RunJournal:
    """The outcomes of ``count`` runs of a study in a file, by their numbers."""

    def __init__(self, path: Path, about: Mapping[str, object], count: int) -> None:
        self.path = path
        self.outcomes: dict[int, Outcome] = {}
        self._head = json.dumps({"about": about}, ensure_ascii=False)
        lines = (
            path.read_text(encoding="utf-8", errors="replace").split("\n") if path.is_file() else []
        )
        for line in lines[1:-1]:  # what follows the last end of a line was cut off
            found = _read_line(line)
            if found is not None and found[0] < count:
                self.outcomes.setdefault(*found)
        self.tidy()
        self._file = path.open("a", encoding="utf-8")

    def keep(self, number: int, outcome: Outcome) -> None:
        """Add what a run gave; RecordingError where it cannot be written."""
        self.outcomes[number] = outcome
        try:
            self._file.write(_journal_line(number, outcome))
            self._file.flush()
        except OSError as error:
            raise RecordingError(
                f"{self.path} cannot be written ({error.strerror}); runs until here are kept: make "
                "room and give the same command again"
            ) from error

    def tidy(self) -> None:
        """Write all lines anew, in order."""
        lines = [_journal_line(number, each) for number, each in sorted(self.outcomes.items())]
        write_whole(self.path, f"{self._head}\n{''.join(lines)}".encode())

    def close(self) -> None:
        """End the file."""
        self._file.close()


def _journal_line(number: int, outcome: Outcome) -> str:
    said = {
        "run": number, "values": outcome.values, "units": outcome.units, "lines": outcome.lines,
        "failed": outcome.failed,
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False) + "\n"


def _read_line(line: str) -> tuple[int, Outcome] | None:
    """Return the run of a line and what it gave; None where the line is none of ours."""
    try:
        said: dict[str, Any] = json.loads(line)
        lines = {
            str(path): (tuple(map(float, times)), tuple(map(float, values)))
            for path, (times, values) in said["lines"].items()
        }
        values, units = tuple(map(float, said["values"])), tuple(map(str, said["units"]))
        number, outcome = int(said["run"]), Outcome(values, units, lines, str(said["failed"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (number, outcome) if number >= 0 else None
