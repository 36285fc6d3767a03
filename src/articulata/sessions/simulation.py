"""From a world's file to a result folder: simulate, and write what its request asks for.

The recording is written while the run goes on. Whatever ends the run, the folder holds what was
computed until then: the recording, the log, the tables, plots and pages of ``report:``, and
``provenance.json``. The same inputs give the same bytes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from articulata.domains.control import controllers_of
from articulata.domains.dynamic.methods import method_chosen
from articulata.errors import (
    ArticulataError,
    ControllerError,
    RecordingError,
    WorldError,
)
from articulata.records.files import claimed, write_whole
from articulata.records.recording import Recording, load
from articulata.report.beside import Beside
from articulata.report.beside import beside as beside_each_other
from articulata.report.folder import (
    PROVENANCE,
    RECORDING,
    Making,
    clear,
    files_beside,
    files_of,
    write,
)
from articulata.sessions.command_fields import SimulateAsked
from articulata.sessions.controllers import (
    addresses_of,
    as_recorded,
    assigned,
    beside,
    bound,
    check_found,
    connect_controls,
    functions,
)
from articulata.sessions.reporting import Work, check_reports, come_true, provenance, write_apart
from articulata.world.document import Document, read
from articulata.world.model import World
from articulata.world.paths import hint
from articulata.world.requests.request import Report, Request
from articulata.world.unlikely_bodies import still

if TYPE_CHECKING:
    from articulata.analyses.simulate.reacting import Commands
    from articulata.analyses.simulate.run_question import Question
    from articulata.domains.dynamic.methods import AnyMethod
    from articulata.sessions.steered_run import Steering

SECOND = "beside.artrun"
"""The recording of the second run, where one is wished for."""


class Listener(Protocol):
    """Who is told how far a run is."""

    def simulating(self, done: int, total: int) -> None:
        """``done`` of ``total`` frames are there."""
        ...

    def writing(self, done: int, total: int) -> None:
        """``done`` of ``total`` files are written."""
        ...

    def say(self, text: str) -> None:
        """Something worth a line."""
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """What a run left: its recording, the files, and whether it was interrupted by the user.

    ``beside`` compares it with the second run, where one was wished for.
    """

    recording: Recording
    folder: Path
    files: tuple[Path, ...]
    interrupted: bool = False
    beside: Beside | None = None


def nothing_more(recording: Recording) -> list[Making]:
    """Return no files beside those that a request asks for."""
    return []


def simulate_file(
    wish: SimulateAsked,
    listener: Listener,
    more: Callable[[Recording], list[Making]] = nothing_more,
    steering: Steering | None = None,
    *,
    apart: bool = False,
    plan: Plan | None = None,
) -> Result:
    """Simulate ``wish.file`` and write its result folder, and what ``more`` makes beside it.

    With ``steering`` the run can be paused, paced and ordered about from another thread. ``apart``
    has the files written by another process, which leaves this one to a picture that plays;
    ``more`` is then a function of a module. ``plan`` is what ``planned`` has made of ``wish``.
    """
    if plan is None:
        plan = planned(wish, listener, steered=steering is not None)
    folder = wish.made_folder()
    with claimed(folder):
        recording, error = _first_run(plan, wish, listener, steering)
        written, compared = [folder / RECORDING], None
        if plan.second is not None and error is None:
            more_written, compared, error = _second_run(plan, wish, listener, recording)
            written += more_written
        if len(recording.times):
            written += _files(plan, recording, compared, folder, listener, more, apart)
        inputs = [wish.file, *plan.files.values()]
        write_whole(folder / PROVENANCE, provenance(recording, inputs, written))
        if error is not None and not isinstance(error, KeyboardInterrupt):
            raise error
        paths = (*written, folder / PROVENANCE)
        return Result(recording, folder, paths, error is not None, compared)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be simulated, checked before the run.

    ``second`` is the method of the second run, None where none is wished for. ``controls`` of
    this process are answered by the functions that ``files`` gave when they were executed,
    ``elsewhere`` gives the addresses of those that other processes answer. ``going_on`` is the run
    where it goes on from another.
    """

    request: Request | None
    world: World
    reports: tuple[Report, ...]
    method: AnyMethod | None
    second: AnyMethod | None
    controls: tuple[str, ...]
    elsewhere: Mapping[str, str]
    files: Mapping[str, Path]
    executed: Mapping[str, Mapping[str, Callable[..., Any]]]
    going_on: Question | None = None

    def controllers(self) -> dict[str, Callable[..., Any]]:
        """Return the functions of this process by what the text calls them."""
        return dict(bound(self.controls, self.executed))


def planned(wish: SimulateAsked, listener: Listener, *, steered: bool) -> Plan:
    """Return what ``wish`` comes to; execute its controllers' files.

    Raises what is wrong with the text, its request or its controllers.
    """
    document, request, going_on = None, None, None
    if wish.file != wish.begin:
        document = read(wish.file)
        request = chosen(document, wish)
        for line in of_several(document, wish.world, request):
            listener.say(line)
        world, rules, reports = document.world(request), request.rules, request.reports
        named = request.method
    if wish.begin is not None:
        going_on = _going_on(wish, wish.begin, request)
        world, rules, named = going_on.world, going_on.rules, wish.method
        reports = () if request is None else request.reports
    check_reports(world, reports, rules)
    method, second = _method(named, request), _method(wish.beside, request)
    wanted = controllers_of(world, rules)
    elsewhere = assigned(wanted, addresses_of(wish.processes))
    if second is not None and (elsewhere or steered):
        raise ArticulataError(
            "--beside simulates twice, which neither controllers in other processes nor orders "
            "during a run can be asked to do; leave --controller, --orders and --live out"
        )
    here = tuple(name for name in wanted if name not in elsewhere)
    files: Mapping[str, Path] = {}
    if document is not None:
        files = controller_files(document, world, here, wish, listener)
    elif here:
        raise ControllerError(
            f"{wish.file}: controls ask {', '.join(here)}; give the world's file that names their "
            f"functions as well: articulata simulate FILE --from {wish.file}"
        )
    executed = {name: functions(path) for name, path in files.items()}
    plan = Plan(request, world, reports, method, second, here, elsewhere, files, executed, going_on)
    check_found(here, plan.controllers(), executed, files)
    if document is not None:  # what stands still only because a word lacks
        _tell_of_still(document, world, listener)
    return plan


def begun(request: Request) -> None:
    """Raise what a request to simulate is refused for before it runs; execute nothing."""
    from articulata.analyses.simulate.clearance import check_bodies_apart
    from articulata.analyses.simulate.run_question import asked, ready
    from articulata.domains.dynamic.dynamic_domain import DynamicModel
    from articulata.domains.dynamic.methods import MuJoCo

    until = 1.0 if request.until is None else request.until  # what --until may say
    question = asked(request, until=until, step=None, method=None, domains=None)
    check_reports(question.world, request.reports, request.rules)
    dynamic = ready(question)[1].get("dynamic")
    if isinstance(dynamic, DynamicModel) and not isinstance(question.method, MuJoCo):
        check_bodies_apart(dynamic, question.contact)


def _going_on(wish: SimulateAsked, begin: Path, request: Request | None) -> Question:
    """Return the run that goes on from a recording, which it must not write over."""
    from articulata.analyses.simulate.replaying import gone_on

    if (wish.folder / RECORDING).resolve() == begin.resolve():
        raise ArticulataError(
            f"{begin} would be written over by the run that goes on from it; give another --out"
        )
    method = _method(wish.method, request)
    return gone_on(load(begin), wish.at, until=wish.until, step=wish.step, method=method)


def _first_run(
    plan: Plan, wish: SimulateAsked, listener: Listener, steering: Steering | None
) -> tuple[Recording, BaseException | None]:
    """Return the recording of the run that is asked for and what stopped it, None at its end."""
    file, commands = wish.folder / RECORDING, None
    # once it writes, not before: a run that does not begin leaves what an older run left
    cleared = functools.cache(functools.partial(clear, wish.folder))

    def progress(done: int, total: int) -> None:
        cleared()
        listener.simulating(done, total)

    with connect_controls(plan.world.drives.values(), plan.elsewhere, wish.timeout) as connected:
        both: Mapping[str, Callable[..., Any]] = {**plan.controllers(), **connected}
        if steering is not None:
            sequences = {
                name: each for named in plan.executed.values() for name, each in named.items()
            }
            both, commands = steering.steered(both, sequences), steering.commands
        _tell_begin(plan, wish, listener)
        recording, error = _run(plan, file, plan.method, both, wish.seed, progress, commands)
    cleared()
    if isinstance(error, RecordingError):
        # Where the recording could not be written, nothing else can.
        raise error
    return recording, error


def _second_run(
    plan: Plan, wish: SimulateAsked, listener: Listener, first: Recording
) -> tuple[list[Path], Beside | None, BaseException | None]:
    """Simulate once more by the second method; return its file, the comparison, what stopped it.

    What the first run gave is written all the same.
    """
    listener.say(f"once more, by {type(plan.second).__name__}")
    # controllers may remember what they were asked: their files are executed afresh
    executed = {name: functions(path) for name, path in plan.files.items()}
    again, file = dict(bound(plan.controls, executed)), wish.folder / SECOND
    written: list[Path] = []
    _tell_begin(plan, wish, listener)
    try:
        other, error = _run(plan, file, plan.second, again, wish.seed, listener.simulating, None)
        written.append(file)
        return written, None if error is not None else beside_each_other(first, other), error
    except ArticulataError as why:
        return written, None, why


def _files(
    plan: Plan,
    recording: Recording,
    compared: Beside | None,
    folder: Path,
    listener: Listener,
    more: Callable[[Recording], list[Making]],
    apart: bool,
) -> list[Path]:
    """Write what is reported of a recording, and what ``more`` makes of it; return the files."""
    reports = come_true(recording, plan.reports, listener.say)
    written: list[Path] = []
    made: dict[str, Callable[[], bytes]] = {}
    if apart:
        written += write_apart(Work(folder / RECORDING, folder, reports, more), listener.writing)
    else:
        made.update(files_of(recording, reports))
    # Controllers live in this process, and so do the equations that ask them.
    elsewhere = {name: as_recorded(recording, name) for name in plan.elsewhere}
    made.update(_equations(recording, reports, {**plan.controllers(), **elsewhere}))
    if not apart:
        made.update(more(recording))
    if compared is not None:
        made.update(files_beside(compared))
    return written + write(list(made.items()), folder, listener.writing)


def chosen(document: Document, wish: SimulateAsked) -> Request:
    """Return the request that ``wish`` means, with its times and method put in."""
    request = asked(document, wish.world)
    request = replace(
        request,
        until=request.until if wish.until is None else wish.until,
        step=request.step if wish.step is None else wish.step,
        method=request.method if wish.method is None else wish.method,
    )
    if request.until is None:
        raise WorldError(
            f"{wish.file}: no request says how long to simulate '{request.world}'; add"
            f' "simulate {request.world} {{ time: (10 ms, 10 s) }}" to the text, or give --until'
        )
    return request


def asked(document: Document, text: str) -> Request:
    """Return the request of a document that ``text`` means, or one for a world it names.

    "example" or "example(2, 1, 0)", read as the text reads a request; empty means the first
    request, or the only world.
    """
    name, arguments = document.called(text, "--world") if text else ("", None)
    requests = [each for each in document.requests if each.kind == "simulate"]
    fitting = [each for each in requests if name in ("", each.world)]
    if not fitting:
        return _made(document, name, arguments or (), [each.world for each in requests])
    if arguments is None:
        return fitting[0]
    # Other arguments than those of the text still mean its times and reports.
    exact = [each for each in fitting if arguments == tuple(each.arguments)]
    return exact[0] if exact else replace(fitting[0], arguments=arguments)


def of_several(document: Document, text: str, taken: Request) -> tuple[str, ...]:
    """Return a line that tells which world is taken where ``text`` names none of several."""
    requests = [each for each in document.requests if each.kind == "simulate"]
    calls = [document.call(each.world, each.arguments) for each in (taken, *requests)]
    asked_for = {each.world for each in (taken, *requests)}
    calls += [name for name in document.worlds if name not in asked_for]
    mine, *others = dict.fromkeys(each.removesuffix("()") for each in calls)
    if text or not others:
        return ()
    known = ", ".join(f'"{each}"' if "(" in each else each for each in others)
    return (f"world {mine} is taken, the first that the text asks for; --world takes: {known}",)


def _made(document: Document, name: str, arguments: tuple[float, ...], asked: list[str]) -> Request:
    """Return a request for a world that no request of the text names."""
    if not name and len(document.worlds) == 1:
        name = document.worlds[0]
    if name not in document.worlds:
        what = f"there is no world '{name}'" if name else "no world is named"
        raise WorldError(
            f"{document.tree.source.file}: {what}{hint(name, [*document.worlds, *asked])}"
        )
    return Request("simulate", name, arguments, document=document)


def _tell_of_still(document: Document, world: World, listener: Listener) -> None:
    """Say which bodies stay where they are only because a word lacks."""
    for each in still(world, document.module.definitions):
        listener.say(f"{each.message}; {each.advice}")


def _method(name: str | None, request: Request | None) -> AnyMethod | None:
    """Return a method by its name, with the options of the text where it is the text's method."""
    if name is None:
        return None
    options = {} if request is None else request.options or {}
    return method_chosen(name, options.get("method"))


def controller_files(
    document: Document, world: World, wanted: Sequence[str], wish: SimulateAsked, listener: Listener
) -> Mapping[str, Path]:
    """Return the Python files to execute, by the names the text gives them."""
    named = {file: alias or Path(file).stem for file, alias in document.module.python}
    for file in world.imports_python:
        named.setdefault(file, Path(file).stem)
    if wish.controllers is not None:
        named[wish.controllers] = Path(wish.controllers).stem
    if not named or not wanted:
        return {}
    if not wish.python:
        names = ", ".join(sorted(wanted))
        raise ControllerError(
            f"{wish.file}: controllers ({names}) need {', '.join(named)} to be executed, which"
            " --no-python forbids; leave it out, or bind them from Python with art.simulate"
        )
    files = {alias: beside(wish.file, file) for file, alias in named.items()}
    for path in files.values():
        listener.say(f"controllers: {path}")
    return files


def _tell_begin(plan: Plan, wish: SimulateAsked, listener: Listener) -> None:
    if plan.going_on is not None:
        listener.say(f"goes on from t = {plan.going_on.begin:.9g} s of {wish.begin}")


def _run(
    plan: Plan,
    file: Path,
    method: AnyMethod | None,
    controllers: Mapping[str, Callable[..., Any]],
    seed: int,
    progress: Callable[[int, int], None],
    commands: Commands | None,
) -> tuple[Recording, BaseException | None]:
    """Return the recording and what stopped the run, None when it came to its end."""
    # Imported here: it brings in the compiler.
    from articulata.analyses.simulate.run import simulate

    going_on, own = plan.going_on, dict[str, Any]()
    if going_on is not None:
        own = {
            name: getattr(going_on, name)
            for name in ("until", "step", "domains", "contact", "rules", "start")
        }
        method = method or going_on.method
    asked = plan.request if going_on is None else going_on.world
    assert asked is not None
    try:
        recording = simulate(
            asked,
            **own,
            method=method,
            controllers=controllers,
            record_to=file,
            progress=progress,
            seed=seed,
            commands=commands,
        )
    except (ArticulataError, KeyboardInterrupt) as error:
        if isinstance(error, ControllerError) and not controllers:
            error.add_note(
                "Write the functions into a Python file beside the world, and name it in the text"
                ' (import "controllers.py") or with --controllers FILE'
            )
        if not hasattr(error, "recording"):
            raise
        return load(file), error
    return recording, None


def _equations(
    recording: Recording,
    reports: tuple[Report, ...],
    controllers: Mapping[str, Callable[..., Any]],
) -> list[Making]:
    """Return a file for each "equations at T" of the request."""
    return [
        (
            f"equations-at-{each.every:g}-s.txt",
            functools.partial(_equations_text, recording, each.every, controllers),
        )
        for each in reports
        if each.kind == "equations" and each.every is not None
    ]


def _equations_text(
    recording: Recording, time: float, controllers: Mapping[str, Callable[..., Any]]
) -> bytes:
    """Return ``A x = b`` at the frame nearest to ``time`` (s), row by row, and its solution."""
    from articulata.analyses.simulate.instant_equations import equations

    state = recording.state(time)
    world = recording.worlds[state.version]
    system = equations(world, at=state, controllers=controllers)
    rows, columns = system.shape
    head = (
        f"equations of {world.name} at t = {state.time:.9g} s: {rows} rows, {columns} unknowns,"
        f" rank {system.rank}, {system.nonzeros} coefficients that are not zero\n\n"
    )
    solution = "".join(f"{name:24} = {value:.9g}\n" for name, value in system.solution.items())
    return f"{head}{system.text()}\n\nsolution\n\n{solution}".encode()
