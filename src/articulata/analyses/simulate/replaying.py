"""Replay: the same simulation again, with the recorded controller outputs as its input.

No controller is executed: each control gives again what it gave then, in the same order, and the
new recording has the same bytes, made by the same versions. By others it begins with an event
that names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

from articulata.analyses.simulate.course import Progress
from articulata.analyses.simulate.reacting import Logged
from articulata.analyses.simulate.run import File, Run, carried_out, makers
from articulata.analyses.simulate.run_question import Question
from articulata.domains.assemble import build
from articulata.domains.control import ControlModel
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.methods import METHODS, AnyMethod
from articulata.errors import RecordingError
from articulata.records.events import Event
from articulata.records.recording import Recording
from articulata.records.state import State


def replay(
    recording: Recording, *, record_to: File | None = None, progress: Progress | None = None
) -> Recording:
    """Return the recording of the same run made again from the logged controller outputs."""
    header, question = recording.header, question_of(recording)
    models = build(header.world, header.domains)
    control = cast("ControlModel | None", models.get("control"))
    logged = None
    if control is not None:
        logged = control.repeating({name: _pairs(recording, name) for name in recording.controls})
    run = Run(question, models, header.seed)
    notice = _other_makers(header.versions)
    return carried_out(run, logged, record_to, progress, notice, Logged(recording))


def question_of(recording: Recording) -> Question:
    """Return what was asked for when ``recording`` was made; RecordingError where it cannot be."""
    header = recording.header
    made = METHODS.get(header.method.lower())
    if made is None or header.step is None or header.until is None:
        raise RecordingError(
            f"this recording cannot be replayed: it was made by '{header.method or 'no method'}'"
        )
    until = header.until
    if not recording.complete and len(recording.times):
        until = float(recording.times[-1])
    settings: dict[str, Any] = {
        n: value for n, value in header.settings.items() if value is not None
    }
    contact = Contact.of_settings(settings)
    own = {name: value for name, value in settings.items() if not name.startswith("contact.")}
    start = None if header.start is None else _first_state(recording)
    return Question(
        header.world, until, header.step, made(**own), header.domains, contact, start, header.rules
    )


def gone_on(
    recording: Recording,
    time: float | None = None,
    *,
    until: float | None = None,
    step: float | None = None,
    method: AnyMethod | None = None,
) -> Question:
    """Return the run that goes on from a recorded frame, the one nearest to ``time`` (s).

    From the last frame where no time is given; to the end that the recording was to have, or
    ``until`` (s); in its cycles and by its method, or others.
    """
    asked = question_of(recording)
    if not len(recording.times):
        raise RecordingError("this recording has no frame to go on from")
    last = float(recording.times[-1])
    state = recording.state(last if time is None else time)
    until = max(asked.until, recording.header.until or 0.0) if until is None else until
    if until <= state.time:
        raise RecordingError(
            f"the run goes on from t = {state.time:.9g} s and would end there; say until when, "
            f"as in --until {state.time + 10.0 * asked.step:.6g}, or go on from an earlier instant"
        )
    return replace(
        asked,
        world=recording.worlds[state.version],
        start=state,
        until=until,
        step=asked.step if step is None else step,
        method=method or asked.method,
    )


def _first_state(recording: Recording) -> State:
    if not len(recording.times):
        raise RecordingError("this recording cannot be replayed: it has lost its first frame")
    return recording.state_of(0)


def _other_makers(then: Mapping[str, str]) -> tuple[Event, ...]:
    """Return the event that names what made the recording and is another here, if anything is."""
    now = makers()
    changed = [
        f"{name} {then.get(name, 'unknown')} (here {now.get(name, 'unknown')})"
        for name in sorted({*then, *now})
        if then.get(name, "unknown") != now.get(name, "unknown")
    ]
    if not changed:
        return ()
    values = {"changed": tuple(changed)}
    story = (
        f"The recording was made by {', '.join(changed)}: the replay follows the same laws and "
        "controls, but its last digits may differ."
    )
    return (Event(0.0, "replay", (), (), MappingProxyType(values), story),)


def _pairs(recording: Recording, name: str) -> Iterator[tuple[float, tuple[float, ...]]]:
    outputs = recording.controls[name]
    return iter(list(zip(outputs.times.tolist(), outputs.values, strict=True)))
