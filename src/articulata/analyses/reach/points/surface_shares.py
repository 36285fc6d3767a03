"""How much of a surface a person reaches: shelves, worktops, tables, point by point.

A surface is what of a body faces up, with nothing on it and room for a hand above.

What a person reaches from one place to stand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from articulata.analyses.reach.one_person.bare_reach import FINE, ONE_START, seeds
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.points.aligning import held_from
from articulata.analyses.reach.points.labelling import labels_of, search_again
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.surroundings.moved_overlaps import depth
from articulata.analyses.reach.surroundings.pointing import triangles_of
from articulata.analyses.reach.surroundings.room import Room
from articulata.errors import WorldError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.open_surfaces import is_closed
from articulata.geometry.shapes import Mesh
from articulata.records.reach_shares import ACCESSIBLE, PROVED, SurfaceReach
from articulata.world.paths import hint
from articulata.world.requests.reach import Aligned

STEP = 0.05
"""m from one point of a surface to the next at most."""

FEWEST = 60
"""So many points lie on a surface at least, taken or not."""

CLOSEST = 0.01
"""m. No closer than this, but on what is narrower."""

FINEST = 1e-4
"""m. What is narrower than this is no surface."""

SLOPE = np.cos(np.radians(15.0))
"""The least z of the normal of what faces up."""

ROOM = (0.005, *(0.01 * k for k in range(1, 11)))
"""m. Nothing is so far above what is free: at least 1 cm thick, it is not overlooked."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """What of a body faces up and is free: ``points`` (n, 3) in G, ``area`` m^2."""

    path: str
    points: Array
    area: float


def surface_of(room: Room, path: str) -> Surface:
    """Return the upper surface of a body; raise WorldError where ``path`` has none."""
    body = room.world.bodies.get(path)
    if body is None or body.shape is None:
        known = [name for name, each in room.world.bodies.items() if each.shape is not None]
        raise WorldError(
            f"'{path}' is no body with a surface{hint(path, known)}; name a body with a shape, "
            "not a feature of it"
        )
    corners = room.into(_in_world(body.pose.matrix(), triangles_of(body.shape)))
    corners = corners.reshape(-1, 3, 3)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normal, axis=1)
    up = normal[:, 2]
    if isinstance(body.shape, Mesh) and not is_closed(body.shape):
        up = np.abs(up)  # nobody says which side of it is outside
    upper = (up >= SLOPE * size) & (size > 0.0)
    if not upper.any():
        raise WorldError(
            f"nothing of '{path}' faces up; a surface is what things could be put on, with a slope "
            "of 15 deg at most"
        )
    area = 0.5 * float(size[upper].sum())
    step = max(min(STEP, np.sqrt(area / FEWEST)), CLOSEST)
    points = _points_on(corners[upper], step)
    while not len(points) and step > FINEST:
        step *= 0.5  # an edge of a board lies between the points of a wider grid
        points = _points_on(corners[upper], step)
    free = np.ones(len(points), bool)
    for above in ROOM:
        free[free] = depth(room, points[free] + np.array([0.0, 0.0, above])) <= 0.0
    return Surface(path, points[free], area * float(free.mean()) if len(free) else 0.0)


def surface_reach(case: Case, surface: Surface) -> SurfaceReach:
    """Return how much of a surface a person reaches."""
    label = labels_on(case, surface)
    reached, excluded = (share(label, kind) for kind in (ACCESSIBLE, PROVED))
    return SurfaceReach(surface.path, case.name, surface.area, len(label), reached, excluded)


def labels_on(case: Case, surface: Surface) -> IntArray:
    """Return the labels (n,) of the points of a surface."""
    if not len(surface.points):
        return np.empty(0, np.int64)
    found = labels_of(case, surface.points)
    search_again(case, surface.points, found)
    return found.label


def share(label: IntArray, kind: int) -> float:
    """Return the share of labels that are of a kind; 0 where there are none."""
    return float(np.mean(label == kind)) if len(label) else 0.0


def _in_world(X_WB: Array, triangles: Array) -> Array:
    return triangles.reshape(-1, 3) @ X_WB[:3, :3].T + X_WB[:3, 3]


def _points_on(corners: Array, step: float) -> Array:
    """Return points (n, 3) of triangles (m, 3, 3): those of a grid seen from above."""
    flat = corners[:, :, :2]
    low = flat.min(axis=(0, 1))
    first = np.ceil((flat.min(axis=1) - low) / step - 0.5 - 1e-9).astype(np.int64)
    last = np.floor((flat.max(axis=1) - low) / step - 0.5 + 1e-9).astype(np.int64)
    counts = np.maximum(last - first + 1, 0)
    each = counts[:, 0] * counts[:, 1]
    which = np.repeat(np.arange(len(corners)), each)
    number = np.arange(len(which)) - np.repeat(np.cumsum(each) - each, each)
    column = first[which, 0] + number // np.maximum(counts[which, 1], 1)
    row = first[which, 1] + number % np.maximum(counts[which, 1], 1)
    at = low + (np.stack([column, row], axis=1) + 0.5) * step
    a, b, c = (flat[which, k] for k in range(3))
    twice = _cross(b - a, c - a)
    u, v = _cross(at - a, c - a) / twice, _cross(b - a, at - a) / twice
    inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
    z = corners[which, :, 2]
    height = z[:, 0] + u * (z[:, 1] - z[:, 0]) + v * (z[:, 2] - z[:, 0])
    found = np.column_stack([at, height])[inside]
    # on an edge two triangles have the same point
    keys = np.column_stack([column, row, np.rint(height * 1e3).astype(np.int64)])[inside]
    return np.asarray(found[np.unique(keys, axis=0, return_index=True)[1]])


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def stands_free(case: Case, base: Array) -> bool:
    """Return whether the device may stand at (x, y, turn) of the ground frame."""
    area = case.places.of_turn(float(base[2]))
    return bool(shapely.contains_xy(area, base[0], base[1]))


def reached_from(
    case: Case, base: Array, point: Array, asked: Aligned | None = None
) -> tuple[Array, str] | None:
    """Return the most comfortable posture (dof,) that reaches ``point`` (3,) of G, and its hand.

    The base stays at (x, y, turn); the hand is held as ``asked``. None where none is found.
    """
    c, s = np.cos(base[2]), np.sin(base[2])
    away = point - np.array([base[0], base[1], case.room.level])
    target = np.array([c * away[0] + s * away[1], c * away[1] - s * away[0], away[2]])
    several: list[Array] = []
    hands: list[int] = []
    for number, (hand, chain) in enumerate(case.body.arms.items()):
        starts = np.array(seeds(chain, 2 * FINE.starts))
        goals = np.repeat(target[None], len(starts), axis=0)
        found = chain.inverse(goals, start=starts, tolerance=TOLERANCE, method=ONE_START)
        q = found.q[found.found]
        several.append(case.body.postures(hand, np.repeat(base[None], len(q), axis=0), q))
        hands += [number] * len(q)
    whole, used = np.concatenate(several), np.array(hands, np.int64)
    if asked is not None:
        held = held_from(case, point, asked, whole, used)
        return None if held.q is None else (held.q, held.hand)
    free = case.envelope.free(whole, used)
    free[free] = case.free(whole[free], used[free])
    if not free.any():
        return None
    cost = np.where(free, case.envelope.discomfort.of(case.body.figure, whole), np.inf)
    best = int(np.argmin(cost))
    return whole[best], case.envelope.hands[used[best]]
