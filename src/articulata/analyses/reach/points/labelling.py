"""Labels of points: what the envelope finds, then what neighbours lend to those that it misses."""

from __future__ import annotations

import math

import numpy as np

from articulata.analyses.reach.points.climbing import climb
from articulata.analyses.reach.points.neighbour_postures import NEAR, draw, lend, nudge
from articulata.analyses.reach.points.search import Case, Labels, Progress
from articulata.geometry.arrays import Array, IntArray
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND

CLOSE = 0.08
"""m. Points between those of a wide grid are no farther apart."""

MOST_BETWEEN = 400_000
"""So many of them are labelled together."""


def labels_of(
    case: Case,
    points: Array,
    progress: Progress | None = None,
    depths: Array | None = None,
) -> Labels:
    """Return the labels of points (n, 3) in G.

    ``depths`` (n,) are those of ``depth``, where they are known already.
    """
    found = case.search(points, progress, depths)
    lend(case, points, found)
    asked = found.label == ACCESSIBLE
    draw(case, points, found, every=False)
    lend(case, points, found, asked)
    nudge(case, points, found)
    return found


def labels_on_grid(
    case: Case,
    points: Array,
    step: float,
    progress: Progress | None = None,
    depths: Array | None = None,
) -> Labels:
    """Return the labels of points (n, 3) in G that are ``step`` m apart.

    Where that is too far for neighbours to lend to each other, points between them do.
    """
    found = labels_of(case, points, progress, depths)
    missed = np.flatnonzero(found.label == NOT_FOUND)
    if step <= NEAR or not len(missed):
        return found
    fold = math.ceil(step / CLOSE)
    side = np.arange(-fold, fold + 1)
    about = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    about = about[about.any(axis=1)]
    few = max(MOST_BETWEEN // len(about), 1)
    for some in np.array_split(missed, range(few, len(missed), few)):
        cells = np.rint((points[some] - points[0]) * (fold / step)).astype(np.int64)
        between = np.unique((cells[:, None] + about).reshape(-1, 3), axis=0)
        both = np.concatenate([points[some], points[0] + between * (step / fold)])
        _adopt(found, some, labels_of(case, both))
    return found


def _adopt(found: Labels, these: IntArray, others: Labels) -> None:
    """Take over for points ``these`` (m,) what the first m of ``others`` reach."""
    mine = np.flatnonzero(others.label[: len(these)] == ACCESSIBLE)
    if not len(mine):
        return
    rows = found.keep(others.postures[others.row[mine]])
    found.reach(these[mine], others.base[mine], others.hand[mine], others.cost[mine], rows)


def labels_alone(case: Case, points: Array) -> Labels:
    """Return labels of points (n, 3) in G that stand alone, as objects do: all is tried."""
    found = labels_of(case, points)
    climb(case, points, found, again=True)
    return found


def search_again(case: Case, points: Array, found: Labels) -> None:
    """Search about every point (n, 3) in G that was not found; their labels are mended."""
    asked = found.label == ACCESSIBLE
    draw(case, points, found, every=True, starts=6)
    lend(case, points, found, asked)
