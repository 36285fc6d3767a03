"""Triangles to pixels: a depth buffer in NumPy, for pictures that need no screen and no driver.

Screen coordinates are pixels, x to the right and y down, and a depth that is smaller when
nearer. Of each pixel the buffers hold the nearest depth, the number of what was drawn there, and
its normal; light and colour are somebody else's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, IntArray

TILES = (8, 16, 32, 64, 128)
"""Triangles are drawn together when their boxes fit the same square of pixels."""

FRAGMENTS = 1 << 21
"""Pixels tested at a time; bounds the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Buffers:
    """``depth`` (h, w), ``ident`` (h, w) with -1 for nothing, ``normal`` (h, w, 3)."""

    depth: Array
    ident: IntArray
    normal: Array


def blank(width: int, height: int) -> Buffers:
    """Return buffers with nothing in them."""
    return Buffers(
        np.full((height, width), np.inf),
        np.full((height, width), -1, np.int64),
        np.zeros((height, width, 3)),
    )


def fill(
    buffers: Buffers, points: Array, normals: Array, triangles: IntArray, idents: IntArray
) -> None:
    """Draw ``triangles`` (m, 3) over ``points`` (n, 3: x, y, depth) into ``buffers``.

    ``normals`` (n, 3) are interpolated, ``idents`` (m,) number what each triangle belongs to.
    """
    height, width = buffers.depth.shape
    corners = points[triangles]
    good = np.isfinite(corners).all(axis=(1, 2))
    corners[~good] = 0.0
    low = np.floor(corners[..., :2].min(axis=1) - 0.5).clip(-1, (width, height)).astype(np.int64)
    high = np.ceil(corners[..., :2].max(axis=1) + 0.5).clip(-1, (width, height)).astype(np.int64)
    low = low.clip(0)
    size = (high - low).max(axis=1)
    good &= (high > low).all(axis=1)
    before = 0
    for tile in (*TILES, max(width, height) + 1):
        chosen = np.flatnonzero(good & (size > before) & (size <= tile))
        before = tile
        batch = max(1, FRAGMENTS // (tile * tile))
        for start in range(0, len(chosen), batch):
            part = chosen[start : start + batch]
            side = int(size[part].max())
            _fill_batch(
                buffers, corners[part], normals[triangles[part]], idents[part], low[part], side
            )


def _fill_batch(
    buffers: Buffers, corners: Array, normals: Array, idents: IntArray, low: IntArray, side: int
) -> None:
    """Draw triangles that each fit a square of ``side`` pixels from their corner ``low``."""
    height, width = buffers.depth.shape
    a, b, c = (corners[:, k, :2] for k in range(3))
    area = _cross(b - a, c - a)
    flat = np.abs(area) < 1e-12
    area = np.where(flat, 1.0, area)
    steps = np.arange(side)
    x = low[:, 0, None, None] + steps[None, None, :]
    y = low[:, 1, None, None] + steps[None, :, None]
    px = np.asarray(x + 0.5, np.float64)
    py = np.asarray(y + 0.5, np.float64)
    # Barycentric weights, linear over the screen; all positive inside.
    u = _edge(b, c, px, py) / area[:, None, None]
    v = _edge(c, a, px, py) / area[:, None, None]
    w = 1.0 - u - v
    inside = (u >= 0) & (v >= 0) & (w >= 0) & (x < width) & (y < height)
    inside &= ~flat[:, None, None]
    which, row, column = np.nonzero(inside)
    if not len(which):
        return
    weights = np.stack([u[inside], v[inside], w[inside]], axis=1)
    depth = np.einsum("ij,ij->i", weights, corners[which, :, 2])
    place = (low[which, 1] + row) * width + low[which, 0] + column
    nearer = depth < buffers.depth.reshape(-1)[place]
    which, weights, depth, place = which[nearer], weights[nearer], depth[nearer], place[nearer]
    # Farthest first: of several values for one pixel the last one stays.
    order = np.argsort(-depth, kind="stable")
    which, weights, depth, place = which[order], weights[order], depth[order], place[order]
    buffers.depth.reshape(-1)[place] = depth
    buffers.ident.reshape(-1)[place] = idents[which]
    buffers.normal.reshape(-1, 3)[place] = np.einsum("ij,ijk->ik", weights, normals[which])


def _cross(a: Array, b: Array) -> Array:
    area: Array = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return area


def _edge(a: Array, b: Array, x: Array, y: Array) -> Array:
    """Return twice the signed area of a, b and each pixel."""
    ax, ay, bx, by = (value[:, None, None] for value in (a[:, 0], a[:, 1], b[:, 0], b[:, 1]))
    area: Array = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    return area
