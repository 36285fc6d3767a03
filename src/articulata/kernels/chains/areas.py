"""Areas around a target: a tip that lies anywhere in the area has met the target.

A base that may stand anywhere in an area of the floor turns a point target into that area
(Otmani & Pruski 2009, 5.3.5 and 5.3.6, equations 9 and 10). An area is a float array: row 0 is
(kind, size 1, size 2), rows 1 to 3 are the unit vectors u, v, n of its plane, then for a
polygon one row (u, v, 0) for each corner in order. The area is centred on the target; kinds: 0
the point itself, 1 a disc of radius size 1, 2 a rectangle with half sides size 1 along u and
size 2 along v, 3 a simple polygon, not necessarily convex, 4 a floor less a footprint that turns
with the base (see ``standing_areas``). Lengths in the table's unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.kernels.chains.standing_areas import nearest_standing
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.vectors import FASTMATH, maximum, minimum, sqrt, where

POINT, DISC, RECTANGLE, POLYGON, STANDING = 0.0, 1.0, 2.0, 3.0, 4.0

NO_AREA = np.zeros((4, 3))
"""The point itself."""


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def nearest_in_area(area: Any, dx: Any, dy: Any, dz: Any) -> Any:
    """Return the nearest point of an area that stays as it is."""
    zero = dx - dx
    if area[0, 0] == POINT:
        return zero, zero, zero
    u = dx * area[1, 0] + dy * area[1, 1] + dz * area[1, 2]
    v = dx * area[2, 0] + dy * area[2, 1] + dz * area[2, 2]
    if area[0, 0] == DISC:
        radius = area[0, 1]
        r2 = u * u + v * v
        shrink = where(r2 > radius * radius, radius / sqrt(r2 + 1e-30), 1.0)
        u = u * shrink
        v = v * shrink
    elif area[0, 0] == RECTANGLE:
        u = minimum(maximum(u, -area[0, 1]), area[0, 1])
        v = minimum(maximum(v, -area[0, 2]), area[0, 2])
    else:
        corners = area.shape[0] - 4
        best = zero + 1e30
        best_u = u
        best_v = v
        inside = zero - 1.0
        for i in range(corners):
            au = area[4 + i, 0]
            av = area[4 + i, 1]
            j = 4 + (i + 1) % corners
            eu = area[j, 0] - au
            ev = area[j, 1] - av
            share = ((u - au) * eu + (v - av) * ev) / (eu * eu + ev * ev)
            share = minimum(maximum(share, 0.0), 1.0)
            cu = au + share * eu
            cv = av + share * ev
            gap = (u - cu) * (u - cu) + (v - cv) * (v - cv)
            nearer = gap < best
            best = where(nearer, gap, best)
            best_u = where(nearer, cu, best_u)
            best_v = where(nearer, cv, best_v)
            if ev != 0.0:
                # even-odd rule: count the edges that a ray along +u crosses
                crosses = ((v < av) ^ (v < av + ev)) & (u < au + (v - av) * (eu / ev))
                inside = where(crosses, -inside, inside)
        u = where(inside > 0.0, u, best_u)
        v = where(inside > 0.0, v, best_v)
    return (
        u * area[1, 0] + v * area[2, 0],
        u * area[1, 1] + v * area[2, 1],
        u * area[1, 2] + v * area[2, 2],
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def in_area(area: Any, c: Any, s: Any, dx: Any, dy: Any, dz: Any) -> Any:
    """Return the area's point nearest to (dx, dy, dz), both relative to the target, and more.

    ``c`` and ``s`` are the state of the first joint. For an area that turns with it follow uu, uv
    and vv (see ``freedom_in_area``), and how the nearest point moves by the turn, in the plane.
    """
    if area[0, 0] == STANDING:
        u = dx * area[1, 0] + dy * area[1, 1] + dz * area[1, 2]
        v = dx * area[2, 0] + dy * area[2, 1] + dz * area[2, 2]
        u, v, uu, uv, vv, du, dv = nearest_standing(area, c, s, u, v)
        return (
            u * area[1, 0] + v * area[2, 0],
            u * area[1, 1] + v * area[2, 1],
            u * area[1, 2] + v * area[2, 2],
            uu,
            uv,
            vv,
            du,
            dv,
        )
    zero = dx - dx
    ax, ay, az = nearest_in_area(area, dx, dy, dz)
    return ax, ay, az, zero, zero, zero, zero, zero


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def freedom_in_area(area: Any, dx: Any, dy: Any, dz: Any) -> Any:
    """Return how the nearest point follows (dx, dy, dz): entries uu, uv, vv in the area's plane.

    The derivative of ``nearest_in_area``. A step that moves the tip along it leaves the distance
    as it is: both directions over the inside, one along an edge, none at a corner.
    """
    zero = dx - dx
    one = zero + 1.0
    u = dx * area[1, 0] + dy * area[1, 1] + dz * area[1, 2]
    v = dx * area[2, 0] + dy * area[2, 1] + dz * area[2, 2]
    if area[0, 0] == DISC:
        radius = area[0, 1]
        r2 = u * u + v * v
        outside = r2 > radius * radius
        # around the rim, by the share of the turn that the nearest point makes
        share = radius / ((r2 + 1e-30) * sqrt(r2 + 1e-30))
        return (
            where(outside, share * v * v, one),
            where(outside, -share * u * v, zero),
            where(outside, share * u * u, one),
        )
    if area[0, 0] == RECTANGLE:
        return (
            where((u > area[0, 1]) | (u < -area[0, 1]), zero, one),
            zero,
            where((v > area[0, 2]) | (v < -area[0, 2]), zero, one),
        )
    corners = area.shape[0] - 4
    best = zero + 1e30
    uu = one
    uv = zero
    vv = one
    inside = zero - 1.0
    for i in range(corners):
        au = area[4 + i, 0]
        av = area[4 + i, 1]
        j = 4 + (i + 1) % corners
        eu = area[j, 0] - au
        ev = area[j, 1] - av
        square = eu * eu + ev * ev
        along = ((u - au) * eu + (v - av) * ev) / square
        share = minimum(maximum(along, 0.0), 1.0)
        cu = au + share * eu
        cv = av + share * ev
        gap = (u - cu) * (u - cu) + (v - cv) * (v - cv)
        nearer = gap < best
        best = where(nearer, gap, best)
        edge = where((along > 0.0) & (along < 1.0), one / square, zero)
        uu = where(nearer, edge * eu * eu, uu)
        uv = where(nearer, edge * eu * ev, uv)
        vv = where(nearer, edge * ev * ev, vv)
        if ev != 0.0:
            crosses = ((v < av) ^ (v < av + ev)) & (u < au + (v - av) * (eu / ev))
            inside = where(crosses, -inside, inside)
    return (
        where(inside > 0.0, one, uu),
        where(inside > 0.0, zero, uv),
        where(inside > 0.0, one, vv),
    )
