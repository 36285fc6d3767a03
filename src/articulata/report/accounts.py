"""Why did it do that: the account of an event, from what a recording holds.

Who and where, by which law, what changed and by how much, which line of the text asked for it,
and the chain of earlier events that led to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, shown_in
from articulata.report.arrows import CONTACT_POINT
from articulata.world.model import World

if TYPE_CHECKING:
    from articulata.records.recording import Recording

LONGEST_CHAIN: Final = 12
"""Events of a chain that are told: the latest ones."""

INNER: Final = frozenset({"asked", "causes", "edits", "number"})
"""Values by which a record is read again, not by people."""

FIRST: Final = ("law", "restitution", "friction", "impulse", "approach_speed", "separation_speed")
"""What is told first; the rest follows as recorded."""

Value = float | str | tuple[float, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of an event.

    ``rows`` are names and texts for a reader; ``chain`` the numbers of the events that led to it
    in the recording, the earliest first.
    """

    event: Event
    rows: tuple[tuple[str, str], ...]
    chain: tuple[int, ...]


def account(recording: Recording, number: int) -> Account:
    """Return the account of event ``number`` of ``recording``."""
    return _told(recording, number, parties(recording.world, recording.events))


def accounts(recording: Recording, most: int) -> Iterator[Account]:
    """Yield the accounts of the first ``most`` events."""
    taking_part = parties(recording.world, recording.events)
    for number in range(min(len(recording.events), most)):
        yield _told(recording, number, taking_part)


def _told(recording: Recording, number: int, taking_part: Sequence[frozenset[str]]) -> Account:
    event, units = shown_in(recording.world.units, recording.events[number])
    rows = [("when", f"{event.time:.9g} s")]
    if event.who:
        rows.append(("who", ", ".join(event.who)))
    if event.where:
        rows.append(("where", _where(event.where)))
    rows += _values(event.values, units)
    rows += _around(recording, event)
    if event.span.line > 0:
        rows.append(("text", f"{event.span.file}, line {event.span.line}"))
    return Account(event, tuple(rows), chain(recording.events, number, taking_part))


def chain(
    events: Sequence[Event], number: int, taking_part: Sequence[frozenset[str]]
) -> tuple[int, ...]:
    """Return the numbers of the events that led to event ``number``, the earliest first.

    An edit is led to by the events that the record names as its causes. Any event is led to by
    the latest one before it of each mechanism that takes part in it. Of one instant only another
    kind of event leads to it: an impact to a contact, but no contact to the one beside it.
    """
    found: set[int] = set()
    open_ = [number]
    while open_ and len(found) < LONGEST_CHAIN:
        at = open_.pop(0)
        earlier = list(_causes(events, at))
        for name in sorted(taking_part[at]):
            before = (k for k in range(at - 1, -1, -1) if name in taking_part[k])
            earlier += [k for k in before if _leads(events[k], events[at])][:1]
        open_ += [k for k in earlier if k not in found]
        found.update(earlier)
    return tuple(sorted(found)[-LONGEST_CHAIN:])


def parties(world: World, events: Sequence[Event]) -> tuple[frozenset[str], ...]:
    """Return which mechanisms take part in each event, each by the name of one of its bodies.

    A mechanism is what hinges join at the start; bodies that never move belong to none, since
    they pass nothing on.
    """
    of = {body.id: body.id for body in world.bodies.values() if body.motion != "fixed"}

    def root(name: str) -> str:
        while of[name] != name:
            name = of[name]
        return name

    for hinge in world.hinges.values():
        if hinge.body_a in of and hinge.body_b in of:
            of[root(hinge.body_a)] = root(hinge.body_b)

    def bodies(name: str) -> tuple[str, ...]:
        if name in world.hinges:
            return world.hinges[name].body_a, world.hinges[name].body_b
        while name and name not in world.bodies:
            # A clause may be about a quantity of a body: "wall.course[2].center.y".
            name = name.rpartition(".")[0]
        return (name,)

    return tuple(
        frozenset(
            root(body) if body in of else body
            for name in event.who
            for body in (bodies(name) if name in world.hinges or "." in name else (name,))
            if body and (body in of or body not in world.bodies)
        )
        for event in events
    )


def _causes(events: Sequence[Event], number: int) -> tuple[int, ...]:
    """Return the earlier events that the record names as causes of an edit."""
    named = events[number].values.get("causes", ())
    if not isinstance(named, tuple):
        return ()
    return tuple(int(float(each)) for each in named if 0 <= float(each) < number)


def _leads(one: Event, other: Event) -> bool:
    return one.time < other.time or (one.time == other.time and one.kind != other.kind)


def _where(where: Sequence[str]) -> str:
    """Return features that met, pair by pair."""
    if len(where) < 2 or len(where) % 2:
        return ", ".join(where)
    pairs = zip(where[::2], where[1::2], strict=True)
    return "; ".join(f"{one} on {other}" for one, other in pairs)


def _values(values: Mapping[str, Value], units: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return an event's values; those before and after stand in one row."""
    known = [name for name in FIRST if name in values]
    rows = []
    for name in (*known, *(each for each in values if each not in known and each not in INNER)):
        if values[name] == () or (name.endswith("_after") and f"{name[:-6]}_before" in values):
            continue
        if name.endswith("_before") and f"{name[:-7]}_after" in values:
            base = name[:-7]
            change = _change(values[name], values[f"{base}_after"], units[name])
            rows.append((_words(base), change))
        else:
            rows.append((_words(name), _said(values[name], units[name])))
    return rows


def _change(before: Value, after: Value, unit: str) -> str:
    text = f"{_said(before, '')} \u2192 {_said(after, unit)}"
    if isinstance(before, float) and isinstance(after, float):
        change = after - before
        # A rounding error is no change.
        if abs(change) > 1e-12 * max(abs(before), abs(after)):
            text += f" ({change:+.4g})".replace("-", "\u2212")
    return text


def _around(recording: Recording, event: Event) -> list[tuple[str, str]]:
    """Return what the frames before and after tell where the event does not say it itself."""
    times = recording.times
    before = int(np.searchsorted(times, event.time, side="left")) - 1
    after = before + 1
    if before < 0 or after >= len(times):
        return []
    rows = []
    where = f"frames at {times[before]:.6g} and {times[after]:.6g} s"
    if "energy_before" not in event.values:
        energy = _read(recording, "energy.total")
        if energy is not None:
            change = _change(float(energy[before]), float(energy[after]), "J")
            rows.append(("energy", f"{change}; {where}"))
    if "contact_rows_before" not in event.values:
        count = _contacts(recording, before), _contacts(recording, after)
        if None not in count:
            rows.append(("contact points", f"{count[0]} \u2192 {count[1]}; {where}"))
    return rows


def _contacts(recording: Recording, number: int) -> int | None:
    """Return how many contacts are closed in a frame; None where that is not recorded."""
    for segment in recording.segments:
        if number < len(segment.times):
            if CONTACT_POINT not in segment.channels:
                return None
            return int(np.sum(~np.isnan(segment.array(CONTACT_POINT)[number, :, 0])))
        number -= len(segment.times)
    return None


def _read(recording: Recording, path: str) -> Array | None:
    try:
        return recording.series(path)
    except ArticulataError:
        return None


def _words(name: str) -> str:
    return name.replace("_", " ")


def _said(value: Value, unit: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        # Rounding errors beside the large parts of a vector are nothing to a reader.
        least = max((1e-12 * abs(p) for p in value if not isinstance(p, str)), default=0.0)
        parts = [
            part if isinstance(part, str) else _number(part if abs(part) > least else 0.0)
            for part in value
        ]
        text = ", ".join(parts)
        if parts and not isinstance(value[0], str):
            text = f"({text})"
    else:
        text = _number(value)
    return f"{text} {unit}".rstrip()


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-14 else value:.6g}".replace("-", "\u2212")
