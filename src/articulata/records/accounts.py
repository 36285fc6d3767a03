"""Accounts of events in plain words: what happened, and why it came to that.

An edit names the events it answers. What bodies do to each other has no single cause; it could
happen as it did since the last edit that concerned them, and the account goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from articulata.records.events import Event, Value

if TYPE_CHECKING:
    from articulata.records.recording import Recording

UNITS: dict[str, str] = {
    "impulse": "N s",
    "approach_speed": "m/s",
    "separation_speed": "m/s",
    "energy_before": "J",
    "energy_after": "J",
    "kinetic_before": "J",
    "kinetic_after": "J",
    "energy_lost": "J",
    "force": "N",
    "moment": "N m",
    "strength_force": "N",
    "strength_moment": "N m",
    "momentum_before": "N s, N m s",
    "momentum_after": "N s, N m s",
    "series": "s",
}
"""Units of an event's values, by name."""

HIDDEN = frozenset({"asked", "causes", "edits", "clause"})
"""Values that the account tells in other words."""


def explain(event: Event) -> str:
    """Return what happened, to whom, where, by what numbers, and the line that asked for it."""
    lines = [f"t = {event.time:.9g} s: {event.kind}. {event.story}".rstrip()]
    if event.who:
        lines.append(f"  who: {', '.join(event.who)}")
    if event.where:
        lines.append(f"  where: {', '.join(event.where)}")
    for name, value in event.values.items():
        if name in HIDDEN or value == () or _ends(event, name, "_after", "_before"):
            continue
        unit = UNITS.get(name, "N s, N m s" if name.startswith("impulse of ") else "")
        shown = _shown(value)
        if _ends(event, name, "_before", "_after"):
            name = name.removesuffix("_before")
            shown = f"{shown} before, {_shown(event.values[f'{name}_after'])} after"
        lines.append(f"  {name.replace('_', ' ')}: {shown} {unit}".rstrip())
    if event.span.line:
        lines.append(f"  asked for at {event.span}")
    return "\n".join(lines)


def _ends(event: Event, name: str, end: str, other: str) -> bool:
    """Tell whether a value is one of two, before and after the event."""
    return name.endswith(end) and f"{name.removesuffix(end)}{other}" in event.values


def consequences(event: Event) -> str:
    """Return what an event did to energy and equations in sentences; "" for nothing.

    Changes of energy within rounding are none. Edits tell it in their own story.
    """
    told = []
    before, after = (event.values.get(f"energy_{end}") for end in ("before", "after"))
    if isinstance(before, float) and isinstance(after, float) and _differ(before, after):
        told.append(f"The energy goes from {before:.6g} to {after:.6g} J.")
    sizes = [
        tuple(event.values.get(f"{name}_{end}") for name in ("unknowns", "rank"))
        for end in ("before", "after")
    ]
    if event.kind != "edit" and sizes[0] != sizes[1]:
        (then, rank_then), (now, rank_now) = sizes
        was = f"before {_shown(then or 0.0)}"
        told.append(
            f"The equations have {_shown(now or 0.0)} unknowns, {was}."
            if rank_now is None or rank_then is None
            else f"The equations have {_shown(now or 0.0)} unknowns and rank {_shown(rank_now)}, "
            f"{was} and {_shown(rank_then)}."
        )
    return " ".join(told)


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > 1e-12 * max(abs(one), abs(other))


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return ", ".join(_shown(each) for each in value)
    return value if isinstance(value, str) else f"{value:.9g}"


def causes(recording: Recording, event: Event) -> tuple[Event, ...]:
    """Return the events that led to ``event`` directly, in order of time."""
    events = recording.events
    named = event.values.get("causes", ())
    if isinstance(named, tuple) and named:
        return tuple(events[int(each)] for each in named if int(each) < len(events))
    place = _place(recording, event)
    concerned = set(_nodes(recording, event))
    # The last edit that took away or brought what concerns these bodies.
    for earlier in reversed(events[:place]):
        if earlier.kind == "edit" and concerned & set(_nodes(recording, earlier)):
            return (earlier,)
    return ()


def _place(recording: Recording, event: Event) -> int:
    for place, each in enumerate(recording.events):
        if each is event:
            return place
    return next((n for n, each in enumerate(recording.events) if each == event), 0)


def _nodes(recording: Recording, event: Event) -> Iterator[str]:
    """Yield what an event concerns: the nodes it names, and all that hangs together with them.

    Bodies hang together by hinges, in any of the recording's worlds, but not through bodies that
    never move.
    """
    waiting, found = list(event.who), set(event.who)
    while waiting:
        name = waiting.pop()
        yield name
        for world in recording.worlds.values():
            body = world.bodies.get(name)
            for hinge in world.hinges.values():
                ends = (hinge.body_a, hinge.body_b)
                if hinge.id == name or (body and body.motion != "fixed" and name in ends):
                    fresh = {hinge.id, *ends} - found
                    found |= fresh
                    waiting += fresh


def why(recording: Recording, event: Event) -> str:
    """Return the account of ``event``: the chain that led to it, first things first."""
    chain: list[Event] = []
    waiting = [event]
    while waiting:
        each = waiting.pop()
        if any(each is other for other in chain):
            continue
        chain.append(each)
        waiting += causes(recording, each)
    place = {id(each): n for n, each in enumerate(recording.events)}
    chain.sort(key=lambda each: (place.get(id(each), len(place)), each.time))
    lines = []
    for number, each in enumerate(chain):
        link = "" if number == 0 else "therefore, " if _led(chain[number - 1], each, place) else ""
        asked = f" [{each.span}]" if each.span.line else ""
        story = f"{each.story or each.kind} {consequences(each)}".rstrip()
        lines.append(f"t = {each.time:.9g} s: {link}{story}{asked}")
    if len(chain) == 1 and event.kind not in ("edit", "stop"):
        lines.append("Nothing was changed before that concerns them: so the world's laws have it.")
    return "\n".join(lines)


def _led(earlier: Event, later: Event, place: dict[int, int]) -> bool:
    named = later.values.get("causes", ())
    return isinstance(named, tuple) and float(place.get(id(earlier), -1)) in named
