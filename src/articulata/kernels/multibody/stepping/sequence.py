"""Impacts of pairs of bodies one after the other, the fastest approach first.

They happen at the start of a step; free motion follows them. Impulses N s, velocities m/s.
"""

from __future__ import annotations

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.project import turn
from articulata.kernels.multibody.stepping.answers import along, push
from articulata.kernels.multibody.stepping.pairs import strikes
from articulata.kernels.multibody.stepping.step_scene import (
    BOUND,
    COUNT,
    FORCE,
    MU,
    STRIKE,
    WHO,
    Contacts,
    E,
    Scene,
)
from articulata.kernels.multibody.stepping.sweeps import one_contact
from articulata.kernels.multibody.system import System

COLLISIONS = 1000
"""Collisions of pairs in one step after which it is taken as it is."""

PASSES = 50
"""Sweeps over the contacts of one pair."""


@kernel(counted=False)
def collide_in_sequence(
    system: System, scene: Scene, contacts: Contacts, h: float, slow: float
) -> None:
    """Let pairs that approach collide until none does; add what it changes to the free motion."""
    data, velocity = contacts.data, contacts.velocity
    start, count = contacts.start, contacts.tally[COUNT]
    bounces = False
    for i in range(count):
        bounces = bounces or (data[i, E] > 0.0 and strikes(contacts, i, slow))
    if not bounces:
        return
    for b in range(velocity.shape[0]):
        for k in range(6):
            velocity[b, k] = start[b, 7 + k]
    for _ in range(COLLISIONS):
        first, fastest = -1, -slow
        for i in range(count):
            u = along(contacts, i, 0, velocity, 0)
            if u < fastest:
                first, fastest = i, u
        if first < 0:
            break
        collide(system, scene, contacts, contacts.table[first, WHO])
    fly_on(scene, contacts, h)


@kernel(counted=False)
def fly_on(scene: Scene, contacts: Contacts, h: float) -> None:
    """Add what collisions at the step's start changed to the free motion after them."""
    velocity, start, flown = contacts.velocity, contacts.start, contacts.flown
    for b in range(velocity.shape[0]):
        for k in range(6):
            velocity[b, k] -= start[b, 7 + k]
            flown[b, 7 + k] += velocity[b, k]
        for k in range(3):
            flown[b, k] += h * velocity[b, k]
        if scene.group[b] >= -1:
            turn(flown, b, h * velocity[b, 3], h * velocity[b, 4], h * velocity[b, 5])
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            contacts.data[i, FORCE + row] = 0.0


@kernel(counted=False)
def collide(system: System, scene: Scene, contacts: Contacts, who: int) -> None:
    """Let one pair of bodies collide by Newton's law."""
    data, velocity, count = contacts.data, contacts.velocity, contacts.tally[COUNT]
    for i in range(count):
        if contacts.table[i, WHO] == who:
            u = along(contacts, i, 0, velocity, 0)
            data[i, BOUND] = -data[i, E] * u if u < 0.0 else 0.0
            for row in range(3):
                data[i, FORCE + row] = 0.0
    for _ in range(PASSES):
        change = largest = 0.0
        for i in range(count):
            if contacts.table[i, WHO] != who:
                continue
            u0 = along(contacts, i, 0, velocity, 0) - data[i, BOUND]
            u1 = u2 = 0.0
            if data[i, MU] > 0.0:
                u1, u2 = along(contacts, i, 1, velocity, 0), along(contacts, i, 2, velocity, 0)
            p = one_contact(data, i, (u0, u1, u2))
            for row in range(3):
                x = p[row] - data[i, FORCE + row]
                if x != 0.0:
                    push(system, scene, contacts, i, row, x, velocity)
                    data[i, FORCE + row] = p[row]
                change, largest = max(change, abs(x)), max(largest, abs(p[row]))
        if change <= 1e-14 * largest:
            break
    for i in range(count):
        if contacts.table[i, WHO] == who:
            for row in range(3):
                data[i, STRIKE + row] += data[i, FORCE + row]
            data[i, BOUND] = 0.0
