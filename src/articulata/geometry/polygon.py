"""Simple polygons in the plane: validity, direction, area moments. Metres.

A polygon is a closed chain of corners ``(n, 2)``; the last corner is joined to the first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, BoolArray, IntArray

SHORTEST, LONGEST = 1e-30, 1e30
"""Measures (m) beyond which moments of inertia leave the range of floating numbers."""

FLAT = 1e-12
"""Area over squared extent under which a polygon is taken for a line. Unitless."""

BLOCK = 1 << 18
"""Pairs of sides compared at a time, to bound the memory used."""


def check_polygon(points: npt.ArrayLike) -> tuple[tuple[float, float], ...]:
    """Return the corners counterclockwise, or say why they bound no region."""
    try:
        P = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise GeometryError(f"a polygon needs corners (x, y), not {points!r}") from None
    if P.ndim != 2 or P.shape[1] != 2:
        raise GeometryError(f"a polygon needs corners (n, 2); the shape given is {P.shape}")
    if not np.all(np.isfinite(P)):
        bad = int(np.argmin(np.all(np.isfinite(P), axis=1)))
        raise GeometryError(f"polygon: corner {bad} holds NaN or infinity")
    if len(P) > 1 and np.array_equal(P[0], P[-1]):
        P = P[:-1]  # a closing corner that repeats the first is a common way to write a polygon
    if len(P) < 3:
        raise GeometryError(f"a polygon needs at least three corners; {len(P)} were given")
    same = np.nonzero(np.all(np.roll(P, -1, axis=0) == P, axis=1))[0]
    if len(same):
        raise GeometryError(f"polygon: corner {int(same[0])} is given twice in a row")
    far = float(np.max(np.abs(P)))
    if far > LONGEST:
        bad = int(np.argmax(np.max(np.abs(P), axis=1)))
        raise GeometryError(
            f"polygon: corner {bad} lies {far:g} m out, which cannot be computed with; "
            f"give corners within {LONGEST:g} m"
        )
    extent = float(np.max(np.ptp(P, axis=0)))
    if extent < SHORTEST:
        raise GeometryError(
            f"polygon: {extent:g} m across cannot be computed with; give at least {SHORTEST:g} m"
        )
    crossing = first_crossing(P)
    if crossing is not None:
        i, j = crossing
        raise GeometryError(
            f"polygon: the sides from corner {i} and from corner {j} cross or touch; "
            "a polygon must not meet itself, so reorder or move its corners"
        )
    area = signed_area(P)
    if abs(area) <= FLAT * extent * extent:
        raise GeometryError("polygon: the corners lie on a line, so they bound no area")
    if area < 0:
        P = P[::-1]
    return tuple((float(x) + 0.0, float(y) + 0.0) for x, y in P)


def signed_area(P: Array) -> float:
    """Return the area, m^2; positive for counterclockwise corners."""
    D = P - P[0]
    E = np.roll(D, -1, axis=0)
    return float(0.5 * np.sum(D[:, 0] * E[:, 1] - D[:, 1] * E[:, 0]))


def first_crossing(P: Array) -> tuple[int, int] | None:
    """Return the first two sides that meet other than at a shared corner, or None."""
    n = len(P)
    rows = max(1, BLOCK // n)
    for start in range(0, n, rows):
        i = np.arange(start, min(start + rows, n))
        meets = _meeting(P, i)
        if np.any(meets):
            first, second = np.argwhere(meets)[0]
            return int(i[first]), int(second)
    return None


def _meeting(P: Array, i: IntArray) -> BoolArray:
    """Return where sides ``i`` meet sides 0 to n - 1 wrongly, ``(len(i), n)``; j > i only."""
    n = len(P)
    Q = np.roll(P, -1, axis=0)
    j = np.arange(n)
    A, B, C, D = P[i, None], Q[i, None], P[None], Q[None]
    meets = (_turn(A, B, C) * _turn(A, B, D) <= 0) & (_turn(C, D, A) * _turn(C, D, B) <= 0)
    low, high = np.minimum(P, Q), np.maximum(P, Q)
    meets &= np.all((high[i, None] >= low) & (high >= low[i, None]), axis=-1)
    # neighbours share a corner: they cross only when one folds back over the other
    ahead, behind = (i[:, None] + 1) % n == j, (i[:, None] - 1) % n == j
    folds_ahead = (_turn(A, B, D) == 0) & (np.sum((A - B) * (D - B), axis=-1) > 0)
    folds_behind = (_turn(B, A, C) == 0) & (np.sum((B - A) * (C - A), axis=-1) > 0)
    meets &= ~(ahead | behind) | (ahead & folds_ahead) | (behind & folds_behind)
    out: BoolArray = meets & (j > i[:, None])
    return out


def _turn(a: Array, b: Array, c: Array) -> Array:
    """Return the sign of the turn a, b, c: 1 left, -1 right, 0 straight."""
    ab, ac = b - a, c - a
    out: Array = np.sign(ab[..., 0] * ac[..., 1] - ab[..., 1] * ac[..., 0])
    return out
