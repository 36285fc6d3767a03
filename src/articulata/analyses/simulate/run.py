"""Running a simulation: assemble, bind controllers, go through the cycles, record each.

One cycle is ``step`` seconds: controllers see an immutable snapshot of the cycle completed last
and are asked at the integrator's own stage times. Everything observed is recorded as it comes,
so that a run which is stopped by anything leaves what it had computed readable.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import cast

from articulata.analyses.simulate.course import Course, Progress
from articulata.analyses.simulate.prescribed_motion import prescribed_motion
from articulata.analyses.simulate.reacting import (
    Commands,
    Live,
    OnEvent,
    Reactions,
    check_callbacks,
)
from articulata.analyses.simulate.run_question import Question, asked, check_kinds, ready
from articulata.domains.assemble import Models
from articulata.domains.control import ControlModel, controllers_of
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.methods import AnyMethod
from articulata.domains.geometric import GeometricModel
from articulata.domains.protocols import Controller, Motion
from articulata.errors import (
    ArticulataError,
    ControllerError,
    InconsistentSystem,
    RecordingError,
    SimulationError,
)
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.kernels.sources import room_hash
from articulata.records.events import Event
from articulata.records.header import Header, versions
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import State
from articulata.world.model import World
from articulata.world.requests.request import Request, Rule

File = str | os.PathLike[str]


def simulate(
    world: World | Request,
    *,
    until: float | None = None,
    step: float | None = None,
    method: AnyMethod | None = None,
    controllers: Mapping[str, Controller] | None = None,
    record_to: File | None = None,
    progress: Progress | None = None,
    seed: int = 0,
    domains: Sequence[str] | None = None,
    contact: Contact | None = None,
    on_event: OnEvent | None = None,
    rules: Sequence[Rule] | None = None,
    start: State | None = None,
    commands: Commands | None = None,
    instants: Sequence[float] = (),
) -> Recording:
    """Return the recording of ``world`` moving by its own laws until ``until`` (s).

    ``step`` (s) is the control cycle and output interval, not the integrator's; ``method`` says
    which integrator (DOP853 where nothing is said). ``controllers`` binds the names that the
    world uses to functions ``f(t, sensed)``. With ``record_to`` the recording is written to that
    file while the run goes on. ``contact`` holds the laws by which bodies collide, in
    place of all that the text's ``contact:`` chooses; ``domains``
    without "interference" leaves contact out. An error on the way carries what was recorded until
    then as ``error.recording``.

    ``on_event`` is a callback ``f(event, moment) -> edits``, or one for each kind of event; what
    it returns is done at that instant. ``rules`` are the ``on`` clauses, those of the request
    where nothing is said. ``start`` is a state to go on from, such as ``recording.state(2.0)``
    with ``recording.worlds[state.version]``; ``until`` counts from the same zero. ``commands`` is
    asked at the start of every cycle what has been ordered meanwhile. ``instants`` (s) are more
    times at which a cycle ends and a frame is recorded.
    """
    check_callbacks(on_event)
    check_kinds(
        method=method, contact=contact, domains=domains, start=start, rules=rules, seed=seed
    )
    _check_calls(controllers=controllers, commands=commands, progress=progress)
    if record_to is not None and not isinstance(record_to, str | os.PathLike):
        raise RecordingError(f"record_to = {record_to!r} is no file; give its path, or nothing")
    question = asked(
        world,
        until=until,
        step=step,
        method=method,
        domains=None if domains is None else tuple(domains),
        contact=contact,
        start=start,
        rules=None if rules is None else tuple(rules),
        instants=instants,
    )
    whole, models = ready(question)
    control = bound(models, controllers or {})
    if on_event is None and commands is None:
        # Whoever edits from Python may add a control later; clauses say beforehand which.
        _refuse_unasked(controllers or {}, controllers_of(whole, question.rules))
    return carried_out(
        Run(question, models, int(seed)),
        control,
        record_to,
        progress,
        reactions=Live(question.rules, on_event, commands=commands),
    )


def _check_calls(*, controllers: object, commands: object, progress: object) -> None:
    """Raise ControllerError or SimulationError for what cannot be called."""
    given = {} if controllers is None else controllers
    if not (isinstance(given, Mapping) and all(isinstance(name, str) for name in given)):
        raise ControllerError(
            f"controllers = {controllers!r} binds no names; give functions by the names that the "
            'world uses, as {"motor": f}'
        )
    for name, each in (("commands", commands), ("progress", progress)):
        if each is not None and not callable(each):
            raise SimulationError(f"{name} = {each!r} cannot be called; give a function or nothing")


def bound(models: Models, controllers: Mapping[str, Controller]) -> ControlModel | None:
    """Return the control model with its functions; ControllerError where one is missing."""
    control = cast("ControlModel | None", models.get("control"))
    if control is not None:
        return control.bind(controllers)
    if controllers:
        raise ControllerError(
            f"controllers were given ({', '.join(controllers)}), but the run leaves the control "
            "domain out; add it to the domains"
        )
    return None


def _refuse_unasked(given: Mapping[str, Controller], wanted: Sequence[str]) -> None:
    """Raise ControllerError for a controller that no control of the run will ever ask."""
    for name in given:
        if name in wanted:
            continue
        near = get_close_matches(name, wanted, 1)
        meant = f"; did you mean '{near[0]}'?" if near else "."
        known = f"Its controls ask: {', '.join(wanted)}" if wanted else "It has no controls"
        raise ControllerError(
            f"the controller '{name}' was given, which no control of the world asks{meant} {known}"
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A question and the models that answer it."""

    question: Question
    models: Models
    seed: int

    @property
    def header(self) -> Header:
        """What the recording says about the run."""
        method, settings = self.question.laws
        return Header(
            self.models.world,
            self.question.step,
            self.question.until,
            method,
            self.seed,
            tuple(self.models),
            MappingProxyType(settings),
            makers(),
            self.question.rules,
            None if self.question.start is None else self.question.start.time,
        )


NO_REACTIONS = Live()
"""Nobody reacts to anything."""


def makers() -> Mapping[str, str]:
    """Return what decides the bytes of a run: versions of packages, and the kernels' sources."""
    return MappingProxyType({**versions(), "kernels": room_hash("multibody")})


def carried_out(
    run: Run,
    control: ControlModel | None,
    record_to: File | None,
    progress: Progress | None,
    events: tuple[Event, ...] = (),
    reactions: Reactions = NO_REACTIONS,
) -> Recording:
    """Return the recording of a run, which begins with ``events``."""
    run, mover = moving(run)
    recorder = Recorder(run.header, record_to)
    try:
        with recorder:
            course = Course(run.question, run.models, mover, control, recorder, reactions)
            try:
                course.go(events, progress)
            except InconsistentSystem as error:
                recorder.event(_inconsistent(error))
                raise
    except BaseException as error:
        _explain(error, recorder, record_to)
        raise
    return recorder.recording()


def _inconsistent(error: InconsistentSystem) -> Event:
    """Return the event of equations without a solution: the constraints in conflict."""
    time = error.time if math.isfinite(error.time) else 0.0
    return Event(time, "inconsistent", error.constraints, story=str(error))


def _explain(error: BaseException, recorder: Recorder, record_to: File | None) -> None:
    """Tell with ``error`` what was recorded, and give the recording to whoever catches it."""
    try:
        kept = recorder.recording()
    except ArticulataError:
        return
    error.recording = kept  # type: ignore[attr-defined] # documented in simulate()
    where = "error.recording" if record_to is None else os.fspath(record_to)
    last = f"up to t = {kept.times[-1]:.9g} s" if len(kept.times) else "without a frame"
    error.add_note(f"The run stopped; {where} holds it {last}.")


def moving(run: Run) -> tuple[Run, Motion]:
    """Return what moves the bodies, forces or else what is prescribed, and the run with it."""
    models, question = run.models, run.question
    dynamic = cast("DynamicModel | None", models.get("dynamic"))
    if dynamic is not None:
        return run, dynamic.moving(question.method, question.contact, piece_table)
    geometric = cast("GeometricModel | None", models.get("geometric"))
    if geometric is None:
        raise ArticulataError("a simulation needs the domain dynamic or geometric")
    models = models.having(geometric=geometric.moving())
    return replace(run, models=models), prescribed_motion(models)
