"""Accounts of events in plain words: what happened, and why it came to that.

An edit names the events it answers. What bodies do to each other has no single cause; it could
happen as it did since the last edit that concerned them, and the account goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator

from articulata.records.events import Event, consequences
from articulata.records.observed import Told


def causes(recording: Told, event: Event) -> tuple[Event, ...]:
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


def _place(recording: Told, event: Event) -> int:
    for place, each in enumerate(recording.events):
        if each is event:
            return place
    return next((n for n, each in enumerate(recording.events) if each == event), 0)


def _nodes(recording: Told, event: Event) -> Iterator[str]:
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


def why(recording: Told, event: Event) -> str:
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
