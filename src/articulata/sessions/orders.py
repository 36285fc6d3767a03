"""Orders to a running simulation, as they are typed: what a line means.

``pause``, ``continue``, ``step N`` and ``speed X`` change how fast it goes and leave no trace.
``start``, ``set``, ``break``, ``remove``, ``ignore``, ``heed`` and ``stop`` change the run and are
recorded. ``at T`` before an order keeps it until T seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from articulata.errors import ArticulataError, NameNotFound
from articulata.world.edits.forces import Heed, Ignore
from articulata.world.edits.structure import BreakHinge, RemoveBody
from articulata.world.edits.transaction import Edit
from articulata.world.edits.values import SetProperty
from articulata.world.paths import hint

FORMS: Final = {
    "pause": "pause",
    "continue": "continue",
    "step": "step [N]",
    "speed": "speed X (or: speed max)",
    "start": "start SEQUENCE [for CONTROLLER] (or: start FIGURE.MOTION)",
    "set": "set BODY.PROPERTY = VALUE",
    "break": "break HINGE",
    "remove": "remove BODY",
    "ignore": "ignore BODY with BODY",
    "heed": "heed BODY with BODY",
    "stop": "stop",
}
"""How each order is written."""

PACING: Final = frozenset({"pause", "continue", "step", "speed"})
"""Orders that change how a run is shown and nothing of what happens in it."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order: ``verb``, the words after it as typed, and when (s) it is due.

    ``edits`` change the world; ``number`` belongs to step and speed; ``sequence`` and
    ``controller`` to start, the latter empty where none is named.
    """

    text: str
    verb: str
    due: float = 0.0
    edits: tuple[Edit, ...] = ()
    number: float = 1.0
    sequence: str = ""
    controller: str = ""

    @property
    def begins_motion(self) -> bool:
        """Whether it starts a motion of a figure, "anna.wave", and no sequence of controls."""
        return self.verb == "start" and "." in self.sequence


def order_of(text: str) -> Order:
    """Return the order that ``text`` gives; ArticulataError says how it is written."""
    words = text.split()
    due = 0.0
    if words[:1] == ["at"]:
        due = _number(words[1] if len(words) > 1 else "", "at T ORDER")
        words = words[2:]
    if not words:
        raise ArticulataError(f"no order is given; there are {', '.join(FORMS)}")
    verb, rest = words[0], words[1:]
    told = " ".join(words)
    if verb not in FORMS:
        raise NameNotFound(f"there is no order '{verb}'{hint(verb, list(FORMS))}")
    form = FORMS[verb]
    if verb in ("pause", "continue", "stop"):
        _fits(not rest, told, form)
        return Order(told, verb, due)
    if verb == "step":
        count = _number(rest[0], form) if rest else 1.0
        _fits(len(rest) <= 1 and count >= 1 and count == int(count), told, form)
        return Order(told, verb, due, number=count)
    if verb == "speed":
        _fits(len(rest) == 1, told, form)
        speed = math.inf if rest == ["max"] else _number(rest[0], form)
        _fits(speed > 0, told, form)
        return Order(told, verb, due, number=speed)
    if verb == "start":
        named = len(rest) == 3 and rest[1] == "for"
        _fits(len(rest) == 1 or named, told, form)
        return Order(told, verb, due, sequence=rest[0], controller=rest[2] if named else "")
    return Order(told, verb, due, (_edit(verb, rest, told),))


def _edit(verb: str, rest: list[str], told: str) -> Edit:
    form = FORMS[verb]
    if verb in ("ignore", "heed"):
        _fits(len(rest) == 3 and rest[1] == "with", told, form)
        return (Ignore if verb == "ignore" else Heed)(rest[0], rest[2])
    if verb == "set":
        path, equals, value = " ".join(rest).partition("=")
        _fits(bool(equals and path.strip() and value.strip()), told, form)
        return SetProperty(path.strip(), _value(value.strip()))
    _fits(len(rest) == 1, told, form)
    return BreakHinge(rest[0]) if verb == "break" else RemoveBody(rest[0])


def _value(text: str) -> float | str | tuple[float, ...]:
    """Return a number in SI units, several in brackets, or the word as it stands ("red")."""
    if text.startswith("(") and text.endswith(")"):
        parts = text[1:-1].replace(",", " ").split()
        return tuple(_number(part, "numbers in brackets, as in (0, -9.81, 0)") for part in parts)
    try:
        number = float(text)
    except ValueError:
        return text
    _fits(math.isfinite(number), text, "a finite number")
    return number


def _number(text: str, form: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    _fits(math.isfinite(number), text, form)
    return number


def _fits(holds: bool, told: str, form: str) -> None:
    if not holds:
        raise ArticulataError(f"'{told}' cannot be understood; write: {form}")
