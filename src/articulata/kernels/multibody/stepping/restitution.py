"""Poisson's law: the impulse of restitution is e times that of compression, all contacts at once.

Compression ends all approach; e times its normal impulses are given back, and more where anything
would approach after that, friction included each time. All this is at the start of a step; free
motion follows. Impulses N s, velocities m/s.
Reference: Anitescu and Potra, Nonlinear Dynamics 14 (1997) 231 (compression and decompression).
"""

from __future__ import annotations

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.stepping.answers import push
from articulata.kernels.multibody.stepping.pairs import strikes
from articulata.kernels.multibody.stepping.sequence import fly_on
from articulata.kernels.multibody.stepping.solving import solve_impulses
from articulata.kernels.multibody.stepping.step_scene import (
    BOUND,
    COUNT,
    FORCE,
    LEAST,
    SHARE,
    STRIKE,
    Contacts,
    E,
    Scene,
)
from articulata.kernels.multibody.system import System


@kernel(counted=False)
def compress_and_give_back(
    system: System, scene: Scene, contacts: Contacts, settings: Array, h: float, slow: float
) -> None:
    """Let contacts collide where any approaches that bounces; add it to the free motion."""
    data, velocity, start = contacts.data, contacts.velocity, contacts.start
    count, bounces = contacts.tally[COUNT], False
    for i in range(count):
        bounces = bounces or (data[i, E] > 0.0 and strikes(contacts, i, slow))
    if not bounces:
        return
    for b in range(velocity.shape[0]):
        for k in range(6):
            velocity[b, k] = start[b, 7 + k]
    for i in range(count):
        data[i, SHARE], data[i, BOUND] = data[i, BOUND], 0.0
        for row in range(3):
            data[i, FORCE + row] = 0.0
    solve_impulses(system, scene, contacts, settings)
    for i in range(count):
        back = data[i, E] * data[i, FORCE]
        for row in range(3):
            data[i, STRIKE + row] = data[i, FORCE + row]
            data[i, FORCE + row] = 0.0
        data[i, LEAST] = data[i, FORCE] = back
        if back > 0.0:
            push(system, scene, contacts, i, 0, back, velocity)
    solve_impulses(system, scene, contacts, settings)
    for i in range(count):
        for row in range(3):
            data[i, STRIKE + row] += data[i, FORCE + row]
        data[i, LEAST] = 0.0
        data[i, BOUND] = 0.0 if data[i, STRIKE] > 0.0 else data[i, SHARE]
    fly_on(scene, contacts, h)
