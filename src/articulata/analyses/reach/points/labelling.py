"""Labels of points: what the envelope finds, then what neighbours lend to those that it misses."""

from __future__ import annotations

from articulata.analyses.reach.one_person.bare_reach import COARSE, FINE, Density
from articulata.analyses.reach.points.lending import draw, insist, lend, nudge
from articulata.analyses.reach.points.search import Case, Labels, Progress
from articulata.geometry.arrays import Array
from articulata.records.labels import ACCESSIBLE


def labels_of(
    case: Case,
    points: Array,
    progress: Progress | None = None,
    density: Density = FINE,
    depths: Array | None = None,
) -> Labels:
    """Return the labels of points (n, 3) in G.

    ``depths`` (n,) are those of ``depth``, where they are known already.
    """
    found = case.search(points, progress, density, depths)
    lend(case, points, found)
    asked = found.label == ACCESSIBLE
    draw(case, points, found, every=density is FINE)
    lend(case, points, found, asked)
    if density is COARSE:
        nudge(case, points, found)
    return found


def labels_alone(case: Case, points: Array) -> Labels:
    """Return labels of points (n, 3) in G that stand alone, as objects do: all is tried."""
    found = labels_of(case, points)
    insist(case, points, found)
    return found


def search_again(case: Case, points: Array, found: Labels) -> None:
    """Search about every point (n, 3) in G that was not found; their labels are mended."""
    asked = found.label == ACCESSIBLE
    draw(case, points, found, every=True, starts=6)
    lend(case, points, found, asked)
