"""Dry friction of hinges: what holds is a row of rate 0, what slides a force against its rate.

Which of the two is a mode of each friction, remembered with the plan of elimination. A row that
holds has the friction as its multiplier; beyond the static friction it gives way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from articulata.domains.dynamic.couplings import frictions, single_rows
from articulata.domains.dynamic.mechanism import FREE, Mechanism
from articulata.domains.dynamic.methods import (
    DOP853,
    RK4,
    AnyMethod,
    Method,
    MuJoCo,
    Stepping,
    Symplectic,
)
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.multibody import motion
from articulata.kernels.multibody.rows import Laws, evaluate_rows
from articulata.kernels.multibody.system import (
    BODY_A,
    BODY_B,
    FORCE,
    OK,
    RHS,
    ROW_SIZE,
    System,
    Workspace,
)
from articulata.kernels.multibody.tree.loops import lone_mobility
from articulata.kinematics.assembly.hinge_rows import Rows
from articulata.records.events import Event
from articulata.world.model import Coupling, Friction, World

if TYPE_CHECKING:
    from articulata.domains.dynamic.engine import Engine

HOLDS, UNKNOWN = 0, 2
"""Modes of a friction beside -1 and 1, the way in which it slides; what is unknown does not act."""


PINNED = 1e-10
"""Share of the mobility of its two bodies below which the hinges hold a coordinate."""


@dataclass(frozen=True, slots=True)
class Rub:
    """Dry friction of a coordinate, or a motor up to its limit: its numbers, and its hinge's."""

    coupling: Coupling
    law: Friction
    hinge: int
    coordinate: int
    turns: bool

    @property
    def name(self) -> str:
        """The hinge that it is at."""
        return self.coupling.hinges[0]

    @property
    def drives(self) -> bool:
        """Whether it is a motor."""
        return self.coupling.limit is not None


def rubs_of(parts: Mechanism) -> tuple[Rub, ...]:
    """Return the dry frictions between bodies of which one moves by forces."""
    of, found = parts.coordinates, []
    for each in frictions(parts.world):
        label = each.terms[0][0]
        if each.friction is None or not each.friction.dries or label not in of.labels:
            continue
        c = of.labels.index(label)
        if FREE in (parts.kind[of.body_a[c]], parts.kind[of.body_b[c]]):
            turns = bool(of.turning[c])
            found.append(Rub(each, each.friction, int(of.hinge[c]), c, turns))
    return tuple(found)


def check_rubbing(rubs: tuple[Rub, ...], method: Method) -> None:
    """Raise ModelError where a method does not know of dry friction, or not of its loads."""
    if rubs and not isinstance(method, DOP853 | RK4 | Stepping):
        what, other = f"hinge '{rubs[0].name}' sticks", "viscous friction alone"
        if rubs[0].drives:
            what, other = f"'{rubs[0].coupling.id}' gives all that it may", "a motor of a torque"
        raise ModelError(
            f"{rubs[0].coupling.span}: {type(method).__name__} does not know when {what}; take "
            f"DOP853, RK4 or Stepping, or {other}"
        )
    loaded = next((rub for rub in rubs if rub.law.by_load), None)
    if loaded is not None and not isinstance(method, DOP853 | RK4):
        raise ModelError(
            f"{loaded.coupling.span}: {type(method).__name__} does not know what hinge "
            f"'{loaded.name}' bears; take DOP853 or RK4, or dry friction without a coefficient"
        )


def check_integrals(world: World, method: AnyMethod) -> None:
    """Raise ModelError where a method does not know what forces integrate."""
    acting = next((each for each in world.forces.values() if each.integral), None)
    if acting is not None and isinstance(method, MuJoCo | Symplectic):
        raise ModelError(
            f"{acting.span}: {type(method).__name__} does not know the integral of "
            f"'{acting.id}'; take DOP853, RK4, Stepping or RealTime, or a servo without one"
        )


def loaded(rubs: tuple[Rub, ...], others: int, rows: int) -> IntArray:
    """Return which frictions follow what their hinge bears, as ``System.load`` (k, 3).

    Their signals come after ``others`` and the modes'; ``rows`` end with those of all frictions.
    """
    first, signals = rows - len(rubs), others + len(rubs)
    some = [(first + k, rub.hinge) for k, rub in enumerate(rubs) if rub.law.by_load]
    return np.array([(signals + k, *each) for k, each in enumerate(some)], np.int64).reshape(-1, 3)


def limits(rubs: tuple[Rub, ...], made: System, work: Workspace) -> Array:
    """Return what frictions hold (k,) by the reactions of the last solve, N m or N."""
    found = np.array([rub.law.static for rub in rubs])
    for number, k in enumerate(k for k, rub in enumerate(rubs) if rub.law.by_load):
        found[k] += rubs[k].law.by_load * motion.hinge_load(made, work, number)
    return found


def rub_rows(parts: Mechanism, rubs: tuple[Rub, ...]) -> Rows:
    """Return the rows that hold the coordinates of ``rubs``, each owned by its hinge."""
    listed = [(rub.hinge, rub.coupling, 0) for rub in rubs]
    rates = np.array([rub.coupling.rate or 0.0 for rub in rubs])
    return replace(single_rows(parts.world, listed, parts.index, parts.center), size=rates)


def rates_of(engine: Engine, state: Array) -> Array:
    """Return the rates (k,) of an engine's frictions less those of motors, rad/s or m/s."""
    first = len(engine.arrays.row) - len(engine.rubs)
    table, rows = engine.arrays.row[first:], np.zeros((len(engine.rubs), 16))
    scratch = np.zeros((len(state), 9))
    made = engine.arrays
    laws = Laws(made.code, made.constants, np.zeros(0))
    evaluate_rows(table, made.row_data[first:], laws, state, scratch, rows)
    return along_rows(table, rows, state[:, 7:]) - engine.arrays.row_data[first:, ROW_SIZE]


def along_rows(table: IntArray, rows: Array, moved: Array) -> Array:
    """Return J x (k,) of single rows, x (n, 6) velocities or accelerations of the bodies."""
    ends = np.concatenate([moved, np.zeros((1, 6))])[table[:, BODY_A : BODY_B + 1]]
    return np.asarray(np.einsum("kj,kj->k", rows[:, :12], ends.reshape(len(rows), 12)))


def mobilities(engine: Engine, state: Array) -> tuple[Array, Array]:
    """Return how a unit impulse along each coordinate changes its rate (k,), and without hinges.

    1/kg or 1/(kg m^2).
    """
    made, work, count = engine.arrays, engine.work, len(engine.rubs)
    first, gives, alone = len(made.row) - count, np.zeros(count), np.ones(count)
    if motion.factorise(made, work, state) != OK:
        return gives, alone
    for k in range(count):
        row = work.row[first + k].copy()
        work.body[:, FORCE : FORCE + 6] = 0.0
        ends = made.row[first + k, BODY_A : BODY_B + 1].tolist()
        for body, along in zip(ends, row[:12].reshape(2, 6), strict=True):
            if body >= 0:
                work.body[body, FORCE : FORCE + 6] += along
        work.row[:, RHS] = 0.0
        motion.solve(made, work)
        gives[k] = along_rows(made.row[first + k :][:1], row[None], work.solution)[0]
        alone[k] = lone_mobility(made.body, made.body_kind, made.row, first + k, work.row)
    return gives, alone


def immobile(engine: Engine, state: Array) -> BoolArray:
    """Return which coordinates (k,) loops hold at ``state``, as a piston is at dead centre.

    Nothing rubs to hold there.
    """
    if not len(engine.arrays.closure_row):
        return np.zeros(len(engine.rubs), bool)
    gives, alone = mobilities(engine, state)
    return gives < PINNED * alone


def acting(
    rubs: tuple[Rub, ...], modes: IntArray, rates: Array, multipliers: Array, limits: Array
) -> dict[str, float]:
    """Return the frictions (N m, N) on the first bodies by their names, viscous ones left out.

    ``rates`` (c,) are those of all coordinates, ``multipliers`` (k,) of what holds;
    ``limits`` (k,) are what they hold.
    """
    found = {}
    for rub, mode, held, most in zip(rubs, modes.tolist(), multipliers, limits, strict=True):
        dry = rub.law.sliding(float(rates[rub.coordinate])) + most - rub.law.static
        slides = 0.0 if mode == UNKNOWN else -mode * dry
        found[rub.coupling.id] = held if mode == HOLDS else slides
    return found


def changes(engine: Engine, before: IntArray, time: float) -> tuple[Event, ...]:
    """Return the events of hinges that have stuck or broken away since ``before``, at ``time``."""
    events, after = [], engine.elimination.rubs.tolist()
    for rub, old, new, held, most in zip(
        engine.rubs,
        before.tolist(),
        after,
        engine.held.tolist(),
        engine.limits.tolist(),
        strict=True,
    ):
        if UNKNOWN in (old, new) or (old == HOLDS) == (new == HOLDS):
            continue
        effort, unit = ("torque", "N m") if rub.turns else ("force", "N")
        if rub.drives:
            kind, values = "saturation", {effort: -new * rub.law.static}
            story = f"Motor {rub.coupling.id} gives all of its {rub.law.static:.6g} {unit}."
            if new == HOLDS:
                kind, values = "regulation", {effort: held}
                story = f"Motor {rub.coupling.id} keeps its speed with {abs(held):.6g} {unit}."
        elif new == HOLDS:
            kind, values = "stick", {effort: abs(held)}
            story = f"Hinge {rub.name} sticks: {abs(held):.6g} {unit} of {most:.6g} hold."
        else:
            kind, values = "slip", {effort: most}
            story = f"Hinge {rub.name} breaks away: {most:.6g} {unit} do not hold it."
        span = rub.coupling.span
        events.append(Event(time, kind, (rub.name,), values=values, story=story, span=span))
    return tuple(events)
