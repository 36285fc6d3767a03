"""What a recording tells when it is asked: why events came about, the greatest loads of hinges.

An edit names the events it answers. What bodies do to each other has no single cause; it could
happen as it did since the last edit that concerned them, and the account goes on from there.

Between frames nothing is seen: a shorter step sees sharper peaks. What impacts pass through a hinge
is an impulse, told apart from forces; a rigid impact has no force.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from articulata.errors import NameNotFound, RecordingError
from articulata.geometry.arrays import Array
from articulata.records.events import Event, consequences
from articulata.records.observed import Told
from articulata.records.quantities import HINGE_FORCE


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


def why(recording: Told, event: Event | str) -> str:
    """Return the account of ``event``: the chain that led to it, first things first.

    A name, or a kind of event, stands for the latest one of it (NameNotFound for none).
    """
    if isinstance(event, str):
        event = latest(recording, event)
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


def latest(recording: Told, name: str) -> Event:
    """Return the latest event of a body, hinge or other node, else of a kind of event.

    Raise NameNotFound where there is none.
    """
    events = recording.events[::-1]
    found = [
        *(e for e in events if any(who == name or who.endswith(f".{name}") for who in e.who)),
        *(event for event in events if event.kind == name),
    ]
    if found:
        return found[0]
    known = sorted({each for event in events for each in event.who})
    kinds = sorted({event.kind for event in events})
    raise NameNotFound(
        f"no event is about '{name}'; they are about {', '.join(known) or 'nothing'}"
        + f", and of the kinds {', '.join(kinds)}" * bool(kinds)
    )


def _led(earlier: Event, later: Event, place: dict[int, int]) -> bool:
    named = later.values.get("causes", ())
    return isinstance(named, tuple) and float(place.get(id(earlier), -1)) in named


@dataclass(frozen=True, slots=True)
class Load:
    """A greatest value and the time (s) at which it was reached; zero at NaN where none was."""

    value: float = 0.0
    time: float = math.nan


@dataclass(frozen=True, slots=True)
class Peak:
    """What a hinge bore at most.

    ``force`` in N, ``moment`` in N m about the hinge's point, ``effort`` of the motors and springs
    on it (N m about an angle, N along a travel), ``impulse`` of impacts in N s. ``strength`` is
    what it bears before it breaks, force (N) and moment (N m), None for any.
    """

    hinge: str
    force: Load
    moment: Load
    effort: Load
    impulse: Load
    strength: tuple[float | None, float | None]

    @property
    def used(self) -> float | None:
        """The share of its strength that was used; None where it bears anything."""
        pairs = zip((self.force, self.moment), self.strength, strict=True)
        shares = [load.value / bears for load, bears in pairs if bears is not None]
        return max(shares, default=None)


def peaks(recording: Told) -> tuple[Peak, ...]:
    """Return the peak of every hinge of the first world and of worlds that edits made."""
    if HINGE_FORCE not in recording.channels:
        raise RecordingError(
            "peaks are those of hinge forces, and this run recorded none; simulate with the domain "
            "dynamic"
        )
    hinges = {
        name: hinge
        for world in (recording.world, *recording.worlds.values())
        for name, hinge in world.hinges.items()
    }
    return tuple(
        Peak(
            name,
            _greatest(recording, [f"{name}.force"]),
            _greatest(recording, [f"{name}.moment"]),
            _greatest(recording, _efforts(recording, name)),
            _impulse(recording, name),
            hinge.strength,
        )
        for name, hinge in hinges.items()
    )


def _greatest(recording: Told, paths: Iterable[str]) -> Load:
    """Return the greatest norm of the sum of ``paths``."""
    total: Array | None = None
    for path in paths:
        values = recording.series(path).reshape(len(recording.times), -1)
        total = values if total is None else total + values
    if total is None:
        return Load()
    size = np.linalg.norm(total, axis=1)
    if np.all(np.isnan(size)):
        return Load()
    at = int(np.nanargmax(size))
    return Load(float(size[at]), float(recording.times[at]))


def _efforts(recording: Told, hinge: str) -> list[str]:
    """Return the paths of what drives a hinge's first coordinate: controls and forces about it."""
    found = []
    for drive in recording.world.drives.values():
        if drive.kind == "hinge" and drive.target.startswith(hinge):
            rest = drive.target[len(hinge) :]
            if rest in ("", ".angle", ".travel") and f"control.{drive.id}" in recording.channels:
                found.append(f"control.{drive.id}")
    if "dynamic.coupling" in recording.channels:
        for each in recording.world.couplings.values():
            joint, _, rest = each.terms[0][0].rpartition(".")
            if joint == hinge and len(each.terms) == 1 and each.friction is None:
                found.append(f"{each.id}.{'force' if rest == 'travel' else 'torque'}")
    forces = recording.world.forces.values()
    return [*found, *(f"dynamic.force.{force.id}" for force in forces if force.hinge == hinge)]


def _impulse(recording: Told, hinge: str) -> Load:
    best = Load()
    for event in recording.events:
        passed = event.values.get(f"impulse of {hinge}")
        if isinstance(passed, tuple):
            size = math.hypot(*(float(part) for part in passed[:3]))
            if size > best.value:
                best = Load(size, event.time)
    return best
