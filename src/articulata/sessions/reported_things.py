"""Reports and what they are about: refused before a run, left out after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from articulata.errors import ArticulataError, NameNotFound
from articulata.records.between import halves
from articulata.records.recording import Recording
from articulata.world.edits.transaction import edited
from articulata.world.paths import resolve
from articulata.world.requests.request import Report, Rule

if TYPE_CHECKING:
    from articulata.world.model import World


def check_reports(world: World, reports: tuple[Report, ...], rules: tuple[Rule, ...]) -> None:
    """Refuse a report about something that is not there before the run, not after it.

    What a clause of the request adds or joins may be reported too.
    """
    worlds = [world]
    actions = [action for rule in rules for action in rule.actions]
    for action in actions:
        with suppress(ArticulataError):
            worlds.append(edited(worlds[-1], action.edits))
    welds = {str(action.operands[0]) for action in actions if action.verb == "weld"}
    for report in reports:
        for path in _ends(report):
            if path.partition(".")[0] not in welds:
                _resolve_in(worlds, path)


def come_true(
    recording: Recording, reports: tuple[Report, ...], say: Callable[[str], None]
) -> tuple[Report, ...]:
    """Return the reports whose things have been there; ``say`` for which no clause came to add."""
    worlds = [recording.world, *recording.worlds.values()]
    found: list[Report] = []
    for report in reports:
        try:
            for path in _ends(report):
                _resolve_in(worlds, path)
        except NameNotFound:
            say(f"{report.kind} {report.path}: no clause has added it; no file")
        else:
            found.append(report)
    return tuple(found)


def _ends(report: Report) -> tuple[str, ...]:
    """Return the paths in a report: none, one, or both of what it measures between."""
    if report.path is None:
        return ()
    parted = halves(report.path)
    return (report.path,) if parted is None else (parted[0], parted[2])


def _resolve_in(worlds: Sequence[World], path: str) -> None:
    """Refuse a path that names something in none of ``worlds``, with what the first says."""
    why: NameNotFound | None = None
    for world in worlds:
        try:
            resolve(world, path)
            return
        except NameNotFound as error:
            why = why or error
    if why is not None:
        raise why
