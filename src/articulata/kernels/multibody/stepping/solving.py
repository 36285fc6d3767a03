"""The impulses of a step: sweeps, their combination, and a dense end where sweeps crawl."""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.stepping.acceleration import combine, keep_before, keep_round
from articulata.kernels.multibody.stepping.answers import along
from articulata.kernels.multibody.stepping.dense import MOST
from articulata.kernels.multibody.stepping.islands import finish_islands
from articulata.kernels.multibody.stepping.step_scene import (
    COUNT,
    FLOWN,
    FORCE,
    HISTORY,
    ITERATIONS,
    NEW,
    SWEEPS,
    TOLERANCE,
    UNSOLVED,
    Contacts,
    Scene,
)
from articulata.kernels.multibody.stepping.sweeps import sweep
from articulata.kernels.multibody.system import System

PLAIN = 3
"""Rounds of sweeps before the last are combined, and before few contacts are solved densely."""

FEW = 24
"""Contacts of an island that are solved densely after that, and wherever one of them is new."""

LONG = 12
"""Rounds of sweeps before as many contacts as ``MOST`` are solved densely."""


@kernel(counted=False)
def solve_impulses(system: System, scene: Scene, contacts: Contacts, settings: Array) -> None:
    """Improve the impulses, and the velocities with them, until they change no more."""
    solved, kept, newest, least = False, 0, 0, math.inf
    tolerance, fresh = settings[TOLERANCE], contacts.tally[NEW] > 0
    for number in range(int(settings[ITERATIONS])):
        if number in (PLAIN, LONG):
            finish_islands(
                system, scene, contacts, FEW if number == PLAIN else MOST, False, tolerance
            )
            kept, least = 0, math.inf
        if number >= PLAIN:
            keep_before(contacts)
        change, largest = sweep(system, scene, contacts, False)
        if change > tolerance * largest:
            other, largest = sweep(system, scene, contacts, True)
            change = max(change, other)
            contacts.tally[SWEEPS] += 1
        contacts.tally[SWEEPS] += 1
        if change <= tolerance * largest:
            solved = True
            break
        if number < PLAIN:
            continue
        newest = (newest + 1) % HISTORY
        size = keep_round(contacts, newest)
        if size > 10.0 * least:  # led astray: from here by sweeps again
            kept, least = 0, size
        else:
            kept, least = min(kept + 1, HISTORY), min(least, size)
        combine(contacts, kept, newest)
    if solved and fresh:
        # loads that equilibrium leaves open would be as the sweeps happened to share them
        finish_islands(system, scene, contacts, FEW, True, tolerance)
    if not solved:
        contacts.tally[UNSOLVED] += 1
        if brought(contacts) > 0.0:
            sweep_only(system, scene, contacts, settings)


@kernel(counted=False)
def brought(contacts: Contacts) -> float:
    """Return by how much the impulses raise the kinetic energy, J."""
    data, total = contacts.data, 0.0
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            p = data[i, FORCE + row]
            if p != 0.0:
                after = along(contacts, i, row, contacts.velocity, 0)
                total += 0.5 * p * (after + data[i, FLOWN + row])
    return total


@kernel(counted=False)
def move_freely(contacts: Contacts) -> None:
    """Give the bodies the velocities they would have without any contact."""
    velocity, flown = contacts.velocity, contacts.flown
    for i in range(velocity.shape[0]):
        for k in range(6):
            velocity[i, k] = flown[i, 7 + k]


@kernel(counted=False)
def sweep_only(system: System, scene: Scene, contacts: Contacts, settings: Array) -> None:
    """Improve the impulses from none at all by sweeps alone: each of them takes energy.

    What combined rounds end at that have not come to agree may be far from any law of contact.
    """
    data = contacts.data
    move_freely(contacts)
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            data[i, FORCE + row] = 0.0
    for number in range(int(settings[ITERATIONS])):
        change, largest = sweep(system, scene, contacts, number % 2 == 1)
        contacts.tally[SWEEPS] += 1
        if change <= settings[TOLERANCE] * largest:
            break
