"""Dry friction of hinges in steps: which of them hold or slide while one is taken."""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.hinge_friction import HOLDS, PINNED, UNKNOWN, mobilities, rates_of
from articulata.domains.dynamic.mechanism import motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.readings import kinetic, spins
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array, BoolArray, IntArray

CHANGES = 2
"""Times that a friction may change within a step before the step is taken as it is."""


def modes_before(engine: Engine, state: Array) -> IntArray:
    """Return the modes (k,) that a step begins with; what slides does so as its rate says."""
    modes, ways = engine.elimination.rubs, np.sign(rates_of(engine, state)).astype(np.int64)
    fresh = np.where((modes == HOLDS) | ((ways == 0) & (modes != UNKNOWN)), modes, ways)
    return np.asarray(fresh)


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
    engine: Engine,
    state: Array,
    time: float,
    h: float,
    control: Control,
    wrenches: Array,
    may: BoolArray,
) -> IntArray:
    """Return the modes (k,) that a step ``h`` (s) to ``state`` should have had.

    What has turned round holds, where it ``may``, if its static friction stops it within the step;
    what would have to hold more than that, among the contacts' ``wrenches``, slides.
    """
    modes = engine.elimination.rubs
    rates = rates_of(engine, state)
    most = np.array([rub.law.static for rub in engine.rubs])
    stops = (np.abs(modes) == 1) & (modes * rates < 0.0) & may
    if stops.any():
        gives, alone = mobilities(engine, state)
        stops &= (np.abs(rates) <= most * h * gives) & (gives > PINNED * alone)
    engine.accelerations(state, control(time), time, wrenches)
    over = (modes == HOLDS) & (np.abs(engine.held) > most)
    ways = np.where(engine.held > 0.0, -1, 1)
    return np.asarray(np.where(stops, HOLDS, np.where(over, ways, modes)))
