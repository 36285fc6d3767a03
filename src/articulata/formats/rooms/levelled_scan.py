"""A scanned room stood upright: which way is up, what unit it is in, where its floor is.

All is found from points spread evenly over the triangles, so holes, cracks between triangles and
their size do not matter. The axis is that with the largest level area among those that leave a
usual height of rooms; the floor is on the side where things stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from scipy.spatial import cKDTree

from articulata.errors import FormatError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.poses import make_pose

UNITS: Final = {
    "m": (1.0, 0.0),
    "cm": (0.01, -1.0),
    "mm": (0.001, -1.0),
    "feet": (0.3048, -1.5),
    "inches": (0.0254, -2.0),
}
"""m of each unit, and the logarithm of how likely files are in it beside metres (an estimate)."""
HEIGHT: Final = 2.6
SPREAD: Final = 0.15
"""m, a usual height of rooms, and the spread of its logarithm (estimates: most have 2.1 to 3.2)."""
STRANGE: Final = 3.0
SIDEWAYS: Final = 0.7
HANGING: Final = 0.6
"""What it costs, as logarithms, if a stand is against the rule of a format (glTF: y is up, metres),
has x up, and if all within hangs from the ceiling (estimates)."""
STEEPEST: Final = np.cos(np.radians(15.0))
"""A room that is tilted from its axis by more is not levelled."""
FEW: Final = 40_000
MOST: Final = 1_000_000
"""Points by which a room is stood upright, and in which things are found, at most."""
SPACING: Final = 0.015
"""m between points in which things are found, where they are not too many then."""
BLOCK: Final = 2**15
"""Triangles that are looked at together: what is made of them stays in the processor's cache."""
SEVERAL: Final = 2**12
"""Points whose neighbours are looked at together, for as little memory."""
MANY: Final = 200_000
"""Corners that tell where the middle is, at most."""
BESIDE: Final = 24
"""Points that tell the direction of the surface at one."""
FAR: Final = 10.0
"""What is so many times as far from the middle as half of all corners is no part of the room."""
LEVEL: Final = 0.8
"""Least cosine between up and the normal of a surface that counts as level."""
SMALLEST: Final = 0.5
"""m2, of a floor."""
LARGEST: Final = 200.0
"""m, of a room or a building."""


@dataclass(slots=True, eq=False)
class Scan:
    """Points (n, 3) m of a room W: z up, the floor at z = 0.

    ``rising`` (n,) is the cosine between their normals and up, without sign; ``triangles`` (n,) are
    those they lie on. ``spacing`` (m) is the distance between points, ``noise`` (m) the standard
    deviation of the floor. ``told`` says what was guessed.
    """

    points: Array
    rising: Array
    triangles: IntArray
    spacing: float
    noise: float
    told: list[str] = field(default_factory=list)

    @property
    def near(self) -> float:
        """How far (m) points of a flat surface are from it, but for one in 10,000."""
        return 4.0 * self.noise + 0.01

    @property
    def floor(self) -> BoolArray:
        """Which points are the floor's."""
        return np.abs(self.points[:, 2]) < self.near

    def of(self, chosen: BoolArray) -> Scan:
        """Return the scan with the ``chosen`` (n,) points alone."""
        points, triangles = self.points[chosen], self.triangles[chosen]
        return replace(self, points=points, rising=self.rising[chosen], triangles=triangles)

    @property
    def grain(self) -> float:
        """The area (m2) of the triangle that a point lies on, on average, or of a point."""
        shares = np.bincount(self.triangles).astype(float)
        return float(self.spacing**2 * (shares @ shares) / shares.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Stand:
    """One way to stand: the unit vector ``up``, how likely, and in which unit."""

    up: Array
    axis: str
    likely: float
    unit: str


def levelled(
    V: Array, F: IntArray, up: str = "", unit: float | None = None, rule: str = ""
) -> Scan:
    """Return a scan of triangles F (m, 3) of vertices V (n, 3), stood upright.

    ``up`` ("z", "-y") and ``unit`` (m) are known where they are given; ``rule`` is the axis that
    the file's format says. Raises FormatError where no floor is found.
    """
    told: list[str] = []
    surface = _Surface(V, F, _ends_of_areas(V, F, told))
    points, _, step = surface.spread(FEW)
    tree = cKDTree(points)
    normals = _normals(tree, points)
    ways = [each for axis in ("z", "y", "x") for each in _stands(points, normals, axis, unit, rule)]
    found = sorted((each for each in ways if up in ("", each.axis)), key=lambda each: -each.likely)
    if not found:
        which = f"up = {up}" if up else "each axis"
        raise FormatError(f"no level area is found with {which}: {_ADVICE}")
    best = found[0]
    if not up:
        other = next((each for each in found if each.axis[-1] != best.axis[-1]), best)
        sure = "" if best.likely - other.likely > 1.0 else f", nearly as likely {other.axis}"
        told.append(f"up (taken as {best.axis} of the file{sure}; convert takes --up)")
    scale = unit or UNITS[best.unit][0]
    if unit is None:
        told.append(f"unit (taken as {best.unit}; convert takes --unit)")
    R = _turn(best.axis)
    points, normals = scale * points @ R.T, normals @ R.T
    X, noise = _floor(points, R @ best.up, normals, (scale * step) ** 2)
    tilt = float(np.degrees(np.arccos(np.clip(X[2, 2], -1.0, 1.0))))
    if tilt > 0.1:
        told.append(f"tilt (levelled by {tilt:.1f} deg)")
    count = int(np.clip(len(points) * (scale * step / SPACING) ** 2, FEW, MOST))
    dense, triangles, step = surface.spread(count)
    which = tree.query(dense)[1]
    dense = scale * dense @ (X[:3, :3] @ R).T + X[:3, 3]
    rising = np.abs(normals @ X[2, :3])[which]
    return Scan(dense, rising, triangles, scale * step, noise, told)


_ADVICE: Final = (
    "a scan of a room has a floor of 0.5 m2 at least within 15 deg of level; turn it, or say "
    "--up and --unit to convert"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Surface:
    """Triangles F (m, 3) of vertices V (n, 3), and what the areas up to each add up to (m,).

    What is not usable has no area; so nothing is copied without it.
    """

    V: Array
    F: IntArray
    ends: Array

    def spread(self, count: int) -> tuple[Array, IntArray, float]:
        """Return ``count`` points (n, 3) that stand for the same area each, and their distance.

        Between them: on which triangles they lie. Their place there follows Roberts' sequence R2.
        """
        whole, points = float(self.ends[-1]), np.empty((count, 3))
        triangles = np.empty(count, np.int64)
        for start in range(0, count, BLOCK):
            k = np.arange(start, min(start + BLOCK, count))
            which = np.searchsorted(self.ends, (k + 0.5) / count * whole)
            triangles[k] = which = np.minimum(which, len(self.F) - 1)
            a, b = 0.7548776662466927 * k % 1.0, 0.5698402909980532 * k % 1.0
            beyond = a + b > 1.0
            a, b = np.where(beyond, 1.0 - a, a), np.where(beyond, 1.0 - b, b)
            A, B, C = self.V[self.F[which]].swapaxes(0, 1)
            points[k] = A + a[:, None] * (B - A) + b[:, None] * (C - A)
        return points, triangles, float(np.sqrt(whole / count))


def _areas(T: Array) -> Array:
    """Return the areas of triangles (m, 3, 3)."""
    a, b = (T[:, 1] - T[:, 0]).T, (T[:, 2] - T[:, 0]).T
    x, y, z = (a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3))
    return np.asarray(0.5 * np.sqrt(x * x + y * y + z * z))


def _ends(x: Array) -> Array:
    """Return from where to where numbers go, those of stray points left out."""
    return np.quantile(x, (0.002, 0.998), axis=0)


def _ends_of_areas(V: Array, F: IntArray, told: list[str]) -> Array:
    """Return what areas up to each triangle add up to (m,).

    Those with what is no number or is far away have none.
    """
    good = _near(V, F)
    areas = np.zeros(len(F))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows, corners in _blocks(V, F):
            areas[rows] = np.where(good[corners].all(axis=1), _areas(V[corners]), 0.0)
    count = int(np.count_nonzero(areas))
    if count < 2:
        raise FormatError("it holds no triangles with an area; make a surface of its points first")
    if count < len(F):
        told.append(f"{len(F) - count} triangles without an area, without numbers or far away")
    return np.cumsum(areas, out=areas)


def _blocks(V: Array, F: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield triangles whose vertices are there, block by block: their numbers and corners."""
    for start in range(0, len(F), BLOCK):
        corners = F[start : start + BLOCK]
        there = np.flatnonzero(((corners >= 0) & (corners < len(V))).all(axis=1))
        yield start + there, corners[there]


def _near(V: Array, F: IntArray) -> BoolArray:
    """Return which vertices (n,) are numbers and not far from the middle of those of triangles."""
    good = np.ones(len(V), bool)
    for x in V.T:
        good &= np.abs(x) < 1e12
    used = np.zeros(len(V), bool)
    for _, corners in _blocks(V, F):
        used[corners[good[corners].all(axis=1)]] = True
    some = np.flatnonzero(used)
    some = some[:: 1 + len(some) // MANY]
    if len(some):
        middle = np.median(V[some], axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            away = np.sqrt(sum((x - m) ** 2 for x, m in zip(V.T, middle, strict=True)))
        good &= away <= FAR * np.median(away[some])
    return good


def _normals(tree: cKDTree, points: Array) -> Array:
    """Return the directions (n, 3) in which the points of a tree are spread least around each."""
    spread = np.empty((len(points), 3, 3))
    for start in range(0, len(points), SEVERAL):
        rows = slice(start, start + SEVERAL)
        near = points[tree.query(points[rows], min(BESIDE, len(points)))[1]]
        off = near - near.mean(axis=1, keepdims=True)
        spread[rows] = np.einsum("nki,nkj->nij", off, off)
    return np.asarray(np.linalg.eigh(spread)[1][:, :, 0])


def _stands(
    points: Array, normals: Array, axis: str, unit: float | None, rule: str
) -> list[_Stand]:
    """Return how likely a room stands along an axis, and against it."""
    n = _level(normals, "xyz".index(axis))
    if n is None:
        return []
    low, high, share = _heights(points @ n, np.abs(normals @ n) > LEVEL)
    usual = {
        name: weight
        - 1.5 * np.log1p((np.log((high - low) * (unit or size) / HEIGHT) / SPREAD) ** 2 / 3.0)
        - (STRANGE if rule and name != "m" else 0.0)
        for name, (size, weight) in UNITS.items()
    }
    best = max(usual, key=lambda name: usual[name])
    likely = float(np.log(share + 1e-9) + usual[best])
    standing = _standing(points, n, low, high)
    found = []
    for sign, name in ((1.0, axis), (-1.0, f"-{axis}")):
        cost = HANGING * float(np.clip(0.5 - 5.0 * sign * standing, 0.0, 1.0))
        cost += SIDEWAYS * (axis == "x") + STRANGE * (rule not in ("", name))
        found.append(_Stand(sign * n, name, likely - cost, best))
    return found


def _level(normals: Array, k: int) -> Array | None:
    """Return the direction near axis ``k`` that level areas look along, None without these."""
    n = np.eye(3)[k]
    for _ in range(6):
        along = normals @ n
        flat = np.abs(along) > LEVEL
        if not flat.any():
            return None
        n = (normals[flat] * np.sign(along[flat])[:, None]).sum(axis=0)
        n /= np.linalg.norm(n)
    return n if n[k] >= STEEPEST else None


def _heights(h: Array, flat: BoolArray) -> tuple[float, float, float]:
    """Return from where to where a room goes upwards, and how much is in its largest level area.

    ``h`` (n,) are the heights of points, ``flat`` says which are on level areas.
    """
    low, high = _ends(h).tolist()
    high = high if high > low else low + 1.0
    margin = (high - low) / 60
    counts, edges = np.histogram(h[flat], 60, (low - margin, high + margin))
    counts = np.convolve(counts, [1, 1], "same")
    ends = [int(counts[:30].argmax()), 30 + int(counts[30:].argmax())]
    if counts[ends].min() > 0.4 * counts[ends].max():  # a floor and a ceiling
        low, high = edges[ends].tolist()
    return low, high, counts[ends].max() / len(h)


def _standing(points: Array, n: Array, bottom: float, top: float) -> float:
    """Return how much rather, from -1 to 1, things stand on the lower end along n than hang.

    What stands hides the floor and not the ceiling, and is low; a ceiling may be missing whole.
    """
    a = np.cross(n, np.eye(3)[int(np.abs(n).argmin())])
    across = points @ np.column_stack([a / np.linalg.norm(a), np.cross(n, a), n])
    low, high = _ends(across)
    low[2], high[2] = bottom, top
    parts = np.array([30, 30, 20])
    at = np.clip((parts * (across - low) / (high - low + 1e-300)).astype(int), 0, parts - 1)
    filled = np.zeros(parts, bool)
    filled[tuple(at.T)] = True
    lower, upper, between = filled[..., 0], filled[..., -1], filled[..., 1:-1].any(axis=2)
    hidden = (between & ~lower & upper).mean() - (between & ~upper & lower).mean()
    inner = filled[2:-2, 2:-2, 1:-1].nonzero()[2]
    lowness = 0.5 - (inner.mean() + 0.5) / (parts[2] - 2) if len(inner) else 0.0
    return float(2.0 * hidden + lower.mean() - upper.mean() + lowness)


def _turn(axis: str) -> Array:
    """Return the turn (3, 3) that takes an axis of the file to z."""
    z = (-1.0 if axis[0] == "-" else 1.0) * np.eye(3)["xyz".index(axis[-1])]
    x = np.eye(3)[1 if axis[-1] == "x" else 0]
    return np.array([x, np.cross(z, x), z])


def _floor(P: Array, up: Array, normals: Array, area: float) -> tuple[Array, float]:
    """Return X_WS (4, 4) from points about upright (m) to the room, and the floor's noise (m).

    ``area`` (m2) is that of a point. The floor is the largest level area of the lower half.
    """
    h = P @ up
    low, high = _ends(h)
    if not max(high - low, np.ptp(_ends(P), axis=0).max()) <= LARGEST:
        raise FormatError(f"it is more than {LARGEST:g} m long; say its unit: --unit of convert")
    flat = np.abs(normals @ up) > LEVEL
    edges = np.arange(low - 0.05, low + max(0.45 * (high - low), 0.1), 0.02)
    counts = np.convolve(np.histogram(h[flat], edges)[0], np.ones(3), "same")
    level, n, noise = float(edges[counts.argmax()] + 0.01), up, 0.02
    for band in (0.06, 0.05, 0.04, 0.04, 0.04):
        near = P[flat & (np.abs(P @ n - level) < band)]
        if len(near) * area < SMALLEST:
            raise FormatError(f"no floor is found: {_ADVICE}")
        # points that lie off the plane by much count little (Tukey's biweight)
        away = ((near - near.mean(axis=0)) @ n) / max(6.0 * noise, 1e-6)
        weight = np.clip(1.0 - away**2, 0.0, None) ** 2 + 1e-12
        middle = (weight @ near) / weight.sum()
        off = near - middle
        n = np.linalg.eigh((weight[:, None] * off).T @ off)[1][:, 0]
        n *= np.sign(n @ up)
        level = float(n @ middle)
        noise = 1.4826 * float(np.median(np.abs(near @ n - level)))
    x = np.array([1.0, 0.0, 0.0]) - n[0] * n
    x /= np.linalg.norm(x)
    return make_pose(np.array([x, np.cross(n, x), n]), [0.0, 0.0, -level]), noise
