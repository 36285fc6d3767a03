"""Wishes of a carried camera that grow so slowly that joints keep their limits of jerk."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from articulata.kernels.chains.carried_frames import frame_of
from articulata.kernels.chains.poses import jacobian_one
from articulata.kernels.compile import kernel

_FIRM: Final = 1e-3
"""Share of the greatest entry of the Jacobian below which a direction is damped."""

_END: Final = 1e-9


@kernel
def _prepare(arm: Any, state: Any, room: Any, L: Any) -> None:
    """Write the camera's Jacobian in its own axes, ``room.J``, and L of ``L L' = J J' + f f I``."""
    n = len(state.q)
    frame_of(arm, state.q, room, room.X)
    point = np.empty(3)
    for r in range(3):
        point[r] = room.X[r, 3]
    jacobian_one(arm.kinds, arm.parents, room.links, n - 1, point, room.J)
    J, most = room.J, 0.0
    for j in range(n):
        for part in (0, 3):
            a, b, c = J[part, j], J[part + 1, j], J[part + 2, j]
            for r in range(3):
                J[part + r, j] = state.X[0, r] * a + state.X[1, r] * b + state.X[2, r] * c
                most = max(most, abs(J[part + r, j]))
    for r in range(6):
        for c in range(r + 1):
            total = (_FIRM * most) ** 2 if r == c else 0.0
            for j in range(n):
                total += J[r, j] * J[c, j]
            for k in range(c):
                total -= L[r, k] * L[c, k]
            L[r, c] = math.sqrt(total) if r == c else total / L[c, c]


@kernel(counted=False)
def _share(twist: Any, most: Any, room: Any, L: Any, x: Any) -> float:
    """Return how often the joints' rates for ``twist`` (6,) fit into ``most`` (n,)."""
    for r in range(6):
        total = twist[r]
        for k in range(r):
            total -= L[r, k] * x[k]
        x[r] = total / L[r, r]
    for r in range(5, -1, -1):
        total = x[r]
        for k in range(r + 1, 6):
            total -= L[k, r] * x[k]
        x[r] = total / L[r, r]
    share = math.inf
    for j in range(len(most)):
        rate = 0.0
        for r in range(6):
            rate += room.J[r, j] * x[r]
        share = min(share, most[j] / max(abs(rate), 1e-12))
    return share


@kernel
def eased(
    arm: Any, state: Any, wish: Any, before: Any, most: Any, room: Any, work: Any, out: Any
) -> None:
    """Write into ``out`` (6,) what is to be wanted of this tick, so that ``wish`` (6,) comes soon.

    The change of the twist grows and shrinks evenly, and ends when the twist is the wish.
    ``before`` (6,) is the twist of the tick before, which is replaced by the present one; ``most``
    (n,) by how much the change of each rate may differ from the last tick's; ``work`` (9, 6) room.
    """
    L, x, along, change = work[:6], work[6], work[7], work[8]
    size = moved = 0.0
    for r in range(6):
        along[r] = wish[r] - state.twist[r]
        change[r] = state.twist[r] - before[r]
        before[r] = state.twist[r]
        size += along[r] * along[r]
        moved += change[r] * change[r]
    size = math.sqrt(size)
    if size < _END and moved < _END * _END:
        for r in range(6):
            out[r] = wish[r]
        return
    _prepare(arm, state, room, L)
    reach = 0.0
    if size >= _END:
        for r in range(6):
            along[r] /= size
        slow = _share(along, most, room, L, x)
        reach = min(max(math.sqrt(2.0 * slow * size) - 0.5 * slow, min(size, slow)), size)
    for r in range(6):
        along[r] = reach * along[r] - change[r]
    part = min(_share(along, most, room, L, x), 1.0)
    for r in range(6):
        out[r] = state.twist[r] + change[r] + part * along[r]
