"""Dry friction of hinges in steps: which of them hold or slide while one is taken."""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.hinge_friction import HOLDS, UNKNOWN, rates_of
from articulata.domains.dynamic.mechanism import motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.readings import kinetic, spins
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array, BoolArray, IntArray

CHANGES = 2
"""Times that a friction may change within a step before the step is taken as it is."""


def modes_before(engine: Engine, state: Array) -> IntArray:
    """Return the modes (k,) that a step begins with; unknown ones follow from the rates."""
    modes, rates = engine.elimination.rubs, rates_of(engine, state)
    return np.where(modes == UNKNOWN, np.sign(rates), modes).astype(np.int64)


def brought_to_rest(engine: Engine, modes: IntArray, state: Array, books: Array) -> Array:
    """Return ``state`` with what newly holds by ``modes`` at rest; its energy goes to ``books``."""
    if not np.any((modes == HOLDS) & (engine.elimination.rubs != HOLDS)):
        return state
    engine.rub(modes, state)
    rested = engine.consistent(state)
    for each, sign in ((state, 1.0), (rested, -1.0)):
        motion = motion_of(unpack(each))
        books[2] += sign * kinetic(engine.parts, motion, spins(engine.parts, motion))
    return rested


def modes_after(
    engine: Engine, state: Array, time: float, control: Control, wrenches: Array, may: BoolArray
) -> IntArray:
    """Return the modes (k,) that a step to ``state`` should have had, where they ``may`` change.

    What has turned round holds; what would have to hold more than its static friction, among the
    forces of contact ``wrenches`` (n, 6), slides.
    """
    modes = engine.elimination.rubs
    rates = rates_of(engine, state)
    engine.accelerations(state, control(time), time, wrenches)
    most = np.array([rub.law.static for rub in engine.rubs])
    over = (modes == HOLDS) & (np.abs(engine.held) > most) & may
    turned = (np.abs(modes) == 1) & (modes * rates < 0.0) & may
    return np.where(turned, HOLDS, np.where(over, -np.sign(engine.held), modes)).astype(np.int64)
