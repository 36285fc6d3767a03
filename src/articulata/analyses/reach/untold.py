"""What rules were not told of a room, and which of their sections found nothing to look at."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from articulata.analyses.reach.fixtures import things_missing
from articulata.analyses.reach.room import Room
from articulata.analyses.reach.rule_tables import CLEAR_FLOOR, DOOR, FORCE, ReachRule, rules_of
from articulata.records.rule_findings import RuleFinding


def without_door(room: Room, name: str) -> Iterator[RuleFinding]:
    """Yield that rules of the set ``name`` ask about the door of a room that tells none."""
    if room.door is not None:
        return
    for section in dict.fromkeys(rule.section for rule in rules_of(name) if rule.reach == DOOR):
        words = f"{section}: where the door is; write approach: from NAME, a body or feature there"
        yield RuleFinding(room.floor_body, name, False, section, 0.0, 0.0, words, told=False)


def nothing_to_look_at(
    room: Room, name: str, objects: Collection[str], operated: Collection[str]
) -> Iterator[str]:
    """Yield a line with the sections of the set ``name`` that are about nothing in a room."""
    found: dict[str, dict[str, None]] = {}
    for rule in rules_of(name):
        why = _missing(room, rule, objects, operated)
        if why:
            found.setdefault(why, {})[rule.section] = None
    if found:
        lines = (f"{', '.join(sections)} ({why})" for why, sections in found.items())
        yield f"{name}: nothing to look at for {'; '.join(lines)}"


def _missing(
    room: Room, rule: ReachRule, objects: Collection[str], operated: Collection[str]
) -> str:
    """Return what a room lacks for a rule to say anything, "" where it lacks nothing."""
    if rule.things:
        missing = things_missing(room, rule)
        return f"no {', '.join(missing)}" if missing else ""
    if rule.reach == FORCE:
        return "" if operated else "nothing operated"
    if rule.ranges or rule.reach == CLEAR_FLOOR:
        return "" if objects else "no objects"
    return ""
