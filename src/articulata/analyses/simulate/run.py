"""Running a simulation: assemble, bind controllers, go through the cycles, record each.

One cycle is ``step`` seconds: controllers see an immutable snapshot of the cycle completed last
and are asked at the integrator's own stage times. Everything observed is recorded as it comes,
so that a run which is stopped by anything leaves what it had computed readable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from articulata.analyses.simulate.following import Following
from articulata.analyses.simulate.questions import Question, asked
from articulata.analyses.simulate.sensing import Snapshot
from articulata.domains.assemble import Models, build
from articulata.domains.control import ControlModel
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.methods import AnyMethod, MuJoCo
from articulata.domains.dynamic.model import DynamicModel
from articulata.domains.geometric import GeometricModel
from articulata.domains.protocols import Control, Controller, EvolvingModel
from articulata.errors import ArticulataError, ControllerError
from articulata.geometry.arrays import Array
from articulata.kernels.compile import source_hash
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.events import Event
from articulata.records.header import Header, versions
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame, State
from articulata.world.model import World
from articulata.world.requests import Request

if TYPE_CHECKING:
    from articulata.domains.dynamic.mujoco.backend import MujocoModel

Progress = Callable[[int, int], None]
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
) -> Recording:
    """Return the recording of ``world`` moving by its own laws until ``until`` (s).

    ``step`` (s) is the control cycle and output interval, not the integrator's; ``method`` says
    which integrator (DOP853 where nothing is said). ``controllers`` binds the names that the
    world uses to functions ``f(t, sensed)``. With ``record_to`` the recording is written to that
    file while the run goes on. ``contact`` holds the laws by which bodies collide; ``domains``
    without "interference" leaves contact out. An error on the way carries what was recorded until
    then as ``error.recording``.
    """
    named = None if domains is None else tuple(domains)
    question = asked(world, until=until, step=step, method=method, domains=named, contact=contact)
    models = build(assemble(question.world), question.domains)
    return carried_out(
        Run(question, models, seed), bound(models, controllers or {}), record_to, progress
    )


def bound(models: Models, controllers: Mapping[str, Controller]) -> ControlModel | None:
    """Return the control model with its functions; ControllerError where one is missing."""
    control = models.get("control")
    if isinstance(control, ControlModel):
        return control.bind(controllers)
    if controllers:
        raise ControllerError(
            f"controllers were given ({', '.join(controllers)}), but the run leaves the control "
            "domain out; add it to the domains"
        )
    return None


@dataclass(frozen=True, slots=True)
class Run:
    """A question and the models that answer it."""

    question: Question
    models: Models
    seed: int

    @property
    def header(self) -> Header:
        """What the recording says about the run."""
        method, contact = self.question.method, self.question.contact
        laws = {} if contact is None else contact.settings()
        return Header(
            self.models.world,
            self.question.step,
            self.question.until,
            type(method).__name__,
            self.seed,
            tuple(self.models),
            MappingProxyType({**asdict(method), **laws}),
            makers(),
        )


def makers() -> Mapping[str, str]:
    """Return what decides the bytes of a run: versions of packages, and the kernels' sources."""
    return MappingProxyType({**versions(), "kernels": source_hash("multibody")})


def carried_out(
    run: Run,
    control: ControlModel | None,
    record_to: File | None,
    progress: Progress | None,
    events: tuple[Event, ...] = (),
) -> Recording:
    """Return the recording of a run, which begins with ``events``."""
    mover = mover_of(run)
    if isinstance(mover, DynamicModel):
        run = replace(run, models=run.models.having(dynamic=mover))
    recorder = Recorder(run.header, record_to)
    try:
        with recorder:
            _cycles(run, mover, control, recorder, progress, events)
    except BaseException as error:
        _explain(error, recorder, record_to)
        raise
    return recorder.recording()


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


Mover: TypeAlias = "DynamicModel | Following | MujocoModel"


def mover_of(run: Run) -> Mover:
    """Return what moves the bodies: the dynamic domain, or prescribed motion without forces."""
    dynamic, geometric = run.models.get("dynamic"), run.models.get("geometric")
    if isinstance(dynamic, DynamicModel):
        if isinstance(run.question.method, MuJoCo):
            from articulata.domains.dynamic.mujoco.backend import MujocoModel

            return MujocoModel(dynamic, run.question.method)
        return dynamic.using(run.question.method, run.question.contact)
    if isinstance(geometric, GeometricModel):
        return Following(geometric.moving())
    raise ArticulataError("a simulation needs the domain dynamic or geometric")


def _cycles(
    run: Run,
    mover: Mover,
    control: ControlModel | None,
    recorder: Recorder,
    progress: Progress | None,
    events: tuple[Event, ...],
) -> None:
    times = run.question.times.tolist()
    world = run.models.world
    channels = channels_of(run.models, mover)
    recorder.layout(channels)
    for event in (*events, *mover.start_events()):
        recorder.event(event)
    state = State(0.0, {**run.models.start(), **mover.start()}, world.version)
    inputs = control_or_none(control, world)
    evolving = [model for model in run.models.values() if isinstance(model, EvolvingModel)]
    first = {**state.arrays, **mover.before(state)}
    snapshot = Snapshot(world, channels, Frame(0.0, first, world.version))
    for number, time in enumerate(times):
        cycle = inputs.control(snapshot.sensed(), state, recorder.control)
        derived = mover.solve(state, cycle)
        frame = Frame(time, {**state.arrays, **derived, **inputs.outputs()}, world.version)
        recorder.frame(frame)
        if progress is not None:
            progress(number, len(times) - 1)
        if number + 1 == len(times):
            return
        snapshot = Snapshot(world, channels, frame)
        cycle = inputs.control(snapshot.sensed(), state, recorder.control)
        after = _moved(mover, state, times[number + 1], cycle, recorder)
        arrays = dict(after.arrays)
        for model in evolving:
            arrays.update(model.evolve(state, State(times[number + 1], arrays, world.version)))
        state = State(times[number + 1], arrays, world.version)


def _moved(mover: Mover, state: State, until: float, control: Control, recorder: Recorder) -> State:
    """Return the state at ``until``; what happens on the way is recorded."""
    if not isinstance(mover, DynamicModel) or not mover.touching:
        return mover.advance(state, until - state.time, control)
    while state.time < until:
        state, events = mover.leg(state, until, control)
        for event in events:
            recorder.event(event)
    return state


def channels_of(models: Models, mover: Mover) -> tuple[Channel, ...]:
    """Return the channels of all domains, the mover's own first."""
    found = {channel.name: channel for channel in mover.channels}
    for channel in models.channels:
        found.setdefault(channel.name, channel)
    return tuple(found.values())


def control_or_none(control: ControlModel | None, world: World) -> Outputs:
    """Return the controls of a run and their latest outputs; none where the domain is left out."""
    if control is None:
        control = ControlModel(_without_drives(world))
    return Outputs(control)


def _without_drives(world: World) -> World:
    return replace(world, drives=MappingProxyType({}))


class Outputs:
    """Asks the controls and keeps what each gave last."""

    def __init__(self, model: ControlModel) -> None:
        self.model = model
        self._last: dict[str, Sequence[float]] = {}

    def control(self, sensed: Any, state: State, log: Callable[..., None]) -> Any:
        """Return the inputs of the cycle that starts at ``state``."""

        def noted(name: str, time: float, values: Sequence[float]) -> None:
            self._last[name] = values
            log(name, time, values)

        return self.model.control(sensed, state, noted)

    def outputs(self) -> dict[str, Array]:
        """Return the channels of what the controls gave last."""
        return {f"control.{name}": np.array(values) for name, values in self._last.items()}
