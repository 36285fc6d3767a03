"""Whether the torques of an arm suffice for a motion, and to hold it on its way to rest."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from articulata.kernels.array_types import Array
from articulata.kernels.chains.dynamics.newton_euler import Inertial, Motion, torques
from articulata.kernels.chains.forward_kinematics import TreeArrays
from articulata.kernels.compile import kernel

PARTS: Final = (0.0, 0.1, 0.3, 0.6, 1.0)
"""Of a way to rest, where it is looked at."""

POSTURES: Final = 1 + len(PARTS)
"""Rows of the arrays that ``torques`` is given."""

LEAST: Final = 0.02
"""Share of the accelerations that is left at least: an arm that cannot move cannot brake either."""

USUAL: Final = 10.0
"""rad/s^2: what stands for an acceleration that has no limit."""

_NOTHING: Final = 1e-30
"""N m: what asks for less suffices wherever it is held."""


class Weighed(NamedTuple):
    """What torques are asked with: joints are ``M`` (joints, n) of coordinates, and ``offset``.

    ``sure`` and ``brakes`` (n,) are half the inverse of what coordinates surely and usually slow
    by, ``efforts`` (n,) what they may, ``held`` the share that may hold a posture. Rows of
    ``motion`` and of the torques ``found`` are written: ``POSTURES``, and n + 1 at least.
    """

    M: Array
    offset: Array
    sure: Array
    brakes: Array
    efforts: Array
    held: float
    motion: Motion
    found: Array
    tree: TreeArrays
    inertial: Inertial
    work: Any


@kernel(counted=False)
def strength(by: Weighed, q: Any, rates: Any, most: Any) -> float:
    """Return the share of the accelerations ``most`` (n,) of all joints that torques suffice for.

    At ``q`` and ``rates`` (n,), whatever the signs of the accelerations: by the sum of what each
    coordinate's asks of each torque.
    """
    M, offset, efforts, found = by.M, by.offset, by.efforts, by.found
    values, speeds, changes = by.motion
    joints, n = M.shape
    for i in range(joints):
        value, speed = offset[i], 0.0
        for j in range(n):
            value += M[i, j] * q[j]
            speed += M[i, j] * rates[j]
        for k in range(n + 1):
            values[k, i], speeds[k, i] = value, speed
            changes[k, i] = 0.0
            if k > 0:
                changes[k, i] = M[i, k - 1] * (USUAL if most[k - 1] == math.inf else most[k - 1])
    torques(by.tree, by.motion, by.inertial, by.work, found, 0, n + 1)
    share = 1.0
    for j in range(n):
        still = asked = 0.0
        for k in range(n + 1):
            torque = 0.0
            for i in range(joints):
                torque += M[i, j] * found[k, i]
            if k == 0:
                still = torque
            else:
                asked += abs(torque - still)
        share = min(share, (efforts[j] - abs(still)) / max(asked, _NOTHING))
    return max(share, LEAST)


@kernel
def strained(by: Weighed, q: Any, rates: Any, before: Any, step: float) -> tuple[int, int]:
    """Return the joint whose torque lacks most, and one that could hardly be held, -1 for none.

    The coordinates (n,) are at ``q``, at ``rates`` that were those of ``before`` a ``step`` ago.
    A coordinate is hardly held where that takes more than the share ``held`` of its effort, and
    more than now.
    """
    M, offset, efforts, found = by.M, by.offset, by.efforts, by.found
    values, speeds, changes = by.motion
    joints, n = M.shape
    until = 0.0  # half the time to rest of the joint that takes longest: the others go with it
    for j in range(n):
        until = max(until, by.sure[j] * abs(rates[j]))
    for i in range(joints):
        value, speed, change, way = offset[i], 0.0, 0.0, 0.0
        for j in range(n):
            value += M[i, j] * q[j]
            speed += M[i, j] * rates[j]
            change += M[i, j] * (rates[j] - before[j]) / step
            way += M[i, j] * until * rates[j]
        values[0, i], speeds[0, i], changes[0, i] = value, speed, change
        for k in range(1, POSTURES):
            values[k, i] = value + PARTS[k - 1] * way
            speeds[k, i] = changes[k, i] = 0.0
    torques(by.tree, by.motion, by.inertial, by.work, found, 0, POSTURES)
    lacking, heavy, most, worst = -1, -1, 1.0, by.held
    for j in range(n):
        now = 0.0
        for k in range(POSTURES):
            torque = 0.0
            for i in range(joints):
                torque += M[i, j] * found[k, i]
            share = abs(torque) / efforts[j]
            if k == 0 and share > most:
                lacking, most = j, share
            elif k == 1:
                now = share
            elif k > 1 and share > worst and share > now:
                heavy, worst = j, share
    return lacking, heavy
