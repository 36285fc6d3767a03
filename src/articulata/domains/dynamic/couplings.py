"""Motors and gears as rows of the equations of motion, and motors as moments and forces.

A row of a coupling is owned as by a hinge, so that what depends on it or contradicts it is named as
hinges are. It has a rate and no gap: where a mechanism stands, its couplings hold. Its multiplier
is the motor's torque (N m) or force (N), or what a gear does to its first hinge by the ratio.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from articulata.domains.dynamic.cams import cam_of
from articulata.domains.dynamic.joint_damping import moved_joints
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.hinge_rows import Rows, hinge_rows, rows_of
from articulata.kinematics.assembly.scalar_rows import CAM, SLIDE, TURN, ScalarRow
from articulata.world.hinges import CONSTANT_VELOCITY, HingeKind
from articulata.world.model import Coupling, Force, Friction, Hinge, Program, World
from articulata.world.program_stack import value_of
from articulata.world.values import ZERO

if TYPE_CHECKING:
    from articulata.domains.dynamic.mechanism import Mechanism

COUPLING = "dynamic.coupling"
"""Channel of what motors give, and gears to their second hinge: N m or N, and W."""

BACK = ".back"
"""End of a label that stands for the turn of body B from A, about the axis on A."""

MOTOR, GEAR = "motor", "gear"
"""Names of the kinds of hinges that own the rows of couplings."""


def strict(world: World) -> tuple[Coupling, ...]:
    """Return the couplings that hold whatever force it takes: gears, and motors of a speed.

    Those of joints of figures that follow other joints and of shafts that turn alike come last.
    """
    said = (each for each in world.couplings.values() if each.effort is None and not _slips(each))
    return (*said, *_mimics(world), *_turning_alike(world))


def _turning_alike(world: World) -> list[Coupling]:
    """Return what keeps shafts turning alike: ``(w_A - w_B) . (z_A + z_B) = 0``.

    The turn of A from B then lies across the plane that halves their angle (K. H. Hunt,
    *Kinematic Geometry of Mechanisms*, 1978, section 13.6).
    """
    return [
        Coupling(f"{each.id}.shafts", ((f"{each.id}.angle", 1.0), (f"{each.id}{BACK}", -1.0)))
        for each in world.hinges.values()
        if each.kind.name == CONSTANT_VELOCITY.name
    ]


def _slips(each: Coupling) -> bool:
    """Tell whether a coupling holds a rate up to some effort alone."""
    return each.friction is not None or (each.effort is None and each.limit is not None)


def _mimics(world: World) -> tuple[Coupling, ...]:
    """Return the couplings of joints that follow others, as the tables of figures say."""
    found = []
    for node, hinge, row in moved_joints(world):
        if row.follows is None:
            continue
        leaders = [id for id, joints in node.joined.items() if joints == (row.follows.joint,)]
        if leaders and leaders[0] in world.hinges:
            one, other = (
                f"{id}.{world.hinges[id].kind.coordinates[0]}" for id in (leaders[0], hinge)
            )
            terms = ((one, row.follows.factor), (other, -1.0))
            found.append(Coupling(f"{hinge}.mimic", terms, 0.0, None, row.span))
    return tuple(found)


def frictions(world: World) -> tuple[Coupling, ...]:
    """Return the frictions of hinges, and those that the tables of figures say of joints.

    A motor that keeps a speed up to a limit is one against what differs from its speed.
    """
    said = {each.id: each for each in world.couplings.values() if _slips(each)}
    for id, each in said.items():
        if each.limit is not None:
            said[id] = replace(each, friction=Friction(each.limit, each.limit))
    for _, hinge, row in moved_joints(world):
        dry, id = row.motor.get("friction", 0.0), f"{hinge}.friction"
        if dry and id not in said:
            label = f"{hinge}.{world.hinges[hinge].kind.coordinates[0]}"
            said[id] = Coupling(id, ((label, 1.0),), None, None, row.span, Friction(dry, dry))
    return tuple(said.values())


def turning(world: World) -> tuple[Coupling, ...]:
    """Return the motors that hold a speed other than rest, whatever force it takes."""
    return tuple(each for each in strict(world) if len(each.terms) == 1 and each.rate)


def owners(world: World) -> tuple[Hinge, ...]:
    """Return what owns the rows of couplings: hinges without rows of their own.

    Of a gear they are between the bodies that the two hinges move.
    """
    return tuple(_owner(world, each) for each in strict(world))


def _owner(world: World, coupling: Coupling) -> Hinge:
    first, last = (world.hinges[coupling.hinges[k]] for k in (0, -1))
    kind = HingeKind(
        MOTOR if len(coupling.terms) == 1 else GEAR,
        (),
        (),
        (*coupling.terms, ("rate", coupling.rate or 0.0)),
    )
    other = first.body_b if last.body_a == first.body_a else last.body_a
    return Hinge(
        coupling.id,
        kind,
        first.body_a,
        other,
        (),
        first.frame_a,
        first.frame_b,
        span=coupling.span,
    )


def rows_with_couplings(
    world: World, hinges: Sequence[Hinge], index: Mapping[str, int], center: Array
) -> Rows:
    """Return the rows of ``hinges``, the last of which own those of the world's couplings."""
    coupled = strict(world)
    own = len(hinges) - len(coupled)
    rows = hinge_rows(hinges[:own], index, center)
    if not coupled:
        return rows
    first = single_rows(world, [(own + k, c, 0) for k, c in enumerate(coupled)], index, center)
    rates = np.array([c.rate for c in coupled], float)
    row = len(rows)
    further = [(row + k, c, t) for k, c in enumerate(coupled) for t in range(1, len(c.terms))]
    more = single_rows(world, further, index, center) if further else None
    return replace(rows.joined(replace(first, size=rates)), more=more)


def single_rows(
    world: World,
    listed: Sequence[tuple[int, Coupling, int]],
    index: Mapping[str, int],
    center: Array,
) -> Rows:
    """Return rows of single terms: owner, coupling and which of its terms."""
    joins = []
    for _, coupling, place in listed:
        label, factor = coupling.terms[place]
        hinge = world.hinges[coupling.hinges[place]]
        kind = SLIDE if label.endswith(".travel") else TURN
        row = ScalarRow(kind, ZERO, ZERO, (0.0, 0.0, factor), 0.0)
        if coupling.law is not None and not place:
            x = (1.0, 0.0, 0.0)
            row = ScalarRow(CAM, x, x, (0.0, 0.0, 1.0), 0.0, cam_of(coupling.law))
        one, other = (index[hinge.body_a], hinge.frame_a), (index[hinge.body_b], hinge.frame_b)
        joins.append(((row,), *(other + one if label.endswith(BACK) else one + other)))
    return replace(rows_of(joins, center), owner=np.array([n for n, *_ in listed], np.int64))


def motors(world: World) -> tuple[Force, ...]:
    """Return motors that are no rows: moments (N m) about hinges, tensions (N) along them.

    A tension is positive where it pulls together, so that it is the negative of a motor's force.
    """
    found = []
    for each in world.couplings.values():
        if each.effort is None or each.friction:
            continue
        turns = each.terms[0][0].endswith(".angle")
        program = _law_of(each) if turns else (*_law_of(each), ("neg", 0.0))
        kind: Literal["torsion", "between"] = "torsion" if turns else "between"
        found.append(Force(each.id, kind, None, each.hinges[0], program, each.span))
    return tuple(found)


def _law_of(motor: Coupling) -> Program:
    """Return what a motor that is no row gives by its rate, N m or N.

    Of a curve that is the line through its first points, and at each corner what the slope changes
    by times how far the rate is beyond it.
    """
    assert motor.effort is not None
    rate = ("rate" if motor.terms[0][0].endswith(".angle") else "speed", 0.0)
    program: Program = (("push", motor.effort),)
    if motor.rate is not None:
        slope = -motor.effort / motor.rate
        program += (("push", slope), rate, ("mul", 0.0), ("add", 0.0))
    if motor.limit is not None:
        program += (("push", motor.limit), ("min", 0.0), ("push", -motor.limit), ("max", 0.0))
    if motor.curve:
        (begin, effort), before = motor.curve[0], 0.0
        program = (("push", effort),)
        for (at, one), (end, other) in pairwise(motor.curve):
            beyond: Program = (rate, ("push", at), ("sub", 0.0))
            if at != begin:
                beyond += (("push", 0.0), ("max", 0.0))
            slope = (other - one) / (end - at)
            program += (*beyond, ("push", slope - before), ("mul", 0.0), ("add", 0.0))
            before = slope
    return program


def efforts(
    parts: Mechanism,
    multipliers: Array,
    rates: Array,
    dry: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, Array]:
    """Return the channel of what motors and gears give to their last hinge, where there are any.

    N m or N, and the power in W; ``multipliers`` (rows,) are those of the domain's rows, ``rates``
    (c,) of all hinge coordinates, ``dry`` what dry friction gives by its id.
    """
    if not parts.world.couplings:
        return {}
    found, row = [], len(parts.rows) - len(strict(parts.world))
    for each in parts.world.couplings.values():
        label, factor = each.terms[-1]
        rate = float(rates[parts.coordinates.labels.index(label)])
        if _slips(each):
            viscous = 0.0 if each.friction is None else each.friction.viscous
            effort = dry.get(each.id, 0.0) - viscous * rate
        elif each.effort is None:
            effort = factor * float(multipliers[row])
            row += 1
        else:
            effort = value_of(_law_of(each), each.id, speed=rate)
        found.append((effort, effort * rate))
    return {COUPLING: np.array(found, float)}
