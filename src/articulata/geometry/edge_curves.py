"""The exact curves in which the faces of a solid meet, traced along the edges of its mesh.

A mesh of a constructed solid gives its topology: which faces meet along which edges. Where they
meet exactly follows from the faces' surfaces: the corners of the mesh are moved onto them, and
points along every edge are found as the intersection of two surfaces with a plane across the
edge. All by Newton's method, in the solid's frame; metres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
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

    def chosen(self, which: IntArray | BoolArray) -> SurfaceTable:
        """Return surfaces ``which`` ``(n,)`` as a table, one row for each."""
        # each number of a frame lies beside those of the other frames: distance() goes by numbers
        X = np.ascontiguousarray(np.moveaxis(self.X, 0, -1)[:, :, which])
        return SurfaceTable(
            kind=self.kind[which],
            X=np.moveaxis(X, -1, 0),
            radius=self.radius[which],
            slope=self.slope[which],
            base=self.base[which],
        )

    def distance(self, p: Array) -> tuple[Array, Array]:
        """Return how far points lie off the surfaces, ``(n,)``, and the gradients ``(3, n)``.

        Points are ``(3, n)``; point i is compared with surface i. First-order distances: their
        gradients have length 1 up to the slope of a cone.
        """
        r, k, X = self.radius, self.slope, self.X
        dx, dy, dz = (p[i] - X[:, i, 3] for i in range(3))
        x, y, z = (X[:, 0, i] * dx + X[:, 1, i] * dy + X[:, 2, i] * dz for i in range(3))
        flat, ball = self.kind == PLANE, self.kind == SPHERE
        rho = np.sqrt(x * x + y * y)
        away = np.where(ball, np.sqrt(rho * rho + z * z), rho)
        side = np.where(flat, 0.0, 1.0 / np.where(away > 0, away, 1.0))
        g = np.where(flat, z, np.where(ball, away - r, away - r - k * z))
        gx, gy = x * side, y * side
        gz = np.where(flat, 1.0, np.where(ball, z * side, -k))
        gradient = np.stack([X[:, i, 0] * gx + X[:, i, 1] * gy + X[:, i, 2] * gz for i in range(3)])
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
        moving, surfaces = p[rows], table.chosen(which.ravel())
        for _ in range(STEPS):
            g, J = surfaces.distance(np.repeat(moving, k, axis=0).T)
            step = _least_step(g.reshape(-1, k), J.T.reshape(-1, k, 3))
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
        a, b = (table.chosen(np.repeat(each[bent], nodes)) for each in (first, second))
        goal = points[bent].reshape(-1, 3)
        p, tangent, off = _onto_curve(_Across(a, b, across.T, goal.T, reach))
        miss[bent] = off.reshape(-1, nodes).max(axis=1)
        points[bent] = p.T.reshape(-1, nodes, 3)
        rates[bent] = (tangent * reach).T.reshape(-1, nodes, 3)
    return points, rates, miss


@dataclass(frozen=True, slots=True, eq=False)
class _Across:
    """Where surfaces ``a`` and ``b`` of n rows meet planes through ``goal`` ``(3, n)``.

    The planes' unit normals are ``across`` ``(3, n)``; the points are sought within ``reach``
    ``(n,)``, m.
    """

    a: SurfaceTable
    b: SurfaceTable
    across: Array
    goal: Array
    reach: Array

    def chosen(self, which: BoolArray) -> _Across:
        return _Across(
            self.a.chosen(which),
            self.b.chosen(which),
            self.across[:, which],
            self.goal[:, which],
            self.reach[which],
        )

    def crossing(self, p: Array) -> tuple[Array, Array, tuple[Array, Array, Array]]:
        """Return distances off both surfaces and the columns of the inverse of the gradients.

        The inverse is 0 where the surfaces touch or the curve runs along the plane.
        """
        ga, Ja = self.a.distance(p)
        gb, Jb = self.b.distance(p)
        normal = _cross(Ja, Jb)
        det = np.sum(self.across * normal, axis=0)
        safe = np.abs(det) > 1e-9
        scale = np.where(safe, 1 / np.where(safe, det, 1.0), 0.0)
        first, second = _cross(Jb, self.across), _cross(self.across, Ja)
        return ga, gb, (first * scale, second * scale, normal * scale)


def _onto_curve(task: _Across) -> tuple[Array, Array, Array]:
    """Return the points ``(3, n)`` of a task, tangents ``(3, n)`` and misses ``(n,)``.

    The tangents advance by 1 along ``across``; a miss is how far a point still is off its surfaces.
    Steps are no longer than ``reach``.
    """
    p = task.goal.copy()
    rows, left, q = np.arange(p.shape[1]), task, p.copy()
    last = np.full(p.shape[1], 1e-9)
    for _ in range(STEPS):
        ga, gb, (u, v, w) = left.crossing(q)
        step = ga * u + gb * v + np.sum(left.across * (q - left.goal), axis=0) * w
        size = np.sqrt(np.sum(step * step, axis=0))
        # a step longer than the edge has lost the curve; stay near the chord
        q -= step * np.minimum(1.0, left.reach / np.maximum(size, 1e-300))
        p[:, rows] = q
        # what the next step would be where steps square
        going = (size >= 1e-16) & (size * (size / last) ** 2 >= 1e-18)
        if not np.any(going):
            break
        last = np.maximum(size, 1e-30)
        if np.mean(going) < 0.7:
            rows, left, q, last = rows[going], left.chosen(going), q[:, going], last[going]
    ga, gb, (_, _, tangent) = task.crossing(p)
    lost = np.all(tangent == 0, axis=0)
    return p, np.where(lost, task.across, tangent), np.maximum(np.abs(ga), np.abs(gb))


def _cross(a: Array, b: Array) -> Array:
    """Return the cross products of the columns of two ``(3, n)``."""
    return np.stack(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )
