"""Furniture of a scanned room: what hangs together above the floor, as prisms between heights.

A piece is cut into level slices where the heights of its top and of its underside step. It is
filled down to the floor, but where the floor below it was seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Final

import numpy as np
import shapely
from scipy import ndimage
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from articulata.errors import FormatError
from articulata.formats.rooms.levelled_scan import Scan
from articulata.formats.rooms.scan_walls import Wall
from articulata.geometry.arrays import Array, BoolArray, IntArray

VOXEL: Final = 0.05
"""m. What is nearer hangs together."""
MOST_VOXELS: Final = 60_000_000
MOST_PIECES: Final = 1_000
LEAST: Final = 0.05
"""m2, and m in two directions, of a piece; smaller things are left out."""
BELOW: Final = 0.25
"""m above the floor from which there is room below a piece."""
LEVELS: Final = 5
STEP: Final = 0.04
"""Heights at which a top steps, at most, and m between them."""
HANGS: Final = 0.3
"""Share of what begins higher over which room was seen for there to be room below all of it."""
CLOSED: Final = 0.15
"""m, half the width of holes in a piece that are closed."""
PLATE: Final = 0.03
"""m, the least thickness of what has room below it."""
WITHIN: Final = 0.3
"""Share of a piece that stands over the floor: what is seen through windows does not."""
BOX: Final = 0.85
"""A slice that fills this share of its box is one."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A piece: prisms (outline over x and y of W, bottom, top; m), and its box.

    ``X_WB`` is at the middle of the box's lower side, ``size`` are its measures along x, y and z.
    ``thing`` is which thing of the scan it is, 0 where that is not told.
    """

    prisms: list[tuple[Polygon, float, float]]
    X_WB: Array
    size: Array
    thing: int = 0


def pieces_of(
    scan: Scan, walls: list[Wall], top: float, inside: Polygon, things: IntArray
) -> tuple[list[Piece], int]:
    """Return the pieces, the largest first, and how many things were too small.

    ``top`` (m) is the ceiling, ``inside`` where the floor is; ``things`` (n,) are which thing each
    point is of, 0 where that is not told.
    """
    P = scan.points
    keep = P[:, 2] < top - scan.near - 0.02
    for wall in walls:
        s, d = wall.at(P)
        keep &= ~((s > -0.1) & (s < wall.length + 0.1) & (d > -scan.near) & (d < wall.beyond))
    keep = (keep | (things > 0)) & (P[:, 2] > scan.near + 0.01)
    Q, things = P[keep], things[keep]
    within = shapely.contains_xy(inside, Q[:, 0], Q[:, 1])
    groups = _alike(things)
    most = MOST_VOXELS // max(len(groups), 1)
    found, small = [], 0
    for rows in chain.from_iterable(
        (group[part] for part in _alike(_hanging(Q[group], scan.spacing, most))) for group in groups
    ):
        if within[rows].mean() < WITHIN:
            continue
        spans = np.sort(np.ptp(Q[rows], axis=0))
        if len(rows) * scan.spacing**2 < LEAST or spans[1] < 3.0 * LEAST:
            small += 1
            continue
        piece = _piece(Q[rows], scan, walls)
        if piece is None:
            small += 1
        else:
            found.append(replace(piece, thing=int(things[rows[0]])))
        if len(found) > MOST_PIECES:
            raise FormatError(f"more than {MOST_PIECES} things stand in it; give a part of it")
    return sorted(found, key=lambda each: -float(np.prod(each.size))), small


def _alike(keys: IntArray) -> list[IntArray]:
    """Return where keys (n,) are the same, group by group."""
    order = np.argsort(keys, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(keys[order])) + 1) if len(keys) else []


def _hanging(Q: Array, spacing: float, most: int) -> IntArray:
    """Return the number of what each point (n, 3) hangs together with, by ``most`` voxels."""
    size = max(VOXEL, 2.0 * spacing, float(np.prod(np.ptp(Q, axis=0) + 0.1) / most) ** (1 / 3))
    at = ((Q - Q.min(axis=0)) / size).astype(int) + 1
    filled = np.zeros(at.max(axis=0) + 2, bool)
    filled[tuple(at.T)] = True
    return np.asarray(ndimage.label(filled, np.ones((3, 3, 3)))[0][tuple(at.T)], np.int64)


def _piece(Q: Array, scan: Scan, walls: list[Wall]) -> Piece | None:
    turn = _heading(Q, walls)
    R = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    L = np.column_stack([Q[:, :2] @ R.T, Q[:, 2]])
    cell = max(0.02, 2.0 * scan.spacing)
    edge = L[:, :2].min(axis=0) - 2 * CLOSED
    at = ((L[:, :2] - edge) / cell).astype(int)
    shape = tuple(at.max(axis=0) + int(2 * CLOSED / cell) + 1)
    lowest_end = float(np.quantile(Q[:, 2], 0.05))
    below = scan.points[:, 2] < max(scan.near, lowest_end - 0.1)
    seen = _seen(((scan.points[below, :2] @ R.T - edge) / cell), shape)
    high, low = np.full(shape, -np.inf), np.full(shape, np.inf)
    np.maximum.at(high, tuple(at.T), L[:, 2])
    np.minimum.at(low, tuple(at.T), L[:, 2])
    there = np.isfinite(high)
    radius = int(CLOSED / cell)
    whole = ndimage.binary_fill_holes(ndimage.binary_closing(there, iterations=radius))
    roomy = ndimage.binary_opening(seen & whole, iterations=3)
    there |= whole & ~roomy
    near = ndimage.distance_transform_edt(~np.isfinite(high), return_indices=True)[1]
    high, low = high[tuple(near)], low[tuple(near)]
    if lowest_end > BELOW and (roomy & there).sum() > HANGS * there.sum():
        roomy = there  # it hangs, and scans see below it in part
    bottom = np.where(roomy & (low > BELOW), low, 0.0)
    tops, highest = _levels(high, there, at, L[:, 2], 1.0, scan)
    under = there & (bottom > 0.0)
    _, lowest = _levels(np.where(under, bottom, 0.0), under, at, L[:, 2], -1.0, scan)
    lowest = np.where(under, np.minimum(lowest, highest - PLATE), 0.0)
    prisms = []
    heights = _apart(np.array([0.0, *tops, *np.unique(lowest[under])]))
    for z0, z1 in pairwise(heights):
        mask = there & (lowest < 0.5 * (z0 + z1)) & (highest > 0.5 * (z0 + z1))
        inside = mask[tuple(at.T)] & (L[:, 2] > z0 - scan.near) & (L[:, 2] < z1 + scan.near)
        for area in _outlines(mask, edge, cell, L[inside], scan):
            joined = _to_walls(area, R, walls, scan.near + 0.03)
            prisms.append((joined, z0, z1))
    if not prisms:
        return None
    corners = np.vstack([shapely.get_coordinates(each) for each, _, _ in prisms]) @ R.T
    first, last = corners.min(axis=0), corners.max(axis=0)
    X = np.eye(4)
    X[:2, :2] = R.T
    X[:2, 3] = R.T @ (0.5 * (first + last))
    X[2, 3] = min(z0 for _, z0, _ in prisms)
    tall = max(z1 for _, _, z1 in prisms) - X[2, 3]
    return Piece(prisms, X, np.array([*(last - first), tall]))


def _heading(Q: Array, walls: list[Wall]) -> float:
    """Return the angle about up of the smallest box around points; that of walls goes before."""
    angles = [(float(np.arctan2(*each.along[::-1])) % (0.5 * np.pi), 0.97) for each in walls]
    angles += [(float(np.radians(k)), 1.0) for k in range(90)]
    P = Q[:: max(1, len(Q) // 3000), :2]

    def area(angle: float) -> float:
        c, s = np.cos(angle), np.sin(angle)
        low, high = np.quantile(P @ np.array([[c, -s], [s, c]]), (0.01, 0.99), axis=0)
        return float(np.prod(high - low))

    return min(angles, key=lambda each: each[1] * area(each[0]))[0]


def _seen(at: Array, shape: tuple[int, ...]) -> BoolArray:
    """Return in which cells the floor, or what is below a piece, was seen; gaps are closed."""
    found = np.zeros(shape, bool)
    within = ((at >= 0) & (at < shape)).all(axis=1)
    found[tuple(at[within].astype(int).T)] = True
    return np.asarray(ndimage.binary_closing(found, iterations=2))


def _levels(
    heights: Array, cells: BoolArray, at: IntArray, z: Array, sign: float, scan: Scan
) -> tuple[list[float], Array]:
    """Return the few heights (m) that cells are at, and each cell's.

    ``sign`` is 1 for tops and -1 for undersides, whose noise goes the other way.
    """
    values = heights[cells]
    if not len(values):
        return [], heights
    width = STEP + 2.0 * scan.noise
    found: list[float] = []
    left = values
    while len(left) and len(found) < LEVELS and (not found or len(left) > 0.04 * len(values)):
        edges = np.arange(left.min() - 0.01, left.max() + 0.02, 0.01)
        counts = np.convolve(np.histogram(left, edges)[0], np.ones(3), "same")
        middle = edges[int(counts.argmax())] + 0.005
        found.append(float(middle))
        left = left[np.abs(left - middle) > width]
    which = np.abs(heights[..., None] - np.array(found)).argmin(axis=-1)
    own, exact = which[tuple(at.T)], []
    mine = cells[tuple(at.T)]
    for k, level in enumerate(found):
        near = sign * (z - level) > -4.0 * scan.noise - 0.01
        chosen = z[mine & (own == k) & near]
        exact.append(float(np.median(chosen)) if len(chosen) else level)
    return exact, np.array(exact)[which]


def _apart(heights: Array) -> list[float]:
    """Return heights in order, those nearer than 2 cm as one."""
    found: list[float] = []
    for each in np.unique(heights).tolist():
        if not found or each - found[-1] > 0.02:
            found.append(each)
    return found


def _outlines(mask: BoolArray, edge: Array, cell: float, L: Array, scan: Scan) -> list[Polygon]:
    """Return the outlines of a slice: boxes where they fill one, over points L (n, 3) of it."""
    areas = shapely.get_parts(area_of(mask, edge, cell))
    found = []
    for area in areas:
        x0, y0, x1, y1 = area.bounds
        if min(x1 - x0, y1 - y0) < 2.5 * cell or area.area < 6 * cell**2:
            continue
        near = ((L[:, :2] > [x0 - cell, y0 - cell]) & (L[:, :2] < [x1 + cell, y1 + cell])).all(
            axis=1
        )
        if near.sum() > 20 and area.area > BOX * (x1 - x0) * (y1 - y0):
            sides = [_side(L[near, k], sign, scan.noise) for sign in (-1, 1) for k in (0, 1)]
            found.append(shapely.box(*sides))
            continue
        shrunk = area.buffer(-0.5 * cell - scan.noise).simplify(cell)
        found += [each for each in shapely.get_parts(shrunk) if each.area > 6 * cell**2]
    return found


def area_of(mask: BoolArray, low: Array, cell: float) -> BaseGeometry:
    """Return the area of cells (m) of a grid that begins at ``low`` (2,)."""
    padded = np.pad(mask, ((0, 0), (1, 1))).astype(np.int8)
    row, start = np.nonzero(np.diff(padded, axis=1) == 1)
    end = np.nonzero(np.diff(padded, axis=1) == -1)[1]
    # whole numbers, so that rows touch
    whole = shapely.union_all(shapely.box(row, start, row + 1, end))
    return shapely.transform(whole, lambda at: low[:2] + cell * at)


def _side(x: Array, sign: float, noise: float) -> float:
    """Return where points end along ``sign``: at the face that stands there, if one does."""
    x = sign * x
    top = float(np.quantile(x, 0.995))
    band = 6.0 * noise + 0.005
    near = x[x > top - band]
    face = len(near) > 2.0 * band / max(float(np.ptp(x)), band) * len(x)
    return sign * (float(np.median(near)) if face else top)


def _to_walls(area: Polygon, R: Array, walls: list[Wall], gap: float) -> Polygon:
    """Return an outline of W; a box that stands before a wall goes on to it."""
    corners = np.array(area.exterior.coords)[:-1] @ R
    holes = [np.array(each.coords) @ R for each in area.interiors]
    if len(corners) == 4:
        for k in range(4):
            i, j = k, (k + 1) % 4
            for wall in walls:
                s, d = wall.at(corners[[i, j]])
                level = abs(float(d[0] - d[1])) < 0.05 * abs(float(s[0] - s[1])) + 1e-9
                if level and -gap < d.mean() < 0.02 and s.max() > 0.0 and s.min() < wall.length:
                    corners[[i, j]] -= d.mean() * wall.out
    return Polygon(corners, holes)
