"""Rates of hinges that a text names hold at the start; what it does not name follows.

Velocities that hinges allow and that are nearest to the text's, in the mass metric, need not keep a
rate that was asked for. They are corrected by the least motion, in the same metric, that does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.mechanism import FREE, Mechanism, motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.world.model import World

KEPT = 1e-9
"""How near a rate is to what was asked (of 1, or of its own size) to count as kept."""


def asked_rates(world: World) -> Mapping[str, float]:
    """Return the rates (rad/s, m/s) that a world's text names, by "hinge.coordinate"."""
    return {name: rate for placement in world.placements for name, rate in placement.rates}


def with_asked_rates(engine: Engine, state: Array) -> Array:
    """Return ``state``, whose velocities meet all hinges, with those that keep the asked rates too.

    Where they contradict each other or the hinges, they are kept as nearly as can be.
    """
    parts = engine.parts
    asked = asked_rates(parts.world)
    rows = [k for k, label in enumerate(parts.coordinates.labels) if label in asked]
    if not rows:
        return state
    wanted = np.array([asked[parts.coordinates.labels[k]] for k in rows])
    left = wanted - _rates(parts, state)[rows]
    if np.all(np.abs(left) <= KEPT * np.maximum(1.0, np.abs(wanted))):
        return state
    ways = [_answer(engine, state, k) for k in rows]
    still = _rates(parts, state)[rows]
    effect = np.array([_rates(parts, state + way)[rows] - still for way in ways]).T
    share, *_ = np.linalg.lstsq(effect, left, rcond=1e-9)
    return engine.consistent(state + np.einsum("k,kij->ij", share, np.array(ways)))


def rates_left(parts: Mechanism, state: Array) -> tuple[Event, ...]:
    """Return the event of rates that were asked for and could not be kept, with their values."""
    asked, now = asked_rates(parts.world), _rates(parts, state)
    left = [
        (label, asked[label], float(now[k]))
        for k, label in enumerate(parts.coordinates.labels)
        if label in asked and abs(now[k] - asked[label]) > KEPT * max(1.0, abs(asked[label]))
    ]
    if not left:
        return ()
    told = ", ".join(f"{name}: {wish:.6g} asked, {found:.6g} left" for name, wish, found in left)
    story = f"Rates that the text asks for contradict each other or the hinges; {told} (SI units)."
    who = tuple(name.rpartition(".")[0] for name, _, _ in left)
    return (Event(0.0, "start", who, story=story),)


def _rates(parts: Mechanism, state: Array) -> Array:
    """Return the rates of all coordinates (c,) at a packed state (n, 13)."""
    motion = motion_of(unpack(state))
    return parts.coordinates.rates(motion.positions, motion.R, motion.v, motion.w)


def _answer(engine: Engine, state: Array, coordinate: int) -> Array:
    """Return the change of velocities (n, 13) by an impulse along a coordinate, hinges met."""
    parts, pushed = engine.parts, state.copy()
    still = float(_rates(parts, state)[coordinate])
    motion = motion_of(unpack(state))
    table = parts.coordinates
    for body in (int(table.body_a[coordinate]), int(table.body_b[coordinate])):
        if body >= len(state) or parts.kind[body] != FREE:
            continue
        gradient = np.zeros(6)
        for column in range(6):
            tried = state.copy()
            tried[body, 7 + column] += 1.0
            gradient[column] = float(_rates(parts, tried)[coordinate]) - still
        inertia = motion.R[body] @ parts.inertia[body] @ motion.R[body].T
        pushed[body, 7:10] += gradient[:3] / parts.mass[body]
        pushed[body, 10:13] += np.linalg.solve(inertia, gradient[3:])
    return engine.consistent(pushed) - state
