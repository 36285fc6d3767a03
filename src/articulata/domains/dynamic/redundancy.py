"""The event that tells of dependent hinge rows: which, what stays open, what would cure it."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from articulata.domains.dynamic.contradiction import Component, components, cure, row_titles
from articulata.domains.dynamic.couplings import GEAR, MOTOR, strict
from articulata.domains.dynamic.mechanism import FREE, Mechanism, Motion
from articulata.domains.dynamic.solving import spread
from articulata.kinematics.assembly.hinge_rows import evaluate
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


MOST = 400
"""Bodies of a mechanism up to which its gears are looked at for jams."""

STILL = 1e-9
"""Rate of a hinge in a motion of unit size that counts as none."""


def jams(parts: Mechanism, motion: Motion) -> tuple[Event, ...]:
    """Return the event of gears that let none of their hinges move, motors left out of account."""
    gears = [each for each in strict(parts.world) if len(each.terms) > 1]
    if not gears or len(parts.kind) > MOST:
        return ()
    free = np.repeat(parts.kind == FREE, 6)
    held = [hinge.kind.name != MOTOR for hinge in parts.hinges]
    values = evaluate(parts.rows, motion.positions, motion.R)
    J = spread(parts, values)[np.array(held)[parts.rows.owner]][:, free]
    _, size, rows = np.linalg.svd(J)
    ways = rows[int(np.sum(size > STILL * np.max(size, initial=1.0))) :]
    pace = np.zeros((len(ways), len(parts.coordinates)))
    for k, way in enumerate(ways):
        twist = np.zeros(len(free) + 6)
        twist[: len(free)][free] = way
        v, w = twist.reshape(-1, 2, 3)[:, 0], twist.reshape(-1, 2, 3)[:, 1]
        pace[k] = parts.coordinates.rates(motion.positions, motion.R, v, w)
    fixed = dict(zip(parts.coordinates.labels, np.abs(pace).max(axis=0, initial=0.0), strict=True))
    stuck = [g for g in gears if all(fixed[label] < STILL for label, _ in g.terms)]
    if not stuck:
        return ()
    who = tuple(each.id for each in stuck)
    story = (
        f"These gears jam, so that none of their hinges can move: {_some(who)}. Leave one out, or "
        "change a ratio or its sign: a ring of an odd number of wheels that mesh cannot turn."
    )
    return (Event(0.0, "jam", who, story=story, span=stuck[-1].span),)


def _event(parts: Mechanism, motion: Motion, component: Component, time: float) -> Event:
    dependent = row_titles(parts, component.dependent)
    undetermined = row_titles(parts, component.undetermined)
    owners = sorted({int(parts.rows.owner[row]) for row in component.undetermined})
    who = tuple(parts.hinges[owner].id for owner in owners)
    coupled = [parts.hinges[number] for number in owners]
    spare = [hinge for kind in (GEAR, MOTOR) for hinge in coupled if hinge.kind.name == kind]
    advice = tuple(f"leave out {h.kind.name} {h.id}" for h in spare[-component.redundant :])
    if not advice:
        replacements = cure(parts, motion, component)
        advice = tuple(f"replace {_kind(parts, n)} {n} by {kind}" for n, kind in replacements)
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
    return next(hinge.kind.name for hinge in parts.hinges if hinge.id == name)


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
