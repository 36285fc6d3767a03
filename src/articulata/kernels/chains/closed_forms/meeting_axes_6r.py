"""Six turning joints of which three neighbours meet in one point, wherever they stand in the chain.

An arm of seven joints is one of six as soon as one of them is given. The loop of arm and pose may
be read from either side; read so that the two axes behind the point are parallel or meet, angles
follow from square roots alone (``meeting_axes_6r_lanes``), else from a quartic
(``meeting_axes_6r_scalar``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms.general_6r_elimination import SLOTS
from articulata.kernels.chains.closed_forms.general_6r_postures import polish_branches
from articulata.kernels.chains.closed_forms.meeting_axes_6r_lanes import ROOM, root_postures
from articulata.kernels.chains.closed_forms.meeting_axes_6r_scalar import pieper_branches
from articulata.kernels.lanes.host import spread
from articulata.kernels.lanes.vectors import workspace

BRANCHES = 8
GRAIN = 512
"""Poses in one piece of a batch."""

MEET = 1e-10
"""Axes meet and are parallel to this, in units of the arm and rad."""

_APART = 1e-7
_SLACK = 1e-12


class PieperArm(NamedTuple):
    """An arm made ready, as its kernels take it.

    ``loop`` (6, 3, 4) links behind the joints a, b, c and the three that meet; ``order`` (7,) their
    numbers in the chain, then that of the given joint; ``heights`` (2,) of S on the first and last
    of the three.
    ``group``: number of the first joint of the three that meet; ``given``: of the joint that is
    given, -1 for an arm of six; how many ``joints``. Lengths are in ``unit`` m.
    """

    loop: Array
    parts: Array
    where: IntArray
    order: IntArray
    heights: Array
    quartic: bool
    side: float
    unit: float
    group: int
    given: int
    joints: int


def prepare_pieper(
    links: Array, unit: float, given: int = -1, *, meet: float = MEET
) -> PieperArm | None:
    """Return the arm of links (n + 1, 3, 4), lengths in ``unit`` m; None where no three axes meet.

    ``given`` is the number of the joint whose value is known, in an arm of seven. Axes that miss
    each other by up to ``meet`` count as meeting; then postures are as inexact.
    """
    arms = [
        arm
        for side in (1.0, -1.0)
        for start in range(6)
        if (arm := _reading(links, unit, given, side, start, meet)) is not None
    ]
    return min(arms, key=lambda arm: arm.quartic, default=None)


def solve_pieper(
    arm: PieperArm,
    targets: Array,
    values: Array | None = None,
    *,
    slack: float = _SLACK,
    threads: int | None = None,
) -> Array:
    """Return postures (m, 8, n) rad, NaN where none, of poses X_BT (m, 4, 4).

    ``values`` (m,) are those of the given joint. Branches of an arm that needs no quartic keep
    their slots along a path. ``slack``: how much a cosine may pass 1 and still be taken for it.
    """
    # arrays that may not be written are of another type, for which kernels are compiled anew
    targets = np.require(targets, np.float64, ["C", "W"])
    m = len(targets)
    given = np.zeros(m) if values is None else np.require(values, np.float64, ["C", "W"])
    q = np.empty((m, BRANCHES, arm.joints))
    flat = q.reshape(m, BRANCHES * arm.joints)

    def work(begin: int, end: int) -> None:
        if arm.quartic:
            pieper_branches(arm, slack, targets, given, q, begin, end)
        else:
            root_postures(arm, slack, targets, given, workspace(ROOM), flat, begin, end)

    spread(work, m, grain=GRAIN, threads=threads)
    return q


def solve_and_polish(
    arm: PieperArm, links: Array, targets: Array, *, threads: int | None = None
) -> tuple[Array, Array, IntArray]:
    """Return the postures (m, 16, 6) of an arm of six joints in order, then NaN, polished.

    With them their least pivots (m, 16) and how many there are (m,), as ``general_6r`` gives them.
    ``links`` (7, 3, 4) are those that the arm was prepared from.
    """
    targets = np.ascontiguousarray(targets, np.float64)
    m = len(targets)
    rough = solve_pieper(arm, targets, threads=threads)
    q, pivot = np.empty((m, SLOTS, 6)), np.empty((m, SLOTS))
    count = np.zeros(m, np.int64)

    def work(begin: int, end: int) -> None:
        polish_branches(links, targets, arm.unit, rough, (q, pivot, count), begin, end)

    spread(work, m, grain=GRAIN, threads=threads)
    return q, pivot, count


def _reading(
    links: Array, unit: float, given: int, side: float, start: int, meet: float
) -> PieperArm | None:
    """Return the arm as read from the joint at place ``start`` of the loop on, None where none."""
    A = np.zeros((len(links), 4, 4))
    A[:, :3], A[:, 3, 3] = links, 1.0
    n = len(links) - 1
    ring: list[tuple[int, list[Array | str]]] = []
    for i in range(n) if side > 0.0 else range(n - 1, -1, -1):
        if side > 0.0:
            ring.append((i, [A[i + 1]] if i < n - 1 else [A[n], "pose", A[0]]))
        else:
            inverse = np.linalg.inv(A[i])
            ring.append((i, [inverse] if i else [inverse, "pose", np.linalg.inv(A[n])]))
    if given >= 0:
        place = [i for i, _ in ring].index(given) + 1
        ring = ring[place:] + ring[:place]
        _, last = ring.pop()
        ring[-1][1].extend(["given", *last])
    ring = ring[start:] + ring[:start]
    order = [i for i, _ in ring]
    loop = np.zeros((6, 3, 4))
    parts = np.tile(np.eye(4)[:3], (4, 1, 1))
    where = np.array([-1, -1, 0])
    for k, (_, behind) in enumerate(ring):
        chunks, names = [np.eye(4)], []
        for part in behind:
            if isinstance(part, str):
                names.append(part)
                chunks.append(np.eye(4))
            else:
                chunks[-1] = chunks[-1] @ part
        if names == ["pose"]:
            where[0], parts[0], parts[1] = k, chunks[0][:3], chunks[1][:3]
        elif names == ["given"]:
            where[1], parts[2], parts[3] = k, chunks[0][:3], chunks[1][:3]
        elif names == ["given", "pose"]:
            where[:], parts[2] = (k, k, 1), chunks[0][:3]
            parts[0], parts[1] = chunks[1][:3], chunks[2][:3]
        elif names == ["pose", "given"]:
            where[:], parts[3] = (k, k, 2), chunks[2][:3]
            parts[0], parts[1] = chunks[0][:3], chunks[1][:3]
        else:
            loop[k] = chunks[0][:3]
        if names and k in (3, 4):
            return None
    heights = common_point(loop[3], loop[4], meet)
    if heights is None:
        return None
    quartic = bool(where[0] == 0 or where[1] == 0)
    if not quartic:
        u, v = loop[0, 2, :3], loop[0, :, :3].T @ loop[0, :, 3]
        if max(np.hypot(*u[:2]), np.hypot(*v[:2])) < _APART:
            return None
        quartic = bool(abs(u[0] * v[1] - u[1] * v[0]) > meet)
    return PieperArm(
        loop,
        np.ascontiguousarray(parts),
        where,
        np.array([*order, given]),
        np.array(heights),
        quartic,
        side,
        unit,
        min(order[3:]),
        given,
        n,
    )


def common_point(before: Array, behind: Array, meet: float = MEET) -> tuple[float, float] | None:
    """Return how high on the first and the last of three axes their common point is, or None."""
    R, p = before[:, :3], before[:, 3]
    if min(np.hypot(*R[:2, 2]), np.hypot(*behind[:2, 2])) < _APART:
        return None
    # on the first axis, seen in its frame: where the second comes nearest
    first, _ = _crossing(R[:, 2], p)
    other, third = _crossing(behind[:, 2], behind[:, 3])
    point = R @ np.array([0.0, 0.0, other]) + p
    if np.hypot(*point[:2]) > meet or abs(point[2] - first) > meet:
        return None
    if np.hypot(*(behind[:, 3] + third * behind[:, 2])[:2]) > meet:
        return None
    return float(first), float(third)


def _crossing(direction: Array, point: Array) -> tuple[float, float]:
    """Return the heights, on the z axis and along a line, where the two come nearest."""
    along = -(direction[:2] @ point[:2]) / (direction[:2] @ direction[:2])
    return float(point[2] + along * direction[2]), float(along)
