"""An edit taken back: the world by the inverse edits, the state by the frame before the edit.

The impact by which bodies are joined forgets how they moved before, so the state cannot be
computed back; it is recorded instead, in a frame right before every edit.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from articulata.errors import RecordingError
from articulata.records.codec import Unknown
from articulata.records.events import Event
from articulata.records.memory import Remembered
from articulata.records.observed import Told
from articulata.records.state import State
from articulata.world.edits.transaction import Edit, edited, inverse_of
from articulata.world.model import World


@dataclass(frozen=True, slots=True)
class Before:
    """The ``world`` and its ``state`` right before an edit made at ``time`` (s).

    ``made`` are the edits, ``edits`` those that take them back.
    """

    time: float
    world: World
    state: State
    made: tuple[Edit, ...]
    edits: tuple[Edit, ...]


def undo(recording: Told, event: Event | None = None) -> Before:
    """Return what was right before an edit; RecordingError where there is none."""
    world = recording.world
    found: Before | None = None
    made = iter(recording.edits)
    for each in recording.events:
        if each.kind != "edit":
            continue
        count = each.values.get("edits", 1.0)
        edits: list[Edit] = []
        mine = list(itertools.islice(made, int(count) if isinstance(count, float) else 0))
        if not mine or len(mine) != count:
            raise RecordingError(
                f"the event at t = {each.time:g} s tells of {count} edits, of which"
                f" {len(mine)} are recorded"
            )
        for _, edit in mine:
            if isinstance(edit, Unknown):
                raise RecordingError(
                    f"the edit at t = {each.time:g} s is a {edit.name}, which this version of"
                    " Articulata does not know; install the version that wrote the recording"
                )
            edits.append(edit)
        after = edited(world, edits)
        if event is None or each == event:
            found = _before(recording, world, after, each.time, tuple(edits))
            if event is not None:
                return found
        world = after
    if found is None:
        raise RecordingError(
            "no edit was made in this recording"
            if event is None
            else f"'{event.kind}' at t = {event.time:.9g} s is no edit of this recording; give one "
            "of its events of kind 'edit'"
        )
    return found


def _before(
    recording: Told, world: World, after: World, time: float, edits: tuple[Edit, ...]
) -> Before:
    back = inverse_of(world, edits)
    assert edited(after, back) == world
    return Before(time, world, _frame_before(recording, world.version, time), edits, back)


def _frame_before(recording: Told, version: int, time: float) -> State:
    """Return the state of the last frame of a version of the world, at ``time``."""
    number = 0
    last: int | None = None
    for segment in recording.segments:
        if segment.version == version:
            last = number + len(segment.times) - 1
        number += len(segment.times)
    if last is None or recording.frame(last).time != time:
        raise RecordingError(
            f"the frame before the edit at t = {time:.9g} s is not in the recording; it was made "
            "by a version that did not keep it"
        )
    state = recording.state_of(last)
    known = state.memory
    return replace(state, memory=known.undone if isinstance(known, Remembered) else known)
