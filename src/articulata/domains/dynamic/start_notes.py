"""What is told at a run's start: velocities that hinges forbid, forces without line, contact.

Rates of hinges that a text names hold at the start; what it does not name follows.

Velocities that hinges allow and that are nearest to the text's, in the mass metric, need not keep a
rate that was asked for. They are corrected by the least motion, in the same metric, that does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from articulata.domains.dynamic import readings
from articulata.domains.dynamic.contact.touches import Neighbours
from articulata.domains.dynamic.couplings import strict, turning
from articulata.domains.dynamic.elements import Element, Pull
from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.guided import guided_bodies
from articulata.domains.dynamic.mechanism import (
    FREE,
    RATE,
    VELOCITY,
    Mechanism,
    Motion,
    motion_of,
    start_arrays,
)
from articulata.domains.dynamic.methods import Method
from articulata.domains.dynamic.packing import unpack
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.hinge_rows import evaluate, rates
from articulata.records.events import Event, Value
from articulata.world.model import World


def velocities_changed(parts: Mechanism, after: Mapping[str, Array]) -> tuple[Event, ...]:
    """Return the event of velocities brought to those ``after``, which the hinges allow.

    Nothing where the world's own are allowed; SimulationError where none are.
    """
    arrays = start_arrays(parts)
    motion = motion_of(after)
    values = evaluate(parts.rows, motion.positions, motion.R)
    opening = rates(parts.rows, values, motion.v, motion.w)
    left = float(np.max(np.abs(opening), initial=0.0))
    change = np.maximum(
        np.max(np.abs(after[VELOCITY] - arrays[VELOCITY]), axis=1, initial=0.0),
        np.max(np.abs(after[RATE] - arrays[RATE]), axis=1, initial=0.0),
    )
    speed = max(1.0, float(np.max(np.abs(arrays[VELOCITY]), initial=0.0)))
    guided = guided_bodies(parts.world)
    own = np.array([name not in guided for name in parts.bodies], bool)
    moved = np.flatnonzero((change > 1e-12 * speed) & own)
    if left > 1e-9 * speed:
        remedy = "give the prescribed bodies velocities that fit together"
        if given := [c.id for c in strict(parts.world) if len(c.terms) == 1]:
            remedy = (
                f"the motors {', '.join(given)} hold speeds that contradict each other or the "
                "hinges: leave one of them out, or give it a torque beside its speed"
            )
        raise SimulationError(
            f"world '{parts.world.name}' starts with velocities that its hinges forbid: gaps "
            f"open at {left:.3g} m/s; {remedy}"
        )
    left_out = _without_velocity(parts)
    if not len(moved):
        return left_out
    who = tuple(parts.bodies[k] for k in moved)
    asked = [*asked_rates(parts.world), *(each.id for each in turning(parts.world))]
    named = ", ".join(asked)
    how = (
        f"follow from the rates that the text names ({named}) as the hinges let them, changed "
        if named
        else "were changed to the nearest that the hinges allow, "
    )
    story = (
        f"Initial velocities {how}"
        f"by up to {float(np.max(change[moved])):.3g} (m/s or rad/s): {', '.join(who)}."
    )
    told: dict[str, Value] = {"largest_change": float(np.max(change[moved]))}
    for end, each in (("before", motion_of(arrays)), ("after", motion)):
        told[f"kinetic_{end}"] = float(readings.energies(parts, each, ())[0])
        told[f"momentum_{end}"] = tuple(readings.momentum(parts, each).tolist())
    return (*left_out, Event(0.0, "start", who, values=told, story=story))


def _without_velocity(parts: Mechanism) -> tuple[Event, ...]:
    """Return an event for each figure that follows motions and is given a velocity all the same."""
    bodies, found = parts.world.bodies, []
    for node in parts.world.figures.values():
        told = (bodies[id] for id in node.carriers if node.guided and id in bodies)
        if any(np.any(each.velocity) or np.any(each.rate) for each in told):
            story = (
                f"{node.id} follows motions and has no velocity of its own: the velocity that the "
                f"text gives is left out. Let it follow a motion that goes somewhere, as in "
                f"{node.id} follows walk."
            )
            found.append(Event(0.0, "start", (node.id,), story=story, span=node.span))
    return tuple(found)


def without_line(elements: Iterable[Element], motion: Motion) -> tuple[Event, ...]:
    """Return an event for each force that would act, but whose two features are in one place."""
    found = []
    for element in elements:
        if not isinstance(element, Pull) or element.stretch(motion)[0] > 0.0:
            continue
        tension = element.value(motion, 0.0)
        if not tension:
            continue
        force = element.force
        ends = force.features or ()
        places = tuple(f"{each.body}.{each.feature}" for each in ends)
        story = (
            f"Force '{force.id}' of {tension:.6g} N does nothing as long as {places[0]} and "
            f"{places[1]} are in one place: there is no line between them to act along. Take "
            "features that stand apart."
        )
        who = tuple(each.body for each in ends)
        found.append(Event(0.0, "start", who, places, {"force": tension}, story, force.span))
    return tuple(found)


def passing_through(
    world: World,
    way: Method,
    around: Neighbours | None,
    stepped: Iterable[str] | None,
    touching: bool,
) -> tuple[Event, ...]:
    """Return what is said about contact that will not be seen.

    ``stepped`` are bodies of too many pieces for steps, None where no steps are taken; ``touching``
    tells whether the ``way`` through time follows contact.
    """
    if around is None:
        return ()
    untested = around.untested if stepped is None else stepped
    followed, method = stepped is not None or not around or touching, type(way).__name__
    pairs = len(around.pairs) > 0
    if not followed:
        story = f"Bodies pass through each other: {method} does not follow contact."
        if not pairs:
            story = f"Hinges run through their limits: {method} does not follow them."
        return (Event(0.0, "untested", values={"method": method}, story=story),)
    return tuple(
        Event(
            0.0,
            "untested",
            (name,),
            story=f"{name} passes through others: its shape is open, or needs too many convex "
            "pieces. Close it, or compose it of plain shapes.",
            span=world.bodies[name].span,
        )
        for name in untested
    )


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
