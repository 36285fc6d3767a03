"""Floors less a footprint that turns with the base (Otmani & Pruski 2009, 5.3.6).

A base with a rectangular footprint may stand where the footprint lies in the floor: of a convex
floor what is left has the same edges, each moved inward by the footprint's extent across it. The
extent follows from the base's turn, the chain's first joint, so that the area changes in every
step. Rows of such an area (see ``areas``): (4, half length, half width), u, v, n, then
(heading u, heading v, sense): where the length points while the first joint's state is (1, 0),
and 1 where that joint turns about n, -1 about -n. Then four rows for each corner of the floor,
counterclockwise: the corner, the normal outward of the edge that begins there, and by how much
the corner moves inward for each unit that the edge before it and its own edge move.
"""

from __future__ import annotations

from typing import Any

from articulata.kernels.compile import kernel
from articulata.kernels.lanes.vectors import FASTMATH, absolute, maximum, minimum, where

HEADING, CORNERS, EACH = 4, 5, 4
"""The row of the heading, the first of the corners, and rows for each of these."""


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _extent(area: Any, edge: int, hu: Any, hv: Any) -> Any:
    """Return how far the footprint extends across an edge, and the derivative by its turn."""
    nu = area[CORNERS + EACH * edge + 1, 0]
    nv = area[CORNERS + EACH * edge + 1, 1]
    along = nu * hu + nv * hv
    aside = nv * hu - nu * hv
    length = area[0, 1]
    width = area[0, 2]
    rate = where(along > 0.0, length, -length) * aside - where(aside > 0.0, width, -width) * along
    return length * absolute(along) + width * absolute(aside), rate * area[HEADING, 2]


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def nearest_standing(area: Any, c: Any, s: Any, u: Any, v: Any) -> Any:
    """Return what of the floor is nearest to (u, v) while the first joint's state is (c, s).

    Seven numbers: the nearest place; uu, uv, vv, how it follows (u, v) (see
    ``areas.freedom_in_area``); how it moves by the turn of the first joint.
    """
    zero = u - u
    one = zero + 1.0
    sense = area[HEADING, 2]
    hu = c * area[HEADING, 0] - sense * s * area[HEADING, 1]
    hv = c * area[HEADING, 1] + sense * s * area[HEADING, 0]
    corners = (area.shape[0] - CORNERS) // EACH
    best = zero + 1e30
    best_u = u
    best_v = v
    uu = one
    uv = zero
    vv = one
    du = zero
    dv = zero
    outside = zero - 1e30
    before, rate_before = _extent(area, corners - 1, hu, hv)
    own, rate = _extent(area, 0, hu, hv)
    au = area[CORNERS, 0] - before * area[CORNERS + 2, 0] - own * area[CORNERS + 3, 0]
    av = area[CORNERS, 1] - before * area[CORNERS + 2, 1] - own * area[CORNERS + 3, 1]
    mu = rate_before * area[CORNERS + 2, 0] + rate * area[CORNERS + 3, 0]
    mv = rate_before * area[CORNERS + 2, 1] + rate * area[CORNERS + 3, 1]
    for i in range(corners):
        k = CORNERS + EACH * i
        j = CORNERS + EACH * ((i + 1) % corners)
        after, rate_after = _extent(area, (i + 1) % corners, hu, hv)
        bu = area[j, 0] - own * area[j + 2, 0] - after * area[j + 3, 0]
        bv = area[j, 1] - own * area[j + 2, 1] - after * area[j + 3, 1]
        # how the corner behind moves by the turn
        lu = rate * area[j + 2, 0] + rate_after * area[j + 3, 0]
        lv = rate * area[j + 2, 1] + rate_after * area[j + 3, 1]
        nu = area[k + 1, 0]
        nv = area[k + 1, 1]
        beyond = nu * (u - au) + nv * (v - av)
        outside = maximum(outside, beyond)
        # along the edge, whose direction is (-nv, nu)
        along = nu * (v - av) - nv * (u - au)
        length = nu * (bv - av) - nv * (bu - au)
        on = minimum(maximum(along, 0.0), length)
        cu = au - on * nv
        cv = av + on * nu
        gap = (u - cu) * (u - cu) + (v - cv) * (v - cv)
        nearer = gap < best
        best = where(nearer, gap, best)
        best_u = where(nearer, cu, best_u)
        best_v = where(nearer, cv, best_v)
        within = (along > 0.0) & (along < length)
        edge = where(within, one, zero)
        uu = where(nearer, edge * (nv * nv), uu)
        uv = where(nearer, edge * (-nu * nv), uv)
        vv = where(nearer, edge * (nu * nu), vv)
        behind = along > 0.0
        du = where(nearer, where(within, -rate * nu, where(behind, -lu, -mu)), du)
        dv = where(nearer, where(within, -rate * nv, where(behind, -lv, -mv)), dv)
        au = bu
        av = bv
        mu = lu
        mv = lv
        own = after
        rate = rate_after
    free = outside <= 0.0
    return (
        where(free, u, best_u),
        where(free, v, best_v),
        where(free, one, uu),
        where(free, zero, uv),
        where(free, one, vv),
        where(free, zero, du),
        where(free, zero, dv),
    )
