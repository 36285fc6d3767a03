"""An edit of a recorded run taken back, and the run gone on with from that instant without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from articulata.analyses.simulate.course import Progress
from articulata.analyses.simulate.reacting import Live
from articulata.analyses.simulate.replaying import question_of
from articulata.analyses.simulate.run import Run, bound, carried_out
from articulata.domains.assemble import build
from articulata.errors import RecordingError
from articulata.records.recording import Recording
from articulata.sessions.controllers import as_recorded
from articulata.world.edits.structure_edits import BreakHinge
from articulata.world.edits.value_edits import SetProperty
from articulata.world.model import World


def run_on(
    recording: Recording,
    number: int,
    *,
    controllers: Mapping[str, Callable[..., Any]] | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Return the run that event ``number``, an edit, would have been without it.

    It starts at the instant of the edit. The clause that asked for the edit asks no more, and a
    hinge that gave way holds. Controllers that are not given repeat what they gave then.
    """
    event = recording.events[number]
    if event.kind != "edit":
        raise RecordingError(
            f"'{event.kind}' at t = {event.time:.9g} s is no edit; only edits can be undone"
        )
    before = recording.undo(event)
    question = question_of(recording)
    until = recording.header.until
    assert until is not None
    rules = tuple(rule for rule in question.rules if not event.span.line or rule.span != event.span)
    world = _holding(before.world, before.made)
    question = replace(question, world=world, start=before.state, until=until, rules=rules)
    given = dict(controllers or {})
    for drive in world.drives.values():
        given.setdefault(drive.controller, as_recorded(recording, drive.controller))
    models = build(world, question.domains)
    run = Run(question, models, recording.header.seed)
    control = bound(models, given if world.drives else {})
    return carried_out(run, control, None, progress, reactions=Live(rules))


def _holding(world: World, made: tuple[Any, ...]) -> World:
    """Return the world in which the hinges that gave way have no limit to their strength."""
    weak = [
        edit.subject(world)
        for edit in made
        if isinstance(edit, BreakHinge)
        and world.hinges[edit.subject(world)].strength != (None, None)
    ]
    return world.edit([SetProperty(f"{hinge}.strength", (None, None)) for hinge in weak])
