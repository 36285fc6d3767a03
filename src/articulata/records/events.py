"""Events: what happened, when, to whom, what was done about it, and the account of one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

from articulata.records.state import in_units
from articulata.world.values import NOWHERE, Span

KINDS = (
    "contact",
    "impact",
    "settled",
    "separation",
    "stick",
    "slip",
    "saturation",
    "regulation",
    "corner",
    "jam",
    "limit",
    "break",
    "time",
    "condition",
    "command",
    "edit",
    "stop",
    "redundancy",
    "inconsistent",
    "mode",
    "start",
    "untested",
    "guided",
    "backend",
    "replay",
    "mark",
    "device",
    "signal",
)
"""Every kind of event there is."""

Value: TypeAlias = float | str | tuple[float, ...] | tuple[str, ...]
"""What an event may say of itself: a number in SI units, a word, or several of them."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at ``time`` (s).

    ``kind`` is one of ``KINDS`` ("impact", "separation", "break", "edit" ...), ``who`` the ids of
    the nodes involved, ``where`` the features that met. ``values`` holds quantities in SI units
    (impulse, energies, coefficients), ``story`` one sentence for a reader. ``span`` is the line of
    the text that asked for it.
    """

    time: float
    kind: str
    who: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    story: str = ""
    span: Span = NOWHERE

    def explain(self) -> str:
        """Return an account of the event for a reader: when, what, to whom, and its numbers."""
        return explain(self)

    __str__ = explain


UNITS = (
    ("energy", "J"),
    ("kinetic", "J"),
    ("work", "J"),
    ("dissipated", "J"),
    ("impulse of ", "N s, N m s"),
    ("impulse", "N s"),
    ("momentum", "N s, N m s"),
    ("speed", "m/s"),
    ("force", "N"),
    ("moment", "N m"),
    ("strength", "N"),
    ("point", "m"),
    ("gap", "m"),
    ("series", "s"),
)
"""Units of an event's values, by what a name begins or ends with."""

OF_COORDINATES = {
    "limit": ("rad", "m"),
    "value": ("rad", "m"),
    "approach_speed": ("rad/s", "m/s"),
    "separation_speed": ("rad/s", "m/s"),
    "impulse": ("N m s", "N s"),
}
"""Units of the values of an event at a limit of a hinge that turns, and of one that slides."""


def unit_of(event: Event, name: str) -> str:
    """Return the unit of a value of an event, "" for a number or a word."""
    if "coordinate" in event.values and name in OF_COORDINATES:
        return OF_COORDINATES[name][event.values["coordinate"] == "travel"]
    if isinstance(event.values.get(name), str):
        return ""
    return next((unit for key, unit in UNITS if name.startswith(key) or name.endswith(key)), "")


def shown_in(names: Sequence[str], event: Event) -> tuple[Event, Mapping[str, str]]:
    """Return an event as people are shown it, and the units of its values by their names.

    Lengths and angles of its values and its story are in the units that ``names`` are of.
    """
    units, values = {}, {}
    for name, value in event.values.items():
        units[name], size = in_units(names, unit_of(event, name))
        if size != 1.0:
            sizes = (each if isinstance(each, str) else each / size for each in _parts(value))
            value = tuple(sizes) if isinstance(value, tuple) else next(sizes)  # type: ignore[assignment] # as it was
        values[name] = value
    return replace(event, values=MappingProxyType(values), story=told_in(names, event.story)), units


def told_in(names: Sequence[str], text: str) -> str:
    """Return ``text`` with its lengths and angles in the units that ``names`` are of.

    >>> told_in(("degree",), "at 3.14159265 rad/s and 2 m")
    'at 180 deg/s and 2 m'
    """
    return _MEASURED.sub(lambda found: _restated(names, found), text)


_MEASURED = re.compile(r"(-?\d[\d.]*(?:e[-+]?\d+)?) ((?:m|rad)(?:/s|/s\^2)?)(?![\w/^*])")


def _restated(names: Sequence[str], found: re.Match[str]) -> str:
    unit, size = in_units(names, found[2])
    return found[0] if size == 1.0 else f"{float(found[1]) / size:.6g} {unit}"


def _parts(value: Value) -> tuple[float | str, ...]:
    return value if isinstance(value, tuple) else (value,)


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
        unit = unit_of(event, name)
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
