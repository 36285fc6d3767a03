"""Scans as few flat convex pieces that hold all of their triangles.

Triangles are divided, first what stands out most, until pieces stand out of the surface by no more
than is asked for, or there are as many as are allowed. How far they stand out is bounded: across a
piece by its thickness, in its plane by how far edges of the surface lie within its outline.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray

THICKNESS: Final = 1e-7
"""m. Thick enough for the direction of short edges to be known, thin enough to be none."""

FLAT: Final = 1e-12
"""Area of a triangle, as a share of its longest edge's square, below which it is left out."""

MOST_CORNERS: Final = 8
"""Corners of a piece's outline."""

HOPELESS: Final = 0.05
"""m. Of what is thicker than this no outline is looked at before it is divided."""

OTHER_WAY: Final = 0.7
"""Normals whose product is less belong to different surfaces."""

NEARLY: Final = 0.002
"""m. A surface that leaves a piece by no more than this goes on in it."""

EMPTY: Final = 0.5
"""Of what triangles take along a direction this share lies between two surfaces."""

STRAIGHT: Final = 1e-9
"""Sine of the angle of two sides of an outline that go on straight."""


@dataclass(frozen=True, slots=True, eq=False)
class Slab:
    """A flat piece: ``outline`` (k, 3), counterclockwise about the unit ``normal`` (3,).

    The piece goes from ``low`` to ``high`` m along the normal, the outline lies halfway. It stands
    out of the surface by ``beyond`` m at most.
    """

    outline: Array
    normal: Array
    low: float
    high: float
    beyond: float


def slabs(V: Array, F: IntArray, enough: float, most: int) -> list[Slab]:
    """Return pieces that hold triangles (m, 3) of vertices (n, 3), m: each, or many together.

    Where there are more than ``most``, these hold all together; they are divided until each stands
    out by ``enough`` m at most, or there are ``most`` pieces.
    """
    scan = _Scan(V, F)
    every = np.arange(len(scan.F))
    if len(every) <= most:
        return [scan.one(k) for k in range(len(every))]
    heap = [(-np.inf, 0, every, every, scan.one(0))]
    count = 1
    while len(heap) < most and -heap[0][0] > enough:
        _, _, own, near, _ = heapq.heappop(heap)
        for part in scan.divided(own):
            beside, made = scan.piece(part, near)
            heapq.heappush(heap, (-made.beyond, count, part, beside, made))
            count += 1
    return [made for *_, made in heap]


class _Scan:
    """The triangles of a scan, each with the three beside it."""

    def __init__(self, V: Array, F: IntArray) -> None:
        V, alike = np.unique(V, axis=0, return_inverse=True)
        F = alike.reshape(-1)[F]
        T = V[F]
        e = np.roll(T, -1, 1) - T
        normal = np.cross(e[:, 0], e[:, 1])
        size = np.linalg.norm(normal, axis=1)
        some = size > FLAT * (e * e).sum(axis=2).max(axis=1)
        self.V, self.F, T = V, F[some], T[some]
        self.size = size[some]
        self.normal = normal[some] / self.size[:, None]
        self.middle, self.low, self.high = T.mean(axis=1), T.min(axis=1), T.max(axis=1)
        self.beside = _beside(self.F)

    def one(self, k: int) -> Slab:
        """Return a triangle as a piece."""
        p, n = self.V[self.F[k]], self.normal[k]
        at = float(n @ p[0])
        return Slab(p, n, at, at, 0.0)

    def piece(self, own: IntArray, near: IntArray) -> tuple[IntArray, Slab]:
        """Return what of triangles ``near`` a piece about triangles ``own`` may hold, and it."""
        low, high = self.low[own].min(axis=0), self.high[own].max(axis=0)
        near = near[((self.low[near] <= high) & (self.high[near] >= low)).all(axis=1)]
        if len(own) == 1:
            return near, self.one(int(own[0]))
        used = np.unique(self.F[own])
        n, thick = _thinnest(self.V[used], high - low)
        if thick > HOPELESS:
            return near, Slab(self.V[used[:3]], n, 0.0, thick, thick)
        return near, self._slab(own, near, used, n)

    def _slab(self, own: IntArray, near: IntArray, used: IntArray, n: Array) -> Slab:
        u = np.eye(3)[int(np.abs(n).argmin())]
        u = u - n * (u @ n)
        u /= np.linalg.norm(u)
        frame = np.stack([u, np.cross(n, u)])
        outline = _outline(self.V[used] @ frame.T)
        along = self.V[used] @ n
        low, high = float(along.min()), float(along.max())
        flat = outline @ frame + 0.5 * (low + high) * n
        beyond = high - low
        for spare in (THICKNESS, NEARLY):
            within = self._edges_within(near, n, low - spare, high + spare) @ frame.T
            # along an edge the depth is concave: nowhere more than twice that of its middle
            deep = np.maximum(_depth(outline, within), 0.0) * (1.0, 2.0, 1.0)
            most = float(deep.max(initial=0.0))
            if not (_depth(outline, self.middle[own] @ frame.T) > most).any():
                most = max(most, 0.5 * _width(outline))
            beyond = max(most, high - low + (0.0 if spare == THICKNESS else spare))
            if most <= high - low:
                break
        return Slab(flat, n, low, high, beyond)

    def _edges_within(self, near: IntArray, n: Array, low: float, high: float) -> Array:
        """Return ends and middles (k, 3, 3) of edges at which what lies in a slab ends."""
        within = self._lies(near, n, low, high)
        own = near[within]
        beside = self.beside[own]
        ends = (beside < 0) | ~self._lies(beside, n, low, high)
        row, k = np.nonzero(ends)
        a, b = self.V[self.F[own[row], k]], self.V[self.F[own[row], (k + 1) % 3]]
        return np.stack([a, 0.5 * (a + b), b], axis=1)

    def _lies(self, which: IntArray, n: Array, low: float, high: float) -> BoolArray:
        """Return which triangles lie in a slab."""
        along = self.V[self.F[which]] @ n
        return np.asarray((along.min(axis=-1) >= low) & (along.max(axis=-1) <= high))

    def divided(self, own: IntArray) -> list[IntArray]:
        """Return triangles in two parts: those that face two ways, or on two sides of a plane."""
        first = self.normal[own]
        cosine = np.abs(first @ first[0])
        if cosine.min() < OTHER_WAY:
            other = np.abs(first @ first[int(cosine.argmin())]) > cosine
            parts = [own[other], own[~other]]
            whole, *thick = (self._thickness(each) for each in (own, *parts))
            if min(thick) < 0.5 * whole:
                return parts
        middle = self.middle[own]
        for n in (*np.eye(3), first[0]):
            at = middle @ n
            order = np.argsort(at)
            apart = np.diff(at[order])
            if apart.max() > EMPTY * (at[order[-1]] - at[order[0]]):
                return np.split(own[order], [int(apart.argmax()) + 1])
        axis = int(np.ptp(middle, axis=0).argmax())
        at = middle[:, axis]
        left = at < 0.5 * (at.min() + at.max())
        return [own[left], own[~left]]

    def _thickness(self, own: IntArray) -> float:
        box = self.high[own].max(axis=0) - self.low[own].min(axis=0)
        return _thinnest(self.V[np.unique(self.F[own])], box)[1]


def _beside(F: IntArray) -> IntArray:
    """Return the triangles (m, 3) beyond the edges of triangles (m, 3), -1 where there is none."""
    edges = np.stack([F, np.roll(F, -1, 1)], axis=2).reshape(-1, 2)
    key = edges.min(axis=1) * (int(F.max(initial=0)) + 1) + edges.max(axis=1)
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    found = np.full(len(key), -1, np.int64)
    found[order[1:][same]] = order[:-1][same] // 3
    found[order[:-1][same]] = order[1:][same] // 3
    return found.reshape(-1, 3)


def _thinnest(P: Array, box: Array) -> tuple[Array, float]:
    """Return along which direction points (n, 3) in a box reach least, and how far, m.

    An axis is taken where they reach little farther along it.
    """
    away = P - P.mean(axis=0)
    n = np.linalg.eigh(away.T @ away)[1][:, 0]
    thick = float(np.ptp(P @ n))
    axis = int(box.argmin())
    if box[axis] <= 1.5 * thick + THICKNESS:
        return np.eye(3)[axis], float(box[axis])
    return n, thick


def _outline(p: Array) -> Array:
    """Return a convex polygon (k, 2) of few corners about points (n, 2), counterclockwise."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        p = p[ConvexHull(p).vertices]
    except QhullError:
        low, high = p.min(axis=0) - THICKNESS, p.max(axis=0) + THICKNESS
        return np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    while len(p) > MOST_CORNERS:
        before, after = p - np.roll(p, 1, 0), np.roll(p, -2, 0) - np.roll(p, -1, 0)
        side = np.roll(p, -1, 0) - p
        turn = _cross(before, after)
        long = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        # where the sides before and after a side meet, and what that adds
        with np.errstate(divide="ignore", invalid="ignore"):
            t = _cross(side, after) / turn
            added = np.where(turn > STRAIGHT * long, t * np.abs(_cross(side, before)), np.inf)
        k = int(added.argmin())
        if not np.isfinite(added[k]):
            break
        p[k] += t[k] * before[k]
        p = np.delete(p, (k + 1) % len(p), axis=0)
    return p


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _depth(outline: Array, p: Array) -> Array:
    """Return how deep points (*n, 2) lie within a convex polygon (k, 2); negative outside."""
    side = np.roll(outline, -1, 0) - outline
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    least = np.full(p.shape[:-1], np.inf)
    for a, u in zip(outline, side, strict=True):
        least = np.minimum(least, _cross(u, p - a))
    return least


def _width(outline: Array) -> float:
    """Return how wide a convex polygon is, where it is least."""
    side = np.roll(outline, -1, 0) - outline
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    away = outline[None] - outline[:, None]
    return float(_cross(side[:, None], away).max(axis=1).min())
