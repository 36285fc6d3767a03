"""What to tell the user where the kernels cannot go on."""

from __future__ import annotations

from functools import partial

import numpy as np

from articulata.domains.dynamic.contradiction import components, inconsistency, row_titles
from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.mechanism import Mechanism, motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.plain_solution import most_accelerated, solved
from articulata.domains.protocols import Inputs
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import system


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
        return SimulationError(
            f"the integrator's step has become too small to go on at t = {time:.9g} s, "
            f"where {hurry()} accelerates most; "
            "the motion is not smooth there: loosen the tolerances or use a fixed step"
        )
    return SimulationError(
        f"the equations of motion cannot be solved at t = {time:.9g} s: the rows of hinge "
        f"'{hinge}' depend on others in this position; equations() prints them"
    )


def _rows(parts: Mechanism, state: Array, row: int) -> str:
    """Return by name the rows of the loop that a row belongs to, or its own."""
    for component in components(parts, motion_of(unpack(state))):
        if row in component.rows:
            group = set(component.undetermined) | {row}
            return ", ".join(row_titles(parts, sorted(group)))
    return ", ".join(row_titles(parts, [row]))
