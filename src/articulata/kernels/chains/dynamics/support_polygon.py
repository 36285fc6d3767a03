"""How far a point lies within the polygon that supports it, in the plane of the floor.

The polygon is the convex hull of up to some dozen points, which may coincide or lie on a line.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel


@kernel(counted=False)
def margins(centers: Array, points: Array, out: Array, weights: Array, normals: Array) -> None:
    """Write the signed distance (batch,) of ``centers`` (batch, 2) to the hull of ``points``.

    ``points`` are (batch, n, 2). Positive inside, negative outside. ``weights`` (batch, n) write
    the nearest place of the hull's edge as a mean of the points, ``normals`` (batch, 2) the unit
    direction in which the distance grows: its change is ``normals . (d center - sum weights d p)``.
    """
    count = points.shape[1]
    for b in range(centers.shape[0]):
        cx = centers[b, 0]
        cy = centers[b, 1]
        inside = True
        wide = False
        depth = math.inf
        within_i = 0
        within_j = 0
        near = math.inf
        near_i = 0
        near_j = 0
        near_t = 0.0
        for k in range(count):
            weights[b, k] = 0.0
        for i in range(count):
            for j in range(count):
                px = points[b, i, 0]
                py = points[b, i, 1]
                ex = points[b, j, 0] - px
                ey = points[b, j, 1] - py
                length = math.hypot(ex, ey)
                t = 0.0
                if length > 0.0:
                    t = ((cx - px) * ex + (cy - py) * ey) / (length * length)
                    t = min(max(t, 0.0), 1.0)
                away = math.hypot(cx - px - t * ex, cy - py - t * ey)
                if away < near:
                    near = away
                    near_i = i
                    near_j = j
                    near_t = t
                if length == 0.0:
                    continue
                edge = True
                side = 0.0
                for k in range(count):
                    left = ex * (points[b, k, 1] - py) - ey * (points[b, k, 0] - px)
                    # what rounding leaves of a point on the line itself
                    if left < -1e-14 * length * (length + abs(px) + abs(py)):
                        edge = False
                        break
                    side = max(side, left / length)
                if not edge:
                    continue
                wide = wide or side > 1e-12 * length
                height = (ex * (cy - py) - ey * (cx - px)) / length
                if height < 0.0:
                    inside = False
                elif height < depth:
                    depth = height
                    within_i = i
                    within_j = j
        if inside and wide:
            px = points[b, within_i, 0]
            py = points[b, within_i, 1]
            ex = points[b, within_j, 0] - px
            ey = points[b, within_j, 1] - py
            length = math.hypot(ex, ey)
            t = ((cx - px) * ex + (cy - py) * ey) / (length * length)
            out[b] = depth
            normals[b, 0] = -ey / length
            normals[b, 1] = ex / length
            weights[b, within_i] += 1.0 - t
            weights[b, within_j] += t
            continue
        out[b] = -near
        weights[b, near_i] += 1.0 - near_t
        weights[b, near_j] += near_t
        px = points[b, near_i, 0]
        py = points[b, near_i, 1]
        nx = px + near_t * (points[b, near_j, 0] - px) - cx
        ny = py + near_t * (points[b, near_j, 1] - py) - cy
        if near > 0.0:
            normals[b, 0] = nx / near
            normals[b, 1] = ny / near
        else:
            normals[b, 0] = 0.0
            normals[b, 1] = 0.0
