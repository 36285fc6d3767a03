"""A state carried over an edit: bodies that stay keep place and velocity, new hinges act at once.

A new hinge must be closed where the bodies are, or the edit closes its gap. Velocities that it
forbids are removed by one impact without restitution: the smallest change of velocity in the mass
metric, so that joining never adds energy. The effect of an edit is reported as energy, momentum,
impulses of hinges, and the change of ``A x = b``. World axes, SI units.
Reference: Hoffmann & Hopcroft 1986, sections 4.2 and 4.3 (impulses of hinges).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from articulata.domains.dynamic import readings
from articulata.domains.dynamic.channels import booked
from articulata.domains.dynamic.contact.stops import in_limits
from articulata.domains.dynamic.elements import cross
from articulata.domains.dynamic.engine import PLANS, Engine
from articulata.domains.dynamic.equations import hinge_rows_named
from articulata.domains.dynamic.guided import Guide
from articulata.domains.dynamic.interval_memory import memory_of
from articulata.domains.dynamic.mechanism import (
    COORDINATE,
    FIXED,
    FREE,
    ORIENTATION,
    POSITION,
    RATE,
    VELOCITY,
    Mechanism,
    motion_of,
    poses_of,
    start_arrays,
)
from articulata.domains.dynamic.packing import pack, unpack
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.quaternion import q_to_matrix
from articulata.kernels.multibody import motion as kernels
from articulata.kernels.multibody import system
from articulata.kernels.multibody.project import project_velocity
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.assembly.hinge_rows import evaluate
from articulata.records.events import Value
from articulata.records.state import State
from articulata.world.edits.structure_edits import MakeHinge
from articulata.world.edits.transaction import Edit, leaves
from articulata.world.edits.value_edits import Place, Put, SetProperty, puts
from articulata.world.model import Hinge, World
from articulata.world.values import Pose

if TYPE_CHECKING:
    from articulata.domains.dynamic.dynamic_domain import DynamicModel

MET = 1e-9
"""Hinges whose gaps are below this (m, rad) are met; the projection of the next step closes them.
Wider, and a joint would jump by what the eye cannot see but an energy balance can."""

MOVING = (POSITION, ORIENTATION, VELOCITY, RATE)
"""The channels of a state that bodies carry over an edit."""

PASSES = 3
"""Times velocities are projected: each removes what rounding left of the one before."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What joining did: the arrays after it, and each hinge's impulse (N s, N m s) on body A."""

    arrays: Mapping[str, Array]
    impulses: Mapping[str, tuple[float, ...]]


def carried(old: Mechanism, new: Mechanism, state: State, edit: Edit) -> dict[str, Array]:
    """Return the places and velocities in ``new`` right after ``edit`` of the world of ``old``."""
    if old.bodies == new.bodies:
        fresh = {name: state.arrays[name].copy() for name in MOVING}
        now = then = np.arange(len(new.kind))
    else:
        fresh = _entering(old, new)
        there = [(k, old.index[name]) for k, name in enumerate(new.bodies) if name in old.index]
        now, then = np.array(there, np.int64).reshape(-1, 2).T
        for channel in MOVING:
            fresh[channel][now] = state.arrays[channel][then]
    if len(now):
        _recentre(old, new, fresh, now, then)
        held = now[(new.kind[now] == FIXED) & (old.kind[then] != FIXED)]
        fresh[VELOCITY][held] = fresh[RATE][held] = 0.0
    for name, put in puts(new.world, edit).items():
        _put(new, fresh, name, put)
    return fresh


def _entering(old: Mechanism, new: Mechanism) -> dict[str, Array]:
    """Return arrays for the bodies of ``new`` with those filled in that ``old`` has not."""
    n = len(new.kind)
    fresh = {name: np.zeros((n, 4 if name == ORIENTATION else 3)) for name in MOVING}
    come = np.array([k for k, name in enumerate(new.bodies) if name not in old.index], np.int64)
    if len(come):
        for name, values in start_arrays(new, come).items():
            fresh[name][come] = values
    return fresh


def _recentre(
    old: Mechanism, new: Mechanism, arrays: dict[str, Array], now: IntArray, then: IntArray
) -> None:
    """Move the reference points of bodies whose mass centre is another after the edit."""
    shift = new.center[now] - old.center[then]
    moved = np.flatnonzero(np.any(shift != 0.0, axis=1))
    for k in moved.tolist():
        body = int(now[k])
        arm = q_to_matrix(arrays[ORIENTATION][body]) @ shift[k]
        arrays[POSITION][body] += arm
        arrays[VELOCITY][body] += np.cross(arrays[RATE][body], arm)


def _put(new: Mechanism, arrays: dict[str, Array], name: str, put: Put) -> None:
    """Put a body where an edit says, with the velocity it says: those of the body's own frame."""
    number = new.index[name]
    arm = q_to_matrix(arrays[ORIENTATION][number]) @ new.center[number]
    origin = arrays[POSITION][number] - arm
    w = arrays[RATE][number]
    v = arrays[VELOCITY][number] - cross(w, arm)
    if put.pose is not None:
        q = np.array(put.pose.orientation)
        arrays[ORIENTATION][number] = q / np.linalg.norm(q)
        origin = np.array(put.pose.position)
        arm = q_to_matrix(arrays[ORIENTATION][number]) @ new.center[number]
        arrays[POSITION][number] = origin + arm
    if put.rate is not None:
        w = np.array(put.rate)
    if put.velocity is not None:
        v = np.array(put.velocity)
    arrays[RATE][number] = w
    arrays[VELOCITY][number] = v + cross(w, arm)


def disturbs(edit: Edit) -> bool:
    """Tell whether an edit may leave velocities that the hinges forbid."""
    return any(
        isinstance(each, MakeHinge | Place)
        or (isinstance(each, SetProperty) and not each.path.endswith("gravity"))
        for each in leaves(edit)
    )


def moves(edit: Edit) -> bool:
    """Tell whether an edit may leave hinges open: all but one that sets velocities alone."""
    return any(not isinstance(each, Place) or each.pose is not None for each in leaves(edit))


def joined(parts: Mechanism, engine: Engine, arrays: Mapping[str, Array], edit: Edit) -> Joined:
    """Return ``arrays`` with every hinge met in place and velocity after ``edit``.

    SimulationError where a hinge's features are apart and the edit does not close the gap.
    """
    if not len(parts.hinges) or not disturbs(edit):
        return Joined(arrays, MappingProxyType({}))
    if moves(edit):
        arrays = _closed(parts, arrays, edit)
    state = pack(arrays)
    impulses = _struck(parts, engine, state)
    after = unpack(state)
    motion = motion_of(after)
    turned = parts.coordinates.values(motion.positions, motion.R, arrays[COORDINATE])
    return Joined({**arrays, **after, COORDINATE: turned}, MappingProxyType(impulses))


def _closed(parts: Mechanism, arrays: Mapping[str, Array], edit: Edit) -> Mapping[str, Array]:
    """Return ``arrays`` with the gaps closed of hinges that say so; all others must be met."""
    wide = _gaps(parts, arrays)
    if not wide:
        return arrays
    made = {each.hinge.id: each.closing for each in leaves(edit) if isinstance(each, MakeHinge)}
    if not any(made.values()):
        hinge, gap = next(iter(wide.items()))
        raise _unmet(parts.world.hinges[hinge], gap, hinge in made)
    placed = assemble(_standing(parts, arrays))
    after = dict(arrays)
    fresh = start_arrays(replace(parts, world=placed))
    moved: BoolArray = np.any(np.abs(fresh[POSITION] - arrays[POSITION]) > 0.0, axis=1)
    moved |= np.any(np.abs(fresh[ORIENTATION] - arrays[ORIENTATION]) > 0.0, axis=1)
    for channel in (POSITION, ORIENTATION):
        after[channel] = np.where(moved[:, None], fresh[channel], arrays[channel])
    return after


def _gaps(parts: Mechanism, arrays: Mapping[str, Array]) -> dict[str, float]:
    """Return the gap (m, rad) of every hinge that is not met."""
    motion = motion_of(arrays)
    size = np.abs(evaluate(parts.rows, motion.positions, motion.R).gap)
    worst = np.zeros(len(parts.hinges))
    np.maximum.at(worst, parts.rows.owner, size)
    return {parts.hinges[k].id: float(worst[k]) for k in np.flatnonzero(worst > MET).tolist()}


def _standing(parts: Mechanism, arrays: Mapping[str, Array]) -> World:
    """Return the world with its bodies where they are now, those at rest held there."""
    poses = poses_of(parts, arrays)
    bodies = {}
    for number, (name, body) in enumerate(parts.world.bodies.items()):
        x, y, z, qw, qx, qy, qz = poses[number].tolist()
        bodies[name] = replace(body, pose=Pose((x, y, z), (qw, qx, qy, qz)))
    return replace(parts.world, bodies=MappingProxyType(bodies), placements=())


def _unmet(hinge: Hinge, gap: float, fresh: bool) -> SimulationError:
    if not fresh:
        return SimulationError(
            f"{hinge.span}: the edit takes '{hinge.body_a}' and '{hinge.body_b}' {gap:.3g} (m, or "
            f"rad) apart, which hinge '{hinge.id}' joins; break it first, or place both"
        )
    return SimulationError(
        f"{hinge.span}: hinge '{hinge.id}' joins '{hinge.body_a}' and '{hinge.body_b}', whose "
        f"matched features are {gap:.3g} (m, or rad) apart at this instant; place the bodies "
        "first, or let the join close the gap: MakeHinge(hinge, closing=True), in a text "
        "'join ... closing'"
    )


def _struck(parts: Mechanism, engine: Engine, state: Array) -> dict[str, tuple[float, ...]]:
    """Take from ``state`` the velocities that the hinges forbid; return the hinges' impulses."""
    before = state[:, 7:].copy()
    for _ in range(PLANS):
        if kernels.factorise(engine.arrays, engine.work, state) == system.OK:
            break
        engine.plan_again(state)
    made, work = engine.arrays, engine.work
    total = np.zeros(len(parts.rows))
    for _ in range(PASSES):
        then = state[:, 7:].copy()
        project_velocity(made, work, state)
        if np.array_equal(then, state[:, 7:]):
            break
        total += work.multiplier[: len(total)]
    if np.array_equal(before, state[:, 7:]):
        return {}
    motion = motion_of(unpack(state))
    values = evaluate(parts.rows, motion.positions, motion.R)
    each = readings.hinge_forces(parts, motion, values, total * engine.scale)
    size = np.max(np.abs(each), axis=1, initial=0.0)
    felt = np.flatnonzero(size > 1e-9 * np.max(size, initial=0.0))
    return {parts.hinges[k].id: tuple(each[k].tolist()) for k in felt.tolist()}


def turned_on(
    before: Mechanism, after: Mechanism, arrays: Mapping[str, Array], state: State
) -> Array:
    """Return the hinges' coordinates right after an edit: those that were there go on turning."""
    known = dict(zip(before.coordinates.labels, state.arrays[COORDINATE], strict=True))
    labels, motion = after.coordinates.labels, motion_of(arrays)
    then = np.array([known.get(label, 0.0) for label in labels])
    turned = after.coordinates.values(motion.positions, motion.R, then)
    made = np.array([label not in known for label in labels], bool)
    return np.where(made, in_limits(after, turned), turned)


def led(guide: Guide, state: State, engine: Engine) -> State:
    """Return ``state`` with guided links exactly where they are; what is joined follows jumps."""
    if not guide.names:
        return state
    arrays, before = dict(state.arrays), pack(state.arrays)
    if guide.set_places(arrays, state.time):
        arrays.update(unpack(engine.consistent(pack(arrays))))
    memory = memory_of(state)
    if not np.array_equal(before, pack(arrays)):
        memory = memory.by(engine.elimination)
    return replace(state, arrays=arrays, memory=memory)


MOTIONS = ("x", "y", "z", "wx", "wy", "wz")
"""A free body's columns of ``A x = b``: its accelerations, and its rows of Newton and Euler."""


def joined_after(
    moved: DynamicModel, before: State, fresh: DynamicModel, state: State, edit: Edit
) -> tuple[State, dict[str, Value]]:
    """Return ``state``, carried over ``edit``, with all hinges met, and what the edit did.

    SimulationError where a hinge's features are apart and the edit does not close the gap.
    """
    found_before = moved.observer.observe(before)
    met = joined(fresh.parts, fresh.engine, state.arrays, edit)
    after = replace(state, arrays=met.arrays)
    found = fresh.observer.observe(after)
    lost = 0.0
    if met.impulses:
        free = fresh.observer.balance(state)
        lost = free.kinetic - float(found["dynamic.energy"][0])
    now = _booked(after, found_before["dynamic.energy"], found["dynamic.energy"], lost)
    values = {
        **_energies(found_before, found, lost),
        **{f"impulse of {name}": impulse for name, impulse in met.impulses.items()},
        **_missed(edit, moved, before, fresh, state, now),
        **_equations(moved, before, fresh, now),
    }
    return now, values


def _booked(state: State, before: Array, after: Array, lost: float) -> State:
    """Return ``state`` with the energy lost in joining booked as dissipated, the rest as work."""
    total = 3
    gained = float(after[total] - before[total])
    books = booked(state.arrays, gained + lost, np.array([0.0, 0.0, 0.0, lost]))
    return replace(state, arrays={**state.arrays, **books})


def _energies(
    before: Mapping[str, Array], after: Mapping[str, Array], lost: float
) -> dict[str, Value]:
    return {
        "kinetic_before": float(before["dynamic.energy"][0]),
        "kinetic_after": float(after["dynamic.energy"][0]),
        "energy_before": float(before["dynamic.energy"][3]),
        "energy_after": float(after["dynamic.energy"][3]),
        "energy_lost": lost,
        "momentum_before": tuple(before["dynamic.momentum"].tolist()),
        "momentum_after": tuple(after["dynamic.momentum"].tolist()),
    }


def _missed(
    edit: Edit, before: DynamicModel, then: State, after: DynamicModel, asked: State, now: State
) -> dict[str, Value]:
    """Return the velocities that an edit asks for and hinges do not leave, and what they leave."""
    found: dict[str, Value] = {}
    for name, put in puts(after.world, edit).items():
        number, old = after.parts.index[name], before.parts.index.get(name)
        for letter, channel, said in (("v", VELOCITY, put.velocity), ("w", RATE, put.rate)):
            if said is None or after.parts.kind[number] != FREE:
                continue
            wanted, left = asked.arrays[channel][number], now.arrays[channel][number]
            close = 1e-9 * (1.0 + float(np.max(np.abs(wanted))))
            kept = old is not None and np.allclose(
                wanted, then.arrays[channel][old], rtol=0.0, atol=close
            )
            if not kept and not np.allclose(wanted, left, rtol=0.0, atol=close):
                found[f"asked {letter} of {name}"] = tuple(wanted.tolist())
                found[f"left {letter} of {name}"] = tuple(left.tolist())
    return found


def _equations(
    before: DynamicModel, then: State, after: DynamicModel, now: State
) -> dict[str, Value]:
    """Return how ``A x = b`` has changed: its size, its rank, and its rows and columns by name."""
    found: dict[str, Value] = {}
    rows: dict[str, tuple[str, ...]] = {}
    columns: dict[str, tuple[str, ...]] = {}
    for end, one, other in (("removed", before, after), ("added", after, before)):
        known = other.world.hinges
        hinges = [k for k, hinge in enumerate(one.parts.hinges) if hinge.id not in known]
        bodies = [
            body
            for body in one.parts.index.keys() - other.parts.index.keys()
            if one.parts.kind[one.parts.index[body]] != FIXED
        ]
        bodies.sort(key=one.parts.index.__getitem__)
        named = hinge_rows_named(one.parts, hinges)
        motions = tuple(f"{body} {letter}" for body in bodies for letter in MOTIONS)
        rows[end] = (*motions, *named)
        columns[end] = (*motions, *named)
    for end in ("removed", "added"):
        found[f"rows_{end}"] = rows[end]
        found[f"columns_{end}"] = columns[end]
    for end, model, state in (("before", before, then), ("after", after, now)):
        motions_of_all = 6 * int(np.sum(model.parts.kind != FIXED))
        found[f"unknowns_{end}"] = float(motions_of_all + len(model.parts.rows))
        found[f"hinge_rows_{end}"] = float(len(model.parts.rows))
        found[f"rank_{end}"] = float(motions_of_all + model.engine.rank(pack(state.arrays)))
    return found
