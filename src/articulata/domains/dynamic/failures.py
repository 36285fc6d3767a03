"""What to tell the user where the kernels cannot go on."""

from __future__ import annotations

from functools import partial

import numpy as np

from articulata.domains.dynamic.contradiction import (
    MOST,
    RANK,
    components,
    inconsistency,
    row_titles,
)
from articulata.domains.dynamic.couplings import MOTOR
from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.mechanism import FREE, Mechanism, motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.plain_solution import most_accelerated, solved, spread
from articulata.domains.protocols import Inputs
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import system
from articulata.kinematics.assembly.hinge_rows import evaluate

NEAR: float = 0.2
"""Of the smallest singular value without motors: below it a motor's row hardly stands apart."""


def failure(
    parts: Mechanism,
    elements: tuple[Element, ...],
    work: system.Workspace,
    status: int,
    state: Array,
    inputs: Inputs,
    time: float,
) -> SimulationError:
    """Return what to tell the user about a status."""
    if status & system.INCONSISTENT:
        motion = motion_of(unpack(state))
        answer = solved(parts, elements, motion, inputs, time)
        scale = max(1.0, float(np.max(np.abs(answer.acceleration), initial=0.0)))
        return inconsistency(parts, motion, answer.residual, time, scale=scale)
    row = int(work.info[system.INFO_ROW])
    hinge = parts.row_hinge(row).id if 0 <= row < len(parts.rows) else "a hinge"
    hurry = partial(most_accelerated, parts, elements, motion_of(unpack(state)), inputs, time)
    if status & system.NOT_FINITE:
        return SimulationError(
            f"the motion is no longer a finite number at t = {time:.9g} s, where {hurry()} "
            "accelerates most; a force, a control or a step is too large, or two hinge points "
            "of a rod coincide"
        )
    if status & system.STRAYED:
        return SimulationError(
            f"the motion cannot be followed at t = {time:.9g} s: closing the hinges after even "
            f"the shortest step would change its energy, hinge '{hinge}' most; "
            f"rows that may depend on each other: {_rows(parts, state, row)}. The mechanism "
            "has reached the end of its range, or rests "
            "where its motion may go on in several ways"
        )
    if status & system.JAMMED:
        return SimulationError(
            f"hinge '{hinge}' jams at t = {time:.9g} s: its friction, by its coefficient, grows as "
            "fast as the reaction that friction itself causes, so that no force is enough; make "
            "the coefficient or the radius smaller, or give a friction that does not follow it"
        )
    if status & system.NOT_CONVERGED:
        return SimulationError(
            f"hinge '{hinge}' cannot be kept closed at t = {time:.9g} s; the mechanism has "
            "reached the end of its range, or the step is too long"
        )
    if status & system.STEP_TOO_SMALL:
        motor = _motor_at_dead_point(parts, state)
        if motor:
            return SimulationError(
                f"the mechanism reaches a dead point at t = {time:.9g} s: its links cannot follow "
                f"the speed of motor '{motor}' any further; change their lengths (a rod is longer "
                "than its crank), or let the motor give a torque"
            )
        return SimulationError(
            f"the integrator's step has become too small to go on at t = {time:.9g} s, "
            f"where {hurry()} accelerates most; "
            "the motion is not smooth there: loosen the tolerances or use a fixed step"
        )
    return SimulationError(
        f"the equations of motion cannot be solved at t = {time:.9g} s: the rows of hinge "
        f"'{hinge}' depend on others in this position; equations() prints them"
    )


def _motor_at_dead_point(parts: Mechanism, state: Array) -> str:
    """Return the motor whose speed the hinges nearly rule out here; "" for none."""
    motors = np.array([hinge.kind.name == MOTOR for hinge in parts.hinges])[parts.rows.owner]
    if not motors.any() or len(parts.kind) > MOST:
        return ""
    motion, free = motion_of(unpack(state)), np.repeat(parts.kind == FREE, 6)
    J = spread(parts, evaluate(parts.rows, motion.positions, motion.R))[:, free]
    rows, sizes, _ = np.linalg.svd(J, full_matrices=False)
    others = np.linalg.svd(J[~motors], compute_uv=False)
    rank = int(np.sum(others > RANK * max(others, default=0.0)))
    last = rank + int(motors.sum()) - 1  # the motors' rows are independent elsewhere
    if not 0 < rank <= last < len(sizes) or sizes[last] > NEAR * others[rank - 1]:
        return ""
    most = np.flatnonzero(motors)[np.abs(rows[motors, last]).argmax()]
    return parts.row_hinge(int(most)).id


def _rows(parts: Mechanism, state: Array, row: int) -> str:
    """Return by name the rows of the loop that a row belongs to, or its own."""
    for component in components(parts, motion_of(unpack(state))):
        if row in component.rows:
            group = set(component.undetermined) | {row}
            return ", ".join(row_titles(parts, sorted(group)))
    return ", ".join(row_titles(parts, [row]))
