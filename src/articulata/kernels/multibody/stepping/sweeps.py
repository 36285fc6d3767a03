"""The impulses of a step under Coulomb's law: sweeps over the contacts, one after the other.

Each contact is solved with the others as they are: sticking exactly, sliding by projection onto the
disc of radius mu p_n, whose fixed points are Coulomb's law. Impulses N s, velocities m/s.
Reference: Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235 (nonlinear Gauss-Seidel).
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.stepping.answers import along, push
from articulata.kernels.multibody.stepping.step_scene import (
    BLOCK,
    BOUND,
    COUNT,
    DISTANCE,
    FORCE,
    LEAST,
    MU,
    SHARE,
    Contacts,
    Scene,
)
from articulata.kernels.multibody.system import System

INNER = 8
"""Projections of one sliding contact within a sweep."""

Vector = tuple[float, float, float]


@kernel(counted=False)
def one_contact(data: Array, i: int, u: Vector) -> Vector:
    """Return the impulse at one contact with velocity ``u`` (less its bound), the others kept."""
    p = data[i, FORCE], data[i, FORCE + 1], data[i, FORCE + 2]
    a, f, g = data[i, BLOCK], data[i, BLOCK + 1], data[i, BLOCK + 2]
    d, c, e = data[i, BLOCK + 4], data[i, BLOCK + 5], data[i, BLOCK + 8]
    mu, least = data[i, MU], data[i, LEAST]
    if not a > 0.0:
        return p
    if mu == 0.0:
        return max(least, p[0] - u[0] / a), 0.0, 0.0
    # velocity without this contact
    v0 = u[0] - (a * p[0] + f * p[1] + g * p[2])
    v1 = u[1] - (f * p[0] + d * p[1] + c * p[2])
    v2 = u[2] - (g * p[0] + c * p[1] + e * p[2])
    if v0 >= 0.0 and least == 0.0:
        return 0.0, 0.0, 0.0
    m0, m1, m2 = d * e - c * c, g * c - f * e, f * c - g * d
    det = a * m0 + f * m1 + g * m2
    if det > 1e-14 * a * d * e:
        x = -(m0 * v0 + m1 * v1 + m2 * v2) / det
        y = -(m1 * v0 + (a * e - g * g) * v1 + (f * g - a * c) * v2) / det
        z = -(m2 * v0 + (f * g - a * c) * v1 + (a * d - f * f) * v2) / det
        if x >= least and y * y + z * z <= mu * mu * x * x:
            return x, y, z
    x, y, z = p
    if x <= least:
        x = max(least, -v0 / a)
    step = 1.0 / (0.5 * (d + e) + math.sqrt(0.25 * (d - e) * (d - e) + c * c))
    for _ in range(INNER):
        x0, y0, z0 = x, y, z
        x = max(least, -(v0 + f * y + g * z) / a)
        s, t = v1 + f * x + d * y + c * z, v2 + g * x + c * y + e * z
        y, z = y - step * s, z - step * t
        size = math.sqrt(y * y + z * z)
        if size > mu * x:
            s = mu * x / size
            y, z = s * y, s * z
        if abs(x - x0) + abs(y - y0) + abs(z - z0) <= 1e-15 * (abs(x) + abs(y) + abs(z)):
            break
    return x, y, z


@kernel(counted=False)
def sweep(system: System, scene: Scene, contacts: Contacts, back: bool) -> tuple[float, float]:
    """Improve all impulses once; return the largest change and the largest impulse.

    Impulses are measured by the speed they give at their own contact.
    """
    data, velocity = contacts.data, contacts.velocity
    count, change, largest = contacts.tally[COUNT], 0.0, 0.0
    for n in range(count):
        i = count - 1 - n if back else n
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
            size = data[i, BLOCK + 4 * row]
            change = max(change, abs(x) * size)
            largest = max(largest, abs(p[row]) * size)
    return change, largest


@kernel(counted=False)
def part(
    system: System, scene: Scene, contacts: Contacts, slack: float, h: float, sweeps: int
) -> bool:
    """Fill ``shift`` with the least displacements that take overlaps beyond ``slack`` away.

    Returns False where there is nothing to do. DISTANCE holds the gaps at the end of the step;
    contacts whose bounce takes the overlap away within the next step (h) are left out.
    """
    data, shift = contacts.data, contacts.shift
    count, deepest = contacts.tally[COUNT], 0.0
    for i in range(count):
        data[i, SHARE] = 0.0
        if not bounces_off(contacts, i, h):
            deepest = min(deepest, data[i, DISTANCE])
    for b in range(shift.shape[0]):
        for k in range(6):
            shift[b, k] = 0.0
    if deepest >= -slack:
        return False
    for _ in range(sweeps):
        change = 0.0
        for i in range(count):
            if bounces_off(contacts, i, h) or not data[i, BLOCK] > 0.0:
                continue
            g = data[i, DISTANCE] + along(contacts, i, 0, shift, 0)
            x = max(-data[i, SHARE], -g / data[i, BLOCK])
            if x != 0.0:
                data[i, SHARE] += x
                push(system, scene, contacts, i, 0, x, shift)
                change = max(change, abs(x) * data[i, BLOCK])
        if change <= 0.01 * slack:
            break
    return True


@kernel(counted=False)
def bounces_off(contacts: Contacts, i: int, h: float) -> bool:
    """Return whether a contact bounces, and fast enough to be open after one more step.

    What rolls on a rim strikes anew in every step, and would sink in if it were left to bounce.
    """
    bound = contacts.data[i, BOUND]
    return bound > 0.0 and contacts.data[i, DISTANCE] + h * bound >= 0.0
