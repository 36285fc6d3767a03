"""The event that tells of dependent hinge rows: which, what stays open, what would cure it."""

from __future__ import annotations

from types import MappingProxyType

from articulata.domains.dynamic.contradiction import Component, components, cure, row_titles
from articulata.domains.dynamic.mechanism import Mechanism, Motion
from articulata.records.events import Event

SHOWN = 6
"""Names listed in a story before it says how many more there are."""


def redundancies(parts: Mechanism, motion: Motion, time: float) -> tuple[Event, ...]:
    """Return one event for every connected part of the mechanism that has dependent rows."""
    return tuple(
        _event(parts, motion, component, time)
        for component in components(parts, motion)
        if component.redundant
    )


def _event(parts: Mechanism, motion: Motion, component: Component, time: float) -> Event:
    dependent = row_titles(parts, component.dependent)
    undetermined = row_titles(parts, component.undetermined)
    owners = sorted({int(parts.rows.owner[row]) for row in component.undetermined})
    who = tuple(parts.hinges[owner].id for owner in owners)
    replacements = cure(parts, motion, component)
    advice = tuple(f"replace {_kind(parts, name)} {name} by {kind}" for name, kind in replacements)
    values: dict[str, float | str | tuple[float, ...] | tuple[str, ...]] = {
        "velocities": float(6 * len(component.bodies)),
        "rows": float(len(component.rows)),
        "rank": float(component.rank),
        "redundant": float(component.redundant),
        "freedom": float(component.freedom),
        "dependent": dependent,
        "undetermined": undetermined,
        "cure": advice,
    }
    remedy = f" To cure it, {' and '.join(advice)}." if advice else ""
    story = (
        f"{component.redundant} of {len(component.rows)} hinge rows depend on the others "
        f"(rank {component.rank}, {component.freedom} degrees of freedom): {_some(dependent)}. "
        f"Motion is unique; these reactions are not and are given with the least norm: "
        f"{_some(undetermined)}.{remedy}"
    )
    span = parts.hinges[owners[0]].span
    return Event(time, "redundancy", who, (), MappingProxyType(values), story, span)


def _kind(parts: Mechanism, name: str) -> str:
    return parts.world.hinges[name].kind.name


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
