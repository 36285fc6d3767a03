"""Volume moments of a constructed solid from its exact faces, without facets' error.

The mesh of the solid is asked for topology only. By the divergence theorem a moment of degree d
is ``1 / (d + 3)`` of the integral of ``p(r) r . n`` over the boundary; on each face Green's
theorem turns that into a line integral along the face's edges, of an inner integral known in
closed form or by Gauss quadrature that is exact for it. The edges are exact curves
(:mod:`articulata.geometry.edge_curves`), so kinks where a hole breaks an edge cost nothing. Where
an edge bends sharply between two corners, as a section does that grazes a round face, it is
halved until the integrals settle; what they still changed by is the error.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.constructed import SolidMesh
from articulata.geometry.edge_curves import (
    CONE,
    PLANE,
    SPHERE,
    SurfaceTable,
    find_seams,
    merge_same,
    settle,
    surface_table,
    trace,
    with_seams,
)
from articulata.geometry.exact_surfaces import outward_frame

MOMENTS = 10
"""1, x, y, z, xx, yy, zz, xy, yz, zx."""

NODES = 5
"""Gauss points on every panel: exact to rounding on an arc of some ten degrees."""

SETTLED = 1e-14
"""Change of the moments, relative to their scale, below which a panel is not halved again."""

HALVINGS = 24
"""Most halvings of one edge: a bend within 1e-7 of an edge's length is then resolved."""


class BoundaryMoments(NamedTuple):
    """Ten volume moments ``(10,)`` and their error, relative to :func:`moment_scale`."""

    values: Array
    error: float


class _Panels(NamedTuple):
    """Pieces of edges: ends ``(n, 3)`` on the curve, its two surfaces, those of the two faces.

    ``first`` and ``second`` say where the curve runs, ``left`` and ``right`` which faces it
    bounds; they differ along seams.
    """

    start: Array
    end: Array
    first: IntArray
    second: IntArray
    left: IntArray
    right: IntArray

    def chosen(self, which: BoolArray | IntArray) -> _Panels:
        return _Panels._make(field[which] for field in self)

    def split(self, middle: Array) -> _Panels:
        """Return all first halves, then all second halves."""
        before, after = self._replace(end=middle), self._replace(start=middle)
        return _Panels._make(np.concatenate(pair) for pair in zip(before, after, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Boundary:
    """The surfaces of a solid, the origin of its moments, and the axes of its balls."""

    table: SurfaceTable
    origin: Array
    axes: dict[int, Array]


def exact_moments(mesh: SolidMesh, origin: Array) -> BoundaryMoments:
    """Return the ten volume moments about ``origin`` inside the exact faces of a solid."""
    V, F = mesh.vertices, mesh.triangles
    size = float(np.max(np.ptp(V, axis=0)))
    used, face = np.unique(mesh.face, return_inverse=True)
    table = surface_table([mesh.surface_of(int(i)) for i in used])
    surface = merge_same(table, size)[face]

    start, end, left, right = _edges(F, surface)
    corners, incident = _incident(start, end, left, right)
    curves, seams = find_seams(table, size)
    points = V.copy()
    points[corners] = settle(curves, with_seams(seams, incident), V[corners])
    first, second = with_seams(seams, np.stack([left, right], axis=1)).T
    panels = _Panels(points[start], points[end], first, second, left, right)
    balls = np.unique(surface[table.kind[surface] == SPHERE])
    boundary = _Boundary(curves, origin, _ball_axes(curves, balls, panels))

    def moments(by_panel: Array) -> Array:
        total: Array = by_panel[:, :MOMENTS].sum(axis=0)
        for i in balls:
            area = by_panel[left == i, MOMENTS].sum() + by_panel[right == i, MOMENTS + 1].sum()
            total = total + _whole_balls(boundary, int(i), float(area), V[F[surface == i]])
        return np.asarray(total / DEGREES)

    whole, middle, off = _over_panels(boundary, panels)
    scale = moment_scale(moments(whole))
    values, error = _settled(boundary, panels, whole, middle, off, scale)
    return BoundaryMoments(moments(values), error)


def moment_scale(moments: Array) -> Array:
    """Return the scale ``(10,)`` of a solid's moments, each degree by its own."""
    volume, second = abs(moments[0]), float(np.sum(moments[4:7]))
    first = np.sqrt(abs(volume * second))
    out: Array = np.array([volume] + [first] * 3 + [second] * 6)
    return out


DEGREES = np.array([3.0] + [4.0] * 3 + [5.0] * 6)
"""Degree of each moment's polynomial, and 3: what the flux of ``p(r) r`` is divided by."""


def _settled(
    boundary: _Boundary, panels: _Panels, whole: Array, middle: Array, off: Array, scale: Array
) -> tuple[Array, float]:
    """Return integrals ``(n, 12)`` over the panels, halved until they settle, and their error.

    ``whole`` are the integrals over undivided panels, ``middle`` the points that halve them,
    ``off`` the error of points that lie off their curve.
    """
    values = whole.copy()
    owner = np.nonzero(~_is_straight(boundary.table, panels))[0]
    whole, middle, panels = whole[owner], middle[owner], panels.chosen(owner)
    error = float(off.sum()) / scale[0]
    rounding = 1e-15 * np.max(np.abs(whole[:, :MOMENTS]) / DEGREES / scale, axis=1, initial=0.0)
    for level in range(HALVINGS):
        halves = panels.split(middle)
        parts, quarter, off = _over_panels(boundary, halves)
        n = len(owner)
        change = parts[:n] + parts[n:] - whole
        np.add.at(values, owner, change)
        moved = np.max(np.abs(change[:, :MOMENTS]) / DEGREES / scale, axis=1, initial=0.0)
        again = moved > np.maximum(SETTLED, rounding)
        if level == HALVINGS - 1 or not np.any(again):
            return values, error + float(moved.sum() + off.sum() / scale[0])
        error += float(moved[~again].sum() + off[np.tile(~again, 2)].sum() / scale[0])
        both = np.tile(again, 2)
        owner, rounding = np.tile(owner[again], 2), np.tile(rounding[again], 2)
        whole, middle, panels = parts[both], quarter[both], halves.chosen(both)
    raise AssertionError("the last level returns")


def _is_straight(table: SurfaceTable, panels: _Panels) -> BoolArray:
    """Return which panels join two planes: cubic integrands, exact as they are."""
    flat: BoolArray = (table.kind[panels.left] == PLANE) & (table.kind[panels.right] == PLANE)
    return flat


def _over_panels(boundary: _Boundary, panels: _Panels) -> tuple[Array, Array, Array]:
    """Return integrals ``(n, 12)``, middles ``(n, 3)`` and the errors ``(n,)`` of stray points.

    The last two columns are the areas, on the left and on the right, between the edge and the
    south pole where that side is a ball.
    """
    table, origin = boundary.table, boundary.origin
    x, weights = _gauss(NODES)
    t = np.concatenate([[0.0], 0.5 * (x + 1), [1.0]])
    p, dp, off = trace(table, panels.first, panels.second, panels.start, panels.end, t)
    middle = p[:, 1 + NODES // 2]
    # where surfaces graze each other, rounding moves the ends of a curve off its corners; the
    # way from corner to curve is gone too, so that every loop is closed
    weights = np.concatenate([[1.0], 0.5 * weights, [1.0]])
    dp[:, 0], dp[:, -1] = p[:, 0] - panels.start, panels.end - p[:, -1]
    p[:, 0], p[:, -1] = 0.5 * (p[:, 0] + panels.start), 0.5 * (p[:, -1] + panels.end)
    out = np.zeros((len(p), MOMENTS + 2))
    for column, side, sign in ((0, panels.left, 1.0), (1, panels.right, -1.0)):
        for kind, integrand in ((PLANE, _plane), (CONE, _cone)):
            mine = table.kind[side] == kind
            if np.any(mine):
                values = integrand(table, side[mine], p[mine], dp[mine], origin)
                out[mine, :MOMENTS] += sign * np.einsum("ngk,g->nk", values, weights)
        for i, axes in boundary.axes.items():
            mine = side == i
            if np.any(mine):
                line, area = _sphere(table, i, axes, p[mine], dp[mine], origin)
                out[mine, :MOMENTS] += sign * np.einsum("ngk,g->nk", line, weights)
                out[mine, MOMENTS + column] = sign * np.einsum("ng,g->n", area, weights)
    # a stray point leaves a gap of that height between its surfaces, no wider than the panel
    span = np.sum((panels.end - panels.start) ** 2, axis=1)
    return out, middle, off * span


@functools.cache
def _gauss(count: int) -> tuple[Array, Array]:
    """Return Gauss-Legendre nodes in [-1, 1] and weights, each ``(count,)``."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights


def _edges(F: IntArray, surface: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return start, end, left and right surface of every edge between different surfaces."""
    ends = np.concatenate([F[:, [0, 1]], F[:, [1, 2]], F[:, [2, 0]]])
    of = np.tile(surface, 3)
    count = int(F.max()) + 1
    key = ends[:, 0] * count + ends[:, 1]
    order = np.argsort(key)
    twin = order[np.searchsorted(key, ends[:, 1] * count + ends[:, 0], sorter=order)]
    keep = (of != of[twin]) & (ends[:, 0] < ends[:, 1])
    return ends[keep, 0], ends[keep, 1], of[keep], of[twin][keep]


def _incident(
    start: IntArray, end: IntArray, left: IntArray, right: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the corners of edges ``(n,)`` and the surfaces at each, ``(n, k)`` filled with -1."""
    pairs = np.concatenate([np.stack([v, s], 1) for v in (start, end) for s in (left, right)])
    pairs = np.unique(pairs, axis=0)
    corners, first, counts = np.unique(pairs[:, 0], return_index=True, return_counts=True)
    out = np.full((len(corners), int(counts.max(initial=0))), -1)
    row = np.repeat(np.arange(len(corners)), counts)
    out[row, np.arange(len(pairs)) - first[row]] = pairs[:, 1]
    return corners, out


def _inner(r: tuple[Array, Array, Array], flow: Array) -> Array:
    """Return the sums of ``p(r) flow`` over the last axis, ``(..., 10)``, for the ten p.

    ``r`` are the coordinates of the points, ``flow`` is weighted; each ``(..., nodes)``.
    """
    x, y, z = r
    first = [each * flow for each in r]
    out = np.empty((*flow.shape[:-1], MOMENTS))
    out[..., 0] = flow.sum(axis=-1)
    for k, each in enumerate(first):
        out[..., 1 + k] = each.sum(axis=-1)
    for k, (a, b) in enumerate(((0, x), (1, y), (2, z), (0, y), (1, z), (2, x))):
        out[..., 4 + k] = np.einsum("...s,...s->...", first[a], b)
    return out


def _turned(R: Array, x: Array, y: Array, z: Array, offset: Array) -> tuple[Array, Array, Array]:
    """Return the coordinates of ``R r + offset``; ``R`` ``(..., 3, 3)``, the others ``(...,)``."""
    a, b, c = (
        R[..., i, 0] * x + R[..., i, 1] * y + R[..., i, 2] * z + offset[..., i] for i in range(3)
    )
    return a, b, c


def _plane(table: SurfaceTable, i: IntArray, p: Array, dp: Array, origin: Array) -> Array:
    """Return the integrands ``(n, g, 10)`` along edges of planes: ``(inner over x) dy``."""
    X = table.X[i]
    R = X[:, :3, :3]
    offset = X[:, :3, 3] - origin
    local = np.einsum("nji,ngj->ngi", R, p - X[:, None, :3, 3])
    dy = np.einsum("ngj,nj->ng", dp, R[:, :, 1])
    nodes, weights = _gauss(3)
    x = 0.5 * local[..., 0, None] * (nodes + 1)
    y = np.broadcast_to(local[..., 1, None], x.shape)
    R, offset = R[:, None, None], offset[:, None, None]
    r = _turned(R, x, y, np.zeros(1), offset)
    height = np.sum(offset * R[..., 2], axis=-1)
    scale = 0.5 * local[..., 0] * dy
    out: Array = _inner(r, height * np.broadcast_to(weights, x.shape)) * scale[..., None]
    return out


def _cone(table: SurfaceTable, i: IntArray, p: Array, dp: Array, origin: Array) -> Array:
    """Return the integrands along edges of cones and cylinders: ``-(inner over z) dtheta``."""
    X = table.X[i]
    R = X[:, :3, :3]
    offset = np.einsum("nji,nj->ni", R, X[:, :3, 3] - origin)
    local = np.einsum("nji,ngj->ngi", R, p - X[:, None, :3, 3])
    dlocal = np.einsum("nji,ngj->ngi", R, dp)
    cos, sin, dtheta = _angle(local, dlocal)
    base = table.base[i][:, None]
    nodes, weights = _gauss(3)
    half = 0.5 * (local[..., 2] - base)
    z = base[..., None] + half[..., None] * (nodes + 1)
    slope = table.slope[i][:, None, None]
    rho = table.radius[i][:, None, None] + slope * z
    c, s = cos[..., None], sin[..., None]
    dx, dy, dz = offset.T[:, :, None, None]
    x, y, z = rho * c + dx, rho * s + dy, z + dz
    # the surface element, d/dtheta x d/dz, looks away from the axis
    flow = rho * (x * c + y * s - slope * z)
    r = _turned(R[:, None, None], x, y, z, np.zeros(3))
    scale = -half * dtheta
    out: Array = _inner(r, flow * weights) * scale[..., None]
    return out


def _angle(local: Array, dlocal: Array) -> tuple[Array, Array, Array]:
    """Return cosine, sine and rate of the angle about z; all 0 on the axis."""
    x, y = local[..., 0], local[..., 1]
    rho = np.hypot(x, y)
    safe = np.where(rho > 0, rho, 1.0)
    dtheta = (x * dlocal[..., 1] - y * dlocal[..., 0]) / (safe * safe)
    return x / safe, y / safe, dtheta


def _sphere(
    table: SurfaceTable, i: int, R: Array, p: Array, dp: Array, origin: Array
) -> tuple[Array, Array]:
    """Return the integrands along edges of ball ``i``: moments ``(n, g, 10)``, area ``(n, g)``.

    The inner integrals start at the south pole of the axes ``R``.
    """
    center, radius = table.X[i, :3, 3], float(table.radius[i])
    local, dlocal = (p - center) @ R, dp @ R
    cos, sin, dtheta = _angle(local, dlocal)
    latitude = np.arctan2(local[..., 2], np.hypot(local[..., 0], local[..., 1]))
    inner = _over_latitude(latitude, cos, sin, radius, R, center - origin)
    area = -radius * radius * (np.sin(latitude) + 1) * dtheta
    return -inner * dtheta[..., None], area


def _whole_balls(boundary: _Boundary, i: int, area: float, triangles: Array) -> Array:
    """Return the integrals ``(10,)`` over whole balls that the line integrals left out.

    They do not see whether the north pole is inside; the area of the facets ``(m, 3, 3)`` tells.
    """
    table, R = boundary.table, boundary.axes[i]
    center, radius = table.X[i, :3, 3], float(table.radius[i])
    a, b, c = (triangles[:, j] - center for j in range(3))
    seen = 0.5 * np.cross(b - a, c - a)
    facets = float(np.einsum("ij,ij->", seen, a + b + c)) / (3 * radius)
    whole = round((facets - area) / (4 * np.pi * radius * radius))
    if not whole:
        return np.zeros(MOMENTS)
    turn = 2 * np.pi * np.arange(16) / 16
    pole = np.full(16, np.pi / 2)
    full = _over_latitude(pole, np.cos(turn), np.sin(turn), radius, R, center - boundary.origin)
    out: Array = whole * 2 * np.pi * full.mean(axis=0)
    return out


def _ball_axes(table: SurfaceTable, balls: IntArray, panels: _Panels) -> dict[int, Array]:
    """Return the axes ``(3, 3)`` in which each ball's edges are integrated."""
    out = {}
    for i in balls:
        mine = panels.chosen((panels.left == i) | (panels.right == i))
        ends = np.concatenate([mine.start, mine.end, 0.5 * (mine.start + mine.end)])
        out[int(i)] = _clear_axis(ends - table.X[i, :3, 3])
    return out


def _over_latitude(
    latitude: Array, cos: Array, sin: Array, radius: float, R: Array, offset: Array
) -> Array:
    """Return inner integrals ``(..., 10)`` from the south pole to ``latitude``, rad."""
    nodes, weights = _gauss(12)
    half = 0.5 * (latitude + 0.5 * np.pi)
    angle = -0.5 * np.pi + half[..., None] * (nodes + 1)
    level, up = np.cos(angle), np.sin(angle)
    n = _turned(R, level * cos[..., None], level * sin[..., None], up, np.zeros(3))
    x, y, z = (radius * each + o for each, o in zip(n, offset, strict=True))
    height = n[0] * offset[0] + n[1] * offset[1] + n[2] * offset[2]
    flow = radius * radius * level * (radius + height)
    out: Array = _inner((x, y, z), flow * weights) * half[..., None]
    return out


def _clear_axis(points: Array) -> Array:
    """Return axes ``(3, 3)``, columns, whose z and -z stay far from all ``points``.

    Near a pole the angle about the axis changes fast, and Gauss points would not follow it.
    """
    grid = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
    trial = grid[np.any(grid != 0, axis=1)] + np.array([0.031, 0.017, 0.011])
    trial = trial / np.linalg.norm(trial, axis=1)[:, None]
    if len(points) == 0:
        return np.eye(3)
    unit = points / np.linalg.norm(points, axis=1)[:, None]
    nearest = np.abs(unit @ trial.T).max(axis=0)
    return outward_frame(trial[int(np.argmin(nearest))], np.zeros(3))[:3, :3]
