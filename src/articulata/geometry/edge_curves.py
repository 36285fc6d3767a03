"""The exact curves in which the faces of a solid meet, traced along the edges of its mesh.

A mesh of a constructed solid gives its topology: which faces meet along which edges. Where they
meet exactly follows from the faces' surfaces: the corners of the mesh are moved onto them, and
points along every edge are found as the intersection of two surfaces with a plane across the
edge. All by Newton's method, in the solid's frame; metres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.exact_surfaces import Surface, outward_frame

PLANE, CONE, SPHERE = 0, 1, 2
"""Kinds of surfaces; a cylinder is a cone of slope 0."""

STEPS = 12
"""Newton steps; four are enough where surfaces cross at an angle."""

SAME = 1e-9
"""Surfaces that differ by less than this, relative to the solid's size, are one surface."""


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceTable:
    """Surfaces as arrays: ``kind`` ``(m,)``, frames ``X`` ``(m, 4, 4)``, ``radius``, ``slope``.

    ``base`` is the height on a cone at which the inner integral over it starts.
    """

    kind: IntArray
    X: Array
    radius: Array
    slope: Array
    base: Array

    def local(self, which: IntArray, p: Array) -> Array:
        """Return points ``(n, 3)`` in the frames of surfaces ``which`` ``(n,)``."""
        X = self.X[which]
        out: Array = np.einsum("nji,nj->ni", X[:, :3, :3], p - X[:, :3, 3])
        return out

    def distance(self, which: IntArray, p: Array) -> tuple[Array, Array]:
        """Return how far points lie off surfaces, ``(n,)``, and the gradients ``(n, 3)``.

        First-order distances: their gradients have length 1 up to the slope of a cone.
        """
        kind, r, k = self.kind[which], self.radius[which], self.slope[which]
        x, y, z = self.local(which, p).T
        rho = np.hypot(x, y)
        far = np.sqrt(rho * rho + z * z)
        away = np.where(rho > 0, rho, 1.0)
        out = np.where(far > 0, far, 1.0)
        flat, ball = kind == PLANE, kind == SPHERE
        g = np.where(flat, z, np.where(ball, far - r, rho - r - k * z))
        side = np.where(ball, 1 / out, 1 / away)
        gx = np.where(flat, 0.0, x * side)
        gy = np.where(flat, 0.0, y * side)
        gz = np.where(flat, 1.0, np.where(ball, z / out, -k))
        gradient = np.einsum("nij,nj->ni", self.X[which][:, :3, :3], np.stack([gx, gy, gz], 1))
        return g, gradient


def surface_table(surfaces: list[Surface]) -> SurfaceTable:
    """Return surfaces as arrays."""
    kinds = {"plane": PLANE, "cylinder": CONE, "cone": CONE, "sphere": SPHERE}
    return SurfaceTable(
        kind=np.array([kinds[s.form] for s in surfaces]),
        X=np.array([s.X_SF for s in surfaces]),
        radius=np.array([s.radius for s in surfaces]),
        slope=np.array([s.slope for s in surfaces]),
        base=np.array([0.0 if s.tip is None else s.tip for s in surfaces]),
    )


def merge_same(table: SurfaceTable, size: float) -> IntArray:
    """Return for every surface the first one that is the same set of points, ``(m,)``.

    Flush faces of two parts lie on one surface; the curve between them would not be determined.
    """
    m = len(table.kind)
    same = np.arange(m)
    z, p = table.X[:, :3, 2], table.X[:, :3, 3]
    for i in range(m):
        if same[i] != i:
            continue
        j = np.arange(i + 1, m)
        j = j[(table.kind[j] == table.kind[i]) & (same[j] == j)]
        offset = p[j] - p[i]
        along = offset @ z[i]
        across = np.sqrt(np.maximum(np.sum(offset * offset, axis=1) - along * along, 0.0))
        turn = z[j] @ z[i]
        parallel = np.linalg.norm(np.cross(z[j], z[i]), axis=1) < SAME
        if table.kind[i] == PLANE:
            equal = parallel & (np.abs(along) < SAME * size)
        elif table.kind[i] == SPHERE:
            equal = (np.linalg.norm(offset, axis=1) < SAME * size) & (
                np.abs(table.radius[j] - table.radius[i]) < SAME * size
            )
        else:
            slope = np.where(turn > 0, table.slope[j], -table.slope[j])
            radius = table.radius[j] - slope * along
            equal = (
                parallel
                & (across < SAME * size)
                & (np.abs(slope - table.slope[i]) < SAME)
                & (np.abs(radius - table.radius[i]) < SAME * size)
            )
        same[j[equal]] = i
    return same


@dataclass(frozen=True, slots=True)
class Seam:
    """Two surfaces that touch along a curve, where the curve lies on ``keep`` and ``plane``.

    ``drop`` is the other one. Two surfaces with one normal do not say where along it they meet.
    """

    keep: int
    drop: int
    plane: int


def find_seams(table: SurfaceTable, size: float) -> tuple[SurfaceTable, list[Seam]]:
    """Return the table with the planes of all seams added, and the seams.

    A ball and a cone (or cylinder) about its centre touch along a circle, as a capsule's do; a
    plane and a cylinder touch along a line, as in a bar with a round end.
    """
    found: list[tuple[int, int, Array, Array]] = []
    z, p = table.X[:, :3, 2], table.X[:, :3, 3]
    for i in np.nonzero(table.kind == CONE)[0]:
        k, r = float(table.slope[i]), float(table.radius[i])
        stretch = float(np.sqrt(1 + k * k))
        for j in np.nonzero(table.kind == SPHERE)[0]:
            offset = p[j] - p[i]
            along = float(offset @ z[i])
            across = float(np.linalg.norm(offset - along * z[i]))
            gap = r + k * along - table.radius[j] * stretch
            if max(across, abs(gap)) < SAME * size:
                height = along - table.radius[j] * k / stretch
                found.append((int(i), int(j), z[i], p[i] + height * z[i]))
        if k != 0:
            continue
        for j in np.nonzero(table.kind == PLANE)[0]:
            depth = float((p[i] - p[j]) @ z[j])
            if abs(z[j] @ z[i]) < SAME and abs(abs(depth) - r) < SAME * size:
                found.append((int(j), int(i), np.cross(z[i], z[j]), p[i]))
    if not found:
        return table, []
    count = len(table.kind)
    planes = [Surface("", "plane", outward_frame(normal, point)) for _, _, normal, point in found]
    seams = [Seam(keep, drop, count + n) for n, (keep, drop, _, _) in enumerate(found)]
    return _joined(table, surface_table(planes)), seams


def _joined(a: SurfaceTable, b: SurfaceTable) -> SurfaceTable:
    return SurfaceTable(
        kind=np.concatenate([a.kind, b.kind]),
        X=np.concatenate([a.X, b.X]),
        radius=np.concatenate([a.radius, b.radius]),
        slope=np.concatenate([a.slope, b.slope]),
        base=np.concatenate([a.base, b.base]),
    )


def with_seams(seams: list[Seam], incident: IntArray) -> IntArray:
    """Return surface numbers ``(n, k)``, seam planes in place of the surfaces that touch there."""
    out = incident.copy()
    for seam in seams:
        rows = np.any(incident == seam.keep, axis=1)
        out[rows[:, None] & (incident == seam.drop)] = seam.plane
    return out


def settle(table: SurfaceTable, incident: IntArray, p: Array) -> Array:
    """Return points ``(n, 3)`` moved the short way onto all of their surfaces.

    ``incident`` is ``(n, k)``, surface numbers, filled up with -1.
    """
    p = p.copy()
    count = np.sum(incident >= 0, axis=1)
    for k in np.unique(count):
        rows = np.nonzero(count == k)[0]
        which = -np.sort(-incident[rows], axis=1)[:, :k]
        moving = p[rows]
        for _ in range(STEPS):
            g, J = table.distance(which.ravel(), np.repeat(moving, k, axis=0))
            step = _least_step(g.reshape(-1, k), J.reshape(-1, k, 3))
            moving -= step
            if np.max(np.abs(step), initial=0.0) < 1e-15:
                break
        p[rows] = moving
    return p


def _least_step(g: Array, J: Array) -> Array:
    """Return the shortest steps ``(n, 3)`` that meet ``J step = g`` as well as can be."""
    if J.shape[1] != 2:
        out: Array = (np.linalg.pinv(J, rcond=1e-7) @ g[..., None])[..., 0]
        return out
    # two surfaces, by far the most points: J^T (J J^T)^-1 g written out
    a, b = J[:, 0], J[:, 1]
    aa, ab, bb = (np.einsum("ni,ni->n", u, v) for u, v in ((a, a), (a, b), (b, b)))
    det = aa * bb - ab * ab
    touching = det <= 1e-14 * aa * bb
    safe = np.where(touching, 1.0, det)
    u = np.where(touching, 0.5 * g[:, 0] / aa, (bb * g[:, 0] - ab * g[:, 1]) / safe)
    v = np.where(touching, 0.5 * g[:, 1] / bb, (aa * g[:, 1] - ab * g[:, 0]) / safe)
    step: Array = u[:, None] * a + v[:, None] * b
    return step


def trace(
    table: SurfaceTable, first: IntArray, second: IntArray, start: Array, end: Array, t: Array
) -> tuple[Array, Array, Array]:
    """Return points, derivatives ``(n, k, 3)`` and misses ``(n,)`` along curves.

    Edge ``i`` runs from ``start[i]`` to ``end[i]`` where surfaces ``first[i]`` and ``second[i]``
    meet; points and derivatives are at fractions ``t`` ``(k,)`` of the chord. Between planes it
    is straight. The miss is how far the farthest point lies off its two surfaces, m.
    """
    nodes = len(t)
    chord = end - start
    length = np.sqrt(np.sum(chord * chord, axis=1))
    points = start[:, None] + t[:, None] * chord[:, None]
    rates = np.repeat(chord[:, None], nodes, axis=1)
    miss = np.zeros(len(start))
    bent = ((table.kind[first] != PLANE) | (table.kind[second] != PLANE)) & (length > 0)
    if np.any(bent):
        reach = np.repeat(length[bent], nodes)
        across = np.repeat(chord[bent], nodes, axis=0) / reach[:, None]
        a, b = np.repeat(first[bent], nodes), np.repeat(second[bent], nodes)
        goal = points[bent].reshape(-1, 3)
        p, tangent, off = _onto_curve(table, a, b, across, goal, reach)
        miss[bent] = off.reshape(-1, nodes).max(axis=1)
        points[bent] = p.reshape(-1, nodes, 3)
        rates[bent] = (tangent * reach[:, None]).reshape(-1, nodes, 3)
    return points, rates, miss


def _onto_curve(
    table: SurfaceTable, a: IntArray, b: IntArray, across: Array, goal: Array, reach: Array
) -> tuple[Array, Array, Array]:
    """Return the points where surfaces ``a`` and ``b`` meet the plane through ``goal``.

    The plane's unit normal is ``across``; with the points come the curve's tangents, scaled to
    advance by 1 along ``across``, and how far the points still are off the surfaces. Steps are
    no longer than ``reach``.
    """
    p = goal.copy()
    for _ in range(STEPS):
        ga, gb, inverse = _crossing(table, a, b, across, p)
        off = np.stack([ga, gb, np.einsum("ni,ni->n", across, p - goal)], axis=1)
        step = np.einsum("nij,nj->ni", inverse, off)
        size = np.sqrt(np.sum(step * step, axis=1))
        # a step longer than the edge has lost the curve; stay near the chord
        p -= step * np.minimum(1.0, reach / np.maximum(size, 1e-300))[:, None]
        if np.max(size) < 1e-16:
            break
    ga, gb, inverse = _crossing(table, a, b, across, p)
    tangent = inverse[:, :, 2]
    lost = np.all(tangent == 0, axis=1)
    return p, np.where(lost[:, None], across, tangent), np.maximum(np.abs(ga), np.abs(gb))


def _crossing(
    table: SurfaceTable, a: IntArray, b: IntArray, across: Array, p: Array
) -> tuple[Array, Array, Array]:
    """Return distances off both surfaces and the inverse of the 3 x 3 matrix of gradients.

    The inverse is 0 where the surfaces touch or the curve runs along the plane.
    """
    ga, Ja = table.distance(a, p)
    gb, Jb = table.distance(b, p)
    normal = np.cross(Ja, Jb)
    det = np.einsum("ni,ni->n", across, normal)
    safe = np.abs(det) > 1e-9
    adjugate = np.stack([np.cross(Jb, across), np.cross(across, Ja), normal], axis=2)
    scale = np.where(safe, 1 / np.where(safe, det, 1.0), 0.0)
    return ga, gb, adjugate * scale[:, None, None]
