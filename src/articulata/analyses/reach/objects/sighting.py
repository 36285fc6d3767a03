"""Whether a person sees a thing: lines of sight from where she may be, standing or seated.

She turns towards it as far as her device can turn there; her head does the rest. Her own body does
not block the view.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import shapely

from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.surroundings.moved_overlaps import depth
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.sight import Sight
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND
from articulata.records.uses import Sighting
from articulata.world.paths import resolve

SPACING = 0.10
"""m between the places that are looked from."""

ASIDE = np.pi / 2
"""rad. Head and eyes turn no farther from where the trunk looks (a proposal)."""

WITHIN = 1e-3
"""m. A place so deep in its own body stands for the whole of it."""

EYES = "eyes"
"""The landmark between a figure's eyes."""


def seen(case: Case, path: str, within: float = np.inf) -> Sighting:
    """Return whether, and from where, a person sees the feature ``path`` from ``within`` m.

    Raise KinematicsError for a figure without eyes.
    """
    body, room = case.body, case.room
    figure = body.figure
    if EYES not in figure.landmarks:
        raise KinematicsError(
            f"figure '{figure.name}' has no eyes to see '{path}': give it a landmark called "
            f"'{EYES}', or take the figure 'person'"
        )
    p = room.point(path)
    eye = figure.landmark(body.resting, EYES)[:3, 3]
    base = _places(case, p)
    c, s = np.cos(base[:, 2]), np.sin(base[:, 2])
    eyes = np.column_stack(
        [
            base[:, 0] + c * eye[0] - s * eye[1],
            base[:, 1] + s * eye[0] + c * eye[1],
            np.full(len(base), eye[2] + room.level),
        ]
    )
    said = Sighting(path, case.name, NOT_FOUND, len(base), 0, room.out(p), within)
    away = np.linalg.norm(p - eyes, axis=1)
    near = np.flatnonzero(away <= within)
    if not len(near):
        return said
    sight = _sight(case, path, p)
    hidden = sight.hidden_by(eyes[near], p)
    free = near[hidden < 0]
    if not len(free):
        number, _ = Counter(hidden.tolist()).most_common(1)[0]
        return replace(said, obstacle=sight.room[number].name)
    best = int(free[np.argmin(away[free])])
    q = body.resting.copy()
    q[:3] = base[best]
    return replace(said, label=ACCESSIBLE, seen=len(free), eye=room.out(eyes[best]), q=q)


def _sight(case: Case, path: str, p: Array) -> Sight:
    """Return the room to look through; a thing named by a place within it hides not itself."""
    room = case.room
    body = resolve(room.world, path).id
    own = replace(room, solids=tuple(each for each in room.solids if each.body == body))
    within = depth(own, p[None])[0] > WITHIN
    return Sight(each for each in room.obstacles if not (within and each.name == body))


def _places(case: Case, p: Array) -> Array:
    """Return bases (m, 3) from which head and eyes turn to a point, the trunk as near as may be."""
    places = case.places
    if places.all_free.is_empty:
        return np.empty((0, 3))
    x0, y0, x1, y1 = places.all_free.bounds
    x, y = (np.arange(low + 0.5 * SPACING, high, SPACING) for low, high in ((x0, x1), (y0, y1)))
    flat = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    toward = np.arctan2(p[1] - flat[:, 1], p[0] - flat[:, 0])
    best, turn = np.full(len(flat), np.inf), toward.copy()
    for number, area in enumerate(places.free):
        free = shapely.contains_xy(area, flat[:, 0], flat[:, 1])
        # who is round turns anywhere
        to = toward if len(places.free) == 1 else np.full(len(flat), places.turns[number])
        off = np.abs(np.angle(np.exp(1j * (to - toward))))
        better = free & (off < best)
        best[better], turn[better] = off[better], to[better]
    kept = best <= ASIDE
    return np.column_stack([flat[kept], turn[kept]])
