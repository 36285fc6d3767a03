"""The increment method of Otmani & Pruski (2009, section 5), as published, with its work counted.

Each joint in turn, base to tip, is moved by its increment and keeps the move if the tip comes
nearer to the target; else it tries the other way; else it stays. Variants:

========  ==============================================================================
A         the tip by the product of all matrices, both directions tried from the plus side
B         A, starting in the direction that worked last
C         the tip by eq. (7), three products for each trial instead of one for every joint
D         C with the memory of B
E         D, the increments shrinking when the distance no longer changes (eq. (2))
========  ==============================================================================

Eq. (7), garbled in print, reads ``T(0,n)_new = T(0,i-1) A_i_new A_i_old^-1 T(i-1,n)_old``.
Two of its three products are also what the next joint needs, so that nothing else is multiplied:
a joint costs 3 products when its first trial is kept, 5 for the second, 6 when it is put back.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.iterative_solvers.target_areas import POINT, in_area
from articulata.kernels.chains.rigid_motions import product
from articulata.kernels.compile import kernel

MET, UNCHANGED, EXHAUSTED = 0, 1, 2
"""Why a search stopped: near enough; the distance no longer changed; iterations spent."""


class Limbs(NamedTuple):
    """A chain and what its tip is to come to: ``area`` (see ``target_areas``) about the target.

    The area turns with the joint ``turning``. ``lower`` and ``upper`` (joints,) are the limits.
    """

    fixed: Array
    kinds: IntArray
    tip: Array
    lower: Array
    upper: Array
    area: Array
    turning: int


class Variant(NamedTuple):
    """``incremental``, ``memory``: the variant; a ``divisor`` above 1 makes it E.

    An iteration that changes the distance by less than ``least_change`` then divides ``rate`` by
    the divisor, and the search stops below ``least_rate``; otherwise such an iteration stops it.
    Each iteration moves joint j by at most ``(upper[j] - lower[j]) rate``. It ends at a distance of
    ``enough`` or after ``most`` iterations.
    """

    incremental: bool
    memory: bool
    rate: float
    divisor: float
    least_change: float
    least_rate: float
    enough: float
    most: int


@kernel(counted=False)
def joint_matrix(fixed: Any, kind: int, value: float, out: Any) -> None:
    """Write the (3, 4) pose across one joint of a chain (see ``poses``)."""
    c = math.cos(value) if kind == 0 else 1.0
    s = math.sin(value) if kind == 0 else 0.0
    for r in range(3):
        out[r, 0] = fixed[r, 0] * c + fixed[r, 1] * s
        out[r, 1] = fixed[r, 1] * c - fixed[r, 0] * s
        out[r, 2] = fixed[r, 2]
        out[r, 3] = fixed[r, 3]
        if kind == 1:
            out[r, 3] += fixed[r, 2] * value


@kernel(counted=False)
def _multiply_inverse(a: Any, b: Any, out: Any) -> None:
    """Write the product of the inverse of ``a`` with ``b``."""
    for r in range(3):
        for c in range(4):
            out[r, c] = 0.0
            for k in range(3):
                step = b[k, c] - (a[k, 3] if c == 3 else 0.0)
                out[r, c] += a[k, r] * step


@kernel(counted=False)
def _gap(pose: Any, area: Any, target: Any, turn: float) -> float:
    """Return how far the tip is from the area; ``turn`` is the value of the base's joint."""
    x = pose[0, 3] - target[0]
    y = pose[1, 3] - target[1]
    z = pose[2, 3] - target[2]
    if area[0, 0] != POINT:
        u, v, w, _, _, _, _, _ = in_area(area, math.cos(turn), math.sin(turn), x, y, z)
        x -= u
        y -= v
        z -= w
    return math.sqrt(x * x + y * y + z * z)


@kernel
def _whole(fixed: Any, kinds: Any, tip: Any, q: Any, factor: Any, work: Any, out: Any) -> int:
    """Write the tip's pose as the product of all matrices; return how many products."""
    joint_matrix(fixed[0], kinds[0], q[0], out)
    for j in range(1, kinds.shape[0]):
        joint_matrix(fixed[j], kinds[j], q[j], factor)
        product(out, factor, work)
        out[:, :] = work
    product(out, tip, work)
    out[:, :] = work
    return int(kinds.shape[0])


@kernel
def increments(limbs: Limbs, target: Any, q: Any, variant: Variant) -> Any:
    """Search from ``q`` (changed in place); return (distance, iterations, products, stop).

    ``target`` (3,) is where the tip is to come.
    """
    fixed, kinds, tip, lower, upper, area, turning = limbs
    incremental, memory, rate, divisor, least_change, least_rate, enough, most = variant
    n = kinds.shape[0]
    sign = np.ones(n)
    factor = np.empty((3, 4))
    work = np.empty((3, 4))
    pose = np.empty((3, 4))
    before = np.empty((3, 4))
    through = np.empty((3, 4))
    rest = np.empty((3, 4))
    after = np.empty((3, 4))
    products = _whole(fixed, kinds, tip, q, factor, work, pose)
    distance = _gap(pose, area, target, q[turning])
    iterations = 0
    while True:
        if distance <= enough:
            return distance, iterations, products, MET
        if iterations >= most:
            return distance, iterations, products, EXHAUSTED
        iterations += 1
        start = distance
        before[:, :] = 0.0
        for r in range(3):
            before[r, r] = 1.0
        rest[:, :] = pose
        for j in range(n):
            old = q[j]
            increment = (upper[j] - lower[j]) * rate
            if memory:
                increment *= sign[j]
            if incremental:
                joint_matrix(fixed[j], kinds[j], old, factor)
                _multiply_inverse(factor, rest, after)
                products += 1
            kept = False
            for attempt in range(2):
                value = old + (increment if attempt == 0 else -increment)
                if value < lower[j] or value > upper[j]:
                    continue
                if incremental:
                    joint_matrix(fixed[j], kinds[j], value, factor)
                    product(before, factor, through)
                    product(through, after, pose)
                    products += 2
                else:
                    q[j] = value
                    products += _whole(fixed, kinds, tip, q, factor, work, pose)
                trial = _gap(pose, area, target, value if j == turning else q[turning])
                if trial < distance:
                    distance = trial
                    q[j] = value
                    kept = True
                    if attempt == 1:
                        sign[j] = -sign[j]
                    break
            if not kept:
                q[j] = old
            if incremental:
                if not kept:
                    joint_matrix(fixed[j], kinds[j], old, factor)
                    product(before, factor, through)
                    products += 1
                before[:, :] = through
                rest[:, :] = after
        if incremental:
            # what is left after the last joint is the tip in its frame
            product(before, rest, pose)
            products += 1
        if start - distance <= least_change:
            if divisor <= 1.0:
                return distance, iterations, products, MET if distance <= enough else UNCHANGED
            rate /= divisor
            if rate < least_rate:
                return distance, iterations, products, MET if distance <= enough else UNCHANGED


@kernel
def increments_batch(
    limbs: Limbs, targets: Any, q: Any, variant: Variant, distance: Any, counts: Any
) -> None:
    """Run ``increments`` for targets (m, 3) from postures ``q`` (m, joints), in place.

    ``distance`` (m,); ``counts`` (m, 3): iterations, products, why it stopped.
    """
    for t in range(targets.shape[0]):
        d, iterations, products, stop = increments(limbs, targets[t], q[t], variant)
        distance[t] = d
        counts[t, 0] = iterations
        counts[t, 1] = products
        counts[t, 2] = stop
