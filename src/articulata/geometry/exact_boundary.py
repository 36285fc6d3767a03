"""Volume moments of a constructed solid from its exact faces, without facets' error.

The mesh of the solid is asked for topology only. By the divergence theorem a moment of degree d
is ``1 / (d + 3)`` of the integral of ``p(r) r . n`` over the boundary; on each face Green's
theorem turns that into a line integral along the face's edges, of an inner integral known in
closed form or by Gauss quadrature that is exact for it. The edges are exact curves
(:mod:`articulata.geometry.edge_curves`), so kinks where a hole breaks an edge cost nothing.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array, IntArray
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
from articulata.geometry.surfaces import outward_frame

MOMENTS = 10
"""1, x, y, z, xx, yy, zz, xy, yz, zx."""


def exact_moments(mesh: SolidMesh, origin: Array, nodes: int) -> Array:
    """Return the ten volume moments about ``origin`` inside the exact faces of a solid.

    ``nodes`` Gauss points are used on every edge of the mesh.
    """
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
    p, dp, weights = trace(curves, first, second, points[start], points[end], nodes)

    total = np.zeros(MOMENTS)
    for side, sign in ((left, 1.0), (right, -1.0)):
        for kind, integrand in ((PLANE, _plane), (CONE, _cone)):
            mine = table.kind[side] == kind
            values = integrand(table, side[mine], p[mine], dp[mine], origin)
            total += sign * np.einsum("ngk,g->k", values, weights)
    for i in np.unique(surface[table.kind[surface] == SPHERE]):
        mine = (left == i) | (right == i)
        facing = np.where(left[mine] == i, 1.0, -1.0)
        edges = (p[mine], dp[mine], weights, facing)
        total += _sphere(table, int(i), edges, origin, V[F[surface == i]])
    moments: Array = total / np.array([3.0] + [4.0] * 3 + [5.0] * 6)
    return moments


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


def _flux(r: Array, flow: Array) -> Array:
    """Return ``p(r) flow`` for the ten polynomials p, ``(..., 10)``."""
    x, y, z = r[..., 0], r[..., 1], r[..., 2]
    one = np.ones_like(x)
    p = np.stack([one, x, y, z, x * x, y * y, z * z, x * y, y * z, z * x], axis=-1)
    out: Array = p * flow[..., None]
    return out


def _plane(table: SurfaceTable, i: IntArray, p: Array, dp: Array, origin: Array) -> Array:
    """Return the integrands ``(n, g, 10)`` along edges of planes: ``(inner over x) dy``."""
    X = table.X[i]
    R = X[:, :3, :3]
    offset = X[:, :3, 3] - origin
    local = np.einsum("nji,ngj->ngi", R, p - X[:, None, :3, 3])
    dy = np.einsum("ngj,nj->ng", dp, R[:, :, 1])
    nodes, weights = np.polynomial.legendre.leggauss(3)
    x = 0.5 * local[..., 0, None] * (nodes + 1)
    y = np.broadcast_to(local[..., 1, None], x.shape)
    inner = np.stack([x, y, np.zeros_like(x)], axis=-1)
    r = np.einsum("nij,ngsj->ngsi", R, inner) + offset[:, None, None]
    height = np.einsum("ni,ni->n", offset, R[:, :, 2])
    flow = np.broadcast_to(height[:, None, None], x.shape)
    scale = 0.5 * local[..., 0] * dy
    out: Array = np.einsum("ngsk,s->ngk", _flux(r, flow), weights) * scale[..., None]
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
    nodes, weights = np.polynomial.legendre.leggauss(3)
    half = 0.5 * (local[..., 2] - base)
    z = base[..., None] + half[..., None] * (nodes + 1)
    slope = table.slope[i][:, None, None]
    rho = table.radius[i][:, None, None] + slope * z
    c, s = cos[..., None], sin[..., None]
    r = np.stack([rho * c, rho * s, z], axis=-1) + offset[:, None, None]
    # the surface element, d/dtheta x d/dz, looks away from the axis
    flow = rho * (r[..., 0] * c + r[..., 1] * s - slope * r[..., 2])
    r = np.einsum("nij,ngsj->ngsi", R, r)
    scale = -half * dtheta
    out: Array = np.einsum("ngsk,s->ngk", _flux(r, flow), weights) * scale[..., None]
    return out


def _angle(local: Array, dlocal: Array) -> tuple[Array, Array, Array]:
    """Return cosine, sine and rate of the angle about z; all 0 on the axis."""
    x, y = local[..., 0], local[..., 1]
    rho = np.hypot(x, y)
    safe = np.where(rho > 0, rho, 1.0)
    dtheta = (x * dlocal[..., 1] - y * dlocal[..., 0]) / (safe * safe)
    return x / safe, y / safe, dtheta


def _sphere(
    table: SurfaceTable,
    i: int,
    edges: tuple[Array, Array, Array, Array],
    origin: Array,
    triangles: Array,
) -> Array:
    """Return the boundary integrals ``(10,)`` over the parts of a sphere that bound the solid.

    ``edges`` are points, derivatives, Gauss weights and the side (1 left, -1 right) of the
    edges of sphere ``i``; ``triangles`` ``(m, 3, 3)`` are its facets. The line integral starts
    at the south pole and does not see whether the north pole is inside; the facets' area tells.
    """
    p, dp, weights, side = edges
    center, radius = table.X[i, :3, 3], float(table.radius[i])
    R = _clear_axis(p.reshape(-1, 3) - center)
    local, dlocal = (p - center) @ R, dp @ R
    cos, sin, dtheta = _angle(local, dlocal)
    latitude = np.arctan2(local[..., 2], np.hypot(local[..., 0], local[..., 1]))
    inner = _over_latitude(latitude, cos, sin, radius, R, center - origin)
    line: Array = -np.einsum("ngk,g,n->k", inner * dtheta[..., None], weights, side)
    area = -radius * radius * np.einsum("ng,g,n->", (np.sin(latitude) + 1) * dtheta, weights, side)
    a, b, c = (triangles[:, j] - center for j in range(3))
    seen = 0.5 * np.cross(b - a, c - a)
    facets = float(np.einsum("ij,ij->", seen, a + b + c)) / (3 * radius)
    whole = round((facets - area) / (4 * np.pi * radius * radius))
    if whole:
        turn = 2 * np.pi * np.arange(16) / 16
        pole = np.full(16, np.pi / 2)
        full = _over_latitude(pole, np.cos(turn), np.sin(turn), radius, R, center - origin)
        line = line + whole * 2 * np.pi * full.mean(axis=0)
    return line


def _over_latitude(
    latitude: Array, cos: Array, sin: Array, radius: float, R: Array, offset: Array
) -> Array:
    """Return inner integrals ``(..., 10)`` from the south pole to ``latitude``, rad."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = 0.5 * (latitude + 0.5 * np.pi)
    angle = -0.5 * np.pi + half[..., None] * (nodes + 1)
    level, up = np.cos(angle), np.sin(angle)
    n = np.stack([level * cos[..., None], level * sin[..., None], up], axis=-1) @ R.T
    r = radius * n + offset
    flow = radius * radius * level * (radius + n @ offset)
    out: Array = np.einsum("...sk,s->...k", _flux(r, flow), weights) * half[..., None]
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
