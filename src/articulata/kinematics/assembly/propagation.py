"""A first placement of a mechanism: each body is hung on its neighbour, outwards from the roots.

Roots are the bodies that are placed or fixed; a group of bodies without any keeps its first body
where it is. A body keeps its own orientation as far as its hinge leaves it free: it is turned by
the smallest rotation that meets the hinge and moved the shortest way. Loops are left open here
and closed in ``assembly``. World axes, metres, radians.
"""

from __future__ import annotations

import functools
import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.hinge_rows import poses_to_arrays
from articulata.world.hinges import Plane, PointOnSurface, X, Y, Z
from articulata.world.model import Hinge

_ALIGNED = 1e-15


@dataclass(frozen=True, slots=True)
class Freedom:
    """What a hinge kind fixes: displacement along hinge axes, and which axes stay aligned.

    ``held`` tells for x, y, z whether A's hinge point may leave B's along it; ``axis`` that the z
    axes agree, ``turn`` that the x axes agree too, ``square`` that z of A stays at right angles
    to x of B, ``lead`` the travel a turn of a screw. None of it known: ``known`` is False.
    """

    known: bool
    held: tuple[bool, bool, bool] = (False, False, False)
    axis: bool = False
    turn: bool = False
    square: bool = False
    lead: float = 0.0


@functools.lru_cache(maxsize=256)
def freedom(rows: tuple[PointOnSurface, ...], parameters: tuple[tuple[str, float], ...]) -> Freedom:
    """Return what ``rows`` fix, as far as they are those of the usual hinges."""
    planes = {
        (row.point, row.surface.normal)
        for row in rows
        if isinstance(row.surface, Plane) and row.surface.point == (0.0, 0.0, 0.0)
    }
    curved = len(rows) - len(planes)
    origin = (0.0, 0.0, 0.0)
    axis = {(Z, X), (Z, Y)} <= planes or {(X, Z), (Y, Z)} <= planes
    lead = dict(parameters).get("lead", 0.0)
    known = curved == (1 if lead else 0) and (
        axis or all(p == origin for p, _ in planes - {(Z, X)})
    )
    return Freedom(
        known,
        ((origin, X) in planes, (origin, Y) in planes, (origin, Z) in planes),
        axis,
        axis and ((X, Y) in planes or (Y, X) in planes),
        not axis and (Z, X) in planes,
        lead,
    )


def minimal_turn(a: Array, b: Array) -> Array:
    """Return the smallest rotation (3, 3) that takes unit vector ``a`` to ``b``."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    c = a0 * b0 + a1 * b1 + a2 * b2
    if c < -1.0 + 1e-12:  # opposite: turn half-way about any axis at right angles
        n = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        n /= np.linalg.norm(n)
        return np.asarray(2.0 * np.outer(n, n) - np.eye(3))
    x, y, z = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    k = 1.0 / (1.0 + c)
    return np.array(
        [
            [c + k * x * x, k * x * y - z, k * x * z + y],
            [k * x * y + z, c + k * y * y, k * y * z - x],
            [k * x * z - y, k * y * z + x, c + k * z * z],
        ]
    )


def about_z(angle: float) -> Array:
    """Return the rotation (3, 3) by ``angle`` (rad) about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def propagate(
    hinges: Sequence[Hinge],
    index: Mapping[str, int],
    roots: Sequence[int],
    order: Sequence[int],
    positions: Array,
    R: Array,
    coordinates: Mapping[int, Mapping[str, float]],
) -> tuple[int, ...]:
    """Place bodies outwards from ``roots``, in ``positions`` and ``R``, which are changed.

    ``coordinates`` gives wanted values by number of hinge. Returns the first body of every group
    that has no root, in the ``order`` given; those bodies were taken as roots.
    """
    p_AH, R_AH = poses_to_arrays([hinge.frame_a for hinge in hinges])
    p_BH, R_BH = poses_to_arrays([hinge.frame_b for hinge in hinges])
    around: list[list[int]] = [[] for _ in range(len(positions))]
    ends: list[tuple[int, int]] = []
    kinds = [freedom(h.kind.rows, h.kind.parameters) for h in hinges]
    for number, hinge in enumerate(hinges):
        a, b = index[hinge.body_a], index[hinge.body_b]
        ends.append((a, b))
        around[a].append(number)
        around[b].append(number)
    seen = [False] * len(positions)
    strays: list[int] = []
    queue: deque[int] = deque(roots)
    for root in roots:
        seen[root] = True
    for start in (-1, *order):
        if start >= 0:
            if seen[start]:
                continue
            strays.append(start)
            seen[start] = True
            queue.append(start)
        while queue:
            body = queue.popleft()
            for number in around[body]:
                a, b = ends[number]
                other = a if body == b else b
                if seen[other]:
                    continue
                seen[other] = True
                queue.append(other)
                _hang(
                    kinds[number],
                    (positions, R),
                    (body, other),
                    body == b,
                    (p_AH[number], R_AH[number], p_BH[number], R_BH[number]),
                    coordinates.get(number, {}),
                )
    return tuple(strays)


def _hang(
    kind: Freedom,
    placed: tuple[Array, Array],
    pair: tuple[int, int],
    moves_a: bool,
    frames: tuple[Array, Array, Array, Array],
    wanted: Mapping[str, float],
) -> None:
    """Place the second body of ``pair`` on the first through one hinge."""
    if not kind.known:
        return
    positions, R = placed
    base, moved = pair
    p_AH, R_AH, p_BH, R_BH = frames
    p_base, R_base, p_moved, R_moved = (
        (p_BH, R_BH, p_AH, R_AH) if moves_a else (p_AH, R_AH, p_BH, R_BH)
    )
    H = R[base] @ R_base
    if kind.axis or kind.square:
        own = R[moved] @ R_moved
        turn = _turn(kind, H, own, moves_a, wanted)
        if turn is not None:
            R[moved] = turn @ R[moved]
    at = positions[base] + R[base] @ p_base
    hinge_point = R[moved] @ p_moved
    if all(kind.held):
        positions[moved] = at - hinge_point
        return
    axes = H if moves_a else R[moved] @ R_moved
    apart = positions[moved] + hinge_point - at
    for k in range(3):
        if kind.held[k]:
            apart = apart - axes[:, k] * (axes[:, k] @ apart)
    travel = wanted.get("travel")
    if kind.lead:
        other = R[moved] @ R_moved
        H_A, H_B = (other, H) if moves_a else (H, other)
        rel = H_B.T @ H_A
        travel = kind.lead * math.atan2(rel[1, 0], rel[0, 0]) / (2.0 * math.pi)
        now = float(axes[:, 2] @ apart) * (1.0 if moves_a else -1.0)
        # The thread has a sheet every lead: the nearest one is taken.
        travel += kind.lead * round((now - travel) / kind.lead)
    if travel is not None:
        sign = 1.0 if moves_a else -1.0
        apart = apart + axes[:, 2] * (sign * travel - axes[:, 2] @ apart)
    positions[moved] = at + apart - hinge_point


def _turn(
    kind: Freedom, H: Array, own: Array, moves_a: bool, wanted: Mapping[str, float]
) -> Array | None:
    """Return the rotation of the moved body in W, or None where none is needed."""
    if kind.square:  # z of A at right angles to x of B
        z_A, x_B = (own[:, 2], H[:, 0]) if moves_a else (H[:, 2], own[:, 0])
        fixed, free = (x_B, z_A) if moves_a else (z_A, x_B)
        flat = free - fixed * (fixed @ free)
        size = float(np.linalg.norm(flat))
        if size < 1e-9:  # parallel: any direction at right angles will do
            flat = np.cross(fixed, np.eye(3)[int(np.argmin(np.abs(fixed)))])
            size = float(np.linalg.norm(flat))
        return minimal_turn(free, flat / size)
    angle = wanted.get("angle")
    if kind.turn or angle is not None:
        turned = (
            about_z((angle or 0.0) * (1.0 if moves_a else -1.0)) if not kind.turn else np.eye(3)
        )
        return np.asarray(H @ turned @ own.T)
    if float(np.linalg.norm(H[:, 2] - own[:, 2])) <= _ALIGNED:
        return None
    return minimal_turn(own[:, 2], H[:, 2])
