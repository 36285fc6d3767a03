"""Events of hinges at their limits as values: reached, at rest there, left."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed
from articulata.domains.dynamic.contact.collisions import Impact
from articulata.domains.dynamic.contact.laws import APPROACH
from articulata.domains.dynamic.contact.stops import Stop
from articulata.records.events import Event, Value


def reached(hit: Impact, time: float, law: str, books: Mapping[str, Value]) -> list[Event]:
    """Return the events of the limits that an impact struck: ``limit``, or ``settled``.

    ``books`` are energy and momentum before and after, and the hinges' impulses.
    """
    found = []
    for k, touch in enumerate(hit.touches):
        impulse = float(hit.impulse[k, 0])
        if touch.stop is None or not (impulse > 0.0 and hit.before[k] < -APPROACH):
            continue
        values: dict[str, Value] = {
            "law": law,
            "restitution": float(hit.restitution[k]),
            "impulse": impulse,
            "approach_speed": float(-hit.before[k]),
            "separation_speed": float(hit.after[k]),
            **books,
        }
        lasting = float(hit.remaining[k])
        if lasting > 0.0:
            found.append(settled(touch.stop, time + lasting, {**values, "series": lasting}))
        else:
            found.append(struck(touch.stop, time, values))
    return found


def changed(before: Closed, now: Closed, time: float) -> list[Event]:
    """Return the events by which hinges came to rest at limits, or left them."""
    old = {touch.key for touch in before.touches}
    new = {touch.key for touch in now.touches}
    found = [
        rests(touch.stop, time, force)
        for touch, force in zip(now.touches, now.rows.base[:, 0].tolist(), strict=True)
        if touch.stop is not None and touch.key not in old
    ]
    found += [
        leaves(touch.stop, time)
        for touch in before.touches
        if touch.stop is not None and touch.key not in new
    ]
    return found


def struck(stop: Stop, time: float, values: Mapping[str, Value]) -> Event:
    """Return the event of a hinge that reaches a limit: ``limit``."""
    unit, kick = ("m/s", "N s") if stop.coordinate == "travel" else ("rad/s", "N m s")
    story = (
        f"Hinge {stop.hinge.id} reaches its {stop.side}, {_shown(stop)}, at "
        f"{values['approach_speed']:.6g} {unit}: impulse {values['impulse']:.6g} {kick} with "
        f"e = {values['restitution']:.6g}."
    )
    return _event(time, "limit", stop, values, story)


def settled(stop: Stop, time: float, values: Mapping[str, Value]) -> Event:
    """Return the event of a hinge that bounces off a limit no more."""
    lasting = values.get("series")
    told = (
        "its bounces are shorter than steps."
        if lasting is None
        else f"the bounces to come, infinitely many, last {lasting:.3g} s together and are summed."
    )
    story = f"Hinge {stop.hinge.id} comes to rest at its {stop.side}: {told}"
    return _event(time, "settled", stop, values, story)


def rests(stop: Stop, time: float, force: float | None = None) -> Event:
    """Return the event of a hinge that stays at a limit, with the force (N or N m) there."""
    story = f"Hinge {stop.hinge.id} rests against its {stop.side}, {_shown(stop)}"
    if force is None:
        return _event(time, "contact", stop, {}, f"{story}.")
    name, unit = ("force", "N") if stop.coordinate == "travel" else ("moment", "N m")
    return _event(time, "contact", stop, {name: force}, f"{story}, with {force:.6g} {unit}.")


def leaves(stop: Stop, time: float) -> Event:
    """Return the event of a hinge that leaves a limit."""
    story = f"Hinge {stop.hinge.id} leaves its {stop.side}: it would have to pull."
    return _event(time, "separation", stop, {}, story)


def _shown(stop: Stop) -> str:
    if stop.coordinate == "travel":
        return f"{stop.limit:.9g} m"
    return f"{np.degrees(stop.limit):.9g} deg"


def _event(time: float, kind: str, stop: Stop, values: Mapping[str, Value], story: str) -> Event:
    place: dict[str, Value] = {
        "coordinate": stop.coordinate,
        "limit": stop.limit,
        "value": stop.limit,
    }
    who = (stop.hinge.id,)
    return Event(time, kind, who, stop.features, {**place, **values}, story, stop.hinge.span)
