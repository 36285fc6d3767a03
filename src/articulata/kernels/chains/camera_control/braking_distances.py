"""How near to something an arm that brakes from now on can have come, by what was looked up before.

A distance that was looked up holds elsewhere less what any body can have moved since; so most ticks
of a flight ask no shape.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.camera_control.rate_limits import way_to_rest
from articulata.kernels.chains.forward_kinematics import TreeArrays, poses_one
from articulata.kernels.compile import kernel

PLACES = 3
"""Postures of a way to rest that are looked at: where it begins, half way, and where it ends."""


class Ways(NamedTuple):
    """What was looked up, and what moves: k is ``PLACES``, n how many coordinates move.

    ``slows`` and ``jerks`` (n,) are what each coordinate slows by. ``distances`` (k,), m,
    were looked up at ``places`` (k, n), where bodies stood at ``stood`` (k, joints, 3, 4).
    ``reach`` (n,) is how far a rad or m of a coordinate moves a body; the first ``common`` ones
    move all bodies together. ``tree`` and ``M`` (joints, n), ``offset`` (joints,) place the joints;
    ``balls`` (p, 4) hold what moves, in the frames of ``bodies`` (p,); ``own`` says that it may
    strike itself.
    Written: ``postures`` (k, n), ``left`` (k,), ``between`` (k, k), ``stand`` like ``stood``.
    """

    slows: Array
    jerks: Array
    places: Array
    distances: Array
    stood: Array
    reach: Array
    common: int
    own: bool
    tree: TreeArrays
    M: Array
    offset: Array
    values: Array
    balls: Array
    bodies: IntArray
    postures: Array
    left: Array
    between: Array
    stand: Array


@kernel(counted=False)
def _by_joints(ways: Ways, a: Any, b: Any, first: int) -> float:
    """Return how far a body can have moved between two postures, by its coordinates alone."""
    moved = 0.0
    for j in range(first, len(a)):
        moved += abs(a[j] - b[j]) * ways.reach[j]
    return moved


@kernel(counted=False)
def _by_bodies(ways: Ways, X: Any, Y: Any, a: Any, b: Any) -> float:
    """Return the like by where the bodies stand, and how they are turned, in both postures."""
    most = second = 0.0
    for i in range(len(ways.bodies)):
        k = ways.bodies[i]
        square = turned = 0.0
        for r in range(3):
            gap = X[k, r, 3] - Y[k, r, 3]
            for c in range(3):
                change = X[k, r, c] - Y[k, r, c]
                gap += change * ways.balls[i, c]
                turned += change * change
            square += gap * gap
        moved = math.sqrt(square) + ways.balls[i, 3] * math.sqrt(0.5 * turned)
        if moved > most:
            most, second = moved, most
        elif moved > second:
            second = moved
    if not ways.own:
        return most
    return max(most, min(most + second, _by_joints(ways, a, b, ways.common)))


@kernel(counted=False)
def run_on(rate: float, acceleration: float, slow: float, jerk: float, step: float) -> float:
    """Return how far a joint goes on, a ``step`` and then by ``slow`` and ``jerk`` to rest."""
    if not jerk < math.inf:
        return 0.5 / slow * abs(rate) * rate + rate * step
    later = rate + 0.5 * acceleration * abs(acceleration) / jerk
    side = math.copysign(1.0, later)
    return side * way_to_rest(side * rate, side * acceleration, slow, jerk) + rate * step


@kernel
def clear_ahead(
    q: Array, rates: Array, changes: Array, step: float, margin: float, ways: Ways
) -> bool:
    """Return whether an arm that brakes stays farther than ``margin`` off everything.

    Writes ``ways.postures``, from ``q`` (n,) on in even parts of the way that joints still go, at
    ``rates`` (n,) that have changed by ``changes`` (n,) in the last ``step``; what is ``left`` of
    distances there, and, where that does not suffice, how far bodies move ``between`` them.
    """
    least = math.inf
    for k in range(PLACES):
        part = k / (PLACES - 1)
        for j in range(len(q)):
            ways.postures[k, j] = q[j] + part * run_on(
                rates[j], changes[j] / step, ways.slows[j], ways.jerks[j], step
            )
        ways.left[k] = -math.inf
        for m in range(PLACES):
            far = ways.distances[m] - _by_joints(ways, ways.postures[k], ways.places[m], 0)
            if far > ways.left[k]:  # what is no number is not clear
                ways.left[k] = far
        least = min(least, ways.left[k])
    if least > margin:
        return True
    least = math.inf
    for k in range(PLACES):
        for i in range(len(ways.values)):
            ways.values[i] = ways.offset[i]
            for j in range(len(q)):
                ways.values[i] += ways.M[i, j] * ways.postures[k, j]
        poses_one(ways.tree, ways.values, ways.stand[k])
        for m in range(PLACES):
            near = _by_bodies(ways, ways.stand[k], ways.stood[m], ways.postures[k], ways.places[m])
            if ways.distances[m] - near > ways.left[k]:
                ways.left[k] = ways.distances[m] - near
        least = min(least, ways.left[k])
    for k in range(PLACES):
        for m in range(PLACES):
            ways.between[k, m] = _by_bodies(
                ways, ways.stand[k], ways.stand[m], ways.postures[k], ways.postures[m]
            )
    return least > margin
